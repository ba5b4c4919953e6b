//! Tests without real binaries: shell scripts replace them, and this test program serves for them.

use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper_util::rt::TokioIo;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{ListParams, ObjectMeta, PostParams};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::process::Process;
use super::start::Layout;
use super::*;
use crate::ApiServer;
use crate::api_server::AccessRule;

/// The variable that passes a stand-in its arguments.
const ROLE: &str = "KUBE_INFORMER_STAND_IN";

struct Scripts(PathBuf);

impl Scripts {
    fn new() -> Self {
        let name = format!("kube-informer-scripts-{:016x}", fastrand::u64(..));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    /// Returns scripts that run this test program as a server.
    fn serving() -> Self {
        let scripts = Self::new();
        let this = std::env::current_exe().unwrap();
        for program in ["etcd", "kube-apiserver"] {
            let test = "control_plane::tests::stand_in";
            let this = this.display();
            scripts.write(
                program,
                &format!("{ROLE}=\"{program} $*\" exec '{this}' {test} --exact --nocapture"),
            );
        }
        scripts
    }

    fn write(&self, program: &str, script: &str) {
        let path = self.0.join(program);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    }

    fn builder(&self) -> ControlPlaneBuilder {
        ControlPlane::builder().binaries(Binaries {
            etcd: self.0.join("etcd"),
            kube_apiserver: self.0.join("kube-apiserver"),
        })
    }
}

impl Drop for Scripts {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Serves for the scripts; without the variable the test does nothing. As `kube-apiserver` it is an
/// embedded server with the certificate and the token from its arguments.
#[test]
fn stand_in() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let mut words = role.split(' ');
    let program = words.next().unwrap();
    let flag = |name: &str| {
        let prefix = format!("--{name}=");
        let found = role.split(' ').find_map(|word| word.strip_prefix(&prefix));
        found.unwrap_or_else(|| panic!("no {prefix} in {role}")).to_owned()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let serving = |certificate: &str, key: &str, clients: Option<&str>| {
            let provider = Arc::new(ring::default_provider());
            let config = ServerConfig::builder_with_provider(provider.clone())
                .with_safe_default_protocol_versions()
                .unwrap();
            let config = match clients {
                None => config.with_no_client_auth(),
                Some(authority) => {
                    let mut trusted = RootCertStore::empty();
                    trusted.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
                    let verifier =
                        WebPkiClientVerifier::builder_with_provider(trusted.into(), provider);
                    config.with_client_cert_verifier(verifier.build().unwrap())
                }
            };
            let certificate = CertificateDer::from_pem_file(certificate).unwrap();
            let key = PrivateKeyDer::from_pem_file(key).unwrap();
            let config = config.with_single_cert(vec![certificate], key).unwrap();
            TlsAcceptor::from(Arc::new(config))
        };
        if program == "etcd" {
            let address = flag("listen-client-urls").replace("https://", "");
            assert_eq!(flag("client-cert-auth"), "true");
            let authority = flag("trusted-ca-file");
            let tls = serving(&flag("cert-file"), &flag("key-file"), Some(&authority));
            serve(address.parse().unwrap(), tls, None).await;
        }
        let address = format!("{}:{}", flag("bind-address"), flag("secure-port"));
        let tls = serving(&flag("tls-cert-file"), &flag("tls-private-key-file"), None);
        let tokens = fs::read_to_string(flag("token-auth-file")).unwrap();
        let (token, user) = tokens.split_once(',').unwrap();
        assert_eq!(user, "admin,admin,system:masters\n");
        let server = ApiServer::builder().token(token, "admin", [AccessRule::everything()]).build();
        serve(address.parse().unwrap(), tls, Some(server)).await;
    });
}

/// Serves the embedded server, or `ok` to every request.
async fn serve(address: SocketAddr, tls: TlsAcceptor, server: Option<ApiServer>) {
    let listener = TcpListener::bind(address).await.unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (tls, server) = (tls.clone(), server.clone());
        let service = hyper::service::service_fn(move |request| {
            let server = server.clone();
            async move {
                let answer = match server {
                    Some(server) => server.handle(request).await,
                    None => http::Response::new(ok()),
                };
                Ok::<_, std::convert::Infallible>(answer)
            }
        });
        tokio::spawn(async move {
            let http = hyper::server::conn::http1::Builder::new();
            // A client without a certificate is refused.
            if let Ok(stream) = tls.accept(stream).await {
                let _ = http.serve_connection(TokioIo::new(stream), service).await;
            }
        });
    }
}

fn ok() -> crate::api_server::ResponseBody {
    use http_body_util::BodyExt;
    http_body_util::Full::from("ok").map_err(|never| match never {}).boxed_unsync()
}

fn layout(folder: &Path) -> Layout<'_> {
    let address = |port| SocketAddr::from(([127, 0, 0, 1], port));
    Layout { folder, etcd: address(1001), peers: address(1002), apiserver: address(1003) }
}

fn flags(flags: &[(&str, &str)]) -> Vec<(String, String)> {
    flags.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn arguments_equal_those_of_envtest() {
    let layout = layout(Path::new("/t"));
    assert_eq!(
        layout.etcd_arguments(),
        [
            "--data-dir=/t/etcd",
            "--listen-client-urls=https://127.0.0.1:1001",
            "--advertise-client-urls=https://127.0.0.1:1001",
            "--cert-file=/t/etcd.crt",
            "--key-file=/t/etcd.key",
            "--client-cert-auth=true",
            "--trusted-ca-file=/t/authority.crt",
            "--listen-peer-urls=https://127.0.0.1:1002",
            "--peer-cert-file=/t/etcd.crt",
            "--peer-key-file=/t/etcd.key",
            "--peer-client-cert-auth=true",
            "--peer-trusted-ca-file=/t/authority.crt",
            "--unsafe-no-fsync=true",
        ]
    );
    let arguments = layout.apiserver_arguments(&[]);
    for flag in [
        "--etcd-servers=https://127.0.0.1:1001",
        "--etcd-cafile=/t/authority.crt",
        "--etcd-certfile=/t/etcd-client.crt",
        "--etcd-keyfile=/t/etcd-client.key",
        "--bind-address=127.0.0.1",
        "--secure-port=1003",
        "--cert-dir=/t",
        "--tls-cert-file=/t/apiserver.crt",
        "--tls-private-key-file=/t/apiserver.key",
        "--token-auth-file=/t/tokens.csv",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--service-account-issuer=https://127.0.0.1:1003/",
        "--service-account-key-file=/t/service-accounts.pub",
        "--service-account-signing-key-file=/t/service-accounts.key",
        "--disable-admission-plugins=ServiceAccount",
        "--allow-privileged=true",
    ] {
        assert!(arguments.iter().any(|argument| argument == flag), "{flag} in {arguments:?}");
    }
    assert_eq!(arguments.len(), 17);
}

#[test]
fn first_flag_replaces_default_and_others_add() {
    let layout = layout(Path::new("/t"));
    let own = flags(&[
        ("disable-admission-plugins", "A"),
        ("v", "4"),
        ("disable-admission-plugins", "B"),
        ("v", "5"),
    ]);
    let arguments = layout.apiserver_arguments(&own);
    let of = |name: &str| {
        let prefix = format!("--{name}=");
        arguments.iter().filter_map(|word| word.strip_prefix(&prefix)).collect::<Vec<_>>()
    };
    assert_eq!(of("disable-admission-plugins"), ["A", "B"]);
    assert_eq!(of("v"), ["4", "5"]);
    assert_eq!(arguments.len(), 20);
}

#[test]
fn binaries_are_found_by_envtest_rules() {
    let scripts = Scripts::new();
    for program in ["etcd", "kube-apiserver", "other"] {
        scripts.write(program, "");
    }
    let folder = scripts.0.as_path();
    let in_folder = |name: &str| folder.join(name);
    let find = |set: &[(&str, PathBuf)]| {
        Binaries::find_with(|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, path)| OsString::from(path))
        })
    };
    let both = Binaries { etcd: in_folder("etcd"), kube_apiserver: in_folder("kube-apiserver") };
    let nowhere = PathBuf::from("/nowhere");
    assert_eq!(find(&[("KUBEBUILDER_ASSETS", folder.into())]), Ok(both.clone()));
    let set =
        [("KUBEBUILDER_ASSETS", folder.into()), ("TEST_ASSET_KUBE_APISERVER", in_folder("other"))];
    let found = find(&set).unwrap();
    assert_eq!((found.etcd, found.kube_apiserver), (both.etcd, in_folder("other")));

    let set = [("KUBEBUILDER_ASSETS", folder.into()), ("TEST_ASSET_ETCD", nowhere.join("e"))];
    let missing = find(&set).unwrap_err();
    assert_eq!(missing.missing, [("etcd", nowhere.join("e"))]);
    let missing = find(&[("KUBEBUILDER_ASSETS", nowhere)]).unwrap_err().to_string();
    assert_eq!(
        missing,
        "cannot start a control plane: etcd is not at /nowhere/etcd, kube-apiserver is not at \
         /nowhere/kube-apiserver; set KUBEBUILDER_ASSETS to a folder that has both, as \
         setup-envtest prints it, or TEST_ASSET_ETCD and TEST_ASSET_KUBE_APISERVER"
    );
}

/// Returns whether a process exists and is not a zombie.
fn lives(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

fn wait_until(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(20), "the condition does not become true");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn plane_serves_and_leaves_nothing() {
    let scripts = Scripts::serving();
    let plane = scripts.builder().start().await.unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(plane.client().await.unwrap());
    let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
    let map = ConfigMap { metadata, ..ConfigMap::default() };
    maps.create(&PostParams::default(), &map).await.unwrap();
    assert_eq!(maps.list(&ListParams::default()).await.unwrap().items.len(), 1);
    let mut nobody = plane.config().await.unwrap();
    nobody.auth_info.token = None;
    let maps: Api<ConfigMap> = Api::default_namespaced(kube::Client::try_from(nobody).unwrap());
    let refused = maps.list(&ListParams::default()).await.unwrap_err();
    assert!(matches!(refused, kube::Error::Api(status) if status.code == 403));

    // Only a client with a certificate reaches etcd.
    let config = plane.etcd_config().await.unwrap();
    let ask = async |config: kube::Config| {
        let etcd = kube::Client::try_from(config).unwrap();
        etcd.request_text(http::Request::get("/health").body(Vec::new()).unwrap()).await
    };
    assert_eq!(ask(config.clone()).await.unwrap(), "ok");
    let mut nobody = config;
    nobody.auth_info = kube::config::AuthInfo::default();
    assert!(ask(nobody).await.is_err());

    let folder = plane.folder().to_owned();
    let mode = fs::metadata(folder.join("apiserver.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (etcd, apiserver) = (plane.access.etcd, plane.access.address);
    assert!(!format!("{plane:?}").contains(&plane.access.token));
    drop(plane);
    assert!(!folder.exists());
    for address in [etcd, apiserver] {
        wait_until(|| std::net::TcpStream::connect(address).is_err());
    }
}

#[tokio::test]
async fn stop_kills_what_does_not_end() {
    let scripts = Scripts::serving();
    let without_limits = scripts.builder().start_timeout(Duration::MAX).grace(Duration::MAX);
    let plane = without_limits.start().await.unwrap();
    let folder = plane.folder().to_owned();
    assert!(plane.stop().await, "both end on request");
    assert!(!folder.exists());

    let deaf = fs::read_to_string(scripts.0.join("kube-apiserver")).unwrap();
    // The shell's replacement ignores the signal as well.
    scripts.write("kube-apiserver", &format!("trap '' TERM\n{deaf}"));
    let builder = scripts.builder().grace(Duration::from_millis(300));
    let plane = builder.start().await.unwrap();
    let (folder, apiserver) = (plane.folder().to_owned(), plane.access.address);
    assert!(!plane.stop().await);
    assert!(!folder.exists());
    wait_until(|| std::net::TcpStream::connect(apiserver).is_err());
}

#[tokio::test]
async fn killed_programs_come_back_at_their_addresses() {
    let scripts = Scripts::serving();
    let mut plane = scripts.builder().start().await.unwrap();
    let maps: Api<ConfigMap> = Api::all(plane.client().await.unwrap());
    let apiserver = plane.access.address;
    let pause = Duration::from_millis(500);
    let outage = async {
        while std::net::TcpStream::connect(apiserver).is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let (restarted, ()) = tokio::join!(plane.restart_apiserver(pause), outage);
    restarted.unwrap();
    maps.list(&ListParams::default()).await.unwrap();
    plane.restart_etcd(Duration::ZERO).await.unwrap();
    let log = fs::read_to_string(plane.folder().join("kube-apiserver.log"));
    assert!(log.is_ok(), "the log is kept");

    scripts.write("kube-apiserver", "exit 3");
    let error = plane.restart_apiserver(Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, ControlPlaneError::Ended { program: "kube-apiserver", .. }), "{error}");
    assert!(plane.stop().await, "a program that does not run has ended");
}

#[tokio::test]
async fn early_end_is_reported_with_its_log() {
    let scripts = Scripts::serving();
    scripts.write("kube-apiserver", "for n in $(seq 100); do echo line $n; done; exit 3");
    let error = scripts.builder().start().await.unwrap_err();
    let ControlPlaneError::Ended { program: "kube-apiserver", log, tail } = &error else {
        panic!("{error}");
    };
    assert_eq!(tail.lines().count(), 20);
    assert!(tail.contains("\nline 100\n") && !tail.contains("line 10\n"), "{tail}");
    assert!(tail.ends_with("kube-apiserver ended with status 3"), "{tail}");
    assert!(error.to_string().contains(&log.display().to_string()), "{error}");
    let folder = log.parent().unwrap();
    let mut kept: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    kept.sort();
    assert_eq!(kept, ["etcd.log", "kube-apiserver.log"], "no keys are kept");
    assert!(fs::read_to_string(log).unwrap().starts_with("line 1\n"), "the whole log");
    fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn unready_program_is_stopped_with_its_children() {
    let scripts = Scripts::new();
    let pids = scripts.0.join("pids");
    let pids_file = pids.display();
    scripts.write(
        "etcd",
        &format!("sleep 600 & echo $! $$ > {pids_file}.new\nmv {pids_file}.new {pids_file}\nwait"),
    );
    scripts.write("kube-apiserver", "echo never started");
    let limit = Duration::from_secs(3);
    let error = scripts.builder().start_timeout(limit).start().await.unwrap_err();
    let ControlPlaneError::NotReady { program: "etcd", last, log, tail, .. } = &error else {
        panic!("{error}");
    };
    assert!(last.contains("refused"), "{last}");
    assert_eq!(tail, "(empty)");
    let started = fs::read_to_string(&pids).unwrap();
    assert_eq!(started.split_whitespace().count(), 2);
    wait_until(|| !started.split_whitespace().any(lives));
    fs::remove_dir_all(log.parent().unwrap()).unwrap();
}

#[tokio::test]
async fn taken_port_is_tried_again() {
    let scripts = Scripts::serving();
    let (mark, serving) =
        (scripts.0.join("mark"), fs::read_to_string(scripts.0.join("etcd")).unwrap());
    let mark = mark.display();
    let taken = "listen tcp 127.0.0.1:1: bind: address already in use";
    scripts.write(
        "etcd",
        &format!("if ! [ -e {mark} ]; then touch {mark}; echo {taken}; exit 1; fi\n{serving}"),
    );
    let _plane = scripts.builder().start().await.unwrap();
    scripts.write("etcd", &format!("echo {taken}; exit 1"));
    let error = scripts.builder().start().await.unwrap_err();
    assert!(error.is_port_taken(), "after three tries: {error}");
    error.remove_log();
}

#[tokio::test]
async fn unexecutable_binary_is_reported() {
    let scripts = Scripts::new();
    let error = scripts.builder().start().await.unwrap_err();
    assert!(error.to_string().contains("not found"), "the shell's words: {error}");
    error.remove_log();
}

#[tokio::test]
async fn panic_keeps_the_logs() {
    let scripts = Scripts::serving();
    let plane = scripts.builder().start().await.unwrap();
    let folder = plane.folder().to_owned();
    let owner = tokio::spawn(async move {
        let _plane = plane;
        panic!("on purpose");
    });
    assert!(owner.await.unwrap_err().is_panic());
    let kept = fs::read_dir(&folder).unwrap().count();
    assert_eq!(kept, 2);
    fs::remove_dir_all(folder).unwrap();
}

/// Simulates `SIGKILL` of the owner: no destructor runs, but the pipe ends.
#[test]
fn program_ends_with_its_owner() {
    let scripts = Scripts::new();
    let pid = scripts.0.join("pid");
    scripts.write("etcd", "sleep 600 & echo $! > $1.new; mv $1.new $1; wait");
    let log = scripts.0.join("log");
    let words = [pid.display().to_string()];
    let mut process = Process::start("etcd", &scripts.0.join("etcd"), &words, log).unwrap();
    wait_until(|| pid.exists());
    let sleeper = fs::read_to_string(&pid).unwrap().trim().to_owned();
    assert!(lives(&sleeper));
    process.lose_pipe();
    wait_until(|| !lives(&sleeper));
    drop(process);
}

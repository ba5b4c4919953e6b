use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use k8s_openapi::api::core::v1::ConfigMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::*;
use crate::Admission;
use crate::certificates::{Issued, issue};

const HOST: &str = "hooks.shop.svc";

/// A folder with a certificate, as it is mounted.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("kube-webhooks-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, chain: &str, key: &str) {
        std::fs::write(self.0.join("tls.crt"), chain).unwrap();
        std::fs::write(self.0.join("tls.key"), key).unwrap();
    }

    fn certificates(&self) -> Certificates {
        Certificates::folder(&self.0).poll(Duration::from_millis(5))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn made() -> Issued {
    issue(HOST, SystemTime::now(), Duration::from_secs(10 * 86_400)).unwrap()
}

fn trusting(authorities: &[&Issued]) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    for issued in authorities {
        roots.add(CertificateDer::from_pem_slice(issued.authority.as_bytes()).unwrap()).unwrap();
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

/// Asks for a review on a connection of its own. Returns the status line.
async fn ask(address: SocketAddr, tls: &TlsConnector) -> io::Result<String> {
    let socket = TcpStream::connect(address).await?;
    let mut stream = tls.connect(ServerName::try_from(HOST).unwrap(), socket).await?;
    let review = serde_json::json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "u",
            "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
            "resource": { "group": "", "version": "v1", "resource": "configmaps" },
            "operation": "CREATE",
            "object": { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" } },
        },
    });
    let body = review.to_string();
    let head = format!(
        "POST /v?timeout=10s HTTP/1.1\r\nhost: {HOST}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    assert!(answer.contains("\"allowed\":true"), "{answer}");
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

fn webhooks() -> Webhooks {
    let allow = async |_: Admission<ConfigMap>| Ok(());
    Webhooks::builder().validate("/v", allow).build().unwrap()
}

/// Waits for a state that comes within milliseconds.
async fn until(what: impl Fn() -> bool) {
    let waited = async {
        while !what() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waited).await.expect("the state comes");
}

#[tokio::test]
async fn exchange_refuses_nobody_and_keeps_the_last_good_pair() {
    let folder = Folder::new("exchange");
    let (old, new) = (made(), made());
    let webhooks = webhooks();
    let server = webhooks.listen(([127, 0, 0, 1], 0), folder.certificates()).await.unwrap();
    let server = server.linger(Duration::ZERO);
    let (address, stop) = (server.address(), CancellationToken::new());
    let running = tokio::spawn(server.run(stop.clone()));
    until(|| webhooks.status().certificate.problem.is_some()).await;
    assert!(ask(address, &trusting(&[&old])).await.is_err(), "there is no certificate yet");

    folder.write(&old.certificate, &old.key);
    until(|| webhooks.status().certificate.exchanged == 1).await;
    let (both, ended) = (trusting(&[&old, &new]), Arc::new(AtomicBool::new(false)));
    let asking = tokio::spawn({
        let ended = ended.clone();
        async move {
            let mut answers = 0;
            while !ended.load(Ordering::Relaxed) {
                assert_eq!(ask(address, &both).await.unwrap(), "HTTP/1.1 200 OK");
                answers += 1;
            }
            answers
        }
    });
    // The new certificate with the old key.
    folder.write(&new.certificate, &old.key);
    until(|| webhooks.status().certificate.problem.is_some()).await;
    assert_eq!(ask(address, &trusting(&[&old])).await.unwrap(), "HTTP/1.1 200 OK");
    let problem = webhooks.status().certificate.problem.unwrap();
    assert!(problem.starts_with("cannot use the certificate with its key"), "{problem}");

    folder.write(&new.certificate, &new.key);
    until(|| webhooks.status().certificate.exchanged == 2).await;
    assert_eq!(webhooks.status().certificate.problem, None);
    assert_eq!(ask(address, &trusting(&[&new])).await.unwrap(), "HTTP/1.1 200 OK");
    assert!(ask(address, &trusting(&[&old])).await.is_err());
    ended.store(true, Ordering::Relaxed);
    assert!(asking.await.unwrap() > 0);

    stop.cancel();
    running.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

/// Nothing else shows that `caBundle` or the names of the certificate are wrong.
#[tokio::test]
async fn client_that_refuses_the_certificate_is_counted() {
    let folder = Folder::new("refused");
    let (shown, other) = (made(), made());
    folder.write(&shown.certificate, &shown.key);
    let webhooks = webhooks();
    let server = webhooks.listen(([127, 0, 0, 1], 0), folder.certificates()).await.unwrap();
    let (address, stop) = (server.address(), CancellationToken::new());
    let running = tokio::spawn(server.linger(Duration::ZERO).run(stop.clone()));
    until(|| webhooks.status().certificate.exchanged == 1).await;
    ask(address, &trusting(&[&shown])).await.unwrap();
    // It sends no TLS, which says nothing of the certificate.
    TcpStream::connect(address).await.unwrap().write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    assert_eq!(webhooks.status().certificate.refused, 0);
    for refused in 1..=2 {
        ask(address, &trusting(&[&other])).await.unwrap_err();
        until(|| webhooks.status().certificate.refused == refused).await;
    }
    let host = issue("other.shop.svc", SystemTime::now(), Duration::from_secs(86_400 * 2)).unwrap();
    folder.write(&host.certificate, &host.key);
    until(|| webhooks.status().certificate.exchanged == 2).await;
    ask(address, &trusting(&[&host])).await.unwrap_err();
    until(|| webhooks.status().certificate.refused == 3).await;
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn calls_end_before_the_server_does() {
    let folder = Folder::new("stop");
    let pair = made();
    folder.write(&pair.certificate, &pair.key);
    let (begun, go) = (Arc::new(AtomicBool::new(false)), Arc::new(tokio::sync::Notify::new()));
    let hook = {
        let (begun, go) = (begun.clone(), go.clone());
        move |_: Admission<ConfigMap>| {
            let (begun, go) = (begun.clone(), go.clone());
            async move {
                begun.store(true, Ordering::Relaxed);
                go.notified().await;
                Ok(())
            }
        }
    };
    let webhooks = Webhooks::builder().validate("/v", hook).build().unwrap();
    let server = webhooks.listen(([127, 0, 0, 1], 0), folder.certificates()).await.unwrap();
    let server = server.linger(Duration::ZERO);
    let (address, stop) = (server.address(), CancellationToken::new());
    let running = tokio::spawn(server.run(stop.clone()));
    until(|| webhooks.status().certificate.exchanged == 1).await;
    let asked = tokio::spawn(async move { ask(address, &trusting(&[&pair])).await });
    until(|| begun.load(Ordering::Relaxed)).await;
    stop.cancel();
    until(|| std::net::TcpStream::connect(address).is_err()).await;
    assert!(!running.is_finished());
    go.notify_one();
    assert_eq!(asked.await.unwrap().unwrap(), "HTTP/1.1 200 OK");
    running.await.unwrap();
}

#[tokio::test]
async fn calls_after_the_stop_are_answered_for_a_while() {
    let folder = Folder::new("linger");
    let pair = made();
    folder.write(&pair.certificate, &pair.key);
    let webhooks = webhooks();
    let server = webhooks.listen(([127, 0, 0, 1], 0), folder.certificates()).await.unwrap();
    let (address, stop) = (server.address(), CancellationToken::new());
    let running = tokio::spawn(server.linger(Duration::from_secs(3_600)).run(stop.clone()));
    until(|| webhooks.status().certificate.exchanged == 1).await;
    stop.cancel();
    for _ in 0..3 {
        assert_eq!(ask(address, &trusting(&[&pair])).await.unwrap(), "HTTP/1.1 200 OK");
    }
    assert!(!running.is_finished());
    running.abort();
}

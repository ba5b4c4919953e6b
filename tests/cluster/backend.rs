//! The API servers there are.

use std::process::Command;
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, ObjectMeta, PostParams};
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config, ResourceExt};
use kube_embedded_apiserver::{ApiServer, ControlPlane};
use kube_informer::testing::api_server::ListeningServer;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::go::{self, Program};
use super::harness::Skip;
use super::rig::{eventually, is};
use super::widgets;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Embedded,
    Apiserver,
    ControlPlane,
    Cluster,
}

pub(crate) const KINDS: &[Kind] =
    &[Kind::Embedded, Kind::Apiserver, Kind::ControlPlane, Kind::Cluster];

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Apiserver => "apiserver",
            Self::ControlPlane => "control_plane",
            Self::Cluster => "cluster",
        }
    }
}

/// A server that scenarios run against.
pub(crate) struct Backend {
    pub(crate) kind: Kind,
    pub(crate) kubeconfig: String,
    pub(crate) config: Config,
    pub(crate) client: Client,
    /// True if it has namespaces, so that objects need one.
    namespaces: bool,
    /// True if it has leases.
    #[allow(dead_code, reason = "only controllers need them")]
    pub(crate) leases: bool,
    owned: Owned,
    /// The namespaces that this test made and has to delete from a cluster that stays.
    made: Mutex<Vec<String>>,
    defined: Mutex<Vec<String>>,
}

/// The guard that keeps the backend running.
enum Owned {
    Embedded(ApiServer, #[expect(dead_code, reason = "it listens")] ListeningServer),
    Apiserver(#[expect(dead_code, reason = "it runs")] Program),
    ControlPlane(Box<ControlPlane>),
    Nothing,
}

impl Backend {
    pub(crate) async fn open(kind: Kind) -> Result<Self, Skip> {
        let (kubeconfig, owned) = match kind {
            Kind::Embedded => {
                let server = ApiServer::new();
                let listening = server.listen_tls("127.0.0.1:0").await.expect("a free port");
                (listening.kubeconfig(None), Owned::Embedded(server, listening))
            }
            Kind::Apiserver => {
                let binary = go::find("apiserver")?;
                let mut program = Program::start(&mut Command::new(binary), "apiserver");
                let kubeconfig = std::fs::read_to_string(program.line());
                (kubeconfig.expect("it has been written"), Owned::Apiserver(program))
            }
            Kind::ControlPlane => match ControlPlane::start().await {
                Ok(plane) => (plane.kubeconfig(), Owned::ControlPlane(Box::new(plane))),
                Err(kube_embedded_apiserver::control_plane::ControlPlaneError::Missing(
                    missing,
                )) => {
                    return Err(Skip(missing.to_string()));
                }
                Err(error) => panic!("{error}"),
            },
            Kind::Cluster => {
                let Ok(path) = std::env::var("KUBE_INFORMER_E2E") else {
                    return Err(Skip("KUBE_INFORMER_E2E names no kubeconfig".into()));
                };
                (std::fs::read_to_string(path).expect("a kubeconfig"), Owned::Nothing)
            }
        };
        let parsed = Kubeconfig::from_yaml(&kubeconfig).expect("a kubeconfig");
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(parsed, &options).await;
        let mut config = config.expect("a kubeconfig");
        // Failures are for the informer to see.
        config.default_retry = false;
        let client = Client::try_from(config.clone()).expect("a client");
        let namespaces = serves(&client, "/api/v1/namespaces").await;
        let leases = serves(&client, "/apis/coordination.k8s.io/v1").await;
        let (made, defined) = (Mutex::default(), Mutex::default());
        let backend =
            Self { kind, kubeconfig, config, client, namespaces, leases, owned, made, defined };
        for definition in widgets::shared() {
            backend.define(definition).await;
        }
        Ok(backend)
    }

    /// Makes a namespace, where there are some.
    pub(crate) async fn make_namespace(&self, name: &str) {
        if !self.namespaces {
            return;
        }
        let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
        let made = Namespace { metadata, ..Namespace::default() };
        let api: Api<Namespace> = Api::all(self.client.clone());
        api.create(&PostParams::default(), &made).await.expect("a namespace");
        self.made.lock().push(name.to_owned());
    }

    /// Puts a definition there, and waits until its type is served.
    pub(crate) async fn define(&self, definition: CustomResourceDefinition) {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let name = definition.name_any();
        match api.create(&PostParams::default(), &definition).await {
            Ok(_) => self.defined.lock().push(name),
            Err(error) if is(&error, 409) => {}
            Err(error) => panic!("{name}: {error}"),
        }
        let path = path_of(&definition);
        eventually("the type is served", async || serves(&self.client, &path).await).await;
    }

    /// Takes a definition away, and waits until it is gone.
    pub(crate) async fn undefine(&self, name: &str) {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        api.delete(name, &DeleteParams::default()).await.expect("it is there");
        let gone = async || api.get_opt(name).await.is_ok_and(|found| found.is_none());
        eventually("the definition is gone", gone).await;
        self.defined.lock().retain(|defined| defined != name);
    }

    /// Lets the server forget every version before the present one, for the objects of a definition
    /// that is nobody else's: the embedded server is told to; a real one builds the watch cache of
    /// a custom resource again when its definition changes.
    pub(crate) async fn forget_history(&self, definition: &str) {
        self.compact().await;
        if matches!(self.owned, Owned::Embedded(..)) {
            return;
        }
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let mut changed = api.get(definition).await.expect("it is there");
        for version in &mut changed.spec.versions {
            let schema = version.schema.as_mut().and_then(|s| s.open_api_v3_schema.as_mut());
            schema.expect("it has one").description = Some("Changed.".into());
        }
        api.replace(definition, &PostParams::default(), &changed)
            .await
            .expect("nobody else writes");
        // The server notices by a watch of its own, and is not ready for a moment then.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let path = path_of(&changed);
        eventually("the type is served again", async || serves(&self.client, &path).await).await;
    }

    /// Compacts its storage; says whether it can.
    pub(crate) async fn compact(&self) -> bool {
        match &self.owned {
            Owned::Embedded(server, _) => server.compact(),
            Owned::Apiserver(_) => {
                let request = http::Request::post("/testing/compact").body(Vec::new());
                let request = request.expect("it is well-formed");
                self.client.request_text(request).await.expect("it compacts");
            }
            Owned::ControlPlane(plane) => compact_etcd(plane).await,
            Owned::Nothing => return false,
        }
        true
    }

    /// The embedded server, if that is it.
    pub(crate) fn embedded(&self) -> Option<&ApiServer> {
        match &self.owned {
            Owned::Embedded(server, _) => Some(server),
            _ => None,
        }
    }

    /// Removes from a cluster what was put there.
    pub(crate) async fn clean(&self) {
        if !matches!(self.owned, Owned::Nothing) {
            return;
        }
        let defined = std::mem::take(&mut *self.defined.lock());
        let made = std::mem::take(&mut *self.made.lock());
        let params = DeleteParams::default();
        let definitions: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        for name in defined {
            if let Err(error) = definitions.delete(&name, &params).await {
                println!("the definition {name} stays in the cluster: {error}");
            }
        }
        for name in made {
            if let Err(error) = namespaces.delete(&name, &params).await {
                println!("the namespace {name} stays in the cluster: {error}");
            }
        }
    }
}

/// Lets a control plane's etcd forget all history, by the JSON that it speaks beside gRPC.
async fn compact_etcd(plane: &ControlPlane) {
    let config = plane.etcd_config().await.expect("a configuration");
    let etcd = Client::try_from(config).expect("a client");
    let ask = async |path: &str, body: Value| -> kube::Result<Value> {
        let request = http::Request::post(path).body(body.to_string().into_bytes());
        etcd.request(request.expect("it is well-formed")).await
    };
    // Any key will do: it is the revision that comes along.
    let found = ask("/v3/kv/range", json!({ "key": "AA==", "limit": "1" })).await;
    let revision = &found.expect("etcd answers")["header"]["revision"];
    let compacted = ask("/v3/kv/compaction", json!({ "revision": revision, "physical": true }));
    match compacted.await {
        // `OutOfRange`: nothing was written since the last time.
        Err(error) if is(&error, 11) => {}
        answer => drop(answer.expect("etcd compacts")),
    }
}

fn path_of(definition: &CustomResourceDefinition) -> String {
    let spec = &definition.spec;
    format!("/apis/{}/v1/{}", spec.group, spec.names.plural)
}

async fn serves(client: &Client, path: &str) -> bool {
    let request = http::Request::get(path).body(Body::empty()).expect("it is well-formed");
    // Not every 404 comes with a `Status`. 429: the storage of a new type is being made ready.
    let status = client.send(request).await.expect("an answer").status().as_u16();
    assert!(matches!(status, 200 | 404 | 429 | 503), "{path}: {status}");
    status == 200
}

//! client-go's shared informers on the embedded server, and for comparison on a real one: what they
//! say was told and what they hold is what the server has.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use futures::FutureExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, DeleteParams, ListParams, ObjectMeta, PostParams};
use kube::core::NamespaceResourceScope;
use kube::{Client, Resource, ResourceExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::spawn_blocking;

use super::backend::{Backend, Kind};
use super::go::{self, Program};
use super::harness::{Outcome, Trial};
use super::rig::SOON;
use super::widgets::{Widget, widget};

pub(crate) const TRIALS: &[(&str, Trial)] = &[
    ("client_go::lists_the_embedded_server", || on_the_embedded_server(false).boxed_local()),
    ("client_go::streams_the_embedded_server", || on_the_embedded_server(true).boxed_local()),
    ("client_go::lists_a_real_server", || on_a_real_server(false).boxed_local()),
    ("client_go::streams_a_real_server", || on_a_real_server(true).boxed_local()),
];

/// The state of one resource in client-go.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Told {
    /// Adds of the initial list.
    initial: usize,
    adds: usize,
    updates: usize,
    deletes: usize,
    /// Deletes whose final state was not seen.
    unknown: usize,
    /// Versions by key.
    pub(crate) store: BTreeMap<String, String>,
}

/// client-go's informers in their process.
pub(crate) struct Informers(Option<Program>);

impl Informers {
    /// Returns when all have synced, with what was told until then.
    pub(crate) async fn start(
        program: PathBuf,
        kubeconfig: &str,
        resources: &[&str],
        streaming: bool,
    ) -> (Self, BTreeMap<String, Told>) {
        let file = program.with_file_name(format!("clients-{:08x}.kubeconfig", fastrand::u32(..)));
        std::fs::write(&file, kubeconfig).expect("it can be written");
        let mut command = Command::new(program);
        command.arg(&file).args(resources);
        command.env("KUBE_FEATURE_WatchListClient", streaming.to_string());
        let mut program = Program::start(&mut command, "clients");
        let (program, line) = spawn_blocking(move || {
            let line = program.line();
            (program, line)
        })
        .await
        .expect("client-go syncs");
        std::fs::remove_file(file).expect("it was written");
        (Self(Some(program)), parse(&line))
    }

    /// Returns the events until now.
    pub(crate) async fn told(&mut self) -> BTreeMap<String, Told> {
        let mut program = self.0.take().expect("it comes back");
        let (program, line) = spawn_blocking(move || {
            program.tell("");
            let line = program.line();
            (program, line)
        })
        .await
        .expect("it answers");
        self.0 = Some(program);
        parse(&line)
    }

    /// Waits until it says this of a resource.
    async fn say(&mut self, resource: &str, expected: &Told) {
        let start = Instant::now();
        loop {
            let told = self.told().await.remove(resource).expect("it was asked for");
            if told == *expected {
                return;
            }
            assert!(start.elapsed() < SOON, "{resource}: it says {told:?}, expected {expected:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

fn parse(line: &str) -> BTreeMap<String, Told> {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// Returns the server's objects in client-go's words.
pub(crate) async fn held<K>(client: &Client) -> BTreeMap<String, String>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + std::fmt::Debug,
{
    let listed = Api::<K>::all(client.clone()).list(&ListParams::default()).await;
    let entry = |object: &K| {
        let key = format!("{}/{}", object.namespace().unwrap_or_default(), object.name_any());
        (key, object.resource_version().unwrap_or_default())
    };
    listed.expect("it lists").items.iter().map(entry).collect()
}

fn meta(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}

fn map(name: &str) -> ConfigMap {
    ConfigMap { metadata: meta(name), ..ConfigMap::default() }
}

fn pod(name: &str) -> Pod {
    let spec = serde_json::json!({ "containers": [{ "name": "app", "image": "app:v1" }] });
    let spec = serde_json::from_value(spec).expect("it is well-formed");
    Pod { metadata: meta(name), spec: Some(spec), ..Pod::default() }
}

/// Ten at first; then five more, three of the first changed, two gone. What client-go is to say.
async fn changes<K>(
    client: &Client,
    make: impl Fn(&str) -> K,
    informers: impl AsyncFnOnce() -> Informers,
    resource: &str,
) -> (Informers, Told)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + std::fmt::Debug
        + DeserializeOwned
        + serde::Serialize,
{
    let api: Api<K> = Api::namespaced(client.clone(), "default");
    for n in 0..10 {
        api.create(&PostParams::default(), &make(&format!("o{n}"))).await.expect("it is created");
    }
    let mut informers = informers().await;
    for n in 10..15 {
        api.create(&PostParams::default(), &make(&format!("o{n}"))).await.expect("it is created");
    }
    for n in 0..3 {
        relabel(&api, &format!("o{n}")).await;
    }
    // A pod that runs nowhere is deleted at once.
    for n in 3..5 {
        let params = DeleteParams::default().grace_period(0);
        api.delete(&format!("o{n}"), &params).await.expect("it is there");
    }
    let store = held::<K>(client).await;
    let updates = 3 + 2 * updates_of_a_delete(resource);
    let expected = Told { initial: 10, adds: 5, updates, deletes: 2, unknown: 0, store };
    informers.say(resource, &expected).await;
    (informers, expected)
}

/// Returns the number of updates that a delete is told as, before it is told as a delete. A pod is
/// marked first, also if its grace period is zero.
fn updates_of_a_delete(resource: &str) -> usize {
    usize::from(resource == "pods")
}

async fn relabel<K>(api: &Api<K>, name: &str)
where
    K: Resource + Clone + std::fmt::Debug + DeserializeOwned + serde::Serialize,
{
    let mut object = api.get(name).await.expect("it is there");
    let count = object.labels().get("count").and_then(|count| count.parse().ok()).unwrap_or(0);
    object.labels_mut().insert("count".into(), (count + 1_u32).to_string());
    api.replace(name, &PostParams::default(), &object).await.expect("nobody else writes");
}

async fn on_the_embedded_server(streaming: bool) -> Outcome {
    let program = go::find("clients")?;
    for resource in ["configmaps", "pods", "widgets"] {
        let backend = Backend::open(Kind::Embedded).await?;
        let server = backend.embedded().expect("it is");
        let (client, kubeconfig) = (backend.client.clone(), backend.kubeconfig.clone());
        let informers = async || {
            let started =
                Informers::start(program.clone(), &kubeconfig, &[resource], streaming).await;
            let (informers, first) = started;
            assert_eq!(first[resource].initial, 10, "{resource}: {first:?}");
            informers
        };
        let (mut informers, mut told) = match resource {
            "configmaps" => changes(&client, map, informers, resource).await,
            "pods" => changes(&client, pod, informers, resource).await,
            _ => changes(&client, |name| widget(name, "blue"), informers, resource).await,
        };
        let streamed = |request: &kube_informer::testing::api_server::RequestInfo| {
            request.target.contains(&format!("/{resource}?"))
                && request.target.contains("sendInitialEvents=true")
        };
        let streams = || server.requests().iter().filter(|request| streamed(request)).count();
        assert_eq!(streams(), usize::from(streaming), "{resource}");

        // A watch that breaks goes on where it was.
        server.drop_connections();
        told.store = changed_again(&client, resource, "o5").await;
        told.updates += 1 + updates_of_a_delete(resource);
        told.deletes += 1;
        informers.say(resource, &told).await;

        // When the server has forgotten the missed events, everything is listed again.
        server.intercept(|request| request.watch.then(too_many_requests));
        server.drop_connections();
        told.store = changed_again(&client, resource, "o6").await;
        server.compact();
        server.stop_intercepting();
        // client-go tells everything that is still there as updated.
        told.updates += told.store.len();
        told.unknown += 1;
        informers.say(resource, &told).await;
        assert_eq!(streams(), 2 * usize::from(streaming), "{resource}");
    }
    Ok(())
}

/// After this client-go asks for the same again.
fn too_many_requests() -> http::Response<bytes::Bytes> {
    let status = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "reason": "TooManyRequests", "message": "later", "code": 429,
    });
    let answer = http::Response::builder().status(429).header("content-type", "application/json");
    answer.body(status.to_string().into()).expect("it is well-formed")
}

/// One more is changed and this one deleted. What there is then.
async fn changed_again(client: &Client, resource: &str, gone: &str) -> BTreeMap<String, String> {
    match resource {
        "configmaps" => change_again::<ConfigMap>(client, gone).await,
        "pods" => change_again::<Pod>(client, gone).await,
        _ => change_again::<Widget>(client, gone).await,
    }
}

async fn change_again<K>(client: &Client, gone: &str) -> BTreeMap<String, String>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + std::fmt::Debug
        + DeserializeOwned
        + serde::Serialize,
{
    let api: Api<K> = Api::namespaced(client.clone(), "default");
    relabel(&api, "o0").await;
    api.delete(gone, &DeleteParams::default().grace_period(0)).await.expect("it is there");
    held::<K>(client).await
}

async fn on_a_real_server(streaming: bool) -> Outcome {
    let program = go::find("clients")?;
    let backend = Backend::open(Kind::Apiserver).await?;
    let (client, kubeconfig) = (backend.client.clone(), backend.kubeconfig.clone());
    let informers =
        async || Informers::start(program, &kubeconfig, &["widgets"], streaming).await.0;
    changes(&client, |name| widget(name, "blue"), informers, "widgets").await;
    Ok(())
}

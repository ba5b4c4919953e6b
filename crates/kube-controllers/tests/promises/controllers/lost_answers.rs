//! Writes whose answers are lost, or hidden behind the answer to a retry.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::{Method, Request, Response};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::client::retry::RetryPolicy;
use kube_controllers::controller::{BoxError, tracking_client};
use kube_controllers::{Action, Controller};
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tower::retry::Retry;

use crate::helpers::*;

/// The fate of the answer to a write that the server made.
#[derive(Clone, Copy, Debug)]
enum Loss {
    /// The connection breaks.
    Broken,
    /// A gateway answers 504, and a layer below the tracking client sends it again.
    Retried,
    /// Likewise; something refuses the second try with this status.
    RetriedAndRefused(u16),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Write {
    Create,
    Delete,
    Apply,
    TestedPatch,
    Status,
}

impl Write {
    async fn send(self, api: Api<Deployment>) -> kube::Result<()> {
        let params = PatchParams::default();
        match self {
            Self::Create => api.create(&PostParams::default(), &child()).await.map(drop),
            Self::Delete => api.delete("child", &DeleteParams::default()).await.map(drop),
            Self::Apply => {
                let applied = json!({
                    "apiVersion": "apps/v1", "kind": "Deployment",
                    "metadata": {"name": "child"}, "spec": {"replicas": 2},
                });
                let params = PatchParams::apply("test").force();
                api.patch("child", &params, &Patch::Apply(applied)).await.map(drop)
            }
            Self::TestedPatch => {
                let patch = serde_json::from_value(json!([
                    {"op": "test", "path": "/spec/replicas", "value": 1},
                    {"op": "replace", "path": "/spec/replicas", "value": 2},
                ]));
                let patch = Patch::Json::<()>(patch.unwrap());
                api.patch("child", &params, &patch).await.map(drop)
            }
            Self::Status => {
                let status = Patch::Merge(json!({"status": {"replicas": 2}}));
                api.patch_status("child", &params, &status).await.map(drop)
            }
        }
    }

    /// Returns whether a state of the child shows the write.
    fn is_in(self, child: Option<&Deployment>) -> bool {
        let replicas = |child: &Deployment| child.spec.as_ref()?.replicas;
        let status = |child: &Deployment| child.status.as_ref()?.replicas;
        match self {
            Self::Create => child.is_some(),
            Self::Delete => child.is_none(),
            Self::Apply | Self::TestedPatch => child.and_then(replicas) == Some(2),
            Self::Status => child.and_then(status) == Some(2),
        }
    }
}

fn child() -> Deployment {
    let child: Value = json!({
        "metadata": {"name": "child", "namespace": "shop"},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "app", "image": "app:v1"}]},
            },
        },
    });
    serde_json::from_value(child).unwrap()
}

/// A client that loses the answer to its first write.
fn losing(server: &ApiServer, loss: Loss) -> Client {
    let (inner, first, second) = (server.client(), AtomicBool::new(true), AtomicBool::new(true));
    let once = Arc::new((first, second));
    let service = tower::service_fn(move |request: Request<Body>| {
        let (inner, once) = (inner.clone(), once.clone());
        async move {
            let writes = *request.method() != Method::GET;
            let is_first = writes && once.0.swap(false, Ordering::SeqCst);
            let is_second = writes && !is_first && once.1.swap(false, Ordering::SeqCst);
            let status = |code: u16| Ok(Response::builder().status(code).body(Body::empty())?);
            match loss {
                Loss::RetriedAndRefused(code) if is_second => return status(code),
                _ => {}
            }
            let answer = inner.send(request).await?;
            match loss {
                _ if !is_first => Ok::<_, BoxError>(answer),
                Loss::Broken => Err("the connection broke".into()),
                Loss::Retried | Loss::RetriedAndRefused(_) => status(504),
            }
        }
    });
    let policy = RetryPolicy::new(MS, S, 3, false).unwrap();
    Client::new(Retry::new(policy, service), "shop")
}

/// Writes where the cache does not show the write. Returns what each of the first two tries saw,
/// and the status that the first write was answered with.
async fn two_tries(write: Write, loss: Loss) -> (Vec<bool>, Option<u16>) {
    let server = server_with(&["a"]);
    if write != Write::Create {
        server.create(&child()).unwrap();
    }
    let children = late_informer::<Deployment>(server.client(), || 3 * S);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("losing", &maps).owns(&children).build();
    let (saw, codes, stop) = (Log::new(), Log::new(), CancellationToken::new());
    let (logged, answered) = (saw.clone(), codes.clone());
    let (client, lister) = (tracking_client(losing(&server, loss)), children.lister());
    let running = spawn(controller.run(stop.clone(), move |_| {
        let api = Api::<Deployment>::namespaced(client.clone(), "shop");
        let shown = write.is_in(lister.namespace("shop").get("child").ok().as_deref());
        logged.add(shown);
        let answered = answered.clone();
        async move {
            if !shown {
                answered.add(match write.send(api).await {
                    Ok(()) => Some(200),
                    Err(kube::Error::Api(status)) => Some(status.code),
                    Err(_) => None,
                });
            }
            Ok::<_, kube::Error>(Action::requeue_after(MS))
        }
    }));
    saw.reaches(2).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    (saw.take()[..2].to_vec(), codes.take()[0])
}

#[tokio::test(start_paused = true)]
async fn retry_that_meets_its_first_try_lists() {
    for (write, loss, code) in [
        (Write::Create, Loss::Retried, 409),
        (Write::Delete, Loss::Retried, 404),
        (Write::TestedPatch, Loss::Retried, 422),
        (Write::Apply, Loss::Retried, 200),
        // The first try took the last of a quota, or the credentials ran out in between.
        (Write::Create, Loss::RetriedAndRefused(403), 403),
        (Write::Create, Loss::RetriedAndRefused(401), 401),
    ] {
        let (saw, answered) = two_tries(write, loss).await;
        assert_eq!(answered, Some(code), "{write:?} {loss:?}");
        assert_eq!(saw, [false, true], "{write:?} {loss:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_write_without_an_answer_is_looked_up() {
    use Write::{Apply, Create, Delete, Status, TestedPatch};
    for write in [Create, Delete, Apply, TestedPatch, Status] {
        let (saw, answered) = two_tries(write, Loss::Broken).await;
        assert_eq!((saw, answered), (vec![false, true], None), "{write:?}");
    }
}

/// A layer of the client panics while the controller asks what became of the write.
#[tokio::test(start_paused = true)]
async fn a_lookup_that_panics_is_a_failed_try() {
    let server = server_with(&["a"]);
    let (inner, loses, panics) = (server.client(), AtomicBool::new(true), AtomicBool::new(true));
    let once = Arc::new((loses, panics));
    let service = tower::service_fn(move |request: Request<Body>| {
        let (inner, once) = (inner.clone(), once.clone());
        async move {
            let writes = *request.method() != Method::GET;
            assert!(writes || !once.1.swap(false, Ordering::SeqCst), "on purpose");
            let answer = inner.send(request).await?;
            if writes && once.0.swap(false, Ordering::SeqCst) {
                return Err(BoxError::from("the connection broke"));
            }
            Ok::<_, BoxError>(answer)
        }
    });
    let client = tracking_client(Client::new(service, "shop"));
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("writing", &maps).build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
        let first = request.key == key("a");
        if first {
            logged.add(());
        }
        async move {
            if first {
                api.create(&PostParams::default(), &map("child", "1")).await.ok();
            }
            Ok::<_, kube::Error>(Action::requeue_after(MS))
        }
    }));
    log.reaches(2).await;
    let failure = handle.status().last_failure.unwrap();
    assert!(failure.key == "shop/a" && failure.error.contains("on purpose"), "{failure:?}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// The server has nothing to show for a creation and a deletion, and neither has the cache yet.
#[tokio::test(start_paused = true)]
async fn creation_and_deletion_without_answers_are_waited_for() {
    for applies in [false, true] {
        let server = server_with(&[]);
        let (is_first, lates) = (AtomicBool::new(true), [3 * S, 6 * S]);
        let late = move || lates[usize::from(!is_first.swap(false, Ordering::SeqCst))];
        let maps = late_informer::<ConfigMap>(server.client(), late);
        let controller = Controller::builder("brief", &maps).build();
        let (handle, stop, seen) = (controller.handle(), CancellationToken::new(), Log::new());
        let (client, logged) = (tracking_client(deaf(&server)), seen.clone());
        let running = spawn(controller.run(stop.clone(), move |request| {
            let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
            let seen = logged.clone();
            async move {
                let is_first = seen.len() == 0;
                seen.add(request.object.present().is_some());
                if !is_first {
                    return Ok(Action::done());
                }
                if applies {
                    let metadata = json!({"name": "a"});
                    let applied =
                        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
                    let params = PatchParams::apply("test");
                    api.patch("a", &params, &Patch::Apply(applied)).await.unwrap_err();
                } else {
                    api.create(&PostParams::default(), &map("a", "1")).await.unwrap_err();
                }
                api.delete("a", &DeleteParams::default()).await.unwrap_err();
                Ok::<_, kube::Error>(Action::requeue_after(MS))
            }
        }));
        sleep(S).await;
        let before = server.revision();
        handle.trigger(key("a"));
        sleep(60 * S).await;
        let seen = seen.take();
        assert!(seen.len() >= 2 && !seen.contains(&true), "applies: {applies}, {seen:?}");
        assert_eq!(server.revision(), before + 2, "both were made");
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

/// A client that loses the answer to each write.
fn deaf(server: &ApiServer) -> Client {
    let inner = server.client();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (inner, writes) = (inner.clone(), *request.method() != Method::GET);
        async move {
            let answer = inner.send(request).await?;
            if writes { Err(BoxError::from("the connection broke")) } else { Ok(answer) }
        }
    });
    Client::new(service, "shop")
}

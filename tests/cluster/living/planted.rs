//! Planted differences. A world without a difference means something only if the comparison at rest
//! and the audits can find one. Here the server's lists are changed on their way, so that stores in
//! all forms differ from them. It runs everywhere, on the embedded server.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, HeaderValue};
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, PostParams};
use kube::client::Body;
use kube::{Client, Config};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::followers::Followers;
use super::nodes::made;
use crate::cluster::backend::{Backend, Kind};
use crate::cluster::harness::Outcome;
use crate::cluster::rig::SOON;

const PODS: [&str; 3] = ["web-0", "web-1", "web-2"];

/// A difference between the stores and the server.
#[derive(Clone, Copy, Debug)]
enum Difference {
    /// The server has a pod that no store has.
    Missing,
    /// The stores have a pod that the server does not have.
    Extra,
    /// The stores have an older state of a pod.
    Older,
}

impl Difference {
    /// Returns the words of the comparison at rest, and those of an audit.
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::Missing => {
                ["default/planted: held None, served Some", "1 missing: default/planted"]
            }
            Self::Extra => ["served None", "1 extra: default/web-0"],
            Self::Older => ["default/web-0: held Some", "1 older: default/web-0"],
        }
    }

    /// Changes a list, which has one shard's pods or all of them.
    fn plant(self, list: &mut Value) {
        let version = list["metadata"]["resourceVersion"].clone();
        let items = list["items"].as_array_mut().expect("a list");
        let place = items.iter().position(|item| item["metadata"]["name"] == PODS[0]);
        let Some(place) = place else { return };
        match self {
            Self::Missing => {
                let mut item = items[place].clone();
                item["metadata"]["name"] = "planted".into();
                items.push(item);
            }
            Self::Extra => drop(items.remove(place)),
            // Another pod was written later, so this version is newer than the pod's.
            Self::Older => items[place]["metadata"]["resourceVersion"] = version,
        }
    }
}

type Planted = Arc<Mutex<Option<Difference>>>;

/// Returns a client whose lists of pods are changed while a difference is planted.
fn planting(config: Config, planted: Planted) -> Client {
    let namespace = config.default_namespace.clone();
    let client = Client::try_from(config).expect("a client");
    let service = tower::service_fn(move |mut request: Request<Body>| {
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch="));
        let is_list = request.uri().path() == "/api/v1/pods" && !is_watch;
        let (client, difference) = (client.clone(), planted.lock().filter(|_| is_list));
        async move {
            let Some(difference) = difference else { return client.send(request).await };
            ask_for_json(request.headers_mut());
            let (mut parts, body) = client.send(request).await?.into_parts();
            let body = body.collect().await?.to_bytes();
            let mut list = serde_json::from_slice(&body).expect("a list in JSON");
            difference.plant(&mut list);
            parts.headers.remove(CONTENT_LENGTH);
            Ok::<_, kube::Error>(Response::from_parts(parts, list.to_string().into_bytes().into()))
        }
    });
    Client::new(service, namespace)
}

/// Asks for the same in plain JSON.
fn ask_for_json(headers: &mut HeaderMap) {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let json = if accept.contains("as=PartialObjectMetadataList") {
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    } else {
        "application/json"
    };
    headers.insert(ACCEPT, HeaderValue::from_static(json));
    headers.remove(ACCEPT_ENCODING);
}

fn pod(name: &str) -> Pod {
    made(json!({
        "metadata": { "name": name },
        "spec": { "containers": [{ "name": "app", "image": "app:v1" }] },
    }))
}

/// Returns the forms of some followers, of which each problem names one.
fn forms_in(problems: &[String], followers: &Followers) -> BTreeSet<&'static str> {
    let forms = followers.all.iter().map(|follower| follower.form);
    forms.filter(|form| problems.iter().any(|problem| problem.starts_with(form))).collect()
}

pub(super) async fn differences_are_found() -> Outcome {
    let backend = Backend::open(Kind::Embedded).await?;
    let planted = Planted::default();
    let client = planting(backend.config.clone(), planted.clone());
    let pods = Api::<Pod>::default_namespaced(client.clone());
    for name in PODS {
        pods.create(&PostParams::default(), &pod(name)).await.expect("it is new");
    }
    let followers = Followers::start(&client);
    followers.synced().await;
    let forms: BTreeSet<_> = followers.all.iter().map(|follower| follower.form).collect();

    // Without a difference, the only problem is that nothing was audited yet.
    let agreed = followers.agree(SOON).await;
    assert!(agreed.as_ref().is_ok_and(|objects| *objects > PODS.len() * forms.len()), "{agreed:?}");
    assert_eq!(forms_in(&followers.problems(&agreed), &followers), forms);
    followers.audit().await;
    assert_eq!(followers.problems(&agreed), Vec::<String>::new());

    // Pods are followed in each form, and one of the two shards has this pod.
    let of_pods = followers.all.iter().filter(|f| f.informer.collection().to_string() == "pods");
    let of_pods = of_pods.count();
    let check = |words: &str, problems: &[String]| {
        assert!(problems.iter().all(|problem| problem.contains(words)), "{words}: {problems:#?}");
        assert_eq!(forms_in(problems, &followers), forms, "{words}");
        assert_eq!(problems.len(), of_pods - 1, "{words}: {problems:#?}");
    };
    let forget_audits = || followers.all.iter().for_each(|follower| follower.audits.lock().clear());
    for difference in [Difference::Missing, Difference::Extra, Difference::Older] {
        let [at_rest, audit] = difference.words();
        *planted.lock() = Some(difference);
        let found = followers.agree(Duration::ZERO).await;
        check(at_rest, &followers.problems(&found));
        forget_audits();
        followers.audit().await;
        check(audit, &followers.problems(&agreed));
        forget_audits();
        *planted.lock() = None;
        followers.audit().await;
    }
    let found = followers.agree(Duration::ZERO).await;
    assert_eq!(followers.problems(&found), Vec::<String>::new());
    followers.stop().await;
    Ok(())
}

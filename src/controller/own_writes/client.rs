//! A client that tells the running reconcile what it writes.
//!
//! kube's client hands requests to a task of its own, so a layer's `call` does not run in the task
//! that writes. The future that it returns does: that task polls it. So the running reconcile is
//! looked up when the future is first polled.

use http::header::ACCEPT;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kube::core::Status;
use serde::Deserialize;

use super::log::{Scope, WriteScope};
use super::sight::Sight;
use super::target::{Target, WriteVerb};
use crate::controller::BoxError;
use crate::object::{ObjectKey, ResourceVersion};

tokio::task_local! {
    /// The reconcile that runs in this task.
    pub(super) static CURRENT: WriteScope;
}

/// Metadata is all that is read of a list.
const METADATA_ONLY: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// A write was refused before it was sent: this replica no longer leads, or its lease has run out.
///
/// A tracking client answers it as [`kube::Error::Service`]. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{target} was not written: this replica's term is over")]
#[non_exhaustive]
pub struct WriteRefused {
    /// The resource, name and namespace.
    pub target: String,
}

/// Wraps a client so that a controller sees its own writes.
///
/// Records each write under the key of the running reconcile. The controller holds the key in its
/// queue until its caches show the write; no worker waits. After 10 s that counts as a failure, and the
/// key is retried with backoff: no reconcile runs before the write is seen. Where the answer to a write
/// was lost (a broken connection, a timeout, a server error), or may hide that of an earlier try (a
/// conflict, not found), the controller first lists the object from a quorum.
///
/// The controller waits only for kinds that it follows or that
/// [`reads_own_writes`](super::super::ControllerBuilder::reads_own_writes) names. It does not wait for
/// dry runs, nor for what an informer with a selector holds. A reconcile that spawns tasks carries
/// itself into them with [`ReconcileRequest::scope`](super::super::ReconcileRequest::scope).
///
/// Under [leader election](crate::leader_election) the client refuses writes that begin after the
/// replica's term has ended, with [`WriteRefused`]. It refuses only writes of a reconcile, or of a task
/// that runs in its scope; writes from other tasks are neither tracked nor refused. A request that was
/// sent before is not called back, and a suspended process cannot look at its clock: writes that must
/// not be late name the resourceVersion that they replace.
///
/// One gap remains. When the answer to a creation with `generateName` is lost, the name is not known.
/// The key waits until the cache has reached the version of a list made afterwards, but a request
/// that reaches the server later still creates an object. Use names that follow from the owner's.
///
/// ```no_run
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, PostParams};
/// use kube_informer::controller::tracking_client;
/// use kube_informer::{Action, Controller, SharedInformer};
/// use tokio_util::sync::CancellationToken;
///
/// # async fn f(
/// #     client: kube::Client, maps: SharedInformer<ConfigMap>, stop: CancellationToken,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let client = tracking_client(client);
/// let controller = Controller::builder("copier", &maps).build();
/// controller
///     .run(stop, move |request| {
///         let api = Api::<ConfigMap>::namespaced(client.clone(), "copies");
///         async move {
///             if let Some(map) = request.object.present() {
///                 let mut copy = ConfigMap { data: map.data.clone(), ..ConfigMap::default() };
///                 copy.metadata.name.clone_from(&map.metadata.name);
///                 api.create(&PostParams::default(), &copy).await?;
///             }
///             Ok::<_, kube::Error>(Action::done())
///         }
///     })
///     .await?;
/// # Ok(()) }
/// ```
#[must_use]
pub fn tracking_client(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let valid_until = *client.valid_until();
    let service = tower::service_fn(move |request: Request<Body>| {
        let client = client.clone();
        async move {
            let target = Target::of(request.method(), request.uri().path(), request.uri().query());
            match (target, CURRENT.try_with(Clone::clone)) {
                (Some(target), Ok(scope)) => scope.send(client, target, request).await,
                _ => Ok(client.send(request).await?),
            }
        }
    });
    Client::new(service, namespace).with_valid_until(valid_until)
}

impl WriteScope {
    /// Sends a write, and records its answer.
    async fn send(
        self,
        client: Client,
        mut target: Target,
        request: Request<Body>,
    ) -> Result<Response<Body>, BoxError> {
        if self.0.term.is_over() {
            return Err(WriteRefused { target: target.to_string() }.into());
        }
        if !self.0.log.holds(&target) {
            return Ok(client.send(request).await?);
        }
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        if target.verb == WriteVerb::Create && target.name.is_none() {
            let named = serde_json::from_slice::<Answer>(&body);
            target.name = named.ok().and_then(|sent| sent.metadata.name);
        }
        let request = Request::from_parts(parts, Body::from(body));
        // From here on the server may have it, also where this future is dropped.
        let mut flight = InFlight(Some((self, target, client.clone())));
        let (parts, body) = client.send(request).await?.into_parts();
        let status = parts.status;
        if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
            // It may have been done all the same: the flight stays lost.
            return Ok(Response::from_parts(parts, body));
        }
        let body = body.collect().await?.to_bytes();
        if status.is_success() {
            flight.landed(&body);
        } else if is_final(status) {
            flight.refused();
        }
        Ok(Response::from_parts(parts, Body::from(body)))
    }
}

/// Returns whether an answer says that nothing was written, now or before. Only a refusal of the request
/// itself does. A layer below this client may have sent the request twice, and the second try met what
/// the first did: its object (409), its absence (404), a `test` that no longer holds (422), a quota that
/// is used up (403).
fn is_final(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::BAD_REQUEST
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::NOT_ACCEPTABLE
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
    )
}

/// A write that was sent. Dropped without an answer, it is lost.
struct InFlight(Option<(WriteScope, Target, Client)>);

impl InFlight {
    /// The server refused it: nothing was written.
    fn refused(&mut self) {
        self.0 = None;
    }

    /// The server did it. What its answer does not tell is asked for as if it were lost.
    fn landed(&mut self, body: &[u8]) {
        let Some((scope, target, _)) = &self.0 else { return };
        let Scope { key, log, .. } = &*scope.0;
        let Ok(answer) = serde_json::from_slice::<Answer>(body) else { return };
        match answer.sight(target) {
            Told::Sight(object, sight) => log.expect(key, target, Some(&object), &sight),
            Told::Nothing => {}
            Told::TooLittle => return,
        }
        self.0 = None;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some((scope, target, client)) = self.0.take() {
            scope.0.log.lose(&scope.0.key, target, client);
        }
    }
}

/// Lists a target's object, or one of any name, from a quorum. Returns what a cache will show that
/// has come as far.
pub(super) async fn quorum_list(
    client: &Client,
    target: &Target,
) -> Result<Vec<(Option<ObjectKey>, Sight)>, kube::Error> {
    let request = Request::get(target.quorum_list())
        .header(ACCEPT, METADATA_ONLY)
        .body(Vec::new())
        .map_err(kube::Error::HttpError)?;
    // Not `Client::request`, which logs a body that it cannot parse: it may hold Secrets.
    let (parts, body) = client.send(request.map(Body::from)).await?.into_parts();
    let body = body.collect().await?.to_bytes();
    if !parts.status.is_success() {
        let code = parts.status.as_u16();
        let refused = serde_json::from_slice::<Status>(&body);
        let status =
            refused.unwrap_or_else(|_| Status::failure("the list failed", "").with_code(code));
        return Err(kube::Error::Api(status.boxed()));
    }
    let list: List = serde_json::from_slice(&body).map_err(kube::Error::SerdeError)?;
    let listed = list.metadata.resource_version.unwrap_or_default().as_str().into();
    let Some(name) = &target.name else {
        return Ok(vec![(None, Sight::AtLeast(listed))]);
    };
    let found = list.items.into_iter().find(|item| item.metadata.name.as_ref() == Some(name));
    let sight = match found.and_then(|item| item.metadata.resource_version) {
        Some(version) => Sight::AtLeast(version.as_str().into()),
        None => Sight::Absent(listed),
    };
    Ok(target.key_of(name).map(|object| (Some(object), sight)).into_iter().collect())
}

/// What an answer tells of a write.
enum Told {
    Sight(ObjectKey, Sight),
    /// Nothing that a cache will show.
    Nothing,
    /// It was done, but not to which object or version.
    TooLittle,
}

/// The parts of an answer, or of what was sent, that say which object it is.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    details: Details,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    deletion_timestamp: Option<String>,
    deletion_grace_period_seconds: Option<i64>,
    finalizers: Option<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    uid: Option<String>,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    items: Vec<Answer>,
}

impl Answer {
    fn sight(self, target: &Target) -> Told {
        let Self { kind, metadata, details } = self;
        let whole_object = target.subresource.is_none();
        if kind == "Status" {
            return match (&target.name, details.uid) {
                (Some(name), Some(uid)) if target.verb == WriteVerb::Delete && whole_object => {
                    let gone = Sight::Gone { uid: Some(uid), version: None };
                    target.key_of(name).map_or(Told::TooLittle, |key| Told::Sight(key, gone))
                }
                // Also an eviction or a binding: they change the object, and do not say how.
                _ => Told::TooLittle,
            };
        }
        let name = target.name.as_ref().or(metadata.name.as_ref());
        let namespace = target.namespace().or(metadata.namespace.as_deref());
        let key = name.and_then(|name| ObjectKey::from_parts(namespace, name).ok());
        let version = metadata.resource_version.filter(|version| !version.is_empty());
        let (Some(key), Some(version)) = (key, version) else {
            // A token, a review: no object of the collection.
            return if whole_object { Told::TooLittle } else { Told::Nothing };
        };
        let version = ResourceVersion::from(version.as_str());
        let lingers = metadata.deletion_timestamp.is_some()
            && (metadata.finalizers.is_some_and(|finalizers| !finalizers.is_empty())
                || metadata.deletion_grace_period_seconds.is_some_and(|seconds| seconds > 0));
        Told::Sight(
            key,
            if target.verb == WriteVerb::Delete && whole_object && !lingers {
                Sight::Gone { uid: metadata.uid, version: Some(version) }
            } else {
                Sight::AtLeast(version)
            },
        )
    }
}

//! A client that records the writes of the running reconcile.
//!
//! kube's client hands requests to a task of its own, so a layer's `call` does not run in the task
//! that writes. The returned future does: the writing task polls it. The client therefore looks up
//! the running reconcile at the first poll of that future.

use std::fmt;
use std::sync::Arc;

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use k8s_openapi::Resource as _;
use k8s_openapi::api::core::v1::{Namespace, NamespaceSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Client;
use kube::api::ObjectMeta;
use kube::client::Body;
use serde::Deserialize;

use super::NAMESPACES;
use super::cache::CacheBefore;
use super::expectation::{Expectation, ends};
use super::log::WriteLog;
use super::target::{WriteTarget, WriteVerb};
use crate::controller::BoxError;
use crate::lease::WorkScope;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::{ObjectKey, ResourceVersion};
use kube_informer::seams::read_body;

tokio::task_local! {
    /// The reconcile that runs in this task.
    static CURRENT: TrackedReconcile;
}

/// A write that was refused before it was sent: this replica no longer leads or no longer holds the
/// slot, or its lease has expired.
///
/// A tracking client returns it inside [`kube::Error::Service`]. Nothing was written.
///
/// ```
/// use kube_controllers::controller::WriteRefused;
///
/// /// Returns whether a failed write is certain to have changed nothing.
/// fn was_not_sent(error: &kube::Error) -> bool {
///     matches!(error, kube::Error::Service(cause) if cause.is::<WriteRefused>())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{target} was not written: this replica no longer leads, or no longer holds the slot")]
#[non_exhaustive]
pub struct WriteRefused {
    /// The resource, name and namespace.
    pub target: String,
}

/// Wraps a client so that a controller sees its own writes.
///
/// The client records each write under the key of the running reconcile. The controller holds the
/// key in its queue until its caches show the write; no worker waits. After 10 s the informer
/// proves that its cache is newer than the write, by a read from a quorum. If that fails, too, the
/// wait counts as a failure, and the key is retried with backoff. No reconcile of the key runs on a
/// cache that is older than its writes.
///
/// After a restored backup, versions start over. If an answer cannot be of the history that the
/// cache shows, the informer lists everything again with a quorum read. It also does so if the
/// cache passes the answer's version and shows an older object, or if it is proved newer than a
/// deletion and shows the object. Two gaps remain, in which the key does not wait. The answer may
/// have the same version as the object in the lost history that the cache shows. It then looks like
/// the answer to a write that changed nothing. Or the cache passes the write's version while it
/// shows the lost history, and that history lacks the object, as after a creation, or has a newer
/// state of it. The object then looks as if it was deleted or changed after the write.
///
/// The answer to a write may be lost (a broken connection, a timeout, a server error). Or it may
/// hide the success of an earlier try (a conflict, not found). Or it is about another object, as
/// from a confused proxy. Or it names only the uid of a deleted object that the cache has not
/// shown. The controller then first lists the object from a quorum.
///
/// The controller waits only for kinds that it follows or that
/// [`reads_own_writes`](super::super::ControllerBuilder::reads_own_writes) names. It does not wait
/// for dry runs, or for objects of an informer with a selector. Wrap the tasks that a reconcile
/// spawns in [`ReconcileRequest::scope`](super::super::ReconcileRequest::scope); writes from other
/// tasks are not tracked.
///
/// A client does not name its cluster. Use it for the cluster of the informers that the controller
/// follows. A write to another cluster delays its key if an informer of the same kind and namespace
/// is followed. The delay is the 10 s and the proof, with a warning. For such writes use the plain
/// client.
///
/// Under [leader election](crate::leader_election) the client refuses writes that begin after this
/// replica's lease has ended, with [`WriteRefused`]. It refuses only writes of a reconcile, or of a
/// task in its scope. It cannot call back a request that was already sent, and a suspended process
/// cannot check its clock. A write that must never be late has to name the resourceVersion that it
/// replaces.
///
/// Another gap: when the answer to a creation with `generateName` is lost, the name is unknown.
/// The key then waits until the cache has reached the version of a later list. A request that
/// reaches the server after that list still creates an object. Derive names from the owner's name
/// instead.
///
/// ```no_run
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, PostParams};
/// use kube_controllers::controller::tracking_client;
/// use kube_informer::SharedInformer;
/// use kube_controllers::{Action, Controller};
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
///
/// # Panics
/// Panics outside a tokio runtime, as [`kube::Client::new`] does.
#[must_use]
pub fn tracking_client(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let valid_until = *client.valid_until();
    let service = tower::service_fn(move |request: Request<Body>| {
        let client = client.clone();
        async move {
            let target =
                WriteTarget::of(request.method(), request.uri().path(), request.uri().query());
            match (target, CURRENT.try_with(Clone::clone)) {
                (Some(target), Ok(reconcile)) => reconcile.send(client, target, request).await,
                _ => Ok(client.send(request).await?),
            }
        }
    });
    Client::new(service, namespace).with_valid_until(valid_until)
}

/// Returns the moment at which the running reconcile's term began, or its slot was won;
/// [`ReadBarrier::START`] outside of a reconcile.
pub(crate) fn current_won() -> ReadBarrier {
    CURRENT.try_with(|reconcile| reconcile.0.term.won()).unwrap_or(ReadBarrier::START)
}

/// Returns the key of the running reconcile.
pub fn current_key() -> Option<ObjectKey> {
    CURRENT.try_with(|reconcile| reconcile.0.key.clone()).ok()
}

impl WriteTarget {
    /// Takes the name of an object that is created from the request's body.
    pub(in crate::controller) fn name_created(&mut self, body: &[u8]) {
        if self.verb == WriteVerb::Create && self.name.is_none() {
            let named = kube_decode::json::<WriteAnswer>(body);
            self.name = named.ok().and_then(|sent| sent.metadata.name);
        }
    }
}

/// The running reconcile to which a tracking client assigns writes. Clones are cheap.
#[derive(Clone)]
pub(crate) struct TrackedReconcile(Arc<TrackedState>);

struct TrackedState {
    key: ObjectKey,
    log: Arc<WriteLog>,
    term: WorkScope,
}

impl TrackedReconcile {
    pub(crate) fn new(key: ObjectKey, log: Arc<WriteLog>, term: WorkScope) -> Self {
        Self(Arc::new(TrackedState { key, log, term }))
    }

    /// Runs a future as part of the reconcile.
    pub(crate) fn enter<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, future)
    }

    /// Calls a function as part of the reconcile, on its thread for blocking code.
    pub(crate) fn call<T>(self, function: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self, function)
    }

    /// Refuses a write after the lease or slot has ended.
    pub(crate) fn refuse_late(&self, target: impl FnOnce() -> String) -> Result<(), WriteRefused> {
        if self.0.term.is_over() { Err(WriteRefused { target: target() }) } else { Ok(()) }
    }

    /// Sends a write, and records its answer.
    async fn send(
        self,
        client: Client,
        mut target: WriteTarget,
        request: Request<Body>,
    ) -> Result<Response<Body>, BoxError> {
        self.refuse_late(|| target.to_string())?;
        let sights = self.0.log.sights(&target);
        if sights.is_empty() {
            return Ok(client.send(request).await?);
        }
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        if target.is_dry_run(&body) {
            return Ok(client.send(Request::from_parts(parts, Body::from(body))).await?);
        }
        target.name_created(&body);
        let deletes_many = target.deletes_many();
        let request = Request::from_parts(parts, Body::from(body));
        // From here on the server may have the request, even if this future is dropped.
        let write = Some((self, target, client.clone()));
        let mut flight = InFlight { write, sights, deleted_unseen: false };
        let (parts, body) = client.send(request).await?.into_parts();
        if is_final(parts.status) {
            flight.refused();
        }
        // In spite of any other failure, the server may have made the write, so it counts as lost.
        // So do deletions of objects that are not named.
        if !parts.status.is_success() || deletes_many {
            return Ok(Response::from_parts(parts, body));
        }
        let body = read_body(body).await?;
        flight.landed(&body);
        Ok(Response::from_parts(parts, Body::from(body)))
    }
}

impl fmt::Debug for TrackedReconcile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TrackedReconcile").field(&self.0.key).finish()
    }
}

/// Returns whether a status proves that nothing was written, now or before. Only a refusal of the
/// request itself does. A layer below this client may have sent the request twice, so other
/// refusals may be due to the first try: the object exists (409) or is gone (404), a `test` no
/// longer holds (422), or the quota is used up (403).
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

/// A write that was sent, and the caches before that. If it is dropped before its answer is known,
/// it counts as lost.
struct InFlight {
    write: Option<(TrackedReconcile, WriteTarget, Client)>,
    sights: Vec<CacheBefore>,
    /// True if the write deleted an object that a cache did not show.
    deleted_unseen: bool,
}

impl InFlight {
    /// Notes that the server refused the write: nothing changed.
    fn refused(&mut self) {
        self.write = None;
    }

    /// Notes that the server made the write. If the answer does not say which object and version,
    /// the write counts as lost and is looked up.
    fn landed(&mut self, body: &[u8]) {
        let Some((reconcile, target, _)) = &self.write else { return };
        let Some(answer) = WriteAnswer::read(body, target) else { return };
        if !self.sights.iter().all(|sight| sight.may_show(&answer.kind, target)) {
            return;
        }
        match answer.expectation(target) {
            // A cache that has not shown this object does not show its absence either.
            WriteOutcome::Expect(_, Expectation::Gone { uid: Some(uid), version: None })
                if !self.sights.iter().all(|sight| sight.showed(&uid)) =>
            {
                self.deleted_unseen = true;
                return;
            }
            WriteOutcome::Expect(written, expectation) => {
                for sight in &self.sights {
                    let creates = target.creates();
                    sight.expect(&reconcile.0.key, Some(&written), &expectation, creates);
                }
            }
            WriteOutcome::Nothing => {}
            WriteOutcome::Incomplete => return,
        }
        self.write = None;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some((reconcile, target, client)) = self.write.take() {
            reconcile.0.log.lose(&reconcile.0.key, target, client, self.deleted_unseen);
        }
    }
}

/// An object that was written.
#[derive(Debug)]
pub(in crate::controller) struct Written {
    pub(in crate::controller) key: ObjectKey,
    /// The fields that decide on the object's place on the ring, if the answer has them.
    pub(super) state: Option<Box<ObjectMeta>>,
}

/// The information that an answer gives about a write.
pub(in crate::controller) enum WriteOutcome {
    /// The object, and the state that a cache will show.
    Expect(Written, Expectation),
    /// The write changed nothing that a cache will show.
    Nothing,
    /// The write was made, but the answer lacks the object or its version.
    Incomplete,
}

/// The parts of an answer, or of a request's body, that identify the object.
#[derive(Deserialize)]
pub(in crate::controller) struct WriteAnswer {
    #[serde(default, rename = "apiVersion")]
    api_version: String,
    #[serde(default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) metadata: Metadata,
    #[serde(default)]
    details: Details,
    /// True if finalizers of its spec hold a namespace. `None` if the answer does not tell.
    #[serde(skip)]
    spec_holds: Option<bool>,
}

/// The part of a namespace that may hold it.
#[derive(Deserialize)]
struct NamespaceAnswer {
    #[serde(default)]
    spec: NamespaceSpec,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Metadata {
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    uid: Option<String>,
    pub(super) resource_version: Option<String>,
    deletion_timestamp: Option<String>,
    deletion_grace_period_seconds: Option<i64>,
    finalizers: Option<Vec<String>>,
    owner_references: Option<Vec<OwnerReference>>,
    pub(super) r#continue: Option<String>,
    pub(super) remaining_item_count: Option<i64>,
}

impl Metadata {
    /// Returns the fields that decide on the object's place on the ring.
    pub(super) fn state(self) -> Box<ObjectMeta> {
        let Self { namespace, uid, owner_references, .. } = self;
        Box::new(ObjectMeta { namespace, uid, owner_references, ..ObjectMeta::default() })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    uid: Option<String>,
}

impl WriteAnswer {
    /// Reads the answer to a write. `None` if it has another form.
    pub(in crate::controller) fn read(body: &[u8], target: &WriteTarget) -> Option<Self> {
        let mut answer: Self = kube_decode::json(body).ok()?;
        if target.resource() == NAMESPACES && answer.kind == Namespace::KIND {
            let NamespaceAnswer { spec } = kube_decode::json(body).ok()?;
            answer.spec_holds = Some(spec.finalizers.is_some_and(|all| !all.is_empty()));
        }
        Some(answer)
    }

    pub(in crate::controller) fn kind(&self) -> &str {
        &self.kind
    }

    pub(in crate::controller) fn api_version(&self) -> &str {
        &self.api_version
    }

    /// Returns what the answer says about a write to this target.
    pub(in crate::controller) fn expectation(self, target: &WriteTarget) -> WriteOutcome {
        let Self { kind, metadata, details, spec_holds, .. } = self;
        let whole_object = target.subresource.is_none();
        if kind == "Status" {
            return match (&target.name, details.uid) {
                (Some(name), Some(uid)) if target.verb == WriteVerb::Delete && whole_object => {
                    let gone = Expectation::Gone { uid: Some(uid), version: None };
                    target.key_of(name).map_or(WriteOutcome::Incomplete, |key| {
                        WriteOutcome::Expect(Written { key, state: None }, gone)
                    })
                }
                // Evictions and bindings also change the object without returning it.
                _ => WriteOutcome::Incomplete,
            };
        }
        let differs = |answered: &Option<String>, wanted: Option<&str>| {
            // An empty namespace counts as none.
            let answered = answered.as_deref().filter(|answered| !answered.is_empty());
            answered.is_some_and(|answered| wanted != Some(answered))
        };
        if target.name.is_some() && differs(&metadata.name, target.name.as_deref())
            || differs(&metadata.namespace, target.namespace())
        {
            // The answer to another request.
            return WriteOutcome::Incomplete;
        }
        let name = target.name.as_ref().or(metadata.name.as_ref());
        let namespace = target.namespace();
        let key = name.and_then(|name| ObjectKey::from_parts(namespace, name).ok());
        let version = metadata.resource_version.clone().filter(|version| !version.is_empty());
        let (Some(key), Some(version)) = (key, version) else {
            // A token or a review is not in the collection.
            let is_made = !whole_object && target.verb == WriteVerb::Create;
            return if is_made { WriteOutcome::Nothing } else { WriteOutcome::Incomplete };
        };
        let version = ResourceVersion::from(version.as_str());
        let marked = metadata.deletion_timestamp.is_some();
        let Metadata { finalizers, deletion_grace_period_seconds: grace, .. } = &metadata;
        let ended = ends(marked, finalizers.as_deref(), *grace);
        let is_namespace = target.resource() == NAMESPACES;
        let is_gone = match target.verb {
            // A namespace whose spec holds nothing is only marked. If it is gone, its version is
            // that of the deletion.
            WriteVerb::Delete => whole_object && (!marked || (ended && !is_namespace)),
            // The change that takes the last finalizer. Its answer has the version before it.
            WriteVerb::Change if ended && is_namespace => match spec_holds {
                Some(is_held) => !is_held,
                None => return WriteOutcome::Incomplete,
            },
            WriteVerb::Change => ended,
            WriteVerb::Create => false,
        };
        let expectation = if is_gone {
            Expectation::Gone { uid: metadata.uid.clone(), version: Some(version) }
        } else {
            Expectation::AtLeast(version)
        };
        // A Scale has the object's uid but not its owners.
        let state = (kind != "Scale" && metadata.uid.is_some()).then(|| metadata.state());
        WriteOutcome::Expect(Written { key, state }, expectation)
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn answer_tells_whether_the_object_is_gone() {
        let pod = "/api/v1/namespaces/shop/pods/a";
        let status = format!("{pod}/status");
        let live = json!({});
        let ended = json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []});
        let mut held = ended.clone();
        held["finalizers"] = json!(["example.com/held"]);
        let mut graceful = ended.clone();
        graceful["deletionGracePeriodSeconds"] = json!(30);
        for (method, path, metadata, gone) in [
            (Method::PATCH, pod, &ended, true),
            (Method::PUT, pod, &ended, true),
            (Method::PATCH, &*status, &ended, true),
            (Method::PATCH, pod, &live, false),
            (Method::PATCH, pod, &held, false),
            (Method::PUT, pod, &graceful, false),
            (Method::DELETE, pod, &live, true),
            (Method::DELETE, pod, &ended, true),
            (Method::DELETE, pod, &held, false),
            (Method::DELETE, pod, &graceful, false),
        ] {
            let answer = json!({"kind": "Pod", "metadata": metadata});
            assert_eq!(tells_gone(&method, path, answer), Some(gone), "{method} {path} {metadata}");
        }
    }

    #[test]
    fn finalizers_of_its_spec_hold_a_namespace() {
        let ended = json!({"deletionTimestamp": "2026-01-01T00:00:00Z"});
        let held = json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a.b/held"]});
        let (none, some) = (json!({}), json!({"finalizers": ["kubernetes"]}));
        let (shop, finalize) = ("/api/v1/namespaces/shop", "/api/v1/namespaces/shop/finalize");
        for (method, path, metadata, spec, gone) in [
            (Method::PUT, finalize, &ended, &none, true),
            (Method::PUT, finalize, &ended, &json!({"finalizers": []}), true),
            (Method::PUT, finalize, &ended, &some, false),
            (Method::PUT, finalize, &held, &none, false),
            (Method::PUT, finalize, &none, &none, false),
            (Method::PATCH, shop, &ended, &none, true),
            (Method::PATCH, shop, &ended, &some, false),
            (Method::DELETE, shop, &ended, &some, false),
            (Method::DELETE, shop, &ended, &none, false),
            (Method::DELETE, shop, &json!({}), &none, true),
        ] {
            let answer = json!({"kind": "Namespace", "metadata": metadata, "spec": spec});
            let told = tells_gone(&method, path, answer);
            assert_eq!(told, Some(gone), "{method} {path} {metadata} {spec}");
        }
        let partial = json!({"kind": "PartialObjectMetadata", "metadata": ended});
        assert_eq!(tells_gone(&Method::PATCH, shop, partial.clone()), None, "it is looked up");
        assert_eq!(tells_gone(&Method::DELETE, shop, partial), Some(false));
    }

    /// Returns whether an answer says that the object is gone. `None` if it does not say enough.
    fn tells_gone(method: &Method, path: &str, mut answer: Value) -> Option<bool> {
        let target = WriteTarget::of(method, path, None).unwrap();
        answer["metadata"]["resourceVersion"] = "7".into();
        let answer = WriteAnswer::read(answer.to_string().as_bytes(), &target).unwrap();
        match answer.expectation(&target) {
            WriteOutcome::Expect(_, expectation) => {
                Some(matches!(expectation, Expectation::Gone { .. }))
            }
            _ => None,
        }
    }
}

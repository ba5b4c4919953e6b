//! A client that records the writes of the running reconcile.
//!
//! kube's client hands requests to a task of its own, so a layer's `call` does not run in the task
//! that writes. The returned future does: the writing task polls it. The client therefore looks up
//! the running reconcile at the first poll of that future.

use std::fmt;
use std::sync::Arc;

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;

use super::answer::{WriteAnswer, WriteOutcome};
use super::cache::CacheBefore;
use super::expectation::Expectation;
use super::log::WriteLog;
use super::target::{WriteTarget, WriteVerb};
use crate::controller::BoxError;
use crate::lease::WorkScope;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::ObjectKey;
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

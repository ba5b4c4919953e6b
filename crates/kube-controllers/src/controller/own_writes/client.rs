//! A client that records the writes of the running reconcile.
//!
//! kube's client hands requests to a task of its own, so a layer's `call` does not run in the task
//! that writes. The returned future does: the writing task polls it. The client therefore looks up
//! the running reconcile at the first poll of that future.

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Client;
use kube::api::ObjectMeta;
use kube::client::Body;
use serde::Deserialize;

use super::cache::CacheBefore;
use super::expectation::Expectation;
use super::log::TrackedReconcile;
use super::target::{WriteTarget, WriteVerb};
use crate::controller::BoxError;
use crate::controller::finalizer::is_absent;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::{ObjectKey, ResourceVersion};
use kube_informer::seams::{read_body, read_document};

tokio::task_local! {
    /// The reconcile that runs in this task.
    pub(super) static CURRENT: TrackedReconcile;
}

/// The `Accept` header of a list: only metadata is read.
const METADATA_ONLY: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// The `Accept` header of a read of one object.
const OBJECT_METADATA: &str =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

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
/// cache shows, the informer lists everything again with a quorum read. One gap remains: the answer
/// has the very version at which the cache shows the object in the lost history. It looks like the
/// answer to a write that changed nothing, and the key does not wait.
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

impl TrackedReconcile {
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
        let Ok(answer) = kube_decode::json::<WriteAnswer>(body) else { return };
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

/// Lists a target's object from a quorum, or one object if the name is unknown. Returns the list's
/// version, and what a cache shows once it has reached that list. `deleted_unseen` says that a
/// cache without the object may be older than it. `sights` are of the caches of the kind.
pub(super) async fn quorum_list(
    client: &Client,
    target: &WriteTarget,
    sights: &[CacheBefore],
    deleted_unseen: bool,
) -> Result<(ResourceVersion, Option<(Option<Written>, Expectation)>), kube::Error> {
    let is_kind = |kind: &str| {
        kind == "PartialObjectMetadata" || sights.iter().all(|sight| sight.is_of_kind(kind))
    };
    let list: List = read_document(client, &target.quorum_list(), METADATA_ONLY).await?;
    let (listed, items, is_whole) = list.proved(is_kind).ok_or_else(|| {
        unusable("the answer is not the requested list: its kind, version or items do not show it")
    })?;
    let reached = || Some((None, Expectation::AtLeast(listed.clone())));
    let Some(name) = &target.name else {
        return Ok((listed.clone(), reached()));
    };
    let mut found = items.into_iter().find(|item| item.is_of(target, name));
    // A server that ignores the selector begins with another object.
    if found.is_none() && !is_whole {
        found = quorum_get(client, target, name, is_kind).await?;
    }
    let version = found.as_ref().and_then(|item| item.metadata.resource_version.as_deref());
    let expectation = match version {
        Some(version) => Expectation::AtLeast(version.into()),
        None if deleted_unseen => return Ok((listed.clone(), reached())),
        None => Expectation::Absent(listed.clone()),
    };
    let state = found.map(|item| item.metadata.state());
    let written = target.key_of(name).map(|key| Written { key, state });
    Ok((listed, written.map(|written| (Some(written), expectation))))
}

/// Reads a target's object from a quorum. `None` if the server states that it does not exist.
async fn quorum_get(
    client: &Client,
    target: &WriteTarget,
    name: &str,
    is_kind: impl Fn(&str) -> bool,
) -> Result<Option<WriteAnswer>, kube::Error> {
    match read_document::<WriteAnswer>(client, &target.path_of(name), OBJECT_METADATA).await {
        Ok(object) if object.is_of(target, name) && is_kind(&object.kind) => Ok(Some(object)),
        Ok(_) => Err(unusable("the answer is not the requested object")),
        Err(error) if is_absent(&error, &target.collection, name) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the error of an answer that is not what was requested.
fn unusable(problem: &str) -> kube::Error {
    kube::Error::SerdeError(serde::de::Error::custom(problem))
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
    owner_references: Option<Vec<OwnerReference>>,
    r#continue: Option<String>,
    remaining_item_count: Option<i64>,
}

impl Metadata {
    /// Returns the fields that decide on the object's place on the ring.
    fn state(self) -> Box<ObjectMeta> {
        let Self { namespace, uid, owner_references, .. } = self;
        Box::new(ObjectMeta { namespace, uid, owner_references, ..ObjectMeta::default() })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    uid: Option<String>,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    metadata: Metadata,
    /// Go may leave out the items of an empty list, or write them as null.
    items: Option<Vec<WriteAnswer>>,
}

impl List {
    /// Returns version and items, and whether there are no others. `None` if this may be anything,
    /// which proves no object absent. `is_kind` tells the kinds of the requested objects.
    fn proved(
        self,
        is_kind: impl Fn(&str) -> bool,
    ) -> Option<(ResourceVersion, Vec<WriteAnswer>, bool)> {
        let Self { kind, metadata, items } = self;
        let items = items.unwrap_or_default();
        let version = metadata.resource_version.filter(|version| !matches!(&**version, "" | "0"));
        let is_whole = metadata.r#continue.is_none_or(|token| token.is_empty())
            && metadata.remaining_item_count.is_none_or(|count| count == 0);
        // A custom resource's list may have any kind. Then its items tell.
        let is_named = kind.strip_suffix("List").is_some_and(&is_kind);
        let mut kinds = items.iter().map(|item| &*item.kind);
        let is_list = if is_named {
            kinds.all(|kind| kind.is_empty() || is_kind(kind))
        } else {
            kind != "Status" && !items.is_empty() && kinds.all(is_kind)
        };
        is_list.then_some((version?.as_str().into(), items, is_whole))
    }
}

impl WriteAnswer {
    /// Returns whether this is the target's object of this name.
    fn is_of(&self, target: &WriteTarget, name: &str) -> bool {
        let Metadata { name: found, namespace, .. } = &self.metadata;
        let namespace = namespace.as_deref().unwrap_or_default();
        found.as_deref() == Some(name)
            && (namespace.is_empty() || Some(namespace) == target.namespace())
    }

    pub(in crate::controller) fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns what the answer says about a write to this target.
    pub(in crate::controller) fn expectation(self, target: &WriteTarget) -> WriteOutcome {
        let Self { kind, metadata, details } = self;
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
        let lingers = metadata.deletion_timestamp.is_some()
            && (metadata.finalizers.as_ref().is_some_and(|finalizers| !finalizers.is_empty())
                || metadata.deletion_grace_period_seconds.is_some_and(|seconds| seconds > 0));
        let expectation = if target.verb == WriteVerb::Delete && whole_object && !lingers {
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
    use super::*;

    fn proved(list: &str) -> Option<(String, usize, bool)> {
        let list: List = serde_json::from_str(list).unwrap();
        let is_kind = |kind: &str| matches!(kind, "Pod" | "PartialObjectMetadata");
        let (version, items, is_whole) = list.proved(is_kind)?;
        Some((version.to_string(), items.len(), is_whole))
    }

    #[test]
    fn only_a_list_proves_an_object_absent() {
        let version = r#""metadata":{"resourceVersion":"7"}"#;
        for (members, items) in [
            (r#""kind":"PartialObjectMetadataList""#, 0),
            (r#""kind":"PodList","items":null"#, 0),
            (r#""kind":"PodList","items":[]"#, 0),
            (r#""kind":"PodList","items":[{"metadata":{"name":"a"}}]"#, 1),
            (r#""kind":"Pods","items":[{"kind":"Pod","metadata":{"name":"a"}}]"#, 1),
        ] {
            let expected = Some(("7".to_owned(), items, true));
            assert_eq!(proved(&format!("{{{members},{version}}}")), expected, "{members}");
            assert_eq!(proved(&format!("{{{members}}}")), None, "{members}");
        }
        for members in [
            r#""kind":"Status""#,
            r#""kind":"Pod""#,
            r#""kind":"Status","items":[]"#,
            r#""kind":"SecretList","items":[]"#,
            r#""kind":"PodList","items":[{"kind":"Secret","metadata":{"name":"a"}}]"#,
            r#""kind":"Pods","items":[]"#,
            r#""items":[]"#,
        ] {
            assert_eq!(proved(&format!("{{{members},{version}}}")), None, "{members}");
        }
        assert_eq!(proved("{}"), None);
    }

    #[test]
    fn empty_namespace_is_none() {
        let target = |path| WriteTarget::of(&http::Method::PATCH, path, None).unwrap();
        let [node, pod] = ["/api/v1/nodes/a", "/api/v1/namespaces/shop/pods/a"].map(target);
        for (namespace, of_node, of_pod) in
            [("", true, true), ("shop", false, true), ("bank", false, false)]
        {
            let answer = format!(r#"{{"metadata":{{"name":"a","namespace":"{namespace}"}}}}"#);
            let answer: WriteAnswer = serde_json::from_str(&answer).unwrap();
            assert_eq!([&node, &pod].map(|target| answer.is_of(target, "a")), [of_node, of_pod]);
        }
    }

    #[test]
    fn page_of_a_list_is_not_whole() {
        for more in [r#""continue":"x""#, r#""remainingItemCount":2"#] {
            let list =
                format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"7",{more}}}}}"#);
            assert_eq!(proved(&list), Some(("7".into(), 0, false)), "{more}");
        }
    }
}

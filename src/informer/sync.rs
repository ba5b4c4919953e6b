//! The error of informers that have not synced.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::Instant;

use super::{InformerFailure, SharedInformer};
use crate::error::SourceError;
use crate::joining::Together;
use crate::lister_watcher::Collection;
use crate::object::ObjectKey;
use crate::reflector::{ReflectorState, ReflectorStatus};

/// The error of a wait for the sync: some informers did not sync in time, or were stopped.
///
/// Its [source](StdError::source) is the last [`SourceError`] of the first informer that had one.
/// `Debug` writes the text, because that is what a program prints whose `main` returns the error.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Secret;
/// use kube_informer::informer::Unsynced;
/// use kube_informer::reflector::ReflectorState;
/// use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
/// use kube_informer::{SharedInformerFactory, SyncError};
///
/// /// Returns whether more time can help.
/// fn is_slow(informer: &Unsynced) -> bool {
///     let retryable = |(error, _): &(kube_informer::SourceError, Duration)| error.is_retryable();
///     informer.failure.is_none()
///         && (matches!(informer.state, ReflectorState::Listing { .. })
///             || informer.last_error.as_ref().is_none_or(retryable))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let faults = Faults::new();
/// faults.inject(Requests::lists(), Injection::status(403));
/// let factory = SharedInformerFactory::builder(faults.client(ApiServer::new().client())).build();
/// factory.informer::<Secret>();
/// factory.start()?;
/// let error: SyncError = factory.wait_for_sync(Duration::from_millis(100)).await.unwrap_err();
/// assert!(!error.unsynced.iter().any(is_slow), "a permission is missing");
/// assert_eq!(format!("{error:?}"), error.to_string());
/// # factory.shutdown().await;
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct SyncError {
    /// The informers that have not synced, with the reasons.
    pub unsynced: Vec<Unsynced>,
    waited: Duration,
}

/// An informer that has not synced, and the reason.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unsynced {
    /// The collection that the informer should hold.
    pub collection: Collection,
    /// The informer's name, as in its status. It distinguishes informers of one collection with
    /// different selectors. Empty if it has none.
    pub name: Arc<str>,
    /// The state of its reflector.
    pub state: ReflectorState,
    /// The time since the reflector entered this state.
    pub state_age: Duration,
    /// The last error and its age. The error names verb, resource and status.
    pub last_error: Option<(SourceError, Duration)>,
    /// The reason why the informer failed. `None` if it did not.
    pub failure: Option<InformerFailure>,
    lacks: Lack,
    /// The reason why the kind is not served.
    not_served: Option<Arc<str>>,
}

/// The condition that a caller waited for in vain.
#[derive(Clone, Debug)]
enum Lack {
    FirstList,
    /// A proof since a takeover that the reflector is fresh. The store holds the first list.
    FreshView,
    /// A list since this object was referenced. The store holds the objects of an earlier list.
    Object(ObjectKey),
    /// The members of the set that this informer tells of.
    Members,
    /// A member that a set could not make, for this reason.
    Member(Arc<str>),
    /// A watch, which the server has refused for this long. It may allow lists.
    Watch(Duration),
}

impl SyncError {
    /// Creates the error of a caller that waited this long for these informers.
    pub fn new(unsynced: Vec<Unsynced>, waited: Duration) -> Self {
        Self { unsynced, waited }
    }

    /// Returns an error if `unsynced` is not empty. The caller has waited since `start`.
    pub(crate) fn unless_none(unsynced: Vec<Unsynced>, start: Instant) -> Result<(), Self> {
        if unsynced.is_empty() {
            return Ok(());
        }
        Err(Self { unsynced, waited: start.elapsed() })
    }

    /// Joins the results of waits for several informers that began together at `start`.
    ///
    /// # Errors
    /// An error that names the informers of all errors, if there is one.
    pub fn join(waits: Vec<Result<(), Self>>, start: Instant) -> Result<(), Self> {
        let mut unsynced = Vec::new();
        for error in waits.into_iter().filter_map(Result::err) {
            unsynced.extend(error.unsynced);
        }
        Self::unless_none(unsynced, start)
    }
}

impl Unsynced {
    pub(super) fn new(
        (name, collection): (Arc<str>, Collection),
        status: ReflectorStatus,
        failure: Option<InformerFailure>,
        synced: bool,
    ) -> Self {
        let ReflectorStatus { state, state_age, last_error, not_served, .. } = status;
        let lacks = if synced { Lack::FreshView } else { Lack::FirstList };
        Self { collection, name, state, state_age, last_error, failure, lacks, not_served }
    }

    /// Describes an informer that was not started, and may not exist.
    pub(crate) fn not_started(collection: Collection) -> Self {
        Self {
            collection,
            name: "".into(),
            state: ReflectorState::Idle,
            state_age: Duration::ZERO,
            last_error: None,
            failure: None,
            lacks: Lack::FirstList,
            not_served: None,
        }
    }

    /// Says that the caller waits for the members of the set that this informer tells of.
    pub(crate) fn joining(self) -> Self {
        Self { lacks: Lack::Members, ..self }
    }

    /// Says that the caller waits for an object, which the informer has not listed yet.
    pub(crate) fn lacking(self, key: ObjectKey) -> Self {
        Self { lacks: Lack::Object(key), ..self }
    }

    /// Says that an informer could not join its set.
    pub(crate) fn refused(collection: Collection, reason: String) -> Self {
        Self { lacks: Lack::Member(reason.into()), ..Self::not_started(collection) }
    }

    /// Says that the caller waits for a watch, which the server has refused for this long.
    pub(super) fn unwatched(self, refused: Duration) -> Self {
        Self { lacks: Lack::Watch(refused), ..self }
    }
}

impl StdError for SyncError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let (error, _) = self.unsynced.iter().find_map(|one| one.last_error.as_ref())?;
        Some(error)
    }
}

impl fmt::Debug for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unwatched = |one: &Unsynced| matches!(one.lacks, Lack::Watch(_));
        if !self.unsynced.first().is_some_and(unwatched) {
            write!(f, "not synced after {:.1?}: ", self.waited)?;
        }
        for (n, unsynced) in self.unsynced.iter().enumerate() {
            write!(f, "{}{unsynced}", if n == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Unsynced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { "" } else { &format!(" ({})", self.name) };
        let informer = format_args!("{}{name}", self.collection);
        match &self.lacks {
            Lack::Watch(refused) => {
                write!(f, "the server has refused to watch {informer} for {refused:.1?}")?;
            }
            Lack::Members => write!(
                f,
                "not every informer that {informer} tells of has joined; see the log for what failed"
            )?,
            Lack::Member(reason) => f.write_str(reason)?,
            Lack::Object(key) => {
                write!(f, "{informer} was not listed since {key} was referenced")?;
                f.write_str(&self.progress(" and"))?;
            }
            Lack::FirstList => write!(f, "{informer}{}", self.progress(""))?,
            Lack::FreshView => {
                write!(f, "{informer} was not listed since this replica took over")?;
                f.write_str(&self.progress(" and"))?;
            }
        }
        if let Some(failure) = &self.failure {
            write!(f, ": {failure}")?;
        }
        let Some((error, ago)) = &self.last_error else { return Ok(()) };
        write!(f, " (last error, {ago:.1?} ago: {error})")
    }
}

impl Unsynced {
    /// Returns the state of the reflector as the end of a clause, which `and` joins to another one.
    fn progress(&self, and: &str) -> String {
        match self.state {
            ReflectorState::Idle => format!("{and} was not started; call `start` of its factory"),
            ReflectorState::AwaitingPermit => {
                format!("{and} waits to list, because concurrent lists are limited")
            }
            ReflectorState::AwaitingShard => {
                format!("{and} has no shard to follow, because this replica holds no slot")
            }
            ReflectorState::AwaitingKind => match &self.not_served {
                Some(reason) => format!("{and} waits until its kind is served: {reason}"),
                None => format!("{and} waits to learn whether its kind is served"),
            },
            ReflectorState::Listing { pages, loaded, total } => {
                let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
                let pages = if pages == 0 { "" } else { &format!(" in {pages} pages") };
                format!("{and} has listed {loaded}{total} objects{pages}")
            }
            ReflectorState::Watching if and.is_empty() => {
                " was listed and is not stored yet".into()
            }
            ReflectorState::Watching => String::new(),
            ReflectorState::Waiting(delay) => match delay.saturating_sub(self.state_age) {
                Duration::ZERO => ": the next try is due".into(),
                left => format!(": next try in {left:.1?}"),
            },
            ReflectorState::Stopped => format!("{and} was stopped"),
        }
    }
}

/// Stops these informers and waits until no task is left.
pub(crate) async fn shutdown_all(informers: &[SharedInformer]) {
    Together::all(informers.iter().map(|informer| informer.shutdown().boxed())).await;
}

/// Waits until the informers that the program holds have synced, among these. See `wait_for_all`.
#[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-controllers` only")]
pub async fn wait_for_own(
    mut informers: Vec<SharedInformer>,
    limit: Duration,
) -> Result<(), SyncError> {
    let is_own = |informer: &SharedInformer| !informer.is_of_set();
    informers.retain(is_own);
    wait_for_all(&informers, limit, is_own).await
}

/// Waits until these informers have synced. One whose kind is not served is not waited for. One for
/// which `concerns` returns false at the end of its wait does not count.
pub(crate) async fn wait_for_all(
    informers: &[SharedInformer],
    limit: Duration,
    concerns: impl Fn(&SharedInformer) -> bool + Sync,
) -> Result<(), SyncError> {
    let (start, concerns) = (Instant::now(), &concerns);
    let waits = informers.iter().map(|informer| {
        let wait = async move {
            let synced = tokio::select! {
                biased;
                synced = informer.wait_for_sync(limit) => synced,
                () = informer.awaits_kind() => Ok(()),
            };
            synced.or_else(|error| if concerns(informer) { Err(error) } else { Ok(()) })
        };
        wait.boxed()
    });
    SyncError::join(Together::all(waits).await, start)
}

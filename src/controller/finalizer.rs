//! Cleaning up before an object goes.
//!
//! An object that has a finalizer is only marked as deleted until the finalizer is taken off.
//! [`finalizer`] adds it before the reconcile makes anything, and removes it after the cleanup
//! succeeded. It leaves other finalizers as they are: it reads the list from the server, because a
//! transform may have dropped finalizers from the cached object, and names a resourceVersion in the
//! patch. If the object changed meanwhile, adding fails and removing tries again.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;

use kube::api::{Api, Patch, PatchParams};
use kube::{Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::Action;
use crate::object::ObjectKey;

/// What is to be done with an object that has the finalizer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Finalize<K> {
    /// It is there: bring the world in line with it.
    Apply(Arc<K>),
    /// It is going: undo what was done for it. Comes again if this fails, and may come although
    /// nothing was done.
    Cleanup(Arc<K>),
}

/// Why a reconcile with a finalizer failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FinalizerError<E: Error + 'static> {
    /// The finalizer could not be put on; nothing else was done. A conflict (409) means that the
    /// object changed meanwhile.
    #[error("finalizer {finalizer:?} was not put on {key}: {source}")]
    NotAdded {
        /// The object.
        key: ObjectKey,
        /// The finalizer.
        finalizer: String,
        /// What the server said.
        source: kube::Error,
    },
    /// The cleanup succeeded, but the finalizer could not be taken off; the cleanup comes again.
    #[error("finalizer {finalizer:?} was not taken off {key}: {source}")]
    NotRemoved {
        /// The object.
        key: ObjectKey,
        /// The finalizer.
        finalizer: String,
        /// What the server said.
        source: kube::Error,
    },
    /// The user's own part failed.
    #[error(transparent)]
    Failed(E),
    /// The object has no name: it did not come from a server.
    #[error("an object without a name can't be finalized")]
    Unnamed,
}

/// How often a change of the finalizers is tried again when the object changed meanwhile.
const CONFLICTS: usize = 5;

/// Reconciles an object that has to be cleaned up after.
///
/// Puts `name` (a qualified name such as `example.com/cleanup`) among the object's finalizers if it
/// lacks it, then calls `reconcile` with [`Finalize::Apply`]. Once the object is being deleted calls
/// it with [`Finalize::Cleanup`] and takes the finalizer off when that succeeded. An object that is
/// being deleted and does not have the finalizer is left alone.
///
/// `api` must be of the object's namespace. It needs the verbs `get` and `patch`: the function reads the
/// finalizers from the server before each change.
///
/// ```no_run
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::{Api, ResourceExt};
/// use kube_informer::Action;
/// use kube_informer::controller::{Finalize, finalizer};
///
/// # type Failure = Box<dyn std::error::Error>;
/// # async fn f(client: kube::Client, map: Arc<ConfigMap>) -> Result<Action, Failure> {
/// let api = Api::<ConfigMap>::namespaced(client, &map.namespace().unwrap_or_default());
/// let action = finalizer(&api, "example.com/copies", map, |what| async {
///     match what {
///         Finalize::Apply(map) => println!("copy {}", map.name_any()),
///         Finalize::Cleanup(map) => println!("delete the copies of {}", map.name_any()),
///         _ => {}
///     }
///     Ok::<_, kube::Error>(Action::done())
/// })
/// .await?;
/// # Ok(action) }
/// ```
///
/// # Errors
/// [`FinalizerError`]; each is worth another try.
pub async fn finalizer<K, F, Fut, E>(
    api: &Api<K>,
    name: &str,
    object: Arc<K>,
    reconcile: F,
) -> Result<Action, FinalizerError<E>>
where
    K: Resource + Clone + DeserializeOwned + Debug,
    F: FnOnce(Finalize<K>) -> Fut,
    Fut: Future<Output = Result<Action, E>>,
    E: Error + 'static,
{
    let key = ObjectKey::of(&*object).map_err(|_| FinalizerError::Unnamed)?;
    let has_it = object.finalizers().iter().any(|finalizer| finalizer == name);
    let going = object.meta().deletion_timestamp.is_some();
    match (going, has_it) {
        (true, false) => Ok(Action::done()),
        (false, true) => reconcile(Finalize::Apply(object)).await.map_err(FinalizerError::Failed),
        (false, false) => {
            let added = change(api, &object, Change::Add(name)).await;
            let added = added.map_err(|source| FinalizerError::NotAdded {
                key,
                finalizer: name.to_owned(),
                source,
            })?;
            match added {
                Some(added) => reconcile(Finalize::Apply(Arc::new(added)))
                    .await
                    .map_err(FinalizerError::Failed),
                // It is gone or going: another reconcile follows.
                None => Ok(Action::done()),
            }
        }
        (true, true) => {
            let cleaned = reconcile(Finalize::Cleanup(object.clone())).await;
            let action = cleaned.map_err(FinalizerError::Failed)?;
            let removed = change(api, &object, Change::Remove(name)).await;
            removed.map_err(|source| FinalizerError::NotRemoved {
                key,
                finalizer: name.to_owned(),
                source,
            })?;
            Ok(action)
        }
    }
}

/// A change of an object's finalizers.
#[derive(Clone, Copy)]
enum Change<'a> {
    Add(&'a str),
    Remove(&'a str),
}

impl Change<'_> {
    /// Returns the finalizers that an object is to have; `None` where it has them already.
    fn apply(self, finalizers: &[String]) -> Option<Vec<String>> {
        let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
        match self {
            Self::Add(name) => {
                let with = || finalizers.iter().cloned().chain([name.to_owned()]).collect();
                (!has(name)).then(with)
            }
            Self::Remove(name) => {
                let others = || finalizers.iter().filter(|other| *other != name).cloned().collect();
                has(name).then(others)
            }
        }
    }
}

/// Puts the finalizer on the state that was seen, or takes it off whatever happened to the rest of
/// the object meanwhile. Returns the object as it is then. Returns `None` if the object is gone, or
/// if it is being deleted and the finalizer was to be added.
async fn change<K>(api: &Api<K>, object: &K, change: Change<'_>) -> Result<Option<K>, kube::Error>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let name = object.name_any();
    let mut tries = 0;
    loop {
        let found = match api.get(&name).await {
            Ok(found) => found,
            Err(error) if is(&error, 404) => return Ok(None),
            Err(error) => return Err(error),
        };
        let meta = found.meta();
        if meta.uid != object.meta().uid {
            // Another object under the same name has nothing of ours.
            return Ok(None);
        }
        // It goes only onto the state that was seen: the object may be going by now.
        let adds = matches!(change, Change::Add(_));
        if adds && meta.deletion_timestamp.is_some() {
            // The state that was seen is over; another reconcile follows.
            return Ok(None);
        }
        let version = if adds { object.resource_version() } else { found.resource_version() };
        let Some(finalizers) = change.apply(found.finalizers()) else { return Ok(Some(found)) };
        let patch = json!({ "metadata": {
            "uid": meta.uid,
            "resourceVersion": version,
            "finalizers": finalizers,
        }});
        match api.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await {
            Ok(changed) => return Ok(Some(changed)),
            Err(error) if is(&error, 404) => return Ok(None),
            Err(error) if is(&error, 409) && !adds && tries < CONFLICTS => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

fn is(error: &kube::Error, code: u16) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code)
}

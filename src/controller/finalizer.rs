//! Cleanup before an object is deleted.
//!
//! An object with a finalizer is only marked as deleted until the finalizer is removed.
//! [`finalizer`] adds it before the reconcile creates anything, and removes it after the cleanup
//! succeeded.
//!
//! Other finalizers stay as they are. The function reads the list from the server, because a
//! transform may have dropped finalizers from the cached object. Its patch names a resourceVersion:
//! if the object changed meanwhile, adding fails and removing tries again.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;

use kube::api::{Api, Patch, PatchParams};
use kube::{Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::Action;
use crate::object::ObjectKey;

/// The work on an object that has the finalizer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Finalize<K> {
    /// Reconcile the object: it is not being deleted.
    Apply(Arc<K>),
    /// Undo what was done for the object: it is being deleted. The cleanup is repeated if it fails,
    /// and may run although nothing was done.
    Cleanup(Arc<K>),
}

/// The reason why a reconcile with a finalizer failed.
///
/// A conflict is common and resolves itself, so it needs no warning:
///
/// ```
/// use kube_informer::controller::FinalizerError;
///
/// fn is_conflict(error: &FinalizerError<kube::Error>) -> bool {
///     use FinalizerError::{NotAdded, NotRemoved};
///     let (NotAdded { source, .. } | NotRemoved { source, .. }) = error else { return false };
///     matches!(source, kube::Error::Api(status) if status.code == 409)
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FinalizerError<E: Error + 'static> {
    /// The finalizer could not be added; nothing else was done. A conflict (409) means that the
    /// object changed meanwhile.
    #[error("finalizer {finalizer:?} was not added to {key}: {source}")]
    NotAdded {
        /// The object's key.
        key: ObjectKey,
        /// The finalizer's name.
        finalizer: String,
        /// The failure of the request.
        source: kube::Error,
    },
    /// The cleanup succeeded, but the finalizer could not be removed. The cleanup runs again.
    #[error("finalizer {finalizer:?} was not removed from {key}: {source}")]
    NotRemoved {
        /// The object's key.
        key: ObjectKey,
        /// The finalizer's name.
        finalizer: String,
        /// The failure of the request.
        source: kube::Error,
    },
    /// The user's reconcile or cleanup failed.
    #[error(transparent)]
    Failed(E),
    /// The object has no name: it did not come from a server.
    #[error("the object has no name: pass an object that a server returned")]
    Unnamed,
}

/// The number of times that the removal of a finalizer is retried after a conflict.
const CONFLICTS: usize = 5;

/// Reconciles an object that needs a cleanup before its deletion.
///
/// For an object that is not being deleted, adds `name` (a qualified name such as
/// `example.com/cleanup`) to the finalizers if it is missing, then calls `reconcile` with
/// [`Finalize::Apply`]. For one that is being deleted, calls `reconcile` with [`Finalize::Cleanup`]
/// and removes the finalizer after success. Does nothing with an object that is being deleted and
/// lacks the finalizer.
///
/// `api` must be of the object's namespace. The service account needs the verbs `get` and `patch`:
/// the function reads the finalizers from the server before each change.
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
/// let action = finalizer(&api, "example.com/copies", map, |finalize| async {
///     match finalize {
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
/// [`FinalizerError`]. A retry may help after each, except [`FinalizerError::Unnamed`].
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
                // The object is gone or being deleted: another reconcile follows.
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
    /// Returns the finalizers after the change; `None` if the change has no effect.
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

/// Adds the finalizer if the object is still in the given state, or removes it whatever else
/// changed meanwhile. Returns the changed object. Returns `None` if the object is gone, or if it is
/// being deleted and the finalizer would have been added.
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
            // Another object of the same name does not have our finalizer.
            return Ok(None);
        }
        let adds = matches!(change, Change::Add(_));
        if adds && meta.deletion_timestamp.is_some() {
            // The given state is outdated: another reconcile follows.
            return Ok(None);
        }
        // Added only to the given state: the object may be marked as deleted by now.
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

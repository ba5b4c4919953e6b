//! Cleaning up before an object goes.
//!
//! An object that has a finalizer is only marked as deleted until the finalizer is taken off.
//! [`finalizer`] puts it on before anything is made that needs cleaning up, and takes it off when
//! the cleanup has succeeded, never before. It never touches other finalizers.

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

/// How often taking the finalizer off is tried anew when the object changed meanwhile.
const CONFLICTS: usize = 5;

/// Reconciles an object that has to be cleaned up after.
///
/// Puts `name` (a qualified name such as `example.com/cleanup`) among the object's finalizers if it
/// lacks it, then calls `reconcile` with [`Finalize::Apply`]. Once the object is being deleted calls
/// it with [`Finalize::Cleanup`] and takes the finalizer off when that succeeded. An object that is
/// being deleted and does not have the finalizer is left alone.
///
/// `api` must be of the object's namespace.
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
            let mut finalizers = object.finalizers().to_vec();
            finalizers.push(name.to_owned());
            // Only onto the state that was seen: it may be going by now.
            let added = set(api, &object, finalizers).await;
            let added = added.map_err(|source| FinalizerError::NotAdded {
                key,
                finalizer: name.to_owned(),
                source,
            })?;
            reconcile(Finalize::Apply(Arc::new(added))).await.map_err(FinalizerError::Failed)
        }
        (true, true) => {
            let cleaned = reconcile(Finalize::Cleanup(object.clone())).await;
            let action = cleaned.map_err(FinalizerError::Failed)?;
            remove(api, name, &object).await.map_err(|source| FinalizerError::NotRemoved {
                key,
                finalizer: name.to_owned(),
                source,
            })?;
            Ok(action)
        }
    }
}

/// Takes the finalizer off, whatever happened to the rest of the object meanwhile.
async fn remove<K>(api: &Api<K>, name: &str, object: &Arc<K>) -> Result<(), kube::Error>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let mut latest = object.clone();
    for tries in 0.. {
        let others = latest.finalizers().iter().filter(|finalizer| *finalizer != name);
        match set(api, &latest, others.cloned().collect()).await {
            Ok(_) => return Ok(()),
            Err(error) if is(&error, 404) => return Ok(()),
            Err(error) if is(&error, 409) && tries < CONFLICTS => {}
            Err(error) => return Err(error),
        }
        match api.get(&object.name_any()).await {
            // Gone, or another object under the same name: nothing of ours is on it.
            Err(error) if is(&error, 404) => return Ok(()),
            Ok(found) if found.meta().uid != object.meta().uid => return Ok(()),
            Ok(found) => latest = Arc::new(found),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Sets the finalizers of the object, if it still is as given.
async fn set<K>(api: &Api<K>, object: &K, finalizers: Vec<String>) -> Result<K, kube::Error>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let meta = object.meta();
    let patch = json!({ "metadata": {
        "uid": meta.uid,
        "resourceVersion": meta.resource_version,
        "finalizers": finalizers,
    }});
    api.patch(&object.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await
}

fn is(error: &kube::Error, code: u16) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code)
}

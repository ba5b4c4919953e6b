//! Cleanup before an object is deleted.
//!
//! An object with a finalizer is only marked as deleted until the finalizer is removed.
//! [`finalizer`] adds it before the reconcile creates anything, and removes it after the cleanup
//! succeeded.
//!
//! Other finalizers stay as they are. Before it adds or removes anything, or cleans up, the
//! function reads the object from the server. The cache may be behind, and a transform may have
//! dropped finalizers from the cached object. The patch names a resourceVersion: if the object
//! changed meanwhile, adding fails and removing tries again.

use std::any::type_name;
use std::fmt::Debug;
use std::sync::Arc;

use kube::api::{Api, GetParams, ObjectMeta, Patch, PatchParams};
use kube::{Resource, ResourceExt};
use kube_decode::protobuf::is_built_in_version;
use parking_lot::{Mutex, const_mutex};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::Action;
use crate::basics::in_path;
use kube_informer::error::BoxError;
use kube_informer::object::{InvalidName, NameRule, ObjectKey, ResourceVersion};
use kube_informer::seams::ask;

/// The work on an object that has the finalizer.
#[derive(Clone, Debug)]
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
/// use kube_controllers::controller::FinalizerError;
///
/// fn is_conflict(error: &FinalizerError) -> bool {
///     use FinalizerError::{NotAdded, NotRemoved};
///     let (NotAdded { source, .. } | NotRemoved { source, .. }) = error else { return false };
///     matches!(source, kube::Error::Api(status) if status.code == 409)
/// }
/// ```
///
/// It is an error like any other, so `?` passes it on:
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_controllers::Action;
/// use kube_controllers::controller::{BoxError, Finalize, finalizer};
///
/// async fn reconcile(api: kube::Api<ConfigMap>, map: Arc<ConfigMap>) -> Result<Action, BoxError> {
///     let action = finalizer(&api, "example.com/copies", map, |work| async {
///         let Finalize::Apply(map) = work else { return Ok(Action::done()) };
///         let text = map.data.as_ref().and_then(|data| data.get("copies"));
///         let copies: u32 = text.ok_or("the key `copies` is missing")?.parse()?;
///         println!("{copies} copies");
///         Ok::<_, BoxError>(Action::done())
///     });
///     Ok(action.await?)
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FinalizerError {
    /// The server's state of the object could not be read; nothing was done.
    #[error("finalizer {finalizer:?} of {key} could not be read: {source}")]
    NotRead {
        /// The object's key.
        key: ObjectKey,
        /// The finalizer's name.
        finalizer: String,
        /// The failure of the request.
        source: kube::Error,
    },
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
    /// The user's reconcile or cleanup failed, with this error.
    #[error("{0}")]
    Failed(#[source] BoxError),
    /// No object of this kind can have a finalizer of this name. Nothing was done.
    #[error("finalizer {finalizer:?} of {key} is invalid: {source}")]
    InvalidName {
        /// The object's key.
        key: ObjectKey,
        /// The finalizer's name.
        finalizer: String,
        /// The rule that it breaks.
        source: InvalidName,
    },
    /// The `Api` is of another namespace than the object. Nothing was done.
    #[error(
        "the given `Api` is of another namespace than {0}; make it with the object's namespace"
    )]
    WrongNamespace(ObjectKey),
    /// The object has no name: it did not come from a server.
    #[error("the object has no name: pass an object that a server returned")]
    Unnamed,
}

/// The number of times that the removal of a finalizer is retried after a conflict.
const CONFLICTS: usize = 5;

/// Reconciles an object that needs a cleanup before its deletion.
///
/// `name` is qualified, such as `example.com/cleanup`. Only custom resources may have one without a
/// domain. For an object that is not being deleted,
/// adds it to the finalizers if it is missing, then calls `reconcile` with [`Finalize::Apply`]. For
/// one that is being deleted, calls `reconcile` with [`Finalize::Cleanup`] and removes the
/// finalizer after success. Does nothing with an object that is being deleted and lacks the
/// finalizer.
///
/// While the cached object has the finalizer and is not being deleted, it decides and nothing is
/// sent. Otherwise the server's object decides, and `reconcile` gets it. A
/// [transform](kube_informer::InformerSpec::transform) that drops finalizers costs a request with
/// each reconcile, which a warning reports once.
///
/// An object counts as gone if the server names it in a 404, or answers with an object of another
/// uid. Any other 404 is an error, because the server may no longer serve the kind. So is an answer
/// without the object's name or uid, one that is older than the given object, and one to a patch
/// that does not show the change.
///
/// An object with the finalizer can leave the informer's label or field selector. Its deletion then
/// waits until it is selected again, because nothing else removes the finalizer. So follow such
/// objects without a selector, or by a label that never changes.
///
/// `api` must be of the object's namespace. The service account needs the verbs `get` and `patch`.
///
/// ```no_run
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::{Api, ResourceExt};
/// use kube_controllers::Action;
/// use kube_controllers::controller::{Finalize, finalizer};
///
/// # type Failure = Box<dyn std::error::Error>;
/// # async fn f(client: kube::Client, map: Arc<ConfigMap>) -> Result<Action, Failure> {
/// let api = Api::<ConfigMap>::namespaced(client, &map.namespace().unwrap_or_default());
/// let action = finalizer(&api, "example.com/copies", map, |finalize| async {
///     match finalize {
///         Finalize::Apply(map) => println!("copy {}", map.name_any()),
///         Finalize::Cleanup(map) => println!("delete the copies of {}", map.name_any()),
///     }
///     Ok::<_, kube::Error>(Action::done())
/// })
/// .await?;
/// # Ok(action) }
/// ```
///
/// # Errors
/// [`FinalizerError`]. A retry may resolve each, except
/// [`InvalidName`](FinalizerError::InvalidName), [`WrongNamespace`](FinalizerError::WrongNamespace)
/// and [`Unnamed`](FinalizerError::Unnamed).
pub async fn finalizer<K, F, Fut, E>(
    api: &Api<K>,
    name: &str,
    object: Arc<K>,
    reconcile: F,
) -> Result<Action, FinalizerError>
where
    K: Resource + Clone + DeserializeOwned + Debug,
    F: FnOnce(Finalize<K>) -> Fut,
    Fut: Future<Output = Result<Action, E>>,
    E: Into<BoxError>,
{
    let failed = |error: E| FinalizerError::Failed(error.into());
    let key = ObjectKey::of(&*object).map_err(|_| FinalizerError::Unnamed)?;
    let finalizer = || name.to_owned();
    if let Err(source) = rule_of(api).check("name", name) {
        return Err(FinalizerError::InvalidName { key, finalizer: finalizer(), source });
    }
    if api.namespace() != key.namespace() {
        return Err(FinalizerError::WrongNamespace(key));
    }
    let is_deleted = |object: &K| object.meta().deletion_timestamp.is_some();
    let has_it = |object: &K| has(object, name);
    if has_it(&object) && !is_deleted(&object) {
        return reconcile(Finalize::Apply(object)).await.map_err(failed);
    }
    let live = match live(api, &object).await {
        Ok(Some(live)) => live,
        // The object is gone: another reconcile follows.
        Ok(None) => return Ok(Action::done()),
        Err(source) => {
            return Err(FinalizerError::NotRead { key, finalizer: finalizer(), source });
        }
    };
    if has_it(&live) && !has_it(&object) && live.resource_version() == object.resource_version() {
        warn_of_transform::<K>(name, &key);
    }
    match (is_deleted(&live), has_it(&live)) {
        (true, false) => Ok(Action::done()),
        (true, true) => {
            let live = Arc::new(live);
            let action = reconcile(Finalize::Cleanup(live.clone())).await.map_err(failed)?;
            match remove(api, name, live).await {
                Ok(()) => Ok(action),
                Err(source) => {
                    Err(FinalizerError::NotRemoved { key, finalizer: finalizer(), source })
                }
            }
        }
        (false, true) => reconcile(Finalize::Apply(Arc::new(live))).await.map_err(failed),
        (false, false) => {
            // Added only to the given state: the object may be marked as deleted by now.
            let version = object.resource_version();
            let all = live.finalizers().iter().cloned().chain([finalizer()]).collect();
            let added = match patch(api, &live, version, all).await {
                Ok(Some(added)) if !has_it(&added) => {
                    Err(refused("the answer lacks the finalizer"))
                }
                patched => patched,
            };
            match added {
                Ok(Some(added)) => {
                    reconcile(Finalize::Apply(Arc::new(added))).await.map_err(failed)
                }
                // The object is gone: another reconcile follows.
                Ok(None) => Ok(Action::done()),
                Err(source) => {
                    Err(FinalizerError::NotAdded { key, finalizer: finalizer(), source })
                }
            }
        }
    }
}

/// Returns the rule for finalizers of the objects of this collection.
fn rule_of<K: Resource>(api: &Api<K>) -> NameRule {
    let mut path = api.resource_url().trim_start_matches('/').split('/');
    let (root, first, second) = (path.next(), path.next(), path.next());
    let api_version = match (root, first, second) {
        (Some("api"), Some(version), _) => version.to_owned(),
        (_, Some(group), Some(version)) => format!("{group}/{version}"),
        _ => String::new(),
    };
    if is_built_in_version(&api_version) { NameRule::Finalizer } else { NameRule::Qualified }
}

fn has<K: Resource>(object: &K, finalizer: &str) -> bool {
    object.finalizers().iter().any(|other| other == finalizer)
}

/// Returns the object as the server has it; `None` if it is gone. Another object of the same name
/// does not have our finalizer.
async fn live<K>(api: &Api<K>, object: &K) -> Result<Option<K>, kube::Error>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    match get(api, &object.name_any()).await {
        Ok(live) => {
            let (live, object) = (checked(live, object)?, object.meta());
            if live.meta().uid == object.uid && version(live.meta()).is_older_than(&version(object))
            {
                return Err(refused("the answer is an older state of this object"));
            }
            Ok(Some(live).filter(|live| live.meta().uid == object.uid))
        }
        Err(error) if is_absent(&error, api.resource_url(), &object.name_any()) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) async fn get<K>(api: &Api<K>, name: &str) -> Result<K, kube::Error>
where
    K: Resource + Clone + DeserializeOwned,
{
    let (name, params) = (&in_path(name), GetParams::default());
    let answer = ask(api, |request| {
        if K::metadata_api() {
            request.get_metadata(name, &params)
        } else {
            request.get(name, &params)
        }
    });
    answer.await
}

/// Returns the answer if it is about this object. A proxy may answer anything with 200, which does
/// not show that the object is gone.
pub(super) fn checked<K: Resource>(answer: K, object: &K) -> Result<K, kube::Error> {
    let (found, wanted) = (answer.meta(), object.meta());
    let namespace = found.namespace.as_deref().filter(|namespace| !namespace.is_empty());
    let elsewhere = namespace.is_some() && namespace != wanted.namespace.as_deref();
    if found.name == wanted.name && found.uid.is_some() >= wanted.uid.is_some() && !elsewhere {
        return Ok(answer);
    }
    Err(refused("the answer is not this object: its name, namespace or uid is missing or another"))
}

fn refused(problem: &str) -> kube::Error {
    kube::Error::Service(problem.into())
}

fn version(meta: &ObjectMeta) -> ResourceVersion {
    meta.resource_version.as_deref().unwrap_or_default().into()
}

/// Removes the finalizer, whatever else changed meanwhile.
async fn remove<K>(api: &Api<K>, name: &str, object: Arc<K>) -> Result<(), kube::Error>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let mut live = Some(object.clone());
    let mut tries = 0;
    while let Some(found) = live
        && has(&*found, name)
    {
        let others = found.finalizers().iter().filter(|other| *other != name).cloned().collect();
        match patch(api, &found, found.resource_version(), others).await {
            Err(kube::Error::Api(status)) if status.code == 409 && tries < CONFLICTS => tries += 1,
            // A proxy may answer with the object as it was.
            Ok(Some(patched)) if has(&patched, name) => {
                return Err(refused("the answer still has the finalizer"));
            }
            patched => return patched.map(drop),
        }
        live = self::live(api, &object).await?.map(Arc::new);
    }
    Ok(())
}

/// Replaces the finalizers of an object of this version. Returns `None` if it is gone.
async fn patch<K>(
    api: &Api<K>,
    object: &K,
    version: Option<String>,
    finalizers: Vec<String>,
) -> Result<Option<K>, kube::Error>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let patch = json!({ "metadata": {
        "uid": object.meta().uid,
        "resourceVersion": version,
        "finalizers": finalizers,
    }});
    let (name, patch) = (object.name_any(), Patch::Merge(patch));
    let params = PatchParams::default();
    let patched = ask(api, |request| {
        if K::metadata_api() {
            request.patch_metadata(&in_path(&name), &params, &patch)
        } else {
            request.patch(&in_path(&name), &params, &patch)
        }
    });
    match patched.await {
        Ok(patched) => checked(patched, object).map(Some),
        Err(error) if is_absent(&error, api.resource_url(), &name) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Warns, once for each finalizer and type, that the cached objects lack the finalizer.
fn warn_of_transform<K>(finalizer: &str, key: &ObjectKey) {
    static WARNED: Mutex<Vec<(String, &'static str)>> = const_mutex(Vec::new());
    let kind = type_name::<K>();
    let mut warned = WARNED.lock();
    let known = warned.iter().any(|(name, of)| name == finalizer && *of == kind);
    // A program has few finalizers. The limit bounds generated names.
    if warned.len() < 100 && !known {
        warned.push((finalizer.to_owned(), kind));
        tracing::warn!(
            finalizer,
            kind,
            %key,
            "the cached object lacks the finalizer that the server's has: each reconcile reads the \
             object from the server; keep `metadata.finalizers` in the informer's transform"
        );
    }
}

/// Returns whether the server says that no object of this name is in the collection at a path. A
/// 404 that names another one, or none, says nothing: the server may no longer serve the kind, or a
/// proxy may have answered.
pub(super) fn is_absent(error: &kube::Error, collection: &str, name: &str) -> bool {
    let kube::Error::Api(status) = error else { return false };
    let plural = collection.rsplit('/').next().unwrap_or_default();
    let named = status.details.as_ref().is_some_and(|details| {
        // API servers name the resource here, some aggregated ones the kind.
        details.name == name && plural.starts_with(&details.kind.to_lowercase())
    });
    status.code == 404 && status.reason == "NotFound" && named
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    #[test]
    fn answer_without_a_namespace_may_be_the_object() {
        let map = |namespace: Option<&str>| {
            let mut map = ConfigMap::default();
            (map.metadata.name, map.metadata.uid) = (Some("a".into()), Some("u".into()));
            map.metadata.namespace = namespace.map(str::to_owned);
            map
        };
        for (answer, object, is_it) in [
            (None, Some("shop"), true),
            (Some(""), Some("shop"), true),
            (Some(""), None, true),
            (Some("shop"), Some("shop"), true),
            (Some("bank"), Some("shop"), false),
            (Some("shop"), None, false),
        ] {
            let found = checked(map(answer), &map(object)).is_ok();
            assert_eq!(found, is_it, "{answer:?} for {object:?}");
        }
    }
}

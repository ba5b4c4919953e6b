//! A check with the server before an act that cannot be undone.

use std::fmt::{self, Debug};

use kube::api::{Api, DeleteParams, Preconditions};
use kube::{Resource, ResourceExt};
use serde::de::{DeserializeOwned, Error as _};
use serde_json::Value;

use super::ReconcileRequest;
use super::finalizer::{checked, get, is_absent};
use super::own_writes::TrackedReconcile;
use crate::basics::in_path;
use kube_informer::object::ObjectKey;
use kube_informer::seams::ask;

/// The server's answer about a cached object, from [`ReconcileRequest::confirm`].
#[must_use]
#[non_exhaustive]
pub enum Confirmation<O> {
    /// The server has the object in the cached state.
    Unchanged(Confirmed<O>),
    /// The server has the object in another state than the cached one: usually a newer one. Decide
    /// again, from [`Confirmed::live`].
    Changed(Confirmed<O>),
    /// The server has no object of that name.
    Gone,
    /// The server has another object of that name, contained here. The cached one is gone.
    Replaced(O),
}

/// An object that exists on the server, in the state of a moment ago.
pub struct Confirmed<O> {
    live: O,
    api: Api<O>,
    writes: TrackedReconcile,
}

/// The reason why an object was not confirmed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfirmError {
    /// The request failed. The object may exist, even if the status is 404: a server that does not
    /// serve the kind, or a proxy, answers so for every object.
    #[error("{key} was not confirmed: {source}")]
    Failed {
        /// The object's key.
        key: ObjectKey,
        /// The failure of the request.
        source: kube::Error,
    },
    /// The object is in another namespace than the given `Api`, which would not find it.
    #[error("{0} was not confirmed: pass an `Api` of its namespace")]
    WrongNamespace(ObjectKey),
    /// The object has no name or no uid.
    #[error("an object without name and uid cannot be confirmed: pass one that a server returned")]
    Unidentified,
}

impl<K, C> ReconcileRequest<K, C> {
    /// Asks the server for the present state of a cached object: the reconciled one or another, of
    /// any kind. Call it before an act that cannot be undone, such as the deletion of a volume.
    ///
    /// A cache lags behind the server. The object may have changed, may be gone, or may be another
    /// one of the same name. Delete with [`Confirmed::delete`]: the object may change again after
    /// the answer, and then the server refuses the deletion.
    ///
    /// After a restored backup, versions start over. The object counts as unchanged if its new
    /// state happens to have the version of the cached one.
    ///
    /// The request is one `get` that no cache answers. `api` must be of the object's namespace. The
    /// service account needs the verb `get`.
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim};
    /// use kube::api::DeleteParams;
    /// use kube_controllers::ReconcileRequest;
    /// use kube_controllers::controller::Confirmation;
    ///
    /// # type Failure = Box<dyn std::error::Error + Send + Sync>;
    /// async fn remove(
    ///     request: &ReconcileRequest<ConfigMap>,
    ///     client: &kube::Client,
    ///     unused: &PersistentVolumeClaim,
    /// ) -> Result<(), Failure> {
    ///     let api = request.api_of::<PersistentVolumeClaim>(client);
    ///     match request.confirm(&api, unused).await? {
    ///         Confirmation::Unchanged(claim) => {
    ///             claim.delete(DeleteParams::default()).await?;
    ///         }
    ///         // The next reconcile sees the newer state and decides again.
    ///         Confirmation::Changed(_) => return Err("the claim has changed".into()),
    ///         _ => {}
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ConfirmError`]. The object's state is then unknown.
    pub async fn confirm<O>(
        &self,
        api: &Api<O>,
        object: &O,
    ) -> Result<Confirmation<O>, ConfirmError>
    where
        O: Resource + Clone + DeserializeOwned + Debug,
    {
        let key = ObjectKey::of(object).map_err(|_| ConfirmError::Unidentified)?;
        let meta = object.meta();
        if meta.uid.as_deref().unwrap_or_default().is_empty() {
            return Err(ConfirmError::Unidentified);
        }
        if api.namespace() != key.namespace() {
            return Err(ConfirmError::WrongNamespace(key));
        }
        let answer = get(api, key.name()).await.and_then(|live| checked(live, object));
        let live = match answer {
            Ok(live) => live,
            Err(error) if is_absent(&error, api.resource_url(), key.name()) => {
                return Ok(Confirmation::Gone);
            }
            Err(source) => return Err(ConfirmError::Failed { key, source }),
        };
        if live.meta().uid != meta.uid {
            return Ok(Confirmation::Replaced(live));
        }
        let unchanged = live.meta().resource_version == meta.resource_version;
        let confirmed = Confirmed { live, api: api.clone(), writes: self.writes.clone() };
        Ok(if unchanged {
            Confirmation::Unchanged(confirmed)
        } else {
            Confirmation::Changed(confirmed)
        })
    }
}

impl<O: Resource + Clone + DeserializeOwned + Debug> Confirmed<O> {
    /// Returns the object as the server had it.
    pub fn live(&self) -> &O {
        &self.live
    }

    /// Returns the conditions under which the server has this object in this state: its uid and its
    /// resourceVersion.
    pub fn preconditions(&self) -> Preconditions {
        let meta = self.live.meta();
        Preconditions { uid: meta.uid.clone(), resource_version: meta.resource_version.clone() }
    }

    /// Deletes the object if it is still in this state: the request has the
    /// [preconditions](Self::preconditions), which replace those of `params`.
    ///
    /// Like a [tracking client](super::tracking_client), it refuses to write after this replica's
    /// lease or slot has ended. The cache waits for the deletion only if `api` has such a client.
    ///
    /// Returns the object if it is still there and being deleted, because it has finalizers or a
    /// grace period.
    ///
    /// # Errors
    /// A conflict (409) if the object has changed, 404 if it is gone, and
    /// [`WriteRefused`](super::WriteRefused) in a [`kube::Error::Service`].
    pub async fn delete(self, params: DeleteParams) -> kube::Result<Option<O>> {
        let name = self.live.name_any();
        let refused = |refused| kube::Error::Service(Box::new(refused));
        self.writes
            .refuse_late(|| format!("{} {name}", self.api.resource_url()))
            .map_err(refused)?;
        let params = params.preconditions(self.preconditions());
        let answer: Value =
            ask(&self.api, |request| request.delete(&in_path(&name), &params)).await?;
        if answer["kind"] == "Status" {
            return Ok(None);
        }
        // Decoded as the cache's objects are.
        let custom = |error| kube::Error::SerdeError(serde_json::Error::custom(error));
        kube_decode::json(answer.to_string().as_bytes()).map(Some).map_err(custom)
    }
}

/// No object's content is shown.
impl<O> fmt::Debug for Confirmation<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unchanged(_) => "Unchanged",
            Self::Changed(_) => "Changed",
            Self::Gone => "Gone",
            Self::Replaced(_) => "Replaced",
        })
    }
}

/// No object's content is shown.
impl<O> fmt::Debug for Confirmed<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Confirmed").finish_non_exhaustive()
    }
}

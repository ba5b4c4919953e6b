//! Admission reviews: a request to change an object, and the answer to it.

mod merge;
mod notes;
mod refusal;
mod review;
#[cfg(test)]
mod tests;

use k8s_openapi::api::authentication::v1::UserInfo;
use kube::Resource;
use kube::core::{GroupVersionKind, GroupVersionResource};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::notes::Notes;
pub use self::refusal::Refusal;
pub(crate) use self::review::{Verdict, mutate, validate};

/// An operation on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// The object is created. A patch or an update can create one, too.
    Create,
    /// The object is replaced or patched.
    Update,
    /// The object is deleted. Each object of a collection has a review of its own.
    Delete,
    /// A connection to the object is opened, such as `exec` into a pod.
    Connect,
}

impl Operation {
    /// Returns the name that the API has for this.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

/// A request to change an object, as a webhook is asked about it.
///
/// A patch arrives as the whole object after it. Names that the server generates, the uid and the
/// creation time are not set yet when a mutating webhook is called.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_webhooks::{Admission, Refusal};
///
/// async fn has_data(review: Admission<ConfigMap>) -> Result<(), Refusal> {
///     match review.object()?.data {
///         Some(_) => Ok(()),
///         None => Err(Refusal::invalid("a ConfigMap of ours has data")),
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// // A unit test needs no server.
/// let refusal = has_data(Admission::create(&ConfigMap::default())).await.unwrap_err();
/// assert_eq!(refusal.message(), "a ConfigMap of ours has data");
/// # });
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Admission<K> {
    /// The identity of this review, as the API server logs it.
    pub uid: String,
    /// The operation.
    pub operation: Operation,
    /// The object after the operation. Deletes have none.
    pub object: Option<K>,
    /// The object before the operation. Only updates and deletes have one.
    pub old_object: Option<K>,
    /// The object's name. It is empty for a creation whose name the server will generate, and for
    /// deletes of a collection.
    pub name: String,
    /// The object's namespace. Objects of a cluster have none.
    pub namespace: Option<String>,
    /// The kind of the objects in this review, which is that of the configuration's rule.
    pub kind: GroupVersionKind,
    /// The resource that goes with `kind`.
    pub resource: GroupVersionResource,
    /// The sub-resource, such as `status` or `scale`.
    pub sub_resource: Option<String>,
    /// The kind of the original request, which can have another version than `kind`.
    pub request_kind: Option<GroupVersionKind>,
    /// The resource of the original request.
    pub request_resource: Option<GroupVersionResource>,
    /// The sub-resource of the original request.
    pub request_sub_resource: Option<String>,
    /// The user of the request.
    pub user: UserInfo,
    /// A dry run: nothing will be stored, so the webhook must not have side effects.
    pub dry_run: bool,
    /// The request's `CreateOptions`, `UpdateOptions` or `DeleteOptions`. A patch has the options
    /// of the creation or the update that it amounts to.
    pub options: Option<Value>,
    notes: Notes,
}

impl<K> Admission<K> {
    /// Returns the object after the operation.
    ///
    /// # Errors
    /// Deletes have no such object: the review fails.
    pub fn object(&self) -> Result<&K, Refusal> {
        self.object.as_ref().ok_or_else(|| self.lacks("object"))
    }

    /// Returns the object after the operation, to change it.
    ///
    /// # Errors
    /// Deletes have no such object: the review fails.
    pub fn into_object(self) -> Result<K, Refusal> {
        let missing = self.lacks("object");
        self.object.ok_or(missing)
    }

    /// Returns the object before the operation.
    ///
    /// # Errors
    /// Only updates and deletes have such an object; other reviews fail.
    pub fn old_object(&self) -> Result<&K, Refusal> {
        self.old_object.as_ref().ok_or_else(|| self.lacks("oldObject"))
    }

    /// Warns the user, whatever the answer is. `kubectl` prints it.
    ///
    /// Line breaks become spaces, because API servers drop a warning that has one. They also cut
    /// warnings to 256 characters where all of them together have more than 4,096.
    pub fn warn(&self, warning: impl Into<String>) {
        self.notes.warn(&warning.into());
    }

    /// Adds an annotation to the request's audit event. Its key gets the webhook's name in front.
    ///
    /// The key needs 1 to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both
    /// ends. API servers drop others, and the log has a warning.
    pub fn audit(&self, key: impl Into<String>, value: impl Into<String>) {
        self.notes.audit(key.into(), value.into());
    }

    /// Returns the warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.notes.warnings()
    }

    /// Returns a failure, because the operation has no such object.
    fn lacks(&self, field: &str) -> Refusal {
        let operation = self.operation.name();
        Refusal::failed(format!("a review of the operation {operation} has no {field}"))
    }
}

/// Reviews for unit tests. The user is `test`.
impl<K> Admission<K>
where
    K: Resource<DynamicType: Default> + Clone,
{
    /// Returns the review of a creation.
    #[must_use]
    pub fn create(object: &K) -> Self {
        Self::review(Operation::Create, object, Some(object), None)
    }

    /// Returns the review of an update.
    #[must_use]
    pub fn update(old: &K, new: &K) -> Self {
        Self::review(Operation::Update, new, Some(new), Some(old))
    }

    /// Returns the review of a delete.
    #[must_use]
    pub fn delete(object: &K) -> Self {
        Self::review(Operation::Delete, object, None, Some(object))
    }

    fn review(operation: Operation, named: &K, object: Option<&K>, old: Option<&K>) -> Self {
        let of = K::DynamicType::default();
        let kind = GroupVersionKind::gvk(&K::group(&of), &K::version(&of), &K::kind(&of));
        let resource = GroupVersionResource::gvr(&K::group(&of), &K::version(&of), &K::plural(&of));
        Self {
            uid: "00000000-0000-4000-8000-000000000000".to_owned(),
            operation,
            object: object.cloned(),
            old_object: old.cloned(),
            name: named.meta().name.clone().unwrap_or_default(),
            namespace: named.meta().namespace.clone(),
            request_kind: Some(kind.clone()),
            request_resource: Some(resource.clone()),
            request_sub_resource: None,
            kind,
            resource,
            sub_resource: None,
            user: UserInfo { username: Some("test".to_owned()), ..UserInfo::default() },
            dry_run: false,
            options: None,
            notes: Notes::default(),
        }
    }
}

//! Parts of an object's JSON, named at run time.

use kube::Resource;
use kube_decode::{Decode, SerdeDecode, value_in_json};
use serde::Serialize;
use serde_json::Value;

use super::{Cached, FieldSet};

/// A part of an object's JSON.
#[derive(Clone, Copy, Debug)]
pub enum Projection<'a> {
    /// The value at this path.
    Path(&'a str),
    /// The object with only these fields.
    Fields(&'a FieldSet),
}

impl<K: Resource + Serialize + Send + Sync + 'static> Cached<K> {
    /// Returns the value of a field, named by its path in the object's JSON, such as
    /// `spec.nodeName`. [`FieldSet`] describes how fields are named. A list on the way gives a list
    /// of what its elements have there: `spec.containers.image` of a pod is a list of texts.
    ///
    /// A packed object is not decoded: the field is found in its bytes. A decoded object is
    /// serialised first. Returns `None` if the object lacks the field, if the field is null, and if
    /// the object can't be read, which was reported.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::{ObjectKey, Snapshot};
    ///
    /// /// Returns the node of a pod.
    /// fn node(pods: &Snapshot<Pod>, key: &ObjectKey) -> Option<String> {
    ///     let node = pods.get_cached(key)?.field("spec.nodeName")?;
    ///     Some(node.as_str()?.to_owned())
    /// }
    /// ```
    pub fn field(&self, path: &str) -> Option<Value> {
        self.part(Projection::Path(path))
    }

    /// Returns the object's JSON with only these fields, like [`field`](Self::field).
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube::api::ObjectMeta;
    /// use kube_informer::Cached;
    /// use kube_informer::object::FieldSet;
    /// use serde_json::json;
    ///
    /// let metadata = ObjectMeta { name: Some("web".into()), ..ObjectMeta::default() };
    /// let pod = Cached::from(std::sync::Arc::new(Pod { metadata, ..Pod::default() }));
    /// let row = pod.project(&FieldSet::from_paths(["metadata.name", "status.phase"]));
    /// assert_eq!(row, Some(json!({"metadata": {"name": "web"}})));
    /// ```
    pub fn project(&self, fields: &FieldSet) -> Option<Value> {
        self.part(Projection::Fields(fields))
    }

    fn part(&self, part: Projection<'_>) -> Option<Value> {
        if let Some(found) = self.packed().and_then(|packed| packed.project(part)) {
            return Some(found).filter(|found| !found.is_null());
        }
        let json = serde_json::to_vec(&*self.get()?).ok()?;
        match part {
            Projection::Path(path) => value_in_json(&json, path).ok()?,
            Projection::Fields(fields) => SerdeDecode::new().decode_fields(&json, fields).ok(),
        }
    }
}

impl<K: ?Sized> Cached<K> {
    /// Returns a part of the object as JSON. See `PackedObject::project`.
    pub(crate) fn projected(&self, part: Projection<'_>) -> Option<Value> {
        self.packed()?.project(part)
    }
}

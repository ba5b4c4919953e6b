//! The key under which an object is stored.
//!
//! A key is one shared allocation: cloning it copies a pointer. It holds only the namespace and the
//! name.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Resource;
use kube::api::ObjectMeta;

use super::AnyObject;
use crate::collections::PartedTable;

/// The key of an object: `namespace/name` if it is namespaced, `name` if it is cluster-scoped.
///
/// The text form is that of client-go's `MetaNamespaceKeyFunc`. Neither part may be empty or
/// contain a `/`, which the API server forbids too, so the text form is unambiguous.
///
/// ```
/// use kube_informer::ObjectKey;
///
/// let key = ObjectKey::namespaced("shop", "web-0")?;
/// assert_eq!(key.namespace(), Some("shop"));
/// assert_eq!(key.name(), "web-0");
/// assert_eq!(key.to_string(), "shop/web-0");
/// assert_eq!("node-1".parse::<ObjectKey>()?, ObjectKey::cluster("node-1")?);
/// # Ok::<(), kube_informer::object::InvalidKey>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectKey(Arc<str>);

/// The error of a text or metadata that gives no [`ObjectKey`].
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::ResourceExt;
/// use kube_informer::ObjectKey;
/// use kube_informer::object::InvalidKey;
///
/// /// Returns the object that an annotation names, as `namespace/name`.
/// fn target(map: &ConfigMap) -> Result<Option<ObjectKey>, InvalidKey> {
///     map.annotations().get("example.com/target").map(|key| key.parse()).transpose()
/// }
///
/// let mut map = ConfigMap::default();
/// map.annotations_mut().insert("example.com/target".into(), "shop/".into());
/// assert!(target(&map).unwrap_err().to_string().starts_with("\"shop/\" is not an object key"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidKey(Cow<'static, str>);

impl InvalidKey {
    const NO_NAME: Self = Self(Cow::Borrowed("the object has no metadata.name"));

    fn malformed(key: &str) -> Self {
        let expected = r#"expected "name" or "namespace/name""#;
        Self(format!("{key:?} is not an object key: {expected}").into())
    }
}

/// The hash function of this process. Its seed is random, so that nobody can choose names that
/// collide, and a key has the same hash in every table.
static HASHER: LazyLock<foldhash::fast::RandomState> = LazyLock::new(Default::default);

impl ObjectKey {
    /// Makes the key of a namespaced object.
    ///
    /// # Errors
    /// [`InvalidKey`] if either part is empty or contains a `/`.
    pub fn namespaced(namespace: &str, name: &str) -> Result<Self, InvalidKey> {
        let valid = |part: &str| !part.is_empty() && !part.contains('/');
        if valid(namespace) && valid(name) {
            Ok(Self(format!("{namespace}/{name}").into()))
        } else {
            Err(InvalidKey::malformed(&format!("{namespace}/{name}")))
        }
    }

    /// Makes the key of a cluster-scoped object.
    ///
    /// # Errors
    /// [`InvalidKey`] if the name is empty or contains a `/`.
    pub fn cluster(name: &str) -> Result<Self, InvalidKey> {
        if name.is_empty() || name.contains('/') {
            Err(InvalidKey::malformed(name))
        } else {
            Ok(Self(name.into()))
        }
    }

    /// Makes a key from `metadata.namespace` and `metadata.name`. An empty namespace counts as
    /// none.
    ///
    /// # Errors
    /// [`InvalidKey`] if the name is empty, or a part contains a `/`.
    pub fn from_parts(namespace: Option<&str>, name: &str) -> Result<Self, InvalidKey> {
        match namespace {
            Some(namespace) if !namespace.is_empty() => Self::namespaced(namespace, name),
            _ => Self::cluster(name),
        }
    }

    /// Returns the key of an object, made from its metadata.
    ///
    /// # Errors
    /// [`InvalidKey`] if the metadata has no name, or if a part
    /// contains a `/`.
    pub fn of<K: Resource>(object: &K) -> Result<Self, InvalidKey> {
        Self::of_meta(object.meta())
    }

    /// Returns the key of a decoded object of any type.
    pub(crate) fn of_any(object: &dyn AnyObject) -> Result<Self, InvalidKey> {
        object.meta().ok_or(InvalidKey::NO_NAME).and_then(Self::of_meta)
    }

    /// Returns the key of an object with this metadata.
    pub(crate) fn of_meta(meta: &ObjectMeta) -> Result<Self, InvalidKey> {
        match meta.name.as_deref() {
            Some(name) if !name.is_empty() => Self::from_parts(meta.namespace.as_deref(), name),
            _ => Err(InvalidKey::NO_NAME),
        }
    }

    /// Returns the namespace, or `None` for a cluster-scoped object.
    pub fn namespace(&self) -> Option<&str> {
        self.parts().0
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.parts().1
    }

    /// Returns the text form: `namespace/name` or `name`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn parts(&self) -> (Option<&str>, &str) {
        match memchr::memchr(b'/', self.0.as_bytes()) {
            Some(slash) => (Some(&self.0[..slash]), &self.0[slash + 1..]),
            None => (None, &self.0),
        }
    }

    /// Returns the hash by which the store finds this key.
    pub(crate) fn store_hash(&self) -> u64 {
        let (namespace, name) = self.parts();
        hash_parts(namespace, name)
    }

    /// Returns whether this is the key of these two names. Does not allocate.
    pub(crate) fn has_parts(&self, namespace: Option<&str>, name: &str) -> bool {
        let namespace = namespace.unwrap_or("");
        match self.0.strip_suffix(name) {
            Some("") => namespace.is_empty(),
            Some(head) => head.strip_suffix('/') == Some(namespace) && !namespace.is_empty(),
            None => false,
        }
    }
}

/// Returns [`ObjectKey::store_hash`] of the key with these names, without making the key. An empty
/// namespace counts as none.
pub(crate) fn hash_parts(namespace: Option<&str>, name: &str) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write(namespace.unwrap_or("").as_bytes());
    hasher.write_u8(b'/');
    hasher.write(name.as_bytes());
    hasher.finish()
}

/// Returns the hash by which the store finds an index value.
pub(crate) fn hash_str(text: &str) -> u64 {
    HASHER.hash_one(text)
}

/// Makes the key of the object that a reference names, such as an event's. The kind is lost.
///
/// A reference of `kube-runtime` converts by way of this type:
///
/// ```
/// use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference};
/// use kube::runtime::reflector::ObjectRef;
/// use kube_informer::object::ObjectKey;
///
/// let reference = ObjectRef::<ConfigMap>::new("site").within("shop");
/// let key = ObjectKey::try_from(&ObjectReference::from(reference))?;
/// assert_eq!(key.as_str(), "shop/site");
/// let reference = ObjectReference::from(&key);
/// assert_eq!(reference.name.as_deref(), Some("site"));
/// # Ok::<(), kube_informer::object::InvalidKey>(())
/// ```
impl TryFrom<&ObjectReference> for ObjectKey {
    type Error = InvalidKey;

    fn try_from(reference: &ObjectReference) -> Result<Self, InvalidKey> {
        let name = reference.name.as_deref().filter(|name| !name.is_empty());
        let name = name.ok_or(InvalidKey("the reference has no name".into()))?;
        Self::from_parts(reference.namespace.as_deref(), name)
    }
}

/// Makes a reference with name and namespace. Set kind and API version where the reader needs them.
impl From<&ObjectKey> for ObjectReference {
    fn from(key: &ObjectKey) -> Self {
        let namespace = key.namespace().map(str::to_owned);
        Self { name: Some(key.name().to_owned()), namespace, ..Self::default() }
    }
}

impl Hash for ObjectKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl std::str::FromStr for ObjectKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        match text.split_once('/') {
            Some((namespace, name)) => Self::namespaced(namespace, name),
            None => Self::cluster(text),
        }
    }
}

impl serde::Serialize for ObjectKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// A hash map by key, which grows and shrinks in short steps. A new one allocates nothing.
#[derive(Debug)]
pub struct KeyMap<V>(Option<PartedTable<(ObjectKey, V)>>);

impl<V> Default for KeyMap<V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<V> KeyMap<V> {
    /// Returns the number of keys.
    #[allow(clippy::len_without_is_empty, reason = "hidden: public for `kube-controllers` only")]
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, PartedTable::len)
    }

    /// Makes room for this number of keys, or for those of one part, if the map is empty.
    pub fn reserve(&mut self, keys: usize) {
        self.0.get_or_insert_default().reserve(keys);
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &ObjectKey) -> Option<&V> {
        let found = self.0.as_ref()?.find(hash_str(key.as_str()), |(other, _)| other == key);
        found.map(|(_, value)| value)
    }

    /// Returns the value of a key, mutable.
    pub fn get_mut(&mut self, key: &ObjectKey) -> Option<&mut V> {
        let found = self.0.as_mut()?.find_mut(hash_str(key.as_str()), |(other, _)| other == key);
        found.map(|(_, value)| value)
    }

    /// Returns whether the key is there.
    pub fn contains(&self, key: &ObjectKey) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: ObjectKey, value: V) {
        match self.get_mut(&key) {
            Some(present) => *present = value,
            None => self.add(key, value),
        }
    }

    /// Adds a key. The caller has checked that it is not there yet.
    pub fn add(&mut self, key: ObjectKey, value: V) {
        self.0.get_or_insert_default().insert(hash_str(key.as_str()), (key, value));
    }

    /// Removes a key. Returns its value.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<V> {
        let removed = self.0.as_mut()?.remove(hash_str(key.as_str()), |(other, _)| other == key);
        removed.map(|(_, value)| value)
    }

    /// Returns every key with its value, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &(ObjectKey, V)> {
        self.0.iter().flat_map(PartedTable::iter)
    }

    /// Returns every value, mutable, in no order.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().flat_map(PartedTable::iter_mut).map(|(_, value)| value)
    }

    /// Returns every key with its value, in no order.
    pub fn into_entries(self) -> impl Iterator<Item = (ObjectKey, V)> {
        self.0.into_iter().flat_map(PartedTable::into_entries)
    }
}

impl<V> FromIterator<(ObjectKey, V)> for KeyMap<V> {
    fn from_iter<I: IntoIterator<Item = (ObjectKey, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        entries.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

/// A hash table of the positions of keys in a list. The keys themselves stay in the list.
#[derive(Debug, Default)]
pub(crate) struct KeyPositions(PartedTable<u32>);

impl KeyPositions {
    pub(crate) fn with_capacity(keys: usize) -> Self {
        Self(PartedTable::with_capacity(keys))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the position of a key. `is_at` returns whether the key at a position is this one.
    pub(crate) fn get(&self, key: &ObjectKey, is_at: impl Fn(usize) -> bool) -> Option<usize> {
        let found = self.0.find(hash_str(key.as_str()), |place| is_at(*place as usize));
        found.map(|place| *place as usize)
    }

    /// Adds a key. The caller has checked that it is not there yet.
    pub(crate) fn insert(&mut self, key: &ObjectKey, place: usize) {
        // More keys do not fit into memory.
        self.0.insert(hash_str(key.as_str()), u32::try_from(place).unwrap_or(u32::MAX));
    }

    /// Returns the parts of the table, for freeing them one at a time.
    pub(crate) fn into_parts(self) -> impl Iterator<Item = impl Sized> {
        self.0.into_parts()
    }

    /// Removes a key and returns its position.
    pub(crate) fn remove(
        &mut self,
        key: &ObjectKey,
        is_at: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let removed = self.0.remove(hash_str(key.as_str()), |place| is_at(*place as usize));
        removed.map(|place| place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn malformed_text_is_no_key() {
        for text in ["", "/", "a/", "/a", "a/b/c"] {
            let err = text.parse::<ObjectKey>().unwrap_err();
            assert_eq!(err, InvalidKey::malformed(text));
        }
    }

    #[test]
    fn an_object_without_a_name_has_no_key() {
        let pod = k8s_openapi::api::core::v1::Pod::default();
        assert_eq!(ObjectKey::of(&pod), Err(InvalidKey::NO_NAME));
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn key_agrees_with_its_parts(
            namespace in proptest::option::of("[a-z]{1,9}"),
            name in "[a-z]{1,9}",
            other_namespace in proptest::option::of("[ab]{1,2}"),
            other in "[ab]{1,2}",
        ) {
            let key = ObjectKey::from_parts(namespace.as_deref(), &name).unwrap();
            prop_assert_eq!(key.namespace(), namespace.as_deref());
            prop_assert_eq!(key.name(), &*name);
            prop_assert_eq!(&key.to_string().parse::<ObjectKey>().unwrap(), &key);
            prop_assert!(key.has_parts(namespace.as_deref(), &name));
            prop_assert_eq!(key.store_hash(), hash_parts(namespace.as_deref(), &name));
            let same = namespace == other_namespace && name == other;
            prop_assert_eq!(key.has_parts(other_namespace.as_deref(), &other), same);
        }
    }
}

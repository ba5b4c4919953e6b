//! A test object that is only a value.

use std::borrow::Cow;
use std::ops::Deref;

use kube::Resource;
use kube::api::ObjectMeta;
use kube::core::ClusterResourceScope;

/// A value as an object without metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Value<T> {
    value: T,
    metadata: ObjectMeta,
}

impl<T> From<T> for Value<T> {
    fn from(value: T) -> Self {
        Self { value, metadata: ObjectMeta::default() }
    }
}

impl<T> Deref for Value<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: IntoIterator> IntoIterator for Value<T> {
    type Item = T::Item;
    type IntoIter = T::IntoIter;

    fn into_iter(self) -> T::IntoIter {
        self.value.into_iter()
    }
}

impl<T> Resource for Value<T> {
    type DynamicType = ();
    type Scope = ClusterResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "Value".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "values".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

//! The object of an apply, and the fields that it sets.

use std::fmt;

use kube::core::ObjectMeta;
use serde_json::Value;

use super::configuration::{Configuration, ObjectAddress, refused_member, refused_of_part};
use super::error::{ApplyError, ObjectName};
use super::exchange::Exchange;
use super::records::Section;
use kube_informer::informer::SharedInformer;
use kube_informer::object::{AnyObject, NameRule, ObjectKey};
use kube_informer::seams::KindReach;

/// The fields that an apply sets.
pub(super) enum Desired<'a> {
    /// Those of an object of the applier's type.
    Object(&'a dyn AnyObject),
    /// Some fields of the object with this name.
    Part { name: &'a str, namespace: Option<&'a str>, value: Result<Value, String> },
}

/// A requested apply.
pub(super) struct RequestedApply<'a> {
    pub(super) informer: &'a SharedInformer,
    resource: &'a str,
    pub(super) key: ObjectKey,
    pub(super) section: Section,
    pub(super) configuration: Configuration,
}

impl fmt::Display for RequestedApply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, key, .. } = self;
        ObjectName { resource, name: key.name(), namespace: key.namespace() }.fmt(f)
    }
}

impl Exchange {
    pub(super) fn address<'a>(&'a self, key: &'a ObjectKey) -> ObjectAddress<'a> {
        let Self { api_version, kind, .. } = self;
        ObjectAddress { api_version, kind, namespace: key.namespace(), name: key.name() }
    }

    pub(super) fn target(
        &self,
        desired: Desired<'_>,
        section: Section,
    ) -> Result<RequestedApply<'_>, ApplyError> {
        let resource = &*self.resource;
        let (name, given, value, is_part) = match desired {
            Desired::Object(object) => {
                let meta = meta(object);
                let name = meta.name.as_deref().unwrap_or_default();
                (name, meta.namespace.as_deref(), (self.object_type.to_value)(object), false)
            }
            Desired::Part { name, namespace, value } => (name, namespace, value, true),
        };
        let only = || match self.informers.informers() {
            [only] => only.collection().namespace.as_deref(),
            _ => None,
        };
        let namespace = match self.object_type.reach {
            KindReach::Cluster => None,
            KindReach::Namespaced | KindReach::Unknown => {
                given.filter(|given| !given.is_empty()).or_else(only)
            }
        };
        let named = || ObjectName { resource, name, namespace }.to_string();
        let key = ObjectKey::from_parts(namespace, name)
            .map_err(|source| ApplyError::NoKey { resource: self.resource.clone(), source })?;
        let invalid = |source| ApplyError::InvalidName { resource: self.resource.clone(), source };
        NameRule::PathSegment.check("name", name).map_err(invalid)?;
        if let Some(namespace) = key.namespace() {
            NameRule::Label.check("namespace", namespace).map_err(invalid)?;
        }
        if namespace.is_none() && self.object_type.reach == KindReach::Namespaced {
            return Err(ApplyError::NoNamespace { object: named() });
        }
        let Some(informer) = self.informers.informer_of(&key) else {
            return Err(ApplyError::NotFollowed { object: named() });
        };
        let failed = |reason| ApplyError::Unserializable { object: named(), reason };
        let (value, address) = (value.map_err(failed)?, self.address(&key));
        let refused = refused_member(&value, &address).or_else(|| {
            if is_part { refused_of_part(&value, &address, given, section) } else { None }
        });
        if let Some((field, reason)) = refused {
            return Err(ApplyError::InvalidMember { object: named(), field, reason });
        }
        let configuration = Configuration::new(value, &address, section);
        Ok(RequestedApply { informer, resource, key, section, configuration })
    }
}

impl RequestedApply<'_> {
    pub(super) fn unreadable(&self, reason: String) -> ApplyError {
        ApplyError::UnreadableAnswer { object: self.to_string(), reason }
    }
}

/// Returns the metadata of a decoded object.
pub(super) fn meta(object: &dyn AnyObject) -> &ObjectMeta {
    object.meta().unwrap_or_else(|| unreachable!("the objects of an applier are decoded"))
}

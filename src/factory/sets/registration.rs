//! The parts of an `APIService` that tell which aggregated API servers there are.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use kube::Resource;
use kube::api::ObjectMeta;
use kube::core::ClusterResourceScope;
use serde::Deserialize;

use super::conditions::Conditions;
use crate::collections::VecMap;
use crate::indexer::Snapshot;

/// The group of the registrations.
pub(super) const REGISTRATIONS: &str = "apiregistration.k8s.io";

/// The label of what an API server registers by itself, and its values.
const MADE_FOR: &str = "kube-aggregator.kubernetes.io/automanaged";
const DEFINITIONS: &str = "true";
const BUILT_IN: &str = "onstart";

/// An `APIService`: the registration of a group and version. It has no certificates.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Registration {
    metadata: ObjectMeta,
    spec: RegistrationSpec,
    #[serde(default)]
    status: Conditions,
}

#[derive(Clone, Debug, Deserialize)]
struct RegistrationSpec {
    /// `None`: the API server itself serves it.
    service: Option<ServiceReference>,
}

#[derive(Clone, Debug, Deserialize)]
struct ServiceReference {}

/// The registrations of aggregated API servers by name: each with its uid, and whether it is
/// available.
pub(super) type Registered = VecMap<Arc<str>, (Option<String>, bool)>;

/// Returns the registrations of aggregated API servers.
pub(super) fn registered(store: &Snapshot<Registration>) -> Registered {
    let aggregated = store.iter().filter(|(_, one)| one.spec.service.is_some());
    aggregated
        .map(|(key, one)| {
            (key.name().into(), (one.metadata.uid.clone(), one.status.is_true("Available")))
        })
        .collect()
}

/// Returns the groups that are served, without those that only definitions have.
pub(super) fn available_groups(store: &Snapshot<Registration>) -> HashSet<String> {
    let available = store
        .iter()
        .filter(|(_, one)| one.status.is_true("Available") && one.made_for() != Some(DEFINITIONS));
    let groups = available.filter_map(|(key, _)| Some(key.name().split_once('.')?.1.to_owned()));
    groups.collect()
}

/// Returns whether a group and version may have kinds without a definition. If not, discovery lists
/// one only where a replica of the API server lags.
pub(super) fn may_be_undefined(store: &Snapshot<Registration>, group: &str, version: &str) -> bool {
    match store.get_by_name(None, &format!("{version}.{group}")) {
        Some(one) => one.made_for() != Some(DEFINITIONS),
        // An API server registers what is built in, or nothing at all.
        None => !store.iter().any(|(_, one)| one.made_for() == Some(BUILT_IN)),
    }
}

impl Registration {
    /// Returns what an API server made it for. `None` if somebody else did.
    fn made_for(&self) -> Option<&str> {
        self.metadata.labels.as_ref()?.get(MADE_FOR).map(String::as_str)
    }
}

impl Resource for Registration {
    type DynamicType = ();
    type Scope = ClusterResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "APIService".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        REGISTRATIONS.into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "apiservices".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

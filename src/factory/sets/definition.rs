//! The parts of a `CustomResourceDefinition` that tell which versions of a kind are served.

use std::borrow::Cow;

use kube::Resource;
use kube::api::ObjectMeta;
use kube::core::{ApiResource, ClusterResourceScope};
use serde::Deserialize;

use super::conditions::Conditions;

/// A `CustomResourceDefinition` without its schemas.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Definition {
    metadata: ObjectMeta,
    spec: DefinitionSpec,
    #[serde(default)]
    status: Conditions,
}

#[derive(Clone, Debug, Deserialize)]
struct DefinitionSpec {
    group: String,
    names: Names,
    versions: Vec<Version>,
}

#[derive(Clone, Debug, Deserialize)]
struct Names {
    plural: String,
    kind: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Version {
    name: String,
    served: bool,
    storage: bool,
}

impl Definition {
    /// Returns the uid, which differs after the definition was installed again.
    pub(super) fn uid(&self) -> &str {
        self.metadata.uid.as_deref().unwrap_or_default()
    }

    /// Returns the version in which the resource is served: its own, or if `moves`, the stored or
    /// the first that is served.
    ///
    /// # Errors
    /// The reason why it is not served.
    pub(super) fn version_of(&self, wanted: &ApiResource, moves: bool) -> Result<&str, String> {
        if !self.status.is_true("Established") {
            return Err("its definition is not established".into());
        }
        let kind = &self.spec.names.kind;
        if *kind != wanted.kind {
            return Err(format!("its definition is of the kind {kind}"));
        }
        let served = || self.spec.versions.iter().filter(|version| version.served);
        let own = served().find(|version| version.name == wanted.version);
        let other = || served().find(|version| version.storage).or_else(|| served().next());
        match own.or_else(|| other().filter(|_| moves)) {
            Some(version) => Ok(&version.name),
            None => Err(format!("its definition does not serve {}", wanted.version)),
        }
    }

    /// Returns the resource that it defines, in the version that is stored, or else in the first
    /// one that is served. `None` if it is not established or serves no version.
    pub(super) fn resource(&self) -> Option<ApiResource> {
        let DefinitionSpec { group, names, .. } = &self.spec;
        let mut resource = ApiResource {
            group: group.clone(),
            version: String::new(),
            api_version: String::new(),
            kind: names.kind.clone(),
            plural: names.plural.clone(),
        };
        resource.version = self.version_of(&resource, true).ok()?.to_owned();
        resource.api_version = format!("{group}/{}", resource.version);
        Some(resource)
    }
}

impl Resource for Definition {
    type DynamicType = ();
    type Scope = ClusterResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "CustomResourceDefinition".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "apiextensions.k8s.io".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "customresourcedefinitions".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

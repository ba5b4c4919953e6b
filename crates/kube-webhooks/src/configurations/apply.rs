//! Configurations written by the program itself.

use std::fmt::Debug;

use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::{Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::Configurations;
use crate::{BoxError, chain};

/// Another one than that of `caBundle`: an apply removes what its manager applied before and does
/// not name any more.
const MANAGER: &str = "kube-webhooks-configurations";

impl Configurations {
    /// Applies the configurations, and `spec.conversion` of each definition, which must exist.
    /// Other fields, `caBundle` among them, stay as they are. An object that is as it should be is
    /// not changed.
    ///
    /// # Errors
    /// Names the object that could not be applied. Those before it have been.
    pub async fn apply(&self, client: &Client) -> Result<(), BoxError> {
        let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
        let definitions = ApiResource::from_gvk(&kind);
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &definitions);
        for (name, conversion) in &self.conversions {
            // An apply would try to create it.
            let found = api.get(name).await;
            found.map_err(|error| failed(&kind.kind, name, &error))?;
            let fields = json!({
                "apiVersion": definitions.api_version,
                "kind": definitions.kind,
                "metadata": { "name": name },
                "spec": { "conversion": conversion },
            });
            apply(&api, &kind.kind, name, &fields).await?;
        }
        if let Some(mutating) = &self.mutating {
            apply_all(client, "MutatingWebhookConfiguration", mutating).await?;
        }
        if let Some(validating) = &self.validating {
            apply_all(client, "ValidatingWebhookConfiguration", validating).await?;
        }
        Ok(())
    }
}

async fn apply_all<K>(client: &Client, kind: &str, object: &K) -> Result<(), BoxError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Serialize,
{
    let name = object.meta().name.as_deref().unwrap_or_default();
    apply(&Api::<K>::all(client.clone()), kind, name, object).await
}

async fn apply<K>(
    api: &Api<K>,
    kind: &str,
    name: &str,
    fields: &(impl Serialize + Debug),
) -> Result<(), BoxError>
where
    K: Clone + Debug + DeserializeOwned,
{
    let params = PatchParams::apply(MANAGER).force();
    let applied = api.patch(name, &params, &Patch::Apply(fields)).await;
    applied.map_err(|error| failed(kind, name, &error))?;
    Ok(())
}

fn failed(kind: &str, name: &str, error: &kube::Error) -> BoxError {
    format!("cannot apply the {kind} {name}: {}", chain(error)).into()
}

//! The authorities in configurations and definitions, which API servers trust.

use k8s_openapi::ByteString;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use serde_json::{Value, json};

use super::managed::MANAGER;
use crate::{BoxError, Configurations};

/// An object that holds authorities.
#[derive(Clone, Debug)]
pub(super) struct Target {
    api: ApiResource,
    name: String,
    /// The names of the webhooks in a configuration. A definition has none.
    hooks: Vec<String>,
}

/// Returns the objects of webhooks.
pub(super) fn targets(configurations: &Configurations) -> Vec<Target> {
    let configuration = |kind: &str, name: &Option<String>, hooks: Vec<String>| Target {
        api: ApiResource::from_gvk(&GroupVersionKind::gvk(
            "admissionregistration.k8s.io",
            "v1",
            kind,
        )),
        name: name.clone().unwrap_or_default(),
        hooks,
    };
    let mutating = configurations.mutating.iter().map(|known| {
        let hooks = known.webhooks.iter().flatten().map(|hook| hook.name.clone()).collect();
        configuration("MutatingWebhookConfiguration", &known.metadata.name, hooks)
    });
    let validating = configurations.validating.iter().map(|known| {
        let hooks = known.webhooks.iter().flatten().map(|hook| hook.name.clone()).collect();
        configuration("ValidatingWebhookConfiguration", &known.metadata.name, hooks)
    });
    let definitions = configurations.conversions.iter().map(|(name, _)| Target {
        api: ApiResource::from_gvk(&GroupVersionKind::gvk(
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
        )),
        name: name.clone(),
        hooks: Vec::new(),
    });
    mutating.chain(validating).chain(definitions).collect()
}

/// Writes the authorities where they differ. Returns whether they did.
pub(super) async fn publish(
    client: &Client,
    target: &Target,
    authorities: &str,
) -> Result<bool, BoxError> {
    let objects: Api<DynamicObject> = Api::all_with(client.clone(), &target.api);
    let failed = |doing: &str, error: kube::Error| -> BoxError {
        let Target { api, name, .. } = target;
        format!("cannot {doing} the {} {name}: {}", api.kind, crate::chain(&error)).into()
    };
    let found = objects.get(&target.name).await.map_err(|error| failed("read", error))?;
    let bundle = serde_json::to_value(ByteString(authorities.as_bytes().to_vec()))?;
    let missing = target.missing(&found.data).map_or(Ok(()), Err);
    let Some(fields) = target.difference(&found.data, &bundle)? else {
        return missing.map(|()| false);
    };
    let mut patch = json!({
        "apiVersion": target.api.api_version,
        "kind": target.api.kind,
        "metadata": { "name": target.name },
    });
    if let (Value::Object(patch), Value::Object(fields)) = (&mut patch, fields) {
        patch.extend(fields);
    }
    // The authorities are ours, also where others have written them.
    let params = PatchParams::apply(MANAGER).force();
    let written = objects.patch(&target.name, &params, &Patch::Apply(&patch)).await;
    written.map_err(|error| failed("apply", error))?;
    missing.map(|()| true)
}

impl Target {
    /// Returns the problem of a webhook that the configuration does not have.
    fn missing(&self, object: &Value) -> Option<BoxError> {
        let Self { api, name, hooks } = self;
        let is_there = |hook: &String| listed(object).iter().any(|there| there["name"] == **hook);
        let missing = hooks.iter().find(|hook| !is_there(hook))?;
        Some(format!("the {} {name} has no webhook {missing}", api.kind).into())
    }

    /// Returns the fields to apply, if the object has other authorities.
    fn difference(&self, object: &Value, bundle: &Value) -> Result<Option<Value>, BoxError> {
        let Self { name, hooks, .. } = self;
        if hooks.is_empty() {
            let conversion = &object["spec"]["conversion"];
            if conversion["strategy"] != "Webhook" {
                return Err(format!("the definition {name} does not convert by a webhook").into());
            }
            let webhook = json!({ "clientConfig": { "caBundle": bundle } });
            let fields = json!({ "strategy": "Webhook", "webhook": webhook });
            let differs = conversion["webhook"]["clientConfig"]["caBundle"] != *bundle;
            return Ok(differs.then(|| json!({ "spec": { "conversion": fields } })));
        }
        // Those that are there get the authorities, also where others are missing.
        let ours =
            listed(object).iter().filter(|there| hooks.iter().any(|hook| there["name"] == **hook));
        let ours: Vec<_> = ours.collect();
        let differs = ours.iter().any(|hook| hook["clientConfig"]["caBundle"] != *bundle);
        let fields = ours
            .iter()
            .map(|hook| json!({ "name": hook["name"], "clientConfig": { "caBundle": bundle } }));
        Ok(differs.then(|| json!({ "webhooks": fields.collect::<Vec<_>>() })))
    }
}

/// Returns the webhooks of a configuration.
fn listed(configuration: &Value) -> &[Value] {
    configuration["webhooks"].as_array().map(Vec::as_slice).unwrap_or_default()
}

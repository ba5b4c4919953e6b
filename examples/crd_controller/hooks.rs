//! The webhooks of websites: conversion, a default, and validation. And what a cluster has to know
//! of them: the definition, and the configurations.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams};
use kube::core::crd::merge_crds;
use kube::{Api, Client, CustomResourceExt};
use kube_controllers::controller::BoxError;
use kube_webhooks::{Admission, Conversion, Hook, Refusal, Service, Webhooks};

use super::MANAGER;
use super::website::{v1, v2};

/// Returns the webhooks.
pub(crate) fn webhooks() -> Result<Webhooks, BoxError> {
    let conversion = Conversion::<v2::Website>::hub().version::<v1::Website>();
    let webhooks = Webhooks::builder()
        .convert("/convert", conversion)
        // If another webhook renames a website, the default follows.
        .hook(Hook::mutate("/default", default_host).reinvoked())
        .validate("/validate", validate);
    Ok(webhooks.build()?)
}

/// Gives a website its host. A schema cannot: this default depends on other fields.
async fn default_host(review: Admission<v2::Website>) -> Result<v2::Website, Refusal> {
    // The review has them even where the object does not.
    let (name, namespace) = (review.name.clone(), review.namespace.clone());
    let mut website = review.into_object()?;
    // The server generates some names after this, and the controller makes do without a host.
    if website.spec.host.is_none() && !name.is_empty() {
        let namespace = namespace.unwrap_or_default();
        website.spec.host = Some(format!("{name}.{namespace}.example.com"));
    }
    Ok(website)
}

async fn validate(review: Admission<v2::Website>) -> Result<(), Refusal> {
    let before = review.old_object.as_ref().and_then(|old| problem(&old.spec));
    match problem(&review.object()?.spec) {
        // An old mistake may stay: otherwise nobody could change its labels or finalizers.
        found if found == before => Ok(()),
        Some((field, problem)) => Err(Refusal::invalid(&problem).cause(field, problem)),
        None => Ok(()),
    }
}

/// Returns a field that the schema lets through although it is wrong, and the reason.
pub(crate) fn problem(spec: &v2::WebsiteSpec) -> Option<(&'static str, String)> {
    let v2::WebsiteSpec { pages, replicas, .. } = spec;
    if !(1..=100).contains(replicas) {
        return Some(("spec.replicas", format!("spec.replicas is {replicas}, not 1 to 100")));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let wrong = |name: &&String| *name == "index.html" || !name.chars().all(is_plain);
    let name = pages.keys().find(wrong)?;
    Some(("spec.pages", format!("spec.pages: {name:?} cannot be the name of a further page")))
}

/// Returns the definition. With webhooks behind a Service it serves both versions, else only that
/// in which websites are stored.
pub(crate) fn definition(
    behind: Option<(&Webhooks, &Service)>,
) -> Result<CustomResourceDefinition, BoxError> {
    let mut definition = merge_crds(vec![v1::Website::crd(), v2::Website::crd()], "v2")?;
    match behind {
        Some((webhooks, service)) => {
            for (_, conversion) in webhooks.configurations(service)?.conversions {
                definition.spec.conversion = Some(serde_json::from_value(conversion)?);
            }
        }
        None => {
            for version in &mut definition.spec.versions {
                version.served = version.storage;
            }
        }
    }
    Ok(definition)
}

/// Writes the definition and the configurations into the cluster.
pub(crate) async fn install(
    client: &Client,
    behind: Option<(&Webhooks, &Service)>,
) -> Result<(), BoxError> {
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    let apply = PatchParams::apply(MANAGER).force();
    let definition = definition(behind)?;
    definitions.patch(v2::Website::crd_name(), &apply, &Patch::Apply(definition)).await?;
    if let Some((webhooks, service)) = behind {
        webhooks.configurations(service)?.apply(client).await?;
    }
    Ok(())
}

/// Returns what [`install`] writes, for `kubectl apply`.
pub(crate) fn manifests(service: &Service) -> Result<String, BoxError> {
    let webhooks = webhooks()?;
    let definition = definition(Some((&webhooks, service)))?;
    let mut configurations = webhooks.configurations(service)?;
    // The definition has it.
    configurations.conversions.clear();
    let definition = serde_saphyr::to_string(&definition)?;
    Ok(format!("{}\n---\n{}", definition.trim_end(), configurations.to_yaml()?))
}

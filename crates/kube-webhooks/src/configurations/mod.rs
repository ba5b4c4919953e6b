//! Configurations: what API servers are told about the webhooks.

mod apply;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use k8s_openapi::api::admissionregistration::v1 as api;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube::api::ObjectMeta;
use serde::Serialize;
use serde_json::{Value, json};

use crate::hook::{Hook, Registration};
use crate::names::{LABEL, SUBDOMAIN, is_label, is_subdomain};
use crate::rules::is_name;
use crate::{BuildError, Operation, Role, Webhooks};

/// The label that API servers give each namespace.
const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";

/// The Service through which API servers reach the webhooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    namespace: String,
    name: String,
    port: u16,
    configuration: Option<String>,
}

impl Service {
    /// Names a Service on port 443, by its namespace, which is the operator's own, and its name.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { namespace: namespace.into(), name: name.into(), port: 443, configuration: None }
    }

    /// Sets the Service's port. Default: 443.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Sets the name of the configurations. Default: the Service's name and namespace, as in
    /// `hooks.shop`. Configurations have no namespace, and two programs that write one take each
    /// other's webhooks out.
    #[must_use]
    pub fn configuration(mut self, name: impl Into<String>) -> Self {
        self.configuration = Some(name.into());
        self
    }

    /// Returns the namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name that a certificate needs.
    pub fn host(&self) -> String {
        format!("{}.{}.svc", self.name, self.namespace)
    }

    /// Checks the names and the port.
    ///
    /// # Errors
    /// Returns the one that no server takes, and the rule.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { namespace, name, port, .. } = self;
        let configuration = self.configuration_name();
        if !is_label(namespace) {
            return Err(format!("the namespace {namespace:?} of the Service must be {LABEL}"));
        }
        if !is_label(name) {
            return Err(format!("the name {name:?} of the Service must be {LABEL}"));
        }
        if *port == 0 {
            return Err("the port of the Service must not be 0".to_owned());
        }
        if !is_subdomain(&configuration) {
            return Err(format!(
                "the name {configuration:?} of the configurations must be {SUBDOMAIN}"
            ));
        }
        Ok(())
    }

    fn configuration_name(&self) -> String {
        let own = || format!("{}.{}", self.name, self.namespace);
        self.configuration.clone().unwrap_or_else(own)
    }
}

/// The configurations that tell API servers about webhooks.
///
/// They have no `caBundle`: certificates of its own making, or cert-manager's injector, add it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Configurations {
    /// The configuration of the validating webhooks.
    pub validating: Option<api::ValidatingWebhookConfiguration>,
    /// The configuration of the mutating webhooks.
    pub mutating: Option<api::MutatingWebhookConfiguration>,
    /// The names of definitions, each with its `spec.conversion`.
    pub conversions: Vec<(String, Value)>,
}

impl Configurations {
    /// Returns the configurations as YAML: documents for `kubectl apply`, and last, as comments,
    /// the `spec.conversion` of each definition.
    ///
    /// # Errors
    /// Fails if the serializer does, which no configuration makes it do.
    pub fn to_yaml(&self) -> Result<String, crate::BoxError> {
        let mut documents = Vec::new();
        if let Some(mutating) = &self.mutating {
            documents.push(yaml(mutating)?);
        }
        if let Some(validating) = &self.validating {
            documents.push(yaml(validating)?);
        }
        for (definition, conversion) in &self.conversions {
            let patch = yaml(&json!({ "spec": { "conversion": conversion } }))?;
            let patch = patch.trim_end().replace('\n', "\n# ");
            documents.push(format!("# In the definition {definition}:\n# {patch}\n"));
        }
        Ok(documents.join("---\n"))
    }
}

fn yaml(document: &impl Serialize) -> Result<String, crate::BoxError> {
    let mut text = serde_saphyr::to_string(document)?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

impl Webhooks {
    /// Returns the configurations of these webhooks, with rules from the closures' types and
    /// operations.
    ///
    /// Unless [`Hook::own_namespace`] says otherwise, requests in the Service's namespace are left
    /// out, so that the operator can start, elect and report while its webhooks are down. Rules
    /// that name any group or resource leave out Leases and Events, too.
    ///
    /// # Errors
    /// [`BuildError::Service`] if no API server takes a name of the Service or its port.
    /// [`BuildError::Name`] if a webhook's name is too long with those of the Service, and
    /// [`BuildError::SameName`] if it is then the name of another webhook.
    pub fn configurations(&self, service: &Service) -> Result<Configurations, BuildError> {
        self.check_names(service)?;
        Ok(self.configurations_of(service))
    }

    /// Checks the names and the port that configurations with this Service have.
    pub(crate) fn check_names(&self, service: &Service) -> Result<(), BuildError> {
        service.check().map_err(BuildError::Service)?;
        let hooks = self.endpoints.values().map(|endpoint| &endpoint.hook);
        let mut names = BTreeMap::new();
        for hook in hooks.filter(|hook| hook.role != Role::Convert) {
            let name = name(hook, service);
            if !is_name(&name) {
                return Err(BuildError::Name(name));
            }
            let path = &hook.path;
            if let Some(other) = names.insert((hook.role, name), path) {
                return Err(BuildError::SameName(format!("{other} and {path}")));
            }
        }
        Ok(())
    }

    /// Returns the configurations, whose names were [checked](Self::check_names).
    pub(crate) fn configurations_of(&self, service: &Service) -> Configurations {
        let hooks = |role| {
            let hooks = self.endpoints.values().map(|endpoint| &endpoint.hook);
            hooks.filter(move |hook| hook.role == role)
        };
        let metadata =
            || ObjectMeta { name: Some(service.configuration_name()), ..ObjectMeta::default() };
        let validating: Vec<_> =
            hooks(Role::Validate).map(|hook| validating(hook, service)).collect();
        let mutating: Vec<_> = hooks(Role::Mutate).map(|hook| mutating(hook, service)).collect();
        let conversion = |hook: &Hook| {
            let conversion = json!({
                "strategy": "Webhook",
                "webhook": {
                    "clientConfig": client_config(hook, service),
                    "conversionReviewVersions": ["v1"],
                },
            });
            (hook.registration.resource.clone(), conversion)
        };
        Configurations {
            validating: (!validating.is_empty()).then(|| api::ValidatingWebhookConfiguration {
                metadata: metadata(),
                webhooks: Some(validating),
            }),
            mutating: (!mutating.is_empty()).then(|| api::MutatingWebhookConfiguration {
                metadata: metadata(),
                webhooks: Some(mutating),
            }),
            conversions: hooks(Role::Convert).map(conversion).collect(),
        }
    }
}

fn validating(hook: &Hook, service: &Service) -> api::ValidatingWebhook {
    let known = &hook.registration;
    api::ValidatingWebhook {
        admission_review_versions: vec!["v1".to_owned()],
        client_config: client_config(hook, service),
        failure_policy: Some(failure_policy(known)),
        match_conditions: match_conditions(known),
        match_policy: Some("Equivalent".to_owned()),
        name: name(hook, service),
        namespace_selector: namespace_selector(known, service),
        object_selector: known.object_selector.clone(),
        rules: Some(rules(known)),
        side_effects: side_effects(known),
        timeout_seconds: timeout(known),
    }
}

fn mutating(hook: &Hook, service: &Service) -> api::MutatingWebhook {
    let api::ValidatingWebhook {
        admission_review_versions,
        client_config,
        failure_policy,
        match_conditions,
        match_policy,
        name,
        namespace_selector,
        object_selector,
        rules,
        side_effects,
        timeout_seconds,
    } = validating(hook, service);
    api::MutatingWebhook {
        admission_review_versions,
        client_config,
        failure_policy,
        match_conditions,
        match_policy,
        name,
        namespace_selector,
        object_selector,
        reinvocation_policy: hook.registration.reinvoked.then(|| "IfNeeded".to_owned()),
        rules,
        side_effects,
        timeout_seconds,
    }
}

fn client_config(hook: &Hook, service: &Service) -> api::WebhookClientConfig {
    api::WebhookClientConfig {
        service: Some(api::ServiceReference {
            name: service.name.clone(),
            namespace: service.namespace.clone(),
            path: Some(hook.path.clone()),
            port: Some(service.port.into()),
        }),
        ..api::WebhookClientConfig::default()
    }
}

/// Returns the name of a webhook: its own, or one of its path and service.
fn name(hook: &Hook, service: &Service) -> String {
    match &hook.registration.name {
        Some(name) => name.clone(),
        None => format!("{}.{}.{}", hook.word(), service.name, service.namespace),
    }
}

fn rules(known: &Registration) -> Vec<api::RuleWithOperations> {
    if let Some(rules) = &known.rules {
        return rules.clone();
    }
    let Some(kind) = known.kind.clone() else { return Vec::new() };
    let operations = known.operations.iter().copied().map(Operation::name).map(str::to_owned);
    vec![api::RuleWithOperations {
        api_groups: Some(vec![kind.group]),
        api_versions: Some(vec![kind.version]),
        operations: Some(operations.collect()),
        resources: Some(vec![known.resource.clone()]),
        scope: None,
    }]
}

fn failure_policy(known: &Registration) -> String {
    if known.fails_open { "Ignore" } else { "Fail" }.to_owned()
}

fn side_effects(known: &Registration) -> String {
    if known.side_effects_on_request { "NoneOnDryRun" } else { "None" }.to_owned()
}

fn timeout(known: &Registration) -> Option<i32> {
    known.timeout.and_then(|timeout| i32::try_from(timeout.as_secs()).ok())
}

fn namespace_selector(known: &Registration, service: &Service) -> Option<LabelSelector> {
    if known.own_namespace {
        return known.namespace_selector.clone();
    }
    let mut selector = known.namespace_selector.clone().unwrap_or_default();
    selector.match_expressions.get_or_insert_default().push(LabelSelectorRequirement {
        key: NAMESPACE_LABEL.to_owned(),
        operator: "NotIn".to_owned(),
        values: Some(vec![service.namespace.clone()]),
    });
    Some(selector)
}

pub(crate) fn match_conditions(known: &Registration) -> Option<Vec<api::MatchCondition>> {
    let mut conditions = Vec::new();
    // A type names one resource, and the caller means it.
    for (groups, resource) in
        [(&["coordination.k8s.io"][..], "leases"), (&["", "events.k8s.io"], "events")]
    {
        let matched: Vec<_> = groups
            .iter()
            .filter(|group| {
                known.rules.iter().flatten().any(|rule| by_wildcard(rule, group, resource))
            })
            .map(|group| format!("'{group}'"))
            .collect();
        if !matched.is_empty() {
            let groups = matched.join(", ");
            conditions.push(api::MatchCondition {
                name: format!("no-{resource}"),
                expression: format!(
                    "!(request.resource.group in [{groups}] && request.resource.resource == '{resource}')"
                ),
            });
        }
    }
    conditions.extend(known.conditions.iter().cloned());
    (!conditions.is_empty()).then_some(conditions)
}

/// Returns whether a rule matches a resource without naming it.
fn by_wildcard(rule: &api::RuleWithOperations, group: &str, resource: &str) -> bool {
    let has =
        |list: &Option<Vec<String>>, word: &str| list.iter().flatten().any(|item| item == word);
    let any_resource = has(&rule.resources, "*") || has(&rule.resources, "*/*");
    let any_group = has(&rule.api_groups, "*");
    (any_resource && (any_group || has(&rule.api_groups, group)))
        || (any_group && has(&rule.resources, resource))
}

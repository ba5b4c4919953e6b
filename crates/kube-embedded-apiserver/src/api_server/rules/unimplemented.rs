//! The rules of a real server that are known here and not implemented.
//!
//! A write that such a rule would judge passes, or is refused by a strict server with the rule's
//! name. So the table says which writes may pass in a test and fail in a cluster.

use serde_json::Value;

use super::{schema, validation};
use crate::api_server::resource::ResourceType;

/// Returns whether the rule would judge an object, given its state before.
type Judges = fn(Option<&Value>, &Value) -> bool;

/// The end of the names of rules that are implemented for webhooks that have a service.
const WITHOUT_SERVICE: &str = "none is called without a service";

/// The rules: the type's qualified name, the objects that the rule would judge, and its name.
const RULES: &[(&str, Judges, &str)] = &[
    (
        "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        |_, _| true,
        "admission webhooks: none is called without a service",
    ),
    (
        "validatingwebhookconfigurations.admissionregistration.k8s.io",
        |_, _| true,
        "admission webhooks: none is called without a service",
    ),
    (
        "mutatingadmissionpolicies.admissionregistration.k8s.io",
        |_, _| true,
        "admission policies: none is evaluated",
    ),
    (
        "validatingadmissionpolicies.admissionregistration.k8s.io",
        |_, _| true,
        "admission policies: none is evaluated",
    ),
    (
        "customresourcedefinitions.apiextensions.k8s.io",
        |_, object| object["spec"]["conversion"]["strategy"] == "Webhook",
        "conversion webhooks: none is called without a service",
    ),
    (
        "apiservices.apiregistration.k8s.io",
        |_, _| true,
        "aggregation: no request is forwarded, and only metadata is checked",
    ),
    (
        "namespaces",
        |_, object| has_label_with_prefix(object, "pod-security.kubernetes.io/"),
        "admission by PodSecurity: no pod is refused",
    ),
    (
        "deviceclasses.resource.k8s.io",
        |_, _| true,
        "validation of device classes: only metadata is checked",
    ),
    (
        "resourceclaims.resource.k8s.io",
        |_, _| true,
        "validation of device requests: only metadata is checked",
    ),
    (
        "resourceclaimtemplates.resource.k8s.io",
        |_, _| true,
        "validation of device requests: only metadata is checked",
    ),
    (
        "resourceslices.resource.k8s.io",
        |_, _| true,
        "validation of devices: only metadata is checked",
    ),
    (
        "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
        |_, _| true,
        "validation of priority levels: only metadata is checked",
    ),
    (
        "servicecidrs.networking.k8s.io",
        |_, _| true,
        "ranges of services: the range of addresses is fixed",
    ),
    (
        "ipaddresses.networking.k8s.io",
        |_, _| true,
        "addresses of services: no object is made for an address",
    ),
    (
        "certificatesigningrequests.certificates.k8s.io",
        |_, object| !object["spec"]["expirationSeconds"].is_null(),
        "validation of certificate requests: what the PEM blocks contain is not read",
    ),
    (
        "cronjobs.batch",
        |_, object| !object["spec"]["timeZone"].is_null(),
        "validation of time zones: names are not looked up",
    ),
    (
        "persistentvolumes",
        |_, object| validation::has_unchecked_source(&object["spec"]),
        "validation of volumes' sources: only csi, hostPath, local and nfs are checked",
    ),
    (
        "volumeattachments.storage.k8s.io",
        |_, object| !object["spec"]["source"]["inlineVolumeSpec"].is_null(),
        "validation of inline volumes: they are not checked",
    ),
    (
        "pods",
        |_, object| !object["spec"]["runtimeClassName"].is_null(),
        "admission by RuntimeClass: no overhead and no scheduling is added",
    ),
];

/// Returns whether a rule would judge the specification of a pod.
type JudgesPod = fn(&Value) -> bool;

/// The rules for the specifications of pods and of their templates, and the names of the rules.
const OF_PODS: &[(JudgesPod, &str)] = &[
    (
        |spec| !spec["resourceClaims"].is_null(),
        "validation of a pod's resource claims: they are not checked",
    ),
    (
        |spec| !spec["resources"].is_null(),
        "validation of a pod's own resources: they are not compared with those of its containers",
    ),
    (
        validation::has_unchecked_volume,
        "validation of volumes' sources: those of vendors are not checked",
    ),
    (is_for_windows, "validation of pods for Windows: their options are not checked"),
];

/// The kinds that `OF_PODS` judges, and the places of their pods' specifications.
const PODS: &[(&str, &str)] = &[
    ("pods", "/spec"),
    ("podtemplates", "/template/spec"),
    ("replicationcontrollers", "/spec/template/spec"),
    ("daemonsets.apps", "/spec/template/spec"),
    ("deployments.apps", "/spec/template/spec"),
    ("replicasets.apps", "/spec/template/spec"),
    ("statefulsets.apps", "/spec/template/spec"),
    ("cronjobs.batch", "/spec/jobTemplate/spec/template/spec"),
    ("jobs.batch", "/spec/template/spec"),
];

fn is_for_windows(spec: &Value) -> bool {
    let has_options = |owner: &Value| !owner["securityContext"]["windowsOptions"].is_null();
    let lists = ["containers", "initContainers", "ephemeralContainers"];
    let mut containers = lists.iter().filter_map(|list| spec[*list].as_array()).flatten();
    spec["os"]["name"] == "windows" || has_options(spec) || containers.any(has_options)
}

fn has_label_with_prefix(object: &Value, prefix: &str) -> bool {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    labels.into_iter().any(|(key, _)| key.starts_with(prefix))
}

/// Returns the configurations of the clients of an object's webhooks.
fn clients(object: &Value) -> impl Iterator<Item = &Value> {
    let hooks = object["webhooks"].as_array().into_iter().flatten();
    let hooks = hooks.map(|hook| &hook["clientConfig"]);
    hooks.chain(object.pointer("/spec/conversion/webhook/clientConfig"))
}

/// Returns the name of a rule that would judge a write and is not implemented. `is_served` tells
/// whether a webhook has a service.
pub(crate) fn rule(
    resource: &ResourceType,
    before: Option<&Value>,
    object: &Value,
    is_served: &dyn Fn(&Value) -> bool,
) -> Option<String> {
    let name = resource.qualified();
    let mut rules = RULES.iter().filter(|(known, _, rule)| {
        *known == name && !(rule.ends_with(WITHOUT_SERVICE) && clients(object).all(is_served))
    });
    let found = rules.find(|(_, judges, _)| judges(before, object));
    let place = PODS.iter().find(|(known, _)| *known == name);
    let spec = place.and_then(|(_, place)| object.pointer(place));
    let of_pods = || spec.and_then(|spec| OF_PODS.iter().find(|(judges, _)| judges(spec)));
    let found = found.map(|(_, _, rule)| *rule).or_else(|| of_pods().map(|(_, rule)| *rule));
    found.map(str::to_owned).or_else(|| {
        let rule = schema::unimplemented(resource, before, object)?;
        Some(format!("x-kubernetes-validations: the rule {rule:?} is not evaluated"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn guide_lists_every_rule() {
        let guide = include_str!("../../../../kube-controllers/src/docs/testing_a_controller.md");
        for (kind, _, rule) in RULES {
            assert!(guide.contains(&format!("| `{kind}` | {rule} |")), "{kind}: {rule}");
        }
        for (_, rule) in OF_PODS {
            assert!(guide.contains(&format!("| pods and their templates | {rule} |")), "{rule}");
        }
    }

    #[test]
    fn rules_of_pods_judge_their_templates() {
        let jobs = ResourceType::new("batch", "v1", "CronJob", "cronjobs", true);
        let of =
            |pod: Value| json!({"spec": {"jobTemplate": {"spec": {"template": {"spec": pod}}}}});
        assert_eq!(
            rule(&jobs, None, &of(json!({"volumes": [{"emptyDir": {}}]})), &|_| false),
            None
        );
        for pod in [
            json!({"volumes": [{"iscsi": {}}]}),
            json!({"containers": [{"securityContext": {"windowsOptions": {}}}]}),
            json!({"resources": {}}),
            json!({"resourceClaims": [{}]}),
        ] {
            assert!(rule(&jobs, None, &of(pod.clone()), &|_| false).is_some(), "{pod}");
        }
    }

    #[test]
    fn only_what_a_rule_would_judge_is_named() {
        let namespaces = ResourceType::new("", "v1", "Namespace", "namespaces", false);
        let plain = json!({"metadata": {"labels": {"a": "b"}}});
        assert_eq!(rule(&namespaces, None, &plain, &|_| false), None);
        let label = "pod-security.kubernetes.io/enforce";
        let secured = json!({"metadata": {"labels": {label: "restricted"}}});
        let named = rule(&namespaces, None, &secured, &|_| false);
        assert!(named.is_some_and(|rule| rule.contains("PodSecurity")));
    }
}

//! The merge rules of lists in built-in types, as the Go types declare them in their
//! `patchStrategy` and `patchMergeKey` tags. All other lists are replaced whole.

/// The effect of a patch on a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListRule {
    Replace,
    /// Objects with the same value of this member are merged.
    By(&'static str),
    /// Texts or numbers are merged as a set.
    Set,
}

const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// Returns the rule for a list at this path of members, without list indexes.
pub(super) fn rule(kind: &str, path: &[String]) -> ListRule {
    let at = |back: usize| path.len().checked_sub(back).map_or("", |n| path[n].as_str());
    let (field, parent) = (at(1), at(2));
    let in_container = CONTAINERS.contains(&parent);
    let in_pod_spec = parent == "spec";
    match field {
        "finalizers" if parent == "metadata" => ListRule::Set,
        "ownerReferences" if parent == "metadata" => ListRule::By("uid"),
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "volumes"
        | "schedulingGates"
        | "resourceClaims"
            if in_pod_spec =>
        {
            ListRule::By("name")
        }
        "hostAliases" if in_pod_spec => ListRule::By("ip"),
        "topologySpreadConstraints" if in_pod_spec => ListRule::By("topologyKey"),
        "env" if in_container => ListRule::By("name"),
        "ports" if in_container => ListRule::By("containerPort"),
        "volumeMounts" if in_container => ListRule::By("mountPath"),
        "volumeDevices" if in_container => ListRule::By("devicePath"),
        "ports" if kind == "Service" && parent == "spec" => ListRule::By("port"),
        "secrets" if kind == "ServiceAccount" => ListRule::By("name"),
        "podIPs" | "hostIPs" if parent == "status" => ListRule::By("ip"),
        "podCIDRs" if parent == "spec" => ListRule::Set,
        "addresses" if kind == "Node" && parent == "status" => ListRule::By("type"),
        "conditions" if parent == "status" && has_mergeable_conditions(kind) => {
            ListRule::By("type")
        }
        "imagePullSecrets" | "webhooks" => ListRule::By("name"),
        "matchConditions" if parent == "webhooks" => ListRule::By("name"),
        _ => ListRule::Replace,
    }
}

fn has_mergeable_conditions(kind: &str) -> bool {
    !matches!(kind, "CustomResourceDefinition" | "CertificateSigningRequest")
}

//! The kinds that a real server knows, which are more than those it serves: lists, options, and
//! older versions.

use super::kinds;

/// Kinds of every group and version.
const EVERYWHERE: &[&str] = &[
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "UpdateOptions",
    "WatchEvent",
];

/// Kinds that are not the type of a served resource, each with its apiVersion.
const MORE: &[(&str, &str)] = &[
    ("v1", "List"),
    ("v1", "Status"),
    ("v1", "APIGroup"),
    ("v1", "APIGroupList"),
    ("v1", "APIResourceList"),
    ("v1", "APIVersions"),
    ("v1", "Binding"),
    ("v1", "ComponentStatus"),
    ("v1", "ComponentStatusList"),
    ("v1", "PodExecOptions"),
    ("v1", "PodLogOptions"),
    ("v1", "RangeAllocation"),
    ("policy/v1", "Eviction"),
    ("policy/v1beta1", "Eviction"),
    ("policy/v1beta1", "PodDisruptionBudget"),
    ("authentication.k8s.io/v1", "TokenRequest"),
    ("autoscaling/v1", "Scale"),
    ("autoscaling/v1", "HorizontalPodAutoscaler"),
    ("apps/v1beta1", "Scale"),
    ("apps/v1beta2", "Scale"),
    ("apps/v1beta1", "Deployment"),
    ("apps/v1beta2", "Deployment"),
    ("extensions/v1beta1", "Scale"),
    ("extensions/v1beta1", "Deployment"),
    ("extensions/v1beta1", "Ingress"),
    ("batch/v1beta1", "CronJob"),
];

/// Returns whether a real server knows the kind in this version.
fn is_registered(api_version: &str, kind: &str) -> bool {
    if MORE.contains(&(api_version, kind)) {
        return true;
    }
    let mut here = kinds::types().filter(|known| known.api_version() == api_version).peekable();
    if here.peek().is_none() {
        return false;
    }
    EVERYWHERE.contains(&kind) || here.any(|known| known.kind == kind || known.list_kind == kind)
}

/// Returns the problem of a kind that a real server does not know in this version.
pub(crate) fn unregistered(api_version: &str, kind: &str) -> Option<String> {
    (!is_registered(api_version, kind)).then(|| {
        format!(
            "no kind {kind:?} is registered for version {api_version:?} in scheme \
             \"pkg/api/legacyscheme/scheme.go:30\""
        )
    })
}

/// Returns the problem of an object of one kind, in a group's version, that is to become another.
pub(crate) fn unconvertible(from: (&str, &str), (group, kind): (&str, &str)) -> String {
    let (api_version, from) = from;
    let version = api_version.rsplit('/').next().unwrap_or_default();
    format!("converting ({version}.{from}) to ({}.{kind}): unknown conversion", package(group))
}

/// Returns the Go package of a group's internal types, as messages name it.
pub(crate) fn package(group: &str) -> &str {
    match group {
        "" | "events.k8s.io" => "core",
        group => group.split('.').next().unwrap_or(group),
    }
}

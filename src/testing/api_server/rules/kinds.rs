//! The built-in types, as a real server's discovery lists them.
//!
//! The table leaves out token reviews, rule reviews, internal types of a cluster (`apiservices`,
//! `componentstatuses`), and older versions of a type (`autoscaling/v1`).

use serde_json::{Value, json};

use crate::testing::api_server::resource::{ResourceType, ScalePaths};

const NAMESPACED: u8 = 1;
const STATUS: u8 = 2;
const GENERATION: u8 = 4;
/// A delete is answered with the object.
const RETURNED: u8 = 8;
const SCALE: u8 = 16;
/// A review, which is answered and not stored.
const REVIEW: u8 = 32;

const POD: &str = "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName \
    spec.hostNetwork status.phase status.podIP status.nominatedNodeName";
const EVENT_V1: &str = "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid \
    involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath \
    reason reportingComponent type";
const EVENT: &str = "regarding.kind regarding.namespace regarding.name regarding.uid \
    regarding.apiVersion regarding.resourceVersion regarding.fieldPath reason \
    reportingController type";

/// The kind, plural, flags, short names, categories and selectable fields.
type Row = (&'static str, &'static str, u8, &'static str, &'static str, &'static str);

/// The group, version and types, in the order of a real server's discovery.
#[rustfmt::skip] // a row a line
const TYPES: &[(&str, &str, &[Row])] = &[
    ("", "v1", &[
        ("ConfigMap", "configmaps", NAMESPACED, "cm", "", ""),
        ("Endpoints", "endpoints", NAMESPACED, "ep", "", ""),
        ("Event", "events", NAMESPACED, "ev", "", EVENT_V1),
        ("LimitRange", "limitranges", NAMESPACED, "limits", "", ""),
        ("Namespace", "namespaces", STATUS, "ns", "", "status.phase"),
        ("Node", "nodes", STATUS, "no", "", "spec.unschedulable"),
        ("PersistentVolumeClaim", "persistentvolumeclaims", NAMESPACED | STATUS | RETURNED, "pvc", "", ""),
        ("PersistentVolume", "persistentvolumes", STATUS | RETURNED, "pv", "", ""),
        ("Pod", "pods", NAMESPACED | STATUS | GENERATION | RETURNED, "po", "all", POD),
        ("PodTemplate", "podtemplates", NAMESPACED | RETURNED, "", "", ""),
        ("ReplicationController", "replicationcontrollers", NAMESPACED | STATUS | GENERATION | SCALE, "rc", "all", "status.replicas"),
        ("ResourceQuota", "resourcequotas", NAMESPACED | STATUS | RETURNED, "quota", "", ""),
        ("Secret", "secrets", NAMESPACED, "", "", "type"),
        ("ServiceAccount", "serviceaccounts", NAMESPACED | RETURNED, "sa", "", ""),
        ("Service", "services", NAMESPACED | STATUS | RETURNED, "svc", "all", "spec.clusterIP spec.type"),
    ]),
    ("apps", "v1", &[
        ("ControllerRevision", "controllerrevisions", NAMESPACED, "", "", ""),
        ("DaemonSet", "daemonsets", NAMESPACED | STATUS | GENERATION, "ds", "all", ""),
        ("Deployment", "deployments", NAMESPACED | STATUS | GENERATION | SCALE, "deploy", "all", ""),
        ("ReplicaSet", "replicasets", NAMESPACED | STATUS | GENERATION | SCALE, "rs", "all", "status.replicas"),
        ("StatefulSet", "statefulsets", NAMESPACED | STATUS | GENERATION | SCALE, "sts", "all", ""),
    ]),
    ("events.k8s.io", "v1", &[
        ("Event", "events", NAMESPACED, "ev", "", EVENT),
    ]),
    ("authentication.k8s.io", "v1", &[
        ("SelfSubjectReview", "selfsubjectreviews", REVIEW, "", "", ""),
    ]),
    ("authorization.k8s.io", "v1", &[
        ("LocalSubjectAccessReview", "localsubjectaccessreviews", NAMESPACED | REVIEW, "", "", ""),
        ("SelfSubjectAccessReview", "selfsubjectaccessreviews", REVIEW, "", "", ""),
        ("SubjectAccessReview", "subjectaccessreviews", REVIEW, "", "", ""),
    ]),
    ("autoscaling", "v2", &[
        ("HorizontalPodAutoscaler", "horizontalpodautoscalers", NAMESPACED | STATUS, "hpa", "all", ""),
    ]),
    ("batch", "v1", &[
        ("CronJob", "cronjobs", NAMESPACED | STATUS | GENERATION, "cj", "all", ""),
        ("Job", "jobs", NAMESPACED | STATUS | GENERATION, "", "all", "status.successful"),
    ]),
    ("certificates.k8s.io", "v1", &[
        ("CertificateSigningRequest", "certificatesigningrequests", STATUS, "csr", "", "spec.signerName"),
    ]),
    ("networking.k8s.io", "v1", &[
        ("IngressClass", "ingressclasses", GENERATION, "", "", ""),
        ("Ingress", "ingresses", NAMESPACED | STATUS | GENERATION, "ing", "", ""),
        ("IPAddress", "ipaddresses", 0, "ip", "", ""),
        ("NetworkPolicy", "networkpolicies", NAMESPACED | GENERATION, "netpol", "", ""),
        ("ServiceCIDR", "servicecidrs", STATUS, "", "", ""),
    ]),
    ("policy", "v1", &[
        ("PodDisruptionBudget", "poddisruptionbudgets", NAMESPACED | STATUS | GENERATION, "pdb", "", ""),
    ]),
    ("rbac.authorization.k8s.io", "v1", &[
        ("ClusterRoleBinding", "clusterrolebindings", 0, "", "", ""),
        ("ClusterRole", "clusterroles", 0, "", "", ""),
        ("RoleBinding", "rolebindings", NAMESPACED, "", "", ""),
        ("Role", "roles", NAMESPACED, "", "", ""),
    ]),
    ("storage.k8s.io", "v1", &[
        ("CSIDriver", "csidrivers", 0, "", "", ""),
        ("CSINode", "csinodes", 0, "", "", ""),
        ("CSIStorageCapacity", "csistoragecapacities", NAMESPACED, "", "", ""),
        ("StorageClass", "storageclasses", 0, "sc", "", ""),
        ("VolumeAttachment", "volumeattachments", STATUS, "", "", ""),
        ("VolumeAttributesClass", "volumeattributesclasses", 0, "vac", "", ""),
    ]),
    ("admissionregistration.k8s.io", "v1", &[
        ("MutatingAdmissionPolicy", "mutatingadmissionpolicies", GENERATION, "", "api-extensions", ""),
        ("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", GENERATION, "", "api-extensions", ""),
        ("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", GENERATION, "", "api-extensions", ""),
        ("ValidatingAdmissionPolicy", "validatingadmissionpolicies", STATUS | GENERATION, "", "api-extensions", ""),
        ("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", GENERATION, "", "api-extensions", ""),
        ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations", GENERATION, "", "api-extensions", ""),
    ]),
    ("apiextensions.k8s.io", "v1", &[
        ("CustomResourceDefinition", "customresourcedefinitions", STATUS | GENERATION, "crd crds", "api-extensions", ""),
    ]),
    ("scheduling.k8s.io", "v1", &[
        ("PriorityClass", "priorityclasses", GENERATION, "pc", "", ""),
    ]),
    ("coordination.k8s.io", "v1", &[
        ("Lease", "leases", NAMESPACED, "", "", ""),
    ]),
    ("node.k8s.io", "v1", &[
        ("RuntimeClass", "runtimeclasses", 0, "", "", ""),
    ]),
    ("discovery.k8s.io", "v1", &[
        ("EndpointSlice", "endpointslices", NAMESPACED | GENERATION, "", "", ""),
    ]),
    ("resource.k8s.io", "v1", &[
        ("DeviceClass", "deviceclasses", GENERATION, "", "", ""),
        ("ResourceClaim", "resourceclaims", NAMESPACED | STATUS | GENERATION, "", "", ""),
        ("ResourceClaimTemplate", "resourceclaimtemplates", NAMESPACED, "", "", ""),
        ("ResourceSlice", "resourceslices", GENERATION, "", "", ""),
    ]),
    ("flowcontrol.apiserver.k8s.io", "v1", &[
        ("FlowSchema", "flowschemas", STATUS | GENERATION, "", "", ""),
        ("PriorityLevelConfiguration", "prioritylevelconfigurations", STATUS | GENERATION, "", "", ""),
    ]),
];

/// Returns the types that every server starts with.
pub(crate) fn types() -> impl Iterator<Item = ResourceType> {
    TYPES.iter().flat_map(|(group, version, rows)| rows.iter().map(|row| of(group, version, row)))
}

fn of(group: &str, version: &str, row: &Row) -> ResourceType {
    let (kind, plural, flags, short_names, categories, fields) = *row;
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut resource = ResourceType::new(group, version, kind, plural, flags & NAMESPACED != 0);
    resource.custom = false;
    resource.status = flags & STATUS != 0;
    resource.generation = flags & GENERATION != 0;
    resource.deleted_is_returned = flags & RETURNED != 0;
    resource.review = flags & REVIEW != 0;
    resource.scale = (flags & SCALE != 0).then(ScalePaths::builtin);
    resource.short_names = words(short_names);
    resource.categories = words(categories);
    resource.fields = words(fields);
    resource.selectable = words(fields);
    resource
}

/// Returns the members of a bookmark beside its metadata: those that a Go type writes when it is
/// empty.
pub(crate) fn empty(resource: &str) -> Value {
    match resource {
        "pods" => json!({ "spec": { "containers": null }, "status": {} }),
        "namespaces" | "persistentvolumes" | "persistentvolumeclaims" | "jobs.batch" => {
            json!({ "spec": {}, "status": {} })
        }
        "services" => json!({ "spec": {}, "status": { "loadBalancer": {} } }),
        _ => json!({}),
    }
}

//! The built-in types, as a real server's discovery lists them.
//!
//! The table leaves out `componentstatuses` and older versions of a type (`autoscaling/v1`).

use serde_json::{Value, json};

use crate::api_server::names::NameForm;
use crate::api_server::resource::{ResourceType, ScalePaths};

const NAMESPACED: u16 = 1;
const STATUS: u16 = 2;
const GENERATION: u16 = 4;
/// A delete is answered with the object.
const RETURNED: u16 = 8;
const SCALE: u16 = 16;
/// A review, which is answered and not stored.
const REVIEW: u16 = 32;
/// A replace must have a version.
const VERSIONED: u16 = 64;
/// A replace of a missing object creates it.
const UPSERT: u16 = 128;
/// Changes of annotations raise the generation.
const ANNOTATIONS: u16 = 256;
/// Changes of labels and annotations raise the generation.
const LABELS: u16 = 16384;
/// A delete without a policy leaves the dependents.
const ORPHANS: u16 = 512;
/// A deletion waits for a grace period.
const GRACEFUL: u16 = 1024;
/// Names are labels, not domains.
const LABEL_NAME: u16 = 2048;
/// Names are any part of a path.
const PATH_NAME: u16 = 4096;
/// Names are at most 52 characters long, because a suffix of eleven follows in names of jobs.
const SHORT_NAME: u16 = 8192;

const POD: &str = "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName \
    spec.hostNetwork status.phase status.podIP status.nominatedNodeName";
const EVENT_V1: &str = "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid \
    involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath \
    reason reportingComponent source type";
const EVENT: &str = "regarding.kind regarding.namespace regarding.name regarding.uid \
    regarding.apiVersion regarding.resourceVersion regarding.fieldPath reason \
    reportingController type";

/// The longest name of a cron job.
const LONGEST_CRON_JOB: usize = 52;

/// The kind, plural, flags, short names, categories and selectable fields.
type Row = (&'static str, &'static str, u16, &'static str, &'static str, &'static str);

/// The group, version and types, in the order of a real server's discovery.
#[rustfmt::skip] // a row a line
const TYPES: &[(&str, &str, &[Row])] = &[
    ("", "v1", &[
        ("Binding", "bindings", NAMESPACED | REVIEW, "", "", ""),
        ("ConfigMap", "configmaps", NAMESPACED, "cm", "", ""),
        ("Endpoints", "endpoints", NAMESPACED | UPSERT, "ep", "", ""),
        ("Event", "events", NAMESPACED | UPSERT | PATH_NAME, "ev", "", EVENT_V1),
        ("LimitRange", "limitranges", NAMESPACED | UPSERT, "limits", "", ""),
        ("Namespace", "namespaces", STATUS | LABEL_NAME, "ns", "", "status.phase"),
        ("Node", "nodes", STATUS, "no", "", "spec.unschedulable"),
        ("PersistentVolumeClaim", "persistentvolumeclaims", NAMESPACED | STATUS | RETURNED, "pvc", "", ""),
        ("PersistentVolume", "persistentvolumes", STATUS | RETURNED, "pv", "", ""),
        ("Pod", "pods", NAMESPACED | STATUS | GENERATION | RETURNED | GRACEFUL, "po", "all", POD),
        ("PodTemplate", "podtemplates", NAMESPACED | RETURNED | GENERATION, "", "", ""),
        ("ReplicationController", "replicationcontrollers", NAMESPACED | STATUS | GENERATION | SCALE | ORPHANS, "rc", "all", "status.replicas"),
        ("ResourceQuota", "resourcequotas", NAMESPACED | STATUS | RETURNED, "quota", "", ""),
        ("Secret", "secrets", NAMESPACED, "", "", "type"),
        ("ServiceAccount", "serviceaccounts", NAMESPACED | RETURNED, "sa", "", ""),
        ("Service", "services", NAMESPACED | STATUS | RETURNED | UPSERT | LABEL_NAME, "svc", "all", "spec.clusterIP spec.type"),
    ]),
    ("apiregistration.k8s.io", "v1", &[
        ("APIService", "apiservices", STATUS | VERSIONED, "", "api-extensions", ""),
    ]),
    ("apps", "v1", &[
        ("ControllerRevision", "controllerrevisions", NAMESPACED, "", "", ""),
        ("DaemonSet", "daemonsets", NAMESPACED | STATUS | GENERATION, "ds", "all", ""),
        ("Deployment", "deployments", NAMESPACED | STATUS | GENERATION | SCALE | ANNOTATIONS, "deploy", "all", ""),
        ("ReplicaSet", "replicasets", NAMESPACED | STATUS | GENERATION | SCALE, "rs", "all", ""),
        ("StatefulSet", "statefulsets", NAMESPACED | STATUS | GENERATION | SCALE | LABEL_NAME, "sts", "all", ""),
    ]),
    ("events.k8s.io", "v1", &[
        ("Event", "events", NAMESPACED | UPSERT, "ev", "", EVENT),
    ]),
    ("authentication.k8s.io", "v1", &[
        ("SelfSubjectReview", "selfsubjectreviews", REVIEW, "", "", ""),
        ("TokenReview", "tokenreviews", REVIEW, "", "", ""),
    ]),
    ("authorization.k8s.io", "v1", &[
        ("LocalSubjectAccessReview", "localsubjectaccessreviews", NAMESPACED | REVIEW, "", "", ""),
        ("SelfSubjectAccessReview", "selfsubjectaccessreviews", REVIEW, "", "", ""),
        ("SelfSubjectRulesReview", "selfsubjectrulesreviews", REVIEW, "", "", ""),
        ("SubjectAccessReview", "subjectaccessreviews", REVIEW, "", "", ""),
    ]),
    ("autoscaling", "v2", &[
        ("HorizontalPodAutoscaler", "horizontalpodautoscalers", NAMESPACED | STATUS, "hpa", "all", ""),
    ]),
    ("batch", "v1", &[
        ("CronJob", "cronjobs", NAMESPACED | STATUS | GENERATION | SHORT_NAME, "cj", "all", ""),
        ("Job", "jobs", NAMESPACED | STATUS | GENERATION | ORPHANS, "", "all", "status.successful"),
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
        ("PodDisruptionBudget", "poddisruptionbudgets", NAMESPACED | STATUS | GENERATION | VERSIONED | PATH_NAME, "pdb", "", ""),
    ]),
    ("rbac.authorization.k8s.io", "v1", &[
        ("ClusterRoleBinding", "clusterrolebindings", UPSERT | PATH_NAME, "", "", ""),
        ("ClusterRole", "clusterroles", UPSERT | PATH_NAME, "", "", ""),
        ("RoleBinding", "rolebindings", NAMESPACED | UPSERT | PATH_NAME, "", "", ""),
        ("Role", "roles", NAMESPACED | UPSERT | PATH_NAME, "", "", ""),
    ]),
    ("storage.k8s.io", "v1", &[
        ("CSIDriver", "csidrivers", VERSIONED | RETURNED, "", "", ""),
        ("CSINode", "csinodes", VERSIONED | RETURNED, "", "", ""),
        ("CSIStorageCapacity", "csistoragecapacities", NAMESPACED | VERSIONED, "", "", ""),
        ("StorageClass", "storageclasses", RETURNED, "sc", "", ""),
        ("VolumeAttachment", "volumeattachments", STATUS | VERSIONED | RETURNED, "", "", ""),
        ("VolumeAttributesClass", "volumeattributesclasses", RETURNED, "vac", "", ""),
    ]),
    ("admissionregistration.k8s.io", "v1", &[
        ("MutatingAdmissionPolicy", "mutatingadmissionpolicies", GENERATION | VERSIONED, "", "api-extensions", ""),
        ("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", GENERATION | VERSIONED, "", "api-extensions", ""),
        ("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", GENERATION | VERSIONED, "", "api-extensions", ""),
        ("ValidatingAdmissionPolicy", "validatingadmissionpolicies", STATUS | GENERATION | VERSIONED, "", "api-extensions", ""),
        ("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", GENERATION | VERSIONED, "", "api-extensions", ""),
        ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations", GENERATION | VERSIONED, "", "api-extensions", ""),
    ]),
    ("apiextensions.k8s.io", "v1", &[
        ("CustomResourceDefinition", "customresourcedefinitions", STATUS | GENERATION | VERSIONED, "crd crds", "api-extensions", ""),
    ]),
    ("scheduling.k8s.io", "v1", &[
        ("PriorityClass", "priorityclasses", GENERATION, "pc", "", ""),
    ]),
    ("coordination.k8s.io", "v1", &[
        ("Lease", "leases", NAMESPACED | VERSIONED | UPSERT, "", "", ""),
    ]),
    ("node.k8s.io", "v1", &[
        ("RuntimeClass", "runtimeclasses", VERSIONED | UPSERT, "", "", ""),
    ]),
    ("discovery.k8s.io", "v1", &[
        ("EndpointSlice", "endpointslices", NAMESPACED | GENERATION | LABELS, "", "", ""),
    ]),
    ("resource.k8s.io", "v1", &[
        ("DeviceClass", "deviceclasses", GENERATION | RETURNED, "", "", ""),
        ("ResourceClaim", "resourceclaims", NAMESPACED | STATUS | RETURNED, "", "", ""),
        ("ResourceClaimTemplate", "resourceclaimtemplates", NAMESPACED, "", "", ""),
        ("ResourceSlice", "resourceslices", GENERATION | RETURNED, "", "", "spec.nodeName spec.driver"),
    ]),
    ("flowcontrol.apiserver.k8s.io", "v1", &[
        ("FlowSchema", "flowschemas", STATUS | GENERATION, "", "", ""),
        ("PriorityLevelConfiguration", "prioritylevelconfigurations", STATUS | GENERATION, "", "", ""),
    ]),
];

/// The metadata that a write of the status leaves as it is, by qualified name; elsewhere it changes
/// labels, annotations, finalizers and owners.
const KEPT_BY_STATUS: &[(&str, &[&str])] =
    &[("pods", &["ownerReferences"]), ("deployments.apps", &["labels"])];

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
    resource.needs_version = flags & VERSIONED != 0;
    resource.creates_on_replace = flags & UPSERT != 0;
    resource.counted_metadata = match flags & (ANNOTATIONS | LABELS) {
        ANNOTATIONS => &["annotations"],
        LABELS => &["annotations", "labels"],
        _ => &[],
    };
    resource.orphans = flags & ORPHANS != 0;
    resource.graceful = flags & GRACEFUL != 0;
    resource.name_form = match flags & (LABEL_NAME | PATH_NAME | SHORT_NAME) {
        LABEL_NAME => NameForm::Label,
        PATH_NAME => NameForm::PathSegment,
        SHORT_NAME => NameForm::Short(LONGEST_CRON_JOB),
        _ => NameForm::Subdomain,
    };
    resource.scale = (flags & SCALE != 0).then(ScalePaths::builtin);
    let name = resource.qualified();
    let kept = KEPT_BY_STATUS.iter().find(|(known, _)| *known == name);
    resource.kept_by_status = kept.map_or(&[], |(_, members)| members);
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

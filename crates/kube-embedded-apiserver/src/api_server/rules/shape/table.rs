//! The Go types of the built-in kinds. Written by tests/protobuf/generate; never by hand.

use super::row::{Many::{List as L, Map as M, One as O}, Type, Value as V, field as f, of_type as t};

/// The kinds: apiVersion, kind, number of the type; in order.
pub(super) static KINDS: [(&str, &str, u16); 98] = [
    ("admission.k8s.io/v1", "AdmissionReview", 2),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", 9),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", 10),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", 14),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", 22),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", 23),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", 28),
    ("apidiscovery.k8s.io/v2", "APIGroupDiscovery", 32),
    ("apiextensions.k8s.io/v1", "ConversionReview", 598),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", 601),
    ("apiregistration.k8s.io/v1", "APIService", 641),
    ("apps/v1", "ControllerRevision", 41),
    ("apps/v1", "DaemonSet", 42),
    ("apps/v1", "Deployment", 47),
    ("apps/v1", "ReplicaSet", 52),
    ("apps/v1", "StatefulSet", 59),
    ("authentication.k8s.io/v1", "SelfSubjectReview", 67),
    ("authentication.k8s.io/v1", "TokenRequest", 69),
    ("authentication.k8s.io/v1", "TokenReview", 72),
    ("authorization.k8s.io/v1", "LocalSubjectAccessReview", 78),
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview", 83),
    ("authorization.k8s.io/v1", "SelfSubjectRulesReview", 85),
    ("authorization.k8s.io/v1", "SubjectAccessReview", 87),
    ("autoscaling/v1", "HorizontalPodAutoscaler", 92),
    ("autoscaling/v1", "Scale", 95),
    ("autoscaling/v2", "HorizontalPodAutoscaler", 105),
    ("batch/v1", "CronJob", 121),
    ("batch/v1", "Job", 124),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", 137),
    ("certificates.k8s.io/v1", "ClusterTrustBundle", 141),
    ("certificates.k8s.io/v1", "PodCertificateRequest", 143),
    ("coordination.k8s.io/v1", "Lease", 146),
    ("coordination.k8s.io/v1alpha2", "LeaseCandidate", 148),
    ("coordination.k8s.io/v1beta1", "LeaseCandidate", 150),
    ("discovery.k8s.io/v1", "EndpointSlice", 371),
    ("events.k8s.io/v1", "Event", 374),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", 378),
    ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", 387),
    ("imagepolicy.k8s.io/v1alpha1", "ImageReview", 397),
    ("internal.apiserver.k8s.io/v1alpha1", "StorageVersion", 37),
    ("lifecycle.k8s.io/v1alpha1", "Eviction", 401),
    ("lifecycle.k8s.io/v1alpha1", "EvictionRequest", 403),
    ("meta.k8s.io/v1", "PartialObjectMetadata", 633),
    ("networking.k8s.io/v1", "IPAddress", 416),
    ("networking.k8s.io/v1", "Ingress", 419),
    ("networking.k8s.io/v1", "IngressClass", 421),
    ("networking.k8s.io/v1", "NetworkPolicy", 432),
    ("networking.k8s.io/v1", "ServiceCIDR", 440),
    ("node.k8s.io/v1", "RuntimeClass", 444),
    ("policy/v1", "Eviction", 446),
    ("policy/v1", "PodDisruptionBudget", 447),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", 451),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", 452),
    ("rbac.authorization.k8s.io/v1", "Role", 454),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", 455),
    ("resource.k8s.io/v1", "DeviceClass", 473),
    ("resource.k8s.io/v1", "DeviceTaintRule", 484),
    ("resource.k8s.io/v1", "ResourceClaim", 495),
    ("resource.k8s.io/v1", "ResourceClaimTemplate", 499),
    ("resource.k8s.io/v1", "ResourceSlice", 502),
    ("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest", 506),
    ("scheduling.k8s.io/v1", "PriorityClass", 511),
    ("scheduling.k8s.io/v1alpha3", "CompositePodGroup", 518),
    ("scheduling.k8s.io/v1alpha3", "PodGroup", 526),
    ("scheduling.k8s.io/v1alpha3", "Workload", 538),
    ("scheduling.k8s.io/v1beta1", "PodGroup", 560),
    ("scheduling.k8s.io/v1beta1", "Workload", 572),
    ("storage.k8s.io/v1", "CSIDriver", 575),
    ("storage.k8s.io/v1", "CSINode", 577),
    ("storage.k8s.io/v1", "CSIStorageCapacity", 581),
    ("storage.k8s.io/v1", "StorageClass", 582),
    ("storage.k8s.io/v1", "VolumeAttachment", 586),
    ("storage.k8s.io/v1", "VolumeAttributesClass", 590),
    ("storagemigration.k8s.io/v1", "StorageVersionMigration", 593),
    ("v1", "APIGroup", 618),
    ("v1", "APIVersions", 619),
    ("v1", "Binding", 159),
    ("v1", "ComponentStatus", 170),
    ("v1", "ConfigMap", 171),
    ("v1", "DeleteOptions", 621),
    ("v1", "Endpoints", 198),
    ("v1", "Event", 204),
    ("v1", "LimitRange", 231),
    ("v1", "Namespace", 241),
    ("v1", "Node", 245),
    ("v1", "PersistentVolume", 268),
    ("v1", "PersistentVolumeClaim", 269),
    ("v1", "Pod", 278),
    ("v1", "PodTemplate", 297),
    ("v1", "RangeAllocation", 308),
    ("v1", "ReplicationController", 309),
    ("v1", "ResourceQuota", 316),
    ("v1", "Secret", 327),
    ("v1", "SerializedReference", 334),
    ("v1", "Service", 335),
    ("v1", "ServiceAccount", 336),
    ("v1", "Status", 637),
    ("v1", "WatchEvent", 640),
];

/// The type of the metadata of all kinds.
pub(super) const OBJECT_META: u16 = 631;

/// The types: package and name in Go, and members in the order of Go.
pub(super) static TYPES: [Type; 646] = [
    // 0
    t("admission/v1.AdmissionRequest", &[
        f("uid", O, V::Text("types.UID")).always().optional(),
        f("kind", O, V::Struct(625)).always().optional(),
        f("resource", O, V::Struct(626)).always().optional(),
        f("subResource", O, V::Text("string")),
        f("requestKind", O, V::Struct(625)).pointer(),
        f("requestResource", O, V::Struct(626)).pointer(),
        f("requestSubResource", O, V::Text("string")),
        f("name", O, V::Text("string")),
        f("namespace", O, V::Text("string")),
        f("operation", O, V::Text("v1.Operation")).always().optional(),
        f("userInfo", O, V::Struct(75)).always().optional(),
        f("object", O, V::Raw("runtime.RawExtension")).always().optional(),
        f("oldObject", O, V::Raw("runtime.RawExtension")).always().optional(),
        f("dryRun", O, V::Bool).pointer(),
        f("options", O, V::Raw("runtime.RawExtension")).always().optional(),
    ]),
    // 1
    t("admission/v1.AdmissionResponse", &[
        f("uid", O, V::Text("types.UID")).always().optional(),
        f("allowed", O, V::Bool).always().optional(),
        f("status", O, V::Struct(637)).pointer(),
        f("patch", O, V::Bytes),
        f("patchType", O, V::Text("v1.PatchType")).pointer(),
        f("auditAnnotations", M, V::Text("string")),
        f("warnings", L, V::Text("string")),
    ]),
    // 2
    t("admission/v1.AdmissionReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("request", O, V::Struct(0)).pointer(),
        f("response", O, V::Struct(1)).pointer(),
    ]),
    // 3
    t("admissionregistration/v1.ApplyConfiguration", &[
        f("expression", O, V::Text("string")),
    ]),
    // 4
    t("admissionregistration/v1.AuditAnnotation", &[
        f("key", O, V::Text("string")).always(),
        f("valueExpression", O, V::Text("string")).always(),
    ]),
    // 5
    t("admissionregistration/v1.ExpressionWarning", &[
        f("fieldRef", O, V::Text("string")).always(),
        f("warning", O, V::Text("string")).always(),
    ]),
    // 6
    t("admissionregistration/v1.JSONPatch", &[
        f("expression", O, V::Text("string")),
    ]),
    // 7
    t("admissionregistration/v1.MatchCondition", &[
        f("name", O, V::Text("string")).always(),
        f("expression", O, V::Text("string")).always(),
    ]),
    // 8
    t("admissionregistration/v1.MatchResources", &[
        f("namespaceSelector", O, V::Struct(627)).pointer().atomic(),
        f("objectSelector", O, V::Struct(627)).pointer().atomic(),
        f("resourceRules", L, V::Struct(16)).of_atomic(),
        f("excludeResourceRules", L, V::Struct(16)).of_atomic(),
        f("matchPolicy", O, V::Text("v1.MatchPolicyType")).pointer(),
    ]),
    // 9
    t("admissionregistration/v1.MutatingAdmissionPolicy", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(12)).always().optional(),
    ]),
    // 10
    t("admissionregistration/v1.MutatingAdmissionPolicyBinding", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(11)).always().optional(),
    ]),
    // 11
    t("admissionregistration/v1.MutatingAdmissionPolicyBindingSpec", &[
        f("policyName", O, V::Text("string")),
        f("paramRef", O, V::Struct(18)).pointer().atomic(),
        f("matchResources", O, V::Struct(8)).pointer().atomic(),
    ]),
    // 12
    t("admissionregistration/v1.MutatingAdmissionPolicySpec", &[
        f("paramKind", O, V::Struct(17)).pointer().atomic(),
        f("matchConstraints", O, V::Struct(8)).pointer().atomic(),
        f("variables", L, V::Struct(30)).of_atomic(),
        f("mutations", L, V::Struct(15)),
        f("failurePolicy", O, V::Text("v1.FailurePolicyType")).pointer(),
        f("matchConditions", L, V::Struct(7)).keyed(&[("name", None)]).merge("name"),
        f("reinvocationPolicy", O, V::Text("v1.ReinvocationPolicyType")),
    ]),
    // 13
    t("admissionregistration/v1.MutatingWebhook", &[
        f("name", O, V::Text("string")).always(),
        f("clientConfig", O, V::Struct(31)).always(),
        f("rules", L, V::Struct(19)),
        f("failurePolicy", O, V::Text("v1.FailurePolicyType")).pointer(),
        f("matchPolicy", O, V::Text("v1.MatchPolicyType")).pointer(),
        f("namespaceSelector", O, V::Struct(627)).pointer().atomic(),
        f("objectSelector", O, V::Struct(627)).pointer().atomic(),
        f("sideEffects", O, V::Text("v1.SideEffectClass")).pointer().always(),
        f("timeoutSeconds", O, V::Int("int32", 32)).pointer(),
        f("admissionReviewVersions", L, V::Text("string")).always(),
        f("reinvocationPolicy", O, V::Text("v1.ReinvocationPolicyType")).pointer(),
        f("matchConditions", L, V::Struct(7)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 14
    t("admissionregistration/v1.MutatingWebhookConfiguration", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("webhooks", L, V::Struct(13)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 15
    t("admissionregistration/v1.Mutation", &[
        f("patchType", O, V::Text("v1.PatchType")).always(),
        f("applyConfiguration", O, V::Struct(3)).pointer(),
        f("jsonPatch", O, V::Struct(6)).pointer(),
    ]),
    // 16
    t("admissionregistration/v1.NamedRuleWithOperations", &[
        f("resourceNames", L, V::Text("string")),
        f("operations", L, V::Text("v1.OperationType")),
        f("apiGroups", L, V::Text("string")),
        f("apiVersions", L, V::Text("string")),
        f("resources", L, V::Text("string")),
        f("scope", O, V::Text("v1.ScopeType")).pointer(),
    ]),
    // 17
    t("admissionregistration/v1.ParamKind", &[
        f("apiVersion", O, V::Text("string")),
        f("kind", O, V::Text("string")),
    ]),
    // 18
    t("admissionregistration/v1.ParamRef", &[
        f("name", O, V::Text("string")),
        f("namespace", O, V::Text("string")),
        f("selector", O, V::Struct(627)).pointer().atomic(),
        f("parameterNotFoundAction", O, V::Text("v1.ParameterNotFoundActionType")).pointer(),
    ]),
    // 19
    t("admissionregistration/v1.RuleWithOperations", &[
        f("operations", L, V::Text("v1.OperationType")),
        f("apiGroups", L, V::Text("string")),
        f("apiVersions", L, V::Text("string")),
        f("resources", L, V::Text("string")),
        f("scope", O, V::Text("v1.ScopeType")).pointer(),
    ]),
    // 20
    t("admissionregistration/v1.ServiceReference", &[
        f("namespace", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("path", O, V::Text("string")).pointer(),
        f("port", O, V::Int("int32", 32)).pointer(),
    ]),
    // 21
    t("admissionregistration/v1.TypeChecking", &[
        f("expressionWarnings", L, V::Struct(5)),
    ]),
    // 22
    t("admissionregistration/v1.ValidatingAdmissionPolicy", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(25)).always().optional(),
        f("status", O, V::Struct(26)).always().optional(),
    ]),
    // 23
    t("admissionregistration/v1.ValidatingAdmissionPolicyBinding", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(24)).always().optional(),
    ]),
    // 24
    t("admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec", &[
        f("policyName", O, V::Text("string")),
        f("paramRef", O, V::Struct(18)).pointer().atomic(),
        f("matchResources", O, V::Struct(8)).pointer().atomic(),
        f("validationActions", L, V::Text("v1.ValidationAction")).set(),
    ]),
    // 25
    t("admissionregistration/v1.ValidatingAdmissionPolicySpec", &[
        f("paramKind", O, V::Struct(17)).pointer().atomic(),
        f("matchConstraints", O, V::Struct(8)).pointer().atomic(),
        f("validations", L, V::Struct(29)),
        f("failurePolicy", O, V::Text("v1.FailurePolicyType")).pointer(),
        f("auditAnnotations", L, V::Struct(4)),
        f("matchConditions", L, V::Struct(7)).keyed(&[("name", None)]).merge("name"),
        f("variables", L, V::Struct(30)).keyed(&[("name", None)]).of_atomic().merge("name"),
    ]),
    // 26
    t("admissionregistration/v1.ValidatingAdmissionPolicyStatus", &[
        f("observedGeneration", O, V::Int("int64", 64)),
        f("typeChecking", O, V::Struct(21)).pointer(),
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]),
    ]),
    // 27
    t("admissionregistration/v1.ValidatingWebhook", &[
        f("name", O, V::Text("string")).always(),
        f("clientConfig", O, V::Struct(31)).always(),
        f("rules", L, V::Struct(19)),
        f("failurePolicy", O, V::Text("v1.FailurePolicyType")).pointer(),
        f("matchPolicy", O, V::Text("v1.MatchPolicyType")).pointer(),
        f("namespaceSelector", O, V::Struct(627)).pointer().atomic(),
        f("objectSelector", O, V::Struct(627)).pointer().atomic(),
        f("sideEffects", O, V::Text("v1.SideEffectClass")).pointer().always(),
        f("timeoutSeconds", O, V::Int("int32", 32)).pointer(),
        f("admissionReviewVersions", L, V::Text("string")).always(),
        f("matchConditions", L, V::Struct(7)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 28
    t("admissionregistration/v1.ValidatingWebhookConfiguration", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("webhooks", L, V::Struct(27)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 29
    t("admissionregistration/v1.Validation", &[
        f("expression", O, V::Text("string")).always(),
        f("message", O, V::Text("string")),
        f("reason", O, V::Text("v1.StatusReason")).pointer(),
        f("messageExpression", O, V::Text("string")),
    ]),
    // 30
    t("admissionregistration/v1.Variable", &[
        f("name", O, V::Text("string")).always(),
        f("expression", O, V::Text("string")).always(),
    ]),
    // 31
    t("admissionregistration/v1.WebhookClientConfig", &[
        f("url", O, V::Text("string")).pointer(),
        f("service", O, V::Struct(20)).pointer(),
        f("caBundle", O, V::Bytes),
    ]),
    // 32
    t("apidiscovery/v2.APIGroupDiscovery", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("versions", L, V::Struct(35)).keyed(&[("version", None)]),
    ]),
    // 33
    t("apidiscovery/v2.APIResourceDiscovery", &[
        f("resource", O, V::Text("string")).always().optional(),
        f("responseKind", O, V::Struct(625)).pointer(),
        f("scope", O, V::Text("v2.ResourceScope")).always().optional(),
        f("singularResource", O, V::Text("string")).always().optional(),
        f("verbs", L, V::Text("string")).always().optional().set(),
        f("shortNames", L, V::Text("string")).set(),
        f("categories", L, V::Text("string")).set(),
        f("subresources", L, V::Struct(34)).keyed(&[("subresource", None)]),
    ]),
    // 34
    t("apidiscovery/v2.APISubresourceDiscovery", &[
        f("subresource", O, V::Text("string")).always().optional(),
        f("responseKind", O, V::Struct(625)).pointer(),
        f("acceptedTypes", L, V::Struct(625)).keyed(&[("group", None), ("version", None), ("kind", None)]),
        f("verbs", L, V::Text("string")).always().optional().set(),
    ]),
    // 35
    t("apidiscovery/v2.APIVersionDiscovery", &[
        f("version", O, V::Text("string")).always().optional(),
        f("resources", L, V::Struct(33)).keyed(&[("resource", None)]),
        f("freshness", O, V::Text("v2.DiscoveryFreshness")),
    ]),
    // 36
    t("apiserverinternal/v1alpha1.ServerStorageVersion", &[
        f("apiServerID", O, V::Text("string")),
        f("encodingVersion", O, V::Text("string")),
        f("decodableVersions", L, V::Text("string")).set(),
        f("servedVersions", L, V::Text("string")).set(),
    ]),
    // 37
    t("apiserverinternal/v1alpha1.StorageVersion", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(39)).always().optional(),
        f("status", O, V::Struct(40)).always().optional(),
    ]),
    // 38
    t("apiserverinternal/v1alpha1.StorageVersionCondition", &[
        f("type", O, V::Text("v1alpha1.StorageVersionConditionType")).always(),
        f("status", O, V::Text("v1alpha1.ConditionStatus")).always(),
        f("observedGeneration", O, V::Int("int64", 64)),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")).always(),
        f("message", O, V::Text("string")),
    ]),
    // 39
    t("apiserverinternal/v1alpha1.StorageVersionSpec", &[
    ]),
    // 40
    t("apiserverinternal/v1alpha1.StorageVersionStatus", &[
        f("storageVersions", L, V::Struct(36)).keyed(&[("apiServerID", None)]),
        f("commonEncodingVersion", O, V::Text("string")).pointer(),
        f("conditions", L, V::Struct(38)).keyed(&[("type", None)]),
    ]),
    // 41
    t("apps/v1.ControllerRevision", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("data", O, V::Raw("runtime.RawExtension")).always(),
        f("revision", O, V::Int("int64", 64)).always().optional(),
    ]),
    // 42
    t("apps/v1.DaemonSet", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(44)).always().optional(),
        f("status", O, V::Struct(45)).always().optional(),
    ]),
    // 43
    t("apps/v1.DaemonSetCondition", &[
        f("type", O, V::Text("v1.DaemonSetConditionType")).always().optional(),
        f("status", O, V::Text("v1.ConditionStatus")).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 44
    t("apps/v1.DaemonSetSpec", &[
        f("selector", O, V::Struct(627)).pointer().always().atomic(),
        f("template", O, V::Struct(298)).always(),
        f("updateStrategy", O, V::Struct(46)).always().optional(),
        f("minReadySeconds", O, V::Int("int32", 32)),
        f("revisionHistoryLimit", O, V::Int("int32", 32)).pointer(),
    ]),
    // 45
    t("apps/v1.DaemonSetStatus", &[
        f("currentNumberScheduled", O, V::Int("int32", 32)).always(),
        f("numberMisscheduled", O, V::Int("int32", 32)).always(),
        f("desiredNumberScheduled", O, V::Int("int32", 32)).always(),
        f("numberReady", O, V::Int("int32", 32)).always(),
        f("observedGeneration", O, V::Int("int64", 64)),
        f("updatedNumberScheduled", O, V::Int("int32", 32)),
        f("numberAvailable", O, V::Int("int32", 32)),
        f("numberUnavailable", O, V::Int("int32", 32)),
        f("collisionCount", O, V::Int("int32", 32)).pointer(),
        f("conditions", L, V::Struct(43)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 46
    t("apps/v1.DaemonSetUpdateStrategy", &[
        f("type", O, V::Text("v1.DaemonSetUpdateStrategyType")),
        f("rollingUpdate", O, V::Struct(56)).pointer(),
    ]),
    // 47
    t("apps/v1.Deployment", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(49)).always().optional(),
        f("status", O, V::Struct(50)).always().optional(),
    ]),
    // 48
    t("apps/v1.DeploymentCondition", &[
        f("type", O, V::Text("v1.DeploymentConditionType")).always().optional(),
        f("status", O, V::Text("v1.ConditionStatus")).always().optional(),
        f("lastUpdateTime", O, V::Time).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 49
    t("apps/v1.DeploymentSpec", &[
        f("replicas", O, V::Int("int32", 32)).pointer(),
        f("selector", O, V::Struct(627)).pointer().always().atomic(),
        f("template", O, V::Struct(298)).always(),
        f("strategy", O, V::Struct(51)).always().optional(),
        f("minReadySeconds", O, V::Int("int32", 32)),
        f("revisionHistoryLimit", O, V::Int("int32", 32)).pointer(),
        f("paused", O, V::Bool),
        f("progressDeadlineSeconds", O, V::Int("int32", 32)).pointer(),
    ]),
    // 50
    t("apps/v1.DeploymentStatus", &[
        f("observedGeneration", O, V::Int("int64", 64)),
        f("replicas", O, V::Int("int32", 32)),
        f("updatedReplicas", O, V::Int("int32", 32)),
        f("readyReplicas", O, V::Int("int32", 32)),
        f("availableReplicas", O, V::Int("int32", 32)),
        f("unavailableReplicas", O, V::Int("int32", 32)),
        f("terminatingReplicas", O, V::Int("int32", 32)).pointer(),
        f("conditions", L, V::Struct(48)).keyed(&[("type", None)]).merge("type"),
        f("collisionCount", O, V::Int("int32", 32)).pointer(),
    ]),
    // 51
    t("apps/v1.DeploymentStrategy", &[
        f("type", O, V::Text("v1.DeploymentStrategyType")),
        f("rollingUpdate", O, V::Struct(57)).pointer(),
    ]),
    // 52
    t("apps/v1.ReplicaSet", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(54)).always().optional(),
        f("status", O, V::Struct(55)).always().optional(),
    ]),
    // 53
    t("apps/v1.ReplicaSetCondition", &[
        f("type", O, V::Text("v1.ReplicaSetConditionType")).always().optional(),
        f("status", O, V::Text("v1.ConditionStatus")).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 54
    t("apps/v1.ReplicaSetSpec", &[
        f("replicas", O, V::Int("int32", 32)).pointer(),
        f("minReadySeconds", O, V::Int("int32", 32)),
        f("selector", O, V::Struct(627)).pointer().always().atomic(),
        f("template", O, V::Struct(298)).always().optional(),
    ]),
    // 55
    t("apps/v1.ReplicaSetStatus", &[
        f("replicas", O, V::Int("int32", 32)).always(),
        f("fullyLabeledReplicas", O, V::Int("int32", 32)),
        f("readyReplicas", O, V::Int("int32", 32)),
        f("availableReplicas", O, V::Int("int32", 32)),
        f("terminatingReplicas", O, V::Int("int32", 32)).pointer(),
        f("observedGeneration", O, V::Int("int64", 64)),
        f("conditions", L, V::Struct(53)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 56
    t("apps/v1.RollingUpdateDaemonSet", &[
        f("maxUnavailable", O, V::IntOrString).pointer(),
        f("maxSurge", O, V::IntOrString).pointer(),
    ]),
    // 57
    t("apps/v1.RollingUpdateDeployment", &[
        f("maxUnavailable", O, V::IntOrString).pointer(),
        f("maxSurge", O, V::IntOrString).pointer(),
    ]),
    // 58
    t("apps/v1.RollingUpdateStatefulSetStrategy", &[
        f("partition", O, V::Int("int32", 32)).pointer(),
        f("maxUnavailable", O, V::IntOrString).pointer(),
    ]),
    // 59
    t("apps/v1.StatefulSet", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(63)).always().optional(),
        f("status", O, V::Struct(64)).always().optional(),
    ]),
    // 60
    t("apps/v1.StatefulSetCondition", &[
        f("type", O, V::Text("v1.StatefulSetConditionType")).always().optional(),
        f("status", O, V::Text("v1.ConditionStatus")).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 61
    t("apps/v1.StatefulSetOrdinals", &[
        f("start", O, V::Int("int32", 32)).always().optional(),
    ]),
    // 62
    t("apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy", &[
        f("whenDeleted", O, V::Text("v1.PersistentVolumeClaimRetentionPolicyType")),
        f("whenScaled", O, V::Text("v1.PersistentVolumeClaimRetentionPolicyType")),
    ]),
    // 63
    t("apps/v1.StatefulSetSpec", &[
        f("replicas", O, V::Int("int32", 32)).pointer(),
        f("selector", O, V::Struct(627)).pointer().always().atomic(),
        f("template", O, V::Struct(298)).always(),
        f("volumeClaimTemplates", L, V::Struct(269)),
        f("serviceName", O, V::Text("string")).always().optional(),
        f("podManagementPolicy", O, V::Text("v1.PodManagementPolicyType")),
        f("updateStrategy", O, V::Struct(65)).always().optional(),
        f("revisionHistoryLimit", O, V::Int("int32", 32)).pointer(),
        f("minReadySeconds", O, V::Int("int32", 32)),
        f("persistentVolumeClaimRetentionPolicy", O, V::Struct(62)).pointer(),
        f("ordinals", O, V::Struct(61)).pointer(),
    ]),
    // 64
    t("apps/v1.StatefulSetStatus", &[
        f("observedGeneration", O, V::Int("int64", 64)),
        f("replicas", O, V::Int("int32", 32)).always(),
        f("readyReplicas", O, V::Int("int32", 32)),
        f("currentReplicas", O, V::Int("int32", 32)),
        f("updatedReplicas", O, V::Int("int32", 32)),
        f("currentRevision", O, V::Text("string")),
        f("updateRevision", O, V::Text("string")),
        f("collisionCount", O, V::Int("int32", 32)).pointer(),
        f("conditions", L, V::Struct(60)).keyed(&[("type", None)]).merge("type"),
        f("availableReplicas", O, V::Int("int32", 32)).always().optional(),
    ]),
    // 65
    t("apps/v1.StatefulSetUpdateStrategy", &[
        f("type", O, V::Text("v1.StatefulSetUpdateStrategyType")),
        f("rollingUpdate", O, V::Struct(58)).pointer(),
    ]),
    // 66
    t("authentication/v1.BoundObjectReference", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("name", O, V::Text("string")),
        f("uid", O, V::Text("types.UID")),
    ]),
    // 67
    t("authentication/v1.SelfSubjectReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("status", O, V::Struct(68)).always().optional(),
    ]),
    // 68
    t("authentication/v1.SelfSubjectReviewStatus", &[
        f("userInfo", O, V::Struct(75)).always().optional(),
    ]),
    // 69
    t("authentication/v1.TokenRequest", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(70)).always().optional(),
        f("status", O, V::Struct(71)).always().optional(),
    ]),
    // 70
    t("authentication/v1.TokenRequestSpec", &[
        f("audiences", L, V::Text("string")).always().optional(),
        f("expirationSeconds", O, V::Int("int64", 64)).pointer().always().optional(),
        f("boundObjectRef", O, V::Struct(66)).pointer().always().optional(),
        f("attestations", M, V::Texts("v1.AttestationValue")),
    ]),
    // 71
    t("authentication/v1.TokenRequestStatus", &[
        f("token", O, V::Text("string")).always().optional(),
        f("expirationTimestamp", O, V::Time).always().optional(),
    ]),
    // 72
    t("authentication/v1.TokenReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(73)).always(),
        f("status", O, V::Struct(74)).always().optional(),
    ]),
    // 73
    t("authentication/v1.TokenReviewSpec", &[
        f("token", O, V::Text("string")),
        f("audiences", L, V::Text("string")),
    ]),
    // 74
    t("authentication/v1.TokenReviewStatus", &[
        f("authenticated", O, V::Bool),
        f("user", O, V::Struct(75)).always().optional(),
        f("audiences", L, V::Text("string")),
        f("error", O, V::Text("string")),
    ]),
    // 75
    t("authentication/v1.UserInfo", &[
        f("username", O, V::Text("string")),
        f("uid", O, V::Text("string")),
        f("groups", L, V::Text("string")),
        f("extra", M, V::Texts("v1.ExtraValue")),
    ]),
    // 76
    t("authorization/v1.FieldSelectorAttributes", &[
        f("rawSelector", O, V::Text("string")),
        f("requirements", L, V::Struct(622)),
    ]),
    // 77
    t("authorization/v1.LabelSelectorAttributes", &[
        f("rawSelector", O, V::Text("string")),
        f("requirements", L, V::Struct(628)),
    ]),
    // 78
    t("authorization/v1.LocalSubjectAccessReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(88)).always(),
        f("status", O, V::Struct(89)).always().optional(),
    ]),
    // 79
    t("authorization/v1.NonResourceAttributes", &[
        f("path", O, V::Text("string")),
        f("verb", O, V::Text("string")),
    ]),
    // 80
    t("authorization/v1.NonResourceRule", &[
        f("verbs", L, V::Text("string")).always(),
        f("nonResourceURLs", L, V::Text("string")),
    ]),
    // 81
    t("authorization/v1.ResourceAttributes", &[
        f("namespace", O, V::Text("string")),
        f("verb", O, V::Text("string")),
        f("group", O, V::Text("string")),
        f("version", O, V::Text("string")),
        f("resource", O, V::Text("string")),
        f("subresource", O, V::Text("string")),
        f("name", O, V::Text("string")),
        f("fieldSelector", O, V::Struct(76)).pointer(),
        f("labelSelector", O, V::Struct(77)).pointer(),
    ]),
    // 82
    t("authorization/v1.ResourceRule", &[
        f("verbs", L, V::Text("string")).always(),
        f("apiGroups", L, V::Text("string")),
        f("resources", L, V::Text("string")),
        f("resourceNames", L, V::Text("string")),
    ]),
    // 83
    t("authorization/v1.SelfSubjectAccessReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(84)).always(),
        f("status", O, V::Struct(89)).always().optional(),
    ]),
    // 84
    t("authorization/v1.SelfSubjectAccessReviewSpec", &[
        f("resourceAttributes", O, V::Struct(81)).pointer(),
        f("nonResourceAttributes", O, V::Struct(79)).pointer(),
    ]),
    // 85
    t("authorization/v1.SelfSubjectRulesReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(86)).always(),
        f("status", O, V::Struct(90)).always().optional(),
    ]),
    // 86
    t("authorization/v1.SelfSubjectRulesReviewSpec", &[
        f("namespace", O, V::Text("string")),
    ]),
    // 87
    t("authorization/v1.SubjectAccessReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(88)).always(),
        f("status", O, V::Struct(89)).always().optional(),
    ]),
    // 88
    t("authorization/v1.SubjectAccessReviewSpec", &[
        f("resourceAttributes", O, V::Struct(81)).pointer(),
        f("nonResourceAttributes", O, V::Struct(79)).pointer(),
        f("user", O, V::Text("string")),
        f("groups", L, V::Text("string")),
        f("extra", M, V::Texts("v1.ExtraValue")),
        f("uid", O, V::Text("string")),
    ]),
    // 89
    t("authorization/v1.SubjectAccessReviewStatus", &[
        f("allowed", O, V::Bool).always(),
        f("denied", O, V::Bool),
        f("reason", O, V::Text("string")),
        f("evaluationError", O, V::Text("string")),
    ]),
    // 90
    t("authorization/v1.SubjectRulesReviewStatus", &[
        f("resourceRules", L, V::Struct(82)).always(),
        f("nonResourceRules", L, V::Struct(80)).always(),
        f("incomplete", O, V::Bool).always(),
        f("evaluationError", O, V::Text("string")),
    ]),
    // 91
    t("autoscaling/v1.CrossVersionObjectReference", &[
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("apiVersion", O, V::Text("string")),
    ]),
    // 92
    t("autoscaling/v1.HorizontalPodAutoscaler", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(93)).always().optional(),
        f("status", O, V::Struct(94)).always().optional(),
    ]),
    // 93
    t("autoscaling/v1.HorizontalPodAutoscalerSpec", &[
        f("scaleTargetRef", O, V::Struct(91)).always().atomic(),
        f("minReplicas", O, V::Int("int32", 32)).pointer(),
        f("maxReplicas", O, V::Int("int32", 32)).always(),
        f("targetCPUUtilizationPercentage", O, V::Int("int32", 32)).pointer(),
    ]),
    // 94
    t("autoscaling/v1.HorizontalPodAutoscalerStatus", &[
        f("observedGeneration", O, V::Int("int64", 64)).pointer(),
        f("lastScaleTime", O, V::Time).pointer(),
        f("currentReplicas", O, V::Int("int32", 32)).always(),
        f("desiredReplicas", O, V::Int("int32", 32)).always(),
        f("currentCPUUtilizationPercentage", O, V::Int("int32", 32)).pointer(),
    ]),
    // 95
    t("autoscaling/v1.Scale", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(96)).always().optional(),
        f("status", O, V::Struct(97)).always().optional(),
    ]),
    // 96
    t("autoscaling/v1.ScaleSpec", &[
        f("replicas", O, V::Int("int32", 32)),
    ]),
    // 97
    t("autoscaling/v1.ScaleStatus", &[
        f("replicas", O, V::Int("int32", 32)).always(),
        f("selector", O, V::Text("string")),
    ]),
    // 98
    t("autoscaling/v2.ContainerResourceMetricSource", &[
        f("name", O, V::Text("v1.ResourceName")).always(),
        f("target", O, V::Struct(113)).always(),
        f("container", O, V::Text("string")).always(),
    ]),
    // 99
    t("autoscaling/v2.ContainerResourceMetricStatus", &[
        f("name", O, V::Text("v1.ResourceName")).always(),
        f("current", O, V::Struct(114)).always(),
        f("container", O, V::Text("string")).always(),
    ]),
    // 100
    t("autoscaling/v2.CrossVersionObjectReference", &[
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("apiVersion", O, V::Text("string")),
    ]),
    // 101
    t("autoscaling/v2.ExternalMetricSource", &[
        f("metric", O, V::Struct(110)).always(),
        f("target", O, V::Struct(113)).always(),
    ]),
    // 102
    t("autoscaling/v2.ExternalMetricStatus", &[
        f("metric", O, V::Struct(110)).always(),
        f("current", O, V::Struct(114)).always(),
    ]),
    // 103
    t("autoscaling/v2.HPAScalingPolicy", &[
        f("type", O, V::Text("v2.HPAScalingPolicyType")).always(),
        f("value", O, V::Int("int32", 32)).always(),
        f("periodSeconds", O, V::Int("int32", 32)).always(),
    ]),
    // 104
    t("autoscaling/v2.HPAScalingRules", &[
        f("stabilizationWindowSeconds", O, V::Int("int32", 32)).pointer(),
        f("selectPolicy", O, V::Text("v2.ScalingPolicySelect")).pointer(),
        f("policies", L, V::Struct(103)),
        f("tolerance", O, V::Quantity).pointer(),
    ]),
    // 105
    t("autoscaling/v2.HorizontalPodAutoscaler", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(108)).always().optional(),
        f("status", O, V::Struct(109)).always().optional(),
    ]),
    // 106
    t("autoscaling/v2.HorizontalPodAutoscalerBehavior", &[
        f("scaleUp", O, V::Struct(104)).pointer(),
        f("scaleDown", O, V::Struct(104)).pointer(),
    ]),
    // 107
    t("autoscaling/v2.HorizontalPodAutoscalerCondition", &[
        f("type", O, V::Text("v2.HorizontalPodAutoscalerConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
        f("observedGeneration", O, V::Int("int64", 64)).pointer(),
    ]),
    // 108
    t("autoscaling/v2.HorizontalPodAutoscalerSpec", &[
        f("scaleTargetRef", O, V::Struct(100)).always(),
        f("minReplicas", O, V::Int("int32", 32)).pointer(),
        f("maxReplicas", O, V::Int("int32", 32)).always(),
        f("metrics", L, V::Struct(111)),
        f("behavior", O, V::Struct(106)).pointer(),
    ]),
    // 109
    t("autoscaling/v2.HorizontalPodAutoscalerStatus", &[
        f("observedGeneration", O, V::Int("int64", 64)).pointer(),
        f("lastScaleTime", O, V::Time).pointer(),
        f("currentReplicas", O, V::Int("int32", 32)),
        f("desiredReplicas", O, V::Int("int32", 32)).always(),
        f("currentMetrics", L, V::Struct(112)).always().optional(),
        f("conditions", L, V::Struct(107)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 110
    t("autoscaling/v2.MetricIdentifier", &[
        f("name", O, V::Text("string")).always(),
        f("selector", O, V::Struct(627)).pointer().atomic(),
    ]),
    // 111
    t("autoscaling/v2.MetricSpec", &[
        f("type", O, V::Text("v2.MetricSourceType")).always(),
        f("object", O, V::Struct(115)).pointer(),
        f("pods", O, V::Struct(117)).pointer(),
        f("resource", O, V::Struct(119)).pointer(),
        f("containerResource", O, V::Struct(98)).pointer(),
        f("external", O, V::Struct(101)).pointer(),
    ]),
    // 112
    t("autoscaling/v2.MetricStatus", &[
        f("type", O, V::Text("v2.MetricSourceType")).always(),
        f("object", O, V::Struct(116)).pointer(),
        f("pods", O, V::Struct(118)).pointer(),
        f("resource", O, V::Struct(120)).pointer(),
        f("containerResource", O, V::Struct(99)).pointer(),
        f("external", O, V::Struct(102)).pointer(),
    ]),
    // 113
    t("autoscaling/v2.MetricTarget", &[
        f("type", O, V::Text("v2.MetricTargetType")).always(),
        f("value", O, V::Quantity).pointer(),
        f("averageValue", O, V::Quantity).pointer(),
        f("averageUtilization", O, V::Int("int32", 32)).pointer(),
    ]),
    // 114
    t("autoscaling/v2.MetricValueStatus", &[
        f("value", O, V::Quantity).pointer(),
        f("averageValue", O, V::Quantity).pointer(),
        f("averageUtilization", O, V::Int("int32", 32)).pointer(),
    ]),
    // 115
    t("autoscaling/v2.ObjectMetricSource", &[
        f("describedObject", O, V::Struct(100)).always(),
        f("target", O, V::Struct(113)).always(),
        f("metric", O, V::Struct(110)).always(),
    ]),
    // 116
    t("autoscaling/v2.ObjectMetricStatus", &[
        f("metric", O, V::Struct(110)).always(),
        f("current", O, V::Struct(114)).always(),
        f("describedObject", O, V::Struct(100)).always(),
    ]),
    // 117
    t("autoscaling/v2.PodsMetricSource", &[
        f("metric", O, V::Struct(110)).always(),
        f("target", O, V::Struct(113)).always(),
    ]),
    // 118
    t("autoscaling/v2.PodsMetricStatus", &[
        f("metric", O, V::Struct(110)).always(),
        f("current", O, V::Struct(114)).always(),
    ]),
    // 119
    t("autoscaling/v2.ResourceMetricSource", &[
        f("name", O, V::Text("v1.ResourceName")).always(),
        f("target", O, V::Struct(113)).always(),
    ]),
    // 120
    t("autoscaling/v2.ResourceMetricStatus", &[
        f("name", O, V::Text("v1.ResourceName")).always(),
        f("current", O, V::Struct(114)).always(),
    ]),
    // 121
    t("batch/v1.CronJob", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(122)).always().optional(),
        f("status", O, V::Struct(123)).always().optional(),
    ]),
    // 122
    t("batch/v1.CronJobSpec", &[
        f("schedule", O, V::Text("string")).always(),
        f("timeZone", O, V::Text("string")).pointer(),
        f("startingDeadlineSeconds", O, V::Int("int64", 64)).pointer(),
        f("concurrencyPolicy", O, V::Text("v1.ConcurrencyPolicy")),
        f("suspend", O, V::Bool).pointer(),
        f("jobTemplate", O, V::Struct(129)).always(),
        f("successfulJobsHistoryLimit", O, V::Int("int32", 32)).pointer(),
        f("failedJobsHistoryLimit", O, V::Int("int32", 32)).pointer(),
    ]),
    // 123
    t("batch/v1.CronJobStatus", &[
        f("active", L, V::Struct(267)).of_atomic(),
        f("lastScheduleTime", O, V::Time).pointer(),
        f("lastSuccessfulTime", O, V::Time).pointer(),
    ]),
    // 124
    t("batch/v1.Job", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(127)).always().optional(),
        f("status", O, V::Struct(128)).always().optional(),
    ]),
    // 125
    t("batch/v1.JobCondition", &[
        f("type", O, V::Text("v1.JobConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastProbeTime", O, V::Time).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 126
    t("batch/v1.JobSchedulingConfiguration", &[
        f("schedulingPolicy", O, V::Struct(545)).pointer(),
        f("schedulingConstraints", O, V::Struct(544)).pointer(),
        f("disruptionMode", O, V::Struct(541)).pointer(),
        f("resourceClaims", L, V::Struct(543)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 127
    t("batch/v1.JobSpec", &[
        f("parallelism", O, V::Int("int32", 32)).pointer(),
        f("completions", O, V::Int("int32", 32)).pointer(),
        f("activeDeadlineSeconds", O, V::Int("int64", 64)).pointer(),
        f("podFailurePolicy", O, V::Struct(130)).pointer(),
        f("successPolicy", O, V::Struct(134)).pointer(),
        f("backoffLimit", O, V::Int("int32", 32)).pointer(),
        f("backoffLimitPerIndex", O, V::Int("int32", 32)).pointer(),
        f("maxFailedIndexes", O, V::Int("int32", 32)).pointer(),
        f("selector", O, V::Struct(627)).pointer().atomic(),
        f("manualSelector", O, V::Bool).pointer(),
        f("template", O, V::Struct(298)).always(),
        f("ttlSecondsAfterFinished", O, V::Int("int32", 32)).pointer(),
        f("completionMode", O, V::Text("v1.CompletionMode")).pointer(),
        f("suspend", O, V::Bool).pointer(),
        f("podReplacementPolicy", O, V::Text("v1.PodReplacementPolicy")).pointer(),
        f("managedBy", O, V::Text("string")).pointer(),
        f("scheduling", O, V::Struct(126)).pointer(),
    ]),
    // 128
    t("batch/v1.JobStatus", &[
        f("conditions", L, V::Struct(125)).merge("type"),
        f("startTime", O, V::Time).pointer(),
        f("completionTime", O, V::Time).pointer(),
        f("active", O, V::Int("int32", 32)),
        f("succeeded", O, V::Int("int32", 32)),
        f("failed", O, V::Int("int32", 32)),
        f("terminating", O, V::Int("int32", 32)).pointer(),
        f("completedIndexes", O, V::Text("string")),
        f("failedIndexes", O, V::Text("string")).pointer(),
        f("uncountedTerminatedPods", O, V::Struct(136)).pointer(),
        f("ready", O, V::Int("int32", 32)).pointer(),
    ]),
    // 129
    t("batch/v1.JobTemplateSpec", &[
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(127)).always().optional(),
    ]),
    // 130
    t("batch/v1.PodFailurePolicy", &[
        f("rules", L, V::Struct(133)).always(),
    ]),
    // 131
    t("batch/v1.PodFailurePolicyOnExitCodesRequirement", &[
        f("containerName", O, V::Text("string")).pointer(),
        f("operator", O, V::Text("v1.PodFailurePolicyOnExitCodesOperator")).always(),
        f("values", L, V::Int("int32", 32)).always().set(),
    ]),
    // 132
    t("batch/v1.PodFailurePolicyOnPodConditionsPattern", &[
        f("type", O, V::Text("v1.PodConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always().optional(),
    ]),
    // 133
    t("batch/v1.PodFailurePolicyRule", &[
        f("action", O, V::Text("v1.PodFailurePolicyAction")).always(),
        f("onExitCodes", O, V::Struct(131)).pointer(),
        f("onPodConditions", L, V::Struct(132)),
    ]),
    // 134
    t("batch/v1.SuccessPolicy", &[
        f("rules", L, V::Struct(135)).always(),
    ]),
    // 135
    t("batch/v1.SuccessPolicyRule", &[
        f("succeededIndexes", O, V::Text("string")).pointer(),
        f("succeededCount", O, V::Int("int32", 32)).pointer(),
    ]),
    // 136
    t("batch/v1.UncountedTerminatedPods", &[
        f("succeeded", L, V::Text("types.UID")).set(),
        f("failed", L, V::Text("types.UID")).set(),
    ]),
    // 137
    t("certificates/v1.CertificateSigningRequest", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(139)).always(),
        f("status", O, V::Struct(140)).always().optional(),
    ]),
    // 138
    t("certificates/v1.CertificateSigningRequestCondition", &[
        f("type", O, V::Text("v1.RequestConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
        f("lastUpdateTime", O, V::Time).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
    ]),
    // 139
    t("certificates/v1.CertificateSigningRequestSpec", &[
        f("request", O, V::Bytes).always(),
        f("signerName", O, V::Text("string")).always(),
        f("expirationSeconds", O, V::Int("int32", 32)).pointer(),
        f("usages", L, V::Text("v1.KeyUsage")),
        f("username", O, V::Text("string")),
        f("uid", O, V::Text("string")),
        f("groups", L, V::Text("string")),
        f("extra", M, V::Texts("v1.ExtraValue")),
    ]),
    // 140
    t("certificates/v1.CertificateSigningRequestStatus", &[
        f("conditions", L, V::Struct(138)).keyed(&[("type", None)]),
        f("certificate", O, V::Bytes),
    ]),
    // 141
    t("certificates/v1.ClusterTrustBundle", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(142)).always(),
    ]),
    // 142
    t("certificates/v1.ClusterTrustBundleSpec", &[
        f("signerName", O, V::Text("string")),
        f("trustBundle", O, V::Text("string")).always(),
    ]),
    // 143
    t("certificates/v1.PodCertificateRequest", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(144)).always(),
        f("status", O, V::Struct(145)).always().optional(),
    ]),
    // 144
    t("certificates/v1.PodCertificateRequestSpec", &[
        f("signerName", O, V::Text("string")).always(),
        f("podName", O, V::Text("string")).always(),
        f("podUID", O, V::Text("types.UID")).always(),
        f("serviceAccountName", O, V::Text("string")).always(),
        f("serviceAccountUID", O, V::Text("types.UID")).always(),
        f("nodeName", O, V::Text("types.NodeName")).always(),
        f("nodeUID", O, V::Text("types.UID")).always(),
        f("maxExpirationSeconds", O, V::Int("int32", 32)).pointer(),
        f("stubPKCS10Request", O, V::Bytes).always(),
        f("unverifiedUserAnnotations", M, V::Text("string")),
    ]),
    // 145
    t("certificates/v1.PodCertificateRequestStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
        f("certificateChain", O, V::Text("string")),
        f("notBefore", O, V::Time).pointer(),
        f("beginRefreshAt", O, V::Time).pointer(),
        f("notAfter", O, V::Time).pointer(),
    ]),
    // 146
    t("coordination/v1.Lease", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(147)).always().optional(),
    ]),
    // 147
    t("coordination/v1.LeaseSpec", &[
        f("holderIdentity", O, V::Text("string")).pointer(),
        f("leaseDurationSeconds", O, V::Int("int32", 32)).pointer(),
        f("acquireTime", O, V::MicroTime).pointer(),
        f("renewTime", O, V::MicroTime).pointer(),
        f("leaseTransitions", O, V::Int("int32", 32)).pointer(),
        f("strategy", O, V::Text("v1.CoordinatedLeaseStrategy")).pointer(),
        f("preferredHolder", O, V::Text("string")).pointer(),
    ]),
    // 148
    t("coordination/v1alpha2.LeaseCandidate", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(149)).always().optional(),
    ]),
    // 149
    t("coordination/v1alpha2.LeaseCandidateSpec", &[
        f("leaseName", O, V::Text("string")).always(),
        f("pingTime", O, V::MicroTime).pointer(),
        f("renewTime", O, V::MicroTime).pointer(),
        f("binaryVersion", O, V::Text("string")).always(),
        f("emulationVersion", O, V::Text("string")),
        f("strategy", O, V::Text("v1.CoordinatedLeaseStrategy")),
    ]),
    // 150
    t("coordination/v1beta1.LeaseCandidate", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(151)).always().optional(),
    ]),
    // 151
    t("coordination/v1beta1.LeaseCandidateSpec", &[
        f("leaseName", O, V::Text("string")).always(),
        f("pingTime", O, V::MicroTime).pointer(),
        f("renewTime", O, V::MicroTime).pointer(),
        f("binaryVersion", O, V::Text("string")).always(),
        f("emulationVersion", O, V::Text("string")),
        f("strategy", O, V::Text("v1.CoordinatedLeaseStrategy")),
    ]),
    // 152
    t("core/v1.AWSElasticBlockStoreVolumeSource", &[
        f("volumeID", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("partition", O, V::Int("int32", 32)),
        f("readOnly", O, V::Bool),
    ]),
    // 153
    t("core/v1.Affinity", &[
        f("nodeAffinity", O, V::Struct(247)).pointer(),
        f("podAffinity", O, V::Struct(279)).pointer(),
        f("podAntiAffinity", O, V::Struct(281)).pointer(),
    ]),
    // 154
    t("core/v1.AppArmorProfile", &[
        f("type", O, V::Text("v1.AppArmorProfileType")).always(),
        f("localhostProfile", O, V::Text("string")).pointer(),
    ]),
    // 155
    t("core/v1.AttachedVolume", &[
        f("name", O, V::Text("v1.UniqueVolumeName")).always(),
        f("devicePath", O, V::Text("string")).always(),
    ]),
    // 156
    t("core/v1.AzureDiskVolumeSource", &[
        f("diskName", O, V::Text("string")).always(),
        f("diskURI", O, V::Text("string")).always(),
        f("cachingMode", O, V::Text("v1.AzureDataDiskCachingMode")).pointer(),
        f("fsType", O, V::Text("string")).pointer(),
        f("readOnly", O, V::Bool).pointer(),
        f("kind", O, V::Text("v1.AzureDataDiskKind")).pointer(),
    ]),
    // 157
    t("core/v1.AzureFilePersistentVolumeSource", &[
        f("secretName", O, V::Text("string")).always(),
        f("shareName", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
        f("secretNamespace", O, V::Text("string")).pointer().always().optional(),
    ]),
    // 158
    t("core/v1.AzureFileVolumeSource", &[
        f("secretName", O, V::Text("string")).always(),
        f("shareName", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
    ]),
    // 159
    t("core/v1.Binding", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("target", O, V::Struct(267)).always().atomic(),
    ]),
    // 160
    t("core/v1.CSIPersistentVolumeSource", &[
        f("driver", O, V::Text("string")).always(),
        f("volumeHandle", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
        f("fsType", O, V::Text("string")),
        f("volumeAttributes", M, V::Text("string")),
        f("controllerPublishSecretRef", O, V::Struct(331)).pointer().atomic(),
        f("nodeStageSecretRef", O, V::Struct(331)).pointer().atomic(),
        f("nodePublishSecretRef", O, V::Struct(331)).pointer().atomic(),
        f("controllerExpandSecretRef", O, V::Struct(331)).pointer().atomic(),
        f("nodeExpandSecretRef", O, V::Struct(331)).pointer().atomic(),
    ]),
    // 161
    t("core/v1.CSIVolumeSource", &[
        f("driver", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool).pointer(),
        f("fsType", O, V::Text("string")).pointer(),
        f("volumeAttributes", M, V::Text("string")),
        f("nodePublishSecretRef", O, V::Struct(237)).pointer().atomic(),
    ]),
    // 162
    t("core/v1.Capabilities", &[
        f("add", L, V::Text("v1.Capability")),
        f("drop", L, V::Text("v1.Capability")),
    ]),
    // 163
    t("core/v1.CephFSPersistentVolumeSource", &[
        f("monitors", L, V::Text("string")).always(),
        f("path", O, V::Text("string")),
        f("user", O, V::Text("string")),
        f("secretFile", O, V::Text("string")),
        f("secretRef", O, V::Struct(331)).pointer().atomic(),
        f("readOnly", O, V::Bool),
    ]),
    // 164
    t("core/v1.CephFSVolumeSource", &[
        f("monitors", L, V::Text("string")).always(),
        f("path", O, V::Text("string")),
        f("user", O, V::Text("string")),
        f("secretFile", O, V::Text("string")),
        f("secretRef", O, V::Struct(237)).pointer().atomic(),
        f("readOnly", O, V::Bool),
    ]),
    // 165
    t("core/v1.CinderPersistentVolumeSource", &[
        f("volumeID", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
        f("secretRef", O, V::Struct(331)).pointer().atomic(),
    ]),
    // 166
    t("core/v1.CinderVolumeSource", &[
        f("volumeID", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
        f("secretRef", O, V::Struct(237)).pointer().atomic(),
    ]),
    // 167
    t("core/v1.ClientIPConfig", &[
        f("timeoutSeconds", O, V::Int("int32", 32)).pointer(),
    ]),
    // 168
    t("core/v1.ClusterTrustBundleProjection", &[
        f("name", O, V::Text("string")).pointer(),
        f("signerName", O, V::Text("string")).pointer(),
        f("labelSelector", O, V::Struct(627)).pointer().atomic(),
        f("optional", O, V::Bool).pointer(),
        f("path", O, V::Text("string")).always(),
        f("user", O, V::Int("int64", 64)).pointer(),
    ]),
    // 169
    t("core/v1.ComponentCondition", &[
        f("type", O, V::Text("v1.ComponentConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("message", O, V::Text("string")),
        f("error", O, V::Text("string")),
    ]),
    // 170
    t("core/v1.ComponentStatus", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("conditions", L, V::Struct(169)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 171
    t("core/v1.ConfigMap", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("immutable", O, V::Bool).pointer(),
        f("data", M, V::Text("string")),
        f("binaryData", M, V::Bytes),
    ]),
    // 172
    t("core/v1.ConfigMapEnvSource", &[
        f("name", O, V::Text("string")),
        f("optional", O, V::Bool).pointer(),
    ]),
    // 173
    t("core/v1.ConfigMapKeySelector", &[
        f("name", O, V::Text("string")),
        f("key", O, V::Text("string")).always(),
        f("optional", O, V::Bool).pointer(),
    ]),
    // 174
    t("core/v1.ConfigMapNodeConfigSource", &[
        f("namespace", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("uid", O, V::Text("types.UID")),
        f("resourceVersion", O, V::Text("string")),
        f("kubeletConfigKey", O, V::Text("string")).always(),
    ]),
    // 175
    t("core/v1.ConfigMapProjection", &[
        f("name", O, V::Text("string")),
        f("items", L, V::Struct(228)),
        f("optional", O, V::Bool).pointer(),
    ]),
    // 176
    t("core/v1.ConfigMapVolumeSource", &[
        f("name", O, V::Text("string")),
        f("items", L, V::Struct(228)),
        f("defaultMode", O, V::Int("int32", 32)).pointer(),
        f("optional", O, V::Bool).pointer(),
        f("defaultUser", O, V::Int("int64", 64)).pointer(),
    ]),
    // 177
    t("core/v1.Container", &[
        f("name", O, V::Text("string")).always(),
        f("image", O, V::Text("string")),
        f("command", L, V::Text("string")),
        f("args", L, V::Text("string")),
        f("workingDir", O, V::Text("string")),
        f("ports", L, V::Struct(180)).keyed(&[("containerPort", None), ("protocol", Some("TCP"))]).merge("containerPort"),
        f("envFrom", L, V::Struct(199)),
        f("env", L, V::Struct(200)).keyed(&[("name", None)]).merge("name"),
        f("resources", O, V::Struct(319)).always().optional(),
        f("resizePolicy", L, V::Struct(181)),
        f("restartPolicy", O, V::Text("v1.ContainerRestartPolicy")).pointer(),
        f("restartPolicyRules", L, V::Struct(182)),
        f("volumeMounts", L, V::Struct(358)).keyed(&[("mountPath", None)]).merge("mountPath"),
        f("volumeDevices", L, V::Struct(355)).keyed(&[("devicePath", None)]).merge("devicePath"),
        f("livenessProbe", O, V::Struct(303)).pointer(),
        f("readinessProbe", O, V::Struct(303)).pointer(),
        f("startupProbe", O, V::Struct(303)).pointer(),
        f("lifecycle", O, V::Struct(229)).pointer(),
        f("terminationMessagePath", O, V::Text("string")),
        f("terminationMessagePolicy", O, V::Text("v1.TerminationMessagePolicy")),
        f("imagePullPolicy", O, V::Text("v1.PullPolicy")),
        f("securityContext", O, V::Struct(333)).pointer(),
        f("stdin", O, V::Bool),
        f("stdinOnce", O, V::Bool),
        f("tty", O, V::Bool),
    ]),
    // 178
    t("core/v1.ContainerExtendedResourceRequest", &[
        f("containerName", O, V::Text("string")).always(),
        f("resourceName", O, V::Text("string")).always(),
        f("requestName", O, V::Text("string")).always(),
    ]),
    // 179
    t("core/v1.ContainerImage", &[
        f("names", L, V::Text("string")).always().optional(),
        f("sizeBytes", O, V::Int("int64", 64)),
    ]),
    // 180
    t("core/v1.ContainerPort", &[
        f("name", O, V::Text("string")),
        f("hostPort", O, V::Int("int32", 32)),
        f("containerPort", O, V::Int("int32", 32)).always(),
        f("protocol", O, V::Text("v1.Protocol")),
        f("hostIP", O, V::Text("string")),
    ]),
    // 181
    t("core/v1.ContainerResizePolicy", &[
        f("resourceName", O, V::Text("v1.ResourceName")).always(),
        f("restartPolicy", O, V::Text("v1.ResourceResizeRestartPolicy")).always(),
    ]),
    // 182
    t("core/v1.ContainerRestartRule", &[
        f("action", O, V::Text("v1.ContainerRestartRuleAction")),
        f("exitCodes", O, V::Struct(183)).pointer(),
    ]),
    // 183
    t("core/v1.ContainerRestartRuleOnExitCodes", &[
        f("operator", O, V::Text("v1.ContainerRestartRuleOnExitCodesOperator")),
        f("values", L, V::Int("int32", 32)).set(),
    ]),
    // 184
    t("core/v1.ContainerState", &[
        f("waiting", O, V::Struct(187)).pointer(),
        f("running", O, V::Struct(185)).pointer(),
        f("terminated", O, V::Struct(186)).pointer(),
    ]),
    // 185
    t("core/v1.ContainerStateRunning", &[
        f("startedAt", O, V::Time).always().optional(),
    ]),
    // 186
    t("core/v1.ContainerStateTerminated", &[
        f("exitCode", O, V::Int("int32", 32)).always(),
        f("signal", O, V::Int("int32", 32)),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
        f("startedAt", O, V::Time).always().optional(),
        f("finishedAt", O, V::Time).always().optional(),
        f("containerID", O, V::Text("string")),
    ]),
    // 187
    t("core/v1.ContainerStateWaiting", &[
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 188
    t("core/v1.ContainerStatus", &[
        f("name", O, V::Text("string")).always(),
        f("state", O, V::Struct(184)).always().optional(),
        f("lastState", O, V::Struct(184)).always().optional(),
        f("ready", O, V::Bool).always(),
        f("restartCount", O, V::Int("int32", 32)).always(),
        f("image", O, V::Text("string")).always(),
        f("imageID", O, V::Text("string")).always(),
        f("containerID", O, V::Text("string")),
        f("started", O, V::Bool).pointer(),
        f("allocatedResources", M, V::Quantity).named("v1.ResourceList"),
        f("resources", O, V::Struct(319)).pointer(),
        f("volumeMounts", L, V::Struct(359)).keyed(&[("mountPath", None)]).merge("mountPath"),
        f("user", O, V::Struct(189)).pointer(),
        f("allocatedResourcesStatus", L, V::Struct(320)).keyed(&[("name", None)]).merge("name"),
        f("stopSignal", O, V::Text("v1.Signal")).pointer(),
    ]),
    // 189
    t("core/v1.ContainerUser", &[
        f("linux", O, V::Struct(234)).pointer(),
    ]),
    // 190
    t("core/v1.DaemonEndpoint", &[
        f("Port", O, V::Int("int32", 32)).always(),
    ]),
    // 191
    t("core/v1.DownwardAPIProjection", &[
        f("items", L, V::Struct(192)),
    ]),
    // 192
    t("core/v1.DownwardAPIVolumeFile", &[
        f("path", O, V::Text("string")).always(),
        f("fieldRef", O, V::Struct(266)).pointer().atomic(),
        f("resourceFieldRef", O, V::Struct(314)).pointer().atomic(),
        f("mode", O, V::Int("int32", 32)).pointer(),
        f("user", O, V::Int("int64", 64)).pointer(),
    ]),
    // 193
    t("core/v1.DownwardAPIVolumeSource", &[
        f("items", L, V::Struct(192)),
        f("defaultMode", O, V::Int("int32", 32)).pointer(),
        f("defaultUser", O, V::Int("int64", 64)).pointer(),
    ]),
    // 194
    t("core/v1.EmptyDirVolumeSource", &[
        f("medium", O, V::Text("v1.StorageMedium")),
        f("sizeLimit", O, V::Quantity).pointer(),
        f("mode", O, V::Int("int32", 32)).pointer(),
    ]),
    // 195
    t("core/v1.EndpointAddress", &[
        f("ip", O, V::Text("string")).always(),
        f("hostname", O, V::Text("string")),
        f("nodeName", O, V::Text("string")).pointer(),
        f("targetRef", O, V::Struct(267)).pointer().atomic(),
    ]),
    // 196
    t("core/v1.EndpointPort", &[
        f("name", O, V::Text("string")),
        f("port", O, V::Int("int32", 32)).always(),
        f("protocol", O, V::Text("v1.Protocol")),
        f("appProtocol", O, V::Text("string")).pointer(),
    ]),
    // 197
    t("core/v1.EndpointSubset", &[
        f("addresses", L, V::Struct(195)).of_atomic(),
        f("notReadyAddresses", L, V::Struct(195)).of_atomic(),
        f("ports", L, V::Struct(196)).of_atomic(),
    ]),
    // 198
    t("core/v1.Endpoints", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("subsets", L, V::Struct(197)),
    ]),
    // 199
    t("core/v1.EnvFromSource", &[
        f("prefix", O, V::Text("string")),
        f("configMapRef", O, V::Struct(172)).pointer(),
        f("secretRef", O, V::Struct(328)).pointer(),
    ]),
    // 200
    t("core/v1.EnvVar", &[
        f("name", O, V::Text("string")).always(),
        f("value", O, V::Text("string")),
        f("valueFrom", O, V::Struct(201)).pointer(),
    ]),
    // 201
    t("core/v1.EnvVarSource", &[
        f("fieldRef", O, V::Struct(266)).pointer().atomic(),
        f("resourceFieldRef", O, V::Struct(314)).pointer().atomic(),
        f("configMapKeyRef", O, V::Struct(173)).pointer().atomic(),
        f("secretKeyRef", O, V::Struct(329)).pointer().atomic(),
        f("fileKeyRef", O, V::Struct(210)).pointer().atomic(),
    ]),
    // 202
    t("core/v1.EphemeralContainer", &[
        f("name", O, V::Text("string")).always(),
        f("image", O, V::Text("string")),
        f("command", L, V::Text("string")),
        f("args", L, V::Text("string")),
        f("workingDir", O, V::Text("string")),
        f("ports", L, V::Struct(180)).keyed(&[("containerPort", None), ("protocol", Some("TCP"))]).merge("containerPort"),
        f("envFrom", L, V::Struct(199)),
        f("env", L, V::Struct(200)).keyed(&[("name", None)]).merge("name"),
        f("resources", O, V::Struct(319)).always().optional(),
        f("resizePolicy", L, V::Struct(181)),
        f("restartPolicy", O, V::Text("v1.ContainerRestartPolicy")).pointer(),
        f("restartPolicyRules", L, V::Struct(182)),
        f("volumeMounts", L, V::Struct(358)).keyed(&[("mountPath", None)]).merge("mountPath"),
        f("volumeDevices", L, V::Struct(355)).keyed(&[("devicePath", None)]).merge("devicePath"),
        f("livenessProbe", O, V::Struct(303)).pointer(),
        f("readinessProbe", O, V::Struct(303)).pointer(),
        f("startupProbe", O, V::Struct(303)).pointer(),
        f("lifecycle", O, V::Struct(229)).pointer(),
        f("terminationMessagePath", O, V::Text("string")),
        f("terminationMessagePolicy", O, V::Text("v1.TerminationMessagePolicy")),
        f("imagePullPolicy", O, V::Text("v1.PullPolicy")),
        f("securityContext", O, V::Struct(333)).pointer(),
        f("stdin", O, V::Bool),
        f("stdinOnce", O, V::Bool),
        f("tty", O, V::Bool),
        f("targetContainerName", O, V::Text("string")),
    ]),
    // 203
    t("core/v1.EphemeralVolumeSource", &[
        f("volumeClaimTemplate", O, V::Struct(273)).pointer(),
    ]),
    // 204
    t("core/v1.Event", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always(),
        f("involvedObject", O, V::Struct(267)).always().atomic(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
        f("source", O, V::Struct(206)).always().optional(),
        f("firstTimestamp", O, V::Time).always().optional(),
        f("lastTimestamp", O, V::Time).always().optional(),
        f("count", O, V::Int("int32", 32)),
        f("type", O, V::Text("string")),
        f("eventTime", O, V::MicroTime).always().optional(),
        f("series", O, V::Struct(205)).pointer(),
        f("action", O, V::Text("string")),
        f("related", O, V::Struct(267)).pointer().atomic(),
        f("reportingComponent", O, V::Text("string")).always().optional(),
        f("reportingInstance", O, V::Text("string")).always().optional(),
    ]),
    // 205
    t("core/v1.EventSeries", &[
        f("count", O, V::Int("int32", 32)),
        f("lastObservedTime", O, V::MicroTime).always().optional(),
    ]),
    // 206
    t("core/v1.EventSource", &[
        f("component", O, V::Text("string")),
        f("host", O, V::Text("string")),
    ]),
    // 207
    t("core/v1.EvictionResponder", &[
        f("name", O, V::Text("string")).always(),
        f("priority", O, V::Int("int32", 32)).pointer().always(),
    ]),
    // 208
    t("core/v1.ExecAction", &[
        f("command", L, V::Text("string")),
    ]),
    // 209
    t("core/v1.FCVolumeSource", &[
        f("targetWWNs", L, V::Text("string")),
        f("lun", O, V::Int("int32", 32)).pointer(),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
        f("wwids", L, V::Text("string")),
    ]),
    // 210
    t("core/v1.FileKeySelector", &[
        f("volumeName", O, V::Text("string")).always(),
        f("path", O, V::Text("string")).always(),
        f("key", O, V::Text("string")).always(),
        f("optional", O, V::Bool).pointer(),
    ]),
    // 211
    t("core/v1.FlexPersistentVolumeSource", &[
        f("driver", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("secretRef", O, V::Struct(331)).pointer().atomic(),
        f("readOnly", O, V::Bool),
        f("options", M, V::Text("string")),
    ]),
    // 212
    t("core/v1.FlexVolumeSource", &[
        f("driver", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("secretRef", O, V::Struct(237)).pointer().atomic(),
        f("readOnly", O, V::Bool),
        f("options", M, V::Text("string")),
    ]),
    // 213
    t("core/v1.FlockerVolumeSource", &[
        f("datasetName", O, V::Text("string")),
        f("datasetUUID", O, V::Text("string")),
    ]),
    // 214
    t("core/v1.GCEPersistentDiskVolumeSource", &[
        f("pdName", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("partition", O, V::Int("int32", 32)),
        f("readOnly", O, V::Bool),
    ]),
    // 215
    t("core/v1.GRPCAction", &[
        f("port", O, V::Int("int32", 32)).always(),
        f("service", O, V::Text("string")).pointer().always().optional(),
        f("mode", O, V::Text("v1.GRPCProbeMode")).pointer(),
    ]),
    // 216
    t("core/v1.GitRepoVolumeSource", &[
        f("repository", O, V::Text("string")).always(),
        f("revision", O, V::Text("string")),
        f("directory", O, V::Text("string")),
    ]),
    // 217
    t("core/v1.GlusterfsPersistentVolumeSource", &[
        f("endpoints", O, V::Text("string")).always(),
        f("path", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
        f("endpointsNamespace", O, V::Text("string")).pointer(),
    ]),
    // 218
    t("core/v1.GlusterfsVolumeSource", &[
        f("endpoints", O, V::Text("string")).always(),
        f("path", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
    ]),
    // 219
    t("core/v1.HTTPGetAction", &[
        f("path", O, V::Text("string")),
        f("port", O, V::IntOrString).always(),
        f("host", O, V::Text("string")),
        f("scheme", O, V::Text("v1.URIScheme")),
        f("httpHeaders", L, V::Struct(220)),
        f("protocol", O, V::Text("v1.HTTPProtocol")).pointer(),
    ]),
    // 220
    t("core/v1.HTTPHeader", &[
        f("name", O, V::Text("string")).always(),
        f("value", O, V::Text("string")).always(),
    ]),
    // 221
    t("core/v1.HostAlias", &[
        f("ip", O, V::Text("string")).always(),
        f("hostnames", L, V::Text("string")),
    ]),
    // 222
    t("core/v1.HostIP", &[
        f("ip", O, V::Text("string")).always(),
    ]),
    // 223
    t("core/v1.HostPathVolumeSource", &[
        f("path", O, V::Text("string")).always(),
        f("type", O, V::Text("v1.HostPathType")).pointer(),
    ]),
    // 224
    t("core/v1.ISCSIPersistentVolumeSource", &[
        f("targetPortal", O, V::Text("string")).always(),
        f("iqn", O, V::Text("string")).always(),
        f("lun", O, V::Int("int32", 32)).always(),
        f("iscsiInterface", O, V::Text("string")),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
        f("portals", L, V::Text("string")),
        f("chapAuthDiscovery", O, V::Bool),
        f("chapAuthSession", O, V::Bool),
        f("secretRef", O, V::Struct(331)).pointer().atomic(),
        f("initiatorName", O, V::Text("string")).pointer(),
    ]),
    // 225
    t("core/v1.ISCSIVolumeSource", &[
        f("targetPortal", O, V::Text("string")).always(),
        f("iqn", O, V::Text("string")).always(),
        f("lun", O, V::Int("int32", 32)).always(),
        f("iscsiInterface", O, V::Text("string")),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
        f("portals", L, V::Text("string")),
        f("chapAuthDiscovery", O, V::Bool),
        f("chapAuthSession", O, V::Bool),
        f("secretRef", O, V::Struct(237)).pointer().atomic(),
        f("initiatorName", O, V::Text("string")).pointer(),
    ]),
    // 226
    t("core/v1.ImageVolumeSource", &[
        f("reference", O, V::Text("string")),
        f("pullPolicy", O, V::Text("v1.PullPolicy")),
    ]),
    // 227
    t("core/v1.ImageVolumeStatus", &[
        f("imageRef", O, V::Text("string")),
    ]),
    // 228
    t("core/v1.KeyToPath", &[
        f("key", O, V::Text("string")).always(),
        f("path", O, V::Text("string")).always(),
        f("mode", O, V::Int("int32", 32)).pointer(),
        f("user", O, V::Int("int64", 64)).pointer(),
    ]),
    // 229
    t("core/v1.Lifecycle", &[
        f("postStart", O, V::Struct(230)).pointer(),
        f("preStop", O, V::Struct(230)).pointer(),
        f("stopSignal", O, V::Text("v1.Signal")).pointer(),
    ]),
    // 230
    t("core/v1.LifecycleHandler", &[
        f("exec", O, V::Struct(208)).pointer(),
        f("httpGet", O, V::Struct(219)).pointer(),
        f("tcpSocket", O, V::Struct(346)).pointer(),
        f("sleep", O, V::Struct(342)).pointer(),
    ]),
    // 231
    t("core/v1.LimitRange", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(233)).always().optional(),
    ]),
    // 232
    t("core/v1.LimitRangeItem", &[
        f("type", O, V::Text("v1.LimitType")).always(),
        f("max", M, V::Quantity).named("v1.ResourceList"),
        f("min", M, V::Quantity).named("v1.ResourceList"),
        f("default", M, V::Quantity).named("v1.ResourceList"),
        f("defaultRequest", M, V::Quantity).named("v1.ResourceList"),
        f("maxLimitRequestRatio", M, V::Quantity).named("v1.ResourceList"),
    ]),
    // 233
    t("core/v1.LimitRangeSpec", &[
        f("limits", L, V::Struct(232)).always(),
    ]),
    // 234
    t("core/v1.LinuxContainerUser", &[
        f("uid", O, V::Int("int64", 64)).always(),
        f("gid", O, V::Int("int64", 64)).always(),
        f("supplementalGroups", L, V::Int("int64", 64)),
    ]),
    // 235
    t("core/v1.LoadBalancerIngress", &[
        f("ip", O, V::Text("string")),
        f("hostname", O, V::Text("string")),
        f("ipMode", O, V::Text("v1.LoadBalancerIPMode")).pointer(),
        f("ports", L, V::Struct(300)),
    ]),
    // 236
    t("core/v1.LoadBalancerStatus", &[
        f("ingress", L, V::Struct(235)),
    ]),
    // 237
    t("core/v1.LocalObjectReference", &[
        f("name", O, V::Text("string")),
    ]),
    // 238
    t("core/v1.LocalVolumeSource", &[
        f("path", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")).pointer(),
    ]),
    // 239
    t("core/v1.ModifyVolumeStatus", &[
        f("targetVolumeAttributesClassName", O, V::Text("string")),
        f("status", O, V::Text("v1.PersistentVolumeClaimModifyVolumeStatus")).always(),
    ]),
    // 240
    t("core/v1.NFSVolumeSource", &[
        f("server", O, V::Text("string")).always(),
        f("path", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
    ]),
    // 241
    t("core/v1.Namespace", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(243)).always().optional(),
        f("status", O, V::Struct(244)).always().optional(),
    ]),
    // 242
    t("core/v1.NamespaceCondition", &[
        f("type", O, V::Text("v1.NamespaceConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 243
    t("core/v1.NamespaceSpec", &[
        f("finalizers", L, V::Text("v1.FinalizerName")),
    ]),
    // 244
    t("core/v1.NamespaceStatus", &[
        f("phase", O, V::Text("v1.NamespacePhase")),
        f("conditions", L, V::Struct(242)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 245
    t("core/v1.Node", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(262)).always().optional(),
        f("status", O, V::Struct(263)).always().optional(),
    ]),
    // 246
    t("core/v1.NodeAddress", &[
        f("type", O, V::Text("v1.NodeAddressType")).always(),
        f("address", O, V::Text("string")).always(),
    ]),
    // 247
    t("core/v1.NodeAffinity", &[
        f("requiredDuringSchedulingIgnoredDuringExecution", O, V::Struct(259)).pointer().atomic(),
        f("preferredDuringSchedulingIgnoredDuringExecution", L, V::Struct(302)),
    ]),
    // 248
    t("core/v1.NodeAllocatableMappedResources", &[
        f("name", O, V::Text("v1.ResourceName")).always(),
        f("quantity", O, V::Quantity).pointer().always(),
    ]),
    // 249
    t("core/v1.NodeAllocatableOverheadResources", &[
        f("name", O, V::Text("v1.ResourceName")).always(),
        f("perPod", O, V::Quantity).pointer(),
        f("perContainer", O, V::Quantity).pointer(),
    ]),
    // 250
    t("core/v1.NodeAllocatableResourceClaimStatus", &[
        f("resourceClaimName", O, V::Text("string")).always(),
        f("containers", L, V::Text("string")).set(),
        f("mapping", L, V::Struct(248)).keyed(&[("name", None)]).merge("name"),
        f("overhead", L, V::Struct(249)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 251
    t("core/v1.NodeCondition", &[
        f("type", O, V::Text("v1.NodeConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastHeartbeatTime", O, V::Time).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 252
    t("core/v1.NodeConfigSource", &[
        f("configMap", O, V::Struct(174)).pointer(),
    ]),
    // 253
    t("core/v1.NodeConfigStatus", &[
        f("assigned", O, V::Struct(252)).pointer(),
        f("active", O, V::Struct(252)).pointer(),
        f("lastKnownGood", O, V::Struct(252)).pointer(),
        f("error", O, V::Text("string")),
    ]),
    // 254
    t("core/v1.NodeDaemonEndpoints", &[
        f("kubeletEndpoint", O, V::Struct(190)).always().optional(),
    ]),
    // 255
    t("core/v1.NodeFeatures", &[
        f("supplementalGroupsPolicy", O, V::Bool).pointer(),
    ]),
    // 256
    t("core/v1.NodePodPreemptionPolicy", &[
        f("disableResizePreemption", L, V::Text("string")).set(),
    ]),
    // 257
    t("core/v1.NodeRuntimeHandler", &[
        f("name", O, V::Text("string")).always().optional(),
        f("features", O, V::Struct(258)).pointer(),
    ]),
    // 258
    t("core/v1.NodeRuntimeHandlerFeatures", &[
        f("recursiveReadOnlyMounts", O, V::Bool).pointer(),
        f("userNamespaces", O, V::Bool).pointer(),
    ]),
    // 259
    t("core/v1.NodeSelector", &[
        f("nodeSelectorTerms", L, V::Struct(261)).always().of_atomic(),
    ]),
    // 260
    t("core/v1.NodeSelectorRequirement", &[
        f("key", O, V::Text("string")).always(),
        f("operator", O, V::Text("v1.NodeSelectorOperator")).always(),
        f("values", L, V::Text("string")),
    ]),
    // 261
    t("core/v1.NodeSelectorTerm", &[
        f("matchExpressions", L, V::Struct(260)),
        f("matchFields", L, V::Struct(260)),
    ]),
    // 262
    t("core/v1.NodeSpec", &[
        f("podCIDR", O, V::Text("string")),
        f("podCIDRs", L, V::Text("string")).set().merge(""),
        f("providerID", O, V::Text("string")),
        f("unschedulable", O, V::Bool),
        f("taints", L, V::Struct(347)),
        f("configSource", O, V::Struct(252)).pointer(),
        f("externalID", O, V::Text("string")),
        f("podPreemptionPolicy", O, V::Struct(256)).pointer(),
    ]),
    // 263
    t("core/v1.NodeStatus", &[
        f("capacity", M, V::Quantity).named("v1.ResourceList"),
        f("allocatable", M, V::Quantity).named("v1.ResourceList"),
        f("phase", O, V::Text("v1.NodePhase")),
        f("conditions", L, V::Struct(251)).keyed(&[("type", None)]).merge("type"),
        f("addresses", L, V::Struct(246)).keyed(&[("type", None)]).merge("type"),
        f("daemonEndpoints", O, V::Struct(254)).always().optional(),
        f("nodeInfo", O, V::Struct(265)).always().optional(),
        f("images", L, V::Struct(179)),
        f("volumesInUse", L, V::Text("v1.UniqueVolumeName")),
        f("volumesAttached", L, V::Struct(155)),
        f("config", O, V::Struct(253)).pointer(),
        f("runtimeHandlers", L, V::Struct(257)),
        f("features", O, V::Struct(255)).pointer(),
        f("declaredFeatures", L, V::Text("string")),
    ]),
    // 264
    t("core/v1.NodeSwapStatus", &[
        f("capacity", O, V::Int("int64", 64)).pointer(),
    ]),
    // 265
    t("core/v1.NodeSystemInfo", &[
        f("machineID", O, V::Text("string")).always(),
        f("systemUUID", O, V::Text("string")).always(),
        f("bootID", O, V::Text("string")).always(),
        f("kernelVersion", O, V::Text("string")).always(),
        f("osImage", O, V::Text("string")).always(),
        f("containerRuntimeVersion", O, V::Text("string")).always(),
        f("kubeletVersion", O, V::Text("string")).always(),
        f("kubeProxyVersion", O, V::Text("string")).always(),
        f("operatingSystem", O, V::Text("string")).always(),
        f("architecture", O, V::Text("string")).always(),
        f("swap", O, V::Struct(264)).pointer(),
        f("runningInUserNamespace", O, V::Bool).pointer(),
    ]),
    // 266
    t("core/v1.ObjectFieldSelector", &[
        f("apiVersion", O, V::Text("string")),
        f("fieldPath", O, V::Text("string")).always(),
    ]),
    // 267
    t("core/v1.ObjectReference", &[
        f("kind", O, V::Text("string")),
        f("namespace", O, V::Text("string")),
        f("name", O, V::Text("string")),
        f("uid", O, V::Text("types.UID")),
        f("apiVersion", O, V::Text("string")),
        f("resourceVersion", O, V::Text("string")),
        f("fieldPath", O, V::Text("string")),
    ]),
    // 268
    t("core/v1.PersistentVolume", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(275)).always().optional(),
        f("status", O, V::Struct(276)).always().optional(),
    ]),
    // 269
    t("core/v1.PersistentVolumeClaim", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(271)).always().optional(),
        f("status", O, V::Struct(272)).always().optional(),
    ]),
    // 270
    t("core/v1.PersistentVolumeClaimCondition", &[
        f("type", O, V::Text("v1.PersistentVolumeClaimConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastProbeTime", O, V::Time).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 271
    t("core/v1.PersistentVolumeClaimSpec", &[
        f("accessModes", L, V::Text("v1.PersistentVolumeAccessMode")),
        f("selector", O, V::Struct(627)).pointer().atomic(),
        f("resources", O, V::Struct(362)).always().optional(),
        f("volumeName", O, V::Text("string")),
        f("storageClassName", O, V::Text("string")).pointer(),
        f("volumeMode", O, V::Text("v1.PersistentVolumeMode")).pointer(),
        f("dataSource", O, V::Struct(352)).pointer().atomic(),
        f("dataSourceRef", O, V::Struct(353)).pointer(),
        f("volumeAttributesClassName", O, V::Text("string")).pointer(),
    ]),
    // 272
    t("core/v1.PersistentVolumeClaimStatus", &[
        f("phase", O, V::Text("v1.PersistentVolumeClaimPhase")),
        f("accessModes", L, V::Text("v1.PersistentVolumeAccessMode")),
        f("capacity", M, V::Quantity).named("v1.ResourceList"),
        f("conditions", L, V::Struct(270)).keyed(&[("type", None)]).merge("type"),
        f("allocatedResources", M, V::Quantity).named("v1.ResourceList"),
        f("allocatedResourceStatuses", M, V::Text("v1.ClaimResourceStatus")),
        f("currentVolumeAttributesClassName", O, V::Text("string")).pointer(),
        f("modifyVolumeStatus", O, V::Struct(239)).pointer(),
        f("healthStatus", O, V::Struct(357)).pointer(),
    ]),
    // 273
    t("core/v1.PersistentVolumeClaimTemplate", &[
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(271)).always(),
    ]),
    // 274
    t("core/v1.PersistentVolumeClaimVolumeSource", &[
        f("claimName", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
    ]),
    // 275
    t("core/v1.PersistentVolumeSpec", &[
        f("capacity", M, V::Quantity).named("v1.ResourceList"),
        f("gcePersistentDisk", O, V::Struct(214)).pointer(),
        f("awsElasticBlockStore", O, V::Struct(152)).pointer(),
        f("hostPath", O, V::Struct(223)).pointer(),
        f("glusterfs", O, V::Struct(217)).pointer(),
        f("nfs", O, V::Struct(240)).pointer(),
        f("rbd", O, V::Struct(306)).pointer(),
        f("iscsi", O, V::Struct(224)).pointer(),
        f("cinder", O, V::Struct(165)).pointer(),
        f("cephfs", O, V::Struct(163)).pointer(),
        f("fc", O, V::Struct(209)).pointer(),
        f("flocker", O, V::Struct(213)).pointer(),
        f("flexVolume", O, V::Struct(211)).pointer(),
        f("azureFile", O, V::Struct(157)).pointer(),
        f("vsphereVolume", O, V::Struct(364)).pointer(),
        f("quobyte", O, V::Struct(305)).pointer(),
        f("azureDisk", O, V::Struct(156)).pointer(),
        f("photonPersistentDisk", O, V::Struct(277)).pointer(),
        f("portworxVolume", O, V::Struct(301)).pointer(),
        f("scaleIO", O, V::Struct(322)).pointer(),
        f("local", O, V::Struct(238)).pointer(),
        f("storageos", O, V::Struct(343)).pointer(),
        f("csi", O, V::Struct(160)).pointer(),
        f("accessModes", L, V::Text("v1.PersistentVolumeAccessMode")),
        f("claimRef", O, V::Struct(267)).pointer().atomic(),
        f("persistentVolumeReclaimPolicy", O, V::Text("v1.PersistentVolumeReclaimPolicy")),
        f("storageClassName", O, V::Text("string")),
        f("mountOptions", L, V::Text("string")),
        f("volumeMode", O, V::Text("v1.PersistentVolumeMode")).pointer(),
        f("nodeAffinity", O, V::Struct(360)).pointer(),
        f("volumeAttributesClassName", O, V::Text("string")).pointer(),
    ]),
    // 276
    t("core/v1.PersistentVolumeStatus", &[
        f("phase", O, V::Text("v1.PersistentVolumePhase")),
        f("message", O, V::Text("string")),
        f("reason", O, V::Text("string")),
        f("lastPhaseTransitionTime", O, V::Time).pointer(),
    ]),
    // 277
    t("core/v1.PhotonPersistentDiskVolumeSource", &[
        f("pdID", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
    ]),
    // 278
    t("core/v1.Pod", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(295)).always().optional(),
        f("status", O, V::Struct(296)).always().optional(),
    ]),
    // 279
    t("core/v1.PodAffinity", &[
        f("requiredDuringSchedulingIgnoredDuringExecution", L, V::Struct(280)),
        f("preferredDuringSchedulingIgnoredDuringExecution", L, V::Struct(365)),
    ]),
    // 280
    t("core/v1.PodAffinityTerm", &[
        f("labelSelector", O, V::Struct(627)).pointer().atomic(),
        f("namespaces", L, V::Text("string")),
        f("topologyKey", O, V::Text("string")).always(),
        f("namespaceSelector", O, V::Struct(627)).pointer().atomic(),
        f("matchLabelKeys", L, V::Text("string")),
        f("mismatchLabelKeys", L, V::Text("string")),
    ]),
    // 281
    t("core/v1.PodAntiAffinity", &[
        f("requiredDuringSchedulingIgnoredDuringExecution", L, V::Struct(280)),
        f("preferredDuringSchedulingIgnoredDuringExecution", L, V::Struct(365)),
    ]),
    // 282
    t("core/v1.PodCertificateProjection", &[
        f("signerName", O, V::Text("string")),
        f("keyType", O, V::Text("string")),
        f("maxExpirationSeconds", O, V::Int("int32", 32)).pointer(),
        f("credentialBundlePath", O, V::Text("string")),
        f("keyPath", O, V::Text("string")),
        f("certificateChainPath", O, V::Text("string")),
        f("userAnnotations", M, V::Text("string")),
        f("user", O, V::Int("int64", 64)).pointer(),
    ]),
    // 283
    t("core/v1.PodCondition", &[
        f("type", O, V::Text("v1.PodConditionType")).always(),
        f("observedGeneration", O, V::Int("int64", 64)),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastProbeTime", O, V::Time).always().optional(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 284
    t("core/v1.PodDNSConfig", &[
        f("nameservers", L, V::Text("string")),
        f("searches", L, V::Text("string")),
        f("options", L, V::Struct(285)),
    ]),
    // 285
    t("core/v1.PodDNSConfigOption", &[
        f("name", O, V::Text("string")),
        f("value", O, V::Text("string")).pointer(),
    ]),
    // 286
    t("core/v1.PodExtendedResourceClaimStatus", &[
        f("requestMappings", L, V::Struct(178)).always(),
        f("resourceClaimName", O, V::Text("string")).always(),
    ]),
    // 287
    t("core/v1.PodIP", &[
        f("ip", O, V::Text("string")).always(),
    ]),
    // 288
    t("core/v1.PodOS", &[
        f("name", O, V::Text("v1.OSName")).always(),
    ]),
    // 289
    t("core/v1.PodReadinessGate", &[
        f("conditionType", O, V::Text("v1.PodConditionType")).always(),
    ]),
    // 290
    t("core/v1.PodResourceClaim", &[
        f("name", O, V::Text("string")).always(),
        f("resourceClaimName", O, V::Text("string")).pointer(),
        f("resourceClaimTemplateName", O, V::Text("string")).pointer(),
    ]),
    // 291
    t("core/v1.PodResourceClaimStatus", &[
        f("name", O, V::Text("string")).always(),
        f("resourceClaimName", O, V::Text("string")).pointer(),
    ]),
    // 292
    t("core/v1.PodSchedulingGate", &[
        f("name", O, V::Text("string")).always(),
    ]),
    // 293
    t("core/v1.PodSchedulingGroup", &[
        f("podGroupName", O, V::Text("string")).pointer(),
    ]),
    // 294
    t("core/v1.PodSecurityContext", &[
        f("seLinuxOptions", O, V::Struct(321)).pointer(),
        f("windowsOptions", O, V::Struct(366)).pointer(),
        f("runAsUser", O, V::Int("int64", 64)).pointer(),
        f("runAsGroup", O, V::Int("int64", 64)).pointer(),
        f("runAsNonRoot", O, V::Bool).pointer(),
        f("supplementalGroups", L, V::Int("int64", 64)),
        f("supplementalGroupsPolicy", O, V::Text("v1.SupplementalGroupsPolicy")).pointer(),
        f("fsGroup", O, V::Int("int64", 64)).pointer(),
        f("sysctls", L, V::Struct(345)),
        f("fsGroupChangePolicy", O, V::Text("v1.PodFSGroupChangePolicy")).pointer(),
        f("seccompProfile", O, V::Struct(326)).pointer(),
        f("appArmorProfile", O, V::Struct(154)).pointer(),
        f("seLinuxChangePolicy", O, V::Text("v1.PodSELinuxChangePolicy")).pointer(),
    ]),
    // 295
    t("core/v1.PodSpec", &[
        f("volumes", L, V::Struct(354)).keyed(&[("name", None)]).merge("name"),
        f("initContainers", L, V::Struct(177)).keyed(&[("name", None)]).merge("name"),
        f("containers", L, V::Struct(177)).always().keyed(&[("name", None)]).merge("name"),
        f("ephemeralContainers", L, V::Struct(202)).keyed(&[("name", None)]).merge("name"),
        f("restartPolicy", O, V::Text("v1.RestartPolicy")),
        f("terminationGracePeriodSeconds", O, V::Int("int64", 64)).pointer(),
        f("activeDeadlineSeconds", O, V::Int("int64", 64)).pointer(),
        f("dnsPolicy", O, V::Text("v1.DNSPolicy")),
        f("nodeSelector", M, V::Text("string")).atomic(),
        f("serviceAccountName", O, V::Text("string")),
        f("serviceAccount", O, V::Text("string")),
        f("automountServiceAccountToken", O, V::Bool).pointer(),
        f("nodeName", O, V::Text("string")),
        f("hostNetwork", O, V::Bool),
        f("hostPID", O, V::Bool),
        f("hostIPC", O, V::Bool),
        f("shareProcessNamespace", O, V::Bool).pointer(),
        f("securityContext", O, V::Struct(294)).pointer(),
        f("imagePullSecrets", L, V::Struct(237)).keyed(&[("name", Some(""))]).of_atomic().merge("name"),
        f("hostname", O, V::Text("string")),
        f("subdomain", O, V::Text("string")),
        f("affinity", O, V::Struct(153)).pointer(),
        f("schedulerName", O, V::Text("string")),
        f("tolerations", L, V::Struct(348)),
        f("hostAliases", L, V::Struct(221)).keyed(&[("ip", None)]).merge("ip"),
        f("priorityClassName", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)).pointer(),
        f("dnsConfig", O, V::Struct(284)).pointer(),
        f("readinessGates", L, V::Struct(289)),
        f("runtimeClassName", O, V::Text("string")).pointer(),
        f("enableServiceLinks", O, V::Bool).pointer(),
        f("preemptionPolicy", O, V::Text("v1.PreemptionPolicy")).pointer(),
        f("overhead", M, V::Quantity).named("v1.ResourceList"),
        f("topologySpreadConstraints", L, V::Struct(351)).keyed(&[("topologyKey", None), ("whenUnsatisfiable", None)]).merge("topologyKey"),
        f("setHostnameAsFQDN", O, V::Bool).pointer(),
        f("os", O, V::Struct(288)).pointer(),
        f("hostUsers", O, V::Bool).pointer(),
        f("schedulingGates", L, V::Struct(292)).keyed(&[("name", None)]).merge("name"),
        f("resourceClaims", L, V::Struct(290)).keyed(&[("name", None)]).merge("name"),
        f("resources", O, V::Struct(319)).pointer(),
        f("hostnameOverride", O, V::Text("string")).pointer(),
        f("schedulingGroup", O, V::Struct(293)).pointer(),
        f("evictionResponders", L, V::Struct(207)).keyed(&[("name", None)]).of_atomic().merge("name"),
    ]),
    // 296
    t("core/v1.PodStatus", &[
        f("observedGeneration", O, V::Int("int64", 64)),
        f("phase", O, V::Text("v1.PodPhase")),
        f("conditions", L, V::Struct(283)).keyed(&[("type", None)]).merge("type"),
        f("message", O, V::Text("string")),
        f("reason", O, V::Text("string")),
        f("nominatedNodeName", O, V::Text("string")),
        f("hostIP", O, V::Text("string")),
        f("hostIPs", L, V::Struct(222)).merge("ip"),
        f("podIP", O, V::Text("string")),
        f("podIPs", L, V::Struct(287)).keyed(&[("ip", None)]).merge("ip"),
        f("startTime", O, V::Time).pointer(),
        f("initContainerStatuses", L, V::Struct(188)),
        f("containerStatuses", L, V::Struct(188)),
        f("qosClass", O, V::Text("v1.PodQOSClass")),
        f("ephemeralContainerStatuses", L, V::Struct(188)),
        f("resize", O, V::Text("v1.PodResizeStatus")),
        f("resourceClaimStatuses", L, V::Struct(291)).keyed(&[("name", None)]).merge("name"),
        f("extendedResourceClaimStatus", O, V::Struct(286)).pointer(),
        f("allocatedResources", M, V::Quantity).named("v1.ResourceList"),
        f("resources", O, V::Struct(319)).pointer(),
        f("nodeAllocatableResourceClaimStatuses", L, V::Struct(250)).keyed(&[("resourceClaimName", None)]).merge("resourceClaimName"),
        f("volumeHealth", L, V::Struct(299)).keyed(&[("name", None)]),
    ]),
    // 297
    t("core/v1.PodTemplate", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("template", O, V::Struct(298)).always().optional(),
    ]),
    // 298
    t("core/v1.PodTemplateSpec", &[
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(295)).always().optional(),
    ]),
    // 299
    t("core/v1.PodVolumeHealth", &[
        f("name", O, V::Text("string")).always(),
        f("healthConditions", L, V::Struct(356)).keyed(&[("status", None), ("reason", None)]).merge("status"),
        f("lastTransitionTime", O, V::Time).always().optional(),
    ]),
    // 300
    t("core/v1.PortStatus", &[
        f("port", O, V::Int("int32", 32)).always(),
        f("protocol", O, V::Text("v1.Protocol")).always(),
        f("error", O, V::Text("string")).pointer(),
    ]),
    // 301
    t("core/v1.PortworxVolumeSource", &[
        f("volumeID", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
    ]),
    // 302
    t("core/v1.PreferredSchedulingTerm", &[
        f("weight", O, V::Int("int32", 32)).always(),
        f("preference", O, V::Struct(261)).always().atomic(),
    ]),
    // 303
    t("core/v1.Probe", &[
        f("exec", O, V::Struct(208)).pointer(),
        f("httpGet", O, V::Struct(219)).pointer(),
        f("tcpSocket", O, V::Struct(346)).pointer(),
        f("grpc", O, V::Struct(215)).pointer(),
        f("initialDelaySeconds", O, V::Int("int32", 32)),
        f("timeoutSeconds", O, V::Int("int32", 32)),
        f("periodSeconds", O, V::Int("int32", 32)),
        f("successThreshold", O, V::Int("int32", 32)),
        f("failureThreshold", O, V::Int("int32", 32)),
        f("terminationGracePeriodSeconds", O, V::Int("int64", 64)).pointer(),
    ]),
    // 304
    t("core/v1.ProjectedVolumeSource", &[
        f("sources", L, V::Struct(361)).always().optional(),
        f("defaultMode", O, V::Int("int32", 32)).pointer(),
        f("defaultUser", O, V::Int("int64", 64)).pointer(),
    ]),
    // 305
    t("core/v1.QuobyteVolumeSource", &[
        f("registry", O, V::Text("string")).always(),
        f("volume", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
        f("user", O, V::Text("string")),
        f("group", O, V::Text("string")),
        f("tenant", O, V::Text("string")),
    ]),
    // 306
    t("core/v1.RBDPersistentVolumeSource", &[
        f("monitors", L, V::Text("string")).always(),
        f("image", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("pool", O, V::Text("string")),
        f("user", O, V::Text("string")),
        f("keyring", O, V::Text("string")),
        f("secretRef", O, V::Struct(331)).pointer().atomic(),
        f("readOnly", O, V::Bool),
    ]),
    // 307
    t("core/v1.RBDVolumeSource", &[
        f("monitors", L, V::Text("string")).always(),
        f("image", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("pool", O, V::Text("string")),
        f("user", O, V::Text("string")),
        f("keyring", O, V::Text("string")),
        f("secretRef", O, V::Struct(237)).pointer().atomic(),
        f("readOnly", O, V::Bool),
    ]),
    // 308
    t("core/v1.RangeAllocation", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("range", O, V::Text("string")).always(),
        f("data", O, V::Bytes).always(),
    ]),
    // 309
    t("core/v1.ReplicationController", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(311)).always().optional(),
        f("status", O, V::Struct(312)).always().optional(),
    ]),
    // 310
    t("core/v1.ReplicationControllerCondition", &[
        f("type", O, V::Text("v1.ReplicationControllerConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 311
    t("core/v1.ReplicationControllerSpec", &[
        f("replicas", O, V::Int("int32", 32)).pointer(),
        f("minReadySeconds", O, V::Int("int32", 32)),
        f("selector", M, V::Text("string")).atomic(),
        f("template", O, V::Struct(298)).pointer(),
    ]),
    // 312
    t("core/v1.ReplicationControllerStatus", &[
        f("replicas", O, V::Int("int32", 32)).always(),
        f("fullyLabeledReplicas", O, V::Int("int32", 32)),
        f("readyReplicas", O, V::Int("int32", 32)),
        f("availableReplicas", O, V::Int("int32", 32)),
        f("observedGeneration", O, V::Int("int64", 64)),
        f("conditions", L, V::Struct(310)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 313
    t("core/v1.ResourceClaim", &[
        f("name", O, V::Text("string")).always(),
        f("request", O, V::Text("string")),
    ]),
    // 314
    t("core/v1.ResourceFieldSelector", &[
        f("containerName", O, V::Text("string")),
        f("resource", O, V::Text("string")).always(),
        f("divisor", O, V::Quantity).always().optional(),
    ]),
    // 315
    t("core/v1.ResourceHealth", &[
        f("resourceID", O, V::Text("v1.ResourceID")).always(),
        f("health", O, V::Text("v1.ResourceHealthStatus")),
        f("message", O, V::Text("string")).pointer(),
    ]),
    // 316
    t("core/v1.ResourceQuota", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(317)).always().optional(),
        f("status", O, V::Struct(318)).always().optional(),
    ]),
    // 317
    t("core/v1.ResourceQuotaSpec", &[
        f("hard", M, V::Quantity).named("v1.ResourceList"),
        f("scopes", L, V::Text("v1.ResourceQuotaScope")),
        f("scopeSelector", O, V::Struct(324)).pointer().atomic(),
    ]),
    // 318
    t("core/v1.ResourceQuotaStatus", &[
        f("hard", M, V::Quantity).named("v1.ResourceList"),
        f("used", M, V::Quantity).named("v1.ResourceList"),
    ]),
    // 319
    t("core/v1.ResourceRequirements", &[
        f("limits", M, V::Quantity).named("v1.ResourceList"),
        f("requests", M, V::Quantity).named("v1.ResourceList"),
        f("claims", L, V::Struct(313)).keyed(&[("name", None)]),
    ]),
    // 320
    t("core/v1.ResourceStatus", &[
        f("name", O, V::Text("v1.ResourceName")).always(),
        f("resources", L, V::Struct(315)).keyed(&[("resourceID", None)]),
    ]),
    // 321
    t("core/v1.SELinuxOptions", &[
        f("user", O, V::Text("string")),
        f("role", O, V::Text("string")),
        f("type", O, V::Text("string")),
        f("level", O, V::Text("string")),
    ]),
    // 322
    t("core/v1.ScaleIOPersistentVolumeSource", &[
        f("gateway", O, V::Text("string")).always(),
        f("system", O, V::Text("string")).always(),
        f("secretRef", O, V::Struct(331)).pointer().always().atomic(),
        f("sslEnabled", O, V::Bool),
        f("protectionDomain", O, V::Text("string")),
        f("storagePool", O, V::Text("string")),
        f("storageMode", O, V::Text("string")),
        f("volumeName", O, V::Text("string")),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
    ]),
    // 323
    t("core/v1.ScaleIOVolumeSource", &[
        f("gateway", O, V::Text("string")).always(),
        f("system", O, V::Text("string")).always(),
        f("secretRef", O, V::Struct(237)).pointer().always().atomic(),
        f("sslEnabled", O, V::Bool),
        f("protectionDomain", O, V::Text("string")),
        f("storagePool", O, V::Text("string")),
        f("storageMode", O, V::Text("string")),
        f("volumeName", O, V::Text("string")),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
    ]),
    // 324
    t("core/v1.ScopeSelector", &[
        f("matchExpressions", L, V::Struct(325)),
    ]),
    // 325
    t("core/v1.ScopedResourceSelectorRequirement", &[
        f("scopeName", O, V::Text("v1.ResourceQuotaScope")).always(),
        f("operator", O, V::Text("v1.ScopeSelectorOperator")).always(),
        f("values", L, V::Text("string")),
    ]),
    // 326
    t("core/v1.SeccompProfile", &[
        f("type", O, V::Text("v1.SeccompProfileType")).always(),
        f("localhostProfile", O, V::Text("string")).pointer(),
    ]),
    // 327
    t("core/v1.Secret", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("immutable", O, V::Bool).pointer(),
        f("data", M, V::Bytes),
        f("stringData", M, V::Text("string")),
        f("type", O, V::Text("v1.SecretType")),
    ]),
    // 328
    t("core/v1.SecretEnvSource", &[
        f("name", O, V::Text("string")),
        f("optional", O, V::Bool).pointer(),
    ]),
    // 329
    t("core/v1.SecretKeySelector", &[
        f("name", O, V::Text("string")),
        f("key", O, V::Text("string")).always(),
        f("optional", O, V::Bool).pointer(),
    ]),
    // 330
    t("core/v1.SecretProjection", &[
        f("name", O, V::Text("string")),
        f("items", L, V::Struct(228)),
        f("optional", O, V::Bool).pointer(),
    ]),
    // 331
    t("core/v1.SecretReference", &[
        f("name", O, V::Text("string")),
        f("namespace", O, V::Text("string")),
    ]),
    // 332
    t("core/v1.SecretVolumeSource", &[
        f("secretName", O, V::Text("string")),
        f("items", L, V::Struct(228)),
        f("defaultMode", O, V::Int("int32", 32)).pointer(),
        f("optional", O, V::Bool).pointer(),
        f("defaultUser", O, V::Int("int64", 64)).pointer(),
    ]),
    // 333
    t("core/v1.SecurityContext", &[
        f("capabilities", O, V::Struct(162)).pointer(),
        f("privileged", O, V::Bool).pointer(),
        f("seLinuxOptions", O, V::Struct(321)).pointer(),
        f("windowsOptions", O, V::Struct(366)).pointer(),
        f("runAsUser", O, V::Int("int64", 64)).pointer(),
        f("runAsGroup", O, V::Int("int64", 64)).pointer(),
        f("runAsNonRoot", O, V::Bool).pointer(),
        f("readOnlyRootFilesystem", O, V::Bool).pointer(),
        f("allowPrivilegeEscalation", O, V::Bool).pointer(),
        f("procMount", O, V::Text("v1.ProcMountType")).pointer(),
        f("seccompProfile", O, V::Struct(326)).pointer(),
        f("appArmorProfile", O, V::Struct(154)).pointer(),
    ]),
    // 334
    t("core/v1.SerializedReference", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("reference", O, V::Struct(267)).always().optional().atomic(),
    ]),
    // 335
    t("core/v1.Service", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(339)).always().optional(),
        f("status", O, V::Struct(340)).always().optional(),
    ]),
    // 336
    t("core/v1.ServiceAccount", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("secrets", L, V::Struct(267)).keyed(&[("name", None)]).of_atomic().merge("name"),
        f("imagePullSecrets", L, V::Struct(237)).of_atomic(),
        f("automountServiceAccountToken", O, V::Bool).pointer(),
    ]),
    // 337
    t("core/v1.ServiceAccountTokenProjection", &[
        f("audience", O, V::Text("string")),
        f("expirationSeconds", O, V::Int("int64", 64)).pointer(),
        f("path", O, V::Text("string")).always(),
        f("user", O, V::Int("int64", 64)).pointer(),
    ]),
    // 338
    t("core/v1.ServicePort", &[
        f("name", O, V::Text("string")),
        f("protocol", O, V::Text("v1.Protocol")),
        f("appProtocol", O, V::Text("string")).pointer(),
        f("port", O, V::Int("int32", 32)).always(),
        f("targetPort", O, V::IntOrString).always().optional(),
        f("nodePort", O, V::Int("int32", 32)),
    ]),
    // 339
    t("core/v1.ServiceSpec", &[
        f("ports", L, V::Struct(338)).keyed(&[("port", None), ("protocol", Some("TCP"))]).merge("port"),
        f("selector", M, V::Text("string")).atomic(),
        f("clusterIP", O, V::Text("string")),
        f("clusterIPs", L, V::Text("string")),
        f("type", O, V::Text("v1.ServiceType")),
        f("externalIPs", L, V::Text("string")),
        f("sessionAffinity", O, V::Text("v1.ServiceAffinity")),
        f("loadBalancerIP", O, V::Text("string")),
        f("loadBalancerSourceRanges", L, V::Text("string")),
        f("externalName", O, V::Text("string")),
        f("externalTrafficPolicy", O, V::Text("v1.ServiceExternalTrafficPolicy")),
        f("healthCheckNodePort", O, V::Int("int32", 32)),
        f("publishNotReadyAddresses", O, V::Bool),
        f("sessionAffinityConfig", O, V::Struct(341)).pointer(),
        f("ipFamilies", L, V::Text("v1.IPFamily")),
        f("ipFamilyPolicy", O, V::Text("v1.IPFamilyPolicy")).pointer(),
        f("allocateLoadBalancerNodePorts", O, V::Bool).pointer(),
        f("loadBalancerClass", O, V::Text("string")).pointer(),
        f("internalTrafficPolicy", O, V::Text("v1.ServiceInternalTrafficPolicy")).pointer(),
        f("trafficDistribution", O, V::Text("string")).pointer(),
    ]),
    // 340
    t("core/v1.ServiceStatus", &[
        f("loadBalancer", O, V::Struct(236)).always().optional(),
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 341
    t("core/v1.SessionAffinityConfig", &[
        f("clientIP", O, V::Struct(167)).pointer(),
    ]),
    // 342
    t("core/v1.SleepAction", &[
        f("seconds", O, V::Int("int64", 64)).always(),
    ]),
    // 343
    t("core/v1.StorageOSPersistentVolumeSource", &[
        f("volumeName", O, V::Text("string")),
        f("volumeNamespace", O, V::Text("string")),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
        f("secretRef", O, V::Struct(267)).pointer().atomic(),
    ]),
    // 344
    t("core/v1.StorageOSVolumeSource", &[
        f("volumeName", O, V::Text("string")),
        f("volumeNamespace", O, V::Text("string")),
        f("fsType", O, V::Text("string")),
        f("readOnly", O, V::Bool),
        f("secretRef", O, V::Struct(237)).pointer().atomic(),
    ]),
    // 345
    t("core/v1.Sysctl", &[
        f("name", O, V::Text("string")).always(),
        f("value", O, V::Text("string")).always(),
    ]),
    // 346
    t("core/v1.TCPSocketAction", &[
        f("port", O, V::IntOrString).always(),
        f("host", O, V::Text("string")),
    ]),
    // 347
    t("core/v1.Taint", &[
        f("key", O, V::Text("string")).always(),
        f("value", O, V::Text("string")),
        f("effect", O, V::Text("v1.TaintEffect")).always(),
        f("timeAdded", O, V::Time).pointer(),
    ]),
    // 348
    t("core/v1.Toleration", &[
        f("key", O, V::Text("string")),
        f("operator", O, V::Text("v1.TolerationOperator")),
        f("value", O, V::Text("string")),
        f("effect", O, V::Text("v1.TaintEffect")),
        f("tolerationSeconds", O, V::Int("int64", 64)).pointer(),
    ]),
    // 349
    t("core/v1.TopologySelectorLabelRequirement", &[
        f("key", O, V::Text("string")).always(),
        f("values", L, V::Text("string")).always(),
    ]),
    // 350
    t("core/v1.TopologySelectorTerm", &[
        f("matchLabelExpressions", L, V::Struct(349)),
    ]),
    // 351
    t("core/v1.TopologySpreadConstraint", &[
        f("maxSkew", O, V::Int("int32", 32)).always(),
        f("topologyKey", O, V::Text("string")).always(),
        f("whenUnsatisfiable", O, V::Text("v1.UnsatisfiableConstraintAction")).always(),
        f("labelSelector", O, V::Struct(627)).pointer().atomic(),
        f("minDomains", O, V::Int("int32", 32)).pointer(),
        f("nodeAffinityPolicy", O, V::Text("v1.NodeInclusionPolicy")).pointer(),
        f("nodeTaintsPolicy", O, V::Text("v1.NodeInclusionPolicy")).pointer(),
        f("matchLabelKeys", L, V::Text("string")),
    ]),
    // 352
    t("core/v1.TypedLocalObjectReference", &[
        f("apiGroup", O, V::Text("string")).pointer().always().optional(),
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
    ]),
    // 353
    t("core/v1.TypedObjectReference", &[
        f("apiGroup", O, V::Text("string")).pointer().always().optional(),
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("namespace", O, V::Text("string")).pointer(),
    ]),
    // 354
    t("core/v1.Volume", &[
        f("name", O, V::Text("string")).always(),
        f("hostPath", O, V::Struct(223)).pointer(),
        f("emptyDir", O, V::Struct(194)).pointer(),
        f("gcePersistentDisk", O, V::Struct(214)).pointer(),
        f("awsElasticBlockStore", O, V::Struct(152)).pointer(),
        f("gitRepo", O, V::Struct(216)).pointer(),
        f("secret", O, V::Struct(332)).pointer(),
        f("nfs", O, V::Struct(240)).pointer(),
        f("iscsi", O, V::Struct(225)).pointer(),
        f("glusterfs", O, V::Struct(218)).pointer(),
        f("persistentVolumeClaim", O, V::Struct(274)).pointer(),
        f("rbd", O, V::Struct(307)).pointer(),
        f("flexVolume", O, V::Struct(212)).pointer(),
        f("cinder", O, V::Struct(166)).pointer(),
        f("cephfs", O, V::Struct(164)).pointer(),
        f("flocker", O, V::Struct(213)).pointer(),
        f("downwardAPI", O, V::Struct(193)).pointer(),
        f("fc", O, V::Struct(209)).pointer(),
        f("azureFile", O, V::Struct(158)).pointer(),
        f("configMap", O, V::Struct(176)).pointer(),
        f("vsphereVolume", O, V::Struct(364)).pointer(),
        f("quobyte", O, V::Struct(305)).pointer(),
        f("azureDisk", O, V::Struct(156)).pointer(),
        f("photonPersistentDisk", O, V::Struct(277)).pointer(),
        f("projected", O, V::Struct(304)).pointer(),
        f("portworxVolume", O, V::Struct(301)).pointer(),
        f("scaleIO", O, V::Struct(323)).pointer(),
        f("storageos", O, V::Struct(344)).pointer(),
        f("csi", O, V::Struct(161)).pointer(),
        f("ephemeral", O, V::Struct(203)).pointer(),
        f("image", O, V::Struct(226)).pointer(),
    ]),
    // 355
    t("core/v1.VolumeDevice", &[
        f("name", O, V::Text("string")).always(),
        f("devicePath", O, V::Text("string")).always(),
    ]),
    // 356
    t("core/v1.VolumeHealthCondition", &[
        f("status", O, V::Text("v1.VolumeHealthStatusType")).always(),
        f("reason", O, V::Text("string")).always(),
        f("message", O, V::Text("string")),
    ]),
    // 357
    t("core/v1.VolumeHealthStatus", &[
        f("healthConditions", L, V::Struct(356)).keyed(&[("status", None), ("reason", None)]).merge("status"),
        f("lastTransitionTime", O, V::Time).always().optional(),
    ]),
    // 358
    t("core/v1.VolumeMount", &[
        f("name", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
        f("recursiveReadOnly", O, V::Text("v1.RecursiveReadOnlyMode")).pointer(),
        f("mountPath", O, V::Text("string")).always(),
        f("subPath", O, V::Text("string")),
        f("mountPropagation", O, V::Text("v1.MountPropagationMode")).pointer(),
        f("subPathExpr", O, V::Text("string")),
        f("bindMountOptions", L, V::Text("string")).set(),
    ]),
    // 359
    t("core/v1.VolumeMountStatus", &[
        f("name", O, V::Text("string")).always(),
        f("mountPath", O, V::Text("string")).always(),
        f("readOnly", O, V::Bool),
        f("recursiveReadOnly", O, V::Text("v1.RecursiveReadOnlyMode")).pointer(),
        f("volumeStatus", O, V::Struct(363)).pointer(),
    ]),
    // 360
    t("core/v1.VolumeNodeAffinity", &[
        f("required", O, V::Struct(259)).pointer().atomic(),
    ]),
    // 361
    t("core/v1.VolumeProjection", &[
        f("secret", O, V::Struct(330)).pointer(),
        f("downwardAPI", O, V::Struct(191)).pointer(),
        f("configMap", O, V::Struct(175)).pointer(),
        f("serviceAccountToken", O, V::Struct(337)).pointer(),
        f("clusterTrustBundle", O, V::Struct(168)).pointer(),
        f("podCertificate", O, V::Struct(282)).pointer(),
    ]),
    // 362
    t("core/v1.VolumeResourceRequirements", &[
        f("limits", M, V::Quantity).named("v1.ResourceList"),
        f("requests", M, V::Quantity).named("v1.ResourceList"),
    ]),
    // 363
    t("core/v1.VolumeStatus", &[
        f("image", O, V::Struct(227)).pointer(),
    ]),
    // 364
    t("core/v1.VsphereVirtualDiskVolumeSource", &[
        f("volumePath", O, V::Text("string")).always(),
        f("fsType", O, V::Text("string")),
        f("storagePolicyName", O, V::Text("string")),
        f("storagePolicyID", O, V::Text("string")),
    ]),
    // 365
    t("core/v1.WeightedPodAffinityTerm", &[
        f("weight", O, V::Int("int32", 32)).always(),
        f("podAffinityTerm", O, V::Struct(280)).always(),
    ]),
    // 366
    t("core/v1.WindowsSecurityContextOptions", &[
        f("gmsaCredentialSpecName", O, V::Text("string")).pointer(),
        f("gmsaCredentialSpec", O, V::Text("string")).pointer(),
        f("runAsUserName", O, V::Text("string")).pointer(),
        f("hostProcess", O, V::Bool).pointer(),
    ]),
    // 367
    t("discovery/v1.Endpoint", &[
        f("addresses", L, V::Text("string")).always().set(),
        f("conditions", O, V::Struct(368)).always().optional(),
        f("hostname", O, V::Text("string")).pointer(),
        f("targetRef", O, V::Struct(267)).pointer().atomic(),
        f("deprecatedTopology", M, V::Text("string")),
        f("nodeName", O, V::Text("string")).pointer(),
        f("zone", O, V::Text("string")).pointer(),
        f("hints", O, V::Struct(369)).pointer(),
    ]),
    // 368
    t("discovery/v1.EndpointConditions", &[
        f("ready", O, V::Bool).pointer(),
        f("serving", O, V::Bool).pointer(),
        f("terminating", O, V::Bool).pointer(),
    ]),
    // 369
    t("discovery/v1.EndpointHints", &[
        f("forZones", L, V::Struct(373)),
        f("forNodes", L, V::Struct(372)),
    ]),
    // 370
    t("discovery/v1.EndpointPort", &[
        f("name", O, V::Text("string")).pointer(),
        f("protocol", O, V::Text("v1.Protocol")).pointer(),
        f("port", O, V::Int("int32", 32)).pointer(),
        f("appProtocol", O, V::Text("string")).pointer(),
    ]),
    // 371
    t("discovery/v1.EndpointSlice", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("addressType", O, V::Text("v1.AddressType")).always(),
        f("endpoints", L, V::Struct(367)).always().optional(),
        f("ports", L, V::Struct(370)).always().optional().of_atomic(),
    ]),
    // 372
    t("discovery/v1.ForNode", &[
        f("name", O, V::Text("string")).always(),
    ]),
    // 373
    t("discovery/v1.ForZone", &[
        f("name", O, V::Text("string")).always(),
    ]),
    // 374
    t("events/v1.Event", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always(),
        f("eventTime", O, V::MicroTime).always(),
        f("series", O, V::Struct(375)).pointer(),
        f("reportingController", O, V::Text("string")),
        f("reportingInstance", O, V::Text("string")),
        f("action", O, V::Text("string")),
        f("reason", O, V::Text("string")),
        f("regarding", O, V::Struct(267)).always().optional().atomic(),
        f("related", O, V::Struct(267)).pointer().atomic(),
        f("note", O, V::Text("string")),
        f("type", O, V::Text("string")),
        f("deprecatedSource", O, V::Struct(206)).always().optional(),
        f("deprecatedFirstTimestamp", O, V::Time).always().optional(),
        f("deprecatedLastTimestamp", O, V::Time).always().optional(),
        f("deprecatedCount", O, V::Int("int32", 32)),
    ]),
    // 375
    t("events/v1.EventSeries", &[
        f("count", O, V::Int("int32", 32)).always(),
        f("lastObservedTime", O, V::MicroTime).always(),
    ]),
    // 376
    t("flowcontrol/v1.ExemptPriorityLevelConfiguration", &[
        f("nominalConcurrencyShares", O, V::Int("int32", 32)).pointer(),
        f("lendablePercent", O, V::Int("int32", 32)).pointer(),
    ]),
    // 377
    t("flowcontrol/v1.FlowDistinguisherMethod", &[
        f("type", O, V::Text("v1.FlowDistinguisherMethodType")).always(),
    ]),
    // 378
    t("flowcontrol/v1.FlowSchema", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(380)).always().optional(),
        f("status", O, V::Struct(381)).always().optional(),
    ]),
    // 379
    t("flowcontrol/v1.FlowSchemaCondition", &[
        f("type", O, V::Text("v1.FlowSchemaConditionType")),
        f("status", O, V::Text("v1.ConditionStatus")),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 380
    t("flowcontrol/v1.FlowSchemaSpec", &[
        f("priorityLevelConfiguration", O, V::Struct(389)).always(),
        f("matchingPrecedence", O, V::Int("int32", 32)).always().optional(),
        f("distinguisherMethod", O, V::Struct(377)).pointer(),
        f("rules", L, V::Struct(386)),
    ]),
    // 381
    t("flowcontrol/v1.FlowSchemaStatus", &[
        f("conditions", L, V::Struct(379)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 382
    t("flowcontrol/v1.GroupSubject", &[
        f("name", O, V::Text("string")).always(),
    ]),
    // 383
    t("flowcontrol/v1.LimitResponse", &[
        f("type", O, V::Text("v1.LimitResponseType")).always(),
        f("queuing", O, V::Struct(392)).pointer(),
    ]),
    // 384
    t("flowcontrol/v1.LimitedPriorityLevelConfiguration", &[
        f("nominalConcurrencyShares", O, V::Int("int32", 32)).pointer().always().optional(),
        f("limitResponse", O, V::Struct(383)).always().optional(),
        f("lendablePercent", O, V::Int("int32", 32)).pointer(),
        f("borrowingLimitPercent", O, V::Int("int32", 32)).pointer(),
    ]),
    // 385
    t("flowcontrol/v1.NonResourcePolicyRule", &[
        f("verbs", L, V::Text("string")).always().set(),
        f("nonResourceURLs", L, V::Text("string")).always().set(),
    ]),
    // 386
    t("flowcontrol/v1.PolicyRulesWithSubjects", &[
        f("subjects", L, V::Struct(395)).always(),
        f("resourceRules", L, V::Struct(393)),
        f("nonResourceRules", L, V::Struct(385)),
    ]),
    // 387
    t("flowcontrol/v1.PriorityLevelConfiguration", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(390)).always().optional(),
        f("status", O, V::Struct(391)).always().optional(),
    ]),
    // 388
    t("flowcontrol/v1.PriorityLevelConfigurationCondition", &[
        f("type", O, V::Text("v1.PriorityLevelConfigurationConditionType")),
        f("status", O, V::Text("v1.ConditionStatus")),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 389
    t("flowcontrol/v1.PriorityLevelConfigurationReference", &[
        f("name", O, V::Text("string")).always(),
    ]),
    // 390
    t("flowcontrol/v1.PriorityLevelConfigurationSpec", &[
        f("type", O, V::Text("v1.PriorityLevelEnablement")).always(),
        f("limited", O, V::Struct(384)).pointer(),
        f("exempt", O, V::Struct(376)).pointer(),
    ]),
    // 391
    t("flowcontrol/v1.PriorityLevelConfigurationStatus", &[
        f("conditions", L, V::Struct(388)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 392
    t("flowcontrol/v1.QueuingConfiguration", &[
        f("queues", O, V::Int("int32", 32)).always().optional(),
        f("handSize", O, V::Int("int32", 32)).always().optional(),
        f("queueLengthLimit", O, V::Int("int32", 32)).always().optional(),
    ]),
    // 393
    t("flowcontrol/v1.ResourcePolicyRule", &[
        f("verbs", L, V::Text("string")).always().set(),
        f("apiGroups", L, V::Text("string")).always().set(),
        f("resources", L, V::Text("string")).always().set(),
        f("clusterScope", O, V::Bool),
        f("namespaces", L, V::Text("string")).always().optional().set(),
    ]),
    // 394
    t("flowcontrol/v1.ServiceAccountSubject", &[
        f("namespace", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
    ]),
    // 395
    t("flowcontrol/v1.Subject", &[
        f("kind", O, V::Text("v1.SubjectKind")).always(),
        f("user", O, V::Struct(396)).pointer(),
        f("group", O, V::Struct(382)).pointer(),
        f("serviceAccount", O, V::Struct(394)).pointer(),
    ]),
    // 396
    t("flowcontrol/v1.UserSubject", &[
        f("name", O, V::Text("string")).always(),
    ]),
    // 397
    t("imagepolicy/v1alpha1.ImageReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(399)).always().optional(),
        f("status", O, V::Struct(400)).always().optional(),
    ]),
    // 398
    t("imagepolicy/v1alpha1.ImageReviewContainerSpec", &[
        f("image", O, V::Text("string")),
    ]),
    // 399
    t("imagepolicy/v1alpha1.ImageReviewSpec", &[
        f("containers", L, V::Struct(398)),
        f("annotations", M, V::Text("string")),
        f("namespace", O, V::Text("string")),
    ]),
    // 400
    t("imagepolicy/v1alpha1.ImageReviewStatus", &[
        f("allowed", O, V::Bool).always().optional(),
        f("reason", O, V::Text("string")),
        f("auditAnnotations", M, V::Text("string")),
    ]),
    // 401
    t("lifecycle/v1alpha1.Eviction", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(408)).always(),
        f("status", O, V::Struct(409)).always().optional(),
    ]),
    // 402
    t("lifecycle/v1alpha1.EvictionPodReference", &[
        f("name", O, V::Text("string")).always(),
        f("uid", O, V::Text("types.UID")).always(),
    ]),
    // 403
    t("lifecycle/v1alpha1.EvictionRequest", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(405)).always(),
        f("status", O, V::Struct(406)).always().optional(),
    ]),
    // 404
    t("lifecycle/v1alpha1.EvictionRequestPodReference", &[
        f("name", O, V::Text("string")).always(),
        f("uid", O, V::Text("types.UID")).always(),
    ]),
    // 405
    t("lifecycle/v1alpha1.EvictionRequestSpec", &[
        f("target", O, V::Struct(407)).always(),
        f("requester", O, V::Text("string")).always(),
        f("intent", O, V::Text("v1alpha1.EvictionRequestIntent")).always(),
    ]),
    // 406
    t("lifecycle/v1alpha1.EvictionRequestStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
        f("observedGeneration", O, V::Int("int64", 64)).pointer(),
    ]),
    // 407
    t("lifecycle/v1alpha1.EvictionRequestTarget", &[
        f("pod", O, V::Struct(404)).pointer(),
    ]),
    // 408
    t("lifecycle/v1alpha1.EvictionSpec", &[
        f("target", O, V::Struct(410)).always(),
    ]),
    // 409
    t("lifecycle/v1alpha1.EvictionStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
        f("observedGeneration", O, V::Int("int64", 64)).pointer(),
        f("requesters", L, V::Struct(411)).keyed(&[("name", None)]).of_atomic().merge("name"),
        f("targetResponders", L, V::Struct(413)).keyed(&[("name", None)]).of_atomic().merge("name"),
        f("responders", L, V::Struct(412)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 410
    t("lifecycle/v1alpha1.EvictionTarget", &[
        f("pod", O, V::Struct(402)).pointer(),
    ]),
    // 411
    t("lifecycle/v1alpha1.Requester", &[
        f("name", O, V::Text("string")).always(),
        f("intent", O, V::Text("v1alpha1.RequesterIntent")).always(),
    ]),
    // 412
    t("lifecycle/v1alpha1.ResponderStatus", &[
        f("name", O, V::Text("string")).always(),
        f("startTime", O, V::Time).pointer(),
        f("heartbeatTime", O, V::Time).pointer(),
        f("expectedCompletionTime", O, V::Time).pointer(),
        f("completionTime", O, V::Time).pointer(),
        f("message", O, V::Text("string")).pointer(),
    ]),
    // 413
    t("lifecycle/v1alpha1.TargetResponder", &[
        f("name", O, V::Text("string")).always(),
        f("priority", O, V::Int("int32", 32)).pointer().always(),
        f("state", O, V::Text("v1alpha1.ResponderStateType")).always(),
    ]),
    // 414
    t("networking/v1.HTTPIngressPath", &[
        f("path", O, V::Text("string")),
        f("pathType", O, V::Text("v1.PathType")).pointer().always(),
        f("backend", O, V::Struct(420)).always(),
    ]),
    // 415
    t("networking/v1.HTTPIngressRuleValue", &[
        f("paths", L, V::Struct(414)).always(),
    ]),
    // 416
    t("networking/v1.IPAddress", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(417)).always().optional(),
    ]),
    // 417
    t("networking/v1.IPAddressSpec", &[
        f("parentRef", O, V::Struct(438)).pointer(),
    ]),
    // 418
    t("networking/v1.IPBlock", &[
        f("cidr", O, V::Text("string")).always(),
        f("except", L, V::Text("string")),
    ]),
    // 419
    t("networking/v1.Ingress", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(429)).always().optional(),
        f("status", O, V::Struct(430)).always().optional(),
    ]),
    // 420
    t("networking/v1.IngressBackend", &[
        f("service", O, V::Struct(428)).pointer(),
        f("resource", O, V::Struct(352)).pointer().atomic(),
    ]),
    // 421
    t("networking/v1.IngressClass", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(423)).always().optional(),
    ]),
    // 422
    t("networking/v1.IngressClassParametersReference", &[
        f("apiGroup", O, V::Text("string")).pointer(),
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("scope", O, V::Text("string")).pointer().always().optional(),
        f("namespace", O, V::Text("string")).pointer(),
    ]),
    // 423
    t("networking/v1.IngressClassSpec", &[
        f("controller", O, V::Text("string")),
        f("parameters", O, V::Struct(422)).pointer(),
    ]),
    // 424
    t("networking/v1.IngressLoadBalancerIngress", &[
        f("ip", O, V::Text("string")),
        f("hostname", O, V::Text("string")),
        f("ports", L, V::Struct(426)),
    ]),
    // 425
    t("networking/v1.IngressLoadBalancerStatus", &[
        f("ingress", L, V::Struct(424)),
    ]),
    // 426
    t("networking/v1.IngressPortStatus", &[
        f("port", O, V::Int("int32", 32)).always(),
        f("protocol", O, V::Text("v1.Protocol")).always(),
        f("error", O, V::Text("string")).pointer(),
    ]),
    // 427
    t("networking/v1.IngressRule", &[
        f("host", O, V::Text("string")),
        f("http", O, V::Struct(415)).pointer(),
    ]),
    // 428
    t("networking/v1.IngressServiceBackend", &[
        f("name", O, V::Text("string")).always(),
        f("port", O, V::Struct(439)).always().optional().atomic(),
    ]),
    // 429
    t("networking/v1.IngressSpec", &[
        f("ingressClassName", O, V::Text("string")).pointer(),
        f("defaultBackend", O, V::Struct(420)).pointer(),
        f("tls", L, V::Struct(431)),
        f("rules", L, V::Struct(427)),
    ]),
    // 430
    t("networking/v1.IngressStatus", &[
        f("loadBalancer", O, V::Struct(425)).always().optional(),
    ]),
    // 431
    t("networking/v1.IngressTLS", &[
        f("hosts", L, V::Text("string")),
        f("secretName", O, V::Text("string")),
    ]),
    // 432
    t("networking/v1.NetworkPolicy", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(437)).always().optional(),
    ]),
    // 433
    t("networking/v1.NetworkPolicyEgressRule", &[
        f("ports", L, V::Struct(436)),
        f("to", L, V::Struct(435)),
    ]),
    // 434
    t("networking/v1.NetworkPolicyIngressRule", &[
        f("ports", L, V::Struct(436)),
        f("from", L, V::Struct(435)),
    ]),
    // 435
    t("networking/v1.NetworkPolicyPeer", &[
        f("podSelector", O, V::Struct(627)).pointer().atomic(),
        f("namespaceSelector", O, V::Struct(627)).pointer().atomic(),
        f("ipBlock", O, V::Struct(418)).pointer(),
    ]),
    // 436
    t("networking/v1.NetworkPolicyPort", &[
        f("protocol", O, V::Text("v1.Protocol")).pointer(),
        f("port", O, V::IntOrString).pointer(),
        f("endPort", O, V::Int("int32", 32)).pointer(),
    ]),
    // 437
    t("networking/v1.NetworkPolicySpec", &[
        f("podSelector", O, V::Struct(627)).always().optional().atomic(),
        f("ingress", L, V::Struct(434)),
        f("egress", L, V::Struct(433)),
        f("policyTypes", L, V::Text("v1.PolicyType")),
    ]),
    // 438
    t("networking/v1.ParentReference", &[
        f("group", O, V::Text("string")),
        f("resource", O, V::Text("string")),
        f("namespace", O, V::Text("string")),
        f("name", O, V::Text("string")),
    ]),
    // 439
    t("networking/v1.ServiceBackendPort", &[
        f("name", O, V::Text("string")),
        f("number", O, V::Int("int32", 32)),
    ]),
    // 440
    t("networking/v1.ServiceCIDR", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(441)).always().optional(),
        f("status", O, V::Struct(442)).always().optional(),
    ]),
    // 441
    t("networking/v1.ServiceCIDRSpec", &[
        f("cidrs", L, V::Text("string")),
    ]),
    // 442
    t("networking/v1.ServiceCIDRStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 443
    t("node/v1.Overhead", &[
        f("podFixed", M, V::Quantity).named("v1.ResourceList"),
    ]),
    // 444
    t("node/v1.RuntimeClass", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("handler", O, V::Text("string")).always(),
        f("overhead", O, V::Struct(443)).pointer(),
        f("scheduling", O, V::Struct(445)).pointer(),
    ]),
    // 445
    t("node/v1.Scheduling", &[
        f("nodeSelector", M, V::Text("string")).atomic(),
        f("tolerations", L, V::Struct(348)),
    ]),
    // 446
    t("policy/v1.Eviction", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("deleteOptions", O, V::Struct(621)).pointer(),
    ]),
    // 447
    t("policy/v1.PodDisruptionBudget", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(448)).always().optional(),
        f("status", O, V::Struct(449)).always().optional(),
    ]),
    // 448
    t("policy/v1.PodDisruptionBudgetSpec", &[
        f("minAvailable", O, V::IntOrString).pointer(),
        f("selector", O, V::Struct(627)).pointer().atomic().replace(),
        f("maxUnavailable", O, V::IntOrString).pointer(),
        f("unhealthyPodEvictionPolicy", O, V::Text("v1.UnhealthyPodEvictionPolicyType")).pointer(),
    ]),
    // 449
    t("policy/v1.PodDisruptionBudgetStatus", &[
        f("observedGeneration", O, V::Int("int64", 64)),
        f("disruptedPods", M, V::Time),
        f("disruptionsAllowed", O, V::Int("int32", 32)).always().optional(),
        f("currentHealthy", O, V::Int("int32", 32)).always().optional(),
        f("desiredHealthy", O, V::Int("int32", 32)).always().optional(),
        f("expectedPods", O, V::Int("int32", 32)).always().optional(),
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 450
    t("rbac/v1.AggregationRule", &[
        f("clusterRoleSelectors", L, V::Struct(627)).of_atomic(),
    ]),
    // 451
    t("rbac/v1.ClusterRole", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("rules", L, V::Struct(453)).always().optional(),
        f("aggregationRule", O, V::Struct(450)).pointer(),
    ]),
    // 452
    t("rbac/v1.ClusterRoleBinding", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("subjects", L, V::Struct(457)).of_atomic(),
        f("roleRef", O, V::Struct(456)).always().atomic(),
    ]),
    // 453
    t("rbac/v1.PolicyRule", &[
        f("verbs", L, V::Text("string")).always(),
        f("apiGroups", L, V::Text("string")),
        f("resources", L, V::Text("string")),
        f("resourceNames", L, V::Text("string")),
        f("nonResourceURLs", L, V::Text("string")),
    ]),
    // 454
    t("rbac/v1.Role", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("rules", L, V::Struct(453)).always().optional(),
    ]),
    // 455
    t("rbac/v1.RoleBinding", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("subjects", L, V::Struct(457)).of_atomic(),
        f("roleRef", O, V::Struct(456)).always().atomic(),
    ]),
    // 456
    t("rbac/v1.RoleRef", &[
        f("apiGroup", O, V::Text("string")).always().optional(),
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
    ]),
    // 457
    t("rbac/v1.Subject", &[
        f("kind", O, V::Text("string")).always(),
        f("apiGroup", O, V::Text("string")),
        f("name", O, V::Text("string")).always(),
        f("namespace", O, V::Text("string")),
    ]),
    // 458
    t("resource/v1.AllocatedDeviceStatus", &[
        f("driver", O, V::Text("string")).always(),
        f("pool", O, V::Text("string")).always(),
        f("device", O, V::Text("string")).always(),
        f("shareID", O, V::Text("string")).pointer(),
        f("conditions", L, V::Struct(620)).always().optional().keyed(&[("type", None)]),
        f("data", O, V::Raw("runtime.RawExtension")).pointer(),
        f("networkData", O, V::Struct(490)).pointer(),
    ]),
    // 459
    t("resource/v1.AllocationResult", &[
        f("devices", O, V::Struct(468)).always().optional(),
        f("nodeSelector", O, V::Struct(259)).pointer().atomic(),
        f("allocationTimestamp", O, V::Time).pointer(),
    ]),
    // 460
    t("resource/v1.CELDeviceSelector", &[
        f("expression", O, V::Text("string")).always(),
    ]),
    // 461
    t("resource/v1.CapacityRequestPolicy", &[
        f("default", O, V::Quantity).pointer().always().optional(),
        f("validValues", L, V::Quantity),
        f("validRange", O, V::Struct(462)).pointer(),
    ]),
    // 462
    t("resource/v1.CapacityRequestPolicyRange", &[
        f("min", O, V::Quantity).pointer(),
        f("max", O, V::Quantity).pointer(),
        f("step", O, V::Quantity).pointer(),
    ]),
    // 463
    t("resource/v1.CapacityRequirements", &[
        f("requests", M, V::Quantity),
    ]),
    // 464
    t("resource/v1.Counter", &[
        f("value", O, V::Quantity).always(),
    ]),
    // 465
    t("resource/v1.CounterSet", &[
        f("name", O, V::Text("string")).always(),
        f("counters", M, V::Struct(464)),
    ]),
    // 466
    t("resource/v1.Device", &[
        f("name", O, V::Text("string")).always(),
        f("attributes", M, V::Struct(469)),
        f("capacity", M, V::Struct(470)),
        f("consumesCounters", L, V::Struct(477)),
        f("nodeName", O, V::Text("string")).pointer(),
        f("nodeSelector", O, V::Struct(259)).pointer().atomic(),
        f("allNodes", O, V::Bool).pointer(),
        f("taints", L, V::Struct(483)),
        f("bindsToNode", O, V::Bool).pointer(),
        f("bindingConditions", L, V::Text("string")),
        f("bindingFailureConditions", L, V::Text("string")),
        f("allowMultipleAllocations", O, V::Bool).pointer(),
        f("nodeAllocatableResources", M, V::Struct(493)),
    ]),
    // 467
    t("resource/v1.DeviceAllocationConfiguration", &[
        f("source", O, V::Text("v1.AllocationConfigSource")).always(),
        f("requests", L, V::Text("string")),
        f("opaque", O, V::Struct(494)).pointer(),
    ]),
    // 468
    t("resource/v1.DeviceAllocationResult", &[
        f("results", L, V::Struct(480)),
        f("config", L, V::Struct(467)),
    ]),
    // 469
    t("resource/v1.DeviceAttribute", &[
        f("int", O, V::Int("int64", 64)).pointer(),
        f("bool", O, V::Bool).pointer(),
        f("string", O, V::Text("string")).pointer(),
        f("version", O, V::Text("string")).pointer(),
        f("ints", L, V::Int("int64", 64)),
        f("bools", L, V::Bool),
        f("strings", L, V::Text("string")),
        f("versions", L, V::Text("string")),
    ]),
    // 470
    t("resource/v1.DeviceCapacity", &[
        f("value", O, V::Quantity).always(),
        f("requestPolicy", O, V::Struct(461)).pointer(),
    ]),
    // 471
    t("resource/v1.DeviceClaim", &[
        f("requests", L, V::Struct(479)).always().optional(),
        f("constraints", L, V::Struct(476)),
        f("config", L, V::Struct(472)),
    ]),
    // 472
    t("resource/v1.DeviceClaimConfiguration", &[
        f("requests", L, V::Text("string")),
        f("opaque", O, V::Struct(494)).pointer(),
    ]),
    // 473
    t("resource/v1.DeviceClass", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(475)).always().optional(),
    ]),
    // 474
    t("resource/v1.DeviceClassConfiguration", &[
        f("opaque", O, V::Struct(494)).pointer(),
    ]),
    // 475
    t("resource/v1.DeviceClassSpec", &[
        f("selectors", L, V::Struct(481)),
        f("config", L, V::Struct(474)),
        f("extendedResourceName", O, V::Text("string")).pointer(),
    ]),
    // 476
    t("resource/v1.DeviceConstraint", &[
        f("requests", L, V::Text("string")),
        f("matchAttribute", O, V::Text("v1.FullyQualifiedName")).pointer(),
        f("distinctAttribute", O, V::Text("v1.FullyQualifiedName")).pointer(),
    ]),
    // 477
    t("resource/v1.DeviceCounterConsumption", &[
        f("counterSet", O, V::Text("string")).always(),
        f("counters", M, V::Struct(464)),
        f("compatibilityGroups", L, V::Text("string")),
    ]),
    // 478
    t("resource/v1.DeviceDerivedAttribute", &[
        f("name", O, V::Text("v1.FullyQualifiedName")).always(),
        f("expression", O, V::Text("string")).always(),
    ]),
    // 479
    t("resource/v1.DeviceRequest", &[
        f("name", O, V::Text("string")).always(),
        f("exactly", O, V::Struct(489)).pointer(),
        f("firstAvailable", L, V::Struct(482)),
    ]),
    // 480
    t("resource/v1.DeviceRequestAllocationResult", &[
        f("request", O, V::Text("string")).always(),
        f("driver", O, V::Text("string")).always(),
        f("pool", O, V::Text("string")).always(),
        f("device", O, V::Text("string")).always(),
        f("adminAccess", O, V::Bool).pointer(),
        f("tolerations", L, V::Struct(488)),
        f("bindingConditions", L, V::Text("string")),
        f("bindingFailureConditions", L, V::Text("string")),
        f("shareID", O, V::Text("types.UID")).pointer(),
        f("consumedCapacity", M, V::Quantity),
        f("skipNodeOperations", L, V::Text("v1.SkipNodeOperation")).set(),
    ]),
    // 481
    t("resource/v1.DeviceSelector", &[
        f("cel", O, V::Struct(460)).pointer(),
    ]),
    // 482
    t("resource/v1.DeviceSubRequest", &[
        f("name", O, V::Text("string")).always(),
        f("deviceClassName", O, V::Text("string")).always(),
        f("selectors", L, V::Struct(481)),
        f("allocationMode", O, V::Text("v1.DeviceAllocationMode")),
        f("count", O, V::Int("int64", 64)),
        f("tolerations", L, V::Struct(488)),
        f("capacity", O, V::Struct(463)).pointer(),
        f("derivedAttributes", L, V::Struct(478)),
    ]),
    // 483
    t("resource/v1.DeviceTaint", &[
        f("key", O, V::Text("string")).always(),
        f("value", O, V::Text("string")),
        f("effect", O, V::Text("v1.DeviceTaintEffect")).always(),
        f("timeAdded", O, V::Time).pointer(),
    ]),
    // 484
    t("resource/v1.DeviceTaintRule", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(485)).always(),
        f("status", O, V::Struct(486)).always().optional(),
    ]),
    // 485
    t("resource/v1.DeviceTaintRuleSpec", &[
        f("deviceSelector", O, V::Struct(487)).pointer(),
        f("taint", O, V::Struct(483)).always().optional(),
    ]),
    // 486
    t("resource/v1.DeviceTaintRuleStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 487
    t("resource/v1.DeviceTaintSelector", &[
        f("driver", O, V::Text("string")).pointer(),
        f("pool", O, V::Text("string")).pointer(),
        f("device", O, V::Text("string")).pointer(),
    ]),
    // 488
    t("resource/v1.DeviceToleration", &[
        f("key", O, V::Text("string")),
        f("operator", O, V::Text("v1.DeviceTolerationOperator")),
        f("value", O, V::Text("string")),
        f("effect", O, V::Text("v1.DeviceTaintEffect")),
        f("tolerationSeconds", O, V::Int("int64", 64)).pointer(),
    ]),
    // 489
    t("resource/v1.ExactDeviceRequest", &[
        f("deviceClassName", O, V::Text("string")).always(),
        f("selectors", L, V::Struct(481)),
        f("allocationMode", O, V::Text("v1.DeviceAllocationMode")),
        f("count", O, V::Int("int64", 64)),
        f("adminAccess", O, V::Bool).pointer(),
        f("tolerations", L, V::Struct(488)),
        f("capacity", O, V::Struct(463)).pointer(),
        f("derivedAttributes", L, V::Struct(478)),
    ]),
    // 490
    t("resource/v1.NetworkDeviceData", &[
        f("interfaceName", O, V::Text("string")),
        f("ips", L, V::Text("string")),
        f("hardwareAddress", O, V::Text("string")),
    ]),
    // 491
    t("resource/v1.NodeAllocatableMapping", &[
        f("capacityKey", O, V::Text("v1.QualifiedName")).pointer(),
        f("capacityMultiplier", O, V::Quantity).pointer(),
        f("deviceMultiplier", O, V::Quantity).pointer(),
    ]),
    // 492
    t("resource/v1.NodeAllocatableOverhead", &[
        f("perPod", O, V::Quantity).pointer(),
        f("perContainer", O, V::Quantity).pointer(),
    ]),
    // 493
    t("resource/v1.NodeAllocatableResource", &[
        f("mapping", O, V::Struct(491)).pointer(),
        f("overhead", O, V::Struct(492)).pointer(),
    ]),
    // 494
    t("resource/v1.OpaqueDeviceConfiguration", &[
        f("driver", O, V::Text("string")).always(),
        f("parameters", O, V::Raw("runtime.RawExtension")).always(),
    ]),
    // 495
    t("resource/v1.ResourceClaim", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(497)).always().optional(),
        f("status", O, V::Struct(498)).always().optional(),
    ]),
    // 496
    t("resource/v1.ResourceClaimConsumerReference", &[
        f("apiGroup", O, V::Text("string")),
        f("resource", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("uid", O, V::Text("types.UID")).always(),
    ]),
    // 497
    t("resource/v1.ResourceClaimSpec", &[
        f("devices", O, V::Struct(471)).always().optional(),
    ]),
    // 498
    t("resource/v1.ResourceClaimStatus", &[
        f("allocation", O, V::Struct(459)).pointer(),
        f("reservedFor", L, V::Struct(496)).keyed(&[("uid", None)]).merge("uid"),
        f("devices", L, V::Struct(458)).keyed(&[("driver", None), ("device", None), ("pool", None), ("shareID", None)]),
    ]),
    // 499
    t("resource/v1.ResourceClaimTemplate", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(500)).always().optional(),
    ]),
    // 500
    t("resource/v1.ResourceClaimTemplateSpec", &[
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(497)).always().optional(),
    ]),
    // 501
    t("resource/v1.ResourcePool", &[
        f("name", O, V::Text("string")).always(),
        f("generation", O, V::Int("int64", 64)).always(),
        f("resourceSliceCount", O, V::Int("int64", 64)).always(),
    ]),
    // 502
    t("resource/v1.ResourceSlice", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(503)).always(),
    ]),
    // 503
    t("resource/v1.ResourceSliceSpec", &[
        f("driver", O, V::Text("string")).always(),
        f("pool", O, V::Struct(501)).always(),
        f("nodeName", O, V::Text("string")).pointer(),
        f("nodeSelector", O, V::Struct(259)).pointer().atomic(),
        f("allNodes", O, V::Bool).pointer(),
        f("devices", L, V::Struct(466)),
        f("perDeviceNodeSelection", O, V::Bool).pointer(),
        f("sharedCounters", L, V::Struct(465)),
        f("partitionTypeAttribute", O, V::Text("v1.FullyQualifiedName")).pointer(),
        f("skipNodeOperations", L, V::Text("v1.SkipNodeOperation")).set(),
    ]),
    // 504
    t("resource/v1alpha3.PartitionTypeStatus", &[
        f("attribute", O, V::Text("string")),
        f("type", O, V::Text("string")),
        f("total", O, V::Int("int32", 32)).pointer(),
        f("allocatable", O, V::Int("int32", 32)).pointer(),
    ]),
    // 505
    t("resource/v1alpha3.PoolStatus", &[
        f("driver", O, V::Text("string")),
        f("poolName", O, V::Text("string")),
        f("generation", O, V::Int("int64", 64)).always(),
        f("resourceSliceCount", O, V::Int("int32", 32)).pointer(),
        f("totalDevices", O, V::Int("int32", 32)).pointer(),
        f("allocatedDevices", O, V::Int("int32", 32)).pointer(),
        f("availableDevices", O, V::Int("int32", 32)).pointer(),
        f("unavailableDevices", O, V::Int("int32", 32)).pointer(),
        f("nodeName", O, V::Text("string")).pointer(),
        f("validationError", O, V::Text("string")).pointer(),
        f("partitionSummary", L, V::Struct(504)),
        f("shareableSummary", O, V::Struct(510)).pointer(),
    ]),
    // 506
    t("resource/v1alpha3.ResourcePoolStatusRequest", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(507)).always(),
        f("status", O, V::Struct(508)).pointer(),
    ]),
    // 507
    t("resource/v1alpha3.ResourcePoolStatusRequestSpec", &[
        f("driver", O, V::Text("string")).always(),
        f("poolName", O, V::Text("string")).pointer(),
        f("limit", O, V::Int("int32", 32)).pointer(),
        f("defaultPartitionTypeAttribute", O, V::Text("string")).pointer(),
    ]),
    // 508
    t("resource/v1alpha3.ResourcePoolStatusRequestStatus", &[
        f("poolCount", O, V::Int("int32", 32)).pointer(),
        f("pools", L, V::Struct(505)),
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 509
    t("resource/v1alpha3.ShareableCapacityStatus", &[
        f("name", O, V::Text("string")),
        f("total", O, V::Quantity).pointer(),
        f("consumed", O, V::Quantity).pointer(),
        f("available", O, V::Quantity).pointer(),
    ]),
    // 510
    t("resource/v1alpha3.ShareableSummaryStatus", &[
        f("fullyAvailableDevices", O, V::Int("int32", 32)).pointer(),
        f("partiallyAvailableDevices", O, V::Int("int32", 32)).pointer(),
        f("capacity", L, V::Struct(509)),
    ]),
    // 511
    t("scheduling/v1.PriorityClass", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("value", O, V::Int("int32", 32)).always().optional(),
        f("globalDefault", O, V::Bool),
        f("description", O, V::Text("string")),
        f("preemptionPolicy", O, V::Text("v1.PreemptionPolicy")).pointer(),
    ]),
    // 512
    t("scheduling/v1alpha3.AllCompositeDisruptionMode", &[
    ]),
    // 513
    t("scheduling/v1alpha3.AllDisruptionMode", &[
    ]),
    // 514
    t("scheduling/v1alpha3.BasicSchedulingPolicy", &[
    ]),
    // 515
    t("scheduling/v1alpha3.CompositeBasicSchedulingPolicy", &[
    ]),
    // 516
    t("scheduling/v1alpha3.CompositeDisruptionMode", &[
        f("single", O, V::Struct(534)).pointer(),
        f("all", O, V::Struct(512)).pointer(),
    ]),
    // 517
    t("scheduling/v1alpha3.CompositeGangSchedulingPolicy", &[
        f("minGroupCount", O, V::Int("int32", 32)).always(),
    ]),
    // 518
    t("scheduling/v1alpha3.CompositePodGroup", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(521)).always(),
        f("status", O, V::Struct(522)).always().optional(),
    ]),
    // 519
    t("scheduling/v1alpha3.CompositePodGroupSchedulingConstraints", &[
        f("topology", L, V::Struct(536)),
    ]),
    // 520
    t("scheduling/v1alpha3.CompositePodGroupSchedulingPolicy", &[
        f("basic", O, V::Struct(515)).pointer(),
        f("gang", O, V::Struct(517)).pointer(),
    ]),
    // 521
    t("scheduling/v1alpha3.CompositePodGroupSpec", &[
        f("parentCompositePodGroupName", O, V::Text("string")).pointer(),
        f("workloadRef", O, V::Struct(547)).pointer().always(),
        f("schedulingPolicy", O, V::Struct(520)).always(),
        f("schedulingConstraints", O, V::Struct(519)).pointer(),
        f("disruptionMode", O, V::Struct(516)).pointer(),
        f("priorityClassName", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)).pointer(),
        f("preemptionPolicy", O, V::Text("v1alpha3.PreemptionPolicy")).pointer(),
    ]),
    // 522
    t("scheduling/v1alpha3.CompositePodGroupStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 523
    t("scheduling/v1alpha3.CompositePodGroupTemplate", &[
        f("name", O, V::Text("string")).always(),
        f("schedulingPolicy", O, V::Struct(520)).always(),
        f("schedulingConstraints", O, V::Struct(519)).pointer(),
        f("disruptionMode", O, V::Struct(516)).pointer(),
        f("priorityClassName", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)).pointer(),
        f("preemptionPolicy", O, V::Text("v1alpha3.PreemptionPolicy")).pointer(),
        f("podGroupTemplates", L, V::Struct(533)).keyed(&[("name", None)]),
        f("compositePodGroupTemplates", L, V::Struct(523)).keyed(&[("name", None)]),
    ]),
    // 524
    t("scheduling/v1alpha3.DisruptionMode", &[
        f("single", O, V::Struct(535)).pointer(),
        f("all", O, V::Struct(513)).pointer(),
    ]),
    // 525
    t("scheduling/v1alpha3.GangSchedulingPolicy", &[
        f("minCount", O, V::Int("int32", 32)).always(),
    ]),
    // 526
    t("scheduling/v1alpha3.PodGroup", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(531)).always(),
        f("status", O, V::Struct(532)).always().optional(),
    ]),
    // 527
    t("scheduling/v1alpha3.PodGroupResourceClaim", &[
        f("name", O, V::Text("string")).always(),
        f("resourceClaimName", O, V::Text("string")).pointer(),
        f("resourceClaimTemplateName", O, V::Text("string")).pointer(),
    ]),
    // 528
    t("scheduling/v1alpha3.PodGroupResourceClaimStatus", &[
        f("name", O, V::Text("string")).always(),
        f("resourceClaimName", O, V::Text("string")).pointer(),
    ]),
    // 529
    t("scheduling/v1alpha3.PodGroupSchedulingConstraints", &[
        f("topology", L, V::Struct(536)),
    ]),
    // 530
    t("scheduling/v1alpha3.PodGroupSchedulingPolicy", &[
        f("basic", O, V::Struct(514)).pointer(),
        f("gang", O, V::Struct(525)).pointer(),
    ]),
    // 531
    t("scheduling/v1alpha3.PodGroupSpec", &[
        f("parentCompositePodGroupName", O, V::Text("string")).pointer(),
        f("workloadRef", O, V::Struct(547)).pointer(),
        f("schedulingPolicy", O, V::Struct(530)).always(),
        f("schedulingConstraints", O, V::Struct(529)).pointer(),
        f("resourceClaims", L, V::Struct(527)).keyed(&[("name", None)]).merge("name"),
        f("disruptionMode", O, V::Struct(524)).pointer(),
        f("priorityClassName", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)).pointer(),
        f("preemptionPolicy", O, V::Text("v1alpha3.PreemptionPolicy")).pointer(),
    ]),
    // 532
    t("scheduling/v1alpha3.PodGroupStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
        f("resourceClaimStatuses", L, V::Struct(528)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 533
    t("scheduling/v1alpha3.PodGroupTemplate", &[
        f("name", O, V::Text("string")).always(),
        f("schedulingPolicy", O, V::Struct(530)).always(),
        f("schedulingConstraints", O, V::Struct(529)).pointer().always().optional(),
        f("resourceClaims", L, V::Struct(527)).keyed(&[("name", None)]).merge("name"),
        f("disruptionMode", O, V::Struct(524)).pointer(),
        f("priorityClassName", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)).pointer(),
        f("preemptionPolicy", O, V::Text("v1alpha3.PreemptionPolicy")).pointer(),
    ]),
    // 534
    t("scheduling/v1alpha3.SingleCompositeDisruptionMode", &[
    ]),
    // 535
    t("scheduling/v1alpha3.SingleDisruptionMode", &[
    ]),
    // 536
    t("scheduling/v1alpha3.TopologyConstraint", &[
        f("key", O, V::Text("string")).always(),
    ]),
    // 537
    t("scheduling/v1alpha3.TypedLocalObjectReference", &[
        f("apiGroup", O, V::Text("string")),
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
    ]),
    // 538
    t("scheduling/v1alpha3.Workload", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(548)).always(),
    ]),
    // 539
    t("scheduling/v1alpha3.WorkloadPodGroupAllDisruptionMode", &[
    ]),
    // 540
    t("scheduling/v1alpha3.WorkloadPodGroupBasicSchedulingPolicy", &[
    ]),
    // 541
    t("scheduling/v1alpha3.WorkloadPodGroupDisruptionMode", &[
        f("single", O, V::Struct(546)).pointer(),
        f("all", O, V::Struct(539)).pointer(),
    ]),
    // 542
    t("scheduling/v1alpha3.WorkloadPodGroupGangSchedulingPolicy", &[
        f("minCount", O, V::Int("int32", 32)).pointer(),
    ]),
    // 543
    t("scheduling/v1alpha3.WorkloadPodGroupResourceClaim", &[
        f("name", O, V::Text("string")).always(),
        f("resourceClaimName", O, V::Text("string")).pointer(),
        f("resourceClaimTemplateName", O, V::Text("string")).pointer(),
    ]),
    // 544
    t("scheduling/v1alpha3.WorkloadPodGroupSchedulingConstraints", &[
        f("topology", L, V::Struct(536)),
    ]),
    // 545
    t("scheduling/v1alpha3.WorkloadPodGroupSchedulingPolicy", &[
        f("basic", O, V::Struct(540)).pointer(),
        f("gang", O, V::Struct(542)).pointer(),
    ]),
    // 546
    t("scheduling/v1alpha3.WorkloadPodGroupSingleDisruptionMode", &[
    ]),
    // 547
    t("scheduling/v1alpha3.WorkloadReference", &[
        f("workloadName", O, V::Text("string")).always(),
        f("templateName", O, V::Text("string")).always(),
    ]),
    // 548
    t("scheduling/v1alpha3.WorkloadSpec", &[
        f("controllerRef", O, V::Struct(537)).pointer(),
        f("podGroupTemplates", L, V::Struct(533)).always().optional().keyed(&[("name", None)]),
        f("compositePodGroupTemplates", L, V::Struct(523)).keyed(&[("name", None)]),
    ]),
    // 549
    t("scheduling/v1beta1.AllCompositeDisruptionMode", &[
    ]),
    // 550
    t("scheduling/v1beta1.AllDisruptionMode", &[
    ]),
    // 551
    t("scheduling/v1beta1.BasicSchedulingPolicy", &[
    ]),
    // 552
    t("scheduling/v1beta1.CompositeBasicSchedulingPolicy", &[
    ]),
    // 553
    t("scheduling/v1beta1.CompositeDisruptionMode", &[
        f("single", O, V::Struct(568)).pointer(),
        f("all", O, V::Struct(549)).pointer(),
    ]),
    // 554
    t("scheduling/v1beta1.CompositeGangSchedulingPolicy", &[
        f("minGroupCount", O, V::Int("int32", 32)).always(),
    ]),
    // 555
    t("scheduling/v1beta1.CompositePodGroupSchedulingConstraints", &[
        f("topology", L, V::Struct(570)),
    ]),
    // 556
    t("scheduling/v1beta1.CompositePodGroupSchedulingPolicy", &[
        f("basic", O, V::Struct(552)).pointer(),
        f("gang", O, V::Struct(554)).pointer(),
    ]),
    // 557
    t("scheduling/v1beta1.CompositePodGroupTemplate", &[
        f("name", O, V::Text("string")).always(),
        f("schedulingPolicy", O, V::Struct(556)).always(),
        f("schedulingConstraints", O, V::Struct(555)).pointer(),
        f("disruptionMode", O, V::Struct(553)).pointer(),
        f("priorityClassName", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)).pointer(),
        f("preemptionPolicy", O, V::Text("v1beta1.PreemptionPolicy")).pointer(),
        f("podGroupTemplates", L, V::Struct(567)).keyed(&[("name", None)]),
        f("compositePodGroupTemplates", L, V::Struct(557)).keyed(&[("name", None)]),
    ]),
    // 558
    t("scheduling/v1beta1.DisruptionMode", &[
        f("single", O, V::Struct(569)).pointer(),
        f("all", O, V::Struct(550)).pointer(),
    ]),
    // 559
    t("scheduling/v1beta1.GangSchedulingPolicy", &[
        f("minCount", O, V::Int("int32", 32)).always(),
    ]),
    // 560
    t("scheduling/v1beta1.PodGroup", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(565)).always(),
        f("status", O, V::Struct(566)).always().optional(),
    ]),
    // 561
    t("scheduling/v1beta1.PodGroupResourceClaim", &[
        f("name", O, V::Text("string")).always(),
        f("resourceClaimName", O, V::Text("string")).pointer(),
        f("resourceClaimTemplateName", O, V::Text("string")).pointer(),
    ]),
    // 562
    t("scheduling/v1beta1.PodGroupResourceClaimStatus", &[
        f("name", O, V::Text("string")).always(),
        f("resourceClaimName", O, V::Text("string")).pointer(),
    ]),
    // 563
    t("scheduling/v1beta1.PodGroupSchedulingConstraints", &[
        f("topology", L, V::Struct(570)),
    ]),
    // 564
    t("scheduling/v1beta1.PodGroupSchedulingPolicy", &[
        f("basic", O, V::Struct(551)).pointer(),
        f("gang", O, V::Struct(559)).pointer(),
    ]),
    // 565
    t("scheduling/v1beta1.PodGroupSpec", &[
        f("parentCompositePodGroupName", O, V::Text("string")).pointer(),
        f("workloadRef", O, V::Struct(573)).pointer(),
        f("schedulingPolicy", O, V::Struct(564)).always(),
        f("schedulingConstraints", O, V::Struct(563)).pointer(),
        f("resourceClaims", L, V::Struct(561)).keyed(&[("name", None)]).merge("name"),
        f("disruptionMode", O, V::Struct(558)).pointer(),
        f("priorityClassName", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)).pointer(),
        f("preemptionPolicy", O, V::Text("v1beta1.PreemptionPolicy")).pointer(),
    ]),
    // 566
    t("scheduling/v1beta1.PodGroupStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
        f("resourceClaimStatuses", L, V::Struct(562)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 567
    t("scheduling/v1beta1.PodGroupTemplate", &[
        f("name", O, V::Text("string")).always(),
        f("schedulingPolicy", O, V::Struct(564)).always(),
        f("schedulingConstraints", O, V::Struct(563)).pointer().always().optional(),
        f("resourceClaims", L, V::Struct(561)).keyed(&[("name", None)]).merge("name"),
        f("disruptionMode", O, V::Struct(558)).pointer(),
        f("priorityClassName", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)).pointer(),
        f("preemptionPolicy", O, V::Text("v1beta1.PreemptionPolicy")).pointer(),
    ]),
    // 568
    t("scheduling/v1beta1.SingleCompositeDisruptionMode", &[
    ]),
    // 569
    t("scheduling/v1beta1.SingleDisruptionMode", &[
    ]),
    // 570
    t("scheduling/v1beta1.TopologyConstraint", &[
        f("key", O, V::Text("string")).always(),
    ]),
    // 571
    t("scheduling/v1beta1.TypedLocalObjectReference", &[
        f("apiGroup", O, V::Text("string")),
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
    ]),
    // 572
    t("scheduling/v1beta1.Workload", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(574)).always(),
    ]),
    // 573
    t("scheduling/v1beta1.WorkloadReference", &[
        f("workloadName", O, V::Text("string")).always(),
        f("templateName", O, V::Text("string")).always(),
    ]),
    // 574
    t("scheduling/v1beta1.WorkloadSpec", &[
        f("controllerRef", O, V::Struct(571)).pointer(),
        f("podGroupTemplates", L, V::Struct(567)).always().optional().keyed(&[("name", None)]),
        f("compositePodGroupTemplates", L, V::Struct(557)).keyed(&[("name", None)]),
    ]),
    // 575
    t("storage/v1.CSIDriver", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(576)).always(),
    ]),
    // 576
    t("storage/v1.CSIDriverSpec", &[
        f("attachRequired", O, V::Bool).pointer(),
        f("podInfoOnMount", O, V::Bool).pointer(),
        f("volumeLifecycleModes", L, V::Text("v1.VolumeLifecycleMode")).set(),
        f("storageCapacity", O, V::Bool).pointer(),
        f("fsGroupPolicy", O, V::Text("v1.FSGroupPolicy")).pointer(),
        f("tokenRequests", L, V::Struct(585)),
        f("requiresRepublish", O, V::Bool).pointer(),
        f("seLinuxMount", O, V::Bool).pointer(),
        f("nodeAllocatableUpdatePeriodSeconds", O, V::Int("int64", 64)).pointer(),
        f("serviceAccountTokenInSecrets", O, V::Bool).pointer(),
        f("preventPodSchedulingIfMissing", O, V::Bool).pointer(),
    ]),
    // 577
    t("storage/v1.CSINode", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(579)).always(),
        f("status", O, V::Struct(580)).always().optional(),
    ]),
    // 578
    t("storage/v1.CSINodeDriver", &[
        f("name", O, V::Text("string")).always(),
        f("nodeID", O, V::Text("string")).always(),
        f("topologyKeys", L, V::Text("string")).always().optional(),
        f("allocatable", O, V::Struct(592)).pointer(),
    ]),
    // 579
    t("storage/v1.CSINodeSpec", &[
        f("drivers", L, V::Struct(578)).always().keyed(&[("name", None)]).merge("name"),
    ]),
    // 580
    t("storage/v1.CSINodeStatus", &[
        f("storageHealth", L, V::Struct(583)).keyed(&[("name", None)]).merge("name"),
    ]),
    // 581
    t("storage/v1.CSIStorageCapacity", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("nodeTopology", O, V::Struct(627)).pointer().atomic(),
        f("storageClassName", O, V::Text("string")).always(),
        f("capacity", O, V::Quantity).pointer(),
        f("maximumVolumeSize", O, V::Quantity).pointer(),
    ]),
    // 582
    t("storage/v1.StorageClass", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("provisioner", O, V::Text("string")).always(),
        f("parameters", M, V::Text("string")),
        f("reclaimPolicy", O, V::Text("v1.PersistentVolumeReclaimPolicy")).pointer(),
        f("mountOptions", L, V::Text("string")),
        f("allowVolumeExpansion", O, V::Bool).pointer(),
        f("volumeBindingMode", O, V::Text("v1.VolumeBindingMode")).pointer(),
        f("allowedTopologies", L, V::Struct(350)).of_atomic(),
    ]),
    // 583
    t("storage/v1.StorageHealth", &[
        f("name", O, V::Text("string")).always(),
        f("healthConditions", L, V::Struct(584)),
    ]),
    // 584
    t("storage/v1.StorageHealthCondition", &[
        f("status", O, V::Text("v1.StorageHealthStatusType")).always(),
        f("reason", O, V::Text("string")).always(),
        f("message", O, V::Text("string")),
        f("accessMode", O, V::Text("v1.PersistentVolumeAccessMode")).pointer(),
        f("volumeMode", O, V::Text("v1.PersistentVolumeMode")).pointer(),
        f("lastTransitionTime", O, V::Time).always().optional(),
    ]),
    // 585
    t("storage/v1.TokenRequest", &[
        f("audience", O, V::Text("string")).always(),
        f("expirationSeconds", O, V::Int("int64", 64)).pointer(),
    ]),
    // 586
    t("storage/v1.VolumeAttachment", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(588)).always(),
        f("status", O, V::Struct(589)).always().optional(),
    ]),
    // 587
    t("storage/v1.VolumeAttachmentSource", &[
        f("persistentVolumeName", O, V::Text("string")).pointer(),
        f("inlineVolumeSpec", O, V::Struct(275)).pointer(),
    ]),
    // 588
    t("storage/v1.VolumeAttachmentSpec", &[
        f("attacher", O, V::Text("string")).always(),
        f("source", O, V::Struct(587)).always(),
        f("nodeName", O, V::Text("string")).always(),
    ]),
    // 589
    t("storage/v1.VolumeAttachmentStatus", &[
        f("attached", O, V::Bool).always(),
        f("attachmentMetadata", M, V::Text("string")),
        f("attachError", O, V::Struct(591)).pointer(),
        f("detachError", O, V::Struct(591)).pointer(),
    ]),
    // 590
    t("storage/v1.VolumeAttributesClass", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("driverName", O, V::Text("string")).always(),
        f("parameters", M, V::Text("string")),
    ]),
    // 591
    t("storage/v1.VolumeError", &[
        f("time", O, V::Time).always().optional(),
        f("message", O, V::Text("string")),
        f("errorCode", O, V::Int("int32", 32)).pointer(),
    ]),
    // 592
    t("storage/v1.VolumeNodeResources", &[
        f("count", O, V::Int("int32", 32)).pointer(),
    ]),
    // 593
    t("storagemigration/v1.StorageVersionMigration", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(594)).always().optional(),
        f("status", O, V::Struct(595)).always().optional(),
    ]),
    // 594
    t("storagemigration/v1.StorageVersionMigrationSpec", &[
        f("resource", O, V::Struct(623)).always(),
    ]),
    // 595
    t("storagemigration/v1.StorageVersionMigrationStatus", &[
        f("conditions", L, V::Struct(620)).keyed(&[("type", None)]).merge("type"),
        f("resourceVersion", O, V::Text("string")),
    ]),
    // 596
    t("apiextensions/v1.ConversionRequest", &[
        f("uid", O, V::Text("types.UID")).always(),
        f("desiredAPIVersion", O, V::Text("string")).always(),
        f("objects", L, V::Raw("runtime.RawExtension")).always(),
    ]),
    // 597
    t("apiextensions/v1.ConversionResponse", &[
        f("uid", O, V::Text("types.UID")).always(),
        f("convertedObjects", L, V::Raw("runtime.RawExtension")).always(),
        f("result", O, V::Struct(637)).always(),
    ]),
    // 598
    t("apiextensions/v1.ConversionReview", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("request", O, V::Struct(596)).pointer(),
        f("response", O, V::Struct(597)).pointer(),
    ]),
    // 599
    t("apiextensions/v1.CustomResourceColumnDefinition", &[
        f("name", O, V::Text("string")).always(),
        f("type", O, V::Text("string")).always(),
        f("format", O, V::Text("string")),
        f("description", O, V::Text("string")),
        f("priority", O, V::Int("int32", 32)),
        f("jsonPath", O, V::Text("string")).always(),
    ]),
    // 600
    t("apiextensions/v1.CustomResourceConversion", &[
        f("strategy", O, V::Text("v1.ConversionStrategyType")).always(),
        f("webhook", O, V::Struct(617)).pointer(),
    ]),
    // 601
    t("apiextensions/v1.CustomResourceDefinition", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(604)).always(),
        f("status", O, V::Struct(605)).always().optional(),
    ]),
    // 602
    t("apiextensions/v1.CustomResourceDefinitionCondition", &[
        f("type", O, V::Text("v1.CustomResourceDefinitionConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
        f("observedGeneration", O, V::Int("int64", 64)),
    ]),
    // 603
    t("apiextensions/v1.CustomResourceDefinitionNames", &[
        f("plural", O, V::Text("string")).always(),
        f("singular", O, V::Text("string")),
        f("shortNames", L, V::Text("string")),
        f("kind", O, V::Text("string")).always(),
        f("listKind", O, V::Text("string")),
        f("categories", L, V::Text("string")),
    ]),
    // 604
    t("apiextensions/v1.CustomResourceDefinitionSpec", &[
        f("group", O, V::Text("string")).always(),
        f("names", O, V::Struct(603)).always(),
        f("scope", O, V::Text("v1.ResourceScope")).always(),
        f("versions", L, V::Struct(606)).always(),
        f("conversion", O, V::Struct(600)).pointer(),
        f("preserveUnknownFields", O, V::Bool),
    ]),
    // 605
    t("apiextensions/v1.CustomResourceDefinitionStatus", &[
        f("conditions", L, V::Struct(602)).always().optional().keyed(&[("type", None)]),
        f("acceptedNames", O, V::Struct(603)).always().optional(),
        f("storedVersions", L, V::Text("string")).always().optional(),
        f("observedGeneration", O, V::Int("int64", 64)),
    ]),
    // 606
    t("apiextensions/v1.CustomResourceDefinitionVersion", &[
        f("name", O, V::Text("string")).always(),
        f("served", O, V::Bool).always(),
        f("storage", O, V::Bool).always(),
        f("deprecated", O, V::Bool),
        f("deprecationWarning", O, V::Text("string")).pointer(),
        f("schema", O, V::Struct(610)).pointer(),
        f("subresources", O, V::Struct(609)).pointer(),
        f("additionalPrinterColumns", L, V::Struct(599)),
        f("selectableFields", L, V::Struct(613)),
    ]),
    // 607
    t("apiextensions/v1.CustomResourceSubresourceScale", &[
        f("specReplicasPath", O, V::Text("string")).always(),
        f("statusReplicasPath", O, V::Text("string")).always(),
        f("labelSelectorPath", O, V::Text("string")).pointer(),
    ]),
    // 608
    t("apiextensions/v1.CustomResourceSubresourceStatus", &[
    ]),
    // 609
    t("apiextensions/v1.CustomResourceSubresources", &[
        f("status", O, V::Struct(608)).pointer(),
        f("scale", O, V::Struct(607)).pointer(),
    ]),
    // 610
    t("apiextensions/v1.CustomResourceValidation", &[
        f("openAPIV3Schema", O, V::Struct(612)).pointer(),
    ]),
    // 611
    t("apiextensions/v1.ExternalDocumentation", &[
        f("description", O, V::Text("string")),
        f("url", O, V::Text("string")),
    ]),
    // 612
    t("apiextensions/v1.JSONSchemaProps", &[
        f("id", O, V::Text("string")),
        f("$schema", O, V::Text("v1.JSONSchemaURL")),
        f("$ref", O, V::Text("string")).pointer(),
        f("description", O, V::Text("string")),
        f("type", O, V::Text("string")),
        f("format", O, V::Text("string")),
        f("title", O, V::Text("string")),
        f("default", O, V::Raw("v1.JSON")).pointer(),
        f("maximum", O, V::Float).pointer(),
        f("exclusiveMaximum", O, V::Bool),
        f("minimum", O, V::Float).pointer(),
        f("exclusiveMinimum", O, V::Bool),
        f("maxLength", O, V::Int("int64", 64)).pointer(),
        f("minLength", O, V::Int("int64", 64)).pointer(),
        f("pattern", O, V::Text("string")),
        f("maxItems", O, V::Int("int64", 64)).pointer(),
        f("minItems", O, V::Int("int64", 64)).pointer(),
        f("uniqueItems", O, V::Bool),
        f("multipleOf", O, V::Float).pointer(),
        f("enum", L, V::Raw("v1.JSON")),
        f("maxProperties", O, V::Int("int64", 64)).pointer(),
        f("minProperties", O, V::Int("int64", 64)).pointer(),
        f("required", L, V::Text("string")),
        f("items", O, V::Raw("v1.JSONSchemaPropsOrArray")).pointer(),
        f("allOf", L, V::Struct(612)),
        f("oneOf", L, V::Struct(612)),
        f("anyOf", L, V::Struct(612)),
        f("not", O, V::Struct(612)).pointer(),
        f("properties", M, V::Struct(612)),
        f("additionalProperties", O, V::Raw("v1.JSONSchemaPropsOrBool")).pointer(),
        f("patternProperties", M, V::Struct(612)),
        f("dependencies", M, V::Raw("v1.JSONSchemaPropsOrStringArray")).named("v1.JSONSchemaDependencies"),
        f("additionalItems", O, V::Raw("v1.JSONSchemaPropsOrBool")).pointer(),
        f("definitions", M, V::Struct(612)).named("v1.JSONSchemaDefinitions"),
        f("externalDocs", O, V::Struct(611)).pointer(),
        f("example", O, V::Raw("v1.JSON")).pointer(),
        f("nullable", O, V::Bool),
        f("x-kubernetes-preserve-unknown-fields", O, V::Bool).pointer(),
        f("x-kubernetes-embedded-resource", O, V::Bool),
        f("x-kubernetes-int-or-string", O, V::Bool),
        f("x-kubernetes-list-map-keys", L, V::Text("string")),
        f("x-kubernetes-list-type", O, V::Text("string")).pointer(),
        f("x-kubernetes-map-type", O, V::Text("string")).pointer(),
        f("x-kubernetes-validations", L, V::Struct(615)).named("v1.ValidationRules").keyed(&[("rule", None)]).merge("rule"),
    ]),
    // 613
    t("apiextensions/v1.SelectableField", &[
        f("jsonPath", O, V::Text("string")).always(),
    ]),
    // 614
    t("apiextensions/v1.ServiceReference", &[
        f("namespace", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("path", O, V::Text("string")).pointer(),
        f("port", O, V::Int("int32", 32)).pointer(),
    ]),
    // 615
    t("apiextensions/v1.ValidationRule", &[
        f("rule", O, V::Text("string")).always(),
        f("message", O, V::Text("string")),
        f("messageExpression", O, V::Text("string")),
        f("reason", O, V::Text("v1.FieldValueErrorReason")).pointer(),
        f("fieldPath", O, V::Text("string")),
        f("optionalOldSelf", O, V::Bool).pointer(),
    ]),
    // 616
    t("apiextensions/v1.WebhookClientConfig", &[
        f("url", O, V::Text("string")).pointer(),
        f("service", O, V::Struct(614)).pointer(),
        f("caBundle", O, V::Bytes),
    ]),
    // 617
    t("apiextensions/v1.WebhookConversion", &[
        f("clientConfig", O, V::Struct(616)).pointer(),
        f("conversionReviewVersions", L, V::Text("string")).always(),
    ]),
    // 618
    t("meta/v1.APIGroup", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("name", O, V::Text("string")).always(),
        f("versions", L, V::Struct(624)).always(),
        f("preferredVersion", O, V::Struct(624)).always().optional(),
        f("serverAddressByClientCIDRs", L, V::Struct(635)),
    ]),
    // 619
    t("meta/v1.APIVersions", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("versions", L, V::Text("string")).always(),
        f("serverAddressByClientCIDRs", L, V::Struct(635)).always(),
    ]),
    // 620
    t("meta/v1.Condition", &[
        f("type", O, V::Text("string")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("observedGeneration", O, V::Int("int64", 64)),
        f("lastTransitionTime", O, V::Time).always(),
        f("reason", O, V::Text("string")).always(),
        f("message", O, V::Text("string")).always(),
    ]),
    // 621
    t("meta/v1.DeleteOptions", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("gracePeriodSeconds", O, V::Int("int64", 64)).pointer(),
        f("preconditions", O, V::Struct(634)).pointer(),
        f("orphanDependents", O, V::Bool).pointer(),
        f("propagationPolicy", O, V::Text("v1.DeletionPropagation")).pointer(),
        f("dryRun", L, V::Text("string")),
        f("ignoreStoreReadErrorWithClusterBreakingPotential", O, V::Bool).pointer(),
    ]),
    // 622
    t("meta/v1.FieldSelectorRequirement", &[
        f("key", O, V::Text("string")).always(),
        f("operator", O, V::Text("v1.FieldSelectorOperator")).always(),
        f("values", L, V::Text("string")),
    ]),
    // 623
    t("meta/v1.GroupResource", &[
        f("group", O, V::Text("string")).always(),
        f("resource", O, V::Text("string")).always(),
    ]),
    // 624
    t("meta/v1.GroupVersionForDiscovery", &[
        f("groupVersion", O, V::Text("string")).always(),
        f("version", O, V::Text("string")).always(),
    ]),
    // 625
    t("meta/v1.GroupVersionKind", &[
        f("group", O, V::Text("string")).always(),
        f("version", O, V::Text("string")).always(),
        f("kind", O, V::Text("string")).always(),
    ]),
    // 626
    t("meta/v1.GroupVersionResource", &[
        f("group", O, V::Text("string")).always(),
        f("version", O, V::Text("string")).always(),
        f("resource", O, V::Text("string")).always(),
    ]),
    // 627
    t("meta/v1.LabelSelector", &[
        f("matchLabels", M, V::Text("string")),
        f("matchExpressions", L, V::Struct(628)),
    ]),
    // 628
    t("meta/v1.LabelSelectorRequirement", &[
        f("key", O, V::Text("string")).always(),
        f("operator", O, V::Text("v1.LabelSelectorOperator")).always(),
        f("values", L, V::Text("string")),
    ]),
    // 629
    t("meta/v1.ListMeta", &[
        f("selfLink", O, V::Text("string")),
        f("resourceVersion", O, V::Text("string")),
        f("continue", O, V::Text("string")),
        f("remainingItemCount", O, V::Int("int64", 64)).pointer(),
        f("shardInfo", O, V::Struct(636)).pointer(),
    ]),
    // 630
    t("meta/v1.ManagedFieldsEntry", &[
        f("manager", O, V::Text("string")),
        f("operation", O, V::Text("v1.ManagedFieldsOperationType")),
        f("apiVersion", O, V::Text("string")),
        f("time", O, V::Time).pointer(),
        f("fieldsType", O, V::Text("string")),
        f("fieldsV1", O, V::Raw("v1.FieldsV1")).pointer(),
        f("subresource", O, V::Text("string")),
    ]),
    // 631
    t("meta/v1.ObjectMeta", &[
        f("name", O, V::Text("string")),
        f("generateName", O, V::Text("string")),
        f("namespace", O, V::Text("string")),
        f("selfLink", O, V::Text("string")),
        f("uid", O, V::Text("types.UID")),
        f("resourceVersion", O, V::Text("string")),
        f("generation", O, V::Int("int64", 64)),
        f("creationTimestamp", O, V::Time),
        f("deletionTimestamp", O, V::Time).pointer(),
        f("deletionGracePeriodSeconds", O, V::Int("int64", 64)).pointer(),
        f("labels", M, V::Text("string")),
        f("annotations", M, V::Text("string")),
        f("ownerReferences", L, V::Struct(632)).keyed(&[("uid", None)]).of_atomic().merge("uid"),
        f("finalizers", L, V::Text("string")).set().merge(""),
        f("managedFields", L, V::Struct(630)),
    ]),
    // 632
    t("meta/v1.OwnerReference", &[
        f("apiVersion", O, V::Text("string")).always(),
        f("kind", O, V::Text("string")).always(),
        f("name", O, V::Text("string")).always(),
        f("uid", O, V::Text("types.UID")).always(),
        f("controller", O, V::Bool).pointer(),
        f("blockOwnerDeletion", O, V::Bool).pointer(),
    ]),
    // 633
    t("meta/v1.PartialObjectMetadata", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
    ]),
    // 634
    t("meta/v1.Preconditions", &[
        f("uid", O, V::Text("types.UID")).pointer(),
        f("resourceVersion", O, V::Text("string")).pointer(),
    ]),
    // 635
    t("meta/v1.ServerAddressByClientCIDR", &[
        f("clientCIDR", O, V::Text("string")).always(),
        f("serverAddress", O, V::Text("string")).always(),
    ]),
    // 636
    t("meta/v1.ShardInfo", &[
        f("selector", O, V::Text("string")).always(),
    ]),
    // 637
    t("meta/v1.Status", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(629)).always().optional(),
        f("status", O, V::Text("string")),
        f("message", O, V::Text("string")),
        f("reason", O, V::Text("v1.StatusReason")),
        f("details", O, V::Struct(639)).pointer(),
        f("code", O, V::Int("int32", 32)),
    ]),
    // 638
    t("meta/v1.StatusCause", &[
        f("reason", O, V::Text("v1.CauseType")),
        f("message", O, V::Text("string")),
        f("field", O, V::Text("string")),
    ]),
    // 639
    t("meta/v1.StatusDetails", &[
        f("name", O, V::Text("string")),
        f("group", O, V::Text("string")),
        f("kind", O, V::Text("string")),
        f("uid", O, V::Text("types.UID")),
        f("causes", L, V::Struct(638)),
        f("retryAfterSeconds", O, V::Int("int32", 32)),
    ]),
    // 640
    t("meta/v1.WatchEvent", &[
        f("type", O, V::Text("string")).always(),
        f("object", O, V::Raw("runtime.RawExtension")).always(),
    ]),
    // 641
    t("apiregistration/v1.APIService", &[
        f("kind", O, V::Text("string")),
        f("apiVersion", O, V::Text("string")),
        f("metadata", O, V::Struct(631)).always().optional(),
        f("spec", O, V::Struct(643)).always().optional(),
        f("status", O, V::Struct(644)).always().optional(),
    ]),
    // 642
    t("apiregistration/v1.APIServiceCondition", &[
        f("type", O, V::Text("v1.APIServiceConditionType")).always(),
        f("status", O, V::Text("v1.ConditionStatus")).always(),
        f("lastTransitionTime", O, V::Time).always().optional(),
        f("reason", O, V::Text("string")),
        f("message", O, V::Text("string")),
    ]),
    // 643
    t("apiregistration/v1.APIServiceSpec", &[
        f("service", O, V::Struct(645)).pointer(),
        f("group", O, V::Text("string")),
        f("version", O, V::Text("string")),
        f("insecureSkipTLSVerify", O, V::Bool),
        f("caBundle", O, V::Bytes),
        f("groupPriorityMinimum", O, V::Int("int32", 32)).always(),
        f("versionPriority", O, V::Int("int32", 32)).always(),
    ]),
    // 644
    t("apiregistration/v1.APIServiceStatus", &[
        f("conditions", L, V::Struct(642)).keyed(&[("type", None)]).merge("type"),
    ]),
    // 645
    t("apiregistration/v1.ServiceReference", &[
        f("namespace", O, V::Text("string")),
        f("name", O, V::Text("string")),
        f("port", O, V::Int("int32", 32)).pointer(),
    ]),
];

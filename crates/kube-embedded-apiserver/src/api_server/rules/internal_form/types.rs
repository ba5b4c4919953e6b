//! The internal types, as far as messages show them.

use self::Shape::{Any, Beside, Flag, Inlined, List, Number, Own, Pointer, Struct, Text};

/// The form of a member, above all what is shown if it is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Number,
    Flag,
    /// A pointer, list or map. It is shown as its JSON, or as null.
    Any,
    /// A type that is always there.
    Struct(&'static [Field]),
    /// A type that may be null.
    Pointer(&'static [Field]),
    /// A list of a type.
    List(&'static [Field]),
    /// A type whose members are those of the outer value in requests.
    Beside(&'static [Field]),
    /// Members of the value itself, with the names that they have in requests.
    Inlined,
    /// A member with the name that it has in requests. It is left out if it is not there.
    Own,
}

/// The internal name of a member, its path in requests, and its form.
pub(super) type Field = (&'static str, &'static str, Shape);

/// The types that messages show, by name, or by the kind and path of a member.
pub(super) const TYPES: &[(&str, &[Field])] = &[
    ("PodTemplateSpec", &[("", "metadata", Inlined), ("Spec", "spec", Struct(POD_SPEC))]),
    ("PodSpec", POD_SPEC),
    ("Container", CONTAINER),
    ("RoleRef", &[("APIGroup", "apiGroup", Text), ("Kind", "kind", Text), ("Name", "name", Text)]),
    (
        "VolumeAttachment.spec",
        &[
            ("Attacher", "attacher", Text),
            ("Source", "source", Struct(ATTACHED)),
            ("NodeName", "nodeName", Text),
        ],
    ),
    (
        "CSINodeDriver",
        &[
            ("Name", "name", Text),
            ("NodeID", "nodeID", Text),
            ("TopologyKeys", "topologyKeys", Any),
            ("Allocatable", "allocatable", Any),
        ],
    ),
    ("ResourceClaim.spec", CLAIM),
    ("ResourceClaimTemplate.spec", &[("", "metadata", Inlined), ("Spec", "spec", Struct(CLAIM))]),
    (
        "PersistentVolumeClaimSpec",
        &[
            ("AccessModes", "accessModes", Any),
            ("Selector", "selector", Pointer(SELECTOR)),
            (
                "Resources",
                "resources",
                Struct(&[("Limits", "limits", Any), ("Requests", "requests", Any)]),
            ),
            ("VolumeName", "volumeName", Text),
            ("StorageClassName", "storageClassName", Any),
            ("VolumeMode", "volumeMode", Any),
            ("DataSource", "dataSource", Pointer(&REFERENCE)),
            (
                "DataSourceRef",
                "dataSourceRef",
                Pointer(&[
                    REFERENCE[0],
                    REFERENCE[1],
                    REFERENCE[2],
                    ("Namespace", "namespace", Any),
                ]),
            ),
            ("VolumeAttributesClassName", "volumeAttributesClassName", Any),
        ],
    ),
    ("LabelSelector", SELECTOR),
    ("Toleration", TOLERATION),
    (
        "Taint",
        &[
            ("Key", "key", Text),
            ("Value", "value", Text),
            ("Effect", "effect", Text),
            ("TimeAdded", "timeAdded", Any),
        ],
    ),
    ("Deployment.spec.selector", SELECTOR),
    ("ReplicaSet.spec.selector", SELECTOR),
    ("DaemonSet.spec.selector", SELECTOR),
    ("NodeSelectorTerm", NODE_TERM),
    (
        "Job.spec.podFailurePolicy",
        &[(
            "Rules",
            "rules",
            List(&[
                ("Action", "action", Text),
                (
                    "OnExitCodes",
                    "onExitCodes",
                    Pointer(&[
                        ("ContainerName", "containerName", Any),
                        ("Operator", "operator", Text),
                        ("Values", "values", Any),
                    ]),
                ),
                (
                    "OnPodConditions",
                    "onPodConditions",
                    List(&[("Type", "type", Text), ("Status", "status", Text)]),
                ),
            ]),
        )],
    ),
    ("PersistentVolumeSource", PERSISTENT_SOURCE),
    (
        "Job.spec.successPolicy",
        &[(
            "Rules",
            "rules",
            List(&[
                ("SucceededIndexes", "succeededIndexes", Any),
                ("SucceededCount", "succeededCount", Any),
            ]),
        )],
    ),
    (
        "Job.status.uncountedTerminatedPods",
        &[("Succeeded", "succeeded", Any), ("Failed", "failed", Any)],
    ),
    (
        "ResourceQuota.spec.scopeSelector",
        &[(
            "MatchExpressions",
            "matchExpressions",
            List(&[
                ("ScopeName", "scopeName", Text),
                ("Operator", "operator", Text),
                ("Values", "values", Any),
            ]),
        )],
    ),
    (
        "Deployment.spec.strategy",
        &[
            ("Type", "type", Text),
            (
                "RollingUpdate",
                "rollingUpdate",
                Pointer(&[
                    ("MaxUnavailable", "maxUnavailable", Number),
                    ("MaxSurge", "maxSurge", Number),
                ]),
            ),
        ],
    ),
    ("SecurityContext", SECURITY),
    (
        "StatefulSet.spec.updateStrategy",
        &[
            ("Type", "type", Text),
            (
                "RollingUpdate",
                "rollingUpdate",
                Pointer(&[
                    ("Partition", "partition", Number),
                    ("MaxUnavailable", "maxUnavailable", Any),
                ]),
            ),
        ],
    ),
    ("VolumeNodeAffinity", &[("Required", "required", Pointer(NODE_SELECTOR))]),
];

const NODE_SELECTOR: &[Field] = &[("NodeSelectorTerms", "nodeSelectorTerms", List(NODE_TERM))];

const NODE_TERM: &[Field] = &[
    ("MatchExpressions", "matchExpressions", List(REQUIREMENT)),
    ("MatchFields", "matchFields", List(REQUIREMENT)),
];

const REQUIREMENT: &[Field] =
    &[("Key", "key", Text), ("Operator", "operator", Text), ("Values", "values", Any)];

const ATTACHED: &[Field] = &[
    ("PersistentVolumeName", "persistentVolumeName", Any),
    ("InlineVolumeSpec", "inlineVolumeSpec", Any),
];

const CLAIM: &[Field] = &[(
    "Devices",
    "devices",
    Struct(&[
        (
            "Requests",
            "requests",
            List(&[
                ("Name", "name", Text),
                ("Exactly", "exactly", Pointer(DEVICE_REQUEST)),
                ("FirstAvailable", "firstAvailable", Any),
            ]),
        ),
        ("Constraints", "constraints", Any),
        ("Config", "config", Any),
    ]),
)];

const DEVICE_REQUEST: &[Field] = &[
    ("DeviceClassName", "deviceClassName", Text),
    ("Selectors", "selectors", Any),
    ("AllocationMode", "allocationMode", Text),
    ("Count", "count", Number),
    ("AdminAccess", "adminAccess", Any),
    ("Tolerations", "tolerations", Any),
    ("Capacity", "capacity", Any),
];

const HOST_PATH: &[Field] = &[("Path", "path", Text), ("Type", "type", Any)];

const PERSISTENT_SOURCE: &[Field] = &[
    ("GCEPersistentDisk", "gcePersistentDisk", Any),
    ("AWSElasticBlockStore", "awsElasticBlockStore", Any),
    ("HostPath", "hostPath", Pointer(HOST_PATH)),
    ("Glusterfs", "glusterfs", Any),
    (
        "NFS",
        "nfs",
        Pointer(&[
            ("Server", "server", Text),
            ("Path", "path", Text),
            ("ReadOnly", "readOnly", Flag),
        ]),
    ),
    ("RBD", "rbd", Any),
    ("Quobyte", "quobyte", Any),
    ("ISCSI", "iscsi", Any),
    ("FlexVolume", "flexVolume", Any),
    ("Cinder", "cinder", Any),
    ("CephFS", "cephfs", Any),
    ("FC", "fc", Any),
    ("Flocker", "flocker", Any),
    ("AzureFile", "azureFile", Any),
    ("VsphereVolume", "vsphereVolume", Any),
    ("AzureDisk", "azureDisk", Any),
    ("PhotonPersistentDisk", "photonPersistentDisk", Any),
    ("PortworxVolume", "portworxVolume", Any),
    ("ScaleIO", "scaleIO", Any),
    ("Local", "local", Pointer(&[("Path", "path", Text), ("FSType", "fsType", Any)])),
    ("StorageOS", "storageos", Any),
    (
        "CSI",
        "csi",
        Pointer(&[
            ("Driver", "driver", Text),
            ("VolumeHandle", "volumeHandle", Text),
            ("ReadOnly", "readOnly", Flag),
            ("FSType", "fsType", Text),
            ("VolumeAttributes", "volumeAttributes", Any),
            ("ControllerPublishSecretRef", "controllerPublishSecretRef", Pointer(SECRET)),
            ("NodeStageSecretRef", "nodeStageSecretRef", Pointer(SECRET)),
            ("NodePublishSecretRef", "nodePublishSecretRef", Pointer(SECRET)),
            ("ControllerExpandSecretRef", "controllerExpandSecretRef", Pointer(SECRET)),
            ("NodeExpandSecretRef", "nodeExpandSecretRef", Pointer(SECRET)),
        ]),
    ),
];

const SECRET: &[Field] = &[("Name", "name", Text), ("Namespace", "namespace", Text)];

/// A reference to an object in the same namespace.
const REFERENCE: [Field; 3] =
    [("APIGroup", "apiGroup", Any), ("Kind", "kind", Text), ("Name", "name", Text)];

const SELECTOR: &[Field] =
    &[("matchLabels", "matchLabels", Own), ("matchExpressions", "matchExpressions", Own)];

const CONTAINER: &[Field] = &[
    ("Name", "name", Text),
    ("Image", "image", Text),
    ("Command", "command", Any),
    ("Args", "args", Any),
    ("WorkingDir", "workingDir", Text),
    ("Ports", "ports", List(PORT)),
    ("EnvFrom", "envFrom", Any),
    ("Env", "env", List(VARIABLE)),
    ("Resources", "resources", Struct(RESOURCES)),
    ("ResizePolicy", "resizePolicy", Any),
    ("RestartPolicy", "restartPolicy", Any),
    ("RestartPolicyRules", "restartPolicyRules", Any),
    ("VolumeMounts", "volumeMounts", List(MOUNT)),
    ("VolumeDevices", "volumeDevices", Any),
    ("LivenessProbe", "livenessProbe", Any),
    ("ReadinessProbe", "readinessProbe", Any),
    ("StartupProbe", "startupProbe", Any),
    ("Lifecycle", "lifecycle", Any),
    ("TerminationMessagePath", "terminationMessagePath", Text),
    ("TerminationMessagePolicy", "terminationMessagePolicy", Text),
    ("ImagePullPolicy", "imagePullPolicy", Text),
    ("SecurityContext", "securityContext", Pointer(SECURITY)),
    ("Stdin", "stdin", Flag),
    ("StdinOnce", "stdinOnce", Flag),
    ("TTY", "tty", Flag),
];

const RESOURCES: &[Field] =
    &[("Limits", "limits", Any), ("Requests", "requests", Any), ("Claims", "claims", Any)];

const PORT: &[Field] = &[
    ("Name", "name", Text),
    ("HostPort", "hostPort", Number),
    ("ContainerPort", "containerPort", Number),
    ("Protocol", "protocol", Text),
    ("HostIP", "hostIP", Text),
];

const VARIABLE: &[Field] =
    &[("Name", "name", Text), ("Value", "value", Text), ("ValueFrom", "valueFrom", Any)];

const MOUNT: &[Field] = &[
    ("Name", "name", Text),
    ("ReadOnly", "readOnly", Flag),
    ("RecursiveReadOnly", "recursiveReadOnly", Any),
    ("MountPath", "mountPath", Text),
    ("SubPath", "subPath", Text),
    ("MountPropagation", "mountPropagation", Any),
    ("SubPathExpr", "subPathExpr", Text),
];

const TOLERATION: &[Field] = &[
    ("Key", "key", Text),
    ("Operator", "operator", Text),
    ("Value", "value", Text),
    ("Effect", "effect", Text),
    ("TolerationSeconds", "tolerationSeconds", Any),
];

const POD_SECURITY: &[Field] = &[
    ("HostNetwork", "hostNetwork", Flag),
    ("HostPID", "hostPID", Flag),
    ("HostIPC", "hostIPC", Flag),
    ("ShareProcessNamespace", "shareProcessNamespace", Any),
    ("HostUsers", "hostUsers", Any),
    ("SELinuxOptions", "securityContext.seLinuxOptions", Any),
    ("WindowsOptions", "securityContext.windowsOptions", Any),
    ("RunAsUser", "securityContext.runAsUser", Any),
    ("RunAsGroup", "securityContext.runAsGroup", Any),
    ("RunAsNonRoot", "securityContext.runAsNonRoot", Any),
    ("SupplementalGroups", "securityContext.supplementalGroups", Any),
    ("SupplementalGroupsPolicy", "securityContext.supplementalGroupsPolicy", Any),
    ("FSGroup", "securityContext.fsGroup", Any),
    ("FSGroupChangePolicy", "securityContext.fsGroupChangePolicy", Any),
    ("Sysctls", "securityContext.sysctls", Any),
    ("SeccompProfile", "securityContext.seccompProfile", Any),
    ("AppArmorProfile", "securityContext.appArmorProfile", Any),
    ("SELinuxChangePolicy", "securityContext.seLinuxChangePolicy", Any),
];

const PROFILE: &[Field] = &[("Type", "type", Text), ("LocalhostProfile", "localhostProfile", Any)];

const SECURITY: &[Field] = &[
    ("Capabilities", "capabilities", Pointer(&[("Add", "add", Any), ("Drop", "drop", Any)])),
    ("Privileged", "privileged", Any),
    (
        "SELinuxOptions",
        "seLinuxOptions",
        Pointer(&[
            ("User", "user", Text),
            ("Role", "role", Text),
            ("Type", "type", Text),
            ("Level", "level", Text),
        ]),
    ),
    (
        "WindowsOptions",
        "windowsOptions",
        Pointer(&[
            ("GMSACredentialSpecName", "gmsaCredentialSpecName", Any),
            ("GMSACredentialSpec", "gmsaCredentialSpec", Any),
            ("RunAsUserName", "runAsUserName", Any),
            ("HostProcess", "hostProcess", Any),
        ]),
    ),
    ("RunAsUser", "runAsUser", Any),
    ("RunAsGroup", "runAsGroup", Any),
    ("RunAsNonRoot", "runAsNonRoot", Any),
    ("ReadOnlyRootFilesystem", "readOnlyRootFilesystem", Any),
    ("AllowPrivilegeEscalation", "allowPrivilegeEscalation", Any),
    ("ProcMount", "procMount", Any),
    ("SeccompProfile", "seccompProfile", Pointer(PROFILE)),
    ("AppArmorProfile", "appArmorProfile", Pointer(PROFILE)),
];

const POD_SPEC: &[Field] = &[
    ("Volumes", "volumes", Any),
    ("InitContainers", "initContainers", List(CONTAINER)),
    ("Containers", "containers", List(CONTAINER)),
    ("EphemeralContainers", "ephemeralContainers", Any),
    ("RestartPolicy", "restartPolicy", Text),
    ("TerminationGracePeriodSeconds", "terminationGracePeriodSeconds", Any),
    ("ActiveDeadlineSeconds", "activeDeadlineSeconds", Any),
    ("DNSPolicy", "dnsPolicy", Text),
    ("NodeSelector", "nodeSelector", Any),
    ("ServiceAccountName", "serviceAccountName", Text),
    ("AutomountServiceAccountToken", "automountServiceAccountToken", Any),
    ("NodeName", "nodeName", Text),
    ("SecurityContext", "securityContext", Beside(POD_SECURITY)),
    ("ImagePullSecrets", "imagePullSecrets", Any),
    ("Hostname", "hostname", Text),
    ("Subdomain", "subdomain", Text),
    ("SetHostnameAsFQDN", "setHostnameAsFQDN", Any),
    ("Affinity", "affinity", Any),
    ("SchedulerName", "schedulerName", Text),
    ("Tolerations", "tolerations", List(TOLERATION)),
    ("HostAliases", "hostAliases", Any),
    ("PriorityClassName", "priorityClassName", Text),
    ("Priority", "priority", Any),
    ("PreemptionPolicy", "preemptionPolicy", Any),
    ("DNSConfig", "dnsConfig", Any),
    ("ReadinessGates", "readinessGates", Any),
    ("RuntimeClassName", "runtimeClassName", Any),
    ("Overhead", "overhead", Any),
    ("EnableServiceLinks", "enableServiceLinks", Any),
    ("TopologySpreadConstraints", "topologySpreadConstraints", Any),
    ("OS", "os", Pointer(&[("Name", "name", Text)])),
    ("SchedulingGates", "schedulingGates", Any),
    ("ResourceClaims", "resourceClaims", Any),
    ("Resources", "resources", Any),
    ("HostnameOverride", "hostnameOverride", Any),
    ("SchedulingGroup", "schedulingGroup", Any),
];

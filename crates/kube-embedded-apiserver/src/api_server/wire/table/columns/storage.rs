//! The columns of storage.

use serde_json::Value;

use super::{
    AGE, BuiltinColumn, NAME, boolean, elements, integer, number_of, or, or_none_joined, or_unset,
    plain, str_of, text, truth, wide,
};

/// The annotation that named the class before there was a member for it.
const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

const MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

const VOLUMES: &[BuiltinColumn] = &[
    NAME,
    text("Capacity", |o| or(&o["spec"]["capacity"]["storage"], "0")),
    text("Access Modes", |o| modes(&o["spec"]["accessModes"])),
    text("Reclaim Policy", |o| plain(&o["spec"]["persistentVolumeReclaimPolicy"])),
    text("Status", phase),
    text("Claim", |o| match &o["spec"]["claimRef"] {
        Value::Null => "".into(),
        claim => format!("{}/{}", str_of(&claim["namespace"]), str_of(&claim["name"])).into(),
    }),
    text("StorageClass", class),
    text("VolumeAttributesClass", |o| or_unset(&o["spec"]["volumeAttributesClassName"])),
    text("Reason", |o| plain(&o["status"]["reason"])),
    AGE,
    wide("VolumeMode", |o| or_unset(&o["spec"]["volumeMode"])),
];

const CLAIMS: &[BuiltinColumn] = &[
    NAME,
    text("Status", phase),
    text("Volume", |o| plain(&o["spec"]["volumeName"])),
    text("Capacity", |o| if_bound(o, or(&o["status"]["capacity"]["storage"], "0"))),
    text("Access Modes", |o| if_bound(o, modes(&o["status"]["accessModes"]))),
    text("StorageClass", class),
    text("VolumeAttributesClass", |o| or_unset(&o["spec"]["volumeAttributesClassName"])),
    AGE,
    wide("VolumeMode", |o| or_unset(&o["spec"]["volumeMode"])),
];

const CLASSES: &[BuiltinColumn] = &[
    text("Name", |o| {
        let default = [
            "storageclass.kubernetes.io/is-default-class",
            "storageclass.beta.kubernetes.io/is-default-class",
        ];
        with_default(o, &default)
    }),
    text("Provisioner", |o| plain(&o["provisioner"])),
    text("ReclaimPolicy", |o| or(&o["reclaimPolicy"], "Delete")),
    text("VolumeBindingMode", |o| or(&o["volumeBindingMode"], "Immediate")),
    text("AllowVolumeExpansion", |o| truth(&o["allowVolumeExpansion"])),
    AGE,
];

const ATTRIBUTES_CLASSES: &[BuiltinColumn] =
    &[NAME, text("DriverName", |o| plain(&o["driverName"])), AGE];

const ATTACHMENTS: &[BuiltinColumn] = &[
    NAME,
    text("Attacher", |o| plain(&o["spec"]["attacher"])),
    text("PV", |o| plain(&o["spec"]["source"]["persistentVolumeName"])),
    text("Node", |o| plain(&o["spec"]["nodeName"])),
    boolean("Attached", |o| truth(&o["status"]["attached"])),
    AGE,
];

const CSI_NODES: &[BuiltinColumn] =
    &[NAME, integer("Drivers", |o| number_of(&o["spec"]["drivers"])), AGE];

const CSI_DRIVERS: &[BuiltinColumn] = &[
    NAME,
    boolean("AttachRequired", |o| (o["spec"]["attachRequired"] != false).into()),
    boolean("PodInfoOnMount", |o| truth(&o["spec"]["podInfoOnMount"])),
    boolean("StorageCapacity", |o| truth(&o["spec"]["storageCapacity"])),
    text("TokenRequests", |o| {
        let audiences = elements(&o["spec"]["tokenRequests"]).map(|one| str_of(&one["audience"]));
        match &o["spec"]["tokenRequests"] {
            Value::Null => "<unset>".into(),
            _ => audiences.collect::<Vec<_>>().join(",").into(),
        }
    }),
    boolean("RequiresRepublish", |o| truth(&o["spec"]["requiresRepublish"])),
    text("Modes", |o| {
        or_none_joined(elements(&o["spec"]["volumeLifecycleModes"]).map(|m| str_of(m).to_owned()))
    }),
    AGE,
];

const CAPACITIES: &[BuiltinColumn] = &[
    NAME,
    text("StorageClassName", |o| plain(&o["storageClassName"])),
    text("Capacity", |o| or_unset(&o["capacity"])),
];

pub(super) fn of(name: &str) -> Option<&'static [BuiltinColumn]> {
    Some(match name {
        "persistentvolumes" => VOLUMES,
        "persistentvolumeclaims" => CLAIMS,
        "storageclasses.storage.k8s.io" => CLASSES,
        "volumeattributesclasses.storage.k8s.io" => ATTRIBUTES_CLASSES,
        "volumeattachments.storage.k8s.io" => ATTACHMENTS,
        "csinodes.storage.k8s.io" => CSI_NODES,
        "csidrivers.storage.k8s.io" => CSI_DRIVERS,
        "csistoragecapacities.storage.k8s.io" => CAPACITIES,
        _ => return None,
    })
}

/// Returns the name of an object, marked if one of the annotations makes it the default.
pub(super) fn with_default(object: &Value, annotations: &[&str]) -> Value {
    let metadata = &object["metadata"];
    let name = str_of(&metadata["name"]);
    let default = annotations.iter().any(|key| metadata["annotations"][*key] == "true");
    if default { format!("{name} (default)").into() } else { name.into() }
}

fn phase(object: &Value) -> Value {
    match &object["metadata"]["deletionTimestamp"] {
        Value::Null => plain(&object["status"]["phase"]),
        _ => "Terminating".into(),
    }
}

fn class(object: &Value) -> Value {
    match &object["metadata"]["annotations"][OLD_CLASS] {
        Value::Null => plain(&object["spec"]["storageClassName"]),
        old => plain(old),
    }
}

fn if_bound(claim: &Value, cell: Value) -> Value {
    if str_of(&claim["spec"]["volumeName"]).is_empty() { "".into() } else { cell }
}

fn modes(modes: &Value) -> Value {
    let known = MODES.iter().filter(|(mode, _)| elements(modes).any(|known| known == mode));
    known.map(|(_, short)| *short).collect::<Vec<_>>().join(",").into()
}

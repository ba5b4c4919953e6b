//! Defaults of claims, volumes and their classes.

use serde_json::{Map, Value, json};

use super::Rule::{Bool, Each, Text, With};
use super::{Row, has};

pub(super) const CLAIM: &[Row] = &[
    ("spec.volumeMode", Text("Filesystem")),
    ("spec", With(source_twice)),
    ("status.phase", Text("Pending")),
];

/// A claim inside a stateful set, which states its type.
pub(super) const CLAIM_TEMPLATE: &[Row] =
    &[("apiVersion", Text("v1")), ("kind", Text("PersistentVolumeClaim")), ("", Each(CLAIM))];

pub(super) const VOLUME: &[Row] = &[
    ("spec.persistentVolumeReclaimPolicy", Text("Retain")),
    ("spec.volumeMode", Text("Filesystem")),
    ("spec.hostPath.type", Text("")),
    ("spec.iscsi.iscsiInterface", Text("default")),
    ("spec.rbd.pool", Text("rbd")),
    ("spec.rbd.user", Text("admin")),
    ("spec.rbd.keyring", Text("/etc/ceph/keyring")),
    ("spec.azureDisk.cachingMode", Text("ReadWrite")),
    ("spec.azureDisk.kind", Text("Shared")),
    ("spec.azureDisk.fsType", Text("ext4")),
    ("spec.azureDisk.readOnly", Bool(false)),
    ("spec.scaleIO.storageMode", Text("ThinProvisioned")),
    ("spec.scaleIO.fsType", Text("xfs")),
    ("status.phase", Text("Pending")),
];

pub(super) const CLASS: &[Row] =
    &[("reclaimPolicy", Text("Delete")), ("volumeBindingMode", Text("Immediate"))];

pub(super) const DRIVER: &[Row] = &[
    ("spec.attachRequired", Bool(true)),
    ("spec.podInfoOnMount", Bool(false)),
    ("spec", With(lifecycle_modes)),
    ("spec.storageCapacity", Bool(false)),
    ("spec.fsGroupPolicy", Text("ReadWriteOnceWithFSType")),
    ("spec.requiresRepublish", Bool(false)),
    ("spec.seLinuxMount", Bool(false)),
];

fn lifecycle_modes(spec: &mut Map<String, Value>) {
    if !has(spec, "volumeLifecycleModes") {
        spec.insert("volumeLifecycleModes".into(), json!(["Persistent"]));
    }
}

/// Sets each of the two members for a claim's source to the other one.
fn source_twice(spec: &mut Map<String, Value>) {
    if has(spec, "dataSource") && !has(spec, "dataSourceRef") {
        let text = |name: &str| spec["dataSource"][name].as_str().unwrap_or_default();
        let known = [("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot")];
        if !known.contains(&(text("apiGroup"), text("kind"))) {
            // Older clients are used to that.
            spec.remove("dataSource");
            return;
        }
        spec.insert("dataSourceRef".into(), spec["dataSource"].clone());
    } else if has(spec, "dataSourceRef") && !has(spec, "dataSource") {
        let source = &spec["dataSourceRef"];
        let elsewhere = source["namespace"].as_str().is_some_and(|name| !name.is_empty());
        if !elsewhere {
            spec.insert("dataSource".into(), source.clone());
        }
    }
}

//! Volumes of pods and their sources.

use serde_json::Value;

use super::rows::Rule::{Check, Given, Required, RequiredOneOf, Rows};
use super::rows::{self, Row, child, text};
use super::storage::{CLAIM_SPEC, absolute};
use super::{names, pods, projections};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;
use crate::api_server::rules::quantity::Quantity;

pub(super) const VOLUME: &[Row] = &[
    ("", Check(name)),
    ("", Check(one_source)),
    ("hostPath", Rows(HOST_PATH)),
    ("secret.secretName", Required),
    ("configMap.name", Required),
    ("persistentVolumeClaim.claimName", Required),
    ("nfs.server", Required),
    ("nfs.path", Check(absolute)),
    ("csi.driver", Check(names::driver)),
    ("csi", Given(secret_of_driver)),
    ("image.pullPolicy", RequiredOneOf(&["Always", "IfNotPresent", "Never"])),
    ("ephemeral.volumeClaimTemplate", Required),
    ("ephemeral.volumeClaimTemplate.metadata", Check(only_labels)),
    ("ephemeral.volumeClaimTemplate.spec", Rows(CLAIM_SPEC)),
    ("emptyDir.sizeLimit", Check(size_limit)),
    ("secret", Rows(projections::KEYS)),
    ("configMap", Rows(projections::KEYS)),
    ("downwardAPI", Rows(projections::FIELDS)),
    ("projected", Rows(projections::PROJECTED)),
];

/// The sources in the order in which a server looks at them.
const SOURCES: [&str; 30] = [
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
    "flexVolume",
];

/// Checks the metadata of a claim that a pod makes.
fn only_labels(metadata: &Value, path: &str, causes: &mut Vec<Cause>) {
    pods::labels(metadata, path, causes);
    for (name, _) in rows::members(metadata).filter(|(_, value)| !value.is_null()) {
        if !matches!(name.as_str(), "labels" | "annotations") {
            causes.push(Cause::forbidden(&child(path, name), "cannot be set"));
        }
    }
}

/// Checks the secret of a driver. A server leaves the member out of the path.
fn secret_of_driver(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    let secret = &source["nodePublishSecretRef"];
    match text(secret, "name") {
        _ if secret.is_null() => {}
        "" => causes.push(Cause::required(&child(path, "nodePublishSecretRef.name"), "")),
        name => rows::is(formats::subdomain, name, &child(path, "name"), causes),
    }
}

fn name(volume: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "name");
    match text(volume, "name") {
        "" => causes.push(Cause::required(&path, "")),
        name => rows::is(formats::label, name, &path, causes),
    }
}

fn size_limit(limit: &Value, path: &str, causes: &mut Vec<Cause>) {
    if Quantity::of(limit).is_some_and(Quantity::is_negative) {
        let problem = "SizeLimit field must be a valid resource quantity";
        causes.push(Cause::forbidden(path, problem));
    }
}

/// Returns whether a pod has a volume whose source has no rules of its own.
pub(crate) fn has_unchecked_volume(spec: &Value) -> bool {
    let checked = [
        "emptyDir",
        "hostPath",
        "secret",
        "nfs",
        "persistentVolumeClaim",
        "downwardAPI",
        "configMap",
        "projected",
        "csi",
        "ephemeral",
        "image",
    ];
    let unchecked = |name: &&&str| !checked.contains(*name);
    rows::elements(&spec["volumes"])
        .any(|volume| SOURCES.iter().filter(unchecked).any(|name| !volume[*name].is_null()))
}

/// Checks that there is exactly one source.
fn one_source(volume: &Value, path: &str, causes: &mut Vec<Cause>) {
    only_one(&SOURCES, volume, path, causes);
}

fn only_one(sources: &[&str], volume: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut given = sources.iter().filter(|name| !volume[**name].is_null());
    if given.next().is_none() {
        causes.push(Cause::required(path, "must specify a volume type"));
    }
    for name in given {
        let problem = "may not specify more than 1 volume type";
        causes.push(Cause::forbidden(&child(path, name), problem));
    }
}

/// The sources of persistent volumes in the order in which a server looks at them.
const PERSISTENT_SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// Checks that a persistent volume has exactly one source.
pub(super) fn persistent_source(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    only_one(&PERSISTENT_SOURCES, spec, path, causes);
}

/// Returns whether the source of a persistent volume is one without rules of its own.
pub(crate) fn has_unchecked_source(spec: &Value) -> bool {
    let checked = ["hostPath", "nfs", "local", "csi"];
    let mut given = PERSISTENT_SOURCES.iter().filter(|name| !spec[**name].is_null());
    given.any(|name| !checked.contains(name))
}

/// A path on a node.
pub(super) const HOST_PATH: &[Row] = &[("path", Required), ("", Check(host_path))];

fn host_path(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(source, "path").split('/').any(|part| part == "..") {
        let path = child(path, "path");
        causes.push(Cause::invalid(&path, text(source, "path"), "must not contain '..'"));
    }
    let types = [
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    ];
    rows::one_of(&types, &source["type"], &child(path, "type"), causes);
}

//! Defaults of pods and their templates.

use serde_json::{Map, Value, json};

use super::Rule::{Bool, Each, Empty, Integer, Text, With};
use super::{Row, has, set, text};

/// A pod has defaults that a template does not have.
pub(super) const POD: &[Row] = &[
    ("spec", With(request_limits)),
    ("spec", Each(POD_SPEC)),
    ("spec.enableServiceLinks", Bool(true)),
    ("status", With(list_address)),
];

/// The address of a pod is the first of its list.
fn list_address(status: &mut Map<String, Value>) {
    let address = text(status, "podIP").to_owned();
    if !address.is_empty() && !has(status, "podIPs") {
        status.insert("podIPs".into(), json!([{ "ip": address }]));
    }
}

pub(super) const POD_SPEC: &[Row] = &[
    ("volumes[]", Each(VOLUME)),
    ("containers[]", Each(CONTAINER)),
    ("initContainers[]", Each(CONTAINER)),
    ("ephemeralContainers[]", Each(CONTAINER)),
    ("restartPolicy", Text("Always")),
    ("terminationGracePeriodSeconds", Integer(30)),
    ("dnsPolicy", Text("ClusterFirst")),
    ("securityContext", Empty),
    ("schedulerName", Text("default-scheduler")),
    ("", With(name_account_twice)),
    ("", With(open_host_ports)),
];

const CONTAINER: &[Row] = &[
    ("ports[].protocol", Text("TCP")),
    ("env[].valueFrom.fieldRef.apiVersion", Text("v1")),
    ("env[].valueFrom.fileKeyRef.optional", Bool(false)),
    ("livenessProbe", Each(PROBE)),
    ("readinessProbe", Each(PROBE)),
    ("startupProbe", Each(PROBE)),
    ("lifecycle.postStart.httpGet", Each(HTTP_GET)),
    ("lifecycle.preStop.httpGet", Each(HTTP_GET)),
    ("terminationMessagePath", Text("/dev/termination-log")),
    ("terminationMessagePolicy", Text("File")),
    ("", With(pull_policy)),
];

const PROBE: &[Row] = &[
    ("httpGet", Each(HTTP_GET)),
    ("grpc.service", Text("")),
    ("timeoutSeconds", Integer(1)),
    ("periodSeconds", Integer(10)),
    ("successThreshold", Integer(1)),
    ("failureThreshold", Integer(3)),
];

const HTTP_GET: &[Row] = &[("path", Text("/")), ("scheme", Text("HTTP"))];

/// The number that the octal mode 0644 is in JSON.
const FILE_MODE: i64 = 0o644;

const VOLUME: &[Row] = &[
    ("", With(empty_directory)),
    ("secret.defaultMode", Integer(FILE_MODE)),
    ("configMap.defaultMode", Integer(FILE_MODE)),
    ("downwardAPI.defaultMode", Integer(FILE_MODE)),
    ("downwardAPI.items[]", Each(DOWNWARD_FILE)),
    ("projected.defaultMode", Integer(FILE_MODE)),
    ("projected.sources[].serviceAccountToken.expirationSeconds", Integer(3600)),
    ("projected.sources[].downwardAPI.items[]", Each(DOWNWARD_FILE)),
    ("hostPath.type", Text("")),
    ("ephemeral.volumeClaimTemplate.spec.volumeMode", Text("Filesystem")),
    ("iscsi.iscsiInterface", Text("default")),
    ("rbd.pool", Text("rbd")),
    ("rbd.user", Text("admin")),
    ("rbd.keyring", Text("/etc/ceph/keyring")),
    ("azureDisk.cachingMode", Text("ReadWrite")),
    ("azureDisk.kind", Text("Shared")),
    ("azureDisk.fsType", Text("ext4")),
    ("azureDisk.readOnly", Bool(false)),
    ("scaleIO.storageMode", Text("ThinProvisioned")),
    ("scaleIO.fsType", Text("xfs")),
    ("image", With(image_volume_policy)),
];

const DOWNWARD_FILE: &[Row] = &[("fieldRef.apiVersion", Text("v1"))];

/// Makes a volume without a source an empty directory.
fn empty_directory(volume: &mut Map<String, Value>) {
    if volume.iter().all(|(name, value)| name == "name" || value.is_null()) {
        volume.insert("emptyDir".into(), json!({}));
    }
}

/// Sets the pull policy. An image without a tag, or with the tag `latest`, is always pulled.
fn pull_policy(container: &mut Map<String, Value>) {
    let policy = policy_of_image(text(container, "image"));
    set(container, "imagePullPolicy", policy.into());
}

fn image_volume_policy(image: &mut Map<String, Value>) {
    let policy = policy_of_image(text(image, "reference"));
    set(image, "pullPolicy", policy.into());
}

fn policy_of_image(image: &str) -> &'static str {
    if image.is_empty() {
        return "IfNotPresent";
    }
    let (name, digest) = image.split_once('@').map_or((image, false), |(name, _)| (name, true));
    let last = name.rsplit('/').next().unwrap_or_default();
    let tag = last.split_once(':').map(|(_, tag)| tag);
    match tag {
        Some("latest") => "Always",
        None if !digest => "Always",
        _ => "IfNotPresent",
    }
}

/// Sets the deprecated name of the service account to the new one, or the reverse.
fn name_account_twice(spec: &mut Map<String, Value>) {
    let name = text(spec, "serviceAccountName").to_owned();
    let old = text(spec, "serviceAccount").to_owned();
    if name.is_empty() && old.is_empty() {
        return;
    }
    let name = if name.is_empty() { old } else { name };
    spec.insert("serviceAccount".into(), name.clone().into());
    spec.insert("serviceAccountName".into(), name.into());
}

/// Opens the ports of a pod on the host's network as the host's ports.
fn open_host_ports(spec: &mut Map<String, Value>) {
    if spec.get("hostNetwork") != Some(&Value::Bool(true)) {
        return;
    }
    for member in ["containers", "initContainers"] {
        let containers = spec.get_mut(member).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            let ports = container.get_mut("ports").and_then(Value::as_array_mut);
            for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
                if let Some(number) = port.get("containerPort").filter(|port| **port != 0).cloned()
                {
                    set(port, "hostPort", number);
                }
            }
        }
    }
}

/// Sets the request of a resource that has only a limit.
fn request_limits(spec: &mut Map<String, Value>) {
    for member in ["containers", "initContainers"] {
        let containers = spec.get_mut(member).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut)
            else {
                continue;
            };
            let Some(Value::Object(limits)) = resources.get("limits").cloned() else { continue };
            if !has(resources, "requests") {
                resources.insert("requests".into(), json!({}));
            }
            let requests = resources.get_mut("requests").and_then(Value::as_object_mut);
            if let Some(requests) = requests {
                for (name, limit) in limits {
                    set(requests, &name, limit);
                }
            }
        }
    }
}

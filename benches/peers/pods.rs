//! Pods as a cluster has them, for the comparison: about 8.3 kB of JSON each.
//!
//! Two containers, probes, volumes, conditions, managedFields. Names, hashes, addresses and values
//! come from a seed and differ from pod to pod, so that no compression is flattered. The same
//! number always gives the same pod; a generation is a later state of it, with another status.

use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The number of namespaces that the pods are spread over.
const NAMESPACES: u64 = 50;

/// The number of pods on a node.
const PER_NODE: u64 = 100;

const TEAMS: [&str; 10] =
    ["shop", "bank", "mail", "batch", "search", "media", "billing", "fraud", "ledger", "edge"];

/// A pod whose spec and status are kept as they are: the server stores them, nobody looks inside.
#[derive(Clone, Debug, Deserialize, Resource, Serialize)]
#[resource(inherit = Pod)]
pub(crate) struct RawPod {
    metadata: ObjectMeta,
    spec: Value,
    status: Value,
}

/// A small generator of well mixed numbers (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn hex(&mut self, digits: usize) -> String {
        let mut text = String::new();
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.next()));
        }
        text.truncate(digits);
        text
    }

    /// Draws from the letters of Kubernetes's generated names: no vowels, no digits that look like
    /// letters.
    fn suffix(&mut self, length: usize) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..length).map(|_| char::from(LETTERS[(self.next() % 27) as usize])).collect()
    }

    fn time(&mut self) -> String {
        let (day, hour) = (1 + self.below(20), self.below(24));
        format!("2026-11-{day:02}T{hour:02}:{:02}:{:02}Z", self.below(60), self.below(60))
    }

    fn uid(&mut self) -> String {
        let hex = self.hex(32);
        format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
    }
}

/// The pod of this number, in its first or a later state.
pub(crate) fn pod(seed: u64, n: u64, generation: u64) -> RawPod {
    serde_json::from_value(pod_json(seed, n, generation)).expect("a pod")
}

pub(crate) fn pod_json(seed: u64, n: u64, generation: u64) -> Value {
    // Ten pods share a replica set, and with it what its template says.
    let mut set = Dice(seed ^ (n / 10).wrapping_mul(0xd134_2543_de82_ef95));
    let mut own = Dice(seed ^ n.wrapping_mul(0xa076_1d64_78bd_642f) ^ 1);
    let mut state = Dice(seed ^ n ^ generation.wrapping_mul(0xe703_7ed1_a0b4_28db) ^ 2);
    let team = TEAMS[(set.next() % 10) as usize];
    let app = format!("{team}-{}", set.suffix(6));
    let hash = set.suffix(10);
    let created = own.time();
    let changed = state.time();
    let containers =
        [container(&mut set, &mut own, "server"), container(&mut set, &mut own, "proxy")];
    let names = ["server", "proxy"].map(String::from);
    let statuses = names.clone().map(|name| container_status(&mut own, &mut state, &name));
    let address = format!("10.{}.{}.{}", own.below(250), own.below(250), 1 + own.below(250));
    let condition = |kind: &str, time: &str| {
        json!({"type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": time,
               "observedGeneration": 1})
    };
    let token = format!("kube-api-access-{}", own.suffix(5));
    json!({
        "metadata": {
            "name": format!("{app}-{hash}-{}", own.suffix(5)),
            "namespace": format!("team-{:02}", n % NAMESPACES),
            "generateName": format!("{app}-{hash}-"),
            "labels": {"app.kubernetes.io/name": app, "app.kubernetes.io/version": version(&mut set),
                       "team": team, "pod-template-hash": hash, "track": if n.is_multiple_of(7) { "canary" } else { "stable" }},
            "annotations": {"checksum/config": set.hex(64), "prometheus.io/scrape": "true",
                            "prometheus.io/port": (8000 + set.below(1000)).to_string(),
                            "kubectl.kubernetes.io/restartedAt": set.time()},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("{app}-{hash}"),
                                 "uid": set.uid(), "controller": true, "blockOwnerDeletion": true}],
            "managedFields": [managed_template(&created, &token), managed_status(&changed, &address)]
        },
        "spec": {
            "nodeName": node(n), "serviceAccountName": app, "serviceAccount": app,
            "containers": containers,
            "volumes": [
                {"name": "config", "configMap": {"name": format!("{app}-{}", set.hex(8)), "defaultMode": 420}},
                {"name": "cache", "emptyDir": {"sizeLimit": format!("{}Mi", 64 + set.below(900))}},
                {"name": token, "projected": {"defaultMode": 420, "sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                    {"downwardAPI": {"items": [{"path": "namespace",
                        "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}}]}}],
            "restartPolicy": "Always", "terminationGracePeriodSeconds": 30 + set.below(60),
            "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler", "enableServiceLinks": true,
            "securityContext": {"runAsNonRoot": true, "fsGroup": 1000 + set.below(60000)},
            "preemptionPolicy": "PreemptLowerPriority", "priority": 0,
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]
        },
        "status": {
            "phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "startTime": created,
            "hostIP": format!("192.168.{}.{}", n / PER_NODE / 250, n / PER_NODE % 250),
            "conditions": [condition("PodReadyToStartContainers", &created), condition("Initialized", &created),
                           condition("Ready", &changed), condition("ContainersReady", &changed),
                           condition("PodScheduled", &created)],
            "containerStatuses": statuses, "qosClass": "Burstable"
        }
    })
}

fn node(n: u64) -> String {
    format!("node-{}.example.internal", n / PER_NODE)
}

fn version(dice: &mut Dice) -> String {
    format!("v{}.{}.{}", dice.below(4), dice.below(40), dice.below(12))
}

fn container(set: &mut Dice, own: &mut Dice, name: &str) -> Value {
    let port = 8000 + set.below(1000);
    let probe = |path: &str, delay: u64| {
        json!({"httpGet": {"path": path, "port": port, "scheme": "HTTP"}, "initialDelaySeconds": delay,
               "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3})
    };
    let env: Vec<_> = ["DATABASE_URL", "QUEUE", "FEATURES", "REGION", "SHARD", "CACHE", "TRACING"]
        .iter()
        .map(|setting| json!({"name": setting, "value": format!("{}-{}", set.suffix(6), own.hex(12))}))
        .collect();
    json!({
        "name": name, "image": format!("registry.example.com/{}/{name}:{}", set.suffix(5), version(set)),
        "args": [format!("--listen=:{port}"), format!("--shard={}", own.below(64))],
        "ports": [{"name": "http", "containerPort": port, "protocol": "TCP"}], "env": env,
        "resources": {"limits": {"cpu": format!("{}m", 100 * (1 + set.below(20))), "memory": format!("{}Mi", 128 * (1 + set.below(16)))},
                      "requests": {"cpu": format!("{}m", 10 * (1 + set.below(20))), "memory": format!("{}Mi", 64 * (1 + set.below(8)))}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/config", "readOnly": true},
                         {"name": "cache", "mountPath": "/var/cache/app"},
                         {"name": "token", "readOnly": true,
                          "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}],
        "livenessProbe": probe("/healthz", 5 + set.below(20)), "readinessProbe": probe("/readyz", set.below(10)),
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}
    })
}

fn container_status(own: &mut Dice, state: &mut Dice, name: &str) -> Value {
    let digest = own.hex(64);
    json!({"name": name, "ready": true, "started": true, "restartCount": state.below(5),
           "image": format!("registry.example.com/team/{name}:{}", version(own)),
           "imageID": format!("registry.example.com/team/{name}@sha256:{digest}"),
           "containerID": format!("containerd://{}", state.hex(64)), "lastState": {},
           "state": {"running": {"startedAt": state.time()}}})
}

/// The managed fields of the controller manager: most of the template.
fn managed_template(time: &str, token: &str) -> Value {
    let probe = json!({".": {}, "f:failureThreshold": {}, "f:httpGet": {".": {}, "f:path": {}, "f:port": {}, "f:scheme": {}},
                       "f:initialDelaySeconds": {}, "f:periodSeconds": {}, "f:successThreshold": {}, "f:timeoutSeconds": {}});
    let container = json!({".": {}, "f:args": {}, "f:env": {".": {},
            "k:{\"name\":\"DATABASE_URL\"}": {".": {}, "f:name": {}, "f:value": {}},
            "k:{\"name\":\"QUEUE\"}": {".": {}, "f:name": {}, "f:value": {}}},
        "f:image": {}, "f:imagePullPolicy": {}, "f:livenessProbe": probe, "f:name": {},
        "f:readinessProbe": probe, "f:resources": {".": {}, "f:limits": {}, "f:requests": {}}});
    json!({"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1", "time": time,
           "fieldsType": "FieldsV1", "fieldsV1": {
        "f:metadata": {"f:generateName": {}, "f:labels": {".": {}, "f:app.kubernetes.io/name": {}, "f:pod-template-hash": {}, "f:team": {}},
                       "f:ownerReferences": {".": {}, "k:{\"name\":\"owner\"}": {}}},
        "f:spec": {"f:containers": {"k:{\"name\":\"server\"}": container},
                   "f:dnsPolicy": {}, "f:restartPolicy": {}, "f:schedulerName": {},
                   "f:volumes": {".": {}, (format!("k:{{\"name\":\"{token}\"}}")): {".": {}, "f:name": {}, "f:projected": {}}}}}})
}

/// The managed fields of the kubelet: the status.
fn managed_status(time: &str, address: &str) -> Value {
    let condition = json!({".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {}});
    json!({"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": time, "subresource": "status",
           "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {
        "f:conditions": {"k:{\"type\":\"ContainersReady\"}": condition, "k:{\"type\":\"Initialized\"}": condition,
                         "k:{\"type\":\"Ready\"}": condition},
        "f:containerStatuses": {}, "f:hostIP": {}, "f:phase": {}, "f:podIP": {},
        "f:podIPs": {".": {}, (format!("k:{{\"ip\":\"{address}\"}}")): {".": {}, "f:ip": {}}}, "f:startTime": {}}}})
}

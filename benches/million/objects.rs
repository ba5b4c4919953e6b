//! The objects of the measurement: the comparison's pods with service accounts, phases and stamps,
//! and nodes of about 9 kB of JSON.

use kube_decode::encode_protobuf;
use memchr::memmem;
use serde_json::{Value, json};

use crate::monotonic;
use crate::pods::pod_json;

/// The annotation of an object that says when it was written: nanoseconds of the machine's
/// monotonic clock, which all its processes share.
pub(crate) const WRITTEN: &str = "bench.example.com/written";

/// Stands where that goes before the first change, with as many digits.
const UNWRITTEN: &str = "00000000000000000000";

const SEED: u64 = 20_261_127;

/// The pod of this number, in its protobuf envelope.
pub(crate) fn pod(n: u64, version: u64) -> Vec<u8> {
    let mut pod = pod_json(SEED, n, 0);
    pod["status"]["phase"] = if n.is_multiple_of(10) { "Succeeded" } else { "Running" }.into();
    finish(pod, "Pod", n, version)
}

/// Makes this version of a pod from the one before, now: other containers, and in one change of
/// seven a pod that runs becomes pending, or the reverse. Only bytes change that have fixed places,
/// because encoding a pod takes a hundred times as long.
pub(crate) fn change(pod: &mut [u8], n: u64, version: u64) {
    let find =
        |pod: &[u8], what: &str| memmem::find(pod, what.as_bytes()).map(|at| at + what.len());
    let write = |pod: &mut [u8], at: usize, text: &str| {
        pod[at..at + text.len()].copy_from_slice(text.as_bytes());
    };
    // Each followed by the head of the field, tag and length.
    let at = find(pod, &uid(n)).expect("a uid") + 2;
    write(pod, at, &version.to_string());
    let mut from = 0;
    while let Some(at) = find(&pod[from..], "containerd://") {
        from += at;
        let [a, b] = [1, 2].map(|part| mixed(version ^ (from as u64) << 40 ^ part << 60));
        write(pod, from, &format!("{a:016x}{b:016x}{:016x}{:016x}", mixed(a), mixed(b)));
    }
    if version.is_multiple_of(7) {
        for (was, is) in [("Running", "Pending"), ("Pending", "Running")] {
            if let Some(at) = find(pod, &format!("\x0a\x07{was}")) {
                write(pod, at - was.len(), is);
                break;
            }
        }
    }
    let at = find(pod, WRITTEN).expect("a stamp") + 2;
    write(pod, at, &format!("{:020}", monotonic()));
}

/// The node of this number, in its protobuf envelope.
pub(crate) fn node(n: u64, version: u64) -> Vec<u8> {
    // As many images as the kubelet reports at most.
    let images: Vec<_> = (0..50)
        .map(|image| {
            let digest = format!("{:064x}", mixed(n * 64 + image));
            json!({"names": [format!("registry.example.com/team-{}/app@sha256:{digest}", image % 10)],
                   "sizeBytes": mixed(n + image) % 900_000_000})
        })
        .collect();
    let conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map(|kind| {
        json!({"type": kind, "status": if kind == "Ready" { "True" } else { "False" },
               "lastHeartbeatTime": "2026-11-20T10:00:00Z",
               "lastTransitionTime": "2026-11-01T10:00:00Z",
               "reason": format!("Kubelet{kind}"), "message": format!("kubelet reports {kind}")})
    });
    let sizes = json!({"cpu": "16", "memory": "65843516Ki", "pods": "110",
                       "ephemeral-storage": "203056560Ki", "hugepages-2Mi": "0"});
    let (name, address) =
        (format!("node-{n}.example.internal"), format!("10.{}.{}.7", n / 250, n % 250));
    let zone = format!("zone-{}", n % 3);
    let node = json!({
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                       "kubernetes.io/arch": "amd64", "topology.kubernetes.io/zone": zone,
                       "node.kubernetes.io/instance-type": format!("m{}.4xlarge", 4 + n % 4)},
            "annotations": {"node.alpha.kubernetes.io/ttl": "0",
                            "volumes.kubernetes.io/controller-managed-attach-detach": "true"}
        },
        "spec": {"podCIDR": format!("10.{}.{}.0/24", n / 250, n % 250),
                 "providerID": format!("example:///{zone}/i-{:016x}", mixed(n))},
        "status": {
            "capacity": sizes, "allocatable": sizes, "conditions": conditions, "images": images,
            "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {"machineID": format!("{:032x}", mixed(n)), "systemUUID": format!("{:032x}", mixed(n + 1)),
                         "bootID": format!("{:032x}", mixed(n + 2)), "kernelVersion": "6.12.48",
                         "osImage": "Example Linux 12", "containerRuntimeVersion": "containerd://2.1.4",
                         "kubeletVersion": "v1.36.1", "kubeProxyVersion": "", "operatingSystem": "linux",
                         "architecture": "amd64"}
        }
    });
    finish(node, "Node", n, version)
}

/// Adds what a server adds, and encodes.
fn finish(mut object: Value, kind: &str, n: u64, version: u64) -> Vec<u8> {
    object["apiVersion"] = "v1".into();
    object["kind"] = kind.into();
    let metadata = &mut object["metadata"];
    metadata["uid"] = uid(n).into();
    metadata["creationTimestamp"] = "2026-11-01T10:00:00Z".into();
    metadata["resourceVersion"] = version.to_string().into();
    metadata["annotations"][WRITTEN] = UNWRITTEN.into();
    encode_protobuf(&object).expect("a built-in kind")
}

fn uid(n: u64) -> String {
    let (high, low) = (mixed(n), mixed(!n));
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 52,
        low & 0xffff_ffff_ffff
    )
}

/// Another number for each number, well mixed.
fn mixed(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

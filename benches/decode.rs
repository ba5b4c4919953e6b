//! Decoding one pod: JSON beside protobuf, whole and into a struct that keeps a few fields.
//! `cargo bench --bench decode`.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use k8s_openapi::api::core::v1::Pod;
use kube::api::ObjectMeta;
use kube_informer::transport::protobuf::ProtobufObject;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// The fields that a controller keeps if it follows pods to their nodes.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "decoded, not read")]
struct SlimPod {
    metadata: SlimMeta,
    spec: SlimSpec,
    status: SlimStatus,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "decoded, not read")]
struct SlimMeta {
    name: String,
    namespace: String,
    resource_version: String,
    uid: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "decoded, not read")]
struct SlimSpec {
    node_name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "decoded, not read")]
struct SlimStatus {
    phase: String,
    pod_ip: Option<String>,
}

/// A pod whose metadata is whole, as a struct that inherits a resource has it.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "decoded, not read")]
struct MetaPod {
    metadata: ObjectMeta,
}

fn decode(c: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/decode");
    let json = std::fs::read(folder.join("pod.json")).expect("benches/decode/pod.json");
    let protobuf = std::fs::read(folder.join("pod.pb")).expect("benches/decode/pod.pb");
    let same: Pod = serde_json::from_slice(&json).expect("a pod");
    assert!(same == ProtobufObject::from_envelope(&protobuf).unwrap().decode().unwrap());
    println!("{} bytes of JSON, {} of protobuf", json.len(), protobuf.len());
    both::<Pod>(c, "whole", &json, &protobuf);
    both::<MetaPod>(c, "metadata", &json, &protobuf);
    both::<SlimPod>(c, "slim", &json, &protobuf);
    both::<IgnoredAny>(c, "nothing", &json, &protobuf);
}

fn both<K: DeserializeOwned>(c: &mut Criterion, what: &str, json: &[u8], protobuf: &[u8]) {
    let mut group = c.benchmark_group(format!("decode a pod, {what}"));
    group.throughput(Throughput::Elements(1));
    group.bench_function("JSON", |b| {
        b.iter(|| black_box(serde_json::from_slice::<K>(black_box(json)).unwrap()));
    });
    group.bench_function("protobuf", |b| {
        b.iter(|| {
            let object = ProtobufObject::from_envelope(black_box(protobuf)).unwrap();
            black_box(object.decode::<K>().unwrap())
        });
    });
    group.finish();
}

criterion_group!(benches, decode);
criterion_main!(benches);

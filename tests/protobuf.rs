//! The same object in protobuf and in JSON decodes to equal values: as a `serde_json::Value`, and in
//! the type of `k8s-openapi` wherever it has the kind.

#[path = "protobuf/kinds.rs"]
mod kinds;

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use kube_informer::transport::protobuf::{ProtobufObject, is_built_in};
use serde_json::Value;

/// One object in both encodings.
struct Pair {
    /// Where it is from, for whoever reads the failure.
    name: String,
    protobuf: Vec<u8>,
    json: Vec<u8>,
}

/// Compares what the two encodings of an object decode to. Says in how many ways it was compared.
fn check(pair: &Pair) -> usize {
    let name = &pair.name;
    let mut expected: Value = serde_json::from_slice(&pair.json).unwrap();
    let object = ProtobufObject::from_envelope(&pair.protobuf).or_else(|error| {
        // A few messages are no objects and do not say what they are.
        let kind = name.rsplit('.').next().unwrap_or_default();
        let fields =
            pair.protobuf[4..].strip_prefix(&[0x0a, 4, 0x0a, 0, 0x12, 0, 0x12]).ok_or(error)?;
        let (length, rest) = fields.split_first().unwrap();
        let message = &rest[..usize::from(*length)];
        Ok::<_, kube_informer::transport::DecodeError>(
            ProtobufObject::from_message("v1", kind, message).unwrap(),
        )
    });
    let object = object.unwrap_or_else(|error| panic!("{name}: {error}"));
    let found: Value = object.decode().unwrap_or_else(|error| panic!("{name}: {error}"));
    if object.types().is_none_or(|types| types.1.is_empty()) {
        expected.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
    }
    if found != expected {
        panic!("{name}: {}", difference("", &found, &expected).unwrap_or_default());
    }
    1 + usize::from(kinds::check(name, &object, &pair.json))
}

/// The first place where two values differ.
fn difference(place: &str, found: &Value, expected: &Value) -> Option<String> {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys());
            keys.map(|key| (format!("{place}.{key}"), a.get(key), b.get(key))).find_map(
                |(place, a, b)| match (a, b) {
                    (Some(a), Some(b)) => difference(&place, a, b),
                    _ => Some(format!("{place}: {a:?}, in JSON {b:?}")),
                },
            )
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.into_iter().find_map(|(n, (a, b))| difference(&format!("{place}[{n}]"), a, b))
        }
        _ => (found != expected).then(|| format!("{place}: {found}, in JSON {expected}")),
    }
}

#[test]
fn the_published_pairs_decode_to_equal_values() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/k8s-api-testdata");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return;
    };
    let (mut pairs, mut compared) = (0, 0);
    for path in files.map(|file| file.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "pb") {
            let pair = Pair {
                name: path.file_stem().unwrap().to_string_lossy().into_owned(),
                protobuf: std::fs::read(&path).unwrap(),
                json: std::fs::read(path.with_extension("json")).unwrap(),
            };
            pairs += 1;
            compared += check(&pair);
        }
    }
    println!("{pairs} pairs, compared in {compared} ways");
    assert!(pairs > 150, "only {pairs} pairs in {}", folder.display());
}

/// Our own pairs: of every kind, empty, full, and in between.
fn pairs() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protobuf/pairs");
    let mut pairs = vec![];
    for path in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let mut content = vec![];
        let mut file = GzDecoder::new(std::fs::File::open(&path).unwrap());
        file.read_to_end(&mut content).unwrap();
        let mut rest = &content[..];
        let mut next = || {
            let (length, tail) = rest.split_first_chunk()?;
            let (part, tail) = tail.split_at(u32::from_le_bytes(*length).try_into().unwrap());
            rest = tail;
            Some(part.to_vec())
        };
        while let (Some(kind), Some(protobuf), Some(json)) = (next(), next(), next()) {
            let group = path.file_stem().unwrap().to_string_lossy();
            let name = format!("{group} {}", String::from_utf8(kind).unwrap());
            pairs.push(Pair { name, protobuf, json });
        }
    }
    pairs
}

#[test]
fn our_own_pairs_decode_to_equal_values() {
    let pairs = pairs();
    let compared: usize = pairs.iter().map(check).sum();
    println!("{} pairs, compared in {compared} ways", pairs.len());
    assert!(pairs.len() > 1000, "only {} pairs", pairs.len());
}

#[test]
fn what_is_built_in_is_known_by_version_and_kind() {
    assert!(
        is_built_in("v1", "Pod")
            && is_built_in("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    );
    assert!(!is_built_in("example.com/v1", "Widget") && !is_built_in("", ""));
}

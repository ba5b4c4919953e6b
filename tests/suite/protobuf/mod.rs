//! The same object in protobuf and in JSON decodes to equal values: as a `serde_json::Value`, and
//! in the type of `k8s-openapi` wherever it has the kind.

mod kinds;

use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_informer::testing::encode_protobuf as encode;
use kube_informer::transport::protobuf::{ProtobufObject, is_built_in};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

/// One object in both encodings.
pub(crate) struct Pair {
    /// The origin of the sample, for the text of a failure: `apps_v1 Deployment full`.
    pub(crate) name: String,
    pub(crate) protobuf: Vec<u8>,
    pub(crate) json: Vec<u8>,
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
    let different = difference("", &found, &expected);
    assert!(found == expected, "{name}: {}", different.unwrap_or_default());
    // The embedded server's encoding decodes to the value that it was made from.
    if let Some(written) = encode(&expected) {
        let read: Value = ProtobufObject::from_envelope(&written).unwrap().decode().unwrap();
        let different = difference("", &read, &expected);
        assert!(read == expected, "{name}, written: {}", different.unwrap_or_default());
    } else {
        assert!(expected.get("kind").is_none(), "{name} can't be written");
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

/// Returns the pairs that Kubernetes publishes. Empty if their folder is not beside this
/// repository.
pub(crate) fn published_pairs() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/k8s-api-testdata");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return Vec::new();
    };
    let files = files.map(|file| file.unwrap().path());
    let pairs = files.filter(|path| path.extension().is_some_and(|extension| extension == "pb"));
    let pairs: Vec<_> = pairs
        .map(|path| Pair {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            protobuf: std::fs::read(&path).unwrap(),
            json: std::fs::read(path.with_extension("json")).unwrap(),
        })
        .collect();
    assert!(pairs.len() > 150, "only {} pairs in {}", pairs.len(), folder.display());
    pairs
}

#[test]
fn the_published_pairs_decode_to_equal_values() {
    let pairs = published_pairs();
    let compared: usize = pairs.iter().map(check).sum();
    println!("{} pairs, compared in {compared} ways", pairs.len());
}

/// Our own pairs: of every kind, empty, full, and in between.
pub(crate) fn pairs() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/protobuf");
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

/// Decodes what may be anything. An error has a place in the bytes, and no object nests for ever.
fn survives(body: &[u8]) {
    let Ok(object) = ProtobufObject::from_envelope(body) else { return };
    let errors = [
        object.decode::<Value>().err(),
        object.decode::<Pod>().err(),
        object.decode::<CustomResourceDefinition>().err(),
    ];
    for error in errors.into_iter().flatten() {
        assert!(error.offset().is_some_and(|offset| offset <= body.len()), "{error}");
    }
}

#[test]
fn objects_that_break_off_are_errors() {
    let pairs = pairs();
    for pair in pairs.iter().filter(|pair| pair.name.ends_with(" full")).step_by(7) {
        for end in (0..pair.protobuf.len()).step_by(5) {
            survives(&pair.protobuf[..end]);
        }
        // The message itself cut off, in an envelope that is whole.
        let object = ProtobufObject::from_envelope(&pair.protobuf).unwrap();
        let (version, kind) = object.types().unwrap();
        let whole: Value = object.decode().unwrap();
        for end in (0..object.message().len()).step_by(5) {
            let torn = ProtobufObject::from_message(version, kind, &object.message()[..end]);
            if let Ok(torn) = torn.unwrap().decode::<Value>() {
                assert_ne!(torn, whole, "{} up to {end}", pair.name);
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::seeds::cases(500))]

    #[test]
    fn no_changed_object_makes_it_panic(
        which in any::<Index>(),
        changes in proptest::collection::vec((any::<Index>(), any::<u8>()), 1..8),
        cut in proptest::option::of((any::<Index>(), any::<Index>())),
    ) {
        static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(pairs);
        let mut body = which.get(&PAIRS).protobuf.clone();
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        if let Some((from, to)) = cut {
            let (from, to) = (from.index(body.len()), to.index(body.len()));
            body.drain(from.min(to)..from.max(to).min(from.min(to) + 9));
        }
        survives(&body);
    }
}

#[test]
fn built_in_types_are_known_by_kind() {
    assert!(
        is_built_in("v1", "Pod")
            && is_built_in("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    );
    assert!(!is_built_in("example.com/v1", "Widget") && !is_built_in("", ""));
}

//! Direct decoders, the walk and the table agree: on the pairs of tests/protobuf, on published
//! ones, on the same bytes changed, and with less memory.

use std::fmt::Debug;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::kinds::each_kind;
use super::*;
use crate::bare;
use crate::protobuf::SECONDS;
use crate::protobuf::encode::{field, int};
use crate::rule::Rule;
use crate::{Decode, DecodeError, MEMORY_LIMIT, SerdeDecode, node};

mod drawn;

/// An object of a kind with a direct decoder, in its envelope.
struct Sample {
    name: String,
    body: Vec<u8>,
    /// The checks for the type of its kind.
    checks: Checks,
}

#[derive(Clone, Copy)]
struct Checks {
    /// Compares the decoders on an ordinary object.
    same: fn(&str, &ProtobufObject<'_>),
    /// Compares the decoders on any bytes. Returns whether the direct one decoded them.
    agree: fn(&ProtobufObject<'_>) -> bool,
    /// Compares the decoders with every limit that matters.
    limits: fn(&str, &ProtobufObject<'_>),
}

trait Sampled: Kind + DeserializeOwned + Serialize + PartialEq + Debug + 'static {}

impl<K: Kind + DeserializeOwned + Serialize + PartialEq + Debug + 'static> Sampled for K {}

/// Decodes directly. The walk accepts the object if, and only if, the decoder does, and charges as
/// much.
fn decode<K: Sampled>(
    object: &ProtobufObject<'_>,
    managed_fields: bool,
    memory: usize,
) -> Option<K> {
    let [read, walked] = [(); 2].map(|()| Budget::new(memory));
    let decoded = kinds::decoder::<K, Budget>(object)?(object, managed_fields, &read);
    let (rules, _) = kinds::rules::<K>()?;
    let mut key = None;
    let mut wanted = |namespace: Option<&str>, name: &str| {
        key = Some((namespace.map(str::to_owned), name.to_owned()));
        true
    };
    let checked = walk::object(object, rules, managed_fields, &walked, false, &mut wanted);
    let metadata = decoded.as_ref().map(k8s_openapi::Metadata::metadata);
    assert_eq!(checked.as_ref(), metadata, "{}", K::KIND);
    if let Some(ObjectMeta { namespace, name, .. }) = checked {
        assert_eq!(walked.left(), read.left(), "{}", K::KIND);
        assert_eq!(key, Some((namespace, name.unwrap_or_default())));
        let accepted = check::<K>(object, managed_fields, memory, true, &mut |_, _| true);
        assert_eq!(accepted.as_ref(), metadata, "{}", K::KIND);
    }
    assert_eq!(check::<K>(object, managed_fields, memory, false, &mut |_, _| false), None);
    decoded
}

fn table<K: Sampled>(
    object: &ProtobufObject<'_>,
    managed_fields: bool,
    memory: usize,
) -> Result<K, DecodeError> {
    node::from_protobuf(*object, (!managed_fields).then_some(Rule::AllButManagedFields), memory)
}

fn equal<K: Sampled>(direct: &K, table: &K) -> bool {
    direct == table
        && serde_json::to_string(direct).unwrap() == serde_json::to_string(table).unwrap()
}

fn same<K: Sampled>(name: &str, object: &ProtobufObject<'_>) {
    for managed_fields in [true, false] {
        let expected = table::<K>(object, managed_fields, MEMORY_LIMIT);
        match (decode::<K>(object, managed_fields, MEMORY_LIMIT), expected) {
            (Some(found), Ok(expected)) => {
                assert!(equal(&found, &expected), "{name}: {found:#?}, by the table {expected:#?}");
            }
            (None, Err(_)) => {}
            (Some(_), Err(error)) => panic!("{name} is decoded, but not by the table: {error}"),
            (None, Ok(_)) => panic!("{name} is decoded by the table only"),
        }
    }
}

fn agree<K: Sampled>(object: &ProtobufObject<'_>) -> bool {
    let mut decoded = false;
    for managed_fields in [true, false] {
        // Little memory is used up at some place of the walk.
        decode::<K>(object, managed_fields, 2 * size_of::<K>());
        if let Some(found) = decode::<K>(object, managed_fields, MEMORY_LIMIT) {
            let expected = table::<K>(object, managed_fields, MEMORY_LIMIT).unwrap();
            assert!(equal(&found, &expected), "{found:#?}, by the table {expected:#?}");
            decoded = true;
        }
    }
    cut::<K>(object);
    decoded
}

/// Asserts that managed fields are cut out of the message, and that nothing else changes.
fn cut<K: Sampled>(object: &ProtobufObject<'_>) {
    let Some(bare) = bare::protobuf(object.message(), false) else {
        let found = super::decode::<K>(object, true, MEMORY_LIMIT);
        assert!(found.is_none_or(|found| found.metadata().managed_fields.is_none()));
        return;
    };
    let bare = ProtobufObject::from_message(K::API_VERSION, K::KIND, &bare).unwrap();
    let expected = table::<K>(object, false, MEMORY_LIMIT).ok();
    for managed_fields in [true, false] {
        assert_eq!(table::<K>(&bare, managed_fields, MEMORY_LIMIT).ok(), expected);
    }
    let found = decode::<K>(object, false, MEMORY_LIMIT);
    assert!(found.is_none() || found == decode::<K>(&bare, true, MEMORY_LIMIT));
}

/// Returns the smallest memory limit that suffices.
fn least(suffices: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, MEMORY_LIMIT);
    while low < high {
        let middle = low.midpoint(high);
        if suffices(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

fn limits<K: Sampled>(name: &str, object: &ProtobufObject<'_>) {
    if table::<K>(object, true, MEMORY_LIMIT).is_err() {
        return;
    }
    let direct = least(|memory| decode::<K>(object, false, memory).is_some());
    let expected = least(|memory| table::<K>(object, false, memory).is_ok());
    // The table can do with less than the most that a tree of JSON may take. A template has one if
    // it has managed fields.
    let bare = table::<K>(object, false, MEMORY_LIMIT).unwrap();
    let has_tree = serde_json::to_string(&bare).unwrap().contains("fieldsV1");
    assert!(direct == expected || has_tree && direct > expected, "{name}: {direct}, {expected}");
    let direct = least(|memory| decode::<K>(object, true, memory).is_some());
    assert!(direct >= least(|memory| table::<K>(object, true, memory).is_ok()), "{name}");
    for memory in (0..=direct).step_by(direct / 40 + 1).chain([direct - 1, direct]) {
        let decoder = SerdeDecode::<K>::new().memory_limit(memory);
        let found = decoder.protobuf().unwrap().decode_protobuf(object);
        assert_eq!(found, table::<K>(object, true, memory), "{name}");
    }
}

/// Returns the checks for the kind of this object.
fn checks(object: &ProtobufObject<'_>) -> Option<Checks> {
    macro_rules! check {
        ($kind:ty, $number:literal) => {
            if object.types()
                == Some((
                    <$kind as k8s_openapi::Resource>::API_VERSION,
                    <$kind as k8s_openapi::Resource>::KIND,
                ))
            {
                assert_eq!(object.message_number(), $number);
                let (same, agree, limits) = (same::<$kind>, agree::<$kind>, limits::<$kind>);
                return Some(Checks { same, agree, limits });
            }
        };
    }
    each_kind!(check);
    None
}

fn sample(name: String, body: Vec<u8>) -> Option<Sample> {
    let checks = checks(&ProtobufObject::from_envelope(&body).ok()?)?;
    Some(Sample { name, body, checks })
}

/// Our own samples: of every kind, empty, full, and in between.
static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/protobuf");
    let mut samples = vec![];
    for path in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let mut content = vec![];
        let mut file = GzDecoder::new(std::fs::File::open(&path).unwrap());
        file.read_to_end(&mut content).unwrap();
        let mut rest = &content[..];
        let mut next = || {
            let (length, tail) = rest.split_first_chunk()?;
            let (part, tail) = tail.split_at(u32::from_le_bytes(*length).try_into().unwrap());
            rest = tail;
            Some(part)
        };
        while let (Some(kind), Some(body), Some(_)) = (next(), next(), next()) {
            let group = path.file_stem().unwrap().to_string_lossy();
            let name = format!("{group} {}", String::from_utf8_lossy(kind));
            samples.extend(sample(name, body.to_vec()));
        }
    }
    samples
});

fn kinds() -> usize {
    let mut kinds = 0;
    macro_rules! count {
        ($kind:ty, $number:literal) => {
            kinds += usize::from(size_of::<$kind>() > 0);
        };
    }
    each_kind!(count);
    kinds
}

#[test]
fn own_samples_are_decoded_directly_and_equally() {
    for sample in &*SAMPLES {
        let object = ProtobufObject::from_envelope(&sample.body).unwrap();
        (sample.checks.same)(&sample.name, &object);
    }
    assert_eq!(SAMPLES.len(), 5 * kinds());
}

#[test]
fn published_samples_are_decoded_directly_and_equally() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/k8s-api-testdata");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return;
    };
    let mut compared = 0;
    for path in files.map(|file| file.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "pb")
            && let Some(sample) = sample(path.display().to_string(), std::fs::read(&path).unwrap())
        {
            let object = ProtobufObject::from_envelope(&sample.body).unwrap();
            (sample.checks.same)(&sample.name, &object);
            compared += 1;
        }
    }
    assert!(compared >= kinds(), "only {compared} samples in {}", folder.display());
}

/// Decodes a message with both decoders, which must agree.
fn both<K: Sampled>(message: &[u8]) -> (Option<K>, Result<K, DecodeError>) {
    let object = ProtobufObject::from_message(K::API_VERSION, K::KIND, message).unwrap();
    agree::<K>(&object);
    (decode(&object, false, MEMORY_LIMIT), table(&object, false, MEMORY_LIMIT))
}

#[test]
fn only_the_objects_own_managed_fields_are_skipped() {
    let managed = field(1, field(17, field(1, "kubectl")));
    let template = field(2, [managed.clone(), field(2, "")].concat());
    let claim = field(4, managed.clone());
    let set = field(2, [field(3, &managed), claim].concat());
    let (found, _) = both::<StatefulSet>(&[&managed[..], &set].concat());
    let found = found.unwrap();
    assert_eq!(found.metadata.managed_fields, None);
    let spec = found.spec.unwrap();
    assert_eq!(spec.template.metadata.unwrap().managed_fields.unwrap().len(), 1);
    assert_eq!(spec.volume_claim_templates.unwrap()[0].metadata.managed_fields, {
        Some(vec![ManagedFieldsEntry { manager: Some("kubectl".into()), ..Default::default() }])
    });
    // Without metadata of its own, the object is left to the table.
    let (found, expected) = both::<Deployment>(&field(2, field(3, &template)));
    assert!(found.is_none() && expected.is_ok());
}

#[test]
fn unusual_objects_are_left_to_the_table() {
    let metadata = field(1, field(1, "web"));
    let spec = |fields: &[Vec<u8>]| [&metadata[..], &field(2, fields.concat())].concat();
    let node = field(10, "node");
    let container = field(2, field(1, "c"));
    for (fields, decoded, by_table) in [
        (vec![container.clone(), node.clone()], true, true),
        (vec![container.clone(), container.clone(), int(99, 1), int(99, 2)], true, true),
        (vec![node.clone(), container.clone()], false, true),
        (vec![node.clone(), node.clone()], false, true),
        (vec![field(14, ""), field(14, "")], false, false),
        // A list that only some versions of the struct have.
        (vec![container.clone(), field(44, ""), field(44, "")], true, true),
        (vec![int(4, -1)], true, true),
        (vec![int(10, 1)], false, false),
        (vec![field(4, "")], false, false),
        (vec![int(4, 7), int(25, 1 << 40)], false, false),
        (vec![field(10, [0xff])], true, true),
        (vec![field(10, "cut")[..3].to_vec()], false, false),
        (vec![vec![0]], false, false),
    ] {
        let (found, expected) = both::<Pod>(&spec(&fields));
        assert_eq!((found.is_some(), expected.is_ok()), (decoded, by_table), "{fields:?}");
    }
    // A time is null if it is empty, and not if it is a zero.
    for (time, is_null) in [(field(7, ""), true), (int(7, 0), false)] {
        let (found, expected) = both::<Pod>(&[&metadata[..], &field(3, time)].concat());
        assert_eq!((found.is_some(), expected.is_ok()), (is_null, is_null));
    }
}

#[test]
fn vectors_have_exact_capacity() {
    let containers = field(2, field(1, "c")).repeat(5);
    let (pod, _) = both::<Pod>(&[field(1, ""), field(2, containers)].concat());
    let containers = pod.unwrap().spec.unwrap().containers;
    assert_eq!((containers.len(), containers.capacity()), (5, 5));
}

/// The last second that a `Timestamp` holds, and the nanoseconds in a second.
const LATEST: i64 = 253_402_207_200;
const SECOND: i64 = 1_000_000_000;

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn times_are_those_of_the_table_or_left_to_it(
        seconds in prop_oneof![
            -62_135_596_900..-62_135_596_700i64, -3..3i64, LATEST - 100..LATEST + 100,
            253_402_200_000..253_402_300_900i64,
        ],
        nanos in prop_oneof![Just(0), Just(999_999_999), -1..1_000_000_002i64],
    ) {
        let time = [int(1, seconds), int(2, nanos)].concat();
        let is_usual = (*SECONDS.start()..=LATEST).contains(&seconds) && (0..SECOND).contains(&nanos);
        let (found, expected) = both::<Pod>(&field(1, field(8, &time)));
        prop_assert_eq!(found, is_usual.then_some(expected.unwrap()));
        let (found, expected) = both::<Lease>(&[field(1, ""), field(2, field(4, &time))].concat());
        prop_assert_eq!(found, is_usual.then_some(expected.unwrap()));
    }
}

#[test]
fn memory_limits_are_those_of_the_table() {
    for sample in &*SAMPLES {
        let object = ProtobufObject::from_envelope(&sample.body).unwrap();
        (sample.checks.limits)(&sample.name, &object);
    }
}

/// Choices that decide about changes.
struct Choices<'a>(std::slice::Iter<'a, u32>);

impl Choices<'_> {
    /// Returns a number below this one. Zero when no choice is left.
    fn below(&mut self, bound: usize) -> usize {
        self.0.next().map_or(0, |choice| usize::try_from(*choice).unwrap() % bound.max(1))
    }
}

/// Splits a message into its fields: head and content, which begins with its length if it has one.
fn split(message: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut fields, mut rest) = (vec![], message);
    while !rest.is_empty() {
        let mut cursor = crate::protobuf::Cursor::new(rest, 0);
        cursor.next().ok()??;
        let (field, tail) = rest.split_at(cursor.offset());
        fields.push(field.to_vec());
        rest = tail;
    }
    Some(fields)
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = vec![];
    loop {
        let byte = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

/// Splits a field that is bytes into its head and its content.
fn open(field: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let head = 1 + field.iter().position(|byte| *byte < 0x80)?;
    let length = 1 + field[head..].iter().position(|byte| *byte < 0x80)?;
    (field[0] & 7 == 2).then(|| (field[..head].to_vec(), &field[head + length..]))
}

/// Writes a number with this many bytes more than it needs.
fn lengthen(bytes: &mut Vec<u8>, at: usize, more: usize) {
    if let Some(end) = bytes[at..].iter().position(|byte| *byte < 0x80) {
        for n in 0..more {
            bytes[at + end + n] |= 0x80;
            bytes.insert(at + end + n + 1, 0);
        }
    }
}

/// Changes a message at some place, at any depth.
fn change(message: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let Some(mut fields) = split(message).filter(|fields| !fields.is_empty()) else {
        let mut bytes = message.to_vec();
        if !bytes.is_empty() {
            let at = choices.below(bytes.len());
            bytes[at] = u8::try_from(choices.below(256)).unwrap();
        }
        return bytes;
    };
    let at = choices.below(fields.len());
    if choices.below(3) > 0
        && let Some((head, content)) = open(&fields[at])
    {
        let content = change(content, choices);
        fields[at] = [head, varint(content.len()), content].concat();
        return fields.concat();
    }
    let other = choices.below(fields.len());
    match choices.below(10) {
        0 => fields.insert(at, fields[at].clone()),
        1 => fields.push(fields[at].clone()),
        2 => fields.swap(at, other),
        3 => drop(fields.remove(at)),
        4 => {
            // A field of another number, or of a known number with another form.
            let number = [15, 16, 2047, 2048, 70_000, other, at][choices.below(7)];
            let form = choices.below(6);
            let content: &[u8] = match form {
                0 => &[5],
                1 => &[7; 8],
                2 => &[2, 8, 1],
                _ => &[9; 4],
            };
            fields.insert(at, [&varint(number << 3 | form)[..], content].concat());
        }
        5 => lengthen(&mut fields[at], 0, 1 + choices.below(4)),
        6 => {
            let head = fields[at].iter().position(|byte| *byte < 0x80).unwrap_or_default();
            let length = fields[at].len();
            lengthen(&mut fields[at], (head + 1).min(length), 1 + choices.below(4));
        }
        7 => {
            if let Some((head, _)) = open(&fields[at]) {
                fields[at] = [head, vec![0]].concat();
            }
        }
        8 => {
            let length = fields[at].len();
            fields[at].truncate(choices.below(length));
        }
        _ => {
            let byte = choices.below(fields[at].len());
            fields[at][byte] = [0, 1, 0x7f, 0x80, 0xff, 0x0a][choices.below(6)];
        }
    }
    fields.concat()
}

#[test]
fn changed_objects_are_decoded_equally_or_not_at_all() {
    let strategy = (any::<prop::sample::Index>(), prop::collection::vec(any::<u32>(), 4..60));
    let decoded = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(crate::seeds::cases(1_000));
    let result = runner.run(&strategy, |(which, choices)| {
        let sample = which.get(&SAMPLES);
        let object = ProtobufObject::from_envelope(&sample.body).unwrap();
        let (version, kind) = object.types().unwrap();
        let mut message = object.message().to_vec();
        let mut choices = Choices(choices.iter());
        for _ in 0..=choices.below(3) {
            message = change(&message, &mut choices);
        }
        let changed = ProtobufObject::from_message(version, kind, &message).unwrap();
        decoded.set(decoded.get() + u32::from((sample.checks.agree)(&changed)));
        Ok(())
    });
    result.unwrap();
    // The test would say nothing if most changes were refused.
    assert!(decoded.get() > 400, "only {} changed objects were decoded", decoded.get());
}

//! An encoder of built-in types, from their JSON to protobuf, for test servers.
//!
//! The encoder and the decoder use the same table. Encoded objects are therefore decoded to the
//! JSON that they were made from. Members that the table does not have are left out, as by a server
//! that does not know them.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};

use super::envelope::MAGIC;
use super::schema::{Field, INLINE, Kind, MessageId, Shape};
use crate::time;

/// The kinds whose JSON `null` is an empty message.
const EMPTY_IS_NULL: [Kind; 3] = [Kind::Time, Kind::MicroTime, Kind::SchemaOrArray];

/// Base64 as Go reads it: the bits after the last byte do not count.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Encodes an object, or a list of objects, in its envelope. Returns `None` if its kind is not
/// built in, or if a member has another type than its kind requires.
///
/// ```
/// use kube_decode::encode_protobuf;
/// use serde_json::json;
///
/// let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}});
/// let body = encode_protobuf(&pod).expect("pods are built in");
/// assert!(body.starts_with(b"k8s\0"));
/// let custom = json!({"apiVersion": "example.com/v1", "kind": "Shop"});
/// assert_eq!(encode_protobuf(&custom), None);
/// ```
pub fn encode(object: &Value) -> Option<Vec<u8>> {
    let (api_version, kind) = (object.get("apiVersion")?.as_str()?, object.get("kind")?.as_str()?);
    let message = encode_message(api_version, kind, object)?;
    Some(envelope(api_version, kind, &message))
}

/// Encodes an object without an envelope, as in a list. Returns `None` as [`encode`] does.
pub fn encode_message(api_version: &str, kind: &str, object: &Value) -> Option<Vec<u8>> {
    members(MessageId::of(api_version, kind)?, object.as_object()?)
}

/// Encodes one frame of a watch: an event of this type with an object in its envelope.
pub fn encode_event(event: &str, object: &[u8]) -> Vec<u8> {
    let event = [field(1, event), field(2, field(1, object))].concat();
    let length = u32::try_from(event.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), &event[..]].concat()
}

fn members(id: MessageId, object: &Map<String, Value>) -> Option<Vec<u8>> {
    let mut message = vec![];
    for row in id.fields() {
        let number = row.number.into();
        if row.is(INLINE) {
            message.extend(field(number, members(row.target(), object)?));
            continue;
        }
        match object.get(row.name()) {
            None => {}
            Some(Value::Null) if !EMPTY_IS_NULL.contains(&row.kind) => {}
            Some(value) => match row.shape {
                Shape::One => message.extend(one(number, row, value)?),
                Shape::Repeated => {
                    for element in value.as_array()? {
                        message.extend(one(number, row, element)?);
                    }
                }
                Shape::Map => {
                    for (key, value) in value.as_object()? {
                        let entry = [field(1, key), one(2, row, value)?].concat();
                        message.extend(field(number, entry));
                    }
                }
            },
        }
    }
    Some(message)
}

/// Encodes a field that holds one value.
fn one(number: u64, row: &Field, value: &Value) -> Option<Vec<u8>> {
    let target = row.target();
    Some(match row.kind {
        Kind::String => field(number, value.as_str()?),
        Kind::Bytes => {
            let text = value.as_str()?.replace(['\n', '\r'], "");
            field(number, BASE64.decode(text).ok()?)
        }
        Kind::Int => int(number, whole(value)?),
        Kind::Bool => int(number, value.as_bool()?.into()),
        Kind::Double => [varint(number << 3 | 1), value.as_f64()?.to_le_bytes().to_vec()].concat(),
        Kind::Message => field(number, members(target, value.as_object()?)?),
        Kind::Items => field(number, list(1, target, value)?),
        kind if value.is_null() && EMPTY_IS_NULL.contains(&kind) => field(number, ""),
        Kind::Time | Kind::MicroTime => {
            let (seconds, nanos) = time::parts(value.as_str()?)?;
            field(number, [int(1, seconds.try_into().ok()?), int(2, nanos.into())].concat())
        }
        Kind::Quantity => field(number, field(1, value.as_str()?)),
        Kind::IntOrString => field(
            number,
            match value.as_str() {
                Some(text) => [int(1, 1), int(2, 0), field(3, text)].concat(),
                None => [int(1, 0), int(2, whole(value)?), field(3, "")].concat(),
            },
        ),
        Kind::Raw => field(number, field(1, value.to_string())),
        Kind::SchemaOrBool => field(
            number,
            match value.as_bool() {
                Some(allows) => int(1, allows.into()),
                None => [int(1, 1), schema(2, target, value)?].concat(),
            },
        ),
        Kind::SchemaOrArray => field(
            number,
            if value.is_array() { list(2, target, value)? } else { schema(1, target, value)? },
        ),
    })
}

/// Encodes each element of a list as a field of this number.
fn list(number: u16, message: MessageId, value: &Value) -> Option<Vec<u8>> {
    let row = message.fields().iter().find(|row| row.number == number)?;
    let elements = value.as_array()?.iter().map(|element| one(number.into(), row, element));
    Some(elements.collect::<Option<Vec<_>>>()?.concat())
}

/// Encodes a message as a field of this number.
fn schema(number: u16, message: MessageId, value: &Value) -> Option<Vec<u8>> {
    let row = message.fields().iter().find(|row| row.number == number)?;
    one(number.into(), row, value)
}

/// Returns an integer, even if the JSON has it with a decimal point.
#[expect(clippy::cast_possible_truncation, reason = "a number with a fraction is no integer")]
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().filter(|v| v.fract() == 0.0).map(|v| v as i64))
}

pub(super) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = vec![];
    while value >= 0x80 {
        bytes.extend(((value & 0x7f) | 0x80).to_le_bytes().first());
        value >>= 7;
    }
    bytes.extend(value.to_le_bytes().first());
    bytes
}

/// Encodes a field of bytes.
pub fn field(number: u64, holds: impl AsRef<[u8]>) -> Vec<u8> {
    let holds = holds.as_ref();
    [&head(number, holds.len()), holds].concat()
}

/// Encodes a field of a number.
pub fn int(number: u64, value: i64) -> Vec<u8> {
    [varint(number << 3), varint(value.cast_unsigned())].concat()
}

/// Returns the bytes before and after a message of this length in its envelope.
pub fn around(api_version: &str, kind: &str, length: usize) -> (Vec<u8>, Vec<u8>) {
    let types = field(1, [field(1, api_version), field(2, kind)].concat());
    let head = [&MAGIC[..], &types, &head(2, length)].concat();
    (head, [field(3, ""), field(4, "")].concat())
}

/// Returns the head of a field of this many bytes.
pub fn head(number: u64, length: usize) -> Vec<u8> {
    [varint(number << 3 | 2), varint(length as u64)].concat()
}

/// Encodes an object in its envelope.
pub fn envelope(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    let (before, after) = around(api_version, kind, message.len());
    [&before, message, &after].concat()
}

/// Encodes an object that has only a name, a namespace and a version.
pub fn named(name: &str, namespace: &str, version: &str) -> Vec<u8> {
    let metadata = [field(1, name), field(3, namespace), field(6, version)].concat();
    field(1, metadata)
}

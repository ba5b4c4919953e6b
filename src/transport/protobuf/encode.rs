//! Writes the wire format, for tests.

use super::envelope::MAGIC;

pub(super) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = vec![];
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

/// A field that holds bytes.
pub(super) fn field(number: u64, holds: impl AsRef<[u8]>) -> Vec<u8> {
    let holds = holds.as_ref();
    [&varint(number << 3 | 2)[..], &varint(holds.len() as u64), holds].concat()
}

/// A field that holds a number.
pub(super) fn number(number: u64, value: i64) -> Vec<u8> {
    [varint(number << 3), varint(value.cast_unsigned())].concat()
}

/// An object in its envelope.
pub(super) fn envelope(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    let types = [field(1, api_version), field(2, kind)].concat();
    [&MAGIC[..], &field(1, types), &field(2, message), &field(3, ""), &field(4, "")].concat()
}

/// An object that has nothing but a name, a namespace and a version.
pub(super) fn named(name: &str, namespace: &str, version: &str) -> Vec<u8> {
    let metadata = [field(1, name), field(3, namespace), field(6, version)].concat();
    field(1, metadata)
}

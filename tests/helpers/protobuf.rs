//! Protobuf written by hand, so that the crate's own encoder has no part in tests of its decoders.

/// Encodes a field of bytes.
pub(crate) fn field(number: u32, holds: impl AsRef<[u8]>) -> Vec<u8> {
    let holds = holds.as_ref();
    let mut field = Vec::new();
    for mut value in [number << 3 | 2, u32::try_from(holds.len()).unwrap()] {
        while value >= 0x80 {
            field.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        field.push(value.to_le_bytes()[0]);
    }
    field.extend_from_slice(holds);
    field
}

/// Encodes a message in the envelope of an object.
pub(crate) fn envelope(version: &str, kind: &str, message: impl AsRef<[u8]>) -> Vec<u8> {
    let types = [field(1, version), field(2, kind)].concat();
    [&b"k8s\0"[..], &field(1, types), &field(2, message)].concat()
}

//! An object's place on the ring, read without decoding.
//!
//! A wrong place would put the object into two shards, or into none. All fields of the metadata are
//! therefore read, in any order, and of a repeated text the last one counts, as for the decoder.

use kube_decode::DecodeError;
use kube_decode::protobuf::{Cursor, MAGIC, text};

use crate::object::{ShardKey, ring_hash};

/// The numbers of the fields.
const OBJECT: u32 = 2;
const METADATA: u32 = 1;
const NAME: u32 = 1;
const NAMESPACE: u32 = 3;
const UID: u32 = 5;
const OWNER_REFERENCES: u32 = 13;
const OWNER_UID: u32 = 4;
const OWNER_IS_CONTROLLER: u32 = 6;

/// Reads the place of an object, with or without an envelope. `None` if the metadata cannot be
/// read, or if the object is cut off before the field.
///
/// Allocates nothing unless the field is not UTF-8.
pub(in crate::transport) fn place(object: &[u8], key: ShardKey) -> Option<u64> {
    let object = match object.strip_prefix(MAGIC) {
        Some(fields) => message(Cursor::new(fields, 0), OBJECT)?.0,
        None => Cursor::new(object, 0),
    };
    let (metadata, whole) = message(object, METADATA)?;
    in_metadata(metadata, whole, key)
}

/// Returns the message in the field with this number, and whether it is whole. `None` if the field
/// is missing, or comes in two pieces.
fn message(mut fields: Cursor<'_>, number: u32) -> Option<(Cursor<'_>, bool)> {
    let mut found = None;
    while let Some((field, whole)) = fields.next_torn() {
        if field.number == number && found.replace((field.message().ok()?, whole)).is_some() {
            return None;
        }
    }
    found
}

fn in_metadata(mut fields: Cursor<'_>, whole: bool, key: ShardKey) -> Option<u64> {
    let (mut own, mut controller) = (None, None);
    let complete = loop {
        match fields.next() {
            Ok(Some(field)) => match (field.number, key) {
                (NAME, ShardKey::Name)
                | (NAMESPACE, ShardKey::Namespace)
                | (UID, ShardKey::Uid | ShardKey::ControllerUid) => {
                    own = Some(field.bytes().ok()?);
                }
                (OWNER_REFERENCES, ShardKey::ControllerUid) if controller.is_none() => {
                    controller = uid_if_controller(field.message().ok()?).ok()?;
                }
                _ => {}
            },
            Ok(None) => break whole,
            Err(_) => break false,
        }
    };
    let field = match (controller, own) {
        (None, own) if complete => own.unwrap_or_default(),
        // The owners may be in the part that is cut off.
        (None, own) => own.filter(|_| key != ShardKey::ControllerUid)?,
        (Some(controller), _) => controller,
    };
    Some(ring_hash(&text(field)))
}

/// Returns the uid of an owner that is the controller.
fn uid_if_controller(mut owner: Cursor<'_>) -> Result<Option<&[u8]>, DecodeError> {
    let (mut uid, mut is_controller) = (&b""[..], false);
    while let Some(field) = owner.next()? {
        match field.number {
            OWNER_UID => uid = field.bytes()?,
            OWNER_IS_CONTROLLER => is_controller = field.int()? != 0,
            _ => {}
        }
    }
    Ok(is_controller.then_some(uid))
}

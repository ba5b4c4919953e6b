//! An object's place on the ring, read without decoding.
//!
//! A wrong place would put the object into two shards, or into none. Texts with escapes and other
//! uncommon forms are therefore left to the decoder. Servers write no member twice.

use kube::api::ObjectMeta;
use serde::Deserialize;

use super::Scanner;
use super::peek::{Flat, plain};
use crate::object::{ShardKey, ring_hash};

/// Reads an object's place. `None` if the metadata cannot be read, or if the object is cut off
/// before the field.
pub(in crate::transport) fn place(object: &[u8], key: ShardKey) -> Option<u64> {
    common(object, key).or_else(|| decoded(object, key))
}

/// Reads the place of an object in a common form, without an allocation. It stops at the field, or
/// at the end of the metadata if the field is missing.
fn common(object: &[u8], key: ShardKey) -> Option<u64> {
    let mut members = Flat::new(object)?;
    while let Some((name, value)) = members.next() {
        if is_escaped(name) {
            return None;
        }
        if name == b"metadata" {
            return in_metadata(value, key);
        }
        members.skip(value)?;
    }
    None
}

/// Decodes the metadata, which accepts every form.
#[cold]
fn decoded(object: &[u8], key: ShardKey) -> Option<u64> {
    #[derive(Deserialize)]
    struct Head {
        metadata: ObjectMeta,
    }
    let head: Head = kube_decode::json(object).ok()?;
    Some(key.hash(&head.metadata))
}

fn in_metadata(metadata: &[u8], key: ShardKey) -> Option<u64> {
    let (mut own, mut has_no_controller) = (None, false);
    let mut members = Flat::new(metadata)?;
    while let Some((name, value)) = members.next() {
        if is_escaped(name) {
            return None;
        }
        let value = members.skip(value)?;
        match (name, key) {
            (b"uid", ShardKey::Uid)
            | (b"namespace", ShardKey::Namespace)
            | (b"name", ShardKey::Name) => {
                return Some(ring_hash(plain(value)?));
            }
            (b"uid", ShardKey::ControllerUid) => own = Some(plain(value)?),
            (b"ownerReferences", ShardKey::ControllerUid) => match controller(value).ok()? {
                Some(uid) => return Some(ring_hash(uid)),
                None => has_no_controller = true,
            },
            _ => continue,
        }
        if let (Some(own), true) = (own, has_no_controller) {
            return Some(ring_hash(own));
        }
    }
    members.at_end().then(|| ring_hash(own.unwrap_or_default()))
}

/// A form of JSON that only the decoder reads.
struct Uncommon;

/// Returns the uid of the first controller in a list of owners, if there is one.
fn controller(owners: &[u8]) -> Result<Option<&str>, Uncommon> {
    if owners == b"null" {
        return Ok(None);
    }
    let mut rest = owners.strip_prefix(b"[").ok_or(Uncommon)?.trim_ascii_start();
    while rest.first() != Some(&b']') {
        let end = Scanner::default().feed(rest).ok_or(Uncommon)?;
        let (owner, more) = rest.split_at(end);
        if let Some(uid) = uid_if_controller(owner)? {
            return Ok(Some(uid));
        }
        let more = more.trim_ascii_start();
        rest = more.strip_prefix(b",").map_or(more, <[u8]>::trim_ascii_start);
    }
    Ok(None)
}

fn uid_if_controller(owner: &[u8]) -> Result<Option<&str>, Uncommon> {
    let (mut uid, mut is_controller) = (None, false);
    let mut members = Flat::new(owner).ok_or(Uncommon)?;
    while let Some((name, value)) = members.next() {
        let value = members.skip(value).ok_or(Uncommon)?;
        match name {
            b"uid" => uid = Some(value),
            b"controller" => {
                is_controller = match value {
                    b"true" => true,
                    b"false" | b"null" => false,
                    _ => return Err(Uncommon),
                }
            }
            name if is_escaped(name) => return Err(Uncommon),
            _ => {}
        }
    }
    match (members.at_end(), is_controller) {
        (false, _) => Err(Uncommon),
        (true, false) => Ok(None),
        (true, true) => uid.and_then(plain).map(Some).ok_or(Uncommon),
    }
}

fn is_escaped(name: &[u8]) -> bool {
    name.contains(&b'\\')
}

//! The encoding of objects that did not arrive as bytes: JSON, in which they could have arrived. So
//! the decoder of arriving objects unpacks these, too.
//!
//! A type's `Serialize` is user code. If it fails or panics, the error leaves out its message,
//! which may quote the object.

use std::io::{self, Write};
use std::sync::Arc;

use kube::Resource;
use kube_decode::{SerdeDecode, private_keys};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use super::PackError;
use super::buffer::Buffer;
use crate::codec::{Codec, decode_any};
use crate::panic::catch;

/// The largest depth of nested lists and maps. Writing takes part of the thread's stack for each,
/// and an overflow would abort the process.
const MAX_DEPTH: usize = 64;

/// The depth above which unpacking may take much of the stack. A pod has 11 levels.
const DEEP: usize = 12;

/// Returns the codec of objects that [`write`] serialised.
pub(super) fn codec<K>() -> Codec
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
{
    // The object was in memory before.
    let decoder = SerdeDecode::<K>::new().memory_limit(usize::MAX);
    // Measured on pods: 7 times as a typed object, 10 times as JSON values.
    Codec::plain(decode_any(Arc::new(decoder)), 8)
}

/// A serialised object.
pub(super) struct Written {
    pub(super) bytes: Buffer,
    /// True if the object must be unpacked once, to see that it can be.
    pub(super) is_doubtful: bool,
}

/// Serialises an object. `room` is its estimated size in bytes.
pub(super) fn write<T: Serialize>(
    object: &T,
    room: usize,
    wipe: bool,
) -> Result<Written, PackError> {
    let mut bytes = Buffer::with_capacity(room, wipe);
    let mut depth = Depth::default();
    let mut form = Serializer::with_formatter(&mut bytes, Levels(&mut depth));
    let done = catch(|| object.serialize(&mut form));
    // A type may ignore the error of a part, which then has no end.
    if depth.most > MAX_DEPTH {
        return Err(PackError::TooDeep);
    }
    if !matches!(done, Ok(Ok(()))) || depth.now > 0 {
        return Err(PackError::NotSerialised);
    }
    // The decoder refuses these keys where the type takes any map.
    let is_doubtful = depth.most > DEEP || private_keys::may_be_in(bytes.as_slice());
    Ok(Written { bytes, is_doubtful })
}

/// The number of lists and maps around the next value.
#[derive(Default)]
struct Depth {
    now: usize,
    most: usize,
}

/// A formatter that notes the depth, and refuses more than [`MAX_DEPTH`].
struct Levels<'d>(&'d mut Depth);

impl Levels<'_> {
    fn enter(&mut self) -> io::Result<()> {
        let Depth { now, most } = &mut *self.0;
        *now += 1;
        *most = (*now).max(*most);
        if *now > MAX_DEPTH { Err(io::ErrorKind::InvalidInput.into()) } else { Ok(()) }
    }
}

impl Formatter for Levels<'_> {
    fn begin_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.enter()?;
        to.write_all(b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.now -= 1;
        to.write_all(b"]")
    }

    fn begin_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.enter()?;
        to.write_all(b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.now -= 1;
        to.write_all(b"}")
    }

    fn write_raw_fragment<W: Write + ?Sized>(&mut self, to: &mut W, json: &str) -> io::Result<()> {
        // Its levels are not counted.
        self.0.most = self.0.most.max(DEEP + 1);
        to.write_all(json.as_bytes())
    }
}

/// Returns whether both texts are the same value. The order of entries and elements does not count,
/// because a hash map and a set have none.
pub(super) fn is_equivalent(a: &[u8], b: &[u8]) -> bool {
    let sorted = |text| serde_json::from_slice(text).ok().map(|value: Value| sorted(&value));
    // A key that is written twice, and read once, changes only the length.
    a == b || a.len() == b.len() && sorted(a).is_some_and(|a| Some(a) == sorted(b))
}

/// Returns the text of a value with sorted elements and entries.
fn sorted(value: &Value) -> String {
    let (begin, mut parts, end): (_, Vec<String>, _) = match value {
        Value::Array(elements) => ('[', elements.iter().map(sorted).collect(), ']'),
        Value::Object(entries) => {
            let entry = |(key, value)| format!("{key:?}:{}", sorted(value));
            ('{', entries.iter().map(entry).collect(), '}')
        }
        scalar => return scalar.to_string(),
    };
    parts.sort_unstable();
    format!("{begin}{}{end}", parts.join(","))
}

//! Compression with dictionaries of sample objects.
//!
//! A dictionary is a sequence of sample objects. The compressor replaces parts that an object
//! shares with them by references. Dictionaries are not trained, so making one costs only a copy.
//! When the objects have changed so much that a dictionary no longer fits, another is made. Objects
//! that were packed with the old one keep it.

use std::fmt;
use std::sync::Arc;

use lz4_flex::block;

use super::buffer::Buffer;
use crate::sync::Mutex;

/// The size of a dictionary in bytes. Each packing reads all of it: four times the size takes twice
/// the time and saves a twentieth of the bytes.
pub(super) const SIZE: usize = 16 << 10;

/// The part of a dictionary that one object may fill, in bytes.
const MAX_SAMPLE: usize = SIZE / 2;

/// The number of objects between two checks that the dictionary still fits.
const WINDOW: u32 = 512;

/// A dictionary for compressing and decompressing objects. An empty one has no effect.
#[derive(Debug)]
pub(super) struct Dictionary<S> {
    content: Content,
    /// The data that all objects packed with this dictionary share. They reach both through one
    /// pointer.
    pub(super) context: Arc<S>,
}

enum Content {
    Samples(Box<[u8]>),
    /// One object, which is compressed itself.
    Object(Arc<dyn Compressed>),
}

/// An object that was compressed with a dictionary of samples.
pub(super) trait Compressed: Send + Sync {
    /// Returns the object's bytes. `None` if they can't be decompressed.
    fn bytes(&self) -> Option<Buffer>;
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Samples(_) => "Samples",
            Self::Object(_) => "Object",
        })
    }
}

impl<S> Dictionary<S> {
    fn of_samples(context: Arc<S>, samples: Box<[u8]>) -> Self {
        Self { content: Content::Samples(samples), context }
    }

    /// Makes a dictionary that consists of one object, and keeps it.
    pub(super) fn of_object(context: Arc<S>, object: Arc<dyn Compressed>) -> Self {
        Self { content: Content::Object(object), context }
    }

    /// Passes the dictionary's bytes to a call. `None` if they can't be decompressed.
    fn with_bytes<R>(&self, call: impl FnOnce(&[u8]) -> R) -> Option<R> {
        Some(match &self.content {
            Content::Samples(samples) => call(samples),
            Content::Object(object) => call(object.bytes()?.as_slice()),
        })
    }

    /// Compresses bytes. Returns a buffer and the number of bytes used in it.
    pub(super) fn compress(&self, bytes: &[u8], wipe: bool) -> Option<(Buffer, usize)> {
        let most = block::get_maximum_output_size(bytes.len());
        let mut packed = Buffer::zeroed(most, wipe);
        let out = packed.as_mut_slice();
        let used = self.with_bytes(|dict| block::compress_into_with_dict(bytes, out, dict))?;
        Some((packed, used.ok()?))
    }

    /// Decompresses bytes to `len` bytes. Returns `None` if `packed` is not valid or has another
    /// length.
    pub(super) fn decompress(&self, packed: &[u8], len: usize, wipe: bool) -> Option<Buffer> {
        let mut bytes = Buffer::zeroed(len, wipe);
        let out = bytes.as_mut_slice();
        let used = self.with_bytes(|dict| block::decompress_into_with_dict(packed, out, dict))?;
        (used.ok()? == len).then_some(bytes)
    }
}

/// The dictionary in use, and the samples for the next one.
#[derive(Debug)]
pub(super) struct Dictionaries<S>(Mutex<State<S>>);

#[derive(Debug)]
struct State<S> {
    current: Arc<Dictionary<S>>,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    /// Collects samples for the next dictionary.
    Collecting(Vec<u8>),
    /// Checks the dictionary in use: the totals of its first window, and of the current one.
    InUse { first: Option<Totals>, now: Totals },
    /// Uses no dictionary.
    Disabled,
}

/// Sizes before and after compression, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    objects: u32,
    bytes: u64,
    packed: u64,
}

impl Totals {
    /// Returns whether the compressed fraction is more than 4/3 of the compressed fraction of
    /// `that`.
    fn is_much_worse_than(self, that: Self) -> bool {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        3 * product(self.packed, that.bytes) > 4 * product(that.packed, self.bytes)
    }
}

impl<S> Dictionaries<S> {
    /// Starts without a dictionary; with `disabled` it stays so.
    pub(super) fn new(context: Arc<S>, disabled: bool) -> Self {
        let phase = if disabled { Phase::Disabled } else { Phase::Collecting(Vec::new()) };
        let current = Arc::new(Dictionary::of_samples(context, Box::default()));
        Self(Mutex::new(State { current, phase }))
    }

    pub(super) fn current(&self) -> Arc<Dictionary<S>> {
        self.0.lock().current.clone()
    }

    /// Takes an object as a sample, or counts how well it was compressed: to `packed` bytes.
    pub(super) fn learn(&self, object: &[u8], packed: usize) {
        let mut state = self.0.lock();
        let State { current, phase } = &mut *state;
        match phase {
            Phase::Collecting(samples) => {
                let room = SIZE - samples.len();
                let part = &object[..object.len().min(room).min(MAX_SAMPLE)];
                samples.extend_from_slice(part);
                if samples.len() == SIZE {
                    let (context, samples) = (current.context.clone(), std::mem::take(samples));
                    *current = Arc::new(Dictionary::of_samples(context, samples.into()));
                    *phase = Phase::InUse { first: None, now: Totals::default() };
                }
            }
            Phase::InUse { first, now } => {
                now.objects += 1;
                now.bytes += object.len() as u64;
                now.packed += packed as u64;
                if now.objects == WINDOW {
                    let now = std::mem::take(now);
                    let first = *first.get_or_insert(now);
                    if now.is_much_worse_than(first) {
                        *phase = Phase::Collecting(Vec::new());
                    }
                }
            }
            Phase::Disabled => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Packs an object and learns from it. Returns the dictionary and the packed bytes.
    fn pack(dictionaries: &Dictionaries<()>, object: &[u8]) -> (Arc<Dictionary<()>>, Vec<u8>) {
        let dictionary = dictionaries.current();
        let (packed, used) = dictionary.compress(object, false).unwrap();
        dictionaries.learn(object, used);
        (dictionary, packed.as_slice()[..used].to_vec())
    }

    /// Makes an object that has much in common with others of its kind, and little with others.
    fn object(kind: u64, n: u64) -> Vec<u8> {
        let mut rng = fastrand::Rng::with_seed(kind);
        let common: Vec<u8> = std::iter::repeat_with(|| rng.u8(..)).take(1000).collect();
        [&common[..], &n.to_le_bytes()].concat()
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn packed_bytes_unpack_to_the_original(objects in vec(vec(any::<u8>(), 0..4000), 1..40)) {
            let dictionaries = Dictionaries::new(Arc::default(), false);
            let packed: Vec<_> = objects.iter().map(|o| pack(&dictionaries, o)).collect();
            for (object, (dictionary, packed)) in objects.iter().zip(packed) {
                let unpacked = dictionary.decompress(&packed, object.len(), false).unwrap();
                prop_assert_eq!(unpacked.as_slice(), &object[..]);
            }
        }

        #[test]
        fn arbitrary_bytes_never_unpack_to_a_wrong_length(
            bytes in vec(any::<u8>(), 0..200), len in 0usize..2000,
        ) {
            let dictionary = Dictionary::of_samples(Arc::new(()), Box::default());
            if let Some(unpacked) = dictionary.decompress(&bytes, len, false) {
                prop_assert_eq!(unpacked.as_slice().len(), len);
            }
        }
    }

    #[test]
    fn dictionary_is_replaced_only_if_it_no_longer_fits() {
        let dictionaries = Dictionaries::new(Arc::default(), false);
        let windows = |kind: u64, count: u64| {
            let last =
                (0..count * u64::from(WINDOW)).map(|n| pack(&dictionaries, &object(kind, n)));
            last.last().unwrap()
        };
        let (first, packed) = windows(1, 3);
        assert!(packed.len() < 100, "{}", packed.len());
        let (second, packed) = windows(2, 3);
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(packed.len() < 100, "{}", packed.len());
        let (third, _) = windows(2, 3);
        assert!(Arc::ptr_eq(&second, &third));
    }

    #[test]
    fn disabled_dictionary_keeps_no_object() {
        let dictionaries = Dictionaries::new(Arc::default(), true);
        for n in 0..100 {
            pack(&dictionaries, &object(1, n));
        }
        assert_eq!(dictionaries.current().with_bytes(<[u8]>::len), Some(0));
    }
}

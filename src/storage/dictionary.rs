//! Compression by what objects of one kind have in common.
//!
//! A dictionary is some objects, one after the other, in which the compressor finds again what others
//! say, too. Nothing is trained, so one costs no more than copying it. One that fits no more, because
//! the objects have become others, is made anew; what was packed with the old one keeps that.

use std::sync::Arc;

use lz4_flex::block;

use super::buffer::Buffer;
use crate::sync::Mutex;

/// How large a dictionary is, in bytes. It is read for each object that is packed: four times as much
/// takes twice the time and saves a twentieth of the bytes.
const SIZE: usize = 16 << 10;

/// How much of a dictionary one object may be.
const SHARE: usize = SIZE / 2;

/// After how many objects it is asked whether the dictionary still fits.
const WINDOW: u32 = 512;

/// What objects are compressed and decompressed with. An empty one is none.
#[derive(Debug)]
pub(super) struct Dictionary<S> {
    bytes: Box<[u8]>,
    /// What all objects that are packed so share: they reach it through here, by one pointer for both.
    pub(super) context: Arc<S>,
}

impl<S> Dictionary<S> {
    /// Compresses bytes; how many of the buffer are used.
    pub(super) fn compress(&self, bytes: &[u8], wipe: bool) -> Option<(Buffer, usize)> {
        let most = block::get_maximum_output_size(bytes.len());
        let mut packed = Buffer::zeroed(most, wipe);
        let used =
            block::compress_into_with_dict(bytes, packed.as_mut_slice(), &self.bytes).ok()?;
        Some((packed, used))
    }

    /// What was compressed, of so many bytes.
    pub(super) fn decompress(&self, packed: &[u8], len: usize, wipe: bool) -> Option<Buffer> {
        let mut bytes = Buffer::zeroed(len, wipe);
        let used =
            block::decompress_into_with_dict(packed, bytes.as_mut_slice(), &self.bytes).ok()?;
        (used == len).then_some(bytes)
    }
}

/// The dictionary in use, and the next one in the making.
#[derive(Debug)]
pub(super) struct Dictionaries<S>(Mutex<State<S>>);

#[derive(Debug)]
struct State<S> {
    current: Arc<Dictionary<S>>,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    /// The next dictionary, in the making.
    Gathering(Vec<u8>),
    /// One is in use: how well it did at first, and how well it does.
    Serving { first: Option<Sums>, now: Sums },
    /// There is to be none.
    Without,
}

/// Bytes before and after.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    objects: u32,
    bytes: u64,
    packed: u64,
}

impl Sums {
    /// Whether this is compressed to more than 4/3 of what that was.
    fn is_much_worse_than(self, that: Self) -> bool {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        3 * product(self.packed, that.bytes) > 4 * product(that.packed, self.bytes)
    }
}

impl<S> Dictionaries<S> {
    /// None yet, or none ever.
    pub(super) fn new(context: Arc<S>, without: bool) -> Self {
        let phase = if without { Phase::Without } else { Phase::Gathering(Vec::new()) };
        let current = Arc::new(Dictionary { bytes: Box::default(), context });
        Self(Mutex::new(State { current, phase }))
    }

    pub(super) fn current(&self) -> Arc<Dictionary<S>> {
        self.0.lock().current.clone()
    }

    /// Learns from an object, and how large it was packed.
    pub(super) fn learn(&self, object: &[u8], packed: usize) {
        let mut state = self.0.lock();
        let State { current, phase } = &mut *state;
        match phase {
            Phase::Gathering(samples) => {
                let room = SIZE - samples.len();
                let part = &object[..object.len().min(room).min(SHARE)];
                samples.extend_from_slice(part);
                if samples.len() == SIZE {
                    let bytes = std::mem::take(samples).into();
                    *current = Arc::new(Dictionary { bytes, context: current.context.clone() });
                    *phase = Phase::Serving { first: None, now: Sums::default() };
                }
            }
            Phase::Serving { first, now } => {
                now.objects += 1;
                now.bytes += object.len() as u64;
                now.packed += packed as u64;
                if now.objects == WINDOW {
                    let now = std::mem::take(now);
                    let first = *first.get_or_insert(now);
                    if now.is_much_worse_than(first) {
                        *phase = Phase::Gathering(Vec::new());
                    }
                }
            }
            Phase::Without => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Packs, learns, and checks that it can be unpacked; how large it was packed.
    fn pack(dictionaries: &Dictionaries<()>, object: &[u8]) -> (Arc<Dictionary<()>>, Vec<u8>) {
        let dictionary = dictionaries.current();
        let (packed, used) = dictionary.compress(object, false).unwrap();
        dictionaries.learn(object, used);
        (dictionary, packed.as_slice()[..used].to_vec())
    }

    /// Objects that have much in common with others of the same kind, and little with another's.
    fn object(kind: u64, n: u64) -> Vec<u8> {
        let mut rng = fastrand::Rng::with_seed(kind);
        let common: Vec<u8> = std::iter::repeat_with(|| rng.u8(..)).take(1000).collect();
        [&common[..], &n.to_le_bytes()].concat()
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn whatever_was_packed_is_unpacked(objects in vec(vec(any::<u8>(), 0..4000), 1..40)) {
            let dictionaries = Dictionaries::new(Arc::default(), false);
            let packed: Vec<_> = objects.iter().map(|o| pack(&dictionaries, o)).collect();
            for (object, (dictionary, packed)) in objects.iter().zip(packed) {
                let unpacked = dictionary.decompress(&packed, object.len(), false).unwrap();
                prop_assert_eq!(unpacked.as_slice(), &object[..]);
            }
        }

        #[test]
        fn what_was_never_packed_is_refused_or_something_else(
            bytes in vec(any::<u8>(), 0..200), len in 0usize..2000,
        ) {
            let dictionary = Dictionary { bytes: Box::default(), context: Arc::new(()) };
            if let Some(unpacked) = dictionary.decompress(&bytes, len, false) {
                prop_assert_eq!(unpacked.as_slice().len(), len);
            }
        }
    }

    #[test]
    fn a_dictionary_that_fits_no_more_is_made_anew_and_one_that_fits_is_kept() {
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
    fn without_one_no_object_is_kept() {
        let dictionaries = Dictionaries::new(Arc::default(), true);
        for n in 0..100 {
            pack(&dictionaries, &object(1, n));
        }
        assert!(dictionaries.current().bytes.is_empty());
    }
}

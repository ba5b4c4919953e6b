//! Compression with a dictionary whose positions are hashed once, and not again for each object.
//!
//! The output is a block of LZ4, which `lz4_flex` decompresses. A block is a row of sequences: a
//! token, literals, and a match, which repeats earlier bytes of the dictionary or of the object.
//! `lz4_flex` would hash the dictionary for each object, which takes longer than all else.

#![allow(
    clippy::cast_possible_truncation,
    reason = "positions are below `Positions::MOST`, and other numbers have an upper bound"
)]

/// The number of bits of a hash.
const BITS: u32 = 12;

/// The size of the shortest match.
const LEAST: usize = 4;

/// The bytes at the end of a block that must be literals, and those in which no match may begin.
const LITERALS: usize = 5;
const UNMATCHED: usize = 12;

/// The number of positions without a match after which the search looks at fewer of them.
const PATIENCE: usize = 64;

/// The last position of each hash, in a dictionary and the object behind it.
#[derive(Clone)]
pub(super) struct Positions(Box<[u16; 1 << BITS]>);

impl Positions {
    /// The size that dictionary and object may have together.
    pub(super) const MOST: usize = u16::MAX as usize;

    /// Hashes the positions of a dictionary: one of three, which finds nearly as much as all.
    pub(super) fn of(dictionary: &[u8]) -> Self {
        let mut positions = Self(Box::new([0; 1 << BITS]));
        for at in (0..dictionary.len().saturating_sub(LEAST)).step_by(3) {
            positions.0[hash(&dictionary[at..])] = at as u16;
        }
        positions
    }
}

fn hash(bytes: &[u8]) -> usize {
    let bytes = bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    (bytes.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS)) as usize
}

/// Compresses an object with a dictionary. Both together must not exceed [`Positions::MOST`].
pub(super) fn compress(object: &[u8], dictionary: &[u8], known: &Positions) -> Vec<u8> {
    // No output is longer, so it never moves, and leaves no copy behind.
    let mut out = Vec::with_capacity(object.len() + object.len() / 255 + 16);
    let mut positions = known.clone();
    let base = dictionary.len();
    let matched = object.len().saturating_sub(LITERALS);
    let (mut at, mut literals, mut misses) = (0, 0, 0);
    while at + UNMATCHED < object.len() {
        let here = &object[at..matched];
        let slot = &mut positions.0[hash(here)];
        let place = usize::from(std::mem::replace(slot, (base + at) as u16));
        let (source, from) =
            if place < base { (dictionary, place) } else { (object, place - base) };
        let length = if place < base + at { common(here, &source[from..]) } else { 0 };
        if length < LEAST {
            at += 1 + misses / PATIENCE;
            misses += 1;
            continue;
        }
        let before = object[literals..at].iter().rev().zip(source[..from].iter().rev());
        let before = before.take_while(|(one, other)| one == other).count();
        let distance = (base + at - place) as u16;
        sequence(&mut out, &object[literals..at - before], Some((distance, length + before)));
        (at, misses) = (at + length, 0);
        literals = at;
        // A repetition often goes on where the last one ended.
        positions.0[hash(&object[at - 2..])] = (base + at - 2) as u16;
    }
    sequence(&mut out, &object[literals..], None);
    out
}

/// Returns the number of bytes that both begin with.
fn common(one: &[u8], other: &[u8]) -> usize {
    let eights = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let same = 8 * eights.take_while(|(one, other)| one == other).count();
    same + one[same..].iter().zip(&other[same..]).take_while(|(one, other)| one == other).count()
}

/// Writes literals, and a match: how far back it begins, and its length.
fn sequence(out: &mut Vec<u8>, literals: &[u8], found: Option<(u16, usize)>) {
    let more = found.map_or(0, |(_, length)| length - LEAST);
    out.push(((literals.len().min(15) << 4) | more.min(15)) as u8);
    rest(out, literals.len());
    out.extend_from_slice(literals);
    if let Some((distance, _)) = found {
        out.extend_from_slice(&distance.to_le_bytes());
        rest(out, more);
    }
}

/// Writes the part of a number that its four bits in the token can't hold.
fn rest(out: &mut Vec<u8>, number: usize) {
    let Some(mut rest) = number.checked_sub(15) else { return };
    while rest >= 255 {
        out.push(255);
        rest -= 255;
    }
    out.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use lz4_flex::block;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Compresses an object, and checks that it decompresses to the same. Returns both sizes: ours
    /// and that of `lz4_flex`.
    fn check(object: &[u8], dictionary: &[u8]) -> [usize; 2] {
        let ours = compress(object, dictionary, &Positions::of(dictionary));
        let back = block::decompress_with_dict(&ours, object.len(), dictionary).unwrap();
        assert!(back == object, "{object:?} after {dictionary:?}");
        [ours.len(), block::compress_with_dict(object, dictionary).len()]
    }

    /// Bytes with repetitions of all lengths and distances.
    fn repetitive() -> impl Strategy<Value = Vec<u8>> {
        let word = prop_oneof![
            4 => vec(0u8..3, 0..40),
            1 => vec(any::<u8>(), 0..40),
            1 => (any::<u8>(), 0usize..700).prop_map(|(byte, length)| vec![byte; length]),
        ];
        vec(word, 0..60).prop_map(|words| words.concat())
    }

    proptest! {
        #![proptest_config(crate::seeds::cases(2_000))]

        #[test]
        fn compressed_bytes_give_the_original(
            object in repetitive(), dictionary in repetitive(), cut in 0usize..3_000,
        ) {
            check(&object, &dictionary);
            // An object that goes on where the dictionary ends, or repeats a part of it.
            let whole = [&dictionary[..], &object].concat();
            let (before, after) = whole.split_at(cut.min(whole.len()));
            check(after, before);
            check(&whole, &object);
        }
    }

    #[test]
    fn largest_objects_and_distances_give_the_original() {
        let mut rng = fastrand::Rng::with_seed(4711);
        let noise: Vec<u8> = std::iter::repeat_with(|| rng.u8(..)).take(Positions::MOST).collect();
        check(&noise, &[]);
        for dictionary in [1, 12, 16 << 10] {
            let object = [&noise[dictionary..Positions::MOST - dictionary], &noise[..dictionary]];
            let [ours, _] = check(&object.concat(), &noise[..dictionary]);
            assert!(ours <= Positions::MOST + Positions::MOST / 255 + 16);
        }
        for length in 0..300 {
            check(&vec![7; length], &[]);
            check(&noise[..length], &noise[..length]);
        }
    }

    #[test]
    fn objects_alike_take_no_more_than_with_another_encoder() {
        let object = |n: usize| {
            let lines = (0..60).map(|line| format!("\"field-{line}\":\"{}\",", line * n * 7919));
            lines.collect::<String>().into_bytes()
        };
        let [ours, theirs] = check(&object(3), &(10..20).flat_map(object).collect::<Vec<_>>());
        assert!(ours <= theirs + theirs / 50, "{ours}, {theirs}");
    }
}

//! Runs a fuzz target on stable Rust: over inputs of the caller, those that are kept for the
//! target, and mutations of both.
//!
//! `FUZZ_ROUNDS=n` does n times as much, `FUZZ_SEED=n` something else. The caller names the
//! `FOLDER` of kept inputs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fastrand::Rng;

use super::FOLDER;

/// The size of the part that is mutated of a larger answer: the seams are the same.
pub(crate) const LARGEST: usize = 6 * 1024;

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is no number")))
}

/// Returns the inputs that are kept for a target: those written by hand, and those that fuzzing
/// found worth keeping.
fn kept(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(FOLDER).join(target);
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// One change to some bytes, or several.
fn mutated(rng: &mut Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[rng.usize(0..corpus.len())].clone();
    if bytes.len() > LARGEST {
        // Mostly its beginning, which may be read whole.
        let from = if rng.bool() { 0 } else { rng.usize(0..bytes.len() - LARGEST) };
        bytes = bytes[from..from + LARGEST].to_vec();
    }
    for _ in 0..rng.u8(1..4) {
        let at = |rng: &mut Rng, bytes: &[u8]| rng.usize(0..=bytes.len());
        let (a, b) = (at(rng, &bytes), at(rng, &bytes));
        let (from, to) = (a.min(b), a.max(b));
        match rng.u8(0..7) {
            0 if !bytes.is_empty() => {
                let at = rng.usize(0..bytes.len());
                bytes[at] ^= 1 << rng.u8(0..8);
            }
            1 if !bytes.is_empty() => {
                let at = rng.usize(0..bytes.len());
                bytes[at] = rng.choice([0, 0xff, 0x7f, b'"', b'{', b'}', b'\\', b'\n']).unwrap();
            }
            2 => bytes.truncate(a),
            3 => drop(bytes.drain(from..to.min(from + 200))),
            4 => {
                let part = bytes[from..to.min(from + 200)].to_vec();
                let place = at(rng, &bytes);
                bytes.splice(place..place, part);
            }
            5 => {
                let other = &corpus[rng.usize(0..corpus.len())];
                let start = rng.usize(0..=other.len());
                let end = other.len().min(start + rng.usize(0..400));
                bytes.splice(from..to.min(from + 400), other[start..end].iter().copied());
            }
            _ => {
                let place = at(rng, &bytes);
                let noise: Vec<u8> = (0..rng.usize(0..9)).map(|_| rng.u8(..)).collect();
                bytes.splice(place..place, noise);
            }
        }
    }
    bytes
}

/// Runs a target over all inputs, and a number of mutations.
pub(crate) fn replay(target: &str, seeds: &[Vec<u8>], mutations: u64, entry: fn(&[u8])) {
    let corpus = &[seeds, &kept(target)[..]].concat()[..];
    let check = |bytes: &[u8], what: &str| {
        let passed = catch_unwind(AssertUnwindSafe(|| entry(bytes))).is_ok();
        assert!(passed, "{target} fails on {what}: {:?}", String::from_utf8_lossy(bytes));
    };
    for (n, bytes) in corpus.iter().enumerate() {
        check(bytes, &format!("recorded answer {n}"));
    }
    let seed = number("FUZZ_SEED").unwrap_or(1);
    let mut rng = Rng::with_seed(seed);
    for n in 0..mutations * number("FUZZ_ROUNDS").unwrap_or(1) {
        check(&mutated(&mut rng, corpus), &format!("mutation {n} of seed {seed}"));
    }
}

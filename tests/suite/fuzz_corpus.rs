//! The functions of `tests/fuzz`, on stable Rust: they run over the recorded answers of a real
//! server and over mutations of them.
//!
//! `FUZZ_ROUNDS=n` does n times as much, `FUZZ_SEED=n` something else.

#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "a crate of its own elsewhere")]
mod fuzz;

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The size of the part that is mutated of a larger answer: the seams are the same.
const LARGEST: usize = 6 * 1024;

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is no number")))
}

/// The recorded answers whose names have one of these parts.
fn recorded(parts: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let named = |path: &&std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        parts.iter().any(|part| name.contains(part)) && !name.ends_with(".md")
    };
    let found: Vec<_> =
        files.iter().filter(named).map(|path| std::fs::read(path).unwrap()).collect();
    assert!(!found.is_empty(), "no answers named {parts:?}");
    found
}

/// Returns the inputs that are kept for a target: those written by hand, and those that fuzzing
/// found worth keeping.
fn kept(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz").join(target);
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// A body behind a byte that says what it is.
fn marked_bytes(mark: u8, body: &[u8]) -> Vec<u8> {
    [&[mark], body].concat()
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

fn replay(target: &str, seeds: &[Vec<u8>], mutations: u64, entry: fn(&[u8])) {
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

/// A folder that no target has is one that is never replayed.
#[test]
fn what_is_kept_belongs_to_a_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz");
    let Ok(folders) = std::fs::read_dir(folder) else { return };
    for folder in folders {
        let name = folder.unwrap().file_name();
        assert!(fuzz::TARGETS.iter().any(|(target, _)| name == *target), "{name:?}");
    }
}

#[test]
fn lists_in_json() {
    replay("list_json", &recorded(&["list-", "error-4"]), 300, fuzz::list_json);
}

#[test]
fn watches_in_json() {
    replay("watch_json", &recorded(&["watch"]), 300, fuzz::watch_json);
}

#[test]
fn lists_in_protobuf() {
    replay("list_protobuf", &recorded(&[".pb"]), 300, fuzz::list_protobuf);
}

#[test]
fn watches_in_protobuf() {
    replay("watch_protobuf", &recorded(&["-pb.pb"]), 300, fuzz::watch_protobuf);
}

#[test]
fn failures() {
    replay("status", &recorded(&["error-"]), 200, fuzz::status);
}

#[test]
fn label_selectors() {
    replay("selector", &[], 20_000, fuzz::selector);
}

#[test]
fn versions_and_keys() {
    replay("names", &[], 20_000, fuzz::names);
}

#[test]
fn requests() {
    replay("request", &recorded(&["get-pod"]), 300, fuzz::request);
}

#[test]
fn reviews_of_webhooks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/kube-webhooks/tests/data");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let reviews = [read("admission-reviews.json"), read("conversion-reviews.json")].concat();
    // A review is a line of its own; of conversions, its answer stands beside it.
    let lines = reviews.lines().map(|line| line.trim_end_matches(',')).filter(|l| l.len() > 1);
    let reviews: Vec<_> = lines
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let whole = row["request"].get("kind").is_some_and(serde_json::Value::is_string);
            let review = if whole { &row["request"] } else { &row };
            serde_json::to_vec(review).unwrap()
        })
        .collect();
    replay("reviews", &reviews, 1_000, fuzz::reviews);
}

#[test]
fn patches_of_each_kind() {
    replay("patches", &[], 500, fuzz::patches);
}

#[test]
fn selectors_of_either_kind() {
    replay("selects", &[], 500, fuzz::selects);
}

#[test]
fn continue_tokens() {
    replay("continues", &[], 500, fuzz::continues);
}

#[test]
fn answers_however_cut() {
    let lists = |parts, kind| {
        let head = [kind, 0, 1, 2, 3, 63, 0, 200, 7];
        recorded(parts).into_iter().map(move |body| [&head, &body[..]].concat())
    };
    let mut corpus: Vec<_> = lists(&["list-page", "list-empty"], 0).collect();
    corpus.extend(lists(&["watchlist-empty", "watch-bookmarks"], 1));
    corpus.extend(lists(&["list-page1-pb", "list-empty-pb"], 2));
    corpus.extend(lists(&["watchlist-empty-pb", "watch-from-zero-pb"], 3));
    replay("cuts", &corpus, 300, fuzz::cuts);
}

#[test]
fn compressed_answers() {
    let mut corpus = Vec::new();
    for (kind, part) in
        ["list-page1-json", "watch-bookmarks", "list-page1-pb", "watch-from-zero-pb"]
            .into_iter()
            .enumerate()
    {
        for mut body in recorded(&[part]) {
            body.truncate(LARGEST);
            let kind = u8::try_from(kind).unwrap();
            corpus.push([&[kind, 1, 99], &body[..]].concat());
            corpus.push([&[kind, 2, 255], &body[..]].concat());
            let mut encoder = GzEncoder::new(vec![kind, 0, 33], Compression::fast());
            encoder.write_all(&body).unwrap();
            corpus.push(encoder.finish().unwrap());
        }
    }
    replay("gzip", &corpus, 400, fuzz::gzip);
}

#[test]
fn objects_looked_into() {
    let json = recorded(&["list-page1-json", "list-pods-ns-json"]);
    let protobuf = recorded(&["list-page1-pb", "list-pods-ns-pb"]);
    let marked = |mark, bodies: &[Vec<u8>]| -> Vec<Vec<u8>> {
        bodies.iter().map(|body| marked_bytes(mark, body)).collect()
    };
    let corpus = [marked(0, &json), marked(1, &protobuf)].concat();
    replay("peeks", &corpus, 300, fuzz::peeks);
    replay("packed", &corpus, 300, fuzz::packed);
}

#[test]
fn objects_in_both_encodings() {
    replay("protobuf", &recorded(&["get-pod", "list-services"]), 2_000, fuzz::protobuf);
}

//! What `fuzz/` fuzzes, on stable Rust: the recorded answers of a real server, and mutations of
//! them, through the same functions; and how much is held of an answer that has no end.
//!
//! `FUZZ_ROUNDS=n` does n times as much, `FUZZ_SEED=n` something else.

#![cfg(feature = "testing")]

#[path = "../fuzz/src/lib.rs"]
#[expect(dead_code, unreachable_pub, reason = "a crate of its own elsewhere")]
mod fuzz;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fastrand::Rng;

/// What is larger is mutated in a part of this size: the seams are the same.
const LARGEST: usize = 6 * 1024;

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is no number")))
}

/// The recorded answers whose names have one of these parts.
fn recorded(parts: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
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

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
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

fn replay(target: &str, corpus: &[Vec<u8>], mutations: u64, entry: fn(&[u8])) {
    let check = |bytes: &[u8], what: &str| {
        if catch_unwind(AssertUnwindSafe(|| entry(bytes))).is_err() {
            panic!("{target} fails on {what}: {:?}", String::from_utf8_lossy(bytes));
        }
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
    let corpus = texts(&[
        "",
        "app=web",
        "app in (a, b),tier notin (x),!c,d",
        "x.io/size>6,n<9223372036854775807",
        "a==b,c!=d",
        "a in (,b)",
    ]);
    replay("selector", &corpus, 20_000, fuzz::selector);
}

#[test]
fn versions_and_keys() {
    let corpus = texts(&[
        "1\n2",
        "0\n00",
        "18446744073709551615\n18446744073709551616",
        "abc\n7",
        "shop\nweb-0",
        "shop/web-0",
        "/\n/",
    ]);
    replay("names", &corpus, 20_000, fuzz::names);
}

#[test]
fn requests() {
    let mut corpus = texts(&[
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MzMzLCJzdGFydCI6Ii9zaG9wL3dlYi0wNlx1MDAwMCJ9",
        "app in (a,b)",
        "metadata.name=a,spec.nodeName!=b",
        "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')",
        "watch=true&resourceVersion=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        "apis/apps/v1/namespaces/shop/deployments/web/status",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},"spec":{}}"#,
        r#"[{"op":"replace","path":"/metadata/labels/a","value":7}]"#,
    ]);
    corpus.extend(recorded(&["get-pod"]));
    replay("request", &corpus, 300, fuzz::request);
}

//! The functions of `tests/fuzz`, on stable Rust: they run over the recorded answers of a real
//! server and over mutations of them.
//!
//! The target `reviews` runs in the tests of `kube-webhooks`.

#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "a crate of its own elsewhere")]
mod fuzz;
#[path = "../fuzz/replay.rs"]
mod replay;

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use self::replay::{LARGEST, replay};

/// The inputs that are kept.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fuzz");

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

/// A body behind a byte that says what it is.
fn marked_bytes(mark: u8, body: &[u8]) -> Vec<u8> {
    [&[mark], body].concat()
}

/// A folder that no target has is one that is never replayed.
#[test]
fn what_is_kept_belongs_to_a_target() {
    let Ok(folders) = std::fs::read_dir(FOLDER) else { return };
    for folder in folders {
        let name = folder.unwrap().file_name();
        let mut targets = fuzz::TARGETS.iter().map(|(target, _)| *target).chain(["reviews"]);
        assert!(targets.any(|target| name == *target), "{name:?}");
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
    replay("views", &corpus, 300, fuzz::views);
}

#[test]
fn objects_in_both_encodings() {
    replay("protobuf", &recorded(&["get-pod", "list-services"]), 2_000, fuzz::protobuf);
}

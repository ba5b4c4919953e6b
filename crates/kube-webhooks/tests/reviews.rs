//! The fuzz target for reviews, on stable Rust: over those that a real server sent, and over
//! mutations of them.

#[path = "../../../tests/fuzz/replay.rs"]
mod replay;
#[path = "../../../tests/fuzz/targets/reviews.rs"]
#[allow(unreachable_pub, reason = "a part of another program elsewhere")]
mod targets;

use std::path::Path;

use self::replay::replay;

/// The inputs that are kept.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/fuzz");

#[test]
fn reviews_of_webhooks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
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
    replay("reviews", &reviews, 1_000, targets::reviews);
}

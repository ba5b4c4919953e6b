//! The metadata of a converted object.

use serde_json::{Map, Value};

const METADATA: &str = "metadata";
/// The metadata that a conversion may change.
const CHANGEABLE: [&str; 2] = ["annotations", "labels"];
const NAMES: [&str; 2] = ["name", "generateName"];

/// Gives a converted object the metadata of the original, except its own labels and annotations.
/// A converted object without the original's name, or the beginning of a name that the server will
/// make, has lost its metadata, and gets all of it back.
pub(super) fn keep_metadata(
    original: &Map<String, Value>,
    mut converted: Map<String, Value>,
) -> Map<String, Value> {
    let Some(kept) = original.get(METADATA) else {
        converted.remove(METADATA);
        return converted;
    };
    let mut kept = kept.clone();
    let own = converted.remove(METADATA);
    if let (Value::Object(kept), Some(Value::Object(mut own))) = (&mut kept, own)
        && NAMES.iter().all(|name| own.get(*name) == kept.get(*name))
    {
        for key in CHANGEABLE {
            kept.remove(key);
            kept.extend(own.remove(key).map(|value| (key.to_owned(), value)));
        }
    }
    converted.insert(METADATA.to_owned(), kept);
    converted
}

//! The metadata of a converted object.

use serde_json::{Map, Value};

use crate::names::{is_label_value, is_qualified};

const METADATA: &str = "metadata";
/// The metadata that a conversion may change.
const CHANGEABLE: [&str; 2] = ["annotations", "labels"];
const NAMES: [&str; 2] = ["name", "generateName"];
/// The limit of all annotations' keys and values, in bytes.
const ANNOTATIONS: usize = 256 << 10;

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

/// Returns why no API server takes the labels and annotations of an object. It then shows neither
/// the object, nor a list that has it.
pub(super) fn problem(object: &Map<String, Value>) -> Option<String> {
    let texts = |of: &str| {
        let all = object.get(METADATA)?.get(of)?.as_object()?.iter();
        Some(all.map(|(key, value)| (key, value.as_str())).collect::<Vec<_>>())
    };
    let (labels, annotations) = (texts("labels"), texts("annotations"));
    let bad_label = labels
        .into_iter()
        .flatten()
        .find(|(key, value)| !is_qualified(key) || !value.is_some_and(is_label_value));
    if let Some((key, value)) = bad_label {
        let value = value.unwrap_or_default();
        return Some(format!("no API server takes the label {key:?} with the value {value:?}"));
    }
    let mut size = 0;
    for (key, value) in annotations.into_iter().flatten() {
        let Some(value) = value.filter(|_| is_qualified(&key.to_lowercase())) else {
            return Some(format!("no API server takes the annotation {key:?}"));
        };
        size += key.len() + value.len();
    }
    (size > ANNOTATIONS).then(|| format!("its annotations have more than {ANNOTATIONS} bytes"))
}

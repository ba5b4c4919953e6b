//! The changes of a typed object, applied to the object as the server sent it.
//!
//! A type may know only some of an object's fields, so a changed object is no replacement for the
//! server's. Only what differs between the typed object before and after is taken over.

use serde_json::{Map, Value};

/// Returns `raw` with the changes from `before` to `after`. The latter two are of one type; `raw`
/// is the object from which `before` was decoded.
pub(super) fn merge(raw: &Value, before: &Value, after: &Value) -> Value {
    if before == after {
        return raw.clone();
    }
    match (raw, before, after) {
        (Value::Object(raw), Value::Object(before), Value::Object(after)) => {
            Value::Object(merge_maps(raw, before, after))
        }
        // The type adds a map that the server left out.
        (Value::Null, Value::Object(before), Value::Object(after)) => {
            Value::Object(merge_maps(&Map::new(), before, after))
        }
        (Value::Array(raw), Value::Array(before), Value::Array(after))
            if raw.len() == before.len() =>
        {
            Value::Array(merge_lists(raw, before, after))
        }
        _ => after.clone(),
    }
}

fn merge_maps(
    raw: &Map<String, Value>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Map<String, Value> {
    let mut merged = raw.clone();
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        merged.remove(key);
    }
    for (key, after) in after {
        let old = before.get(key);
        if old == Some(after) {
            continue;
        }
        let raw = raw.get(key).unwrap_or(&Value::Null);
        let value = old.map_or_else(|| after.clone(), |before| merge(raw, before, after));
        merged.insert(key.clone(), value);
    }
    merged
}

/// Merges each item with the one that it was before. An item that was none before is new.
fn merge_lists(raw: &[Value], before: &[Value], after: &[Value]) -> Vec<Value> {
    let origins = origins(before, after);
    let merged = after.iter().zip(origins).map(|(after, origin)| match origin {
        Some(place) => merge(&raw[place], &before[place], after),
        None => after.clone(),
    });
    merged.collect()
}

/// Returns the former place of each item: that of an equal one, else of the one with the same name,
/// else the same place counted among the items that are left, if as many are left on both sides.
fn origins(before: &[Value], after: &[Value]) -> Vec<Option<usize>> {
    let mut origins = vec![None; after.len()];
    let mut free: Vec<usize> = (0..before.len()).collect();
    for is_same in [|a: &Value, b: &Value| a == b, has_same_name] {
        for (place, item) in after.iter().enumerate() {
            if origins[place].is_some() {
                continue;
            }
            if let Some(found) = free.iter().position(|&old| is_same(&before[old], item)) {
                origins[place] = Some(free.remove(found));
            }
        }
    }
    let new: Vec<_> = (0..after.len()).filter(|&place| origins[place].is_none()).collect();
    if new.len() == free.len() {
        // Two items with names are different ones.
        for (place, old) in new.into_iter().zip(free) {
            if name(&after[place]).is_none() || name(&before[old]).is_none() {
                origins[place] = Some(old);
            }
        }
    }
    origins
}

fn name(item: &Value) -> Option<&Value> {
    item.get("name")
}

fn has_same_name(one: &Value, other: &Value) -> bool {
    name(one).is_some_and(|one| Some(one) == name(other))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The fields of a slim type: items have an image, and in the raw object a port, too.
    type Slim = (Option<u8>, BTreeMap<char, u8>, Vec<(char, u8)>);

    fn slim() -> impl Strategy<Value = Slim> {
        let labels = prop::collection::btree_map(prop::char::range('a', 'd'), 0..3_u8, 0..4);
        let items = prop::collection::btree_map(prop::char::range('a', 'e'), 0..3_u8, 0..5);
        let items = items.prop_map(|items| items.into_iter().collect::<Vec<_>>()).prop_shuffle();
        (prop::option::of(0..3_u8), labels, items)
    }

    fn written((size, labels, items): &Slim, port: Option<u8>) -> Value {
        let items = items.iter().map(|(name, image)| {
            let mut item = json!({ "name": name.to_string(), "image": image });
            if let (Value::Object(item), Some(port)) = (&mut item, port) {
                item.insert("port".to_owned(), format!("{name}{port}").into());
            }
            item
        });
        let items: Vec<_> = items.collect();
        let mut object = json!({ "labels": labels, "items": items });
        if let (Value::Object(object), Some(size)) = (&mut object, size) {
            object.insert("size".to_owned(), (*size).into());
        }
        object
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn slim_changes_are_made_and_nothing_else(before in slim(), after in slim(), port in 0..9_u8) {
            let mut raw = written(&before, Some(port));
            raw["unknown"] = json!({ "x": [1] });
            let merged = merge(&raw, &written(&before, None), &written(&after, None));
            // An item that stays keeps its port, and a new one has none.
            let mut expected = written(&after, Some(port));
            for item in expected["items"].as_array_mut().unwrap() {
                if !before.2.iter().any(|(name, _)| item["name"] == *name.to_string()) {
                    item.as_object_mut().unwrap().remove("port");
                }
            }
            expected["unknown"] = raw["unknown"].clone();
            prop_assert_eq!(&merged, &expected);

            let patch = json_patch::diff(&raw, &merged);
            json_patch::patch(&mut raw, &patch).unwrap();
            prop_assert_eq!(raw, merged);
        }
    }

    #[test]
    fn unknown_fields_survive_beside_changes() {
        let raw = json!({"spec": {"a": 1, "other": {"x": 1}}, "unknown": [1]});
        let merged = merge(&raw, &json!({"spec": {"a": 1}}), &json!({"spec": {"a": 2}}));
        assert_eq!(merged, json!({"spec": {"a": 2, "other": {"x": 1}}, "unknown": [1]}));
    }

    #[test]
    fn values_that_only_the_type_writes_are_left_out() {
        let (before, after) = (json!({"a": 0, "l": null}), json!({"a": 0, "l": null, "b": 1}));
        assert_eq!(merge(&json!({}), &before, &after), json!({"b": 1}));
        let (before, after) = (json!({"spec": {"a": 0}}), json!({"spec": {"a": 0, "b": 1}}));
        assert_eq!(merge(&json!({}), &before, &after), json!({"spec": {"b": 1}}));
    }

    #[test]
    fn removed_fields_go_and_others_stay() {
        let raw = json!({"labels": {"a": "1", "b": "2"}, "other": 1});
        let merged =
            merge(&raw, &json!({"labels": {"a": "1", "b": "2"}}), &json!({"labels": {"b": "2"}}));
        assert_eq!(merged, json!({"labels": {"b": "2"}, "other": 1}));
    }

    #[test]
    fn items_keep_their_unknown_fields_when_neighbours_go() {
        let raw = json!([{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]);
        let names = json!([{"name": "a"}, {"name": "b"}]);
        assert_eq!(
            merge(&raw, &names, &json!([{"name": "b"}])),
            json!([{"name": "b", "image": "y"}])
        );
        assert_eq!(
            merge(&raw, &names, &json!([{"name": "c"}, {"name": "a"}, {"name": "b"}])),
            json!([{"name": "c"}, {"name": "a", "image": "x"}, {"name": "b", "image": "y"}])
        );
        assert_eq!(
            merge(&raw, &names, &json!([{"name": "b", "cpu": 1}, {"name": "a"}])),
            json!([{"name": "b", "image": "y", "cpu": 1}, {"name": "a", "image": "x"}])
        );
        assert_eq!(
            merge(&raw, &names, &json!([{"name": "a"}, {"name": "other"}])),
            json!([{"name": "a", "image": "x"}, {"name": "other"}]),
            "another name is another item"
        );
    }

    #[test]
    fn nameless_items_keep_their_place() {
        let raw = json!([{"key": "k", "x": 1}, {"key": "l", "x": 2}]);
        let before = json!([{"key": "k"}, {"key": "l"}]);
        assert_eq!(
            merge(&raw, &before, &json!([{"key": "k"}, {"key": "l", "effect": "e"}])),
            json!([{"key": "k", "x": 1}, {"key": "l", "x": 2, "effect": "e"}])
        );
    }
}

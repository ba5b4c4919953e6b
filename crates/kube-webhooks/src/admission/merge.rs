//! The changes of a typed object, applied to the object as the server sent it.
//!
//! A type may know only some of an object's fields, so a changed object is no replacement for the
//! server's. Only what differs between the typed object before and after is taken over.

use std::cmp::Reverse;

use serde_json::{Map, Value};

/// The most pairs of items that are compared, so that a long list does not take seconds.
const MOST_PAIRS: usize = 1_000_000;

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
        (Value::Array(raw), Value::Array(before), Value::Array(after)) => {
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
        // A type may leave out a map that has only fields which the type does not know.
        let value = match old {
            Some(before) => merge(raw, before, after),
            None if raw.is_object() => merge(raw, &Value::Object(Map::new()), after),
            None => after.clone(),
        };
        merged.insert(key.clone(), value);
    }
    merged
}

/// Merges each item with the one that it was before. An item that was none before is new. An item
/// that the type leaves out follows the one that it followed.
fn merge_lists(raw: &[Value], before: &[Value], after: &[Value]) -> Vec<Value> {
    let sources = sources(raw, before);
    let mut merged: Vec<(Option<usize>, Value)> = after
        .iter()
        .zip(origins(before, after))
        .map(|(after, origin)| {
            let origin = origin.and_then(|place| Some((place, sources[place]?)));
            match origin {
                Some((place, source)) => (Some(source), merge(&raw[source], &before[place], after)),
                None => (None, after.clone()),
            }
        })
        .collect();
    if raw.len() > before.len() && sources.iter().all(Option::is_some) {
        let shown: Vec<_> = sources.into_iter().flatten().collect();
        for (place, item) in raw.iter().enumerate() {
            // A set leaves out an item that it has.
            if shown.iter().any(|&source| source == place || raw[source] == *item) {
                continue;
            }
            let is_before = |(source, _): &(Option<usize>, _)| source.is_some_and(|at| at < place);
            let at = merged.iter().rposition(is_before).map_or(0, |before| before + 1);
            merged.insert(at, (Some(place), item.clone()));
        }
    }
    merged.into_iter().map(|(_, item)| item).collect()
}

/// Returns the place in `raw` of each item of `before`, as far as it is known. A type may sort a
/// list, as a set does, and leave out what it cannot read.
fn sources(raw: &[Value], before: &[Value]) -> Vec<Option<usize>> {
    let has_all = raw.len() == before.len();
    let is_in_place = |place: usize| raw.get(place).is_some_and(|raw| is_item(raw, &before[place]));
    let mut sources: Vec<_> =
        (0..before.len()).map(|place| is_in_place(place).then_some(place)).collect();
    let mut left: Vec<_> =
        (0..raw.len()).filter(|&place| sources.get(place) != Some(&Some(place))).collect();
    let unknown = sources.iter().filter(|source| source.is_none()).count();
    if left.len().saturating_mul(unknown) > MOST_PAIRS {
        return sources;
    }
    for (before, source) in before.iter().zip(&mut sources).filter(|(_, source)| source.is_none()) {
        let found = left.iter().position(|&place| is_item(&raw[place], before));
        *source = found.map(|found| left.remove(found));
    }
    // Of the rest, the type writes all fields in another form, or only defaults.
    for (place, before) in before.iter().enumerate() {
        if sources[place].is_some() {
            continue;
        }
        let alike = |at: usize| {
            let stays = has_all && at == place && shows(&raw[at], before);
            (stays, likeness(before, &raw[at]).0)
        };
        let may_be = |at: &usize| may_be_one(&raw[*at], before);
        let found = left.iter().copied().filter(may_be).max_by_key(|&at| alike(at));
        let is_last = has_all && left.len() == 1;
        sources[place] = found.filter(|&at| is_last || alike(at) > (false, 0));
        left.retain(|&at| sources[place] != Some(at));
    }
    sources
}

/// Returns whether a type can have written this item after it decoded the raw one.
fn is_item(raw: &Value, written: &Value) -> bool {
    let has_common_field = match (raw, written) {
        (Value::Object(raw), Value::Object(written)) => {
            written.keys().any(|key| raw.contains_key(key))
        }
        _ => true,
    };
    has_common_field && shows(raw, written)
}

/// Returns whether a type can have written this value after it decoded the raw one. It may have
/// added defaults, and left out what it does not know.
fn shows(raw: &Value, written: &Value) -> bool {
    match (raw, written) {
        (Value::Object(raw), Value::Object(written)) => {
            written.iter().all(|(key, written)| raw.get(key).is_none_or(|raw| shows(raw, written)))
        }
        (Value::Array(raw), Value::Array(written)) => {
            raw.len() == written.len()
                && raw.iter().zip(written).all(|(raw, item)| shows(raw, item))
        }
        _ => raw == written || raw.is_null(),
    }
}

/// Returns the former place of each item. Equal items are the same one; others as [`pair`] tells.
fn origins(before: &[Value], after: &[Value]) -> Vec<Option<usize>> {
    let is_same = |(one, other): &(&Value, &Value)| one == other;
    let head = before.iter().zip(after).take_while(is_same).count();
    let (rest, others) = (&before[head..], &after[head..]);
    let tail = rest.iter().rev().zip(others.iter().rev()).take_while(is_same).count();
    let (old_end, new_end) = (before.len() - tail, after.len() - tail);
    let mut origins: Vec<_> = (0..after.len())
        .map(|place| match place {
            _ if place < head => Some(place),
            _ if place >= new_end => Some(place - new_end + old_end),
            _ => None,
        })
        .collect();
    let (mut old, mut new): (Vec<_>, Vec<_>) =
        ((head..old_end).collect(), (head..new_end).collect());
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        // Changing so many items in their places is all that is understood.
        let stays = |&place: &usize| may_be_one(&before[place], &after[place]);
        if before.len() == after.len() {
            new.into_iter().filter(stays).for_each(|place| origins[place] = Some(place));
        }
        return origins;
    }
    new.retain(|&place| {
        let found = old.iter().position(|&old| before[old] == after[place]);
        origins[place] = found.map(|found| old.remove(found));
        origins[place].is_none()
    });
    for may in [has_same_name, may_be_one] {
        pair(before, after, (&mut old, &mut new), may, &mut origins);
    }
    origins
}

/// Pairs changed items with what they were, the most alike first.
///
/// An item that only got fields is the one that had the others. Further pairs are made only where
/// none of the items in question was added or removed: those with a name that is theirs alone,
/// those in the same place, and those that are mostly alike. An item of which nothing is certain is
/// new, because another item's fields must not become its own.
fn pair(
    before: &[Value],
    after: &[Value],
    (old, new): (&mut Vec<usize>, &mut Vec<usize>),
    may: fn(&Value, &Value) -> bool,
    origins: &mut [Option<usize>],
) {
    let rivals = |place: usize| old.iter().filter(|&&old| may(&before[old], &after[place])).count();
    let rivals: Vec<_> = new.iter().map(|&place| rivals(place)).collect();
    let mut pairs = Vec::new();
    for &from in &*old {
        let heirs = new.iter().filter(|&&place| may(&before[from], &after[place])).count();
        for (&place, &rivals) in new.iter().zip(&rivals) {
            if !may(&before[from], &after[place]) {
                continue;
            }
            let (same, changed) = likeness(&before[from], &after[place]);
            let stays = before.len() == after.len() && from == place;
            let alone = rivals == 1 && name(&after[place]).is_some();
            let only_added = same > 0 && changed == 0;
            if only_added || rivals == heirs && (alone || stays || same > changed) {
                pairs.push((same, from, place));
            }
        }
    }
    pairs.sort_by_key(|&(same, ..)| Reverse(same));
    for (_, from, place) in pairs {
        if let Some(found) = old.iter().position(|&old| old == from)
            && origins[place].is_none()
        {
            origins[place] = Some(old.remove(found));
        }
    }
    new.retain(|&place| origins[place].is_none());
}

/// Returns the number of an item's fields that stand in another, and of those that do not.
fn likeness(before: &Value, after: &Value) -> (usize, usize) {
    let fields = before.as_object().into_iter().flatten();
    let (same, changed): (Vec<_>, Vec<_>) =
        fields.partition(|(key, value)| after.get(key) == Some(value));
    (same.len(), changed.len())
}

fn name(item: &Value) -> Option<&Value> {
    item.get("name")
}

fn has_same_name(one: &Value, other: &Value) -> bool {
    name(one) == name(other)
}

/// Two items with different names are different ones.
fn may_be_one(one: &Value, other: &Value) -> bool {
    has_same_name(one, other) || name(one).is_none() || name(other).is_none()
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

    /// Each item of `raw` has a field `x` that the type does not know.
    fn merged_items(raw: &Value, after: &Value) -> Value {
        let mut before = raw.clone();
        for item in before.as_array_mut().unwrap() {
            item.as_object_mut().unwrap().remove("x");
        }
        merge(raw, &before, after)
    }

    #[test]
    fn items_do_not_inherit_fields_of_others() {
        let mounts = json!([
            {"name": "v", "path": "/a", "x": 1}, {"name": "v", "path": "/b", "x": 2},
        ]);
        let keys = json!([{"key": "k", "x": 1}, {"key": "l", "x": 2}]);
        let ports = json!([{"port": 80, "protocol": "TCP", "x": 1}, {"port": 81, "protocol": "TCP", "x": 2}]);
        for (raw, after, expected) in [
            // The first is removed, and the second changed.
            (
                &mounts,
                json!([{"name": "v", "path": "/b", "ro": true}]),
                json!([{"name": "v", "path": "/b", "ro": true, "x": 2}]),
            ),
            (&keys, json!([{"key": "l", "e": "f"}]), json!([{"key": "l", "e": "f", "x": 2}])),
            // The order and the items are changed.
            (
                &mounts,
                json!([{"name": "v", "path": "/b", "ro": true}, {"name": "v", "path": "/a", "ro": true}]),
                json!([
                    {"name": "v", "path": "/b", "ro": true, "x": 2},
                    {"name": "v", "path": "/a", "ro": true, "x": 1},
                ]),
            ),
            // One is removed, one changed, and one new.
            (
                &keys,
                json!([{"key": "l", "e": "f"}, {"key": "m"}]),
                json!([{"key": "l", "e": "f", "x": 2}, {"key": "m"}]),
            ),
            (
                &ports,
                json!([{"port": 81, "protocol": "TCP"}, {"port": 443, "protocol": "TCP"}]),
                json!([{"port": 81, "protocol": "TCP", "x": 2}, {"port": 443, "protocol": "TCP"}]),
            ),
            // One is new before the one that is changed.
            (
                &mounts,
                json!([
                    {"name": "v", "path": "/n"},
                    {"name": "v", "path": "/a"},
                    {"name": "v", "path": "/b", "ro": true},
                ]),
                json!([
                    {"name": "v", "path": "/n"},
                    {"name": "v", "path": "/a", "x": 1},
                    {"name": "v", "path": "/b", "ro": true, "x": 2},
                ]),
            ),
            // Each is changed in its place.
            (
                &keys,
                json!([{"key": "m"}, {"key": "n"}]),
                json!([{"key": "m", "x": 1}, {"key": "n", "x": 2}]),
            ),
        ] {
            assert_eq!(merged_items(raw, &after), expected, "{raw} to {after}");
        }
    }

    #[test]
    fn unknown_fields_survive_in_map_that_the_type_leaves_out() {
        let raw = json!({"limits": {"gpu": 1}});
        assert_eq!(
            merge(&raw, &json!({}), &json!({"limits": {"cpu": 2}})),
            json!({"limits": {"gpu": 1, "cpu": 2}})
        );
    }

    #[test]
    fn long_lists_are_merged_in_their_places() {
        let items = |key: &str| (0..50_000).map(|n| json!({"key": format!("{key}{n}")})).collect();
        let (before, after): (Value, Value) = (items("a"), items("b"));
        let mut raw = before.clone();
        raw[49_999]["x"] = json!(1);
        assert_eq!(merge(&raw, &before, &after)[49_999], json!({"key": "b49999", "x": 1}));
        let shorter = json!(after.as_array().unwrap()[1..]);
        assert_eq!(merge(&raw, &before, &shorter), shorter);
    }

    #[test]
    fn items_of_sets_are_told_apart() {
        let raw = json!(["c", "a", "b"]);
        let merged = |after: Value| merge(&raw, &json!(["a", "b", "c"]), &after);
        assert_eq!(merged(json!(["b", "c"])), json!(["b", "c"]));
        assert_eq!(merged(json!(["a", "b", "d"])), json!(["a", "b", "d"]));
        assert_eq!(merge(&json!(["b", "a", "b"]), &json!(["a", "b"]), &json!(["b"])), json!(["b"]));
    }

    #[test]
    fn items_keep_their_unknown_fields_when_the_type_sorts_them() {
        let raw = json!([{"id": "b", "size": 1, "x": "b"}, {"id": "a", "size": 1, "x": "a"}]);
        let before = json!([{"id": "a", "size": 1}, {"id": "b", "size": 1}]);
        for (after, expected) in [
            (json!([{"id": "b", "size": 1}]), json!([{"id": "b", "size": 1, "x": "b"}])),
            (
                json!([{"id": "a", "size": 2}, {"id": "b", "size": 1}]),
                json!([{"id": "a", "size": 2, "x": "a"}, {"id": "b", "size": 1, "x": "b"}]),
            ),
            // The type writes the sizes otherwise, too.
            (
                json!([{"id": "a", "size": "1"}, {"id": "b", "size": "2"}]),
                json!([{"id": "a", "size": 1, "x": "a"}, {"id": "b", "size": "2", "x": "b"}]),
            ),
        ] {
            let mut before = before.clone();
            if after[0]["size"].is_string() {
                before[0]["size"] = "1".into();
                before[1]["size"] = "1".into();
            }
            assert_eq!(merge(&raw, &before, &after), expected, "{after}");
        }
    }

    #[test]
    fn items_that_the_type_leaves_out_stay() {
        let raw = json!([
            {"id": "a", "x": 1}, {"new": 1}, {"new": 2}, {"id": "b", "x": 2}, {"new": 3},
        ]);
        let before = json!([{"id": "a"}, {"id": "b"}]);
        assert_eq!(
            merge(&raw, &before, &json!([{"id": "b", "size": 1}, {"id": "c"}])),
            json!([
                {"new": 1}, {"new": 2}, {"id": "b", "x": 2, "size": 1}, {"new": 3}, {"id": "c"},
            ])
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

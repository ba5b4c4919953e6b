//! Tests of the lists whose order a type does not keep.

use std::collections::HashSet;

use serde_json::json;

use super::*;

/// Reads a value as a type does whose members `words` change on the way.
fn changed(value: &Value, change: fn(&mut Vec<Value>)) -> Value {
    let mut read = value.clone();
    let sets = read["spec"]["sets"].as_array_mut().into_iter().flatten();
    sets.filter_map(|set| set["words"].as_array_mut()).for_each(change);
    read
}

fn as_set(words: &mut Vec<Value>) {
    let set: HashSet<_> = words.drain(..).collect();
    words.extend(set);
}

#[expect(clippy::ptr_arg, reason = "of the type of `as_set`")]
fn sorted(words: &mut Vec<Value>) {
    words.sort_by_key(Value::to_string);
}

fn paths(found: &Unordered) -> Vec<String> {
    found.random.iter().chain(&found.sorted).map(|path| shown(path)).collect()
}

#[test]
fn only_lists_without_order_are_found() {
    let object = json!({"spec": {
        "args": ["b", "a"], "sets": [{"words": ["x", "y"]}, {"words": ["y"]}], "one": ["a"],
    }});
    let set = |value: &Value| Ok(changed(value, as_set));
    let strict = |value: &Value| {
        let words = value.pointer("/spec/sets/1/words").and_then(Value::as_array);
        let repeats = words.is_some_and(|words| words.len() > 2);
        if repeats { Err(String::new()) } else { Ok(changed(value, sorted)) }
    };
    for read in [&set as &dyn Fn(&Value) -> Result<Value, String>, &strict] {
        let dropped = json!({"spec": {"args": ["b", "a"], "sets": []}});
        for (configured, seen) in [(&dropped, &object), (&object, &dropped)] {
            let found = Unordered::of(configured, seen, read);
            assert_eq!(paths(&found), [".spec.sets[].words"]);
        }
    }
    let found = Unordered::of(&object, &object, set);
    let mut other = json!({"spec": {"args": ["b", "a"], "sets": [{"words": ["y", "x"]}]}});
    found.sort(&mut other);
    let mut first = json!({"spec": {"args": ["b", "a"], "sets": [{"words": ["x", "y"]}]}});
    found.sort(&mut first);
    assert_eq!(other, first);
    assert!(Unordered::of(&json!({"spec": {"args": ["a"]}}), &object, set).is_empty());
    let fields = |words| json!({"f:spec": {"f:sets": {"k:{\"a\":1}": {"f:words": words}}}});
    for (words, is_ordered) in [(json!({}), true), (json!({"v:\"x\"": {}}), false)] {
        let owned = OwnedFields::from_fields_v1(&fields(words)).unwrap();
        let path = owned.unseen_order(&found, false, &object, &object);
        assert_eq!(path.is_some(), is_ordered);
    }
}

#[test]
fn list_that_drops_repeated_elements_has_an_order() {
    let object = json!({"spec": {"sets": [{"words": ["x", "y"]}, {"words": ["z", "x", "y"]}]}});
    let first = |words: &mut Vec<Value>| {
        let mut known = Vec::new();
        words.retain(|word| {
            !known.contains(word) && {
                known.push(word.clone());
                true
            }
        });
    };
    let last = |words: &mut Vec<Value>| {
        let before = words.clone();
        let is_last = |(n, word): &(usize, &Value)| !before[n + 1..].contains(word);
        let kept = before.iter().enumerate().filter(is_last);
        *words = kept.map(|(_, word)| word.clone()).collect();
    };
    for change in [first, last] {
        let found = Unordered::of(&object, &object, |value| Ok(changed(value, change)));
        assert_eq!(found, Unordered::default());
    }
}

/// A type may sort all but the first element, and hold the others as a set.
#[test]
fn list_that_is_sorted_in_part_is_unknown() {
    fn rest(words: &mut [Value]) {
        if let [_, rest @ ..] = words {
            rest.sort_by_key(Value::to_string);
        }
    }
    fn distinct_rest(words: &mut Vec<Value>) {
        let others: BTreeSet<_> = words.drain(1..).map(|word| word.to_string()).collect();
        let others = others.iter().map(|word| serde_json::from_str(word).unwrap());
        let first = words[0].clone();
        words.extend(others.filter(|word| *word != first));
    }
    let words = |words: &[&str]| json!({"spec": {"sets": [{"words": words}]}});
    for object in [words(&["c", "b", "f"]), words(&["b", "a", "c", "d", "e"])] {
        for change in [(|words| rest(words)) as fn(&mut Vec<Value>), distinct_rest] {
            let found = Unordered::of(&object, &object, |value| Ok(changed(value, change)));
            assert_eq!((found.unknown.len(), paths(&found).len()), (1, 0));
        }
    }
}

#[test]
fn list_that_refuses_another_order_hides_no_other() {
    let object = json!({"spec": {"sets": [{"words": ["x", "y"]}], "limit": ["cpu", 3]}});
    for change in [as_set, sorted] {
        let read = |value: &Value| {
            let is_tuple = value["spec"]["limit"] == json!(["cpu", 3]);
            if is_tuple { Ok(changed(value, change)) } else { Err(String::new()) }
        };
        let found = Unordered::of(&object, &object, read);
        assert_eq!(paths(&found), [".spec.sets[].words"]);
        assert_eq!(found.unknown.len(), 0);
    }
}

/// A type may take anything else as it is, for example as the last variant of an untagged enum.
#[test]
fn list_beside_a_tuple_of_a_lenient_type_is_sorted() {
    let object = json!({"spec": {"limit": ["cpu", 3], "sets": [{"words": ["x", "y"]}]}});
    let read = |value: &Value| {
        let is_tuple = value["spec"]["limit"] == json!(["cpu", 3]);
        Ok(if is_tuple { changed(value, sorted) } else { value.clone() })
    };
    assert_eq!(paths(&Unordered::of(&object, &object, read)), [".spec.sets[].words"]);
}

/// A tuple sorts the words in its first place, whichever they are.
#[test]
fn lists_of_a_tuple_are_looked_at_in_their_places() {
    let object = json!({"spec": {"pair": [["a", "b"], ["d", "c"]]}});
    let read = |value: &Value| {
        let mut read = value.clone();
        match read["spec"]["pair"].as_array_mut().map(Vec::as_mut_slice) {
            Some([Value::Array(first), _]) => sorted(first),
            _ => return Err(String::new()),
        }
        Ok(read)
    };
    let found = Unordered::of(&object, &object, read);
    assert_eq!(paths(&found), [".spec.pair[]"]);
    let owned = OwnedFields::of_configuration(&object);
    let path = |is_whole| owned.unseen_order(&found, is_whole, &object, &object);
    assert_eq!((path(true), path(false).as_deref()), (None, Some(".spec.pair[]")));
}

#[test]
fn order_of_which_nothing_is_known_is_named() {
    let lists = (0..=MOST_LOOKS).map(|n| (format!("{n:03}"), json!(["a", "b"])));
    let object = json!({"spec": lists.collect::<serde_json::Map<_, _>>()});
    let strict = |value: &Value| {
        if *value == object { Ok(value.clone()) } else { Err(String::new()) }
    };
    let owned = OwnedFields::of_configuration(&object);
    let path = |found: Unordered| owned.unseen_order(&found, true, &object, &object);
    assert_eq!(path(Unordered::of(&object, &object, strict)).as_deref(), Some(".spec.128"));
    let refused = |_: &Value| Err(String::new());
    assert_eq!(path(Unordered::of(&object, &object, refused)).as_deref(), Some(".spec.000"));
}

/// A list of one element may be a set, beside one of another that keeps its order.
#[test]
fn lists_that_are_read_differently_are_unknown() {
    let sets = json!([{"words": ["x", "y"]}, {"words": ["c", "a", "b"]}]);
    let object = json!({"spec": {"sets": sets}});
    let one = |change: fn(&mut Vec<Value>)| {
        move |value: &Value| {
            let mut read = value.clone();
            let sets = read["spec"]["sets"].as_array_mut().into_iter().flatten();
            let words = sets.filter_map(|set| set["words"].as_array_mut());
            words.filter(|words| words.contains(&json!("x"))).for_each(change);
            Ok(read)
        }
    };
    let owned = OwnedFields::of_configuration(&object);
    let found = Unordered::of(&object, &object, one(as_set));
    assert_eq!(found.random.len() + found.sorted.len(), 0);
    let path = owned.unseen_order(&found, true, &object, &object);
    assert_eq!(path.as_deref(), Some(".spec.sets[].words"));
    // A sorted one is told if the object has it in another order.
    let found = Unordered::of(&object, &object, one(sorted));
    assert_eq!((found.random.len(), paths(&found).len()), (0, 1));
    assert_eq!(owned.unseen_order(&found, true, &object, &object), None);
    let mut other = object.clone();
    other["spec"]["sets"][0]["words"] = json!(["y", "x"]);
    let path = owned.unseen_order(&found, true, &other, &object);
    assert_eq!(path.as_deref(), Some(".spec.sets[].words"));
}

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn pods() -> Shape<'static> {
    Shape::of_kind("v1", "Pod")
}

/// Returns a pod with few names, so that two pods have much in common.
fn pod() -> impl Strategy<Value = Value> {
    let env = btree_map("[AB]", "[xy]", 0..3);
    let container = ("[abc]", "[12]", env, vec("[pq]", 0..3));
    let labels = btree_map("[kl]", "[vw]", 0..3);
    (vec(container, 0..4), labels, vec("[fg]", 0..3)).prop_map(
        |(containers, labels, finalizers)| {
            let mut known = BTreeMap::new();
            for (name, image, env, args) in containers {
                let env: Vec<Value> =
                    env.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
                let container = json!({"name": name, "image": image, "env": env, "args": args});
                known.insert(name, container);
            }
            let finalizers: BTreeSet<_> = finalizers.into_iter().collect();
            json!({
                "metadata": {"labels": labels, "finalizers": finalizers},
                "spec": {"containers": known.into_values().collect::<Vec<_>>()},
            })
        },
    )
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn difference_leads_from_one_to_the_other(a in pod(), b in pod()) {
        prop_assert_eq!(compare(pods(), &a, &a), Comparison::default());
        let difference = compare(pods(), &a, &b);
        let back = compare(pods(), &b, &a);
        prop_assert_eq!(&difference.added, &back.removed);
        prop_assert_eq!(&difference.modified, &back.modified);
        prop_assert!(difference.added.intersection(&difference.removed).is_empty());
    }

    #[test]
    fn merge_is_complete_and_idempotent(a in pod(), b in pod()) {
        let merged = merge(pods(), Some(&a), Some(&b)).unwrap();
        let again = merge(pods(), Some(&merged), Some(&b)).unwrap();
        prop_assert_eq!(&again, &merged);
        let lost = compare(pods(), &b, &merged).removed;
        prop_assert!(lost.is_empty(), "{:?}", lost);
    }

    #[test]
    fn removed_fields_are_gone(a in pod(), b in pod()) {
        let all = fields(pods(), &a);
        let read = Set::from_fields(&all.to_fields()).unwrap();
        prop_assert_eq!(&read, &all);
        prop_assert_eq!(problems(pods(), &a), None);
        let gone = with_named_members(pods(), &fields(pods(), &b));
        let left = remove(pods(), &a, &gone).unwrap_or_default();
        let kept = fields(pods(), &left).intersection(&gone);
        prop_assert!(kept.is_empty(), "{:?}", kept);
    }
}

#[test]
fn applied_objects_are_checked() {
    for (spec, problem) in [
        (json!({"nope": 1}), ".spec.nope: field not declared in schema"),
        (json!({"containers": "x"}), ".spec.containers: expected list, got &{x}"),
        (
            json!({"nodeName": 1}),
            ".spec.nodeName: expected string, got \
            &value.valueUnstructured{Value:1}",
        ),
        (json!({"priority": "1"}), ".spec.priority: expected numeric (int or float), got string"),
        (
            json!({"containers": [{"name": "a"}, {"name": "a"}]}),
            ".spec.containers: duplicate entries for key [name=\"a\"]",
        ),
        (
            json!({"containers": [null]}),
            ".spec.containers: element 0: associative list with keys may not have a null element",
        ),
    ] {
        let found = problems(pods(), &json!({"spec": spec}));
        assert_eq!(found.as_deref(), Some(problem));
    }
}

#[test]
fn merged_lists_take_the_applied_order() {
    let list = |names: &str| {
        let elements: Vec<Value> = names.chars().map(|c| json!({"name": c.to_string()})).collect();
        json!({"spec": {"containers": elements}})
    };
    for (live, applied, merged) in
        [("abc", "ca", "bca"), ("ab", "ca", "cab"), ("abcd", "xcb", "axcdb"), ("", "ab", "ab")]
    {
        let found = merge(pods(), Some(&list(live)), Some(&list(applied))).unwrap();
        assert_eq!(found, list(merged), "{live} {applied}");
    }
}

/// Returns the shortest time of a few runs, so that other work on the machine does not count.
fn shortest(mut run: impl FnMut()) -> Duration {
    let one = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..5).map(one).min().unwrap()
}

#[test]
fn costs_grow_with_the_size_of_the_objects() {
    let list = |count: usize| {
        let env: Vec<Value> =
            (0..count).map(|n| json!({"name": format!("E{n}"), "value": "v"})).collect();
        json!({"spec": {"containers": [{"name": "c", "env": env}]}})
    };
    let time = |count: usize| {
        let (live, mut applied) = (list(count), list(count));
        if let Some(env) = applied["spec"]["containers"][0]["env"].as_array_mut() {
            env.reverse();
        }
        shortest(|| {
            let merged = merge(pods(), Some(&live), Some(&applied)).unwrap();
            let difference = compare(pods(), &live, &merged);
            let gone = with_named_members(pods(), &fields(pods(), &applied));
            remove(pods(), &merged, &gone.difference(&difference.added));
        })
    };
    // Ten times as much takes about ten times as long, where the square would take a hundred. A
    // neighbour on the machine may spoil some of the comparisons.
    let compared = |_| (time(500), time(5000));
    let all: Vec<_> =
        (0..20).map(compared).take_while(|(small, large)| *large >= *small * 40).collect();
    assert!(all.len() < 20, "{all:?}");
}

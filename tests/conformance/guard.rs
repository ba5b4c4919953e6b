//! Proof that the comparison finds differences.

use http::HeaderMap;
use serde_json::{Value, json};

use super::binding::Binding;
use super::compare::{Comparison, Mismatch};
use super::differences::Difference;
use super::replay::{Outcome, excuse};

/// Returns the paths where two bodies differ.
fn differing(binding: &mut Binding, recorded: &Value, ours: &Value) -> Vec<String> {
    let mut comparison = Comparison::new(binding, &Value::Null, false);
    comparison.body(recorded, ours);
    comparison.finish().into_iter().map(|mismatch| mismatch.path).collect()
}

fn map(version: &str, value: &str) -> Value {
    json!({"kind": "ConfigMap", "metadata": {"resourceVersion": version}, "data": {"k": value}})
}

fn failure(message: &str, causes: &Value) -> Value {
    json!({
        "kind": "Status", "status": "Failure", "message": message, "details": {"causes": causes},
    })
}

#[test]
fn version_after_no_op_has_to_stay() {
    let mut binding = Binding::default();
    assert!(differing(&mut binding, &map("700", "v"), &map("5", "v")).is_empty());
    assert!(differing(&mut binding, &map("700", "v"), &map("5", "v")).is_empty());
    let moved = differing(&mut binding, &map("700", "v"), &map("6", "v"));
    assert_eq!(moved, ["metadata.resourceVersion"]);
}

#[test]
fn version_after_change_has_to_move() {
    let mut binding = Binding::default();
    assert!(differing(&mut binding, &map("700", "v"), &map("5", "v")).is_empty());
    let kept = differing(&mut binding, &map("701", "w"), &map("5", "w"));
    assert_eq!(kept, ["metadata.resourceVersion"]);
}

#[test]
fn changed_missing_and_added_fields_differ() {
    let mut binding = Binding::default();
    let recorded = json!({"spec": {"a": 1, "b": 2, "c": {}}});
    let ours = json!({"spec": {"a": 1, "b": 3, "d": []}});
    assert_eq!(differing(&mut binding, &recorded, &ours), ["spec.b", "spec.c", "spec.d"]);
}

#[test]
fn causes_count_in_any_order() {
    let cause =
        |message: &str| json!({"reason": "FieldValueInvalid", "field": "a", "message": message});
    let recorded = failure("x is invalid: [a: one, a: two]", &json!([cause("one"), cause("two")]));
    let turned = failure("x is invalid: [a: two, a: one]", &json!([cause("two"), cause("one")]));
    let wrong = failure("x is invalid: [a: one, a: six]", &json!([cause("one"), cause("six")]));
    let mut binding = Binding::default();
    assert!(differing(&mut binding, &recorded, &turned).is_empty());
    assert_eq!(differing(&mut binding, &recorded, &wrong), ["details.causes", "message"]);
}

#[test]
fn messages_may_differ_in_bound_values_only() {
    let mut binding = Binding::default();
    assert!(differing(&mut binding, &map("700", "v"), &map("5", "v")).is_empty());
    let message = |text: &str| failure(text, &Value::Null);
    let recorded = message("version 700, other 80");
    assert!(differing(&mut binding, &recorded, &message("version 5, other 80")).is_empty());
    assert_eq!(differing(&mut binding, &recorded, &message("version 6, other 80")), ["message"]);
    assert_eq!(differing(&mut binding, &recorded, &message("version 5, other 81")), ["message"]);
}

#[test]
fn uids_correspond_in_keys_too() {
    let object = |uid: &str| {
        let key = format!("k:{{\"uid\":\"{uid}\"}}");
        json!({"metadata": {"managedFields": [{"fieldsV1": {key: {}}}], "uid": uid}})
    };
    let (one, other) =
        ("806827b8-2473-4ab5-84a2-4b26acc86883", "3000d8ae-5605-45a2-930b-d340aa1d265c");
    let mut binding = Binding::default();
    assert!(!differing(&mut binding, &object(one), &object(other)).is_empty());
    assert!(differing(&mut binding, &object(one), &object(other)).is_empty());
}

#[test]
fn generated_names_stand_for_each_other() {
    let named = |name: &str| json!({"metadata": {"generateName": "pre-", "name": name}});
    let mut binding = Binding::default();
    assert!(differing(&mut binding, &named("pre-bdg87"), &named("pre-xxxxx")).is_empty());
    assert_eq!(differing(&mut binding, &named("pre-bdg88"), &named("pre-x")), ["metadata.name"]);
    let message = |name: &str| failure(&format!("maps {name:?} not found"), &Value::Null);
    assert!(differing(&mut binding, &message("pre-bdg87"), &message("pre-xxxxx")).is_empty());
}

#[test]
fn missing_warning_differs() {
    let mut binding = Binding::default();
    let recorded = [("warning".to_owned(), json!("299 - \"unknown field\""))].into();
    let mut comparison = Comparison::new(&mut binding, &Value::Null, false);
    comparison.headers(&recorded, &HeaderMap::new());
    assert_eq!(comparison.finish()[0].path, "header warning");
}

#[test]
fn lost_event_differs() {
    let mut binding = Binding::default();
    let event = json!({"type": "ADDED", "object": {}});
    let mut comparison = Comparison::new(&mut binding, &Value::Null, false);
    comparison.events(&json!([event, event]), &json!([event]));
    assert_eq!(comparison.finish()[0].path, "events");
}

#[test]
fn rows_that_excuse_nothing_are_errors() {
    let row = |steps: &'static [usize], paths: &'static [&'static str]| Difference {
        scenario: "",
        steps,
        paths,
        reason: "",
    };
    let differing = |step: usize, path: &str| {
        let mut mismatch = Mismatch::default();
        path.clone_into(&mut mismatch.path);
        Outcome { step, title: String::new(), mismatches: vec![mismatch] }
    };
    let excused = |row: Difference| {
        let mut outcomes = [differing(1, "spec.a"), differing(2, "status")];
        let stale = excuse([row].iter(), &mut outcomes).lines().count();
        (stale, outcomes.iter().map(|outcome| outcome.mismatches.len()).sum::<usize>())
    };
    assert_eq!(excused(row(&[1, 2], &[])), (0, 0));
    assert_eq!(excused(row(&[1, 2], &["spec", "status"])), (0, 0));
    assert_eq!(excused(row(&[1, 2], &["spec"])), (1, 1));
    assert_eq!(excused(row(&[1], &["spec", "status"])), (1, 1));
}

use serde_json::{Value, json};

use super::check;

/// Returns the rules of a text that are not judged as it says.
///
/// A schema stands after `@`, or after `@@` if it is that of an object of the API. Each line below
/// it is a rule, or an object with the members of one, and after an arrow what a server says of it.
fn judged_wrongly(rows: &str) -> Vec<String> {
    let (mut schema, mut whole) = (Value::Null, false);
    let mut wrong = Vec::new();
    for line in rows.lines().filter(|line| !line.starts_with('#')) {
        if let Some(text) = line.strip_prefix('@') {
            schema = serde_json::from_str(text.trim_start_matches('@')).unwrap();
            whole = text.starts_with('@') || schema["x-kubernetes-embedded-resource"] == true;
            continue;
        }
        let (rule, expected) = line.split_once(" => ").unwrap_or((line, ""));
        let members =
            serde_json::from_str(rule).ok().filter(|rule: &Value| rule["rule"].is_string());
        let members = members.unwrap_or_else(|| json!({ "rule": rule }));
        let causes = check(&members, &schema, whole, "rules[0]");
        let found = causes.first().map(ToString::to_string).unwrap_or_default();
        let told = expected == "refused" || found.contains(expected);
        if found.is_empty() != expected.is_empty() || !told {
            wrong.push(format!("{rule}: {found:?} instead of {expected:?}"));
        }
    }
    wrong
}

#[test]
fn rules_are_typed_as_by_a_server() {
    for rows in [include_str!("rules.txt"), include_str!("verdicts.txt")] {
        let wrong = judged_wrongly(rows);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn former_values_may_be_optional() {
    let schema = json!({ "type": "integer" });
    let problems = |rule: &str| {
        check(&json!({ "rule": rule, "optionalOldSelf": true }), &schema, false, "rule").len()
    };
    assert_eq!(problems("oldSelf.orValue(1) < self"), 0);
    assert_ne!(problems("oldSelf < self"), 0);
}

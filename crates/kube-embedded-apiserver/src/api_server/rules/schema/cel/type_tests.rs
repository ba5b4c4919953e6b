use serde_json::{Value, json};

use super::check;

/// Returns a schema with members of many types.
fn schema() -> Value {
    let text = || json!({ "type": "string" });
    let number = || json!({ "type": "integer" });
    let formatted = |format: &str| json!({ "type": "string", "format": format });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let map = |values: Value| json!({ "type": "object", "additionalProperties": values });
    let object = |members: Value| json!({ "type": "object", "properties": members });
    let item = object(json!({ "name": text(), "port": number(), "tags": list(text()) }));
    object(json!({
        "n": number(), "m": number(), "d": { "type": "number" }, "b": { "type": "boolean" },
        "s": text(), "t": text(), "ip": text(), "nul": { "type": "string", "nullable": true },
        "time": formatted("date-time"), "date": formatted("date"), "dur": formatted("duration"),
        "bytes": formatted("byte"), "ios": { "x-kubernetes-int-or-string": true },
        "ints": list(number()), "names": list(text()), "items": list(item),
        "labels": map(text()), "ports": map(number()),
        "inner": object(json!({ "x": number(), "y": text() })),
    }))
}

#[test]
fn rules_are_typed_as_by_a_server() {
    let schema = schema();
    let mut wrong = Vec::new();
    for line in include_str!("rules.txt").lines().filter(|line| !line.starts_with('#')) {
        let (rule, expected) = line.split_once(" => ").unwrap_or((line, ""));
        let causes = check(&json!({ "rule": rule }), &schema, false, "rule");
        let found = causes.first().map(ToString::to_string).unwrap_or_default();
        if found.is_empty() != expected.is_empty() || !found.contains(expected) {
            wrong.push(format!("{rule}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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

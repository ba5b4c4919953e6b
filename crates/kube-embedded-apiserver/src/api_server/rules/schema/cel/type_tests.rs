use std::thread;

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
fn rules_are_evaluated_as_by_a_server() {
    let (mut schema, mut object) = (Value::Null, Value::Null);
    let mut wrong = Vec::new();
    for line in include_str!("evaluated.txt").lines().filter(|line| !line.starts_with('#')) {
        match line.split_at(1) {
            ("@", text) => schema = serde_json::from_str(text).unwrap(),
            ("=", text) => object = serde_json::from_str(text).unwrap(),
            _ => {
                let (rule, expected) = line.split_once(" => ").unwrap_or((line, ""));
                let (rule, missing) =
                    rule.strip_prefix("? ").map_or((rule, false), |rule| (rule, true));
                schema["x-kubernetes-validations"] = json!([{ "rule": rule }]);
                let known = super::unimplemented(&schema, None, &object).is_none();
                let causes = super::problems(&schema, None, &object);
                let found = causes.first().map(ToString::to_string).unwrap_or_default();
                let fine = found.contains(expected) && found.is_empty() == expected.is_empty();
                if known == missing || (known && !fine) {
                    wrong.push(format!("{line}: {known} {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nested_rules_do_no_harm() {
    let schema = json!({ "type": "object", "properties": {
        "n": { "type": "integer" }, "b": { "type": "boolean" },
        "ios": { "x-kubernetes-int-or-string": true },
    }});
    let nested = |open: &str, inner: &str, close: &str, times: usize| {
        format!("{}{inner}{}", open.repeat(times), close.repeat(times))
    };
    let told = |rule: &str| {
        let causes = check(&json!({ "rule": rule }), &schema, false, "rule");
        causes.first().map(ToString::to_string).unwrap_or_default()
    };
    for rule in [
        nested("(", "self.b", ")", 240),
        nested("self.b ? true : ", "true", "", 240),
        nested("", "self.ios", ".a", 240) + " == 1",
        nested("", "self.n", " + 1", 240) + " == 1",
        nested("", "self.b", " && self.b", 1000),
        nested("!", "self.b", "", 5000),
    ] {
        assert_eq!(told(&rule), "");
        let (mut schema, object) = (schema.clone(), json!({ "n": 1, "b": true, "ios": 1 }));
        schema["x-kubernetes-validations"] = json!([{ "rule": rule }]);
        super::problems(&schema, None, &object);
    }
    let depth = "max recursion depth exceeded";
    for (rule, problem) in [
        (nested("self.b ? true : ", "true", "", 5000), "ERROR"),
        (nested("", "self.ios", ".a", 10_000) + " == 1", depth),
        (nested("", "self.n", "+1", 10_000) + " == 1", depth),
        (nested("!(", "self.b", ")", 10_000), "ERROR"),
        (nested("", "self.b //", "x", 100_000), "expression code point size exceeds limit"),
        (nested("", "self.b", " && self.x", 300), "200 more errors were truncated"),
    ] {
        let told = told(&rule);
        assert!(told.contains(problem), "{}", &told[told.len().saturating_sub(200)..]);
    }
}

#[test]
fn syntax_errors_are_told_in_part() {
    let schema = json!({ "type": "integer" });
    for part in ["é😀 ", "$ ", "#", "\\", "#\n", "a b c ", "(", "'''", "\"\n", "a.b.", "[{"] {
        for times in [1000, 100_000 / part.chars().count()] {
            let problem = super::environment::parse(&part.repeat(times)).err().unwrap();
            assert!(problem.len() < 200_000, "{part} {times}: {}", problem.len());
        }
    }
    let causes = check(&json!({ "rule": "# ".repeat(101) }), &schema, false, "rule");
    let told = causes[0].to_string();
    assert!(told.contains(" | # # # # "), "{told}");
    assert!(told.contains("more errors were truncated"), "{told}");
}

#[test]
fn rules_of_any_depth_are_evaluated() {
    let set = json!({
        "type": "array", "items": { "type": "integer" }, "x-kubernetes-list-type": "set",
    });
    let schema = json!({
        "type": "object", "properties": { "n": { "type": "integer" }, "set": set },
    });
    let judged = |rule: &str| {
        let mut schema = schema.clone();
        schema["x-kubernetes-validations"] = json!([{ "rule": rule }]);
        let problems = super::problems(&schema, None, &json!({ "n": 1 }));
        assert!(problems.is_empty(), "{rule}: {problems:?}");
    };
    for times in 1..20 {
        let loops = "[1].all(x, ".repeat(times);
        for rule in [
            format!("{loops}self.n == 1{}", ")".repeat(times)),
            format!("self.n{} > 1", " + 1".repeat(2 * times)),
            format!("self.n == {}1{}", "[".repeat(times), "][0]".repeat(times)),
        ] {
            thread::scope(|scope| {
                let small = thread::Builder::new().stack_size(1 << 20);
                small.spawn_scoped(scope, || judged(&rule)).unwrap().join().unwrap();
            });
        }
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

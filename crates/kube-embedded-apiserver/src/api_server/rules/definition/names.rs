//! The names of a definition: plural, singular, kind, short names, categories.

use serde_json::Value;

use crate::api_server::failure::Cause;
use crate::api_server::names::{letter_label_problems, subdomain_problems};

/// Returns the names that the spec lacks and the status may lack.
pub(super) fn missing(names: &Value) -> Vec<Cause> {
    let is_absent = |name: &&str| names[*name].as_str().is_none_or(str::is_empty);
    let required = ["plural", "singular", "kind", "listKind"];
    let absent = required.into_iter().filter(is_absent);
    absent.map(|name| Cause::required(&format!("spec.names.{name}"), "")).collect()
}

/// Returns the problems of the names at a field. Empty ones have none.
pub(super) fn problems(names: &Value, field: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let text = |name: &str| names[name].as_str().unwrap_or_default();
    for (name, mixed) in
        [("plural", false), ("singular", false), ("kind", true), ("listKind", true)]
    {
        let value = text(name);
        let problem = match mixed {
            _ if value.is_empty() => None,
            false => label_problem(value),
            true => label_problem(&value.to_lowercase()).map(|problem| {
                format!("may have mixed case, but should otherwise match: {problem}")
            }),
        };
        let field = format!("{field}.{name}");
        causes.extend(problem.map(|problem| Cause::invalid(&field, value, &problem)));
    }
    causes.extend(labels(&names["shortNames"], &format!("{field}.shortNames")));
    if !text("kind").is_empty() && text("kind") == text("listKind") {
        let problem = "kind and listKind may not be the same";
        causes.push(Cause::invalid(&format!("{field}.listKind"), text("listKind"), problem));
    }
    causes.extend(labels(&names["categories"], &format!("{field}.categories")));
    causes
}

fn labels(names: &Value, field: &str) -> Vec<Cause> {
    let names = names.as_array().into_iter().flatten().enumerate();
    let problem = |(n, name): (usize, &Value)| {
        let name = name.as_str().unwrap_or_default();
        let problem = label_problem(name)?;
        Some(Cause::invalid(&format!("{field}[{n}]"), name, &problem))
    };
    names.filter_map(problem).collect()
}

/// Returns the names that a change must keep. Kind and scope are free until they are established.
pub(super) fn changes(before: &Value, spec: &Value) -> Vec<Cause> {
    let conditions = before["status"]["conditions"].as_array().into_iter().flatten();
    let established = conditions
        .filter(|condition| condition["type"] == "Established")
        .any(|condition| condition["status"] == "True");
    let always = [&["group"][..], &["names", "plural"]];
    let then = [&["scope"][..], &["names", "kind"]].into_iter().filter(|_| established);
    let mut causes = Vec::new();
    for path in then.chain(always) {
        let at = |spec: &Value| path.iter().fold(spec, |value, name| &value[*name]).clone();
        let (old, new) = (at(&before["spec"]), at(spec));
        if old != new {
            let field = format!("spec.{}", path.join("."));
            let new = new.as_str().unwrap_or_default();
            causes.push(Cause::invalid(&field, new, "field is immutable"));
        }
    }
    causes
}

/// Returns the problem of a label of DNS that begins with a letter.
pub(super) fn label_problem(text: &str) -> Option<String> {
    joined(&letter_label_problems(text))
}

/// Returns the problem of a domain name.
pub(super) fn subdomain_problem(text: &str) -> Option<String> {
    joined(&subdomain_problems(text, "characters"))
}

fn joined(problems: &[String]) -> Option<String> {
    (!problems.is_empty()).then(|| problems.join(","))
}

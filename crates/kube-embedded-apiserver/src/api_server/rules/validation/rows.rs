//! Rows of validation tables, and the rules in them.

use serde_json::Value;

use crate::api_server::failure::Cause;
use crate::api_server::rules::formats::{self, Format};
use crate::api_server::rules::quantity::Quantity;

/// The path of a member, and the rule for its value. `[]` after a name stands for every element. An
/// empty path is the value itself.
pub(super) type Row = (&'static str, Rule);

/// A rule for one value. Rules that do not say otherwise allow that the value is not there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// The value is there and not empty.
    Required,
    /// As `Required`, with a reason.
    RequiredSince(&'static str),
    /// A function of the value and its path. A value that is not there is null.
    Check(Check),
    /// As `Check`, for a value that is there.
    Given(Check),
    /// A text that is one of these, in the order of messages.
    OneOf(&'static [&'static str]),
    /// A text that is there and one of these, in the order of messages.
    RequiredOneOf(&'static [&'static str]),
    /// A text of a format.
    Is(Format),
    /// As `Is`. A text that is not there is empty.
    Always(Format),
    /// A text of a format, or an empty one.
    Optional(Format),
    /// A text that is there and of a format.
    Named(Format),
    /// A list of at most this many elements.
    AtMost(usize),
    /// A number that is there and greater than zero.
    Positive,
    /// A number that is not negative.
    NotNegative,
    /// A number between two others.
    Between(i64, i64),
    /// The rows of the value.
    Rows(&'static [Row]),
}

/// A check of a value at a path.
pub(super) type Check = fn(&Value, &str, &mut Vec<Cause>);

/// Adds the problems that the rows find.
pub(super) fn check(rows: &[Row], path: &str, value: &Value, causes: &mut Vec<Cause>) {
    for (below, rule) in rows {
        follow(below, *rule, path, value, causes);
    }
}

fn follow(below: &str, rule: Rule, path: &str, value: &Value, causes: &mut Vec<Cause>) {
    let (name, rest) = below.split_once('.').unwrap_or((below, ""));
    if below.is_empty() {
        return apply(rule, path, value, causes);
    }
    let (name, every) = name.strip_suffix("[]").map_or((name, false), |name| (name, true));
    let path = child(path, name);
    let value = &value[name];
    if every {
        for (n, element) in elements(value).enumerate() {
            follow(rest, rule, &format!("{path}[{n}]"), element, causes);
        }
    } else if rest.is_empty() || !value.is_null() {
        follow(rest, rule, &path, value, causes);
    }
}

fn apply(rule: Rule, path: &str, value: &Value, causes: &mut Vec<Cause>) {
    match rule {
        Rule::Check(check) => check(value, path, causes),
        Rule::Given(check) if !value.is_null() => check(value, path, causes),
        Rule::Required if is_empty(value) => causes.push(Cause::required(path, "")),
        Rule::RequiredSince(reason) if is_empty(value) => {
            causes.push(Cause::required(path, reason));
        }
        Rule::OneOf(supported) => one_of(supported, value, path, causes),
        Rule::Is(format) => {
            if let Some(text) = value.as_str() {
                is(format, text, path, causes);
            }
        }
        Rule::Always(format) => is(format, value.as_str().unwrap_or_default(), path, causes),
        Rule::Optional(format) | Rule::Named(format) => match value.as_str().unwrap_or_default() {
            "" if matches!(rule, Rule::Named(_)) => causes.push(Cause::required(path, "")),
            "" => {}
            text => is(format, text, path, causes),
        },
        Rule::RequiredOneOf(supported) => required_one_of(supported, value, path, causes),
        Rule::AtMost(most) => drop(at_most(most, value, path, causes)),
        Rule::Positive if value.as_i64().unwrap_or(0) <= 0 => {
            let shown = value.as_i64().unwrap_or(0).to_string();
            causes.push(Cause::invalid_raw(path, &shown, "must be greater than zero"));
        }
        Rule::NotNegative => not_negative(value, path, causes),
        Rule::Between(least, most) => between(least, most, value, path, causes),
        Rule::Rows(rows) if !value.is_null() => check(rows, path, value, causes),
        Rule::Required
        | Rule::RequiredSince(_)
        | Rule::Rows(_)
        | Rule::Given(_)
        | Rule::Positive => {}
    }
}

/// Returns the path of a member.
pub(super) fn child(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns the elements of a list.
pub(super) fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the members of an object.
pub(super) fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Returns whether there is no value, or one that says nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the text of a member, or an empty one.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Adds a problem unless a text is one of those that are supported.
pub(super) fn one_of(supported: &[&str], value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if let Some(text) = value.as_str()
        && !supported.contains(&text)
    {
        causes.push(unsupported(path, text, supported));
    }
}

/// Adds a problem unless a text is there and is one of those that are supported.
pub(super) fn required_one_of(
    supported: &[&str],
    value: &Value,
    path: &str,
    causes: &mut Vec<Cause>,
) {
    match value.as_str().unwrap_or_default() {
        "" => causes.push(Cause::required(path, "")),
        _ => one_of(supported, value, path, causes),
    }
}

/// Adds a problem if a list has too many elements. Returns whether it has.
pub(super) fn at_most(most: usize, list: &Value, path: &str, causes: &mut Vec<Cause>) -> bool {
    let found = list.as_array().map_or(0, Vec::len);
    if found > most {
        causes.push(Cause::too_many(path, found as u64, most as u64));
    }
    found > most
}

/// Returns the problem of a text that is not supported.
pub(super) fn unsupported(path: &str, text: &str, supported: &[&str]) -> Cause {
    let list: Vec<String> = supported.iter().map(|name| format!("{name:?}")).collect();
    Cause::unsupported(path, text, &list.join(", "))
}

/// Adds the problems of a text's format.
pub(super) fn is(format: Format, text: &str, path: &str, causes: &mut Vec<Cause>) {
    causes.extend(format(text).iter().map(|problem| Cause::invalid(path, text, problem)));
}

/// Adds the problems of an annotation's key, whose letters may be large.
pub(super) fn annotation_key(key: &str, path: &str, causes: &mut Vec<Cause>) {
    let problems = formats::label_key(&key.to_lowercase());
    causes.extend(problems.iter().map(|problem| Cause::invalid(path, key, problem)));
}

/// Adds a problem if a number is negative.
pub(super) fn not_negative(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|number| number < 0) {
        causes.push(invalid(path, value, "must be greater than or equal to 0"));
    }
}

/// Adds a problem if a quantity is negative.
pub(super) fn not_negative_quantity(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if let Some(amount) = Quantity::of(value).filter(|amount| amount.is_negative()) {
        let problem = "must be greater than or equal to 0";
        causes.push(Cause::invalid(path, &amount.canonical(), problem));
    }
}

/// Adds a problem if a number is outside of a range.
pub(super) fn between(least: i64, most: i64, value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|number| number < least || number > most) {
        causes.push(invalid(
            path,
            value,
            &format!("must be between {least} and {most}, inclusive"),
        ));
    }
}

/// Adds a problem for each element that has the same value as one before.
pub(super) fn unique<'a>(values: impl Iterator<Item = (String, &'a str)>, causes: &mut Vec<Cause>) {
    let mut known = std::collections::HashSet::new();
    for (path, value) in values {
        if !known.insert(value) {
            causes.push(Cause::duplicate(&path, &format!("{value:?}")));
        }
    }
}

/// Returns the problem of any value.
pub(super) fn invalid(path: &str, value: &Value, problem: &str) -> Cause {
    Cause::invalid_raw(path, &value.to_string(), problem)
}

//! Checks of a value against its schema, with the messages of a real server.
//!
//! An invalid part that a write does not change is tolerated, so that a tightened schema does not
//! lock out existing objects. Where a member of the part has no schema, it counts as changed.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use regex::Regex;
use serde_json::{Map, Value};

use super::list_types::{KeyedList, list_keys};
use super::numbers::{self, Number};
use super::{flag, formats, member, pattern, unchanged};
use crate::api_server::failure::Cause;

/// The field of a problem that has no path.
pub(super) const NO_FIELD: &str = "<nil>";

/// Returns the problems of the value at `prefix` of its object; an empty prefix is the object.
pub(super) fn problems(
    prefix: &str,
    schema: &Value,
    before: Option<&Value>,
    value: &Value,
) -> Vec<Cause> {
    let mut check = Check { prefix, path: String::new(), patterns: HashMap::new() };
    let mut seen = HashSet::new();
    let outcome = check.value(schema, before, value);
    outcome.causes.into_iter().filter(|cause| seen.insert(cause.to_string())).collect()
}

/// The result of checking a value.
#[derive(Default)]
struct Checked {
    causes: Vec<Cause>,
    /// The number of checks that were made. Of several alternatives that fail, the one with the
    /// most is reported.
    checks: u32,
}

impl Checked {
    fn is_valid(&self) -> bool {
        self.causes.is_empty()
    }

    fn add(&mut self, other: Self) {
        self.causes.extend(other.causes);
        self.checks += other.checks;
    }
}

struct Check<'a> {
    prefix: &'a str,
    /// The path below the prefix, such as `ports[0].name`.
    path: String,
    patterns: HashMap<&'a str, Result<Regex, String>>,
}

impl<'a> Check<'a> {
    fn value(&mut self, schema: &'a Value, before: Option<&Value>, value: &Value) -> Checked {
        let mut outcome = self.any_value(schema, before, value);
        if !outcome.is_valid()
            && before.is_some_and(|before| unchanged::is_same(schema, before, value))
        {
            outcome.causes.clear();
        }
        outcome
    }

    /// Checks a value without regard to its former value.
    fn any_value(&mut self, schema: &'a Value, before: Option<&Value>, value: &Value) -> Checked {
        let mut outcome = Checked::default();
        if !schema.is_object() {
            return outcome;
        }
        if schema["type"].is_string() || flag(schema, "x-kubernetes-int-or-string") {
            outcome.causes.extend(self.type_problem(schema, value));
            outcome.checks += 2;
        }
        if !value.is_null() {
            outcome.add(self.combinations(schema, value));
            match value {
                Value::String(text) => self.text(schema, text, &mut outcome),
                Value::Number(number) => {
                    numbers::check(schema, &self.names(), Number::of(number), &mut outcome.causes);
                    outcome.checks += 2;
                }
                Value::Array(elements) => {
                    let found = self.array(schema, before, elements);
                    outcome.add(found);
                }
                _ => {}
            }
        }
        outcome.causes.extend(self.enumeration(schema, value));
        outcome.checks += 1;
        if let Value::Object(members) = value {
            let found = self.object(schema, before, members);
            outcome.add(found);
        }
        outcome.checks += 1;
        outcome
    }

    fn type_problem(&self, schema: &Value, value: &Value) -> Option<Cause> {
        let names = self.names();
        let mismatch = |expected: &str, found: &str| {
            let problem = format!("{} in body must be of type {expected}: {found:?}", names.name);
            Some(Cause::wrong_type(&names.field, found, &problem))
        };
        let int_or_string = flag(schema, "x-kubernetes-int-or-string");
        let expected = match schema["type"].as_str() {
            _ if int_or_string => "integer,string",
            expected => expected.unwrap_or_default(),
        };
        let (found, found_format) = type_of(value);
        if value.is_null() {
            let allowed = flag(schema, "nullable") || expected.is_empty();
            return if allowed { None } else { mismatch(expected, found) };
        }
        let allows = |name: &str| expected.split(',').any(|expected| expected == name);
        let fits = allows(found)
            || match value {
                Value::Number(number) => match Number::of(number) {
                    Number::Integer(_) => allows("number"),
                    Number::Float(float) => allows("integer") && numbers::is_whole(float),
                },
                _ => false,
            };
        let format = formats::known(schema).filter(|_| !value.is_string() && !value.is_array());
        match format {
            Some(format) if !fits && found_format != format => mismatch(format, found_format),
            _ if fits || (value.is_string() && self.is_formatted_text(schema)) => None,
            _ => mismatch(expected, found),
        }
    }

    /// Returns whether the format of a schema decides alone about texts.
    #[expect(clippy::unused_self, reason = "it belongs to the check of types")]
    fn is_formatted_text(&self, schema: &Value) -> bool {
        let numeric = matches!(schema["type"].as_str(), Some("integer" | "number"));
        let numeric = numeric || flag(schema, "x-kubernetes-int-or-string");
        !numeric && formats::known(schema).is_some()
    }

    /// Checks a value against the schemas that its own combines. As in a cluster, a part that was
    /// as invalid before is tolerated only if the whole value is unchanged.
    fn combinations(&mut self, schema: &'a Value, value: &Value) -> Checked {
        let mut outcome = Checked { checks: 1, ..Checked::default() };
        let of = |name: &str| schema[name].as_array().map_or(&[][..], Vec::as_slice);
        let any = of("anyOf");
        if !any.is_empty() {
            let found = self.alternatives(any, value, true);
            if found.valid == 0 {
                outcome.causes.push(self.combined("must validate at least one schema (anyOf)"));
            }
            outcome.add(found.reported);
        }
        let one = of("oneOf");
        if !one.is_empty() {
            let found = self.alternatives(one, value, false);
            if found.valid != 1 {
                let found = match found.valid {
                    0 => "Found none valid".to_owned(),
                    valid => format!("Found {valid} valid alternatives"),
                };
                let problem = format!("must validate one and only one schema (oneOf). {found}");
                outcome.causes.push(self.combined(&problem));
            }
            outcome.add(found.reported);
        }
        let all = of("allOf");
        let mut valid = 0;
        for schema in all {
            let found = self.any_value(schema, None, value);
            valid += usize::from(found.is_valid());
            outcome.add(found);
        }
        if valid != all.len() {
            let none = if valid == 0 { ". None validated" } else { "" };
            let problem = format!("must validate all the schemas (allOf){none}");
            outcome.causes.push(self.combined(&problem));
        }
        let not = &schema["not"];
        if not.is_object() && self.any_value(not, None, value).is_valid() {
            outcome.causes.push(self.combined("must not validate the schema (not)"));
        }
        outcome
    }

    /// Checks a value against several schemas, or until the first that it satisfies.
    fn alternatives(
        &mut self,
        schemas: &'a [Value],
        value: &Value,
        first_only: bool,
    ) -> Alternatives {
        let mut found = Alternatives::default();
        let mut best: Option<Checked> = None;
        for schema in schemas {
            let outcome = self.any_value(schema, None, value);
            if outcome.is_valid() {
                found.valid += 1;
                best = best.filter(Checked::is_valid).or(Some(outcome));
                if first_only {
                    break;
                }
            } else if found.valid == 0
                && best.as_ref().is_none_or(|best| outcome.checks > best.checks)
            {
                best = Some(outcome);
            }
        }
        found.reported = best.unwrap_or_default();
        found
    }

    /// Returns the cause for a combination of schemas that a value does not satisfy.
    fn combined(&self, problem: &str) -> Cause {
        let names = self.names();
        Cause::invalid(names.above, "", &format!("{:?} {problem}", names.name))
    }

    fn enumeration(&self, schema: &Value, value: &Value) -> Option<Cause> {
        let allowed = schema["enum"].as_array().filter(|allowed| !allowed.is_empty())?;
        if !value.is_null() && allowed.iter().any(|allowed| equals(allowed, value)) {
            return None;
        }
        let quoted = |value: &Value| match value {
            Value::String(text) => format!("{text:?}"),
            Value::Number(number) => format!("{:?}", Number::of_schema(number).shown()),
            other => format!("{:?}", other.to_string()),
        };
        let allowed: Vec<String> = allowed.iter().map(quoted).collect();
        let field = self.names().field;
        Some(Cause::unsupported_raw(&field, &numbers::shown_value(value), &allowed.join(", ")))
    }

    /// Checks a text. Only the first of its problems with length and pattern is reported.
    fn text(&mut self, schema: &'a Value, text: &str, outcome: &mut Checked) {
        outcome.causes.extend(
            self.length_problem(schema, text).or_else(|| self.pattern_problem(schema, text)),
        );
        outcome.checks += 1;
        let Some(format) = formats::known(schema) else { return };
        if let Some(matches) = formats::of_texts(format) {
            outcome.checks += 1;
            if !matches(text) {
                let names = self.names();
                let problem = format!("{} in body must be of type {format}: {text:?}", names.name);
                outcome.causes.push(Cause::wrong_type(&names.field, text, &problem));
            }
        }
    }

    fn length_problem(&self, schema: &Value, text: &str) -> Option<Cause> {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(most) = schema["maxLength"].as_i64().filter(|most| length > *most) {
            return Some(Cause::too_long(&self.names().field, u64::try_from(most).unwrap_or(0)));
        }
        let least = schema["minLength"].as_i64().filter(|least| length < *least)?;
        let problem = format!("should be at least {least} chars long");
        Some(self.names().invalid(&format!("{text:?}"), &problem))
    }

    fn pattern_problem(&mut self, schema: &'a Value, text: &str) -> Option<Cause> {
        let pattern = schema["pattern"].as_str().filter(|pattern| !pattern.is_empty())?;
        let compiled = self.patterns.entry(pattern).or_insert_with(|| pattern::compile(pattern));
        let problem = match compiled {
            Ok(pattern) if pattern.is_match(text) => return None,
            Ok(_) => format!("should match '{pattern}'"),
            Err(problem) => {
                format!("should match '{pattern}, but pattern is invalid: {problem}'")
            }
        };
        Some(self.names().invalid(&format!("{text:?}"), &problem))
    }

    fn array(&mut self, schema: &'a Value, before: Option<&Value>, elements: &[Value]) -> Checked {
        let mut outcome = Checked { checks: 2, ..Checked::default() };
        let keys = list_keys(schema).filter(|keys| !keys.is_empty());
        let known = keys.and_then(|keys| Some(KeyedList::new(keys, before?.as_array()?)));
        for (n, element) in elements.iter().enumerate() {
            let above = self.path.len();
            let _ = write!(self.path, "[{n}]");
            let former = known.as_ref().and_then(|known| known.get(element));
            outcome.add(self.value(&schema["items"], former, element));
            self.path.truncate(above);
        }
        let names = self.names();
        let length = i64::try_from(elements.len()).unwrap_or(i64::MAX);
        let shown = length.to_string();
        if let Some(least) = schema["minItems"].as_i64().filter(|least| length < *least) {
            let problem = format!("should have at least {least} items");
            outcome.causes.push(names.invalid(&shown, &problem));
        }
        outcome.causes.extend(names.too_many(&schema["maxItems"], length));
        if flag(schema, "uniqueItems") {
            let mut seen = HashSet::new();
            if !elements.iter().all(|element| seen.insert(element)) {
                outcome.causes.push(names.invalid("\"\"", "shouldn't contain duplicates"));
            }
        }
        outcome
    }

    fn object(
        &mut self,
        schema: &'a Value,
        before: Option<&Value>,
        members: &Map<String, Value>,
    ) -> Checked {
        let mut outcome = Checked::default();
        let names = self.names();
        let length = i64::try_from(members.len()).unwrap_or(i64::MAX);
        if let Some(least) = schema["minProperties"].as_i64().filter(|least| length < *least) {
            let problem = format!("should have at least {least} properties");
            outcome.causes.push(names.invalid(&length.to_string(), &problem));
        }
        outcome.causes.extend(names.too_many(&schema["maxProperties"], length));
        let root = self.prefix.is_empty() && self.path.is_empty();
        for (name, value) in members {
            let declared = member(schema, name);
            if *declared == false {
                let names = self.names();
                let problem = format!("{}.{name} in body is a forbidden property", names.name);
                let shown = format!("{name:?}");
                outcome.causes.push(Cause::invalid_raw(&names.field, &shown, &problem));
                continue;
            }
            let above = self.enter(name);
            let former = before.and_then(|before| before.get(name));
            // These change with the version that is asked for, not with the object.
            let former = former.filter(|_| !(root && matches!(&**name, "apiVersion" | "kind")));
            outcome.add(self.value(declared, former, value));
            self.path.truncate(above);
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if !members.contains_key(name) {
                let above = self.enter(name);
                outcome.causes.push(Cause::required(&self.names().field, ""));
                self.path.truncate(above);
            }
        }
        outcome
    }

    /// Enters a member, and returns the length of the path to restore.
    fn enter(&mut self, name: &str) -> usize {
        let above = self.path.len();
        if above > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        above
    }

    fn names(&self) -> FieldNames<'_> {
        let field = match (self.prefix, &*self.path) {
            ("", "") => NO_FIELD.to_owned(),
            ("", path) => path.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}.{path}"),
        };
        let above = if self.prefix.is_empty() { NO_FIELD } else { self.prefix };
        FieldNames { name: &self.path, field, above }
    }
}

/// The schemas of an alternative that a value satisfies.
#[derive(Default)]
struct Alternatives {
    valid: usize,
    /// The first valid outcome, or else the one with the most checks.
    reported: Checked,
}

/// The names of a value in messages.
pub(super) struct FieldNames<'a> {
    /// The name in the text of a problem, below the prefix.
    pub(super) name: &'a str,
    /// The field of the problem.
    pub(super) field: String,
    /// The field of a problem that a server does not attribute to the value.
    pub(super) above: &'a str,
}

impl FieldNames<'_> {
    pub(super) fn invalid(&self, shown: &str, problem: &str) -> Cause {
        Cause::invalid_raw(&self.field, shown, &format!("{} in body {problem}", self.name))
    }

    fn too_many(&self, most: &Value, found: i64) -> Option<Cause> {
        let most = most.as_i64().filter(|most| found > *most)?;
        let number = |n: i64| u64::try_from(n).unwrap_or(0);
        Some(Cause::too_many(&self.field, number(found), number(most)))
    }
}

/// Returns the type of a value, and the format that its representation has.
fn type_of(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::Number(number) => match Number::of(number) {
            Number::Integer(_) => ("integer", "int64"),
            Number::Float(_) => ("number", "float64"),
        },
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
    }
}

fn equals(allowed: &Value, value: &Value) -> bool {
    match (allowed, value) {
        // As a server converts the value: to an integer if the allowed number is one.
        (Value::Number(allowed), Value::Number(value)) => {
            match (Number::of_schema(allowed), Number::of(value)) {
                (Number::Integer(allowed), Number::Float(float)) => {
                    allowed == numbers::truncated(float)
                }
                _ => allowed == value || allowed.as_f64() == value.as_f64(),
            }
        }
        _ => allowed == value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn combined_schemas_tolerate_only_unchanged_values() {
        let large = json!({"properties": {"n": {"minimum": 10}}});
        let small = json!({"properties": {"n": {"minimum": 10}, "t": {"maxLength": 9}}});
        let members = json!({"n": {"type": "integer"}, "t": {"type": "string"}});
        let before = json!({"n": 1, "t": "a"});
        for (combination, schemas) in [
            ("allOf", json!([large])),
            ("anyOf", json!([large, small])),
            ("oneOf", json!([large])),
            ("not", json!({"properties": {"n": {"maximum": 9}}})),
        ] {
            let schema = json!({"type": "object", "properties": members, combination: schemas});
            let told = |value: Value| problems("", &schema, Some(&before), &value).len();
            assert_eq!(told(before.clone()), 0, "{combination}");
            assert_ne!(told(json!({"n": 1, "t": "b"})), 0, "{combination}");
            assert_eq!(told(json!({"n": 11, "t": "b"})), 0, "{combination}");
        }
    }

    #[test]
    fn part_with_free_contents_counts_as_changed() {
        let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let schema = json!({
            "type": "object", "required": ["c"],
            "properties": {"x": free, "y": {"type": "string"}},
        });
        for (value, tolerated) in
            [(json!({"y": "a"}), true), (json!({"x": {}}), true), (json!({"x": {"q": 1}}), false)]
        {
            let told = problems("spec", &schema, Some(&value), &value);
            assert_eq!(told.is_empty(), tolerated, "{value}");
        }
    }

    #[test]
    fn fractions_match_whole_numbers_of_an_enumeration() {
        let schema = json!({"type": "number", "enum": [1, 2.0, 3.5]});
        for (value, valid) in [
            (json!(1), true),
            (json!(1.5), true),
            (json!(2.25), true),
            (json!(3.5), true),
            (json!(3.25), false),
            (json!(0.5), false),
        ] {
            assert_eq!(problems("n", &schema, None, &value).is_empty(), valid, "{value}");
        }
        let told = problems("n", &schema, None, &json!(0.5))[0].to_string();
        assert!(told.ends_with(r#"supported values: "1", "2", "3.5""#), "{told}");
    }
}

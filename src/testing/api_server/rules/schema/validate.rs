//! Validates an object against its schema, with the messages of a real server.
//!
//! An unchanged part is valid, so that a tightened schema does not lock out existing objects.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{flag, member};
use crate::testing::api_server::failure::Cause;

/// Returns the problems of the value at `prefix` of its object.
pub(super) fn problems(
    prefix: &str,
    schema: &Value,
    before: Option<&Value>,
    value: &Value,
) -> Vec<Cause> {
    let mut validation = Validation { prefix, path: String::new(), causes: Vec::new() };
    validation.value(schema, before, value);
    validation.causes
}

struct Validation<'a> {
    prefix: &'a str,
    /// The path below the prefix, such as `ports[0].name`.
    path: String,
    causes: Vec<Cause>,
}

impl Validation<'_> {
    fn value(&mut self, schema: &Value, before: Option<&Value>, value: &Value) {
        if !schema.is_object() || before == Some(value) {
            return;
        }
        if value.is_null() && flag(schema, "nullable") {
            return;
        }
        if let Some(expected) = type_mismatch(schema, value) {
            let (name, found) = (&self.path, type_of(value));
            let problem = format!("{name} in body must be of type {expected}: {found:?}");
            let cause = Cause::wrong_type(&self.field(), found, &problem);
            self.causes.push(cause);
            return;
        }
        self.allowed(schema, value);
        match value {
            Value::String(text) => self.text(schema, text),
            Value::Number(_) => self.number(schema, value),
            Value::Array(elements) => self.array(schema, before, elements),
            Value::Object(members) => self.object(schema, before, members),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn allowed(&mut self, schema: &Value, value: &Value) {
        let Some(allowed) = schema["enum"].as_array() else { return };
        if allowed.contains(value) {
            return;
        }
        let quoted = |value: &Value| match value {
            Value::String(text) => format!("{text:?}"),
            other => format!("{:?}", other.to_string()),
        };
        let allowed: Vec<String> = allowed.iter().map(quoted).collect();
        let cause = Cause::unsupported_raw(&self.field(), &value.to_string(), &allowed.join(", "));
        self.causes.push(cause);
    }

    fn text(&mut self, schema: &Value, text: &str) {
        let length = text.chars().count() as u64;
        if let Some(least) = schema["minLength"].as_u64().filter(|least| length < *least) {
            let problem = format!("should be at least {least} chars long");
            self.invalid(&format!("{text:?}"), &problem);
        }
        if let Some(most) = schema["maxLength"].as_u64().filter(|most| length > *most) {
            let cause = Cause::too_long(&self.field(), most);
            self.causes.push(cause);
        }
    }

    fn number(&mut self, schema: &Value, value: &Value) {
        let Some(number) = value.as_f64() else { return };
        let shown = value.to_string();
        if let Some(least) = schema["minimum"].as_f64() {
            let exclusive = flag(schema, "exclusiveMinimum");
            if exclusive && number <= least {
                self.invalid(&shown, &format!("should be greater than {least}"));
            } else if number < least {
                let problem = format!("should be greater than or equal to {least}");
                self.invalid(&shown, &problem);
            }
        }
        if let Some(most) = schema["maximum"].as_f64() {
            let exclusive = flag(schema, "exclusiveMaximum");
            if exclusive && number >= most {
                self.invalid(&shown, &format!("should be less than {most}"));
            } else if number > most {
                self.invalid(&shown, &format!("should be less than or equal to {most}"));
            }
        }
        if let Some(factor) = schema["multipleOf"].as_f64().filter(|factor| *factor != 0.0)
            && (number / factor).fract() != 0.0
        {
            self.invalid(&shown, &format!("should be a multiple of {factor}"));
        }
    }

    fn array(&mut self, schema: &Value, before: Option<&Value>, elements: &[Value]) {
        let length = elements.len() as u64;
        if let Some(least) = schema["minItems"].as_u64().filter(|least| length < *least) {
            self.invalid(&length.to_string(), &format!("should have at least {least} items"));
        }
        self.not_too_many(&schema["maxItems"], length);
        let keys = keys(schema);
        let known = before.and_then(Value::as_array);
        for (n, element) in elements.iter().enumerate() {
            let above = self.path.len();
            let _ = write!(self.path, "[{n}]");
            let key = keys.as_ref().map(|keys| key(keys, element));
            let was = key.as_ref().and_then(|wanted| {
                let keys = keys.as_ref()?;
                known?.iter().find(|element| key_is(keys, element, wanted))
            });
            if let Some(wanted) = &key
                && let Some(keys) = &keys
                && elements[..n].iter().any(|other| key_is(keys, other, wanted))
            {
                let cause = Cause::duplicate(&self.field(), &wanted.to_string());
                self.causes.push(cause);
            }
            self.value(&schema["items"], was, element);
            self.path.truncate(above);
        }
    }

    fn object(&mut self, schema: &Value, before: Option<&Value>, members: &Map<String, Value>) {
        let length = members.len() as u64;
        if let Some(least) = schema["minProperties"].as_u64().filter(|least| length < *least) {
            let problem = format!("should have at least {least} properties");
            self.invalid(&length.to_string(), &problem);
        }
        self.not_too_many(&schema["maxProperties"], length);
        let embedded = flag(schema, "x-kubernetes-embedded-resource");
        let required = schema["required"].as_array().into_iter().flatten();
        let required = required.filter_map(Value::as_str);
        let required =
            required.chain(embedded.then_some(["apiVersion", "kind"]).into_iter().flatten());
        for name in required.filter(|name| !members.contains_key(*name)) {
            let above = self.enter(name);
            let cause = Cause::required(&self.field(), "");
            self.causes.push(cause);
            self.path.truncate(above);
        }
        for (name, value) in members {
            let above = self.enter(name);
            self.value(member(schema, name), before.and_then(|before| before.get(name)), value);
            self.path.truncate(above);
        }
    }

    fn not_too_many(&mut self, most: &Value, length: u64) {
        if let Some(most) = most.as_u64().filter(|most| length > *most) {
            let cause = Cause::too_many(&self.field(), length, most);
            self.causes.push(cause);
        }
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

    fn field(&self) -> String {
        match (self.prefix, &*self.path) {
            ("", path) => path.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}.{path}"),
        }
    }

    fn invalid(&mut self, shown: &str, problem: &str) {
        let problem = format!("{} in body {problem}", self.path);
        let cause = Cause::invalid_raw(&self.field(), shown, &problem);
        self.causes.push(cause);
    }
}

/// Returns the expected types of a value, if it has none of them.
fn type_mismatch(schema: &Value, value: &Value) -> Option<String> {
    let found = type_of(value);
    if flag(schema, "x-kubernetes-int-or-string") {
        return (!matches!(found, "integer" | "string")).then(|| "integer,string".to_owned());
    }
    let expected = schema["type"].as_str().filter(|expected| !expected.is_empty())?;
    let fits = expected == found || (expected == "number" && found == "integer");
    (!fits).then(|| expected.to_owned())
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the members that identify the elements of a list. An empty list means their values;
/// `None` means that elements have no identity.
fn keys(schema: &Value) -> Option<Vec<&str>> {
    match schema["x-kubernetes-list-type"].as_str()? {
        "set" => Some(Vec::new()),
        "map" => {
            let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
            Some(keys.filter_map(Value::as_str).collect())
        }
        _ => None,
    }
}

fn key(keys: &[&str], element: &Value) -> Value {
    if keys.is_empty() {
        return element.clone();
    }
    keys.iter().map(|key| ((*key).to_owned(), element[*key].clone())).collect()
}

fn key_is(keys: &[&str], element: &Value, wanted: &Value) -> bool {
    if keys.is_empty() {
        element == wanted
    } else {
        keys.iter().all(|key| element[*key] == wanted[*key])
    }
}

//! Rules in CEL (`x-kubernetes-validations`) of custom objects.
//!
//! The feature `cel` brings the interpreter. Without it, rules are accepted in definitions
//! and judge nothing; `unimplemented` names a rule that would have judged an object.

#[cfg(feature = "cel")]
mod constants;
#[cfg(feature = "cel")]
mod environment;
#[cfg(feature = "cel")]
mod errors;
#[cfg(feature = "cel")]
mod format;
#[cfg(feature = "cel")]
mod functions;
#[cfg(feature = "cel")]
mod literals;
#[cfg(feature = "cel")]
mod names;
#[cfg(feature = "cel")]
mod problems;
#[cfg(not(feature = "cel"))]
#[path = "absent.rs"]
mod program;
#[cfg(feature = "cel")]
mod program;
#[cfg(feature = "cel")]
mod replacements;
#[cfg(feature = "cel")]
mod request;
#[cfg(feature = "cel")]
mod stack;
#[cfg(feature = "cel")]
mod types;
#[cfg(feature = "cel")]
mod typing;
#[cfg(feature = "cel")]
mod unordered;
#[cfg(feature = "cel")]
mod unreadable;
#[cfg(feature = "cel")]
mod values;

use std::fmt::Write;

use serde_json::Value;

use self::program::Program;
pub(crate) use self::program::{check, condition, condition_problem};
use super::check::NO_FIELD;
use super::list_types::{KeyedList, list_keys};
use super::numbers::shown_value;
use super::{flag, member, paths, unchanged};
use crate::api_server::failure::Cause;

/// The value of a condition.
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "the interpreter uses it"))]
pub(crate) enum Condition {
    Holds,
    Fails,
    /// The condition cannot be evaluated. Holds a server's words.
    Error(String),
    /// The condition uses something that this server does not implement.
    NotImplemented,
}

/// The opinion of a rule about a value.
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "the interpreter uses it"))]
enum Verdict {
    Holds,
    Fails,
    /// The rule cannot be evaluated for this value. Holds a server's words.
    Error(String),
    /// The rule uses something that this server does not implement.
    NotImplemented,
}

/// The values that a rule sees.
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "the interpreter uses it"))]
struct RuleValues<'a> {
    schema: &'a Value,
    /// True for an object of the API, whose kind and metadata rules may use.
    whole: bool,
    value: &'a Value,
    before: Option<&'a Value>,
    /// True if `oldSelf` is an optional value.
    optional: bool,
}

/// Returns whether a rule depends on the value before a change. Only the interpreter knows.
pub(super) fn uses_old(rule: &Value) -> bool {
    cfg!(feature = "cel") && Program::of(text(rule, "rule")).uses_old()
}

/// Returns whether a schema has rules.
pub(super) fn has_rules(schema: &Value) -> bool {
    any_schema(schema, &|schema| rules(schema).next().is_some())
}

fn rules(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["x-kubernetes-validations"].as_array().into_iter().flatten()
}

/// Returns whether something is true of a schema or of one below it.
fn any_schema(schema: &Value, is_so: &dyn Fn(&Value) -> bool) -> bool {
    let below = || {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let other = [&schema["items"], &schema["additionalProperties"]];
        properties.map(|(_, schema)| schema).chain(other).any(|schema| any_schema(schema, is_so))
    };
    schema.is_object() && (is_so(schema) || below())
}

/// Returns the problems that the rules of a schema have with an object.
pub(super) fn problems(schema: &Value, before: Option<&Value>, object: &Value) -> Vec<Cause> {
    walk("", true, &Node::of(schema, true, before, object)).causes
}

/// Returns the problems that the rules of a schema have with a value by itself, which is at
/// `field`. Rules about a change see it as the former value, too. `whole` is true for an object of
/// the API.
pub(super) fn value_problems(
    field: &str,
    schema: &Value,
    whole: bool,
    value: &Value,
) -> Vec<Cause> {
    walk(field, false, &Node::of(schema, whole, Some(value), value)).causes
}

/// Returns the text of a rule that would judge an object and is not implemented.
pub(crate) fn unimplemented(
    schema: &Value,
    before: Option<&Value>,
    object: &Value,
) -> Option<String> {
    let judged = has_rules(schema).then(|| walk("", true, &Node::of(schema, true, before, object)));
    judged.and_then(|walk| walk.unimplemented)
}

fn walk(field: &str, lets_be: bool, node: &Node<'_>) -> Walk {
    let walk = || {
        let path = field.to_owned();
        let mut walk = Walk { path, lets_be, causes: Vec::new(), unimplemented: None };
        walk.value(node);
        walk
    };
    // One thread judges all values. If it cannot, each such rule is one that is not implemented.
    #[cfg(feature = "cel")]
    if any_schema(node.schema, &has_deep_rule)
        && let Some(walk) = stack::on_large(walk)
    {
        return walk;
    }
    walk()
}

#[cfg(feature = "cel")]
fn has_deep_rule(schema: &Value) -> bool {
    let texts = |rule| ["rule", "messageExpression"].map(|member: &str| text(rule, member));
    rules(schema).flat_map(texts).any(|source| Program::of(source).is_deep())
}

/// Returns the text of a member of a rule.
fn text<'a>(rule: &'a Value, member: &str) -> &'a str {
    rule[member].as_str().unwrap_or_default().trim()
}

/// A value, its schema, and its former value.
struct Node<'a> {
    schema: &'a Value,
    whole: bool,
    value: &'a Value,
    before: Option<&'a Value>,
    /// The closest value above that has a former one.
    above: Option<Pair<'a>>,
}

/// A value and the former one, with their schema.
#[derive(Clone, Copy)]
struct Pair<'a> {
    schema: &'a Value,
    before: &'a Value,
    after: &'a Value,
}

impl<'a> Node<'a> {
    fn of(schema: &'a Value, whole: bool, before: Option<&'a Value>, value: &'a Value) -> Self {
        Self { schema, whole, value, before, above: None }
    }

    /// Returns whether the value, or else the closest one above with a former value, is unchanged.
    fn is_unchanged(&self) -> bool {
        self.pair().is_some_and(|pair| unchanged::is_same(pair.schema, pair.before, pair.after))
    }

    fn pair(&self) -> Option<Pair<'a>> {
        let pair = |before| Pair { schema: self.schema, before, after: self.value };
        self.before.map(pair).or(self.above)
    }

    fn child(&self, schema: &'a Value, value: &'a Value, before: Option<&'a Value>) -> Node<'a> {
        let above = self.pair();
        let whole = flag(schema, "x-kubernetes-embedded-resource");
        Node { schema, whole, value, before: before.filter(|before| !before.is_null()), above }
    }
}

struct Walk {
    path: String,
    /// True if a rule about the new value alone lets an unchanged value be.
    lets_be: bool,
    causes: Vec<Cause>,
    unimplemented: Option<String>,
}

impl Walk {
    fn value(&mut self, node: &Node<'_>) {
        if !node.schema.is_object() || node.value.is_null() {
            return;
        }
        for rule in rules(node.schema) {
            self.rule(node, rule);
        }
        match node.value {
            Value::Array(elements) => self.array(node, elements),
            Value::Object(members) => {
                for (name, value) in members {
                    let above = self.path.len();
                    if node.schema["properties"][name].is_object() {
                        if above > 0 {
                            self.path.push('.');
                        }
                        self.path.push_str(name);
                    } else {
                        let _ = write!(self.path, "[{name}]");
                    }
                    let before = node.before.and_then(|before| before.get(name));
                    self.value(&node.child(member(node.schema, name), value, before));
                    self.path.truncate(above);
                }
            }
            _ => {}
        }
    }

    fn array(&mut self, node: &Node<'_>, elements: &[Value]) {
        let keys = list_keys(node.schema).filter(|keys| !keys.is_empty());
        let known = keys.and_then(|keys| Some(KeyedList::new(keys, node.before?.as_array()?)));
        for (n, element) in elements.iter().enumerate() {
            let above = self.path.len();
            let _ = write!(self.path, "[{n}]");
            let before = known.as_ref().and_then(|known| known.get(element));
            self.value(&node.child(&node.schema["items"], element, before));
            self.path.truncate(above);
        }
    }

    fn rule(&mut self, node: &Node<'_>, rule: &Value) {
        let source = text(rule, "rule");
        let program = Program::of(source);
        let optional = rule["optionalOldSelf"] == true;
        if program.uses_old() && node.before.is_none() && !optional {
            return;
        }
        let seen = RuleValues {
            schema: node.schema,
            whole: node.whole,
            value: node.value,
            before: node.before,
            optional,
        };
        let field = if self.path.is_empty() { NO_FIELD.to_owned() } else { self.path.clone() };
        let kind = node.schema["type"].as_str().unwrap_or_default();
        match program.judge(&seen) {
            Verdict::Holds => {}
            Verdict::NotImplemented => {
                self.unimplemented.get_or_insert_with(|| source.to_owned());
            }
            Verdict::Error(problem) => {
                let shown = Some(text(rule, "message")).filter(|text| !text.is_empty());
                let problem = format!("{problem}: {}", shown.unwrap_or(source));
                self.causes.push(Cause::invalid(&field, kind, &problem));
            }
            Verdict::Fails if self.lets_be && !program.uses_old() && node.is_unchanged() => {}
            Verdict::Fails => {
                let computed = match text(rule, "messageExpression") {
                    "" => None,
                    expression => Program::of(expression).text(&seen),
                };
                let message = computed.unwrap_or_else(|| match text(rule, "message") {
                    "" => format!("failed rule: {source}"),
                    message => message.to_owned(),
                });
                let path = text(rule, "fieldPath");
                let blamed = || paths::field(&self.path, path, node.schema);
                let field = if path.is_empty() { field } else { blamed() };
                let hidden = matches!(kind, "object" | "array");
                let shown = Some(shown_value(node.value)).filter(|_| !hidden);
                let reason = rule["reason"].as_str().unwrap_or_default();
                self.causes.push(cause(&field, reason, shown.as_deref(), &message));
            }
        }
    }
}

fn cause(field: &str, reason: &str, shown: Option<&str>, message: &str) -> Cause {
    match reason {
        "FieldValueForbidden" => Cause::forbidden(field, message),
        "FieldValueRequired" => Cause::required(field, message),
        "FieldValueDuplicate" => Cause::duplicate_shown(field, shown),
        _ => Cause::invalid_shown(field, shown, message),
    }
}

#[cfg(all(test, feature = "cel"))]
mod type_tests;

#[cfg(all(test, feature = "cel"))]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(schema: &Value, before: Option<&Value>, object: &Value) -> Vec<String> {
        problems(schema, before, object).iter().map(Cause::to_string).collect()
    }

    fn with_rule(kind: &str, rule: &str) -> Value {
        let rules = json!([{ "rule": rule }]);
        let property = json!({"type": kind, "x-kubernetes-validations": rules});
        json!({"type": "object", "properties": {"x": property}})
    }

    #[test]
    fn unchanged_values_are_let_be() {
        let schema = with_rule("integer", "self > 1");
        let object = json!({"x": 0});
        assert_eq!(told(&schema, None, &object), ["x: Invalid value: 0: failed rule: self > 1"]);
        assert_eq!(told(&schema, Some(&object), &object), [""; 0]);
    }

    #[test]
    fn reordered_lists_with_keys_are_unchanged() {
        let mut schema = with_rule("array", "self.all(e, e.n > 1)");
        let members = json!({"k": {"type": "string"}, "n": {"type": "integer"}});
        let list = &mut schema["properties"]["x"];
        list["items"] = json!({"type": "object", "properties": members});
        list["x-kubernetes-list-type"] = "map".into();
        list["x-kubernetes-list-map-keys"] = json!(["k"]);
        let (one, other) = (json!({"k": "a", "n": 0}), json!({"k": "b", "n": 2}));
        let before = json!({"x": [one, other]});
        let count = |schema: &Value, after: Value| told(schema, Some(&before), &after).len();
        assert_eq!(count(&schema, json!({"x": [other, one]})), 0);
        assert_eq!(count(&schema, json!({"x": [one]})), 1);
        schema["properties"]["x"]["x-kubernetes-list-type"] = "atomic".into();
        assert_eq!(count(&schema, json!({"x": [other, one]})), 1);
    }

    #[test]
    fn objects_with_members_without_schema_are_changed() {
        let schema = with_rule("object", "self == null");
        for (object, count) in [(json!({"x": {}}), 0), (json!({"x": {"a": 1}}), 1)] {
            assert_eq!(told(&schema, Some(&object), &object).len(), count, "{object}");
        }
    }

    #[test]
    fn transitions_need_a_former_value() {
        let schema = with_rule("integer", "self >= oldSelf");
        assert_eq!(told(&schema, None, &json!({"x": 0})), [""; 0]);
        let problem = "x: Invalid value: 0: failed rule: self >= oldSelf";
        assert_eq!(told(&schema, Some(&json!({"x": 1})), &json!({"x": 0})), [problem]);
    }

    #[test]
    fn unknown_functions_judge_nothing() {
        let schema = with_rule("string", "quantity(self).isLessThan(quantity('1'))");
        let object = json!({"x": "2"});
        assert_eq!(told(&schema, None, &object), [""; 0]);
        assert!(unimplemented(&schema, None, &object).is_some());
        assert!(unimplemented(&schema, None, &json!({})).is_none());
    }

    #[test]
    fn times_are_equal_or_not_judged() {
        let time = |rule: &str| {
            let mut schema = with_rule("string", rule);
            schema["properties"]["x"]["format"] = "duration".into();
            schema
        };
        let (before, object) = (json!({"x": "60s"}), json!({"x": "2m"}));
        let schema = time("self == oldSelf");
        assert_eq!(told(&schema, Some(&before), &json!({"x": "1m"})), [""; 0]);
        assert_eq!(told(&schema, Some(&before), &object).len(), 1);
        let mut dated = with_rule("object", "self.day == self.time");
        dated["properties"]["x"]["properties"] = json!({
            "day": {"type": "string", "format": "date"},
            "time": {"type": "string", "format": "date-time"},
        });
        for (time, problems) in [("2020-01-01T01:00:00+01:00", 0), ("2020-01-01T00:00:01Z", 1)] {
            let object = json!({"x": {"day": "2020-01-01", "time": time}});
            assert_eq!(told(&dated, None, &object).len(), problems, "{time}");
        }
        assert!(unimplemented(&time("self < duration('1m')"), None, &object).is_some());
        let [kind, other] = values::TIMES;
        let schema = time(&format!("type(self) == {other} && type(self) != {kind}"));
        assert_eq!(told(&schema, None, &object), [""; 0]);
        assert!(unimplemented(&schema, None, &object).is_none());
    }

    #[test]
    fn alternatives_are_evaluated_if_needed() {
        let number = json!({ "type": "integer" });
        let judged = |rule: &str, object: &Value| {
            let schema = json!({
                "type": "object", "x-kubernetes-validations": [{ "rule": rule }],
                "properties": { "a": number, "b": number },
            });
            told(&schema, None, object)
        };
        let rule = "self.?a.orValue(self.b) == 1";
        assert_eq!(judged(rule, &json!({ "a": 1 })), [""; 0]);
        assert_eq!(judged(rule, &json!({ "b": 1 })), [""; 0]);
        assert_eq!(judged(rule, &json!({ "a": 2 })).len(), 1);
        let rule = "self.?a.or(optional.of(self.b)).value() == 1";
        assert_eq!(judged(rule, &json!({ "a": 1 })), [""; 0]);
        assert_eq!(judged(rule, &json!({})).len(), 1);
    }

    #[test]
    fn patterns_have_one_syntax() {
        for (pattern, value, expected) in [
            (r"^\w+$", "é", false),
            ("a{2", "a{2", true),
            (r"^\Qa.\E$", "a.", true),
            ("^[a&&b]$", "&", true),
            ("^[[a]]$", "[]", true),
            (r"^\d$", "٣", false),
        ] {
            for rule in
                [format!("self.matches(r'{pattern}')"), format!("matches(self, r'{pattern}')")]
            {
                let problems = told(&with_rule("string", &rule), None, &json!({ "x": value }));
                assert_eq!(problems.is_empty(), expected, "{rule}: {problems:?}");
            }
        }
        let problems = told(&with_rule("string", "'a'.matches(self)"), None, &json!({ "x": "(" }));
        assert!(problems[0].contains("missing closing ): `(`"), "{problems:?}");
    }

    #[test]
    fn null_members_are_absent() {
        let judged = |rule: &str| {
            let schema = json!({
                "type": "object", "x-kubernetes-validations": [{ "rule": rule }],
                "properties": {
                    "ns": { "type": "string", "nullable": true },
                    "all": { "type": "object", "additionalProperties": {
                        "type": "string", "nullable": true,
                    }},
                },
            });
            told(&schema, None, &json!({ "ns": null, "all": { "a": null } })).join("")
        };
        for rule in ["!has(self.ns)", "!self.?ns.hasValue()", "'a' in self.all"] {
            assert_eq!(judged(rule), "", "{rule}");
        }
        assert!(judged("self.ns == self.ns").contains("no such key: ns"));
    }

    #[test]
    fn functions_of_other_types_judge_nothing() {
        let mut schema = with_rule("array", "self.indexOf(1) == 0");
        schema["properties"]["x"]["items"] = json!({ "type": "integer" });
        let object = json!({ "x": [1] });
        assert_eq!(told(&schema, None, &object), [""; 0]);
        assert!(unimplemented(&schema, None, &object).is_some());
    }

    #[test]
    fn reserved_words_name_members() {
        let rule = "has(self.namespace) && self.namespace == self.__namespace__";
        let text = json!({ "type": "string", "x-kubernetes-validations": [] });
        let schema = json!({
            "type": "object", "x-kubernetes-validations": [{ "rule": rule }],
            "properties": { "namespace": text },
        });
        assert_eq!(told(&schema, None, &json!({ "namespace": "a" })), [""; 0]);
        assert_eq!(told(&schema, None, &json!({})).len(), 1);
    }

    #[test]
    fn names_of_members_are_escaped() {
        let rules = json!([{ "rule": "self.a__dash__b == self.__in__" }]);
        let member = json!({"type": "integer"});
        let schema = json!({
            "type": "object", "x-kubernetes-validations": rules,
            "properties": {"a-b": member, "in": member},
        });
        assert_eq!(told(&schema, None, &json!({"a-b": 1, "in": 1})), [""; 0]);
        assert_eq!(told(&schema, None, &json!({"a-b": 1, "in": 2})).len(), 1);
    }
}

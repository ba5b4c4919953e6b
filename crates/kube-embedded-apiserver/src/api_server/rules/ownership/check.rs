//! Checks an applied object against its shape.

use std::collections::HashSet;

use serde_json::Value;

use super::identity::{readable_step, step};
use crate::api_server::rules::go_format;
use crate::api_server::rules::shape::{OwnedParts, Scalar, Shape};

/// Returns the problems of an applied object, as one text; `None` if there are none.
pub(crate) fn problems(shape: Shape<'_>, object: &Value) -> Option<String> {
    problems_in(Checking::default(), shape, object)
}

/// Returns the problems of a whole object, as one text; `None` if there are none. A list may repeat
/// elements.
pub(crate) fn problems_of_whole(shape: Shape<'_>, object: &Value) -> Option<String> {
    problems_in(Checking { may_repeat: true, ..Checking::default() }, shape, object)
}

fn problems_in(mut checking: Checking, shape: Shape<'_>, object: &Value) -> Option<String> {
    checking.value(shape, object);
    match &*checking.problems {
        [] => None,
        [problem] => Some(problem.clone()),
        problems => Some(format!("errors:\n  {}", problems.join("\n  "))),
    }
}

#[derive(Default)]
struct Checking {
    path: String,
    problems: Vec<String>,
    /// True if elements of sets and keyed lists may occur twice.
    may_repeat: bool,
}

impl Checking {
    fn problem(&mut self, problem: &str) {
        self.problems.push(match &*self.path {
            "" => problem.to_owned(),
            path => format!("{path}: {problem}"),
        });
    }

    fn at(&mut self, step: &str, check: impl FnOnce(&mut Self)) {
        let above = self.path.len();
        self.path.push_str(&readable_step(step));
        check(self);
        self.path.truncate(above);
    }

    fn value(&mut self, shape: Shape<'_>, value: &Value) {
        if value.is_null() {
            return;
        }
        let got = || format!("&{{{}}}", go_format::plain(value));
        match shape.parts(value) {
            OwnedParts::Scalar(scalar) => self.scalar(scalar, value),
            OwnedParts::Members | OwnedParts::AtomicMembers => {
                let Some(members) = value.as_object() else {
                    return self.problem(&format!("expected map, got {}", got()));
                };
                for (name, value) in members {
                    let Some(inner) = shape.member(name) else {
                        // A real server stops here, too.
                        let problem = "field not declared in schema";
                        return self.at(&format!("f:{name}"), |this| this.problem(problem));
                    };
                    self.at(&format!("f:{name}"), |this| this.value(inner, value));
                }
            }
            parts => {
                let Some(elements) = value.as_array() else {
                    return self.problem(&format!("expected list, got {}", got()));
                };
                self.elements(shape, &parts, elements);
            }
        }
    }

    fn elements(&mut self, shape: Shape<'_>, parts: &OwnedParts<'_>, elements: &[Value]) {
        let mut known = HashSet::new();
        for (n, element) in elements.iter().enumerate() {
            let step = if matches!(parts, OwnedParts::AtomicElements) {
                format!("i:{n}")
            } else {
                match step(parts, element) {
                    Ok(step) => step,
                    Err(problem) => return self.problem(&format!("element {n}: {problem}")),
                }
            };
            if !known.insert(step.clone()) && !self.may_repeat {
                self.problem(&format!("duplicate entries for key {}", readable_step(&step)));
            }
            self.at(&step, |this| this.value(shape.element(), element));
        }
    }

    fn scalar(&mut self, scalar: Scalar, value: &Value) {
        let plain = || format!("&{{{}}}", go_format::plain(value));
        match scalar {
            Scalar::Text if !value.is_string() => {
                let got = go_format::syntax(value);
                self.problem(&format!(
                    "expected string, got &value.valueUnstructured{{Value:{got}}}"
                ));
            }
            Scalar::Number if !value.is_number() => {
                let got = go_format::type_name(value);
                self.problem(&format!("expected numeric (int or float), got {got}"));
            }
            Scalar::Bool if !value.is_boolean() => {
                self.problem(&format!("expected boolean, got {}", plain()));
            }
            Scalar::Any if value.is_object() || value.is_array() => {
                self.problem(&format!("expected any scalar, got {}", plain()));
            }
            _ => {}
        }
    }
}

//! The interpreter of rules, by the crate `cel`.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use cel::common::ast::SourceInfo;
use cel::objects::OptionalValue;
use cel::{Context, ExecutionError, IdedExpr, Value as CelValue};
use parking_lot::Mutex;
use serde_json::Value;

use super::types::{Type, has_unordered};
use super::{
    Condition, RuleValues, Verdict, environment, errors, replacements, stack, typing, unreadable,
    values,
};
use crate::api_server::failure::Cause;

/// The number of compiled expressions that are kept.
const KEPT_PROGRAMS: usize = 4096;

/// The most levels of an expression for which a stack of 1 MiB is large enough.
const LOW_LEVELS: u16 = 20;

/// The longest message that an expression may compute, in bytes.
const LONGEST_MESSAGE: usize = 5 * 1024;

static PROGRAMS: LazyLock<Mutex<HashMap<String, Program>>> = LazyLock::new(Mutex::default);

/// An expression, and its source.
pub(super) struct Parsed {
    pub(super) expression: IdedExpr,
    pub(super) source: SourceInfo,
    /// The expression as the interpreter evaluates it.
    pub(super) evaluated: IdedExpr,
    /// The number of levels on which it has parts.
    pub(super) levels: u16,
}

/// A compiled expression. A cheap clone.
#[derive(Clone)]
pub(super) struct Program {
    compiled: Result<Arc<Parsed>, Arc<str>>,
    uses_old: bool,
}

impl Program {
    /// Compiles an expression, or returns the result of the last time.
    pub(super) fn of(source: &str) -> Self {
        if let Some(known) = PROGRAMS.lock().get(source) {
            return known.clone();
        }
        let compiled = environment::parse(source).map(Arc::new);
        let uses_old = compiled.as_ref().is_ok_and(|program| {
            let references = program.expression.references();
            references.has_variable("oldSelf") || references.has_variable(".oldSelf")
        });
        let compiled = compiled.map_err(Arc::from);
        let program = Self { compiled, uses_old };
        let mut programs = PROGRAMS.lock();
        if programs.len() >= KEPT_PROGRAMS {
            programs.clear();
        }
        programs.insert(source.to_owned(), program.clone());
        program
    }

    pub(super) fn uses_old(&self) -> bool {
        self.uses_old
    }

    /// Returns whether the expression may need a large stack.
    pub(super) fn is_deep(&self) -> bool {
        self.compiled.as_ref().is_ok_and(|program| program.levels > LOW_LEVELS)
    }

    /// Returns the type of the expression, or the first problem of compiling it.
    fn kind<'s>(&self, schema: &'s Value, whole: bool, optional: bool) -> Result<Type<'s>, String> {
        match &self.compiled {
            Ok(compiled) => {
                let check = || typing::check(compiled, schema, whole, optional);
                stack::on_large(check).unwrap_or_else(|| Err("compilation failed".to_owned()))
            }
            Err(problem) => Err(format!("compilation failed: {problem}")),
        }
    }

    /// Returns nothing if this server cannot evaluate the expression.
    fn evaluate(&self, seen: &RuleValues<'_>) -> Option<Result<CelValue, ExecutionError>> {
        let program = self.compiled.as_ref().ok()?;
        if program.levels <= LOW_LEVELS {
            self.evaluate_here(program, seen)
        } else {
            stack::on_large(|| self.evaluate_here(program, seen))?
        }
    }

    fn evaluate_here(
        &self,
        program: &Parsed,
        seen: &RuleValues<'_>,
    ) -> Option<Result<CelValue, ExecutionError>> {
        if has_unordered(seen.schema)
            && typing::uses_unordered(program, seen.schema, seen.whole, seen.optional)
        {
            return None;
        }
        let mut context = Context::with_env(environment::shared());
        let mut fails = false;
        let mut value = |value: &Value| {
            let value = values::of(seen.schema, seen.whole, value);
            fails |= unreadable::is_in(&value);
            value
        };
        context.add_variable_from_value("self", value(seen.value));
        if self.uses_old {
            let old = seen.before.map(&mut value);
            let old = if seen.optional {
                let old = old.map_or_else(OptionalValue::none, OptionalValue::of);
                Some(CelValue::Opaque(Arc::new(old)))
            } else {
                old
            };
            context.add_variable_from_value("oldSelf", old.unwrap_or(CelValue::Null));
        }
        if fails {
            return Some(CelValue::resolve(&unreadable::guarded(&program.evaluated), &context));
        }
        Some(CelValue::resolve(&program.evaluated, &context))
    }

    /// Evaluates a rule.
    pub(super) fn judge(&self, seen: &RuleValues<'_>) -> Verdict {
        match self.evaluate(seen) {
            Some(Ok(CelValue::Bool(true))) => Verdict::Holds,
            Some(Ok(CelValue::Bool(false))) => Verdict::Fails,
            Some(Ok(_)) | None => Verdict::NotImplemented,
            Some(Err(error)) if errors::is_missing(&error) => Verdict::NotImplemented,
            Some(Err(error)) => Verdict::Error(errors::words(&error)),
        }
    }

    /// Evaluates the expression of a message. Returns nothing if it has no valid value.
    pub(super) fn text(&self, seen: &RuleValues<'_>) -> Option<String> {
        match self.evaluate(seen)?.ok()? {
            CelValue::String(text) => {
                let text = text.trim();
                let valid =
                    !text.is_empty() && !text.contains('\n') && text.len() <= LONGEST_MESSAGE;
                valid.then(|| text.to_owned())
            }
            _ => None,
        }
    }
}

/// Returns the problem for which a server refuses to store a condition over these variables.
pub(crate) fn condition_problem(source: &str, variables: &[&'static str]) -> Option<String> {
    let compiled = match Program::of(source.trim()).compiled {
        Ok(compiled) => compiled,
        Err(problem) => return Some(format!("compilation failed: {problem}")),
    };
    match stack::on_large(|| typing::check_condition(&compiled, variables))? {
        Ok(Type::Bool) => None,
        Ok(kind) => Some(format!("must evaluate to bool but got {}", kind.name())),
        Err(problem) => Some(problem),
    }
}

/// Returns the member that a condition reads of a variable that is null.
fn member_of_null<'s>(source: &'s str, variables: &[(&str, &Value)]) -> Option<&'s str> {
    let nulls = variables.iter().filter(|(_, value)| value.is_null());
    let found = nulls.filter_map(|(name, _)| {
        let at = source.match_indices(&format!("{name}.")).map(|(at, _)| at).find(|at| {
            !source[..*at]
                .ends_with(|before: char| before.is_alphanumeric() || "._".contains(before))
        })?;
        let rest = &source[at + name.len() + 1..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some((at, &rest[..end]))
    });
    found.min().map(|(_, member)| member)
}

/// Evaluates a condition over variables without a schema.
pub(crate) fn condition(source: &str, variables: &[(&str, &Value)]) -> Condition {
    let Ok(program) = Program::of(source.trim()).compiled else { return Condition::NotImplemented };
    let evaluate = || {
        let mut context = Context::with_env(environment::shared());
        for (name, value) in variables {
            context.add_variable_from_value(*name, values::untyped(value));
        }
        let mut expression = program.evaluated.clone();
        replacements::without_members_of_null(&mut expression);
        match CelValue::resolve(&expression, &context) {
            Ok(CelValue::Bool(true)) => Condition::Holds,
            Ok(CelValue::Bool(false)) => Condition::Fails,
            Ok(_) => Condition::NotImplemented,
            Err(error) if errors::is_missing(&error) => Condition::NotImplemented,
            Err(error) => {
                let words = errors::words(&error);
                if let Some(member) = member_of_null(source, variables)
                    && words.starts_with("'no such overload'")
                {
                    return Condition::Error(format!("no such key: {member}"));
                }
                let words = words.trim_end_matches(" evaluating rule");
                Condition::Error(words.trim_end_matches(" for rule").to_owned())
            }
        }
    };
    if program.levels <= LOW_LEVELS {
        return evaluate();
    }
    stack::on_large(evaluate).unwrap_or(Condition::NotImplemented)
}

/// Returns the problems of a rule when its definition is written.
pub(crate) fn check(rule: &Value, schema: &Value, whole: bool, field: &str) -> Vec<Cause> {
    if Type::of_self(schema, whole).is_none() {
        let (field, n) = field.rsplit_once('[').unwrap_or((field, ""));
        let problem = "internal error: failed to construct type information for \
                       x-kubernetes-validations rules: unable to convert structural schema to CEL \
                       declarations";
        // A server tells it once for all rules of a schema.
        return if n == "0]" { vec![Cause::internal(field, problem)] } else { Vec::new() };
    }
    let mut causes = Vec::new();
    let optional = rule["optionalOldSelf"] == true;
    let source = rule["rule"].as_str().unwrap_or_default().trim();
    let shown = shown(rule);
    let invalid = |member: &str, problem: &str| {
        Cause::invalid_raw(&format!("{field}.{member}"), &shown, problem)
    };
    let program = Program::of(source);
    match program.kind(schema, whole, optional) {
        Ok(Type::Bool) => {}
        Ok(_) => causes.push(invalid("rule", "cel expression must evaluate to a bool")),
        Err(problem) => causes.push(invalid("rule", &problem)),
    }
    let valid = causes.is_empty();
    let expression = rule["messageExpression"].as_str().unwrap_or_default().trim();
    if valid && !expression.is_empty() {
        match Program::of(expression).kind(schema, whole, optional) {
            Ok(Type::String) => {}
            Ok(_) => {
                let problem = "messageExpression must evaluate to a string";
                causes.push(invalid("messageExpression", problem));
            }
            Err(problem) => {
                let stage = problem.trim_start_matches("program ");
                let problem = format!("messageExpression {stage}");
                causes.push(invalid("messageExpression", &problem));
            }
        }
    }
    // An expression that does not compile counts as one without `oldSelf`.
    let unused = !valid || !program.uses_old();
    if unused && !rule["optionalOldSelf"].is_null() {
        let field = format!("{field}.optionalOldSelf");
        let problem = "may not be set if oldSelf is not used in rule";
        causes.push(Cause::invalid_raw(&field, &rule["optionalOldSelf"].to_string(), problem));
    }
    causes
}

/// Returns a rule as a server shows it in a message.
fn shown(rule: &Value) -> String {
    let text = |member: &str| Value::from(rule[member].as_str().unwrap_or_default()).to_string();
    let shown = format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{},\"FieldPath\":{},\
         \"OptionalOldSelf\":{}}}",
        text("rule"),
        text("message"),
        text("messageExpression"),
        rule["reason"],
        text("fieldPath"),
        rule["optionalOldSelf"],
    );
    shown.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

//! The interpreter of rules, by the crate `cel`.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use cel::common::ast::SourceInfo;
use cel::common::types::{CelBool, CelString, STRING_TYPE};
use cel::common::value::CowVal;
use cel::objects::OptionalValue;
use cel::{Context, Env, ExecutionError, IdedExpr, Value as CelValue};
use parking_lot::Mutex;
use serde_json::Value;

use super::super::{formats, pattern};
use super::types::Type;
use super::{RuleValues, Verdict, typing, values};
use crate::api_server::failure::Cause;

/// The number of compiled expressions that are kept.
const KEPT_PROGRAMS: usize = 4096;

/// The longest message that an expression may compute, in bytes.
const LONGEST_MESSAGE: usize = 5 * 1024;

static PROGRAMS: LazyLock<Mutex<HashMap<String, Program>>> = LazyLock::new(Mutex::default);

static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(environment()));

/// The functions of Kubernetes that this server has, each a check of a text.
const TEXT_CHECKS: [(&str, formats::Check); 3] = [
    ("isIP", |text| text.parse::<IpAddr>().is_ok()),
    ("isCIDR", |text| formats::of_texts("cidr").is_some_and(|is_cidr| is_cidr(text))),
    ("isURL", |text| formats::of_texts("uri").is_some_and(|is_uri| is_uri(text))),
];

/// Returns the environment of all rules.
fn environment() -> Env {
    let mut env = Env::stdlib();
    // An extension that is declared already would be the only failure.
    for extension in [cel::extensions::strings, cel::extensions::lists] {
        let _ = env.add_extension(extension);
    }
    let _ = env.add_overload("isIP", "is_ip", vec![STRING_TYPE], |args| check_text(0, &args));
    let _ = env.add_overload("isCIDR", "is_cidr", vec![STRING_TYPE], |args| check_text(1, &args));
    let _ = env.add_overload("isURL", "is_url", vec![STRING_TYPE], |args| check_text(2, &args));
    let _ = env.add_member_overload(
        "find",
        "string_find_string",
        STRING_TYPE,
        vec![STRING_TYPE],
        |args| {
            let (text, pattern) = (text(&args, 0)?, text(&args, 1)?);
            let pattern = pattern::compile(pattern)
                .map_err(|problem| ExecutionError::function_error("find", problem))?;
            let found = pattern.find(text).map_or("", |found| found.as_str());
            Ok(CowVal::owned(CelString::from(found.to_owned())))
        },
    );
    env
}

fn text<'b>(args: &'b [CowVal<'_, '_>], n: usize) -> Result<&'b str, ExecutionError> {
    let text = args.get(n).and_then(|arg| arg.downcast_ref::<CelString>());
    text.map(CelString::inner).ok_or_else(ExecutionError::missing_argument_or_target)
}

fn check_text<'b, 'v>(
    check: usize,
    args: &[CowVal<'b, 'v>],
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let (_, holds) = TEXT_CHECKS[check];
    Ok(CowVal::owned(CelBool::from(holds(text(args, 0)?))))
}

/// An expression, and its source.
pub(super) struct Parsed {
    pub(super) expression: IdedExpr,
    pub(super) source: SourceInfo,
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
        let parser = ENVIRONMENT.parser().enable_ident_escape_syntax(true);
        let compiled = parser
            .parse_with_source_info(source)
            .map(|(expression, source)| Arc::new(Parsed { expression, source }));
        let uses_old = compiled.as_ref().is_ok_and(|program| {
            let references = program.expression.references();
            references.has_variable("oldSelf") || references.has_variable(".oldSelf")
        });
        let compiled = compiled.map_err(|errors| {
            let text = errors.to_string().replace("\n|", "\n |");
            Arc::from(text.as_str())
        });
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

    /// Returns the type of the expression, or the first problem of compiling it.
    fn kind<'s>(&self, schema: &'s Value, whole: bool, optional: bool) -> Result<Type<'s>, String> {
        match &self.compiled {
            Ok(compiled) => typing::check(compiled, schema, whole, optional),
            Err(problem) => Err(format!("compilation failed: {problem}")),
        }
    }

    fn evaluate(&self, seen: &RuleValues<'_>) -> Option<Result<CelValue, ExecutionError>> {
        let program = self.compiled.as_ref().ok()?;
        let mut context = Context::with_env(ENVIRONMENT.clone());
        let value = |value: &Value| values::of(seen.schema, seen.whole, value);
        context.add_variable_from_value("self", value(seen.value));
        if self.uses_old {
            let old = seen.before.map(value);
            let old = if seen.optional {
                let old = old.map_or_else(OptionalValue::none, OptionalValue::of);
                Some(CelValue::Opaque(Arc::new(old)))
            } else {
                old
            };
            context.add_variable_from_value("oldSelf", old.unwrap_or(CelValue::Null));
        }
        Some(CelValue::resolve(&program.expression, &context))
    }

    /// Evaluates a rule.
    pub(super) fn judge(&self, seen: &RuleValues<'_>) -> Verdict {
        match self.evaluate(seen) {
            Some(Ok(CelValue::Bool(true))) => Verdict::Holds,
            Some(Ok(CelValue::Bool(false))) => Verdict::Fails,
            Some(Ok(_)) | None => Verdict::NotImplemented,
            Some(Err(error)) if is_missing(&error) => Verdict::NotImplemented,
            Some(Err(error)) => Verdict::Error(words(&error)),
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

/// Returns whether a rule failed because the interpreter lacks a function or an operation.
fn is_missing(error: &ExecutionError) -> bool {
    match error {
        ExecutionError::UndeclaredReference(_) | ExecutionError::UnsupportedBinaryOperator(..) => {
            true
        }
        ExecutionError::NoSuchOverload(error) => {
            error.argument_types().iter().any(|kind| kind == values::TIME)
        }
        ExecutionError::ValuesNotComparable(left, right) => {
            [left, right].iter().any(|value| matches!(value, CelValue::Opaque(_)))
        }
        _ => false,
    }
}

/// Returns an error of an evaluation in a server's words.
fn words(error: &ExecutionError) -> String {
    let evaluating = |problem: &str| format!("{problem} evaluating rule");
    match error {
        ExecutionError::DivisionByZero(_) => evaluating("division by zero"),
        ExecutionError::RemainderByZero(_) => evaluating("modulus by zero"),
        ExecutionError::Overflow(..) => evaluating("integer overflow"),
        ExecutionError::NoSuchKey(key) => evaluating(&format!("no such key: {key}")),
        ExecutionError::IndexOutOfBounds(CelValue::Int(index)) => {
            evaluating(&format!("index out of bounds: {index}"))
        }
        ExecutionError::NoSuchOverload(_) | ExecutionError::ValuesNotComparable(..) => {
            "'no such overload': call arguments did not match a supported operator, function or \
             macro signature for rule"
                .to_owned()
        }
        other => evaluating(&other.to_string()),
    }
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

//! Values that a server accepts, and that its rules cannot read: an expression that uses one fails.
//!
//! The format `byte` is checked with one alphabet of base64 and read with another one, in which `+`
//! and `/` are missing. The number `1.0` is an integer to a schema and none to an expression.

use std::sync::Arc;

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, SelectExpr, operators};
use cel::common::types::DYN_TYPE;
use cel::common::value::CowVal;
use cel::objects::{Opaque, OptionalValue};
use cel::{DeclarationError, Env, ExecutionError, IdedExpr, Value as CelValue};
use serde_json::Value;

use super::super::flag;
use super::replacements;

/// The function that returns its argument, and fails if it is such a value.
const READ: &str = "@read";

/// Such a value. Holds the problem of a server.
#[derive(Debug, PartialEq, Eq)]
struct Unreadable(String);

impl Opaque for Unreadable {
    fn runtime_type_name(&self) -> &'static str {
        "unreadable"
    }
}

/// Returns the value of a text in the format `byte`, if it is such a value.
pub(super) fn of_bytes(text: &str) -> Option<CelValue> {
    let at = text.find(['+', '/'])?;
    let problem =
        format!("Invalid byte formatted string {text}: illegal base64 data at input byte {at}");
    Some(CelValue::Opaque(Arc::new(Unreadable(problem))))
}

/// Returns the value of a number with a fraction, which may be zero, if it is such a value.
pub(super) fn of_number(schema: &Value) -> Option<CelValue> {
    let problem = if flag(schema, "x-kubernetes-int-or-string") {
        "invalid data, expected XIntOrString value to be either a string or integer"
    } else if schema["type"] == "integer" {
        "invalid data, expected int, got float64"
    } else {
        return None;
    };
    Some(CelValue::Opaque(Arc::new(Unreadable(problem.to_owned()))))
}

/// Returns whether a value is such a value or has one.
pub(super) fn is_in(value: &CelValue) -> bool {
    match value {
        CelValue::List(elements) => elements.iter().any(is_in),
        CelValue::Map(members) => members.map.values().any(is_in),
        value => problem(value).is_some(),
    }
}

/// Returns the problem of a value, or of the one that an optional value holds.
fn problem(value: &CelValue) -> Option<&str> {
    let CelValue::Opaque(opaque) = value else { return None };
    if let Some(optional) = opaque.downcast_ref::<OptionalValue>() {
        return optional.value().and_then(problem);
    }
    opaque.downcast_ref::<Unreadable>().map(|unreadable| &*unreadable.0)
}

/// Adds what [`guarded`] calls.
pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(READ, "read", vec![DYN_TYPE], |mut args| {
        let value = args.pop().ok_or_else(ExecutionError::missing_argument_or_target)?;
        check(&value)?;
        Ok(value)
    })
}

fn check(value: &CowVal<'_, '_>) -> Result<(), ExecutionError> {
    // Other values are not worth a conversion.
    if !matches!(value.get_type().name(), "unreadable" | "optional_type") {
        return Ok(());
    }
    match problem(&CelValue::try_from(value.as_ref())?) {
        Some(problem) => Err(ExecutionError::function_error(READ, problem)),
        None => Ok(()),
    }
}

/// Returns an expression that fails where it uses such a value.
pub(super) fn guarded(expression: &IdedExpr) -> IdedExpr {
    let mut guarded = expression.clone();
    guard(&mut guarded, &mut vec!["self".to_owned(), "oldSelf".to_owned()]);
    guarded
}

/// Guards the parts of an expression. `variables` are those that may be such a value.
fn guard(expression: &mut IdedExpr, variables: &mut Vec<String>) {
    if let Expr::Comprehension(all) = &mut expression.expr {
        guard_loop(all, variables);
        return;
    }
    for part in replacements::parts_of(expression) {
        guard(part, variables);
    }
    let is_use = match &expression.expr {
        Expr::Ident(name) => variables.contains(name),
        Expr::Select(_) => true,
        Expr::Call(call) => [operators::INDEX, operators::OPT_INDEX, operators::OPT_SELECT]
            .contains(&&*call.func_name),
        _ => false,
    };
    if is_use {
        let part = std::mem::take(expression);
        *expression = read(part);
    }
}

fn guard_loop(all: &mut ComprehensionExpr, variables: &mut Vec<String>) {
    guard(&mut all.iter_range, variables);
    guard(&mut all.accu_init, variables);
    let outer = variables.len();
    variables.push(all.iter_var.clone());
    variables.extend(all.iter_var2.clone());
    for part in [&mut all.loop_cond, &mut all.loop_step] {
        guard(part, variables);
    }
    variables.truncate(outer);
    guard(&mut all.result, variables);
}

/// Returns the guarded use of a value. The presence of a member is a use of it if it is there.
fn read(used: IdedExpr) -> IdedExpr {
    let call = |name: &str, id, args| {
        let func_name = name.to_owned();
        IdedExpr { id, expr: Expr::Call(CallExpr { func_name, target: None, args }) }
    };
    let id = used.id;
    let Expr::Select(SelectExpr { operand, field, test: true }) = &used.expr else {
        return call(READ, id, vec![used]);
    };
    let member = SelectExpr { operand: operand.clone(), field: field.clone(), test: false };
    let value = call(READ, id, vec![IdedExpr { id, expr: Expr::Select(member) }]);
    let is_read = call(operators::EQUALS, id, vec![value.clone(), value]);
    call(operators::LOGICAL_AND, id, vec![used, is_read])
}

//! The constant parts of an expression, which a server evaluates when it makes a program of it.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue};

use super::super::pattern;
use super::literals::parts;

/// The texts of truth values.
const BOOLS: [&str; 12] =
    ["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"];

/// The number after the largest signed integer.
const INTEGERS: f64 = 9_223_372_036_854_775_808.0;

/// Returns the first problem of the constant parts of an expression.
pub(super) fn check(expression: &IdedExpr) -> Result<(), String> {
    if let Expr::Call(call) = &expression.expr {
        of_pattern(call)?;
        of_conversion(call)?;
    }
    parts(expression).into_iter().try_for_each(check)
}

/// Checks the pattern of a function that searches a text.
fn of_pattern(call: &CallExpr) -> Result<(), String> {
    let pattern = match (&*call.func_name, call.target.is_some()) {
        ("matches", false) => call.args.get(1),
        ("find" | "findAll", true) => call.args.first(),
        _ => None,
    };
    match pattern.map(|pattern| &pattern.expr) {
        Some(Expr::Literal(LiteralValue::String(text))) => pattern::compile(text.inner()).map(drop),
        _ => Ok(()),
    }
}

/// Checks a conversion of a literal to another type.
fn of_conversion(call: &CallExpr) -> Result<(), String> {
    let name = &*call.func_name;
    let [IdedExpr { expr: Expr::Literal(literal), .. }] = &*call.args else { return Ok(()) };
    let valid = match (name, literal) {
        ("bool", LiteralValue::String(text)) => BOOLS.contains(&text.inner()),
        ("double", LiteralValue::String(text)) => text.inner().parse::<f64>().is_ok(),
        ("int", LiteralValue::String(text)) => text.inner().parse::<i64>().is_ok(),
        ("uint", LiteralValue::String(text)) => {
            !text.inner().starts_with('+') && text.inner().parse::<u64>().is_ok()
        }
        ("int", LiteralValue::Double(double)) => double.inner().abs() < INTEGERS,
        ("uint", LiteralValue::Double(double)) => (0.0..2.0 * INTEGERS).contains(double.inner()),
        ("int", LiteralValue::UInt(uint)) => i64::try_from(*uint.inner()).is_ok(),
        ("uint", LiteralValue::Int(int)) => *int.inner() >= 0,
        ("string", LiteralValue::Bytes(bytes)) => std::str::from_utf8(bytes.inner()).is_ok(),
        ("int" | "string", LiteralValue::Null) => false,
        _ => true,
    };
    if valid || call.target.is_some() {
        return Ok(());
    }
    Err(match literal {
        LiteralValue::Null => format!("no such overload: {name}(null_type)"),
        LiteralValue::String(_) => format!("type conversion error from 'string' to '{name}'"),
        LiteralValue::Bytes(_) => "invalid UTF-8 in bytes, cannot convert to string".to_owned(),
        _ if name == "uint" => "unsigned integer overflow".to_owned(),
        _ => "integer overflow".to_owned(),
    })
}

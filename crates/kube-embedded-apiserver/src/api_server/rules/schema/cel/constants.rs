//! The constant parts of an expression, which a server evaluates when it makes a program of it.

use cel::common::ast::Expr;
use cel::{IdedExpr, Value as CelValue};

use super::super::{numbers, pattern};
use super::literals::{self, parts};
use super::values;

/// The texts of truth values: first those of true.
const BOOLS: [&str; 12] =
    ["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"];

/// The number after the largest signed integer.
const INTEGERS: f64 = 9_223_372_036_854_775_808.0;

/// Checks the constant parts of an expression. Returns its value if it is a literal, or one that is
/// converted to other types.
pub(super) fn check(expression: &IdedExpr) -> Result<Option<CelValue>, String> {
    let parts: Vec<Option<CelValue>> =
        parts(expression).into_iter().map(check).collect::<Result<_, _>>()?;
    match (&expression.expr, &*parts) {
        (Expr::Literal(literal), _) => Ok(CelValue::try_from(literal.to_val().as_ref()).ok()),
        (Expr::List(list), parts) if list.optional_indices.is_empty() => {
            let all: Option<Vec<CelValue>> = parts.iter().cloned().collect();
            Ok(all.map(|all| CelValue::List(all.into())))
        }
        (Expr::Call(call), [_, Some(CelValue::String(text))])
            if matches!(
                (&*call.func_name, call.target.is_some()),
                ("matches", false) | ("find" | "findAll", true)
            ) =>
        {
            pattern::compile(text).map(|_| None)
        }
        (Expr::Call(call), [Some(value)]) if call.target.is_none() => {
            converted(&call.func_name, value)
        }
        _ => Ok(None),
    }
}

/// Returns the boolean that a text names.
pub(super) fn parsed_bool(text: &str) -> Option<bool> {
    let place = BOOLS.iter().position(|known| *known == text);
    place.map(|place| place < BOOLS.len() / 2)
}

/// Converts a value to another type, if the function does so. Returns nothing for a time.
fn converted(name: &str, value: &CelValue) -> Result<Option<CelValue>, String> {
    let text = |text: String| Some(CelValue::from(text));
    let converted = match (name, value) {
        ("dyn", _)
        | ("bool", CelValue::Bool(_))
        | ("bytes", CelValue::Bytes(_))
        | ("double", CelValue::Float(_))
        | ("int", CelValue::Int(_))
        | ("string", CelValue::String(_))
        | ("uint", CelValue::UInt(_)) => Some(value.clone()),
        ("bool", CelValue::String(text)) => parsed_bool(text).map(CelValue::Bool),
        ("bytes", CelValue::String(text)) => Some(CelValue::Bytes(text.as_bytes().to_vec().into())),
        // A number of Go that the interpreter does not read.
        ("double", CelValue::String(text)) if text.contains(['x', 'X', '_']) => return Ok(None),
        ("double", CelValue::String(text)) => {
            let is_named = !text.contains(|c: char| c.is_ascii_digit());
            let float = text.parse().ok().filter(|float: &f64| float.is_finite() || is_named);
            float.map(CelValue::Float)
        }
        ("int", CelValue::String(text)) => text.parse().ok().map(CelValue::Int),
        ("int", CelValue::Float(float)) => {
            (float.abs() < INTEGERS).then(|| CelValue::Int(numbers::truncated(*float)))
        }
        ("int", CelValue::UInt(uint)) => i64::try_from(*uint).ok().map(CelValue::Int),
        ("string", CelValue::Bool(value)) => text(value.to_string()),
        ("string", CelValue::Bytes(bytes)) => {
            std::str::from_utf8(bytes).ok().and_then(|bytes| text(bytes.to_owned()))
        }
        ("string", CelValue::Float(float)) => text(numbers::shown(*float)),
        ("string", CelValue::Int(integer)) => text(integer.to_string()),
        ("string", CelValue::UInt(integer)) => text(integer.to_string()),
        ("uint", CelValue::Int(integer)) => u64::try_from(*integer).ok().map(CelValue::UInt),
        ("uint", CelValue::String(text)) if !text.starts_with('+') => {
            text.parse().ok().map(CelValue::UInt)
        }
        ("uint", CelValue::Float(float)) if (0.0..2.0 * INTEGERS).contains(float) => {
            return Ok(None);
        }
        ("double", CelValue::Int(_) | CelValue::UInt(_)) => return Ok(None),
        ("duration", CelValue::String(text)) if literals::is_duration(text) => return Ok(None),
        ("timestamp", CelValue::String(text)) if literals::is_timestamp(text) => return Ok(None),
        ("timestamp", CelValue::Int(seconds)) if literals::TIMES.contains(seconds) => {
            return Ok(None);
        }
        ("bool" | "bytes" | "double" | "duration" | "int" | "string" | "timestamp" | "uint", _) => {
            None
        }
        _ => return Ok(None),
    };
    converted.map(Some).ok_or_else(|| problem(name, value))
}

/// Returns a server's words about a conversion that fails.
fn problem(name: &str, value: &CelValue) -> String {
    let from_text = |name: &str| format!("type conversion error from 'string' to '{name}'");
    let kind = || match value {
        CelValue::Float(_) => "double".to_owned(),
        CelValue::Null => "null_type".to_owned(),
        other => other.type_of().to_string(),
    };
    match (name, value) {
        ("timestamp", CelValue::Int(_)) => "timestamp overflow".to_owned(),
        ("duration", CelValue::String(_)) => from_text(values::TIMES[1]),
        ("timestamp", CelValue::String(_)) => from_text(values::TIMES[0]),
        (_, CelValue::String(_)) => from_text(name),
        ("string", CelValue::Bytes(_)) => {
            "invalid UTF-8 in bytes, cannot convert to string".to_owned()
        }
        ("int", CelValue::Float(_) | CelValue::UInt(_)) => "integer overflow".to_owned(),
        ("uint", CelValue::Float(_) | CelValue::Int(_)) => "unsigned integer overflow".to_owned(),
        _ => format!("no such overload: {name}({})", kind()),
    }
}

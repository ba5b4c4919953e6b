//! Errors of the interpreter, in a server's words.

use cel::{ExecutionError, Value as CelValue};

use super::types::{Type, Variables};
use super::{functions, values};

/// Returns whether a rule failed because the interpreter lacks a function or an operation.
pub(super) fn is_missing(error: &ExecutionError) -> bool {
    let opaque = |value: &CelValue| matches!(value, CelValue::Opaque(_));
    match error {
        // Keys of maps that are no texts, whole numbers or truth values.
        ExecutionError::UndeclaredReference(_) | ExecutionError::UnsupportedKeyType(_) => true,
        ExecutionError::UnexpectedType { want, .. } => want == "known struct",
        ExecutionError::NoSuchOverload(error) => {
            let kinds: Vec<Type<'_>> =
                error.argument_types().iter().map(|name| kind(name)).collect();
            let (name, method) = (error.function(), error.is_member_function());
            error.argument_types().iter().any(|kind| values::TIMES.contains(&&**kind))
                || functions::result(name, method, &kinds, &mut Variables::default()).is_ok()
        }
        ExecutionError::UnsupportedBinaryOperator(_, left, right)
        | ExecutionError::ValuesNotComparable(left, right) => opaque(left) || opaque(right),
        _ => false,
    }
}

/// Returns the type of a value by the name that the interpreter has for it.
pub(super) fn kind(name: &str) -> Type<'static> {
    match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "int" => Type::Int,
        "list" => Type::Any.list(),
        "map" => Type::Map(Box::new(Type::Any), Box::new(Type::Any)),
        "null_type" => Type::Null,
        "optional_type" => Type::Any.or_absent(),
        "string" => Type::String,
        "uint" => Type::Uint,
        _ => Type::Any,
    }
}

/// Returns an error of an evaluation in a server's words.
pub(super) fn words(error: &ExecutionError) -> String {
    let evaluating = |problem: &str| format!("{problem} evaluating rule");
    match error {
        ExecutionError::DivisionByZero(_) => evaluating("division by zero"),
        ExecutionError::RemainderByZero(_) => evaluating("modulus by zero"),
        ExecutionError::Overflow(_, CelValue::UInt(_), _) => {
            evaluating("unsigned integer overflow")
        }
        ExecutionError::Overflow(..) => evaluating("integer overflow"),
        ExecutionError::NoSuchKey(key) => evaluating(&format!("no such key: {key}")),
        ExecutionError::IndexOutOfBounds(CelValue::Int(index)) => {
            evaluating(&format!("index out of bounds: {index}"))
        }
        ExecutionError::UnexpectedType { got, want } if want == "iterable" => {
            let (first, rest) = got.split_at(got.chars().next().map_or(0, char::len_utf8));
            let name = format!("{}{rest}", first.to_uppercase());
            evaluating(&format!("got 'types.{name}', expected iterable type"))
        }
        ExecutionError::FunctionError { function, message }
            if matches!(&**function, "bool" | "double" | "int" | "uint")
                && !message.ends_with("overflow") =>
        {
            evaluating(&format!("type conversion error from 'string' to '{function}'"))
        }
        ExecutionError::FunctionError { message, .. } => evaluating(message),
        ExecutionError::NoSuchOverload(_)
        | ExecutionError::UnsupportedBinaryOperator(..)
        | ExecutionError::UnexpectedType { .. }
        | ExecutionError::ValuesNotComparable(..) => {
            "'no such overload': call arguments did not match a supported operator, function or \
             macro signature for rule"
                .to_owned()
        }
        other => evaluating(&other.to_string()),
    }
}

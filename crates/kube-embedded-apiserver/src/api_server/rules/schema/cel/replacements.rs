//! The functions of the interpreter that differ from a server's, and those that replace them.

use cel::common::ast::{EntryExpr, Expr};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelString, DYN_TYPE, INT_TYPE, Kind, LIST_TYPE, STRING_TYPE,
};
use cel::common::value::CowVal;
use cel::{DeclarationError, Env, ExecutionError, IdedExpr};
use regex::Regex;

use super::super::{numbers, pattern};
use super::{constants, environment, format};

/// The names of the functions, with whether they are methods, and the numbers of their arguments.
const REPLACED: [(&str, bool, usize); 10] = [
    ("_==_", false, 2),
    ("_!=_", false, 2),
    ("bool", false, 1),
    ("double", false, 1),
    ("format", true, 1),
    ("indexOf", true, 2),
    ("lastIndexOf", true, 2),
    ("matches", false, 2),
    ("matches", true, 1),
    ("string", false, 1),
];

type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// Replaces functions in an expression. The name of a replacement starts with `@`.
pub(super) fn replace(expression: &mut IdedExpr) {
    let parts: Vec<&mut IdedExpr> = match &mut expression.expr {
        Expr::Call(call) => {
            let name = call.func_name.trim_start_matches('.');
            if REPLACED.contains(&(name, call.target.is_some(), call.args.len())) {
                call.func_name = format!("@{name}");
                call.args.splice(..0, call.target.take().map(|target| *target));
            }
            call.target.as_deref_mut().into_iter().chain(&mut call.args).collect()
        }
        Expr::Comprehension(all) => vec![
            &mut all.iter_range,
            &mut all.accu_init,
            &mut all.loop_cond,
            &mut all.loop_step,
            &mut all.result,
        ],
        Expr::List(list) => list.elements.iter_mut().collect(),
        Expr::Map(map) => {
            let entries = map.entries.iter_mut().filter_map(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) => Some([&mut entry.key, &mut entry.value]),
                EntryExpr::StructField(_) => None,
            });
            entries.flatten().collect()
        }
        Expr::Select(select) => vec![&mut select.operand],
        _ => Vec::new(),
    };
    parts.into_iter().for_each(replace);
}

/// Adds the replacements to an environment.
pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    let any = || vec![DYN_TYPE, DYN_TYPE];
    env.add_overload("@_==_", "equals", any(), |args| are_equal(&args).map(boolean))?;
    env.add_overload("@_!=_", "not_equals", any(), |args| {
        are_equal(&args).map(|equal| boolean(!equal))
    })?;
    env.add_overload("@format", "string_format", vec![STRING_TYPE, LIST_TYPE], |args| {
        format::format(text(&args, 0)?, args[1].as_ref()).map(texts)
    })?;
    let searched = || vec![STRING_TYPE, STRING_TYPE, INT_TYPE];
    env.add_overload("@indexOf", "index_of", searched(), |args| index(&args, false))?;
    env.add_overload("@lastIndexOf", "last_index_of", searched(), |args| index(&args, true))?;
    env.add_overload("@matches", "matches_string", vec![STRING_TYPE, STRING_TYPE], |args| {
        Ok(boolean(compiled(&args, "matches")?.is_match(text(&args, 0)?)))
    })?;
    env.add_overload("@bool", "to_bool", vec![DYN_TYPE], bool)?;
    env.add_overload("@double", "to_double", vec![DYN_TYPE], double)?;
    env.add_overload("@string", "to_string", vec![DYN_TYPE], string)
}

/// Returns the error of an evaluation that this server does not implement.
pub(super) fn missing(name: &str) -> ExecutionError {
    ExecutionError::undeclared_reference(name)
}

/// Returns the pattern of a function that searches a text.
pub(super) fn compiled(args: &[CowVal<'_, '_>], name: &str) -> Result<Regex, ExecutionError> {
    let compiled = pattern::compile(text(args, 1)?);
    compiled.map_err(|problem| ExecutionError::function_error(name, problem))
}

/// Returns an argument that is a text.
pub(super) fn text<'b>(args: &'b [CowVal<'_, '_>], n: usize) -> Result<&'b str, ExecutionError> {
    let text = args.get(n).and_then(|arg| arg.downcast_ref::<CelString>());
    text.map(CelString::inner).ok_or_else(ExecutionError::missing_argument_or_target)
}

pub(super) fn texts<'b, 'v>(text: String) -> CowVal<'b, 'v> {
    CowVal::owned(CelString::from(text))
}

pub(super) fn boolean<'b, 'v>(value: bool) -> CowVal<'b, 'v> {
    CowVal::owned(CelBool::from(value))
}

/// Compares two values. A server fails at a list or a map of an object and a value of another
/// kind, and not at those that an expression makes, which look the same here.
fn are_equal(args: &[CowVal<'_, '_>]) -> Result<bool, ExecutionError> {
    let [one, other] = args else { return Err(ExecutionError::missing_argument_or_target()) };
    let (kind, other_kind) = (one.get_type().kind(), other.get_type().kind());
    if matches!(kind, Kind::List | Kind::Map) && ![kind, Kind::NullType].contains(&other_kind) {
        return Err(missing("_==_"));
    }
    Ok(one == other)
}

/// Returns the first place of a text in another one from an offset on, or the last one up to it.
fn index<'b, 'v>(args: &[CowVal<'_, '_>], last: bool) -> Answer<'b, 'v> {
    let chars = |n| text(args, n).map(|text| text.chars().collect::<Vec<char>>());
    let (all, part) = (chars(0)?, chars(1)?);
    let offset = args.get(2).and_then(|arg| arg.downcast_ref::<CelInt>());
    let offset = offset.map_or(0, |offset| *offset.inner());
    let Ok(from) = usize::try_from(offset) else {
        let name = if last { "lastIndexOf" } else { "indexOf" };
        return Err(ExecutionError::function_error(name, format!("index out of range: {offset}")));
    };
    let mut places = (0..all.len()).filter(|place| all[*place..].starts_with(&part));
    let place = match (part.is_empty(), last) {
        (true, _) => Some(from.min(all.len())),
        (false, _) if from >= all.len() => None,
        (false, false) => places.find(|place| *place >= from),
        (false, true) => places.take_while(|place| *place <= from).last(),
    };
    let place = place.and_then(|place| i64::try_from(place).ok());
    Ok(CowVal::owned(CelInt::from(place.unwrap_or(-1))))
}

/// Returns the text of a value.
fn string<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    if let Some(double) = args.first().and_then(|arg| arg.downcast_ref::<CelDouble>()) {
        return Ok(texts(numbers::shown(*double.inner())));
    }
    of_interpreter("string", args)
}

/// Converts a value to a boolean. A server reads more texts than the interpreter.
fn bool<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    match text(&args, 0).ok().and_then(constants::parsed_bool) {
        Some(value) => Ok(boolean(value)),
        None => of_interpreter("bool", args),
    }
}

/// Returns the number of a text or of another number.
fn double<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    if let Ok(text) = text(&args, 0)
        && text.contains(|c: char| c.is_ascii_digit())
    {
        // A server reads hexadecimal numbers, too, and none beyond the largest.
        if text.contains(['x', 'X', '_']) {
            return Err(missing("double"));
        }
        if text.parse::<f64>().is_ok_and(f64::is_infinite) {
            return Err(ExecutionError::function_error("double", "value out of range"));
        }
    }
    of_interpreter("double", args)
}

/// Calls the interpreter's own function.
fn of_interpreter<'b, 'v>(name: &str, args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let Some(function) = environment::shared().find_overload(name, &args) else {
        let kinds = args.iter().map(|arg| arg.get_type().name().to_owned()).collect();
        return Err(ExecutionError::no_such_overload(name, kinds));
    };
    function(args)
}

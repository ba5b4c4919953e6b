//! The functions of the interpreter that differ from a server's, and those that replace them.

use cel::common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, SelectExpr, operators};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelString, DYN_TYPE, INT_TYPE, Kind, LIST_TYPE, STRING_TYPE,
};
use cel::common::value::CowVal;
use cel::{DeclarationError, Env, ExecutionError, IdedExpr};
use regex::Regex;

use super::super::{numbers, pattern};
use super::{constants, environment, format};

/// The names of the functions, with whether they are methods, and the numbers of their arguments.
const REPLACED: [(&str, bool, usize); 12] = [
    ("_==_", false, 2),
    ("_!=_", false, 2),
    ("bool", false, 1),
    ("double", false, 1),
    ("format", true, 1),
    ("indexOf", true, 2),
    ("int", false, 1),
    ("lastIndexOf", true, 2),
    ("matches", false, 2),
    ("matches", true, 1),
    ("string", false, 1),
    ("uint", false, 1),
];

/// The functions that make an optional value of a part of the object, and of a variable.
const OF_OWN_PART: &str = "@ofOwnPart";
const OF_PART: &str = "@ofPart";

type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// Replaces functions in an expression. The name of a replacement starts with `@`.
pub(super) fn replace(expression: &mut IdedExpr) {
    if let Expr::Call(call) = &mut expression.expr {
        let name = call.func_name.trim_start_matches('.');
        if let Some(replacement) = of_part(call) {
            call.func_name = replacement.to_owned();
            call.target = None;
        } else if REPLACED.contains(&(name, call.target.is_some(), call.args.len())) {
            call.func_name = format!("@{name}");
            call.args.splice(..0, call.target.take().map(|target| *target));
        }
    }
    parts_of(expression).into_iter().for_each(replace);
}

/// Lets `has` be false for each member of null, as a server does. The interpreter fails there.
pub(super) fn without_members_of_null(expression: &mut IdedExpr) {
    parts_of(expression).into_iter().for_each(without_members_of_null);
    let Expr::Select(SelectExpr { operand, test: true, .. }) = &expression.expr else { return };
    let id = expression.id;
    let part = |expr| IdedExpr { id, expr };
    let call = |name: &str, args| {
        part(Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args }))
    };
    let null = part(Expr::Literal(LiteralValue::Null));
    let no = part(Expr::Literal(LiteralValue::Boolean(false.into())));
    // Null in front: it is equal to null only, whatever the other value is.
    let is_null = call("@_==_", vec![null, (**operand).clone()]);
    let has = std::mem::take(expression);
    *expression = call(operators::CONDITIONAL, vec![is_null, no, has]);
}

/// Returns the parts of an expression that are expressions.
pub(super) fn parts_of(expression: &mut IdedExpr) -> Vec<&mut IdedExpr> {
    match &mut expression.expr {
        Expr::Call(call) => call.target.as_deref_mut().into_iter().chain(&mut call.args).collect(),
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
    }
}

/// Returns the name of the function that makes an optional value of a part of an object, if a call
/// may be one.
fn of_part(call: &CallExpr) -> Option<&'static str> {
    let space = call.target.as_deref().map(|target| &target.expr);
    let is_it = match space {
        Some(Expr::Ident(space)) => {
            space.trim_start_matches('.') == "optional" && call.func_name == "ofNonZeroValue"
        }
        Some(_) => false,
        None => call.func_name.trim_start_matches('.') == "optional.ofNonZeroValue",
    };
    let [argument] = &*call.args else { return None };
    let mut part = &argument.expr;
    loop {
        part = match part {
            Expr::Select(select) => &select.operand.expr,
            Expr::Call(call) if call.func_name == operators::INDEX => &call.args.first()?.expr,
            Expr::Ident(name) if is_it => {
                let own = matches!(name.trim_start_matches('.'), "self" | "oldSelf");
                return Some(if own { OF_OWN_PART } else { OF_PART });
            }
            _ => return None,
        };
    }
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
    env.add_overload(OF_OWN_PART, "of_own_part", vec![DYN_TYPE], |args| of_non_zero(args, true))?;
    env.add_overload(OF_PART, "of_part", vec![DYN_TYPE], |args| of_non_zero(args, false))?;
    env.add_overload("@int", "to_int", vec![DYN_TYPE], |args| integer("int", args))?;
    env.add_overload("@uint", "to_uint", vec![DYN_TYPE], |args| integer("uint", args))?;
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

/// Converts a value to an integer. Where a number has none, a server names the overflow.
fn integer<'b, 'v>(name: &str, args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let kind = args.first().map(|arg| arg.get_type().kind());
    if name == "uint" && text(&args, 0).is_ok_and(|text| text.starts_with('+')) {
        return Err(ExecutionError::function_error(name, "invalid syntax"));
    }
    of_interpreter(name, args).map_err(|error| match (error, kind) {
        (ExecutionError::FunctionError { .. }, Some(Kind::Int | Kind::UInt | Kind::Double)) => {
            let sign = if name == "uint" { "unsigned " } else { "" };
            ExecutionError::function_error(name, format!("{sign}integer overflow"))
        }
        (error, _) => error,
    })
}

/// Returns an optional value, which has none if this one is zero. To a server, no list and no map
/// of an object is. A variable's may be of an expression's making, which is zero if it is empty.
fn of_non_zero<'b, 'v>(args: Vec<CowVal<'b, 'v>>, own: bool) -> Answer<'b, 'v> {
    let Some(value) = args.first() else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    if !matches!(value.get_type().kind(), Kind::List | Kind::Map) {
        return of_interpreter("optional.ofNonZeroValue", args);
    }
    let is_empty = value.as_iterable().is_some_and(|all| all.iter().next().is_none());
    if is_empty && !own {
        return Err(missing("optional.ofNonZeroValue"));
    }
    of_interpreter("optional.of", args)
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

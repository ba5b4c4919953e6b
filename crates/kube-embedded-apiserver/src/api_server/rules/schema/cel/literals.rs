//! The literals of an expression that a server checks once the types are known.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, MapEntryExpr, MapExpr};
use k8s_openapi::jiff::civil::DateTime;

use super::super::{formats, pattern};
use super::format::Clause;
use super::types::Type;
use super::typing::{Check, Problem};

/// The points in time that a server knows, in seconds: those of the years 1 to 9999.
pub(super) const TIMES: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Checks the literals of an expression. Those that are formatted as texts may have any types.
pub(super) fn check(
    check: &Check<'_, '_>,
    expression: &IdedExpr,
    formatted: bool,
    problems: &mut Vec<Problem>,
) {
    let mut formats = formatted;
    match &expression.expr {
        Expr::List(list) if !formatted => {
            let kinds = list.elements.iter().enumerate().map(|(n, element)| {
                let kind = check.settled(element);
                let optional = list.optional_indices.contains(&n);
                (element, if optional { kind.held().0 } else { kind })
            });
            problems.extend(unlike(check, kinds));
        }
        Expr::Map(map) if !formatted => {
            let keys = entries(map).map(|entry| (&entry.key, check.settled(&entry.key)));
            problems.extend(unlike(check, keys));
            let values = entries(map).map(|entry| {
                let kind = check.settled(&entry.value);
                (&entry.value, if entry.optional { kind.held().0 } else { kind })
            });
            problems.extend(unlike(check, values));
        }
        Expr::Call(call) => {
            problems.extend(argument_problem(check, call));
            if call.func_name == "format" {
                formats = true;
                problems.extend(template(check, expression, call).err());
            }
        }
        _ => {}
    }
    for part in parts(expression) {
        self::check(check, part, formats, problems);
    }
}

fn entries(map: &MapExpr) -> impl Iterator<Item = &MapEntryExpr> {
    map.entries.iter().filter_map(|entry| match &entry.expr {
        EntryExpr::MapEntry(entry) => Some(entry),
        EntryExpr::StructField(_) => None,
    })
}

/// Returns the parts of an expression.
pub(super) fn parts(expression: &IdedExpr) -> Vec<&IdedExpr> {
    match &expression.expr {
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => entries(map).flat_map(|entry| [&entry.key, &entry.value]).collect(),
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Comprehension(all) => {
            vec![&all.iter_range, &all.accu_init, &all.loop_cond, &all.loop_step, &all.result]
        }
        _ => Vec::new(),
    }
}

/// Returns the problem of the first value of another type than the first.
fn unlike<'a, 's>(
    check: &Check<'_, '_>,
    mut values: impl Iterator<Item = (&'a IdedExpr, Type<'s>)>,
) -> Option<Problem> {
    let (_, first) = values.next()?;
    let (value, kind) = values.find(|(_, kind)| *kind != first)?;
    let (first, kind) = (first.name(), kind.name());
    Some(check.problem(value, format!("expected type '{first}' but found '{kind}'")))
}

/// Returns the problem of the first argument of a function that reads a text.
fn argument_problem(check: &Check<'_, '_>, call: &CallExpr) -> Option<Problem> {
    let name = &*call.func_name;
    let argument = call.args.first()?;
    let Expr::Literal(literal) = &argument.expr else { return None };
    let valid = match (name, literal) {
        ("duration", LiteralValue::String(text)) => is_duration(text.inner()),
        ("timestamp", LiteralValue::String(text)) => is_timestamp(text.inner()),
        ("timestamp", LiteralValue::Int(seconds)) => TIMES.contains(seconds.inner()),
        ("duration" | "timestamp", LiteralValue::Null) => false,
        // A server takes the first argument of the function for the pattern, too.
        ("matches", LiteralValue::String(text)) => pattern::compile(text.inner()).is_ok(),
        _ => true,
    };
    (!valid).then(|| check.problem(argument, format!("invalid {name} argument")))
}

pub(super) fn is_duration(text: &str) -> bool {
    text.trim_start_matches(['+', '-']) == "0" || formats::go_duration(text).is_some()
}

pub(super) fn is_timestamp(text: &str) -> bool {
    let mut text = text.to_owned();
    // A server takes an hour of one digit.
    if text.as_bytes().get(12) == Some(&b':') && text.is_char_boundary(11) {
        text.insert(11, '0');
    }
    let upper = text.as_bytes().get(10) == Some(&b'T') && !text.contains('z');
    upper && formats::is_date_time(&text) && seconds(&text).is_none_or(|n| TIMES.contains(&n))
}

/// Returns the seconds since 1970 of a point in time, which may be out of range.
fn seconds(text: &str) -> Option<i64> {
    let clock: DateTime = text.get(..19)?.parse().ok()?;
    let seconds = clock.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs();
    let Some((_, offset)) = text.get(19..)?.split_once(['+', '-']) else { return Some(seconds) };
    let (hours, minutes) = offset.split_once(':')?;
    let offset = 3600 * hours.parse::<i64>().ok()? + 60 * minutes.parse::<i64>().ok()?;
    Some(if text[19..].contains('-') { seconds + offset } else { seconds - offset })
}

/// Checks a template of a text, and the values that it formats, if both are literals.
fn template(check: &Check<'_, '_>, at: &IdedExpr, call: &CallExpr) -> Result<(), Problem> {
    let target = call.target.as_deref().map(|target| &target.expr);
    let (Some(Expr::Literal(LiteralValue::String(template))), [values]) = (target, &*call.args)
    else {
        return Ok(());
    };
    let Expr::List(values) = &values.expr else { return Ok(()) };
    let values = &values.elements;
    let problem = |problem: &str| Err(check.problem(at, problem.to_owned()));
    let mut used = 0;
    let mut rest = template.inner();
    while let Some((_, after)) = rest.split_once('%') {
        if let Some(after) = after.strip_prefix('%') {
            rest = after;
            continue;
        }
        if after.is_empty() {
            return problem("unexpected end of string");
        }
        let Some(value) = values.get(used) else {
            return problem(&format!("index {used} out of range"));
        };
        used += 1;
        let (clause, after) = Clause::read(after).map_err(|text| check.problem(at, text))?;
        let wrong = if clause.is_of_texts() {
            unprintable(check, value)
        } else {
            let kind = check.settled(value);
            (!kind.is_any() && !clause.takes(&kind)).then_some(value)
        };
        if let Some(wrong) = wrong {
            let kind = check.settled(wrong).short_name();
            return Err(check.problem(wrong, clause.problem(&kind)));
        }
        rest = after;
    }
    if values.len() > used {
        let given = values.len();
        let problem_text =
            format!("too many arguments supplied to string.format (expected {used}, got {given})");
        return problem(&problem_text);
    }
    Ok(())
}

/// Returns the value that has no text, if a value is one or a literal has one.
fn unprintable<'a>(check: &Check<'_, '_>, value: &'a IdedExpr) -> Option<&'a IdedExpr> {
    match check.settled(value) {
        Type::Object(_) | Type::Optional(_) => return Some(value),
        Type::Named(name) if !matches!(name, "timestamp" | "duration") => return Some(value),
        _ => {}
    }
    match &value.expr {
        Expr::List(_) | Expr::Map(_) => {
            parts(value).into_iter().find_map(|part| unprintable(check, part))
        }
        _ => None,
    }
}

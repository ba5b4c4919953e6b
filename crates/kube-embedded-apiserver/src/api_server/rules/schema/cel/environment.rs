//! The environments in which expressions are parsed and evaluated, by the crate `cel`.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, ListExpr, LiteralValue, operators};
use cel::common::types::{STRING_TYPE, Type as CelType};
use cel::common::value::CowVal;
use cel::parser::{Macro, MacroExprHelper};
use cel::{Env, ExecutionError, IdedExpr, ParseErrors};

use super::super::formats;
use super::literals::parts;
use super::problems::{self, Located};
use super::program::Parsed;
use super::replacements::{self, boolean, compiled, text, texts};
use super::{stack, unreadable, values};
use crate::api_server::rules::formats::is_digits;

/// The most characters of an expression.
const LONGEST_SOURCE: usize = 100_000;

/// The most levels of an expression.
const MOST_LEVELS: u16 = 250;

/// The functions of Kubernetes that this server has, each a check of a text.
const TEXT_CHECKS: [(&str, formats::Check); 3] =
    [("isIP", is_ip), ("isCIDR", is_cidr), ("isURL", formats::is_uri)];

static SHARED: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(environment()));

/// The environment of evaluated expressions.
static EVALUATED: LazyLock<Env> = LazyLock::new(|| {
    let mut env = environment();
    // A server evaluates the alternative of an optional value only if the value is absent.
    for (name, has_value) in [("or", false), ("orValue", true)] {
        let _ = env.add_macro(Macro::receiver(name, 1, move |helper, target, arguments| {
            Ok(target.take().zip(arguments.pop()).map(|(target, alternative)| {
                alternative_to(helper, target, alternative, has_value)
            }))
        }));
    }
    env
});

/// Returns the environment of the interpreter.
pub(super) fn shared() -> Arc<Env> {
    SHARED.clone()
}

/// Parses an expression. Returns the problems in a server's words.
pub(super) fn parse(source: &str) -> Result<Parsed, String> {
    let size = source.chars().count();
    if size > LONGEST_SOURCE {
        return Err(format!(
            "ERROR: <input>:-1:0: expression code point size exceeds limit: size: {size}, limit \
             {LONGEST_SOURCE}"
        ));
    }
    let parsed = stack::on_large(|| {
        let parser = |env: &Env| {
            env.parser().max_recursion_depth(MOST_LEVELS).enable_ident_escape_syntax(true)
        };
        let words = |ParseErrors { errors }: ParseErrors| {
            let located = errors.iter().map(|error| {
                let (line, column) = error.pos;
                Located { line, column, text: &error.msg }
            });
            problems::told(source, located)
        };
        let (expression, source_info) =
            parser(&SHARED).parse_with_source_info(source).map_err(words)?;
        let levels = levels(&expression);
        if levels > MOST_LEVELS {
            return Err("ERROR: <input>:-1:0: max recursion depth exceeded".to_owned());
        }
        let mut evaluated = parser(&EVALUATED).parse(source).map_err(words)?;
        replacements::replace(&mut evaluated);
        Ok(Parsed { expression, source: source_info, evaluated, levels })
    });
    parsed.unwrap_or_else(|| Err("ERROR: <input>:-1:0: the parser failed".to_owned()))
}

/// Returns the number of levels on which an expression has parts.
fn levels(expression: &IdedExpr) -> u16 {
    parts(expression).into_iter().map(levels).max().map_or(1, |most| most.saturating_add(1))
}

/// Returns the expression of an optional value or its alternative, which is that of a loop over
/// nothing: the value is its result's variable.
fn alternative_to(
    helper: &mut MacroExprHelper<'_>,
    target: IdedExpr,
    alternative: IdedExpr,
    held: bool,
) -> IdedExpr {
    let variable = || Expr::Ident("@optional".to_owned());
    let mut value = |name: Option<&str>| {
        let variable = helper.next_expr(variable());
        let Some(name) = name else { return variable };
        let (func_name, target) = (name.to_owned(), Some(Box::new(variable)));
        helper.next_expr(Expr::Call(CallExpr { func_name, target, args: Vec::new() }))
    };
    let args = vec![value(Some("hasValue")), value(held.then_some("value")), alternative];
    let func_name = operators::CONDITIONAL.to_owned();
    let result = helper.next_expr(Expr::Call(CallExpr { func_name, target: None, args }));
    let loop_cond = Expr::Literal(LiteralValue::Boolean(false.into()));
    let all = ComprehensionExpr {
        iter_range: helper.next_expr(Expr::List(ListExpr::default())),
        iter_var: "@unused".to_owned(),
        iter_var2: None,
        accu_var: "@optional".to_owned(),
        accu_init: target,
        loop_cond: helper.next_expr(loop_cond),
        loop_step: helper.next_expr(variable()),
        result,
    };
    helper.next_expr(Expr::Comprehension(Box::new(all)))
}

fn environment() -> Env {
    let mut env = Env::stdlib();
    // Of equal keys, the last one counts.
    env.set_error_on_duplicate_map_keys(false);
    // An extension that is declared already would be the only failure.
    for extension in [cel::extensions::strings, cel::extensions::lists] {
        let _ = env.add_extension(extension);
    }
    for name in values::TIMES {
        let _ = env.add_type(CelType::new_opaque_type(name));
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
            let pattern = compiled(&args, "find")?;
            let found = pattern.find(text(&args, 0)?).map_or("", |found| found.as_str());
            Ok(texts(found.to_owned()))
        },
    );
    let _ = replacements::add(&mut env);
    let _ = unreadable::add(&mut env);
    env
}

fn check_text<'b, 'v>(
    check: usize,
    args: &[CowVal<'b, 'v>],
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let (_, holds) = TEXT_CHECKS[check];
    Ok(boolean(holds(text(args, 0)?)))
}

/// Returns whether a text is an address without a zone, and none of version 4 in version 6.
fn is_ip(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok_and(|address| match address {
        IpAddr::V4(_) => true,
        IpAddr::V6(address) => address.to_ipv4_mapped().is_none(),
    })
}

/// Returns whether a text is a range of such addresses.
fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = if address.contains(':') { 128 } else { 32 };
    let plain = is_digits(bits) && (bits == "0" || !bits.starts_with('0'));
    is_ip(address) && plain && bits.parse::<u8>().is_ok_and(|bits| bits <= most)
}

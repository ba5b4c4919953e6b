//! Checks of numbers: limits, multiples, and the range of their type and format.

use serde_json::Value;

use super::check::FieldNames;
use super::{flag, formats};
use crate::api_server::failure::Cause;

/// A number as a server decodes it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    pub(super) fn of(number: &serde_json::Number) -> Self {
        match number.as_i64() {
            Some(integer) => Self::Integer(integer),
            None => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    /// Returns a number of a schema, where a server has no fraction of zero.
    pub(super) fn of_schema(number: &serde_json::Number) -> Self {
        let number = Self::of(number);
        whole(number).map_or(number, Self::Integer)
    }

    #[expect(clippy::cast_precision_loss, reason = "limits are floating-point numbers")]
    fn float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    /// Returns the number as a server prints it.
    pub(super) fn shown(self) -> String {
        match self {
            Self::Integer(integer) => integer.to_string(),
            Self::Float(float) => shown(float),
        }
    }
}

/// Returns a value as a server shows it in a message.
pub(super) fn shown_value(value: &Value) -> String {
    match value {
        Value::Number(number) => Number::of(number).shown(),
        value => value.to_string(),
    }
}

/// Returns whether a number counts as an integer: it is whole, up to a tiny relative error.
pub(super) fn is_whole(float: f64) -> bool {
    const MOST: f64 = 9_007_199_254_740_991.0;
    if !float.is_finite() || float.abs() > MOST {
        return false;
    }
    let rounded = float.round();
    (float - rounded).abs() <= 1e-9 * rounded.abs()
}

/// Adds the problems of a number.
pub(super) fn check(
    schema: &Value,
    names: &FieldNames<'_>,
    number: Number,
    causes: &mut Vec<Cause>,
) {
    let range = Range::of(schema);
    causes.extend(range.problem("Checked", number, names));
    if let Some(factor) = schema["multipleOf"].as_f64() {
        let outside = range.problem("MultipleOf", limit(&schema["multipleOf"]), names);
        let exact = outside.is_none();
        causes.extend(outside);
        let integers = match number {
            Number::Integer(number) if exact => Some((number, truncated(factor))),
            _ => None,
        };
        if integers.map_or(factor <= 0.0, |(_, factor)| factor <= 0) {
            let factor = shown_limit(factor, integers.is_some());
            let problem =
                format!("factor MultipleOf declared for {} must be positive: {factor}", names.name);
            causes.push(Cause::invalid_raw(&names.field, &factor, &problem));
        } else if !is_multiple(number, factor, integers) {
            let factor = shown_limit(factor, integers.is_some());
            let problem = format!("should be a multiple of {factor}");
            causes.push(names.invalid(&number.shown(), &problem));
        }
    }
    for (name, exclusive, boundary, words) in [
        ("minimum", "exclusiveMinimum", "Minimum boundary", ["greater than", "or equal to"]),
        ("maximum", "exclusiveMaximum", "Maximum boundary", ["less than", "or equal to"]),
    ] {
        let Some(bound) = schema[name].as_f64() else { continue };
        let outside = range.problem(boundary, limit(&schema[name]), names);
        let integer = matches!(number, Number::Integer(_)) && outside.is_none();
        causes.extend(outside);
        let exclusive = flag(schema, exclusive);
        if exceeds(number, bound, integer, exclusive, name == "maximum") {
            let bound = shown_limit(bound, integer);
            let words = if exclusive { words[0].to_owned() } else { words.join(" ") };
            causes.push(names.invalid(&number.shown(), &format!("should be {words} {bound}")));
        }
    }
}

fn is_multiple(number: Number, factor: f64, integers: Option<(i64, i64)>) -> bool {
    match integers {
        Some((number, factor)) => number.checked_rem(factor).is_none_or(|rest| rest == 0),
        None if factor < 1.0 => is_whole(1.0 / factor * number.float()),
        None => is_whole(number.float() / factor),
    }
}

/// Returns whether a number is beyond a limit. Integers are compared as integers.
fn exceeds(number: Number, bound: f64, integer: bool, exclusive: bool, above: bool) -> bool {
    let order = match number {
        Number::Integer(number) if integer => Some(number.cmp(&truncated(bound))),
        number => number.float().partial_cmp(&bound),
    };
    match order {
        Some(std::cmp::Ordering::Equal) => exclusive,
        Some(std::cmp::Ordering::Greater) => above,
        Some(std::cmp::Ordering::Less) => !above,
        None => false,
    }
}

fn limit(value: &Value) -> Number {
    // Limits are decoded as floating-point numbers, whatever their notation.
    Number::Float(value.as_f64().unwrap_or(f64::NAN))
}

#[expect(clippy::cast_possible_truncation, reason = "it saturates")]
pub(super) fn truncated(float: f64) -> i64 {
    float as i64
}

fn shown_limit(float: f64, integer: bool) -> String {
    if integer { truncated(float).to_string() } else { shown(float) }
}

/// Returns a floating-point number as Go prints it: with an exponent from a million on.
pub(super) fn shown(float: f64) -> String {
    if float.is_infinite() {
        return if float > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let text = format!("{float:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    match exponent.parse::<i32>() {
        Ok(-4..6) | Err(_) => float.to_string(),
        Ok(exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.abs())
        }
    }
}

/// The range of a schema's type and format.
struct Range<'a> {
    kind: &'a str,
    format: &'a str,
}

impl<'a> Range<'a> {
    fn of(schema: &'a Value) -> Self {
        let int_or_string = flag(schema, "x-kubernetes-int-or-string");
        let kind = schema["type"].as_str().filter(|_| !int_or_string).unwrap_or_default();
        let numeric = matches!(kind, "integer" | "number");
        Self { kind, format: formats::known(schema).filter(|_| numeric).unwrap_or_default() }
    }

    fn problem(&self, what: &str, number: Number, names: &FieldNames<'_>) -> Option<Cause> {
        let fits = match (self.kind, self.format) {
            ("integer", "int32") => whole(number).is_some_and(|n| i32::try_from(n).is_ok()),
            ("integer", _) => whole(number).is_some(),
            ("number", "float") => number.float().abs() <= f64::from(f32::MAX),
            _ => true,
        };
        if fits {
            return None;
        }
        let kind = self.kind;
        let form = match self.format {
            "" => "(default format)".to_owned(),
            format => format!("with format {format}"),
        };
        let problem = format!("{what} value must be of type {kind} {form} in {}", names.name);
        Some(Cause::invalid(names.above, "", &problem))
    }
}

/// Returns the integer that a number is, if it is one without any fraction.
fn whole(number: Number) -> Option<i64> {
    match number {
        Number::Integer(integer) => Some(integer),
        Number::Float(float) => {
            let fits = float.fract() == 0.0 && float.abs() < 9_223_372_036_854_775_808.0;
            fits.then(|| truncated(float))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_shown_as_go_does() {
        for (float, expected) in [
            (0.0, "0"),
            (-1.25, "-1.25"),
            (1e5, "100000"),
            (1e6, "1e+06"),
            (1.5e-5, "1.5e-05"),
            (f64::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(shown(float), expected);
        }
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        assert!(is_whole(2.0) && is_whole(0.0) && is_whole(-3.0));
        assert!(!is_whole(1.5) && !is_whole(1e20) && !is_whole(f64::NAN));
        // Products of a decimal fraction lie on either side of a whole number.
        assert!(is_whole(1.0 / 0.01 * 4.35) && is_whole(1.0 / 0.1 * -0.3));
        assert!(is_whole(3.000_000_000_000_1) && is_whole(2.999_999_999_999_9));
        assert!(!is_whole(1e-10) && !is_whole(2.999_999));
    }
}

//! Quantities: `500m`, `1Gi`, `1e3`.
//!
//! A quantity is a decimal number with a suffix. A server stores its canonical form: the largest
//! suffix of the same family that leaves no fraction. Fractions of a billionth are rounded up.
//!
//! `kube_quantity` would save 100 lines, for five more crates and 12 s to compile on one core. Its
//! decimals have 28 digits, and the canonical form would still be made here.

use std::cmp::Ordering;

/// The message for a text that is not a quantity.
pub(crate) const PROBLEM: &str = "quantities must match the regular expression \
    '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// The number of billionths in one.
const NANO: i128 = 1_000_000_000;
/// The largest whole number that a quantity holds.
const MOST: i128 = i64::MAX as i128;
const DECIMAL: &[(&str, u32)] = &[
    ("n", 0),
    ("u", 3),
    ("m", 6),
    ("", 9),
    ("k", 12),
    ("M", 15),
    ("G", 18),
    ("T", 21),
    ("P", 24),
    ("E", 27),
];
const BINARY: &[&str] = &["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The family of suffixes in which a quantity was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Decimal,
    Binary,
    /// A decimal exponent: `1e3`.
    Exponent,
}

/// A parsed quantity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    nanos: i128,
    family: Family,
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.nanos.partial_cmp(&other.nanos)
    }
}

impl Quantity {
    /// Parses a quantity. Returns `None` if the text is not a quantity.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let (scale, family) = scale(suffix)?;
        let mut nanos = scaled(whole, fraction, scale)?;
        nanos = nanos.min(MOST * NANO);
        Some(Self { nanos: if negative { -nanos } else { nanos }, family })
    }

    /// Parses a quantity that a body holds as a text or as a number.
    pub(crate) fn of(value: &serde_json::Value) -> Option<Self> {
        match value {
            serde_json::Value::String(text) => Self::parse(text),
            serde_json::Value::Number(number) => Self::parse(&number.to_string()),
            _ => None,
        }
    }

    pub(crate) fn is_negative(self) -> bool {
        self.nanos < 0
    }

    pub(crate) fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Returns whether the quantity has no fraction.
    pub(crate) fn is_whole(self) -> bool {
        self.nanos % NANO == 0
    }

    /// Adds another quantity. The sum has the suffixes of the first one.
    pub(crate) fn plus(self, other: Self) -> Self {
        let family = if self.is_zero() { other.family } else { self.family };
        Self { nanos: self.nanos.saturating_add(other.nanos), family }
    }

    /// Takes another quantity away. The rest has the suffixes of the first one.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self { nanos: self.nanos.saturating_sub(other.nanos), ..self }
    }

    /// Returns the nearest floating-point number.
    #[expect(clippy::cast_precision_loss, reason = "ratios are shown with six digits")]
    pub(crate) fn as_f64(self) -> f64 {
        self.nanos as f64 / NANO as f64
    }

    /// Returns a quantity of whole things.
    pub(crate) fn count(number: i64) -> Self {
        Self { nanos: i128::from(number) * NANO, family: Family::Decimal }
    }

    /// Returns the canonical form.
    pub(crate) fn canonical(self) -> String {
        if self.nanos == 0 {
            return "0".to_owned();
        }
        let small = self.nanos.abs() < 1024 * NANO;
        match self.family {
            Family::Binary if !small => self.binary(),
            Family::Exponent => self.decimal(|exponent| match exponent {
                0 => String::new(),
                exponent => format!("e{exponent}"),
            }),
            _ => self.decimal(|exponent| {
                let at = DECIMAL.iter().find(|(_, scale)| i64::from(*scale) - 9 == exponent);
                at.map_or_else(String::new, |(suffix, _)| (*suffix).to_owned())
            }),
        }
    }

    fn decimal(self, suffix: impl Fn(i64) -> String) -> String {
        let (mut number, mut exponent) = (self.nanos, -9_i64);
        while number % 1000 == 0 && exponent < 18 {
            number /= 1000;
            exponent += 3;
        }
        format!("{number}{}", suffix(exponent))
    }

    fn binary(self) -> String {
        let up = self.nanos % NANO != 0 && self.nanos > 0;
        let mut number = self.nanos / NANO + i128::from(up);
        let mut at = 0;
        while number % 1024 == 0 && at + 1 < BINARY.len() {
            number /= 1024;
            at += 1;
        }
        format!("{number}{}", BINARY[at])
    }
}

/// The factor of a suffix.
#[derive(Clone, Copy, Debug)]
enum Scale {
    /// A power of ten, in billionths.
    Ten(i32),
    /// A power of 1024.
    Kibi(u32),
}

fn scale(suffix: &str) -> Option<(Scale, Family)> {
    if let Some((_, scale)) = DECIMAL.iter().find(|(known, _)| *known == suffix) {
        return Some((Scale::Ten(i32::try_from(*scale).ok()?), Family::Decimal));
    }
    if let Some(power) = BINARY.iter().position(|known| *known == suffix) {
        return Some((Scale::Kibi(u32::try_from(power).ok()?), Family::Binary));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let exponent: i32 =
        digits.parse().ok().map(|n: i32| if exponent.starts_with('-') { -n } else { n })?;
    Some((Scale::Ten(exponent.checked_add(9)?), Family::Exponent))
}

/// Returns the value in billionths, rounded up. A value over the maximum is the maximum.
fn scaled(whole: &str, fraction: &str, scale: Scale) -> Option<i128> {
    let digits: String = whole.chars().chain(fraction.chars()).collect();
    let digits = digits.trim_start_matches('0');
    let places = i32::try_from(fraction.len()).ok()?;
    let (power, factor) = match scale {
        Scale::Ten(power) => (power, 1),
        Scale::Kibi(power) => (9, 1024_i128.pow(power)),
    };
    let shift = power.checked_sub(places)?;
    if digits.is_empty() {
        return Some(0);
    }
    let length = i32::try_from(digits.len()).ok()?;
    if length.saturating_add(shift) > 29 {
        return Some(MOST * NANO);
    }
    // More digits than this are below a billionth, whatever the suffix.
    let kept = digits.len().min(37);
    let lost = &digits[kept..];
    let mut number: i128 = digits[..kept].parse().ok()?;
    let shift = shift.saturating_add(i32::try_from(lost.len()).ok()?);
    let mut rest = lost.bytes().any(|digit| digit != b'0');
    let exact = number.checked_mul(factor);
    number = match exact {
        Some(exact) => exact,
        None => return Some(MOST * NANO),
    };
    if shift >= 0 {
        number = number.checked_mul(10_i128.checked_pow(shift.unsigned_abs())?)?;
    } else {
        let divisor = 10_i128.checked_pow(shift.unsigned_abs()).unwrap_or(i128::MAX);
        rest |= number % divisor != 0;
        number /= divisor;
    }
    Some(number + i128::from(rest))
}

#[cfg(test)]
mod tests {
    use super::Quantity;

    #[test]
    fn canonical_form_has_the_largest_suffix() {
        for (given, expected) in [
            ("1", "1"),
            ("1000", "1k"),
            ("1024Mi", "1Gi"),
            ("0.5", "500m"),
            ("100m", "100m"),
            ("1000m", "1"),
            ("1073741824", "1073741824"),
            ("0.5Gi", "512Mi"),
            ("1e3", "1e3"),
            ("12e2", "1200"),
            ("-1.5", "-1500m"),
            ("0", "0"),
            ("0Gi", "0"),
            ("0.0000000001", "1n"),
            ("512Ki", "512Ki"),
            ("1.5Ki", "1536"),
            ("100Ei", "9223372036854775807"),
            (".5", "500m"),
        ] {
            let found = Quantity::parse(given).map(Quantity::canonical);
            assert_eq!(found.as_deref(), Some(expected), "{given}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for given in ["", "abc", "1x", "1.2.3", "-", "1e", "Gi", "1 ", "e3", "1Kii"] {
            assert!(Quantity::parse(given).is_none(), "{given}");
        }
        let long = "9".repeat(10_000);
        assert_eq!(Quantity::parse(&long).unwrap().canonical(), "9223372036854775807");
        let tiny = format!("0.{}1", "0".repeat(10_000));
        assert_eq!(Quantity::parse(&tiny).unwrap().canonical(), "1n");
    }

    #[test]
    fn suffixes_do_not_matter_to_comparisons() {
        assert!(Quantity::parse("1Gi") > Quantity::parse("1G"));
        assert_eq!(Quantity::parse("1000m"), Quantity::parse("1"));
    }
}

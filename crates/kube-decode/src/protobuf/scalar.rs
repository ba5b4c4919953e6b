//! Values whose JSON text differs from their bytes on the wire.
//!
//! They are written exactly as Go's JSON encoding writes them, so that a type cannot tell the two
//! encodings apart.

use std::borrow::Cow;

use super::wire::{Cursor, last};
use crate::error::{Error, Result};
use crate::json::Number;
use crate::text::Text;

/// The range of seconds whose year has four digits.
pub(crate) const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

const DAY: i64 = 86_400;

/// The number of nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;

/// Reads a text. Each byte that is not UTF-8 becomes a replacement character.
#[doc(hidden)]
#[inline]
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(replaced(bytes)),
    }
}

#[cold]
fn replaced(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

/// Encodes bytes as base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |n: usize| u32::from(three.get(n).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * n) & 63) as usize];
            text.push(if n <= three.len() { digit.into() } else { '=' });
        }
    }
    text
}

/// Formats a time as RFC 3339 in UTC, with seconds or microseconds. `None` if the message is empty.
///
/// As in Go, seconds count any number of nanoseconds, and a year may have any number of digits.
pub(super) fn time(message: &Cursor<'_>, micro: bool) -> Result<Option<Text<'static>>> {
    let (mut seconds, mut nanos, mut cursor) = (0, 0, message.clone());
    let mut empty = true;
    while let Some(field) = cursor.next()? {
        empty = false;
        match field.number {
            1 => seconds = field.int()?,
            2 => nanos = field.int()?,
            _ => {}
        }
    }
    if empty {
        return Ok(None);
    }
    let micros = micro.then(|| {
        seconds = seconds.saturating_add(nanos.div_euclid(SECOND));
        nanos.rem_euclid(SECOND) / 1000
    });
    Ok(Some(if SECONDS.contains(&seconds) {
        Text::Time(Stamp::new(seconds, micros))
    } else {
        Text::Owned(long_time(seconds, micros))
    }))
}

/// Formats a time whose year has not just four digits.
#[cold]
fn long_time(seconds: i64, micros: Option<i64>) -> String {
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let (minutes, second) = (seconds.rem_euclid(DAY) / 60, seconds.rem_euclid(60));
    let (sign, year) = (if year < 0 { "-" } else { "" }, year.abs());
    let micros = micros.map(|micros| format!(".{micros:06}")).unwrap_or_default();
    let (hour, minute) = (minutes / 60, minutes % 60);
    format!("{sign}{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{micros}Z")
}

/// The text of a time, without an allocation, because most are parsed and dropped at once.
#[derive(Debug)]
pub(crate) struct Stamp {
    text: [u8; 27],
    length: usize,
}

impl Stamp {
    fn new(seconds: i64, micros: Option<i64>) -> Self {
        let (year, month, day) = date(seconds.div_euclid(DAY));
        let of_day = seconds.rem_euclid(DAY);
        let mut stamp = Self { text: *b"0000-00-00T00:00:00.000000Z", length: 27 };
        for (end, value) in [
            (4, year),
            (7, month),
            (10, day),
            (13, of_day / 3600),
            (16, of_day / 60 % 60),
            (19, of_day % 60),
        ] {
            stamp.put(end, value);
        }
        if let Some(micros) = micros {
            stamp.put(26, micros);
        } else {
            stamp.length = 20;
            stamp.text[19] = b'Z';
        }
        stamp
    }

    /// Writes the digits of a number, so that they end before `end`.
    fn put(&mut self, mut end: usize, mut value: i64) {
        while value > 0 {
            end -= 1;
            self.text[end] = b"0123456789"[usize::try_from(value % 10).unwrap_or_default()];
            value /= 10;
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[..self.length]).unwrap_or_default()
    }
}

/// Returns year, month and day of a day since 1970, in the Gregorian calendar. Eras of 400 years
/// are counted from the first of March, so that a leap day is the last day of its year.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (400 * era + year_of_era + i64::from(month <= 2), month, day)
}

/// Reads the text of a quantity. An empty one is zero.
pub(super) fn quantity(message: Cursor<'_>) -> Result<Cow<'_, str>> {
    match last(message, 1)? {
        Some(field) => Ok(text(field.bytes()?)),
        None => Ok(Cow::Borrowed("0")),
    }
}

/// A number or a text.
#[derive(Debug, PartialEq)]
pub(super) enum IntOrString<'a> {
    Int(i64),
    String(Cow<'a, str>),
}

pub(super) fn int_or_string<'a>(message: &Cursor<'a>) -> Result<IntOrString<'a>> {
    let int = |number| last(message.clone(), number)?.map_or(Ok(0), |field| field.int());
    match int(1)? {
        0 => Ok(IntOrString::Int(int(2)?)),
        1 => {
            let field = last(message.clone(), 3)?;
            let bytes = field.map_or(Ok(&b""[..]), |field| field.bytes())?;
            Ok(IntOrString::String(text(bytes)))
        }
        _ => Err(Error::new("the value is neither a number nor a text", message.offset())),
    }
}

/// Returns the number that JSON has for a floating point number.
///
/// Go writes a whole number below 10^21 without a decimal point, in its shortest digits. Rust's
/// texts have the same digits.
#[expect(clippy::float_cmp, reason = "whether it is a whole number is a matter of equality")]
pub(super) fn json_number(value: f64) -> Number {
    let whole = value.abs() < 1e21 && value.trunc() == value;
    let read = if whole { serde_json::from_str(&value.to_string()).ok() } else { None };
    read.unwrap_or(Number::Float(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::super::encode::int;
    use super::*;

    fn stamp(seconds: i64, nanos: i64) -> Vec<u8> {
        [int(1, seconds), int(2, nanos)].concat()
    }

    fn written(seconds: i64, nanos: i64, micro: bool) -> Option<String> {
        let text = time(&Cursor::new(&stamp(seconds, nanos), 0), micro).ok().flatten();
        text.map(|text| text.as_str().to_owned())
    }

    #[test]
    fn times_are_written_as_go_writes_them() {
        for (seconds, nanos, micro, text) in [
            (0, 0, false, "1970-01-01T00:00:00Z"),
            (951_782_400, 5, false, "2000-02-29T00:00:00Z"),
            (951_868_799, 123_456_789, true, "2000-02-29T23:59:59.123456Z"),
            (-1, 0, true, "1969-12-31T23:59:59.000000Z"),
            (*SECONDS.start(), 0, false, "0001-01-01T00:00:00Z"),
            (*SECONDS.end(), 999_999_999, true, "9999-12-31T23:59:59.999999Z"),
            (SECONDS.end() + 1, 0, false, "10000-01-01T00:00:00Z"),
            (SECONDS.start() - 1, 1, true, "0000-12-31T23:59:59.000000Z"),
            (-62_167_219_201, 0, false, "-0001-12-31T23:59:59Z"),
            (i64::MAX, i64::MAX, true, "292277026596-12-04T15:30:07.854775Z"),
            (i64::MIN, 0, false, "-292277022657-01-27T08:29:52Z"),
            (0, 1_000_000_000, true, "1970-01-01T00:00:01.000000Z"),
            (0, -1, true, "1969-12-31T23:59:59.999999Z"),
            (0, -1, false, "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(written(seconds, nanos, micro).as_deref(), Some(text));
        }
        assert!(time(&Cursor::new(b"", 0), false).unwrap().is_none());
    }

    #[test]
    fn invalid_utf8_is_replaced_byte_by_byte() {
        assert_eq!(text(b"a\xe4\xb8z\xff"), "a\u{fffd}\u{fffd}z\u{fffd}");
    }

    #[test]
    fn bytes_are_written_in_base64() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    /// Checks that a floating point number becomes the same value as its text in JSON.
    fn reads_like_json(value: f64) {
        let number = match json_number(value) {
            Number::Unsigned(value) => Value::from(value),
            Number::Signed(value) => Value::from(value),
            Number::Float(value) => Value::from(value),
        };
        let written = value.to_string();
        assert_eq!(number, crate::json::<Value>(written.as_bytes()).unwrap(), "{written}");
    }

    #[test]
    fn whole_numbers_are_those_of_json() {
        let from_two_to_the_53 = (53..70).map(|power| 2_f64.powi(power));
        for value in from_two_to_the_53.chain([0.0, -0.0, 1.0, 1.5, 9e15, 1e19, 9.9e20]) {
            reads_like_json(value);
            reads_like_json(-value);
        }
        for value in [-0.0, 1e21, 1e300, f64::NAN, f64::INFINITY] {
            assert!(matches!(json_number(value), Number::Float(_)), "{value}");
        }
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn any_whole_number_is_that_of_json(digits in any::<i64>(), power in 0..12) {
            #[expect(clippy::cast_precision_loss, reason = "any number will do")]
            let value = digits as f64 * 2_f64.powi(power - 4);
            if value.abs() < 1e21 && value.fract() == 0.0 {
                reads_like_json(value);
            }
        }

        #[test]
        fn any_time_is_read_back(
            seconds in prop_oneof![any::<i64>(), -100_000_000_000..400_000_000_000i64],
            nanos in 0..SECOND,
        ) {
            let text = written(seconds, nanos, true).unwrap();
            let micros = i32::try_from(nanos / 1000 * 1000).unwrap();
            prop_assert_eq!(crate::time::parts(&text), Some((seconds.into(), micros)), "{}", text);
        }

        #[test]
        fn times_equal_those_of_another_library(seconds in SECONDS) {
            let text = written(seconds, 0, false).unwrap();
            let parsed: k8s_openapi::jiff::Timestamp = text.parse().unwrap();
            prop_assert_eq!(parsed.as_second(), seconds);
        }
    }
}

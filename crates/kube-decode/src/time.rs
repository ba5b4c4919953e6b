//! Times that Go can hold and a [`Timestamp`] cannot, or that it reads in another form.
//!
//! Go's years have no end, and "never" is often written as the last second of the year 9999. A
//! `Timestamp` ends a day earlier.

use std::cell::Cell;

use k8s_openapi::jiff::Timestamp;

/// The time that Go writes as null.
pub(crate) const ZERO: &str = "0001-01-01T00:00:00Z";

/// The first and the last time that a `Timestamp` holds, in whole seconds.
const EARLIEST: &str = "-009999-01-02T01:59:59Z";
const LATEST: &str = "9999-12-30T22:00:00Z";

/// The years and the seconds after which the calendar repeats.
const CYCLE: (i64, i128) = (400, 146_097 * 86_400);

thread_local! {
    /// True if a time was clamped on this thread.
    static WAS_CLAMPED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function that decodes. Also returns whether it read a time as the nearest one that its
/// type holds.
pub fn watched<T>(decode: impl FnOnce() -> T) -> (T, bool) {
    WAS_CLAMPED.set(false);
    let decoded = decode();
    (decoded, WAS_CLAMPED.get())
}

/// Returns whether a text has the form in which servers write times, and lies within the range.
pub(crate) fn is_usual(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes.len(), 20 | 27)
        && bytes[0].is_ascii_digit()
        && bytes[4] == b'-'
        && bytes[bytes.len() - 1] == b'Z'
        && &bytes[..10] < b"9999-12-30".as_slice()
}

/// Returns the text by which a `Timestamp` is read as an unusual time, or as the nearest one that
/// it holds. `None` if the text is right as it is, or no time.
#[cold]
pub(crate) fn readable(text: &str) -> Option<String> {
    if text.parse::<Timestamp>().is_ok() {
        return None;
    }
    let (seconds, nanos) = parts(text)?;
    let exact = i64::try_from(seconds).ok().and_then(|second| Timestamp::new(second, nanos).ok());
    Some(exact.map_or_else(
        || {
            WAS_CLAMPED.set(true);
            if seconds < 0 { EARLIEST.to_owned() } else { LATEST.to_owned() }
        },
        |time| time.to_string(),
    ))
}

/// Returns whether a text is a time that no `Timestamp` holds.
#[cold]
pub(crate) fn is_clamped(text: &str) -> bool {
    watched(|| readable(text)).1
}

/// Returns the seconds since 1970 of a time, and the nanoseconds after them. Digits beyond these
/// are left out, as Go does. A year has at least four digits, or a sign and three, as `Time` writes
/// it.
pub(crate) fn parts(text: &str) -> Option<(i128, i32)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (year, rest) = unsigned.split_at_checked(unsigned.find('-')?)?;
    let shortest = if unsigned.len() < text.len() { 3 } else { 4 };
    if !(shortest..=12).contains(&year.len()) || !year.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let year: i64 = year.parse().ok()?;
    let year = if unsigned.len() < text.len() { -year } else { year };
    let (mut rest, zone) =
        rest.split_at_checked(rest.find(['Z', 'z', '+']).or(rest.rfind('-'))?)?;
    if let Some(point) = rest.find(['.', ',']) {
        rest = rest.get(..rest.len().min(point + 10))?;
    }
    // A year of the same calendar.
    let alike = 2000 + year.rem_euclid(CYCLE.0);
    let time: Timestamp = format!("{alike}{rest}{zone}").parse().ok()?;
    let cycles = i128::from((year - alike) / CYCLE.0);
    // Before 1970, the fraction also counts forward from the second before.
    let (nanos, second) = (time.as_nanosecond(), 1_000_000_000);
    let fraction = i32::try_from(nanos.rem_euclid(second)).ok()?;
    Some((nanos.div_euclid(second) + cycles * CYCLE.1, fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the time as which a text is read, and whether that is another one.
    fn read(text: &str) -> (Option<Timestamp>, bool) {
        let (found, clamped) = watched(|| if is_usual(text) { None } else { readable(text) });
        (found.as_deref().unwrap_or(text).parse().ok(), clamped)
    }

    #[test]
    fn times_outside_of_the_range_are_clamped() {
        for (text, bound) in [
            ("9999-12-30T22:00:01Z", LATEST),
            ("9999-12-31T23:59:59Z", LATEST),
            ("9999-12-31T23:59:59.999999Z", LATEST),
            ("9999-12-31T00:00:00+01:00", LATEST),
            ("9999-12-29T23:59:59.1-23:59", LATEST),
            ("10000-01-01T04:59:59Z", LATEST),
            ("292277026596-12-04T15:30:07Z", LATEST),
            ("-9999-01-01T00:00:00Z", EARLIEST),
            ("-292277022399-01-01T00:00:00Z", EARLIEST),
        ] {
            assert_eq!(read(text), (bound.parse().ok(), true), "{text}");
        }
    }

    #[test]
    fn times_within_the_range_are_exact() {
        for (text, exact) in [
            ("9999-12-30T22:00:00Z", LATEST),
            ("9999-12-30T21:59:59Z", "9999-12-30T21:59:59Z"),
            ("9999-12-31T20:00:00+23:00", "9999-12-30T21:00:00Z"),
            (ZERO, ZERO),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("-0001-12-31T19:00:00Z", "-000001-12-31T19:00:00Z"),
            ("-001-12-31T19:00:00Z", "-000001-12-31T19:00:00Z"),
            ("2020-02-29T00:00:00-07:30", "2020-02-29T07:30:00Z"),
            ("2020-02-29T00:00:00.1234567891234Z", "2020-02-29T00:00:00.123456789Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ] {
            assert_eq!(read(text), (exact.parse().ok(), false), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "-",
            "Z",
            "never",
            "9999",
            "9999-12-31",
            "9999-13-31T00:00:00Z",
            "99999-02-30T00:00:00Z",
            "10000-01-01T00:00:00",
            "999-01-01T00:00:00Z",
            "-99-01-01T00:00:00Z",
            "9999-12-31T24:00:00Z",
            "é999-12-31T00:00:00Z",
            "1234567890123-01-01T00:00:00Z",
            "10000-01-01T00:00:00.Z",
            "-é",
        ] {
            assert_eq!(read(text), (None, false), "{text}");
        }
    }
}

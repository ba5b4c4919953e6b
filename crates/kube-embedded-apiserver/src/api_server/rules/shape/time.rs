//! The format of times, with the messages of Go's parser.

/// The digits after the second that a time has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fraction {
    /// Any number of them, or none.
    Any,
    /// Exactly six.
    Micros,
}

impl Fraction {
    /// Returns the layout in Go's terms.
    fn layout(self) -> &'static str {
        match self {
            Self::Any => "2006-01-02T15:04:05Z07:00",
            Self::Micros => "2006-01-02T15:04:05.000000Z07:00",
        }
    }
}

/// The number of digits of microseconds.
const MICROS: usize = 6;

/// The parts of the layout up to the second: a number of this many digits within limits, or a
/// separator.
const PARTS: [(&str, usize, u32, u32); 11] = [
    ("2006", 4, 0, 9999),
    ("-", 0, 0, 0),
    ("01", 2, 1, 12),
    ("-", 0, 0, 0),
    ("02", 2, 1, 31),
    ("T", 0, 0, 0),
    ("15", 2, 0, 23),
    (":", 0, 0, 0),
    ("04", 2, 0, 59),
    (":", 0, 0, 0),
    ("05", 2, 0, 59),
];

/// The names of the numbers in messages, by their place in [`PARTS`].
const NAMES: [(usize, &str); 5] =
    [(2, "month"), (4, "day"), (6, "hour"), (8, "minute"), (10, "second")];

/// Checks a time. Fails with Go's message.
pub(super) fn check(text: &str, fraction: Fraction) -> Result<(), String> {
    let problem = |text: &str, problem: &str| of_layout(text, fraction, problem);
    let mut rest = text;
    let mut numbers = [0; PARTS.len()];
    for (at, (layout, digits, least, most)) in PARTS.iter().enumerate() {
        let cannot = || problem(text, &format!("cannot parse {rest:?} as {layout:?}"));
        if *digits == 0 {
            rest = rest.strip_prefix(layout).ok_or_else(cannot)?;
            continue;
        }
        let number = rest.get(..*digits).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
        let number = number.and_then(|part| part.parse::<u32>().ok()).ok_or_else(cannot)?;
        if number < *least || number > *most {
            let name = NAMES.iter().find(|(of, _)| *of == at).map_or("", |(_, name)| name);
            return Err(out_of_range(text, name));
        }
        numbers[at] = number;
        rest = &rest[*digits..];
    }
    if numbers[4] > days(numbers[0], numbers[2]) {
        return Err(out_of_range(text, "day"));
    }
    let digits = rest.strip_prefix(['.', ',']);
    let end = digits.map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    match (fraction, digits) {
        (Fraction::Any, Some(digits)) if end > 0 => rest = &digits[end..],
        (Fraction::Any, _) => {}
        // A seventh digit is taken for the time zone.
        (Fraction::Micros, Some(digits)) if end >= MICROS => rest = &digits[MICROS..],
        (Fraction::Micros, _) => {
            return Err(problem(text, &format!("cannot parse {rest:?} as \".000000\"")));
        }
    }
    zone(text, fraction, rest)
}

fn zone(text: &str, fraction: Fraction, rest: &str) -> Result<(), String> {
    let extra = |rest: &str| match rest {
        "" => Ok(()),
        rest => Err(format!("parsing time {text:?}: extra text: {rest:?}")),
    };
    if let Some(rest) = rest.strip_prefix('Z') {
        return extra(rest);
    }
    let offset = rest.as_bytes();
    let number = |at: usize| {
        let digits = rest.get(at..at + 2)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok())?
    };
    let formed = offset.len() >= 6 && matches!(offset[0], b'+' | b'-') && offset[3] == b':';
    match (formed, number(1), number(4)) {
        (true, Some(hours), Some(_)) if hours > 24 => {
            Err(out_of_range(text, "time zone offset hour"))
        }
        (true, Some(_), Some(minutes)) if minutes > 60 => {
            Err(out_of_range(text, "time zone offset minute"))
        }
        (true, Some(_), Some(_)) => extra(&rest[6..]),
        _ => Err(of_layout(text, fraction, &format!("cannot parse {rest:?} as \"Z07:00\""))),
    }
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn out_of_range(text: &str, name: &str) -> String {
    format!("parsing time {text:?}: {name} out of range")
}

fn of_layout(text: &str, fraction: Fraction, problem: &str) -> String {
    format!("parsing time {text:?} as {:?}: {problem}", fraction.layout())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_checked_as_go_does() {
        for good in ["2026-11-22T01:48:05Z", "2024-02-29T23:59:59.123456+01:00"] {
            assert_eq!(check(good, Fraction::Any), Ok(()));
        }
        let as_layout = |text: &str, rest: &str, part: &str| {
            of_layout(text, Fraction::Any, &format!("cannot parse {rest:?} as {part:?}"))
        };
        for (bad, problem) in [
            ("", as_layout("", "", "2006")),
            ("2026-1", as_layout("2026-1", "1", "01")),
            ("2026-11-22", as_layout("2026-11-22", "", "T")),
            ("2026-11-22T01:48:05", as_layout("2026-11-22T01:48:05", "", "Z07:00")),
            ("2026-13-01T00:00:00Z", out_of_range("2026-13-01T00:00:00Z", "month")),
            ("2026-02-29T00:00:00Z", out_of_range("2026-02-29T00:00:00Z", "day")),
            (
                "2026-02-28T00:00:00Zx",
                "parsing time \"2026-02-28T00:00:00Zx\": extra text: \"x\"".to_owned(),
            ),
            ("é026", as_layout("é026", "é026", "2006")),
        ] {
            assert_eq!(check(bad, Fraction::Any), Err(problem));
        }
    }

    #[test]
    fn micro_times_have_six_digits() {
        for good in ["2026-11-22T01:48:05.000000Z", "2026-11-22T01:48:05,123456+01:00"] {
            assert_eq!(check(good, Fraction::Micros), Ok(()));
        }
        for (bad, rest, part) in [
            ("2026-11-22T01:48:05Z", "Z", ".000000"),
            ("2026-11-22T01:48:05.123Z", ".123Z", ".000000"),
            ("2026-11-22T01:48:05.1234567Z", "7Z", "Z07:00"),
        ] {
            let problem = format!("cannot parse {rest:?} as {part:?}");
            let problem = of_layout(bad, Fraction::Micros, &problem);
            assert_eq!(check(bad, Fraction::Micros), Err(problem));
        }
    }
}

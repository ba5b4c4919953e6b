//! The format of times, with the messages of Go's parser.

/// The layout in Go's terms.
const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// The parts of the layout: a number of so many digits within limits, or a separator.
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
pub(super) fn check(text: &str) -> Result<(), String> {
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
    // A fraction of a second may follow, in any length.
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        if end > 0 {
            rest = &fraction[end..];
        }
    }
    zone(text, rest)
}

fn zone(text: &str, rest: &str) -> Result<(), String> {
    let extra = |rest: &str| match rest {
        "" => Ok(()),
        rest => Err(problem(text, &format!("extra text: {rest:?}"))),
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
        _ => Err(problem(text, &format!("cannot parse {rest:?} as \"Z07:00\""))),
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

fn problem(text: &str, problem: &str) -> String {
    match problem.strip_prefix("extra text") {
        Some(_) => format!("parsing time {text:?}: {problem}"),
        None => format!("parsing time {text:?} as {LAYOUT:?}: {problem}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_checked_as_go_does() {
        for good in ["2026-11-22T01:48:05Z", "2024-02-29T23:59:59.123456+01:00"] {
            assert_eq!(check(good), Ok(()));
        }
        let as_layout = |text: &str, rest: &str, part: &str| {
            format!("parsing time {text:?} as {LAYOUT:?}: cannot parse {rest:?} as {part:?}")
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
            assert_eq!(check(bad), Err(problem));
        }
    }
}

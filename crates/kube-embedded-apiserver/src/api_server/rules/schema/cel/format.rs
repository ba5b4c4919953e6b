//! Texts by a template: `'%d of %s'.format([1, self.name])`.

use cel::common::types::{CelType, Kind};
use cel::common::value::Val;
use cel::{ExecutionError, Value as CelValue};

use super::super::numbers;
use super::errors;
use super::replacements::missing;
use super::types::Type;

/// A clause of a template: the letter, and the number of digits of a fraction.
pub(super) struct Clause {
    letter: char,
    precision: usize,
    /// The types that the clause formats. Nothing if it is `s`.
    kinds: &'static [Type<'static>],
    /// A server's words about other types.
    words: &'static str,
}

impl Clause {
    /// Reads the clause after a percent sign, and returns it with the rest of the template.
    pub(super) fn read(template: &str) -> Result<(Self, &str), String> {
        let problem = |problem: &str| format!("could not parse formatting clause: {problem}");
        let in_precision = |text: &str| problem(&format!("error while parsing precision: {text}"));
        let (digits, rest) = match template.strip_prefix('.') {
            None => (None, template),
            Some(after) => {
                let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
                (Some(&after[..after.len() - rest.len()]), rest)
            }
        };
        let mut rest = rest.chars();
        let letter =
            rest.next().ok_or_else(|| in_precision("could not find end of precision specifier"))?;
        let precision = digits.map_or(Ok(6), |digits| {
            let parsed = digits.parse::<i64>().map_err(|_| {
                in_precision(&format!(
                    "error while converting precision to integer: strconv.Atoi: parsing \
                     {digits:?}: invalid syntax"
                ))
            });
            parsed.map(|digits| usize::try_from(digits).unwrap_or(usize::MAX))
        })?;
        let (kinds, words) = types_of(letter).ok_or_else(|| {
            problem(&format!("unrecognized formatting clause {:?}", letter.to_string()))
        })?;
        Ok((Self { letter, precision, kinds, words }, rest.as_str()))
    }

    /// Returns whether the clause formats a value of any type that has a text.
    pub(super) fn is_of_texts(&self) -> bool {
        self.letter == 's'
    }

    pub(super) fn takes(&self, kind: &Type<'_>) -> bool {
        self.kinds.contains(kind)
    }

    /// Returns a server's words about a value of a type that the clause does not format.
    pub(super) fn problem(&self, kind: &str) -> String {
        format!("error during formatting: {}, was given {kind}", self.words)
    }

    fn write(&self, value: &dyn Val) -> Result<String, ExecutionError> {
        if self.is_of_texts() {
            return written(value, false);
        }
        let name = value.get_type().name();
        let problem = || error(self.problem(name));
        if !self.takes(&errors::kind(name)) {
            return Err(problem());
        }
        match (self.letter, CelValue::try_from(value)?) {
            ('f' | 'e', CelValue::String(text)) => match &**text {
                "NaN" => Ok("NaN".to_owned()),
                "Infinity" | "-Infinity" => Err(missing("format")),
                _ => Err(problem()),
            },
            ('f', CelValue::Float(float)) => fixed(float, self.precision),
            (letter, CelValue::Int(integer)) => {
                let sign = if integer < 0 { "-" } else { "" };
                Ok(format!("{sign}{}", digits(letter, integer.unsigned_abs())))
            }
            (letter, CelValue::UInt(integer)) => Ok(digits(letter, integer)),
            (_, CelValue::Bool(value)) => Ok(u8::from(value).to_string()),
            (letter, CelValue::String(text)) => Ok(hexadecimal(letter, text.as_bytes())),
            (letter, CelValue::Bytes(bytes)) => Ok(hexadecimal(letter, &bytes)),
            _ => Err(missing("format")),
        }
    }
}

/// Returns the types that a clause of a template formats, and a server's words about others.
fn types_of(letter: char) -> Option<(&'static [Type<'static>], &'static str)> {
    const DECIMAL: &[Type<'static>] = &[Type::Int, Type::Uint];
    const FIXED: &[Type<'static>] = &[Type::Double, Type::String];
    const BINARY: &[Type<'static>] = &[Type::Int, Type::Uint, Type::Bool];
    const HEXADECIMAL: &[Type<'static>] = &[Type::Int, Type::Uint, Type::String, Type::Bytes];
    Some(match letter {
        's' => (
            &[],
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, \
             types, durations, and timestamps",
        ),
        'd' => (DECIMAL, "decimal clause can only be used on integers"),
        'f' => (FIXED, "fixed-point clause can only be used on doubles"),
        'e' => (FIXED, "scientific clause can only be used on doubles"),
        'b' => (BINARY, "only integers and bools can be formatted as binary"),
        'x' | 'X' => {
            (HEXADECIMAL, "only integers, byte buffers, and strings can be formatted as hex")
        }
        'o' => (DECIMAL, "octal clause can only be used on integers"),
        _ => return None,
    })
}

fn error(problem: impl ToString) -> ExecutionError {
    ExecutionError::function_error("format", problem)
}

/// Returns a template with the values of a list in place of its clauses.
pub(super) fn format(template: &str, values: &dyn Val) -> Result<String, ExecutionError> {
    let mut values = values.as_iterable().ok_or_else(|| missing("format"))?.iter();
    let (mut text, mut rest, mut used) = (String::new(), template, 0);
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        let value = values.next().ok_or_else(|| error(format!("index {used} out of range")))?;
        if after.is_empty() {
            return Err(error("unexpected end of string"));
        }
        let (clause, after) = Clause::read(after).map_err(error)?;
        text.push_str(&clause.write(value)?);
        (rest, used) = (after, used + 1);
    }
    Ok(text + rest)
}

/// Returns a value as `%s` formats it, or as it stands in the text of a list or a map.
fn written(value: &dyn Val, nested: bool) -> Result<String, ExecutionError> {
    let kind = value.get_type().kind();
    if let (Kind::List, Some(list)) = (kind, value.as_iterable()) {
        let (mut elements, mut texts) = (list.iter(), Vec::new());
        while let Some(element) = elements.next() {
            texts.push(written(element, true)?);
        }
        return Ok(format!("[{}]", texts.join(", ")));
    }
    if let (Kind::Map, Some(keys), Some(map)) = (kind, value.as_iterable(), value.as_indexer()) {
        let (mut keys, mut texts) = (keys.iter(), Vec::new());
        while let Some(key) = keys.next() {
            texts.push((written(key, true)?, written(map.get(key)?.as_ref(), true)?));
        }
        texts.sort();
        let texts: Vec<String> = texts.iter().map(|(key, text)| format!("{key}:{text}")).collect();
        return Ok(format!("{{{}}}", texts.join(", ")));
    }
    if let Some(kind) = value.downcast_ref::<CelType>() {
        return if nested { Err(missing("format")) } else { Ok(kind.name().to_owned()) };
    }
    match CelValue::try_from(value)? {
        CelValue::Null => Ok("null".to_owned()),
        CelValue::Bool(value) => Ok(value.to_string()),
        CelValue::Int(integer) => Ok(integer.to_string()),
        CelValue::UInt(integer) => Ok(integer.to_string()),
        CelValue::Float(float) if !nested => Ok(numbers::shown(float)),
        CelValue::Float(float) if float.is_finite() => Ok(format!("{float:.6}")),
        CelValue::String(text) if nested => quoted(&text),
        CelValue::String(text) => Ok((*text).clone()),
        CelValue::Bytes(bytes) => {
            let problem = "error during formatting: could not convert argument \"invalid UTF-8 in \
                           bytes, cannot convert to string\" to string";
            let text = std::str::from_utf8(&bytes).map_err(|_| error(problem))?;
            if nested { Ok(format!("b{}", quoted(text)?)) } else { Ok(text.to_owned()) }
        }
        _ => Err(missing("format")),
    }
}

/// Returns a text in quotes. Characters that a server might escape are not implemented.
fn quoted(text: &str) -> Result<String, ExecutionError> {
    let plain = |c: char| c.is_alphanumeric() || c.is_ascii_graphic() || " \n\t\r".contains(c);
    if text.chars().all(plain) { Ok(format!("{text:?}")) } else { Err(missing("format")) }
}

/// Returns a number with a fraction. Groups of digits, which a server separates by the rules of a
/// language, are not implemented.
fn fixed(float: f64, precision: usize) -> Result<String, ExecutionError> {
    if precision > 100 {
        return Err(missing("format"));
    }
    let text = format!("{float:.precision$}");
    let digits = text.trim_start_matches('-');
    let is_short = digits.find('.').unwrap_or(digits.len()) <= 3;
    let is_negative_zero = digits.len() < text.len() && digits.chars().all(|c| "0.".contains(c));
    if is_short && !is_negative_zero && !float.is_infinite() {
        return Ok(text);
    }
    Err(missing("format"))
}

fn digits(letter: char, integer: u64) -> String {
    match letter {
        'b' => format!("{integer:b}"),
        'o' => format!("{integer:o}"),
        'x' => format!("{integer:x}"),
        'X' => format!("{integer:X}"),
        _ => integer.to_string(),
    }
}

fn hexadecimal(letter: char, bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits: String = digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect();
    if letter == 'X' { digits.to_uppercase() } else { digits }
}

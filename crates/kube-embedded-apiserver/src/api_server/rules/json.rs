//! Reads JSON as a server does: with Go's messages for broken text, and with the names of members
//! that occur twice.
//!
//! `serde_json` alone would save all of these lines, and lose Go's messages and the repeated names.
//! No other crate has them.

use std::collections::HashSet;
use std::fmt::Write;

use serde_json::{Map, Number, Value};

/// The largest depth of values that are kept. Deeper ones are only read over.
const KEPT_DEPTH: usize = 128;
/// The largest depth of values in a text.
const MOST_DEPTH: usize = 10_000;
/// The largest number of repeated members that are named.
const MOST_REPEATED: usize = 100;

/// A value that was read.
#[derive(Debug, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) value: Value,
    /// The paths of members that occur twice, each once. The last occurrence counts.
    pub(crate) repeated: Vec<String>,
}

/// Reads a text. Fails with Go's message.
pub(crate) fn read(text: &[u8]) -> Result<Parsed, String> {
    let mut reader = Reader { text, at: 0, path: String::new(), repeated: Vec::new() };
    let value = reader.document()?;
    Ok(Parsed { value, repeated: reader.repeated })
}

const END: &str = "unexpected end of JSON input";

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// The current path, such as `spec.ports[0]`.
    path: String,
    repeated: Vec<String>,
}

/// A list or object whose end is not yet read.
enum Open {
    List(Vec<Value>),
    Object {
        members: Map<String, Value>,
        names: HashSet<String>,
        name: String,
    },
    /// A list or object that is too deep to be kept.
    Dropped {
        is_list: bool,
    },
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.peek()
    }

    /// Returns the message for the current byte, or for the end of the text.
    fn invalid<T>(&self, context: &str) -> Result<T, String> {
        match self.peek() {
            None => Err(END.into()),
            Some(byte) => Err(format!("invalid character {} {context}", quoted(byte))),
        }
    }

    /// Reads the whole text. The open lists and objects are on the heap: a text may nest deeply.
    fn document(&mut self) -> Result<Value, String> {
        let mut open: Vec<(Open, usize)> = Vec::new();
        loop {
            let mut value = self.start(&mut open)?;
            // Close what ends here, and go on with what does not.
            while let Some(ended) = value.take() {
                let Some((inner, above)) = open.last_mut() else {
                    if self.skip_space().is_some() {
                        return self.invalid("after top-level value");
                    }
                    return Ok(ended);
                };
                self.path.truncate(*above);
                let is_list = inner.add(ended);
                match (self.skip_space(), is_list) {
                    (Some(b','), true) => self.next_element(&mut open),
                    (Some(b','), false) => self.next_member(&mut open)?,
                    (Some(b']'), true) | (Some(b'}'), false) => {
                        self.at += 1;
                        value = open.pop().map(|(inner, _)| inner.into_value());
                        continue;
                    }
                    (_, true) => return self.invalid("after array element"),
                    (_, false) => return self.invalid("after object key:value pair"),
                }
                break;
            }
        }
    }

    /// Reads a value without parts, or opens a list or object, which has no value yet.
    fn start(&mut self, open: &mut Vec<(Open, usize)>) -> Result<Option<Value>, String> {
        let bracket = match self.skip_space() {
            Some(bracket @ (b'[' | b'{')) => bracket,
            Some(b'"') => return self.text().map(|text| Some(Value::String(text))),
            Some(b'-' | b'0'..=b'9') => return self.number().map(Some),
            Some(b't') => return self.literal("true", Value::Bool(true)).map(Some),
            Some(b'f') => return self.literal("false", Value::Bool(false)).map(Some),
            Some(b'n') => return self.literal("null", Value::Null).map(Some),
            _ => return self.invalid("looking for beginning of value"),
        };
        self.at += 1;
        if open.len() == MOST_DEPTH {
            return Err("exceeded max depth".into());
        }
        let is_list = bracket == b'[';
        let inner = match (open.len() < KEPT_DEPTH, is_list) {
            (false, is_list) => Open::Dropped { is_list },
            (true, true) => Open::List(Vec::new()),
            (true, false) => {
                Open::Object { members: Map::new(), names: HashSet::new(), name: String::new() }
            }
        };
        open.push((inner, self.path.len()));
        match (self.skip_space(), is_list) {
            (Some(b']'), true) | (Some(b'}'), false) => {
                self.at += 1;
                return Ok(open.pop().map(|(inner, _)| inner.into_value()));
            }
            (_, true) => self.enter_element(0, open.len()),
            (_, false) => self.member_name(open)?,
        }
        Ok(None)
    }

    fn next_element(&mut self, open: &mut [(Open, usize)]) {
        self.at += 1;
        let depth = open.len();
        if let Some((Open::List(elements), _)) = open.last() {
            self.enter_element(elements.len(), depth);
        }
    }

    fn enter_element(&mut self, index: usize, depth: usize) {
        if depth <= KEPT_DEPTH {
            let _ = write!(self.path, "[{index}]");
        }
    }

    fn next_member(&mut self, open: &mut [(Open, usize)]) -> Result<(), String> {
        self.at += 1;
        self.skip_space();
        self.member_name(open)
    }

    /// Reads the name of a member and the colon.
    fn member_name(&mut self, open: &mut [(Open, usize)]) -> Result<(), String> {
        if self.peek() != Some(b'"') {
            return self.invalid("looking for beginning of object key string");
        }
        let read = self.text()?;
        if self.skip_space() != Some(b':') {
            return self.invalid("after object key");
        }
        self.at += 1;
        let Some((Open::Object { names, name, .. }, _)) = open.last_mut() else { return Ok(()) };
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(&read);
        if !names.insert(read.clone())
            && self.repeated.len() < MOST_REPEATED
            && !self.repeated.contains(&self.path)
        {
            self.repeated.push(self.path.clone());
        }
        *name = read;
        Ok(())
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value, String> {
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                let expected = char::from(expected);
                return self.invalid(&format!("in literal {word} (expecting '{expected}')"));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.invalid("in numeric literal"),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.invalid("after decimal point in numeric literal");
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.invalid("in exponent of numeric literal");
            }
            self.digits();
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]);
        if let Ok(whole) = text.parse::<i64>() {
            return Ok(whole.into());
        }
        let number = text.parse::<f64>().ok().and_then(Number::from_f64);
        number.map(Value::Number).ok_or_else(|| {
            format!("json: cannot unmarshal number {text} into Go value of type float64")
        })
    }

    fn text(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            match self.peek() {
                None => return Err(END.into()),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut text)?;
                }
                Some(..b' ') => return self.invalid("in string literal"),
                Some(byte) => {
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Ok(String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), String> {
        let plain = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.at += 1;
                let mut unit = self.unit()?;
                if (0xD800..0xDC00).contains(&unit) && self.text[self.at..].starts_with(b"\\u") {
                    let back = self.at;
                    self.at += 2;
                    match self.unit()? {
                        low @ 0xDC00..0xE000 => {
                            unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        }
                        _ => self.at = back,
                    }
                }
                let char = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return self.invalid("in string escape code"),
        };
        text.push(plain);
        self.at += 1;
        Ok(())
    }

    /// Reads four hexadecimal digits.
    fn unit(&mut self) -> Result<u32, String> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return self.invalid("in \\u hexadecimal character escape");
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

impl Open {
    /// Adds a value, and returns whether this is a list.
    fn add(&mut self, value: Value) -> bool {
        match self {
            Self::List(elements) => {
                elements.push(value);
                true
            }
            Self::Object { members, name, .. } => {
                members.insert(std::mem::take(name), value);
                false
            }
            Self::Dropped { is_list } => *is_list,
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::List(elements) => Value::Array(elements),
            Self::Object { members, .. } => Value::Object(members),
            Self::Dropped { is_list: true } => Value::Array(Vec::new()),
            Self::Dropped { is_list: false } => Value::Object(Map::new()),
        }
    }
}

/// Returns a byte as Go quotes it.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".into(),
        b'"' => "'\"'".into(),
        b'\\' => "'\\\\'".into(),
        b'\n' => "'\\n'".into(),
        b'\r' => "'\\r'".into(),
        b'\t' => "'\\t'".into(),
        7 => "'\\a'".into(),
        8 => "'\\b'".into(),
        11 => "'\\v'".into(),
        12 => "'\\f'".into(),
        ..b' ' | 0x7f => format!("'\\x{byte:02x}'"),
        0x80..=0xa0 | 0xad => format!("'\\u{byte:04x}'"),
        byte => format!("'{}'", char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn broken_texts_are_refused_in_the_words_of_go() {
        for (text, problem) in [
            ("", END),
            ("[1", END),
            ("{\"a\"", END),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("nope", "invalid character 'o' in literal null (expecting 'u')"),
            ("{} {", "invalid character '{' after top-level value"),
            ("{a", "invalid character 'a' looking for beginning of object key string"),
            ("{\"a\" 1", "invalid character '1' after object key"),
            ("{\"a\":1 2", "invalid character '2' after object key:value pair"),
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1 2", "invalid character '2' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("\"\u{1}\"", "invalid character '\\x01' in string literal"),
            ("\"\\q\"", "invalid character 'q' in string escape code"),
            ("\"\\u12x\"", "invalid character 'x' in \\u hexadecimal character escape"),
            ("-a", "invalid character 'a' in numeric literal"),
            ("1.a", "invalid character 'a' after decimal point in numeric literal"),
            ("1ea", "invalid character 'a' in exponent of numeric literal"),
            ("ï", "invalid character 'Ã' looking for beginning of value"),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err(), problem, "{text}");
        }
        assert_eq!(read(&vec![b'['; MOST_DEPTH + 1]).unwrap_err(), "exceeded max depth");
    }

    #[test]
    fn repeated_members_are_named_once() {
        let text = br#"{"a":{"b":1,"b":2,"b":3},"l":[{},{"c":1,"c":2}],"a":{"b":1}}"#;
        let parsed = read(text).unwrap();
        assert_eq!(parsed.repeated, ["a.b", "l[1].c", "a"]);
        assert_eq!(parsed.value, json!({"a": {"b": 1}, "l": [{}, {"c": 2}]}));
    }

    #[test]
    fn deep_values_are_read_without_a_deep_stack() {
        let deep = [vec![b'['; 9000], vec![b']'; 9000]].concat();
        assert!(read(&deep).unwrap().value.is_array());
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn valid_texts_mean_the_same_as_elsewhere(
            text in "[\\[\\]{}:,\"\\\\a0-9.eE+\\-tfn ul\u{e9}]{0,24}",
        ) {
            let other = serde_json::from_str::<Value>(&text);
            let ours = read(text.as_bytes());
            if let (Ok(ours), Ok(other)) = (&ours, &other) {
                prop_assert_eq!(&ours.value, other);
            }
            // A number that no float holds, or half a character, is the only disagreement.
            prop_assert!(ours.is_ok() == other.is_ok() || text.contains(['e', 'E', 'u']));
        }
    }
}

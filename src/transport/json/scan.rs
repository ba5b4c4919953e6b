//! Finds where one JSON value ends, however its bytes are cut.
//!
//! It looks at each byte once and keeps a few words of state, so neither the size of a value nor
//! its depth costs memory. It does not judge what is inside: whoever decodes the value does.

use memchr::memchr2;

/// Where the scan of one value stands.
#[derive(Debug, Default)]
pub(in crate::transport) struct Scanner {
    state: State,
    /// How many brackets are open.
    depth: usize,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    /// Nothing was seen.
    #[default]
    Start,
    /// Inside an object or array, outside any string.
    Inside,
    String,
    /// After a backslash in a string.
    Escape,
    /// In a number or a literal at the top, which only its follower ends.
    Scalar,
}

impl Scanner {
    /// Looks at more bytes. `Some(n)`: the value ends before byte `n` of these.
    ///
    /// The first byte must be the first of the value.
    pub(in crate::transport) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::String => {
                    let next = memchr2(b'"', b'\\', &bytes[at..])?;
                    at += next + 1;
                    self.state = match bytes[at - 1] {
                        b'\\' => State::Escape,
                        _ if self.depth == 0 => return Some(at),
                        _ => State::Inside,
                    };
                    continue;
                }
                State::Escape => self.state = State::String,
                State::Scalar => {
                    if byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}') {
                        return Some(at);
                    }
                }
                State::Start | State::Inside => match byte {
                    b'"' => self.state = State::String,
                    b'{' | b'[' => {
                        self.depth += 1;
                        self.state = State::Inside;
                    }
                    b'}' | b']' => {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            return Some(at + 1);
                        }
                    }
                    _ if self.depth == 0 => self.state = State::Scalar,
                    _ => {}
                },
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
pub(in crate::transport) mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    pub(in crate::transport) fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "(\\PC|[\"\\\\{}\\[\\],:]){0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a\"\\\\}]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_ends_where_it_ends(value in json(), cut in 1usize..9) {
            let text = value.to_string();
            let whole = format!("{text},{{}}");
            let mut scanner = Scanner::default();
            let mut end = None;
            for (n, piece) in whole.as_bytes().chunks(cut).enumerate() {
                if let Some(at) = scanner.feed(piece) {
                    end = Some(n * cut + at);
                    break;
                }
            }
            prop_assert_eq!(end, Some(text.len()));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut scanner = Scanner::default();
            let end = scanner.feed(&bytes);
            prop_assert!(end.is_none_or(|end| end <= bytes.len()));
        }
    }
}

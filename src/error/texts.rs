//! Texts from outside, as errors repeat them: cut, without objects and without credentials.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::iter::successors;

use super::credentials::Hidden;

/// The longest text from a server that an error repeats, in bytes.
const LONGEST_TEXT: usize = 1024;

/// The mark of a text that was cut.
const CUT: &str = "… (cut)";

/// Returns a text from outside, cut to at most [`LONGEST_TEXT`] bytes. Cutting it twice is the same
/// as cutting it once.
pub(crate) fn clipped(text: &str) -> Cow<'_, str> {
    clipped_to(text, LONGEST_TEXT)
}

/// Returns a text, cut to at most `longest` bytes and marked. The limit is longer than the mark.
#[doc(hidden)]
pub fn clipped_to(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest {
        return Cow::Borrowed(text);
    }
    let mut end = longest - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}{CUT}", &text[..end]))
}

/// The text for the JSON body of a failure that is no `Status`.
const NO_STATUS: &str = "the body is JSON, but no Status, and is not shown";

/// The text for the body of a failure that is not quoted.
const NO_TEXT: &str = "the body is no plain text, and is not shown";

/// Parts of a text that show that it is, or contains, a piece of an object in JSON or YAML.
const OBJECT_MARKS: [&str; 10] = [
    r#"":""#,
    r#"": ""#,
    r#"":{"#,
    r#"":["#,
    r#"",""#,
    r#""}"#,
    r#""]"#,
    "apiVersion:",
    "kind:",
    "metadata:",
];

/// Returns the text of a failure's body that is not a `Status`. Bytes that are not text, and
/// objects and pieces of them, are not quoted, because they may be of a Secret. `is_text` is false
/// if the answer says that the body is something else.
pub(crate) fn quotable(body: &[u8], is_text: bool) -> Cow<'_, str> {
    let text = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body).trim_ascii();
    let is_binary = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    let has = |mark: &&str| memchr::memmem::find(text, mark.as_bytes()).is_some();
    match text.first() {
        None => "the body is empty".into(),
        Some(b'{' | b'[') => NO_STATUS.into(),
        Some(b'"') => NO_TEXT.into(),
        _ if !is_text || text.iter().any(is_binary) || OBJECT_MARKS.iter().any(has) => {
            NO_TEXT.into()
        }
        _ => String::from_utf8_lossy(text),
    }
}

/// Returns the body of an answer if it is plain text, shortened.
pub(crate) fn quoted(body: &[u8]) -> String {
    clipped(&quotable(body, true)).into_owned()
}

/// The largest number of an error's causes that are read. A user's error may have endless causes.
pub(crate) const MOST_CAUSES: usize = 100;

/// Returns the texts of an error and of its causes, without repetition. Causes after the hundredth
/// are left out. It quotes no credentials that an error of kube has.
///
/// ```
/// use kube_informer::error::chain;
///
/// let error = kube::Error::Service("connection refused".into());
/// assert_eq!(chain(&error), "ServiceError: connection refused");
/// ```
pub fn chain(error: &(dyn StdError + 'static)) -> String {
    let hidden = Hidden::of(error);
    let mut text = String::new();
    let mut causes = successors(Some(error), |&error| error.source());
    for error in causes.by_ref().take(MOST_CAUSES + 1) {
        let (said, had) = match &hidden {
            Some(hidden) => hidden.replace(error.to_string()),
            None => (error.to_string(), false),
        };
        let said = clipped(&said);
        if !text.ends_with(&*said) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&said);
        }
        if had {
            // Its causes may quote the same.
            return text;
        }
    }
    if causes.next().is_some() {
        text.push_str(CUT);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ApiStatus;

    #[test]
    fn long_message_is_cut_and_marked() {
        for message in ["é".repeat(8 << 20), "x".repeat(1025)] {
            let text = ApiStatus::new(500, "InternalError", message).to_string();
            assert!(text.len() < 1100 && text.ends_with("… (cut)"), "{} bytes", text.len());
        }
        let whole = "x".repeat(1024);
        assert_eq!(clipped(&whole), whole);
        let long = "é".repeat(9999);
        let once = clipped(&long);
        assert_eq!(clipped(&once), once);
        let short = clipped_to(&long, 160);
        assert!(short.len() <= 160 && short.ends_with("… (cut)"), "{short}");
    }
}

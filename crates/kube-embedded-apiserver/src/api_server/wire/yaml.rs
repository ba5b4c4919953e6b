//! YAML bodies of requests and responses, equivalent to JSON.
//!
//! Bodies are read by YAML 1.1, as on a real server: `yes` is true, `010` is eight, and of a
//! repeated key the last counts. Watches exist only in JSON or protobuf.

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response};
use http_body_util::BodyExt;
use serde_json::Value;
use serde_saphyr::DuplicateKeyPolicy;

use super::body::ResponseBody;
use super::body::full;
use super::form::accepted_types;
use super::yaml_keys::YamlValue;

pub(crate) const MEDIA_TYPE: &str = "application/yaml";

/// Parses the first document of a body. Depth, aliases and nodes have a limit, so that a small text
/// cannot stand for a huge value.
pub(crate) fn read(body: &[u8]) -> Result<Value, String> {
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        legacy_octal_numbers: true,
        strict_booleans: false,
    };
    let read = serde_saphyr::from_slice_with_options(first_document(body), options);
    read.map(|YamlValue(value)| value).map_err(|error| {
        let text = error.without_snippet().to_string();
        let line = text.lines().next().unwrap_or_default();
        // A real server names no position.
        line.split(" at line ").next().unwrap_or(line).to_owned()
    })
}

/// Returns the text before the marker that begins a second document.
fn first_document(body: &[u8]) -> &[u8] {
    let mut begun = false;
    let mut at = 0;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let text = line.trim_ascii_end();
        let marker = text == b"---" || line.starts_with(b"--- ");
        if begun && (marker || text == b"...") {
            return &body[..at];
        }
        begun |= !text.is_empty() && !text.starts_with(b"#") && !text.starts_with(b"%");
        at += line.len();
    }
    body
}

/// Returns whether a request prefers YAML.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    accepted_types(headers).next() == Some(MEDIA_TYPE)
}

/// Converts a JSON response into YAML. Other responses, and those whose body breaks off, stay as
/// they are.
pub(crate) async fn written(response: Response<ResponseBody>) -> Response<ResponseBody> {
    if response.headers().get(CONTENT_TYPE).is_none_or(|found| found != "application/json") {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(body) = body.collect().await else {
        let broken = http_body_util::Full::default().map_err(|never| match never {});
        return Response::from_parts(head, broken.boxed_unsync());
    };
    let body = body.to_bytes();
    let value: Option<Value> = serde_json::from_slice(&body).ok();
    let Some(text) = value.and_then(|value| serde_saphyr::to_string(&value).ok()) else {
        return Response::from_parts(head, full(body));
    };
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, full(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ -~]{0,12}",
            "(yes|no|on|off|y|n|true|null|~|010|0x1f|1e3|1_0|2026-01-01|- a|a: b|#c|'|\\PC*)",
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-z0-9.]{1,6}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn bodies_are_read_as_yaml_1_1() {
        let text = b"a: yes\nb: 010\nc: 0x10\nd: 'yes'\ne: 1\ne: 2\nf: ~\n";
        let value = json!({"a": true, "b": 8, "c": 16, "d": "yes", "e": 2, "f": null});
        assert_eq!(read(text), Ok(value));
        assert_eq!(read(br#"{"a": [1, 2.5, "x"]}"#), Ok(json!({"a": [1, 2.5, "x"]})));
        for invalid in [&b"a: b: c"[..], b"[1", b"\xff"] {
            assert!(read(invalid).is_err());
        }
    }

    #[test]
    fn first_document_counts() {
        for text in ["a: 1\n---\na: 2\n", "---\na: 1\n---\n", "# c\n---\na: 1\n...\nx\n"] {
            assert_eq!(read(text.as_bytes()), Ok(json!({"a": 1})), "{text}");
        }
    }

    #[test]
    fn bombs_are_refused() {
        use std::fmt::Write as _;

        let mut aliases = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for (n, letter) in ('b'..='j').enumerate() {
            let before = char::from(b'a' + u8::try_from(n).unwrap());
            let items = vec![format!("*{before}"); 10].join(",");
            writeln!(aliases, "{letter}: &{letter} [{items}]").unwrap();
        }
        assert!(read(aliases.as_bytes()).is_err());
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
        assert!(read("- ".repeat(100_000).as_bytes()).is_err());
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn values_survive_a_round_trip(value in values()) {
            let text = serde_saphyr::to_string(&value).unwrap();
            prop_assert_eq!(read(text.as_bytes()), Ok(value), "{}", text);
        }
    }
}

//! Recorded scenarios, read from their files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::webhooks::Call;

/// A recorded series of requests and responses.
#[derive(Debug, Deserialize)]
pub(crate) struct Scenario {
    #[serde(default)]
    pub(crate) name: String,
    /// The feature gates that were set.
    #[serde(default)]
    pub(crate) feature_gates: Value,
    /// The command line arguments that were set.
    #[serde(default)]
    pub(crate) server_options: Value,
    pub(crate) steps: Vec<Step>,
}

/// A request and its recorded response.
#[derive(Debug, Deserialize)]
pub(crate) struct Step {
    pub(crate) method: String,
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// The body as it stands in the file, which keeps the order of members.
    body: Option<Box<RawValue>>,
    /// The values of the request that come from an earlier response.
    #[serde(default)]
    pub(crate) uses: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) note: String,
    pub(crate) user: Option<String>,
    #[serde(default)]
    pub(crate) poll: bool,
    #[serde(default)]
    pub(crate) watch: bool,
    pub(crate) status: u16,
    #[serde(default)]
    pub(crate) response_headers: BTreeMap<String, Value>,
    #[serde(default)]
    response: Value,
    /// The requests that webhooks got, and their answers.
    #[serde(default)]
    pub(crate) calls: Vec<Call>,
}

impl Scenario {
    pub(crate) fn read(name: &str) -> Self {
        let file = folder().join(format!("{name}.json"));
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
        serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("cannot parse {}: {error}", file.display()))
    }
}

/// Returns the folder of the recorded scenarios.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/writes")
}

impl Step {
    /// Returns the text that was sent as the body. A body that is a value is sent without spaces.
    pub(crate) fn body(&self) -> Option<String> {
        let raw = self.body.as_ref()?.get();
        if raw.contains("\"$repeat") {
            let value = expanded(serde_json::from_str(raw).expect("a recorded body is JSON"));
            return Some(match value {
                Value::String(text) => text,
                other => other.to_string(),
            });
        }
        match serde_json::from_str::<String>(raw) {
            Ok(text) => Some(text),
            Err(_) => Some(without_spaces(raw)),
        }
    }

    /// Returns the body as a value, if it is JSON.
    pub(crate) fn sent(&self) -> Value {
        self.body().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Returns the recorded response.
    pub(crate) fn response(&self) -> Value {
        expanded(self.response.clone())
    }
}

/// Replaces the short form of long strings and lists.
pub(crate) fn expanded(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(expanded).collect(),
        Value::Object(mut members) => {
            let times = members.get("times").and_then(Value::as_u64);
            let times = times.and_then(|times| usize::try_from(times).ok()).unwrap_or_default();
            if let Some(Value::String(one)) = members.get("$repeat") {
                return Value::String(one.repeat(times));
            }
            if let Some(Value::Array(items)) = members.remove("$repeat_list") {
                return (0..times).flat_map(|_| items.iter().cloned().map(expanded)).collect();
            }
            members.into_iter().map(|(key, member)| (key, expanded(member))).collect()
        }
        Value::String(text) => Value::String(repeated(text)),
        other => other,
    }
}

/// Replaces the short form of a long part of a text: `<m x 100000>`.
fn repeated(text: String) -> String {
    let part = || {
        let (before, rest) = text.split_once('<')?;
        let (short, after) = rest.split_once('>')?;
        let (one, times) = short.split_once(" x ")?;
        Some(format!("{before}{}{after}", one.repeat(times.parse().ok()?)))
    };
    part().unwrap_or(text)
}

/// Returns JSON without the spaces between its tokens.
fn without_spaces(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let (mut inside, mut escaped) = (false, false);
    for character in json.chars() {
        if inside || !character.is_ascii_whitespace() {
            compact.push(character);
        }
        match character {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            _ => {}
        }
    }
    compact
}

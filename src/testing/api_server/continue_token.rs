//! Continue tokens in the format of a real server: base64 of a small JSON object. Clients must not
//! read them, but some tools do.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// The position at which a list continues: its revision (`None`: the current one), and the last
/// key.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Continue {
    pub(super) revision: Option<u64>,
    pub(super) after: String,
}

impl Continue {
    pub(super) fn token(&self) -> String {
        let (revision, start) = match self.revision {
            Some(revision) => (json!(revision), format!("/{}\0", self.after)),
            None => (json!(-1), format!("{}\0", self.after)),
        };
        let text = json!({ "v": "meta.k8s.io/v1", "rv": revision, "start": start }).to_string();
        URL_SAFE_NO_PAD.encode(text)
    }

    pub(super) fn parse(token: &str) -> Option<Self> {
        let value: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
        if value["v"] != "meta.k8s.io/v1" {
            return None;
        }
        let revision = value["rv"].as_i64()?;
        let start = value["start"].as_str()?;
        let after = start.trim_start_matches('/').trim_end_matches('\0').to_owned();
        Some(Self { revision: u64::try_from(revision).ok(), after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_tokens_survive_a_round_trip() {
        for (token, revision, after) in [
            (
                "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MzMzLCJzdGFydCI6Ii9zaG9wL3dlYi0wNlx1MDAwMCJ9",
                Some(333),
                "shop/web-06",
            ),
            (
                "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYmFuay93ZWItMjBcdTAwMDAifQ",
                None,
                "bank/web-20",
            ),
        ] {
            let parsed = Continue::parse(token).unwrap();
            assert_eq!(parsed, Continue { revision, after: after.into() });
            assert_eq!(Continue::parse(&parsed.token()).unwrap(), parsed);
        }
        for garbage in ["garbage", "", "e30", "!"] {
            assert_eq!(Continue::parse(garbage), None);
        }
    }
}

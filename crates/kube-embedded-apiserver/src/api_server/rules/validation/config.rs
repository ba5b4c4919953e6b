//! Config maps and secrets.

use serde_json::Value;

use super::rows::Rule::Check;
use super::rows::{self, Row, is_empty, members};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const CONFIG_MAP: &[Row] = &[("", Check(config_map))];
pub(super) const SECRET: &[Row] = &[("", Check(secret))];

/// The most bytes of data that a config map or a secret holds.
const MOST: usize = 1024 * 1024;

/// Returns the number of bytes that a base64 text encodes.
fn decoded(text: &Value) -> usize {
    let text = text.as_str().unwrap_or_default();
    let digits = text.bytes().filter(|byte| !matches!(byte, b'=' | b'\n' | b'\r')).count();
    digits * 3 / 4
}

fn config_map(map: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let mut size = 0;
    for (key, value) in members(&map["data"]) {
        let path = format!("data[{key}]");
        rows::is(formats::config_key, key, &path, causes);
        if !map["binaryData"][key].is_null() {
            causes.push(Cause::invalid(&path, key, "duplicate of key present in binaryData"));
        }
        size += value.as_str().map_or(0, str::len);
    }
    for (key, value) in members(&map["binaryData"]) {
        let path = format!("binaryData[{key}]");
        rows::is(formats::config_key, key, &path, causes);
        size += decoded(value);
    }
    if size > MOST {
        // A server has no name for the whole object.
        causes.push(Cause::too_long("[]", MOST as u64));
    }
}

/// The annotation that names the account of a token.
const ACCOUNT: &str = "kubernetes.io/service-account.name";

/// The keys that a type of secret needs.
const NEEDED: &[(&str, &[&str])] = &[
    ("kubernetes.io/tls", &["tls.crt", "tls.key"]),
    ("kubernetes.io/ssh-auth", &["ssh-privatekey"]),
    ("kubernetes.io/dockercfg", &[".dockercfg"]),
    ("kubernetes.io/dockerconfigjson", &[".dockerconfigjson"]),
];

fn secret(secret: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let data = &secret["data"];
    for (key, _) in members(data) {
        rows::is(formats::config_key, key, &format!("data[{key}]"), causes);
    }
    let size: usize = members(data).map(|(_, value)| decoded(value)).sum();
    if size > MOST {
        causes.push(Cause::too_long("data", MOST as u64));
    }
    let kind = rows::text(secret, "type");
    for (_, keys) in NEEDED.iter().filter(|(known, _)| *known == kind) {
        // Of these, only the key of SSH must not be empty.
        let missing =
            |key: &&&str| data[**key].is_null() || (**key == "ssh-privatekey" && data[**key] == "");
        for key in keys.iter().filter(missing) {
            causes.push(Cause::required(&format!("data[{key}]"), ""));
        }
    }
    match kind {
        "kubernetes.io/service-account-token"
            if is_empty(&secret["metadata"]["annotations"][ACCOUNT]) =>
        {
            causes.push(Cause::required(&format!("metadata.annotations[{ACCOUNT}]"), ""));
        }
        "kubernetes.io/basic-auth" if data["username"].is_null() && data["password"].is_null() => {
            for key in ["username", "password"] {
                causes.push(Cause::required(&format!("data[{key}]"), ""));
            }
        }
        "kubernetes.io/dockercfg" => json(data, ".dockercfg", causes),
        "kubernetes.io/dockerconfigjson" => json(data, ".dockerconfigjson", causes),
        _ => {}
    }
}

/// Checks that a value is JSON. The message does not show the value.
fn json(data: &Value, key: &str, causes: &mut Vec<Cause>) {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let Some(text) = data[key].as_str() else { return };
    let Ok(bytes) = STANDARD.decode(text) else { return };
    if let Err(error) = serde_json::from_slice::<serde_json::Map<String, Value>>(&bytes) {
        let problem = match error.classify() {
            serde_json::error::Category::Eof => "unexpected end of JSON input",
            _ => "invalid JSON",
        };
        let path = format!("data[{key}]");
        causes.push(Cause::invalid(&path, "<secret contents redacted>", problem));
    }
}

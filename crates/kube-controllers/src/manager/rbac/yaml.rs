//! The roles and bindings as YAML that people read.

use std::fmt;

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde::Serialize;
use serde_json::Value;

use super::RbacObjects;

/// The longest line of a list's item, unless a member of it is longer.
const WIDTH: usize = 100;

impl fmt::Display for RbacObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        if let Some((role, binding)) = &self.cluster {
            write_document(f, &mut first, role, &self.comments)?;
            write_document(f, &mut first, binding, &[])?;
        }
        for (role, binding) in &self.namespaces {
            write_document(f, &mut first, role, &[])?;
            write_document(f, &mut first, binding, &[])?;
        }
        Ok(())
    }
}

/// Writes an object as a document of YAML, with a line for each member and each item, and the
/// comments above their rules.
fn write_document(
    f: &mut fmt::Formatter<'_>,
    first: &mut bool,
    object: &impl Serialize,
    comments: &[(PolicyRule, &str)],
) -> fmt::Result {
    let json = |rule: &PolicyRule| serde_json::to_value(rule).unwrap_or_default();
    if !std::mem::take(first) {
        writeln!(f, "---")?;
    }
    let object = serde_json::to_value(object).map_err(|_| fmt::Error)?;
    for (name, value) in object.as_object().into_iter().flatten() {
        match value {
            Value::Array(items) => {
                writeln!(f, "{name}:")?;
                for item in items {
                    for (_, comment) in comments.iter().filter(|(rule, _)| json(rule) == *item) {
                        writeln!(f, "  # {comment}")?;
                    }
                    write_item(f, item)?;
                }
            }
            value => writeln!(f, "{name}: {}", flow(value))?,
        }
    }
    Ok(())
}

/// Writes an item of a list: in one line if that is short.
fn write_item(f: &mut fmt::Formatter<'_>, item: &Value) -> fmt::Result {
    let line = flow(item);
    let Some(members) = item.as_object().filter(|_| line.len() + 4 > WIDTH) else {
        return writeln!(f, "  - {line}");
    };
    members.iter().enumerate().try_for_each(|(place, (name, value))| {
        let indent = if place == 0 { "  - " } else { "    " };
        writeln!(f, "{indent}{name}: {}", flow(value))
    })
}

/// Returns a value in one line of YAML.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{name}: {}", flow(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) if is_plain(text) => text.clone(),
        // A string of JSON is one of YAML, but for characters that YAML does not print.
        other => {
            let escaped = |one: char| {
                if is_printed(one) { one.to_string() } else { format!("\\u{:04x}", u32::from(one)) }
            };
            other.to_string().chars().map(escaped).collect()
        }
    }
}

/// Returns whether YAML takes the character in a text as it is. It reads some as line breaks.
fn is_printed(one: char) -> bool {
    const OTHERS: [char; 5] = ['\u{2028}', '\u{2029}', '\u{feff}', '\u{fffe}', '\u{ffff}'];
    !one.is_control() && !OTHERS.contains(&one)
}

/// Returns whether YAML reads the text as a string without quotes.
fn is_plain(text: &str) -> bool {
    const OTHERS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|one| one.is_ascii_alphanumeric() || ".-/".contains(one))
        && !OTHERS.contains(&&*text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_yaml_reads_as_others_are_quoted() {
        for text in ["a", "webapps/status", "rbac.authorization.k8s.io/v1", "tea-n"] {
            assert_eq!(flow(&text.into()), text);
        }
        for text in ["", "*", "1e3", "no", "True", "system:node", "a b", "-a", "a{"] {
            assert_eq!(flow(&text.into()), format!("{text:?}"));
        }
    }

    #[test]
    fn characters_that_yaml_does_not_print_are_escaped() {
        let text = "a\u{1}\u{7f}\u{85}\u{2028}\u{feff}\n\u{fffe}\u{e9}\u{1f980}";
        let expected = "\"a\\u0001\\u007f\\u0085\\u2028\\ufeff\\n\\ufffe\u{e9}\u{1f980}\"";
        assert_eq!(flow(&text.into()), expected);
    }
}

//! Paths such as `.spec.replicas` or `.spec['a.b']`, resolved in a schema.

use serde_json::Value;

/// Returns the members that a path names and the schema of the last one, or the problem of the
/// path.
pub(crate) fn resolve<'a>(
    path: &str,
    schema: &'a Value,
    brackets: bool,
) -> Result<(Vec<String>, &'a Value), String> {
    let mut tokens = Tokens { rest: path };
    let mut members = Vec::new();
    let mut schema = schema;
    let end = || "unexpected end of JSON path".to_owned();
    while let Some(token) = tokens.next() {
        let name = match token {
            "." => tokens.next().ok_or_else(end)?.to_owned(),
            "[" if !brackets => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let token = tokens.next().ok_or_else(end)?;
                let quoted = token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let Some(quoted) = quoted else {
                    return Err(format!("expected single quoted string but got {token}"));
                };
                let name = unescape(quoted)?;
                match tokens.next().ok_or_else(end)? {
                    "]" => name,
                    other => return Err(format!("expected ] but got {other}")),
                }
            }
            other => return Err(format!("expected [ or . but got: {other}")),
        };
        let not_valid = || "does not refer to a valid field".to_owned();
        let found = match schema["properties"].as_object() {
            Some(properties) => properties.get(&name),
            None => Some(&schema["additionalProperties"]).filter(|schema| schema.is_object()),
        };
        schema = found.ok_or_else(not_valid)?;
        members.push(name);
    }
    Ok((members, schema))
}

/// Returns the field that a path names below the field `above`, as a server shows it: the key of a
/// map stands in brackets, and a declared member behind a dot.
pub(crate) fn field(above: &str, path: &str, schema: &Value) -> String {
    let mut field = above.to_owned();
    let mut schema = schema;
    for name in resolve(path, schema, true).map(|(members, _)| members).unwrap_or_default() {
        if schema["properties"].is_object() {
            let dot = if field.is_empty() { "" } else { "." };
            field.extend([dot, &name]);
            schema = &schema["properties"][&name];
        } else {
            field.extend(["[", &name, "]"]);
            schema = &schema["additionalProperties"];
        }
    }
    field
}

fn unescape(quoted: &str) -> Result<String, String> {
    let mut out = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        out.push(match chars.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some(same @ ('\'' | '\\')) => same,
            other => {
                let other = other.map(String::from).unwrap_or_default();
                return Err(format!("invalid string literal: invalid escape char \\{other}"));
            }
        });
    }
    Ok(out)
}

struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest;
        let end = match rest.chars().next()? {
            '.' | '[' | ']' => 1,
            '\'' => quoted_length(rest).unwrap_or(rest.len()),
            _ => rest.find(['.', '[', ']']).unwrap_or(rest.len()),
        };
        let (token, rest) = rest.split_at(end);
        self.rest = rest;
        Some(token)
    }
}

/// Returns the length of the quoted text at the start.
fn quoted_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            '\'' if !escaped => return Some(at + 1),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{field, resolve};

    #[test]
    fn paths_lead_to_schemas() {
        let schema = json!({"properties": {"spec": {"properties": {
            "a.b": {"type": "string"}, "m": {"additionalProperties": {"type": "integer"}},
        }}}});
        let found = |path: &str, brackets: bool| {
            resolve(path, &schema, brackets).map(|(_, schema)| schema["type"].clone())
        };
        assert_eq!(found(".spec['a.b']", true), Ok(json!("string")));
        assert_eq!(found(".spec.m.x", true), Ok(json!("integer")));
        assert_eq!(found(".spec.nope", true), Err("does not refer to a valid field".into()));
        assert_eq!(found("spec", true), Err("expected [ or . but got: spec".into()));
        assert_eq!(found(".spec[0]", false), Err("array notation is not allowed".into()));
        assert_eq!(found(".", true), Err("unexpected end of JSON path".into()));
    }

    #[test]
    fn fields_are_shown_as_by_a_server() {
        let number = json!({"type": "integer"});
        let inner = json!({"properties": {"x": number, "a.b": number, "a'b": number}});
        let schema =
            json!({"properties": {"a": number, "o": inner, "m": {"additionalProperties": inner}}});
        for (path, expected) in [
            (".a", "s.a"),
            ("['a']", "s.a"),
            (".o['x']", "s.o.x"),
            ("['o'].x", "s.o.x"),
            (".o['a.b']", "s.o.a.b"),
            (r".o['a\'b']", "s.o.a'b"),
            (".m.k", "s.m[k]"),
            (".m['k.l'].x", "s.m[k.l].x"),
            ("['m']['k']['x']", "s.m[k].x"),
            (".m['']", "s.m[]"),
        ] {
            assert_eq!(field("s", path, &schema), expected, "{path}");
            assert_eq!(field("", path, &schema), expected.trim_start_matches("s."), "{path}");
        }
    }
}

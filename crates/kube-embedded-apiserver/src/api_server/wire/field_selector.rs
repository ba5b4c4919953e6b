//! Field selectors of queries.

use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::store::selection::FieldPath;

/// The fields of a selector, each with whether it must be equal, and the value.
type Fields = Vec<(FieldPath, bool, String)>;

/// Resources whose message for an unknown field names the kind.
const NAMES_KIND: [&str; 1] = ["jobs.batch"];

/// Parses the selector of a query.
pub(super) fn parse(text: &str, resource: &ResourceType) -> Result<Fields, Failure> {
    let terms = split(text).into_iter().filter(|term| !term.is_empty());
    terms.map(|term| parse_term(term, resource)).collect()
}

/// Splits a selector at its commas, except for those behind a backslash.
fn split(text: &str) -> Vec<&str> {
    let (mut terms, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn parse_term(term: &str, resource: &ResourceType) -> Result<(FieldPath, bool, String), Failure> {
    let invalid = || {
        let message = format!("invalid selector: '{term}'; can't understand '{term}'");
        Failure::bad_request(message)
    };
    let at = term.find("!=").into_iter().chain(term.find('=')).min().ok_or_else(invalid)?;
    let (path, rest) = term.split_at(at);
    let (equal, value) = match rest.strip_prefix("!=") {
        Some(value) => (false, value),
        None => (true, rest.strip_prefix("==").unwrap_or(&rest[1..])),
    };
    Ok((find(path, resource)?, equal, unescape(value)?))
}

fn unescape(value: &str) -> Result<String, Failure> {
    let mut plain = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some(c @ ('\\' | ',' | '=')) => plain.push(c),
                other => {
                    let sequence: String = std::iter::once('\\').chain(other).collect();
                    return Err(Failure::bad_request(format!(
                        "invalid field selector: invalid escape sequence: {sequence}"
                    )));
                }
            },
            ',' | '=' => {
                return Err(Failure::bad_request(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(c)
                )));
            }
            c => plain.push(c),
        }
    }
    Ok(plain)
}

fn find(path: &str, resource: &ResourceType) -> Result<FieldPath, Failure> {
    let selectable = resource.selectable.iter().any(|field| field == path);
    let declared = resource.fields.iter().position(|field| selectable && field == path);
    match (path, declared) {
        ("metadata.name", _) => Ok(FieldPath::Name),
        ("metadata.namespace", _) if resource.namespaced || !resource.custom => {
            Ok(FieldPath::Namespace)
        }
        (_, Some(n)) => Ok(FieldPath::Declared(n)),
        _ => Err(Failure::bad_request(unknown(path, resource))),
    }
}

fn unknown(path: &str, resource: &ResourceType) -> String {
    let name = resource.qualified();
    if NAMES_KIND.contains(&&*name) {
        return format!("field label {path:?} not supported for {}", resource.kind);
    }
    if resource.selectable.is_empty() && !resource.custom {
        return format!(
            "{path:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        );
    }
    format!("field label not supported: {path}")
}

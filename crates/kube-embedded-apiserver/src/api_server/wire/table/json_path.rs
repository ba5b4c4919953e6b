//! The part of JSON path that printer columns use: members, indexes, `[*]`, and filters on
//! equality.

use serde_json::Value;

/// Returns the first value at a path such as `.status.conditions[?(@.type=="Ready")].status`; null
/// if there is none or the path is not supported.
pub(super) fn find(object: &Value, path: &str) -> Value {
    let mut rest = path.trim().trim_start_matches('{').trim_end_matches('}');
    let mut found = vec![object];
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let Some((step, after)) = inner.split_once(']') else { return Value::Null };
            found = found.into_iter().flat_map(|value| stepped(value, step)).collect();
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let (member, after) = member(rest);
        found = found.into_iter().filter_map(|value| value.get(&*member)).collect();
        rest = after;
    }
    found.first().map_or(Value::Null, |value| (*value).clone())
}

/// Returns the next member's name, in which a dot may be escaped, and the rest.
fn member(path: &str) -> (String, &str) {
    let mut name = String::new();
    let mut escaped = false;
    for (at, c) in path.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '.' | '[' if !escaped => return (name, &path[at..]),
            c => {
                name.push(c);
                escaped = false;
            }
        }
    }
    (name, "")
}

fn stepped<'a>(value: &'a Value, step: &str) -> Vec<&'a Value> {
    let step = step.trim();
    if let Some(name) = step.strip_prefix('\'').and_then(|step| step.strip_suffix('\'')) {
        return value.get(name).into_iter().collect();
    }
    let Some(elements) = value.as_array() else { return Vec::new() };
    if step == "*" {
        return elements.iter().collect();
    }
    let filter = step.strip_prefix("?(").and_then(|step| step.strip_suffix(')'));
    if let Some((path, wanted)) = filter.and_then(|filter| filter.split_once("==")) {
        let path = path.trim().trim_start_matches('@');
        let wanted = wanted.trim().trim_matches(['"', '\'']);
        let has = |element: &&Value| match find(element, path) {
            Value::String(text) => text == wanted,
            other => {
                let text = other.to_string();
                text == wanted
            }
        };
        return elements.iter().filter(has).collect();
    }
    step.parse::<usize>().ok().and_then(|n| elements.get(n)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn printer_column_paths_are_supported() {
        let object = json!({
            "spec": {"color": "blue", "sizes": [1, 2]},
            "metadata": {"annotations": {"example.com/a": "b"}},
            "status": {"conditions": [
                {"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True"}
            ]},
        });
        for (path, value) in [
            (".spec.color", json!("blue")),
            (".spec.sizes[1]", json!(2)),
            (".spec.sizes[*]", json!(1)),
            (r".metadata.annotations.example\.com/a", json!("b")),
            (".metadata.annotations['example.com/a']", json!("b")),
            (r#".status.conditions[?(@.type=="Ready")].status"#, json!("True")),
            (".status.conditions[?(@.type=='Lost')].status", Value::Null),
            (".spec.none.at.all", Value::Null),
            (".spec[", Value::Null),
        ] {
            assert_eq!(find(&object, path), value, "{path}");
        }
    }
}

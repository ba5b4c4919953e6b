//! Checks of the members that the `scale` subresource of a custom type reads.

use serde_json::Value;

use crate::api_server::failure::Cause;
use crate::api_server::resource::ResourceType;

/// Returns the problems of the replicas and of the selector.
pub(super) fn problems(resource: &ResourceType, status_only: bool, object: &Value) -> Vec<Cause> {
    let Some(paths) = &resource.scale else { return Vec::new() };
    if !resource.custom {
        return Vec::new();
    }
    let at = |path: &str| path.split('.').fold(object, |value, member| &value[member]);
    let replicas = [Some(&paths.spec).filter(|_| !status_only), Some(&paths.status)];
    let mut causes = Vec::new();
    for path in replicas.into_iter().flatten() {
        let field = format!(".{path}");
        let problem = match at(path) {
            Value::Null => continue,
            value => match value.as_i64() {
                Some(replicas) if replicas < 0 => {
                    Some((replicas, "should be a non-negative integer"))
                }
                Some(replicas) if replicas > i64::from(i32::MAX) => {
                    Some((replicas, "should be less than or equal to 2147483647"))
                }
                Some(_) => None,
                None => {
                    let found = found_type(value);
                    let problem = format!(
                        "{field} accessor error: {found} is of the type {}, expected int64",
                        go_type(value)
                    );
                    causes.push(Cause::invalid_raw(&field, "0", &problem));
                    None
                }
            },
        };
        if let Some((replicas, problem)) = problem {
            causes.push(Cause::invalid_raw(&field, &replicas.to_string(), problem));
        }
    }
    if let Some(path) = &paths.selector {
        let value = at(path);
        if !value.is_null() && !value.is_string() {
            let field = format!(".{path}");
            let found = found_type(value);
            let problem = format!(
                "{field} accessor error: {found} is of the type {}, expected string",
                go_type(value)
            );
            causes.push(Cause::invalid(&field, "", &problem));
        }
    }
    causes
}

/// Returns a value as Go prints it.
fn found_type(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

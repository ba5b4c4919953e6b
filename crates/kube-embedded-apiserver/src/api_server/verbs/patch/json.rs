//! JSON patches (RFC 6902), with the liberties of a real server: a replace may add a member, and
//! negative indexes count from the end.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::api_server::failure::Failure;
use crate::api_server::rules::go_format;

/// The largest number of operations.
const MOST_OPERATIONS: usize = 10_000;
/// The largest size of all copied values together, in bytes of JSON.
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// The largest depth of the patched object, which is that of bodies.
const MOST_DEPTH: usize = 128;

/// An operation that cannot be done. Clients do not learn its cause.
#[derive(Debug, PartialEq)]
struct Refused;

/// Applies the operations of a patch, one after another.
pub(super) fn apply(object: &mut Value, patch: &Value) -> Result<(), Failure> {
    let operations = operations(patch)?;
    if operations.len() > MOST_OPERATIONS {
        let found = operations.len();
        let message = format!(
            "Request entity too large: The allowed maximum operations in a JSON patch is \
             {MOST_OPERATIONS}, got {found}"
        );
        return Err(Failure::new(413, "RequestEntityTooLarge", message));
    }
    let mut copied = 0;
    for operation in operations {
        run(object, operation, &mut copied).map_err(|Refused| Failure::rejected())?;
    }
    Ok(())
}

/// Applies the operations of a patch, whose first failure is told.
pub(super) fn apply_each(object: &mut Value, patch: &Value) -> Result<(), String> {
    let operations = operations(patch).map_err(|failure| failure.message)?;
    let mut copied = 0;
    for operation in operations {
        let text = |name: &str| operation.get(name).and_then(Value::as_str);
        run(object, operation, &mut copied).map_err(|Refused| {
            let kind = text("op").unwrap_or_default();
            match (kind, text("path")) {
                ("test", Some(place)) => format!("testing value {place} failed: test failed"),
                ("remove", Some(place)) if container(object, place).is_ok() => {
                    let last = place.rsplit('/').next().unwrap_or_default();
                    format!(
                        "error in remove for path: '{place}': Unable to remove nonexistent key: \
                         {last}: missing value"
                    )
                }
                ("replace", Some(place)) => {
                    format!("replace operation does not apply: doc is missing path: {place}: missing value")
                }
                ("add" | "remove" | "move" | "copy", Some(place)) => format!(
                    "{kind} operation does not apply: doc is missing path: {place:?}: missing value"
                ),
                ("add" | "remove" | "replace" | "test" | "move" | "copy", None) => {
                    format!("{kind} operation failed to decode path: missing value")
                }
                _ => format!("Unexpected kind: {kind}"),
            }
        })?;
    }
    Ok(())
}

/// Returns the members on the way of all operations, as nested objects.
pub(super) fn touched(patch: &Value) -> Value {
    let mut touched = Value::Object(Map::new());
    for operation in patch.as_array().into_iter().flatten() {
        let paths = ["path", "from"].map(|name| operation[name].as_str());
        for path in paths.into_iter().flatten() {
            let mut at = &mut touched;
            for step in steps(path).map(|(steps, _)| steps).unwrap_or_default() {
                at = &mut at[step];
                if !at.is_object() {
                    *at = Value::Object(Map::new());
                }
            }
        }
    }
    touched
}

/// Returns the members that operations do not have.
pub(super) fn unknown(patch: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    for (n, operation) in patch.as_array().into_iter().flatten().enumerate() {
        let names = operation.as_object().into_iter().flatten().map(|(name, _)| name);
        let known = |name: &&String| matches!(&***name, "op" | "path" | "from" | "value");
        unknown.extend(names.filter(|n| !known(n)).map(|name| format!("[{n}].{name}")));
    }
    unknown
}

static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// Checks the types of a patch.
fn operations(patch: &Value) -> Result<Vec<&Map<String, Value>>, Failure> {
    let bad = |value: &Value, member: &str| {
        let found = go_format::json_name(value);
        let problem =
            format!("error decoding patch: json: cannot unmarshal {found} into Go {member}");
        Failure::bad_request(problem)
    };
    let Value::Array(list) = patch else {
        if patch.is_null() {
            return Ok(Vec::new());
        }
        return Err(bad(patch, "value of type []handlers.jsonPatchOp"));
    };
    let mut operations = Vec::with_capacity(list.len());
    for operation in list {
        let members = match operation {
            Value::Object(members) => members,
            Value::Null => &EMPTY,
            other => return Err(bad(other, "value of type handlers.jsonPatchOp")),
        };
        for name in ["op", "path", "from"] {
            if let Some(value) =
                members.get(name).filter(|value| !value.is_string() && !value.is_null())
            {
                let member = format!("struct field jsonPatchOp.{name} of type string");
                return Err(bad(value, &member));
            }
        }
        operations.push(members);
    }
    Ok(operations)
}

fn run(
    object: &mut Value,
    operation: &Map<String, Value>,
    copied: &mut usize,
) -> Result<(), Refused> {
    let text = |name: &str| operation.get(name).and_then(Value::as_str);
    let value = || operation.get("value").cloned().unwrap_or_default();
    let path = text("path").ok_or(Refused)?;
    match text("op").ok_or(Refused)? {
        "add" => add(object, path, value()),
        "remove" => remove(object, path).map(drop),
        "replace" if path.is_empty() => {
            *object = value();
            if object.is_object() || object.is_array() { Ok(()) } else { Err(Refused) }
        }
        "replace" => replace(object, path, value()),
        "test" if path.is_empty() => (*object == value()).then_some(()).ok_or(Refused),
        "test" => {
            let found = get(object, path)?.unwrap_or(&Value::Null);
            (*found == value()).then_some(()).ok_or(Refused)
        }
        "move" => {
            let from = text("from").ok_or(Refused)?;
            let value = remove(object, from)?;
            add(object, path, value)
        }
        "copy" => {
            let value = get(object, text("from").ok_or(Refused)?)?.cloned().unwrap_or_default();
            *copied += value.to_string().len();
            if *copied > MOST_COPIED { Err(Refused) } else { add(object, path, value) }
        }
        _ => Err(Refused),
    }
}

/// The steps of a path. What is before the first slash does not count.
fn steps(path: &str) -> Result<(Vec<String>, String), Refused> {
    let unescaped = |step: &str| step.replace("~1", "/").replace("~0", "~");
    let mut steps: Vec<String> = path.split('/').skip(1).map(unescaped).collect();
    let last = steps.pop().ok_or(Refused)?;
    Ok((steps, last))
}

/// Returns the list or object that a path leads into, and the last step.
fn container<'a>(object: &'a mut Value, path: &str) -> Result<(&'a mut Value, String), Refused> {
    let (steps, last) = steps(path)?;
    let mut value = object;
    for step in steps {
        value = match value {
            Value::Object(members) => members.get_mut(&step).ok_or(Refused)?,
            Value::Array(elements) => {
                let at = index(&step, elements.len())?;
                &mut elements[at]
            }
            _ => return Err(Refused),
        };
    }
    if value.is_object() || value.is_array() { Ok((value, last)) } else { Err(Refused) }
}

/// Returns the index of an element. Negative numbers count from the end.
fn index(step: &str, length: usize) -> Result<usize, Refused> {
    let number: i64 = step.parse().map_err(|_| Refused)?;
    let length = i64::try_from(length).map_err(|_| Refused)?;
    let at = if number < 0 { number + length } else { number };
    usize::try_from(at).ok().filter(|_| at < length).ok_or(Refused)
}

fn get<'a>(object: &'a mut Value, path: &str) -> Result<Option<&'a Value>, Refused> {
    match container(object, path)? {
        (Value::Array(elements), last) => {
            let at = index(&last, elements.len())?;
            Ok(elements.get(at))
        }
        (value, last) => Ok(value.get(&last)),
    }
}

/// Returns a failure if a value at a path is too deep.
fn check_depth(path: &str, value: &Value) -> Result<(), Refused> {
    fn fits(value: &Value, left: usize) -> bool {
        left > 0
            && match value {
                Value::Array(elements) => elements.iter().all(|value| fits(value, left - 1)),
                Value::Object(members) => members.values().all(|value| fits(value, left - 1)),
                _ => true,
            }
    }
    let above = path.split('/').count();
    if fits(value, MOST_DEPTH.saturating_sub(above)) { Ok(()) } else { Err(Refused) }
}

fn add(object: &mut Value, path: &str, value: Value) -> Result<(), Refused> {
    check_depth(path, &value)?;
    match container(object, path)? {
        (Value::Array(elements), last) => {
            let at = match &*last {
                "-" => elements.len(),
                // One more than there are: the new one counts.
                last => index(last, elements.len() + 1)?,
            };
            elements.insert(at, value);
        }
        (Value::Object(members), last) => drop(members.insert(last, value)),
        _ => return Err(Refused),
    }
    Ok(())
}

fn replace(object: &mut Value, path: &str, value: Value) -> Result<(), Refused> {
    check_depth(path, &value)?;
    match container(object, path)? {
        (Value::Array(elements), last) => {
            let at = index(&last, elements.len())?;
            elements[at] = value;
        }
        (Value::Object(members), last) => drop(members.insert(last, value)),
        _ => return Err(Refused),
    }
    Ok(())
}

fn remove(object: &mut Value, path: &str) -> Result<Value, Refused> {
    match container(object, path)? {
        (Value::Array(elements), last) => {
            let at = index(&last, elements.len())?;
            Ok(elements.remove(at))
        }
        (Value::Object(members), last) => members.remove(&last).ok_or(Refused),
        _ => Err(Refused),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patched(patch: &Value) -> Option<Value> {
        let mut object = json!({"a": {"b": "1"}, "l": ["x", "y"]});
        apply(&mut object, patch).ok().map(|()| object)
    }

    #[test]
    fn operations_have_the_liberties_of_a_server() {
        for (operation, result) in [
            (json!({"op": "replace", "path": "/a/c", "value": 2}), json!({"b": "1", "c": 2})),
            (json!({"op": "copy", "from": "/a/no", "path": "/a/c"}), json!({"b": "1", "c": null})),
            (json!({"op": "test", "path": "/a/no", "value": null}), json!({"b": "1"})),
            (json!({"op": "add", "path": "/a/c~1d~0"}), json!({"b": "1", "c/d~": null})),
        ] {
            assert_eq!(patched(&json!([operation])).unwrap()["a"], result, "{operation}");
        }
        for (operation, result) in [
            (json!({"op": "add", "path": "/l/-1", "value": "z"}), json!(["x", "y", "z"])),
            (json!({"op": "add", "path": "/l/-", "value": "z"}), json!(["x", "y", "z"])),
            (json!({"op": "remove", "path": "/l/-1"}), json!(["x"])),
            (json!({"op": "replace", "path": "/l/01", "value": "z"}), json!(["x", "z"])),
        ] {
            assert_eq!(patched(&json!([operation])).unwrap()["l"], result, "{operation}");
        }
        for operation in [
            json!({"op": "remove", "path": "/a/no"}),
            json!({"op": "remove", "path": "/l/-"}),
            json!({"op": "add", "path": "/l/3", "value": 1}),
            json!({"op": "add", "path": "/no/x", "value": 1}),
            json!({"op": "add", "path": "", "value": {}}),
            json!({"op": "move", "from": "/a", "path": "/a/c"}),
            json!({"op": "bogus", "path": "/a"}),
            json!({"path": "/a"}),
            json!(null),
        ] {
            assert_eq!(patched(&json!([operation])), None, "{operation}");
        }
    }

    #[test]
    fn copies_are_limited() {
        let copy = |n: usize| json!({"op": "copy", "from": "/a", "path": format!("/a/c{n}")});
        assert!(patched(&(0..8).map(copy).collect()).is_some());
        assert_eq!(patched(&(0..64).map(copy).collect()), None);
        let nest = |_| json!({"op": "copy", "from": "/a", "path": "/a/c"});
        assert!(patched(&(0..8).map(nest).collect()).is_some());
        assert_eq!(patched(&(0..MOST_DEPTH).map(nest).collect()), None);
    }

    #[test]
    fn unknown_members_of_operations_are_named() {
        let patch = json!([{"op": "test"}, {"op": "test", "x": 1}]);
        assert_eq!(unknown(&patch), ["[1].x"]);
    }
}

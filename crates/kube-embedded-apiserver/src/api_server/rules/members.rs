//! Objects inside of an object.

use serde_json::{Value, json};

/// Returns the object at a path, and creates it. Other values on the path are replaced.
pub(crate) fn at<'a>(object: &'a mut Value, path: &[&str]) -> &'a mut Value {
    let mut value = as_object(object);
    for member in path {
        value = as_object(&mut value[*member]);
    }
    value
}

fn as_object(value: &mut Value) -> &mut Value {
    if !value.is_object() {
        *value = json!({});
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_on_a_path_are_created() {
        for odd in [json!(null), json!([1]), json!({ "a": "text" }), json!({ "a": { "b": 1 } })] {
            let mut object = odd;
            at(&mut object, &["a", "b"])["c"] = 1.into();
            assert_eq!(object, json!({ "a": { "b": { "c": 1 } } }));
        }
    }
}

//! The conditions in the status of an object.

use serde_json::{Value, json};

use super::members::at;

/// Sets a condition, in place of the one of its type. If its status stays the same, so does the
/// time of its last transition.
pub(crate) fn set_condition(object: &mut Value, condition: Value) {
    let conditions = &mut at(object, &["status"])["conditions"];
    let Some(all) = conditions.as_array_mut() else {
        *conditions = json!([condition]);
        return;
    };
    let Some(found) = all.iter_mut().find(|found| found["type"] == condition["type"]) else {
        all.push(condition);
        return;
    };
    let time = found["lastTransitionTime"].take();
    let same = found["status"] == condition["status"];
    *found = condition;
    if same && !time.is_null() {
        found["lastTransitionTime"] = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_status_keeps_its_time() {
        let condition = |kind: &str, status: &str, time: &str| {
            let mut condition = json!({ "type": kind, "status": status });
            condition["lastTransitionTime"] = time.into();
            condition
        };
        let mut object = json!({});
        set_condition(&mut object, condition("A", "True", "1"));
        set_condition(&mut object, condition("B", "True", "1"));
        set_condition(&mut object, condition("A", "True", "2"));
        set_condition(&mut object, condition("B", "False", "2"));
        let expected = json!([condition("A", "True", "1"), condition("B", "False", "2")]);
        assert_eq!(object["status"]["conditions"], expected);
    }
}

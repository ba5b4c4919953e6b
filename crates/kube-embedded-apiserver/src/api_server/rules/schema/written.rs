//! Whole numbers as a client wrote them: `5.0` is a fraction to the checks of a server, and `5` in
//! what it stores.

use std::borrow::Cow;

use serde_json::Value;

/// An object as it was written, if it has a whole number with a fraction.
pub(crate) struct Written(Option<Value>);

impl Written {
    pub(crate) fn of(object: &Value) -> Self {
        Self(has_whole_float(object).then(|| object.clone()))
    }

    /// Returns the stored form of the object with the numbers as they were written.
    pub(crate) fn restored<'a>(&self, stored: &'a Value) -> Cow<'a, Value> {
        let Some(written) = &self.0 else { return Cow::Borrowed(stored) };
        let mut stored = stored.clone();
        restore(written, &mut stored);
        Cow::Owned(stored)
    }
}

fn has_whole_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.is_f64() && number.as_f64().is_some_and(|float| float.fract() == 0.0)
        }
        Value::Array(elements) => elements.iter().any(has_whole_float),
        Value::Object(members) => members.values().any(has_whole_float),
        _ => false,
    }
}

fn restore(written: &Value, stored: &mut Value) {
    match (written, stored) {
        (Value::Number(written), Value::Number(stored))
            if written.is_f64() && written.as_f64() == stored.as_f64() =>
        {
            *stored = written.clone();
        }
        (Value::Array(written), Value::Array(stored)) if written.len() == stored.len() => {
            for (written, stored) in written.iter().zip(stored) {
                restore(written, stored);
            }
        }
        (Value::Object(written), Value::Object(stored)) => {
            for (name, stored) in stored {
                if let Some(written) = written.get(name) {
                    restore(written, stored);
                }
            }
        }
        _ => {}
    }
}

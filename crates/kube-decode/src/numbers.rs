//! A look for numbers that JSON does not have, or that API servers read as others.
//!
//! `serde_json` writes null for NaN and infinity, as it does for a value that is not set. Go reads
//! an integer beyond its own as a float, which has fewer digits.

use std::fmt;

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Value;

/// The reasons why a value is refused.
const NOT_FINITE: &str = "a number is NaN or infinite, which JSON cannot hold";
const TOO_LARGE: &str =
    "an integer is above 9223372036854775807, so that API servers read it as another number";

/// Checks that a written value has every number of the value that it was written from, and that API
/// servers read the same numbers.
///
/// # Errors
/// Returns the reason, without the number.
pub fn check_numbers(
    written: &Value,
    value: &(impl Serialize + ?Sized),
) -> Result<(), &'static str> {
    // Only where null is: the look runs the type's code once more.
    if has(written, &Value::is_null) && !is_finite(value) {
        return Err(NOT_FINITE);
    }
    if has(written, &is_changed) { Err(TOO_LARGE) } else { Ok(()) }
}

/// Returns whether an integer changes where it is read as a float and written again.
#[expect(clippy::cast_precision_loss, reason = "the loss is what is looked for")]
fn is_changed(value: &Value) -> bool {
    let large = value.as_u64().filter(|_| !value.is_i64());
    large.is_some_and(|integer| (integer as f64).to_string() != integer.to_string())
}

/// Returns whether all numbers of a value are finite.
fn is_finite(value: &(impl Serialize + ?Sized)) -> bool {
    value.serialize(Finite).is_ok()
}

/// Returns whether a written value has such a part, or is one.
fn has(value: &Value, is: &impl Fn(&Value) -> bool) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(|one| has(one, is)),
        Value::Object(members) => members.values().any(|one| has(one, is)),
        scalar => is(scalar),
    }
}

/// A serialiser that writes nothing, and fails at NaN and infinity.
struct Finite;

type Done = Result<(), fmt::Error>;

macro_rules! scalars {
    ($($method:ident $type:ty)*) => {
        $(fn $method(self, _: $type) -> Done {
            Ok(())
        })*
    };
}

macro_rules! starts {
    ($($method:ident ($($argument:ty),*))*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<Self, fmt::Error> {
            Ok(self)
        })*
    };
}

macro_rules! parts {
    ($($part:ident $method:ident ($($name:ty)?))*) => {
        $(impl $part for Finite {
            type Ok = ();
            type Error = fmt::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $name,)? value: &T) -> Done {
                value.serialize(Self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

type Name = &'static str;

impl Serializer for Finite {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    scalars! {
        serialize_bool bool serialize_char char serialize_str &str serialize_bytes &[u8]
        serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_i64 i64 serialize_i128 i128
        serialize_u8 u8 serialize_u16 u16 serialize_u32 u32 serialize_u64 u64 serialize_u128 u128
        serialize_unit_struct Name
    }

    starts! {
        serialize_seq(Option<usize>)
        serialize_tuple(usize)
        serialize_tuple_struct(Name, usize)
        serialize_tuple_variant(Name, u32, Name, usize)
        serialize_map(Option<usize>)
        serialize_struct(Name, usize)
        serialize_struct_variant(Name, u32, Name, usize)
    }

    fn serialize_f32(self, value: f32) -> Done {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Done {
        if value.is_finite() { Ok(()) } else { Err(fmt::Error) }
    }

    fn serialize_none(self) -> Done {
        Ok(())
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(self, _: Name, _: u32, _: Name) -> Done {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: Name, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T>(self, _: Name, _: u32, _: Name, value: &T) -> Done
    where
        T: Serialize + ?Sized,
    {
        value.serialize(self)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Done {
        Ok(())
    }
}

parts! {
    SerializeSeq serialize_element()
    SerializeTuple serialize_element()
    SerializeTupleStruct serialize_field()
    SerializeTupleVariant serialize_field()
    SerializeStruct serialize_field(Name)
    SerializeStructVariant serialize_field(Name)
}

impl SerializeMap for Finite {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Done {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(Self)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn integer_that_servers_change_is_found() {
        let check = |number: u64| check_numbers(&serde_json::json!({ "a": [number] }), &number);
        // The third one is what a server shows of 2^63.
        for number in [0, i64::MAX.unsigned_abs(), 9_223_372_036_854_776_000] {
            assert_eq!(check(number), Ok(()), "{number}");
        }
        for number in [1 << 63, u64::MAX, 9_223_372_036_854_776_001] {
            assert_eq!(check(number), Err(TOO_LARGE), "{number}");
        }
    }

    #[derive(Serialize)]
    enum Shape {
        Unit,
        One(f64),
        Two(u8, f32),
        Named { at: [f64; 2] },
    }

    #[test]
    fn number_that_json_lacks_is_found_anywhere() {
        for number in [0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            #[expect(clippy::cast_possible_truncation, reason = "the kind of number stays")]
            let small = number as f32;
            let found = [
                is_finite(&Some(number)),
                is_finite(&(None::<f64>, (), Shape::Unit, 'c', number)),
                is_finite(&Shape::One(number)),
                is_finite(&vec![Shape::Two(1, small)]),
                is_finite(&Shape::Named { at: [0.0, number] }),
                is_finite(&BTreeMap::from([("a", BTreeMap::from([(1, Box::new(number))]))])),
            ];
            assert_eq!(found, [number.is_finite(); 6], "{number}");
        }
    }
}

//! The values of one field of an object that can be serialized.
//!
//! The serializer follows only the field's path, so nothing else is copied.

use std::fmt;

use serde::ser::{self, Impossible, Serialize, Serializer};

/// Returns the texts, numbers and truth values at a path, as text.
pub(super) fn values_at<T: Serialize>(object: &T, path: &[String]) -> Result<Vec<String>, Error> {
    let mut values = Vec::new();
    object.serialize(Walk { path, values: &mut values })?;
    Ok(values)
}

/// An error that a type's own `Serialize` returned.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Error(String);

impl ser::Error for Error {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self(text.to_string())
    }
}

/// The rest of the path, below a value.
struct Walk<'a> {
    path: &'a [String],
    values: &'a mut Vec<String>,
}

impl Walk<'_> {
    /// Takes a value, if the path ends here.
    fn take(self, value: impl fmt::Display) {
        if self.path.is_empty() {
            self.values.push(value.to_string());
        }
    }

    /// Enters a member, if it is next on the path.
    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        match self.path.split_first() {
            Some((next, path)) if next == name => {
                value.serialize(Walk { path, values: self.values })
            }
            _ => Ok(()),
        }
    }
}

/// A map, and the name of its next member.
struct Members<'a> {
    walk: Walk<'a>,
    name: Option<String>,
}

/// Takes values of these types.
macro_rules! scalars {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            self.take(value);
            Ok(())
        })*
    };
}

impl<'a> Serializer for Walk<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), Error>;

    scalars! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_str: &str,
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.take(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.member(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        Err(unsupported(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a>, Error> {
        Ok(Members { walk: self, name: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        Err(unsupported(variant))
    }
}

fn unsupported(variant: &str) -> Error {
    Error(format!("the variant {variant} has fields, and no Kubernetes type has such a variant"))
}

/// Enters each element of a list with the same path.
macro_rules! elements {
    ($($trait:ident $method:ident),*) => {
        $(impl ser::$trait for Walk<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                value.serialize(Walk { path: self.path, values: self.values })
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        })*
    };
}

elements!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field
);

impl ser::SerializeStruct for Walk<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.member(name, value)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

impl ser::SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let mut names = Vec::new();
        key.serialize(Walk { path: &[], values: &mut names })?;
        self.name = names.pop();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        match self.name.take() {
            Some(name) => self.walk.member(&name, value),
            None => Ok(()),
        }
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn at(value: &Value, path: &str) -> Vec<String> {
        let path: Vec<_> = path.split('.').map(str::to_owned).collect();
        values_at(value, &path).unwrap()
    }

    #[test]
    fn a_path_leads_through_objects_and_lists_to_scalars() {
        let object = json!({
            "spec": {
                "nodeName": "n1", "replicas": 3, "paused": false, "none": null,
                "volumes": [{"secret": {"name": "a"}}, {"empty": {}}, {"secret": {"name": "b"}}],
                "args": [["x"], ["y", 1.5]],
            },
        });
        assert_eq!(at(&object, "spec.nodeName"), ["n1"]);
        assert_eq!(at(&object, "spec.replicas"), ["3"]);
        assert_eq!(at(&object, "spec.paused"), ["false"]);
        assert_eq!(at(&object, "spec.volumes.secret.name"), ["a", "b"]);
        assert_eq!(at(&object, "spec.args"), ["x", "y", "1.5"]);
        for nothing in ["spec", "spec.none", "spec.nodeName.deeper", "status", "", "spec."] {
            assert!(at(&object, nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn an_error_of_a_type_is_told() {
        struct Bad;
        impl Serialize for Bad {
            fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(ser::Error::custom("on purpose"))
            }
        }
        assert_eq!(values_at(&Bad, &[]).unwrap_err().to_string(), "on purpose");
    }
}

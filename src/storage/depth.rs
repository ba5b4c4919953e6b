//! The depth of an object, measured before the object is packed.
//!
//! Some types, such as a schema, contain themselves, and each level takes part of the thread's
//! stack. An overflow of the stack aborts the process, so the depth is bounded.

use std::fmt;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::PackError;

/// The largest depth of nested lists and maps. In a debug build, unpacking a schema takes 11 kB of
/// the stack for each level, and a thread has 2 MiB.
const MAX_DEPTH: u8 = 64;

/// The depth above which an object is deep. A pod has 11 levels. A type that overflows the stack
/// within 12 takes more than 128 kB a level, and is refused on arrival.
const DEEP: u8 = 12;

/// Checks the depth of an object. Returns whether it is deep, so that unpacking it may take much of
/// the stack.
pub(super) fn check<T: Serialize>(object: &T) -> Result<bool, PackError> {
    let within = |levels| object.serialize(Levels(levels)).map_err(|Refused(error)| error);
    match within(DEEP) {
        Err(PackError::TooDeep) => within(MAX_DEPTH).map(|()| true),
        checked => checked.map(|()| false),
    }
}

/// A serializer that writes nothing, and the number of levels allowed below.
#[derive(Clone, Copy)]
struct Levels(u8);

#[derive(Debug)]
struct Refused(PackError);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Refused {}

impl serde::ser::Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        // The text may quote the object.
        Self(PackError::NotSerialised)
    }
}

type Done = Result<(), Refused>;

impl Levels {
    /// Enters a list or map.
    fn enter(self) -> Result<Self, Refused> {
        self.0.checked_sub(1).map(Self).ok_or(Refused(PackError::TooDeep))
    }
}

macro_rules! scalars {
    ($($method:ident $type:ty,)*) => {
        $(fn $method(self, _: $type) -> Done {
            Ok(())
        })*
    };
}

macro_rules! parts {
    ($($method:ident($($type:ty),*);)*) => {
        $(fn $method(self, $(_: $type),*) -> Result<Self, Refused> {
            self.enter()
        })*
    };
}

impl Serializer for Levels {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    scalars! {
        serialize_bool bool,
        serialize_i8 i8,
        serialize_i16 i16,
        serialize_i32 i32,
        serialize_i64 i64,
        serialize_i128 i128,
        serialize_u8 u8,
        serialize_u16 u16,
        serialize_u32 u32,
        serialize_u64 u64,
        serialize_u128 u128,
        serialize_f32 f32,
        serialize_f64 f64,
        serialize_char char,
        serialize_str &str,
        serialize_bytes &[u8],
        serialize_unit_struct &'static str,
    }

    fn serialize_none(self) -> Done {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Done {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        // A chain of newtypes takes stack, too.
        value.serialize(self.enter()?)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Done {
        value.serialize(self.enter()?)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Done {
        Ok(())
    }

    parts! {
        serialize_seq(Option<usize>);
        serialize_tuple(usize);
        serialize_tuple_struct(&'static str, usize);
        serialize_tuple_variant(&'static str, u32, &'static str, usize);
        serialize_map(Option<usize>);
        serialize_struct(&'static str, usize);
        serialize_struct_variant(&'static str, u32, &'static str, usize);
    }
}

macro_rules! elements {
    ($($trait:ident $method:ident)*) => {
        $(impl $trait for Levels {
            type Ok = ();
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                value.serialize(*self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

macro_rules! fields {
    ($($trait:ident)*) => {
        $(impl $trait for Levels {
            type Ok = ();
            type Error = Refused;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Done {
                value.serialize(*self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

elements! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

fields! { SerializeStruct SerializeStructVariant }

impl SerializeMap for Levels {
    type Ok = ();
    type Error = Refused;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        key.serialize(*self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(*self)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

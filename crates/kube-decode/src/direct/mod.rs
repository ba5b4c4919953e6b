//! Direct decoders: from the protobuf of a common kind to its type in `k8s-openapi`, by the numbers
//! of its fields.
//!
//! A direct decoder knows the ordinary form of an object: the form in which servers write it. It
//! gives up at anything else: malformed bytes, a number out of range, fields out of order, too
//! little memory. The table and serde then decode the object again, and give the answer or the
//! error. A direct decoder therefore needs no errors and no places. It must keep one promise: where
//! it returns an object, the table returns an equal one.
//!
//! A kind costs a program only if the program decodes it. The functions are generic over what they
//! charge, so that they are compiled where a kind is decoded, and not in this crate.
//!
//! A [`walk`] over the same rows checks an object and builds nothing of it but its metadata.

/// Defines the choice of a decoder, and of the rows to walk by, by the type of the kind.
macro_rules! kinds {
    ($($module:path: $($kind:ident $message:literal)*;)*) => {
        /// Returns the decoder of this kind, if there is one and the object is a message of it.
        pub(super) fn decoder<K: 'static, C: super::Charge>(
            object: &crate::protobuf::ProtobufObject<'_>,
        ) -> Option<super::Decoder<K, C>> {
            $($({
                use $module as module;
                // A branch that does not apply is left out before its decoder is compiled.
                if const { size_of::<K>() == size_of::<module::$kind>() } {
                    let known: super::Decoder<module::$kind, C> = super::object::<module::$kind, C>;
                    let known: &dyn std::any::Any = &known;
                    if let Some(decoder) = known.downcast_ref::<super::Decoder<K, C>>() {
                        return (object.message_number() == $message).then_some(*decoder);
                    }
                }
            })*)*
            None
        }

        /// Returns the rules for objects of this kind and the number of its message, if it has a
        /// direct decoder.
        pub(super) fn rules<K: 'static>() -> Option<(&'static super::walk::Rules, u16)> {
            $($({
                use $module as module;
                if const { size_of::<K>() == size_of::<module::$kind>() }
                    && std::any::TypeId::of::<K>() == std::any::TypeId::of::<module::$kind>()
                {
                    let rules = const { &super::walk::Rules::of::<module::$kind>() };
                    return Some((rules, $message));
                }
            })*)*
            None
        }

        /// Calls a macro with each kind.
        #[cfg(test)]
        macro_rules! each_kind {
            ($call:ident) => {
                $($({
                    use $module as module;
                    $call!(module::$kind, $message);
                })*)*
            };
        }
        #[cfg(test)]
        pub(super) use each_kind;
    };
}

mod field;
#[rustfmt::skip]
mod kinds;
mod reader;
mod rows;
#[cfg(test)]
mod tests;
mod walk;

use std::hash::{DefaultHasher, Hash, Hasher};

use kube::core::ObjectMeta;

use self::field::Field;
use self::reader::Reader;
use self::walk::{Row, Rules};
use super::budget::{Budget, text_size};
use super::protobuf::{ProtobufObject, RELEASE};

/// The memory that is charged before a value is built.
pub(super) trait Charge: 'static {
    /// Charges `bytes`. Returns `None` if fewer are left.
    fn charge(&self, bytes: usize) -> Option<()>;

    /// Returns the number of bytes left.
    fn left(&self) -> usize;
}

impl Charge for Budget {
    #[inline]
    fn charge(&self, bytes: usize) -> Option<()> {
        Budget::charge(self, bytes).ok()
    }

    fn left(&self) -> usize {
        Budget::left(self)
    }
}

/// A type whose fields are read by their numbers.
pub(super) trait Message: Sized {
    /// The rules by which the fields are checked and not read, in the order of their numbers.
    const ROWS: &'static [Row];

    /// Returns the value of no message.
    fn absent() -> Self;

    /// Reads the fields of a message that come after the field of this number.
    fn fields<C: Charge>(&mut self, reader: &mut Reader<'_, C>, after: u32) -> Option<()>;
}

/// A type that is a kind.
trait Kind: Message + k8s_openapi::Metadata<Ty = ObjectMeta> {}

impl<K: Message + k8s_openapi::Metadata<Ty = ObjectMeta>> Kind for K {}

/// A decoder of one kind: from an object, with or without its managed fields.
type Decoder<K, C> = fn(&ProtobufObject<'_>, bool, &C) -> Option<K>;

/// Decodes an object of a kind that has a direct decoder. `None` if it has none, or if the object
/// is out of the ordinary.
pub(super) fn decode<K: 'static>(
    object: &ProtobufObject<'_>,
    managed_fields: bool,
    memory: usize,
) -> Option<K> {
    let budget = Budget::new(memory);
    kinds::decoder::<K, Budget>(object)?(object, managed_fields, &budget)
}

/// Returns the metadata of an object that [`decode`] decodes, and builds nothing else. The caller
/// sees namespace and name before anything is checked, and may refuse by returning false. `None`
/// then, too. If the object is `accepted`, only its metadata is checked.
pub(super) fn check<K: 'static>(
    object: &ProtobufObject<'_>,
    managed_fields: bool,
    memory: usize,
    accepted: bool,
    wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
) -> Option<ObjectMeta> {
    let (rules, message) = kinds::rules::<K>()?;
    if object.message_number() != message {
        return None;
    }
    let budget = Budget::new(memory);
    walk::object(object, rules, managed_fields, &budget, accepted, wanted)
}

/// Returns a hash of all that decides which objects of a kind [`check`] accepts. `None` if the kind
/// has no direct decoder.
pub(super) fn fingerprint<K: 'static>(managed_fields: bool, memory: usize) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let of_crate = (env!("CARGO_PKG_VERSION"), RELEASE);
    (of_crate, kinds::rules::<K>()?, managed_fields, memory).hash(&mut hasher);
    Some(hasher.finish())
}

/// Decodes an object of this kind.
fn object<K: Kind, C: Charge>(
    object: &ProtobufObject<'_>,
    managed_fields: bool,
    charge: &C,
) -> Option<K> {
    let mut reader = Reader::new(object.message(), charge);
    let mut decoded = K::absent();
    let rules = const { &Rules::of::<K>() };
    metadata(object, rules, managed_fields, &mut reader, decoded.metadata_mut())?;
    decoded.fields(&mut reader, 1)?;
    Some(decoded)
}

/// Reads the metadata of an object, with which every object begins. Metadata that lies deeper, as
/// in a template, keeps its managed fields.
fn metadata<C: Charge>(
    object: &ProtobufObject<'_>,
    rules: &Rules,
    managed_fields: bool,
    reader: &mut Reader<'_, C>,
    metadata: &mut ObjectMeta,
) -> Option<()> {
    reader.charge(rules.size)?;
    if let Some(stated) = object.types() {
        if stated != rules.types {
            return None;
        }
        reader.charge(text_size(stated.0.len()))?;
        reader.charge(text_size(stated.1.len()))?;
    }
    if reader.head()? != 1 {
        return None;
    }
    reader.skips_managed = !managed_fields;
    reader.in_metadata = true;
    metadata.read(reader)?;
    (reader.skips_managed, reader.in_metadata) = (false, false);
    Some(())
}

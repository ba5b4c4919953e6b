//! Dynamic objects in JSON, decoded without a detour.
//!
//! `DynamicObject` flattens its type and its data, so serde collects all members in a buffer and
//! then builds the object from it. Here each member goes where it belongs at once. An object that
//! is unusual in any way is left to `DynamicObject`'s own code.

use std::fmt;
use std::sync::Arc;

use kube::core::{DynamicObject, ObjectMeta, TypeMeta};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::rule::Rule;
use super::serde_decode::DecodeOptions;
use super::{Decode, DecodeError, FieldSet, node};

/// A decoder of dynamic objects, from JSON only. The items of a built-in type's list do not state
/// their type, so they get the requested one. Protobuf is not supported, because a table of fields
/// could leave out a field that the server has.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct DynamicDecode {
    types: TypeMeta,
    options: DecodeOptions,
}

impl Decode<DynamicObject> for DynamicDecode {
    fn decode(&self, object: &[u8]) -> Result<DynamicObject, DecodeError> {
        from_json(object, self.options.rule(None), self.options.memory)
            .map(|object| self.typed(object))
    }

    fn decode_fields(
        &self,
        object: &[u8],
        fields: &FieldSet,
    ) -> Result<DynamicObject, DecodeError> {
        from_json(object, self.options.rule(Some(fields)), self.options.memory)
            .map(|object| self.typed(object))
    }

    fn without_managed_fields(&self) -> Option<Arc<dyn Decode<DynamicObject>>> {
        let options = DecodeOptions { managed_fields: false, ..self.options };
        Some(Arc::new(Self { options, ..self.clone() }))
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<DynamicObject>>> {
        let options = DecodeOptions { memory: bytes, ..self.options };
        Some(Arc::new(Self { options, ..self.clone() }))
    }
}

impl DynamicDecode {
    #[doc(hidden)]
    pub fn new(types: TypeMeta) -> Self {
        Self { types, options: DecodeOptions::default() }
    }

    fn typed(&self, mut object: DynamicObject) -> DynamicObject {
        object.types.get_or_insert_with(|| self.types.clone());
        object
    }
}

/// Decodes a dynamic object, without the members that the rule skips.
pub(super) fn from_json(
    text: &[u8],
    rule: Option<Rule<'_>>,
    memory: usize,
) -> Result<DynamicObject, DecodeError> {
    if let Ok(Usual(object)) = node::from_json(text, rule, memory) {
        return Ok(object);
    }
    node::from_json(text, rule, memory)
}

/// An object in the form in which servers send it.
struct Usual(DynamicObject);

/// The name of a member.
enum Name {
    ApiVersion,
    Kind,
    Metadata,
    Other(String),
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(name: D) -> Result<Self, D::Error> {
        struct Names;

        impl Visitor<'_> for Names {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Name, E> {
                Ok(match name {
                    "apiVersion" => Name::ApiVersion,
                    "kind" => Name::Kind,
                    "metadata" => Name::Metadata,
                    _ => Name::Other(name.to_owned()),
                })
            }
        }
        name.deserialize_identifier(Names)
    }
}

impl<'de> Deserialize<'de> for Usual {
    fn deserialize<D: Deserializer<'de>>(object: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Usual;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Usual, A::Error> {
                let (mut api_version, mut kind, mut metadata) = (None, None, None);
                let mut data = Map::new();
                while let Some(name) = members.next_key()? {
                    let is_first = match name {
                        Name::ApiVersion => {
                            api_version.replace(members.next_value::<String>()?).is_none()
                        }
                        Name::Kind => kind.replace(members.next_value::<String>()?).is_none(),
                        Name::Metadata => {
                            metadata.replace(members.next_value::<ObjectMeta>()?).is_none()
                        }
                        Name::Other(name) => {
                            data.insert(name, members.next_value()?);
                            true
                        }
                    };
                    if !is_first {
                        return Err(A::Error::custom("an unusual member"));
                    }
                }
                let types = match (api_version, kind) {
                    (Some(api_version), Some(kind)) => Some(TypeMeta { api_version, kind }),
                    (None, None) => None,
                    _ => return Err(A::Error::custom("half a type")),
                };
                let metadata = metadata.unwrap_or_default();
                Ok(Usual(DynamicObject { types, metadata, data: Value::Object(data) }))
            }
        }
        object.deserialize_map(Members)
    }
}

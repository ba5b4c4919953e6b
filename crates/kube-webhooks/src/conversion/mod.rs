//! Conversion of custom resources between their versions.

mod metadata;
mod review;
mod round_trip;
#[cfg(test)]
mod tests;

use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kube::Resource;
use kube::core::{DynamicObject, GroupVersionKind};
use kube_decode::numbers::check_numbers;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use self::metadata::{keep_metadata, problem};
pub(crate) use self::review::answer;
use crate::BoxError;
use crate::call::panic_message;
use crate::names::{is_kind_name, is_letter_label, is_subdomain};

/// The conversions of one kind, through a hub version.
///
/// Every other version converts to the hub `H` and back, so *n* versions need *n* − 1 pairs of
/// conversions. Write them as `From`, or as `TryFrom` where they can fail.
///
/// ```
/// use kube_webhooks::{Conversion, Webhooks};
///
/// mod v1 {
/// #   use kube::CustomResource;
/// #   use schemars::JsonSchema;
/// #   use serde::{Deserialize, Serialize};
///     #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
///     #[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
///     pub struct WidgetSpec {
///         pub address: String,
///     }
/// }
///
/// mod v2 {
/// #   use kube::CustomResource;
/// #   use schemars::JsonSchema;
/// #   use serde::{Deserialize, Serialize};
///     #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
///     #[kube(group = "example.com", version = "v2", kind = "Widget", namespaced)]
///     pub struct WidgetSpec {
///         pub host: String,
///         pub port: String,
///     }
/// }
///
/// impl TryFrom<v1::Widget> for v2::Widget {
///     type Error = &'static str;
///
///     fn try_from(old: v1::Widget) -> Result<Self, Self::Error> {
///         let (host, port) = old.spec.address.split_once(':').ok_or("the address has no port")?;
///         let spec = v2::WidgetSpec { host: host.to_owned(), port: port.to_owned() };
///         Ok(Self { metadata: old.metadata, spec })
///     }
/// }
///
/// impl From<v2::Widget> for v1::Widget {
///     fn from(new: v2::Widget) -> Self {
///         let spec = v1::WidgetSpec { address: format!("{}:{}", new.spec.host, new.spec.port) };
///         Self { metadata: new.metadata, spec }
///     }
/// }
///
/// let conversion = Conversion::<v2::Widget>::hub().version::<v1::Widget>();
/// let webhooks = Webhooks::builder().convert("/convert", conversion).build()?;
/// # Ok::<_, kube_webhooks::BuildError>(())
/// ```
///
/// # Metadata
///
/// API servers accept changes of labels and annotations only. All other metadata stays as it was,
/// whatever the conversion returns. A conversion that does not carry the object's name over keeps
/// all metadata. Annotations are the place for what the other version cannot say.
///
/// # Failures
///
/// An object that cannot be converted is named in the answer, with the reason. The request fails
/// with it: conversions have no failure policy. A panic is such a failure, too.
pub struct Conversion<H> {
    hub: GroupVersionKind,
    plural: String,
    versions: BTreeMap<String, Version<H>>,
    problem: Option<String>,
}

/// The conversions of one version to the hub and back.
struct Version<H> {
    to_hub: Box<dyn Fn(Value) -> Result<H, BoxError> + Send + Sync>,
    from_hub: Box<dyn Fn(H) -> Result<Value, BoxError> + Send + Sync>,
}

impl<H> fmt::Debug for Conversion<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let versions: Vec<_> = self.versions.keys().collect();
        f.debug_struct("Conversion")
            .field("kind", &self.hub.kind)
            .field("versions", &versions)
            .finish_non_exhaustive()
    }
}

impl<H> Conversion<H>
where
    H: Resource<DynamicType: Default> + Serialize + DeserializeOwned + 'static,
{
    /// Creates conversions through the version of the type `H`.
    pub fn hub() -> Self {
        let of = H::DynamicType::default();
        Self::with_hub(kind_of::<H>(), H::plural(&of).into_owned()).insert(
            &kind_of::<H>(),
            decode::<H>,
            |hub| encode(&hub),
        )
    }
}

impl Conversion<DynamicObject> {
    /// Creates conversions through a version without a type.
    pub fn dynamic_hub(kind: &GroupVersionKind, plural: impl Into<String>) -> Self {
        Self::with_hub(kind.clone(), plural.into()).insert(kind, decode, |hub| encode(&hub))
    }
}

impl<H> Conversion<H> {
    fn with_hub(hub: GroupVersionKind, plural: String) -> Self {
        Self { hub, plural, versions: BTreeMap::new(), problem: None }
    }

    /// Adds a version by its type.
    #[must_use]
    pub fn version<V>(self) -> Self
    where
        V: Resource<DynamicType: Default> + Serialize + DeserializeOwned,
        V: TryInto<H, Error: Into<BoxError>>,
        H: TryInto<V, Error: Into<BoxError>>,
    {
        self.insert(
            &kind_of::<V>(),
            |value| decode::<V>(value)?.try_into().map_err(Into::into),
            |hub| encode::<V>(&hub.try_into().map_err(Into::into)?),
        )
    }

    /// Adds a version without a type, such as `v1alpha1`, by two closures.
    #[must_use]
    pub fn dynamic(
        self,
        version: &str,
        to_hub: impl Fn(DynamicObject) -> Result<H, BoxError> + Send + Sync + 'static,
        from_hub: impl Fn(H) -> Result<DynamicObject, BoxError> + Send + Sync + 'static,
    ) -> Self {
        let kind = GroupVersionKind { version: version.to_owned(), ..self.hub.clone() };
        self.insert(&kind, move |value| to_hub(decode(value)?), move |hub| encode(&from_hub(hub)?))
    }

    fn insert(
        mut self,
        kind: &GroupVersionKind,
        to_hub: impl Fn(Value) -> Result<H, BoxError> + Send + Sync + 'static,
        from_hub: impl Fn(H) -> Result<Value, BoxError> + Send + Sync + 'static,
    ) -> Self {
        let version = Version { to_hub: Box::new(to_hub), from_hub: Box::new(from_hub) };
        if (&kind.group, &kind.kind) != (&self.hub.group, &self.hub.kind) {
            let [other, hub] =
                [kind, &self.hub].map(|kind| format!("{}/{}", kind.group, kind.kind));
            self.problem = Some(format!("the kind {other} is no version of {hub}"));
        }
        let name = kind.api_version();
        if self.versions.insert(name.clone(), version).is_some() {
            self.problem = Some(format!("there are two conversions of {name} {}", kind.kind));
        }
        self
    }

    /// Returns the reason why this cannot convert.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.problem.is_some() {
            return self.problem.clone();
        }
        let GroupVersionKind { group, kind, .. } = &self.hub;
        if self.versions.len() < 2 {
            return Some(format!("a conversion of {kind} needs two versions"));
        }
        let name = self.definition();
        if !is_letter_label(&self.plural) || !group.contains('.') || !is_subdomain(&name) {
            return Some(format!(
                "no definition can have the name {name:?}: it needs a plural name of 1 to 63 \
                 lower-case letters, digits and hyphens, that begins with a letter, and a group \
                 with a dot, of at most 253 characters together"
            ));
        }
        let mut versions = self.versions.keys().filter_map(|name| Some(name.split_once('/')?.1));
        if let Some(version) = versions.find(|version| !is_letter_label(version)) {
            return Some(format!(
                "no definition can have the version {version:?}: it needs 1 to 63 lower-case \
                 letters, digits and hyphens, and begins with a letter"
            ));
        }
        (!is_kind_name(kind)).then(|| {
            format!(
                "no definition can have the kind {kind:?}: it needs 1 to 63 letters, digits and \
                 hyphens, and begins with a letter"
            )
        })
    }

    /// Returns the name of the kind's definition.
    pub(crate) fn definition(&self) -> String {
        format!("{}.{}", self.plural, self.hub.group)
    }

    /// Converts an object to a version, such as `example.com/v2`.
    ///
    /// # Errors
    /// The message names the object, both versions, and the reason.
    pub fn convert(&self, object: Value, version: &str) -> Result<Value, ConversionError> {
        let Value::Object(original) = object else {
            return Err(ConversionError::new(&Map::new(), version, "it is no object"));
        };
        let failed = |reason: &str| ConversionError::new(&original, version, reason);
        let current = original.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        if original.get("kind").and_then(Value::as_str) != Some(&self.hub.kind) {
            return Err(failed(&format!("this converts objects of the kind {}", self.hub.kind)));
        }
        let find = |version: &str| {
            let known = || self.versions.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let found = self.versions.get(version);
            found.ok_or_else(|| failed(&format!("only these versions are known: {}", known())))
        };
        let (source, target) = (find(current)?, find(version)?);
        if current == version {
            return Ok(Value::Object(original));
        }
        let value = Value::Object(original.clone());
        let converted =
            catch_unwind(AssertUnwindSafe(|| (target.from_hub)((source.to_hub)(value)?)));
        let converted = match converted {
            Ok(Ok(Value::Object(converted))) => converted,
            Ok(Ok(_)) => return Err(failed("the conversion returned no object")),
            Ok(Err(error)) => return Err(failed(&crate::chain(&*error))),
            Err(panic) => {
                let message = panic_message(panic);
                return Err(failed(&format!("the conversion panicked: {message}")));
            }
        };
        let mut converted = keep_metadata(&original, converted);
        if let Some(problem) = problem(&converted) {
            return Err(failed(&problem));
        }
        converted.insert("apiVersion".to_owned(), version.into());
        converted.insert("kind".to_owned(), self.hub.kind.as_str().into());
        Ok(Value::Object(converted))
    }
}

/// An object that cannot be converted.
#[derive(Debug, thiserror::Error)]
#[error("cannot convert {object} from {from} to {to}: {reason}")]
pub struct ConversionError {
    /// The kind, namespace and name of the object.
    pub object: String,
    /// The object's version.
    pub from: String,
    /// The version that was asked for.
    pub to: String,
    /// The reason.
    pub reason: String,
}

impl ConversionError {
    fn new(object: &Map<String, Value>, to: &str, reason: &str) -> Self {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("?").to_owned();
        let metadata = object.get("metadata").and_then(Value::as_object);
        let get = |key: &str| metadata.and_then(|metadata| metadata.get(key));
        let namespace = get("namespace").and_then(Value::as_str);
        let namespace = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
        Self {
            object: format!("{} {namespace}{}", text(object.get("kind")), text(get("name"))),
            from: text(object.get("apiVersion")),
            to: to.to_owned(),
            reason: reason.to_owned(),
        }
    }
}

fn kind_of<K: Resource<DynamicType: Default>>() -> GroupVersionKind {
    let of = K::DynamicType::default();
    GroupVersionKind::gvk(&K::group(&of), &K::version(&of), &K::kind(&of))
}

fn decode<V: DeserializeOwned>(value: Value) -> Result<V, BoxError> {
    serde_json::from_value(value).map_err(|error| {
        format!("it cannot be decoded as {}: {error}", short(type_name::<V>())).into()
    })
}

fn encode<V: Serialize>(object: &V) -> Result<Value, BoxError> {
    let written = serde_json::to_value(object)?;
    check_numbers(&written, object)?;
    Ok(written)
}

/// Returns a type's name without its modules.
fn short(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

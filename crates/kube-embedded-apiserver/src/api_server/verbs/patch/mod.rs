//! Patches: JSON patch, JSON merge patch, and strategic merge patch for built-in types.

mod json;
mod lists;
mod merge;
mod strategic;

use serde_json::Value;

use super::{WriteTarget, decoding, update_from};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::go_format::{json_name, plain};
use crate::api_server::rules::json::{Parsed, read};
use crate::api_server::rules::shape::{Shape, Source, text};
use crate::api_server::store::Store;
use crate::api_server::verbs::options::{FieldValidation, WriteOptions};

/// Server-side apply.
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

/// The form of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Merge,
    Strategic,
}

const FORMS: [(&str, Form); 3] = [
    ("application/json-patch+json", Form::Json),
    ("application/merge-patch+json", Form::Merge),
    ("application/strategic-merge-patch+json", Form::Strategic),
];

impl Form {
    /// Returns the form of a media type. Custom types have no strategic merge patch.
    pub(crate) fn of(media_type: &str, custom: bool) -> Result<Self, Failure> {
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        let known = FORMS.iter().filter(|(_, form)| !custom || *form != Self::Strategic);
        let found = known.clone().find(|(name, _)| *name == media_type);
        found.map(|(_, form)| *form).ok_or_else(|| {
            let accepted: Vec<&str> = known.map(|(name, _)| *name).chain([APPLY]).collect();
            Failure::unsupported_media_type(&accepted.join(", "))
        })
    }
}

/// Returns whether this is a media type of patches, in lower case.
pub(crate) fn is_patch(media_type: &str) -> bool {
    media_type == APPLY || FORMS.iter().any(|(known, _)| *known == media_type)
}

/// Patches an object. A `resourceVersion` in the result is a precondition, as in a replace.
pub(crate) fn patch(
    store: &mut Store,
    target: WriteTarget<'_>,
    options: &WriteOptions,
    media_type: &str,
    body: &[u8],
) -> Result<Value, Failure> {
    let form = Form::of(media_type, target.resource.custom)?;
    let current = target.current(store)?;
    let before = current.value(target.resource);
    let mut object = before.clone();
    let shape = Shape::of(target.resource);
    let patch = Patch::read(form, body)?;
    patch.apply(shape, &mut object)?;
    patch.decode(shape, target, options.unknown, (&before, &mut object), |source, object| {
        if source == Source::Json {
            decoding::check_kind(target.resource, object)?;
        }
        decoding::members(target.resource, source, object)
    })?;
    check_kind(target.resource, &object)?;
    let object = target.check(object)?;
    target.check_name(&object)?;
    update_from(store, target, (&current, before), object)
}

/// Applies a JSON patch of a webhook. The error is a real server's words.
pub(crate) fn apply_of_webhook(object: &mut Value, patch: &Value) -> Result<(), String> {
    json::apply_each(object, patch)
}

/// A patch that was read.
#[derive(Debug)]
pub(crate) struct Patch {
    form: Form,
    value: Value,
    repeated: Vec<String>,
}

impl Patch {
    pub(crate) fn read(form: Form, body: &[u8]) -> Result<Self, Failure> {
        // A strategic merge patch is decoded elsewhere on a real server.
        let decoding = if form == Form::Strategic { "" } else { "error decoding patch: " };
        let failed = |problem: &str| Failure::bad_request(format!("{decoding}{problem}"));
        let Parsed { mut value, repeated } = read(body).map_err(|problem| failed(&problem))?;
        match (form, &value) {
            (Form::Json, _) | (_, Value::Object(_)) => {}
            (Form::Merge, Value::Null) => return Err(Failure::bad_request("Invalid JSON Patch")),
            (Form::Strategic, Value::Null) => value = Value::Object(serde_json::Map::new()),
            (_, other) => {
                let found = json_name(other);
                let problem = format!(
                    "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
                );
                return Err(failed(&problem));
            }
        }
        Ok(Self { form, value, repeated })
    }

    /// Applies the patch to an object of this shape.
    pub(crate) fn apply(&self, shape: Shape<'_>, object: &mut Value) -> Result<(), Failure> {
        match self.form {
            Form::Json => json::apply(object, &self.value),
            Form::Merge => {
                merge::apply(object, &self.value);
                Ok(())
            }
            Form::Strategic => strategic::apply(shape, object, &self.value),
        }
    }

    /// Decodes the patched object. Members of the patch or of the object that do not count are
    /// warnings, unless strict validation refuses them.
    pub(crate) fn decode(
        &self,
        shape: Shape<'_>,
        target: WriteTarget<'_>,
        validation: FieldValidation,
        (before, object): (&Value, &mut Value),
        members: impl FnOnce(Source, &mut Value) -> Result<Vec<String>, String>,
    ) -> Result<(), Failure> {
        let mut problems = decoding::repeated(self.repeated.clone());
        if self.form == Form::Json {
            let unknown = json::unknown(&self.value).into_iter();
            problems.extend(unknown.map(|path| format!("unknown field {path:?}")));
            problems =
                problems.into_iter().map(|problem| format!("json patch {problem}")).collect();
        }
        let source = if self.form == Form::Strategic { Source::Memory } else { Source::Json };
        let refused = |problem: &str| {
            let mut patched = before.clone();
            // The patch could be applied before.
            let _ = self.apply(shape, &mut patched);
            let shown = match self.form {
                // A real server shows what is in it.
                _ if target.resource.is_confidential() => "<a Secret>".to_owned(),
                Form::Strategic => plain(&self.value),
                Form::Json => text(shape, &patched, &json::touched(&self.value)),
                Form::Merge => text(shape, &patched, &self.value),
            };
            Failure::invalid_kind("", "", "", &[Cause::invalid("patch", &shown, problem)])
        };
        problems.extend(members(source, object).map_err(|problem| refused(&problem))?);
        if validation == FieldValidation::Strict && !problems.is_empty() {
            return Err(refused(&format!("strict decoding error: {}", problems.join(", "))));
        }
        if validation == FieldValidation::Warn {
            target.warn(problems);
        }
        Ok(())
    }
}

/// Returns a failure if a patch changed the kind of a custom object.
pub(super) fn check_kind(resource: &ResourceType, object: &Value) -> Result<(), Failure> {
    if !resource.custom {
        return Ok(());
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
    let expected =
        [("apiVersion", &version, resource.api_version()), ("kind", &kind, resource.kind.clone())];
    let differs = expected.iter().filter(|(_, found, expected)| *found != expected);
    let causes: Vec<Cause> = differs
        .map(|(member, found, expected)| {
            Cause::invalid(member, found, &format!("must be {expected}"))
        })
        .collect();
    if causes.is_empty() {
        return Ok(());
    }
    let group = version.split_once('/').map_or("", |(group, _)| group);
    Err(Failure::invalid_kind(group, &kind, &text(&object["metadata"]["name"]), &causes))
}

//! Conversion webhooks: the forms of a custom object in the versions of its definition.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::admission::pending;
use super::answer::{self, Unexpected};
use super::{Asked, Call, Session, Webhooks, cached_for_write, text};
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::go_format::json_name;
use crate::api_server::rules::{metadata, schema};
use crate::api_server::store::stored::Stored;

/// The time that a conversion may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The conversion of a definition by a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    /// The version in which objects are stored.
    pub(crate) storage: String,
    pub(crate) client: Value,
    pub(crate) review_versions: Value,
}

impl Conversion {
    /// Returns the conversion that a definition declares, if it is one by a webhook.
    pub(crate) fn of(definition: &Value) -> Option<Arc<Self>> {
        let spec = &definition["spec"];
        let conversion = &spec["conversion"];
        let mut versions = spec["versions"].as_array()?.iter();
        let storage = versions.find(|version| version["storage"] == true)?;
        (conversion["strategy"] == "Webhook").then(|| {
            Arc::new(Self {
                storage: text(storage, "name").to_owned(),
                client: conversion["webhook"]["clientConfig"].clone(),
                review_versions: conversion["webhook"]["conversionReviewVersions"].clone(),
            })
        })
    }
}

impl Webhooks {
    /// Returns the conversion of a type by a webhook, if webhooks are called.
    pub(crate) fn conversion<'r>(&self, resource: &'r ResourceType) -> Option<&'r Conversion> {
        let conversion = resource.conversion.as_deref()?;
        self.are_served().then_some(conversion)
    }

    /// Returns the stored object with its form in a version, for a read.
    pub(crate) async fn read(
        self: &Arc<Self>,
        resource: &ResourceType,
        stored: Arc<Stored>,
    ) -> Result<Arc<Stored>, String> {
        if !self.must_convert(resource, &stored) {
            return Ok(stored);
        }
        let session = Session::new(self.clone(), Value::Null, Value::Null, true);
        loop {
            let seen = session.attempt(|| seen(&session, resource, &stored));
            if !session.answer().await {
                return seen;
            }
        }
    }

    /// Returns a failure if a read or write without a request would need a conversion.
    pub(crate) fn check_direct(&self, resource: &ResourceType) -> Result<(), Failure> {
        let conversion = self.conversion(resource);
        let Some(conversion) = conversion.filter(|known| known.storage != resource.version) else {
            return Ok(());
        };
        Err(Failure::bad_request(format!(
            "a webhook converts {}: use the version {:?}, in which it is stored, or a client",
            resource.qualified(),
            conversion.storage
        )))
    }

    /// Returns whether a stored object has another form in a version.
    pub(crate) fn must_convert(&self, resource: &ResourceType, stored: &Stored) -> bool {
        let conversion = self.conversion(resource);
        conversion.is_some_and(|conversion| version_of(conversion, stored) != resource.version)
    }
}

/// Returns the version in which an object is stored.
fn version_of<'s>(conversion: &'s Conversion, stored: &'s Stored) -> &'s str {
    if stored.version.is_empty() { &conversion.storage } else { &stored.version }
}

/// Returns a stored object with its form in a version. The error says why it has none.
fn seen(
    session: &Session,
    resource: &ResourceType,
    stored: &Arc<Stored>,
) -> Result<Arc<Stored>, String> {
    let Some(conversion) = session.webhooks.conversion(resource) else {
        return Ok(stored.clone());
    };
    let from = version_of(conversion, stored).to_owned();
    if from == resource.version {
        return Ok(stored.clone());
    }
    let mut object = stored.stored_value(resource);
    if let Some(storage) = &resource.storage_schema {
        schema::add_defaults(storage, &mut object);
    }
    let mut converted = convert(session, conversion, resource, (&from, &resource.version), object)?;
    schema::prune(resource, &mut converted);
    Ok(Arc::new(stored.seen_as(resource, vec![(resource.version.clone(), converted)])))
}

/// Returns a stored object with its form in the version of a request.
pub(crate) fn current(
    session: &Session,
    resource: &ResourceType,
    stored: &Arc<Stored>,
) -> Result<Arc<Stored>, Failure> {
    if !session.webhooks.must_convert(resource, stored) {
        return Ok(stored.clone());
    }
    if session.brief
        && let Some(cached) = cached_for_write(session, resource, stored)?
    {
        return Ok(cached);
    }
    let seen = seen(session, resource, stored);
    seen.map_err(|problem| {
        if session.brief {
            Failure::without_reason(&undecodable(stored, &problem))
        } else {
            Failure::internal(&corrupt(resource, stored, "", &problem))
        }
    })
}

fn undecodable(stored: &Stored, problem: &str) -> String {
    format!("object not decodable revision={}: {problem}", stored.revision)
}

fn corrupt(resource: &ResourceType, stored: &Stored, root: &str, problem: &str) -> String {
    format!(
        "StorageError: corrupt object, Code: 7, Key: {root}/{}/{}/{}, ResourceVersion: 0, \
         AdditionalErrorMsg: {}",
        resource.group,
        resource.plural,
        stored.key(),
        undecodable(stored, problem),
    )
}

/// Returns the failure of a list, some of whose objects cannot be converted.
pub(crate) fn unreadable_list(
    resource: &ResourceType,
    failed: &[(Arc<Stored>, String)],
) -> Option<Failure> {
    let ((first, problem), more) = failed.split_first()?;
    let name = resource.qualified();
    let problem = corrupt(resource, first, "/registry", problem);
    let causes = failed.iter().map(|(stored, problem)| {
        json!({
            "reason": "UnexpectedServerResponse",
            "message": corrupt(resource, stored, "/registry", problem),
            "field": format!("/registry/{}/{}/{}", resource.group, resource.plural, stored.key()),
        })
    });
    let causes: Vec<Value> = causes.collect();
    let more = match more.len() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let message = format!("failed to read one or more {name} from the storage: {problem}{more}");
    let mut failure = Failure::new(500, "StorageReadError", message).with_causes(&causes);
    if let Some(status) = &mut failure.status {
        let details = &mut status["details"];
        details["name"] = "list".into();
        details["group"] = resource.group.clone().into();
        details["kind"] = resource.plural.clone().into();
    }
    Some(failure)
}

/// Returns an object of the request's version in the version in which it is stored, and as it is
/// read back.
pub(crate) fn stored_and_seen(
    session: &Session,
    conversion: &Conversion,
    resource: &ResourceType,
    object: Value,
) -> Result<(Value, Value), Failure> {
    let (own, storage) = (&*resource.version, &*conversion.storage);
    let failed = |problem: String| Failure::without_reason(&problem);
    let kept = convert(session, conversion, resource, (own, storage), object);
    let mut kept = kept.map_err(failed)?;
    schema::convert_to_storage(resource, &mut kept);
    if let Some(storage) = &resource.storage_schema {
        schema::add_defaults(storage, &mut kept);
    }
    let seen = convert(session, conversion, resource, (storage, own), kept.clone());
    let mut seen = seen.map_err(failed)?;
    schema::prune(resource, &mut seen);
    Ok((kept, seen))
}

/// Returns an object in another version of its type.
pub(super) fn between(
    session: &Session,
    from: &ResourceType,
    to: &ResourceType,
    mut object: Value,
) -> Result<Value, Failure> {
    if from.version == to.version || object["kind"] != *from.kind {
        return Ok(object);
    }
    let Some(conversion) = session.webhooks.conversion(from) else {
        object["apiVersion"] = to.api_version().into();
        return Ok(object);
    };
    let versions = (&*from.version, &*to.version);
    let converted = convert(session, conversion, from, versions, object);
    converted.map_err(|problem| Failure::without_reason(&problem))
}

/// Converts an object. The error is a real server's words.
pub(crate) fn convert(
    session: &Session,
    conversion: &Conversion,
    resource: &ResourceType,
    (from, to): (&str, &str),
    mut object: Value,
) -> Result<Value, String> {
    if from == to {
        return Ok(object);
    }
    let version = |version: &str| format!("{}/{version}", resource.group);
    let (before, after) = (version(from), version(to));
    object["apiVersion"] = before.clone().into();
    let known = answer::known_version(&conversion.review_versions);
    let review_version = format!("apiextensions.k8s.io/{known}");
    let call = Call {
        hook: String::new(),
        client: conversion.client.clone(),
        timeout: PATIENCE,
        told: PATIENCE.as_secs(),
        absence: session.webhooks.absence(None, &conversion.client),
        review: json!({
            "kind": "ConversionReview", "apiVersion": review_version,
            "request": { "desiredAPIVersion": after, "objects": [object] },
        }),
    };
    let asked = session.ask(call).ok_or_else(|| pending().message)?;
    let of_kind = format!("conversion webhook for {before}, Kind={}", resource.kind);
    let converted = converted(&asked, &review_version);
    let mut converted = converted.map_err(|problem| format!("{of_kind} {problem}"))?;
    if converted.is_null() {
        return Err("unexpected end of JSON input".to_owned());
    }
    if !converted.is_object() {
        let found = json_name(&converted);
        let wanted = "map[string]interface {}";
        return Err(format!("json: cannot unmarshal {found} into Go value of type {wanted}"));
    }
    if text(&converted, "kind").is_empty() {
        return Err(format!("Object 'Kind' is missing in '{converted}'"));
    }
    check(&object, &converted, &after)
        .map_err(|problem| format!("{of_kind} returned invalid object{problem}"))?;
    let problems = restore_metadata(&object, &mut converted);
    match problems {
        None => Ok(converted),
        Some(problem) => Err(format!("{of_kind} returned invalid metadata: {problem}")),
    }
}

/// Returns the one object of an answer.
fn converted(asked: &Asked, version: &str) -> Result<Value, String> {
    let failed = |problem: &str| format!("failed: {problem}");
    let review = asked.answer.as_ref().map_err(|problem| failed(problem))?;
    let checked = answer::check(review, version, "ConversionReview");
    checked.map_err(|(Unexpected::Unreadable(problem) | Unexpected::Invalid(problem))| {
        failed(&problem)
    })?;
    let response = &review["response"];
    if response.is_null() {
        return Err(failed("no response provided"));
    }
    let (uid, result) = (text(response, "uid"), &response["result"]);
    if uid != asked.uid && version.ends_with("/v1") {
        return Err(failed(&format!("expected response.uid={:?}, got {uid:?}", asked.uid)));
    }
    let status = text(result, "status");
    if status != "Success" {
        let message = text(result, "message");
        let silent = format!("response.result.status was '{status}', not 'Success'");
        return Err(failed(if message.is_empty() { &silent } else { message }));
    }
    match response["convertedObjects"].as_array().map_or(&[][..], Vec::as_slice) {
        [one] => Ok(one.clone()),
        objects => Err(format!("returned {} objects, expected 1", objects.len())),
    }
}

/// Checks that an object is the same one in the wanted version.
fn check(object: &Value, converted: &Value, version: &str) -> Result<(), String> {
    for (member, word, wanted) in
        [("apiVersion", "groupVersion", version), ("kind", "kind", text(object, "kind"))]
    {
        let found = text(converted, member);
        if found != wanted {
            return Err(format!(
                " at index 0: invalid {word} (expected {wanted}, received {found})"
            ));
        }
    }
    for (member, word) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let before = text(&object["metadata"], member);
        let after = text(&converted["metadata"], member);
        if before != after {
            return Err(format!(": must have the same {word}: {before} != {after}"));
        }
    }
    Ok(())
}

/// Restores the metadata that a conversion may not change, which is all but labels and
/// annotations. Returns the problem of those.
fn restore_metadata(object: &Value, converted: &mut Value) -> Option<String> {
    let mut kept = object["metadata"].clone();
    for member in ["labels", "annotations"] {
        let found = converted["metadata"][member].take();
        let texts = found.as_object().into_iter().flatten();
        for (key, value) in texts {
            if !value.is_string() {
                let problem = format!("metadata.{member}[{key}] must be a string");
                let kind = match value {
                    Value::Number(number) if number.is_f64() => "float64",
                    Value::Number(_) => "int64",
                    Value::Array(_) => "[]interface {}",
                    Value::Object(_) => "map[string]interface {}",
                    Value::Bool(_) => "bool",
                    _ => "<nil>",
                };
                return Some(format!("{problem}, but is {kind} in converted object"));
            }
        }
        match found {
            Value::Null => drop(kept.as_object_mut().map(|kept| kept.remove(member))),
            found => kept[member] = found,
        }
    }
    let problems = metadata::common_problems(&kept);
    converted["metadata"] = kept;
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    match &*shown {
        [] => None,
        [problem] => Some(problem.clone()),
        problems => Some(format!("[{}]", problems.join(", "))),
    }
}

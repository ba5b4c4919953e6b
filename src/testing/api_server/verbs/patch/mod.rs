//! Patches: JSON patch, JSON merge patch, and strategic merge patch for built-in types.

mod strategic;

use serde_json::{Map, Value};

use crate::testing::api_server::failure::{Cause, Failure};
use crate::testing::api_server::rules::schema;
use crate::testing::api_server::store::Store;
use crate::testing::api_server::verbs::options::{FieldValidation, WriteOptions};
use crate::testing::api_server::verbs::{Place, update};

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
/// Server-side apply.
pub(crate) const APPLY: &str = "application/apply-patch+yaml";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// Patches an object. A `resourceVersion` in the result is a precondition, as in a replace. Also
/// returns the unknown members that the patch would set.
pub(crate) fn patch(
    store: &mut Store,
    place: Place<'_>,
    options: &WriteOptions,
    media_type: &str,
    body: &[u8],
) -> Result<(Value, Vec<String>), Failure> {
    let current = place.current(store)?;
    let mut object = current.value(place.resource);
    apply(&place.resource.kind, place.resource.custom, media_type, body, &mut object)?;
    let mut object = place.check(object)?;
    let unknown = schema::prune(place.resource, &mut object);
    if options.unknown == FieldValidation::Strict && !unknown.is_empty() {
        return Err(Failure::strict_patch(&unknown));
    }
    place.check_name(&object)?;
    Ok((update(store, place, &current, object)?, unknown))
}

/// Applies a patch to a value of this kind. Custom types have no strategic merge patch.
pub(crate) fn apply(
    kind: &str,
    custom: bool,
    media_type: &str,
    body: &[u8],
    object: &mut Value,
) -> Result<(), Failure> {
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    let known = matches!(media_type, JSON | MERGE) || (media_type == STRATEGIC && !custom);
    if !known {
        let mut accepted = vec![JSON, MERGE];
        if !custom {
            accepted.push(STRATEGIC);
        }
        accepted.push(APPLY);
        return Err(Failure::unsupported_media_type(&accepted.join(", ")));
    }
    if media_type == JSON {
        let patch: json_patch::Patch = serde_json::from_slice(body)
            .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
        json_patch::patch(object, &patch).map_err(|_| {
            // The error of the patch may quote the object.
            let message = "the server rejected our request due to an error in our request";
            Failure::new(422, "Invalid", message)
        })?;
    } else {
        let patch: Value = serde_json::from_slice(body)
            .map_err(|_| Failure::bad_request("error decoding patch: not JSON"))?;
        if !patch.is_object() {
            return Err(Failure::bad_request("error decoding patch: not an object"));
        }
        if media_type == MERGE {
            merge(object, &patch);
        } else {
            strategic::apply(kind, object, &patch)?;
        }
    }
    Ok(())
}

/// Applies a merge patch (RFC 7386).
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (member, value) in members {
        if value.is_null() {
            target.as_object_mut().map(|target| target.remove(member));
        } else {
            merge(&mut target[member], value);
        }
    }
}

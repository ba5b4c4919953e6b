//! The steps of a write that only built-in types have: normal form, defaults, validation.
//!
//! The test process writes objects as they are, so its own writes skip these steps.

use std::collections::HashSet;

use serde_json::Value;

use super::{Part, WriteTarget};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::rules::{changes, defaults, normal_form, strategy, validation, warnings};

const CONVERSION_CLIENT: &str = "/spec/conversion/webhook/clientConfig";
/// The only bytes of a definition.
const CONVERSION_BUNDLE: &str = "/spec/conversion/webhook/clientConfig/caBundle";

/// Brings a body into normal form and adds the defaults of its type.
pub(super) fn decode(target: WriteTarget<'_>, object: &mut Value) -> Result<(), Failure> {
    let (version, kind) = (target.resource.api_version(), &target.resource.kind);
    let refuse = |problem: String| {
        let version = &target.resource.version;
        let message =
            format!("{kind} in version {version:?} cannot be handled as a {kind}: {problem}");
        Failure::bad_request(message)
    };
    if target.part != Part::Both
        && is_of_definitions(target)
        && let Some(Value::String(bundle)) = object.pointer_mut(CONVERSION_BUNDLE)
    {
        normal_form::write_bytes(bundle).map_err(refuse)?;
        if bundle.is_empty()
            && let Some(client) = object.pointer_mut(CONVERSION_CLIENT)
        {
            client.as_object_mut().map(|members| members.remove("caBundle"));
        }
    }
    if !applies(target) {
        return Ok(());
    }
    normal_form::strip(&version, kind, object).map_err(refuse)?;
    normal_form::add_structures(&version, kind, object);
    defaults::add(&version, kind, object);
    normal_form::complete(&version, kind, object);
    Ok(())
}

/// Completes an object of the store like one that a client sends. The test process may have
/// written it without its defaults, and a change of something else must not add them.
pub(super) fn complete_stored(target: WriteTarget<'_>, object: &mut Value) {
    if !applies(target) {
        return;
    }
    let mut completed = object.clone();
    if decode(target, &mut completed).is_ok() {
        strategy::on_update(target.resource, object, &mut completed);
        complete(target, &mut completed);
        *object = completed;
    }
}

/// Adds the members that the type always has.
pub(super) fn complete(target: WriteTarget<'_>, object: &mut Value) {
    if applies(target) {
        normal_form::settle(&target.resource.api_version(), &target.resource.kind, object);
    }
}

/// Adds the defaults that follow from computed members, as a server does when it reads an object
/// from its storage.
pub(super) fn finish(target: WriteTarget<'_>, object: &mut Value) {
    if applies(target) {
        let (version, kind) = (target.resource.api_version(), &target.resource.kind);
        defaults::add(&version, kind, object);
        normal_form::settle(&version, kind, object);
    }
}

/// Adds the warnings about a new object or a new state.
pub(super) fn warn(target: WriteTarget<'_>, before: Option<&Value>, object: &Value) {
    if applies(target) && target.part == Part::Object {
        let (version, kind) = (target.resource.api_version(), &target.resource.kind);
        if before.is_none() {
            target.warn(warnings::of_name(&version, kind, target.name()));
        }
        target.warn(warnings::of(&version, kind, before, object));
    }
}

/// Returns the problems of the new state, and of the change that leads to it.
///
/// The test process can write what a client cannot. Problems that the state before had already are
/// therefore no problems of a change.
pub(super) fn problems(
    target: WriteTarget<'_>,
    before: Option<&Value>,
    object: &Value,
) -> Vec<Cause> {
    if !applies(target) {
        return Vec::new();
    }
    let (version, kind) = (target.resource.api_version(), &target.resource.kind);
    let of = |object: &Value| match target.part {
        Part::EphemeralContainers => Vec::new(),
        Part::Status | Part::Approval => validation::status_problems(&version, kind, object),
        _ => validation::problems(&version, kind, object),
    };
    let change = |before: &Value, object: &Value| match target.part {
        Part::Status => changes::status_problems(&version, kind, before, object),
        Part::Approval => changes::approval_problems(before, object),
        Part::EphemeralContainers => changes::ephemeral_problems(before, object),
        Part::Resize => changes::resize_problems(before, object),
        _ => changes::problems(&version, kind, before, object),
    };
    let mut causes = of(object);
    let Some(before) = before else {
        if target.part == Part::Object {
            causes.extend(validation::new_problems(&version, kind, object));
        }
        return causes;
    };
    causes.extend(change(before, object));
    if !causes.is_empty() {
        let known: HashSet<Cause> = of(before).into_iter().chain(change(before, before)).collect();
        causes.retain(|cause| !known.contains(cause));
    }
    causes
}

/// Returns whether the type has these steps. Definitions have their own.
fn applies(target: WriteTarget<'_>) -> bool {
    target.part != Part::Both && !target.resource.custom && !is_of_definitions(target)
}

fn is_of_definitions(target: WriteTarget<'_>) -> bool {
    target.resource.group == "apiextensions.k8s.io"
}

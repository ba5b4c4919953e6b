//! The rules of metadata, which are the same for every type but for the form of its names.
//!
//! The rules are those of Kubernetes' `apimachinery` (`ValidateObjectMeta` and
//! `ValidateObjectMetaUpdate`).

use serde_json::{Map, Value};

use crate::api_server::failure::Cause;
use crate::api_server::names::{
    NameForm, label_problems as namespace_problems, label_value_problems, qualified_problems,
};
use crate::api_server::resource::ResourceType;

/// The largest size of all annotations, in bytes.
pub(crate) const ANNOTATIONS_LIMIT: usize = 256 * 1024;

/// The finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Returns the problems of a new object's metadata.
pub(crate) fn problems(resource: &ResourceType, metadata: &Value) -> Vec<Cause> {
    let form = resource.name_form;
    let text = |member: &str| metadata[member].as_str().unwrap_or_default();
    let mut causes = Vec::new();
    let (prefix, name) = (text("generateName"), text("name"));
    if !prefix.is_empty() && !resource.custom {
        let problems = form.prefix_problems(prefix);
        causes.extend(invalid("metadata.generateName", prefix, &problems));
    }
    if name.is_empty() {
        causes.push(Cause::required("metadata.name", "name or generateName is required"));
    } else {
        causes.extend(invalid("metadata.name", name, &form.problems(name)));
    }
    causes.extend(common_problems(metadata));
    causes.extend(finalizer_problems(resource, &metadata["finalizers"]));
    causes
}

/// Returns the problems of a change of metadata. Members that a client cannot change were restored
/// before.
pub(crate) fn change_problems(
    resource: &ResourceType,
    before: &Value,
    after: &Value,
) -> Vec<Cause> {
    let mut causes = Vec::new();
    if !before["deletionTimestamp"].is_null() {
        causes.extend(new_finalizers(&before["finalizers"], &after["finalizers"]));
    }
    for member in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let (old, new) = (&before[member], &after[member]);
        if old != new && !new.is_null() {
            let field = format!("metadata.{member}");
            causes.push(Cause::invalid_raw(&field, &new.to_string(), "field is immutable"));
        }
    }
    causes.extend(common_problems(after));
    if before["finalizers"] != after["finalizers"] {
        causes.extend(finalizer_problems(resource, &after["finalizers"]));
    }
    causes
}

/// Returns the problems of the metadata of an object inside of another one, which may have any
/// name that is a segment of a path, or none.
pub(crate) fn embedded_problems(metadata: &Value) -> Vec<Cause> {
    let text = |member: &str| metadata[member].as_str().filter(|text| !text.is_empty());
    let segment = NameForm::PathSegment;
    let mut causes = Vec::new();
    if let Some(prefix) = text("generateName") {
        causes.extend(invalid("metadata.generateName", prefix, &segment.prefix_problems(prefix)));
    }
    if let Some(name) = text("name") {
        causes.extend(invalid("metadata.name", name, &segment.problems(name)));
    }
    if let Some(namespace) = text("namespace") {
        causes.extend(invalid("metadata.namespace", namespace, &namespace_problems(namespace)));
    }
    if let Some(generation) = metadata["generation"].as_i64().filter(|generation| *generation < 0) {
        let problem = "must be greater than or equal to 0";
        causes.push(Cause::invalid_raw("metadata.generation", &generation.to_string(), problem));
    }
    causes.extend(common_problems(metadata));
    causes.extend(finalizer_forms(&metadata["finalizers"]));
    causes
}

/// Returns the problems of labels, annotations and owners.
pub(crate) fn common_problems(metadata: &Value) -> Vec<Cause> {
    let mut causes = label_problems("metadata.labels", &metadata["labels"]);
    causes.extend(annotation_problems(&metadata["annotations"]));
    causes.extend(owner_problems(&metadata["ownerReferences"]));
    causes
}

/// Returns warnings about metadata that is valid.
pub(crate) fn warnings(resource: &ResourceType, before: &Value, metadata: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    if resource.custom && before["finalizers"] != metadata["finalizers"] {
        for finalizer in texts(&metadata["finalizers"]) {
            if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
                warnings.push(format!(
                    "metadata.finalizers: {finalizer:?}: prefer a domain-qualified finalizer name \
                     to avoid accidental conflicts with other finalizer writers"
                ));
            }
        }
    }
    warnings
}

fn invalid(field: &str, value: &str, problems: &[String]) -> Vec<Cause> {
    problems.iter().map(|problem| Cause::invalid(field, value, problem)).collect()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the problems of labels.
pub(crate) fn label_problems(field: &str, labels: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (key, value) in labels.as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        causes.extend(invalid(field, key, &qualified_problems(key)));
        causes.extend(invalid(field, value, &label_value_problems(value)));
    }
    causes
}

fn annotation_problems(annotations: &Value) -> Vec<Cause> {
    let (mut causes, mut size) = (Vec::new(), 0);
    for (key, value) in annotations.as_object().into_iter().flatten() {
        size += key.len() + value.as_str().unwrap_or_default().len();
        // Keys may have capitals in their domain.
        let problems = qualified_problems(&key.to_lowercase());
        causes.extend(invalid("metadata.annotations", key, &problems));
    }
    if size > ANNOTATIONS_LIMIT {
        causes.push(Cause::too_long("metadata.annotations", ANNOTATIONS_LIMIT as u64));
    }
    causes
}

fn owner_problems(owners: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut controller: Option<String> = None;
    for owner in owners.as_array().into_iter().flatten() {
        let text = |member: &str| owner[member].as_str().unwrap_or_default();
        let field = |member: &str| format!("metadata.ownerReferences.{member}");
        let version = text("apiVersion");
        if version.is_empty() || version.matches('/').count() > 1 || version.ends_with('/') {
            let problem = "version must not be empty";
            causes.push(Cause::invalid(&field("apiVersion"), version, problem));
        }
        for member in ["kind", "name", "uid"] {
            if text(member).is_empty() {
                causes.push(Cause::invalid(&field(member), "", "must not be empty"));
            }
        }
        if version == "v1" && text("kind") == "Event" {
            let problem = "/v1, Kind=Event is disallowed from being an owner";
            let shown = shown_owner(owner);
            causes.push(Cause::invalid_raw("metadata.ownerReferences", &shown, problem));
        }
        if owner["controller"] == true {
            let name = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                None => controller = Some(name),
                Some(first) => {
                    let problem = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in \
                         references for {first} and {name}"
                    );
                    let all = owners.as_array().into_iter().flatten().map(shown_owner);
                    let all = format!("[{}]", all.collect::<Vec<_>>().join(","));
                    causes.push(Cause::invalid_raw("metadata.ownerReferences", &all, &problem));
                }
            }
        }
    }
    causes
}

/// Returns an owner reference as a server shows it: its members in the order of the Go type.
fn shown_owner(owner: &Value) -> String {
    let members = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    let shown = members.iter().filter(|member| !owner[**member].is_null());
    let shown = shown.map(|member| format!("{member:?}:{}", owner[*member]));
    format!("{{{}}}", shown.collect::<Vec<_>>().join(","))
}

fn finalizer_problems(resource: &ResourceType, finalizers: &Value) -> Vec<Cause> {
    let mut causes = finalizer_forms(finalizers);
    if !resource.custom {
        for (n, finalizer) in texts(finalizers).enumerate() {
            causes.extend(unqualified(&format!("metadata.finalizers[{n}]"), finalizer));
        }
    }
    causes
}

/// Returns the problems of finalizers, except that a name has no domain.
fn finalizer_forms(finalizers: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for finalizer in texts(finalizers) {
        causes.extend(invalid("metadata.finalizers", finalizer, &qualified_problems(finalizer)));
    }
    let has = |wanted: &str| texts(finalizers).any(|finalizer| finalizer == wanted);
    if has("orphan") && has("foregroundDeletion") {
        let problem = "finalizer orphan and foregroundDeletion cannot be both set";
        let shown = finalizers.to_string();
        causes.push(Cause::invalid_raw("metadata.finalizers", &shown, problem));
    }
    causes
}

/// Returns the problem of a finalizer that is neither a standard one nor has a domain.
pub(crate) fn unqualified(field: &str, finalizer: &str) -> Option<Cause> {
    let known = finalizer.contains('/') || STANDARD_FINALIZERS.contains(&finalizer);
    let problem = "name is neither a standard finalizer name nor is it fully qualified";
    (!known).then(|| Cause::invalid(field, finalizer, problem))
}

fn new_finalizers(before: &Value, after: &Value) -> Option<Cause> {
    let mut added: Vec<&str> = texts(after).filter(|f| texts(before).all(|b| b != *f)).collect();
    if added.is_empty() {
        return None;
    }
    added.sort_unstable();
    added.dedup();
    // The words are those of Go's printer of lists.
    let listed: Vec<String> = added.iter().map(|finalizer| format!("{finalizer:?}")).collect();
    let problem = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers \
         []string{{{}}}",
        listed.join(", ")
    );
    Some(Cause::forbidden("metadata.finalizers", &problem))
}

/// Removes members that are empty, as a server does that reads metadata into its own type.
pub(crate) fn tidy(metadata: &mut Map<String, Value>) {
    metadata.retain(|member, value| match member.as_str() {
        // An empty list ends the tracking of owners.
        "managedFields" => true,
        _ if value.is_null() => false,
        "labels" | "annotations" => value.as_object().is_none_or(|members| !members.is_empty()),
        "finalizers" | "ownerReferences" => value.as_array().is_none_or(|all| !all.is_empty()),
        _ => true,
    });
}

/// Removes owners that repeat an earlier one, and returns a warning about them.
pub(crate) fn merge_owners(metadata: &mut Map<String, Value>) -> Option<String> {
    let owners = metadata.get_mut("ownerReferences")?.as_array_mut()?;
    let mut seen = std::collections::HashSet::new();
    let mut repeated: Vec<String> = Vec::new();
    owners.retain(|owner| {
        let first = seen.insert(owner.to_string());
        let uid = owner["uid"].as_str().unwrap_or_default();
        if !first && !repeated.iter().any(|known| known == uid) {
            repeated.push(uid.to_owned());
        }
        first
    });
    (!repeated.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner \
             references in 1.20+, and may reject such requests as early as 1.24; please fix your \
             requests; duplicate UID(s) observed: {}",
            repeated.join(", ")
        )
    })
}

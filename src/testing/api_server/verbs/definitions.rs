//! Custom resource definitions: types that come and go while the server runs.
//!
//! Storing a definition serves its type. A second write sets its conditions, as a real server's
//! controllers do. Deleting a definition deletes its objects, ends their watches normally, and then
//! removes the definition; objects with finalizers delay this. Versions differ only in their names
//! (conversion `None`). The module `schema` applies the schema to objects.

use serde_json::{Value, json};

use super::{at, purge};
use crate::testing::api_server::failure::{Cause, Failure};
use crate::testing::api_server::resource::{Column, ResourceType, ScalePaths};
use crate::testing::api_server::rules::names::now;
use crate::testing::api_server::store::Store;

const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

pub(crate) fn is_definition(resource: &ResourceType) -> bool {
    resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions"
}

/// Refuses a new object whose definition is being deleted.
pub(crate) fn admit_instance(store: &Store, resource: &ResourceType) -> Result<(), Failure> {
    if !store.ending.is_empty() && store.ending.contains(&resource.qualified()) {
        let message = "create not allowed while custom resource definition is terminating";
        return Err(Failure::new(405, "MethodNotAllowed", message));
    }
    Ok(())
}

/// Completes a new definition, or returns all its problems.
pub(crate) fn admit(resource: &ResourceType, object: &mut Value) -> Result<(), Failure> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let spec = &object["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, plural) = (text(&spec["group"]), text(&spec["names"]["plural"]));
    let kind = text(&spec["names"]["kind"]);
    let mut causes = Vec::new();
    for (field, value) in
        [("spec.group", &group), ("spec.names.plural", &plural), ("spec.names.kind", &kind)]
    {
        if value.is_empty() {
            causes.push(Cause::required(field, ""));
        }
    }
    if !matches!(spec["scope"].as_str(), Some("Namespaced" | "Cluster")) {
        let supported = "\"Cluster\", \"Namespaced\"";
        causes.push(Cause::unsupported("spec.scope", &text(&spec["scope"]), supported));
    }
    if name != format!("{plural}.{group}") {
        let problem = "must be spec.names.plural+\".\"+spec.group";
        causes.push(Cause::invalid("metadata.name", &name, problem));
    }
    let versions = spec["versions"].as_array().cloned().unwrap_or_default();
    let stored = versions.iter().filter(|version| version["storage"] == true).count();
    if stored != 1 {
        let problem = "must have exactly one version marked as storage version";
        causes.push(Cause::invalid_raw("spec.versions", "null", problem));
    }
    for (n, version) in versions.iter().enumerate() {
        if version["schema"]["openAPIV3Schema"].is_null() {
            let field = format!("spec.versions[{n}].schema.openAPIV3Schema");
            causes.push(Cause::required(&field, "schemas are required"));
        }
    }
    causes.extend(selectable_problems(&versions));
    if !causes.is_empty() {
        return Err(Failure::invalid(resource, &name, &causes));
    }
    let names = &mut object["spec"]["names"];
    if names["singular"].is_null() {
        names["singular"] = kind.to_lowercase().into();
    }
    if names["listKind"].is_null() {
        names["listKind"] = format!("{kind}List").into();
    }
    if object["spec"]["conversion"].is_null() {
        object["spec"]["conversion"] = json!({ "strategy": "None" });
    }
    let storage = versions.iter().find(|version| version["storage"] == true);
    object["status"] = json!({
        "conditions": null,
        "acceptedNames": { "plural": "", "kind": "" },
        "storedVersions": [storage.map(|version| version["name"].clone())],
    });
    Ok(())
}

/// Returns the problems of the fields that selectors may name.
fn selectable_problems(versions: &[Value]) -> Vec<Cause> {
    // Fields that all versions share are reported once.
    let common =
        versions.windows(2).all(|two| two[0]["selectableFields"] == two[1]["selectableFields"]);
    let mut causes = Vec::new();
    for (n, version) in versions.iter().take(if common { 1 } else { versions.len() }).enumerate() {
        let above = if common { "spec".to_owned() } else { format!("spec.versions[{n}]") };
        let declared = version["selectableFields"].as_array().into_iter().flatten();
        for (m, field) in declared.enumerate() {
            let path = field["jsonPath"].as_str().unwrap_or_default();
            let schema = &version["schema"]["openAPIV3Schema"];
            if !schema.is_null()
                && let Some(problem) = selectable_problem(schema, path)
            {
                let field = format!("{above}.selectableFields[{m}].jsonPath");
                causes.push(Cause::invalid(&field, path, &problem));
            }
        }
    }
    causes
}

fn selectable_problem(schema: &Value, path: &str) -> Option<String> {
    let Some(members) = path.strip_prefix('.') else {
        let first = path.split(['.', '[']).next().unwrap_or_default();
        return Some(format!("is an invalid path: expected [ or . but got: {first}"));
    };
    let members = members.split('.');
    let field = members.fold(schema, |schema, member| &schema["properties"][member]);
    match field["type"].as_str() {
        Some("string" | "boolean" | "integer") => None,
        Some(_) => Some(
            "must point to a field of type string, boolean or integer. Enum string fields and \
             strings with formats are allowed."
                .to_owned(),
        ),
        None => Some("is an invalid path: does not refer to a valid field".to_owned()),
    }
}

/// Serves the type as the definition declares it, and sets its status.
pub(crate) fn stored(store: &mut Store, resource: &ResourceType, object: &Value) {
    if !object["metadata"]["deletionTimestamp"].is_null() {
        return;
    }
    let types = types(object);
    let conflict = types.first().and_then(|first| conflict(store, first));
    let mut after = object.clone();
    let accepted = match &conflict {
        None => condition("NamesAccepted", true, "NoConflicts", "no conflicts found"),
        Some(problem) => condition("NamesAccepted", false, "NamesConflict", problem),
    };
    let established = match &conflict {
        None => {
            let message = "the initial names have been accepted";
            condition("Established", true, "InitialNamesAccepted", message)
        }
        Some(_) => condition("Established", false, "NotAccepted", "not all names are accepted"),
    };
    set_condition(&mut after, accepted);
    set_condition(&mut after, established);
    if conflict.is_none() {
        at(&mut after, &["status"])["acceptedNames"] = object["spec"]["names"].clone();
        store.register(types);
    }
    let storage = object["spec"]["versions"].as_array().into_iter().flatten();
    let storage = storage.filter(|version| version["storage"] == true).map(|v| &v["name"]).next();
    if let Some(name) = storage {
        let known = &mut at(&mut after, &["status"])["storedVersions"];
        match known.as_array_mut() {
            Some(known) if known.contains(name) => {}
            Some(known) => known.push(name.clone()),
            None => *known = json!([name]),
        }
    }
    if after != *object {
        store.put(resource, after);
    }
}

/// Returns the versions that a definition serves.
fn types(object: &Value) -> Vec<ResourceType> {
    let spec = &object["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(text).collect()
    };
    let versions = spec["versions"].as_array().cloned().unwrap_or_default();
    let paths = |version: &Value| -> Vec<String> {
        let fields = version["selectableFields"].as_array().into_iter().flatten();
        let path = |field: &Value| text(&field["jsonPath"]).trim_start_matches('.').to_owned();
        fields.map(path).collect()
    };
    let mut fields: Vec<String> = versions.iter().flat_map(paths).collect();
    fields.sort();
    fields.dedup();
    let served = versions.iter().filter(|version| version["served"] == true);
    served
        .map(|version| {
            let names = &spec["names"];
            let (group, name) = (text(&spec["group"]), text(&version["name"]));
            let (kind, plural) = (text(&names["kind"]), text(&names["plural"]));
            let namespaced = spec["scope"] == "Namespaced";
            let mut resource = ResourceType::new(&group, &name, &kind, &plural, namespaced);
            resource.custom = true;
            resource.singular = text(&names["singular"]);
            resource.list_kind = text(&names["listKind"]);
            resource.short_names = texts(&names["shortNames"]);
            resource.categories = texts(&names["categories"]);
            resource.status = !version["subresources"]["status"].is_null();
            resource.scale = scale(&version["subresources"]["scale"]);
            resource.fields.clone_from(&fields);
            resource.selectable = paths(version);
            resource.schema = version["schema"]["openAPIV3Schema"].clone();
            let columns = version["additionalPrinterColumns"].as_array().into_iter().flatten();
            resource.columns = columns.map(column).collect();
            resource
        })
        .collect()
}

fn scale(declared: &Value) -> Option<ScalePaths> {
    let path = |member: &str| Some(declared[member].as_str()?.trim_start_matches('.').to_owned());
    let (spec, status) = (path("specReplicasPath")?, path("statusReplicasPath")?);
    Some(ScalePaths { spec, status, selector: path("labelSelectorPath") })
}

fn column(column: &Value) -> Column {
    let text = |member: &str| column[member].as_str().unwrap_or_default().to_owned();
    Column {
        name: text("name"),
        kind: text("type"),
        format: text("format"),
        description: text("description"),
        priority: column["priority"].as_i64().unwrap_or(0),
        path: text("jsonPath"),
    }
}

/// Returns a name that another type of the group has already.
fn conflict(store: &Store, new: &ResourceType) -> Option<String> {
    let others =
        store.types().filter(|other| other.group == new.group && !other.shares_objects_with(new));
    let names = |resource: &ResourceType| {
        let mut names = resource.short_names.clone();
        names.extend([resource.plural.clone(), resource.singular.clone()]);
        names
    };
    let ours = names(new);
    others.into_iter().find_map(|other| {
        let taken = names(other).into_iter().find(|name| ours.contains(name));
        let kind = || Some(other.kind.clone()).filter(|kind| *kind == new.kind);
        taken.or_else(kind).map(|name| format!("{name:?} is already in use"))
    })
}

fn condition(kind: &str, status: bool, reason: &str, message: &str) -> Value {
    json!({
        "type": kind, "status": if status { "True" } else { "False" },
        "lastTransitionTime": now(), "reason": reason, "message": message,
    })
}

/// Sets a condition. An equal condition keeps its time.
fn set_condition(object: &mut Value, condition: Value) {
    let conditions = &mut at(object, &["status"])["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else { return };
    match conditions.iter_mut().find(|found| found["type"] == condition["type"]) {
        Some(found) if found["status"] == condition["status"] => {}
        Some(found) => *found = condition,
        None => conditions.push(condition),
    }
}

/// Starts the deletion of a definition, and returns its new state.
pub(crate) fn delete(
    store: &mut Store,
    resource: &ResourceType,
    mut object: Value,
) -> Option<Value> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    if object["metadata"]["deletionTimestamp"].is_null() {
        object["metadata"]["deletionTimestamp"] = now().into();
        match object["metadata"]["finalizers"].as_array_mut() {
            Some(finalizers) => finalizers.push(CLEANUP.into()),
            None => object["metadata"]["finalizers"] = json!([CLEANUP]),
        }
        let message =
            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
        set_condition(
            &mut object,
            condition("Terminating", true, "InstanceDeletionPending", message),
        );
        object = store.put(resource, object)?.value(resource);
        store.ending.push(name.clone());
    }
    if let Some(instances) = types(&object).into_iter().next() {
        purge(store, &instances, None);
    }
    remove_if_unused(store, &name);
    Some(object)
}

/// Removes a definition that is being deleted, once its type has no object.
pub(crate) fn remove_if_unused(store: &mut Store, name: &str) {
    if store.ending.is_empty() {
        return;
    }
    let Some(place) = store.ending.iter().position(|ending| ending == name) else { return };
    let instances = store.types().find(|resource| resource.qualified() == name).cloned();
    if let Some(instances) = &instances
        && store.of(instances).is_some_and(|all| !all.objects.is_empty())
    {
        return;
    }
    store.ending.swap_remove(place);
    if let Some(instances) = instances {
        store.unregister(&instances);
    }
    let definitions =
        store.served("apiextensions.k8s.io", "v1", "customresourcedefinitions").cloned();
    let Some(definitions) = definitions else { return };
    let object = store.of(&definitions).and_then(|all| all.objects.get(name));
    let Some(mut object) = object.map(|object| object.value(&definitions)) else { return };
    if let Some(finalizers) = object["metadata"]["finalizers"].as_array_mut() {
        finalizers.retain(|finalizer| finalizer != CLEANUP);
        if !finalizers.is_empty() {
            store.put(&definitions, object);
            return;
        }
    }
    store.remove(&definitions, name);
}

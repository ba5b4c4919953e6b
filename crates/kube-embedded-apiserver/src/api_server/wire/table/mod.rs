//! Objects as rows of a table, for kubectl.
//!
//! Built-in kinds have the columns of a real server, custom types have those of their definition.

mod columns;
mod duration;
mod json_path;

use serde_json::{Value, json};

use self::columns::BuiltinColumn;
use crate::api_server::resource::ResourceType;
use crate::api_server::wire::form::Include;

/// The documentation of `metadata.name` and of `metadata.creationTimestamp`.
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, \
    although some resources may allow a client to request the generation of an appropriate name \
    automatically. Name is primarily intended for creation idempotence and configuration \
    definition. Cannot be updated. More info: \
    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const AGE: &str = "CreationTimestamp is a timestamp representing the server time when this object was \
    created. It is not guaranteed to be set in happens-before order across separate \
    operations. Clients may not set this value. It is represented in RFC3339 form and is \
    in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// The columns of a scale: names, types and documentation.
const SCALE: [(&str, &str, &str); 4] = [
    ("Name", "string", NAME),
    ("Desired", "integer", "replicas is the desired number of instances for the scaled object."),
    (
        "Available",
        "integer",
        "replicas is the actual number of observed instances of the scaled object.",
    ),
    ("Age", "string", AGE),
];

/// Returns the columns of a type.
pub(crate) fn columns(resource: &ResourceType) -> Value {
    if resource.custom {
        return custom_columns(resource);
    }
    let headings = columns::of(resource).iter();
    headings
        .map(|heading| described(heading.name, heading.kind, "", heading.description, heading.wide))
        .collect()
}

fn described(name: &str, kind: &str, format: &str, description: &str, priority: i64) -> Value {
    let format = if name == "Name" { "name" } else { format };
    let description = match (name, description) {
        ("Name", "") => NAME,
        ("Age", "") => AGE,
        (name, "") => name,
        (_, description) => description,
    };
    json!({
        "name": name, "type": kind, "format": format, "description": description,
        "priority": priority,
    })
}

fn custom_columns(resource: &ResourceType) -> Value {
    let mut columns = vec![described("Name", "string", "", "", 0)];
    let declared = resource.columns.iter();
    columns.extend(declared.map(|column| {
        let description = match &*column.description {
            "" => {
                format!("Custom resource definition column (in JSONPath format): {}", column.path)
            }
            description => description.to_owned(),
        };
        described(&column.name, &column.kind, &column.format, &description, column.priority)
    }));
    if resource.columns.is_empty() {
        columns.push(described("Age", "date", "", "", 0));
    }
    columns.into()
}

/// Returns an object as a row.
pub(crate) fn row(resource: &ResourceType, object: &Value, include: Include) -> Value {
    let cells: Vec<Value> = if resource.custom {
        custom_cells(resource, object)
    } else {
        columns::of(resource).iter().map(|BuiltinColumn { cell, .. }| cell(object)).collect()
    };
    let mut row = with_object(&cells, object, include);
    if resource.qualified() == "pods"
        && let Some(conditions) = columns::pod_conditions(object)
    {
        row["conditions"] = conditions;
    }
    row
}

/// Returns a row with these cells.
fn with_object(cells: &[Value], object: &Value, include: Include) -> Value {
    let beside = match include {
        Include::Nothing => Value::Null,
        Include::Object => object.clone(),
        Include::Metadata => json!({
            "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
            "metadata": object["metadata"],
        }),
    };
    json!({ "cells": cells, "object": beside })
}

/// Returns a scale as a table.
pub(crate) fn of_scale(scale: &Value, include: Include) -> Value {
    let columns = SCALE.map(|(name, kind, description)| {
        json!({
            "name": name, "type": kind, "format": "", "description": description, "priority": 0,
        })
    });
    let replicas = |part: &str| Value::from(scale[part]["replicas"].as_i64().unwrap_or(0));
    let metadata = &scale["metadata"];
    let age = duration::since(&metadata["creationTimestamp"]);
    let cells = [metadata["name"].clone(), replicas("spec"), replicas("status"), age];
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1",
        "metadata": { "resourceVersion": metadata["resourceVersion"] },
        "columnDefinitions": columns, "rows": [with_object(&cells, scale, include)],
    })
}

fn custom_cells(resource: &ResourceType, object: &Value) -> Vec<Value> {
    let mut cells = vec![object["metadata"]["name"].clone()];
    for column in &resource.columns {
        let found = json_path::find(object, &column.path);
        cells.push(match (&*column.kind, found) {
            (_, Value::Null) => Value::Null,
            ("date", found) => duration::since(&found),
            ("string", found) if !found.is_string() => found.to_string().into(),
            // A value of another type than the column's is not shown.
            ("integer", found) if !found.is_i64() => Value::Null,
            ("number", found) if !found.is_number() => Value::Null,
            ("boolean", found) if !found.is_boolean() => Value::Null,
            (_, found) => found,
        });
    }
    if resource.columns.is_empty() {
        cells.push(duration::since(&object["metadata"]["creationTimestamp"]));
    }
    cells
}

/// Returns a whole table as one value.
pub(crate) fn whole(
    resource: &ResourceType,
    metadata: &Value,
    with_columns: bool,
    rows: &[Value],
) -> Value {
    let columns = if with_columns { columns(resource) } else { Value::Null };
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        "columnDefinitions": columns, "rows": rows,
    })
}

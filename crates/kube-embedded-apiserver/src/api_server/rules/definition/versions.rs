//! The versions of a definition: their names, storage, schemas, subresources, columns and fields.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::common::{Common, versions};
use super::names::{label_problem, missing};
use super::{names, schema};
use crate::api_server::failure::Cause;
use crate::api_server::rules::schema::paths;
use crate::api_server::rules::validation::hooks;

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const MOST_SELECTABLE: usize = 8;

/// Returns the versions without a schema.
pub(super) fn missing_schemas(spec: &Value, common: &Common<'_>) -> Vec<Cause> {
    if common.schema.is_some_and(|schema| schema["openAPIV3Schema"].is_object()) {
        return Vec::new();
    }
    let without = |version: &&Value| !version["schema"]["openAPIV3Schema"].is_object();
    let indexed = versions(spec).iter().enumerate().filter(|(_, version)| without(version));
    let field = |n: usize| format!("spec.versions[{n}].schema.openAPIV3Schema");
    indexed.map(|(n, _)| Cause::required(&field(n), "")).collect()
}

/// Returns the problems of all versions, and of the parts that they have in common.
pub(super) fn problems(before: Option<&Value>, spec: &Value, common: &Common<'_>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut seen = HashSet::new();
    let (mut unique, mut stored) = (true, 0);
    for (n, version) in versions(spec).iter().enumerate() {
        let field = format!("spec.versions[{n}]");
        let name = version["name"].as_str().unwrap_or_default();
        stored += usize::from(version["storage"] == true);
        unique &= seen.insert(name);
        if let Some(problem) = label_problem(name) {
            causes.push(Cause::invalid(&format!("{field}.name"), name, &problem));
        }
        causes.extend(deprecation_problems(version, &field));
        let own = VersionParts {
            schema: Some(&version["schema"]).filter(|_| common.schema.is_none()),
            subresources: Some(&version["subresources"]).filter(|_| common.subresources.is_none()),
            columns: Some(&version["additionalPrinterColumns"])
                .filter(|_| common.columns.is_none()),
            selectable: Some(&version["selectableFields"]).filter(|_| common.selectable.is_none()),
            without_schema: "may only be set when `version.schema.openAPIV3Schema` is not included",
        };
        let status = version["subresources"]["status"].is_object();
        causes.extend(own.problems(before, status, &field, "schema"));
    }
    let all = || shown(spec, common);
    if !unique {
        let problem = "must contain unique version names";
        causes.push(Cause::invalid_raw("spec.versions", &all(), problem));
    }
    if stored != 1 {
        let problem = "must have exactly one version marked as storage version";
        causes.push(Cause::invalid_raw("spec.versions", &all(), problem));
    }
    let first = versions(spec).first().and_then(|version| version["name"].as_str());
    if let Some(name) = first.filter(|name| !name.is_empty())
        && let Some(problem) = label_problem(name)
    {
        causes.push(Cause::invalid("spec.version", name, &problem));
    }
    causes.extend(missing(&spec["names"]));
    causes.extend(names::problems(&spec["names"], "spec.names"));
    let status = versions(spec).iter().any(|version| version["subresources"]["status"].is_object());
    let whole = VersionParts {
        schema: common.schema,
        subresources: common.subresources,
        columns: common.columns,
        selectable: common.selectable,
        without_schema: "may only be set when validations.schema is included",
    };
    causes.extend(whole.problems(before, status, "spec", "validation"));
    causes
}

/// The parts of one version, or those that all versions have in common.
struct VersionParts<'a> {
    schema: Option<&'a Value>,
    subresources: Option<&'a Value>,
    columns: Option<&'a Value>,
    selectable: Option<&'a Value>,
    /// The problem of selectable fields without a schema.
    without_schema: &'static str,
}

impl VersionParts<'_> {
    fn problems(
        &self,
        before: Option<&Value>,
        status: bool,
        field: &str,
        schema_name: &str,
    ) -> Vec<Cause> {
        let mut causes = Vec::new();
        if let Some(schema) = self.schema {
            let field = format!("{field}.{schema_name}.openAPIV3Schema");
            causes.extend(schema::problems(before, &schema["openAPIV3Schema"], status, &field));
        }
        if let Some(subresources) = self.subresources {
            let field = format!("{field}.subresources.scale");
            causes.extend(scale_problems(&subresources["scale"], &field));
        }
        let columns = self.columns.and_then(Value::as_array).into_iter().flatten();
        for (n, column) in columns.enumerate() {
            let field = format!("{field}.additionalPrinterColumns[{n}]");
            causes.extend(column_problems(column, &field));
        }
        let selectable = self.selectable.and_then(Value::as_array).into_iter().flatten();
        let selectable: Vec<&Value> = selectable.collect();
        if !selectable.is_empty() {
            let field = format!("{field}.selectableFields");
            let schema = self.schema.map(|schema| &schema["openAPIV3Schema"]);
            match schema.filter(|schema| schema.is_object()) {
                Some(schema) => causes.extend(selectable_problems(&selectable, schema, &field)),
                None => causes.push(Cause::invalid(&field, "", self.without_schema)),
            }
        }
        causes
    }
}

fn deprecation_problems(version: &Value, field: &str) -> Vec<Cause> {
    let field = format!("{field}.deprecationWarning");
    let Some(warning) = version["deprecationWarning"].as_str() else { return Vec::new() };
    let mut problems = Vec::new();
    if version["deprecated"] == true {
        if warning.len() > 256 {
            problems.push("must be <= 256 characters long".to_owned());
        }
        if warning.is_empty() {
            problems.push("must not be an empty string".to_owned());
        }
        if let Some((at, _)) = kube_decode::names::unprintable(warning) {
            problems.push(format!(
                "must only contain printable UTF-8 characters; non-printable character found at \
                 index {at}"
            ));
        }
    } else {
        problems.push("can only be set for deprecated versions".to_owned());
    }
    problems.iter().map(|problem| Cause::invalid(&field, warning, problem)).collect()
}

/// Returns the versions as a server shows them in a message, without what they have in common.
fn shown(spec: &Value, common: &Common<'_>) -> String {
    let version = |version: &Value| {
        let own = |member: &str, is_common: bool| {
            if is_common { Value::Null } else { version[member].clone() }
        };
        let members = [
            ("Name", version["name"].clone()),
            ("Served", (version["served"] == true).into()),
            ("Storage", (version["storage"] == true).into()),
            ("Deprecated", (version["deprecated"] == true).into()),
            ("DeprecationWarning", version["deprecationWarning"].clone()),
            ("Schema", own("schema", common.schema.is_some())),
            ("Subresources", own("subresources", common.subresources.is_some())),
            ("AdditionalPrinterColumns", own("additionalPrinterColumns", common.columns.is_some())),
            ("SelectableFields", own("selectableFields", common.selectable.is_some())),
        ];
        let members = members.map(|(name, value)| format!("{name:?}:{value}"));
        format!("{{{}}}", members.join(","))
    };
    let all: Vec<String> = versions(spec).iter().map(version).collect();
    format!("[{}]", all.join(","))
}

/// Returns the problems of the versions that objects were stored in.
pub(super) fn stored_problems(spec: &Value, stored: &Value) -> Vec<Cause> {
    const FIELD: &str = "status.storedVersions";
    let known = stored.as_array().map_or(&[][..], Vec::as_slice);
    if known.is_empty() {
        let problem = "must have at least one stored version";
        return vec![Cause::invalid_raw(FIELD, &stored.to_string(), problem)];
    }
    let mut causes = Vec::new();
    for version in versions(spec).iter().filter(|version| version["storage"] == true) {
        if !known.contains(&version["name"]) {
            let name = version["name"].as_str().unwrap_or_default();
            let problem = format!("must have the storage version {name}");
            causes.push(Cause::invalid_raw(FIELD, &stored.to_string(), &problem));
        }
    }
    let declared: HashSet<&Value> = versions(spec).iter().map(|version| &version["name"]).collect();
    for (n, name) in known.iter().enumerate().filter(|(_, name)| !declared.contains(name)) {
        let name = name.as_str().unwrap_or_default();
        let problem = format!(
            "missing from spec.versions; {name} was previously a storage version, and must remain \
             in spec.versions until a storage migration ensures no data remains persisted in \
             {name} and removes {name} from status.storedVersions"
        );
        causes.push(Cause::invalid(&format!("{FIELD}[{n}]"), name, &problem));
    }
    causes
}

fn scale_problems(scale: &Value, field: &str) -> Vec<Cause> {
    if !scale.is_object() {
        return Vec::new();
    }
    let mut causes = Vec::new();
    for (member, below, words, required) in [
        ("specReplicasPath", &[".spec."][..], ".spec", true),
        ("statusReplicasPath", &[".status."], ".status", true),
        ("labelSelectorPath", &[".spec.", ".status."], "either .spec or .status", false),
    ] {
        let path = scale[member].as_str().unwrap_or_default();
        let field = format!("{field}.{member}");
        if path.is_empty() {
            causes.extend(required.then(|| Cause::required(&field, "")));
        } else if let Some(problem) = path_problem(path) {
            causes.push(Cause::invalid(&field, path, problem));
        } else if !below.iter().any(|prefix| path.starts_with(prefix)) {
            let problem = format!("should be a json path under {words}");
            causes.push(Cause::invalid(&field, path, &problem));
        }
    }
    causes
}

fn path_problem(path: &str) -> Option<&'static str> {
    (!path.starts_with('.')).then_some("must be a simple json path starting with .")
}

fn column_problems(column: &Value, field: &str) -> Vec<Cause> {
    let text = |member: &str| column[member].as_str().unwrap_or_default();
    let mut causes = Vec::new();
    if text("name").is_empty() {
        causes.push(Cause::required(&format!("{field}.name"), ""));
    }
    let types = format!("must be one of {}", COLUMN_TYPES.join(","));
    match text("type") {
        "" => causes.push(Cause::required(&format!("{field}.type"), &types)),
        known if COLUMN_TYPES.contains(&known) => {}
        other => causes.push(Cause::invalid(&format!("{field}.type"), other, &types)),
    }
    let format = text("format");
    if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
        let problem = format!("must be one of {}", COLUMN_FORMATS.join(","));
        causes.push(Cause::invalid(&format!("{field}.format"), format, &problem));
    }
    let path = text("jsonPath");
    let field = format!("{field}.JSONPath");
    if path.is_empty() {
        causes.push(Cause::required(&field, ""));
    } else if let Some(problem) = path_problem(path) {
        causes.push(Cause::invalid(&field, path, problem));
    }
    causes
}

fn selectable_problems(fields: &[&Value], schema: &Value, above: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut unique = HashSet::new();
    for (n, field) in fields.iter().enumerate() {
        let path = field["jsonPath"].as_str().unwrap_or_default();
        let field = format!("{above}[{n}].jsonPath");
        if path.is_empty() {
            causes.push(Cause::required(&field, ""));
            continue;
        }
        let (members, found) = match paths::resolve(path, schema, false) {
            Ok(found) => found,
            Err(problem) => {
                let problem = format!("is an invalid path: {problem}");
                causes.push(Cause::invalid(&field, path, &problem));
                continue;
            }
        };
        if members.first().is_some_and(|first| first == "metadata") {
            let problem = "must not point to fields in metadata";
            causes.push(Cause::invalid(&field, path, problem));
        }
        if !matches!(found["type"].as_str(), Some("string" | "boolean" | "integer")) {
            let problem = "must point to a field of type string, boolean or integer. Enum string \
                           fields and strings with formats are allowed.";
            causes.push(Cause::invalid(&field, path, problem));
        }
        if !unique.insert(members) {
            causes.push(Cause::duplicate(&field, &json!(path).to_string()));
        }
    }
    if unique.len() > MOST_SELECTABLE {
        causes.push(Cause::too_many(above, unique.len() as u64, MOST_SELECTABLE as u64));
    }
    causes
}

/// Returns the problems of the conversion between versions.
pub(super) fn conversion_problems(spec: &Value) -> Vec<Cause> {
    let conversion = &spec["conversion"];
    let strategy = conversion["strategy"].as_str().unwrap_or_default();
    let mut causes = Vec::new();
    if strategy != "None" && spec["preserveUnknownFields"] == true {
        let problem = "must be None if spec.preserveUnknownFields is true";
        causes.push(Cause::invalid("spec.conversion.strategy", strategy, problem));
    }
    match strategy {
        "None" | "Webhook" => {}
        "" => causes.push(Cause::required("spec.conversion.strategy", "")),
        other => {
            let supported = "\"None\", \"Webhook\"";
            causes.push(Cause::unsupported("spec.conversion.strategy", other, supported));
        }
    }
    let webhook = &conversion["webhook"];
    let client = &webhook["clientConfig"];
    let reviews = webhook["conversionReviewVersions"].as_array();
    let reviews = reviews.map_or(&[][..], Vec::as_slice);
    let client_field = "spec.conversion.webhookClientConfig";
    let reviews_field = "spec.conversion.conversionReviewVersions";
    if strategy == "Webhook" {
        if client.is_null() {
            let problem = "required when strategy is set to Webhook";
            causes.push(Cause::required(client_field, problem));
        } else {
            hooks::client(client, client_field, &mut causes);
        }
        causes.extend(review_problems(reviews, reviews_field));
    } else {
        let problem = "should not be set when strategy is not set to Webhook";
        if !client.is_null() {
            causes.push(Cause::forbidden(client_field, problem));
        }
        if !reviews.is_empty() {
            causes.push(Cause::forbidden(reviews_field, problem));
        }
    }
    causes
}

fn review_problems(reviews: &[Value], field: &str) -> Vec<Cause> {
    if reviews.is_empty() {
        return vec![Cause::required(field, "")];
    }
    let mut causes = Vec::new();
    let mut seen = HashSet::new();
    for (n, version) in reviews.iter().enumerate() {
        let version = version.as_str().unwrap_or_default();
        let field = format!("{field}[{n}]");
        if !seen.insert(version) {
            causes.push(Cause::invalid(&field, version, "duplicate version"));
        } else if let Some(problem) = label_problem(version) {
            causes.push(Cause::invalid(&field, version, &problem));
        }
    }
    if !["v1", "v1beta1"].iter().any(|known| seen.contains(known)) {
        let shown = Value::from(reviews.to_vec()).to_string();
        let problem = "must include at least one of v1, v1beta1";
        causes.push(Cause::invalid_raw(field, &shown, problem));
    }
    causes
}

//! Discovery: the served groups, versions and resources, in the old and the aggregated form.
//!
//! The order is that of a real server: built-in groups first, then custom groups by name. Storage
//! hashes are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Response};
use serde_json::{Value, json};

use super::body::ResponseBody;
use super::body::full;
use super::form::streamed;
use crate::api_server::failure::Failure;
use crate::api_server::resource::{Described, ResourceType, by_preference, group_version};
use crate::api_server::store::Store;

/// The media type that requests the aggregated form.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The version of Kubernetes that this server follows.
pub(super) const VERSION: &str = "v1.36.2+embedded";

/// The versions of a group, each with its types.
type Versions = Vec<(String, Vec<Arc<ResourceType>>)>;

/// The groups, each with its versions.
type Groups = Vec<(String, Versions)>;

/// Answers paths about the server itself; `None` for all others.
pub(crate) fn answer(
    store: &Store,
    path: &str,
    headers: &HeaderMap,
) -> Option<Result<Response<ResponseBody>, Failure>> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    let value = match *segments.as_slice() {
        ["api"] if aggregated(headers) => return Some(Ok(all(store, true))),
        ["apis"] if aggregated(headers) => return Some(Ok(all(store, false))),
        ["api"] => Some(json!({
            "kind": "APIVersions", "versions": ["v1"],
            "serverAddressByClientCIDRs": [
                { "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1" }
            ],
        })),
        ["apis"] => {
            let groups: Vec<Value> = groups(store, false).iter().map(group).collect();
            Some(json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups }))
        }
        ["api", version] => return Some(group_version_answer(store, "", version)),
        ["apis", name] => {
            let found = groups(store, false).into_iter().find(|(group, _)| group == name);
            found.map(|found| {
                let mut group = group(&found);
                group["kind"] = "APIGroup".into();
                group["apiVersion"] = "v1".into();
                group
            })
        }
        ["apis", group, version] => return Some(group_version_answer(store, group, version)),
        ["version"] => Some(version()),
        ["healthz" | "livez" | "readyz", ..] => return Some(Ok(text("ok"))),
        [""] => Some(index(store)),
        _ => return None,
    };
    Some(value.map(|value| streamed(full(value.to_string()))).ok_or_else(Failure::not_served))
}

/// Answers the path of a group's version.
fn group_version_answer(
    store: &Store,
    group: &str,
    version: &str,
) -> Result<Response<ResponseBody>, Failure> {
    let found = resources(store, group, version);
    let found = found.ok_or_else(|| super::route::unknown(store, group))?;
    Ok(streamed(full(found.to_string())))
}

/// Returns the served paths.
fn index(store: &Store) -> Value {
    let mut paths: BTreeSet<String> = [
        "/api",
        "/apis",
        "/healthz",
        "/livez",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
    ]
    .map(str::to_owned)
    .into();
    for resource in store.types() {
        match &*resource.group {
            "" => paths.extend([format!("/api/{}", resource.version)]),
            group => paths
                .extend([format!("/apis/{group}"), format!("/apis/{group}/{}", resource.version)]),
        }
    }
    json!({ "paths": paths })
}

fn aggregated(headers: &HeaderMap) -> bool {
    let accept = headers.get_all(http::header::ACCEPT).iter();
    let mut clauses = accept.filter_map(|v| v.to_str().ok()).flat_map(|text| text.split(','));
    clauses.any(|clause| {
        let has = |wanted: &str| clause.split(';').any(|part| part.trim() == wanted);
        AGGREGATED.split(';').all(has)
    })
}

fn groups(store: &Store, core: bool) -> Groups {
    let mut builtin: Groups = Vec::new();
    let mut custom: BTreeMap<String, Versions> = BTreeMap::new();
    for resource in store.types().filter(|resource| resource.group.is_empty() == core) {
        let versions = if resource.custom {
            custom.entry(resource.group.clone()).or_default()
        } else if let Some(at) = builtin.iter().position(|(group, _)| *group == resource.group) {
            &mut builtin[at].1
        } else {
            builtin.push((resource.group.clone(), Vec::new()));
            let Some((_, versions)) = builtin.last_mut() else { continue };
            versions
        };
        match versions.iter_mut().find(|(version, _)| *version == resource.version) {
            Some((_, types)) => types.push(resource.clone()),
            None => versions.push((resource.version.clone(), vec![resource.clone()])),
        }
    }
    builtin.extend(custom);
    for (_, versions) in &mut builtin {
        versions.sort_by(|(a, _), (b, _)| by_preference(a, b));
        for (_, types) in versions {
            types.sort_by(|a, b| a.plural.cmp(&b.plural));
        }
    }
    builtin
}

fn group((name, versions): &(String, Versions)) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|(version, _)| {
            json!({ "groupVersion": group_version(name, version), "version": version })
        })
        .collect();
    json!({ "name": name, "preferredVersion": versions.first(), "versions": versions })
}

fn resources(store: &Store, group: &str, version: &str) -> Option<Value> {
    let groups = groups(store, group.is_empty());
    let (_, versions) = groups.into_iter().find(|(name, _)| name == group)?;
    let (_, types) = versions.into_iter().find(|(name, _)| name == version)?;
    let resources: Vec<Value> = types.iter().flat_map(|resource| described(resource)).collect();
    let group_version = group_version(group, version);
    let mut list = json!({
        "kind": "APIResourceList", "groupVersion": group_version, "resources": resources,
    });
    if !group.is_empty() {
        list["apiVersion"] = "v1".into();
    }
    Some(list)
}

/// Returns the descriptions of a type and its subresources.
fn described(resource: &ResourceType) -> Vec<Value> {
    let mut described = json!({
        "name": resource.plural, "singularName": resource.singular,
        "namespaced": resource.namespaced, "kind": resource.kind, "verbs": resource.verbs(),
    });
    name_more(resource, &mut described);
    let below = resource.subresources().into_iter().map(|subresource| {
        let Described { name, kind, verbs } = subresource.described();
        let mut below = json!({
            "name": format!("{}/{name}", resource.plural), "singularName": "",
            "namespaced": resource.namespaced, "kind": resource.kind, "verbs": verbs,
        });
        if let Some((group, version, kind)) = kind {
            below["kind"] = kind.into();
            for (member, value) in [("group", group), ("version", version)] {
                if !value.is_empty() {
                    below[member] = value.into();
                }
            }
        }
        below
    });
    std::iter::once(described).chain(below).collect()
}

fn name_more(resource: &ResourceType, described: &mut Value) {
    if !resource.short_names.is_empty() {
        described["shortNames"] = resource.short_names.clone().into();
    }
    if !resource.categories.is_empty() {
        described["categories"] = resource.categories.clone().into();
    }
}

/// Returns the aggregated discovery of all groups.
fn all(store: &Store, core: bool) -> Response<ResponseBody> {
    let items: Vec<Value> = groups(store, core)
        .into_iter()
        .map(|(group, versions)| {
            let versions: Vec<Value> = versions
                .into_iter()
                .map(|(version, types)| {
                    let resources: Vec<Value> = types.iter().map(|t| aggregate(t)).collect();
                    json!({ "version": version, "resources": resources, "freshness": "Current" })
                })
                .collect();
            let metadata = if core { json!({}) } else { json!({ "name": group }) };
            json!({ "metadata": metadata, "versions": versions })
        })
        .collect();
    let list = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {}, "items": items,
    });
    let mut response = streamed(full(list.to_string()));
    let media_type = HeaderValue::from_static(AGGREGATED);
    response.headers_mut().insert(http::header::CONTENT_TYPE, media_type);
    response
}

fn aggregate(resource: &ResourceType) -> Value {
    // A built-in kind belongs to the group and version of its list, and does not repeat them.
    let (group, version) =
        if resource.custom { (&*resource.group, &*resource.version) } else { ("", "") };
    let kind = json!({ "group": group, "version": version, "kind": resource.kind });
    let mut described = json!({
        "resource": resource.plural, "responseKind": kind,
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular, "verbs": resource.verbs(),
    });
    name_more(resource, &mut described);
    let below = resource.subresources().into_iter().map(|subresource| {
        let Described { name, kind: own, verbs } = subresource.described();
        let kind = own.map_or_else(
            || kind.clone(),
            |(group, version, kind)| json!({ "group": group, "version": version, "kind": kind }),
        );
        json!({ "subresource": name, "responseKind": kind, "verbs": verbs })
    });
    let below: Vec<Value> = below.collect();
    if !below.is_empty() {
        described["subresources"] = below.into();
    }
    described
}

/// Returns the answer of `/version`.
fn version() -> Value {
    // The names of Go.
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    json!({
        "major": "1", "minor": "36", "emulationMajor": "1", "emulationMinor": "36",
        "minCompatibilityMajor": "1", "minCompatibilityMinor": "35",
        "gitVersion": VERSION, "gitCommit": "", "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z", "goVersion": "", "compiler": "rustc",
        "platform": format!("{}/{architecture}", std::env::consts::OS),
    })
}

fn text(text: &'static str) -> Response<ResponseBody> {
    let mut response = streamed(full(text));
    let media_type = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(http::header::CONTENT_TYPE, media_type);
    response
}

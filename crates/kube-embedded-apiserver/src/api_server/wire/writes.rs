//! Requests that write: from the body to a verb, and from its result to the response.

use std::collections::HashMap;

use bytes::Bytes;
use http::{Method, Response};
use serde_json::{Value, json};

use super::body::ResponseBody;
use super::content::{Expected, media_type};
use super::query::parameters;
use super::requests::ResourceRequest;
use super::{authorization, list, yaml, yaml_keys};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::{ResourceType, Subresource};
use crate::api_server::rules::go_format::json_name;
use crate::api_server::rules::json;
use crate::api_server::store::Store;
use crate::api_server::verbs::options::{DeleteOptions, FieldValidation, WriteOptions};
use crate::api_server::verbs::tokens;
use crate::api_server::verbs::{self, Deleted, WriteTarget};
use crate::api_server::verbs::{decoding, managed_fields, patch, pods, reviews, scale};
use crate::api_server::webhooks::{Admission, Operation};

const SCALE: Expected<'_> =
    Expected { group: "autoscaling", version: "v1", kind: "Scale", custom: false, alias: None };
const EVICTION: Expected<'_> = Expected {
    group: "policy",
    version: "v1",
    kind: "Eviction",
    custom: false,
    alias: Some("policy/v1beta1"),
};
const BINDING: Expected<'_> =
    Expected { group: "", version: "v1", kind: "Binding", custom: false, alias: None };
const TOKEN_REQUEST: Expected<'_> = Expected {
    group: "authentication.k8s.io",
    version: "v1",
    kind: "TokenRequest",
    custom: false,
    alias: None,
};

/// The code and value of the response to a write.
type Written = (u16, Value);

impl ResourceRequest<'_> {
    pub(super) async fn write(&mut self, body: &Bytes) -> Result<Response<ResponseBody>, Failure> {
        let options = WriteOptions::parse(&self.head.method, &self.head.uri, &self.head.headers)?;
        if let Some(session) = &mut self.session {
            let method = &self.head.method;
            session.options = reviewed(&options, method, &parameters(&self.head.uri), body);
            session.unnamed = *method == Method::DELETE && self.target.name.is_none();
        }
        let named = self.target.name.is_some();
        // A custom type has no creates and deletes across namespaces.
        if !named && self.resource.namespaced && self.target.namespace.is_none() {
            return Err(Failure::not_served());
        }
        if !named && self.head.method == Method::DELETE {
            return self.delete_all(&options, body).await;
        }
        let written = self.attempt(|store| match self.part {
            _ if self.resource.review => self.review(store, &options, body),
            Some(part) if !part.is_of_object() => self.write_part(store, part, &options, body),
            _ => self.write_object(store, &options, body),
        });
        let (code, value) = written.await?;
        self.respond(code, &value)
    }

    /// Answers a review, or binds a pod through the collection of bindings.
    fn review(
        &self,
        store: &mut Store,
        options: &WriteOptions,
        body: &Bytes,
    ) -> Result<Written, Failure> {
        let asked = Expected::of(self.resource).read(self.content_type, body)?.value;
        let target = self.write_target(options);
        if self.resource.qualified() == "bindings" {
            return Ok((201, pods::bind_named(store, target, &asked)?));
        }
        let answer = reviews::answer(store, &self.server.access.lock(), self.user, target, asked)?;
        Ok((201, answer))
    }

    /// Writes a subresource that is not an object of the type.
    fn write_part(
        &self,
        store: &mut Store,
        part: Subresource,
        options: &WriteOptions,
        body: &Bytes,
    ) -> Result<Written, Failure> {
        let target = self.write_target(options);
        let read = |expected: Expected<'_>| Ok(expected.read(self.content_type, body)?.value);
        Ok(match (part, &self.head.method) {
            (Subresource::Scale, &Method::PUT) => {
                (200, scale::replace(store, target, &self.parse_scale(options, body)?)?)
            }
            (Subresource::Scale, &Method::PATCH) if self.content_type.starts_with(patch::APPLY) => {
                (200, scale::apply(store, target, options, &applied(body)?.0)?)
            }
            (Subresource::Scale, &Method::PATCH) => {
                self.check_force(options)?;
                (200, scale::patch(store, target, options, self.content_type, body)?)
            }
            (Subresource::Eviction, &Method::POST) => {
                let (target, asked) = reviewed_part(store, target, part, read(EVICTION)?)?;
                (201, pods::evict(store, target, &asked, options)?)
            }
            (Subresource::Binding, &Method::POST) => {
                let (target, asked) = reviewed_part(store, target, part, read(BINDING)?)?;
                (201, pods::bind(store, target, &asked)?)
            }
            (Subresource::Token, &Method::POST) => {
                let (target, asked) = reviewed_part(store, target, part, read(TOKEN_REQUEST)?)?;
                let mut access = self.server.access.lock();
                (201, tokens::request(store, &mut access, target, asked)?)
            }
            (
                Subresource::Exec
                | Subresource::Attach
                | Subresource::PortForward
                | Subresource::Proxy,
                _,
            ) => return Err(self.connect(store, target, part)),
            _ => return Err(self.not_allowed()),
        })
    }

    /// Returns the object of the body, without unknown members.
    fn parse_object(&self, options: &WriteOptions, body: &Bytes) -> Result<Value, Failure> {
        let (mut object, repeated) = self.parse(Expected::of(self.resource), options, body)?;
        decoding::object(self.write_target(options), options.unknown, &mut object, repeated)?;
        Ok(object)
    }

    /// Returns the scale of the body, without unknown members.
    fn parse_scale(&self, options: &WriteOptions, body: &Bytes) -> Result<Value, Failure> {
        let (mut scale, repeated) = self.parse(SCALE, options, body)?;
        decoding::scale(self.write_target(options), options.unknown, &mut scale, repeated)?;
        Ok(scale)
    }

    /// Returns the value of the body, and messages about members that occur twice.
    fn parse(
        &self,
        expected: Expected<'_>,
        options: &WriteOptions,
        body: &Bytes,
    ) -> Result<(Value, Vec<String>), Failure> {
        let parsed = expected.read(self.content_type, body)?;
        let mut repeated = decoding::repeated(parsed.repeated);
        let strict = options.unknown == FieldValidation::Strict;
        repeated.extend(repeated_in_yaml(self.content_type, body).map(|problem| {
            if strict { format!("yaml: unmarshal errors:\n  {problem}") } else { problem }
        }));
        Ok((parsed.value, repeated))
    }

    /// Returns a failure if a patch that is not an apply asks for force, or says that it does not.
    fn check_force(&self, options: &WriteOptions) -> Result<(), Failure> {
        if !options.force_given || self.head.method != Method::PATCH {
            return Ok(());
        }
        let cause = Cause::forbidden("force", "may not be specified for non-apply patch");
        Err(Failure::invalid_options("PatchOptions", &cause))
    }

    /// Writes an object or its status.
    fn write_object(
        &self,
        store: &mut Store,
        options: &WriteOptions,
        body: &Bytes,
    ) -> Result<Written, Failure> {
        let target = self.write_target(options);
        let named = self.target.name.is_some();
        let content_type = self.content_type;
        // A status can be written, but not deleted.
        let whole = self.part.is_none();
        Ok(match (&self.head.method, named) {
            // A custom type takes a create also at the path of an object.
            (&Method::POST, _) if whole => {
                let mut object = self.parse_object(options, body)?;
                reviews::note_requester(self.resource, self.user, &mut object);
                (201, verbs::create(store, WriteTarget { name: None, ..target }, object)?)
            }
            (&Method::PUT | &Method::PATCH, false) => {
                return Err(Failure::bad_request("name must be provided"));
            }
            (&Method::PUT, true) => {
                let object = self.parse_object(options, body)?;
                let (made, value) = verbs::replace(store, target, object)?;
                (if made { 201 } else { 200 }, value)
            }
            (&Method::PATCH, _) if self.part == Some(Subresource::Finalize) => {
                return Err(self.not_allowed());
            }
            (&Method::PATCH, true) if content_type.starts_with(patch::APPLY) => {
                if !options.manager_given {
                    let problem = "is required for apply patch";
                    let cause = Cause::required("fieldManager", problem);
                    return Err(Failure::invalid_options("PatchOptions", &cause));
                }
                let (applied, repeated) = applied(body)?;
                if whole && target.stored(store).is_none() {
                    // An apply that creates needs both verbs.
                    let mut access = self.server.access.lock();
                    authorization::check(&mut access, self.user, "create", self.target, self.head)?;
                }
                let refused = repeated.as_deref().map(Failure::strict_apply);
                let refused = refused.filter(|_| options.unknown == FieldValidation::Strict);
                let (made, value) =
                    managed_fields::apply::apply(store, target, options, &applied, refused)?;
                if options.unknown == FieldValidation::Warn {
                    self.warnings.add(repeated);
                }
                (if made { 201 } else { 200 }, value)
            }
            (&Method::PATCH, true) => {
                self.check_force(options)?;
                (200, patch::patch(store, target, options, content_type, body)?)
            }
            (&Method::DELETE, true) if whole => {
                let options = DeleteOptions::parse(content_type, body, options)?;
                let target = WriteTarget { dry_run: options.dry_run, ..target };
                let deleted = verbs::delete(store, target, &options)?;
                (200, delete_answer(self.resource, deleted))
            }
            _ => return Err(self.not_allowed()),
        })
    }

    /// Deletes a page of a collection. The response is the page as it was.
    async fn delete_all(
        &self,
        options: &WriteOptions,
        body: &Bytes,
    ) -> Result<Response<ResponseBody>, Failure> {
        let query = self.query()?;
        let delete_options = DeleteOptions::parse(self.content_type, body, options)?;
        let target = WriteTarget { dry_run: delete_options.dry_run, ..self.write_target(options) };
        let delete =
            |store: &mut Store, all: &[_]| verbs::delete_all(store, target, all, &delete_options);
        let page = if self.session.is_none() {
            let listed = self.attempt(|store| {
                let newest = store.revision;
                let page = verbs::list::page(store, self.resource, &query.list, newest)?;
                delete(store, &page.items).map(|()| page)
            });
            listed.await?
        } else {
            let page = list::page(self.server, self.resource, &query.list).await?;
            // Each object is reviewed by itself.
            for object in &page.items {
                self.attempt(|store| delete(store, std::slice::from_ref(object))).await?;
            }
            page
        };
        let form = self.accepted.for_list(self.resource)?;
        let encoding = self.accepted.encoding;
        Ok(list::respond(self.resource.clone(), &query.list, page, form, encoding))
    }

    /// Returns the failure for a method that this path does not support.
    fn not_allowed(&self) -> Failure {
        match authorization::verb(&self.head.method, self.target.name.is_some(), false) {
            verb if self.resource.custom => Failure::not_supported(self.resource, verb),
            _ => Failure::method_not_allowed(),
        }
    }
}

/// Returns the options of a write as reviews show them.
fn reviewed(
    options: &WriteOptions,
    method: &Method,
    query: &HashMap<String, String>,
    body: &Bytes,
) -> Value {
    let delete = *method == Method::DELETE;
    let given = Some(body).filter(|_| delete).and_then(|body| serde_json::from_slice(body).ok());
    let mut shown = given.filter(Value::is_object).unwrap_or_else(|| json!({}));
    if delete && !body.is_empty() {
        return shown;
    }
    if options.dry_run {
        shown["dryRun"] = json!(["All"]);
    }
    let known: &[&str] =
        if delete { &["propagationPolicy"] } else { &["fieldManager", "fieldValidation"] };
    for name in known {
        if let Some(value) = query.get(*name).filter(|value| !value.is_empty()) {
            shown[*name] = value.clone().into();
        }
    }
    if let Some(grace) = options.grace.filter(|_| delete) {
        shown["gracePeriodSeconds"] = grace.into();
    }
    shown
}

/// Returns what a request creates below an object, as webhooks change it, and the target of the
/// write, which calls no more of them.
fn reviewed_part<'a>(
    store: &Store,
    target: WriteTarget<'a>,
    part: Subresource,
    asked: Value,
) -> Result<(WriteTarget<'a>, Value), Failure> {
    let mut asked = asked;
    asked["metadata"]["namespace"] = target.namespace.into();
    let described = part.described();
    let kind = described.kind.map(|(group, version, kind)| {
        (group, if version.is_empty() { "v1" } else { version }, kind)
    });
    let (operation, subresource) = (Operation::Create, described.name);
    let admission = Admission { target, operation, subresource, kind, old: None };
    if target.session.is_none() || target.stored(store).is_none() {
        return Ok((target, asked));
    }
    if part != Subresource::Token {
        let (version, kind) = (asked["apiVersion"].as_str(), asked["kind"].as_str());
        let kind =
            (&*version.unwrap_or_default().to_owned(), &*kind.unwrap_or_default().to_owned());
        managed_fields::own_part(&target, subresource, kind, &mut asked);
    }
    let asked = admission.mutate(store, asked)?;
    admission.validate(store, Some(&asked))?;
    Ok((WriteTarget { session: None, ..target }, asked))
}

/// Returns the response to a delete: the object if it waits or the type returns it, else a Status.
fn delete_answer(resource: &ResourceType, deleted: Deleted) -> Value {
    match deleted {
        Deleted::Gone(object) if !resource.deleted_is_returned => {
            let mut details = json!({
                "name": object["metadata"]["name"], "kind": resource.plural,
                "uid": object["metadata"]["uid"],
            });
            if !resource.group.is_empty() {
                details["group"] = resource.group.clone().into();
            }
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
                "details": details,
            })
        }
        Deleted::Gone(object) | Deleted::Waits(object) => object,
    }
}

/// Returns the configuration of an apply, and its first member that occurs twice.
fn applied(body: &Bytes) -> Result<(Value, Option<String>), Failure> {
    let (applied, repeated) = match json::read(body) {
        // JSON without repeated members is YAML without them.
        Ok(parsed) if parsed.repeated.is_empty() => (parsed.value, None),
        Ok(parsed) => (parsed.value, yaml_keys::repeated(body)),
        Err(_) => (
            yaml::read(body).map_err(|problem| {
                let problem = format!("error converting YAML to JSON: yaml: {problem}");
                Failure::bad_request(format!("error decoding YAML: {problem}"))
            })?,
            yaml_keys::repeated(body),
        ),
    };
    if applied.is_object() || applied.is_null() {
        return Ok((applied, repeated));
    }
    let found = json_name(&applied);
    Err(Failure::bad_request(format!(
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot \
         unmarshal {found} into Go value of type map[string]interface {{}}"
    )))
}

/// Returns the member of a YAML body that occurs twice.
fn repeated_in_yaml(content_type: &str, body: &[u8]) -> Option<String> {
    let media_type = media_type(content_type);
    if media_type == yaml::MEDIA_TYPE { yaml_keys::repeated(body) } else { None }
}

//! The way from a request to its response.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, WARNING};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::time::Instant;

use super::body::ResponseBody;
use super::body::full;
use super::form::{Encoding, Form, response, streamed};
use super::query::{Query, RequestInfo, Target};
use super::state::Server;
use super::{authorization, discovery, list, openapi, protobuf, watches, written, yaml, yaml_keys};
use crate::testing::api_server::controllers;
use crate::testing::api_server::failure::{Cause, Failure};
use crate::testing::api_server::resource::{ResourceType, Subresource};
use crate::testing::api_server::rules::access::User;
use crate::testing::api_server::rules::go_format::json_name;
use crate::testing::api_server::rules::{json, warnings};
use crate::testing::api_server::store::Store;
use crate::testing::api_server::store::selection::Selection;
use crate::testing::api_server::verbs::options::{DeleteOptions, FieldValidation, WriteOptions};
use crate::testing::api_server::verbs::{self, Deleted, Part, Place, Warnings};
use crate::testing::api_server::verbs::{decoding, managed_fields, patch, pods, reviews, scale};
use crate::transport::protobuf::MEDIA_TYPE;

/// The largest body of a request, in bytes.
const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// Answers a request that was not intercepted.
pub(crate) async fn answer<B>(
    server: &Arc<Server>,
    request: Request<B>,
) -> Result<Response<ResponseBody>, Failure>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (head, body) = request.into_parts();
    let user = match head.extensions.get::<User>() {
        Some(user) => user.clone(),
        None => authorization::user(&server.access.lock(), &head.headers)?,
    };
    let path = head.uri.path();
    if let Some(answer) = openapi::answer(&server.store.lock(), path) {
        return answer;
    }
    if let Some(answer) = discovery::answer(&server.store.lock(), path, &head.headers) {
        return answer;
    }
    let target = Target::parse(path).ok_or_else(Failure::not_served)?;
    let (resource, part) = served(&server.store.lock(), &target)?;
    let watch = head.method == Method::GET && RequestInfo::new(&head.method, &head.uri).watch;
    let verb = authorization::verb(&head.method, target.name.is_some(), watch);
    if !reviews::is_open(&resource) {
        authorization::check(&server.access.lock(), &user, verb, &target, &resource)?;
    }
    let resource_request = ResourceRequest {
        server,
        user: &user,
        target: &target,
        resource: &resource,
        part,
        head: &head,
        warnings: Warnings::default(),
    };
    let answer = if head.method == Method::GET {
        resource_request.read()
    } else {
        let body = read(body).await?;
        if resource.review { resource_request.review(&body) } else { resource_request.write(&body) }
    };
    // A failure has warnings, too.
    let of_use = warnings::of_use(&resource.api_version(), &resource.kind);
    let told = resource_request.warnings.take().into_iter().chain(of_use);
    let told = told.filter_map(|text| HeaderValue::try_from(format!("299 - {text:?}")).ok());
    let mut told = told.peekable();
    if told.peek().is_none() {
        return answer;
    }
    let encoding = Encoding::of_status(&head.headers);
    let mut response = answer.unwrap_or_else(|failure| failure.response(encoding));
    for warning in told {
        response.headers_mut().append(WARNING, warning);
    }
    Ok(response)
}

/// Returns the requested type and subresource.
fn served(
    store: &Store,
    target: &Target,
) -> Result<(Arc<ResourceType>, Option<Subresource>), Failure> {
    let found = store.served(&target.group, &target.version, &target.plural);
    let resource = found.cloned().ok_or_else(Failure::not_served)?;
    let placed = target.namespace.is_none() || resource.namespaced;
    // An object of a namespaced type needs a namespace in its path.
    let reached = target.name.is_none() || target.namespace.is_some() == resource.namespaced;
    if !placed || !reached {
        return Err(Failure::not_served());
    }
    let part = match target.subresource.as_deref() {
        None => None,
        Some(name) => Some(resource.subresource(name).ok_or_else(|| {
            // A custom type's object has no further paths below it.
            let named = target.name.as_deref().filter(|_| resource.custom);
            named.map_or_else(Failure::not_served, |name| Failure::not_found(&resource, name))
        })?),
    };
    Ok((resource, part))
}

/// A request for objects.
struct ResourceRequest<'a> {
    server: &'a Arc<Server>,
    user: &'a User,
    target: &'a Target,
    resource: &'a Arc<ResourceType>,
    part: Option<Subresource>,
    head: &'a Parts,
    warnings: Warnings,
}

impl ResourceRequest<'_> {
    fn read(&self) -> Result<Response<ResponseBody>, Failure> {
        let resource = self.resource;
        if resource.review {
            return Err(self.not_allowed());
        }
        let form = |plain| Form::wanted(&self.head.headers, &self.head.uri, plain, resource.custom);
        if self.target.name.is_some() {
            let (form, encoding) = form(Form::Whole)?;
            let options = WriteOptions::default();
            let stored = self.place(&options).current(&self.server.store.lock())?;
            match self.part {
                None
                | Some(
                    Subresource::Status
                    | Subresource::Approval
                    | Subresource::EphemeralContainers
                    | Subresource::Resize,
                ) => {}
                Some(Subresource::Scale) => {
                    return Ok(self.respond(200, &scale::read(resource, &stored)?));
                }
                Some(Subresource::Eviction | Subresource::Binding | Subresource::Finalize) => {
                    return Err(self.not_allowed());
                }
            }
            if encoding == Encoding::Protobuf {
                let body = full(written::in_envelope(&stored, resource, form));
                return Ok(response(body, encoding, false));
            }
            let mut bytes = Vec::new();
            written::write_alone(&stored, resource, form, true, &mut bytes);
            bytes.push(b'\n');
            return Ok(streamed(full(bytes)));
        }
        let mut query = Query::parse(&self.head.uri, self.target.namespace.clone(), resource)?;
        {
            let mut store = self.server.store.lock();
            store.discard_old();
            if store.of(resource).and_then(|all| all.ready).is_some_and(|at| Instant::now() < at) {
                return Err(Failure::storage_not_ready());
            }
        }
        if query.watch {
            let form = form(Form::Whole)?;
            return watches::watch(self.server, resource, query, form);
        }
        if query.list.version == Some(0) && self.server.options.watch_cache {
            query.list.limit = None;
        }
        let plain = if resource.custom { Form::Whole } else { Form::Item };
        let (form, encoding) = form(plain)?;
        list::list(&self.server.store.lock(), resource, &query.list, form, encoding)
    }

    /// Answers a review.
    fn review(&self, body: &Bytes) -> Result<Response<ResponseBody>, Failure> {
        if self.head.method != Method::POST || self.target.name.is_some() {
            return Err(self.not_allowed());
        }
        let asked = parse(self.content_type(), body)?.0;
        let access = self.server.access.lock();
        let answered = reviews::answer(
            &access,
            self.user,
            self.target.namespace.as_deref(),
            self.resource,
            asked,
        )?;
        Ok(self.respond(201, &answered))
    }

    fn content_type(&self) -> &str {
        let content_type = self.head.headers.get(CONTENT_TYPE);
        content_type.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn write(&self, body: &Bytes) -> Result<Response<ResponseBody>, Failure> {
        let options = WriteOptions::parse(&self.head.method, &self.head.uri, &self.head.headers)?;
        let content_type = self.content_type();
        // `deletecollection` works on one namespace at a time.
        let named = self.target.name.is_some();
        if !named && self.resource.namespaced && self.target.namespace.is_none() {
            let custom = self.resource.custom;
            return Err(if custom { Failure::not_served() } else { self.not_allowed() });
        }
        let mut store = self.server.store.lock();
        let (code, result) = match self.part {
            None
            | Some(
                Subresource::Status
                | Subresource::Finalize
                | Subresource::Approval
                | Subresource::EphemeralContainers
                | Subresource::Resize,
            ) => self.write_object(&mut store, &options, content_type, body)?,
            Some(part) => self.write_part(&mut store, part, &options, content_type, body)?,
        };
        controllers::settle(&mut store);
        drop(store);
        Ok(self.respond(code, &result))
    }

    /// Writes a subresource that is not an object of the type. Returns the HTTP code and
    /// the response.
    fn write_part(
        &self,
        store: &mut Store,
        part: Subresource,
        options: &WriteOptions,
        content_type: &str,
        body: &Bytes,
    ) -> Result<(u16, Value), Failure> {
        let place = self.place(options);
        Ok(match (part, &self.head.method) {
            (Subresource::Scale, &Method::PUT) => {
                (200, scale::replace(store, place, &parse(content_type, body)?.0)?)
            }
            (Subresource::Scale, &Method::PATCH) if content_type.starts_with(patch::APPLY) => {
                (200, scale::apply(store, place, options, &parse_applied(body)?)?)
            }
            (Subresource::Scale, &Method::PATCH) => {
                self.check_force(options)?;
                (200, scale::patch(store, place, options, content_type, body)?)
            }
            (Subresource::Eviction, &Method::POST) => {
                let eviction = parse(content_type, body)?.0;
                (201, pods::evict(store, place, &eviction, options)?)
            }
            (Subresource::Binding, &Method::POST) => {
                (201, pods::bind(store, place, &parse(content_type, body)?.0)?)
            }
            _ => return Err(self.not_allowed()),
        })
    }

    /// Returns a failure if a patch that is not an apply asks for force, or says that it does not.
    fn check_force(&self, options: &WriteOptions) -> Result<(), Failure> {
        if !options.force_given || self.head.method != Method::PATCH {
            return Ok(());
        }
        let cause = Cause::forbidden("force", "may not be specified for non-apply patch");
        Err(Failure::invalid_options("PatchOptions", &cause))
    }

    /// Returns the object of the body, without unknown members.
    fn parse_object(
        &self,
        options: &WriteOptions,
        content_type: &str,
        body: &Bytes,
    ) -> Result<Value, Failure> {
        let (mut object, repeated) = parse(content_type, body)?;
        let mut repeated = decoding::repeated(repeated);
        let strict = options.unknown == FieldValidation::Strict;
        repeated.extend(repeated_in_yaml(content_type, body).map(|problem| match strict {
            true => format!("yaml: unmarshal errors:\n  {problem}"),
            false => problem,
        }));
        let place = self.place(options);
        decoding::object(place, options.unknown, &mut object, repeated)?;
        Ok(object)
    }

    /// Writes an object or its status. Returns the HTTP code and the response.
    fn write_object(
        &self,
        store: &mut Store,
        options: &WriteOptions,
        content_type: &str,
        body: &Bytes,
    ) -> Result<(u16, Value), Failure> {
        let place = self.place(options);
        let named = self.target.name.is_some();
        // A status can be written, but not deleted.
        let whole = self.part.is_none();
        Ok(match (&self.head.method, named) {
            (&Method::POST, false) => {
                let mut object = self.parse_object(options, content_type, body)?;
                reviews::note_requester(self.resource, self.user, &mut object);
                (201, verbs::create(store, place, object)?)
            }
            (&Method::PUT, true) => {
                let object = self.parse_object(options, content_type, body)?;
                let (made, object) = verbs::replace(store, place, object)?;
                (if made { 201 } else { 200 }, object)
            }
            (&Method::PATCH, _) if self.part == Some(Subresource::Finalize) => {
                return Err(self.not_allowed());
            }
            (&Method::PATCH, true) if content_type.starts_with(patch::APPLY) => {
                let applied = parse_applied(body)?;
                if whole && place.current(store).is_err() {
                    // An apply that creates needs both verbs.
                    let access = self.server.access.lock();
                    authorization::check(&access, self.user, "create", self.target, self.resource)?;
                }
                let repeated = repeated_in_yaml(content_type, body);
                let refused = repeated.as_deref().map(Failure::strict_apply);
                let refused = refused.filter(|_| options.unknown == FieldValidation::Strict);
                let (made, object) =
                    managed_fields::apply::apply(store, place, options, &applied, refused)?;
                if options.unknown == FieldValidation::Warn {
                    self.warnings.add(repeated);
                }
                (if made { 201 } else { 200 }, object)
            }
            (&Method::PATCH, true) => {
                self.check_force(options)?;
                (200, patch::patch(store, place, options, content_type, body)?)
            }
            (&Method::DELETE, true) if whole => {
                let options = DeleteOptions::parse(body, options)?;
                let place = Place { dry_run: options.dry_run, ..place };
                let deleted = verbs::delete(store, place, &options)?;
                (200, delete_answer(self.resource, deleted))
            }
            (&Method::DELETE, false) if self.resource.verbs().contains(&"deletecollection") => {
                let options = DeleteOptions::parse(body, options)?;
                let place = Place { dry_run: options.dry_run, ..place };
                let query =
                    Query::parse(&self.head.uri, self.target.namespace.clone(), self.resource)?;
                let deleted = self.delete_all(store, place, &query.list.selection, &options)?;
                (200, deleted)
            }
            _ => return Err(self.not_allowed()),
        })
    }

    /// Returns the failure for a method that this path does not support.
    fn not_allowed(&self) -> Failure {
        match authorization::verb(&self.head.method, self.target.name.is_some(), false) {
            verb if self.resource.custom => Failure::not_supported(self.resource, verb),
            _ => Failure::method_not_allowed(),
        }
    }

    /// Returns a response that holds a value.
    fn respond(&self, code: u16, value: &Value) -> Response<ResponseBody> {
        let mut encoding = Encoding::of_status(&self.head.headers);
        if self.resource.custom && !matches!(value["kind"].as_str(), Some("Status" | "Scale")) {
            encoding = Encoding::Json;
        }
        let body = match encoding {
            Encoding::Json => format!("{value}\n").into_bytes(),
            Encoding::Protobuf => protobuf::value(value),
        };
        let mut response = response(full(body), encoding, false);
        *response.status_mut() = StatusCode::from_u16(code).unwrap_or_default();
        response
    }

    fn delete_all(
        &self,
        store: &mut Store,
        place: Place<'_>,
        selection: &Selection,
        options: &DeleteOptions,
    ) -> Result<Value, Failure> {
        let mut items = verbs::delete_all(store, place, selection, options)?;
        if !self.resource.custom {
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                item.remove("kind");
                item.remove("apiVersion");
            }
        }
        Ok(serde_json::json!({
            "kind": self.resource.list_kind, "apiVersion": self.resource.api_version(),
            "metadata": { "resourceVersion": store.revision.to_string() }, "items": items,
        }))
    }

    fn place<'a>(&'a self, options: &'a WriteOptions) -> Place<'a> {
        Place {
            resource: self.resource,
            namespace: self.target.namespace.as_deref(),
            name: self.target.name.as_deref(),
            part: match self.part {
                Some(Subresource::Status) => Part::Status,
                Some(Subresource::Scale) => Part::Scale,
                Some(Subresource::Approval) => Part::Approval,
                Some(Subresource::EphemeralContainers) => Part::EphemeralContainers,
                Some(Subresource::Resize) => Part::Resize,
                Some(Subresource::Finalize) => Part::Finalize,
                None | Some(Subresource::Eviction | Subresource::Binding) => Part::Object,
            },
            dry_run: options.dry_run,
            manager: &options.manager,
            strict: self.server.options.strict,
            warnings: Some(&self.warnings),
        }
    }
}

/// Returns the response to a delete: the object if it waits or the type returns it, else a Status.
fn delete_answer(resource: &ResourceType, deleted: Deleted) -> Value {
    match deleted {
        Deleted::Gone(object) if !resource.deleted_is_returned => {
            let mut details = serde_json::json!({
                "name": object["metadata"]["name"], "kind": resource.plural,
                "uid": object["metadata"]["uid"],
            });
            if !resource.group.is_empty() {
                details["group"] = resource.group.clone().into();
            }
            serde_json::json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
                "details": details,
            })
        }
        Deleted::Gone(object) | Deleted::Waits(object) => object,
    }
}

async fn read<B>(body: B) -> Result<Bytes, Failure>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let limited = http_body_util::Limited::new(body, BODY_LIMIT);
    let collected = limited.collect().await;
    let too_large = |_| {
        let message = format!("Request entity too large: limit is {BODY_LIMIT}");
        Failure::new(413, "RequestEntityTooLarge", message)
    };
    Ok(collected.map_err(too_large)?.to_bytes())
}

/// Returns the value of a body, and the paths of members that occur twice.
fn parse(content_type: &str, body: &Bytes) -> Result<(Value, Vec<String>), Failure> {
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if media_type == MEDIA_TYPE {
        let value = protobuf::read(body).ok_or_else(|| {
            Failure::bad_request("the body of the request is not a built-in object")
        });
        return Ok((value?, Vec::new()));
    }
    if media_type == yaml::MEDIA_TYPE {
        let value = yaml::read(body)
            .ok_or_else(|| Failure::bad_request("the body of the request is not YAML"));
        return Ok((value?, Vec::new()));
    }
    // A missing content type means JSON.
    if !matches!(media_type, "" | "application/json" | "*/*") {
        let accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
        return Err(Failure::unsupported_media_type(accepted));
    }
    let parsed = json::read(body)
        .map_err(|_| Failure::bad_request("the body of the request is not JSON"))?;
    Ok((parsed.value, parsed.repeated))
}

/// Returns the configuration of an apply.
fn parse_applied(body: &Bytes) -> Result<Value, Failure> {
    let applied = match json::read(body) {
        Ok(parsed) => parsed.value,
        Err(_) => yaml::read(body).ok_or_else(|| Failure::bad_request("error decoding YAML"))?,
    };
    if applied.is_object() || applied.is_null() {
        return Ok(applied);
    }
    let found = json_name(&applied);
    Err(Failure::bad_request(format!(
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot \
         unmarshal {found} into Go value of type map[string]interface {{}}"
    )))
}

/// Returns the member of a YAML body that occurs twice.
fn repeated_in_yaml(content_type: &str, body: &[u8]) -> Option<String> {
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    let is_yaml = matches!(media_type, yaml::MEDIA_TYPE | patch::APPLY);
    if is_yaml { yaml_keys::repeated(body) } else { None }
}

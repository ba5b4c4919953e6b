//! The way from a request to its response.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, WARNING};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::body::{ResponseBody, full};
use super::form::{Accepted, Encoding, Form, response, streamed};
use super::query::{ParsedPath, Query, QueryContext, decoded, parameters};
use super::route::Route;
use super::state::Server;
use super::{authorization, discovery, list, openapi, protobuf, table, versions, watches, written};
use super::{content, yaml};
use crate::api_server::controllers;
use crate::api_server::failure::Failure;
use crate::api_server::resource::{ResourceType, Subresource};
use crate::api_server::rules::access::User;
use crate::api_server::rules::warnings;
use crate::api_server::store::Store;
use crate::api_server::store::selection::FieldPath;
use crate::api_server::store::stored::Stored;
use crate::api_server::verbs::options::WriteOptions;
use crate::api_server::verbs::reviews::about;
use crate::api_server::verbs::{Part, Warnings, WriteTarget, connect, patch, scale};
use crate::api_server::webhooks::{Admission, Operation, Session};

/// The largest body of a request, in bytes.
const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// The time that the body of a request may take. A slower one is answered 504. Responses, such as
/// watches, may take any time.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// The longest time that a request may ask for.
const LONGEST_REQUEST: Duration = Duration::from_secs(60);
const LATE: &str = "Timeout: request did not complete within the allotted timeout";

/// The number of characters in all warnings of a response above which each warning is cut.
const LONGEST_WARNINGS: usize = 4096;
/// The number of characters that a cut warning keeps.
const LONGEST_CUT_WARNING: usize = 256;

/// The most attempts of one request. A webhook that changes the object of its own review would
/// otherwise be called forever.
const MOST_ATTEMPTS: usize = 200;

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
    let path = decoded(head.uri.path());
    let target = ParsedPath::parse(&path);
    let user = authorization::user(&server.access.lock(), &head, target.as_ref())?;
    let Some(target) = target else {
        authorization::check_path(&server.access.lock(), &user, &head.method, &path)?;
        return about_server(server, &head, &path);
    };
    let watch = authorization::is_watch(&target, &head);
    let verb = authorization::verb(&head.method, target.name.is_some(), watch);
    authorization::check(&mut server.access.lock(), &user, verb, &target, &head)?;
    let Route { resource, part } = {
        let route = Route::find(&server.store.lock(), &target)?;
        route.check_method(&target, &head.method)?;
        route
    };
    let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let patches = head.method == Method::PATCH && !resource.custom;
    if patches && !patch::is_patch(&content::media_type(&content_type)) {
        return Err(Failure::no_patch_type());
    }
    let accepted = Accepted::negotiate(&head.headers, &head.uri, &resource)?;
    let mut request = ResourceRequest {
        server,
        user: &user,
        target: &target,
        resource: &resource,
        part,
        head: &head,
        watch,
        content_type: &content_type,
        accepted,
        warnings: Warnings::default(),
        session: server.webhooks.are_served().then(|| {
            let brief = matches!(head.method, Method::PUT | Method::PATCH);
            Session::new(server.webhooks.clone(), about(&user), Value::Null, brief)
        }),
    };
    let limit = if watch { None } else { asked_limit(&head.uri) };
    if let (Some(limit), Some(session)) = (limit, &mut request.session) {
        session.deadline = Some(Instant::now() + limit);
    }
    let answered = async {
        if matches!(head.method, Method::GET | Method::HEAD) {
            request.read().await
        } else {
            let body = read(body).await?;
            request.write(&body).await
        }
    };
    let answer = match limit {
        None => answered.await,
        Some(limit) => timeout(limit, answered).await.unwrap_or_else(|_| Ok(late())),
    };
    if server.options.watch_cache && !matches!(head.method, Method::GET | Method::HEAD) {
        server.webhooks.follow_all(&server.store).await;
    }
    // A failure has warnings, too.
    let of_use = match &resource.deprecation {
        None => warnings::of_use(&resource.api_version(), &resource.kind),
        declared => declared.clone(),
    };
    let told = request.warnings.take().into_iter().chain(of_use);
    let told = shortened(told.collect()).into_iter();
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

/// Returns the time in which a request wants to be answered.
fn asked_limit(uri: &Uri) -> Option<Duration> {
    let params = parameters(uri);
    let text = params.get("timeout")?;
    let end = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(end);
    let unit = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        _ => return None,
    };
    let limit = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit).ok()?;
    Some(limit.min(LONGEST_REQUEST))
}

/// Returns the response to a request that takes too long. A real server writes it outside of its
/// API's code, so its content type is another one.
fn late() -> Response<ResponseBody> {
    let status = json!({
        "metadata": {}, "status": "Failure", "message": LATE, "reason": "Timeout", "details": {},
        "code": 504,
    });
    let mut response = Response::new(full(status.to_string()));
    *response.status_mut() = StatusCode::GATEWAY_TIMEOUT;
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}

/// Returns warnings as a response has them. If they are too long together, each is cut. Once the
/// cut ones are too long together, the rest is left out.
fn shortened(told: Vec<String>) -> Vec<String> {
    let length = |text: &String| text.chars().count();
    let cut = |text: &String| length(text).min(LONGEST_CUT_WARNING);
    let mut whole = 0;
    let first_cut = told.iter().position(|text| {
        whole += length(text);
        whole > LONGEST_WARNINGS
    });
    let Some(first_cut) = first_cut else { return told };
    let mut written: usize = told[..=first_cut].iter().map(cut).sum();
    let more = told[first_cut + 1..].iter().take_while(|text| {
        let fits = written < LONGEST_WARNINGS;
        written += cut(text);
        fits
    });
    let kept = first_cut + 1 + more.count();
    let kept = told.into_iter().take(kept);
    kept.map(|text| text.chars().take(LONGEST_CUT_WARNING).collect()).collect()
}

/// Answers a request for a path that leads to no object.
fn about_server(
    server: &Server,
    head: &Parts,
    path: &str,
) -> Result<Response<ResponseBody>, Failure> {
    let store = server.store.lock();
    let answer = openapi::answer(&store, path, &head.headers)
        .or_else(|| discovery::answer(&store, path, &head.headers))
        .unwrap_or_else(|| Err(Failure::not_served()))?;
    if head.method == Method::GET { Ok(answer) } else { Err(Failure::method_not_allowed()) }
}

/// A request for objects.
pub(super) struct ResourceRequest<'a> {
    pub(super) server: &'a Arc<Server>,
    pub(super) user: &'a User,
    pub(super) target: &'a ParsedPath,
    pub(super) resource: &'a Arc<ResourceType>,
    pub(super) part: Option<Subresource>,
    pub(super) head: &'a Parts,
    pub(super) watch: bool,
    pub(super) content_type: &'a str,
    pub(super) accepted: Accepted,
    pub(super) warnings: Warnings,
    /// The webhooks that the request calls, if any may be called.
    pub(super) session: Option<Session>,
}

impl ResourceRequest<'_> {
    async fn read(&self) -> Result<Response<ResponseBody>, Failure> {
        let named = self.target.name.is_some() && !self.target.watch;
        if named { self.get().await } else { self.list().await }
    }

    async fn get(&self) -> Result<Response<ResponseBody>, Failure> {
        let resource = self.resource;
        let params = parameters(&self.head.uri);
        let version = params.get("resourceVersion").map_or("", String::as_str);
        let version = versions::parse(version).map_err(|p| Failure::without_reason(&p))?;
        versions::reach(self.server, version).await?;
        let options = WriteOptions::default();
        let target = self.write_target(&options);
        let current = || self.current(target, version);
        let stored = match self.part {
            None => current().await?,
            // A namespace's finalizers can be written, not read.
            Some(part) if part.is_of_object() && part != Subresource::Finalize => current().await?,
            Some(Subresource::Scale) => {
                let stored = current().await?;
                return self.respond(200, &scale::read(resource, &stored)?);
            }
            Some(Subresource::Log) => {
                connect::log(&self.server.store.lock(), target, &params)?;
                let mut response = Response::new(full(Bytes::new()));
                *response.status_mut() = StatusCode::NO_CONTENT;
                return Ok(response);
            }
            Some(part) => {
                let connected = self.attempt(|store| Err(self.connect(store, target, part)));
                return connected.await;
            }
        };
        let form = self.accepted.for_object(resource)?;
        if self.accepted.encoding == Encoding::Protobuf {
            let body = full(written::in_envelope(&stored, resource, form)?);
            return Ok(response(body, Encoding::Protobuf, false));
        }
        let mut bytes = Vec::new();
        written::write_alone(&stored, resource, form, true, &mut bytes);
        bytes.push(b'\n');
        Ok(streamed(full(bytes)))
    }

    /// Returns an object in the version of the request: the stored one, or the cached one if the
    /// request names the version of an object.
    async fn current(
        &self,
        target: WriteTarget<'_>,
        version: Option<u64>,
    ) -> Result<Arc<Stored>, Failure> {
        let (server, resource) = (self.server, self.resource);
        if let Some(asked) = version.filter(|_| server.caches(resource)) {
            server.webhooks.catch_up(&server.store, resource, version).await;
            let cached = {
                let store = server.store.lock();
                let all = store.of(resource).ok_or_else(Failure::not_served)?;
                all.cached(&resource.version).map(|position| {
                    if asked > position {
                        return Err(Failure::too_large(asked, position));
                    }
                    let missing = || Failure::not_found(resource, target.name());
                    all.at(position).get(&target.key()).cloned().ok_or_else(missing)
                })
            };
            if let Some(cached) = cached {
                let read = server.webhooks.cached(resource, &cached?).await;
                return read.map_err(|problem| Failure::internal(&problem));
            }
        }
        self.attempt(|store| target.current(store)).await
    }

    /// Runs a write or a read, and again while webhooks have to answer.
    pub(super) async fn attempt<T>(
        &self,
        run: impl Fn(&mut Store) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        for _ in 0..MOST_ATTEMPTS {
            {
                let mut store = self.server.store.lock();
                let result = match &self.session {
                    None => run(&mut store),
                    Some(session) => session.attempt(|| run(&mut store)),
                };
                if self.session.as_ref().is_none_or(|session| !session.is_incomplete()) {
                    if result.is_ok() {
                        controllers::settle(&mut store);
                    }
                    return result;
                }
            }
            // The next attempt gives them again.
            self.warnings.take();
            if let Some(session) = &self.session {
                session.answer().await;
            }
        }
        let name = self.target.name.as_deref().unwrap_or_default();
        Err(Failure::conflict(self.resource, name))
    }

    /// Returns the failure of a connection to a pod, which has no node here.
    pub(super) fn connect(
        &self,
        store: &Store,
        target: WriteTarget<'_>,
        part: Subresource,
    ) -> Failure {
        let described = part.described();
        if let Some((_, _, kind)) = described.kind {
            let options = connect::options(kind, &self.head.uri);
            let admission = Admission {
                target,
                operation: Operation::Connect,
                subresource: described.name,
                kind: Some(("", "v1", kind)),
                old: None,
            };
            if let Err(refused) = admission.judge_connection(store, options) {
                return refused;
            }
        }
        let connection = match part {
            Subresource::Exec | Subresource::Attach | Subresource::PortForward => {
                connect::stream(store, target)
            }
            Subresource::Proxy => connect::proxy(store, target),
            _ => Err(Failure::method_not_allowed()),
        };
        connection.err().unwrap_or_else(connect::no_node)
    }

    pub(super) fn query(&self) -> Result<Query, Failure> {
        let context = QueryContext {
            resource: self.resource,
            namespace: self.target.namespace.as_deref(),
            watch: self.watch,
            sharded: self.server.options.sharded_lists,
        };
        let mut query = Query::parse(&self.head.uri, context)?;
        if let Some(name) = self.target.name.clone().filter(|_| self.target.watch) {
            query.list.selection.fields.push((FieldPath::Name, true, name));
        }
        Ok(query)
    }

    async fn list(&self) -> Result<Response<ResponseBody>, Failure> {
        let resource = self.resource;
        if resource.review {
            return Err(Failure::method_not_allowed());
        }
        let mut query = self.query()?;
        {
            let mut store = self.server.store.lock();
            store.discard_old();
            if store.of(resource).and_then(|all| all.ready).is_some_and(|at| Instant::now() < at) {
                return Err(Failure::storage_not_ready());
            }
        }
        if self.watch {
            if yaml::is_wanted(&self.head.headers) {
                return Err(Failure::watch_not_acceptable());
            }
            let form = (self.accepted.for_object(resource)?, self.accepted.encoding);
            return watches::watch(self.server, resource, query, form).await;
        }
        if query.list.version == Some(0) && self.server.options.watch_cache {
            query.list.limit = None;
        }
        versions::reach(self.server, query.list.version).await?;
        let page = list::page(self.server, resource, &query.list).await?;
        let form = self.accepted.for_list(resource)?;
        let encoding = self.accepted.encoding;
        Ok(list::respond(resource.clone(), &query.list, page, form, encoding))
    }

    /// Returns a response that holds a value. An object of the type gets the form that the client
    /// accepts.
    pub(super) fn respond(
        &self,
        code: u16,
        value: &Value,
    ) -> Result<Response<ResponseBody>, Failure> {
        let resource = self.resource;
        let is_scale = value["kind"] == "Scale";
        let is_object = is_scale || value["kind"] == *resource.kind;
        let form = if is_object { self.accepted.for_object(resource)? } else { Form::Whole };
        let formed;
        let value = match form {
            Form::Whole | Form::Item => value,
            Form::Metadata => {
                formed = json!({
                    "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
                    "metadata": value["metadata"],
                });
                &formed
            }
            Form::Row(include) if is_scale => {
                formed = table::of_scale(value, include);
                &formed
            }
            Form::Row(include) => {
                let version = &value["metadata"]["resourceVersion"];
                let row = table::row(resource, value, include);
                let metadata = json!({ "resourceVersion": version });
                formed = table::whole(resource, &metadata, true, &[row]);
                &formed
            }
        };
        let mut encoding = Encoding::of_status(&self.head.headers);
        if resource.custom && !matches!(value["kind"].as_str(), Some("Status" | "Scale")) {
            encoding = Encoding::Json;
        }
        let body = match encoding {
            Encoding::Json => format!("{value}\n").into_bytes(),
            Encoding::Protobuf => protobuf::value(value),
        };
        let mut response = response(full(body), encoding, false);
        *response.status_mut() = StatusCode::from_u16(code).unwrap_or_default();
        Ok(response)
    }

    pub(super) fn write_target<'a>(&'a self, options: &'a WriteOptions) -> WriteTarget<'a> {
        WriteTarget {
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
                None | Some(_) => Part::Object,
            },
            dry_run: options.dry_run,
            manager: &options.manager,
            strict: self.server.options.strict,
            warnings: Some(&self.warnings),
            session: self.session.as_ref(),
        }
    }
}

/// Reads the body of a request, within the limits of size and time.
async fn read<B>(body: B) -> Result<Bytes, Failure>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let too_large = || {
        let message = format!("Request entity too large: limit is {BODY_LIMIT}");
        Failure::new(413, "RequestEntityTooLarge", message)
    };
    // A body that announces its size is not read.
    if usize::try_from(body.size_hint().lower()).is_ok_and(|size| size > BODY_LIMIT) {
        return Err(too_large());
    }
    let collected = timeout(BODY_TIMEOUT, Limited::new(body, BODY_LIMIT).collect());
    let Ok(collected) = collected.await else { return Err(Failure::new(504, "Timeout", LATE)) };
    match collected {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Err(error) => Err(Failure::bad_request(format!("the body cannot be read: {error}"))),
    }
}

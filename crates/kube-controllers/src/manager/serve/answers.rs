//! Paths and their answers.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::uri::Authority;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::Body;
use percent_encoding::percent_decode_str;

use super::Figures;
use super::health::{CheckResult, Health, Probe};
use super::recorder;
use super::routes::Route;
use super::shared_run::SharedRun;
use crate::controller::BoxError;
use crate::manager::status::ManagerState;

const TEXT: &str = "text/plain; charset=utf-8";
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

const PAGE: &str = include_str!("dashboard.html");

/// The page needs nothing but itself and the status.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
                           script-src 'unsafe-inline'; connect-src 'self'; img-src data:; \
                           base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The limit of the body of a request to a route, in bytes.
const REQUEST_LIMIT: usize = 1_024 * 1_024;

/// The answer to a request, whose body is in memory.
pub(super) type HttpAnswer = Response<Bytes>;

/// The paths that one address serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paths {
    /// `/livez`, `/healthz` and `/readyz`.
    pub(super) health: bool,
    /// `/metrics`, `/status`, the page and the user's routes.
    pub(super) metrics: bool,
    /// True for an address of the loopback interface, which only this machine reaches.
    pub(super) local: bool,
}

/// Everything that is served. Each answer is made on request.
pub(super) struct Site {
    state: Arc<ManagerState>,
    health: Health,
    figures: Figures,
    routes: Vec<Route>,
    /// Renderings of the metrics. `None` if there are none.
    renderings: SharedRun<Option<String>>,
}

impl Site {
    pub(super) fn new(
        state: Arc<ManagerState>,
        health: Health,
        figures: Figures,
        routes: Vec<Route>,
    ) -> Self {
        Self { state, health, figures, routes, renderings: SharedRun::new("metrics") }
    }

    /// Answers a request.
    pub(super) async fn answer<B>(&self, paths: Paths, request: Request<B>) -> HttpAnswer
    where
        B: Body<Error: Into<BoxError>>,
    {
        if paths.local && !names_this_machine(&request) {
            let why = "this address answers only requests for an IP address or localhost\n";
            return text(StatusCode::MISDIRECTED_REQUEST, why.into());
        }
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        let mut routes = self.routes.iter().filter(|_| paths.metrics);
        if let Some(route) = routes.find(|route| route.path() == request.uri().path()) {
            if !reads && is_of_another_site(&request) {
                let why = "web pages of other sites may only read here\n";
                return text(StatusCode::FORBIDDEN, why.into());
            }
            let (head, body) = request.into_parts();
            return match Limited::new(body, REQUEST_LIMIT).collect().await {
                Ok(body) => route.answer(Request::from_parts(head, body.to_bytes())).await,
                Err(error) => text(StatusCode::PAYLOAD_TOO_LARGE, format!("{error}\n")),
            };
        }
        if !reads {
            let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "only GET\n".into());
            refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        let path = request.uri().path();
        let (endpoint, check) = match path[1.min(path.len())..].split_once('/') {
            Some((endpoint, check)) => (endpoint, check),
            None => (path.trim_start_matches('/'), ""),
        };
        // Names of checks, controllers and clusters may have any characters.
        let check = &*percent_decode_str(check).decode_utf8_lossy();
        match (endpoint, check) {
            ("livez" | "healthz", _) if paths.health => {
                self.probe(Probe::Live, endpoint, check, request.uri().query()).await
            }
            ("readyz", _) if paths.health => {
                self.probe(Probe::Ready, endpoint, check, request.uri().query()).await
            }
            ("status", "") if paths.metrics => match serde_json::to_string(&self.state.read()) {
                Ok(status) => typed(StatusCode::OK, "application/json", status),
                Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
            },
            ("metrics", "") if paths.metrics => self.metrics().await,
            ("", "") if paths.metrics => {
                let mut page = typed(StatusCode::OK, "text/html; charset=utf-8", PAGE.to_owned());
                let policy = HeaderValue::from_static(PAGE_POLICY);
                page.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
                page
            }
            _ => not_found(),
        }
    }

    async fn metrics(&self) -> HttpAnswer {
        let figures = self.figures.clone();
        if !figures.recorder && figures.own.is_none() {
            return not_found();
        }
        let rendered = self.renderings.run(move |_| {
            let ours = if figures.recorder { recorder::render()? } else { String::new() };
            Some(ours + &figures.own.map(|render| render()).unwrap_or_default())
        });
        match rendered.await {
            Ok(Some(Some(figures))) => typed(StatusCode::OK, PROMETHEUS_TEXT, figures),
            _ => text(StatusCode::INTERNAL_SERVER_ERROR, "no metrics\n".into()),
        }
    }

    /// Answers a health check as Kubernetes' own servers do.
    async fn probe(
        &self,
        probe: Probe,
        endpoint: &str,
        only: &str,
        query: Option<&str>,
    ) -> HttpAnswer {
        let parameters: Vec<_> =
            form_urlencoded::parse(query.unwrap_or_default().as_bytes()).collect();
        let verbose = parameters.iter().any(|(name, _)| name == "verbose");
        let excluded = |check: &str| {
            parameters.iter().any(|(name, value)| name == "exclude" && value == check)
        };
        let wanted = |check: &str| !excluded(check) && (only.is_empty() || only == check);
        let results = self.health.check(probe, wanted).await;
        if only.is_empty() {
            return summary(endpoint, &results, verbose, excluded);
        }
        match results.into_iter().find(|check| check.name == only) {
            None => not_found(),
            Some(CheckResult { failure: None, waits, .. }) => {
                text(StatusCode::OK, passed(waits.as_deref()))
            }
            Some(CheckResult { failure: Some(why), .. }) => {
                let why = one_line(&why);
                text(StatusCode::INTERNAL_SERVER_ERROR, format!("internal server error: {why}\n"))
            }
        }
    }
}

/// Describes a check that did not fail.
fn passed(waits: Option<&str>) -> String {
    waits.map_or_else(|| "ok".to_owned(), |waits| format!("ok: {}", one_line(waits)))
}

/// Returns a text on one line, without control characters. Names and errors come from others, and
/// may not look like further checks.
fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line.into()
}

fn summary(
    endpoint: &str,
    results: &[CheckResult],
    verbose: bool,
    excluded: impl Fn(&str) -> bool,
) -> HttpAnswer {
    let mut lines = String::new();
    let mut failed = false;
    for CheckResult { name, failure, waits } in results {
        let (sign, outcome) = match failure {
            _ if excluded(name) => ("+", "excluded: ok".to_owned()),
            None => ("+", passed(waits.as_deref())),
            Some(why) => ("-", format!("failed: {}", one_line(why))),
        };
        failed |= sign == "-";
        lines.extend(["[", sign, "]", &*one_line(name), " ", &outcome, "\n"]);
    }
    match (failed, verbose) {
        (true, _) => {
            text(StatusCode::INTERNAL_SERVER_ERROR, format!("{lines}{endpoint} check failed\n"))
        }
        (false, true) => text(StatusCode::OK, format!("{lines}{endpoint} check passed\n")),
        (false, false) => text(StatusCode::OK, "ok".into()),
    }
}

/// Returns whether a request names an IP address or `localhost`. A web page of another site can let
/// its own name point here (DNS rebinding), and would then read the answers.
fn names_this_machine<B>(request: &Request<B>) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let named = match (request.uri().authority(), hosts.next(), hosts.next()) {
        (Some(authority), _, _) => Some(authority.clone()),
        (None, Some(host), None) => Authority::try_from(host.as_bytes()).ok(),
        _ => None,
    };
    let Some(named) = named else { return false };
    let host = named.host();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    address.unwrap_or(host).parse::<IpAddr>().is_ok() || host.eq_ignore_ascii_case("localhost")
}

/// Returns whether a browser sends a request for a page that another address served.
fn is_of_another_site<B>(request: &Request<B>) -> bool {
    let (origin, host) =
        (request.headers().get(header::ORIGIN), request.headers().get(header::HOST));
    origin.is_some_and(|origin| {
        let site = origin.as_bytes().strip_prefix(b"http://");
        site.is_none() || site != host.map(HeaderValue::as_bytes)
    })
}

fn not_found() -> HttpAnswer {
    text(StatusCode::NOT_FOUND, "404 page not found\n".into())
}

pub(super) fn text(status: StatusCode, body: String) -> HttpAnswer {
    typed(status, TEXT, body)
}

fn typed(status: StatusCode, media_type: &'static str, body: String) -> HttpAnswer {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

//! The pages of the dashboard, and the small HTTP server that they need.
//!
//! Every answer is made from the factory's status or from the recorder at the moment it is asked
//! for; nothing is kept between requests.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::uri::Authority;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use kube_informer::SharedInformerFactory;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::health;
use super::prometheus::Prometheus;

const PAGE: &str = include_str!("page.html");

/// The page needs nothing but itself and the status.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/// The limits of open connections, and of the time that one may be idle.
const CONNECTIONS: usize = 64;
const IDLE: Duration = Duration::from_secs(30);

/// The sources of every page. Clones are cheap.
#[derive(Clone)]
pub(crate) struct Dashboard {
    pub(crate) factory: SharedInformerFactory,
    pub(crate) prometheus: Prometheus,
    /// Names by which it may be asked, beside IP addresses and `localhost`.
    pub(crate) hosts: Arc<[String]>,
}

impl Dashboard {
    /// Returns whether a request is for this server. A web page of another site can let its own
    /// name point here (DNS rebinding) and would then read the answers; no address is anybody's
    /// name.
    fn is_for_us<B>(&self, request: &Request<B>) -> bool {
        let mut named = request.headers().get_all(header::HOST).iter();
        let named = match (request.uri().authority(), named.next(), named.next()) {
            (Some(authority), _, _) => Some(authority.clone()),
            (None, Some(host), None) => Authority::try_from(host.as_bytes()).ok(),
            _ => None,
        };
        let Some(named) = named else { return false };
        let host = named.host();
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        address.unwrap_or(host).parse::<IpAddr>().is_ok()
            || host.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// The answer to a request.
    pub(crate) fn answer<B>(&self, request: &Request<B>) -> Response<String> {
        if !self.is_for_us(request) {
            let why = "this is not the host that was asked for; --host NAME adds a name\n";
            let mut refused = typed("text/plain; charset=utf-8", why.to_owned());
            *refused.status_mut() = StatusCode::MISDIRECTED_REQUEST;
            return refused;
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            let mut refused = typed("text/plain; charset=utf-8", "only GET\n".to_owned());
            *refused.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        let path = request.uri().path();
        let query = request.uri().query().unwrap_or("");
        if let Some(rest) = path.strip_prefix("/healthz") {
            return plain(health::answer(
                "healthz",
                &health::live(&self.factory.status()),
                rest,
                query,
            ));
        }
        if let Some(rest) = path.strip_prefix("/readyz") {
            return plain(health::answer(
                "readyz",
                &health::ready(&self.factory.status()),
                rest,
                query,
            ));
        }
        match path {
            "/" => {
                let mut page = typed("text/html; charset=utf-8", PAGE.to_owned());
                let policy = HeaderValue::from_static(POLICY);
                page.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
                page
            }
            "/status.json" => match serde_json::to_string(&self.factory.status()) {
                Ok(status) => typed("application/json", status),
                Err(error) => failed(&error.to_string()),
            },
            "/metrics" => {
                typed("text/plain; version=0.0.4; charset=utf-8", self.prometheus.render())
            }
            _ => {
                let mut missing = plain(Response::new("404 page not found\n".to_owned()));
                *missing.status_mut() = StatusCode::NOT_FOUND;
                missing
            }
        }
    }
}

fn failed(why: &str) -> Response<String> {
    let mut failed = plain(Response::new(format!("{why}\n")));
    *failed.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    failed
}

fn plain(mut response: Response<String>) -> Response<String> {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn typed(media_type: &'static str, body: String) -> Response<String> {
    let mut response = plain(Response::new(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Serves until the future is dropped, which ends every connection.
pub(crate) async fn serve(listener: TcpListener, dashboard: Dashboard) {
    let mut connections = JoinSet::new();
    loop {
        // Connections that have ended are removed, so that the set holds only open ones.
        while connections.try_join_next().is_some() {}
        if connections.len() >= CONNECTIONS {
            connections.join_next().await;
        }
        let socket = match listener.accept().await {
            Ok((socket, _)) => socket,
            Err(error) => {
                eprintln!("accepting a connection: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let dashboard = dashboard.clone();
        connections.spawn(async move {
            let service = service_fn(|request| {
                let response = dashboard.answer(&request);
                async move { Ok::<_, Infallible>(response) }
            });
            // A browser that goes away in the middle is no error of ours.
            let mut http = http1::Builder::new();
            let http = http.timer(TokioTimer::new()).header_read_timeout(IDLE);
            let _ = http.serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

//! Routes of the user, which may panic, block their thread or never end.
//!
//! Paths are compared whole. A router such as `matchit`, one more crate and 0.7 s to compile on one
//! core, would save no line.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderValue, Request, Response, StatusCode, header};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::answers::{HttpAnswer, text};
use super::shared_run::SharedRun;
use crate::manager::error::ManagerError;
use kube_informer::seams::{catch, catch_async};

/// The first segments of the paths that every manager serves.
const BUILT_IN: [&str; 5] = ["livez", "healthz", "readyz", "status", "metrics"];

/// The longest time of an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The limit of an answer's body, in bytes.
const BODY_LIMIT: usize = 16 * 1_024 * 1_024;

type Call = Arc<dyn Fn(Request<Bytes>) -> BoxFuture<'static, HttpAnswer> + Send + Sync>;

/// A path of the user.
pub(super) struct Route {
    path: Arc<str>,
    call: Call,
    /// Held during a call.
    turn: Arc<Mutex<()>>,
}

impl Route {
    pub(super) fn new<F, Fut, B>(path: Arc<str>, answer: F) -> Self
    where
        F: Fn(Request<Bytes>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Response<B>> + Send + 'static,
        B: Into<Vec<u8>>,
    {
        let call: Call = Arc::new(move |request| {
            let answering = answer(request);
            // The user's extensions are dropped here, where a panic is caught.
            async move {
                let (given, body) = answering.await.into_parts();
                let mut answer = Response::new(Bytes::from(body.into()));
                *answer.status_mut() = given.status;
                *answer.headers_mut() = given.headers;
                answer
            }
            .boxed()
        });
        Self { path, call, turn: Arc::default() }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Answers after the requests that came before. The user's text of a failure is only logged.
    pub(super) async fn answer(&self, request: Request<Bytes>) -> HttpAnswer {
        let (call, turn) = (self.call.clone(), self.turn.clone());
        let answered = async {
            let turn = turn.lock_owned().await;
            let run = SharedRun::new("route");
            let work = move |runtime: &Handle| {
                let _turn = turn;
                let answering =
                    || runtime.block_on(catch_async(async move { call(request).await }));
                match catch(answering).and_then(|result| result) {
                    Ok(answer) => checked(answer).map_err(Arc::<str>::from),
                    Err(message) => Err(format!("it panicked: {message}").into()),
                }
            };
            run.run(work).await
        };
        let error = match timeout(ANSWER_TIMEOUT, answered).await {
            Ok(Ok(Some(Ok(answer)))) => return answer,
            Ok(Ok(Some(Err(error)))) => error,
            Ok(Ok(None)) => "it ended without an answer".into(),
            Ok(Err(error)) => format!("it cannot be run: {error}").into(),
            Err(_) => {
                tracing::warn!(path = &*self.path, "a route has not answered in time");
                let why = format!("no answer after {ANSWER_TIMEOUT:?}\n");
                return text(StatusCode::SERVICE_UNAVAILABLE, why);
            }
        };
        tracing::warn!(path = &*self.path, error = &*error, "a route failed");
        let why = "this route failed: see the log\n";
        text(StatusCode::INTERNAL_SERVER_ERROR, why.into())
    }
}

/// Completes an answer, unless it cannot be sent.
fn checked(mut answer: HttpAnswer) -> Result<HttpAnswer, String> {
    let (status, size) = (answer.status(), answer.body().len());
    if status.is_informational() {
        return Err(format!("its status is {status}, which is no answer"));
    }
    if size > BODY_LIMIT {
        return Err(format!("its body has {size} bytes, the limit is {BODY_LIMIT}"));
    }
    let headers = answer.headers_mut();
    // The server sets them, as the connection needs it.
    for framing in [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION] {
        headers.remove(framing);
    }
    for (name, value) in
        [(header::X_CONTENT_TYPE_OPTIONS, "nosniff"), (header::CACHE_CONTROL, "no-store")]
    {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    Ok(answer)
}

/// Returns an error for the first route that could not be reached.
pub(super) fn check_routes(routes: &[Route]) -> Result<(), ManagerError> {
    let mut seen = HashSet::new();
    for Route { path, .. } in routes {
        let problem = problem(path)
            .or_else(|| (!seen.insert(&**path)).then_some("it was added twice: leave one out"));
        if let Some(problem) = problem {
            return Err(ManagerError::Route { path: path.clone(), problem });
        }
    }
    Ok(())
}

fn problem(path: &str) -> Option<&'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_segment =
        |segment: &str| !matches!(segment, "" | "." | "..") && segment.bytes().all(is_plain);
    let mut segments = path.strip_prefix('/').unwrap_or_default().split('/');
    if !segments.clone().all(is_segment) {
        return Some("write it as /a/b: segments of letters, digits, -, ., _ and ~");
    }
    let first = segments.next().unwrap_or_default();
    BUILT_IN.contains(&first).then_some("the manager serves this path itself: choose another one")
}

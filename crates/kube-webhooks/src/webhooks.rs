//! All webhooks of a program, by their paths.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Collected, Full};
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tracing::Instrument;
use tracing::field::Empty;

use crate::admission::Verdict;
use crate::call::{Failure, Turns, call, respond};
use crate::certificates::Slot;
use crate::status::Tally;
use crate::{
    Admission, BoxError, BuildError, Conversion, Hook, HookStatus, Refusal, Role, WebhooksStatus,
};

/// The webhooks of a program. Clones are handles of the same webhooks.
#[derive(Clone)]
pub struct Webhooks {
    pub(crate) endpoints: Arc<BTreeMap<String, Endpoint>>,
    pub(crate) certificate: Arc<Slot>,
}

/// A webhook, and the calls of it.
pub(crate) struct Endpoint {
    pub(crate) hook: Hook,
    turns: Turns,
    tally: Tally,
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").field("status", &self.status()).finish_non_exhaustive()
    }
}

/// Builds [`Webhooks`].
#[derive(Debug, Default)]
#[must_use]
pub struct WebhooksBuilder {
    hooks: Vec<Hook>,
}

impl WebhooksBuilder {
    /// Adds a webhook that allows or refuses requests: [`Hook::validate`].
    pub fn validate<K, Fut>(
        self,
        path: impl Into<String>,
        closure: impl Fn(Admission<K>) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource<DynamicType: Default> + DeserializeOwned + Send + 'static,
        Fut: Future<Output = Result<(), Refusal>> + Send + 'static,
    {
        self.hook(Hook::validate(path, closure))
    }

    /// Adds a webhook that changes objects before they are stored: [`Hook::mutate`].
    pub fn mutate<K, Fut>(
        self,
        path: impl Into<String>,
        closure: impl Fn(Admission<K>) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource<DynamicType: Default> + DeserializeOwned + Serialize + Send + 'static,
        Fut: Future<Output = Result<K, Refusal>> + Send + 'static,
    {
        self.hook(Hook::mutate(path, closure))
    }

    /// Adds a webhook that converts objects between versions: [`Hook::convert`].
    pub fn convert<H: 'static>(self, path: impl Into<String>, conversion: Conversion<H>) -> Self {
        self.hook(Hook::convert(path, conversion))
    }

    /// Adds a webhook with options.
    pub fn hook(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }

    /// Builds the webhooks.
    ///
    /// # Errors
    /// Names the webhook that cannot work, and why.
    pub fn build(self) -> Result<Webhooks, BuildError> {
        let (mut endpoints, mut names) = (BTreeMap::new(), BTreeMap::new());
        for hook in self.hooks {
            hook.check()?;
            let path = hook.path.clone();
            let converts = hook.role == Role::Convert;
            let name = if converts { hook.registration.resource.clone() } else { hook.word() };
            match names.insert((hook.role, name), path.clone()) {
                // Two webhooks with one path have one name, too.
                Some(other) if other != path && converts => {
                    let problem = format!("{other} converts objects of its definition, too");
                    return Err(BuildError::Conversion { path, problem });
                }
                Some(other) if other != path => {
                    return Err(BuildError::SameName(format!("{other} and {path}")));
                }
                _ => {}
            }
            let endpoint =
                Endpoint { turns: Turns::new(hook.limits), tally: Tally::default(), hook };
            if endpoints.insert(path.clone(), endpoint).is_some() {
                return Err(BuildError::SamePath(path));
            }
        }
        Ok(Webhooks { endpoints: Arc::new(endpoints), certificate: Arc::default() })
    }
}

impl Webhooks {
    /// Starts to build webhooks.
    pub fn builder() -> WebhooksBuilder {
        WebhooksBuilder::default()
    }

    /// Answers one request of an API server. Needs a tokio runtime, but no port and no TLS: tests
    /// and servers of your own call it.
    ///
    /// Always answers, within the time that the request names as `?timeout=10s`. A panic of the
    /// closure, the end of its time, and a body that is no review are answers with a code of 400 or
    /// more, which API servers take as failures. The closure is dropped then, and when this future
    /// is dropped.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: http_body::Body<Data = Bytes, Error: Into<BoxError>>,
    {
        let Some(endpoint) = self.endpoints.get(request.uri().path()) else {
            let message = format!("there is no webhook at {}", request.uri().path());
            return Failure::new(StatusCode::NOT_FOUND, message).into_response();
        };
        if request.method() != Method::POST {
            let message = format!("{} is no method of webhooks", request.method());
            return Failure::new(StatusCode::METHOD_NOT_ALLOWED, message).into_response();
        }
        let path = &*endpoint.hook.path;
        let span = tracing::debug_span!(
            "webhook",
            path,
            uid = Empty,
            operation = Empty,
            kind = Empty,
            namespace = Empty,
            name = Empty,
        );
        #[cfg(feature = "metrics")]
        let in_flight = crate::metrics::InFlight::enter(path);
        let answered = endpoint.answer(request).instrument(span.clone()).await;
        let panicked = answered.as_ref().is_err_and(|failure| failure.panicked);
        let response = span.in_scope(|| endpoint.close(answered));
        #[cfg(feature = "metrics")]
        in_flight.answered(response.status(), panicked);
        #[cfg(not(feature = "metrics"))]
        let _ = panicked;
        response
    }

    /// Returns the webhooks as a service for the embedded API server, which then calls them in
    /// process, without a port and TLS: `server.webhook("shop/hooks", webhooks.service())`.
    ///
    /// ```
    /// use http::Request;
    /// use kube_webhooks::Webhooks;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let service = Webhooks::builder().build()?.service();
    /// let answer = service(Request::post("/validate").body(Default::default())?).await;
    /// assert_eq!(answer.status(), 404);
    /// # Ok::<(), kube_webhooks::BoxError>(()) }).unwrap();
    /// ```
    pub fn service(
        &self,
    ) -> impl Fn(Request<Bytes>) -> BoxFuture<'static, Response<Bytes>> + Send + Sync + use<> {
        let webhooks = self.clone();
        move |request| {
            let webhooks = webhooks.clone();
            async move {
                let answer = webhooks.answer(request.map(Full::new)).await;
                let (head, body) = answer.into_parts();
                // A whole body has no error.
                let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
                Response::from_parts(head, body)
            }
            .boxed()
        }
    }

    /// Checks that the server has a certificate that has not expired. Without it, no API server
    /// reaches the webhooks. This is the readiness check of a pod with webhooks. It does not wait
    /// for what webhooks read, because that may wait for a conversion by this pod.
    ///
    /// # Errors
    /// Returns the reason.
    pub fn check_reachable(&self) -> Result<(), String> {
        self.certificate.check(SystemTime::now())
    }

    /// Returns the names of the definitions whose objects these webhooks convert, such as
    /// `widgets.example.com`.
    pub fn converted(&self) -> impl Iterator<Item = &str> {
        let hooks = self.endpoints.values().map(|endpoint| &endpoint.hook);
        let converting = hooks.filter(|hook| hook.role == Role::Convert);
        converting.map(|hook| &*hook.registration.resource)
    }

    /// Returns the reasons why webhooks do not judge now. It is empty when all of them do.
    pub fn not_ready(&self) -> Vec<String> {
        let waiting = self.endpoints.iter().filter_map(|(path, endpoint)| {
            endpoint.hook.check_ready().err().map(|reason| format!("{path}: {reason}"))
        });
        waiting.collect()
    }

    /// Returns the state of all webhooks.
    pub fn status(&self) -> WebhooksStatus {
        WebhooksStatus {
            hooks: self.endpoints.values().map(Endpoint::status).collect(),
            certificate: self.certificate.status(),
        }
    }
}

impl Endpoint {
    async fn answer<B>(&self, request: Request<B>) -> Result<Verdict, Failure>
    where
        B: http_body::Body<Data = Bytes, Error: Into<BoxError>>,
    {
        let ready = self.hook.check_ready();
        ready.map_err(|reason| Failure::new(StatusCode::SERVICE_UNAVAILABLE, reason))?;
        call(&self.turns, &self.hook.handler, request).await
    }

    /// Counts an answer and tells of it.
    fn close(&self, answered: Result<Verdict, Failure>) -> Response<Full<Bytes>> {
        match answered {
            Ok(Verdict { body, allowed }) => {
                self.tally.judged(allowed);
                tracing::debug!(allowed, "judged");
                respond(StatusCode::OK, body)
            }
            Err(failure) => {
                self.tally.failed(&failure.message);
                tracing::warn!(code = failure.code.as_u16(), error = failure.message, "failed");
                failure.into_response()
            }
        }
    }

    fn status(&self) -> HookStatus {
        HookStatus {
            path: self.hook.path.clone(),
            role: self.hook.role,
            running: self.turns.running(),
            waiting: self.turns.waiting(),
            allowed: self.tally.allowed.load(Ordering::Relaxed),
            denied: self.tally.denied.load(Ordering::Relaxed),
            failed: self.tally.failed.load(Ordering::Relaxed),
            last_failure: self.tally.last_failure.lock().clone(),
            not_ready: self.hook.check_ready().err(),
        }
    }
}

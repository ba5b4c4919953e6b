//! The HTTP endpoints of a manager: health checks, metrics and the status.
//!
//! | path | default address | answer |
//! |---|---|---|
//! | `/livez`, `/healthz` | all interfaces, port 8081 | 200; 500: a restart is needed |
//! | `/readyz` | all interfaces, port 8081 | 200; 500: the pod gets no requests |
//! | `/metrics` | localhost, port 8080 | metrics in Prometheus's text format |
//! | `/status` | localhost, port 8080 | [`ManagerStatus`](crate::manager::ManagerStatus) as JSON |
//! | `/` | localhost, port 8080 | a page that shows the status and draws it over two minutes |
//! | [`Serve::route`] | localhost, port 8080 | an answer of your own |
//!
//! A pod whose probes use them:
//!
//! ```yaml
//! livenessProbe: { httpGet: { path: /livez, port: 8081 } }
//! readinessProbe: { httpGet: { path: /readyz, port: 8081 } }
//! ```
//!
//! # Health
//!
//! `/livez` checks that each controller works, that the tasks of each informer run, and that a
//! leader's term has not outlived its lease. It succeeds while the informers sync. During a stop,
//! it fails only in three cases: your own check fails, a term outlives its lease, or code of a
//! leader or slot blocks a thread beyond the grace.
//!
//! `/readyz` checks that the manager has started and does not stop. It checks that each informer of
//! the factory, and each that a controller follows, has synced. With [`Serve::fresh_within`], their
//! stores must be fresh. A standby whose informers have synced is ready. A replica that gave way to
//! another process of its [identity](crate::leader_election::LeadershipState::same_identity) is not
//! ready while that process leads. An unsynced informer that a controller's
//! [status](crate::controller::ControllerStatus::missing) lists as missing does not count: the
//! controller works without it. A synced informer in that list counts: it lacks objects of this
//! replica's slots, or a fresh view since the takeover. A cluster that is
//! [followed](super::ManagerBuilder::clusters) never fails a probe: `?verbose` says what it waits
//! for. An informer of another factory that no controller follows needs a [check of your
//! own](Serve::ready_check).
//!
//! The paths work like those of Kubernetes' own servers: `?verbose` also lists checks that pass,
//! `?exclude=NAME` leaves a check out, and `/readyz/NAME` asks for only one check.
//!
//! # Security
//!
//! There is no password and no TLS. The health endpoints name resources, controllers and checks,
//! and quote errors of requests; they never show objects. The reason why a check [of your
//! own](Serve::ready_check) failed is only logged. Addresses on the loopback interface answer only
//! requests for an IP address or `localhost`, so that no web page can read them through its own
//! name. A request that names another host is answered with 421. Set [`Serve::metrics_address`] to
//! an address that Prometheus can reach.
//!
//! # Load
//!
//! Metrics are rendered on a thread of their own, one rendering at a time: requests that come
//! meanwhile get the same text. So a scrape of many metrics holds up neither the health checks nor
//! the renewal of a lease, even on a runtime with one thread. Each address has at most 64
//! connections.

mod answers;
mod checks;
mod clusters;
mod health;
mod prometheus;
mod recorder;
mod routes;
mod server;
mod shared_run;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use self::answers::Site;
use self::checks::Check;
use self::health::Health;
pub use self::prometheus::Prometheus;
use self::routes::{Route, check_routes};
use self::server::{Listeners, Server};
use crate::controller::BoxError;
use crate::manager::error::ManagerError;
use crate::manager::names::check_names;
pub use crate::manager::status::Addresses;
use crate::manager::status::ManagerState;

/// Options of a manager's endpoints.
///
/// ```
/// use std::time::Duration;
/// use kube_controllers::controller::BoxError;
/// use kube_controllers::Serve;
///
/// let serve = Serve::new()
///     .metrics_address(([0, 0, 0, 0], 8080))
///     .fresh_within(Duration::from_secs(300))
///     .ready_check("database", || async {
///         // ... ask it:
///         Ok::<(), BoxError>(())
///     });
/// # let _ = serve;
/// ```
#[must_use]
pub struct Serve {
    /// `None`: all interfaces, port 8081.
    health: Option<SocketAddr>,
    metrics: SocketAddr,
    fresh_within: Option<Duration>,
    check_timeout: Duration,
    live: Vec<Check>,
    ready: Vec<Check>,
    routes: Vec<Route>,
    figures: Figures,
}

/// The sources of `/metrics`.
#[derive(Clone)]
struct Figures {
    /// True for the recorder that the manager installs.
    recorder: bool,
    /// The user's text.
    own: Option<Arc<dyn Fn() -> String + Send + Sync>>,
}

impl Serve {
    /// Creates the default options.
    pub fn new() -> Self {
        Self {
            health: None,
            metrics: SocketAddr::from(([127, 0, 0, 1], 8080)),
            fresh_within: None,
            check_timeout: Duration::from_secs(5),
            live: Vec::new(),
            ready: Vec::new(),
            routes: Vec::new(),
            figures: Figures { recorder: true, own: None },
        }
    }

    /// Sets the address of `/livez`, `/healthz` and `/readyz`. Unless set, it is port 8081 of all
    /// interfaces: kubelet calls the address of the pod.
    pub fn health_address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.health = Some(address.into());
        self
    }

    /// Sets the address of `/metrics`, `/status` and the page; `127.0.0.1:8080` unless set. It may
    /// be the address of the health checks.
    pub fn metrics_address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.metrics = address.into();
        self
    }

    /// Makes `/readyz` fail when the store of an informer was not proved to be current for this
    /// long. Unless set, an informer that has synced once is ready. A limit below two seconds is
    /// raised to two seconds. See
    /// [`InformerStatus::is_fresh`](kube_informer::InformerStatus::is_fresh) for limits that make
    /// sense.
    pub fn fresh_within(mut self, limit: Duration) -> Self {
        self.fresh_within = Some(limit.max(Duration::from_secs(2)));
        self
    }

    /// Adds a check to `/livez`. A process whose check fails is restarted, so check only what a
    /// restart can resolve.
    ///
    /// Each check runs on request, on its own thread, at most once at a time. It fails if it
    /// returns an error, panics, or takes longer than [`check_timeout`](Self::check_timeout). Its
    /// error is logged and not served. The name is a part of the path `/livez/check/NAME`, which a
    /// request percent-encodes where it must.
    pub fn live_check<F, Fut, E>(mut self, name: impl Into<Arc<str>>, check: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        self.live.push(Check::new(name.into(), check));
        self
    }

    /// Adds a check to `/readyz`. It runs like a [`live_check`](Self::live_check).
    pub fn ready_check<F, Fut, E>(mut self, name: impl Into<Arc<str>>, check: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        self.ready.push(Check::new(name.into(), check));
        self
    }

    /// Adds a path of your own to the address of `/status`, such as a dump for debugging, or a
    /// switch of the log level.
    ///
    /// The function gets each request to the path, with its method, query, headers and body, under
    /// the same rules for hosts. A body of more than 1 MiB is answered with 413. A web page of
    /// another site may only read: its other requests are answered with 403.
    ///
    /// The function runs on a thread of its own, at most once at a time. Requests that come
    /// meanwhile wait. No answer within 30 s is answered with 503. A panic, a body of more than 16
    /// MiB and a status below 200 are answered with 500. The log has the reason.
    ///
    /// The path is matched exactly, without the query. A path that the manager serves itself, or
    /// that is added twice, is [refused](crate::manager::ManagerError::Route) when the manager is
    /// built.
    ///
    /// ```
    /// use http::{Method, Request, Response};
    /// use kube_controllers::Serve;
    ///
    /// let serve = Serve::new().route("/log-level", |request: Request<_>| async move {
    ///     if request.method() == Method::PUT {
    ///         println!("the new level is {:?}", request.body());
    ///     }
    ///     Response::new("info")
    /// });
    /// # let _ = serve;
    /// ```
    pub fn route<F, Fut, B>(mut self, path: impl Into<Arc<str>>, answer: F) -> Self
    where
        F: Fn(http::Request<Bytes>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = http::Response<B>> + Send + 'static,
        B: Into<Vec<u8>> + 'static,
    {
        self.routes.push(Route::new(path.into(), answer));
        self
    }

    /// Sets the time that an added check may take; 5 s unless set, and at least a millisecond.
    /// kubelet waits for 1 s unless the probe says otherwise.
    pub fn check_timeout(mut self, limit: Duration) -> Self {
        self.check_timeout = limit.max(Duration::from_millis(1));
        self
    }

    /// Serves the text that `render` returns as `/metrics`, for programs that install a recorder of
    /// their own. The manager then installs none. `render` may block: it runs outside the runtime.
    ///
    /// The recorder must be installed before informers and controllers are created: see
    /// [`metrics`](kube_informer::metrics).
    pub fn metrics_from(mut self, render: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.figures = Figures { recorder: false, own: Some(Arc::new(render)) };
        self
    }

    /// Adds the text that `render` returns to the end of `/metrics`, for programs that have a
    /// registry of their own, such as that of `prometheus` or `prometheus-client`. `render` may
    /// block: it runs outside the runtime.
    ///
    /// ```
    /// use kube_controllers::Serve;
    ///
    /// let serve = Serve::new().metrics_beside(|| "builds_total 3\n".into());
    /// # let _ = serve;
    /// ```
    pub fn metrics_beside(mut self, render: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.figures = Figures { recorder: true, own: Some(Arc::new(render)) };
        self
    }

    /// Leaves `/metrics` out, and installs no recorder.
    pub fn without_metrics(mut self) -> Self {
        self.figures = Figures { recorder: false, own: None };
        self
    }

    /// Checks the options, and installs the recorder of metrics.
    pub(crate) fn prepare(self) -> Result<Endpoints, ManagerError> {
        for checks in [&self.live, &self.ready] {
            check_names(checks.iter().map(Check::name))?;
        }
        check_routes(&self.routes)?;
        if self.figures.recorder {
            recorder::install()?;
        }
        Ok(Endpoints(self))
    }
}

impl Default for Serve {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Serve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve")
            .field("health", &self.health)
            .field("metrics", &self.metrics)
            .field("fresh_within", &self.fresh_within)
            .field("check_timeout", &self.check_timeout)
            .finish_non_exhaustive()
    }
}

/// Endpoints that can be served.
pub(crate) struct Endpoints(Serve);

impl Endpoints {
    /// Binds the addresses, and serves until the server is dropped.
    pub(crate) async fn serve(
        self,
        state: &Arc<ManagerState>,
    ) -> Result<(Server, Addresses), ManagerError> {
        let Self(serve) = self;
        let listeners = Listeners::bind(serve.health, serve.metrics).await?;
        let health = Health::new(
            state.clone(),
            serve.fresh_within,
            serve.check_timeout,
            serve.live,
            serve.ready,
        );
        let site = Arc::new(Site::new(state.clone(), health, serve.figures, serve.routes));
        Ok(Server::start(listeners, &site))
    }
}

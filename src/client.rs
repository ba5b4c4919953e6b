//! A client whose credentials are renewed while it is used.
//!
//! A [`kube::Client`] reads most of its configuration once. kube rereads projected tokens and asks
//! exec plug-ins again. It does not reread certificate authorities, client certificates or the
//! kubeconfig. [`renewing_client`] returns a client that is built again when needed.
//!
//! All that use the client keep using it. A renewal causes no relist: open watches keep their old
//! connections, and the next request uses the new client.
//!
//! ```no_run
//! use kube::Client;
//! use kube_informer::SharedInformerFactory;
//! use kube_informer::client::renewing_client;
//!
//! # async fn f() -> Result<(), kube::Error> {
//! let client = renewing_client(Client::try_default).await?;
//! let factory = SharedInformerFactory::builder(client).build();
//! # Ok(()) }
//! ```

use std::sync::{Arc, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response, StatusCode};
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use kube::client::Body;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::error::{BoxError, chain, without_credentials};
use crate::panic::catch_async;
use crate::sync::Mutex;
use crate::time::after;

/// The longest time that building a client may take. An exec plug-in may ask a slow service.
const BUILD_TIMEOUT: Duration = Duration::from_secs(60);

/// The delays after failed renewals: the first one doubles until it reaches the last one.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LAST_DELAY: Duration = Duration::from_secs(60);

/// The time before its expiry at which a client is renewed. A client that is valid for less than
/// ten minutes is renewed after nine tenths of that time.
const MARGIN: Duration = Duration::from_secs(60);

/// The shortest time between a successful renewal and the start of the next one. It limits how
/// often the client is built while the server is away or refuses everything.
const INTERVAL: Duration = Duration::from_secs(10);

type Make = Box<dyn Fn() -> BoxFuture<'static, Result<Client, kube::Error>> + Send + Sync>;

/// Builds the first client with `make`, such as [`Client::try_default`], and returns a client that
/// sends each request over the newest one. `make` reads the configuration again in each call. A
/// call that takes longer than a minute or panics counts as failed.
///
/// The client is built again:
///
/// - before its credentials [expire](Client::valid_until);
/// - when the server answers 401 (Unauthorized). The request is sent once more over the new client,
///   because the answer proves that it was not executed. A request whose body is a stream is not
///   sent again;
/// - when a request gets no answer: the connection or the TLS handshake failed, for example because
///   the server's certificate has a new authority. A GET is sent once more over the new client. A
///   write may have been executed, so its error is returned.
///
/// Any number of concurrent requests cause one renewal. It goes on if the requests that wait for it
/// are dropped. While it runs, other requests use the old client: a request waits only if its
/// credentials have expired or it failed as above. A renewal that fails is logged, and the old
/// client stays in use. The next one begins when a request needs it, after a delay of 1 s to 60 s.
///
/// The returned client's [`valid_until`](Client::valid_until) is `None`, because it does not
/// expire. It keeps the default namespace of the first client. The errors of its requests, and the
/// log, quote no credentials, such as the output of a plug-in.
///
/// [`Client::try_from`] runs a credential plug-in on the thread that calls it. If one may take
/// long, make the client on a thread for blocking code, so that no worker of the runtime waits:
///
/// ```no_run
/// use kube::{Client, Config};
/// use kube_informer::client::renewing_client;
/// use tokio::task::spawn_blocking;
///
/// # async fn f() -> Result<(), kube::Error> {
/// let make = || async {
///     let mut config = Config::infer().await.map_err(kube::Error::InferConfig)?;
///     config.default_retry = false;
///     let made = spawn_blocking(|| Client::try_from(config)).await;
///     made.map_err(|panicked| kube::Error::Service(panicked.into()))?
/// };
/// let client = renewing_client(make).await?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// The error of the first call of `make`. [`kube::Error::Service`] if it panicked or took too long,
/// or if its error may quote credentials.
///
/// # Panics
/// Panics outside a tokio runtime with time enabled.
pub async fn renewing_client<F, Fut>(make: F) -> Result<Client, kube::Error>
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Client, kube::Error>> + Send + 'static,
{
    connect(Box::new(move || make().boxed())).await
}

async fn connect(make: Make) -> Result<Client, kube::Error> {
    let client = build(&make).await.map_err(without_credentials)?;
    let namespace = client.default_namespace().to_owned();
    let source = Arc::new(Source {
        make,
        current: ArcSwap::from_pointee(Generation::new(0, client)),
        renewal: Mutex::new(Renewal { running: None, not_before: Instant::now(), failures: 0 }),
    });
    let service = tower::service_fn(move |request| source.clone().send(request));
    Ok(Client::new(service, namespace))
}

/// The clients behind one renewing client.
struct Source {
    make: Make,
    current: ArcSwap<Generation>,
    /// Never held across an await.
    renewal: Mutex<Renewal>,
}

/// A client, and the times that concern it.
struct Generation {
    number: u64,
    client: Client,
    /// The time at which a renewal should begin. Credentials expire by the wall clock.
    renew_at: Option<Timestamp>,
}

struct Renewal {
    /// Closed when the running renewal has ended; `None` if none runs.
    running: Option<watch::Receiver<()>>,
    /// The time before which no renewal begins.
    not_before: Instant,
    /// The number of renewals in a row that failed.
    failures: u32,
}

impl Generation {
    fn new(number: u64, client: Client) -> Self {
        let now = Timestamp::now();
        let renew_at = client.valid_until().map(|end| {
            let left = Duration::try_from(end.duration_since(now)).unwrap_or_default();
            let margin = MARGIN.min(left / 10);
            end.checked_sub(margin).unwrap_or(end)
        });
        Self { number, client, renew_at }
    }

    /// Returns whether the credentials have expired.
    fn is_expired(&self) -> bool {
        self.client.valid_until().is_some_and(|end| end <= Timestamp::now())
    }

    /// Returns whether a renewal should begin, although nothing has failed.
    fn is_due(&self) -> bool {
        self.renew_at.is_some_and(|at| at <= Timestamp::now())
    }
}

impl Source {
    async fn send(self: Arc<Self>, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        let used = self.usable().await;
        let (parts, body) = request.into_parts();
        let only_reads = parts.method.is_safe();
        let again = body.try_clone().map(|body| Request::from_parts(parts.clone(), body));
        let answer = used.client.send(Request::from_parts(parts, body)).await;
        let cause = match &answer {
            Ok(refused) if refused.status() == StatusCode::UNAUTHORIZED => {
                "the server answered 401"
            }
            Ok(_) => return told(answer),
            Err(_) => "a request got no answer",
        };
        let renewal = self.renew(&used, cause);
        // After a 401 nothing was executed. A write without an answer may have been, so do not
        // repeat it.
        if answer.is_err() && !only_reads {
            return told(answer);
        }
        wait(renewal).await;
        let now = self.current.load_full();
        match again {
            Some(request) if now.number > used.number => {
                drop(answer);
                told(now.client.send(request).await)
            }
            _ => told(answer),
        }
    }

    /// Returns the current client. Waits for a renewal only if the credentials have expired.
    async fn usable(self: &Arc<Self>) -> Arc<Generation> {
        let current = self.current.load_full();
        if !current.is_due() {
            return current;
        }
        let renewal = self.renew(&current, "its time is over");
        if !current.is_expired() {
            return current;
        }
        wait(renewal).await;
        self.current.load_full()
    }

    /// Begins a renewal, or joins the one that runs. Returns `None` if there is nothing to wait
    /// for: the client was renewed meanwhile, or it is too early.
    fn renew(
        self: &Arc<Self>,
        used: &Generation,
        cause: &'static str,
    ) -> Option<watch::Receiver<()>> {
        let mut renewal = self.renewal.lock();
        if self.current.load().number > used.number {
            return None;
        }
        if renewal.running.is_some() {
            return renewal.running.clone();
        }
        if Instant::now() < renewal.not_before {
            return None;
        }
        let (ended, running) = watch::channel(());
        renewal.running = Some(running.clone());
        drop(renewal);
        tracing::debug!(cause, "renewing the client");
        // Its own task, because the request that began it may be dropped.
        let run = Run { source: Arc::downgrade(self), failed: true, _ended: ended };
        tokio::spawn(run.run().boxed());
        Some(running)
    }
}

/// A running renewal. Its end is noted even if its task is dropped.
struct Run {
    source: Weak<Source>,
    failed: bool,
    /// A sender whose drop wakes the waiting requests.
    _ended: watch::Sender<()>,
}

impl Run {
    async fn run(mut self) {
        let Some(source) = self.source.upgrade() else { return };
        match build(&source.make).await {
            Ok(client) => {
                let number = source.current.load().number + 1;
                source.current.store(Arc::new(Generation::new(number, client)));
                self.failed = false;
                tracing::debug!(number, "renewed the client");
            }
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(error, "cannot renew the client: the old one stays in use");
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let Some(source) = self.source.upgrade() else { return };
        let mut renewal = source.renewal.lock();
        renewal.running = None;
        let delay = if self.failed {
            let delay = FIRST_DELAY.saturating_mul(1 << renewal.failures.min(6)).min(LAST_DELAY);
            renewal.failures += 1;
            delay
        } else {
            renewal.failures = 0;
            INTERVAL
        };
        renewal.not_before = after(Instant::now(), delay);
    }
}

/// Returns an answer, or an error that quotes no credentials.
fn told(answer: kube::Result<Response<Body>>) -> Result<Response<Body>, BoxError> {
    answer.map_err(|error| without_credentials(error).into())
}

/// Waits until a renewal has ended.
async fn wait(renewal: Option<watch::Receiver<()>>) {
    if let Some(mut running) = renewal {
        // Nothing is ever sent: the channel closes.
        let _closed = running.changed().await;
    }
}

/// Calls the user's function. A panic or a timeout is an error.
async fn build(make: &Make) -> Result<Client, kube::Error> {
    let failed = |message: String| kube::Error::Service(message.into());
    let call = catch_async(async { make().await });
    match timeout(BUILD_TIMEOUT, call).await {
        Ok(Ok(client)) => client,
        Ok(Err(message)) => Err(failed(format!("building a client panicked: {message}"))),
        Err(_) => Err(failed(format!("building a client took longer than {BUILD_TIMEOUT:?}"))),
    }
}

//! Answers in parts, with pauses, that need not end.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use kube::client::Body;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

/// An answer: its status, its headers, its parts with the pauses before them, and whether it ends.
#[derive(Clone)]
pub(crate) struct Answer {
    code: u16,
    headers: Vec<(&'static str, &'static str)>,
    pub(crate) parts: Vec<(Duration, Bytes)>,
    ends: bool,
}

pub(crate) fn answer(code: u16, body: impl Into<Bytes>) -> Answer {
    let parts = vec![(Duration::ZERO, body.into())];
    Answer { code, headers: vec![], parts, ends: true }
}

impl Answer {
    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(crate) fn then(mut self, pause: u64, part: impl Into<Bytes>) -> Self {
        self.parts.push((seconds(pause), part.into()));
        self
    }

    pub(crate) fn hangs(mut self) -> Self {
        self.ends = false;
        self
    }
}

pub(crate) type Requests = Arc<Mutex<Vec<(Instant, String)>>>;

/// Returns a client of a server that answers each query with a function, and the queries so far.
pub(crate) fn client(
    respond: impl Fn(&str, usize) -> Answer + Send + Sync + 'static,
) -> (kube::Client, Requests) {
    kube_informer::testing::seed_by_test();
    let requests = Requests::default();
    let log = requests.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let nth = log.lock().len();
        log.lock().push((Instant::now(), query.clone()));
        let Answer { code, headers, parts, ends } = respond(&query, nth);
        let parts = stream::iter(parts).then(|(pause, part)| async move {
            sleep(pause).await;
            Ok::<_, Infallible>(Frame::data(part))
        });
        let body: BoxStream<'static, _> =
            if ends { parts.boxed() } else { parts.chain(stream::pending()).boxed() };
        let mut response = Response::builder().status(code);
        for (name, value) in headers {
            response = response.header(name, value);
        }
        let response = response.body(StreamBody::new(body)).unwrap();
        async { Ok::<_, Infallible>(response) }
    });
    (kube::Client::new(service, "default"), requests)
}

pub(crate) fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

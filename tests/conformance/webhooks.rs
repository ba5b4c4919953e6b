//! The recorded webhooks: each request of the server is answered as in the recording.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

use super::scenario::expanded;

/// The address at which the recorded webhooks listened.
const ADDRESS: &str = "https://127.0.0.1:18450";

/// A recorded request to a webhook, and its answer.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Call {
    path: String,
    #[serde(default)]
    request: Value,
    status: Option<u16>,
    #[serde(default)]
    response: Value,
    #[serde(default)]
    response_headers: BTreeMap<String, Option<String>>,
    #[serde(default)]
    delay: f64,
    #[serde(default)]
    drop: bool,
}

/// The webhooks of a replay.
#[derive(Clone, Debug, Default)]
pub(crate) struct Webhooks(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    recorded: Vec<(Call, bool)>,
    asked: Vec<(String, Value)>,
}

impl Webhooks {
    /// Registers the webhooks at a server.
    pub(crate) fn register(&self, server: &ApiServer) {
        let webhooks = self.clone();
        server.webhook(ADDRESS, move |request| {
            let call = webhooks.find(&request);
            async move { answer(&request, call).await }
        });
    }

    /// Begins a step with these recorded calls.
    pub(crate) fn begin(&self, calls: &[Call]) {
        let recorded = calls.iter().map(|call| (call.clone(), false)).collect();
        *self.0.lock() = State { recorded, asked: Vec::new() };
    }

    /// Notes a request. Returns the recorded call that it corresponds to.
    fn find(&self, request: &Request<Bytes>) -> Option<Call> {
        let path = request.uri().path_and_query().map_or("", |path| path.as_str()).to_owned();
        let review: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        let mut state = self.0.lock();
        state.asked.push((path.clone(), review.clone()));
        let key = key(&path, &review);
        let is_first = |used: bool| {
            let key = key.clone();
            move |(call, was): &&mut (Call, bool)| {
                *was == used && self::key(&call.path, &call.request) == key
            }
        };
        // The same question may be asked once here and several times by a real server, or later.
        let is_same = |(call, _): &&mut (Call, bool)| {
            let parts = ["/request/objects/0/spec", "/request/objects/0/status"];
            call.request["kind"] == "ConversionReview"
                && self::key(&call.path, &call.request) == key
                && parts.iter().all(|part| call.request.pointer(part) == review.pointer(part))
        };
        if let Some((call, used)) = state.recorded.iter_mut().find(is_same) {
            *used = true;
            return Some(call.clone());
        }
        let found = state.recorded.iter_mut().find(is_first(false));
        let call = match found {
            Some((call, used)) => {
                *used = true;
                call.clone()
            }
            None => state.recorded.iter_mut().find(is_first(true))?.0.clone(),
        };
        Some(call)
    }

    /// Returns the recorded requests about writes, and those of this server, in the same order.
    pub(crate) fn end(&self) -> (Vec<Value>, Vec<Value>) {
        let state = std::mem::take(&mut *self.0.lock());
        let recorded = state.recorded.into_iter().map(|(call, _)| (call.path, call.request));
        (admissions(recorded.collect()), admissions(state.asked))
    }
}

/// Returns the part of a request by which it is known again.
fn key(path: &str, review: &Value) -> String {
    let request = &review["request"];
    let object = &request["objects"][0];
    // Objects without a name get one only later.
    let name = if object.is_null() { &request["oldObject"]["metadata"]["name"] } else { object };
    let name = if object.is_null() { name } else { &object["metadata"]["name"] };
    format!("{path} {} {} {name}", request["desiredAPIVersion"], request["operation"])
}

fn admissions(calls: Vec<(String, Value)>) -> Vec<Value> {
    let mut all: Vec<(String, Value)> =
        calls.into_iter().filter(|(_, review)| review["kind"] == "AdmissionReview").collect();
    all.sort_by_cached_key(|(path, review)| key(path, review));
    let request = |(_, mut review): (String, Value)| {
        let mut request = review["request"].take();
        // The users of a scenario have other uids and groups.
        request.as_object_mut().map(|members| members.remove("userInfo"));
        request
    };
    all.into_iter().map(request).collect()
}

async fn answer(request: &Request<Bytes>, call: Option<Call>) -> Response<Bytes> {
    let Some(call) = call else {
        let mut response = Response::new(Bytes::from_static(b"no such call was recorded"));
        *response.status_mut() = http::StatusCode::NOT_FOUND;
        return response;
    };
    tokio::time::sleep(Duration::from_secs_f64(call.delay)).await;
    if call.drop {
        // The connection closes without an answer.
        std::panic::resume_unwind(Box::new(()));
    }
    let mut body = match expanded(call.response.clone()) {
        Value::Null => String::new(),
        Value::String(text) => text,
        value => value.to_string(),
    };
    let review: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    for place in ["/request/uid", "/request/objects/0/metadata/uid"] {
        let text = |of: &Value| of.pointer(place).and_then(Value::as_str).map(str::to_owned);
        if let (Some(recorded), Some(ours)) = (text(&call.request), text(&review)) {
            body = body.replace(&recorded, &ours);
        }
    }
    let mut response = Response::builder().status(call.status.unwrap_or(200));
    if !call.response_headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
        response = response.header("content-type", "application/json");
    }
    for (name, value) in &call.response_headers {
        if let Some(value) = value {
            response = response.header(name, value);
        }
    }
    response.body(body.into()).expect("a recorded answer is a response")
}

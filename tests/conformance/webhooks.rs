//! The recorded webhooks: each request of the server is answered as in the recording.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Request, Response};
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

use super::scenario::{Scenario, Step, expanded};

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
    /// The recorded calls of each step.
    steps: Vec<Vec<Call>>,
    /// The number of the step, from 0.
    step: usize,
    /// True if the step writes, so that the server's cache may ask.
    writes: bool,
}

impl Call {
    /// Returns what the webhook answered, and the patch in it.
    pub(crate) fn answered(&self) -> [Value; 2] {
        let patch = self.response["response"]["patch"].as_str().unwrap_or_default();
        let patch = STANDARD.decode(patch).unwrap_or_default();
        [self.response.clone(), serde_json::from_slice(&patch).unwrap_or_default()]
    }
}

impl Webhooks {
    /// Registers the webhooks of a scenario at a server.
    pub(crate) fn register(&self, server: &ApiServer, scenario: &Scenario) {
        self.0.lock().steps = scenario.steps.iter().map(|step| step.calls.clone()).collect();
        let webhooks = self.clone();
        server.webhook(ADDRESS, move |request| {
            let call = webhooks.find(&request);
            async move { answer(&request, call).await }
        });
    }

    /// Begins the step with this number, from 0.
    pub(crate) fn begin(&self, number: usize, step: &Step) {
        let mut state = self.0.lock();
        state.recorded = step.calls.iter().map(|call| (call.clone(), false)).collect();
        state.asked.clear();
        (state.step, state.writes) = (number, step.method != "GET");
    }

    /// Notes a request. Returns the recorded call that it corresponds to, and the number of calls
    /// that came before it.
    fn find(&self, request: &Request<Bytes>) -> Option<(Call, u64)> {
        let path = request.uri().path_and_query().map_or("", |path| path.as_str()).to_owned();
        let review: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        let mut state = self.0.lock();
        state.asked.push((path.clone(), review.clone()));
        let key = key(&path, &review);
        let has_key = |call: &Call| self::key(&call.path, &call.request) == key;
        // The same question may be asked once here and several times by a real server, or later.
        let is_same = |call: &Call| {
            let parts = ["/request/objects/0/spec", "/request/objects/0/status"];
            call.request["kind"] == "ConversionReview"
                && has_key(call)
                && parts.iter().all(|part| call.request.pointer(part) == review.pointer(part))
        };
        let all = &mut state.recorded;
        let at = all.iter().position(|(call, _)| is_same(call));
        let at = at.or_else(|| all.iter().position(|(call, used)| !used && has_key(call)));
        let at = at.or_else(|| all.iter().position(|(call, _)| has_key(call)));
        if let Some(at) = at {
            let (call, used) = &mut all[at];
            *used = true;
            return Some((call.clone(), at as u64));
        }
        if !state.writes {
            return None;
        }
        // The calls of a real server's cache may arrive during a later step.
        let (before, after) = state.steps.split_at(state.step);
        let mut others = after.iter().chain(before.iter().rev()).flatten();
        others.find(|call| is_same(call)).map(|call| (call.clone(), 0))
    }

    /// Returns the recorded requests about writes, and those of this server, in the same order.
    pub(crate) fn end(&self) -> (Vec<Value>, Vec<Value>) {
        let mut state = self.0.lock();
        let recorded = std::mem::take(&mut state.recorded).into_iter();
        let recorded = recorded.map(|(call, _)| (call.path, call.request)).collect();
        (admissions(recorded), admissions(std::mem::take(&mut state.asked)))
    }
}

/// Returns the part of a request by which it is known again.
fn key(path: &str, review: &Value) -> String {
    let request = &review["request"];
    let object = &request["objects"][0];
    // Objects without a name get one only later, and it differs from the recorded one.
    let generated = &request["oldObject"]["metadata"]["generateName"];
    if generated.is_string() {
        return format!("{path} {} {generated}", request["operation"]);
    }
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

async fn answer(request: &Request<Bytes>, call: Option<(Call, u64)>) -> Response<Bytes> {
    let Some((call, before)) = call else {
        let mut response = Response::new(Bytes::from_static(b"no such call was recorded"));
        *response.status_mut() = http::StatusCode::NOT_FOUND;
        return response;
    };
    // Calls that are made at once are answered in the recorded order.
    let delay = Duration::from_secs_f64(call.delay) + Duration::from_millis(before);
    tokio::time::sleep(delay).await;
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

/// Stores side effects of webhooks that API servers refuse from clients. The recorder changed the
/// object in etcd before the step, which reads it.
pub(crate) fn store_side_effects(server: &ApiServer, step: &Step) {
    let Some(effects) = step.note.strip_prefix("stored with ") else { return };
    let stored = "an earlier step creates the configuration";
    let written = "the test process may write any state";
    let of_step = |name: Option<String>| name.is_some_and(|name| step.path.ends_with(&name));
    for mut one in server.list::<MutatingWebhookConfiguration>().expect(stored) {
        one.webhooks
            .iter_mut()
            .flatten()
            .for_each(|hook| effects.clone_into(&mut hook.side_effects));
        if of_step(one.metadata.name.clone()) {
            server.replace(&one).expect(written);
        }
    }
    for mut one in server.list::<ValidatingWebhookConfiguration>().expect(stored) {
        one.webhooks
            .iter_mut()
            .flatten()
            .for_each(|hook| effects.clone_into(&mut hook.side_effects));
        if of_step(one.metadata.name.clone()) {
            server.replace(&one).expect(written);
        }
    }
}

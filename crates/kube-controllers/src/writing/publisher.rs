//! Requests that create events or count their repetitions.

use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event as K8sEvent, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};

use super::digest::Digest;
use super::series::{Series, SeriesMap};
use crate::basics::now;
use kube_informer::object::NameRule;
use kube_informer::seams::ask;

/// The number of tries of one event, and the time between two, as in client-go.
const TRIES: usize = 12;
const PAUSE: Duration = Duration::from_secs(10);
/// The time after which a request without an answer has failed.
const LIMIT: Duration = Duration::from_secs(10);
/// The part of an object's name that a derived name keeps, in bytes.
const KEPT_NAME: usize = 200;

/// An event about an object.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) type_: EventType,
    pub(super) reason: String,
    pub(super) note: Option<String>,
    /// The reason, unless set.
    pub(super) action: Option<String>,
    pub(super) related: Option<ObjectReference>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum EventType {
    Normal,
    Warning,
}

/// The reporter that events name.
pub(super) struct Reporter {
    pub(super) controller: String,
    pub(super) instance: String,
}

/// A publisher of events, one at a time.
///
/// kube-runtime's `Recorder` does not fit: it remembers each event of the last six minutes, however
/// many, and looks at all of them each time. It names events after their objects even if no event
/// can have that name.
pub(super) struct Publisher {
    client: Client,
    reporter: Reporter,
    series: SeriesMap,
    /// The time in the last event's name, in nanoseconds.
    last_name: i128,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum PublishError {
    #[error(transparent)]
    Request(#[from] kube::Error),
    #[error("the server did not answer within {} s", LIMIT.as_secs())]
    NoAnswer,
}

impl Publisher {
    pub(super) fn new(client: Client, reporter: Reporter) -> Self {
        Self { client, reporter, series: SeriesMap::default(), last_name: 0 }
    }

    pub(super) async fn publish(
        &mut self,
        event: &Event,
        regarding: &ObjectReference,
    ) -> Result<(), PublishError> {
        let namespace = regarding.namespace.as_deref().unwrap_or("default");
        let api = Api::<K8sEvent>::namespaced(self.client.clone(), namespace);
        let key = key(event, regarding);
        let observed = now();
        let known = self.series.get(&key, Instant::now());
        let mut series = known.unwrap_or_else(|| self.first(regarding));
        // True if the server may have created the event without an answer.
        let mut may_exist = false;
        let mut tries = 0;
        loop {
            tries += 1;
            let begun = Instant::now();
            let request = self.send(&api, event, regarding, &series, observed);
            let answer = timeout(LIMIT, request).await.unwrap_or(Err(PublishError::NoAnswer));
            let creates = series.count == 1;
            match answer {
                Err(PublishError::Request(kube::Error::Api(status)))
                    if !creates && status.is_not_found() =>
                {
                    // The event whose count was to grow has expired.
                    self.series.remove(&key);
                    // No create of the new name was sent yet.
                    (series, may_exist) = (self.first(regarding), false);
                }
                Err(PublishError::Request(kube::Error::Api(status)))
                    if creates && status.is_already_exists() && tries < TRIES =>
                {
                    if may_exist {
                        break;
                    }
                    series = self.first(regarding);
                }
                Err(error) if tries < TRIES && error.may_pass() => {
                    may_exist = true;
                    sleep_until(begun + PAUSE).await;
                }
                answer => {
                    answer?;
                    break;
                }
            }
        }
        self.series.insert(key, series, Instant::now());
        Ok(())
    }

    /// Begins a series with an event of a new name.
    fn first(&mut self, regarding: &ObjectReference) -> Series {
        let object = regarding.name.as_deref().unwrap_or(&self.reporter.controller);
        self.last_name = now().as_nanosecond().max(self.last_name + 1);
        Series { name: event_name(object, self.last_name), count: 1 }
    }

    /// Creates the event, or sets its count.
    async fn send(
        &self,
        api: &Api<K8sEvent>,
        event: &Event,
        regarding: &ObjectReference,
        series: &Series,
        observed: Timestamp,
    ) -> Result<(), PublishError> {
        let Series { name, count } = series;
        if *count > 1 {
            let series = EventSeries { count: *count, last_observed_time: MicroTime(observed) };
            let patch = Patch::Merge(json!({"series": series}));
            let params = PatchParams::default();
            let _event: IgnoredAny =
                ask(api, |request| request.patch(name, &params, &patch)).await?;
        } else {
            let event = self.event(name, event, regarding, observed);
            let body = serde_json::to_vec(&event).map_err(kube::Error::SerdeError)?;
            let params = PostParams::default();
            let _event: IgnoredAny = ask(api, |request| request.create(&params, body)).await?;
        }
        Ok(())
    }

    fn event(
        &self,
        name: &str,
        event: &Event,
        regarding: &ObjectReference,
        observed: Timestamp,
    ) -> K8sEvent {
        let Reporter { controller, instance } = &self.reporter;
        K8sEvent {
            metadata: ObjectMeta {
                namespace: regarding.namespace.clone(),
                name: Some(name.to_owned()),
                ..ObjectMeta::default()
            },
            type_: Some(type_name(event.type_).to_owned()),
            reason: Some(event.reason.clone()),
            // The API requires an action. Unless set, it is the reason, as in client-go.
            action: event.action.clone().or_else(|| Some(event.reason.clone())),
            related: event.related.clone(),
            note: event.note.clone(),
            event_time: Some(MicroTime(observed)),
            regarding: Some(regarding.clone()),
            reporting_controller: Some(controller.clone()),
            reporting_instance: Some(instance.clone()),
            ..K8sEvent::default()
        }
    }
}

impl PublishError {
    /// Returns whether a later try may succeed.
    fn may_pass(&self) -> bool {
        match self {
            Self::NoAnswer => true,
            Self::Request(kube::Error::Api(status)) => status.code == 429 || status.code >= 500,
            Self::Request(error) => {
                matches!(error, kube::Error::Service(_) | kube::Error::HyperError(_))
            }
        }
    }
}

fn type_name(type_: EventType) -> &'static str {
    match type_ {
        EventType::Normal => "Normal",
        EventType::Warning => "Warning",
    }
}

/// Returns a digest that equal events share.
fn key(event: &Event, regarding: &ObjectReference) -> Digest {
    // The version of an object does not count.
    let identity = |object: &ObjectReference| {
        let ObjectReference { api_version, kind, namespace, name, uid, .. } = object;
        json!([api_version, kind, namespace, name, uid])
    };
    let related = event.related.as_ref().map(identity);
    let type_ = type_name(event.type_);
    Digest::of(&json!([type_, event.reason, event.action, identity(regarding), related]))
}

/// Returns the name of an event about an object, with this time in nanoseconds.
fn event_name(object: &str, nanoseconds: i128) -> String {
    let name = format!("{object}.{nanoseconds:x}");
    if NameRule::Subdomain.allows(&name) {
        return name;
    }
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let derived: String = object.chars().map(allowed).take(KEPT_NAME).collect();
    let derived = Some(derived.trim_matches('-')).filter(|derived| !derived.is_empty());
    format!("{}.{nanoseconds:x}", derived.unwrap_or("event"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_gives_a_valid_event_name() {
        let long = "a".repeat(251);
        for (object, name) in [
            ("web-0.shop", "web-0.shop.ff"),
            ("system:node", "system-node.ff"),
            ("Ärger..Übel", "rger---bel.ff"),
            ("::", "event.ff"),
            ("", "event.ff"),
            (&*long, &*format!("{}.ff", "a".repeat(200))),
        ] {
            assert_eq!(event_name(object, 255), name);
            assert!(NameRule::Subdomain.allows(name));
        }
    }
}

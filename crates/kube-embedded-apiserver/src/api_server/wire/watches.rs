//! Watches: from a revision on, or from the current state.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use http::Response;
use http_body_util::{BodyExt, StreamBody};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::body::{ResponseBody, full};
use super::form::{Encoding, Form, Piece, data, response};
use super::query::Query;
use super::state::Server;
use super::{protobuf, table, versions, written};
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::kinds;
use crate::api_server::store::selection::Selection;
use crate::api_server::store::stored::Stored;
use crate::api_server::store::{After, Change};
use crate::api_server::webhooks::{Progress, RETRY};
use kube_decode::protobuf::encode::encode_event;

/// The duration of a watch without a timeout, in seconds.
const DEFAULT_TIMEOUT: u64 = 1800;

/// The longest duration of a watch, in seconds, which does not overflow the clock.
const LONGEST_TIMEOUT: u64 = 365 * 24 * 3600;

/// The time before its end at which a watch gets its last bookmark.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);

/// The largest number of events in one piece.
const EVENTS_PER_PIECE: usize = 256;

/// An open watch.
struct OpenWatch {
    server: Arc<Server>,
    collection: u64,
    resource: Arc<ResourceType>,
    selection: Selection,
    form: Form,
    encoding: Encoding,
    /// The revision up to which everything was sent.
    position: u64,
    initial: VecDeque<Arc<Stored>>,
    /// The revision after which the end of the initial events is sent, until it is.
    initial_end: Option<u64>,
    /// The number of restarts of the watch cache, if there is one, when the watch began.
    cache: Option<u64>,
    /// True if the watch cache lacks changes that could not be converted.
    behind: bool,
    bookmarks: bool,
    interval: Duration,
    /// The time of the next bookmark; `None` if none is due before the end.
    next_bookmark: Option<Instant>,
    until: Instant,
    /// True once the columns of a table were sent, which happens only once.
    columns_sent: bool,
    changes: Arc<Notify>,
    generation: u64,
    over: bool,
}

pub(crate) async fn watch(
    server: &Arc<Server>,
    resource: &Arc<ResourceType>,
    query: Query,
    (form, encoding): (Form, Encoding),
) -> Result<Response<ResponseBody>, Failure> {
    let asked = query.list.version.unwrap_or(0);
    let initial = query.initial_events.unwrap_or(asked == 0);
    if initial && let Err(failure) = versions::reach(server, query.list.version).await {
        // The response has begun by then.
        let body = full(error_event(&failure, encoding));
        return Ok(response(body, encoding, true));
    }
    let cached = server.caches(resource);
    if cached {
        // A watch begins with what the cache has.
        server.webhooks.catch_up(&server.store, resource, Some(0)).await;
    }
    let store = server.store.lock();
    let collection = store.of(resource).ok_or_else(Failure::not_served)?;
    let (mut newest, mut cache) = (store.revision, None);
    if cached {
        newest = collection.cached(&resource.version).ok_or_else(Failure::storage_not_ready)?;
        cache = collection.caches.get(&resource.version).map(|cache| cache.restarts);
    }
    let mut position = asked;
    let mut events = VecDeque::new();
    if initial {
        position = newest;
        let all = collection.at(newest);
        let selected = all.values().filter(|object| query.list.selection.matches(object));
        events = selected.cloned().collect();
    } else if query.initial_events == Some(false) && asked == 0 {
        position = newest;
    } else if asked < collection.trimmed.max(store.compacted) {
        let oldest = collection.trimmed.max(store.compacted);
        let failure = Failure::expired(format!("too old resource version: {asked} ({oldest})"));
        let body = full(error_event(&failure, encoding));
        return Ok(response(body, encoding, true));
    }
    let now = Instant::now();
    let interval = server.options.bookmark_interval;
    let mut watching = OpenWatch {
        server: server.clone(),
        collection: collection.id,
        resource: resource.clone(),
        selection: query.list.selection,
        form,
        encoding,
        position,
        initial: events,
        initial_end: (initial && query.bookmarks).then_some(store.revision),
        cache,
        behind: false,
        bookmarks: query.bookmarks,
        interval,
        next_bookmark: None,
        until: now
            + Duration::from_secs(query.timeout.unwrap_or(DEFAULT_TIMEOUT).min(LONGEST_TIMEOUT)),
        columns_sent: false,
        changes: store.changes(),
        generation: server.generation(),
        over: false,
    };
    watching.schedule_bookmark(now);
    let events = stream::unfold(watching, OpenWatch::next).boxed();
    Ok(response(StreamBody::new(events).boxed_unsync(), encoding, true))
}

fn error_event(failure: &Failure, encoding: Encoding) -> Vec<u8> {
    event("ERROR", &failure.status(), encoding)
}

/// Encodes an event with an object of the server's own.
fn event(kind: &str, object: &Value, encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Json => format!("{}\n", json!({ "type": kind, "object": object })).into_bytes(),
        Encoding::Protobuf => encode_event(kind, &protobuf::value(object)),
    }
}

impl OpenWatch {
    async fn next(mut self) -> Option<(Piece, Self)> {
        let changes = self.changes.clone();
        loop {
            // Waits from here on, so that no change is missed.
            let mut woken = pin!(changes.notified());
            woken.as_mut().enable();
            if self.over {
                return None;
            }
            if self.server.generation() != self.generation || self.server.stop.is_cancelled() {
                self.over = true;
                return Some((Err(crate::api_server::Aborted), self));
            }
            let mut piece = Vec::new();
            self.initial_events(&mut piece).await;
            if piece.is_empty() && !self.over {
                self.live_events(&mut piece).await;
            }
            // A watch that always has events ends in time as well.
            self.send_due(Instant::now(), &mut piece);
            if !piece.is_empty() {
                return Some((Ok(data(piece)), self));
            }
            if self.over {
                return None;
            }
            let stop = self.server.stop.clone();
            let mut next = self.next_due();
            if self.behind {
                next = next.min(Instant::now() + RETRY);
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = woken => {}
                () = sleep_until(next) => {}
            }
        }
    }

    /// Returns the time at which the clock requires something.
    fn next_due(&self) -> Instant {
        self.next_bookmark.unwrap_or(self.until)
    }

    /// Sends what the clock requires: a bookmark, or the end, which has no event.
    fn send_due(&mut self, now: Instant, out: &mut Vec<u8>) {
        if !self.initial.is_empty() || self.over {
            return;
        }
        self.over = now >= self.until;
        if !self.over && self.next_bookmark.is_some_and(|next| now >= next) {
            if self.bookmarks && self.initial_end.is_none() {
                self.bookmark(false, out);
            }
            self.schedule_bookmark(now);
        }
    }

    /// Schedules the next bookmark: after the interval, but shortly before the end at the latest.
    /// The next watch can then continue near the end of this one.
    fn schedule_bookmark(&mut self, now: Instant) {
        let last = self.until.checked_sub(LAST_BOOKMARK).filter(|last| *last > now);
        self.next_bookmark = last.map(|last| last.min(now + self.interval));
    }

    async fn initial_events(&mut self, out: &mut Vec<u8>) {
        for _ in 0..EVENTS_PER_PIECE {
            let Some(object) = self.initial.pop_front() else { break };
            self.event("ADDED", &object, out).await;
            if self.over {
                return;
            }
        }
        self.end_initial_events(out);
    }

    /// Sends the end of the initial events once every change from before the watch is sent.
    fn end_initial_events(&mut self, out: &mut Vec<u8>) {
        let position = self.position;
        if self.initial.is_empty() && self.initial_end.take_if(|end| *end <= position).is_some() {
            self.bookmark(true, out);
        }
    }

    async fn live_events(&mut self, out: &mut Vec<u8>) {
        if self.cache.is_some() {
            let server = self.server.clone();
            let follow = server.webhooks.follow(&server.store, &self.resource);
            let followed = timeout_at(self.next_due(), follow).await;
            self.behind = followed != Ok(Progress::Current);
        }
        let (changes, last) = self.next_changes(out);
        for change in changes {
            self.position = self.position.max(change.revision);
            self.change(&change, out).await;
            if self.over {
                return;
            }
        }
        self.end_initial_events(out);
        // The type is no longer served: its watches end normally.
        self.over |= last;
        if last && self.bookmarks {
            self.bookmark(false, out);
        }
    }

    /// Returns the next changes, and whether they are the last ones.
    fn next_changes(&mut self, out: &mut Vec<u8>) -> (Vec<Change>, bool) {
        let server = self.server.clone();
        let store = server.store.lock();
        let Some(collection) = store.collection_of_watch(self.collection) else {
            self.over = true;
            return (Vec::new(), false);
        };
        if self.position < collection.trimmed {
            // The watch is too slow for the history.
            self.over = true;
            let failure = Failure::expired("too old resource version");
            out.extend(error_event(&failure, self.encoding));
            return (Vec::new(), false);
        }
        let still_served = collection.ended.is_none();
        let mut newest = collection.ended.unwrap_or(store.revision);
        if let Some(restarts) = self.cache.filter(|_| still_served) {
            let cache = collection.caches.get(&self.resource.version);
            let known = cache.is_some_and(|cache| cache.restarts == restarts);
            let Some(position) = collection.cached(&self.resource.version).filter(|_| known) else {
                // The cache begins again: its watches end normally.
                self.over = true;
                return (Vec::new(), false);
            };
            newest = position;
        }
        let start = collection.history.partition_point(|change| change.revision <= self.position);
        let later = collection.history.range(start..);
        let changes: Vec<Change> = later
            .take_while(|change| change.revision <= newest)
            .take(EVENTS_PER_PIECE)
            .cloned()
            .collect();
        if changes.len() < EVENTS_PER_PIECE {
            // The watch is up to date with every type, so a bookmark may say so. A watch may begin
            // after what its cache has.
            self.position = newest.max(self.position.min(store.revision));
        }
        let last = !still_served && changes.len() < EVENTS_PER_PIECE;
        (changes, last)
    }

    /// Sends a change, as the watch's selector sees it.
    async fn change(&mut self, change: &Change, out: &mut Vec<u8>) {
        let was = change.before.as_ref().is_some_and(|before| self.selection.matches(before));
        match &change.after {
            After::Deleted(last) if was => self.event("DELETED", last, out).await,
            After::Deleted(_) => {}
            After::Present(now) => match (was, self.selection.matches(now)) {
                (false, true) => self.event("ADDED", now, out).await,
                (true, true) => self.event("MODIFIED", now, out).await,
                // The object left the selection. As on a real server, the event has the last
                // selected state, with the version that took it out.
                (true, false) => {
                    let Some(before) = &change.before else { return };
                    let Some(seen) = self.seen(before, out).await else { return };
                    let last = Arc::new(seen.at(&self.resource, change.revision));
                    self.write("DELETED", &last, out);
                }
                (false, false) => {}
            },
        }
    }

    async fn event(&mut self, kind: &str, object: &Arc<Stored>, out: &mut Vec<u8>) {
        if let Some(seen) = self.seen(object, out).await {
            self.write(kind, &seen, out);
        }
    }

    /// Returns an object in the version of the watch. If it cannot be converted, the watch ends
    /// with the failure.
    async fn seen(&mut self, object: &Arc<Stored>, out: &mut Vec<u8>) -> Option<Arc<Stored>> {
        let webhooks = &self.server.webhooks;
        let seen = match self.cache {
            Some(_) => webhooks.cached(&self.resource, object).await,
            None => webhooks.read(&self.resource, object.clone()).await,
        };
        let failed = seen.as_ref().err().map(|problem| Failure::internal(problem));
        if let Some(failure) = failed {
            self.over = true;
            out.extend(error_event(&failure, self.encoding));
        }
        seen.ok()
    }

    fn write(&mut self, kind: &str, object: &Arc<Stored>, out: &mut Vec<u8>) {
        if self.encoding == Encoding::Protobuf {
            match written::in_envelope(object, &self.resource, self.form) {
                Ok(object) => out.extend(encode_event(kind, &object)),
                Err(failure) => {
                    self.over = true;
                    out.extend(error_event(&failure, self.encoding));
                }
            }
            return;
        }
        out.extend_from_slice(format!("{{\"type\":\"{kind}\",\"object\":").as_bytes());
        written::write_alone(object, &self.resource, self.form, !self.columns_sent, out);
        self.columns_sent = true;
        out.extend_from_slice(b"}\n");
    }

    fn bookmark(&self, end_of_initial: bool, out: &mut Vec<u8>) {
        let mut metadata = json!({ "resourceVersion": self.position.to_string() });
        if end_of_initial {
            metadata["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        let partial = json!({
            "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        });
        let object = match self.form {
            Form::Metadata => partial,
            Form::Row(_) => {
                let row = json!({ "cells": [], "object": partial });
                let version = json!({ "resourceVersion": self.position.to_string() });
                table::whole(&self.resource, &version, !self.columns_sent, &[row])
            }
            Form::Whole | Form::Item => {
                let mut object = kinds::empty(&self.resource.qualified());
                object["kind"] = self.resource.kind.clone().into();
                object["apiVersion"] = self.resource.api_version().into();
                object["metadata"] = metadata;
                object
            }
        };
        out.extend(event("BOOKMARK", &object, self.encoding));
    }
}

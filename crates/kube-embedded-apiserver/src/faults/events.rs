//! Injections into single events and objects of a response.

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, stream};
use serde_json::{Value, json};

use super::BoxError;
use super::body::{FrameQueue, Frames, Framing};
use super::injection::{Edit, Kind};
use kube_decode::protobuf::encode::{encode, encode_event};

/// The marker of the bookmark that ends the initial events, in any encoding.
const INITIAL_EVENTS_END: &[u8] = b"k8s.io/initial-events-end";

/// Splits a body into events, injects into each, and passes the rest.
pub(super) fn with_injections(injection: &Kind, frames: Frames, framing: Framing) -> Frames {
    let injection: Box<dyn EventChange> = match injection {
        Kind::HideInitialEventsEnd => Box::new(HideInitialEventsEnd),
        Kind::Repeat { every, later } => {
            Box::new(Repeat { every: *every, later: *later, seen: 0, due: Vec::new() })
        }
        Kind::Swap { every } => Box::new(Swap { every: *every, seen: 0, held: None }),
        Kind::ErrorEvent { after, status } => {
            Box::new(ErrorEvent { left: *after, event: error_event(status, framing) })
        }
        Kind::Edit(edit) if framing == Framing::Lines => {
            Box::new(EditObjects { edit: edit.clone(), objects: 0 })
        }
        _ => return frames,
    };
    if framing == Framing::Opaque {
        return frames;
    }
    let state = Events {
        frames,
        framing,
        injection,
        rest: BytesMut::new(),
        out: FrameQueue::new(),
        over: false,
    };
    stream::unfold(state, Events::next).boxed()
}

/// A change to the events of a body.
trait EventChange: Send {
    /// Takes an event and writes what replaces it. Returns whether the body ends here.
    fn event(&mut self, event: Bytes, out: &mut FrameQueue) -> bool;

    /// Handles the end of the body: writes the events that were held back.
    fn end(&mut self, out: &mut FrameQueue) {
        let _ = out;
    }
}

struct Events {
    frames: Frames,
    framing: Framing,
    injection: Box<dyn EventChange>,
    rest: BytesMut,
    out: FrameQueue,
    over: bool,
}

impl Events {
    async fn next(mut self) -> Option<(Result<Bytes, BoxError>, Self)> {
        loop {
            if let Some(piece) = self.out.pop_front() {
                return Some((Ok(piece), self));
            }
            if self.over {
                return None;
            }
            match self.frames.next().await {
                Some(Ok(piece)) => {
                    self.rest.extend_from_slice(&piece);
                    while !self.over
                        && let Some(event) = self.take()
                    {
                        self.over = self.injection.event(event, &mut self.out);
                    }
                }
                Some(Err(error)) => {
                    self.over = true;
                    return Some((Err(error), self));
                }
                None => {
                    self.over = true;
                    if !self.rest.is_empty() {
                        let last = self.rest.split().freeze();
                        self.injection.event(last, &mut self.out);
                    }
                    self.injection.end(&mut self.out);
                }
            }
        }
    }

    /// Returns the next whole event.
    fn take(&mut self) -> Option<Bytes> {
        let length = match self.framing {
            Framing::Lengths => {
                let prefix: [u8; 4] = self.rest.get(..4)?.try_into().ok()?;
                usize::try_from(u32::from_be_bytes(prefix)).ok()?.checked_add(4)?
            }
            _ => memchr::memchr(b'\n', &self.rest)? + 1,
        };
        (self.rest.len() >= length).then(|| self.rest.split_to(length).freeze())
    }
}

/// Drops the end of the initial events.
struct HideInitialEventsEnd;

impl EventChange for HideInitialEventsEnd {
    fn event(&mut self, event: Bytes, out: &mut FrameQueue) -> bool {
        if memchr::memmem::find(&event, INITIAL_EVENTS_END).is_none() {
            out.push_back(event);
        }
        false
    }
}

/// Sends some events twice.
struct Repeat {
    every: u64,
    later: u64,
    seen: u64,
    /// The repeated events, each with the number of the event that it follows.
    due: Vec<(u64, Bytes)>,
}

impl EventChange for Repeat {
    fn event(&mut self, event: Bytes, out: &mut FrameQueue) -> bool {
        out.push_back(event.clone());
        self.seen += 1;
        if self.seen.is_multiple_of(self.every) {
            self.due.push((self.seen.saturating_add(self.later), event));
        }
        let seen = self.seen;
        self.due.retain(|(at, event)| {
            let waits = *at > seen;
            if !waits {
                out.push_back(event.clone());
            }
            waits
        });
        false
    }
}

/// Delays some events by one.
struct Swap {
    every: u64,
    seen: u64,
    held: Option<Bytes>,
}

impl EventChange for Swap {
    fn event(&mut self, event: Bytes, out: &mut FrameQueue) -> bool {
        self.seen += 1;
        if self.held.is_none() && self.seen.is_multiple_of(self.every) {
            self.held = Some(event);
            return false;
        }
        out.push_back(event);
        out.extend(self.held.take());
        false
    }

    fn end(&mut self, out: &mut FrameQueue) {
        out.extend(self.held.take());
    }
}

/// Ends the watch with an ERROR event.
struct ErrorEvent {
    left: u64,
    event: Bytes,
}

impl EventChange for ErrorEvent {
    fn event(&mut self, event: Bytes, out: &mut FrameQueue) -> bool {
        if self.left == 0 {
            out.push_back(self.event.clone());
            return true;
        }
        self.left -= 1;
        out.push_back(event);
        false
    }
}

/// Changes objects.
struct EditObjects {
    edit: Edit,
    objects: u64,
}

impl EditObjects {
    fn object(&mut self, object: &mut Value) {
        (self.edit)(self.objects, object);
        self.objects += 1;
    }
}

impl EventChange for EditObjects {
    fn event(&mut self, event: Bytes, out: &mut FrameQueue) -> bool {
        let Ok(mut value) = serde_json::from_slice::<Value>(&event) else {
            out.push_back(event);
            return false;
        };
        match value["type"].as_str() {
            Some("ADDED" | "MODIFIED" | "DELETED") => self.object(&mut value["object"]),
            // A list is one line.
            None => value
                .get_mut("items")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
                .for_each(|object| self.object(object)),
            Some(_) => {}
        }
        out.push_back(format!("{value}\n").into());
        false
    }
}

/// Returns an ERROR event.
fn error_event(status: &Value, framing: Framing) -> Bytes {
    let in_protobuf = (framing == Framing::Lengths).then(|| encode(status)).flatten();
    let in_protobuf = in_protobuf.map(|status| encode_event("ERROR", &status));
    let in_json = || format!("{}\n", json!({ "type": "ERROR", "object": status })).into_bytes();
    in_protobuf.unwrap_or_else(in_json).into()
}

#[cfg(test)]
mod tests {
    use super::super::Injection;
    use super::*;

    async fn lines(injection: Injection, cut: usize) -> String {
        let text = (1..=5).map(|n| format!("{{\"n\":{n}}}\n")).collect::<Vec<_>>().concat();
        let pieces: Vec<_> = text
            .as_bytes()
            .chunks(cut)
            .map(|piece| Ok::<_, BoxError>(Bytes::copy_from_slice(piece)))
            .collect();
        let frames = with_injections(&injection.0, stream::iter(pieces).boxed(), Framing::Lines);
        let pieces: Vec<_> = frames.collect().await;
        let pieces: Vec<u8> =
            pieces.into_iter().flat_map(|piece| piece.unwrap().to_vec()).collect();
        String::from_utf8(pieces).unwrap().replace("{\"n\":", "").replace("}\n", "")
    }

    #[tokio::test]
    async fn events_change_in_frames_of_any_size() {
        for cut in [1, 3, 8, 1000] {
            assert_eq!(lines(Injection::repeat(2, 0), cut).await, "1223445");
            assert_eq!(lines(Injection::repeat(2, 1), cut).await, "1232454");
            assert_eq!(lines(Injection::repeat(2, u64::MAX), cut).await, "12345");
            assert_eq!(lines(Injection::swap(2), cut).await, "13254");
            assert_eq!(lines(Injection::swap(1), cut).await, "21435");
            assert_eq!(lines(Injection::hide_initial_events_end(), cut).await, "12345");
            let ended = lines(Injection::error_event(2, 410), cut).await;
            assert!(ended.starts_with("12{") && ended.contains("Expired"), "{ended}");
        }
    }
}

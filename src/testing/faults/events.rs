//! Harms to single events and objects of an answer.

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, stream};
use serde_json::{Value, json};

use super::BoxError;
use super::body::{Frames, Framing, Waiting};
use super::harm::{Edit, Kind};
use crate::transport::protobuf::encode::{encode, encode_event};

/// By this a bookmark says that the initial events are through, in any encoding.
const INITIAL_EVENTS_END: &[u8] = b"k8s.io/initial-events-end";

/// Takes a body apart into events, does the harm to each, and passes the rest.
pub(super) fn harmed(harm: &Kind, frames: Frames, framing: Framing) -> Frames {
    let harm: Box<dyn Harmful> = match harm {
        Kind::HideInitialEventsEnd => Box::new(Hide),
        Kind::Repeat { every, later } => {
            Box::new(Repeat { every: *every, later: *later, seen: 0, due: Vec::new() })
        }
        Kind::Swap { every } => Box::new(Swap { every: *every, seen: 0, held: None }),
        Kind::ErrorEvent { after, status } => {
            Box::new(ErrorEvent { left: *after, event: error_event(status, framing) })
        }
        Kind::Edit(edit) if framing == Framing::Lines => {
            Box::new(Edited { edit: edit.clone(), objects: 0 })
        }
        _ => return frames,
    };
    if framing == Framing::Opaque {
        return frames;
    }
    let state =
        Events { frames, framing, harm, rest: BytesMut::new(), out: Waiting::new(), over: false };
    stream::unfold(state, Events::next).boxed()
}

/// What is done to events.
trait Harmful: Send {
    /// Takes an event and says what comes in its place, and whether the body ends here.
    fn event(&mut self, event: Bytes, out: &mut Waiting) -> bool;

    /// The body ends; what was held back comes now.
    fn end(&mut self, out: &mut Waiting) {
        let _ = out;
    }
}

struct Events {
    frames: Frames,
    framing: Framing,
    harm: Box<dyn Harmful>,
    rest: BytesMut,
    out: Waiting,
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
                        self.over = self.harm.event(event, &mut self.out);
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
                        self.harm.event(last, &mut self.out);
                    }
                    self.harm.end(&mut self.out);
                }
            }
        }
    }

    /// The next whole event.
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

/// The end of the initial events is not told.
struct Hide;

impl Harmful for Hide {
    fn event(&mut self, event: Bytes, out: &mut Waiting) -> bool {
        if memchr::memmem::find(&event, INITIAL_EVENTS_END).is_none() {
            out.push_back(event);
        }
        false
    }
}

/// Some events come twice.
struct Repeat {
    every: u64,
    later: u64,
    seen: u64,
    /// After which event each comes once more.
    due: Vec<(u64, Bytes)>,
}

impl Harmful for Repeat {
    fn event(&mut self, event: Bytes, out: &mut Waiting) -> bool {
        out.push_back(event.clone());
        self.seen += 1;
        if self.seen.is_multiple_of(self.every) {
            self.due.push((self.seen + self.later, event));
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

/// Some events come one too late.
struct Swap {
    every: u64,
    seen: u64,
    held: Option<Bytes>,
}

impl Harmful for Swap {
    fn event(&mut self, event: Bytes, out: &mut Waiting) -> bool {
        self.seen += 1;
        if self.held.is_none() && self.seen.is_multiple_of(self.every) {
            self.held = Some(event);
            return false;
        }
        out.push_back(event);
        out.extend(self.held.take());
        false
    }

    fn end(&mut self, out: &mut Waiting) {
        out.extend(self.held.take());
    }
}

/// The server gives up.
struct ErrorEvent {
    left: u64,
    event: Bytes,
}

impl Harmful for ErrorEvent {
    fn event(&mut self, event: Bytes, out: &mut Waiting) -> bool {
        if self.left == 0 {
            out.push_back(self.event.clone());
            return true;
        }
        self.left -= 1;
        out.push_back(event);
        false
    }
}

/// Objects are changed.
struct Edited {
    edit: Edit,
    objects: u64,
}

impl Edited {
    fn object(&mut self, object: &mut Value) {
        (self.edit)(self.objects, object);
        self.objects += 1;
    }
}

impl Harmful for Edited {
    fn event(&mut self, event: Bytes, out: &mut Waiting) -> bool {
        let Ok(mut value) = serde_json::from_slice::<Value>(&event) else {
            out.push_back(event);
            return false;
        };
        match value["type"].as_str() {
            Some("ADDED" | "MODIFIED" | "DELETED") => self.object(&mut value["object"]),
            // A list comes as one line.
            None => value["items"]
                .as_array_mut()
                .into_iter()
                .flatten()
                .for_each(|object| self.object(object)),
            Some(_) => {}
        }
        out.push_back(format!("{value}\n").into());
        false
    }
}

/// An ERROR event.
fn error_event(status: &Value, framing: Framing) -> Bytes {
    let in_protobuf = (framing == Framing::Lengths).then(|| encode(status)).flatten();
    let in_protobuf = in_protobuf.map(|status| encode_event("ERROR", &status));
    let in_json = || format!("{}\n", json!({ "type": "ERROR", "object": status })).into_bytes();
    in_protobuf.unwrap_or_else(in_json).into()
}

#[cfg(test)]
mod tests {
    use super::super::Harm;
    use super::*;

    async fn lines(harm: Harm, cut: usize) -> String {
        let text: String = (1..=5).map(|n| format!("{{\"n\":{n}}}\n")).collect();
        let pieces: Vec<_> = text
            .as_bytes()
            .chunks(cut)
            .map(|piece| Ok::<_, BoxError>(Bytes::copy_from_slice(piece)))
            .collect();
        let frames = harmed(&harm.0, stream::iter(pieces).boxed(), Framing::Lines);
        let pieces: Vec<_> = frames.collect().await;
        let pieces: Vec<u8> =
            pieces.into_iter().flat_map(|piece| piece.unwrap().to_vec()).collect();
        String::from_utf8(pieces).unwrap().replace("{\"n\":", "").replace("}\n", "")
    }

    #[tokio::test]
    async fn events_are_repeated_swapped_and_ended_however_they_are_cut() {
        for cut in [1, 3, 8, 1000] {
            assert_eq!(lines(Harm::repeat(2, 0), cut).await, "1223445");
            assert_eq!(lines(Harm::repeat(2, 1), cut).await, "1232454");
            assert_eq!(lines(Harm::swap(2), cut).await, "13254");
            assert_eq!(lines(Harm::swap(1), cut).await, "21435");
            assert_eq!(lines(Harm::hide_initial_events_end(), cut).await, "12345");
            let ended = lines(Harm::error_event(2, 410), cut).await;
            assert!(ended.starts_with("12{") && ended.contains("Expired"), "{ended}");
        }
    }
}

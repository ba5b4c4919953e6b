//! Framers and peeks: splitting a body into parts, for all encodings.
//!
//! Each encoding has a framer for lists, one for watches, and partial reads of objects, events,
//! list metadata and Statuses. No other module knows an encoding's details.

pub(super) mod capture;

/// The JSON encoding: framers of lists and watches, and partial reads of objects.
pub(super) mod json {
    pub(in crate::transport) mod events;
    pub(in crate::transport) mod list;
    pub(in crate::transport) mod peek;
    pub(in crate::transport) mod place;
    mod scan;

    pub(in crate::transport) use scan::Scanner;
}

/// The protobuf encoding: framers of lists and watches, and partial reads of objects.
mod protobuf {
    pub(super) mod events;
    pub(super) mod list;
    pub(super) mod peek;
    pub(super) mod place;
}

#[cfg(test)]
mod tests;

use std::fmt;

use bytes::Bytes;
use kube_decode::protobuf::ProtobufObject;

use self::capture::RawBytes;
pub(super) use crate::codec::Encoding;
use crate::error::ApiStatus;
use crate::lister_watcher::ListMetadata;
use crate::object::{ObjectState, ResourceVersion, ShardKey};

/// A framer, which splits a body into parts while the body arrives.
pub(super) trait Framer: fmt::Debug + Send {
    type Part;

    /// Adds the next frame of the body. Call it only after [`next`](Self::next) has returned
    /// `None`.
    fn push(&mut self, frame: Bytes);

    /// Returns the next part. `None` if more bytes are needed.
    fn next(&mut self) -> Option<Result<Self::Part, Malformed>>;

    /// Returns the part that is unfinished if the body ends here. `None` if the body may end.
    fn within(&self) -> Option<&'static str>;
}

/// A framer of any encoding.
pub(super) type AnyFramer<P> = Box<dyn Framer<Part = P>>;

/// A part of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ListPart {
    /// The list has items, perhaps none.
    Items,
    /// An item, and its position in the body.
    Item(RawBytes, u64),
    /// The list's metadata, and its position in the body.
    Metadata(Bytes, u64),
    /// The type of the list. A protobuf list states it first.
    Types { api_version: String, kind: String },
    /// The group and version of a JSON list, which may state them last.
    ApiVersion(String),
    /// The kind of a JSON list, which may state it last.
    Kind(String),
}

/// An event of a watch: its bytes, its type and object, and its position in the body. The second is
/// `None` if the bytes are no event.
pub(super) type WatchPart = (RawBytes, Option<RawEvent>, u64);

/// A problem in a body, and its position.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) offset: u64,
    pub(super) problem: &'static str,
}

/// The parts of an object that were read without decoding it. The object may be cut off.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Peeked {
    pub(super) api_version: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) version: Option<String>,
    /// True if the annotation `k8s.io/initial-events-end` is exactly "true".
    pub(super) initial_events_end: bool,
}

/// An event, split into type and object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawEvent {
    pub(super) kind: EventKind,
    /// The bytes of the object.
    pub(super) object: Bytes,
}

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
    Unknown,
}

impl From<&str> for EventKind {
    fn from(text: &str) -> Self {
        match text {
            "ADDED" => Self::Added,
            "MODIFIED" => Self::Modified,
            "DELETED" => Self::Deleted,
            "BOOKMARK" => Self::Bookmark,
            "ERROR" => Self::Error,
            _ => Self::Unknown,
        }
    }
}

/// Returns the version that a server states for a list or a bookmark. A watch from an empty version
/// or "0" begins at any state, so both count as none.
pub(super) fn stated_version(text: Option<String>) -> Option<ResourceVersion> {
    text.filter(|text| !matches!(&**text, "" | "0")).map(|text| (&*text).into())
}

impl Encoding {
    /// Creates a framer of lists. `limit` is the largest size of an item, in bytes.
    pub(super) fn list(self, limit: usize) -> AnyFramer<ListPart> {
        match self {
            Self::Json => Box::new(json::list::JsonListFramer::new(limit)),
            Self::Protobuf => Box::new(protobuf::list::ProtobufListFramer::new(limit)),
        }
    }

    /// Creates a framer of watches. `limit` is the largest size of an object, in bytes.
    pub(super) fn watch(self, limit: usize) -> AnyFramer<WatchPart> {
        match self {
            Self::Json => Box::new(json::events::JsonWatchFramer::new(limit)),
            Self::Protobuf => Box::new(protobuf::events::ProtobufWatchFramer::new(limit)),
        }
    }

    /// Reads the available parts of an object, which may be cut off.
    pub(super) fn peek(self, object: &[u8]) -> Peeked {
        match self {
            Self::Json => json::peek::peek(object),
            Self::Protobuf => protobuf::peek::peek(object),
        }
    }

    /// Reads the key, uid and version of an object. `None` if they are not in their usual places.
    pub(super) fn state(self, object: &[u8]) -> Option<ObjectState<'_>> {
        match self {
            Self::Json => json::peek::state(object),
            Self::Protobuf => protobuf::peek::state(object),
        }
    }

    /// Reads an object's place on the ring. The object may be cut off. `None` if the bytes do not
    /// determine the place.
    pub(super) fn place(self, object: &[u8], key: ShardKey) -> Option<u64> {
        match self {
            Self::Json => json::place::place(object, key),
            Self::Protobuf => protobuf::place::place(object, key),
        }
    }

    /// Reads a list's metadata. The error is the position of the problem in it.
    pub(super) fn metadata(self, metadata: &[u8]) -> Result<ListMetadata, usize> {
        match self {
            Self::Json => json::list::metadata(metadata),
            Self::Protobuf => protobuf::list::metadata(metadata),
        }
    }

    /// Reads a Status. `None` if the body is not one. `code` is used if the Status has no code.
    pub(super) fn status(self, body: &[u8], code: u16) -> Option<ApiStatus> {
        super::answer::parse_status(&self.value(body)?, code)
    }

    /// Reads a Status that came with the code of a success. `None` if it reports no failure.
    pub(super) fn failure(self, body: &[u8]) -> Option<ApiStatus> {
        let parsed = self.value(body)?;
        let failed = parsed["status"] != "Success";
        super::answer::parse_status(&parsed, 500).filter(|_| failed)
    }

    fn value(self, body: &[u8]) -> Option<serde_json::Value> {
        match self {
            Self::Json => kube_decode::json(body).ok(),
            Self::Protobuf => ProtobufObject::from_envelope(body).ok()?.decode().ok(),
        }
    }
}

//! What the encodings have in common: how a body is taken apart, and into what.
//!
//! Each encoding has a framer for lists and one for watches, a peek at an object, and ways to read
//! an event, a list's metadata and a Status. Nothing outside of its own folder knows more of it.

pub(super) mod capture;
pub(super) mod json;
mod protobuf;

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use self::capture::RawBytes;
use crate::decode::budget::MEMORY_LIMIT;
pub(super) use crate::decode::codec::Encoding;
use crate::decode::protobuf::ProtobufObject;
use crate::error::ApiStatus;
use crate::lister_watcher::ListMetadata;
use crate::object::ObjectState;

/// Takes a body apart while it arrives: its bytes go in, its parts come out.
pub(super) trait Framer: fmt::Debug + Send {
    type Part;

    /// Gives the next frame of the body; to be called when [`next`](Self::next) has no more.
    fn push(&mut self, frame: Bytes);

    /// The next part; `None`: more bytes are needed.
    fn next(&mut self) -> Option<Result<Self::Part, Malformed>>;

    /// What the body would end in the middle of; `None`: it may end here.
    fn within(&self) -> Option<&'static str>;
}

/// A framer of whichever encoding.
pub(super) type AnyFramer<P> = Box<dyn Framer<Part = P>>;

/// A part of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ListPart {
    /// There are items, if only none of them.
    Items,
    /// An item, and where it began.
    Item(RawBytes, u64),
    /// The list's metadata.
    Metadata(Bytes),
    /// What the list is, which protobuf says first.
    Types { api_version: String, kind: String },
    /// The group and version of a list in JSON, which may say it last.
    ApiVersion(String),
    /// The kind of a list in JSON, which may say it last.
    Kind(String),
}

/// An event of a watch, and where it began.
pub(super) type WatchPart = (RawBytes, u64);

/// What is not as it should be, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) offset: u64,
    pub(super) problem: &'static str,
}

/// What an object says of itself before it ends, or breaks off.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Peeked {
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) version: Option<String>,
    /// `k8s.io/initial-events-end` is "true", which nothing but "true" means.
    pub(super) initial_events_end: bool,
}

/// An event, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawEvent {
    pub(super) kind: EventKind,
    /// The object's bytes.
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

impl Encoding {
    /// Takes lists apart. `limit`: how large an item may be, in bytes.
    pub(super) fn list(self, limit: usize) -> AnyFramer<ListPart> {
        match self {
            Self::Json => Box::new(json::list::JsonListFramer::new(limit)),
            Self::Protobuf => Box::new(protobuf::list::ProtobufListFramer::new(limit)),
        }
    }

    /// Takes watches apart. `limit`: how large an object may be, in bytes.
    pub(super) fn watch(self, limit: usize) -> AnyFramer<WatchPart> {
        match self {
            Self::Json => Box::new(json::events::JsonWatchFramer::new(limit)),
            Self::Protobuf => Box::new(protobuf::events::ProtobufWatchFramer::new(limit)),
        }
    }

    /// Reads as much of an object as there is.
    pub(super) fn peek(self, object: &[u8]) -> Peeked {
        match self {
            Self::Json => json::peek::peek(object),
            Self::Protobuf => protobuf::peek::peek(object),
        }
    }

    /// Which object this is, and in which state; `None`: it does not say so plainly.
    pub(super) fn state(self, object: &[u8]) -> Option<ObjectState<'_>> {
        match self {
            Self::Json => json::peek::state(object),
            Self::Protobuf => protobuf::peek::state(object),
        }
    }

    /// Type and object of an event, or as much of it as there is.
    pub(super) fn open(self, event: &RawBytes) -> Option<RawEvent> {
        match (self, event) {
            (Self::Json, RawBytes::Whole(event)) => json::events::open(event).ok(),
            (Self::Json, RawBytes::Oversized(head)) => json::events::open_head(head),
            (Self::Protobuf, RawBytes::Whole(event)) => protobuf::events::open(event),
            (Self::Protobuf, RawBytes::Oversized(head)) => protobuf::events::open_head(head),
        }
    }

    /// What a list's metadata says; `None`: it is not as it should be.
    pub(super) fn metadata(self, metadata: &[u8]) -> Option<ListMetadata> {
        match self {
            Self::Json => json::list::metadata(metadata),
            Self::Protobuf => protobuf::list::metadata(metadata),
        }
    }

    /// What a Status says; `None`: it is none. `code` stands where it has none.
    pub(super) fn status(self, body: &[u8], code: u16) -> Option<ApiStatus> {
        let parsed = match self {
            Self::Json => crate::decode::json(body, PhantomData, MEMORY_LIMIT).ok()?,
            Self::Protobuf => ProtobufObject::from_envelope(body).ok()?.decode().ok()?,
        };
        super::answer::parse_status(&parsed, code)
    }
}

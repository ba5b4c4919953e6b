//! Faults: the ways in which a request or its answer is wrong.

use std::error::Error as StdError;
use std::time::Duration;

use super::status::ApiStatus;
use super::texts::chain;
use crate::object::{ObjectKey, ResourceVersion};

/// The failure of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The server answered with an error status.
    #[error("{0}")]
    Status(ApiStatus),
    /// No answer came. Causes include refused connections, name resolution, TLS and credential
    /// plug-ins. The text names every cause, but never the output of a plug-in.
    #[error("no answer: {}", chain(&**.source))]
    Connect {
        /// True if the connection was refused.
        refused: bool,
        /// The error of the client.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The connection broke before the end of the answer.
    #[error("the answer broke off after {received} bytes: {}", chain(&**.source))]
    Interrupted {
        /// The number of bytes of the body that had arrived.
        received: u64,
        /// The error of the connection.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The answer ended cleanly, but in the middle of a value.
    #[error("the answer ended after {received} bytes, in the middle of {within}")]
    Truncated {
        /// The number of bytes of the body that had arrived.
        received: u64,
        /// The part of the answer that was not finished.
        within: &'static str,
    },
    /// The answer is malformed.
    #[error("malformed answer at byte {offset}: {problem}")]
    Malformed {
        /// The position in the uncompressed body, in bytes.
        offset: u64,
        /// The problem at this position.
        problem: String,
    },
    /// A compressed answer is damaged. What it brought before may be damaged, too.
    #[error(
        "the compressed answer is damaged after {inflated} bytes: {problem}; uncompressed answers \
         are requested for ten minutes"
    )]
    Damaged {
        /// The number of uncompressed bytes before the damage was found.
        inflated: u64,
        /// The kind of damage.
        problem: &'static str,
    },
    /// The answer has a media type that was not requested.
    #[error("the answer has media type {0:?}, which was not requested")]
    MediaType(String),
    /// The answer is compressed in a way that was not requested. A proxy may have compressed it.
    #[error(
        "the answer has Content-Encoding {0:?}, which was not requested; check for a proxy that \
         compresses answers"
    )]
    ContentEncoding(String),
    /// An object or event is larger than
    /// [`ApiSource::object_limit`](crate::transport::ApiSource::object_limit). Its neighbours are
    /// not affected.
    #[error(
        "the object at byte {offset} is larger than the limit of {limit} bytes; raise `object_limit` if \
         objects may be this large"
    )]
    TooLarge {
        /// The position in the body where it begins, in bytes.
        offset: u64,
        /// The limit, in bytes.
        limit: usize,
    },
    /// An object cannot be decoded. Its neighbours are not affected.
    #[error("{} can't be decoded: {problem}", named(.key.as_ref()))]
    Undecodable {
        /// The key of the object, if it could be read.
        key: Option<ObjectKey>,
        /// The path of the field, the problem and its position in the object. It never contains the
        /// object's contents: a key of a map is shown as `*`.
        problem: String,
    },
    /// An object has another kind than was requested.
    #[error("the answer has an object of kind {found:?}, but {expected:?} was requested")]
    WrongKind {
        /// The requested kind.
        expected: String,
        /// The kind of the object.
        found: String,
    },
    /// An object is not in the requested namespace: it has another one, or none. The answer is that
    /// to another request, and is not used.
    #[error("the answer has {0}, which is not in the requested namespace")]
    WrongNamespace(ObjectKey),
    /// A list has no `resourceVersion`, so no watch can start from it.
    #[error("the list has no metadata.resourceVersion, so no watch can start from it")]
    NoVersion,
    /// A list says that objects remain after its last page, so it is not whole. It deletes nothing,
    /// and is requested again.
    #[error(
        "the list ends, but says that {remaining} objects remain: there is no metadata.continue to \
         request them with; look at the server, or at a proxy that leaves it out"
    )]
    MissingRest {
        /// The number of objects that remain, as the server states it.
        remaining: u64,
    },
    /// A list is older than what was already seen, or a page is older than the first page. It comes
    /// from a lagging server. A page is also refused if the two versions can't be compared.
    #[error("the list has version {listed}, but version {known} was already seen")]
    StaleList {
        /// The version of the list or page.
        listed: ResourceVersion,
        /// The newest version that was seen, or that of the first page.
        known: ResourceVersion,
    },
    /// A watch sent an event that is older than what was already seen.
    #[error("the watch sent version {event}, but version {known} was already seen")]
    OutOfOrder {
        /// The event's version.
        event: ResourceVersion,
        /// The newest version that was seen.
        known: ResourceVersion,
    },
    /// A watch added two objects that were known at the version that it was requested from, and did
    /// not delete them before. Or it modified two objects into their known states. The server began
    /// from nothing, so its versions are made up, as those of some aggregated servers are. It never
    /// tells of objects that were deleted before the watch, so everything is listed again.
    ///
    /// A watch that begins from nothing and adds fewer known objects shows nothing: it looks like
    /// that of a quiet collection, or like a repetition of the last event. One that sends objects
    /// as modified shows nothing if the versions are all equal, or newer than the known ones.
    #[error(
        "the watch from version {from} sent objects again that are known; everything is listed \
         again, because the server does not tell what was deleted before"
    )]
    Replayed {
        /// The version that the watch was requested from.
        from: ResourceVersion,
    },
    /// A watch ended cleanly within a second, without an event.
    #[error("the watch ended within a second, without an event")]
    ShortWatch,
    /// A watch ended cleanly within a second, after some events.
    #[error("the watch ended within a second, after {events} events; the next one is delayed")]
    EndedEarly {
        /// The number of events that it had sent.
        events: u64,
    },
    /// The server sent no complete item for this long, so the request was abandoned.
    #[error("the server sent no complete item for {0:?}, so the request was abandoned")]
    Silent(Duration),
    /// A streaming list did not announce the end of its initial events within this time.
    #[error("the end of the initial events was not announced within {0:?}")]
    NoInitialEventsEnd(Duration),
    /// The request could not be built.
    #[error("invalid request: {0}")]
    Request(String),
    /// The source, or a part of the reflector, panicked. This is the panic's message.
    #[error("the source or the reflector panicked: {0}")]
    Panicked(String),
    /// The user's transform panicked on the object with this key.
    #[error("the transform panicked on {0}")]
    TransformPanicked(ObjectKey),
}

/// The unfinished part of a compressed answer that ended too early.
pub(crate) const GZIP_MEMBER: &str = "a gzip member";

impl Fault {
    /// Returns whether a compressed answer was damaged, so that what it brought before may be
    /// damaged, too.
    pub(crate) fn shows_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Truncated { within: GZIP_MEMBER, .. })
    }
}

fn named(key: Option<&ObjectKey>) -> String {
    key.map_or_else(|| "an object without a readable key".into(), ToString::to_string)
}

//! A reader of one answer: from the bytes of the body to its items, in any encoding.
//!
//! Known objects are recognised here and not decoded. The consumer of the items decodes the others.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kube_decode::protobuf::{ItemType, ProtobufObject};
use tokio::time::{Instant, timeout_at};

use super::answer::{ERROR_BODY_LIMIT, Incoming};
use super::framing::capture::RawBytes;
use super::framing::{
    AnyFramer, Encoding, EventKind, ListPart, Malformed, Peeked, RawEvent, WatchPart, json,
    stated_version,
};
use super::list_kind::{Expected, METADATA, StatedType, clip, wrong_list};
use super::raw_item::{RawItem, RawObject, ResponseContext};
use super::shard_filter::ShardFilter;
use crate::codec::{Codec, Codecs};
use crate::error::{Fault, SourceError};
use crate::lister_watcher::{ListItem, ListMetadata, SourceObject, Undecodable, WatchItem};
use crate::object::KnownObjects;
use crate::sync::Mutex;
use crate::yield_budget::YieldBudget;

/// The cost of skipping a byte, as a fraction of the cost of decoding it.
const SKIPPED_PER_DECODED: usize = 8;

/// The time limit for the end of a body after its JSON list. The list is complete, but the end
/// lets the client use the connection again.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// A reader of one answer whose body has parts of type `P`.
pub(super) struct Reader<P> {
    pub(super) answer: Arc<ResponseContext>,
    pub(super) incoming: Incoming,
    /// Splits the body into parts.
    pub(super) framer: AnyFramer<P>,
    /// The group and version that objects must have.
    pub(super) api_version: Arc<str>,
    /// The kind that objects must have.
    pub(super) kind: Arc<str>,
    /// True if the type is built into Kubernetes.
    pub(super) built_in: bool,
    /// True if only metadata was requested. Objects may then have the kind of metadata.
    pub(super) metadata_only: bool,
    pub(super) codecs: Arc<Codecs>,
    /// The codec of the next object.
    pub(super) codec: Arc<Codec>,
    /// The known objects, which are not decoded again.
    pub(super) known: Option<Arc<dyn KnownObjects>>,
    /// The filter of the requested shard. `None` if all objects are requested.
    pub(super) shard: Option<ShardFilter>,
    /// True if objects are decoded on other threads.
    pub(super) elsewhere: bool,
    /// The type that a JSON list has stated so far.
    pub(super) stated: StatedType,
    /// The metadata of a JSON list whose kind has not come yet. That of another list says nothing.
    pub(super) untyped: Option<ListMetadata>,
    /// The kind of the last JSON list.
    pub(super) list_kind: Arc<Mutex<Option<String>>>,
    /// Yields, because a large list may arrive faster than it can be decoded.
    pub(super) budget: YieldBudget,
    /// The frames so far, until the body proves to be no Status, or too long for one.
    pub(super) head: Option<Vec<Bytes>>,
}

impl Reader<ListPart> {
    /// Reads the next item of a list. `None` at the end of a complete list.
    pub(super) async fn next_item(
        mut self,
    ) -> Result<Option<(RawItem<ListItem>, Self)>, SourceError> {
        let mut ends = None;
        loop {
            match self.framer.next() {
                Some(Ok(ListPart::Item(object, offset))) => {
                    self.budget.pause().await;
                    if let Some(shard) = &self.shard
                        && shard.excludes(object.kept())
                    {
                        if let Some(key) = shard.elsewhere(object.kept()) {
                            return Err(self.error(Fault::WrongNamespace(key)));
                        }
                        let key = shard.moved_key(object.kept());
                        // A list of another kind is an error, and not an empty shard.
                        self.check_item(&object)?;
                        self.budget.charge_bytes(object.kept().len() / SKIPPED_PER_DECODED);
                        return Ok(Some((RawItem::Item(ListItem::Outside(key)), self)));
                    }
                    let item = if let Some(unchanged) = self.unchanged(&object) {
                        RawItem::Item(ListItem::Object(Ok(unchanged)))
                    } else {
                        self.check_item(&object)?;
                        self.object(object, offset, ListItem::Object)
                    };
                    return Ok(Some((item, self)));
                }
                Some(Ok(ListPart::Metadata(metadata, offset))) => {
                    let metadata = self.metadata(&metadata, offset)?;
                    self.stated.version |= metadata.version.is_some();
                    self.stated.continues |= metadata.continue_token.is_some()
                        || metadata.remaining.is_some_and(|count| count > 0);
                    if self.answer.encoding == Encoding::Json && self.stated.kind.is_none() {
                        self.untyped = Some(metadata);
                        continue;
                    }
                    return Ok(Some((RawItem::Item(ListItem::Meta(metadata)), self)));
                }
                Some(Ok(ListPart::Items)) => self.stated.items = true,
                Some(Ok(ListPart::Types { api_version, kind })) => {
                    match self.take_types(&api_version, &kind) {
                        Ok(()) => self.head = None,
                        Err(error) => return Err(self.failure(&kind).await.unwrap_or(error)),
                    }
                }
                Some(Ok(ListPart::ApiVersion(version))) => {
                    self.stated.api_version = Some(version);
                    self.check_list().await?;
                }
                Some(Ok(ListPart::Kind(kind))) => {
                    self.stated.kind = Some(kind);
                    self.check_list().await?;
                    if let Some(metadata) = self.untyped.take() {
                        return Ok(Some((RawItem::Item(ListItem::Meta(metadata)), self)));
                    }
                }
                Some(Err(malformed)) => return Err(self.malformed(&malformed)),
                None => match (self.next_frame(&mut ends).await, self.framer.within()) {
                    (Some(frame), _) => self.push(frame.map_err(|fault| self.error(fault))?),
                    (None, None) => {
                        if self.answer.encoding == Encoding::Json {
                            let (expected, size) = (self.expected(), self.incoming.returned());
                            let whole = self.stated.check_whole(&expected, &self.list_kind, size);
                            whole.map_err(|fault| self.error(fault))?;
                        }
                        self.incoming.finish();
                        let untyped = self.untyped.take();
                        return Ok(untyped.map(|meta| (RawItem::Item(ListItem::Meta(meta)), self)));
                    }
                    (None, Some(within)) => return Err(self.truncated(within)),
                },
            }
        }
    }

    /// Returns the next frame of the body. `None` at its end, and at the time `ends`, which is set
    /// at the end of a JSON list.
    async fn next_frame(&mut self, ends: &mut Option<Instant>) -> Option<Result<Bytes, Fault>> {
        if self.answer.encoding != Encoding::Json || self.framer.within().is_some() {
            return self.incoming.next().await;
        }
        let ends = *ends.get_or_insert_with(|| Instant::now() + END_PATIENCE);
        // A body in memory always has another frame.
        if Instant::now() < ends
            && let Ok(next) = timeout_at(ends, self.incoming.next()).await
        {
            return next;
        }
        // Without its checksum, compressed data may be damaged.
        self.incoming.cut_short().map(Err)
    }
}

impl Reader<WatchPart> {
    /// Reads the next event of a watch. `None` at the end.
    pub(super) async fn next_event(
        mut self,
    ) -> Result<Option<(RawItem<WatchItem>, Self)>, SourceError> {
        loop {
            match self.framer.next() {
                Some(Ok(event)) => {
                    self.head = None;
                    self.budget.pause().await;
                    let item = self.event(event);
                    return Ok(Some((item, self)));
                }
                Some(Err(malformed)) => return Err(self.malformed(&malformed)),
                None => match (self.incoming.next().await, self.framer.within()) {
                    (Some(frame), _) => self.push(frame.map_err(|fault| self.error(fault))?),
                    (None, None) => return Ok(None),
                    (None, Some(within)) => {
                        // A protobuf Status looks like the beginning of a long event.
                        let body = self.head.take().unwrap_or_default().concat();
                        let Some(status) = self.answer.encoding.failure(&body) else {
                            return Err(self.truncated(within));
                        };
                        let failed = WatchItem::Failed(self.error(Fault::Status(status)));
                        return Ok(Some((RawItem::Item(failed), self)));
                    }
                },
            }
        }
    }
}

impl<P> Reader<P> {
    fn push(&mut self, frame: Bytes) {
        if let Some(head) = &mut self.head {
            head.push(frame.clone());
            if self.incoming.returned() > ERROR_BODY_LIMIT as u64 {
                self.head = None;
            }
        }
        self.framer.push(frame);
    }

    /// Reads the rest of a body of this kind, which is not the requested list. Returns the error of
    /// a Status that reports a failure, although the answer's code is a success.
    async fn failure(&mut self, kind: &str) -> Option<SourceError> {
        let mut body = self.head.take().filter(|_| kind == "Status")?.concat();
        self.incoming.read_error(&mut body).await;
        let status = self.answer.encoding.failure(&body)?;
        Some(self.error(Fault::Status(status)))
    }

    /// Returns the known object if these bytes state its key, uid and version.
    fn unchanged(&mut self, object: &RawBytes) -> Option<SourceObject> {
        let (known, RawBytes::Whole(object)) = (self.known.as_ref()?, object) else { return None };
        let (key, known) = known.unchanged(&self.answer.encoding.state(object)?)?;
        self.budget.charge_bytes(object.len() / SKIPPED_PER_DECODED);
        Some(SourceObject::unchanged(key, known))
    }

    /// Returns the known object of an event, as [`unchanged`](Self::unchanged) does. An object of
    /// another kind is never known, because it has another uid.
    fn unchanged_event(&mut self, event: &RawBytes, object: &Bytes) -> Option<SourceObject> {
        let whole = matches!(event, RawBytes::Whole(_)) && self.known.is_some();
        whole.then(|| self.unchanged(&RawBytes::Whole(object.clone())))?
    }

    /// Returns an object to decode, which becomes an item.
    fn object<T>(
        &mut self,
        bytes: RawBytes,
        offset: u64,
        item: fn(Result<SourceObject, Undecodable>) -> T,
    ) -> RawItem<T> {
        let (codec, answer) = (self.codec.clone(), self.answer.clone());
        let object = RawObject { bytes, offset, codec, answer };
        let cost = if self.elsewhere { object.len() / SKIPPED_PER_DECODED } else { object.len() };
        self.budget.charge_bytes(cost);
        RawItem::Object { object, item }
    }

    fn event(&mut self, (event, opened, offset): WatchPart) -> RawItem<WatchItem> {
        let Some(RawEvent { kind, object }) = opened else {
            if let RawBytes::Whole(event) = &event
                && let Some(status) = self.answer.encoding.failure(event)
            {
                let failed = WatchItem::Failed(self.error(Fault::Status(status)));
                return RawItem::Item(failed);
            }
            // The change is unknown, as with an object without a readable name.
            let fault = if let RawBytes::Oversized(_) = event {
                Fault::TooLarge { offset, limit: self.answer.limit }
            } else {
                let problem = "an event without type and object".to_owned();
                Fault::Malformed { offset, problem }
            };
            let undecodable = Undecodable::new(&Peeked::default(), self.error(fault));
            return RawItem::Item(WatchItem::Modified(Err(undecodable)));
        };
        if let Some(outside) = self.outside(&event, kind, &object) {
            return RawItem::Item(outside);
        }
        let item = match kind {
            EventKind::Added => match self.unchanged_event(&event, &object) {
                Some(unchanged) => WatchItem::Added(Ok(unchanged)),
                None => return self.change(&event, object, offset, WatchItem::Added),
            },
            EventKind::Modified => {
                return self.change(&event, object, offset, WatchItem::Modified);
            }
            EventKind::Deleted => return self.change(&event, object, offset, WatchItem::Deleted),
            EventKind::Bookmark => self.bookmark(&object, offset),
            EventKind::Error => {
                // Do not quote a body that is no Status, because it may be any object.
                let fault = self.answer.encoding.status(&object, 500).map_or_else(
                    || {
                        let problem = "an ERROR event without a Status".to_owned();
                        Fault::Malformed { offset, problem }
                    },
                    Fault::Status,
                );
                WatchItem::Failed(self.error(fault))
            }
            // Do not quote the type, because the server may send one of any length.
            EventKind::Unknown => self.skipped("an event of an unknown type", offset),
        };
        RawItem::Item(item)
    }

    fn change(
        &mut self,
        event: &RawBytes,
        object: Bytes,
        offset: u64,
        item: fn(Result<SourceObject, Undecodable>) -> WatchItem,
    ) -> RawItem<WatchItem> {
        let object = match event {
            RawBytes::Oversized(_) => RawBytes::Oversized(object),
            RawBytes::Whole(_) => {
                if let Some(failed) = self.of_another_kind(&object) {
                    return RawItem::Item(failed);
                }
                RawBytes::Whole(object)
            }
        };
        self.object(object, offset, item)
    }

    /// Returns the item for an event of an object outside of the requested shard.
    fn outside(&mut self, event: &RawBytes, kind: EventKind, object: &Bytes) -> Option<WatchItem> {
        if !matches!(kind, EventKind::Added | EventKind::Modified | EventKind::Deleted) {
            return None;
        }
        let shard = self.shard.as_ref()?;
        let outside = shard.outside(kind, object)?;
        if let Some(key) = shard.elsewhere(object) {
            return Some(WatchItem::Failed(self.error(Fault::WrongNamespace(key))));
        }
        self.budget.charge_bytes(object.len() / SKIPPED_PER_DECODED);
        let whole = matches!(event, RawBytes::Whole(_));
        let failed = if whole { self.of_another_kind(object) } else { None };
        Some(failed.unwrap_or(outside))
    }

    /// Returns the item for an event or bookmark of another kind than the requested one: the answer
    /// is that to another request, and no version in it says anything about this watch.
    fn of_another_kind(&self, object: &Bytes) -> Option<WatchItem> {
        let (expected, found) = self.other_kind(object)?;
        Some(WatchItem::Failed(self.error(Fault::WrongKind { expected, found })))
    }

    /// Returns the requested type and the type of an object, if they differ.
    fn other_kind(&self, object: &Bytes) -> Option<(String, String)> {
        if self.answer.encoding == Encoding::Json {
            if let (Some(api_version), Some(kind)) = json::peek::leading_types(object)
                && self.is_usual(api_version, kind)
            {
                return None;
            }
        } else if let Ok(object) = ProtobufObject::from_envelope(object)
            && object.types().is_some_and(|(api_version, kind)| self.is_usual(api_version, kind))
        {
            return None;
        }
        let Peeked { api_version, kind, .. } = self.answer.encoding.peek(object);
        let (kind, api_version) = (kind?, api_version.unwrap_or_default());
        if self.is_usual(&api_version, &kind) {
            return None;
        }
        if kind != *self.kind {
            return Some((self.kind.to_string(), clip(&kind)));
        }
        let requested = format!("{} {}", self.api_version, self.kind);
        Some((requested, format!("{} {}", clip(&api_version), clip(&kind))))
    }

    fn bookmark(&mut self, object: &Bytes, offset: u64) -> WatchItem {
        if let Some(failed) = self.of_another_kind(object) {
            return failed;
        }
        let peeked = self.answer.encoding.peek(object);
        if peeked.initial_events_end {
            // From here on, every event is new, whatever state it contains.
            self.known = None;
        }
        if let Some(version) = stated_version(peeked.version) {
            WatchItem::Bookmark { version, initial_events_end: peeked.initial_events_end }
        } else {
            self.skipped("a bookmark without a version", offset)
        }
    }

    /// Reads the list's metadata, which begins at this position.
    fn metadata(&self, bytes: &Bytes, offset: u64) -> Result<ListMetadata, SourceError> {
        self.answer.encoding.metadata(bytes).map_err(|at| {
            let problem = "the list's metadata is malformed".to_owned();
            self.error(Fault::Malformed { offset: offset + at as u64, problem })
        })
    }

    /// Notes the type that a protobuf list states, which determines the codec of its items.
    fn take_types(&mut self, api_version: &str, kind: &str) -> Result<(), SourceError> {
        let usual = kind.strip_suffix("List").is_some_and(|kind| self.is_usual(api_version, kind));
        let item = ItemType::of(api_version, kind).filter(|_| usual);
        let item = item.ok_or_else(|| {
            self.error(wrong_list(&self.api_version, &self.kind, api_version, kind))
        })?;
        self.codec = self.codecs.of(self.answer.encoding, Some(item));
        Ok(())
    }

    /// Returns whether objects of this type may be the requested ones.
    fn is_usual(&self, api_version: &str, kind: &str) -> bool {
        if self.metadata_only && kind == METADATA {
            return true;
        }
        *kind == *self.kind && (api_version.is_empty() || *api_version == *self.api_version)
    }

    /// Checks that a successful answer holds the requested list.
    async fn check_list(&mut self) -> Result<(), SourceError> {
        let Err(fault) = self.stated.check(&self.expected()) else { return Ok(()) };
        let (error, kind) = (self.error(fault), self.stated.kind.clone().unwrap_or_default());
        Err(self.failure(&kind).await.unwrap_or(error))
    }

    fn check_item(&self, item: &RawBytes) -> Result<(), SourceError> {
        let RawBytes::Whole(item) = item else { return Ok(()) };
        if self.answer.encoding == Encoding::Protobuf {
            return Ok(());
        }
        self.stated.check_item(item, &self.expected()).map_err(|fault| self.error(fault))
    }

    fn expected(&self) -> Expected<'_> {
        Expected {
            api_version: &self.api_version,
            kind: &self.kind,
            built_in: self.built_in,
            metadata_only: self.metadata_only,
        }
    }

    fn skipped(&self, problem: &str, offset: u64) -> WatchItem {
        let problem = problem.to_owned();
        WatchItem::Skipped(self.error(Fault::Malformed { offset, problem }))
    }

    fn truncated(&self, within: &'static str) -> SourceError {
        self.error(self.incoming.truncated(within))
    }

    fn malformed(&self, malformed: &Malformed) -> SourceError {
        let &Malformed { offset, problem } = malformed;
        if self.incoming.falls_back_if_compressed() {
            // Its checksum has not come yet.
            return self.error(Fault::Damaged { inflated: offset, problem });
        }
        self.error(Fault::Malformed { offset, problem: problem.to_owned() })
    }

    fn error(&self, fault: Fault) -> SourceError {
        SourceError::new(self.answer.request.clone(), fault)
    }
}

impl<P> fmt::Debug for Reader<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("request", &self.answer.request)
            .field("encoding", &self.answer.encoding)
            .finish_non_exhaustive()
    }
}

//! A source's part in one answer: from the bytes of a body to its pieces, whatever the encoding.
//!
//! What is known already is passed over here; what is not is decoded by who takes the pieces.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use kube::Resource;

use super::answer::Incoming;
use super::framing::capture::RawBytes;
use super::framing::{
    AnyFramer, Encoding, EventKind, ListPart, Malformed, Peeked, RawEvent, WatchPart,
};
use super::list_kind::{Expected, Said, clip};
use super::raw_item::{Answer, RawItem, RawObject};
use crate::decode::codec::{Codec, Codecs};
use crate::decode::protobuf::{ItemType, ProtobufObject};
use crate::error::{Fault, SourceError};
use crate::lister_watcher::{ListItem, ListMetadata, SourceObject, Undecodable, WatchItem};
use crate::object::KnownObjects;
use crate::yield_budget::YieldBudget;

/// Passing over a byte costs this fraction of decoding it.
const PASSED_OVER: usize = 8;

/// Reads one answer, whose body has these parts.
pub(super) struct Reader<K, P> {
    pub(super) answer: Arc<Answer<K>>,
    pub(super) incoming: Incoming,
    /// Takes the body apart.
    pub(super) framer: AnyFramer<P>,
    /// The group and version that objects are to be of.
    pub(super) api_version: Arc<str>,
    /// The kind that objects are to be of.
    pub(super) kind: Arc<str>,
    /// The type is built into Kubernetes.
    pub(super) built_in: bool,
    /// Only their metadata was asked for: their kind may be that of metadata.
    pub(super) metadata_only: bool,
    pub(super) codecs: Arc<Codecs<K>>,
    /// Decodes the next object.
    pub(super) codec: Arc<Codec<K>>,
    /// What need not be decoded, as it is known already.
    pub(super) known: Option<Arc<dyn KnownObjects<K>>>,
    /// What comes belongs to a list, or to what a watch tells first.
    pub(super) initial: bool,
    /// Objects are decoded on other threads.
    pub(super) elsewhere: bool,
    /// What a list in JSON said of itself.
    pub(super) said: Said,
    /// A large list may come faster than it can be decoded, and would never wait.
    pub(super) budget: YieldBudget,
}

impl<K: Resource + 'static> Reader<K, ListPart> {
    /// Reads the next item of a list; `None`: it is whole.
    pub(super) async fn next_item(
        mut self,
    ) -> Result<Option<(RawItem<K, ListItem<K>>, Self)>, SourceError> {
        loop {
            match self.framer.next() {
                Some(Ok(ListPart::Item(object, offset))) => {
                    self.budget.pause().await;
                    let item = if let Some(unchanged) = self.unchanged(&object) {
                        RawItem::Item(ListItem::Object(Ok(unchanged)))
                    } else {
                        self.check_item(&object)?;
                        self.object(object, offset, ListItem::Object)
                    };
                    return Ok(Some((item, self)));
                }
                Some(Ok(ListPart::Metadata(metadata))) => {
                    let metadata = self.metadata(&metadata)?;
                    return Ok(Some((RawItem::Item(ListItem::Meta(metadata)), self)));
                }
                Some(Ok(ListPart::Items)) => self.said.items = true,
                Some(Ok(ListPart::Types { api_version, kind })) => {
                    self.take_types(&api_version, &kind)?;
                }
                Some(Ok(ListPart::ApiVersion(version))) => {
                    self.said.api_version = Some(version);
                    self.check_list()?;
                }
                Some(Ok(ListPart::Kind(kind))) => {
                    self.said.kind = Some(kind);
                    self.check_list()?;
                }
                Some(Err(malformed)) => return Err(self.malformed(&malformed)),
                None => match (self.incoming.next().await, self.framer.within()) {
                    (Some(frame), _) => self.framer.push(frame.map_err(|fault| self.error(fault))?),
                    (None, None) => {
                        if self.answer.encoding == Encoding::Json {
                            let whole = self.said.check_whole(&self.expected());
                            whole.map_err(|fault| self.error(fault))?;
                            // In JSON a list always says what its items are, even if they are none.
                            if !self.said.items {
                                return Err(self.truncated("a list without items"));
                            }
                        }
                        return Ok(None);
                    }
                    (None, Some(within)) => return Err(self.truncated(within)),
                },
            }
        }
    }
}

impl<K: Resource + 'static> Reader<K, WatchPart> {
    /// Reads the next event of a watch; `None`: it ended.
    pub(super) async fn next_event(
        mut self,
    ) -> Result<Option<(RawItem<K, WatchItem<K>>, Self)>, SourceError> {
        loop {
            match self.framer.next() {
                Some(Ok((object, offset))) => {
                    self.budget.pause().await;
                    let item = self.event(&object, offset);
                    return Ok(Some((item, self)));
                }
                Some(Err(malformed)) => return Err(self.malformed(&malformed)),
                None => match (self.incoming.next().await, self.framer.within()) {
                    (Some(frame), _) => self.framer.push(frame.map_err(|fault| self.error(fault))?),
                    (None, None) => return Ok(None),
                    (None, Some(within)) => return Err(self.truncated(within)),
                },
            }
        }
    }
}

impl<K: Resource + 'static, P> Reader<K, P> {
    /// The known object that these bytes are, if they say that they are that.
    fn unchanged(&mut self, object: &RawBytes) -> Option<SourceObject<K>> {
        let (known, RawBytes::Whole(object)) = (self.known.as_ref()?, object) else { return None };
        let (key, known) = known.unchanged(&self.answer.encoding.state(object)?)?;
        self.budget.charge_bytes(object.len() / PASSED_OVER);
        Some(SourceObject::unchanged(key, known))
    }

    /// As [`unchanged`](Self::unchanged), of what an event holds. An object of another kind is not
    /// among the known ones: it has another uid.
    fn unchanged_event(&mut self, event: &RawBytes, object: &Bytes) -> Option<SourceObject<K>> {
        let whole = matches!(event, RawBytes::Whole(_)) && self.known.is_some();
        whole.then(|| self.unchanged(&RawBytes::Whole(object.clone())))?
    }

    /// An object that is to become this item.
    fn object<T>(
        &mut self,
        bytes: RawBytes,
        offset: u64,
        item: fn(Result<SourceObject<K>, Undecodable>) -> T,
    ) -> RawItem<K, T> {
        let (codec, answer) = (self.codec.clone(), self.answer.clone());
        let object = RawObject { bytes, offset, bulk: self.initial, codec, answer };
        let cost = if self.elsewhere { object.len() / PASSED_OVER } else { object.len() };
        self.budget.charge_bytes(cost);
        RawItem::Object { object, item }
    }

    fn event(&mut self, event: &RawBytes, offset: u64) -> RawItem<K, WatchItem<K>> {
        let Some(RawEvent { kind, object }) = self.answer.encoding.open(event) else {
            // What it changed is not known: as with an object that can't be named.
            let problem = "an event without type and object".to_owned();
            let fault = Fault::Malformed { offset, problem };
            let undecodable = Undecodable::new(&Peeked::default(), self.error(fault));
            return RawItem::Item(WatchItem::Modified(Err(undecodable)));
        };
        let item = match kind {
            EventKind::Added => match self.unchanged_event(event, &object) {
                Some(unchanged) => WatchItem::Added(Ok(unchanged)),
                None => return self.change(event, object, offset, WatchItem::Added),
            },
            EventKind::Modified => {
                return self.change(event, object, offset, WatchItem::Modified);
            }
            EventKind::Deleted => return self.change(event, object, offset, WatchItem::Deleted),
            EventKind::Bookmark => self.bookmark(&object, offset),
            EventKind::Error => {
                // What is no Status is not repeated: it may be an object like any other.
                let fault = self.answer.encoding.status(&object, 500).map_or_else(
                    || {
                        let problem = "an ERROR event without a Status".to_owned();
                        Fault::Malformed { offset, problem }
                    },
                    Fault::Status,
                );
                WatchItem::Failed(self.error(fault))
            }
            // Not the type itself: it is the server's word, and there is no bound on it.
            EventKind::Unknown => self.skipped("an event of an unknown type", offset),
        };
        RawItem::Item(item)
    }

    fn change(
        &mut self,
        event: &RawBytes,
        object: Bytes,
        offset: u64,
        item: fn(Result<SourceObject<K>, Undecodable>) -> WatchItem<K>,
    ) -> RawItem<K, WatchItem<K>> {
        let object = match event {
            RawBytes::Oversized(_) => RawBytes::Oversized(object),
            RawBytes::Whole(_) => {
                if let Some(found) = self.other_kind(&object) {
                    let expected = self.kind.to_string();
                    let fault = Fault::WrongKind { expected, found };
                    return RawItem::Item(WatchItem::Skipped(self.error(fault)));
                }
                RawBytes::Whole(object)
            }
        };
        self.object(object, offset, item)
    }

    /// The kind that an object says it is of. Where metadata was asked for, a server that does not
    /// know how to give it alone gives whole objects, which hold it too.
    fn usual_kind(&self) -> &str {
        if self.metadata_only { "PartialObjectMetadata" } else { &self.kind }
    }

    /// The kind of an object that says it is not what was asked for.
    fn other_kind(&self, object: &Bytes) -> Option<String> {
        if self.answer.encoding == Encoding::Json {
            // Nearly always the kind is the first thing said, or the second.
            let head = &object[..object.len().min(128)];
            let canonical = format!("\"kind\":\"{}\"", self.usual_kind());
            if memchr::memmem::find(head, canonical.as_bytes()).is_some() {
                return None;
            }
        } else if let Ok(object) = ProtobufObject::from_envelope(object)
            && object.types().is_some_and(|(_, kind)| kind == self.usual_kind())
        {
            return None;
        }
        let other = |kind: &String| **kind != *self.kind && **kind != *self.usual_kind();
        let kind = self.answer.encoding.peek(object).kind.filter(other);
        kind.map(|kind| clip(&kind))
    }

    fn bookmark(&mut self, object: &Bytes, offset: u64) -> WatchItem<K> {
        let peeked = self.answer.encoding.peek(object);
        if peeked.initial_events_end {
            // From here on an event is news, whatever state it tells.
            self.known = None;
            self.initial = false;
        }
        if let Some(version) = peeked.version.filter(|version| !version.is_empty()) {
            WatchItem::Bookmark {
                version: (&*version).into(),
                initial_events_end: peeked.initial_events_end,
            }
        } else {
            self.skipped("a bookmark without a version", offset)
        }
    }

    fn metadata(&self, bytes: &Bytes) -> Result<ListMetadata, SourceError> {
        self.answer.encoding.metadata(bytes).ok_or_else(|| {
            let problem = "the list's metadata is not as it should be".to_owned();
            self.error(Fault::Malformed { offset: 0, problem })
        })
    }

    /// Takes over what a list in protobuf is, which says how to read it.
    fn take_types(&mut self, api_version: &str, kind: &str) -> Result<(), SourceError> {
        let usual = kind.strip_suffix("List");
        let usual = usual.is_some_and(|kind| kind == self.usual_kind() || *kind == *self.kind);
        let item = ItemType::of(api_version, kind);
        let Some(item) = item.filter(|_| usual) else { return Err(self.no_list(kind)) };
        self.codec = self.codecs.of(self.answer.encoding, Some(item));
        Ok(())
    }

    /// A success that holds no list, or another one, must not be taken for the one asked for.
    fn check_list(&self) -> Result<(), SourceError> {
        self.said.check(&self.expected()).map_err(|fault| self.error(fault))
    }

    fn check_item(&self, item: &RawBytes) -> Result<(), SourceError> {
        let RawBytes::Whole(item) = item else { return Ok(()) };
        if self.answer.encoding == Encoding::Protobuf {
            return Ok(());
        }
        self.said.check_item(item, &self.expected()).map_err(|fault| self.error(fault))
    }

    fn expected(&self) -> Expected<'_> {
        Expected {
            api_version: &self.api_version,
            kind: &self.kind,
            built_in: self.built_in,
            metadata_only: self.metadata_only,
        }
    }

    fn no_list(&self, found: &str) -> SourceError {
        let expected = format!("{}List", self.kind);
        self.error(Fault::WrongKind { expected, found: clip(found) })
    }

    fn skipped(&self, problem: &str, offset: u64) -> WatchItem<K> {
        let problem = problem.to_owned();
        WatchItem::Skipped(self.error(Fault::Malformed { offset, problem }))
    }

    fn truncated(&self, within: &'static str) -> SourceError {
        self.error(self.incoming.truncated(within))
    }

    fn malformed(&self, malformed: &Malformed) -> SourceError {
        let problem = malformed.problem.to_owned();
        self.error(Fault::Malformed { offset: malformed.offset, problem })
    }

    fn error(&self, fault: Fault) -> SourceError {
        SourceError::new(self.answer.asked.clone(), fault)
    }
}

impl<K, P> fmt::Debug for Reader<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("asked", &self.answer.asked)
            .field("encoding", &self.answer.encoding)
            .finish_non_exhaustive()
    }
}

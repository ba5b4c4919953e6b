//! A source's part in one answer: from the bytes of a body to its pieces, whatever the encoding.
//!
//! What is known already is passed over here; what is not is decoded by who takes the pieces.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use kube::Resource;

use super::answer::Incoming;
use super::capture::Captured;
use super::decoding::Piece;
use super::forms::{Form, Forms};
use super::framer::{
    AnyFramer, Encoding, EventKind, ListPart, Malformed, Peeked, RawEvent, WatchPart,
};
use super::list_kind::{Expected, Said, clip};
use super::protobuf::{ItemType, ProtobufObject};
use super::undecoded::{Terms, Undecoded};
use crate::error::{Fault, SourceError};
use crate::lister_watcher::{Decoded, ListItem, ListMetadata, Undecodable, WatchItem};
use crate::object::{Cached, KnownObjects, ObjectKey};

/// After how many bytes without a pause the runtime's other tasks get their turn: a few pods, each of
/// which takes a tenth of a millisecond or two to decode. A pause costs a look at the network, so one
/// after each would cost a fifth of a first list's time.
const TURN: usize = 16 * 1024;

/// Passing over a byte costs this fraction of decoding it.
const PASSED_OVER: usize = 8;

/// Reads one answer.
pub(super) struct Reader<K> {
    pub(super) terms: Arc<Terms<K>>,
    pub(super) incoming: Incoming,
    pub(super) encoding: Encoding,
    /// The group and version that objects are to be of.
    pub(super) api_version: Arc<str>,
    /// The kind that objects are to be of.
    pub(super) kind: Arc<str>,
    /// The type is built into Kubernetes.
    pub(super) built_in: bool,
    /// Only their metadata was asked for: their kind may be that of metadata.
    pub(super) metadata_only: bool,
    pub(super) forms: Arc<Forms<K>>,
    /// What the next object comes as.
    pub(super) form: Arc<Form<K>>,
    /// What need not be decoded, as it is known already.
    pub(super) known: Option<Arc<dyn KnownObjects<K>>>,
    /// What comes belongs to a list, or to what a watch tells first.
    pub(super) initial: bool,
    /// On how many threads objects are decoded.
    pub(super) threads: usize,
    /// What a list in JSON said of itself.
    pub(super) said: Said,
    /// What was done since the last pause, in bytes decoded.
    pub(super) spent: usize,
}

impl<K: Resource + 'static> Reader<K> {
    pub(super) async fn next_listed(
        (mut reader, mut framer): (Self, AnyFramer<ListPart>),
    ) -> Result<Option<(Piece<K, ListItem<K>>, (Self, AnyFramer<ListPart>))>, SourceError> {
        loop {
            match framer.next() {
                Some(Ok(ListPart::Item(captured, offset))) => {
                    reader.pause().await;
                    let item = if let Some((key, object)) = reader.unchanged(&captured) {
                        Piece::Item(ListItem::Unchanged(key, object))
                    } else {
                        reader.check_item(&captured)?;
                        reader.object(captured, offset, ListItem::Object)
                    };
                    return Ok(Some((item, (reader, framer))));
                }
                Some(Ok(ListPart::Metadata(metadata))) => {
                    let metadata = reader.metadata(&metadata)?;
                    return Ok(Some((Piece::Item(ListItem::Meta(metadata)), (reader, framer))));
                }
                Some(Ok(ListPart::Items)) => reader.said.items = true,
                Some(Ok(ListPart::Types { api_version, kind })) => {
                    reader.take_types(&api_version, &kind)?;
                }
                Some(Ok(ListPart::ApiVersion(version))) => {
                    reader.said.api_version = Some(version);
                    reader.check_list()?;
                }
                Some(Ok(ListPart::Kind(kind))) => {
                    reader.said.kind = Some(kind);
                    reader.check_list()?;
                }
                Some(Err(malformed)) => return Err(reader.malformed(&malformed)),
                None => match (reader.incoming.next().await, framer.within()) {
                    (Some(frame), _) => framer.push(frame.map_err(|fault| reader.error(fault))?),
                    (None, None) => {
                        if reader.encoding == Encoding::Json {
                            let whole = reader.said.check_whole(&reader.expected());
                            whole.map_err(|fault| reader.error(fault))?;
                            // In JSON a list always says what its items are, even if they are none.
                            if !reader.said.items {
                                return Err(reader.truncated("a list without items"));
                            }
                        }
                        return Ok(None);
                    }
                    (None, Some(within)) => return Err(reader.truncated(within)),
                },
            }
        }
    }

    pub(super) async fn next_watched(
        (mut reader, mut framer): (Self, AnyFramer<WatchPart>),
    ) -> Result<Option<(Piece<K, WatchItem<K>>, (Self, AnyFramer<WatchPart>))>, SourceError> {
        loop {
            match framer.next() {
                Some(Ok((captured, offset))) => {
                    reader.pause().await;
                    let item = reader.event(&captured, offset);
                    return Ok(Some((item, (reader, framer))));
                }
                Some(Err(malformed)) => return Err(reader.malformed(&malformed)),
                None => match (reader.incoming.next().await, framer.within()) {
                    (Some(frame), _) => framer.push(frame.map_err(|fault| reader.error(fault))?),
                    (None, None) => return Ok(None),
                    (None, Some(within)) => return Err(reader.truncated(within)),
                },
            }
        }
    }

    /// Lets the runtime's other tasks run now and then: a large list may come faster than it can be
    /// decoded, and would never wait.
    async fn pause(&mut self) {
        if self.spent >= TURN {
            self.spent = 0;
            crate::turns::give_way().await;
        }
    }

    /// The known object that these bytes are, if they say that they are that.
    fn unchanged(&mut self, object: &Captured) -> Option<(ObjectKey, Cached<K>)> {
        let (known, Captured::Whole(object)) = (self.known.as_ref()?, object) else { return None };
        let unchanged = known.unchanged(&self.encoding.state(object)?)?;
        self.spent += object.len() / PASSED_OVER;
        Some(unchanged)
    }

    /// As [`unchanged`](Self::unchanged), of what an event holds. An object of another kind is not
    /// among the known ones: it has another uid.
    fn unchanged_event(
        &mut self,
        event: &Captured,
        object: &Bytes,
    ) -> Option<(ObjectKey, Cached<K>)> {
        let whole = matches!(event, Captured::Whole(_)) && self.known.is_some();
        whole.then(|| self.unchanged(&Captured::Whole(object.clone())))?
    }

    /// An object that is to become this item.
    fn object<T>(
        &mut self,
        object: Captured,
        offset: u64,
        item: fn(Decoded<K>) -> T,
    ) -> Piece<K, T> {
        let (form, terms) = (self.form.clone(), self.terms.clone());
        let object = Undecoded { object, offset, bulk: self.initial, form, terms };
        self.spent += if self.threads > 1 { object.len() / PASSED_OVER } else { object.len() };
        Piece::Object(object, item)
    }

    fn event(&mut self, captured: &Captured, offset: u64) -> Piece<K, WatchItem<K>> {
        let Some(RawEvent { kind, object }) = self.encoding.open(captured) else {
            // What it changed is not known: as with an object that can't be named.
            let problem = "an event without type and object".to_owned();
            let fault = Fault::Malformed { offset, problem };
            let undecodable = Undecodable::new(&Peeked::default(), self.error(fault));
            return Piece::Item(WatchItem::Modified(Err(undecodable)));
        };
        let item = match kind {
            EventKind::Added => match self.unchanged_event(captured, &object) {
                Some((key, object)) => WatchItem::Unchanged(key, object),
                None => return self.change(captured, object, offset, WatchItem::Added),
            },
            EventKind::Modified => {
                return self.change(captured, object, offset, WatchItem::Modified);
            }
            EventKind::Deleted => return self.change(captured, object, offset, WatchItem::Deleted),
            EventKind::Bookmark => self.bookmark(&object, offset),
            EventKind::Error => {
                // What is no Status is not repeated: it may be an object like any other.
                let fault = self.encoding.status(&object, 500).map_or_else(
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
        Piece::Item(item)
    }

    fn change(
        &mut self,
        event: &Captured,
        object: Bytes,
        offset: u64,
        item: fn(Decoded<K>) -> WatchItem<K>,
    ) -> Piece<K, WatchItem<K>> {
        let object = match event {
            Captured::Oversized(_) => Captured::Oversized(object),
            Captured::Whole(_) => {
                if let Some(found) = self.other_kind(&object) {
                    let expected = self.kind.to_string();
                    let fault = Fault::WrongKind { expected, found };
                    return Piece::Item(WatchItem::Skipped(self.error(fault)));
                }
                Captured::Whole(object)
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
        if self.encoding == Encoding::Json {
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
        let kind = self.encoding.peek(object).kind.filter(other);
        kind.map(|kind| clip(&kind))
    }

    fn bookmark(&mut self, object: &Bytes, offset: u64) -> WatchItem<K> {
        let peeked = self.encoding.peek(object);
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
        self.encoding.metadata(bytes).ok_or_else(|| {
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
        self.form = self.forms.of(self.encoding, Some(item));
        Ok(())
    }

    /// A success that holds no list, or another one, must not be taken for the one asked for.
    fn check_list(&self) -> Result<(), SourceError> {
        self.said.check(&self.expected()).map_err(|fault| self.error(fault))
    }

    fn check_item(&self, item: &Captured) -> Result<(), SourceError> {
        let Captured::Whole(item) = item else { return Ok(()) };
        if self.encoding == Encoding::Protobuf {
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
        SourceError::new(self.terms.asked.clone(), fault)
    }
}

impl<K> fmt::Debug for Reader<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("asked", &self.terms.asked)
            .field("encoding", &self.encoding)
            .finish_non_exhaustive()
    }
}

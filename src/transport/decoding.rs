//! Decodes the objects of an answer in order, on one or several threads.
//!
//! [Threads](super::decode_threads) decode objects in portions, outside of the runtime's workers
//! and several portions at a time. Meanwhile the next portion is filled, so a fast answer makes
//! large portions. Items keep the order of the answer, and an error follows all items before it. At
//! most one portion for each thread, and one more, are in memory.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;

use futures::future::{BoxFuture, MaybeDone, maybe_done};
use futures::stream::{BoxStream, Fuse};
use futures::{FutureExt, Stream, StreamExt};

use super::decode_threads::SourceThreads;
use super::raw_item::RawItem;
use crate::collections::{ChunkedIntoIter, ChunkedVec};
use crate::error::SourceError;

/// The number of bytes of objects in a full portion.
const PORTION: usize = 64 * 1024;

/// The largest number of objects in a portion.
const OBJECTS: usize = 64;

/// Returns the items of an answer, decoded on these threads. Dropping the stream drops the answer.
/// A portion that a thread is decoding is finished and dropped there.
pub(super) fn decoded<T>(
    pieces: impl Stream<Item = Result<RawItem<T>, SourceError>> + Send + 'static,
    threads: SourceThreads,
) -> BoxStream<'static, Result<T, SourceError>>
where
    T: Send + 'static,
{
    let most = threads.count();
    if most <= 1 {
        return pieces.map(|piece| piece.map(RawItem::decode)).boxed();
    }
    Decoding {
        pieces: pieces.boxed().fuse(),
        threads,
        most,
        next: Portion::default(),
        elsewhere: VecDeque::new(),
        decoded: Items::default(),
    }
    .boxed()
}

type Pieces<T> = BoxStream<'static, Result<RawItem<T>, SourceError>>;

/// Decoded items. They are dropped one by one, because a user's `Drop` may panic.
type Items<T> = ChunkedIntoIter<Result<T, SourceError>>;

/// An answer that several threads decode.
struct Decoding<T> {
    pieces: Fuse<Pieces<T>>,
    threads: SourceThreads,
    /// The largest number of portions that are decoded at a time.
    most: usize,
    /// The portion that is being filled.
    next: Portion<T>,
    /// The portions that the threads decode, in the order of the answer. The panic of one waits
    /// until the items before it are taken.
    elsewhere: VecDeque<MaybeDone<BoxFuture<'static, thread::Result<Items<T>>>>>,
    decoded: Items<T>,
}

/// Parts of an answer that are decoded together.
struct Portion<T> {
    pieces: ChunkedVec<Result<RawItem<T>, SourceError>>,
    bytes: usize,
    /// True if there is an object to decode.
    has_objects: bool,
}

impl<T> Default for Portion<T> {
    fn default() -> Self {
        Self { pieces: ChunkedVec::new(), bytes: 0, has_objects: false }
    }
}

impl<T> Portion<T>
where
    T: Send + 'static,
{
    fn is_full(&self) -> bool {
        self.bytes >= PORTION || self.pieces.len() >= OBJECTS
    }

    fn push(&mut self, piece: Result<RawItem<T>, SourceError>) {
        if let Ok(RawItem::Object { object, .. }) = &piece {
            self.bytes += object.len();
            self.has_objects = true;
        }
        self.pieces.push(piece);
    }

    fn decode(self) -> Items<T> {
        let mut items = ChunkedVec::with_capacity(self.pieces.len());
        items.extend(self.pieces.into_iter().map(|piece| piece.map(RawItem::decode)));
        items.into_iter()
    }
}

impl<T> Stream for Decoding<T>
where
    T: Send + 'static,
{
    type Item = Result<T, SourceError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.decoded.next() {
                return Poll::Ready(Some(item));
            }
            if let Some(first) = this.elsewhere.front_mut()
                && first.poll_unpin(cx).is_ready()
                && let Some(decoded) = Pin::new(first).take_output()
            {
                this.elsewhere.pop_front();
                this.decoded = decoded.unwrap_or_else(|panic| resume_unwind(panic));
                continue;
            }
            for portion in this.elsewhere.iter_mut().skip(1) {
                let _done = portion.poll_unpin(cx);
            }
            while !this.next.is_full()
                && let Poll::Ready(Some(piece)) = this.pieces.poll_next_unpin(cx)
            {
                this.next.push(piece);
            }
            let idle = this.elsewhere.is_empty();
            if this.next.pieces.is_empty() {
                let ended = idle && this.pieces.is_done();
                return if ended { Poll::Ready(None) } else { Poll::Pending };
            }
            // While other portions are decoded, fill this one.
            let has_room = this.elsewhere.len() < this.most;
            if !(idle || this.next.is_full() && has_room) {
                return Poll::Pending;
            }
            let portion = std::mem::take(&mut this.next);
            if idle && !portion.has_objects {
                this.decoded = portion.decode();
            } else {
                let threads = this.threads.clone();
                let decoding = async move { threads.run(move || portion.decode()).await };
                let mut portion = maybe_done(AssertUnwindSafe(decoding).catch_unwind().boxed());
                // Its first poll hands it over.
                let _done = portion.poll_unpin(cx);
                this.elsewhere.push_back(portion);
            }
        }
    }
}

// Items are moved in and out, and never pinned.
impl<T> Unpin for Decoding<T> {}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::num::NonZeroUsize;
    use std::sync::{Arc, Barrier};
    use std::thread::ThreadId;

    use bytes::Bytes;
    use futures::stream;
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Resource;
    use kube::api::ObjectMeta;
    use proptest::prelude::*;
    use tokio::runtime::Runtime;

    use super::*;
    use crate::codec::{Codecs, decode_any};
    use crate::error::{Fault, RequestName, Verb};
    use crate::lister_watcher::{SourceObject, Undecodable};
    use crate::packer::Packer;
    use crate::transport::decode_threads::DecodeThreads;
    use crate::transport::framing::Encoding;
    use crate::transport::framing::capture::RawBytes;
    use crate::transport::raw_item::{RawObject, ResponseContext};
    use kube_decode::{Decode, DecodeError};

    /// The length of an object, and the thread that decoded it.
    #[derive(Debug, Resource)]
    #[resource(inherit = ConfigMap)]
    struct Object {
        metadata: ObjectMeta,
        len: usize,
        by: ThreadId,
    }

    impl Object {
        fn here(len: usize) -> Self {
            Self { metadata: ObjectMeta::default(), len, by: thread::current().id() }
        }
    }

    /// A decoder whose behaviour depends on the first byte of the object.
    struct Decoder(Barrier);

    impl Decode<Object> for Decoder {
        fn decode(&self, object: &[u8]) -> Result<Object, DecodeError> {
            match object.first() {
                Some(b'm') => drop(self.0.wait()),
                Some(b'p') => panic!("a decoder that panics"),
                Some(b'e') => return Err(DecodeError::new("an error")),
                _ => {}
            }
            let mut decoded = Object::here(object.len());
            decoded.metadata.name = Some("thing".into());
            Ok(decoded)
        }
    }

    /// Returns a packer that calls a function for each object.
    fn packer(call: impl Fn() + Send + Sync + 'static) -> Packer {
        Packer::from_fn(move |object| {
            call();
            object
        })
    }

    fn runtime(workers: usize) -> Runtime {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(workers).enable_all().build().unwrap()
    }

    type Decoded = Result<SourceObject, Undecodable>;

    fn request() -> RequestName {
        RequestName { verb: Verb::List, resource: "things".into(), namespace: None }
    }

    type Pieces = Vec<Result<RawItem<Decoded>, SourceError>>;

    fn pieces(objects: &[(u8, usize)]) -> Pieces {
        packing(objects, None)
    }

    fn packing(objects: &[(u8, usize)], packer: Option<Packer>) -> Pieces {
        let codecs = Codecs::new(decode_any(Arc::new(Decoder(Barrier::new(2)))));
        let answer = Arc::new(ResponseContext {
            request: request(),
            encoding: Encoding::Json,
            limit: 1 << 20,
            packer,
            moved_to: None,
        });
        let piece = |&(kind, len): &(u8, usize)| match kind {
            b'x' => Err(SourceError::new(request(), Fault::NoVersion)),
            b'i' => Ok(RawItem::Item(Ok(SourceObject::from(Object::here(len)).cast()))),
            _ => {
                let bytes = std::iter::once(kind).chain(std::iter::repeat_n(0, len)).collect();
                let bytes = RawBytes::Whole(Bytes::from_owner::<Vec<u8>>(bytes));
                let (codec, answer) = (codecs.of(Encoding::Json, None), answer.clone());
                let object = RawObject { bytes, offset: 0, codec, answer };
                Ok(RawItem::Object { object, item: |object| object })
            }
        };
        objects.iter().map(piece).collect()
    }

    fn on(threads: usize) -> SourceThreads {
        let threads = Arc::new(DecodeThreads::new(NonZeroUsize::new(threads)));
        SourceThreads::new(threads, "things".into())
    }

    /// Decodes objects. Returns their lengths or errors, and the threads that decoded them.
    fn decode(objects: &[(u8, usize)], threads: usize) -> (Vec<String>, Vec<ThreadId>) {
        decode_on(&on(threads), pieces(objects))
    }

    fn decode_on(threads: &SourceThreads, pieces: Pieces) -> (Vec<String>, Vec<ThreadId>) {
        let runtime = runtime(8);
        let items =
            async { decoded(stream::iter(pieces), threads.clone()).collect::<Vec<_>>().await };
        let (mut told, mut by) = (Vec::new(), Vec::new());
        for item in runtime.block_on(items) {
            told.push(match item {
                Ok(Ok(object)) => {
                    let object = object.cast::<Object>().into_decoded().expect("it is not packed");
                    by.push(object.by);
                    object.len.to_string()
                }
                Ok(Err(undecodable)) => undecodable.error.to_string(),
                Err(error) => error.to_string(),
            });
        }
        (told, by)
    }

    proptest! {
        #![proptest_config(crate::seeds::cases(13))]
        #[test]
        fn any_number_of_threads_gives_the_same_items(
            objects in proptest::collection::vec(
                (
                    proptest::sample::select(&b"ooooooooiex"[..]),
                    prop_oneof![0usize..100, 0usize..40_000, Just(2 * PORTION)],
                ),
                0..200,
            ),
        ) {
            let (alone, _) = decode(&objects, 1);
            prop_assert_eq!(alone.len(), objects.len());
            for threads in [2, 5] {
                prop_assert_eq!(&decode(&objects, threads).0, &alone);
            }
        }
    }

    #[test]
    fn portions_are_decoded_in_parallel_on_other_threads() {
        // Each decode waits for the other.
        let (told, by) = decode(&[(b'm', PORTION), (b'm', PORTION)], 2);
        assert_eq!(told.len(), 2);
        assert!(by[0] != by[1] && !by.contains(&thread::current().id()));
    }

    #[test]
    fn answers_are_decoded_by_the_same_threads() {
        // A limit of one thread means that the caller decodes.
        let (_, alone) = decode_on(&on(1), pieces(&[(b'o', 1000), (b'o', 10)]));
        assert_eq!(alone, [thread::current().id(); 2]);
        let (two, mut by) = (on(2), HashSet::new());
        for _ in 0..50 {
            by.extend(decode_on(&two, pieces(&[(b'o', 1000)])).1);
        }
        assert!(by.len() <= 2 && !by.contains(&thread::current().id()), "{by:?}");
    }

    #[test]
    fn packed_objects_come_from_the_threads() {
        let ids = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let noted = ids.clone();
        let packer = packer(move || noted.lock().push(thread::current().id()));
        let pieces = packing(&[(b'o', 1000), (b'i', 0), (b'o', 2000)], Some(packer));
        let items = async { decoded(stream::iter(pieces), on(2)).collect::<Vec<_>>().await };
        assert_eq!(runtime(2).block_on(items).len(), 3);
        let ids = std::mem::take(&mut *ids.lock());
        assert!(ids.len() == 2 && !ids.contains(&thread::current().id()));
    }

    #[test]
    fn slow_items_wait_only_for_earlier_ones() {
        let runtime = runtime(2);
        let (tell, told) = futures::channel::mpsc::unbounded();
        let mut items = runtime.block_on(async { decoded(told, on(2)) });
        for kind in [b'o', b'o', b'i', b'x', b'o'] {
            for piece in pieces(&[(kind, 10)]) {
                tell.unbounded_send(piece).unwrap();
            }
            assert!(runtime.block_on(items.next()).is_some());
        }
        drop(tell);
        assert!(runtime.block_on(items.next()).is_none());
    }

    #[test]
    fn decoder_panic_affects_one_object() {
        for threads in [1, 2] {
            let (told, _) = decode(&[(b'o', 9), (b'p', PORTION), (b'o', 9)], threads);
            assert_eq!((told.len(), &*told[0], &*told[2]), (3, "10", "10"));
            assert!(told[1].contains("the decoder panicked"), "{told:?}");
        }
    }

    #[test]
    fn panic_follows_the_items_before_it() {
        let runtime = runtime(2);
        let _within = runtime.enter();
        let (tell, told) = std::sync::mpsc::channel();
        let tell = parking_lot::Mutex::new(tell);
        // Objects are told apart by their length, which includes the first byte.
        let packer = Packer::from_fn(move |object| {
            if object.get_as::<Object>().unwrap().len > 1 {
                tell.lock().send(()).unwrap();
                panic!("packing panics");
            }
            object
        });
        let mut objects = vec![(b'o', 0); 2 * OBJECTS];
        objects[OBJECTS].1 = 1;
        let mut items = decoded(stream::iter(packing(&objects, Some(packer))), on(2));
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let mut before = usize::from(items.poll_next_unpin(&mut cx).is_ready());
        if before == 0 {
            // Both portions were handed over. Nobody polls before the second panics.
            told.recv().unwrap();
        }
        let message = loop {
            match crate::panic::catch(|| items.poll_next_unpin(&mut cx)) {
                Ok(Poll::Ready(item)) => before += usize::from(item.is_some()),
                Ok(Poll::Pending) => thread::yield_now(),
                Err(message) => break message,
            }
        };
        assert_eq!((before, &*message), (OBJECTS, "packing panics"));
    }

    #[test]
    fn panic_on_another_thread_resumes_here() {
        let runtime = runtime(2);
        for threads in [1, 2] {
            let packer = packer(|| panic!("packing panics"));
            let pieces = stream::iter(packing(&[(b'o', 9)], Some(packer)));
            let items = async { decoded(pieces, on(threads)).collect::<Vec<_>>().await };
            let items = crate::panic::catch_async(items);
            assert_eq!(runtime.block_on(items).map(drop).unwrap_err(), "packing panics");
        }
    }
}

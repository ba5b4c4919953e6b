//! Decodes the objects of an answer in order, on one or several threads.
//!
//! Objects of a first list are decoded in portions, outside of the runtime's workers and several at
//! a time. While some portions are decoded, the next one is filled, so a fast answer makes large
//! portions. Single events are decoded at once by the task that reads them. In both cases items
//! come in the order of the answer, and an error of the answer comes after all items before it. At
//! most one portion for each thread, and one more, is in memory.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;

use futures::future::BoxFuture;
use futures::stream::{BoxStream, Fuse, FuturesOrdered};
use futures::{FutureExt, Stream, StreamExt};
use kube::Resource;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinError, spawn_blocking};

use super::raw_item::RawItem;
use crate::error::SourceError;

/// The largest number of threads that decode one answer, unless set. One thread can cut an answer
/// as fast as a few threads can decode it.
const THREADS: usize = 4;

/// The number of bytes of objects in a full portion.
const PORTION: usize = 64 * 1024;

/// The largest number of objects in a portion.
const OBJECTS: usize = 64;

/// The number of bytes below which a portion of single events is decoded here. Another thread would
/// make its reader wait longer.
const MIN_PORTION: usize = PORTION / 4;

/// Returns the number of threads that decode. On a runtime of one thread it is one, so that the
/// order of events stays deterministic.
pub(super) fn threads(limit: Option<NonZeroUsize>) -> usize {
    let several = |runtime: &Handle| runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
    let runtime = Handle::try_current().ok().filter(several);
    let workers = runtime.map_or(1, |runtime| runtime.metrics().num_workers());
    limit.map_or(workers.min(THREADS), NonZeroUsize::get).min(workers)
}

/// Returns the items of an answer, decoded on this many threads. Dropping the stream drops the
/// answer. A portion that another thread is decoding is finished and dropped there.
pub(super) fn decoded<K, T>(
    pieces: impl Stream<Item = Result<RawItem<K, T>, SourceError>> + Send + 'static,
    threads: usize,
) -> BoxStream<'static, Result<T, SourceError>>
where
    K: Resource + Send + Sync + 'static,
    T: Send + 'static,
{
    if threads <= 1 {
        return pieces.map(|piece| piece.map(RawItem::decode)).boxed();
    }
    let (next, elsewhere) = (Portion::default(), FuturesOrdered::new());
    Decoding {
        pieces: pieces.boxed().fuse(),
        threads,
        next,
        elsewhere,
        decoded: Vec::new().into_iter(),
    }
    .boxed()
}

type Pieces<K, T> = BoxStream<'static, Result<RawItem<K, T>, SourceError>>;

type Items<T> = Vec<Result<T, SourceError>>;

/// An answer that several threads decode.
struct Decoding<K, T> {
    pieces: Fuse<Pieces<K, T>>,
    threads: usize,
    /// The portion that is being filled.
    next: Portion<K, T>,
    elsewhere: FuturesOrdered<BoxFuture<'static, Items<T>>>,
    decoded: vec::IntoIter<Result<T, SourceError>>,
}

/// Parts of an answer that are decoded together.
struct Portion<K, T> {
    pieces: Vec<Result<RawItem<K, T>, SourceError>>,
    bytes: usize,
    bulk: bool,
}

impl<K, T> Default for Portion<K, T> {
    fn default() -> Self {
        Self { pieces: Vec::new(), bytes: 0, bulk: false }
    }
}

impl<K, T> Portion<K, T>
where
    K: Resource + Send + Sync + 'static,
    T: Send + 'static,
{
    fn is_full(&self) -> bool {
        self.bytes >= PORTION || self.pieces.len() >= OBJECTS
    }

    fn push(&mut self, piece: Result<RawItem<K, T>, SourceError>) {
        if let Ok(RawItem::Object { object, .. }) = &piece {
            self.bytes += object.len();
            self.bulk |= object.bulk;
        }
        self.pieces.push(piece);
    }

    fn decode(self) -> Items<T> {
        self.pieces.into_iter().map(|piece| piece.map(RawItem::decode)).collect()
    }

    async fn decode_on_a_thread(self) -> Items<T> {
        match spawn_blocking(|| self.decode()).await.map_err(JoinError::try_into_panic) {
            Ok(items) => items,
            // Resume the panic, as if the portion had been decoded here.
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime shuts down, and this task with it.
            Err(Err(_)) => futures::future::pending().await,
        }
    }
}

impl<K, T> Stream for Decoding<K, T>
where
    K: Resource + Send + Sync + 'static,
    T: Send + 'static,
{
    type Item = Result<T, SourceError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.decoded.next() {
                return Poll::Ready(Some(item));
            }
            if let Poll::Ready(Some(items)) = this.elsewhere.poll_next_unpin(cx) {
                this.decoded = items.into_iter();
                continue;
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
            let has_room = this.elsewhere.len() < this.threads;
            if !(idle || this.next.is_full() && has_room) {
                return Poll::Pending;
            }
            let portion = std::mem::take(&mut this.next);
            if idle && !portion.bulk && portion.bytes < MIN_PORTION {
                this.decoded = portion.decode().into_iter();
            } else {
                this.elsewhere.push_back(portion.decode_on_a_thread().boxed());
            }
        }
    }
}

// Items are moved in and out, and never pinned.
impl<K, T> Unpin for Decoding<K, T> {}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};
    use std::thread::{self, ThreadId};

    use bytes::Bytes;
    use futures::stream;
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::ObjectMeta;
    use proptest::prelude::*;
    use tokio::runtime::Runtime;

    use super::*;
    use crate::decode::codec::Codecs;
    use crate::decode::{Decode, DecodeError};
    use crate::error::{Fault, RequestScope, Verb};
    use crate::lister_watcher::{SourceObject, Undecodable};
    use crate::packer::Packer;
    use crate::transport::framing::Encoding;
    use crate::transport::framing::capture::RawBytes;
    use crate::transport::raw_item::{Answer, RawObject};

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

    fn runtime(workers: usize) -> Runtime {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(workers).build().unwrap()
    }

    type Decoded = Result<SourceObject<Object>, Undecodable>;

    fn request() -> RequestScope {
        RequestScope { verb: Verb::List, resource: "things".into(), namespace: None }
    }

    fn pieces(objects: &[(u8, usize)]) -> Vec<Result<RawItem<Object, Decoded>, SourceError>> {
        packing(objects, None)
    }

    fn packing(
        objects: &[(u8, usize)],
        packer: Option<Packer<Object>>,
    ) -> Vec<Result<RawItem<Object, Decoded>, SourceError>> {
        let codecs = Codecs::new(Arc::new(Decoder(Barrier::new(2))));
        let answer = Arc::new(Answer {
            request: request(),
            encoding: Encoding::Json,
            limit: 1 << 20,
            packer,
        });
        let piece = |&(kind, len): &(u8, usize)| match kind {
            b'x' => Err(SourceError::new(request(), Fault::NoVersion)),
            b'i' => Ok(RawItem::Item(Ok(Object::here(len).into()))),
            _ => {
                let bytes = std::iter::once(kind).chain(std::iter::repeat_n(0, len)).collect();
                let bytes = RawBytes::Whole(Bytes::from_owner::<Vec<u8>>(bytes));
                let (codec, answer) = (codecs.of(Encoding::Json, None), answer.clone());
                let object = RawObject { bytes, offset: 0, bulk: kind == b'b', codec, answer };
                Ok(RawItem::Object { object, item: |object| object })
            }
        };
        objects.iter().map(piece).collect()
    }

    /// Decodes objects. Returns their lengths or errors, and the threads that decoded them.
    fn decode(objects: &[(u8, usize)], threads: usize) -> (Vec<String>, Vec<ThreadId>) {
        let runtime = runtime(2);
        let items = decoded(stream::iter(pieces(objects)), threads).collect::<Vec<_>>();
        let (mut told, mut by) = (Vec::new(), Vec::new());
        for item in runtime.block_on(items) {
            told.push(match item {
                Ok(Ok(object)) => {
                    let object = object.into_decoded().expect("nobody packs");
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
        #![proptest_config(crate::seeds::cases(50))]
        #[test]
        fn any_number_of_threads_gives_the_same_items(
            objects in proptest::collection::vec(
                (
                    proptest::sample::select(&b"oooobbbbiex"[..]),
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
    fn small_portions_are_decoded_here_unless_bulk() {
        let (_, by) = decode(&[(b'o', 1000), (b'i', 0), (b'o', 2000)], 4);
        assert_eq!(by, [thread::current().id(); 3]);
        let (_, by) = decode(&[(b'b', 1000)], 4);
        assert_ne!(by, [thread::current().id()]);
    }

    #[test]
    fn slow_items_wait_only_for_earlier_ones() {
        let runtime = runtime(2);
        let (tell, told) = futures::channel::mpsc::unbounded();
        let mut items = decoded(told, 3);
        for kind in [b'b', b'o', b'i', b'x', b'b'] {
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
    fn panic_on_another_thread_resumes_here() {
        let runtime = runtime(2);
        for threads in [1, 2] {
            let packer = Packer::from_fn(|_| panic!("packing panics"));
            let items = decoded(stream::iter(packing(&[(b'b', 9)], Some(packer))), threads);
            let items = crate::panic::catch_async(items.collect::<Vec<_>>());
            assert_eq!(runtime.block_on(items).unwrap_err(), "packing panics");
        }
    }

    #[test]
    fn single_thread_runtime_decodes_on_its_thread() {
        let limit = NonZeroUsize::new(3);
        assert_eq!((threads(None), threads(limit)), (1, 1));
        let one = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(one.block_on(async { (threads(None), threads(limit)) }), (1, 1));
        assert_eq!(runtime(2).block_on(async { (threads(None), threads(limit)) }), (2, 2));
        assert_eq!(runtime(8).block_on(async { (threads(None), threads(limit)) }), (4, 3));
    }
}

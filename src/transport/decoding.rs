//! Decodes what was cut out of an answer, in order, on as many threads as are allowed.
//!
//! What comes faster than it can be decoded is decoded in portions off the runtime's own threads, several
//! at a time; what comes singly, as events do, is decoded at once where it is. Either way the items
//! come in the order of the answer, an error of the answer after all that came before it, and no more is
//! held than some portions.

use std::num::NonZeroUsize;

use futures::stream::{BoxStream, Fuse};
use futures::{FutureExt, Stream, StreamExt, stream};
use kube::Resource;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::spawn_blocking;

use super::undecoded::Undecoded;
use crate::error::SourceError;
use crate::lister_watcher::Decoded;

/// How many threads decode one answer at most, unless told otherwise: one thread cuts as much as a few
/// can decode.
const THREADS: usize = 4;

/// How many bytes of objects are decoded in one go elsewhere.
const PORTION: usize = 64 * 1024;

/// How many objects may be in a portion.
const OBJECTS: usize = 64;

/// What takes less is not worth the way to another thread.
const WORTH_IT: usize = PORTION / 4;

/// A part of an answer.
pub(super) enum Piece<K, T> {
    /// An item.
    Item(T),
    /// An object that is still to be decoded, and what item it then is.
    Object(Undecoded<K>, fn(Decoded<K>) -> T),
}

impl<K: Resource + 'static, T> Piece<K, T> {
    fn len(&self) -> usize {
        match self {
            Self::Item(_) => 0,
            Self::Object(object, _) => object.len(),
        }
    }

    fn decode(self) -> T {
        match self {
            Self::Item(item) => item,
            Self::Object(object, item) => item(object.decode()),
        }
    }
}

/// On how many threads to decode. On a runtime of one thread it stays on that: there the order of all
/// that happens is to stay what it is.
pub(super) fn threads(limit: Option<NonZeroUsize>) -> usize {
    let several = |runtime: &Handle| runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
    let runtime = Handle::try_current().ok().filter(several);
    let workers = runtime.map_or(1, |runtime| runtime.metrics().num_workers());
    limit.map_or(workers.min(THREADS), NonZeroUsize::get).min(workers)
}

/// The items of an answer, decoded on so many threads. Dropping it drops the answer; a portion that is
/// being decoded elsewhere is finished and dropped there.
pub(super) fn decoded<K, T>(
    pieces: impl Stream<Item = Result<Piece<K, T>, SourceError>> + Send + 'static,
    threads: usize,
) -> BoxStream<'static, Result<T, SourceError>>
where
    K: Resource + Send + Sync + 'static,
    T: Send + 'static,
{
    if threads <= 1 {
        return pieces.map(|piece| piece.map(Piece::decode)).boxed();
    }
    stream::unfold(pieces.boxed().fuse(), next_portion)
        .map(decode)
        .buffered(threads)
        .flat_map(stream::iter)
        .boxed()
}

type Portion<K, T> = Vec<Result<Piece<K, T>, SourceError>>;

/// Waits for a piece, and takes with it what is there already.
async fn next_portion<K, T, S>(mut pieces: Fuse<S>) -> Option<(Portion<K, T>, Fuse<S>)>
where
    K: Resource + 'static,
    S: Stream<Item = Result<Piece<K, T>, SourceError>> + Unpin,
{
    let mut portion = vec![pieces.next().await?];
    let mut bytes = bytes_of(&portion);
    while bytes < PORTION
        && portion.len() < OBJECTS
        && let Some(Some(piece)) = pieces.next().now_or_never()
    {
        portion.push(piece);
        bytes += bytes_of(&portion[portion.len() - 1..]);
    }
    Some((portion, pieces))
}

fn bytes_of<K: Resource + 'static, T>(portion: &[Result<Piece<K, T>, SourceError>]) -> usize {
    portion.iter().flatten().map(Piece::len).sum()
}

async fn decode<K, T>(portion: Portion<K, T>) -> Vec<Result<T, SourceError>>
where
    K: Resource + Send + Sync + 'static,
    T: Send + 'static,
{
    let worth_it = bytes_of(&portion) >= WORTH_IT;
    let decode = move || portion.into_iter().map(|piece| piece.map(Piece::decode)).collect();
    if !worth_it {
        return decode();
    }
    match spawn_blocking(decode).await {
        Ok(items) => items,
        // The runtime ends, and whoever waits with it.
        Err(_) => futures::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};
    use std::thread::{self, ThreadId};

    use bytes::Bytes;
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::ObjectMeta;
    use proptest::prelude::*;
    use tokio::runtime::Runtime;

    use super::*;
    use crate::error::{Asked, Fault, Verb};
    use crate::lister_watcher::Given;
    use crate::transport::capture::Captured;
    use crate::transport::decode::{Decode, DecodeError};
    use crate::transport::forms::Forms;
    use crate::transport::framer::Encoding;
    use crate::transport::undecoded::Terms;

    /// What an object was: its length, and who decoded it.
    #[derive(Resource)]
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

    /// An object begins with what happens when it is decoded.
    struct Decoder(Barrier);

    impl Decode<Object> for Decoder {
        fn decode(&self, object: &[u8]) -> Result<Object, DecodeError> {
            match object.first() {
                Some(b'm') => drop(self.0.wait()),
                Some(b'p') => panic!("a decoder that panics"),
                Some(b'e') => return Err(DecodeError::new("an error")),
                _ => {}
            }
            Ok(Object::here(object.len()))
        }
    }

    fn asked() -> Asked {
        Asked { verb: Verb::List, resource: "things".into(), namespace: None }
    }

    fn pieces(objects: &[(u8, usize)]) -> Vec<Result<Piece<Object, Decoded<Object>>, SourceError>> {
        let forms = Forms::new(Arc::new(Decoder(Barrier::new(2))));
        let terms = Arc::new(Terms { asked: asked(), limit: 1 << 20, pack: None });
        let piece = |&(kind, len): &(u8, usize)| match kind {
            b'x' => Err(SourceError::new(asked(), Fault::NoVersion)),
            b'i' => Ok(Piece::Item(Ok(Object::here(len).into()))),
            _ => {
                let bytes = std::iter::once(kind).chain(std::iter::repeat_n(0, len)).collect();
                let object = Captured::Whole(Bytes::from_owner::<Vec<u8>>(bytes));
                let (form, terms) = (forms.of(Encoding::Json, None), terms.clone());
                Ok(Piece::Object(Undecoded { object, offset: 0, form, terms }, |object| object))
            }
        };
        objects.iter().map(piece).collect()
    }

    /// What comes of objects: lengths and errors, and who decoded them.
    fn decode(objects: &[(u8, usize)], threads: usize) -> (Vec<String>, Vec<ThreadId>) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let items = decoded(stream::iter(pieces(objects)), threads).collect::<Vec<_>>();
        let (mut told, mut by) = (Vec::new(), Vec::new());
        for item in runtime.block_on(items) {
            told.push(match item {
                Ok(Ok(Given::Object(object))) => {
                    by.push(object.by);
                    object.len.to_string()
                }
                Ok(Ok(Given::Packed(..))) => panic!("nobody packs"),
                Ok(Err(undecodable)) => undecodable.error.to_string(),
                Err(error) => error.to_string(),
            });
        }
        (told, by)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]
        #[test]
        fn however_many_threads_decode_the_items_are_the_same(
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
    fn portions_are_decoded_at_the_same_time_and_elsewhere() {
        // Each waits for the other.
        let (told, by) = decode(&[(b'm', PORTION), (b'm', PORTION)], 2);
        assert_eq!(told.len(), 2);
        assert!(by[0] != by[1] && !by.contains(&thread::current().id()));
    }

    #[test]
    fn what_is_little_is_decoded_where_it_is() {
        let (_, by) = decode(&[(b'o', 1000), (b'i', 0), (b'o', 2000)], 4);
        assert_eq!(by, [thread::current().id(); 3]);
    }

    #[test]
    fn a_decoder_that_panics_spoils_one_object() {
        for threads in [1, 2] {
            let (told, _) = decode(&[(b'o', 9), (b'p', PORTION), (b'o', 9)], threads);
            assert_eq!((told.len(), &*told[0], &*told[2]), (3, "10", "10"));
            assert!(told[1].contains("the decoder panicked"), "{told:?}");
        }
    }

    #[test]
    fn a_runtime_of_one_thread_decodes_on_it() {
        let limit = NonZeroUsize::new(3);
        assert_eq!((threads(None), threads(limit)), (1, 1));
        let one = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(one.block_on(async { (threads(None), threads(limit)) }), (1, 1));
        let many = |workers| -> Runtime {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(workers).build().unwrap()
        };
        assert_eq!(many(2).block_on(async { (threads(None), threads(limit)) }), (2, 2));
        assert_eq!(many(8).block_on(async { (threads(None), threads(limit)) }), (4, 3));
    }
}

//! The representation in which an informer keeps its objects: decoded, or packed.
//!
//! A [`Storage`] belongs to one informer. Lister, indexes, handlers and events work the same with
//! each. A packing storage, as the default is, packs objects as they arrive and unpacks them when
//! they are read. Objects that can't be packed, or take no less memory packed, are kept decoded. So
//! no storage loses an object.

mod buffer;
mod dictionary;
mod heat;
mod held;
#[cfg(feature = "compact")]
mod json;
mod keeper;
mod owners;
mod packed;
mod place;
#[cfg(feature = "compact")]
mod rewriter;
mod shared;
#[cfg(all(test, feature = "compact"))]
mod tests;
mod view;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
#[cfg(feature = "compact")]
use kube::Resource;
use kube::api::ObjectMeta;
#[cfg(feature = "compact")]
use serde::{Serialize, de::DeserializeOwned};

pub(crate) use self::buffer::Buffer;
use self::keeper::{MakeRewriter, PackedKeeper};
#[cfg(feature = "compact")]
use self::rewriter::Rewriter;
pub use self::view::ViewStatus;
pub(crate) use self::view::{View, ViewType, read_as, show_as};
use crate::codec::Codec;
use crate::error::Fault;
use crate::object::{AnyObject, Cached, IndexValues};
use crate::panic::SafeDropper;

/// The default of [`Storage::hot_for`].
const AGE: Duration = Duration::from_secs(60);

/// The shortest of these times: each sweep visits all unpacked objects.
const SHORTEST_AGE: Duration = Duration::from_millis(100);

/// The representation in which an informer keeps its objects. [`packed`](Self::packed) by default.
#[must_use]
pub struct Storage<K: ?Sized = dyn AnyObject> {
    packing: Option<Packing>,
    kind: PhantomData<K>,
}

/// The settings of a storage that packs, and its packer of objects without bytes.
type Packing = (Settings, Option<MakeRewriter>);

#[derive(Clone, Copy, Debug)]
struct Settings {
    /// The time for which an object stays unpacked after it was read.
    age: Duration,
    /// True if bytes are overwritten before they are freed.
    wipe: bool,
    /// True if each object is checked as it arrives.
    check: bool,
    /// The limit of the bytes that are held unpacked, if it is set.
    limit: Option<usize>,
}

const SETTINGS: Settings = Settings { age: AGE, wipe: false, check: true, limit: None };

/// One object as it arrived: its bytes, and the codec that decodes them.
pub(crate) struct WireObject<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) codec: &'a Arc<Codec>,
}

/// A function that reports an object that could not be read.
pub(crate) type ReportFault = Box<dyn Fn(Fault) + Send + Sync>;

/// The part of a storage that packs the objects of one informer. It is called on any thread, and on
/// several at a time.
pub(crate) trait Keeper: Send + Sync {
    /// Keeps an object decoded that can't be packed.
    fn keep_decoded(&self, object: Arc<dyn AnyObject>, error: PackError) -> Cached;

    /// Packs an object that did not arrive as bytes. Keeps it decoded if packing fails.
    fn pack(&self, object: Arc<dyn AnyObject>, index_values: Option<IndexValues>) -> Cached;

    /// Packs an object as it arrived. `decoded` is the object that a read returns. `heat` is what
    /// [`heat_of_next`](Self::heat_of_next) said, or `None` for an object that is new.
    fn pack_wire(
        &self,
        wire: &WireObject<'_>,
        decoded: Arc<dyn AnyObject>,
        index_values: Option<IndexValues>,
        heat: Option<u8>,
    ) -> Cached;

    /// Returns the heat of the state that replaces `before`.
    fn heat_of_next(&self, before: &Cached) -> u8;

    /// Returns whether this type is packed. False once that turned out not to be worth it.
    fn packs(&self) -> bool;

    /// Returns whether each object must be known to be decodable before it is packed.
    fn checks(&self) -> bool;

    /// Returns the bytes to keep, if these are not the object's own: without managed fields, where
    /// no reader gets these.
    fn bare(&self, wire: &WireObject<'_>) -> Option<Buffer>;

    /// Packs an object as it arrived, without decoding it. `meta` has at least its name, namespace,
    /// uid, version and labels. `replaces` is false for an object that is new. Returns `None` if
    /// the object must be decoded.
    fn pack_undecoded(
        &self,
        wire: &WireObject<'_>,
        meta: &ObjectMeta,
        index_values: Option<IndexValues>,
        replaces: bool,
    ) -> Option<Cached>;

    fn status(&self) -> StorageStatus;

    /// Returns the view of this type. Views of one type are one, unless they have decoders of the
    /// caller's own. From then on, the objects' bytes are kept even if that saves no memory.
    /// Returns `None` if they are kept no longer.
    fn view(&self, of: ViewType) -> Option<Arc<View>>;

    /// Returns the number of reads that unpacked a whole object.
    fn misses(&self) -> u64;

    /// Notes that one list unpacked this number of objects.
    fn note_list(&self, unpacked: u64);

    /// Releases unpacked objects that are no longer read, and reports packed objects that could not
    /// be read, while it is polled. Never completes. Cancel safe. Until it is called, no object is
    /// held unpacked.
    fn sweep(self: Arc<Self>, report: ReportFault) -> BoxFuture<'static, ()>;
}

/// Figures of a storage that packs: packed objects, objects held unpacked, and results of reads.
///
/// ```
/// use kube_informer::storage::StorageStatus;
///
/// /// Returns advice about a storage that saves less than it could.
/// fn advice(status: &StorageStatus) -> Option<String> {
///     let reads = status.hits + status.misses;
///     match &status.refused {
///         Some(error) => Some(format!("objects are kept decoded: {error}")),
///         None if reads > 1000 && status.misses > reads / 2 => Some("raise `hot_for`".into()),
///         None => None,
///     }
/// }
/// assert_eq!(advice(&StorageStatus::default()), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct StorageStatus {
    /// The number of packed objects: in the store, in queues and backlogs, with users, and at most
    /// one for each controller owner, with which others of the owner were compressed.
    pub objects: usize,
    /// The size of the packed objects, in bytes.
    pub bytes: usize,
    /// The number of objects that are held unpacked.
    pub hot_objects: usize,
    /// The estimated size of the objects that are held unpacked, in bytes.
    pub hot_bytes: usize,
    /// The limit of the memory of objects that are held unpacked, in bytes: see
    /// [`Storage::hot_limit`].
    pub hot_limit: usize,
    /// The number of reads after which the object was not held, because of this limit.
    pub over_limit: u64,
    /// The number of reads that found the object unpacked.
    pub hits: u64,
    /// The number of reads that unpacked the object.
    pub misses: u64,
    /// The number of calls of a lister's `all` or `list` that unpacked more than 1,000 objects. The
    /// first is also logged.
    pub large_lists: u64,
    /// The number of objects that arrived, could not be packed and were kept decoded.
    pub kept_decoded: u64,
    /// The number of reads that failed because the object could not be unpacked. The object is
    /// missing from their result.
    pub unreadable: u64,
    /// The reason why every object of this type is now kept decoded, if that is so.
    pub refused: Option<String>,
    /// The views of the informer's objects, see [`SharedInformer::view`](crate::SharedInformer::view).
    pub views: Vec<ViewStatus>,
}

/// An object can't be packed or unpacked. The error never quotes the object's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PackError {
    /// `Serialize` failed or panicked.
    #[error("the object can't be serialised: its Serialize failed or panicked")]
    NotSerialised,
    /// The object takes 4 GiB or more, or its uid 64 KiB or more.
    #[error("the object takes 4 GiB or more, or its uid 64 KiB or more")]
    TooLarge,
    /// Lists and maps of the object are nested so deep that unpacking could overflow a thread's
    /// stack. Decoding it took more than 256 KiB; or it did not arrive as bytes, and has more than
    /// 64 levels.
    #[error(
        "lists and maps of the object are nested so deep that unpacking could overflow the stack"
    )]
    TooDeep,
    /// `Deserialize` failed or panicked on the output of `Serialize`.
    #[cfg_attr(
        not(feature = "compact"),
        expect(dead_code, reason = "only compact storage packs values")
    )]
    #[error("the packed object can't be decoded again")]
    NotUnpacked,
    /// The first objects take no less memory packed than decoded.
    #[error("objects take no less memory packed than decoded")]
    NotSmaller,
    /// The unpacked object differs from the packed one: `Serialize` and `Deserialize` disagree.
    #[cfg_attr(
        not(feature = "compact"),
        expect(dead_code, reason = "only compact storage packs values")
    )]
    #[error("the value does not survive a Serialize/Deserialize round trip")]
    Disagrees,
}

impl<K: ?Sized> Storage<K> {
    /// Keeps each object as the server sent it, compressed, and decodes it when it is read.
    ///
    /// Keys, selectors, relists and indexes do not decode objects: uid, version, labels and index
    /// values are kept beside the bytes. Equal labels are kept once. An object that was read stays
    /// decoded for a minute, see [`hot_for`](Self::hot_for), and so do its later states. So readers
    /// decode an object at most once a minute, as long as [`hot_limit`](Self::hot_limit) has room.
    /// While a decoded object is held, every reader gets the same `Arc`.
    ///
    /// Each object is checked as it arrives, so that one that can't be decoded is reported then.
    /// Protobuf of common kinds is checked without building the object; everything else is decoded
    /// for it. Index functions see the object then, too, decoded as far as they need it. An index
    /// that is added later decodes every object before it is ready.
    ///
    /// `metadata.managedFields` are cut out of the bytes unless the informer keeps them, see
    /// [`InformerSpec::managed_fields`](crate::InformerSpec::managed_fields).
    ///
    /// Objects are kept decoded if their bytes are not known: the informer has a transform, or the
    /// source delivers objects. [`StorageStatus::objects`] then stays zero, and
    /// [`kept_decoded`](StorageStatus::kept_decoded) does not count them. So are all objects of a
    /// type whose first ones take no more memory decoded, such as a small struct. `Deserialize`
    /// must not read this informer, and must return equal values for equal bytes. Choose
    /// [`decoded`](Self::decoded) for other types.
    ///
    /// ```
    /// use std::time::Duration;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::{InformerSpec, Storage};
    ///
    /// let long = Duration::from_secs(600);
    /// let spec = InformerSpec::<Pod>::new().storage(Storage::packed().hot_for(long));
    /// ```
    pub fn packed() -> Self {
        Self { packing: Some((SETTINGS, None)), kind: PhantomData }
    }

    /// Keeps each object decoded, ready to be read.
    pub fn decoded() -> Self {
        Self { packing: None, kind: PhantomData }
    }

    /// Sets the time for which an object stays unpacked after it was read: at least this, and at
    /// most one and a half times this. The default is a minute; zero holds none, and another time
    /// below 100 ms counts as that. Has no effect on decoded storage.
    ///
    /// A new state that the server sends is held unpacked for as long as the state before it would
    /// have been. A handler's initial add counts as a read only if an earlier initial add has read
    /// the object.
    pub fn hot_for(mut self, age: Duration) -> Self {
        if let Some((settings, _)) = &mut self.packing {
            settings.age = if age.is_zero() { age } else { age.max(SHORTEST_AGE) };
        }
        self
    }

    /// Sets the limit of the memory that objects held unpacked may take. It is an estimate in
    /// bytes, of whole objects and of what views read. The default is thirty-two times the
    /// [size](StorageStatus::bytes) of the packed objects, and at least 64 MiB: enough for views of
    /// all objects, but not for all whole pods. `usize::MAX` sets no limit. Has no effect on
    /// decoded storage.
    ///
    /// When the limit is reached, the objects whose last read is the oldest are released. Until
    /// then, a read unpacks an object for its reader only, and [`StorageStatus::over_limit`] counts
    /// it. Objects that were read since the last sweep stay; there are two sweeps in the time of
    /// [`hot_for`](Self::hot_for). So a scan of a store that does not fit keeps a part of it.
    /// Beyond the limit, at most 64 new states wait up to a second for the handlers that read them.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::{InformerSpec, Storage};
    ///
    /// let spec = InformerSpec::<Pod>::new().storage(Storage::packed().hot_limit(64 << 20));
    /// ```
    pub fn hot_limit(mut self, bytes: usize) -> Self {
        if let Some((settings, _)) = &mut self.packing {
            settings.limit = Some(bytes);
        }
        self
    }

    /// Overwrites packed bytes, and the buffers for packing and unpacking, before they are freed.
    /// Meant for Secrets. Off by default. No object is held unpacked, and none is a sample for
    /// compressing others, so objects take more room.
    ///
    /// Only the memory of this storage is overwritten. That leaves out: objects that users hold or
    /// have dropped, the decoder's and the network's buffers, copies that an object's own
    /// `Serialize` and `Deserialize` make, those that a test of a packed object makes, and swap
    /// space. The uid, version and labels of each object are kept as they are, and so is an object
    /// that can't be packed. Has no effect on decoded storage.
    #[cfg(feature = "compact")]
    pub fn zeroize(mut self, zeroize: bool) -> Self {
        if let Some((settings, _)) = &mut self.packing {
            settings.wipe = zeroize;
        }
        self
    }

    /// Sets whether each object is checked as it arrives, or decoded where no check is possible.
    /// The default is true: an object that can't be decoded is reported as it arrives, and its last
    /// decoded state stays.
    ///
    /// With false, only name, namespace, uid, version and labels are read as an object arrives. The
    /// object is decoded when it is read. So a type that only decoding can check costs less as it
    /// arrives. But an object that can't be decoded is found only when it is read: it counts as
    /// present, is reported once to the log and to `on_error`, and reads return nothing. Handlers
    /// of decoded objects keep the last state that they could read, see
    /// [`CachedEvent::read`](crate::CachedEvent::read). Do not use this for a type that demands
    /// more of objects than the server does. Nor use it with a decoder or type that
    /// changes name, namespace, uid, version or labels: those in the bytes decide about key,
    /// selectors and relists, and nothing compares them. An object with a time that its type does
    /// not hold is not [counted](crate::reflector::ReflectorStatus::clamped_objects).
    ///
    /// Index functions and transforms need decoded objects, so with either, each object is still
    /// decoded as it arrives. For an index that [names the fields it
    /// reads](crate::SharedInformer::add_index_on), only those fields are decoded. Has no effect on
    /// decoded storage.
    pub fn check_on_arrival(mut self, check: bool) -> Self {
        if let Some((settings, _)) = &mut self.packing {
            settings.check = check;
        }
        self
    }

    /// Returns whether packed objects keep the bytes that the server sent, and may show them.
    pub(crate) fn keeps_bytes(&self) -> bool {
        self.packing.is_some_and(|(settings, _)| !settings.wipe)
    }

    /// Makes the keeper of one informer's objects, or returns `None` if they are kept decoded. The
    /// keeper drops decoded objects through `dropper`.
    pub(crate) fn keeper(
        &self,
        resource: &Arc<str>,
        dropper: SafeDropper,
    ) -> Option<Arc<dyn Keeper>> {
        let (settings, make) = self.packing?;
        Some(Arc::new(PackedKeeper::new(settings, make, resource, dropper)))
    }
}

#[cfg(feature = "compact")]
impl<K> Storage<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    /// Keeps each object as few bytes, and unpacks it when it is read.
    ///
    /// Keys, selectors, relists and indexes do not unpack objects: uid, version, labels and index
    /// values are kept beside the bytes. Equal labels are kept once. While an unpacked object is
    /// held, every reader gets the same `Arc`. An object that was read stays unpacked for a minute,
    /// see [`hot_for`](Self::hot_for). Reading any other object takes O(its size), as decoding it
    /// from the wire does.
    ///
    /// Objects are kept as the server sent them. Each is checked as it arrives, as by default, so
    /// that one that can't be decoded is reported then. An index that is added later
    /// unpacks every object before it is ready.
    ///
    /// If a transform changes objects, or the source delivers no bytes, an object is packed as the
    /// JSON that its `Serialize` writes. Every read returns the result of its `Deserialize`, which
    /// sees all that was written: it may compute a field from labels, uid or version. The first
    /// objects are unpacked and packed again as a test. If the result differs, the whole type
    /// is kept decoded; the log and the status say so. An object that has a null, a key that is not
    /// a text, or more than 12 levels of lists and maps is always tested, and for itself alone: if
    /// it fails, it is kept decoded. Once a read of any object has failed, each further one is
    /// tested so.
    ///
    /// The order of lists does not count in a test, because a set has none. A test does not find
    /// what `Serialize` leaves out or writes like something else. For example, a `Time` loses its
    /// fraction of a second. An optional number that is not finite becomes absent, because JSON has
    /// it as null. Where a key may be a number or a text, a number becomes a text. Keep a type
    /// decoded if that matters.
    ///
    /// An object that arrived as bytes is kept decoded if decoding it takes over 256 KiB of stack.
    /// So is another that fails a test for this reason, or whose lists and maps have more than 64
    /// levels. `#[serde(flatten)]`, and untagged and internally tagged enums, hide what they take.
    /// A level of their parts counts as 12 KiB, or 16 KiB in a build with debug assertions.
    /// `Deserialize` must not read this informer.
    ///
    /// ```
    /// use std::time::Duration;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::{InformerSpec, Storage};
    ///
    /// let long = Duration::from_secs(600);
    /// let spec = InformerSpec::<Pod>::new().storage(Storage::compact().hot_for(long));
    /// ```
    pub fn compact() -> Self {
        let make: MakeRewriter = |shared| Box::new(Rewriter::new::<K>(shared));
        Self { packing: Some((SETTINGS, Some(make))), kind: PhantomData }
    }
}

impl<K: ?Sized> Storage<K> {
    /// Returns the same choice for objects of any type.
    pub(crate) fn erase(self) -> Storage {
        Storage { packing: self.packing, kind: PhantomData }
    }
}

impl<K: ?Sized> Clone for Storage<K> {
    fn clone(&self) -> Self {
        Self { packing: self.packing, kind: PhantomData }
    }
}

impl<K: ?Sized> Default for Storage<K> {
    fn default() -> Self {
        Self::packed()
    }
}

impl<K: ?Sized> fmt::Debug for Storage<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.packing {
            None => f.write_str("Decoded"),
            Some((Settings { age, wipe, check, limit }, rewriter)) => f
                .debug_struct(if rewriter.is_some() { "Compact" } else { "Packed" })
                .field("hot_for", age)
                .field("zeroize", wipe)
                .field("check_on_arrival", check)
                .field("hot_limit", limit)
                .finish(),
        }
    }
}

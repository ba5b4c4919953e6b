//! The reflector against a fake source, with paused time. Tests of what only the module sees are
//! in `src/reflector/tests`.

mod endless;
mod history;
mod lagging;
mod list_modes;
mod lists;
mod namespaces;
mod pace;
mod panics;
mod proofs;
mod replays;
mod rig;
mod shards;
mod turns;
mod versioned;
mod watches;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::{ApiStatus, Fault, FaultClass, SourceError, Verb};
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher, WatchItem,
    WatchQuery, WatchStream,
};
use kube_informer::object::{
    Cached, Change, KnownObjects, ObjectKey, ResourceVersion, ShardKey, ShardSelector, ring_hash,
};
use kube_informer::reflector::{
    BackoffPolicy, ChangeSink, ListMode, Reflector, ReflectorMonitor, ReflectorOptions,
    ReflectorState, ReflectorStatus, RelistCause,
};
use kube_informer::testing::{FakeSource, SourceRequest, WatchEnd};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use self::rig::*;
use crate::named::{key, list_mode, object, seconds, settle};

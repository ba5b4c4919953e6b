//! Tests of what only the module sees. All others are in `tests/suite/reflector`.

mod permits;
mod proofs;
mod replays;
#[path = "../../../tests/suite/reflector/rig.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod rig;
mod turns;
#[path = "../../../tests/suite/reflector/versioned.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod versioned;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use self::rig::*;
use super::*;
use crate::error::{ApiStatus, Fault, FaultClass, SourceError, Verb};
use crate::helpers::{key, list_mode, object, seconds, settle};
use crate::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, WatchItem, WatchQuery,
    WatchStream,
};
use crate::object::{Cached, KnownObjects, ObjectKey, ring_hash};
use crate::testing::{FakeSource, SourceRequest};

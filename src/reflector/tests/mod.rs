//! Tests of what only the module sees. All others are in `tests/suite/reflector`.

mod permits;
mod questions;
#[path = "../../../tests/suite/reflector/rig.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod rig;

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
use crate::helpers::{object, seconds, settle};
use crate::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, WatchQuery, WatchStream,
};
use crate::object::{Cached, KnownObjects, ObjectKey, ring_hash};
use crate::testing::{FakeSource, SourceRequest};

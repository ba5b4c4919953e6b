//! The README's promises where user code, time and other processes touch them.

#![cfg(feature = "testing")]

mod bytes;
#[cfg(feature = "gzip")]
mod damaged_gzip;
mod decoding;
mod errors;
mod factory;
mod freshness;
#[cfg(feature = "gzip")]
mod gzip;
#[path = "../helpers/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod helpers;
mod hostile;
mod pace;
mod queue;
mod stages;
#[path = "../helpers/turn.rs"]
mod turn;
mod versions;

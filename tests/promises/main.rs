//! The README's promises where user code, time and other processes touch them.

#![cfg(feature = "testing")]

mod bytes;
mod controllers;
#[cfg(feature = "gzip")]
mod damaged_gzip;
mod decoding;
#[path = "../helpers/draws.rs"]
mod draws;
mod election;
mod errors;
mod factory;
mod freshness;
#[cfg(feature = "gzip")]
mod gzip;
#[path = "../helpers/mod.rs"]
mod helpers;
mod hostile;
mod manager;
mod pace;
mod proxies;

mod queue;
mod quiet;
mod recorder;
mod stages;
#[path = "../helpers/turn.rs"]
mod turn;
mod versions;
mod writing;

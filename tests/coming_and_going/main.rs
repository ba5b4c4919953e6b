//! Informers that come and go at run time: with an interest, a kind, a namespace, a reference.

#![cfg(feature = "testing")]
#![allow(clippy::duplicate_mod, reason = "each program brings what it shares with others")]

mod definitions;
mod discovery;
#[path = "../helpers/draws.rs"]
mod draws;
#[path = "../helpers/mod.rs"]
#[expect(dead_code, unused_imports, reason = "`suite` uses the rest")]
mod helpers;
mod interests;
mod interests_model;
mod kinds;
mod namespaces;
mod referenced;
mod referenced_by_namespace;
mod referenced_model;
mod referenced_more;
mod references;
mod seeds;
mod serving;
mod sets;
#[path = "../helpers/turn.rs"]
mod turn;
mod watches;

//! Informers that come and go at run time: with an interest, a kind, a namespace, a reference.

#![cfg(feature = "testing")]
#![allow(clippy::duplicate_mod, reason = "each program brings what it shares with others")]

mod definitions;
mod discovery;
#[path = "../helpers/draws.rs"]
mod draws;
mod following;
mod following_model;
#[path = "../helpers/mod.rs"]
#[expect(dead_code, unused_imports, reason = "`suite` uses the rest")]
mod helpers;
#[path = "../helpers/http.rs"]
mod http;
mod interests;
mod interests_model;
mod kinds;
mod managers;
mod namespaces;
mod own_additions;
mod readiness;
mod referenced;
mod referenced_by_namespace;
mod referenced_model;
mod referenced_more;
mod seeds;
mod serving;
mod sets;
mod sharded;
#[path = "../helpers/turn.rs"]
mod turn;
mod watches;

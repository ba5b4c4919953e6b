//! This crate and kube-runtime, measured the same way as client-go in `client-go/`.
//!
//! The first argument of each process says what is measured:
//!
//! | `--measure` | what |
//! |---|---|
//! | `session` | one informer on the server: sync, memory, relist, updates through handlers |
//! | `reads` | a store in this process: reads by key and by index, with and without writes |
//! | `readers` | client-go's shared-informer benchmark: readers list, one writer updates |
//!
//! Each prints JSON lines; `benches/peers/run` starts them all and explains the options.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a tool for measuring: it may stop with a message"
)]

mod kube_runtime;
mod measure;
mod ours;
mod readers;
mod reads;
mod session;
mod views;

use crate::measure::Options;

fn main() {
    let options = Options::parse();
    match options.text("measure") {
        "session" => session::run(&options),
        "reads" => reads::run(&options),
        "readers" => readers::run(&options),
        other => panic!("--measure {other}"),
    }
}

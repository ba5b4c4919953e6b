//! A thousand watches in one process, over HTTP/1.1 and over HTTP/2: connections, memory and
//! processor time, the requests after a lost connection, and what an unread answer holds up.
//!
//! `cargo bench --bench watches`; `-- --informers 100` for a quick look. It starts itself as a
//! server (the embedded one over TLS, behind a proxy that can cut a connection) and as one client
//! after another, and prints a table in Markdown. `ulimit -n` must be 4 times the informers.
//!
//! | client | |
//! |---|---|
//! | `http1` | kube's own client: a connection for each open request |
//! | `http2` | a connection for each 100 open requests, with the largest window |
//! | `one` | a single connection as hyper makes it: the embedded server allows 200 requests |
//!
//! Each informer watches one empty namespace. Processor time and memory are the client's own.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for measuring: it may stop with a message"
)]

mod client;
mod http2;
#[path = "../peers/measure.rs"]
mod measure;
mod server;

use std::process::Command;

use crate::measure::Options;

fn main() {
    let options = Options::parse();
    match options.get("as") {
        Some("server") => server::run(),
        Some("client") => client::run(&options),
        _ => all(&options),
    }
}

/// Runs each client in a process of its own.
fn all(options: &Options) {
    let informers = options.number("informers", 1000).to_string();
    let clients = options.get("clients").unwrap_or("http1,http2,one");
    println!(
        "| client | synced | in | processor time | connections | open files | resident | lost with \
         one connection | lists after it | all back after | small read beside 8 unread lists |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for client in clients.split(',') {
        let program = std::env::current_exe().expect("this program");
        let arguments = ["--as", "client", "--client", client, "--informers", &informers];
        let status = Command::new(program).args(arguments).status().expect("a client");
        assert!(status.success(), "{client} failed");
    }
}

//! A million objects in one process: what an informer of them costs, how long it keeps the
//! runtime's other tasks waiting, and how soon its handlers hear of changes.
//!
//! `cargo bench --bench million`; `-- --objects 2000 --seconds 2` for a quick look. It starts
//! itself as a server, which holds the pods' bytes and nothing else, and as one client after
//! another, and prints tables in Markdown.
//!
//! | option | |
//! |---|---|
//! | `--objects N` | pods; a million unless set |
//! | `--nodes N` | nodes and pods of the second workload; a tenth of the objects unless set |
//! | `--rate R` | updates a second; 1,000 unless set |
//! | `--seconds S` | how long they last; 600 unless set, a tenth on one thread |
//! | `--read-one-in N` | the handler reads one of so many new objects; each unless set |
//! | `--only W` | one workload: `pods`, `turns` or `nodes` |
//!
//! | workload | what |
//! |---|---|
//! | `pods` | a runtime of several threads; pods with three indexes and a handler |
//! | `turns` | the same with everything on one thread, where every turn is timed |
//! | `nodes` | two informers, nodes and pods, on several threads |
//!
//! Lists are streaming lists in protobuf, storage is the default. The handler is there from the
//! start. Of an update it reads the new object, and with it when the server wrote it: the time
//! between is the table's delay. What it read stays decoded for a minute or more, as do objects
//! that any program reads: most of the memory of the updates. A relist's wall time has the pause in
//! it that the informer makes before it lists again.
//!
//! Processor time is the client's own, until it is idle. Resident memory is taken then; its peak is
//! that since the step began. What other tasks wait is, on several threads, the time from the wake
//! to the turn of a task that is woken every ten milliseconds; what the machine does meanwhile for
//! others is in it. On one thread it is the thread's processor time from one turn of an always
//! ready task to the next, so that no poll took longer.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::format_push_string,
    clippy::unwrap_used,
    reason = "a tool for measuring: it may stop with a message"
)]

mod client;
#[path = "../peers/measure.rs"]
mod measure;
mod objects;
#[allow(dead_code, reason = "the comparison uses the rest")]
#[path = "../peers/pods.rs"]
mod pods;
mod server;
mod spread;
#[path = "../support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::measure::Options;

fn main() {
    let options = Options::parse();
    match options.get("as") {
        Some("server") => owned(|| server::run(&options)),
        Some("client") => owned(|| client::run(&options)),
        _ => all(&options),
    }
}

/// Runs a part, and ends the process when its owner is gone.
fn owned(run: impl FnOnce()) {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(1);
    });
    run();
}

/// Nanoseconds of the clock that all processes of the machine share.
pub(crate) fn monotonic() -> u64 {
    support::time_of(rustix::time::ClockId::Monotonic).as_nanos() as u64
}

/// A process of this program that ends with its owner.
struct Part(Child);

impl Part {
    fn start(role: &str, options: &[(&str, String)]) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--as", role]).stdin(Stdio::piped()).stdout(Stdio::piped());
        for (name, value) in options {
            command.arg(format!("--{name}")).arg(value);
        }
        Self(command.spawn().expect("a process"))
    }

    /// Returns its output, which must be kept as long as it may write.
    fn lines(&mut self) -> impl Iterator<Item = String> + use<> {
        let output = self.0.stdout.take().expect("its output");
        BufReader::new(output).lines().map_while(Result::ok)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs all workloads, the pods' on one server, and prints the tables.
fn all(options: &Options) {
    let objects = options.number("objects", 1_000_000);
    let fewer = options.number("nodes", objects / 10);
    let rate = options.number("rate", 1_000);
    let seconds = options.number("seconds", 600);
    let read = options.number("read-one-in", 1);
    let wanted = |workload: &&str| options.get("only").is_none_or(|only| only == *workload);
    let mut updates = Vec::new();
    println!(
        "| workload | step | wall | processor time | resident | peak | others wait, p99.9 | longest | over 1 ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (pods, nodes, workloads) in
        [(objects, 0, &["pods", "turns"][..]), (fewer, fewer, &["nodes"])]
    {
        let mut workloads = workloads.iter().copied().filter(wanted).peekable();
        if workloads.peek().is_none() {
            continue;
        }
        eprintln!("== making {pods} pods and {nodes} nodes");
        let counts = [("pods", pods.to_string()), ("nodes", nodes.to_string())];
        let mut server = Part::start("server", &counts);
        let mut says = server.lines();
        let address = says.next().expect("the server's address");
        for workload in workloads {
            eprintln!("== {workload}");
            let seconds = if workload == "turns" { seconds.div_ceil(10) } else { seconds };
            let mut client = Part::start(
                "client",
                &[
                    ("workload", workload.to_owned()),
                    ("server", address.clone()),
                    ("rate", rate.to_string()),
                    ("read-one-in", read.to_string()),
                    ("seconds", seconds.to_string()),
                ],
            );
            for line in client.lines() {
                match line.strip_prefix("updates ") {
                    Some(line) => updates.push(line.to_owned()),
                    None => println!("{line}"),
                }
            }
            assert!(client.0.wait().expect("a client").success(), "{workload} failed");
        }
    }
    println!();
    println!(
        "| workload | updates | a second | read | merged | delay p50 | p99 | p99.9 | longest | server behind its schedule |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for line in updates {
        println!("{line}");
    }
}

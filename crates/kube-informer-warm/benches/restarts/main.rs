//! Starts from kept objects beside cold ones: requests, bytes, processor time, memory, the size of
//! the file, the cost of writing it, and a hundred replicas that start at once.
//!
//! `cargo bench --workspace --bench restarts`; for a quick look, `-- --pods 600 --rate 10
//! --seconds 3 --runs 1 --replicas 5 --shared 200`. It starts itself as the embedded server, and as
//! one client after another, and prints tables in Markdown.
//!
//! | option | |
//! |---|---|
//! | `--pods N` | pods of 8.3 kB of JSON; 50,000 unless set |
//! | `--rate R` | changes a second while a program is down, and while it writes; 100 unless set |
//! | `--seconds S` | the time for which it writes; 60 unless set |
//! | `--runs N` | starts of each kind, of which the median is printed; 3 unless set |
//! | `--replicas N` | replicas of the herd; 100 unless set |
//! | `--shared N` | pods that each replica follows; 2,000 unless set |
//! | `--peer FILE` | client-go's program, built from `benches/peers/client-go`: its cold start |
//! | `--only PART` | `starts`, `writing` or `herd` |
//!
//! Processor time is the process's own, from its start until it is idle. Resident memory is
//! measured then, and its peak over the whole start. At each start the server has its answers
//! encoded already. Pods change before a start, so the server's history has the changes.

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
#[path = "../../../../benches/peers/measure.rs"]
mod measure;
mod part;
#[allow(clippy::format_push_string, dead_code, reason = "the comparison uses the rest")]
#[path = "../../../../benches/peers/pods.rs"]
mod pods;
mod server;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::measure::Options;
use crate::part::Part;

fn main() {
    let options = Options::parse();
    match options.get("as") {
        Some("server") => server::run(),
        Some("client") => client::run(&options),
        _ => all(&options),
    }
}

/// A directory that is removed when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("restarts-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path of text").to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _left = std::fs::remove_dir_all(&self.0);
    }
}

fn all(options: &Options) {
    let wanted = |part| options.get("only").is_none_or(|only| only == part);
    let bench = Bench { scratch: Scratch::new(), options };
    if wanted("starts") || wanted("writing") {
        let mut server = bench.server(options.number("pods", 50_000));
        bench.start(&mut server, Some("kept"), &[]);
        if wanted("starts") {
            bench.starts(&mut server);
        }
        if wanted("writing") {
            bench.writing(&mut server);
        }
    }
    if wanted("herd") {
        bench.herd();
    }
}

struct Bench<'a> {
    scratch: Scratch,
    options: &'a Options,
}

impl Bench<'_> {
    /// Starts a server with this number of pods, whose lists are encoded.
    fn server(&self, pods: usize) -> Part {
        eprintln!("== making {pods} pods");
        let file = self.scratch.path("kubeconfig");
        let _old = std::fs::remove_file(&file);
        let mut server = Part::start("server", &[]);
        server.ask(&format!("listen {file}"));
        server.ask(&format!("populate {pods}"));
        self.start(&mut server, None, &[]);
        server
    }

    /// Starts a client, and ends it when it is idle. Returns its figures, with the server's
    /// processor time.
    fn start(&self, server: &mut Part, cache: Option<&str>, more: &[(&str, String)]) -> Value {
        let mut arguments = vec![("kubeconfig", self.scratch.path("kubeconfig"))];
        arguments.extend(cache.map(|cache| ("cache", self.scratch.path(cache))));
        // It is idle only after its first write.
        arguments.push(("interval", "0.2".to_owned()));
        arguments.extend_from_slice(more);
        let before = number(&server.ask("usage"), "cpu");
        let mut client = Part::start("client", &arguments);
        let mut figures = client.line();
        figures["server"] = (number(&server.ask("usage"), "cpu") - before).into();
        let end = client.ask("stop");
        figures["file"] = end["file"].clone();
        figures
    }

    fn starts(&self, server: &mut Part) {
        let (rate, runs) = (self.options.number("rate", 100), self.options.number("runs", 3));
        println!(
            "\n| start | requests | bytes | processor time | wall | settled | peak | deletes | \
             server |\n|---|---|---|---|---|---|---|---|---|"
        );
        if let Some(peer) = self.options.get("peer") {
            let found: Vec<_> = (0..runs).map(|_| self.peer(peer)).collect();
            row("client-go, cold", &found);
        }
        let some = format!("churn {}", rate * 10);
        let more = format!("churn {}", rate * 60);
        for (name, cache, orders) in [
            ("cold", None, &[][..]),
            ("warm, nothing changed", Some("kept"), &[]),
            ("warm, 10 s of changes", Some("kept"), &[&*some]),
            ("warm, 60 s of changes", Some("kept"), &[&*more]),
            ("warm, another kind changed", Some("kept"), &["other"]),
            ("warm, 10 s of changes, compacted", Some("kept"), &[&*some, "compact"]),
        ] {
            let mut found = Vec::new();
            for _ in 0..runs {
                for order in orders {
                    server.ask(order);
                }
                found.push(self.start(server, cache, &[]));
            }
            row(name, &found);
            if name == "warm, nothing changed" {
                let last = &found[0];
                eprintln!(
                    "== the file has {}, packed objects {}",
                    size(number(last, "file")),
                    size(number(last, "packed"))
                );
            }
        }
    }

    /// Starts client-go's informer of whole pods, without the server's orders.
    fn peer(&self, program: &str) -> Value {
        let kubeconfig = self.scratch.path("kubeconfig");
        let arguments = ["--client", "client-go", "--measure", "session", "--storage", "whole"];
        let output = std::process::Command::new(program)
            .args(arguments)
            .args(["--media", "protobuf", "--list", "plain", "--kubeconfig", &kubeconfig])
            .output()
            .expect("client-go's program");
        let text = String::from_utf8(output.stdout).expect("text");
        let mut figures = serde_json::json!({});
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let name = match line["measure"].as_str() {
                Some("sync wall") => "wall",
                Some("sync cpu until idle") => "cpu",
                Some("rss settled") => "settled",
                Some("rss peak") => "peak",
                _ => continue,
            };
            figures[name] = line["value"].clone();
        }
        figures
    }

    fn writing(&self, server: &mut Part) {
        let (rate, seconds) =
            (self.options.number("rate", 100), self.options.number("seconds", 60));
        println!(
            "\n| {rate} updates a second for {seconds} s | processor time | of a core | commits | \
             written | file |\n|---|---|---|---|---|---|"
        );
        for (name, cache) in [("not kept", None), ("kept", Some("kept"))] {
            // Brings the file up to date, which is no part of the figures.
            self.start(server, Some("kept"), &[]);
            let mut arguments = vec![("kubeconfig", self.scratch.path("kubeconfig"))];
            arguments.extend(cache.map(|cache| ("cache", self.scratch.path(cache))));
            let mut client = Part::start("client", &arguments);
            let before = number(&client.line(), "cpu");
            server.ask(&format!("update {rate} {seconds}"));
            let after = client.ask("usage");
            let cpu = number(&after, "cpu") - before;
            let end = client.ask("stop");
            println!(
                "| {name} | {cpu:.2} s | {:.1} % | {} | {} | {} |",
                cpu / seconds as f64 * 100.0,
                after["commits"],
                size(number(&after, "written")),
                size(number(&end, "file"))
            );
        }
    }

    fn herd(&self) {
        let replicas = self.options.number("replicas", 100);
        let mut server = self.server(self.options.number("shared", 2_000));
        let replicas = [("replicas", replicas.to_string())];
        self.start(&mut server, Some("herd"), &replicas);
        println!(
            "\n| {} replicas at once | requests | bytes | processor time | all fresh after | \
             settled | peak | deletes | server |\n|---|---|---|---|---|---|---|---|---|",
            replicas[0].1
        );
        let changes = format!("churn {}", self.options.number("shared", 2_000) / 20);
        for (name, cache) in [("cold", None), ("warm, one pod in 20 changed", Some("herd"))] {
            server.ask(&changes);
            row(name, &[self.start(&mut server, cache, &replicas)]);
        }
    }
}

/// Prints the medians.
fn row(name: &str, found: &[Value]) {
    let median = |figure: &str| {
        let mut all: Vec<_> = found.iter().filter_map(|one| one[figure].as_f64()).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied()
    };
    let text = |figure, show: fn(f64) -> String| median(figure).map_or("–".into(), show);
    let seconds = |value: f64| format!("{value:.2} s");
    let count = |value: f64| format!("{value:.0}");
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} |",
        text("requests", count),
        text("bytes", size),
        text("cpu", seconds),
        text("wall", seconds),
        text("settled", size),
        text("peak", size),
        text("deletes", count),
        text("server", seconds),
    );
}

fn number(figures: &Value, name: &str) -> f64 {
    figures[name].as_f64().unwrap_or(0.0)
}

fn size(bytes: f64) -> String {
    match bytes {
        ..1e6 => format!("{:.1} kB", bytes / 1e3),
        ..1e9 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.2} GB", bytes / 1e9),
    }
}

/// Returns the number of bytes of all files below a directory.
fn files(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => files(&entry.path()),
            metadata => metadata.map_or(0, |metadata| metadata.len()),
        })
        .sum()
}

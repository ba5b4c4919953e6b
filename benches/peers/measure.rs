//! The parts that the processes of the comparison share: options, resource use, and the lines that
//! each prints.
//!
//! Figures of a process are the kernel's own, from `/proc/self`: processor time as getrusage has it
//! (in steps of 10 ms), resident memory, and its highest level since the last reset.

#![allow(dead_code, reason = "the server and the clients each use a part of this")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// `--name value` pairs, in any order.
#[derive(Clone, Debug)]
pub(crate) struct Options(Vec<(String, String)>);

impl Options {
    pub(crate) fn parse() -> Self {
        // `cargo bench` adds `--bench` to what it starts.
        let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
        let mut options = Vec::new();
        while let Some(name) = args.next() {
            let name = name.trim_start_matches("--").to_owned();
            let value = args.next().unwrap_or_else(|| panic!("--{name} needs a value"));
            options.push((name, value));
        }
        Self(options)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(given, _)| given == name).map(|(_, value)| &**value)
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_else(|| panic!("--{name} is missing"))
    }

    pub(crate) fn number(&self, name: &str, default: usize) -> usize {
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("--{name} {text}"));
        self.get(name).map_or(default, number)
    }

    pub(crate) fn seconds(&self, name: &str, default: f64) -> Duration {
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("--{name} {text}"));
        Duration::from_secs_f64(self.get(name).map_or(default, number))
    }

    /// A list of numbers with commas; empty if it was not given.
    pub(crate) fn numbers(&self, name: &str) -> Vec<usize> {
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("--{name} {text}"));
        self.get(name).into_iter().flat_map(|all| all.split(',')).map(number).collect()
    }
}

/// Processor time of this process so far, of all its threads, in seconds.
pub(crate) fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc/self/stat");
    // The name of the process comes second, in parentheses, and may hold anything.
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
    let ticks = |at: usize| {
        fields.split_whitespace().nth(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

/// Processor time of the threads that run, to the nanosecond, in seconds. One that ended counts no
/// more.
pub(crate) fn fine_cpu() -> f64 {
    // Brings this thread's account up to date, which is else done at the scheduler's next tick.
    std::thread::yield_now();
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanos = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    nanos.sum::<u64>() as f64 / 1e9
}

fn status(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc/self/status");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let kilobytes = line.trim_start_matches(':').trim().trim_end_matches(" kB");
    kilobytes.parse::<f64>().unwrap_or(0.0) * 1024.0
}

/// Resident memory, in bytes.
pub(crate) fn rss() -> f64 {
    status("VmRSS")
}

/// The highest resident memory since the last [`reset_peak`], in bytes.
pub(crate) fn peak() -> f64 {
    status("VmHWM")
}

/// Resets [`peak`]. If the kernel does not allow it, the peak is that of the process's whole life.
pub(crate) fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Waits until this process does next to nothing, for a minute at most.
pub(crate) fn settle() {
    let start = Instant::now();
    let (mut before, mut quiet) = (cpu(), 0);
    while quiet < 3 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(200));
        let now = cpu();
        quiet = if now - before < 0.015 { quiet + 1 } else { 0 };
        before = now;
    }
}

/// Prints the lines of one client.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    client: String,
    storage: String,
    media: String,
    run: usize,
}

impl Lines {
    pub(crate) fn new(client: &str, storage: &str, media: &str, options: &Options) -> Self {
        let run = options.number("run", 1);
        Self { client: client.into(), storage: storage.into(), media: media.into(), run }
    }

    pub(crate) fn print(&self, measure: &str, n: usize, value: f64, unit: &str) {
        let line = json!({
            "client": self.client, "storage": self.storage, "media": self.media,
            "measure": measure, "n": n, "value": value, "unit": unit, "run": self.run,
        });
        println!("{line}");
    }
}

/// Tells the bench server what to do; its answer.
pub(crate) fn order(admin: &str, path: &str) -> Value {
    let mut stream = TcpStream::connect(admin).expect("the bench server");
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {admin}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    )
    .expect("an order");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    serde_json::from_str(body).expect("JSON")
}

/// The revision of an answer.
pub(crate) fn revision(answer: &Value) -> u64 {
    answer["revision"].as_u64().expect("a revision")
}

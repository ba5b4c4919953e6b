//! A process of this program that takes orders: a line each, answered by a line of JSON.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A process that ends with its owner.
pub(crate) struct Part {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Part {
    pub(crate) fn start(role: &str, options: &[(&str, String)]) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--as", role]).stdin(Stdio::piped()).stdout(Stdio::piped());
        for (name, value) in options {
            command.arg(format!("--{name}")).arg(value);
        }
        let mut child = command.spawn().expect("a process");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, output }
    }

    /// Returns the next line.
    pub(crate) fn line(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("a process that answers")
    }

    pub(crate) fn ask(&mut self, order: &str) -> Value {
        let mut input = self.child.stdin.as_ref().expect("its input");
        writeln!(input, "{order}").expect("an order");
        self.line()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// Calls `obey` with each order, and prints its answers, until the owner is gone.
pub(crate) fn take_orders(mut obey: impl FnMut(&[&str]) -> Value) {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let words: Vec<_> = line.split(' ').collect();
        say(&obey(&words));
    }
}

pub(crate) fn say(answer: &Value) {
    println!("{answer}");
    std::io::stdout().flush().expect("an owner");
}

//! Replicas as child processes, and their reports.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use kube_informer::error::BoxError;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::replica::{Report, SLOTS};

/// The longest time of each step.
const LIMIT: Duration = Duration::from_secs(10);

/// The period in which the reports are read.
const PERIOD: Duration = Duration::from_millis(50);

/// The processes of a group. They end with this value.
pub(crate) struct Fleet {
    /// The arguments of each process, beside its name.
    arguments: Vec<String>,
    members: Vec<Member>,
}

/// One process.
struct Member {
    name: String,
    child: Child,
    /// The last line that it printed.
    report: Arc<Mutex<Report>>,
}

impl Fleet {
    pub(crate) fn new(arguments: Vec<String>) -> Self {
        Self { arguments, members: Vec::new() }
    }

    /// Starts this program once more, as a replica.
    pub(crate) fn start(&mut self, name: &str) -> io::Result<()> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--replica", name])
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let report = Arc::new(Mutex::new(Report::default()));
        if let Some(output) = child.stdout.take() {
            let report = report.clone();
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if let Ok(read) = serde_json::from_str(&line) {
                        *report.lock() = read;
                    }
                }
            });
        }
        self.members.push(Member { name: name.to_owned(), child, report });
        Ok(())
    }

    /// Kills a replica, as a failing node does: it sends no last request.
    pub(crate) fn kill(&mut self, name: &str) {
        // A member is killed when it is dropped.
        self.members.retain(|member| member.name != name);
    }

    /// Waits until the replicas share all slots and orders, and have reconciled every order.
    /// Returns the time that this took.
    pub(crate) async fn settle(&mut self, orders: usize) -> Result<Duration, BoxError> {
        let start = Instant::now();
        loop {
            for Member { name, child, .. } in &mut self.members {
                if let Some(status) = child.try_wait()? {
                    return Err(format!("{name} has ended by itself: {status}").into());
                }
            }
            let Some(missing) = self.missing(orders) else { return Ok(start.elapsed()) };
            if start.elapsed() > LIMIT {
                return Err(format!("not settled after {LIMIT:?}: {missing}").into());
            }
            sleep(PERIOD).await;
        }
    }

    /// Returns the first thing that is not as it should be.
    fn missing(&self, orders: usize) -> Option<String> {
        let reports: Vec<_> =
            self.members.iter().map(|member| member.report.lock().clone()).collect();
        let slots = reports.iter().map(|report| report.slots);
        let (least, most) = (slots.clone().min()?, slots.clone().max()?);
        let held: usize = slots.sum();
        let stored: usize = reports.iter().map(|report| report.orders).sum();
        let reconciled: usize = reports.iter().map(|report| report.reconciled).sum();
        if held != SLOTS {
            Some(format!("the replicas hold {held} of {SLOTS} slots"))
        } else if most - least > 1 {
            Some(format!("one replica holds {least} slots, another {most}"))
        } else if stored != orders {
            Some(format!("{stored} of {orders} orders are in the replicas' caches"))
        } else if reconciled != orders {
            Some(format!("{reconciled} of {orders} orders were reconciled by their replica"))
        } else {
            None
        }
    }

    /// Tells all replicas to end, and waits for them.
    pub(crate) async fn stop(&mut self) -> Result<Duration, BoxError> {
        let start = Instant::now();
        for member in &mut self.members {
            // The end of its input tells a replica to end, as SIGTERM does in a cluster.
            drop(member.child.stdin.take());
        }
        while let Some(Member { name, child, .. }) = self.members.first_mut() {
            match child.try_wait()? {
                Some(status) if status.success() => drop(self.members.remove(0)),
                Some(status) => return Err(format!("{name} ended with {status}").into()),
                None if start.elapsed() > LIMIT => {
                    return Err(format!("{name} has not ended after {LIMIT:?}").into());
                }
                None => sleep(PERIOD).await,
            }
        }
        Ok(start.elapsed())
    }

    /// Prints a row for each replica.
    pub(crate) fn print(&self) {
        println!(
            "    {:<12}{:>6}{:>12}{:>12}{:>10}",
            "", "slots", "in cache", "reconciled", "sent"
        );
        for Member { name, report, .. } in &self.members {
            let Report { slots, orders, reconciled, sent } = report.lock().clone();
            println!("    {name:<12}{slots:>6}{orders:>12}{reconciled:>12}{sent:>10}");
        }
        println!();
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // Both fail only if the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

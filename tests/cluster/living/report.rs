//! The report of a living world, as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::followers::{Follower, VIEW};
use super::programs::{NAMES, Usage};

/// The figures of a whole world.
pub(super) struct World {
    pub(super) duration: Duration,
    pub(super) disturbances: Vec<String>,
    /// The work of the kubelets, each with its number.
    pub(super) kubelets: BTreeMap<&'static str, u64>,
    /// The processor time of the informers.
    pub(super) informers: Duration,
    /// The most resident memory of the test, in bytes: informers, nodes and users.
    pub(super) memory: u64,
    pub(super) usage: Usage,
    /// The number of objects that stores and server have in common at rest.
    pub(super) compared: usize,
    /// The result of client-go's informers at rest, if they ran.
    pub(super) client_go: Option<String>,
}

/// The sums of some followers.
#[derive(Default)]
struct Sums {
    informers: usize,
    objects: usize,
    events: u64,
    packed: usize,
    relists: BTreeMap<String, u64>,
    passed: usize,
    differ: usize,
    compared: usize,
    not_judged: BTreeMap<String, usize>,
    ages: Vec<Duration>,
}

impl Sums {
    fn add(&mut self, follower: &Follower) {
        let status = follower.informer.status();
        self.informers += 1;
        self.objects += status.objects;
        self.events += follower.events.load(Ordering::Relaxed);
        self.packed += status.storage.map_or(0, |storage| storage.bytes);
        // By cause, as the status serialises them. A view has no list of its own.
        let causes = serde_json::to_value(&status.reflector.relists).unwrap_or_default();
        let own = causes.as_object().filter(|_| follower.form != VIEW);
        for (cause, times) in own.into_iter().flatten() {
            *self.relists.entry(cause.clone()).or_default() += times.as_u64().unwrap_or(0);
        }
        for audit in &*follower.audits.lock() {
            self.compared += audit.objects;
            if !audit.passed() {
                self.differ += 1;
            } else if audit.was_judged() {
                self.passed += 1;
            } else {
                for reason in &audit.not_judged {
                    // By kind of reason, without figures and addresses.
                    let reason = serde_json::to_value(reason).unwrap_or_default();
                    let kind = match &reason {
                        serde_json::Value::Object(fields) => fields.keys().next().cloned(),
                        other => other.as_str().map(str::to_owned),
                    };
                    *self.not_judged.entry(kind.unwrap_or_default()).or_default() += 1;
                }
            }
        }
        self.ages.extend_from_slice(&follower.ages.lock());
    }

    fn row(&mut self, form: &str) -> String {
        self.ages.sort_unstable();
        let age = |share: usize| {
            let place = (self.ages.len() * share / 100).min(self.ages.len().saturating_sub(1));
            self.ages.get(place).map_or(0.0, Duration::as_secs_f64)
        };
        format!(
            "| {form} | {} | {} | {} | {} | {} | {} | {} | {:.1}, {:.1}, {:.1} | {} |",
            self.informers,
            self.objects,
            self.events,
            counts(&self.relists),
            self.passed,
            counts(&self.not_judged),
            self.differ,
            age(50),
            age(99),
            age(100),
            self.packed / 1024,
        )
    }
}

fn counts<N: std::fmt::Display>(counted: &BTreeMap<String, N>) -> String {
    let counted: Vec<_> = counted.iter().map(|(what, times)| format!("{times} × {what}")).collect();
    if counted.is_empty() { "–".to_owned() } else { counted.join(", ") }
}

impl World {
    pub(super) fn markdown(&self, followers: &[Arc<Follower>]) -> String {
        let mut text = String::new();
        let mut forms: BTreeMap<&str, Sums> = BTreeMap::new();
        let mut all = Sums::default();
        for follower in followers {
            forms.entry(follower.form).or_default().add(follower);
            all.add(follower);
        }
        let mib = |bytes: u64| bytes >> 20;
        let _ = writeln!(text, "# A living world of {:.0?}\n", self.duration);
        let _ = writeln!(text, "{} objects agree with the server at rest.", self.compared);
        let _ = writeln!(text, "{} audits compared {} objects.\n", all.passed, all.compared);
        let _ = writeln!(
            text,
            "| form | informers | objects | events | lists made again | audits passed | not judged | differ | age in s: 50 %, 99 %, most | packed, KiB |\n|---|---|---|---|---|---|---|---|---|---|"
        );
        for (form, sums) in &mut forms {
            let _ = writeln!(text, "{}", sums.row(form));
        }
        let _ = writeln!(text, "{}\n", all.row("all"));
        let _ = writeln!(
            text,
            "| program | processor time, s | most resident memory, MiB |\n|---|---|---|"
        );
        let informers = self.informers.as_secs_f64();
        let memory = mib(self.memory);
        let _ = writeln!(
            text,
            "| informers; memory with nodes and users | {informers:.1} | {memory} |"
        );
        for name in NAMES {
            let (time, memory) = (self.usage.time(name), self.usage.memory(name));
            let _ = writeln!(text, "| {name} | {:.1} | {} |", time.as_secs_f64(), mib(memory));
        }
        let kubelets: Vec<_> =
            self.kubelets.iter().map(|(what, times)| format!("{times} {what}")).collect();
        let _ = writeln!(text, "\nKubelets: {}.", kubelets.join(", "));
        let client_go = self.client_go.as_deref().unwrap_or("did not run");
        let _ = writeln!(text, "\nclient-go's informers: {client_go}.\n");
        for disturbance in &self.disturbances {
            let _ = writeln!(text, "- {disturbance}");
        }
        text
    }
}

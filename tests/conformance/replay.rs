//! The replay of a scenario against the embedded server.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;

use kube_informer::testing::ApiServer;
use serde_json::Value;

use super::binding::{Binding, Class};
use super::client::{self, Answer};
use super::compare::{Comparison, Mismatch, shortened};
use super::differences::{DELIBERATE, Difference};
use super::scenario::{Scenario, Step};
use super::shards;
use super::webhook_differences::WEBHOOKS;
use super::webhooks::{self, Call, Webhooks};

/// The environment variable that changes the mode of the tests.
pub(crate) const MODE: &str = "CONFORMANCE";

/// The lines that are shown of a step that differs.
const SHOWN: usize = 10;

/// The number of repetitions of a request that was repeated in the recording.
const POLLS: usize = 20;

/// The outcome of a step.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The number of the step, from 1.
    pub(crate) step: usize,
    pub(crate) title: String,
    pub(crate) mismatches: Vec<Mismatch>,
}

/// A replay in progress.
struct Replay {
    server: ApiServer,
    /// True if the responses depend on the hashes of uids.
    sharded: bool,
    /// True if webhooks are called. The recorded steps then do not say which body is an earlier
    /// response.
    webhooked: bool,
    binding: Binding,
    webhooks: Webhooks,
    /// The recorded and our response of each step so far.
    answers: Vec<(Value, Value)>,
}

/// Replays a scenario.
pub(crate) fn replay(name: &str) -> Vec<Outcome> {
    let scenario = Scenario::read(name);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime starts");
    runtime.block_on(async {
        // The same uids in every run.
        fastrand::seed(0);
        let mut replay = Replay {
            server: client::server(&scenario),
            sharded: name.starts_with("shard-"),
            webhooked: name.starts_with("webhooks-"),
            binding: Binding::default(),
            webhooks: Webhooks::default(),
            answers: Vec::new(),
        };
        if replay.webhooked {
            replay.webhooks.register(&replay.server, &scenario);
        }
        let mut outcomes = Vec::new();
        for (index, step) in scenario.steps.iter().enumerate() {
            let mismatches = replay.step(step).await;
            let note = if step.note.is_empty() { "" } else { " — " };
            let title = format!("{} {}{note}{}", step.method, step.path, step.note);
            outcomes.push(Outcome { step: index + 1, title, mismatches });
        }
        outcomes
    })
}

impl Replay {
    async fn step(&mut self, step: &Step) -> Vec<Mismatch> {
        let (path, body) = self.request(step);
        let recorded = step.response();
        if self.sharded {
            let number = self.answers.len();
            shards::choose_seed(&self.server, step, number, &path, body.as_ref(), &recorded).await;
        }
        webhooks::store_side_effects(&self.server, step);
        let mut attempts = if step.poll { POLLS } else { 1 };
        loop {
            attempts -= 1;
            self.webhooks.begin(self.answers.len(), step);
            let answer = client::send(&self.server, step, &path, body.clone()).await;
            let answer = answer.unwrap_or_else(|problem| Answer {
                status: 0,
                headers: http::HeaderMap::new(),
                body: problem,
            });
            let mut binding = self.binding.clone();
            let (mut mismatches, ours) = compare(&mut binding, step, &recorded, &answer);
            let mut calls = Comparison::new(&mut binding, &step.sent(), false);
            let (wanted, asked) = self.webhooks.end();
            calls.calls(&wanted, &asked);
            mismatches.extend(calls.finish());
            if mismatches.is_empty() || attempts == 0 {
                self.binding = binding;
                self.answers.push((recorded, ours));
                return mismatches;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Returns the path and body of a request, with the embedded server's values in place of those
    /// that stem from the recorded one.
    fn request(&self, step: &Step) -> (String, Option<String>) {
        let mut path = step.path.clone();
        let mut body = step.body();
        let is_known = || self.binding.knows_uid(&step.sent()["metadata"]["uid"]);
        if step.uses.contains_key("") || self.webhooked && is_known() {
            body = body.map(|body| self.binding.with_our_metadata(&body));
        }
        for (place, origin) in &step.uses {
            let Some((recorded, ours)) = self.used(origin) else { continue };
            if place.starts_with("query.") || place.starts_with("path.") {
                let encode = |text: &str| -> String {
                    form_urlencoded::byte_serialize(text.as_bytes()).collect()
                };
                path = path.replace(&encode(&recorded), &encode(&ours)).replace(&recorded, &ours);
            } else if let Some(body) = &mut body {
                *body = body.replace(&format!("\"{recorded}\""), &format!("\"{ours}\""));
            }
        }
        let mut segments: Vec<&str> = path.split('/').collect();
        for segment in &mut segments {
            if let Some(ours) = self.binding.ours(Class::Name, segment) {
                *segment = ours;
            }
        }
        (segments.join("/"), body)
    }

    /// Returns the recorded and our value at a place such as `step 2 response.metadata.uid`.
    fn used(&self, origin: &str) -> Option<(String, String)> {
        let (step, place) = origin.strip_prefix("step ")?.split_once(' ')?;
        let (recorded, ours) = self.answers.get(step.parse::<usize>().ok()?.checked_sub(1)?)?;
        let pointer = place.strip_prefix("response")?.replace('.', "/");
        let text = |value: &Value| value.pointer(&pointer)?.as_str().map(str::to_owned);
        Some((text(recorded)?, text(ours)?))
    }
}

/// Compares a response with the recorded one. Returns the differences and our body.
fn compare(
    binding: &mut Binding,
    step: &Step,
    recorded: &Value,
    answer: &Answer,
) -> (Vec<Mismatch>, Value) {
    let own = ["/namespaces/w-", "/namespaces/h-"];
    let everywhere = !own.iter().any(|own| step.path.contains(own));
    let comparison = Comparison::new(binding, &step.sent(), everywhere);
    let answered = step.calls.iter().flat_map(Call::answered);
    let mut comparison = answered.fold(comparison, |known, value| known.also_sent(&value));
    comparison.status(step.status, answer.status);
    comparison.headers(&step.response_headers, &answer.headers);
    let ours = if recorded.is_string() {
        Value::String(answer.body.clone())
    } else if step.watch && recorded.is_array() {
        answer.events()
    } else if recorded.is_null() && answer.body.is_empty() {
        Value::Null
    } else {
        answer.value()
    };
    if step.watch && recorded.is_array() {
        comparison.events(recorded, &ours);
    } else {
        comparison.body(recorded, &ours);
    }
    (comparison.finish(), ours)
}

/// Replays a scenario. Panics if a step differs without a row of the table, and if a row excuses
/// nothing.
pub(crate) fn check(name: &str) {
    let mut outcomes = replay(name);
    let agree = outcomes.iter().filter(|outcome| outcome.mismatches.is_empty()).count();
    let all = std::env::var(MODE).as_deref() == Ok("all");
    let rows = DELIBERATE.iter().chain(WEBHOOKS);
    let rows = rows.filter(|row| row.scenario == name && !all);
    let mut problems = excuse(rows, &mut outcomes);
    for outcome in outcomes.iter().filter(|outcome| !outcome.mismatches.is_empty()) {
        write_outcome(&mut problems, outcome);
    }
    assert!(
        problems.is_empty(),
        "{name}: {agree} of {} steps agree (recorded / ours)\n{problems}",
        outcomes.len()
    );
}

/// Removes the differences of the rows of a scenario. Returns the steps and paths of the rows that
/// excuse nothing.
pub(crate) fn excuse<'a>(
    rows: impl Iterator<Item = &'a Difference>,
    outcomes: &mut [Outcome],
) -> String {
    let mut stale = String::new();
    for row in rows {
        let begins = |path: &str, mismatch: &Mismatch| mismatch.path.starts_with(path);
        let mut used: HashSet<&str> = HashSet::new();
        for &step in row.steps {
            let all = &mut outcomes[step - 1].mismatches;
            let before = all.len();
            let differs = |path: &&str| all.iter().any(|mismatch| begins(path, mismatch));
            used.extend(row.paths.iter().copied().filter(differs));
            all.retain(|mismatch| {
                !row.paths.is_empty() && !row.paths.iter().any(|path| begins(path, mismatch))
            });
            if before == all.len() {
                let reason = row.reason;
                let _ = writeln!(stale, "step {step} agrees, in spite of the row: {reason}");
            }
        }
        for path in row.paths.iter().filter(|path| !used.contains(*path)) {
            let reason = row.reason;
            let _ = writeln!(stale, "{path} agrees in all steps, in spite of the row: {reason}");
        }
    }
    stale
}

fn write_outcome(text: &mut String, outcome: &Outcome) {
    let _ = writeln!(text, "{}. {}", outcome.step, shortened(&outcome.title));
    for mismatch in outcome.mismatches.iter().take(SHOWN) {
        let _ = writeln!(text, "     {mismatch}");
    }
    if let Some(more @ 1..) = outcome.mismatches.len().checked_sub(SHOWN) {
        let _ = writeln!(text, "     and {more} more");
    }
}

//! Exploration: the same scenario again and again, each time with one disturbance at one position.
//!
//! See the guide's page [exploring](crate::exploring).

mod alike;
mod end;
mod report;
mod texts;

use std::collections::{HashMap, HashSet};
use std::mem;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use fastrand::Rng;
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use parking_lot::Mutex;
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use self::alike::Alike;
use self::end::{End, note_names};
pub use self::report::{Exploration, FailedRun};
use crate::record::{Reached, Touch};
use crate::schedule::{Disturbance, Position, SETTLED, Schedule, Step};
use crate::target::Target;
use crate::{Scenario, World};
use kube_informer::error::BoxError;
use kube_informer::seams::into_message;

/// The time in which a program that has settled for the last time must not write, in times of the
/// scenario's quiet time.
const REST: u32 = 3;

/// The time in which a script has to end, in times of that in which the world has to settle.
const SCRIPT: u32 = 100;

/// The seed of every run. One schedule then gives one run.
const SEED: u64 = 28;

/// The largest number of runs at a time.
const THREADS: usize = 4;

/// The acts of the test in a world.
type Script<'s> = dyn Fn(World) -> LocalBoxFuture<'static, Result<(), BoxError>> + 's;

/// Plays one run, with this disturbance.
type Play<'p> = dyn Fn(Option<&Schedule>) -> Played + Sync + 'p;

/// The outcome of one run.
struct Played {
    /// The reason why it failed, and the objects each time that it settled, the end last.
    end: Result<Vec<End>, String>,
    /// The failed keys that waited when it had settled, behind the reason of a failure.
    waits: String,
    /// The disturbances that have happened, each with the positions by then.
    disturbed: Vec<(Step, Reached)>,
    positions: Positions,
}

/// The positions at which a run can be disturbed.
#[derive(Default)]
struct Positions {
    writes: Vec<Position>,
    events: Vec<Position>,
    /// The writes of kept caches. `None` if the program keeps none.
    keeping: Option<Vec<Position>>,
    /// The times that it settled, each with the writes so far, where something had changed.
    settled: Vec<(u64, usize)>,
    lists_of_any_version: u64,
    background: u64,
    touches: Vec<Touch>,
    /// The names under which texts of its objects are compared.
    names: HashMap<String, String>,
}

impl Positions {
    /// Returns a request or event that only one of two runs has. Their order does not count:
    /// watches of several collections are not ordered.
    fn difference(&self, other: &Self) -> Option<String> {
        let all = |run: &Self| run.writes.iter().chain(&run.events).cloned().collect();
        let (ours, theirs): (HashSet<Position>, HashSet<Position>) = (all(self), all(other));
        let one = ours.symmetric_difference(&theirs).min_by_key(ToString::to_string);
        one.map(|one| format!("`{one}` is in one run only"))
    }
}

impl Scenario {
    /// Runs a script against the program without a disturbance, and then once for each disturbance
    /// at each position. Returns what it found.
    ///
    /// The script acts on the world and [settles](World::settle) it; the world settles after its
    /// end, too. It must not assert what holds only without a disturbance. A run fails if
    ///
    /// - the script fails or panics, or the program does not settle;
    /// - the script takes a hundred times [`settles_within`](Scenario::settles_within) on the
    ///   paused clock, or settles a hundred times in a row and no object changes;
    /// - a rule of [`never`](Scenario::never) is broken;
    /// - the program writes again within three times the [quiet time](Scenario::quiet_for);
    /// - the objects at its end differ from those without a disturbance, apart from uids, versions,
    ///   generations, times, generated names, addresses of services, field managers, Leases and
    ///   Events, and the order of finalizers, owners and conditions. Unless a watch or a process is
    ///   held, they are also compared each time that the world settles.
    ///
    /// | disturbance | at | the program |
    /// |---|---|---|
    /// | `crash-before`, `crash-after` | each write | dies before or after it, and starts again |
    /// | `lose-answer` | each write | gets a broken connection, although the write is done |
    /// | `conflict`, `throttle` | each write | gets 409 or 429 |
    /// | `takeover` | each write | is held, while a second process takes its place and works |
    /// | `webhook-refuses` | each write | gets 403, as if a webhook had denied the write |
    /// | `webhook-down` | each write | gets 500, as if a webhook could not be reached |
    /// | `webhook-late` | each write | waits nine seconds before the write is executed |
    /// | `lag` | each event | sees it and those after it only after the next act of the test |
    /// | `gap` | each event | sees, instead of those events, a new list after the next act |
    /// | `stale-restart` | each settling | restarts with lists from before an earlier write |
    ///
    /// A program with a [kept cache](crate::Program::kept_cache) is also restarted with it. It dies,
    /// or is told to `stop`:
    ///
    /// | disturbance | at | the program |
    /// |---|---|---|
    /// | `crash-before`, `crash-after` | each write of the cache | dies before or after it |
    /// | `crash-before` | each event | dies before it sees the event |
    /// | `stop` | each write and event | ends in order, and starts again |
    /// | `crash-after`, `stop` | each settling | is away during the next act of the test |
    ///
    /// In a `takeover` the write is on its way while the second process works, until after the next
    /// act of the test. Then it arrives, and the first process goes on with the view that it had:
    /// no event reaches it. When the world has settled, it is killed. Until then its renewals of
    /// Leases by PUT seem to succeed, and it lists Leases as they were, as if it had been frozen.
    /// So both lead, or both hold the same slots.
    /// [`takeovers`](Scenario::takeovers) leaves them out. [`webhooks`](Scenario::webhooks) adds
    /// those of webhooks.
    ///
    /// If the script fails while the program cannot see its last act, that run is repeated with a
    /// `lag`, `gap`, `takeover` or restart that ends before the next act.
    ///
    /// [`pairs`](Scenario::pairs) adds runs with two disturbances.
    /// [`independent_keys`](Scenario::independent_keys) saves runs where many objects do the same.
    ///
    /// A stale restart is possible only for a program that lists at [any version]. Other lists are
    /// quorum reads, which a server never answers with an older state.
    ///
    /// [any version]: kube_informer::factory::SharedInformerFactoryBuilder::any_version
    ///
    /// Every run has its own thread, runtime, paused clock and world. The same schedule gives the
    /// same verdict, unless the program itself depends on threads or real time.
    ///
    /// O(positions) runs, each of which takes some milliseconds.
    ///
    /// # Panics
    /// Panics if the system starts no thread, or if the closure of the program panics.
    #[must_use = "look at the failures, or call assert_passed"]
    pub fn explore<F, Fut>(&self, script: F) -> Exploration
    where
        F: Fn(World) -> Fut + Send + Sync,
        Fut: Future<Output = Result<(), BoxError>> + 'static,
    {
        let play =
            |schedule: Option<&Schedule>| self.play(schedule, &|world| script(world).boxed_local());
        explore(&play, self)
    }

    /// Runs a script once, with the disturbance that an [`Exploration`] has printed, and once
    /// without.
    ///
    /// # Errors
    /// Returns why the run failed, that the text is not a schedule, or that its position was not
    /// reached.
    ///
    /// # Panics
    /// Panics if the system starts no thread, or if the closure of the program panics.
    pub fn replay<F, Fut>(&self, schedule: &str, script: F) -> Result<(), FailedRun>
    where
        F: Fn(World) -> Fut + Send + Sync,
        Fut: Future<Output = Result<(), BoxError>> + 'static,
    {
        let failed = |problem| FailedRun { schedule: schedule.into(), problem };
        let parsed: Schedule = schedule.parse().map_err(failed)?;
        let play =
            |schedule: Option<&Schedule>| self.play(schedule, &|world| script(world).boxed_local());
        let all = on_threads(&[None, Some(&parsed)], &play);
        let [undisturbed, played] = &all[..] else { return Ok(()) };
        let problem = match &undisturbed.end {
            Err(problem) => Some(format!("without a disturbance: {problem}")),
            Ok(_) if played.disturbed.len() < parsed.0.len() => {
                Some("its position was not reached".into())
            }
            Ok(ends) => difference(ends, played),
        };
        problem.map_or(Ok(()), |problem| Err(failed(problem)))
    }

    /// Plays a run. Held watches go on after the next act of the script, or before it if the script
    /// depends on what the program does then.
    fn play(&self, schedule: Option<&Schedule>, script: &Script<'_>) -> Played {
        let repeat = |Misled| self.play_once(schedule, script, false);
        self.play_once(schedule, script, true).or_else(repeat).unwrap_or_else(|Misled| Played {
            end: Err("the script fails while watches are held".into()),
            waits: String::new(),
            disturbed: Vec::new(),
            positions: Positions::default(),
        })
    }

    fn play_once(
        &self,
        schedule: Option<&Schedule>,
        script: &Script<'_>,
        holds_long: bool,
    ) -> Result<Played, Misled> {
        fastrand::seed(SEED);
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => panic!("no runtime: {error}"),
        };
        runtime.block_on(async {
            let world = self.world(schedule.cloned(), holds_long);
            world.start();
            let end = act(&world, script, holds_long).await?;
            let states = mem::take(&mut world.record().lock().states);
            let last = world.server().objects();
            let mut positions = positions(&world);
            if schedule.is_none() {
                let all = states.iter().flatten().chain(&last);
                all.for_each(|one| note_names(&mut one.clone(), &mut positions.names));
            }
            let ends = || states.into_iter().chain([last]).map(End::of).collect();
            let end = end.map(|()| ends());
            let disturbed = world.record().lock().disturbed.clone();
            let waits = mem::take(&mut world.record().lock().waits);
            let end = end.map_err(|problem| problem + &waits);
            Ok(Played { end, waits, disturbed, positions })
        })
    }
}

/// The script failed while the program could not see what it waits for.
struct Misled;

/// Plays the undisturbed run, and those that disturb it.
fn explore(play: &Play<'_>, scenario: &Scenario) -> Exploration {
    let twice = on_threads(&[None, None], play);
    let [first, second] = &twice[..] else { return Exploration::default() };
    let mut found = Exploration { runs: 2, ..Exploration::default() };
    let end = match (&first.end, &second.end) {
        (Ok(end), Ok(other)) => {
            let differs = end.iter().zip(other).find_map(|(one, other)| one.difference(other));
            if let Some(why) = differs.or_else(|| first.positions.difference(&second.positions)) {
                found.fails("undisturbed".into(), format!("two equal runs differ: {why}"));
                return found;
            }
            end
        }
        (Err(problem), _) | (_, Err(problem)) => {
            found.fails("undisturbed".into(), problem.clone());
            return found;
        }
    };
    let positions = &first.positions;
    found.writes = positions.writes.len();
    found.events = positions.events.len();
    found.kept = positions.keeping.as_ref().map_or(0, Vec::len);
    found.left_out = positions.background;
    let mut schedules: Vec<_> = steps(positions, Reached::default(), scenario).collect();
    let stale = positions.settled.iter().flat_map(|(settle, writes)| {
        let disturbance = Disturbance::StaleRestart { settle: *settle };
        positions.writes[..*writes].iter().map(move |at| Step { disturbance, at: at.clone() })
    });
    if positions.lists_of_any_version > 0 {
        schedules.extend(stale);
    } else {
        found.impossible = stale.count();
    }
    let alike = scenario.independent.then(|| Alike::of(&positions.touches, &positions.names));
    if let Some(alike) = &alike {
        schedules = alike.once(schedules);
        let all = positions.writes.iter().chain(&positions.events);
        (found.represented, found.representing) = alike.represented(all);
    }
    let singles: Vec<_> = schedules.into_iter().map(|step| Schedule(vec![step])).collect();
    let played = found.tries(&singles, end, play);
    if scenario.pairs > 0 {
        let mut pairs: Vec<_> = pairs(&played, end, scenario).collect();
        pairs.retain(|pair| alike.as_ref().is_none_or(|alike| alike.is_of_one_key(pair)));
        found.possible_pairs = pairs.len();
        let budget = scenario.pairs.min(pairs.len());
        let drawn = Rng::with_seed(SEED).choose_multiple(pairs.drain(..), budget);
        found.pairs = drawn.len();
        found.tries(&drawn, end, play);
    }
    found
}

/// Returns the disturbances of the positions of a run after these.
fn steps(run: &Positions, after: Reached, scenario: &Scenario) -> impl Iterator<Item = Step> {
    let (takeovers, webhooks) = (scenario.takeovers, scenario.webhooks);
    let of = |at: &Position, disturbance| Step { disturbance, at: at.clone() };
    let tried = move |one: &Disturbance| takeovers || *one != Disturbance::Takeover;
    let keeps = run.keeping.is_some();
    let if_kept = move |all: &'static [Disturbance]| all.iter().copied().filter(move |_| keeps);
    let writes = run.writes.iter().skip(after.writes);
    let writes = writes.flat_map(move |at| {
        let reviewed = || Target::of(&at.name).is_none_or(|target| !target.is_never_reviewed());
        let of_webhooks: &[_] =
            if webhooks && reviewed() { &Disturbance::OF_WEBHOOKS } else { &[] };
        let all = Disturbance::OF_WRITES.into_iter().filter(tried);
        let all = all.chain(of_webhooks.iter().copied());
        all.chain(if_kept(&Disturbance::OF_WRITES_IF_KEPT)).map(move |one| of(at, one))
    });
    let events = run.events.iter().skip(after.events).flat_map(move |at| {
        let all = Disturbance::OF_EVENTS.into_iter();
        all.chain(if_kept(&Disturbance::OF_EVENTS_IF_KEPT)).map(move |one| of(at, one))
    });
    let keeping = run.keeping.iter().flatten().skip(after.keeping);
    let keeping = keeping.flat_map(move |at| Disturbance::OF_KEEPING.map(|one| of(at, one)));
    let settled = run.settled.iter().filter(move |(nth, _)| keeps && *nth > after.settled);
    let settled = settled.flat_map(move |(nth, _)| {
        let at = Position { nth: *nth, name: SETTLED.into() };
        Disturbance::OF_SETTLINGS.map(|one| of(&at, one))
    });
    writes.chain(events).chain(keeping).chain(settled)
}

/// Returns the pairs of a disturbance that was passed and one after it in the same run.
fn pairs(singles: &[Played], end: &[End], scenario: &Scenario) -> impl Iterator<Item = Schedule> {
    let passed = singles.iter().filter(|played| difference(end, played).is_none());
    passed.flat_map(move |played| {
        played.disturbed.first().into_iter().flat_map(move |(first, after)| {
            let second = steps(&played.positions, *after, scenario);
            second.map(|second| Schedule(vec![first.clone(), second]))
        })
    })
}

impl Exploration {
    /// Plays disturbed runs, and notes those that fail.
    fn tries(&mut self, schedules: &[Schedule], end: &[End], play: &Play<'_>) -> Vec<Played> {
        let wanted: Vec<_> = schedules.iter().map(Some).collect();
        let all = on_threads(&wanted, play);
        self.runs += all.len();
        for (schedule, played) in schedules.iter().zip(&all) {
            if played.disturbed.len() < schedule.0.len() {
                self.not_reached.push(schedule.to_string());
            }
            if let Some(problem) = difference(end, played) {
                self.fails(schedule.to_string(), problem);
            }
        }
        all
    }
}

/// Returns how a run differs from the undisturbed one.
fn difference(undisturbed: &[End], played: &Played) -> Option<String> {
    let ends = match &played.end {
        Err(problem) => return Some(problem.clone()),
        Ok(ends) => ends,
    };
    let (last, states) = undisturbed.split_last()?;
    // While watches or a process are held, another state is no failure.
    if played.disturbed.iter().all(|(step, _)| step.disturbance.is_over_when_settled()) {
        let both = states.iter().zip(ends.split_last()?.1);
        let differs = (1..).zip(both).find_map(|(nth, (one, other))| {
            let why = one.difference(other)?;
            Some(format!("another state at settling {nth}: {why}{}", played.waits))
        });
        if differs.is_some() {
            return differs;
        }
    }
    let why = last.difference(ends.last()?)?;
    Some(format!("another end: {why}{}", played.waits))
}

/// Plays runs on a few threads, each of which has no other use. Returns their outcomes in order.
fn on_threads(schedules: &[Option<&Schedule>], play: &Play<'_>) -> Vec<Played> {
    let (next, played) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let available = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..available.min(THREADS).min(schedules.len()) {
            scope.spawn(|| {
                while let Some((at, schedule)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    schedules.get(at).map(|schedule| (at, schedule))
                } {
                    let one = play(*schedule);
                    played.lock().push((at, one));
                }
            });
        }
    });
    let mut played = played.into_inner();
    played.sort_unstable_by_key(|(at, _)| *at);
    played.into_iter().map(|(_, one)| one).collect()
}

/// Runs the script, and lets the world rest.
async fn act(
    world: &World,
    script: &Script<'_>,
    holds_long: bool,
) -> Result<Result<(), String>, Misled> {
    let limit = world.limit().saturating_mul(SCRIPT);
    let acts = timeout(limit, async { script(world.clone()).await });
    let failure = match AssertUnwindSafe(acts).catch_unwind().await {
        Ok(Ok(Ok(()))) => None,
        Ok(Ok(Err(error))) => Some(error.to_string()),
        Ok(Err(_)) => Some(format!("the script did not end within {limit:?}")),
        Err(panic) => Some(format!("the script panicked: {}", into_message(panic))),
    };
    if let Some(problem) = world.breaks_a_rule().or(failure) {
        let misled = holds_long && world.holds() && world.breaks_a_rule().is_none();
        return if misled { Err(Misled) } else { Ok(Err(problem)) };
    }
    Ok(rest(world).await)
}

/// Waits until the world has settled, and checks that it rests.
async fn rest(world: &World) -> Result<(), String> {
    world.settle_at_last().await.map_err(|error| error.to_string())?;
    let writes = world.writes().len();
    sleep(world.quiet_time() * REST).await;
    match world.writes().get(writes) {
        Some(write) => Err(format!("the program still writes after it has settled: {write}")),
        None => Ok(()),
    }
}

fn positions(world: &World) -> Positions {
    let mut record = world.record().lock();
    let mut settled = Vec::new();
    let mut before = None;
    for (settle, (writes, revision)) in (1..).zip(&record.settled_at) {
        if before.replace(*revision) != Some(*revision) {
            settled.push((settle, *writes));
        }
    }
    Positions {
        writes: record.writes.iter().map(|(position, _)| position.clone()).collect(),
        events: record.events.clone(),
        keeping: record.keeps.then(|| record.keeping.clone()),
        settled,
        lists_of_any_version: record.lists_of_any_version,
        background: record.background,
        touches: mem::take(&mut record.touches),
        names: HashMap::new(),
    }
}

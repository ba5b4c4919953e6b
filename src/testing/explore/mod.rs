//! Exploration: the same scenario again and again, each time with one disturbance at one position.
//!
//! See the guide's page [exploring](crate::docs::exploring).

mod end;
mod report;

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use parking_lot::Mutex;
use tokio::runtime::Builder;
use tokio::time::sleep;

use self::end::End;
pub use self::report::{Exploration, FailedRun};
use super::scenario::schedule::{Disturbance, Position, Schedule};
use super::scenario::{Scenario, World};
use crate::error::BoxError;
use crate::panic::into_message;

/// The time in which a program that has settled for the last time must not write, in times of the
/// scenario's quiet time.
const REST: u32 = 3;

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
    /// The reason why it failed, and the objects at its end.
    end: Result<End, String>,
    disturbed: bool,
    positions: Positions,
}

/// The positions at which a run can be disturbed.
#[derive(Default)]
struct Positions {
    writes: Vec<Position>,
    events: Vec<Position>,
    /// The times that it settled, each with the writes so far, where something had changed.
    settled: Vec<(u64, usize)>,
    lists_of_any_version: u64,
    background: u64,
}

impl Positions {
    /// Returns a request or event that only one of two runs has. Their order does not count:
    /// watches of several collections are not ordered.
    fn difference(&self, other: &Self) -> Option<String> {
        let all = |run: &Self| run.writes.iter().chain(&run.events).cloned().collect();
        let (ours, theirs): (HashSet<Position>, HashSet<Position>) = (all(self), all(other));
        let one = ours.symmetric_difference(&theirs).min_by_key(|one| one.to_string());
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
    /// - a rule of [`never`](Scenario::never) is broken;
    /// - the program writes again within three times the [quiet time](Scenario::quiet_for);
    /// - the objects at its end differ from those without a disturbance, apart from uids, versions,
    ///   generations, times, generated names, addresses of services, field managers, Leases and
    ///   Events.
    ///
    /// | disturbance | at | the program |
    /// |---|---|---|
    /// | `crash-before`, `crash-after` | each write | dies before or after it, and starts again |
    /// | `lose-answer` | each write | gets a broken connection, although the write is done |
    /// | `conflict`, `throttle` | each write | gets 409 or 429 |
    /// | `lag` | each event | sees it and those after it only after the next act of the test |
    /// | `gap` | each event | sees, instead of those events, a new list after the next act |
    /// | `stale-restart` | each settling | restarts with lists from before an earlier write |
    ///
    /// If the script fails while the program cannot see its last act, that run is repeated with a
    /// `lag` or `gap` that ends before the next act.
    ///
    /// A stale restart is possible only for a program that lists at [any version]. Other lists are
    /// quorum reads, which a server never answers with an older state.
    ///
    /// [any version]: crate::factory::SharedInformerFactoryBuilder::any_version
    ///
    /// Every run has its own thread, runtime, paused clock and world. The same schedule gives the
    /// same verdict, unless the program itself depends on threads or real time.
    ///
    /// O(positions) runs, of which each takes some milliseconds.
    ///
    /// # Panics
    /// Panics if the system starts no thread, or if the closure of the program panics.
    pub fn explore<F, Fut>(&self, script: F) -> Exploration
    where
        F: Fn(World) -> Fut + Send + Sync,
        Fut: Future<Output = Result<(), BoxError>> + 'static,
    {
        let play =
            |schedule: Option<&Schedule>| self.play(schedule, &|world| script(world).boxed_local());
        explore(&play)
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
            Ok(_) if !played.disturbed => Some("its position was not reached".into()),
            Ok(end) => difference(end, played),
        };
        problem.map_or(Ok(()), |problem| Err(failed(problem)))
    }

    /// Plays a run. Held watches go on after the next act of the script, or before it if the script
    /// depends on what the program does then.
    fn play(&self, schedule: Option<&Schedule>, script: &Script<'_>) -> Played {
        let repeat = |Misled| self.play_once(schedule, script, false);
        self.play_once(schedule, script, true).or_else(repeat).unwrap_or_else(|Misled| Played {
            end: Err("the script fails while watches are held".into()),
            disturbed: true,
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
            let end = end.map(|()| End::of(world.server()));
            let positions = positions(&world);
            let disturbed = world.record().lock().disturbed;
            Ok(Played { end, disturbed, positions })
        })
    }
}

/// The script failed while the program could not see what it waits for.
struct Misled;

/// Plays the undisturbed run, and those that disturb it.
fn explore(play: &Play<'_>) -> Exploration {
    let twice = on_threads(&[None, None], play);
    let [first, second] = &twice[..] else { return Exploration::default() };
    let mut found = Exploration { runs: 2, ..Exploration::default() };
    let end = match (&first.end, &second.end) {
        (Ok(end), Ok(other)) => {
            let differs = end.difference(other);
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
    found.left_out = positions.background;
    let of = |disturbance, at: &Position| Schedule { disturbance, at: at.clone() };
    let writes = positions.writes.iter();
    let writes = writes.flat_map(|at| Disturbance::OF_WRITES.map(|one| of(one, at)));
    let events = positions.events.iter();
    let events = events.flat_map(|at| Disturbance::OF_EVENTS.map(|one| of(one, at)));
    let mut schedules: Vec<_> = writes.chain(events).collect();
    let stale = positions.settled.iter().flat_map(|(settle, writes)| {
        let stale = Disturbance::StaleRestart { settle: *settle };
        positions.writes[..*writes].iter().map(move |at| of(stale, at))
    });
    if positions.lists_of_any_version > 0 {
        schedules.extend(stale);
    } else {
        found.impossible = stale.count();
    }
    let wanted: Vec<_> = schedules.iter().map(Some).collect();
    let all = on_threads(&wanted, play);
    found.runs += all.len();
    for (schedule, played) in schedules.iter().zip(&all) {
        if !played.disturbed {
            found.not_reached.push(schedule.to_string());
        }
        if let Some(problem) = difference(end, played) {
            found.fails(schedule.to_string(), problem);
        }
    }
    found
}

/// Returns how a run differs from the undisturbed one.
fn difference(undisturbed: &End, played: &Played) -> Option<String> {
    match &played.end {
        Err(problem) => Some(problem.clone()),
        Ok(end) => undisturbed.difference(end).map(|text| format!("another end: {text}")),
    }
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
    let acted = AssertUnwindSafe(async { script(world.clone()).await }).catch_unwind().await;
    let failure = match acted {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
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
    let record = world.record().lock();
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
        settled,
        lists_of_any_version: record.lists_of_any_version,
        background: record.background,
    }
}

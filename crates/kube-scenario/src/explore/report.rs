//! The report of an exploration.

use std::error::Error as StdError;
use std::fmt;

/// The outcome of [`Scenario::explore`](crate::Scenario::explore).
///
/// Its text names the counts and the first failure, with the schedule to
/// [replay](crate::Scenario::replay).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Exploration {
    /// The number of runs, of which two had no disturbance.
    pub runs: usize,
    /// The number of writes of the program, each a position.
    pub writes: usize,
    /// The number of events that it received, each a position.
    pub events: usize,
    /// The number of writes of its [kept caches](crate::Program::kept_cache), each a position.
    pub kept: usize,
    /// The number of pairs of disturbances that were drawn and tried.
    pub pairs: usize,
    /// The number of pairs from which they were drawn. 0 if no [pairs] were asked for.
    ///
    /// [pairs]: crate::Scenario::pairs
    pub possible_pairs: usize,
    /// The failed runs, in the order of their positions. Pairs are the last.
    pub failures: Vec<FailedRun>,
    /// The schedules whose position did not come in their runs. These runs were judged, too.
    pub not_reached: Vec<String>,
    /// The positions of [independent keys] that were not tried, because those of a like key stand
    /// for them.
    ///
    /// [independent keys]: crate::Scenario::independent_keys
    pub represented: Vec<String>,
    /// The number of positions that stand for others.
    pub representing: usize,
    /// The number of stale restarts without a run, because the program lists by quorum reads.
    pub impossible: usize,
    /// The number of writes of Leases and Events. They are no positions.
    pub left_out: u64,
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedRun {
    /// Its schedule, for [`replay`](crate::Scenario::replay).
    pub schedule: String,
    /// The reason why it failed.
    pub problem: String,
}

impl Exploration {
    pub(super) fn fails(&mut self, schedule: String, problem: String) {
        self.failures.push(FailedRun { schedule, problem });
    }

    /// Prints the report, and returns it if no run failed.
    ///
    /// # Panics
    /// Panics with the report if a run failed.
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "most tests need only the panic")]
    #[expect(clippy::return_self_not_must_use, reason = "most tests need only the panic")]
    pub fn assert_passed(self) -> Self {
        assert!(self.failures.is_empty(), "{self}");
        println!("{self}");
        self
    }
}

impl fmt::Display for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, writes, events, failures, not_reached, impossible, left_out, .. } = self;
        let positions = writes + events;
        write!(f, "{runs} runs, {positions} positions (writes: {writes}, events: {events})")?;
        if self.kept > 0 {
            write!(f, "; {} writes of kept caches", self.kept)?;
        }
        if let Some(first) = self.represented.first() {
            let (number, stand) = (self.represented.len(), self.representing);
            write!(f, "; {stand} positions stand for {number} of like keys, such as `{first}`")?;
        }
        if self.possible_pairs > 0 {
            write!(f, "; {} of {} pairs", self.pairs, self.possible_pairs)?;
        }
        if *impossible > 0 {
            write!(f, "; {impossible} stale restarts are impossible: lists are quorum reads")?;
        }
        if *left_out > 0 {
            write!(f, "; {left_out} writes of Leases and Events are no positions")?;
        }
        if let Some(first) = not_reached.first() {
            write!(f, "; {} positions were not reached, such as `{first}`", not_reached.len())?;
        }
        let Some(first) = failures.first() else { return write!(f, "; all passed") };
        write!(f, "; {} failed, the first is {first}", failures.len())?;
        for FailedRun { schedule, .. } in failures.iter().skip(1) {
            write!(f, "\nalso failed: {schedule}")?;
        }
        Ok(())
    }
}

impl fmt::Display for FailedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedule, problem } = self;
        write!(f, "replay({schedule:?}): {problem}")
    }
}

impl StdError for FailedRun {}

//! The wait until a program has nothing left to do.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::world::World;
use kube_controllers::controller::{ControllerStatus, KeyTriggers, LastFailure};
use kube_informer::seams::after;

/// The number of requests without rest after which a program spins.
const SPINS: usize = 20_000;

/// The times in a row that a world of an exploration settles although nothing changes.
const UNCHANGED: u32 = 100;

/// The number of requests that the error names.
const NAMED_REQUESTS: usize = 5;

/// The time after which a running program is looked at again.
const PATIENCE: Duration = Duration::from_secs(1);

/// The reason why a program did not settle: with the keys that keep running, and why they run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unsettled {
    /// The failure.
    pub problem: String,
    /// The keys that were queued in the last moments, each with its triggers.
    pub keys: Vec<KeyTriggers>,
    /// The last requests of the program, the newest last.
    pub requests: Vec<String>,
}

impl World {
    /// Waits until the program has nothing left to do: no request is in flight, no key waits, is
    /// being reconciled or runs without end, and for a minute there was no write and no failed
    /// reconcile.
    ///
    /// Watches, and writes of Leases and Events, may go on. So may reads, and reconciles that
    /// neither write nor fail, such as periodic ones.
    ///
    /// In a disturbed run of an exploration, a program that has crashed or ended is started again
    /// here, at most eight times. One that the script has stopped or crashed is not.
    ///
    /// # Errors
    /// The program did not settle within an hour, made thousands of requests without rest, has
    /// ended, or broke a rule of [`never`](crate::Scenario::never).
    pub async fn settle(&self) -> Result<(), Unsettled> {
        loop {
            let settled = self.quiet().await;
            self.record().lock().waits = self.failed_keys_that_wait();
            if self.breaks_a_rule().is_some() || self.is_over() {
                return settled;
            }
            if self.record().lock().unchanged >= UNCHANGED {
                let problem = format!("the world settled {UNCHANGED} times, and nothing changed");
                return Err(self.unsettled(problem));
            }
            let (held_long, nth) = (self.0.holds_long, self.record().lock().settled + 1);
            if settled.is_ok() && !held_long && self.leaves(nth).await {
                continue;
            }
            if !self.release(settled.is_err()) {
                if settled.is_ok() {
                    self.leaves(nth).await;
                }
                return settled;
            }
        }
    }

    async fn quiet(&self) -> Result<(), Unsettled> {
        let begun = Instant::now();
        let deadline = after(begun, self.limit());
        self.touch();
        loop {
            self.restart_if_due().await;
            self.check_rules();
            if let Some(problem) = self.breaks_a_rule().or_else(|| self.ended()) {
                return Err(self.unsettled(problem));
            }
            let now = Instant::now();
            let controllers = self.controllers();
            let busy = controllers.iter().find_map(busy).or_else(|| self.unanswered());
            let failed = controllers.iter().filter_map(|one| Some(one.last_failure.as_ref()?.ago));
            let failed = failed.min().map(|ago| now - ago.min(now - begun));
            let since = failed.map_or(self.active(), |failed| failed.max(self.active()));
            let due = if busy.is_some() { now + PATIENCE } else { after(since, self.quiet_time()) };
            if due <= now {
                return Ok(());
            }
            if self.spins() {
                let problem = format!("the program made {SPINS} requests without rest");
                return Err(self.unsettled(problem));
            }
            if now >= deadline {
                let why = busy.or_else(|| controllers.iter().find_map(failure));
                let (quiet, limit) = (self.quiet_time(), self.limit());
                let why = why.unwrap_or_else(|| {
                    if quiet > limit {
                        format!("set settles_within beyond quiet_for, which is {quiet:?}")
                    } else {
                        "it goes on writing".into()
                    }
                });
                let problem = format!("the program did not settle within {limit:?}: {why}");
                return Err(self.unsettled(problem));
            }
            tokio::select! {
                biased;
                () = self.news() => {}
                () = sleep_until(due.min(deadline)) => {}
            }
        }
    }

    /// Returns, for a report, the failed keys whose next try comes after the quiet time.
    fn failed_keys_that_wait(&self) -> String {
        let quiet = self.quiet_time();
        let waits = self.controllers().into_iter().filter_map(|controller| {
            let LastFailure { key, error, again_in, .. } = controller.last_failure?;
            let wait = again_in.filter(|wait| !wait.is_zero())?;
            Some(format!(
                "\n  {key} of {} waits {wait:.1?} for its next try, although the world had settled; \
                 if it must come first, set quiet_for, which is {quiet:?}, beyond its delay; it \
                 failed: {error}",
                controller.name
            ))
        });
        waits.collect::<Vec<_>>().concat()
    }

    pub(crate) fn unsettled(&self, problem: String) -> Unsettled {
        let mut keys = Vec::new();
        for controller in self.controllers() {
            let lately = |key: &KeyTriggers| {
                key.triggers.last().is_some_and(|last| last.ago <= self.quiet_time())
            };
            keys.extend(controller.triggers.into_iter().filter(lately));
        }
        let mut requests = self.requests();
        requests.drain(..requests.len().saturating_sub(NAMED_REQUESTS));
        Unsettled { problem, keys, requests }
    }

    /// Returns true if there were so many requests since the world settled that none is answered
    /// any more. Tells a settling test.
    pub(crate) fn spins(&self) -> bool {
        let spins = self.unsettled_requests() > SPINS;
        if spins {
            self.tell();
        }
        spins
    }
}

fn busy(controller: &ControllerStatus) -> Option<String> {
    let name = &controller.name;
    if let Some(key) = controller.reconciling.first() {
        return Some(format!("{name} still reconciles {key}"));
    }
    if let Some(hot) = controller.hot_keys.iter().find(|hot| hot.spins()) {
        return Some(format!("{name}: {hot}"));
    }
    let ready = controller.queue.ready;
    (ready > 0).then(|| format!("{ready} keys of {name} wait for a worker"))
}

fn failure(controller: &ControllerStatus) -> Option<String> {
    let failure = controller.last_failure.as_ref()?;
    Some(format!("{} fails: {failure}", controller.name))
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        for key in &self.keys {
            write!(f, "\n  {} ran because of: ", key.key)?;
            for (n, trigger) in key.triggers.iter().enumerate() {
                write!(f, "{}{trigger}", if n == 0 { "" } else { "; " })?;
            }
        }
        for request in &self.requests {
            write!(f, "\n  request: {request}")?;
        }
        Ok(())
    }
}

impl StdError for Unsettled {}

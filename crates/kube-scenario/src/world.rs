//! One run of a scenario: the server, the program's lives, and the record of what it did.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;
use kube_embedded_apiserver::api_server::DirectWriteError;
use kube_embedded_apiserver::{ApiServer, Faults};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::cache::{Disk, KeptCache};
use crate::connection::{self, Turn};
use crate::holding::Hold;
use crate::program::Program;
use crate::record::{Record, Touch};
use crate::scenario::{Rule, Run, Scenario};
use crate::schedule::{Disturbance, Position, Schedule, Step};
use crate::target::is_background;
use kube_controllers::controller::{ControllerStatus, current_key};
use kube_informer::ObjectKey;
use kube_informer::error::BoxError;
use kube_informer::seams::{catch, catch_async};

/// The time that a program has to stop in.
pub(crate) const GRACE: Duration = Duration::from_secs(600);

/// The time after which a program that has crashed starts again, as a kubelet does it.
const RESTART: Duration = Duration::from_secs(1);

/// The number of times that a program is started again until the world settles.
const RESTARTS: u32 = 8;

/// One run of a [`Scenario`]. Clones are cheap, and are the same world.
#[derive(Clone)]
pub struct World(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) run: Arc<Run>,
    pub(crate) server: ApiServer,
    pub(crate) faults: Faults,
    pub(crate) rules: Vec<Arc<Rule>>,
    pub(crate) quiet: Duration,
    pub(crate) limit: Duration,
    pub(crate) schedule: Option<Schedule>,
    /// True in an exploration.
    pub(crate) explored: bool,
    /// True if held watches go on only after the next act of the test.
    pub(crate) holds_long: bool,
    /// True if a program that has ended or crashed starts again.
    pub(crate) restarts: bool,
    pub(crate) record: Mutex<Record>,
    pub(crate) disk: Disk,
    pub(crate) life: Mutex<Option<Life>>,
    /// Tells a settling test that the program has crashed or ended.
    pub(crate) news: Notify,
    pub(crate) held: Mutex<Vec<Hold>>,
    /// Wakes the held watches in their order.
    pub(crate) held_changed: Notify,
    /// The process whose place another one has taken, and the number of settled times by then.
    pub(crate) former: Mutex<Option<(Life, u64)>>,
}

/// A process of the program.
pub(crate) struct Life {
    pub(crate) program: Program,
    pub(crate) death: CancellationToken,
    pub(crate) turn: Turn,
    pub(crate) task: AbortHandle,
    pub(crate) ended: watch::Receiver<Option<Result<(), String>>>,
}

impl World {
    /// Builds a world in which nothing runs yet. In an exploration, `explored` says whether held
    /// watches go on only after the next act of the test.
    pub(crate) fn new(
        scenario: &Scenario,
        schedule: Option<Schedule>,
        explored: Option<bool>,
    ) -> Self {
        Self(Arc::new(Inner {
            run: scenario.run.clone(),
            server: (scenario.server)(),
            faults: Faults::new(),
            rules: scenario.rules.clone(),
            quiet: scenario.quiet,
            limit: scenario.limit,
            restarts: schedule.is_some(),
            explored: explored.is_some(),
            holds_long: explored == Some(true),
            schedule,
            record: Mutex::new(Record::new()),
            disk: Disk::default(),
            life: Mutex::default(),
            news: Notify::new(),
            held: Mutex::default(),
            held_changed: Notify::new(),
            former: Mutex::default(),
        }))
    }

    /// Returns the server, for the acts of the test: they need no request and meet no fault.
    pub fn server(&self) -> &ApiServer {
        &self.0.server
    }

    /// Returns the faults between the program and the server.
    pub fn faults(&self) -> &Faults {
        &self.0.faults
    }

    /// Returns all objects of a type, as the server has them. None if the type is not served.
    ///
    /// # Panics
    /// Panics if an object is not one of `K`.
    pub fn list<K>(&self) -> Vec<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        match self.0.server.list() {
            Ok(objects) => objects,
            Err(DirectWriteError::NotServed { .. }) => Vec::new(),
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns an object, as the server has it. A cluster-scoped object has the namespace `""`.
    ///
    /// # Panics
    /// Panics if an object of this type is not one of `K`.
    pub fn get<K>(&self, namespace: &str, name: &str) -> Option<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.list::<K>().into_iter().find(|object| {
            let meta = object.meta();
            meta.namespace.as_deref().unwrap_or_default() == namespace
                && meta.name.as_deref() == Some(name)
        })
    }

    /// Returns the program's requests in order, as `GET /api/v1/pods`. A create has the object's
    /// name at the end.
    pub fn requests(&self) -> Vec<String> {
        self.0.record.lock().requests.clone()
    }

    /// Returns those of the program's requests that write, without those of Leases and Events.
    pub fn writes(&self) -> Vec<String> {
        let record = self.0.record.lock();
        record.writes.iter().map(|(position, _)| position.name.clone()).collect()
    }

    /// Returns the write that the server has just accepted. `None` unless a rule of
    /// [`never`](Scenario::never) is checked for that reason.
    ///
    /// A write that the server refused, that was answered without the server, or that is a dry run
    /// has changed nothing, and is not returned.
    pub fn just_written(&self) -> Option<String> {
        self.0.record.lock().just_written.clone()
    }

    /// Returns the number of reconciles that the program's controllers have ended, over all starts.
    pub fn reconciles(&self) -> u64 {
        self.0.record.lock().reconciles + ended_reconciles(&self.controllers())
    }

    /// Returns the status of each controller that the program follows.
    pub fn controllers(&self) -> Vec<ControllerStatus> {
        let mut programs =
            Vec::from_iter(self.0.life.lock().as_ref().map(|one| one.program.clone()));
        if let Some((life, _)) = &*self.0.former.lock()
            && life.turn.goes_on.is_cancelled()
            && life.ended.borrow().is_none()
        {
            programs.push(life.program.clone());
        }
        programs.iter().flat_map(Program::controllers).collect()
    }

    /// Starts the program. If it runs, it crashes first.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn start(&self) {
        self.0.record.lock().stopped = false;
        self.begins();
    }

    /// Starts a process. If one runs, it dies first.
    pub(crate) fn begins(&self) {
        self.dies();
        self.0.record.lock().away = false;
        let (death, turn) = (CancellationToken::new(), Turn::default());
        let cache = KeptCache { world: self.clone(), death: death.clone(), turn: turn.clone() };
        let client = connection::client(self, death.clone(), turn.clone());
        let program = Program::new(client, cache);
        let (ends, ended) = watch::channel(None);
        let (world, begun) = (self.clone(), (self.0.run)(program.clone()));
        let task = tokio::spawn(async move {
            let end = match catch_async(begun).await {
                Ok(end) => end.map_err(|error: BoxError| error.to_string()),
                Err(message) => Err(format!("it panicked: {message}")),
            };
            ends.send_replace(Some(end));
            world.0.news.notify_one();
        });
        let task = task.abort_handle();
        *self.0.life.lock() = Some(Life { program, death, turn, task, ended });
    }

    /// Ends the program in mid-air: nothing of it reaches the server any more, and nothing of the
    /// server reaches it. Its future is dropped.
    ///
    /// Tasks that it has spawned may live on, but are cut off. A process that is held in a takeover
    /// dies, too. The program does not run again before [`start`](Self::start).
    pub fn crash(&self) {
        self.stays_stopped();
        self.dies();
    }

    /// Ends a process that is held, and keeps the program from being started by the world.
    fn stays_stopped(&self) {
        self.0.record.lock().stopped = true;
        if let Some((life, _)) = self.0.former.lock().take() {
            self.ends(&life);
        }
    }

    /// Ends the process in mid-air.
    pub(crate) fn dies(&self) {
        let Some(life) = self.0.life.lock().take() else { return };
        self.ends(&life);
        self.0.record.lock().in_flight.clear();
        self.0.news.notify_one();
    }

    /// Cuts a process off, and ends it.
    pub(crate) fn ends(&self, life: &Life) {
        life.death.cancel();
        life.task.abort();
        self.0.record.lock().reconciles += ended_reconciles(&life.program.controllers());
    }

    /// Tells the program to stop, and waits until it has ended.
    ///
    /// A process that is held in a takeover dies. The program does not run again before
    /// [`start`](Self::start).
    ///
    /// # Errors
    /// The program failed, or did not end within ten minutes.
    pub async fn stop(&self) -> Result<(), BoxError> {
        self.stays_stopped();
        let running =
            self.0.life.lock().as_ref().map(|one| (one.program.clone(), one.ended.clone()));
        let Some((program, mut ended)) = running else { return Ok(()) };
        program.stopping().cancel();
        let end = match timeout(GRACE, ended.wait_for(Option::is_some)).await {
            Ok(Ok(end)) => end.clone(),
            // A disturbance has ended it.
            Ok(Err(_)) => None,
            Err(_) => return Err(format!("the program did not end within {GRACE:?}").into()),
        };
        let stopped = self.0.life.lock().take_if(|life| life.ended.same_channel(&ended));
        if stopped.is_some() {
            self.0.record.lock().reconciles += ended_reconciles(&program.controllers());
        }
        Ok(end.unwrap_or(Ok(()))?)
    }

    pub(crate) fn record(&self) -> &Mutex<Record> {
        &self.0.record
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.0.disk
    }

    pub(crate) fn quiet_time(&self) -> Duration {
        self.0.quiet
    }

    pub(crate) fn limit(&self) -> Duration {
        self.0.limit
    }

    /// Notes a request of the program. Returns the disturbance that it gets.
    pub(crate) fn request_begins(
        &self,
        name: &str,
        write: bool,
        content: Value,
    ) -> Option<Disturbance> {
        let mut record = self.0.record.lock();
        record.requests.push(name.into());
        if is_background(name) {
            record.background += u64::from(write);
            return None;
        }
        let key = current_key();
        if !write {
            self.touches(&mut record, key, Position { nth: 0, name: name.into() }, content);
            return None;
        }
        record.active = Instant::now();
        let position = record.position(name.into());
        record.writes.push((position.clone(), self.0.server.revision()));
        self.touches(&mut record, key, position.clone(), content);
        self.is_due(&mut record, &position)
    }

    /// Keeps what an undisturbed run of an exploration does.
    fn touches(&self, record: &mut Record, key: Option<ObjectKey>, at: Position, content: Value) {
        if self.0.explored && self.0.schedule.is_none() {
            let settled = record.settled;
            record.touches.push(Touch { key, at, content, settled });
        }
    }

    pub(crate) fn is_due(&self, record: &mut Record, position: &Position) -> Option<Disturbance> {
        let mut steps = self.0.schedule.iter().flat_map(|schedule| &schedule.0);
        let stale = |step: &Step| matches!(step.disturbance, Disturbance::StaleRestart { .. });
        let due = steps.find(|step| step.at == *position && !stale(step))?;
        record.disturbs(due);
        Some(due.disturbance)
    }

    /// Notes that the server has answered a write.
    pub(crate) fn write_ends(&self, name: &str, accepted: bool) {
        if !is_background(name) {
            self.touch();
            self.0.record.lock().just_written = accepted.then(|| name.into());
            self.check_rules();
            self.0.record.lock().just_written = None;
        }
    }

    /// Notes an event that is about to be delivered.
    pub(crate) fn event_comes(&self, collection: &Arc<str>, object: &str, content: Value) {
        let name = format!("EVENT {collection} {object}");
        if is_background(&name) {
            return;
        }
        let mut record = self.0.record.lock();
        let position = record.position(name);
        record.events.push(position.clone());
        self.touches(&mut record, None, position.clone(), content);
        let since = record.settled;
        let due = self.is_due(&mut record, &position);
        drop(record);
        match due {
            None => {}
            Some(Disturbance::CrashBefore) => self.dies(),
            Some(Disturbance::Stop) => self.stops(),
            Some(due) => {
                let collection = Some(collection.clone());
                let ends = due == Disturbance::Gap;
                self.hold(Hold { collection, since, ends });
            }
        }
    }

    /// Returns the revision of a list that may be stale, if it is to be.
    pub(crate) fn list_of_any_version(&self) -> Option<u64> {
        let mut record = self.0.record.lock();
        record.lists_of_any_version += 1;
        let (revision, step) = record.stale.clone()?;
        record.disturbs(&step);
        Some(revision)
    }

    /// Counts a request as one that has no answer yet.
    pub(crate) fn in_flight(&self, name: &str) -> InFlight {
        let mut record = self.0.record.lock();
        record.sent += 1;
        let number = record.sent;
        record.in_flight.insert(number, name.into());
        InFlight { world: self.clone(), number }
    }

    pub(crate) fn unanswered(&self) -> Option<String> {
        let record = self.0.record.lock();
        record.in_flight.values().next().map(|name| format!("{name} has no answer"))
    }

    /// Returns the number of requests since the world last settled.
    pub(crate) fn unsettled_requests(&self) -> usize {
        let record = self.0.record.lock();
        record.requests.len() - record.settled_requests
    }

    pub(crate) fn active(&self) -> Instant {
        self.0.record.lock().active
    }

    pub(crate) fn touch(&self) {
        self.0.record.lock().active = Instant::now();
    }

    pub(crate) fn tell(&self) {
        self.0.news.notify_one();
    }

    pub(crate) async fn news(&self) {
        self.0.news.notified().await;
    }

    /// Checks the rules, and keeps the first that is broken.
    pub(crate) fn check_rules(&self) {
        let breaks = |rule: &Arc<Rule>| match catch(|| (rule.broken)(self)) {
            Ok(broken) => broken.then(|| format!("never: {}", rule.text)),
            Err(why) => Some(format!("never: {}, but the rule panicked: {why}", rule.text)),
        };
        if let Some(problem) = self.0.rules.iter().find_map(breaks) {
            self.0.record.lock().broken.get_or_insert(problem);
            self.0.news.notify_one();
        }
    }

    pub(crate) fn breaks_a_rule(&self) -> Option<String> {
        self.0.record.lock().broken.clone()
    }

    /// Starts a program again that has crashed or ended, if this world does so and the test has not
    /// stopped it.
    pub(crate) async fn restart_if_due(&self) {
        let gone = self.0.life.lock().as_ref().is_none_or(|life| life.ended.borrow().is_some());
        let may_restart = || {
            let record = self.0.record.lock();
            self.0.restarts && !record.stopped && record.restarts < RESTARTS
        };
        if gone && may_restart() {
            self.dies();
            sleep(RESTART).await;
            if may_restart() && self.0.life.lock().is_none() {
                self.0.record.lock().restarts += 1;
                self.begins();
            }
        }
    }

    /// Returns why a program that should run does not.
    pub(crate) fn ended(&self) -> Option<String> {
        let (stopped, restarts) = {
            let record = self.0.record.lock();
            (record.stopped, record.restarts)
        };
        if stopped {
            return None;
        }
        let after = match restarts {
            0 => String::new(),
            _ => format!(", after {restarts} restarts"),
        };
        let life = self.0.life.lock();
        let end = life.as_ref()?.ended.borrow().clone()?;
        Some(match end {
            Ok(()) => format!("the program has ended{after}"),
            Err(error) => format!("the program has ended{after}: {error}"),
        })
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ended().is_some()
    }
}

fn ended_reconciles(controllers: &[ControllerStatus]) -> u64 {
    controllers.iter().map(|one| one.succeeded + one.failed).sum()
}

/// A request without an answer.
pub(crate) struct InFlight {
    world: World,
    number: u64,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.world.0.record.lock().in_flight.remove(&self.number);
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("server", &self.0.server).finish_non_exhaustive()
    }
}

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use proptest::prelude::*;
use tokio::time::Instant;

use super::machine::{Command, Input, LeaseAnswer, Machine, Request, RequestFailure, Subject};
use super::simulation::Simulation;
use super::store::Store;
use super::view::View;
use super::world::{Faults, Report, SECOND, rules};

/// Returns the faults of a random world.
fn world(seed: u64) -> Faults {
    let mut rng = Rng::with_seed(seed);
    let replicas = if rng.u8(0..10) == 0 { rng.usize(9..=20) } else { rng.usize(3..=6) };
    // Suspensions and clocks share the margin at the end of a lease.
    let suspended = [0, 700][rng.usize(0..2)];
    let spread = if suspended > 0 { 0.02 } else { 0.045 };
    Faults {
        seed,
        slots: rng.usize(3..=16),
        // A webhook may cap it. The margin of a capped one is too short for suspensions.
        duration: if suspended == 0 && seed.is_multiple_of(3) { 5 } else { 15 },
        rates: (0..replicas).map(|_| 1.0 + spread * (2.0 * rng.f64() - 1.0)).collect(),
        lost: [0, 5, 20, 40][rng.usize(0..4)],
        slowest: [10, 1_000, 4_000, 20_000][rng.usize(0..4)],
        trouble: [10, 30, 60][rng.usize(0..3)],
        suspended,
        drains: [0, 5, 40][rng.usize(0..3)],
        faulty: 70,
        calm: 90,
    }
}

/// Runs a random world. Returns an error if a promise was broken, or if the shares are not fair and
/// stable some time after the last fault.
fn check(seed: u64) -> Result<Report, String> {
    let report = Simulation::run(world(seed));
    if let Some((violation, at)) = &report.violation {
        return Err(format!("seed {seed} at {at:?}: {violation}"));
    }
    let (least, most) = (report.shares.iter().min(), report.shares.iter().max());
    let sum: usize = report.shares.iter().sum();
    if sum != world(seed).slots || most > least.map(|least| least + 1).as_ref() {
        return Err(format!("seed {seed}: {report:?}"));
    }
    if report.last_change > Duration::from_secs(70 + 65) {
        return Err(format!("seed {seed} does not settle: {report:?}"));
    }
    Ok(report)
}

proptest! {
    #![proptest_config(crate::seeds::cases(50))]

    #[test]
    fn slots_have_one_owner_and_become_fair(seed in any::<u64>()) {
        let checked = check(seed);
        prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
    }
}

/// A simulation in which little happens proves nothing.
#[test]
fn simulation_has_every_kind_of_trouble() {
    let reports: Vec<_> = (0..30).map(|seed| check(seed).unwrap()).collect();
    let counts = reports.iter().map(|r| [r.begins as u64, r.losses, r.fenced, r.conflicts]);
    let sums = counts.reduce(|a, b| std::array::from_fn(|n| a[n] + b[n])).unwrap();
    assert!(sums.iter().all(|sum| *sum > 30), "{sums:?}");
}

/// Creates a world without faults, in which the test decides what happens.
pub(super) fn quiet(replicas: usize, slots: usize) -> Simulation {
    let mut simulation = Simulation::new(quiet_faults(replicas, slots));
    simulation.run_until(20 * SECOND);
    simulation
}

fn quiet_faults(replicas: usize, slots: usize) -> Faults {
    Faults {
        seed: 7,
        slots,
        duration: 15,
        rates: vec![1.0; replicas],
        lost: 0,
        slowest: 10,
        trouble: 0,
        suspended: 0,
        drains: 0,
        faulty: 0,
        calm: 0,
    }
}

#[test]
fn dead_members_slots_are_free_after_its_lease() {
    for seed in 0..20 {
        let mut simulation = quiet(5, 16);
        let crash = 20 * SECOND + seed * 100_000;
        simulation.run_until(crash);
        simulation.crash(usize::try_from(seed % 5).unwrap());
        simulation.run_until(crash + 30 * SECOND);
        let report = simulation.finish();
        assert_eq!(report.violation, None);
        assert_eq!(report.shares.iter().sum::<usize>(), 16);
        // The lease duration, a retry period, and four messages.
        assert!(report.longest_gap < Duration::from_millis(17_100), "{report:?}");
    }
}

#[test]
fn one_of_many_moves_its_share() {
    let mut simulation = quiet(10, 64);
    let before = simulation.report.begins;
    simulation.crash(3);
    simulation.run_until(50 * SECOND);
    let crashed = simulation.report.begins - before;
    simulation.start(3);
    simulation.run_until(80 * SECOND);
    let joined = simulation.report.begins - before - crashed;
    simulation.stop(5);
    simulation.run_until(110 * SECOND);
    let left = simulation.report.begins - before - crashed - joined;
    assert!([crashed, joined, left].iter().all(|moved| (6..=7).contains(moved)));
    assert_eq!(simulation.finish().violation, None);
}

#[test]
fn quiet_members_only_renew() {
    for replicas in [3, 10, 30] {
        let mut simulation = quiet(replicas, 64);
        let before = simulation.report.requests;
        simulation.run_until(20 * SECOND + 120 * SECOND);
        let requests = simulation.report.requests - before;
        let renewals = 60 * replicas as u64;
        assert!(requests.abs_diff(renewals) <= replicas as u64, "{replicas}: {requests}");
    }
}

/// A machine, its clock, and a store that the test lets it reach.
pub(super) struct Bench {
    pub(super) machine: Machine,
    pub(super) store: Store,
    pub(super) start: Instant,
    pub(super) now: Instant,
    /// The requests without an answer.
    pub(super) sent: Vec<(u64, Subject, Request)>,
    /// The other commands since the last look.
    pub(super) done: Vec<Command>,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self::of(4)
    }

    pub(super) fn of(slots: usize) -> Self {
        let faults = quiet_faults(1, slots);
        let machine = Machine::new(rules(1, &faults), Rng::with_seed(7));
        let start = Instant::now();
        let (sent, done) = (Vec::new(), Vec::new());
        let mut bench = Self { machine, store: Store::new(slots), start, now: start, sent, done };
        bench.see();
        bench
    }

    /// Returns a member that holds all slots.
    pub(super) fn holder() -> Self {
        let mut bench = Self::new();
        bench.answer_all();
        bench.see();
        bench.answer_all();
        bench.see();
        assert_eq!(bench.held(), [0, 1, 2, 3]);
        bench.done.clear();
        bench
    }

    pub(super) fn feed(&mut self, input: Input) {
        for command in self.machine.step(input, self.now) {
            match command {
                Command::Send { id, subject, request } => self.sent.push((id, subject, request)),
                command => self.done.push(command),
            }
        }
    }

    pub(super) fn see(&mut self) {
        self.feed(Input::View(self.store.view()));
    }

    /// Lets time pass until `seconds` after the start.
    pub(super) fn until(&mut self, seconds: f64) {
        self.now = self.start + Duration::from_secs_f64(seconds);
        self.feed(Input::Tick);
    }

    /// Executes a request. Returns the answer without delivering it.
    pub(super) fn serve(&mut self, request: &Request) -> LeaseAnswer {
        self.store.serve(request, &self.machine.rules.identity)
    }

    /// Executes and answers the only request.
    pub(super) fn answer(&mut self) {
        let [(_, _, request)] = &*self.sent else { panic!("{:?}", self.sent) };
        let answer = self.store.serve(&request.clone(), &self.machine.rules.identity);
        self.deliver(answer);
    }

    pub(super) fn answer_all(&mut self) {
        for (id, subject, request) in std::mem::take(&mut self.sent) {
            let answer = self.serve(&request);
            self.feed(Input::Answered { id, subject, answer });
        }
    }

    /// Answers the only request.
    pub(super) fn deliver(&mut self, answer: LeaseAnswer) {
        let (id, subject, _) = self.sent.remove(0);
        self.feed(Input::Answered { id, subject, answer });
    }

    pub(super) fn held(&self) -> Vec<usize> {
        self.machine.holdings.slots(super::holdings::Holding::is_published)
    }

    pub(super) fn uid(&self) -> Arc<str> {
        self.machine.session().expect("a session").uid.clone()
    }

    /// Adds another member to the store.
    pub(super) fn other(&mut self, identity: &str) -> Arc<str> {
        let name = format!("g-member-{identity}").into();
        let answer = self.store.serve(&Request::Join { name }, &identity.into());
        let LeaseAnswer::Member(member) = answer else { panic!("{answer:?}") };
        member.uid
    }
}

#[test]
fn term_starts_with_the_request() {
    let mut bench = Bench::new();
    bench.until(3.0);
    bench.answer();
    let term = bench.machine.term().unwrap();
    assert_eq!(term.cancel, bench.start + Duration::from_secs(10));
    assert_eq!(term.abort, bench.start + Duration::from_millis(13_500));
    bench.until(4.0);
    bench.until(9.0);
    bench.answer();
    assert_eq!(bench.machine.term().unwrap().cancel, bench.start + Duration::from_secs(13));
    // An answer that comes after the deadline begins nothing.
    let mut bench = Bench::new();
    bench.until(10.0);
    bench.answer();
    assert!(bench.machine.session().is_none());
    assert!(matches!(bench.sent[0].2, Request::Renew { .. }), "{:?}", bench.sent);
    bench.answer();
    assert_eq!(bench.machine.term().unwrap().cancel, bench.start + Duration::from_secs(20));
}

#[test]
fn lost_answer_to_a_join_is_confirmed() {
    let mut bench = Bench::new();
    let request = bench.sent[0].2.clone();
    bench.serve(&request);
    bench.until(5.0);
    bench.deliver(LeaseAnswer::Failed(RequestFailure::Unknown));
    // The server may have been away: the member Lease waits for a new list.
    assert_eq!(bench.done, [Command::Look]);
    bench.until(7.0);
    assert!(bench.sent.is_empty() && bench.machine.wake_at().is_none());
    bench.see();
    assert!(matches!(bench.sent[0].2, Request::Find { .. }));
    bench.answer();
    assert!(bench.machine.session().is_none());
    bench.answer();
    assert_eq!(bench.machine.term().unwrap().cancel, bench.start + Duration::from_secs(17));
}

#[test]
fn deleted_lease_ends_everything_at_once() {
    for shown in [true, false] {
        let mut bench = Bench::holder();
        let own = bench.store.view().members[0].clone();
        bench.serve(&Request::Delete { name: own.name, uid: own.uid, version: None });
        if shown {
            bench.see();
        } else {
            bench.until(2.0);
            bench.answer();
        }
        assert_eq!(bench.done[1..], [Command::Lose { at_once: true }, Command::Look]);
        assert!(bench.held().is_empty());
        // It joins again when the work has ended, when it has a new list, and not within a retry
        // period of the last time.
        bench.see();
        assert!(bench.sent.is_empty());
        bench.feed(Input::WorkEnded);
        bench.until(2.0);
        assert!(matches!(bench.sent[0].2, Request::Join { .. }));
    }
}

#[test]
fn lost_session_is_dropped_before_its_lease_expires() {
    let mut bench = Bench::holder();
    bench.until(2.0);
    bench.until(9.999);
    assert!(bench.done.is_empty());
    bench.until(10.0);
    assert_eq!(bench.done[1..], [Command::Lose { at_once: false }, Command::Look]);
    bench.until(13.5);
    assert_eq!(bench.done[3..], [Command::AbortAll]);
}

#[test]
fn lost_session_waits_for_a_new_list() {
    let mut bench = Bench::holder();
    bench.until(2.0);
    bench.sent.clear();
    bench.until(10.0);
    bench.feed(Input::WorkEnded);
    // Nothing is due before the list is answered.
    assert_eq!(bench.machine.wake_at(), None);
    bench.until(60.0);
    assert!(bench.sent.is_empty(), "{:?}", bench.sent);
    bench.see();
    assert!(matches!(bench.sent[0].2, Request::Join { .. }), "{:?}", bench.sent);
    // A stop does not wait for it.
    let mut bench = Bench::holder();
    bench.until(10.0);
    bench.feed(Input::WorkEnded);
    bench.feed(Input::Stop);
    assert_eq!(bench.done.last(), Some(&Command::Finish { still_running: false }));
}

#[test]
fn late_claim_is_adopted() {
    let mut bench = Bench::new();
    bench.answer();
    bench.see();
    let claims = std::mem::take(&mut bench.sent);
    for (id, subject, _) in &claims {
        let answer = LeaseAnswer::Failed(RequestFailure::Unknown);
        bench.feed(Input::Answered { id: *id, subject: subject.clone(), answer });
    }
    assert!(bench.done.is_empty());
    bench.serve(&claims[2].2);
    bench.see();
    let Subject::Slot(slot) = claims[2].1 else { panic!() };
    assert_eq!(bench.done, [Command::Begin(slot)]);
}

#[test]
fn uncertain_release_is_never_worked_on_again() {
    let mut bench = Bench::holder();
    bench.other("zz");
    bench.see();
    let drained: Vec<_> = bench.done.drain(..).collect();
    let [Command::Drain(slot), Command::Drain(_)] = drained[..] else { panic!("{drained:?}") };
    bench.feed(Input::Idle(slot));
    let release = bench.sent.last().unwrap().clone();
    let (id, subject) = (release.0, release.1.clone());
    bench.sent.clear();
    bench.feed(Input::Answered {
        id,
        subject,
        answer: LeaseAnswer::Failed(RequestFailure::Unknown),
    });
    // The view still names this session.
    bench.see();
    assert!(!bench.done.contains(&Command::Begin(slot)));
    bench.until(2.0);
    let read = bench.sent.iter().position(|sent| sent.2 == Request::Read { slot }).unwrap();
    let (id, subject, request) = bench.sent.remove(read);
    // The release arrives after it was read, and is sent again without effect.
    let answer = bench.serve(&request);
    bench.serve(&release.2);
    bench.feed(Input::Answered { id, subject, answer });
    bench.see();
    assert!(!bench.held().contains(&slot));
    assert_eq!(bench.machine.counts.released, 1);
}

#[test]
fn older_view_does_not_return_a_released_slot() {
    let mut bench = Bench::holder();
    bench.other("zz");
    bench.see();
    let before = bench.store.view();
    let Command::Drain(slot) = bench.done[0] else { panic!("{:?}", bench.done) };
    bench.feed(Input::Idle(slot));
    bench.answer_all();
    bench.done.clear();
    bench.feed(Input::View(before));
    assert!(bench.done.is_empty() && !bench.held().contains(&slot));
}

#[test]
fn silent_member_is_fenced_in_the_seen_version() {
    let mut bench = Bench::holder();
    let uid = bench.other("a");
    bench.see();
    let seen = bench.store.view().member(&uid).unwrap().version.clone();
    for second in 1..=7 {
        bench.until(f64::from(second) * 2.0);
        bench.answer_all();
        bench.see();
    }
    assert!(bench.store.view().member(&uid).is_some());
    // The second of two members waits for half a retry period.
    bench.until(15.9);
    bench.answer_all();
    bench.until(16.0);
    let fence = bench.sent.iter().find(|sent| matches!(sent.2, Request::Delete { .. })).unwrap();
    let Request::Delete { uid: fenced, version, .. } = &fence.2 else { unreachable!() };
    assert_eq!((fenced, version.as_ref()), (&uid, Some(&seen)));
    // The member has renewed its Lease: the observation starts again.
    let (id, subject) = (fence.0, fence.1.clone());
    bench.sent.clear();
    bench.feed(Input::Answered {
        id,
        subject,
        answer: LeaseAnswer::Failed(RequestFailure::Conflict),
    });
    bench.until(17.0);
    assert!(bench.sent.iter().all(|sent| !matches!(sent.2, Request::Delete { .. })));
}

#[test]
fn old_leases_of_the_identity_are_deleted() {
    let mut bench = Bench::new();
    let identity = bench.machine.rules.identity.to_string();
    let old = bench.other(&identity);
    bench.answer();
    bench.see();
    let deletes = bench.sent.iter().filter(|sent| matches!(sent.2, Request::Delete { .. }));
    let uids: Vec<_> = deletes.map(|sent| sent.1.clone()).collect();
    assert_eq!(uids, [Subject::Session(old)]);
    assert_ne!(Subject::Session(bench.uid()), uids[0]);
}

#[test]
fn lost_history_ends_the_session() {
    let mut bench = Bench::holder();
    let view = View { epoch: 1, version: 1.into(), ..(*bench.store.view()).clone() };
    bench.feed(Input::View(Arc::new(view)));
    assert_eq!(bench.done[1..], [Command::Lose { at_once: true }, Command::Look]);
}

#[test]
fn answer_of_lost_history_is_ignored() {
    let mut bench = Bench::new();
    bench.answer();
    bench.see();
    let (id, subject, claim) = bench.sent[0].clone();
    let Subject::Slot(slot) = subject else { panic!("a claim, not {claim:?}") };
    let answer = bench.serve(&claim);
    let restored =
        Arc::new(View { epoch: 1, version: 1.into(), ..(*Store::new(4).view()).clone() });
    bench.feed(Input::View(restored.clone()));
    bench.feed(Input::Answered { id, subject, answer });
    let (newest, seen) = bench.machine.holdings.newest(slot, &restored);
    assert!(newest.is_none() && seen, "{newest:?}");
}

#[test]
fn idle_member_leaves_with_one_request() {
    let mut bench = Bench::holder();
    bench.feed(Input::Stop);
    assert_eq!(bench.done.len(), 4);
    for slot in 0..4 {
        bench.feed(Input::Idle(slot));
    }
    bench.answer();
    assert_eq!(bench.done.last(), Some(&Command::Finish { still_running: false }));
    assert!(bench.store.view().members.is_empty());
}

#[test]
fn busy_member_says_that_it_leaves() {
    let mut bench = Bench::holder();
    bench.feed(Input::Stop);
    bench.feed(Input::Idle(2));
    bench.until(0.25);
    bench.answer_all();
    let view = bench.store.view();
    assert!(view.members[0].leaving);
    let free = |slot: &Option<super::view::Slot>| slot.as_ref().unwrap().session.is_none();
    assert_eq!(view.slots.iter().map(free).collect::<Vec<_>>(), [false, false, true, false]);
    bench.done.clear();
    bench.until(25.0);
    assert!(bench.done.contains(&Command::Lose { at_once: true }), "{:?}", bench.done);
}

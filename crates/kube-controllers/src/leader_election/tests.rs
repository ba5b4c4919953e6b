use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use tokio::time::Instant;

use super::machine::{LossCause, Machine, Now, RequestFailure, Rules, Step, StepOutcome};
use super::record::{Marks, Record};
use super::simulation::{Faults, Simulation};
use super::{LeaderElectionError, LeaderElector, LeadershipState};
use crate::lease::Times;
use kube_informer::object::NameRule;

const fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// A machine, its two clocks, and the last step it returned.
struct Bench {
    machine: Machine,
    start: Instant,
    now: Now,
    step: Step,
    version: u64,
    stored: Option<Lease>,
}

impl Bench {
    fn new() -> Self {
        Self::with_times(Times::default())
    }

    fn with_times(times: Times) -> Self {
        let rules =
            Rules { name: "x".into(), identity: "me".into(), times, marks: Marks::default() };
        let start = Instant::now();
        let now = Now { at: start, wall: Timestamp::from_second(1_000).unwrap() };
        let mut machine = Machine::new(rules, Rng::with_seed(7), start);
        let step = machine.start_candidacy(now);
        Self { machine, start, now, step, version: 0, stored: None }
    }

    /// Returns a leader whose first request began at 0 s.
    fn leader() -> Self {
        Self::leader_with_times(Times::default())
    }

    fn leader_with_times(times: Times) -> Self {
        let mut bench = Self::with_times(times);
        bench.got(None);
        bench.granted();
        assert!(bench.machine.term().is_some());
        bench
    }

    /// Lets time pass until `seconds` after the start.
    fn until(&mut self, seconds: f64) -> &mut Self {
        let at = self.start + Duration::from_secs_f64(seconds);
        let passed = at.duration_since(self.now.at);
        self.now = Now { at, wall: self.now.wall + SignedDuration::try_from(passed).unwrap() };
        self
    }

    fn tell(&mut self, outcome: StepOutcome) -> &Step {
        self.step = self.machine.next(outcome, self.now);
        &self.step
    }

    fn waited(&mut self) -> &Step {
        self.tell(StepOutcome::Waited)
    }

    fn failed(&mut self, failure: RequestFailure) -> &Step {
        self.tell(StepOutcome::Failed(failure))
    }

    fn got(&mut self, lease: Option<Lease>) -> &Step {
        self.tell(StepOutcome::Got(lease.map(Box::new)))
    }

    /// Executes the write that the machine asked for.
    fn granted(&mut self) -> &Step {
        let (Step::Create(lease) | Step::Replace(lease)) = &self.step else {
            panic!("the machine sent no request: {:?}", self.step);
        };
        let mut lease = lease.clone();
        self.version += 1;
        lease.metadata.resource_version = Some(self.version.to_string());
        self.stored = Some((*lease).clone());
        self.tell(StepOutcome::Written(lease))
    }

    /// Returns the lease that the last granted write stored.
    fn stored(&self) -> Lease {
        self.stored.clone().expect("a granted write")
    }

    /// Returns the record that the machine asked to write.
    fn record(&self) -> Record {
        match &self.step {
            Step::Create(lease) | Step::Replace(lease) => Record::of(lease),
            step => panic!("the machine writes nothing: {step:?}"),
        }
    }

    fn waits(&self) -> Duration {
        let Step::Wait(delay) = self.step else {
            panic!("the machine does not wait: {:?}", self.step)
        };
        delay
    }
}

/// Returns a lease with this holder and renewal time.
fn lease(holder: &str, renewed: i64) -> Lease {
    let time = Timestamp::from_second(renewed).unwrap();
    let record = Record {
        holder: Some(holder).filter(|holder| !holder.is_empty()).map(Into::into),
        duration: Some(seconds(15)),
        acquired: Some(time),
        renewed: Some(time),
        transitions: 4,
    };
    let mut lease = record.into_lease("x", &Marks::default());
    lease.metadata.resource_version = Some(format!("{renewed}-{holder}"));
    lease
}

#[test]
fn first_candidate_creates_the_lease() {
    let mut bench = Bench::new();
    assert_eq!(bench.step, Step::Get);
    assert!(matches!(bench.got(None), Step::Create(_)));
    let record = bench.record();
    assert!(record.is_held_by("me"));
    assert_eq!((record.duration, record.transitions), (Some(seconds(15)), 0));
    assert_eq!(record.acquired, record.renewed);
    bench.until(0.5).granted();
    assert_eq!(bench.waits(), Duration::from_millis(1_500));
}

#[test]
fn term_starts_with_the_request() {
    let mut bench = Bench::new();
    bench.until(1.0).got(None);
    bench.until(4.0).granted();
    let term = bench.machine.term().unwrap();
    assert_eq!(term.cancel, bench.start + seconds(11));
    assert_eq!(term.abort, bench.start + Duration::from_millis(14_500));
    assert_eq!(term.expires, bench.start + seconds(16));
}

#[test]
fn free_lease_is_taken_at_once() {
    for (found, transitions) in
        [(lease("", 900), 5), (Lease { metadata: lease("", 900).metadata, spec: None }, 1)]
    {
        let mut bench = Bench::new();
        assert!(matches!(bench.got(Some(found.clone())), Step::Replace(_)), "{found:?}");
        assert_eq!(bench.record().transitions, transitions, "{found:?}");
        bench.granted();
        assert!(bench.machine.term().is_some());
    }
}

#[test]
fn rivals_lease_expires_after_unchanged_duration() {
    let mut bench = Bench::new();
    // The times in the record are from another clock, hours ahead or behind.
    for renewed in [0, 50_000] {
        let began = bench.now.at.duration_since(bench.start).as_secs_f64();
        bench.got(Some(lease("other", renewed)));
        for after in [2.0, 8.0, 14.999] {
            assert!(bench.waits() >= seconds(2) && bench.waits() < Duration::from_millis(4_400));
            assert_eq!(*bench.until(began + after).waited(), Step::Get);
            bench.got(Some(lease("other", renewed)));
        }
        bench.waited();
    }
    bench.until(14.999 + 15.0).waited();
    assert!(matches!(bench.got(Some(lease("other", 50_000))), Step::Replace(_)));
    let record = bench.record();
    assert_eq!(record.transitions, 5);
    assert!(record.renewed > Some(Timestamp::from_second(50_000).unwrap()));
}

#[test]
fn unrelated_write_does_not_extend_a_lease() {
    let mut bench = Bench::new();
    bench.got(Some(lease("other", 0)));
    bench.until(10.0).waited();
    let mut labelled = lease("other", 0);
    labelled.metadata.resource_version = Some("9".into());
    labelled.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    bench.got(Some(labelled.clone()));
    bench.until(15.0).waited();
    bench.got(Some(labelled));
    let Step::Replace(written) = &bench.step else { panic!("{:?}", bench.step) };
    assert_eq!(written.metadata.resource_version.as_deref(), Some("9"));
    assert!(written.metadata.labels.is_some());
}

#[test]
fn duration_comes_from_the_record() {
    let mut short = lease("other", 0);
    short.spec.as_mut().unwrap().lease_duration_seconds = Some(3);
    let mut without = lease("other", 0);
    without.spec.as_mut().unwrap().lease_duration_seconds = None;
    for (found, until) in [(short, 3.0), (without, 15.0)] {
        let mut bench = Bench::new();
        bench.got(Some(found.clone()));
        bench.until(until - 0.001).waited();
        bench.got(Some(found.clone()));
        bench.waits();
        bench.until(until).waited();
        assert!(matches!(bench.got(Some(found)), Step::Replace(_)));
    }
}

#[test]
fn altered_write_does_not_grant_the_lease() {
    for holder in ["other", ""] {
        let written = || StepOutcome::Written(Box::new(lease(holder, 5)));
        let mut bench = Bench::new();
        bench.got(None);
        bench.tell(written());
        assert!(bench.waits() >= seconds(2));
        assert_eq!(bench.machine.term(), None);
        let mut bench = Bench::leader();
        bench.until(2.0).waited();
        assert!(matches!(bench.tell(written()), Step::Lost(_)));
    }
}

/// An admission webhook may change what is stored. Rivals wait for the stored duration.
#[test]
fn shortened_duration_shortens_the_term() {
    let mut bench = Bench::leader();
    bench.until(2.0).waited();
    let Step::Replace(lease) = &bench.step else { panic!("a renewal") };
    let mut lease = lease.clone();
    lease.spec.as_mut().unwrap().lease_duration_seconds = Some(5);
    bench.tell(StepOutcome::Written(lease));
    let term = bench.machine.term().unwrap();
    let times = [term.cancel, term.abort, term.expires].map(|at| at - bench.start);
    assert_eq!(times, [seconds(2) + seconds(9) / 2, seconds(2) + seconds(9) / 2, seconds(7)]);
}

#[test]
fn losing_candidate_waits() {
    let mut bench = Bench::new();
    bench.got(Some(lease("", 0)));
    bench.failed(RequestFailure::Conflict);
    assert!(bench.waits() >= seconds(2));
    assert_eq!(*bench.until(3.0).waited(), Step::Get);
    bench.got(Some(lease("other", 2)));
    bench.until(17.999).waited();
    bench.got(Some(lease("other", 2)));
    bench.waits();
}

#[test]
fn deleted_lease_stays_with_its_leader() {
    // A candidate that saw the leader waits.
    let mut bench = Bench::new();
    bench.got(Some(lease("other", 0)));
    bench.until(5.0).waited();
    bench.got(None);
    bench.waits();
    bench.until(15.0).waited();
    assert!(matches!(bench.got(None), Step::Create(_)));
    assert_eq!(bench.record().transitions, 5);
    // The leader creates the lease again.
    let mut bench = Bench::leader();
    bench.until(2.0).waited();
    let acquired = bench.record().acquired;
    assert_eq!(*bench.failed(RequestFailure::Conflict), Step::Get);
    assert!(matches!(bench.got(None), Step::Create(_)));
    assert_eq!(bench.record().acquired, acquired);
    bench.granted();
    assert_eq!(bench.machine.term().unwrap().cancel, bench.start + seconds(12));
}

/// A candidate saw the leader, and not its last renewal, before a person edits the lease.
#[test]
fn edited_lease_keeps_the_time_of_its_leader() {
    let edited = |holder: &str, duration: Option<i32>| {
        let mut lease = lease(holder, 52);
        lease.spec.as_mut().unwrap().lease_duration_seconds = duration;
        lease
    };
    let without_spec = Lease { spec: None, ..lease("other", 52) };
    for edited in [
        edited("", Some(15)),
        edited("", None),
        edited("other", Some(1)),
        edited("thief", Some(1)),
        without_spec,
    ] {
        let mut bench = Bench::new();
        bench.got(Some(lease("other", 50)));
        // An earlier edit, which is taken back.
        bench.until(2.0).waited();
        let mut long = lease("other", 51);
        long.spec.as_mut().unwrap().lease_duration_seconds = Some(1_000_000);
        bench.got(Some(long));
        for at in [3.0, 17.999] {
            bench.until(at).waited();
            bench.got(Some(edited.clone()));
            bench.waits();
        }
        bench.until(18.0).waited();
        assert!(matches!(bench.got(Some(edited.clone())), Step::Replace(_)), "{edited:?}");
    }
    // A release is no edit.
    let mut bench = Bench::new();
    bench.got(Some(lease("other", 50)));
    bench.until(3.0).waited();
    assert!(matches!(bench.got(Some(edited("", Some(1)))), Step::Replace(_)));
}

#[test]
fn restored_record_does_not_replace_a_rival() {
    // As after a restore of the cluster to a moment when we led.
    let mut bench = Bench::new();
    bench.got(Some(lease("other", 50)));
    bench.until(3.0).waited();
    bench.got(Some(lease("me", 20)));
    bench.until(17.999).waited();
    bench.got(Some(lease("me", 20)));
    bench.waits();
    bench.until(18.0).waited();
    assert!(matches!(bench.got(Some(lease("me", 20))), Step::Replace(_)));
    // The holder's name stays, so this is no transition.
    assert_eq!(bench.record().transitions, 4);
}

#[test]
fn leader_renews_with_one_request_per_period() {
    let mut bench = Bench::leader();
    for n in 1..10 {
        let answered = Duration::from_millis(if n > 1 { 250 } else { 0 });
        assert_eq!(bench.waits() + answered, seconds(2));
        let before = bench.machine.term();
        assert!(matches!(bench.until(f64::from(n) * 2.0).waited(), Step::Replace(_)));
        assert_eq!(bench.machine.term(), before);
        bench.until(f64::from(n) * 2.0 + 0.25).granted();
        let begun = bench.start + seconds(2) * n;
        assert_eq!(bench.machine.term().unwrap().cancel, begun + seconds(10));
    }
    assert_eq!(bench.machine.transitions(), 0);
}

#[test]
fn conflict_is_read_once_per_attempt() {
    let mut bench = Bench::leader();
    bench.until(2.0).waited();
    assert_eq!(*bench.failed(RequestFailure::Conflict), Step::Get);
    let mut ours = bench.stored();
    ours.metadata.resource_version = Some("77".into());
    assert!(matches!(bench.got(Some(ours.clone())), Step::Replace(_)));
    bench.failed(RequestFailure::Conflict);
    assert_eq!(bench.waits(), seconds(2));
    bench.until(4.0).waited();
    assert_eq!(*bench.failed(RequestFailure::Conflict), Step::Get);
    bench.got(Some(ours));
    bench.granted();
    assert_eq!(bench.machine.term().unwrap().cancel, bench.start + seconds(14));
}

#[test]
fn leader_stops_when_the_record_names_another() {
    for (found, cause) in [
        (lease("other", 5), LossCause::TakenBy("other".into())),
        (lease("", 5), LossCause::Cleared),
    ] {
        let mut bench = Bench::leader();
        bench.until(2.0).waited();
        bench.failed(RequestFailure::Conflict);
        assert_eq!(*bench.got(Some(found)), Step::Lost(cause));
        assert_eq!(bench.machine.term(), None);
        assert_eq!(bench.machine.release(bench.now), Step::Released);
    }
}

#[test]
fn term_ends_without_a_timely_renewal() {
    let mut bench = Bench::leader();
    for at in [2.0, 4.0, 6.0, 8.0] {
        assert!(matches!(bench.until(at).waited(), Step::Replace(_)));
        bench.failed(RequestFailure::Other);
        assert_eq!(bench.waits(), seconds(2));
    }
    bench.until(9.999).waited();
    assert!(bench.machine.term().is_some());
    // The server executed this renewal, but the answer is late.
    bench.until(10.0);
    assert_eq!(*bench.granted(), Step::Lost(LossCause::RenewDeadline));
    assert_eq!(bench.machine.term(), None);
}

#[test]
fn late_acquisition_does_not_lead() {
    let mut bench = Bench::new();
    bench.got(None);
    assert_eq!(*bench.until(10.0).granted(), Step::Lost(LossCause::RenewDeadline));
    assert_eq!(bench.machine.term(), None);
    // The record still names us, so a candidate gets the lease at once.
    bench.step = bench.machine.start_candidacy(bench.now);
    assert_eq!(bench.step, Step::Get);
    let ours = bench.stored();
    assert!(matches!(bench.got(Some(ours)), Step::Replace(_)));
}

#[test]
fn slow_request_is_followed_at_once() {
    let mut bench = Bench::leader();
    bench.until(2.0).waited();
    bench.until(7.0).failed(RequestFailure::Other);
    assert_eq!(bench.waits(), Duration::ZERO);
}

#[test]
fn release_clears_the_holder() {
    let mut bench = Bench::leader();
    let release = bench.machine.release(bench.now);
    bench.step = release;
    let record = bench.record();
    assert_eq!((record.holder.clone(), record.duration), (None, Some(seconds(1))));
    assert_eq!(bench.machine.term(), None);
    // An earlier renewal reached the server first.
    assert_eq!(*bench.failed(RequestFailure::Conflict), Step::Get);
    let ours = bench.stored();
    assert!(matches!(bench.got(Some(ours)), Step::Replace(_)));
    assert_eq!(*bench.granted(), Step::Released);
    assert_eq!(bench.machine.leader(), None);
    for found in [None, Some(lease("other", 3)), Some(lease("", 3)), Some(lease("me", 3))] {
        let mut bench = Bench::leader();
        bench.step = bench.machine.release(bench.now);
        bench.failed(RequestFailure::Conflict);
        assert_eq!(*bench.got(found), Step::Released);
    }
}

#[test]
fn renewals_differ_when_the_wall_clock_goes_back() {
    let mut bench = Bench::leader();
    bench.until(2.0).waited();
    let first = bench.record();
    bench.granted();
    bench.until(4.0);
    bench.now.wall = Timestamp::from_second(10).unwrap();
    bench.waited();
    assert!(bench.record().renewed > first.renewed);
}

/// The times of the lease, the renew deadline and the retry period, in milliseconds.
fn times(times: [u64; 3]) -> Times {
    let [duration, renew_deadline, retry_period] = times.map(Duration::from_millis);
    Times { duration, renew_deadline, retry_period }
}

#[test]
fn renewal_times_stay_near_the_clock() {
    let second = SignedDuration::from_secs(1);
    for of in [[2_000, 1_000, 1], [2_000, 1_000, 100], [3_000, 2_000, 250], [15_000, 10_000, 2_000]]
    {
        let mut bench = Bench::leader_with_times(times(of));
        let period = bench.waits().as_secs_f64();
        let mut last = None;
        for n in 1..=36_000 {
            bench.until(f64::from(n) * period).waited();
            let renewed = bench.record().renewed;
            assert!(renewed > last && renewed.unwrap() <= bench.now.wall + second, "{of:?}");
            last = renewed;
            bench.granted();
        }
        // After a leader whose clock was ahead, the clock catches up.
        bench.now.wall -= second * 10;
        for n in 36_001..=90_000 {
            bench.until(f64::from(n) * period).waited();
            assert!(bench.record().renewed > last);
            last = bench.record().renewed;
            if bench.now.wall + second > last.unwrap() {
                break;
            }
            bench.granted();
        }
        assert!(bench.now.wall + second > last.unwrap(), "{of:?}");
    }
}

#[test]
fn lost_answer_is_known_after_many_failures() {
    let mut bench = Bench::leader_with_times(times([60_000, 40_000, 500]));
    bench.until(0.5).waited();
    let Step::Replace(stored) = bench.step.clone() else { panic!("a renewal") };
    bench.failed(RequestFailure::Other);
    for n in 2..78 {
        bench.until(f64::from(n) * 0.5).waited();
        bench.failed(RequestFailure::Other);
    }
    bench.until(39.0).waited();
    assert_eq!(*bench.failed(RequestFailure::Conflict), Step::Get);
    assert!(matches!(bench.got(Some(*stored)), Step::Replace(_)));
}

#[test]
fn highest_count_of_transitions_is_kept() {
    let mut bench = Bench::new();
    let mut found = lease("", 900);
    found.spec.as_mut().unwrap().lease_transitions = Some(i32::MAX);
    bench.got(Some(found));
    let Step::Replace(stored) = bench.step.clone() else { panic!("an acquisition") };
    bench.failed(RequestFailure::Other);
    assert_eq!(*bench.until(3.0).waited(), Step::Get);
    // The answer was lost, but the elector knows its own record: no rival may still lead.
    assert!(matches!(bench.got(Some(*stored)), Step::Replace(_)));
}

#[test]
fn late_renew_deadline_keeps_the_margin() {
    let bench = Bench::leader_with_times(times([15_000, 14_900, 2_000]));
    let term = bench.machine.term().unwrap();
    assert_eq!(term.cancel, bench.start + Duration::from_millis(13_500));
    assert_eq!(term.abort, term.cancel);
}

#[tokio::test]
async fn invalid_options_are_refused() {
    let server = kube_informer::testing::ApiServer::new();
    let build = |lease: f64, renew: f64, retry: f64| {
        LeaderElector::builder(server.client(), "shop", "x")
            .lease_duration(Duration::from_secs_f64(lease))
            .renew_deadline(Duration::from_secs_f64(renew))
            .retry_period(Duration::from_secs_f64(retry))
            .build()
            .map(drop)
    };
    assert_eq!(build(15.0, 10.0, 2.0), Ok(()));
    assert_eq!(build(0.5, 0.3, 0.2), Ok(()));
    for ((lease, renew, retry), problem) in [
        (
            (10.0, 10.0, 2.0),
            "the lease duration (10s) must be longer than the renew deadline (10s)",
        ),
        ((15.0, 2.4, 2.0), "the renew deadline (2.4s) must be longer than 1.2 retry periods (2s)"),
        ((15.0, 10.0, 0.0), "the retry period must be at least a millisecond"),
        ((3e9, 10.0, 2.0), "the lease duration (3000000000s) must be less than 2147483647 seconds"),
    ] {
        let refused = build(lease, renew, retry).unwrap_err().to_string();
        assert!(refused.starts_with(problem), "{refused}");
    }
    let named =
        |namespace: &str, name: &str| LeaderElector::builder(server.client(), namespace, name);
    for (namespace, name, rule) in [
        ("", "x", NameRule::Label),
        ("a.b", "x", NameRule::Label),
        ("a", "", NameRule::Subdomain),
        ("a", "1ca428e5.", NameRule::Subdomain),
        ("a", "b/c", NameRule::Subdomain),
        ("a", "My-Controller", NameRule::Subdomain),
    ] {
        let refused = named(namespace, name).build().unwrap_err();
        let (argument, value) = match rule {
            NameRule::Label => ("namespace of the lease", namespace),
            _ => ("name of the lease", name),
        };
        let invalid = rule.check(argument, value).unwrap_err();
        assert!(refused.to_string().starts_with(&invalid.to_string()), "{refused}");
    }
    let long = "a".repeat(64);
    for (name, value, problem) in [
        ("a b", "x", r#"the key of a label of the lease "a b" must be a qualified name"#),
        ("", "x", r#"the key of a label of the lease "" must be"#),
        ("a/b/c", "x", r#"the key of a label of the lease "a/b/c" must be"#),
        ("UPPER.example.com/x", "x", "the key of a label of the lease"),
        ("team", "not valid!", r#"the label team of the lease has the value "not valid!""#),
        ("team", &*long, "the label team of the lease has the value"),
    ] {
        let refused = named("a", "x").label(name, value).build().unwrap_err().to_string();
        assert!(refused.starts_with(problem), "{refused}");
    }
    let owned = |api_version: &str, [kind, name, uid]: [&str; 3]| {
        let owner = OwnerReference {
            api_version: api_version.into(),
            kind: kind.into(),
            name: name.into(),
            uid: uid.into(),
            ..OwnerReference::default()
        };
        named("a", "x").label("app.kubernetes.io/name", "").owner(owner).build()
    };
    for version in ["v1", "apps/v1"] {
        assert!(owned(version, ["Deployment", "a", "u"]).is_ok());
    }
    for (version, members, problem) in [
        ("", ["Deployment", "a", "u"], r#"the API version """#),
        ("apps/", ["Deployment", "a", "u"], r#"the API version "apps/""#),
        ("a/b/c", ["Deployment", "a", "u"], r#"the API version "a/b/c""#),
        ("apps/v1", ["", "a", "u"], "no kind"),
        ("apps/v1", ["Deployment", "", "u"], "no name"),
        ("apps/v1", ["Deployment", "a", ""], "no uid"),
        ("v1", ["Event", "a", "u"], "the kind Event"),
    ] {
        let refused = owned(version, members).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("the owner of the lease has {problem}")), "{refused}");
    }
    let nobody = named("a", "x").identity("").build();
    assert!(nobody.unwrap_err().to_string().starts_with("the identity is empty"));
    let (one, two) = (named("a", "x").build().unwrap(), named("a", "x").build().unwrap());
    assert_ne!(one.identity(), two.identity());
    assert!(one.identity().len() > 33 && !one.identity().contains(char::is_whitespace));
}

#[test]
fn public_types_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<LeaderElector>();
    check::<LeadershipState>();
    check::<LeaderElectionError>();
}

proptest! {
    #![proptest_config(crate::seeds::cases(50))]

    #[test]
    fn one_leads_at_a_time_and_recovers(
        seed in any::<u64>(),
        rates in prop::collection::vec(0.975..1.025, 2..4),
        lost in prop::sample::select(vec![0, 5, 20, 50]),
        retry in prop::sample::select(vec![500, 2_000]),
        slowest in prop::sample::select(vec![10, 3_000, 4_000, 30_000]),
        cut in prop::sample::select(vec![0, 50, 100]),
        stopped in prop::sample::select(vec![0, 30, 60]),
        crashed in prop::sample::select(vec![0, 30, 60]),
        namesakes in any::<bool>(),
    ) {
        let retry_period = Duration::from_millis(retry);
        let faults =
            Faults { seed, rates, retry_period, lost, slowest, cut, stopped, crashed, namesakes };
        let report = Simulation::run(faults, 600);
        prop_assert!(report.overlap.is_none(), "{report:?}");
        prop_assert!(report.recovered.is_some_and(|after| after < seconds(60)), "{report:?}");
        prop_assert!(report.last_change < seconds(600 + 150), "{report:?}");
        prop_assert_eq!(report.at_work, 1);
    }
}

/// The simulation proves nothing if it cannot find a fault, or if little happens in it.
#[test]
fn simulation_detects_clocks_that_differ_too_much() {
    let run = |seed, rates: &[f64]| {
        let faults = Faults {
            seed,
            rates: rates.to_vec(),
            retry_period: Duration::from_millis(500),
            lost: 10,
            slowest: 500,
            cut: 40,
            stopped: 60,
            crashed: 20,
            namesakes: false,
        };
        Simulation::run(faults, 600)
    };
    let found = (0..50).filter(|seed| run(*seed, &[0.85, 1.15]).overlap.is_some()).count();
    assert!(found > 0);
    let reports: Vec<_> = (0..50).map(|seed| run(seed, &[0.95, 1.0, 1.0])).collect();
    assert!(reports.iter().all(|report| report.overlap.is_none()));
    let counts = reports.iter().map(|report| [report.terms, report.losses, report.releases]);
    let sums = counts.reduce(|a, b| std::array::from_fn(|n| a[n] + b[n])).unwrap();
    assert!(sums.iter().all(|sum| *sum > 100), "{sums:?}");
}

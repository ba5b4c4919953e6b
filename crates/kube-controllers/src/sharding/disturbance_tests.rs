//! A machine whose requests are refused, and whose Leases others change.

use std::sync::Arc;
use std::time::Duration;

use super::machine::{Command, Input, LeaseAnswer, Request, RequestFailure, Subject};
use super::tests::{Bench, quiet};
use super::trouble::Trouble;
use super::world::SECOND;

/// Lets time pass in steps, and answers every write of a slot by `answer`. Returns the times of
/// those writes, in seconds.
fn write_times(bench: &mut Bench, seconds: f64, answer: Option<RequestFailure>) -> Vec<f64> {
    let mut times = Vec::new();
    let from = bench.now;
    let mut passed = 0.0;
    while passed < seconds {
        bench.feed(Input::Tick);
        for (id, subject, request) in std::mem::take(&mut bench.sent) {
            let served = match (&request, answer) {
                (Request::Write { .. }, Some(failure)) => LeaseAnswer::Failed(failure),
                _ => bench.serve(&request),
            };
            if matches!(request, Request::Write { .. }) {
                times.push(passed);
            }
            bench.feed(Input::Answered { id, subject, answer: served });
        }
        bench.see();
        passed += 0.1;
        bench.now = from + Duration::from_secs_f64(passed);
    }
    times
}

#[test]
fn refused_claims_pause_together() {
    let mut bench = Bench::of(256);
    let refused = write_times(&mut bench, 10.0, Some(RequestFailure::Refused));
    assert!((18..=20).contains(&refused.len()), "{refused:?}");
    let refused = write_times(&mut bench, 600.0, Some(RequestFailure::Refused));
    assert!((25..=45).contains(&refused.len()), "{refused:?}");
    assert!(bench.held().is_empty());
    // The server recovers.
    write_times(&mut bench, 21.0, None);
    assert_eq!(bench.held().len(), 256);
}

#[test]
fn failing_server_gets_one_claim_at_a_time() {
    let mut bench = Bench::of(256);
    let failed = write_times(&mut bench, 600.0, Some(RequestFailure::Unknown));
    assert!((100..=330).contains(&failed.len()), "{}", failed.len());
    assert!(bench.held().is_empty());
    write_times(&mut bench, 10.0, None);
    assert_eq!(bench.held().len(), 256);
}

#[test]
fn failing_releases_pause_longer_and_longer() {
    let mut bench = Bench::holder();
    bench.other("zz");
    bench.see();
    for slot in 0..4 {
        bench.feed(Input::Idle(slot));
    }
    let (mut sent, mut seconds) = (0, 0.0);
    while seconds < 600.0 {
        bench.feed(Input::Tick);
        for (id, subject, request) in std::mem::take(&mut bench.sent) {
            let of_slot = matches!(subject, Subject::Slot(_));
            sent += usize::from(of_slot);
            let failed = LeaseAnswer::Failed(RequestFailure::Unknown);
            let answer = if of_slot { failed } else { bench.serve(&request) };
            bench.feed(Input::Answered { id, subject, answer });
        }
        bench.see();
        seconds += 0.1;
        bench.until(seconds);
    }
    // Two slots, each tried every eight periods.
    assert!((60..=90).contains(&sent), "{sent}");
    write_times(&mut bench, 20.0, None);
    assert_eq!(bench.held().len(), 4, "the other was fenced");
}

#[test]
fn busy_server_is_asked_again_when_it_says() {
    for (asked, after) in [(0, 2.0..3.0), (5, 5.0..7.0), (3_600, 60.0..76.0)] {
        let mut bench = Bench::of(64);
        let throttled = RequestFailure::Throttled(Duration::from_secs(asked));
        let times = write_times(&mut bench, 100.0, Some(throttled));
        assert_eq!(times.iter().filter(|time| **time < 1.0).count(), 16);
        let next = times.iter().find(|time| **time > 1.0).unwrap();
        assert!(after.contains(next), "{asked}: {next}");
        // The pause does not keep growing.
        let most = 16.0 * (100.0 / after.start + 1.0);
        assert!(f64::from(u32::try_from(times.len()).unwrap()) <= most, "{}", times.len());
    }
}

#[test]
fn one_refused_slot_holds_up_no_other() {
    let mut bench = Bench::of(64);
    let mut seconds = 0.0;
    while seconds < 20.0 {
        for (id, subject, request) in std::mem::take(&mut bench.sent) {
            let refused = matches!(request, Request::Write { slot: 40, .. });
            let answer = if refused {
                LeaseAnswer::Failed(RequestFailure::Refused)
            } else {
                bench.serve(&request)
            };
            bench.feed(Input::Answered { id, subject, answer });
        }
        bench.see();
        seconds += 0.1;
        bench.until(seconds);
    }
    assert_eq!(bench.held().len(), 63);
}

#[test]
fn joining_plans_once_for_many_slots() {
    let mut bench = Bench::of(1_024);
    write_times(&mut bench, 20.0, None);
    assert_eq!(bench.held().len(), 1_024);
    assert!(bench.machine.plans <= 8, "{}", bench.machine.plans);
    assert_eq!(bench.machine.counts.conflicts, 0);
}

#[test]
fn foreign_lease_is_looked_at_now_and_then() {
    let mut bench = Bench::new();
    let (mut looks, mut seconds) = (Vec::new(), 0.0);
    while seconds < 600.0 {
        for (id, subject, request) in std::mem::take(&mut bench.sent) {
            let answer = match &request {
                Request::Write { slot: 2, .. } => LeaseAnswer::Failed(RequestFailure::Conflict),
                Request::Read { slot: 2 } => {
                    looks.push(seconds);
                    LeaseAnswer::Foreign
                }
                _ => bench.serve(&request),
            };
            bench.feed(Input::Answered { id, subject, answer });
        }
        bench.see();
        seconds += 0.1;
        bench.until(seconds);
    }
    assert_eq!(bench.held(), [0, 1, 3]);
    assert_eq!(bench.machine.counts.conflicts, 2);
    assert!((30..=40).contains(&looks.len()), "{looks:?}");
    // The Lease is gone.
    write_times(&mut bench, 17.0, None);
    assert_eq!(bench.held(), [0, 1, 2, 3]);
}

#[test]
fn slot_lease_without_label_is_marked_again() {
    let mut bench = Bench::new();
    let (mut marked, mut seconds) = (false, 0.0);
    while seconds < 10.0 {
        for (id, subject, request) in std::mem::take(&mut bench.sent) {
            let answer = match &request {
                Request::Write { slot: 2, .. } if !marked => {
                    LeaseAnswer::Failed(RequestFailure::Conflict)
                }
                Request::Read { slot: 2 } if !marked => LeaseAnswer::Unmarked(1.into()),
                Request::Mark { slot, base } => {
                    assert_eq!((*slot, base), (2, &1.into()));
                    marked = true;
                    let session = Some("over".into());
                    let write = Request::Write { slot: 2, base: None, session, transitions: 3 };
                    bench.store.serve(&write, &"other".into())
                }
                _ => bench.serve(&request),
            };
            bench.feed(Input::Answered { id, subject, answer });
        }
        bench.see();
        seconds += 0.1;
        bench.until(seconds);
    }
    assert!(marked);
    assert_eq!(bench.held(), [0, 1, 2, 3]);
}

#[test]
fn member_whose_renewals_fail_joins_less_often() {
    let mut bench = Bench::new();
    let (mut joins, mut held, mut seconds) = (0, 0_u32, 0.0);
    while seconds < 600.0 {
        for (id, subject, request) in std::mem::take(&mut bench.sent) {
            joins += usize::from(matches!(request, Request::Join { .. }));
            let answer = match &request {
                Request::Renew { .. } => LeaseAnswer::Failed(RequestFailure::Refused),
                _ => bench.serve(&request),
            };
            bench.feed(Input::Answered { id, subject, answer });
        }
        bench.see();
        if bench.done.drain(..).any(|command| matches!(command, Command::Lose { .. })) {
            bench.feed(Input::WorkEnded);
        }
        held += u32::from(!bench.held().is_empty());
        seconds += 0.1;
        bench.until(seconds);
    }
    assert!(joins <= 12, "{joins}");
    assert!(held < 1_200, "{held} of 6000");
    // It recovers, and a session with a renewal ends the pauses.
    write_times(&mut bench, 90.0, None);
    assert_eq!(bench.held().len(), 4);
}

/// Others give a replica its share as soon as its member Lease exists.
#[test]
fn unsure_writes_leave_few_slots_unowned() {
    for reads in [false, true] {
        for late in [false, true] {
            let mut simulation = quiet(2, 6);
            if late {
                simulation.crash(0);
                simulation.run_until(50 * SECOND);
            }
            simulation.lose_results(0, 600, reads);
            let before = simulation.unowned();
            if late {
                simulation.start(0);
            }
            let (from, mut most) = (if late { 50 } else { 20 }, 0);
            for second in 0..600 {
                let sent = simulation.requests_of(0);
                simulation.run_until((from + second + 1) * SECOND);
                most = most.max(simulation.requests_of(0) - sent);
            }
            let unowned = simulation.unowned().saturating_sub(before);
            let unowned = unowned.as_secs_f64() / (6.0 * 600.0);
            let case = format!("reads {reads}, late {late}: {unowned}, {most} requests a second");
            assert!(unowned < 0.06 && most <= 20, "{case}");
            simulation.run_until((from + 700) * SECOND);
            let report = simulation.finish();
            assert_eq!((report.violation, report.shares), (None, vec![3, 3]), "{case}");
        }
    }
}

/// Lets a machine run, and answers its requests about its member Lease by `answer`, which gets the
/// number of the request. `None` is the store's answer. Returns the times of these requests.
fn member_times(
    bench: &mut Bench,
    seconds: f64,
    mut answer: impl FnMut(&Request, usize) -> Option<LeaseAnswer>,
) -> Vec<f64> {
    let (mut times, mut passed) = (Vec::new(), 0.0);
    let from = bench.now;
    while passed < seconds {
        // Requests that follow at once belong to the same moment.
        for _ in 0..50 {
            for (id, subject, request) in std::mem::take(&mut bench.sent) {
                let served = bench.serve(&request);
                let own = subject == Subject::Member;
                let answer =
                    if own { answer(&request, times.len()).unwrap_or(served) } else { served };
                times.extend(own.then_some(passed));
                bench.feed(Input::Answered { id, subject, answer });
            }
        }
        bench.see();
        if bench.done.drain(..).any(|command| matches!(command, Command::Lose { .. })) {
            bench.feed(Input::WorkEnded);
        }
        passed += 0.1;
        bench.now = from + Duration::from_secs_f64(passed);
        bench.feed(Input::Tick);
    }
    times
}

#[test]
fn conflicts_while_joining_pause_longer_and_longer() {
    let rules: [fn(&Request) -> Option<RequestFailure>; 4] = [
        |request| match request {
            Request::Join { .. } => Some(RequestFailure::Unknown),
            Request::Renew { .. } => Some(RequestFailure::Conflict),
            _ => None,
        },
        |request| match request {
            Request::Join { .. } | Request::Renew { .. } => Some(RequestFailure::Unknown),
            Request::Find { .. } => Some(RequestFailure::Conflict),
            _ => None,
        },
        |request| matches!(request, Request::Renew { .. }).then_some(RequestFailure::Conflict),
        |_| Some(RequestFailure::Conflict),
    ];
    for (number, rule) in rules.iter().enumerate() {
        for member in [false, true] {
            let mut bench = if member { Bench::holder() } else { Bench::new() };
            let times = member_times(&mut bench, 600.0, |request, _| {
                rule(request).map(LeaseAnswer::Failed)
            });
            assert!(times.len() <= 150, "{number}, {member}: {}", times.len());
            let most = times.iter().map(|time| {
                times.iter().filter(|other| (*time..time + 1.0).contains(*other)).count()
            });
            assert!(most.max().unwrap() <= 4, "{number}, {member}: {times:?}");
            // It recovers.
            member_times(&mut bench, 90.0, |_, _| None);
            assert_eq!(bench.held().len(), 4, "{number}, {member}");
        }
    }
}

#[test]
fn one_unclear_answer_delays_a_join_by_seconds() {
    for failure in [RequestFailure::Unknown, RequestFailure::Conflict, RequestFailure::Refused] {
        for unclear in 0..3 {
            let mut bench = Bench::new();
            // The create's answer is lost, so that a read and a renewal follow.
            member_times(&mut bench, 9.0, |_, number| match number {
                0 => Some(LeaseAnswer::Failed(RequestFailure::Unknown)),
                _ => (number == unclear).then_some(LeaseAnswer::Failed(failure)),
            });
            assert_eq!(bench.held().len(), 4, "{failure:?} {unclear}");
        }
    }
}

#[test]
fn paused_replica_deletes_the_lease_it_left() {
    let mut bench = Bench::new();
    let mut left = 0_u32;
    for _ in 0..600 {
        member_times(&mut bench, 1.0, |request, _| {
            let writes = !matches!(request, Request::Find { .. });
            writes.then_some(LeaseAnswer::Failed(RequestFailure::Unknown))
        });
        left += u32::from(!bench.store.view().members.is_empty());
    }
    assert!(left < 60, "{left} of 600");
    assert_eq!(bench.machine.counts.losses, 0);
}

#[test]
fn trouble_is_told_once() {
    let mut bench = Bench::holder();
    let own = bench.store.view().members[0].clone();
    let (name, uid, version) = (own.name.clone(), own.uid.clone(), own.version.clone());
    bench.serve(&Request::Renew { name: name.clone(), uid, version, leaving: true });
    bench.see();
    bench.see();
    assert_eq!(bench.done, [Command::Tell(Trouble::Leaving { name })]);
    bench.done.clear();
    let identity = bench.machine.rules.identity.clone();
    let name: Arc<str> = "g-member-twin".into();
    bench.store.serve(&Request::Join { name: name.clone() }, &identity);
    bench.see();
    bench.see();
    assert_eq!(bench.done, [Command::Tell(Trouble::Twin { name })]);
}

#[test]
fn refused_deletes_of_left_leases_slow_down() {
    let mut bench = Bench::new();
    let (from, mut deletes) = (bench.now, 0);
    for tick in 1..6_000_u32 {
        for _ in 0..10 {
            for (id, subject, request) in std::mem::take(&mut bench.sent) {
                let unsure = subject == Subject::Member && !matches!(request, Request::Find { .. });
                let answer = if matches!(request, Request::Delete { .. }) {
                    deletes += 1;
                    LeaseAnswer::Failed(RequestFailure::Refused)
                } else {
                    let served = bench.serve(&request);
                    if unsure { LeaseAnswer::Failed(RequestFailure::Unknown) } else { served }
                };
                bench.feed(Input::Answered { id, subject, answer });
            }
        }
        bench.see();
        bench.now = from + Duration::from_millis(100) * tick;
        bench.feed(Input::Tick);
    }
    assert!((10..600).contains(&deletes), "{deletes} in ten minutes");
}

/// A proxy's 404 says nothing about the Lease.
#[test]
fn member_is_fenced_until_the_view_lacks_it() {
    let mut bench = Bench::holder();
    let uid = bench.other("a");
    bench.see();
    for second in 1..=7 {
        bench.until(f64::from(second) * 2.0);
        bench.answer_all();
        bench.see();
    }
    bench.until(16.0);
    let is_fence = |sent: &Request| matches!(sent, Request::Delete { .. });
    let fence = bench.sent.iter().position(|sent| is_fence(&sent.2)).unwrap();
    let (id, subject, _) = bench.sent.remove(fence);
    bench.feed(Input::Answered { id, subject, answer: LeaseAnswer::Absent });
    for second in 9..=11 {
        bench.until(f64::from(second) * 2.0);
        bench.answer_all();
        bench.see();
    }
    assert!(bench.store.view().member(&uid).is_none());
    assert_eq!(bench.machine.counts.fenced, 1);
}

/// An admission webhook may cap the duration. Others wait for the stored one.
#[test]
fn shortened_duration_shortens_the_term() {
    let mut bench = Bench::holder();
    bench.store.duration = Duration::from_secs(5);
    bench.until(2.0);
    bench.answer();
    let term = bench.machine.term().unwrap();
    let times = [term.cancel, term.abort, term.expires].map(|at| at - bench.start);
    assert_eq!(times.map(|time| time.as_millis()), [6_500, 6_500, 7_000]);
    assert_eq!(bench.done, [Command::Extend(term)]);
    // The answer comes when others may have fenced the session.
    bench.until(4.0);
    let (id, subject, request) = bench.sent.remove(0);
    let answer = bench.serve(&request);
    bench.store.duration = Duration::ZERO;
    bench.until(6.4);
    bench.feed(Input::Answered { id, subject, answer });
    assert_eq!(bench.machine.term().unwrap().abort, bench.start + Duration::from_millis(8_500));
    bench.answer();
    assert_eq!(bench.done[3], Command::Lose { at_once: true }, "{:?}", bench.done);
    assert!(bench.held().is_empty());
}

/// Others fence a member Lease without a duration at once.
#[test]
fn stored_duration_of_zero_begins_no_session() {
    let mut bench = Bench::new();
    bench.store.duration = Duration::ZERO;
    let times = member_times(&mut bench, 600.0, |_, _| None);
    assert!((10..=150).contains(&times.len()), "{}", times.len());
    assert_eq!((bench.machine.counts.sessions, bench.held()), (0, Vec::new()));
    bench.store.duration = Duration::from_secs(15);
    member_times(&mut bench, 90.0, |_, _| None);
    assert_eq!(bench.held().len(), 4);
}

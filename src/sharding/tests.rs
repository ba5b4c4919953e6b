use std::time::Duration;

use fastrand::Rng;
use proptest::prelude::*;

use super::simulation::{Faults, Report, SECOND, Simulation};

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
    #![proptest_config(crate::seeds::cases(200))]

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

/// A world without faults, in which the test decides what happens.
fn quiet(replicas: usize, slots: usize) -> Simulation {
    let mut simulation = Simulation::new(Faults {
        seed: 7,
        slots,
        rates: vec![1.0; replicas],
        lost: 0,
        slowest: 10,
        trouble: 0,
        suspended: 0,
        drains: 0,
        faulty: 0,
        calm: 0,
    });
    simulation.run_until(20 * SECOND);
    simulation
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

#[test]
fn scratch() {
    let seeds = std::env::var("SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_u64);
    let mut failed = 0;
    for seed in 0..seeds {
        if let Err(e) = check(seed) {
            failed += 1;
            if failed < 4 {
                println!("{}", &e[..e.len().min(300)]);
            }
        }
    }
    println!("failed {failed} of {seeds}");
}

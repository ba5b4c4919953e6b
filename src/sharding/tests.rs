use std::time::Duration;

use fastrand::Rng;
use proptest::prelude::*;

use super::simulation::{Faults, Report, Simulation};

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
        drains: [0, 5, 60][rng.usize(0..3)],
        faulty: 90,
        calm: 110,
    }
}

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
    if report.last_change > Duration::from_secs(90 + 75) {
        return Err(format!("seed {seed} does not settle: {report:?}"));
    }
    Ok(report)
}

#[test]
fn seeds() {
    let seeds = std::env::var("SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_u64);
    let mut failed = 0;
    let mut sums = [0u64; 4];
    for seed in 0..seeds {
        match check(seed) {
            Ok(r) => {
                sums[0] += r.begins as u64;
                sums[1] += r.losses;
                sums[2] += r.fenced;
                sums[3] += r.requests;
            }
            Err(e) => {
                failed += 1;
                if failed < 8 {
                    println!("{e}");
                }
            }
        }
    }
    println!("{sums:?}");
    assert_eq!(failed, 0);
}

//! All targets in one program, so that it is built once: `FUZZ_TARGET` names the one to fuzz.

#![no_main]

mod reviews;

use std::sync::LazyLock;

use kube_informer_fuzz::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let mut targets = TARGETS.to_vec();
    targets.push(("reviews", reviews::reviews));
    let found = targets.iter().find(|(target, _)| *target == name);
    found.map_or_else(
        || {
            let names: Vec<_> = targets.iter().map(|(target, _)| *target).collect();
            panic!("FUZZ_TARGET={name:?} is none of: {}", names.join(", "))
        },
        |(_, target)| *target,
    )
});

fuzz_target!(|data: &[u8]| TARGET(data));

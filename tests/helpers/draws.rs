//! The number of random worlds that a test plays.

/// Returns the number of seeds to play. `KUBE_INFORMER_SEEDS=n` plays n times the usual number.
pub(crate) fn seeds(usual: u64) -> u64 {
    let times = std::env::var("KUBE_INFORMER_SEEDS");
    usual * times.map_or(1, |times| times.parse().expect("KUBE_INFORMER_SEEDS is a number"))
}

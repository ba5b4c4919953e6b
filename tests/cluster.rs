//! The same scenarios against every API server there is: the embedded one, a real one for custom
//! resources (`tests/apiserver`, where `.ci/go-programs` has built it), a real control plane (where
//! its binaries are) and the cluster of the kubeconfig that `KUBE_INFORMER_E2E` names.
//!
//! `crates/kube-controllers` has a program of this name for scenarios with controllers.
//!
//! It has a `main` of its own so that what is skipped is always told. `cargo test --test cluster`
//! takes the usual filters; `KUBE_INFORMER_GO=0` leaves out what needs Go.

mod cluster {
    mod alike;
    mod arguments;
    mod backend;
    mod clients;
    mod go;
    mod harness;
    mod line;
    mod living;
    mod rig;
    mod scenarios;
    mod widgets;

    use harness::Trial;
    pub(crate) use harness::main;
    use living::limit as trial_limit;
    use scenarios::{FORGETTING, SCENARIOS};

    /// Returns the trials that each run on a separate server.
    fn trials() -> impl Iterator<Item = &'static (&'static str, Trial)> {
        clients::TRIALS.iter().chain(alike::TRIALS).chain(living::TRIALS)
    }
}

fn main() -> std::process::ExitCode {
    cluster::main()
}

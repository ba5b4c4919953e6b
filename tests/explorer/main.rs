//! Scenarios and explorations: miniatures of published bugs, a controller of kube-runtime, and
//! examples.

#![cfg(feature = "testing")]

mod bugs;
mod default_deny;
mod runtime;
mod sample_controller;
mod scenarios;

//! Fakes and fault injection for tests and examples that have no cluster.
//!
//! - [`FakeSource`] implements [`ListerWatcher`](crate::lister_watcher::ListerWatcher) in memory,
//!   with faults on command. Use it to test one informer without HTTP.
//! - [`ApiServer`] is an API server in memory that answers an ordinary `kube::Client`. Use it to
//!   test a controller.
//! - [`now`] is the time by tokio's clock, for code that compares an object's times with it.
//! - [`Faults`] injects failures between a client and any server.
//!
//! All but `FakeSource` come from the crate [`kube_embedded_apiserver`], which also serves programs
//! that have no informers. It has features of its own: `cel` for rules of custom types, `tls` for
//! TLS, HTTP/2 and a real control plane. The crate `kube-scenario` tests whole programs against it.
//! The stages of an informer never use this module.

mod fake_source;

pub use fake_source::{FakeSource, SourceRequest, WatchEnd};
#[doc(no_inline)]
pub use kube_decode::encode_protobuf;
#[doc(hidden)]
pub use kube_embedded_apiserver::seed_by_test;
#[doc(no_inline)]
pub use kube_embedded_apiserver::{
    ApiServer, BodyPosition, Faults, Injection, Requests, api_server, faults,
};

/// Returns the present time by tokio's clock, as the [`ApiServer`] writes it into objects.
///
/// It begins at the system's time. In a test with a paused clock, it moves only with tokio's
/// timers: after a `sleep` of an hour it is exactly an hour later. Code that needs the present time
/// takes a function: the program passes the system's clock, and a test this one:
///
/// ```
/// use k8s_openapi::api::batch::v1::CronJob;
/// use k8s_openapi::jiff::{SignedDuration, Timestamp};
///
/// fn age(job: &CronJob, now: fn() -> Timestamp) -> Option<SignedDuration> {
///     Some(now().duration_since(job.metadata.creation_timestamp.as_ref()?.0))
/// }
///
/// let job = CronJob::default();
/// let in_the_program = age(&job, Timestamp::now);
/// let in_a_test = age(&job, kube_informer::testing::now);
/// # assert_eq!(in_the_program, in_a_test);
/// ```
pub fn now() -> k8s_openapi::jiff::Timestamp {
    kube_embedded_apiserver::now()
}

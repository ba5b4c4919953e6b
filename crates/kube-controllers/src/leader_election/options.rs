//! Options of a leader elector.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Client;
use tokio::runtime::Handle;

use super::machine::{JITTER, Rules};
use super::record::Marks;
use super::{Ending, LeaderElector};
use crate::lease::{GRACE, InvalidOptions, LONGEST_GRACE, Times, default_identity};
use kube_informer::object::{InvalidName, NameRule};

/// Options of a [`LeaderElector`].
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use kube_controllers::LeaderElector;
/// use kube_controllers::leader_election::{InvalidOptions, LeaderElectorBuilder};
///
/// /// Replicas that may be replaced slowly, and send fewer requests in return.
/// fn patient(client: kube::Client) -> LeaderElectorBuilder {
///     LeaderElector::builder(client, "shop", "my-controller")
///         .lease_duration(Duration::from_secs(60))
///         .renew_deadline(Duration::from_secs(40))
///         .retry_period(Duration::from_secs(10))
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let client = kube_informer::testing::ApiServer::new().client();
/// patient(client.clone()).build()?;
/// let refused = patient(client).renew_deadline(Duration::from_secs(60)).build().unwrap_err();
/// assert!(refused.to_string().contains("must be longer than the renew deadline"));
/// # Ok::<(), InvalidOptions>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone)]
#[must_use]
#[non_exhaustive]
pub struct LeaderElectorBuilder {
    client: Client,
    namespace: Arc<str>,
    name: Arc<str>,
    identity: Option<String>,
    times: Times,
    ending: Ending,
    marks: Marks,
    renews_on: Option<Handle>,
}

impl LeaderElectorBuilder {
    pub(super) fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self {
            client,
            namespace: namespace.into(),
            name: name.into(),
            identity: None,
            times: Times::default(),
            ending: Ending { release_on_stop: true, grace: GRACE, abandons_blocked: false },
            marks: Marks::default(),
            renews_on: None,
        }
    }

    /// Sets the identity of this candidate. The default is the host's name with a random suffix.
    ///
    /// The identity must be unique among the running candidates. Two of the same identity do not
    /// lead at once, but readers of the Lease cannot tell which one leads: see
    /// [Two processes of one identity](super#two-processes-of-one-identity). A candidate that
    /// restarts after a crash waits until its old lease expires, also under its old identity.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Sets how long other candidates leave the lease alone after they saw it change. The default
    /// is 15 s. The Lease stores whole seconds, rounded up.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.times.duration = duration;
        self
    }

    /// Sets how long a leader continues without a successful renewal before it stops its work. The
    /// default is 10 s.
    ///
    /// The deadline is never later than nine tenths of the lease duration. The work has to end
    /// between the deadline and that time.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.times.renew_deadline = deadline;
        self
    }

    /// Sets the time between two attempts. The default is 2 s. Candidates lengthen it at random by
    /// up to 120 %.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.times.retry_period = period;
        self
    }

    /// Adds a label to the Lease. The default is none.
    ///
    /// Each write sets the labels and the [owner](Self::owner), also on a Lease that is there.
    /// Others that the Lease has stay.
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.marks.labels.insert(name.into(), value.into());
        self
    }

    /// Sets an owner of the Lease, so that it is collected with that object. The default is none.
    ///
    /// The owner must be in the Lease's namespace, or cluster-scoped. Do not set
    /// `blockOwnerDeletion`, which needs a permission of its own.
    ///
    /// ```
    /// use k8s_openapi::api::apps::v1::Deployment;
    /// use kube::Resource;
    /// use kube_controllers::leader_election::LeaderElectorBuilder;
    ///
    /// fn of_deployment(elector: LeaderElectorBuilder, own: &Deployment) -> LeaderElectorBuilder {
    ///     let elector = elector.label("app.kubernetes.io/name", "my-controller");
    ///     own.owner_ref(&()).into_iter().fold(elector, LeaderElectorBuilder::owner)
    /// }
    /// ```
    pub fn owner(mut self, owner: OwnerReference) -> Self {
        self.marks.owner = Some(owner);
        self
    }

    /// Sets whether the lease is released when the work is over, so that a successor does not wait
    /// until it expires. The default is true.
    pub fn release_on_stop(mut self, release: bool) -> Self {
        self.ending.release_on_stop = release;
        self
    }

    /// Sets how long the work may take to end after a stop before it is dropped. The default of
    /// 25 s is a little less than a pod's grace period; the longest is a year. The elector renews
    /// the lease meanwhile.
    pub fn grace(mut self, timeout: Duration) -> Self {
        self.ending.grace = timeout.min(LONGEST_GRACE);
        self
    }

    /// Sets whether `run` returns an error while work that exceeded the grace still blocks a
    /// thread. The default is false: `run` renews the lease until that work has ended.
    ///
    /// With `true` the lease expires while the work goes on. Exit the process when `run` returns.
    /// It is not enough to return from `main`: the runtime waits there for closures of
    /// `spawn_blocking`.
    pub fn abandon_blocked_work(mut self, abandon: bool) -> Self {
        self.ending.abandons_blocked = abandon;
        self
    }

    /// Sets the runtime that sends the elector's requests. The default is the one on which the
    /// elector runs, where the work runs, too.
    ///
    /// A lease is renewed only while that runtime's timers run. Code of the work that blocks all
    /// worker threads at once stops them, and in a quiet runtime so can code that blocks the one
    /// thread that waits for the timers: another candidate then leads beside it. With a limit of
    /// one CPU, tokio's runtime has one worker thread. With a runtime of their own, renewals go on
    /// whatever the work does. The elector's client must have been created on that
    /// runtime, because its connections live there:
    ///
    /// ```no_run
    /// use kube_controllers::LeaderElector;
    /// use kube_controllers::controller::BoxError;
    ///
    /// fn main() -> Result<(), BoxError> {
    ///     let runtime = || tokio::runtime::Builder::new_multi_thread();
    ///     let renewals = runtime().worker_threads(1).enable_all().build()?;
    ///     let work = runtime().enable_all().build()?;
    ///     let client = renewals.block_on(kube::Client::try_default())?;
    ///     let elector = LeaderElector::builder(client, "shop", "my-controller");
    ///     let mut elector = elector.renew_on(renewals.handle().clone()).build()?;
    ///     work.block_on(async {
    ///         let stop = tokio_util::sync::CancellationToken::new();
    ///         elector.run(stop, |leading| async move { leading.cancelled().await }).await
    ///     })?;
    ///     Ok(())
    /// }
    /// ```
    pub fn renew_on(mut self, runtime: Handle) -> Self {
        self.renews_on = Some(runtime);
        self
    }

    /// Builds the elector, which sends no request before it runs.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`] if the Lease's namespace is no RFC 1123 label or its name no RFC
    /// 1123 subdomain, if the identity is empty, or if a server refuses such labels or such an
    /// owner. The options must not contradict one another by client-go's rules. The lease duration
    /// must be longer than the renew deadline, which must be longer than 1.2 retry periods. The
    /// retry period must be at least a millisecond.
    pub fn build(self) -> Result<LeaderElector, InvalidOptions> {
        let refuse = |invalid: InvalidName| {
            InvalidOptions(format!("{invalid}; set it in LeaderElector::builder"))
        };
        NameRule::Label.check("namespace of the lease", &self.namespace).map_err(refuse)?;
        NameRule::Subdomain.check("name of the lease", &self.name).map_err(refuse)?;
        let identity = self.identity.unwrap_or_else(default_identity);
        if identity.is_empty() {
            return Err(InvalidOptions(InvalidOptions::NO_IDENTITY.to_owned()));
        }
        if let Some(problem) = self.marks.problem() {
            return Err(InvalidOptions(format!("{problem}; set it in LeaderElectorBuilder")));
        }
        self.times.check(JITTER)?;
        let rules = Rules {
            name: self.name,
            identity: identity.into(),
            times: self.times,
            marks: self.marks,
        };
        let mut elector = LeaderElector::new(self.client, &self.namespace, rules, self.ending);
        elector.renews_on = self.renews_on;
        Ok(elector)
    }
}

impl fmt::Debug for LeaderElectorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderElectorBuilder")
            .field("namespace", &self.namespace)
            .field("name", &self.name)
            .field("identity", &self.identity)
            .field("times", &self.times)
            .field("release_on_stop", &self.ending.release_on_stop)
            .field("grace", &self.ending.grace)
            .field("abandons_blocked", &self.ending.abandons_blocked)
            .field("renews_on", &self.renews_on.is_some())
            .finish_non_exhaustive()
    }
}

//! The builder of scenarios.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube_embedded_apiserver::ApiServer;

use kube_controllers::Manager;
use kube_informer::error::BoxError;

use crate::program::Program;
use crate::schedule::Schedule;
use crate::world::World;

/// The time without a write after which a program has settled.
const QUIET: Duration = Duration::from_secs(60);

/// The time in which it has to settle.
const LIMIT: Duration = Duration::from_secs(3_600);

/// Calls the program again at each start.
pub(crate) type Run = dyn Fn(Program) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync;

/// A rule of [`Scenario::never`].
pub(crate) struct Rule {
    pub(crate) text: String,
    pub(crate) broken: Box<dyn Fn(&World) -> bool + Send + Sync>,
}

/// A program under test, its server, and the rules of every run. Clones are cheap.
#[derive(Clone)]
#[must_use = "a scenario does nothing before it starts"]
pub struct Scenario {
    pub(crate) run: Arc<Run>,
    pub(crate) server: Arc<dyn Fn() -> ApiServer + Send + Sync>,
    pub(crate) rules: Vec<Arc<Rule>>,
    pub(crate) quiet: Duration,
    pub(crate) limit: Duration,
    pub(crate) takeovers: bool,
    pub(crate) webhooks: bool,
    pub(crate) pairs: usize,
    pub(crate) independent: bool,
}

impl Scenario {
    /// Creates a scenario of a program. Each start calls `run`, with a client of its own.
    ///
    /// The program may use any client library. It must not keep state between two starts, because a
    /// process that starts again has none.
    pub fn new<F, Fut>(run: F) -> Self
    where
        F: Fn(Program) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        let server = || ApiServer::builder().garbage_collection(true).build();
        Self {
            run: Arc::new(move |program| run(program).boxed()),
            server: Arc::new(server),
            rules: Vec::new(),
            quiet: QUIET,
            limit: LIMIT,
            takeovers: true,
            webhooks: false,
            pairs: 0,
            independent: false,
        }
    }

    /// Creates a scenario of a manager. Each start calls `build`, with a client of its own. It
    /// returns a manager, or its builder.
    ///
    /// A manager that needs requests before it can be built is a [program](Self::new) that ends
    /// with [`Program::run_manager`].
    ///
    /// ```no_run
    /// use kube::Client;
    /// use kube_informer::error::BoxError;
    /// use kube_scenario::Scenario;
    /// use kube_informer::SharedInformerFactory;
    /// use kube_controllers::Manager;
    /// use kube_controllers::manager::ManagerBuilder;
    ///
    /// fn manager(client: Client) -> Result<ManagerBuilder, BoxError> {
    ///     let factory = SharedInformerFactory::builder(client).build();
    ///     // Controllers are added here.
    ///     Ok(Manager::builder(&factory))
    /// }
    ///
    /// # async fn f() -> Result<(), BoxError> {
    /// let world = Scenario::of_manager(manager).start();
    /// world.settle().await?;
    /// # Ok(()) }
    /// ```
    pub fn of_manager<F, M, E>(build: F) -> Self
    where
        F: Fn(kube::Client) -> Result<M, E> + Send + Sync + 'static,
        M: TryInto<Manager, Error: Into<BoxError>> + Send + 'static,
        E: Into<BoxError> + Send + 'static,
    {
        Self::new(move |program| {
            let manager = build(program.client());
            async move { program.run_manager(manager.map_err(E::into)?).await }
        })
    }

    /// Sets the server of each run. By default it is an embedded one that collects garbage.
    ///
    /// ```
    /// use kube_informer::testing::ApiServer;
    /// use kube_scenario::Scenario;
    ///
    /// # fn f(scenario: Scenario) {
    /// let strict = scenario.server(|| ApiServer::builder().strict().build());
    /// # drop(strict); }
    /// ```
    pub fn server(mut self, build: impl Fn() -> ApiServer + Send + Sync + 'static) -> Self {
        self.server = Arc::new(build);
        self
    }

    /// Sets the time without a write after which the program has settled. The default is a minute,
    /// so that most retries and elections are over; at least a second. It must be less than the
    /// time of [`settles_within`](Self::settles_within).
    pub fn quiet_for(mut self, time: Duration) -> Self {
        self.quiet = time.max(Duration::from_secs(1));
        self
    }

    /// Sets the time in which the program has to settle. The default is an hour.
    pub fn settles_within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Adds a rule that no state may break. It is checked after each write of the program, and when
    /// a world settles.
    ///
    /// `broken` must not wait. It reads the world through [`World::list`], [`World::get`],
    /// [`World::writes`] and [`World::just_written`]. A rule that panics is broken.
    pub fn never(
        mut self,
        rule: impl Into<String>,
        broken: impl Fn(&World) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.rules.push(Arc::new(Rule { text: rule.into(), broken: Box::new(broken) }));
        self
    }

    /// Sets whether an [exploration](Self::explore) tries takeovers. The default is true.
    ///
    /// Set it to false for a program that never has two processes, such as a `StatefulSet` of one
    /// pod.
    pub fn takeovers(mut self, tried: bool) -> Self {
        self.takeovers = tried;
        self
    }

    /// Sets whether an [exploration](Self::explore) tries webhooks of the cluster that refuse a write
    /// once, are down, or answer late. The default is false.
    ///
    /// Set it to true for a program that runs where others install webhooks or policies, such as
    /// Kyverno's, for the kinds that it writes, and for one that has webhooks of its own.
    ///
    /// ```no_run
    /// use kube_informer::error::BoxError;
    /// use kube_scenario::{Scenario, World};
    ///
    /// async fn script(world: World) -> Result<(), BoxError> {
    ///     // Acts, and settles.
    ///     Ok(())
    /// }
    ///
    /// # fn f(scenario: Scenario) {
    /// scenario.webhooks(true).explore(script).assert_passed();
    /// # }
    /// ```
    pub fn webhooks(mut self, tried: bool) -> Self {
        self.webhooks = tried;
        self
    }

    /// Sets the number of pairs of disturbances that an [exploration](Self::explore) draws and
    /// tries after the single ones. The default is 0.
    ///
    /// The first of a pair is a disturbance that the program passes. The second is at a write or
    /// event that comes after the first in that run. All pairs are equally likely, and the seed is
    /// fixed. The report says how many there are.
    ///
    /// ```no_run
    /// use kube_informer::error::BoxError;
    /// use kube_scenario::{Scenario, World};
    ///
    /// async fn script(world: World) -> Result<(), BoxError> {
    ///     // Acts, and settles.
    ///     Ok(())
    /// }
    ///
    /// # fn f(scenario: Scenario) {
    /// scenario.pairs(500).explore(script).assert_passed();
    /// # }
    /// ```
    pub fn pairs(mut self, budget: usize) -> Self {
        self.pairs = budget;
        self
    }

    /// Promises that reconciles of different keys share no state, and treat objects alike that
    /// differ only in their names. An [exploration](Self::explore) then tries each position of like
    /// keys once.
    ///
    /// Two keys are alike if their reconciles sent the same requests and received the same events
    /// in the undisturbed run, in the same acts of the script. Contents must be equal, too, apart
    /// from the name and namespace of the key, and from what an exploration never compares.
    ///
    /// Keys whose reconciles read or write one object by a request count as one key. A read of a
    /// whole collection is one of all its objects. Reads from caches and memory are not recorded;
    /// for them the promise holds. Requests outside of a reconcile of [`Controller`] belong to no
    /// key, so a controller of another crate gains nothing.
    ///
    /// Of [pairs](Self::pairs), those at two keys with disjoint objects are left out.
    /// [`Exploration::represented`](crate::Exploration::represented) names the positions that were
    /// not tried.
    ///
    /// [`Controller`]: kube_controllers::Controller
    ///
    /// ```no_run
    /// use kube_informer::error::BoxError;
    /// use kube_scenario::{Scenario, World};
    ///
    /// async fn script(world: World) -> Result<(), BoxError> {
    ///     // Creates a hundred objects, and settles.
    ///     Ok(())
    /// }
    ///
    /// # fn f(scenario: Scenario) {
    /// scenario.independent_keys().explore(script).assert_passed();
    /// # }
    /// ```
    pub fn independent_keys(mut self) -> Self {
        self.independent = true;
        self
    }

    /// Builds a world and starts the program in it.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    #[must_use]
    pub fn start(&self) -> World {
        let world = World::new(self, None, None);
        world.start();
        world
    }

    /// Builds a world of an exploration, in which nothing runs yet.
    pub(crate) fn world(&self, schedule: Option<Schedule>, holds_long: bool) -> World {
        World::new(self, schedule, Some(holds_long))
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<_> = self.rules.iter().map(|rule| &rule.text).collect();
        f.debug_struct("Scenario").field("never", &rules).finish_non_exhaustive()
    }
}

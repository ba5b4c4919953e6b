//! Demands for a proof, as a takeover makes them, of a server that refuses the question.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use tokio::sync::Semaphore;

use super::*;
use crate::reflector::prover::ProverEvent;
use crate::time::ReadBarrier;

/// A source that refuses lists of one item if it has a fault, until `healed` is set, and others if
/// `refuses_all` is set. If `hangs` is set, the next list of one item gets no answer.
struct Refusing {
    source: Arc<FakeSource<ConfigMap>>,
    hangs: AtomicBool,
    refuses_all: AtomicBool,
    healed: AtomicBool,
    fault: Option<fn() -> Fault>,
}

impl ListerWatcher<ConfigMap> for Refusing {
    fn collection(&self) -> &Collection {
        self.source.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let list = self.source.list(query, hints);
        if query.limit == Some(1) && self.hangs.swap(false, Ordering::Relaxed) {
            return Box::pin(std::future::pending());
        }
        if let Some(fault) = self.fault
            && !self.healed.load(Ordering::Relaxed)
            && (query.limit == Some(1) || self.refuses_all.load(Ordering::Relaxed))
        {
            let request = self.collection().request_name(Verb::List);
            let error = SourceError::new(request, fault());
            return Box::pin(async { Err(error) });
        }
        list
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        self.source.watch(query, hints)
    }
}

struct Demanding {
    refusing: Arc<Refusing>,
    sink: Sink,
    monitor: ReflectorMonitor,
    task: JoinHandle<()>,
}

impl Drop for Demanding {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Demanding {
    /// Runs a reflector whose questions get this fault.
    fn start(fault: fn() -> Fault) -> Self {
        Self::with(Some(fault), ReflectorOptions::new())
    }

    fn with(fault: Option<fn() -> Fault>, options: ReflectorOptions<ConfigMap>) -> Self {
        let source = Arc::new(source(&["a", "b"]));
        let refusing = Refusing {
            source,
            hangs: false.into(),
            refuses_all: false.into(),
            healed: false.into(),
            fault,
        };
        let refusing = Arc::new(refusing);
        let reflector = Reflector::new(refusing.clone(), options.seed(1));
        let (sink, monitor) = (Sink::default(), reflector.monitor());
        let task = tokio::spawn(reflector.run(sink.clone()));
        Self { refusing, sink, monitor, task }
    }

    /// Demands a proof, and waits for it. Returns whether it came in time.
    async fn is_proved(&self, limit: f64) -> bool {
        let proved = self.monitor.proved_since(ReadBarrier::now());
        tokio::time::timeout(Duration::from_secs_f64(limit), proved).await.is_ok()
    }

    /// Returns the numbers of questions and of lists so far.
    fn asked(&self) -> (usize, usize) {
        let requests = self.refusing.source.requests();
        let lists = requests.iter().filter_map(|request| match request {
            SourceRequest::List(query) => Some(query.limit),
            SourceRequest::Watch(_) => None,
        });
        let (questions, lists): (Vec<_>, Vec<_>) = lists.partition(|limit| *limit == Some(1));
        (questions.len(), lists.len())
    }
}

#[tokio::test(start_paused = true)]
async fn refused_question_leads_to_a_list() {
    let faults: [fn() -> Fault; 3] =
        [|| fault(400, "BadRequest"), || fault(500, "InternalError"), || Fault::NoVersion];
    for refused in faults {
        let demanding = Demanding::start(refused);
        seconds(10.0).await;
        // Each demand in turn is met in seconds.
        for nth in 1..4 {
            demanding.refusing.source.put(object("b"));
            assert!(demanding.is_proved(3.0).await, "{nth}: {:?}", demanding.monitor.status());
            assert_eq!(demanding.asked().1, 1 + nth);
            seconds(600.0).await;
        }
        assert_eq!(demanding.monitor.status().relists.of(RelistCause::Unproven), 3);
    }
}

/// A server that does not answer, or has too many requests, is asked again.
#[tokio::test(start_paused = true)]
async fn unanswered_question_leads_to_no_list() {
    for unanswered in [refused, || fault(429, "TooManyRequests")] {
        let demanding = Demanding::start(unanswered);
        seconds(10.0).await;
        assert!(!demanding.is_proved(600.0).await);
        let (questions, lists) = demanding.asked();
        assert_eq!(lists, 1);
        assert!((30..60).contains(&questions), "{questions} questions");
    }
}

fn throttled(seconds: u64) -> Fault {
    let mut throttled = status(429, "TooManyRequests");
    throttled.retry_after = Some(Duration::from_secs(seconds));
    Fault::Status(throttled)
}

#[tokio::test(start_paused = true)]
async fn long_retry_after_blocks_proofs_for_minutes() {
    let demanding = Demanding::start(|| throttled(86_400));
    seconds(10.0).await;
    for minutes in [9.9, 0.2, 9.8] {
        assert!(!demanding.is_proved(60.0 * minutes).await);
    }
    assert_eq!(demanding.asked(), (2, 1));
    demanding.refusing.healed.store(true, Ordering::Relaxed);
    assert!(demanding.is_proved(30.0).await, "{:?}", demanding.monitor.status());
}

#[tokio::test(start_paused = true)]
async fn question_of_the_limit_waits_as_long_as_it_is_asked() {
    let options = || ReflectorOptions::new().freshness_limit(Duration::from_secs(60));
    for (retry_after, questions) in [(0, 6), (55, 2), (120, 1)] {
        let fault: fn() -> Fault = match retry_after {
            0 => || throttled(0),
            55 => || throttled(55),
            _ => || throttled(120),
        };
        let demanding = Demanding::with(Some(fault), options());
        // The first question is asked after half of the limit.
        seconds(110.0).await;
        assert_eq!(demanding.asked(), (questions, 1), "{retry_after} s");
    }
}

#[tokio::test(start_paused = true)]
async fn hanging_question_is_asked_again_soon() {
    let demanding = Demanding::start(|| fault(400, "BadRequest"));
    seconds(10.0).await;
    demanding.refusing.hangs.store(true, Ordering::Relaxed);
    assert!(demanding.is_proved(30.0).await);
    assert_eq!(demanding.asked().0, 3);
}

#[tokio::test(start_paused = true)]
async fn lists_for_a_demand_are_rare_and_spare_the_watch() {
    let demanding = Demanding::start(|| fault(403, "Forbidden"));
    seconds(10.0).await;
    demanding.refusing.refuses_all.store(true, Ordering::Relaxed);
    assert!(!demanding.is_proved(3600.0).await);
    let (_, lists) = demanding.asked();
    assert!((10..40).contains(&lists), "{lists} lists in an hour");
    demanding.refusing.source.put(object("c"));
    seconds(60.0).await;
    assert_eq!(demanding.sink.0.lock().1.len(), 3, "the watch goes on");
    demanding.refusing.refuses_all.store(false, Ordering::Relaxed);
    assert!(demanding.is_proved(180.0).await, "{:?}", demanding.monitor.status());
}

/// Another list has the only permit.
#[tokio::test(start_paused = true)]
async fn watch_goes_on_until_demanded_list_has_its_permit() {
    for fault in [None, Some((|| fault(400, "BadRequest")) as fn() -> Fault)] {
        let permits = Arc::new(Semaphore::new(1));
        let options = ReflectorOptions::new().list_permits(permits.clone());
        let demanding = Demanding::with(fault, options);
        seconds(10.0).await;
        let other = permits.clone().try_acquire_owned().unwrap();
        let monitor = demanding.monitor.clone();
        let listed = tokio::spawn(async move { monitor.listed_since(ReadBarrier::now()).await });
        seconds(60.0).await;
        demanding.refusing.source.put(object("c"));
        settle().await;
        assert_eq!(demanding.sink.folded().len(), 3);
        assert_eq!(demanding.monitor.status().state, ReflectorState::Watching);
        assert_eq!(demanding.asked().1, 1);
        drop(other);
        seconds(2.0).await;
        assert!(listed.is_finished());
        assert_eq!((demanding.asked().1, permits.available_permits()), (2, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn watch_goes_on_until_rate_limit_admits_demanded_list() {
    let demanding = Demanding::with(None, ReflectorOptions::new());
    seconds(10.0).await;
    for _ in 0..12 {
        assert!(demanding.is_proved(5.0).await);
    }
    let monitor = demanding.monitor.clone();
    let listed = tokio::spawn(async move { monitor.listed_since(ReadBarrier::now()).await });
    for _ in 0..30 {
        if demanding.asked().1 == 1 {
            assert_eq!(demanding.refusing.source.open_watches(), 1);
        }
        seconds(0.1).await;
    }
    assert!(listed.is_finished() && demanding.asked().1 == 2);
}

/// The watch reaches the quorum's version only later.
#[tokio::test(start_paused = true)]
async fn proof_by_the_watch_ends_the_wait_for_a_permit() {
    for abandoned in [false, true] {
        let fake = Arc::new(source(&["a"]));
        let late = ScriptedSource::with_watch(&fake, |watch| {
            watch.then(|item| async { (seconds(100.0).await, item).1 }).boxed()
        });
        let permits = Arc::new(Semaphore::new(1));
        let options = ReflectorOptions::new().list_permits(permits.clone()).seed(1);
        let reflector = Reflector::new(late, options);
        let (sink, monitor) = (Sink::default(), reflector.monitor());
        let task = tokio::spawn(reflector.run(sink.clone()));
        seconds(10.0).await;
        let other = permits.clone().try_acquire_owned().unwrap();
        fake.put(object("b"));
        let proved = tokio::spawn(async move { monitor.proved_since(ReadBarrier::now()).await });
        seconds(50.0).await;
        assert!(!proved.is_finished());
        if abandoned {
            proved.abort();
        } else {
            seconds(51.0).await;
            assert!(proved.is_finished());
        }
        drop(other);
        seconds(100.0).await;
        assert_eq!(requests_of(&fake), ["list \"\"", "watch 1", "list \"\""], "one question");
        assert_eq!((sink.folded().len(), permits.available_permits()), (2, 1));
        task.abort();
    }
}

/// The watch has reached the quorum's version, but maybe in a history that was lost.
#[tokio::test(start_paused = true)]
async fn demanded_list_is_made_although_watch_is_current() {
    let source = Arc::new(source(&["a", "b"]));
    let reflector = Reflector::new(source.clone(), ReflectorOptions::new().seed(1));
    let monitor = reflector.monitor();
    let task = tokio::spawn(reflector.run(Sink::default()));
    let lists = || {
        let is_list = |request: &SourceRequest| match request {
            SourceRequest::List(query) => query.limit != Some(1),
            SourceRequest::Watch(_) => false,
        };
        source.requests().iter().filter(|request| is_list(request)).count()
    };
    seconds(10.0).await;
    monitor.proved_since(ReadBarrier::now()).await;
    assert_eq!(lists(), 1, "the question is enough");
    let listed = monitor.listed_since(ReadBarrier::now());
    tokio::time::timeout(Duration::from_secs(5), listed).await.unwrap();
    assert_eq!(lists(), 2);
    // A proof that nobody wants any more costs nothing.
    seconds(600.0).await;
    assert_eq!(lists(), 2);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn demand_does_not_wait_for_the_question_of_the_limit() {
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(600));
    let demanding = Demanding::with(None, options);
    seconds(290.0).await;
    demanding.refusing.hangs.store(true, Ordering::Relaxed);
    seconds(15.0).await;
    assert_eq!(demanding.asked().0, 1, "the question of the limit hangs");
    assert!(demanding.is_proved(1.0).await);
    seconds(10.0).await;
    assert_eq!(demanding.asked(), (2, 1));
    assert!(demanding.monitor.status().freshness < Some(Duration::from_secs(12)));
}

#[tokio::test(start_paused = true)]
async fn met_demand_is_a_proof_for_all() {
    let demanding = Demanding::with(None, ReflectorOptions::new());
    seconds(100.0).await;
    assert!(demanding.is_proved(1.0).await);
    assert!(demanding.monitor.status().freshness < Some(Duration::from_secs(1)));
}

/// The watch is deaf, and no waiter waits until that shows.
#[tokio::test(start_paused = true)]
async fn abandoned_demands_put_off_no_list_for_the_limit() {
    let fake = Arc::new(source(&["a"]));
    let silent = ScriptedSource::new(&fake, |_| {});
    silent.silence(true);
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60)).seed(1);
    let reflector = Reflector::new(silent.clone(), options);
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(10.0).await;
    fake.put(object("b"));
    for _ in 0..13 {
        seconds(4.0).await;
        let proved = monitor.proved_since(ReadBarrier::now());
        if tokio::time::timeout(Duration::from_secs(1), proved).await.is_ok() {
            break;
        }
    }
    assert_eq!(sink.0.lock().1.len(), 2, "{:?}", monitor.status());
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn next_demand_does_not_wait_for_the_list_of_the_last() {
    let reflector = Reflector::new(Arc::new(source(&["a"])), ReflectorOptions::<ConfigMap>::new());
    let (monitor, mut prover) = (reflector.monitor(), reflector.driver.prover);
    let demand = || {
        let monitor = monitor.clone();
        tokio::spawn(async move { monitor.proved_since(ReadBarrier::now()).await })
    };
    let first = demand();
    assert!(matches!(prover.next().await, ProverEvent::Due));
    prover.ask(Some(1.into()));
    let ProverEvent::Answered(version, question) = prover.next().await else { panic!("no answer") };
    assert!(prover.await_version(version.clone(), question, false));
    prover.put_off_list(Instant::now() + Duration::from_secs(60));
    assert!(prover.has_reached(Some(&version)));
    prover.prove();
    first.await.unwrap();
    let second = demand();
    settle().await;
    assert!(matches!(prover.next().now_or_never(), Some(ProverEvent::Due)));
    second.abort();
}

#[tokio::test(start_paused = true)]
async fn old_question_forgets_no_named_version() {
    let too_old = Fault::Status(ApiStatus::new(410, "Expired", "too old resource version: 5 (7)"));
    let too_old = SourceError::new(source(&[]).collection().request_name(Verb::Watch), too_old);
    let rig = Reflector::new(Arc::new(source(&[])), ReflectorOptions::<ConfigMap>::new());
    let mut machine = rig.machine;
    machine.note_version(Some(5.into()), Instant::now());
    let begun = ReadBarrier::now();
    machine.note_refusal(&too_old);
    machine.note_quorum(&5.into(), begun);
    assert!(!machine.is_current(), "the question began before the 410 named 7");
    machine.note_quorum(&5.into(), ReadBarrier::now());
    assert!(machine.is_current(), "history was lost");
}

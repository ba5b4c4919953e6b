//! Demands for a proof, as a takeover makes them, of a server that refuses the question.

use std::sync::atomic::{AtomicBool, Ordering};

use kube_informer::informer::ReadBarrier;
use kube_informer::{InformerOptions, SharedInformer};

use super::*;

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
    informer: SharedInformer<ConfigMap>,
}

impl Demanding {
    /// Runs an informer whose questions get this fault.
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
        let options = InformerOptions::new().reflector(options.seed(1));
        let informer = SharedInformer::new(refusing.clone(), options);
        informer.start().unwrap();
        Self { refusing, informer }
    }

    fn status(&self) -> ReflectorStatus {
        self.informer.status().reflector
    }

    /// Demands a proof, and waits for it. Returns whether it came in time.
    async fn is_proved(&self, limit: f64) -> bool {
        self.informer.reach(ReadBarrier::now(), Duration::from_secs_f64(limit)).await.is_ok()
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
    let faults: [fn() -> Fault; 4] = [
        || fault(400, "BadRequest"),
        || fault(500, "InternalError"),
        || Fault::NoVersion,
        || Fault::Interrupted { received: 50, source: "connection reset".into() },
    ];
    for refused in faults {
        let demanding = Demanding::start(refused);
        seconds(10.0).await;
        // Each demand in turn is met in seconds.
        for nth in 1..4 {
            demanding.refusing.source.put(object("b"));
            assert!(demanding.is_proved(3.0).await, "{nth}: {:?}", demanding.status());
            assert_eq!(demanding.asked().1, 1 + nth);
            seconds(600.0).await;
        }
        assert_eq!(demanding.status().relists.of(RelistCause::Unproven), 3);
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
    assert!(demanding.is_proved(30.0).await, "{:?}", demanding.status());
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
    assert_eq!(demanding.informer.lister().len(), 3, "the watch goes on");
    demanding.refusing.refuses_all.store(false, Ordering::Relaxed);
    assert!(demanding.is_proved(180.0).await, "{:?}", demanding.status());
}

#[tokio::test(start_paused = true)]
async fn watch_goes_on_until_rate_limit_admits_demanded_list() {
    let demanding = Demanding::with(None, ReflectorOptions::new());
    seconds(10.0).await;
    for _ in 0..12 {
        assert!(demanding.is_proved(5.0).await);
    }
    let informer = demanding.informer.clone();
    let list = async move { informer.list_past(ReadBarrier::now(), Duration::from_secs(60)).await };
    let listed = tokio::spawn(list);
    for _ in 0..30 {
        if demanding.asked().1 == 1 {
            assert_eq!(demanding.refusing.source.open_watches(), 1);
        }
        seconds(0.1).await;
    }
    assert!(listed.is_finished() && demanding.asked().1 == 2);
}

/// The watch has reached the quorum's version, but maybe in a history that was lost.
#[tokio::test(start_paused = true)]
async fn demanded_list_is_made_although_watch_is_current() {
    let demanding = Demanding::with(None, ReflectorOptions::new());
    seconds(10.0).await;
    assert!(demanding.is_proved(5.0).await);
    assert_eq!(demanding.asked().1, 1, "the question is enough");
    demanding.informer.list_past(ReadBarrier::now(), Duration::from_secs(5)).await.unwrap();
    assert_eq!(demanding.asked().1, 2);
    // A proof that nobody wants any more costs nothing.
    seconds(600.0).await;
    assert_eq!(demanding.asked().1, 2);
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
    assert!(demanding.status().freshness < Some(Duration::from_secs(12)));
}

#[tokio::test(start_paused = true)]
async fn met_demand_is_a_proof_for_all() {
    let demanding = Demanding::with(None, ReflectorOptions::new());
    seconds(100.0).await;
    assert!(demanding.is_proved(1.0).await);
    assert!(demanding.status().freshness < Some(Duration::from_secs(1)));
}

/// The watch is deaf, and no waiter waits until that shows.
#[tokio::test(start_paused = true)]
async fn abandoned_demands_put_off_no_list_for_the_limit() {
    let fake = Arc::new(source(&["a"]));
    let silent = ScriptedSource::new(&fake, |_| {});
    silent.silence(true);
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60)).seed(1);
    let informer = SharedInformer::new(silent, InformerOptions::new().reflector(options));
    informer.start().unwrap();
    seconds(10.0).await;
    fake.put(object("b"));
    for _ in 0..13 {
        seconds(4.0).await;
        if informer.reach(ReadBarrier::now(), Duration::from_secs(1)).await.is_ok() {
            break;
        }
    }
    assert_eq!(informer.lister().len(), 2, "{:?}", informer.status().reflector);
}

//! Arguments of waits and queues, and of values.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube_informer::informer::ReadBarrier;
use kube_informer::object::{ShardKey, ShardSelector, ring_hash};
use kube_informer::transport::{Decode, SerdeDecode};
use kube_informer::workqueue::{
    ExponentialBackoff, FastSlow, Jittered, Priority, RateLimiter, TokenBucket,
};
use kube_informer::{
    Changes, InformerGroup, InformerOptions, InformerSpec, ObjectKey, ResourceVersion, WorkQueue,
};
use tokio::time::{Instant, timeout};

use crate::informer::{factory, informer};
use crate::{S, Trials, run};

/// Waits for at most a second.
async fn briefly(future: impl Future) {
    let _late = timeout(S, future).await;
}

pub(crate) fn try_all(trials: &mut Trials) {
    waits(trials);
    queues(trials);
    values(trials);
}

fn waits(trials: &mut Trials) {
    let options = InformerOptions::<ConfigMap>::new;
    // The version that no store reaches.
    let far = ResourceVersion::from(u64::MAX);
    macro_rules! informer {
        ($of:literal, |$one:ident, $it:ident| $wait:expr) => {
            trials.times($of, |$it| {
                run(async {
                    let $one = informer(options()).await;
                    $wait;
                });
            });
        };
    }
    informer!("SharedInformer::wait_for limit", |one, it| briefly(one.wait_for(&far, it)).await);
    informer!("Indexer::wait_for limit", |one, it| briefly(one.indexer().wait_for(&far, it)).await);
    informer!("SharedInformer::wait_for_sync limit", |one, it| {
        one.wait_for_sync(it).await.unwrap();
    });
    informer!("SharedInformer::wait_until limit", |one, it| {
        let key = ObjectKey::cluster("a").unwrap();
        briefly(one.wait_until(&key, it, |_| false)).await;
    });
    informer!("SharedInformer::reach limit", |one, it| {
        briefly(one.reach(ReadBarrier::now(), it)).await;
    });
    informer!("SharedInformer::is_fresh limit", |one, it| one.is_fresh(it));
    informer!("InformerStatus::is_fresh limit", |one, it| one.status().is_fresh(it));
    informer!("SharedInformer::shutdown_with_drain limit", |one, it| {
        one.shutdown_with_drain(it).await;
    });
    informer!("InformerGroup::is_fresh limit", |one, it| InformerGroup::new([one]).is_fresh(it));
    informer!("InformerGroup::wait_for_sync limit", |one, it| {
        InformerGroup::new([one]).wait_for_sync(it).await.unwrap();
    });
    informer!("Lister::get_at_least limit", |one, it| {
        briefly(one.lister().get_at_least("a", &far, it)).await;
    });
    informer!("NamespaceLister::get_at_least limit", |one, it| {
        briefly(one.lister().namespace("shop").get_at_least("a", &far, it)).await;
    });
    informer!("Changes::debounce period", |one, it| {
        let mut changes = Changes::of([&one]).debounce(it);
        briefly(async { while changes.changed().await.is_ok() {} }).await;
    });
    macro_rules! factory {
        ($of:literal, |$one:ident, $it:ident| $wait:expr) => {
            trials.times($of, |$it| {
                run(async {
                    let $one = factory();
                    let _maps = $one.informer::<ConfigMap>();
                    $one.start().unwrap();
                    $wait;
                });
            });
        };
    }
    factory!("SharedInformerFactory::wait_for_sync limit", |one, it| {
        briefly(one.wait_for_sync(it)).await;
    });
    factory!("SharedInformerFactory::shutdown_with_drain limit", |one, it| {
        one.shutdown_with_drain(it).await;
    });
    factory!("FactoryStatus::fresh_within limit", |one, it| one.status().fresh_within(it));
    factory!("Kinds::wait_for_sync limit", |one, it| {
        briefly(one.kinds(|_| true).wait_for_sync(it)).await;
    });
    factory!("Referenced::wait_for_sync limit", |one, it| {
        let set = one.referenced::<Namespace>();
        briefly(set.wait_for_sync(it)).await;
        set.start().unwrap();
        let _guard = set.reference(ObjectKey::cluster("a").unwrap());
        briefly(set.wait_for_sync(it)).await;
    });
    factory!("SelectedNamespaces::wait_for_sync limit", |one, it| {
        let set = one.in_namespaces_where::<ConfigMap>("", InformerSpec::new()).unwrap();
        briefly(set.wait_for_sync(it)).await;
    });
}

fn queues(trials: &mut Trials) {
    /// Takes three delays of a limiter.
    fn delays(mut limiter: impl RateLimiter<&'static str>) -> [Duration; 3] {
        let now = Instant::now();
        [now, now, now + S].map(|at| limiter.delay(&"a", at))
    }
    let minute = 60 * S;
    trials.times("ExponentialBackoff::new base", |it| {
        delays(ExponentialBackoff::new(it, minute));
    });
    trials.times("ExponentialBackoff::new longest", |it| {
        delays(ExponentialBackoff::new(S, it));
    });
    trials.times("FastSlow::new fast", |it| {
        delays(FastSlow::new(it, S, 2));
    });
    trials.times("FastSlow::new slow", |it| {
        delays(FastSlow::new(S, it, 2));
    });
    trials.numbers("FastSlow::new fast_tries", |it| {
        delays(FastSlow::new(S, S, u32::try_from(it).unwrap_or(u32::MAX)));
    });
    trials.shares("Jittered::new most", |it| {
        // A part of no delay is none.
        let none = FastSlow::new(Duration::ZERO, Duration::ZERO, 1);
        assert_eq!(delays(Jittered::new(none, it)), [Duration::ZERO; 3]);
        let delays = delays(Jittered::new(FastSlow::new(S, S, 1), it));
        assert!(delays.iter().all(|delay| *delay >= S), "{delays:?}");
    });
    trials.shares("TokenBucket::new rate", |it| {
        assert_eq!(delays(TokenBucket::new(it, 1))[0], Duration::ZERO);
    });
    trials.numbers("TokenBucket::new burst", |it| {
        let bucket = TokenBucket::new(1.0, u32::try_from(it).unwrap_or(u32::MAX));
        assert_eq!(delays(bucket)[0], Duration::ZERO);
    });
    let queue = |queue: WorkQueue<&'static str>| async move {
        queue.add("a");
        let work = queue.get().await.unwrap();
        (queue, work)
    };
    let plain = || WorkQueue::builder().build();
    macro_rules! work {
        ($of:literal, |$work:ident, $it:ident| $act:expr) => {
            trials.times($of, |$it| {
                run(async {
                    let (queue, $work) = queue(plain()).await;
                    $act;
                    briefly(queue.get()).await;
                });
            });
        };
    }
    work!("Work::retry_after delay", |work, it| work.retry_after(it));
    work!("Work::requeue_after delay", |work, it| work.requeue_after(it));
    work!("Work::park limit", |work, it| work.park(it));
    trials.times("WorkQueue::add_after delay", |it| {
        run(async {
            let queue = plain();
            queue.add_after("a", it);
            briefly(queue.get()).await;
        });
    });
    trials.times("WorkQueue::add_after_with delay", |it| {
        run(async {
            let queue = plain();
            queue.add_after_with("a", it, Priority::HIGH);
            briefly(queue.get()).await;
        });
    });
    trials.times("WorkQueueBuilder::aging level", |it| {
        run(async {
            let (queue, work) = queue(WorkQueue::builder().aging(it).build()).await;
            queue.add_with("b", Priority::LOW);
            work.retry();
            drop(queue.get().await.unwrap());
        });
    });
    trials.times("WorkQueueBuilder::backoff_holds time", |it| {
        run(async {
            let (queue, work) = queue(WorkQueue::builder().backoff_holds(it).build()).await;
            work.retry();
            queue.add("a");
            drop(queue.get().await.unwrap());
        });
    });
}

fn values(trials: &mut Trials) {
    let everything = ShardSelector::new(ShardKey::Uid, [0..=u64::MAX]);
    trials.numbers("ShardSelector::new ranges", |it| {
        let found = ShardSelector::new(ShardKey::Uid, [it..=it, it..=u64::MAX, u64::MAX..=it]);
        assert!(found.contains(it) && found.contains(u64::MAX));
    });
    trials.numbers("ShardSelector::stamped ranges", |it| {
        let ranges = [(it..=it, it), (it..=u64::MAX, 0), (u64::MAX..=it.min(9), 7)];
        let found = ShardSelector::stamped(ShardKey::Uid, ranges);
        assert_eq!(found.stamp(it), Some(it));
    });
    trials.numbers("ShardSelector::contains hash", |it| assert!(everything.contains(it)));
    trials.numbers("ShardSelector::stamp place", |it| assert_eq!(everything.stamp(it), Some(0)));
    trials.numbers("ring_hash text", |it| {
        let text = "é\u{85}".repeat(usize::try_from(it.min(99)).unwrap());
        assert_eq!(ring_hash(&text), ring_hash(&text));
    });
    trials.sizes("SerdeDecode::memory_limit bytes", |it| {
        let decoder = SerdeDecode::<ConfigMap>::new().memory_limit(it);
        let _refused = decoder.decode(br#"{"metadata":{"name":"a"}}"#);
    });
    trials.sizes("Decode::with_memory_limit bytes", |it| {
        let decoder = SerdeDecode::<ConfigMap>::new().with_memory_limit(it).unwrap();
        let _refused = decoder.decode(br#"{"metadata":{"name":"a"}}"#);
    });
}

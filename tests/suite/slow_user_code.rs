//! User code that is slow or blocks: timers go on, and other handlers do on another thread.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::thread::sleep;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube::api::ObjectMeta;
use kube_informer::testing::FakeSource;
use kube_informer::{Event, EventHandler, HandlerOptions, InformerSpec, Storage};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::helpers::{factory, informer_of, server_with};

const MS: Duration = Duration::from_millis(1);

/// Long enough for any machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The drops since the last tick, and the most of them between two ticks.
static DROPS: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// An object whose `Drop` takes a millisecond.
#[derive(Clone, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
struct Slow {
    metadata: ObjectMeta,
}

impl Drop for Slow {
    fn drop(&mut self) {
        sleep(MS);
        DROPS.fetch_add(1, Relaxed);
    }
}

fn tick() {
    MOST.fetch_max(DROPS.swap(0, Relaxed), Relaxed);
}

async fn until(so: impl Fn() -> bool) {
    let waits = async {
        while !so() {
            tokio::time::sleep(MS).await;
        }
    };
    timeout(LIMIT, waits).await.expect("it is never so");
}

/// A slower machine drops fewer objects between two ticks.
#[test]
fn slow_drops_let_timers_run() {
    const COUNT: usize = 300;
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let ticking = async {
        let mut ticks = interval(MS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            ticks.tick().await;
            tick();
        }
    };
    let work = async {
        let names: Vec<_> = (0..COUNT).map(|n| format!("map-{n}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let server = server_with(&names);
        let factory = factory(&server);
        let spec = InformerSpec::<Slow>::new().storage(Storage::packed().hot_for(300 * MS));
        let slow = factory.informer_with(spec).unwrap();
        let hot = || slow.status().storage.unwrap().hot_objects;
        factory.start().unwrap();
        factory.wait_for_sync(LIMIT).await.unwrap();
        assert_eq!(slow.lister().all().len(), COUNT);
        assert!(hot() > 0, "objects that were read stay decoded");
        until(|| hot() == 0).await;
        let handler = slow.on_event(|_| {}).unwrap();
        assert!(handler.wait_for_sync().await);
        factory.shutdown().await;
    };
    runtime.spawn(ticking);
    runtime.block_on(runtime.spawn(work)).unwrap();
    tick();
    let most = MOST.load(Relaxed);
    assert!(most <= 40, "a timer waited for {most} drops, each as long as its period");
}

/// Runs work on one thread. Returns the calls between every two ticks of a timer there, if there
/// were any.
fn between_ticks<T: Future<Output = ()> + Send + 'static>(
    work: impl FnOnce(Arc<AtomicUsize>) -> T,
) -> Vec<usize> {
    let calls = Arc::<AtomicUsize>::default();
    let between = Arc::<Mutex<Vec<usize>>>::default();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let tick = {
        let (calls, between) = (calls.clone(), between.clone());
        move || {
            let called = calls.swap(0, Relaxed);
            if called > 0 {
                between.lock().push(called);
            }
        }
    };
    let ticking = {
        let tick = tick.clone();
        async move {
            let mut ticks = interval(MS);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            loop {
                ticks.tick().await;
                tick();
            }
        }
    };
    runtime.spawn(ticking);
    runtime.block_on(runtime.spawn(work(calls))).unwrap();
    tick();
    std::mem::take(&mut *between.lock())
}

/// The same of index functions, with events that come one by one. Tokio looks at timers after 61
/// turns, and a turn is one slow call.
#[test]
fn slow_index_functions_let_timers_run() {
    const COUNT: usize = 300;
    let between = between_ticks(|calls| async move {
        let source = filled(0);
        let informer = informer_of(&source);
        let slow = move |_: &ConfigMap| {
            sleep(MS);
            calls.fetch_add(1, Relaxed);
            Some("slow")
        };
        let index = informer.add_index("slow", slow).unwrap();
        informer.start().unwrap();
        informer.wait_for_sync(LIMIT).await.unwrap();
        fill(&source, COUNT);
        until(|| index.len("slow") == COUNT).await;
        informer.shutdown().await;
    });
    let most = between.into_iter().max().unwrap();
    assert!(most <= 120, "a timer waited for {most} calls, each as long as its period");
}

/// The same of several handlers, each of which is always ready. A turn is one slow call.
#[test]
fn slow_handlers_let_timers_run() {
    const COUNT: usize = 60;
    for handlers in [2, 4] {
        let between = between_ticks(|calls| async move {
            let informer = informer_of(&filled(COUNT));
            let all: Vec<_> = (0..handlers)
                .map(|_| {
                    let calls = calls.clone();
                    let slow = move |_| {
                        sleep(5 * MS);
                        calls.fetch_add(1, Relaxed);
                    };
                    informer.on_event(slow).unwrap()
                })
                .collect();
            informer.start().unwrap();
            for handler in all {
                assert!(handler.wait_for_sync().await);
            }
            informer.shutdown().await;
        });
        let ticks = between.len();
        assert!(ticks >= COUNT / 3, "{ticks} ticks during {COUNT} calls of {handlers} handlers");
    }
}

fn two_threads() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn filled(count: usize) -> Arc<FakeSource<ConfigMap>> {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    fill(&source, count);
    source
}

fn fill(source: &FakeSource<ConfigMap>, count: usize) {
    for n in 0..count {
        let name = Some(format!("map-{n}"));
        source.put(ConfigMap {
            metadata: ObjectMeta { name, ..ObjectMeta::default() },
            ..ConfigMap::default()
        });
    }
}

/// A handler without regard to the event.
struct Calls<F>(F);

impl<F: FnMut() + Send + 'static> EventHandler<ConfigMap> for Calls<F> {
    fn on_event(&mut self, _: Event<ConfigMap>) {
        (self.0)();
    }
}

#[test]
fn blocked_handler_holds_up_no_other() {
    for busy in [1, 8] {
        holds_up_no_other(busy);
    }
}

fn holds_up_no_other(busy: usize) {
    const COUNT: usize = 1_200;
    let (release, released) = mpsc::channel::<()>();
    let runtime = two_threads();
    runtime.block_on(async {
        let informer = informer_of(&filled(COUNT));
        let told: Vec<_> = (0..6).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        let mut released = Some(released);
        for (n, told) in told.iter().enumerate() {
            if n == 2 {
                let options = HandlerOptions::new().name("blocks");
                let released = released.take().unwrap();
                let blocks = Calls(move || _ = released.recv());
                informer.add_handler_with(blocks, options).unwrap();
                for _ in 0..busy {
                    // It never has nothing to do.
                    let options = HandlerOptions::new().name("busy").resync(100 * MS);
                    informer.add_handler_with(Calls(|| sleep(MS)), options).unwrap();
                }
            }
            let told = told.clone();
            let counts = Calls(move || _ = told.fetch_add(1, Relaxed));
            informer.add_handler(counts).unwrap();
        }
        informer.start().unwrap();
        until(|| told.iter().all(|told| told.load(Relaxed) >= COUNT)).await;

        let blocks = || {
            let handlers = informer.status().handlers;
            let mut long = handlers.into_iter().filter(|handler| handler.call_time > 20 * MS);
            long.next().map(|handler| handler.name)
        };
        until(|| blocks().is_some_and(|name| *name == *"blocks")).await;
        drop(release);
        until(|| blocks().is_none()).await;
        informer.shutdown().await;
    });
}

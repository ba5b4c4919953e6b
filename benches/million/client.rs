//! One informer or two, from start to last update, and a task beside them that notes how long it
//! waits for its turn.

use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{Node, Pod};
use kube_informer::reflector::{ListMode, ReflectorOptions};
use kube_informer::transport::ApiSource;
use kube_informer::{CachedEvent, HandlerRegistration, InformerOptions, SharedInformer};
use parking_lot::Mutex;
use tokio::runtime::Builder;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::task::JoinHandle;

use crate::measure::{self, Options, order, revision};
use crate::objects::WRITTEN;
use crate::support::{next_turn, time_of};
use crate::{monotonic, spread::Spread};

const LIMIT: Duration = Duration::from_secs(3600);

pub(crate) fn run(options: &Options) {
    let one = options.text("workload") == "turns";
    let mut builder = if one { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    let runtime = builder.enable_all().build().expect("a runtime");
    // Everything is spawned, as in a service.
    let options = options.clone();
    let work = runtime.spawn(async move { session(&options, one).await });
    runtime.block_on(work).expect("a session");
    // Whatever still runs ends with the process.
    runtime.shutdown_background();
}

fn informer<K>(client: &kube::Client) -> SharedInformer<K>
where
    K: kube::Resource<DynamicType = ()> + serde::de::DeserializeOwned + Send + Sync + 'static,
{
    let source = ApiSource::<K>::new(client.clone());
    let reflector = ReflectorOptions::new().list_mode(ListMode::Streaming);
    SharedInformer::new(Arc::new(source), InformerOptions::new().reflector(reflector))
}

/// Pods with three indexes beside that of namespaces.
fn pods(client: &kube::Client) -> SharedInformer<Pod> {
    let pods = informer::<Pod>(client);
    pods.add_index_on("node", ["spec.nodeName"], |pod: &Pod| pod.spec.as_ref()?.node_name.clone())
        .unwrap();
    pods.add_index_on("account", ["spec.serviceAccountName"], |pod: &Pod| {
        pod.spec.as_ref()?.service_account_name.clone()
    })
    .unwrap();
    pods.add_index_on("phase", ["status.phase"], |pod: &Pod| pod.status.as_ref()?.phase.clone())
        .unwrap();
    pods
}

/// A handler that reads one of so many new objects and notes its delay.
fn listen(
    pods: &SharedInformer<Pod>,
    one_in: usize,
    delays: Arc<Mutex<Spread>>,
) -> HandlerRegistration {
    let mut heard = 0;
    pods.on_cached_event(move |_, event| {
        let CachedEvent::Updated { new, .. } = event else { return };
        heard += 1;
        if !usize::is_multiple_of(heard, one_in) {
            return;
        }
        let Some(pod) = new.get() else { return };
        let stamp = pod.metadata.annotations.as_ref().and_then(|all| all.get(WRITTEN));
        let written = stamp.and_then(|stamp| stamp.parse().ok()).unwrap_or(0);
        if written > 0 {
            delays.lock().add(Duration::from_nanos(monotonic().saturating_sub(written)));
        }
    })
    .expect("an informer that runs")
}

async fn session(options: &Options, one: bool) {
    let (workload, address) = (options.text("workload"), options.text("server").to_owned());
    let mut config = kube::Config::new(format!("http://{address}").parse().expect("--server"));
    config.default_retry = false;
    let client = kube::Client::try_from(config).expect("a client");
    let pods = pods(&client);
    let nodes = (workload == "nodes").then(|| informer::<Node>(&client));
    let delays = Arc::new(Mutex::new(Spread::default()));
    let handler = listen(&pods, options.number("read-one-in", 1), delays.clone());

    let step = Step::begin(one);
    if let Some(nodes) = &nodes {
        nodes.start().unwrap();
    }
    pods.start().unwrap();
    if let Some(nodes) = &nodes {
        nodes.wait_for_sync(LIMIT).await.unwrap();
    }
    pods.wait_for_sync(LIMIT).await.unwrap();
    let count = pods.lister().len() + nodes.as_ref().map_or(0, |nodes| nodes.lister().len());
    step.end(workload, &format!("sync of {count}")).await;
    if nodes.is_some() {
        return;
    }

    let step = Step::begin(one);
    let version = revision(&ordered(&address, "/bench/relist".into()).await);
    pods.wait_for(&version.into(), LIMIT).await.unwrap();
    step.end(workload, "relist, unchanged").await;

    *delays.lock() = Spread::default();
    let (rate, seconds) = (options.number("rate", 1), options.number("seconds", 1));
    let before = handler.status();
    let step = Step::begin(one);
    let path = format!("/bench/update?rate={rate}&seconds={seconds}");
    let made = ordered(&address, path).await;
    pods.wait_for(&revision(&made).into(), LIMIT).await.unwrap();
    while handler.status().backlog > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    step.end(workload, &format!("{rate} updates a second")).await;
    let (after, delays) = (handler.status(), delays.lock());
    let took = made["seconds"].as_f64().unwrap_or(0.0);
    let updates = made["updates"].as_f64().unwrap_or(0.0);
    let behind = Duration::from_secs_f64(made["latest"].as_f64().unwrap_or(0.0));
    println!(
        "updates | {workload} | {updates} | {:.0} | {} | {} | {:.1?} | {:.1?} | {:.1?} | {:.1?} | {behind:.1?} |",
        updates / took,
        delays.total,
        after.merged - before.merged,
        delays.at(0.5),
        delays.at(0.99),
        delays.at(0.999),
        delays.longest
    );
}

/// The figures from one moment to another.
struct Step {
    one: bool,
    start: Instant,
    cpu: f64,
    waits: Arc<Mutex<Spread>>,
    other: JoinHandle<()>,
}

impl Step {
    fn begin(one: bool) -> Self {
        let waits = Arc::new(Mutex::new(Spread::default()));
        let other = if one {
            tokio::spawn(every_turn(waits.clone()))
        } else {
            tokio::spawn(every_wake(waits.clone()))
        };
        measure::reset_peak();
        Self { one, start: Instant::now(), cpu: measure::cpu(), waits, other }
    }

    /// Prints the row, once the process is idle.
    async fn end(self, workload: &str, step: &str) {
        let wall = self.start.elapsed();
        self.other.abort();
        tokio::task::spawn_blocking(measure::settle).await.expect("rest");
        let cpu = measure::cpu() - self.cpu;
        let waits = take(&mut *self.waits.lock());
        // On one thread the other task is always busy.
        let cpu = if self.one { "–".to_owned() } else { format!("{cpu:.1} s") };
        println!(
            "| {workload} | {step} | {:.1} s | {cpu} | {:.0} MB | {:.0} MB | {:.1?} | {:.1?} | {} |",
            wall.as_secs_f64(),
            measure::rss() / 1e6,
            measure::peak() / 1e6,
            waits.at(0.999),
            waits.longest,
            waits.over_a_millisecond
        );
    }
}

/// Is woken from outside every ten milliseconds, and notes how long it waits for its turn.
async fn every_wake(waits: Arc<Mutex<Spread>>) {
    let (wake, mut woken) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut is_open = true;
        while is_open {
            std::thread::sleep(Duration::from_millis(10));
            is_open = !matches!(wake.try_send(Instant::now()), Err(TrySendError::Closed(_)));
        }
    });
    while let Some(at) = woken.recv().await {
        waits.lock().add(at.elapsed());
    }
}

/// Is always ready, and notes the processor time from one turn to the next. Between two turns every
/// other task that can go on is polled once.
async fn every_turn(waits: Arc<Mutex<Spread>>) {
    let spent = || time_of(rustix::time::ClockId::ThreadCPUTime);
    loop {
        let last = spent();
        next_turn().await;
        waits.lock().add(spent().saturating_sub(last));
    }
}

async fn ordered(address: &str, path: String) -> serde_json::Value {
    let address = address.to_owned();
    tokio::task::spawn_blocking(move || order(&address, &path)).await.expect("an order")
}

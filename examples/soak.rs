//! Runs informers for hours against a server that changes and breaks: `cargo example soak`.
//!
//! Five minutes of faults, then none until everything came right, and again. A line a minute says
//! how it goes. Options: `--minutes N` (else until Ctrl-C), `--pods 500`, `--churn 50` (changes a
//! second), `--seed 1`. Ends with an error when the informers do not come to what the server holds.

#[path = "support/interrupted.rs"]
mod interrupted;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{Pod, PodSpec};
use kube::api::{ListParams, ObjectMeta};
use kube::{Api, ResourceExt};
use kube_informer::error::Fault;
use kube_informer::reflector::ListMode;
use kube_informer::testing::{ApiServer, Faults, Injection};
use kube_informer::{Event, InformerSpec, SharedInformer, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

const MINUTE: Duration = Duration::from_secs(60);

/// The number of minutes of faults before calm.
const STORM: u64 = 5;

/// The number of minutes of calm after which everything must be right: a watch that got stuck is
/// noticed after ten or so.
const PATIENCE: u64 = 20;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The duration; `None`: until stopped.
    pub minutes: Option<u64>,
    /// The largest number of pods.
    pub pods: u32,
    /// Changes a second.
    pub churn: u32,
    /// The seed of the random changes and faults.
    pub seed: u64,
}

/// The state after a minute.
#[derive(Debug)]
pub struct Minute {
    /// The number of the minute, from 1.
    pub number: u64,
    /// There are faults.
    pub storm: bool,
    /// Objects in the store that holds all.
    pub objects: usize,
    /// Its version.
    pub version: String,
    /// Events that handlers were told.
    pub events: u64,
    /// Errors that were reported.
    pub errors: u64,
    /// The number of relists, by cause.
    pub relists: BTreeMap<String, u64>,
    /// Memory of this process, in KiB, where the system tells.
    pub rss: Option<u64>,
    /// Tasks alive.
    pub tasks: usize,
    /// The first difference from the server, if any.
    pub wrong: Option<String>,
}

/// The events of a handler, folded: versions by key.
type Told = BTreeMap<String, String>;

struct Watched {
    informer: SharedInformer<Pod>,
    label: Option<&'static str>,
    told: Arc<Mutex<(Told, u64)>>,
}

/// Soaks until the time is over.
///
/// # Errors
/// What the server has and the informers have not, long after the faults stopped.
pub async fn soak(options: Options, mut each: impl FnMut(&Minute)) -> Result<(), String> {
    let (server, faults) = (ApiServer::new(), Faults::new());
    let mut rng = Rng::with_seed(options.seed);
    for n in 0..options.pods {
        let _ = server.create(&pod(n, &mut rng));
    }
    let poisoned: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let keys = poisoned.clone();
    let factory = SharedInformerFactory::builder(faults.client(server.client()))
        .resync(Duration::from_secs(600))
        .on_error(move |error| {
            if let Fault::Undecodable { key: Some(key), .. } = error.fault() {
                keys.lock().insert(key.name().to_owned());
            }
        })
        .build();
    let streaming = InformerSpec::new().labels("app=web").list_mode(ListMode::Streaming);
    let watched = [
        watch(factory.informer::<Pod>(), None),
        watch(factory.informer_with(streaming).map_err(|error| error.to_string())?, Some("web")),
    ];
    factory.start().map_err(|error| error.to_string())?;
    let (mut number, mut calm, mut storm, mut end) = (0, 0, 0, Instant::now());
    let mut ticks = interval(Duration::from_secs(1) / options.churn.max(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while options.minutes.is_none_or(|minutes| number < minutes) {
        if storm == 0 && calm == 0 {
            let seed = rng.u64(..);
            faults.inject_at_random(seed, 0.3, Injection::one_of_each(seed));
            faults.remember_lists();
            storm = STORM;
        }
        end += MINUTE;
        while Instant::now() < end {
            tokio::select! {
                biased;
                () = sleep_until(end) => {}
                _ = ticks.tick() => change(&server, &faults, storm > 0, &options, &mut rng),
            }
        }
        number += 1;
        let was_storm = storm > 0;
        storm = storm.saturating_sub(1);
        if !was_storm || storm == 0 {
            faults.clear();
            calm += 1;
        }
        // Objects that could not be read are written once more.
        for name in std::mem::take(&mut *poisoned.lock()) {
            let _ = server.replace(&named(&name, &mut rng));
        }
        let wrong = settled(&server, &watched).await;
        each(&minute(number, was_storm, &watched, wrong.clone()));
        match wrong {
            Some(wrong) if calm > PATIENCE => return Err(wrong),
            None if calm > 1 => calm = 0,
            _ => {}
        }
    }
    faults.clear();
    factory.shutdown().await;
    Ok(())
}

fn watch(informer: SharedInformer<Pod>, label: Option<&'static str>) -> Watched {
    let told: Arc<Mutex<(Told, u64)>> = Arc::default();
    let folded = told.clone();
    // An informer that is new was not stopped.
    let _ = informer.on_event(move |event| {
        let (told, events) = &mut *folded.lock();
        *events += 1;
        let name = event.object().name_any();
        match event {
            Event::Added { object, .. } | Event::Updated { new: object, .. } => {
                told.insert(name, object.resource_version().unwrap_or_default());
            }
            Event::Deleted { .. } | Event::MovedAway { .. } => drop(told.remove(&name)),
        }
    });
    Watched { informer, label, told }
}

fn pod(n: u32, rng: &mut Rng) -> Pod {
    named(&format!("pod-{n}"), rng)
}

fn named(name: &str, rng: &mut Rng) -> Pod {
    let app = if rng.bool() { "web" } else { "db" };
    let metadata = ObjectMeta {
        name: Some(name.into()),
        namespace: Some("shop".into()),
        labels: Some([("app".into(), app.into())].into()),
        ..ObjectMeta::default()
    };
    let spec = PodSpec { node_name: Some(format!("n{}", rng.u8(..))), ..PodSpec::default() };
    Pod { metadata, spec: Some(spec), ..Pod::default() }
}

/// One change; what can't be made, as a create of what is there, is none.
fn change(server: &ApiServer, faults: &Faults, storm: bool, options: &Options, rng: &mut Rng) {
    let pod = pod(rng.u32(0..options.pods.max(1)), rng);
    match rng.u16(0..1000) {
        0..300 => drop(server.create(&pod)),
        300..450 => drop(server.delete(&pod)),
        450 if storm => server.compact(),
        451 if storm => faults.cut_now(),
        452 if storm => server.drop_connections(),
        453 if storm => faults.remember_lists(),
        _ => drop(server.replace(&pod)),
    }
}

/// Returns the first difference from the server, after the informers had a second for the last
/// change.
async fn settled(server: &ApiServer, watched: &[Watched]) -> Option<String> {
    for Watched { informer, .. } in watched {
        let _ = informer.wait_for(&server.revision().into(), Duration::from_secs(1)).await;
    }
    let pods: Api<Pod> = Api::all(server.client());
    let held = pods.list(&ListParams::default()).await.ok()?.items;
    watched.iter().find_map(|watched| watched.wrong(&held))
}

impl Watched {
    fn wrong(&self, held: &[Pod]) -> Option<String> {
        let has = |pod: &Pod| {
            self.label.is_none_or(|label| pod.labels().get("app").is_some_and(|app| app == label))
        };
        let state = |pod: &Pod| (pod.name_any(), pod.resource_version().unwrap_or_default());
        let held: Told = held.iter().filter(|pod| has(pod)).map(state).collect();
        let stored: Told = self.informer.lister().all().iter().map(|pod| state(pod)).collect();
        let told = self.told.lock();
        let differing = |a: &Told, b: &Told| {
            let differs = |(name, version): &(&String, &String)| b.get(*name) != Some(version);
            a.iter().filter(differs).count()
                + b.keys().filter(|name| !a.contains_key(*name)).count()
        };
        let (stored_wrong, told_wrong) = (differing(&stored, &held), differing(&told.0, &stored));
        (stored_wrong + told_wrong > 0).then(|| {
            let which = self.label.unwrap_or("all");
            format!("{which}: {stored_wrong} wrong in the store, {told_wrong} told wrong")
        })
    }
}

fn minute(number: u64, storm: bool, watched: &[Watched], wrong: Option<String>) -> Minute {
    let mut relists = BTreeMap::new();
    let mut errors = 0;
    for watched in watched {
        let reflector = watched.informer.status().reflector;
        errors += reflector.errors;
        let counted = serde_json::to_value(&reflector.relists).unwrap_or_default();
        for (cause, times) in counted.as_object().into_iter().flatten() {
            *relists.entry(cause.clone()).or_default() += times.as_u64().unwrap_or_default();
        }
    }
    let snapshot = watched[0].informer.snapshot();
    Minute {
        number,
        storm,
        objects: snapshot.len(),
        version: snapshot.version().map_or_else(String::new, ToString::to_string),
        events: watched.iter().map(|watched| watched.told.lock().1).sum(),
        errors,
        relists,
        rss: rss(),
        tasks: Handle::current().metrics().num_alive_tasks(),
        wrong,
    }
}

/// In KiB.
fn rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

impl fmt::Display for Minute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "minute {} {} objects={} version={} events={} errors={} relists={:?} rss={}MiB tasks={} {}",
            self.number,
            if self.storm { "storm" } else { "calm " },
            self.objects,
            self.version,
            self.events,
            self.errors,
            self.relists,
            self.rss.unwrap_or_default() / 1024,
            self.tasks,
            self.wrong.as_deref().unwrap_or("right"),
        )
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options { minutes: None, pods: 500, churn: 50, seed: 1 };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
        match &*arg {
            "--minutes" => options.minutes = Some(value.parse()?),
            "--pods" => options.pods = value.parse()?,
            "--churn" => options.churn = value.parse()?,
            "--seed" => options.seed = value.parse()?,
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    tokio::select! {
        soaked = soak(options, |minute| println!("{minute}")) => soaked?,
        stopped = interrupted::interrupted() => stopped?,
    }
    Ok(())
}

//! A living cluster as the judge of informers. It has a real API server with its controllers and
//! scheduler, pretended nodes, and users that roll out and delete. Programs and nodes die and come
//! back. Informers in all forms follow the cluster, and audits compare them with the server all the
//! while. At rest each store has what the server has, object by object.
//!
//! It runs where all four programs are, which `.ci/scheduled living` builds. It lasts a minute, or
//! as many as `LIVING_MINUTES` says. `LIVING_REPORT` names a file for its report. Planted
//! differences show everywhere that its judgement can fail.

mod cost;
mod followers;
mod nodes;
mod planted;
mod programs;
mod report;
mod work;

use std::time::{Duration, Instant};

use futures::FutureExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::Client;
use kube_embedded_apiserver::ControlPlane;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::followers::{Followers, REST};
use self::nodes::Nodes;
use self::programs::{Controllers, Usage, own_memory, time_of_threads};
use self::report::World;
use self::work::Work;
use super::clients::{Informers, held};
use super::go;
use super::harness::{Outcome, Trial};
use super::widgets::Widget;

pub(crate) const TRIALS: &[(&str, Trial)] = &[
    ("living::informers_agree_with_a_living_cluster", || world().boxed_local()),
    ("living::planted_differences_are_found", || planted::differences_are_found().boxed_local()),
    ("living::an_audit_costs_less_than_a_list", || cost::audit().boxed_local()),
];

/// The number of nodes.
const NODES: usize = 200;

/// The name of the threads on which informers run.
const THREADS: &str = "followers";

/// The time in which a program has to come back, also on a machine with much else to do.
const LIMIT: Duration = Duration::from_secs(200);

/// Returns the time for which the world lives.
fn length() -> Duration {
    let minutes = std::env::var("LIVING_MINUTES").ok();
    let minutes = minutes.map_or(1.0, |minutes| minutes.parse().expect("a number of minutes"));
    Duration::from_secs_f64(60.0 * minutes)
}

/// Returns the longest time that the world may take, with its beginning and its rest.
pub(crate) fn limit() -> Duration {
    length() + Duration::from_secs(300)
}

/// A disturbance of the cluster. The table has each with its time, as a share of the whole.
#[derive(Clone, Copy, Debug)]
enum Disturbance {
    Border(u64),
    NodesFail,
    NodesBack,
    KillApiserver,
    KillEtcd,
    Certificate,
}

const DISTURBANCES: &[(f64, Disturbance)] = &[
    (0.10, Disturbance::Border(u64::MAX / 4)),
    (0.15, Disturbance::NodesFail),
    (0.25, Disturbance::KillApiserver),
    (0.40, Disturbance::Border(u64::MAX / 4 * 3)),
    (0.45, Disturbance::KillEtcd),
    (0.60, Disturbance::NodesBack),
    (0.65, Disturbance::Certificate),
    (0.70, Disturbance::Border(u64::MAX / 2)),
    (0.80, Disturbance::KillApiserver),
    (0.90, Disturbance::Border(u64::MAX / 3)),
];

/// The flags of the API server beside envtest's.
const FLAGS: [(&str, &str); 4] = [
    ("feature-gates", "ShardedListAndWatch=true"),
    ("default-not-ready-toleration-seconds", "5"),
    ("default-unreachable-toleration-seconds", "5"),
    ("max-requests-inflight", "1000"),
];

async fn world() -> Outcome {
    let controllers = Controllers::find()?;
    let builder = ControlPlane::builder().start_timeout(LIMIT);
    let builder =
        FLAGS.iter().fold(builder, |builder, (name, value)| builder.apiserver_flag(*name, *value));
    let mut plane = builder.start().await.expect("a control plane");
    let mut config = plane.config().await.expect("a configuration");
    // The informers must see each failure.
    config.default_retry = false;
    let client = Client::try_from(config).expect("a client");
    let nodes = Nodes::register(client.clone(), NODES).await;
    let work = Work::begin(client.clone()).await;
    let programs = controllers.start(&plane).expect("controllers and scheduler start");
    let mut living = JoinSet::new();
    living.spawn(nodes.clone().beat());
    living.spawn(nodes.clone().run_pods());

    let runtime = informers_runtime();
    let entered = runtime.runtime().enter();
    let followers = Followers::start(&client);
    drop(entered);
    followers.synced().await;
    let mut audits = JoinSet::new();
    let length = length();
    for follower in &followers.all {
        let follower = follower.clone();
        let pause = (length / 6).min(Duration::from_secs(30));
        audits.spawn(async move { follower.keep_auditing(pause).await });
    }
    let mut client_go = match go::find("clients") {
        Ok(program) => {
            let resources = ["configmaps", "pods", "widgets"];
            Some(Informers::start(program, &plane.kubeconfig(), &resources, true).await.0)
        }
        Err(_) => None,
    };
    let users = living.spawn(work.go_on());

    let (begun, before) = (Instant::now(), time_of_threads(THREADS));
    let (mut usage, mut memory, mut disturbances) = (Usage::default(), 0, Vec::new());
    let mut due = DISTURBANCES.iter().peekable();
    while begun.elapsed() < length {
        sleep(Duration::from_secs(1)).await;
        usage.sample(plane.folder());
        memory = own_memory().max(memory);
        followers.all.iter().for_each(|follower| follower.look());
        if let Some((_, what)) = due.next_if(|(share, _)| begun.elapsed() >= length.mul_f64(*share))
        {
            let (at, start) = (begun.elapsed(), Instant::now());
            disturb(*what, &mut plane, &nodes, &followers).await;
            disturbances.push(format!("{at:.0?}: {what:?}, {:.1?}", start.elapsed()));
        }
    }
    let informers = time_of_threads(THREADS).saturating_sub(before);

    // The controllers finish what users began. After that, nothing is written.
    users.abort();
    sleep(Duration::from_secs(10)).await;
    drop(programs);
    living.shutdown().await;
    let agreed = followers.agree(REST).await;
    audits.shutdown().await;
    let client_go = match &mut client_go {
        Some(informers) => Some(compare_client_go(informers, &client).await),
        None => None,
    };
    let compared = agreed.as_ref().copied().unwrap_or_default();
    let duration = begun.elapsed();
    let kubelets = nodes.done();
    let world =
        World { duration, disturbances, kubelets, informers, memory, usage, compared, client_go };
    let markdown = world.markdown(&followers.all);
    println!("{markdown}");
    if let Ok(path) = std::env::var("LIVING_REPORT") {
        std::fs::write(path, markdown).expect("the report can be written");
    }
    followers.stop().await;
    let problems = followers.problems(&agreed);
    assert!(problems.is_empty(), "{} problems: {problems:#?}", problems.len());
    Ok(())
}

async fn disturb(
    what: Disturbance,
    plane: &mut ControlPlane,
    nodes: &Nodes,
    followers: &Followers,
) {
    let pause = Duration::from_secs(2);
    match what {
        Disturbance::Border(border) => followers.move_border(border).await,
        Disturbance::NodesFail => nodes.fail((0..NODES).step_by(20)),
        Disturbance::NodesBack => nodes.come_back(),
        Disturbance::KillApiserver => plane.restart_apiserver(pause).await.expect("it comes back"),
        Disturbance::KillEtcd => plane.restart_etcd(pause).await.expect("it comes back"),
        // The API server reads its files again when they change. This certificate has its names.
        Disturbance::Certificate => {
            for kind in ["key", "crt"] {
                let file = |name: &str| plane.folder().join(name).with_extension(kind);
                std::fs::copy(file("etcd"), file("apiserver")).expect("it can be copied");
            }
        }
    }
}

/// Threads on which only informers run, so that their processor time can be measured.
struct InformersRuntime(Option<Runtime>);

fn informers_runtime() -> InformersRuntime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let builder = builder.worker_threads(2).thread_name(THREADS).enable_all();
    InformersRuntime(Some(builder.build().expect("a runtime")))
}

impl InformersRuntime {
    fn runtime(&self) -> &Runtime {
        self.0.as_ref().expect("it is there until the end")
    }
}

impl Drop for InformersRuntime {
    fn drop(&mut self) {
        // Another runtime can't wait for the end of one.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waits until client-go's stores have what the server has. Returns what they do not have.
async fn compare_client_go(informers: &mut Informers, client: &Client) -> String {
    let mut problem = String::new();
    for _ in 0..20 {
        let told = informers.told().await;
        let served = [
            ("configmaps", held::<ConfigMap>(client).await),
            ("pods", held::<Pod>(client).await),
            ("widgets", held::<Widget>(client).await),
        ];
        let differ = served.iter().find(|(resource, served)| told[*resource].store != *served);
        match differ {
            None => {
                let objects: usize = served.iter().map(|(_, served)| served.len()).sum();
                return format!("{objects} objects agree with the server at rest");
            }
            Some((resource, _)) => problem = format!("{resource} differ from the server at rest"),
        }
        sleep(Duration::from_secs(1)).await;
    }
    problem
}

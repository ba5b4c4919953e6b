//! Controllers on leader election: three replicas with connections that can be cut.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::Request;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::controller::{ControllerError, ControllerHandle, Phase};
use kube_controllers::leader_election::LeaderElectionError;
use kube_controllers::{Action, Controller, LeaderElector};
use kube_informer::testing::ApiServer;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// One replica: a process with a connection of its own.
struct Replica {
    cut: Arc<AtomicBool>,
    stop: CancellationToken,
    handle: ControllerHandle,
    running: JoinHandle<Result<(), ControllerError>>,
}

/// The replicas at work, and the moments at which two were.
#[derive(Clone, Default)]
struct AtWork(Arc<parking_lot::Mutex<Option<usize>>>);

fn replica(server: &ApiServer, number: usize, at_work: &AtWork, log: &Log<usize>) -> Replica {
    let cut = Arc::new(AtomicBool::new(false));
    let (server, is_cut) = (server.clone(), cut.clone());
    let service = tower::service_fn(move |request: Request<kube::client::Body>| {
        let (server, is_cut) = (server.clone(), is_cut.clone());
        async move {
            if is_cut.load(Ordering::Relaxed) {
                pending::<()>().await;
            }
            Ok::<_, Infallible>(server.handle(request).await)
        }
    });
    let client = kube::Client::new(service, "default");
    let elector = LeaderElector::builder(client.clone(), "shop", "controller")
        .identity(format!("replica-{number}"))
        .build()
        .unwrap();
    let maps = factory_of(client).informer::<ConfigMap>();
    let controller = Controller::builder("leading", &maps).leader_election(elector).build();
    let handle = controller.handle();
    let stop = CancellationToken::new();
    let (at_work, log) = (at_work.clone(), log.clone());
    let running = spawn(controller.run(stop.clone(), move |request| {
        let (at_work, log) = (at_work.clone(), log.clone());
        async move {
            /// Also where the reconcile is dropped.
            struct Leaves(AtWork);
            impl Drop for Leaves {
                fn drop(&mut self) {
                    *self.0.0.lock() = None;
                }
            }
            assert_eq!(at_work.0.lock().replace(number), None, "one replica at a time");
            let _leaves = Leaves(at_work.clone());
            log.add(number);
            // Works on, deaf to the stop, as long as it is let.
            sleep(S).await;
            drop(request);
            Ok::<_, Infallible>(Action::requeue_after(100 * MS))
        }
    }));
    Replica { cut, stop, handle, running }
}

fn working(replicas: &[Replica]) -> Vec<usize> {
    let works = |replica: &Replica| replica.handle.status().phase == Phase::Working;
    (0..replicas.len()).filter(|number| works(&replicas[*number])).collect()
}

#[tokio::test(start_paused = true)]
async fn another_replica_takes_over_from_cut_leader() {
    let server = server_with(&["a"]);
    let (at_work, log) = (AtWork::default(), Log::new());
    let mut replicas: Vec<_> =
        (0..3).map(|number| replica(&server, number, &at_work, &log)).collect();
    log.reaches(5).await;
    let &[first] = &working(&replicas)[..] else { panic!("one of them works") };
    assert!(log.take().iter().all(|worked| *worked == first));
    let standby = replicas[(first + 1) % 3].handle.status();
    assert_eq!(standby.phase, Phase::Standby);
    let leader = format!("replica-{first}");
    assert_eq!(standby.leadership.unwrap().leader.as_deref(), Some(&*leader));

    replicas[first].cut.store(true, Ordering::Relaxed);
    let start = Instant::now();
    sleep(40 * S).await;
    let lost = replicas.remove(first);
    let ended = lost.running.await.unwrap();
    let Err(ControllerError::Leadership { source, .. }) = ended else { panic!("{ended:?}") };
    assert!(matches!(source, LeaderElectionError::Lost { .. }), "{source}");
    assert_eq!(lost.handle.status().phase, Phase::Stopped);
    let &[second] = &working(&replicas)[..] else { panic!("one of the others works") };
    assert!(start.elapsed() < 45 * S);
    log.take();

    // A stop hands over at once, and no reconcile is lost on the way.
    replicas[second].stop.cancel();
    let stopped = replicas.remove(second);
    stopped.running.await.unwrap().unwrap();
    let handed_over = Instant::now();
    log.take();
    log.reaches(1).await;
    // A candidate asks after at most 4.4 s: the retry period with the largest jitter. The fresh
    // view of a quiet kind takes 2 s and a list.
    assert!(handed_over.elapsed() < 7 * S, "{:?}", handed_over.elapsed());
    assert_eq!(working(&replicas), [0]);
    // One that stands by ends at once.
    let idle = replica(&server, 9, &at_work, &log);
    sleep(5 * S).await;
    assert_eq!(idle.handle.status().phase, Phase::Standby);
    idle.stop.cancel();
    idle.running.await.unwrap().unwrap();
    replicas[0].stop.cancel();
    replicas.remove(0).running.await.unwrap().unwrap();
}

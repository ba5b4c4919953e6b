//! Leader election.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::Api;
use kube_controllers::LeaderElector;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::super::harness::{Outcome, Skip};
use super::super::rig::{Rig, eventually};

/// The leaders in order; `-a` when the term of `a` has ended.
type Terms = Arc<Mutex<Vec<String>>>;

fn stand_for_election(
    rig: &Rig,
    name: &'static str,
    terms: &Terms,
) -> (CancellationToken, JoinHandle<()>) {
    let mut elector = LeaderElector::builder(rig.client(), &rig.namespace, "scenario")
        .identity(name)
        .lease_duration(Duration::from_secs(4))
        .renew_deadline(Duration::from_secs(3))
        .retry_period(Duration::from_millis(500))
        .build()
        .unwrap();
    let (stop, terms) = (CancellationToken::new(), terms.clone());
    let stopping = stop.clone();
    let running = tokio::spawn(async move {
        let work = move |leading: CancellationToken| async move {
            terms.lock().push(name.to_owned());
            leading.cancelled().await;
            terms.lock().push(format!("-{name}"));
        };
        elector.run(stopping, work).await.unwrap();
    });
    (stop, running)
}

pub(super) async fn one_of_two_leads(rig: Rig) -> Outcome {
    if !rig.backend.leases {
        return Err(Skip("coordination.k8s.io is not served".into()));
    }
    let terms = Terms::default();
    let (stop_a, a) = stand_for_election(&rig, "a", &terms);
    eventually("a leads", async || *terms.lock() == ["a"]).await;
    let (stop_b, b) = stand_for_election(&rig, "b", &terms);
    // Longer than the lease: it is renewed.
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(*terms.lock(), ["a"], "one at a time");
    let leases: Api<Lease> = Api::namespaced(rig.client(), &rig.namespace);
    let holder = async || leases.get("scenario").await.unwrap().spec.unwrap().holder_identity;
    assert_eq!(holder().await.as_deref(), Some("a"));
    stop_a.cancel();
    a.await.unwrap();
    eventually("b leads", async || *terms.lock() == ["a", "-a", "b"]).await;
    assert_eq!(holder().await.as_deref(), Some("b"));
    stop_b.cancel();
    b.await.unwrap();
    assert_eq!(holder().await.unwrap_or_default(), "", "it was given back");
    Ok(())
}

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube_controllers::writing::{Applier, EventRecorder};
use kube_controllers::{Action, ReconcileRequest};
use kube_informer::Lister;
use kube_informer::error::BoxError;
use kube_informer::indexer::by_controller;

struct Context {
    cached: Lister<Deployment>,
    deployments: Applier<Deployment>,
    events: EventRecorder,
}

async fn reconcile(request: ReconcileRequest<ConfigMap, Context>) -> Result<Action, BoxError> {
    let Context { cached, deployments, events } = &*request.context;
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    let foreign = |found: &Deployment| by_controller(found) != map.uid();
    if cached.get_by_key(&request.key).is_ok_and(|found| foreign(&found)) {
        events.warning(&*map, "NotControlled", map.name_any());
        // No event tells this controller that the other owner is gone.
        return Ok(Action::requeue_after(Duration::from_secs(60)));
    }
    // Created, corrected, or left alone: whatever is needed.
    let applied = deployments.apply_owned(&*map, deployment_of(&map)).await?;
    println!("{:?}", applied.object().status);
    Ok(Action::done())
}

//! Bugs by a failed write or a lost answer.

use kube::api::{Patch, PatchParams};

use super::*;

/// The error of a write is logged, and the reconcile ends as if it had succeeded.
#[test]
fn swallowed_error_leaves_the_status_behind() {
    let reconcile: Reconcile = |map, request| swallows_errors(map, request).boxed();
    let scenario = |repaired| operator(repaired, reconcile);
    let wanted = ["conflict", "throttle"];
    finds("a swallowed error", &wanted, scenario, |world: World| async move {
        world.server().create(&cluster(&[]))?;
        world.settle().await?;
        Ok(())
    });
}

async fn swallows_errors(map: Arc<ConfigMap>, request: Request) -> Done {
    let operator = &request.context;
    if setting(&map, "state") == "ready" {
        return Ok(());
    }
    let ready = Patch::Merge(json!({"data": {"state": "ready"}}));
    let done = operator.api::<ConfigMap>().patch(NAME, &PatchParams::default(), &ready).await;
    if operator.repaired {
        done?;
    }
    Ok(())
}

/// After Acto: the operator takes an object that exists already for somebody else's, although its
/// own create has made it, whose answer was lost.
#[test]
fn lost_answer_makes_an_own_object_foreign() {
    let reconcile: Reconcile = |map, request| gives_up_what_exists(map, request).boxed();
    let scenario = |repaired| operator(repaired, reconcile);
    let wanted = ["lose-answer", "crash-after"];
    finds("an own object that exists", &wanted, scenario, |world: World| async move {
        world.server().create(&cluster(&[]))?;
        world.settle().await?;
        Ok(())
    });
}

async fn gives_up_what_exists(map: Arc<ConfigMap>, request: Request) -> Done {
    let operator = &request.context;
    if !setting(&map, "state").is_empty() {
        return Ok(());
    }
    let uid = map.uid().unwrap_or_default();
    let mut wanted = pod("db-0");
    wanted.labels_mut().insert("cluster".into(), uid.clone());
    let state = match operator.api::<Pod>().create(&PostParams::default(), &wanted).await {
        Ok(_) => "ready",
        Err(kube::Error::Api(status)) if status.is_already_exists() => {
            let there = operator.api::<Pod>().get("db-0").await?;
            let own = operator.repaired && there.labels().get("cluster") == Some(&uid);
            if own { "ready" } else { "failed" }
        }
        Err(error) => return Err(error.into()),
    };
    let state = Patch::Merge(json!({"data": {"state": state}}));
    operator.api::<ConfigMap>().patch(NAME, &PatchParams::default(), &state).await?;
    Ok(())
}

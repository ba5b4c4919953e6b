//! Bugs by a state that the operator never observes.

use kube::api::{DeleteParams, Patch, PatchParams};

use super::*;

/// cassandra-operator #398, after Sieve: a volume is deleted when its pod is seen terminating. If
/// the pod is gone at the next list, the volume stays for ever.
#[test]
fn unobserved_deletion_leaves_an_orphan_volume() {
    let reconcile: Reconcile = |map, request| deletes_claims_of_pods(map, request).boxed();
    let scenario = |repaired| operator(repaired, reconcile);
    finds("cassandra-operator #398", &["gap"], scenario, |world: World| async move {
        world.server().create(&cluster(&[("nodes", "1")]))?;
        let mut running = pod("db-0");
        running.spec.get_or_insert_default().node_name = Some("n1".into());
        world.server().create(&running)?;
        world.server().create(&claim("db-0"))?;
        world.settle().await?;
        change(&world, "nodes", "0")?;
        let pods = Api::<Pod>::namespaced(world.server().client(), "shop");
        pods.delete("db-0", &DeleteParams::default()).await?;
        world.settle().await?;
        // The kubelet has ended it.
        world.server().delete(&running)?;
        world.settle().await?;
        Ok(())
    });
}

async fn deletes_claims_of_pods(map: Arc<ConfigMap>, request: Request) -> Done {
    let operator = &request.context;
    let Ok(claim) = operator.claims.namespace("shop").get("db-0") else { return Ok(()) };
    let pod = operator.pods.namespace("shop").get("db-0").ok();
    let unused = match pod {
        Some(pod) => pod.metadata.deletion_timestamp.is_some(),
        None => operator.repaired && count(&map) == 0,
    };
    if unused {
        match operator
            .api::<PersistentVolumeClaim>()
            .delete(&claim.name_any(), &DeleteParams::default())
            .await
        {
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            done => drop(done?),
        }
    }
    Ok(())
}

/// rabbitmq cluster-operator #758, after Sieve: a pod has to restart after a maintenance, which the
/// operator only notices while the spec asks for it.
#[test]
fn unobserved_maintenance_restarts_nothing() {
    let reconcile: Reconcile = |map, request| restarts_after_maintenance(map, request).boxed();
    let scenario = |repaired| operator(repaired, reconcile);
    finds("rabbitmq cluster-operator #758", &["gap"], scenario, |world: World| async move {
        world.server().create(&cluster(&[("maintenance", "0")]))?;
        world.settle().await?;
        change(&world, "maintenance", "1")?;
        change(&world, "rounds", "1")?;
        world.settle().await?;
        change(&world, "maintenance", "0")?;
        world.settle().await?;
        Ok(())
    });
}

async fn restarts_after_maintenance(map: Arc<ConfigMap>, request: Request) -> Done {
    let operator = &request.context;
    let round = match (operator.repaired, setting(&map, "maintenance")) {
        (true, _) => setting(&map, "rounds"),
        (false, "1") => "1",
        _ => return Ok(()),
    };
    if setting(&map, "restarted") != round {
        let note = Patch::Merge(json!({"data": {"restarted": round}}));
        operator.api::<ConfigMap>().patch(NAME, &PatchParams::default(), &note).await?;
    }
    Ok(())
}

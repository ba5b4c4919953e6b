//! Bugs by a stale view.

use kube::api::{DeleteParams, ListParams, Preconditions};

use super::*;

/// casskop #316, after Sieve: a restarted operator lists an old state in which the cluster is being
/// deleted, and deletes the pod of the cluster that has been created since.
#[test]
fn stale_view_of_a_deletion_deletes_a_live_pod() {
    let reconcile: Reconcile = |map, request| deletes_with_its_cluster(map, request).boxed();
    let scenario = |repaired| {
        operator(repaired, reconcile).never("a pod of a live cluster is deleted", |world| {
            let map = world.get::<ConfigMap>("shop", NAME);
            let lives = map.is_some_and(|map| map.metadata.deletion_timestamp.is_none());
            let last = world.just_written().unwrap_or_default();
            let gone = world.get::<Pod>("shop", "db-0").is_none();
            lives && gone && last.starts_with("DELETE ") && last.contains("/pods/")
        })
    };
    finds("casskop #316", &["stale-restart"], scenario, |world: World| async move {
        world.server().create(&cluster(&[("nodes", "1")]))?;
        world.settle().await?;
        world.server().delete(&cluster(&[]))?;
        world.settle().await?;
        world.server().create(&cluster(&[("nodes", "1")]))?;
        world.settle().await?;
        Ok(())
    });
}

async fn deletes_with_its_cluster(map: Arc<ConfigMap>, request: Request) -> Done {
    let operator = &request.context;
    let mut map = (*map).clone();
    if map.metadata.deletion_timestamp.is_none() {
        if map.finalizers().is_empty() {
            map.finalizers_mut().push("example.com/db".into());
            operator.api().replace(NAME, &PostParams::default(), &map).await?;
        }
        operator.ensure(&pod("db-0")).await?;
        return Ok(());
    }
    let pods = operator.api::<Pod>();
    let mut params = DeleteParams::default().grace_period(0);
    if operator.repaired {
        // Read before the cluster is confirmed, so that a delete that comes late misses the pod of
        // a new cluster.
        let uid = pods.get_opt("db-0").await?.and_then(|pod| pod.uid());
        if !is_unchanged(&request, &map).await? {
            return Err("the cluster has changed".into());
        }
        params = params.preconditions(Preconditions { uid, resource_version: None });
    }
    match pods.delete("db-0", &params).await {
        Err(kube::Error::Api(status)) if status.is_not_found() => {}
        done => drop(done?),
    }
    map.finalizers_mut().clear();
    operator.api().replace(NAME, &PostParams::default(), &map).await?;
    Ok(())
}

/// zookeeper-operator #314, after Sieve: the operator compares a live list of volumes with a stale
/// number of replicas, and deletes the volume of a replica that the user has added.
#[test]
fn stale_size_deletes_the_volume_of_a_live_replica() {
    let reconcile: Reconcile = |map, request| keeps_as_many_claims(map, request).boxed();
    let scenario = |repaired| {
        operator(repaired, reconcile).never("a wanted claim is deleted", |world| {
            let wanted = world.get::<ConfigMap>("shop", NAME).map_or(0, |map| count(&map));
            let last = world.just_written().unwrap_or_default();
            (0..wanted).any(|n| last.starts_with("DELETE ") && last.ends_with(&format!("/db-{n}")))
        })
    };
    finds("zookeeper-operator #314", &["stale-restart"], scenario, |world: World| async move {
        world.server().create(&cluster(&[("nodes", "1")]))?;
        world.settle().await?;
        change(&world, "nodes", "2")?;
        world.settle().await?;
        Ok(())
    });
}

async fn keeps_as_many_claims(map: Arc<ConfigMap>, request: Request) -> Done {
    let operator = &request.context;
    for n in 0..count(&map) {
        operator.ensure(&claim(&format!("db-{n}"))).await?;
    }
    let claims = operator.api::<PersistentVolumeClaim>();
    for claim in claims.list(&ListParams::default()).await? {
        let name = claim.name_any();
        let number: usize = name.trim_start_matches("db-").parse()?;
        if number < count(&map) {
            continue;
        }
        if operator.repaired && !is_unchanged(&request, &map).await? {
            return Err("the cluster has changed".into());
        }
        claims.delete(&name, &DeleteParams::default()).await?;
    }
    Ok(())
}

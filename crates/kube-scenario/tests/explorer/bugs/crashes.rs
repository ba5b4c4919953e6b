//! Bugs by a crash between two writes.

use kube::api::{DeleteParams, ListParams, Patch, PatchParams};

use super::*;

/// nifikop #49, after Sieve: the operator creates a pod under a generated name and then notes the
/// name. If it dies in between, it creates a second one.
#[test]
fn crash_before_the_note_leaves_a_second_pod() {
    let reconcile: Reconcile = |map, request| notes_its_pod(map, request).boxed();
    let scenario = |repaired| operator(repaired, reconcile);
    let wanted = ["crash-after", "lose-answer"];
    finds("nifikop #49", &wanted, scenario, |world: World| async move {
        world.server().create(&cluster(&[]))?;
        world.settle().await?;
        Ok(())
    });
}

async fn notes_its_pod(map: Arc<ConfigMap>, request: Request) -> Done {
    let operator = &request.context;
    if !setting(&map, "pod").is_empty() {
        return Ok(());
    }
    let name = if operator.repaired {
        operator.ensure(&pod("db-0")).await?;
        "db-0".into()
    } else {
        let mut pod = pod("");
        (pod.metadata.name, pod.metadata.generate_name) = (None, Some("db-".into()));
        operator.api::<Pod>().create(&PostParams::default(), &pod).await?.name_any()
    };
    note(operator, "pod", if operator.repaired { &name } else { "made" }).await
}

/// Notes a value in the custom resource.
async fn note(operator: &Operator, name: &str, value: &str) -> Done {
    let note = Patch::Merge(json!({"data": {name: value}}));
    operator.api::<ConfigMap>().patch(NAME, &PatchParams::default(), &note).await?;
    Ok(())
}

/// The operator takes the secret of its users as the sign that everything is there. If it dies
/// after the secret, the pod never comes.
#[test]
fn crash_after_the_secret_leaves_no_pod() {
    let reconcile: Reconcile = |_, request| makes_secret_and_pod(request).boxed();
    let scenario = |repaired| operator(repaired, reconcile);
    let wanted = ["crash-after", "crash-before", "lose-answer", "throttle"];
    finds("two creates", &wanted, scenario, |world: World| async move {
        world.server().create(&cluster(&[]))?;
        world.settle().await?;
        Ok(())
    });
}

async fn makes_secret_and_pod(request: Request) -> Done {
    let operator = &request.context;
    if operator.api::<Secret>().get_opt("users").await?.is_none() {
        operator.api().create(&PostParams::default(), &secret("users")).await?;
    } else if !operator.repaired {
        return Ok(());
    }
    operator.ensure(&pod("db-0")).await?;
    Ok(())
}

/// The size before a change is kept in memory. After a crash the operator does not know what it
/// has to take away.
#[test]
fn crash_forgets_the_size_before() {
    let reconcile: Reconcile = |map, request| scales_from_memory(map, request).boxed();
    let scenario = |repaired| operator(repaired, reconcile);
    finds("a size in memory", &["crash-before"], scenario, |world: World| async move {
        world.server().create(&cluster(&[("nodes", "2")]))?;
        world.settle().await?;
        change(&world, "nodes", "1")?;
        world.settle().await?;
        Ok(())
    });
}

async fn scales_from_memory(map: Arc<ConfigMap>, request: Request) -> Done {
    let operator = &request.context;
    let wanted = count(&map);
    for n in 0..wanted {
        operator.ensure(&claim(&format!("db-{n}"))).await?;
    }
    let before = if operator.repaired {
        operator.api::<PersistentVolumeClaim>().list(&ListParams::default()).await?.items.len()
    } else {
        let memory = operator.memory.lock();
        memory.get("size").and_then(|size| size.parse().ok()).unwrap_or(wanted)
    };
    for n in wanted..before {
        let name = format!("db-{n}");
        match operator.api::<PersistentVolumeClaim>().delete(&name, &DeleteParams::default()).await
        {
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            done => drop(done?),
        }
    }
    operator.memory.lock().insert("size".into(), wanted.to_string());
    Ok(())
}

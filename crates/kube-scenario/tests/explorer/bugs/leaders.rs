//! A bug of two leaders at a time.

use super::*;

/// The write of a process that another one has replaced arrives after that of its successor.
#[test]
fn late_write_of_a_former_leader_stays() {
    let reconcile: Reconcile = |map, request| publishes_size(map, request).boxed();
    let scenario = |repaired| operator(repaired, reconcile);
    finds("a late write", &["takeover"], scenario, |world: World| async move {
        world.server().create(&cluster(&[("nodes", "1")]))?;
        world.settle().await?;
        for nodes in ["2", "3"] {
            change(&world, "nodes", nodes)?;
            world.settle().await?;
        }
        Ok(())
    });
}

/// Notes the size in a secret. The repaired operator replaces only the state that it has read, and
/// confirms the size after that.
async fn publishes_size(map: Arc<ConfigMap>, request: Request) -> Done {
    let secrets = request.context.api::<Secret>();
    let Some(mut present) = secrets.get_opt("size").await? else {
        let mut first = secret("size");
        first.labels_mut().insert("nodes".into(), count(&map).to_string());
        secrets.create(&PostParams::default(), &first).await?;
        return Ok(());
    };
    let nodes = count(&map).to_string();
    if present.labels().get("nodes") != Some(&nodes) {
        present.labels_mut().insert("nodes".into(), nodes);
        if !request.context.repaired {
            present.metadata.resource_version = None;
        } else if !is_unchanged(&request, &map).await? {
            return Err("the cluster has changed".into());
        }
        secrets.replace("size", &PostParams::default(), &present).await?;
    }
    Ok(())
}

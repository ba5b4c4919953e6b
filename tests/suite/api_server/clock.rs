//! The server's timestamps follow tokio's clock.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::api::{ApiResource, DeleteParams, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Api, ResourceExt};
use kube_informer::testing::api_server::ResourceType;
use kube_informer::testing::{self, ApiServer};
use serde_json::json;

use super::map;
use crate::helpers::{caught_up, synced};

const HOUR: Duration = Duration::from_secs(3_600);

/// The seconds from `start` to a time.
fn since(start: Timestamp, time: Option<&Time>) -> i64 {
    time.unwrap().0.as_second() - start.as_second()
}

#[tokio::test(start_paused = true)]
async fn times_of_objects_follow_a_paused_clock() {
    let server = ApiServer::new();
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let start = testing::now();
    for hours in 0..3 {
        let mut new = map("a");
        new.metadata.finalizers = Some(vec!["example.com/held".into()]);
        let made = maps.create(&PostParams::default(), &new).await.unwrap();
        assert_eq!(since(start, made.creation_timestamp().as_ref()), hours * 3_600);
        let fields = &made.managed_fields()[0];
        assert_eq!(since(start, fields.time.as_ref()), hours * 3_600);

        tokio::time::sleep(HOUR).await;
        let deleted = maps.delete("a", &DeleteParams::default()).await.unwrap().left().unwrap();
        let deletion = deleted.metadata.deletion_timestamp.as_ref();
        assert_eq!(since(start, deletion), (hours + 1) * 3_600);
        let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        maps.patch("a", &PatchParams::default(), &free).await.unwrap();
    }
    assert_eq!(testing::now().duration_since(start).as_secs(), 3 * 3_600);
}

/// A server without bookmarks, compaction or limits, and one with as much of them as can be.
#[tokio::test(start_paused = true)]
async fn options_at_their_limits_are_taken() {
    for (time, count) in [(Duration::ZERO, 0), (Duration::MAX, usize::MAX)] {
        let server = ApiServer::builder()
            .bookmark_interval(time)
            .compact_after(time)
            .storage_start_delay(time)
            .history_limit(count)
            .max_connections(count)
            .build();
        let gears = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Gear"));
        server.register(ResourceType::from_api_resource(&gears, true));
        server.create(&map("a")).unwrap();
        let maps = synced::<ConfigMap>(server.client()).await;
        server.create(&map("b")).unwrap();
        caught_up(&server, &maps).await;
        assert_eq!(maps.lister().len(), 2);
        maps.shutdown().await;
    }
}

//! The predicates that come with the crate, and the update that marks an object as deleted.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::ObjectMeta;
use kube_controllers::Controller;
use kube_controllers::controller::{
    annotations_changed, generation_changed, labels_changed, version_changed,
};
use kube_informer::object::ContentFilter;
use kube_informer::testing::{ApiServer, now};
use kube_informer::{Cached, CachedEvent, EventRef, InformerSpec, Storage};
use proptest::prelude::*;
use tokio::time::sleep;

use crate::helpers::*;

/// Paths that a program may ignore, up to all metadata.
const IGNORED: [&str; 5] =
    ["data", "metadata", "metadata.deletionTimestamp", "metadata.labels", "metadata.finalizers"];

const PREDICATES: [fn(&EventRef<'_, ConfigMap>) -> bool; 4] =
    [generation_changed, labels_changed, annotations_changed, version_changed];

fn state(version: u8, labelled: u8, annotated: u8) -> ConfigMap {
    let texts = |value: u8| (value > 0).then(|| BTreeMap::from([("a".into(), value.to_string())]));
    let metadata = ObjectMeta {
        uid: Some("u".into()),
        generation: Some(i64::from(version / 2)),
        resource_version: Some(version.to_string()),
        labels: texts(labelled),
        annotations: texts(annotated),
        finalizers: Some(vec!["example.com/cleanup".into()]),
        ..metadata("shop", "a")
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    /// So every conjunction and disjunction of them passes, too.
    #[test]
    fn no_predicate_drops_the_mark_of_a_deletion(
        old in (0..4_u8, 0..2_u8, 0..2_u8),
        new in (0..4_u8, 0..2_u8, 0..2_u8),
        replaced in any::<bool>(),
        ignored in proptest::sample::subsequence(&IGNORED[..], 0..=IGNORED.len()),
    ) {
        let (old, mut new) = (state(old.0, old.1, old.2), state(new.0, new.1, new.2));
        if replaced {
            new.metadata.uid = Some("other".into());
        } else {
            new.metadata.deletion_timestamp = Some(Time(now()));
        }
        let update = EventRef::Updated { old: &old, new: &new };
        for (n, passes) in PREDICATES.iter().enumerate() {
            prop_assert!(passes(&update), "predicate {n}");
        }
        let (old, new) = (Cached::from(Arc::new(old)), Cached::from(Arc::new(new)));
        let update = CachedEvent::Updated { old, new };
        prop_assert!(ContentFilter::<ConfigMap>::ignoring(&ignored).passes(&update));
    }
}

#[tokio::test(start_paused = true)]
async fn joined_predicates_pass_the_mark_of_a_deletion() {
    for storage in [Storage::packed, Storage::decoded] {
        let server = ApiServer::new();
        let mut made = map("a", "1");
        made.metadata.finalizers = Some(vec!["example.com/cleanup".into()]);
        server.create(&made).unwrap();
        let spec = InformerSpec::<ConfigMap>::new().storage(storage());
        let maps = factory(&server).informer_with(spec).unwrap();
        let mut builder = Controller::builder("maps", &maps).content_changed(&IGNORED);
        for predicate in PREDICATES {
            builder = builder.predicate(predicate);
        }
        let noting = Noting::run(builder.build());
        noting.log.reaches(1).await;
        noting.log.take();

        let mut changed = server.list::<ConfigMap>().unwrap().remove(0);
        changed.data = map("a", "2").data;
        server.replace(&changed).unwrap();
        sleep(5 * S).await;
        assert_eq!(noting.log.len(), 0, "the predicates drop updates");
        server.delete(&made).unwrap();
        noting.log.reaches(1).await;
        noting.stop.cancel();
        noting.running.await.unwrap().unwrap();
    }
}

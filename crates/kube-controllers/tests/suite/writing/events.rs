//! Events about objects.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, ObjectReference};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::Resource;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams};
use kube::core::ApiResource;
use kube_controllers::Manager;
use kube_controllers::leader_election::WorkScope;
use kube_controllers::writing::{EventRecorder, NewEvent};
use kube_informer::SharedInformerFactory;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, refusal, spawn};

fn map(name: &str) -> ConfigMap {
    let metadata = json!({"metadata": {"name": name, "namespace": "shop", "uid": name}});
    serde_json::from_value(metadata).unwrap()
}

async fn events(server: &ApiServer) -> Vec<Event> {
    let api = Api::<Event>::all(server.client());
    api.list(&ListParams::default()).await.unwrap().items
}

#[tokio::test(start_paused = true)]
async fn event_has_action_and_related_object() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "site-controller").unwrap();
    let resource = ApiResource::erase::<ConfigMap>(&());
    let site = DynamicObject::new("a", &resource).within("shop");
    let tell = |action: &str, related: &str| {
        let event = NewEvent::warning("Evicted").note("full").action(action);
        let event = event.related(map(related).object_ref(&()));
        recorder.publish(site.object_ref(&resource), event);
    };
    for (action, related) in [("Evict", "b"), ("Evict", "b"), ("Evict", "c"), ("Drain", "c")] {
        tell(action, related);
    }
    recorder.normal(&map("a"), "Scaled", "");
    assert!(recorder.flush(S).await);
    let mut all = events(&server).await;
    assert_eq!(all.len(), 4, "an equal event has the same action and related object");
    all.sort_by_key(|event| event.metadata.name.clone());
    let told = |event: &Event| {
        let name = |object: &Option<ObjectReference>| object.clone().and_then(|object| object.name);
        (event.action.clone().unwrap(), name(&event.regarding), name(&event.related))
    };
    let (a, b) = (Some("a".to_owned()), Some("b".to_owned()));
    assert_eq!(told(&all[0]), ("Evict".into(), a.clone(), b));
    assert_eq!(all[0].series.as_ref().unwrap().count, 2);
    assert_eq!(told(&all[3]), ("Scaled".into(), a, None), "the reason is the default");
}

#[tokio::test(start_paused = true)]
async fn manager_publishes_waiting_events_at_stop() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "site-controller").unwrap();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let last = recorder.clone();
    let task = move |scope: WorkScope| async move {
        scope.token().cancelled().await;
        last.normal(&map("a"), "Stopped", "");
        Ok::<_, kube::Error>(())
    };
    let manager = Manager::builder(&factory).events(recorder).task_on_every_replica("task", task);
    let stop = CancellationToken::new();
    let running = spawn(manager.build().unwrap().run_until(stop.clone()));
    sleep(S).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(events(&server).await.len(), 1, "published before the manager ended");
}

#[tokio::test(start_paused = true)]
async fn equal_events_are_counted() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "site-controller").unwrap();
    for n in 0..3 {
        recorder.normal(&map("a"), "Scaled", format!("to {n}"));
    }
    recorder.warning(&map("a"), "NoImage", "");
    recorder.normal(&map("b"), "Scaled", "é".repeat(1000));
    assert!(recorder.flush(S).await);
    let all = events(&server).await;
    assert_eq!(all.len(), 3);
    let find = |name: &str, reason: &str| {
        let wanted = |event: &&Event| {
            event.reason.as_deref() == Some(reason)
                && event.regarding.as_ref().unwrap().name.as_deref() == Some(name)
        };
        all.iter().find(wanted).unwrap()
    };
    let scaled = find("a", "Scaled");
    assert_eq!(scaled.series.as_ref().unwrap().count, 3);
    assert_eq!(scaled.note.as_deref(), Some("to 0"));
    assert_eq!(scaled.metadata.namespace.as_deref(), Some("shop"));
    let regarding = scaled.regarding.clone().unwrap();
    assert_eq!(
        (regarding.kind.as_deref(), regarding.uid.as_deref()),
        (Some("ConfigMap"), Some("a"))
    );
    assert_eq!(scaled.reporting_controller.as_deref(), Some("site-controller"));
    let warned = find("a", "NoImage");
    assert_eq!((warned.type_.as_deref(), &warned.note), (Some("Warning"), &None));
    assert!(find("b", "Scaled").note.as_ref().unwrap().len() <= 1024);
    let status = recorder.status();
    assert_eq!((status.published, status.dropped, status.filtered), (5, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn spam_about_one_object_is_dropped() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "site-controller").unwrap();
    for n in 0..100 {
        recorder.normal(&map("a"), format!("R{n}"), "");
    }
    recorder.normal(&map("b"), "Scaled", "");
    assert!(recorder.flush(S).await);
    assert_eq!(events(&server).await.len(), 26);
    assert_eq!(recorder.status().filtered, 75);
    sleep(Duration::from_secs(301)).await;
    recorder.normal(&map("a"), "Again", "");
    recorder.normal(&map("a"), "Again", "");
    assert!(recorder.flush(S).await);
    assert_eq!((events(&server).await.len(), recorder.status().filtered), (27, 76));
}

/// An hour without a server: nothing waits but the queue.
#[tokio::test(start_paused = true)]
async fn server_that_is_away_blocks_nobody() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let outage = faults.inject(Requests::all(), Injection::refuse());
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller").unwrap();
    let start = Instant::now();
    for n in 0..2000 {
        recorder.normal(&map(&format!("a-{n}")), "Scaled", "");
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(recorder.status().dropped, 1000);
    assert!(!recorder.flush(60 * S).await);
    assert_eq!(start.elapsed(), 60 * S);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(recorder.status().failed, 1, "the first was tried for two minutes");
    outage.remove();
    assert!(recorder.flush(60 * S).await);
    assert_eq!(events(&server).await.len(), 999);
}

#[tokio::test(start_paused = true)]
async fn refused_events_are_counted_and_the_next_is_sent() {
    let server = ApiServer::new();
    let faults = Faults::new();
    faults.inject(Requests::all().times(1), Injection::status(403));
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller").unwrap();
    let node: Node = serde_json::from_value(json!({"metadata": {"name": "n1"}})).unwrap();
    recorder.normal(&node, "One", "");
    recorder.normal(&node, "Two", "");
    assert!(recorder.flush(S).await);
    let status = recorder.status();
    assert_eq!((status.failed, status.published), (1, 1));
    let all = events(&server).await;
    assert_eq!(all[0].metadata.namespace.as_deref(), Some("default"));

    // An event that has expired cannot be counted again.
    let api = Api::<Event>::namespaced(server.client(), "default");
    api.delete(all[0].metadata.name.as_ref().unwrap(), &DeleteParams::default()).await.unwrap();
    recorder.normal(&node, "Two", "");
    assert!(recorder.flush(S).await);
    assert_eq!((events(&server).await.len(), recorder.status().failed), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn missing_namespace_leaves_other_counts() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let missing = refusal(404, "NotFound", "namespaces \"gone\" not found");
    faults.inject(Requests::all().to("/namespaces/gone/"), Injection::answer(missing));
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller").unwrap();
    let mut gone = map("b");
    gone.metadata.namespace = Some("gone".into());
    for _ in 0..5 {
        recorder.normal(&map("a"), "Scaled", "");
        recorder.normal(&gone, "Scaled", "");
    }
    assert!(recorder.flush(S).await);
    let all = events(&server).await;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].series.as_ref().unwrap().count, 5);
    assert_eq!((recorder.status().published, recorder.status().failed), (5, 5));
}

#[tokio::test(start_paused = true)]
async fn silent_server_holds_an_event_for_two_minutes() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let silence = faults.inject(Requests::all(), Injection::black_hole());
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller").unwrap();
    recorder.normal(&map("a"), "Scaled", "");
    assert!(!recorder.flush(119 * S).await);
    assert!(recorder.flush(2 * S).await);
    assert_eq!(recorder.status().failed, 1);
    silence.remove();
    recorder.normal(&map("a"), "Scaled", "");
    assert!(recorder.flush(S).await);
    assert_eq!(recorder.status().published, 1);
}

/// A second try may find that the first one was carried out.
#[tokio::test(start_paused = true)]
async fn lost_answers_count_once() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller").unwrap();
    for _ in 0..2 {
        faults.inject(Requests::all().times(1), Injection::lose_answer());
        recorder.normal(&map("a"), "Scaled", "");
        assert!(recorder.flush(30 * S).await);
    }
    let all = events(&server).await;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].series.as_ref().unwrap().count, 2);
    assert_eq!((recorder.status().published, recorder.status().failed), (2, 0));
}

/// Its name is another object's, so nothing was published yet.
#[tokio::test(start_paused = true)]
async fn new_name_is_tried_like_the_first() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller").unwrap();
    recorder.normal(&map("a"), "Scaled", "");
    assert!(recorder.flush(S).await);
    let first = events(&server).await.remove(0);
    server.delete(&first).unwrap();
    // The count may have grown or not, and then its event is gone.
    faults.inject(Requests::all().times(1), Injection::status(500));
    let taken = refusal(409, "AlreadyExists", "events \"a.1\" already exists");
    faults.inject(Requests::all().after(2).times(1), Injection::answer(taken));
    recorder.normal(&map("a"), "Scaled", "");
    assert!(recorder.flush(30 * S).await);
    assert_eq!((recorder.status().published, events(&server).await.len()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn abandoned_flushes_take_no_room() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let silence = faults.inject(Requests::all(), Injection::black_hole());
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller").unwrap();
    recorder.normal(&map("a"), "Scaled", "");
    for _ in 0..1100 {
        assert!(!recorder.flush(Duration::from_millis(1)).await);
    }
    for n in 0..1000 {
        recorder.normal(&map(&format!("a-{n}")), "Scaled", "");
    }
    assert_eq!(recorder.status().dropped, 0);
    silence.remove();
    assert!(recorder.flush(60 * S).await);
    assert_eq!(recorder.status().published, 1001);
}

/// A role may have a name that no event can have, and a long name leaves no room for a time.
#[tokio::test(start_paused = true)]
async fn objects_of_any_name_have_events() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "site-controller").unwrap();
    let role = json!({"metadata": {"name": "system:node", "uid": "u"}});
    let role: ClusterRole = serde_json::from_value(role).unwrap();
    let long = map(&"a".repeat(250));
    for _ in 0..2 {
        recorder.normal(&role, "Scaled", "");
        recorder.normal(&long, "Scaled", "");
    }
    assert!(recorder.flush(S).await);
    let status = recorder.status();
    assert_eq!((status.published, status.failed), (4, 0));
    let all = events(&server).await;
    let mut names: Vec<_> =
        all.iter().map(|event| event.regarding.as_ref().unwrap().name.as_deref()).collect();
    names.sort_unstable();
    assert_eq!(names, [long.metadata.name.as_deref(), Some("system:node")]);
    assert!(all.iter().all(|event| event.series.as_ref().unwrap().count == 2));
}

/// More events than the recorder remembers: only the recent ones are counted.
#[tokio::test(start_paused = true)]
async fn forgotten_event_begins_a_new_count() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "site-controller").unwrap();
    let record = |name: &str| recorder.normal(&map(name), "Scaled", "");
    record("first");
    for n in 0..4200 {
        record(&format!("a-{n}"));
        if n % 500 == 0 {
            assert!(recorder.flush(S).await);
        }
    }
    record("a-4199");
    record("first");
    assert!(recorder.flush(S).await);
    assert_eq!(recorder.status().published, 4203);
    assert_eq!(events(&server).await.len(), 4202);
}

//! The timestamps of events and conditions follow the server's clock.

use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::ListParams;
use kube_controllers::writing::EventRecorder;
use kube_controllers::writing::conditions::{self, NewCondition};
use kube_informer::testing::{self, ApiServer};

use crate::helpers::map_in;

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test(start_paused = true)]
async fn events_and_conditions_have_the_servers_time() {
    let server = ApiServer::new();
    tokio::time::sleep(10 * HOUR).await;
    let made = server.create(&map_in("default", "a")).unwrap();
    let now = testing::now();
    let events = EventRecorder::new(server.client(), "test").unwrap();
    events.normal(&map_in("default", "a"), "Made", "");
    assert!(events.flush(HOUR).await);
    let event = Api::<Event>::all(server.client()).list(&ListParams::default()).await.unwrap();
    assert_eq!(event.items[0].event_time.as_ref().unwrap().0.as_second(), now.as_second());
    let mut all = Vec::new();
    conditions::set(&mut all, NewCondition::new("Ready", true, "Made"), None).unwrap();
    assert_eq!(all[0].last_transition_time.0.as_second(), now.as_second());
    drop(made);
}

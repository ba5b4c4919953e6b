//! Health checks of an election.

use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::json;

use super::*;

/// The other process takes a lease of its own name at once, as client-go does.
#[tokio::test(start_paused = true)]
async fn process_of_the_same_identity_is_named() {
    for leads in [true, false] {
        let server = ApiServer::new();
        let leases = Api::<Lease>::namespaced(server.client(), "shop");
        let spec = |renewed: i64| LeaseSpec {
            holder_identity: Some("op".into()),
            lease_duration_seconds: Some(15),
            renew_time: Some(MicroTime(Timestamp::from_second(renewed).unwrap())),
            ..LeaseSpec::default()
        };
        let patch = async |renewed: i64| {
            let patch = Patch::Merge(json!({"spec": spec(renewed)}));
            leases.patch("maps", &PatchParams::default(), &patch).await.unwrap()
        };
        if !leads {
            let metadata = ObjectMeta { name: Some("maps".into()), ..ObjectMeta::default() };
            let lease = Lease { metadata, spec: Some(spec(0)) };
            leases.create(&PostParams::default(), &lease).await.unwrap();
        }
        let faults = Faults::new();
        let client = faults.client(server.client());
        let factory = SharedInformerFactory::builder(client.clone()).build();
        let elector = LeaderElector::builder(client, "shop", "maps").identity("op");
        let manager = Manager::builder(&factory).leader_election(elector.build().unwrap());
        let rig = Rig::run(Serve::new(), faults, manager.rejoins_election(true));
        sleep(5 * S).await;
        assert_eq!(rig.get("/readyz/leader-election").await, (200, "ok".into()));
        for renewed in 1..20 {
            patch(renewed).await;
            sleep(5 * S).await;
        }
        let (status, body) = rig.get("/readyz/leader-election").await;
        assert_eq!(status, if leads { 500 } else { 200 }, "{body}");
        assert!(body.contains("under the identity op of this replica"), "{body}");
        let (_, shown) = rig.get("/status").await;
        assert!(shown.contains("\"same_identity\":true"), "{shown}");
        assert_eq!(rig.status("/livez").await, 200);
        sleep(30 * S).await;
        assert_eq!(rig.get("/readyz").await, (200, "ok".into()));
    }
}

//! Memberships whose Leases others hold, change or refuse.

use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use serde_json::json;

use super::*;
use crate::helpers::{refusal, spawn};

/// Returns the text of the last error.
fn last_error(replica: &Replica) -> String {
    replica.sharding.status().last_error.map(|error| error.to_string()).unwrap_or_default()
}

fn api(server: &ApiServer) -> Api<Lease> {
    Api::namespaced(server.client(), "shop")
}

#[tokio::test(start_paused = true)]
async fn foreign_lease_under_a_slots_name_is_told() {
    let server = ApiServer::new();
    let name = Some("orders-slot-3".to_owned());
    let metadata = ObjectMeta { name, ..ObjectMeta::default() };
    let foreign = Lease { metadata, ..Lease::default() };
    api(&server).create(&PostParams::default(), &foreign).await.unwrap();
    let board = Board::default();
    let replica = Replica::start(&server, &board, 0, Duration::ZERO);
    sleep(Duration::from_secs(1_200)).await;
    assert_eq!(board.shares(), [SLOTS - 1]);
    let status = replica.sharding.status();
    assert!(last_error(&replica).contains("shop/orders-slot-3"), "{status:?}");
    assert!(status.counts.conflicts <= 2 && status.counts.errors > 0, "{status:?}");
    assert!(status.counts.requests < 600 + 150, "{status:?}");
    api(&server).delete("orders-slot-3", &DeleteParams::default()).await.unwrap();
    sleep(Duration::from_secs(20)).await;
    assert_eq!(board.shares(), [SLOTS]);
    replica.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn answer_that_is_no_lease_is_told() {
    let version = "coordination.k8s.io/v1";
    let lease = |metadata: serde_json::Value| json!({"kind": "Lease", "apiVersion": version, "metadata": metadata});
    let other = json!({"name": "other", "namespace": "shop", "uid": "u", "resourceVersion": "5"});
    for body in [json!({}), lease(json!({})), lease(other)] {
        let server = ApiServer::new();
        let board = Board::default();
        let first = Replica::start(&server, &board, 0, Duration::ZERO);
        sleep(Duration::from_secs(5)).await;
        let answer = body.to_string();
        server.intercept(move |request| {
            let writes = request.method == "PUT" && request.target.contains("-slot-");
            let response = http::Response::builder().header("content-type", "application/json");
            writes.then(|| response.body(answer.clone().into()).unwrap())
        });
        let second = Replica::start(&server, &board, 1, Duration::ZERO);
        sleep(Duration::from_secs(10)).await;
        let told = last_error(&first);
        assert!(told.contains("update lease shop/orders-slot-"), "{body}: {told}");
        assert!(told.contains("the answer is not this Lease"), "{body}: {told}");
        server.stop_intercepting();
        sleep(Duration::from_secs(60)).await;
        assert_eq!(board.shares(), [6, 6], "{body}");
        first.stop().await.unwrap();
        second.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn lease_of_an_unknown_role_is_told_once() {
    let server = ApiServer::new();
    let (board, replicas) = three(&server, Duration::ZERO).await;
    let strange = json!({"metadata": {
        "name": "strange",
        "labels": {
            "kube-informer.dev/sharding": "orders",
            "kube-informer.dev/sharding-role": "strange",
        },
        "annotations": {"kube-informer.dev/sharding-configuration": "slots=99 by=uid"},
    }});
    let strange: Lease = serde_json::from_value(strange).unwrap();
    api(&server).create(&PostParams::default(), &strange).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    assert_eq!(board.shares(), [4, 4, 4]);
    for replica in replicas {
        let status = replica.sharding.status();
        assert!(last_error(&replica).contains("shop/strange"), "{status:?}");
        assert_eq!(status.counts.errors, 0, "{status:?}");
        replica.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn slot_lease_without_marks_is_healed() {
    let server = ApiServer::new();
    let (board, replicas) = three(&server, Duration::ZERO).await;
    for marks in [json!({"labels": null}), json!({"annotations": null})] {
        let patch = Patch::Merge(json!({"metadata": marks}));
        for slot in [2, 7] {
            let name = format!("orders-slot-{slot}");
            api(&server).patch(&name, &PatchParams::default(), &patch).await.unwrap();
        }
        sleep(Duration::from_secs(30)).await;
        assert_eq!(board.shares(), [4, 4, 4]);
    }
    let whole = leases(&server).await.into_iter().all(|lease| {
        lease.metadata.labels.is_some_and(|labels| labels.len() == 2)
            && lease.metadata.annotations.is_some()
    });
    assert!(whole);
    for replica in replicas {
        replica.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn server_says_when_to_ask_again() {
    let server = ApiServer::new();
    let board = Board::default();
    let replica = Replica::start(&server, &board, 0, Duration::ZERO);
    let slots = Requests::others().to("/leases");
    let throttle = Injection::throttle(Some(Duration::from_secs(20)));
    let busy = replica.faults.inject(slots.after(1).times(12), throttle);
    sleep(Duration::from_secs(19)).await;
    assert_eq!(board.shares(), [0]);
    busy.remove();
    sleep(Duration::from_secs(8)).await;
    assert_eq!(board.shares(), [SLOTS]);
    replica.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn replicas_of_one_identity_are_told() {
    let server = ApiServer::new();
    let board = Board::default();
    let twins = [0, 0].map(|who| Replica::start(&server, &board, who, Duration::ZERO));
    sleep(Duration::from_secs(60)).await;
    let told = twins.iter().any(|twin| last_error(twin).contains("under the identity r0"));
    assert!(told, "{:?}", twins.each_ref().map(last_error));
    for twin in twins {
        twin.crash().await;
    }
}

#[tokio::test(start_paused = true)]
async fn member_lease_with_a_finalizer_holds_no_slot() {
    let server = ApiServer::new();
    let (board, mut replicas) = three(&server, Duration::ZERO).await;
    let session = replicas[0].sharding.status().session.unwrap();
    let members = leases(&server).await;
    let own = members.iter().find(|lease| lease.metadata.uid.as_deref() == Some(&*session));
    let name = own.unwrap().metadata.name.clone().unwrap();
    let patch = Patch::Merge(json!({"metadata": {"finalizers": ["example.com/kept"]}}));
    api(&server).patch(&name, &PatchParams::default(), &patch).await.unwrap();
    replicas.remove(0).crash().await;
    sleep(Duration::from_secs(30)).await;
    assert_eq!(board.shares(), [0, 6, 6]);
    let told = replicas.iter().all(|replica| last_error(replica).contains(&*name));
    assert!(
        told && last_error(&replicas[0]).contains("finalizers"),
        "{}",
        last_error(&replicas[0])
    );
    for replica in replicas {
        replica.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn hand_set_mark_of_leaving_is_removed() {
    let server = ApiServer::new();
    let board = Board::default();
    let replica = Replica::start(&server, &board, 0, Duration::ZERO);
    sleep(Duration::from_secs(5)).await;
    let members = leases(&server).await;
    let own = members.iter().find(|lease| lease.metadata.name.iter().any(|n| n.contains("member")));
    let name = own.unwrap().metadata.name.clone().unwrap();
    let mark = json!({"metadata": {"annotations": {"kube-informer.dev/sharding-leaving": "true"}}});
    let patch = Patch::Merge(mark);
    api(&server).patch(&name, &PatchParams::default(), &patch).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert!(last_error(&replica).contains("leaves"), "{}", last_error(&replica));
    let own = api(&server).get(&name).await.unwrap();
    assert!(!own.metadata.annotations.unwrap().contains_key("kube-informer.dev/sharding-leaving"));
    assert_eq!(board.shares(), [SLOTS]);
    replica.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn lost_session_is_told_with_its_cause() {
    let server = ApiServer::new();
    let board = Board::default();
    let replica = Replica::start(&server, &board, 0, Duration::ZERO);
    sleep(Duration::from_secs(5)).await;
    let lost = || {
        let status = replica.sharding.status();
        let told = status.last_error.is_some_and(|error| error.to_string().contains(" is lost: "));
        (told, status.counts.losses)
    };
    let members = leases(&server).await.into_iter().filter_map(|lease| lease.metadata.name);
    let name = members.into_iter().find(|name| name.contains("member")).unwrap();
    api(&server).delete(&name, &DeleteParams::default()).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!((lost(), board.shares()), ((true, 1), [SLOTS]));
    assert!(last_error(&replica).contains(&format!("shop/{name}")), "{}", last_error(&replica));
    // The error of a renewal tells more than the loss that follows it.
    replica.faults.inject(Requests::others().to("member"), Injection::status(503));
    sleep(Duration::from_secs(11)).await;
    assert_eq!(lost(), (false, 2));
    assert!(last_error(&replica).contains("503"), "{}", last_error(&replica));
    replica.faults.clear();
    replica.stop().await.unwrap();
}

/// One lost race is ordinary, and a row of them is not.
#[tokio::test(start_paused = true)]
async fn writes_that_lose_each_time_are_told() {
    for (method, part, code) in [
        ("PUT", "slot", 409),
        ("PUT", "slot", 404),
        ("POST", "slot", 409),
        ("POST", "member", 409),
        ("POST", "", 409),
        ("PUT", "member", 404),
    ] {
        let server = ApiServer::new();
        let board = Board::default();
        let replica = Replica::start(&server, &board, 0, Duration::ZERO);
        sleep(Duration::from_secs(5)).await;
        let reason = if code == 409 { "Conflict" } else { "NotFound" };
        server.intercept(move |request| {
            let concerned = request.method == method
                && (method == "POST" || request.target.contains(&format!("-{part}-")));
            concerned.then(|| refusal(code, reason, "denied"))
        });
        // All Leases are gone: the replica joins and takes the slots again.
        for lease in leases(&server).await {
            let name = lease.metadata.name.unwrap();
            api(&server).delete(&name, &DeleteParams::default()).await.unwrap();
        }
        sleep(Duration::from_secs(300)).await;
        let denied = last_error(&replica).contains("denied");
        let joined = replica.sharding.status().session.is_some();
        assert!(denied || joined, "{method} {part} {code}: {}", last_error(&replica));
        let all = board.shares() == [SLOTS];
        assert!(denied || all, "{method} {part} {code}: {:?}", board.shares::<1>());
        server.stop_intercepting();
        replica.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn unanswered_list_costs_seconds() {
    let server = ApiServer::new();
    let board = Board::default();
    let replicas = [0, 1].map(|who| Replica::start(&server, &board, who, Duration::ZERO));
    sleep(Duration::from_secs(40)).await;
    assert_eq!(board.shares(), [6, 6]);
    let away = replicas[0].faults.inject(Requests::all(), Injection::black_hole());
    replicas[0].faults.cut_now();
    sleep(Duration::from_secs(40)).await;
    assert_eq!(board.shares(), [0, SLOTS]);
    away.remove();
    sleep(Duration::from_secs(10)).await;
    assert_eq!(board.shares(), [6, 6]);
    for replica in replicas {
        replica.stop().await.unwrap();
    }
}

/// A member that does not see the others would be given slots, and nobody would work on them.
#[tokio::test(start_paused = true)]
async fn replica_joins_only_with_a_view() {
    let server = ApiServer::new();
    let board = Board::default();
    let views = || {
        let kinds = [Requests::lists(), Requests::streaming_lists(), Requests::watches()];
        kinds.map(|requests| requests.to("/leases"))
    };
    let replicas = [0, 1].map(|who| Replica::start(&server, &board, who, Duration::ZERO));
    sleep(Duration::from_secs(40)).await;
    let first = &replicas[0];
    let away = first.faults.inject(Requests::all(), Injection::black_hole());
    first.faults.cut_now();
    sleep(Duration::from_secs(40)).await;
    // Only the requests about single Leases reach the server again.
    let blind = views().map(|requests| first.faults.inject(requests, Injection::black_hole()));
    away.remove();
    let late = Replica::start(&server, &board, 2, Duration::ZERO);
    let refused = views().map(|requests| late.faults.inject(requests, Injection::status(403)));
    for _ in 0..60 {
        sleep(Duration::from_secs(1)).await;
        assert_eq!(board.shares(), [0, SLOTS, 0]);
        assert_eq!(replicas[1].sharding.status().members.len(), 1);
    }
    assert!(last_error(first).contains("list"), "{}", last_error(first));
    assert!(last_error(&late).contains("403"), "{}", last_error(&late));
    blind.into_iter().chain(refused).for_each(|fault| fault.remove());
    sleep(Duration::from_secs(10)).await;
    assert_eq!(board.shares(), [4, 4, 4]);
    for replica in replicas.into_iter().chain([late]) {
        replica.stop().await.unwrap();
    }
}

/// No replica renews, so no event shows any of them that the server is back.
#[tokio::test(start_paused = true)]
async fn whole_group_returns_after_an_outage() {
    for refuses in [true, false] {
        let server = ApiServer::new();
        let (board, replicas) = three(&server, Duration::ZERO).await;
        let outage = || if refuses { Injection::refuse() } else { Injection::black_hole() };
        for replica in &replicas {
            replica.faults.inject(Requests::all(), outage());
            replica.faults.cut_now();
        }
        sleep(Duration::from_secs(63)).await;
        assert_eq!(board.shares(), [0, 0, 0]);
        for replica in &replicas {
            replica.faults.clear();
        }
        sleep(Duration::from_secs(9)).await;
        assert_eq!(board.shares(), [4, 4, 4], "refuses: {refuses}");
        for replica in replicas {
            replica.stop().await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn status_shows_what_only_requests_follow() {
    let server = ApiServer::new();
    let board = Board::default();
    let spare = Replica::start(&server, &board, 0, Duration::ZERO);
    let slow = Injection::delay(Duration::from_secs(4));
    spare.faults.inject(Requests::others().to("/leases"), slow);
    sleep(Duration::from_secs(1)).await;
    let status = || spare.sharding.status();
    assert!(status().session.is_none() && !status().leaving, "it joins: {:?}", status());
    let sharding = spare.sharding.clone();
    let stopping = spawn(spare.stop());
    sleep(Duration::from_secs(1)).await;
    assert!(sharding.status().leaving, "{:?}", sharding.status());
    stopping.await.unwrap().unwrap();
    assert!(!sharding.status().leaving);
}

/// A claim can move the larger share to its member, whose last plan did not include that.
#[tokio::test(start_paused = true)]
async fn refused_claim_beside_a_restart_leaves_no_free_slot() {
    let claims = || Requests::others().to("-slot-").times(1);
    for slots in [3, 5] {
        for refusal in [Injection::throttle(None), Injection::status(409), Injection::status(500)] {
            let server = ApiServer::new();
            let board = Board::default();
            let start =
                |who| Replica::start_with(&server, &board, who, Duration::ZERO, |b| b.slots(slots));
            let first = start(0);
            sleep(Duration::from_secs(10)).await;
            let second = start(1);
            sleep(Duration::from_secs(30)).await;
            first.crash().await;
            second.faults.inject(claims(), refusal.clone());
            sleep(Duration::from_secs(1)).await;
            let first = start(0);
            sleep(Duration::from_secs(60)).await;
            let status = second.sharding.status();
            assert_eq!(status.free, 0, "{slots} slots, {refusal:?}: {status:?}");
            first.stop().await.unwrap();
            second.stop().await.unwrap();
        }
    }
}

/// A proxy's 404 says nothing about a Lease.
#[tokio::test(start_paused = true)]
async fn not_found_to_a_delete_leaves_no_slot_unowned() {
    let server = ApiServer::new();
    let board = Board::default();
    let first = Replica::start(&server, &board, 0, Duration::ZERO);
    sleep(Duration::from_secs(20)).await;
    // The renewal gets the first, and the delete of the lost session's Lease the second.
    let members = Requests::others().to("-member-").times(2);
    first.faults.inject(members, Injection::status(404));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(board.shares(), [SLOTS]);
    first.stop().await.unwrap();
}

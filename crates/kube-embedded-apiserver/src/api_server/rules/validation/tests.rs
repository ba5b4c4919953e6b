use serde_json::{Value, json};

use super::{KINDS, STATUSES, problems, status_problems};

#[test]
fn odd_bodies_do_no_harm() {
    let odd = [
        json!(null),
        json!([]),
        json!({ "spec": [], "status": 1, "metadata": "", "rules": [1], "subsets": [{}] }),
        json!({ "spec": { "containers": 1, "template": [], "selector": [], "ports": [[]] } }),
    ];
    for object in odd {
        for (version, kind, _) in KINDS.iter().chain(STATUSES) {
            drop(problems(version, kind, &object));
            drop(status_problems(version, kind, &object));
        }
    }
}

#[test]
fn schedules_are_read() {
    let job = |schedule: &str| json!({ "spec": { "schedule": schedule } });
    let found = |schedule: &str| {
        let causes = problems("batch/v1", "CronJob", &job(schedule));
        causes.iter().any(|cause| cause.field() == "spec.schedule")
    };
    for good in ["0 0 * * *", "*/5 1-3 1,2 jan mon", "@daily", "@every 1h", "0 0 ? * *"] {
        assert!(!found(good), "{good}");
    }
    for bad in [
        "",
        "bogus",
        "60 0 * * *",
        "0 24 * * *",
        "0 0 0 * *",
        "5-1 * * * *",
        "*/0 * * * *",
        "@x",
        "TZ=UTC 0 0 * * *",
    ] {
        assert!(found(bad), "{bad}");
    }
}

#[test]
fn many_elements_take_linear_time() {
    let ports: Vec<Value> =
        (0..20_000).map(|n| json!({ "name": format!("p{n}"), "port": 1 })).collect();
    let service = json!({ "spec": { "type": "ClusterIP", "ports": ports } });
    assert!(!problems("v1", "Service", &service).is_empty());
}

//! `audit`: what an informer saw of a cluster, and whether it was right.

#[path = "../../../examples/audit"]
mod example {
    pub(super) mod follow;
    pub(super) mod report;
}

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_informer::testing::ApiServer;
use tokio_util::sync::CancellationToken;

use self::example::follow::{Options, follow};

fn options(kinds: Option<&[&str]>) -> Options {
    Options {
        kinds: kinds.map(|kinds| kinds.iter().map(ToString::to_string).collect()),
        duration: Duration::from_secs(300),
        between_audits: Duration::from_secs(60),
        in_use: || 0,
    }
}

fn map(name: &str, value: usize) -> ConfigMap {
    let metadata = ObjectMeta {
        namespace: Some("shop".into()),
        name: Some(name.into()),
        ..ObjectMeta::default()
    };
    let data = Some([("key".to_owned(), value.to_string())].into());
    ConfigMap { metadata, data, ..ConfigMap::default() }
}

#[tokio::test(start_paused = true)]
async fn report_counts_what_happened_and_only_reads() {
    let server = ApiServer::new();
    for name in ["a", "b"] {
        server.create(&map(name, 0)).unwrap();
    }
    let written = server.clone();
    let writing = async move {
        for n in 1..10 {
            tokio::time::sleep(Duration::from_secs(20)).await;
            written.replace(&map("a", n)).unwrap();
        }
    };
    let options = options(Some(&["configmaps"]));
    let stop = CancellationToken::new();
    let (report, ()) = tokio::join!(follow(server.client(), &options, stop, |_| {}), writing);
    let report = report.unwrap();
    let [maps] = &report.kinds[..] else { panic!("{} kinds", report.kinds.len()) };
    assert_eq!((maps.resource.as_str(), maps.objects), ("configmaps", 2));
    assert_eq!(report.events, 2 + 9);
    assert_eq!((report.audits.len(), report.differences()), (5, 0));
    assert!(report.audits.iter().all(|audit| audit.was_judged() && audit.objects == 2));
    let text = report.markdown();
    assert!(
        text.contains("| audits | 5 with 10 comparisons: 0 differ, 0 could not be judged |"),
        "{text}"
    );
    assert!(report.chart().starts_with("<svg") && report.chart().ends_with("</svg>\n"));
    assert!(server.requests().iter().all(|request| request.method == "GET"));
}

#[tokio::test(start_paused = true)]
async fn metadata_of_every_kind_is_followed_and_the_rules_are_said() {
    let server = ApiServer::new();
    server.create(&map("a", 0)).unwrap();
    let said = std::sync::Arc::new(parking_lot::Mutex::new(Vec::new()));
    let (say, stop) = (said.clone(), CancellationToken::new());
    let all = options(None);
    let report = follow(server.client(), &all, stop, move |line| say.lock().push(line)).await;
    let report = report.unwrap();
    assert!(report.kinds.len() > 20 && report.differences() == 0);
    assert!(said.lock()[0].contains("apiGroups: [\"*\"]"), "{:?}", said.lock());
}

//! Electors and appliers say what is wrong with answers that are refused, too long or no object.

use bytes::Bytes;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::LeaderElector;
use kube_controllers::writing::{Applier, ApplyError};
use kube_informer::error::AnswerTooLarge;
use kube_informer::testing::ApiServer;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{map, spawn, synced};
use crate::hostile::{answer, client, seconds};

#[tokio::test(start_paused = true)]
async fn answer_about_one_object_is_bounded() {
    let spaces = Bytes::from(vec![b' '; 1 << 16]);
    let endless = (0..1_024).fold(answer(200, ""), |answer, _| answer.then(0, spaces.clone()));
    let (client, _) = client(move |_, _| endless.clone());
    let mut elector = LeaderElector::builder(client.clone(), "shop", "x").build().unwrap();
    let leadership = elector.leadership();
    let running = spawn(async move { elector.run(CancellationToken::new(), |_| async {}).await });
    sleep(seconds(10)).await;
    let told = leadership.borrow().last_error.as_ref().unwrap().to_string();
    assert!(told.contains("larger than 16777216 bytes"), "{told}");
    running.abort();

    let server = ApiServer::new();
    let maps = synced::<ConfigMap>(server.client()).await;
    let applier = Applier::builder(client, &maps, "site").build().unwrap();
    let config = map("a", "x");
    let failed = applier.apply(&config).await.unwrap_err();
    let ApplyError::Request { source: kube::Error::Service(cause), .. } = &failed else {
        panic!("{failed}");
    };
    assert!(cause.is::<AnswerTooLarge>() && cause.to_string().contains("16777216"), "{cause}");
}

#[tokio::test(start_paused = true)]
async fn lease_error_quotes_no_object() {
    let secret = json!({"kind": "Secret", "stringData": {"password": "hunter2"}}).to_string();
    for (body, told) in [
        (secret.clone(), "the body is JSON"),
        (format!("[{secret}]"), "the body is JSON"),
        (secret[..secret.len() - 1].to_owned(), "the body is JSON"),
        ("bad gateway".to_owned(), "bad gateway"),
    ] {
        let client = client(move |_, _| answer(502, body.clone())).0;
        let mut elector = LeaderElector::builder(client, "shop", "x").build().unwrap();
        let leadership = elector.leadership();
        let running =
            spawn(async move { elector.run(CancellationToken::new(), |_| async {}).await });
        sleep(seconds(10)).await;
        let text = leadership.borrow().last_error.as_ref().unwrap().to_string();
        assert!(text.contains(told) && !text.contains("hunter2"), "{text}");
        running.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_lease_says_what_to_do() {
    let server = ApiServer::builder().token("t", "nobody", []).anonymous_requests(false).build();
    for (token, remedy) in [("t", "(grant `get` on leases)"), ("old", "check kubeconfig")] {
        let elector = LeaderElector::builder(server.client_with_token(token), "shop", "x");
        let mut elector = elector.build().unwrap();
        let leadership = elector.leadership();
        let running =
            spawn(async move { elector.run(CancellationToken::new(), |_| async {}).await });
        sleep(seconds(10)).await;
        let text = leadership.borrow().last_error.as_ref().unwrap().to_string();
        assert!(text.contains(remedy), "{text}");
        running.abort();
    }
}

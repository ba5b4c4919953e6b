//! The pace of requests about a Lease that the server refuses.

use super::*;
use crate::helpers::refusal;

const STATUSES: [u16; 14] = [400, 401, 403, 404, 405, 408, 409, 410, 412, 422, 429, 500, 503, 504];
const VERBS: [&str; 3] = ["GET", "POST", "PUT"];

/// Answers requests of these verbs with a status. Stops after 1,000, because paused time never
/// passes for an elector that does not wait.
fn refuse(server: &ApiServer, verbs: Vec<&'static str>, code: u16) {
    let mut left = 1_000;
    server.intercept(move |request| {
        (left > 0 && verbs.contains(&request.method.as_str())).then(|| {
            left -= 1;
            refusal(code, "Refused", "refused")
        })
    });
}

/// Every set of the verbs, except the empty one.
fn sets_of_verbs() -> impl Iterator<Item = Vec<&'static str>> {
    (1..1 << VERBS.len()).map(|bits: usize| {
        let chosen = VERBS.iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0);
        chosen.map(|(_, verb)| *verb).collect()
    })
}

#[tokio::test(start_paused = true)]
async fn refused_requests_are_paced() {
    for leads in [false, true] {
        for (code, verbs) in
            STATUSES.into_iter().flat_map(|code| sets_of_verbs().map(move |verbs| (code, verbs)))
        {
            let server = ApiServer::new();
            let timeline = Timeline::default();
            let replica = if leads {
                let replica = Replica::start(&server, &timeline, 0, Duration::ZERO);
                sleep(Duration::from_secs(1)).await;
                assert_eq!(timeline.at_work(), Some(0));
                // The version that the leader knows is outdated, so its next write conflicts.
                let mut edited = lease(&server).await;
                edited.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
                server.replace(&edited).unwrap();
                replica
            } else {
                Replica::start(&server, &timeline, 0, Duration::ZERO)
            };
            refuse(&server, verbs.clone(), code);
            let before = server.requests().len();
            sleep(Duration::from_secs(60)).await;
            let while_refused = server.requests().len() - before;
            replica.stop().await;
            let all = server.requests().len() - before;
            // A minute has 30 periods. An attempt has at most a write, a read and another write.
            assert!(while_refused <= 3 * 31, "{code} {verbs:?} {leads}: {while_refused}");
            assert!(
                all - while_refused <= 3 * 4,
                "{code} {verbs:?} {leads}: {all}, with the release"
            );
        }
    }
}

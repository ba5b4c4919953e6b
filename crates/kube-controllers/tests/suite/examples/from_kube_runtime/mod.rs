//! The steps of the guide's page for users of kube-runtime: each does the same work, and the table
//! says what it asks of the server.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{Client, ResourceExt};
use kube_informer::testing::ApiServer;

use crate::helpers::{S, map, server_with, spawn, until};

mod before {
    use futures::future::BoxFuture;

    include!("before_page.rs");

    pub(super) fn program(client: Client) -> BoxFuture<'static, ()> {
        Box::pin(run(client))
    }

    pub(super) mod fed {
        use super::*;

        include!("fed_page.rs");

        pub(in super::super) fn program(client: Client) -> BoxFuture<'static, ()> {
            run(client).map(Result::unwrap).boxed()
        }

        pub(in super::super) mod beside {
            use super::*;

            include!("beside_page.rs");

            pub(in super::super::super) fn program(client: Client) -> BoxFuture<'static, ()> {
                run(client).map(Result::unwrap).boxed()
            }
        }

        pub(in super::super) mod applied {
            use super::*;

            include!("beside_page.rs");
            include!("applied_page.rs");

            pub(in super::super::super) fn program(client: Client) -> BoxFuture<'static, ()> {
                run(client).map(Result::unwrap).boxed()
            }
        }
    }
}

mod gone {
    use futures::FutureExt;
    use futures::future::BoxFuture;

    include!("gone_page.rs");

    pub(super) fn program(client: Client) -> BoxFuture<'static, ()> {
        run(client, CancellationToken::new()).map(Result::unwrap).boxed()
    }
}

type Program = fn(Client) -> BoxFuture<'static, ()>;

const MAPS: usize = 100;

/// The requests of a program, by kind.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    watches: usize,
    lists: usize,
    writes: usize,
}

/// A program that runs, until it is dropped.
struct Running<'a> {
    server: &'a ApiServer,
    task: tokio::task::JoinHandle<()>,
    seen: usize,
}

impl<'a> Running<'a> {
    fn start(server: &'a ApiServer, program: Program) -> Self {
        let seen = server.requests().len();
        Self { server, task: spawn(program(server.client())), seen }
    }

    /// Waits until there is a secret for each map, and lets half a minute pass. Returns the
    /// requests since the last call.
    async fn copies(&mut self) -> Asked {
        let server = self.server;
        until("the copies", || copied(server)).await;
        tokio::time::sleep(30 * S).await;
        let mut asked = Asked { watches: 0, lists: 0, writes: 0 };
        let requests = server.requests();
        for request in &requests[self.seen..] {
            match request.method.as_str() {
                "GET" if request.watch => asked.watches += 1,
                "GET" => asked.lists += 1,
                _ => asked.writes += 1,
            }
        }
        self.seen = requests.len();
        asked
    }

    async fn end(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
        tokio::time::sleep(S).await;
    }
}

/// Returns whether each map has its secret, and no other secret is there.
fn copied(server: &ApiServer) -> bool {
    let value = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let maps = server.list::<ConfigMap>().unwrap().into_iter();
    let maps = maps.map(|map| (map.name_any(), map.data.unwrap_or_default()["value"].clone()));
    let secrets = server.list::<Secret>().unwrap().into_iter();
    let secrets = secrets
        .map(|secret| (secret.name_any(), value(&secret.data.unwrap_or_default()["value"].0)));
    maps.collect::<BTreeMap<_, _>>() == secrets.collect()
}

/// Runs a program on a server with maps, changes maps and secrets, cuts its watches, and starts it
/// again. Returns the requests of its first start, its writes after the cut, with one change
/// meanwhile, and its writes at the second start.
async fn step(program: Program) -> (Asked, usize, usize) {
    let names: Vec<_> = (0..MAPS).map(|n| format!("m{n:03}")).collect();
    let server = server_with(&names.iter().map(|name| &**name).collect::<Vec<_>>());
    let mut running = Running::start(&server, program);
    let first = running.copies().await;
    server.replace(&map("m007", "2")).unwrap();
    running.copies().await;
    let secrets = server.list::<Secret>().unwrap();
    let secret = secrets.into_iter().find(|secret| secret.name_any() == "m008");
    server.delete(&secret.unwrap()).unwrap();
    running.copies().await;
    server.drop_connections();
    server.replace(&map("m009", "3")).unwrap();
    server.compact();
    let relisted = running.copies().await;
    running.end().await;

    let mut running = Running::start(&server, program);
    let again = running.copies().await;
    running.end().await;
    (first, relisted.writes, again.writes)
}

/// Asserts that the page's table has this row.
fn table_says(step: &str, asked: &(Asked, usize, usize)) {
    let (Asked { watches, lists, writes }, relisted, again) = asked;
    let row = format!("| {step} | {watches} | {lists} | {writes} | {relisted} | {again} |");
    let page = include_str!("../../../../src/docs/coming_from_kube_runtime.md");
    assert!(page.contains(&row), "the page should say {row}");
}

/// Returns whether the program deletes maps that are expired.
async fn expires(program: Program) -> bool {
    let server = server_with(&["a", "b"]);
    let mut running = Running::start(&server, program);
    running.copies().await;
    let mut expired = map("a", "1");
    expired.annotations_mut().insert("example.com/expired".into(), "yes".into());
    server.replace(&expired).unwrap();
    tokio::time::sleep(5 * S).await;
    let left = server.list::<ConfigMap>().unwrap().len();
    running.end().await;
    left == 1
}

#[tokio::test(start_paused = true)]
async fn program_of_kube_runtime_copies() {
    table_says("before", &step(before::program).await);
}

#[tokio::test(start_paused = true)]
async fn informer_feeds_its_controller() {
    table_says("1", &step(before::fed::program).await);
}

#[tokio::test(start_paused = true)]
async fn second_controller_shares_the_informer() {
    table_says("2", &step(before::fed::beside::program).await);
    assert!(expires(before::fed::beside::program).await);
}

#[tokio::test(start_paused = true)]
async fn applier_sends_only_differences() {
    let asked = step(before::fed::applied::program).await;
    assert_eq!((asked.0.writes, asked.1), (MAPS, 1));
    table_says("3", &asked);
    assert!(expires(before::fed::applied::program).await);
}

#[tokio::test(start_paused = true)]
async fn program_without_their_runtime_copies() {
    let asked = step(gone::program).await;
    assert_eq!((asked.0.writes, asked.1), (MAPS, 1));
    table_says("4", &asked);
    assert!(expires(gone::program).await);
}

#[test]
fn page_shows_these_steps() {
    let page = include_str!("../../../../src/docs/coming_from_kube_runtime.md");
    for shown in [
        include_str!("before_page.rs"),
        include_str!("fed_page.rs"),
        include_str!("beside_page.rs"),
        include_str!("applied_page.rs"),
        include_str!("gone_page.rs"),
    ] {
        assert!(page.contains(&format!("{shown}```")), "copy it into the page:\n{shown}");
    }
}

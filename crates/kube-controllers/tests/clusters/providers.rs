//! Providers that panic, end, or are always ready.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use kube_controllers::clusters::{
    Cluster, ClusterConfig, ClusterProvider, Clusters, KubeconfigSecrets,
};
use kube_informer::testing::ApiServer;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::fleet::{Fleet, Seen};
use crate::helpers::log::Log;
use crate::helpers::{S, factory, server_with, until};

type Configs = BTreeMap<Arc<str>, ClusterConfig>;

/// A value that panics when it is dropped.
pub(crate) struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "a bomb went off");
    }
}

/// The end of a provider after its first item.
#[derive(Clone, Copy, Debug)]
enum End {
    AtOnce,
    Panics,
    Ends,
}

/// A provider of one item, whose stream panics when it is dropped.
struct Once(Configs, End);

struct OnceStream(Option<Configs>, End, Bomb);

impl Stream for OnceStream {
    type Item = Configs;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Configs>> {
        match (self.0.take(), self.1) {
            (Some(configs), _) => Poll::Ready(Some(configs)),
            (None, End::Ends) => Poll::Ready(None),
            (None, _) => panic!("no further cluster today"),
        }
    }
}

impl ClusterProvider for Once {
    fn clusters(&self) -> BoxStream<'static, Configs> {
        match self.1 {
            End::AtOnce => panic!("no provider today"),
            end => Box::pin(OnceStream(Some(self.0.clone()), end, Bomb)),
        }
    }
}

fn one(client: kube::Client) -> Configs {
    BTreeMap::from([("east".into(), ClusterConfig::of_client("1", client))])
}

/// Runs clusters for a minute. Returns the log, and the reconciled objects.
async fn run(provider: impl ClusterProvider) -> (String, Vec<String>) {
    let log = Log::default();
    let _guard = log.install(tracing::Level::INFO);
    let (seen, stop) = (Seen::default(), CancellationToken::new());
    let clusters = Clusters::builder(provider).build();
    let following = seen.clone();
    let running = clusters.run(stop.clone(), move |one| following.clone().follow(one));
    let test = async {
        sleep(60 * S).await;
        stop.cancel();
    };
    tokio::join!(running, test);
    (log.text(), seen.all())
}

#[tokio::test(start_paused = true)]
async fn each_end_of_a_provider_is_logged_and_its_clusters_stay() {
    let panics = "the provider of clusters panicked: no further cluster joins or leaves";
    for (end, expected, reason) in [
        (End::AtOnce, panics, "no provider today"),
        (End::Panics, panics, "no further cluster today"),
        (End::Ends, "the provider of clusters has ended: no further cluster", ""),
    ] {
        let (log, seen) = run(Once(one(server_with(&["a"]).client()), end)).await;
        assert_eq!(log.matches(expected).count(), 1, "{end:?}: {log}");
        assert!(log.contains(reason), "{end:?}: {log}");
        let joined: &[&str] = if let End::AtOnce = end { &[] } else { &["shop/a in east"] };
        assert_eq!(seen, joined, "{end:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn informer_of_kubeconfigs_that_has_stopped_is_logged() {
    let hub = factory(&ApiServer::new());
    let secrets = KubeconfigSecrets::new(&hub, "fleet", "cluster=true").unwrap();
    hub.shutdown().await;
    let (log, _) = run(secrets).await;
    assert!(log.contains("the informer of kubeconfigs has stopped"), "{log}");
    assert!(log.contains("the provider of clusters has ended"), "{log}");
}

#[tokio::test(start_paused = true)]
async fn configuration_that_panics_when_dropped_harms_nobody() {
    let (fleet, seen, stop) = (Fleet::new(), Seen::default(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    fleet.join("east", server_with(&["a"]).client());
    let (running, following, token) = (clusters.clone(), seen.clone(), stop.clone());
    let running = tokio::spawn(async move {
        running.run(token, move |one| following.clone().follow(one)).await;
    });
    until("east", || seen.all().len() == 1).await;
    for revision in ["1", "1", "2"] {
        let (client, bomb) = (server_with(&["b"]).client(), Bomb);
        let connect = move || {
            let _bomb = &bomb;
            std::future::ready(Ok(client.clone()))
        };
        fleet.add("west", ClusterConfig::new(revision, connect));
        until("west", || seen.all().len() == 2).await;
    }
    fleet.leave("west");
    until("the leave", || clusters.status().len() == 1).await;
    assert!(!running.is_finished());
    stop.cancel();
    running.await.unwrap();
}

/// A provider that is always ready with the same clusters.
struct Eager(Configs);

impl ClusterProvider for Eager {
    fn clusters(&self) -> BoxStream<'static, Configs> {
        stream::repeat(self.0.clone()).boxed()
    }
}

#[tokio::test]
async fn provider_that_is_always_ready_lets_other_tasks_run() {
    let (stop, joined) = (CancellationToken::new(), CancellationToken::new());
    let clusters = Clusters::builder(Eager(one(server_with(&["a"]).client()))).build();
    let joins = joined.clone();
    let running = clusters.run(stop.clone(), move |cluster: Cluster| {
        joins.cancel();
        async move {
            cluster.stop().cancelled().await;
            Ok::<_, Infallible>(())
        }
    });
    let test = async {
        joined.cancelled().await;
        stop.cancel();
    };
    tokio::join!(running, test);
}

//! A proxy that answers writes in place of the server makes nobody a holder of a Lease.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::pending;
use http::{Method, Request, Response};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kube_controllers::Sharding;
use kube_controllers::leader_election::LeaderElector;
use kube_controllers::sharding::ShardBy;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{MS, S, spawn};

/// The proxy's answer to a replacement, which the server never gets.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// The object that is stored.
    Stored,
    /// The body of the request.
    Echo,
}

/// The present behaviour of a proxy.
#[derive(Clone, Copy, Debug, Default)]
struct Proxy {
    lie: Option<Lie>,
    /// Watches bring nothing.
    silences_watches: bool,
}

fn through(proxy: &Arc<Mutex<Proxy>>, server: &ApiServer) -> Client {
    let (server, proxy) = (server.client(), proxy.clone());
    let service = tower::service_fn(move |request: Request<Body>| {
        let (server, Proxy { lie, silences_watches }) = (server.clone(), *proxy.lock());
        async move {
            let query = request.uri().query().unwrap_or_default();
            if silences_watches && query.contains("watch") {
                pending::<()>().await;
            }
            let Some(lie) = lie.filter(|_| request.method() == Method::PUT) else {
                return Ok(server.send(request).await?);
            };
            let (mut parts, body) = request.into_parts();
            match lie {
                Lie::Stored => {
                    parts.method = Method::GET;
                    Ok(server.send(Request::from_parts(parts, Body::empty())).await?)
                }
                Lie::Echo => {
                    let body = body.collect().await?.to_bytes();
                    Ok::<_, BoxError>(Response::new(Body::from(body)))
                }
            }
        }
    });
    Client::new(service, "shop")
}

#[tokio::test(start_paused = true)]
async fn renewal_kept_by_a_proxy_is_no_renewal() {
    for lie in [Lie::Stored, Lie::Echo] {
        let (server, proxy) = (ApiServer::new(), Arc::new(Mutex::default()));
        let (leaders, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut states = Vec::new();
        for (who, client) in [through(&proxy, &server), server.client()].into_iter().enumerate() {
            let elector = LeaderElector::builder(client, "shop", "x").identity(format!("r{who}"));
            let mut elector = elector.build().unwrap();
            states.push(elector.leadership());
            let (leaders, most) = (leaders.clone(), most.clone());
            spawn(async move {
                let work = |stop: CancellationToken| async move {
                    let now = leaders.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    stop.cancelled().await;
                    leaders.fetch_sub(1, Ordering::SeqCst);
                };
                elector.run(CancellationToken::new(), work).await
            });
            sleep(5 * S).await;
        }
        assert!(states[0].borrow().is_leader);
        proxy.lock().lie = Some(lie);
        sleep(5 * S).await;
        let error = states[0].borrow().last_error.as_ref().unwrap().to_string();
        assert!(error.contains("does a proxy answer"), "{error}");
        sleep(60 * S).await;
        let leading: Vec<_> = states.iter().map(|state| state.borrow().is_leader).collect();
        assert_eq!(leading, [false, true], "{lie:?}");
        assert_eq!(most.load(Ordering::SeqCst), 1, "{lie:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn session_renewed_only_by_a_proxy_ends() {
    const SLOTS: usize = 4;
    for (lie, silences_watches) in
        [Lie::Stored, Lie::Echo].into_iter().flat_map(|lie| [(lie, false), (lie, true)])
    {
        let (server, proxy) = (ApiServer::new(), Arc::new(Mutex::default()));
        let mut replicas = Vec::new();
        for (who, client) in [through(&proxy, &server), server.client()].into_iter().enumerate() {
            let builder = Sharding::builder(client, "shop", "orders", ShardBy::Namespace);
            let sharding = builder.slots(SLOTS).identity(format!("r{who}")).build().unwrap();
            replicas.push(sharding.clone());
            spawn(async move { sharding.run(CancellationToken::new()).await });
        }
        let held = || {
            let places = (0..SLOTS as u64).map(|slot| (u64::MAX / SLOTS as u64) * slot + 1);
            let holds = |sharding: &Sharding, place| {
                sharding.scope(place).is_some_and(|scope| scope.guard().holds())
            };
            let held = places.map(|place| [0, 1].map(|who| holds(&replicas[who], place)));
            held.collect::<Vec<_>>()
        };
        sleep(30 * S).await;
        assert!(held().contains(&[true, false]) && held().contains(&[false, true]));
        *proxy.lock() = Proxy { lie: Some(lie), silences_watches };
        if silences_watches {
            server.drop_connections();
        }
        for _ in 0..600 {
            sleep(100 * MS).await;
            let held = held();
            assert!(!held.contains(&[true, true]), "{lie:?}, {silences_watches}: {held:?}");
        }
        // It may join again with a new Lease, but claims nothing.
        assert!(held().iter().all(|[lied, _]| !lied), "{lie:?}, {silences_watches}");
    }
}

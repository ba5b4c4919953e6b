//! Arguments of the embedded server, of scenarios and of kept caches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::ListParams;
use kube_embedded_apiserver::api_server::{AccessRule, ApiServerBuilder};
use kube_embedded_apiserver::{ApiServer, ControlPlane, Faults, Injection, Requests};
use kube_informer::transport::ApiSource;
use kube_informer::{InformerOptions, SharedInformer, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use kube_scenario::{Program, Scenario};
use tokio::time::{sleep, timeout};

use crate::informer::{map, server};
use crate::{S, Trials, run};

pub(crate) fn try_all(trials: &mut Trials) {
    options(trials);
    faults(trials);
    scenarios(trials);
    caches(trials);
    // Both only wait, between the end and the start of a program of Kubernetes.
    for of in ["ControlPlane::restart_apiserver pause", "ControlPlane::restart_etcd pause"] {
        assert_eq!(trials.rule(of), "any");
    }
    trials.times("ControlPlaneBuilder::grace limit", |it| drop(ControlPlane::builder().grace(it)));
    trials.times("ControlPlaneBuilder::start_timeout limit", |it| {
        drop(ControlPlane::builder().start_timeout(it));
    });
}

/// Follows objects of a server while some are created.
async fn follows(server: &ApiServer, client: kube::Client) {
    server.create(&map("a")).unwrap();
    let source = Arc::new(ApiSource::<ConfigMap>::new(client));
    let informer = SharedInformer::new(source, InformerOptions::new());
    informer.start().unwrap();
    informer.wait_for_sync(60 * S).await.unwrap();
    for name in ["b", "c"] {
        server.create(&map(name)).unwrap();
        sleep(S).await;
    }
    assert_eq!(informer.lister().len(), 3);
    assert!(informer.status().reflector.relists.total() <= 1, "each change leads to a list");
    informer.shutdown().await;
}

fn options(trials: &mut Trials) {
    let serve_with = |set: &dyn Fn(ApiServerBuilder) -> ApiServerBuilder| {
        run(async {
            let server = set(ApiServer::builder()).build();
            follows(&server, server.client()).await;
        });
    };
    trials.sizes("ApiServerBuilder::history_limit changes", |it| {
        serve_with(&|one| one.history_limit(it));
    });
    trials.times("ApiServerBuilder::bookmark_interval interval", |it| {
        serve_with(&|one| one.bookmark_interval(it));
    });
    trials.times("ApiServerBuilder::compact_after time", |it| {
        serve_with(&|one| one.compact_after(it));
    });
    trials.times("ApiServerBuilder::storage_start_delay time", |it| {
        serve_with(&|one| one.storage_start_delay(it));
    });
    trials.sizes("ApiServerBuilder::max_connections connections", |it| {
        serve_with(&|one| one.max_connections(it));
        run(async {
            let server = ApiServer::builder().max_connections(it).build();
            server.listen(("127.0.0.1", 0)).await.unwrap().shutdown().await;
        });
    });
}

fn faults(trials: &mut Trials) {
    // Lists and watches for a second, with an injection.
    let injects = |requests: Requests, injection: Injection| {
        run(async {
            let (server, faults) = (server(), Faults::new());
            faults.inject(requests, injection);
            let client = faults.client(server.client());
            let factory = SharedInformerFactory::builder(client).build();
            let _maps = factory.informer::<ConfigMap>();
            factory.start().unwrap();
            let _late = factory.wait_for_sync(S).await;
            server.create(&map("b")).unwrap();
            sleep(S).await;
        });
    };
    let all = Requests::all;
    let small = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
    trials.times("Injection::delay delay", |it| injects(all(), Injection::delay(it)));
    trials.times("Injection::throttle retry_after", |it| {
        injects(all(), Injection::throttle(Some(it)));
    });
    trials.times("Injection::drip every", |it| injects(all(), Injection::drip(99, it)));
    trials.sizes("Injection::drip bytes", |it| {
        injects(all(), Injection::drip(it, Duration::from_millis(1)));
    });
    trials.numbers("Injection::status code", |it| injects(all(), Injection::status(small(it))));
    trials.numbers("Injection::not_utf8 at", |it| injects(all(), Injection::not_utf8(it)));
    trials.numbers("Injection::poison nth", |it| injects(all(), Injection::poison(it)));
    trials.numbers("Injection::repeat every", |it| injects(all(), Injection::repeat(it, 1)));
    trials.numbers("Injection::repeat later", |it| injects(all(), Injection::repeat(1, it)));
    trials.numbers("Injection::swap every", |it| injects(all(), Injection::swap(it)));
    trials.numbers("Injection::error_event after", |it| {
        injects(all(), Injection::error_event(it, 410));
    });
    trials.numbers("Injection::error_event code", |it| {
        injects(all(), Injection::error_event(0, small(it)));
    });
    trials.numbers("Requests::after requests", |it| {
        injects(all().after(it).times(it), Injection::status(500));
    });
    trials.numbers("Requests::times requests", |it| {
        injects(all().after(1).times(it), Injection::status(500));
    });
    trials.numbers("Injection::one_of_each seed", |it| drop(Injection::one_of_each(it)));
    let drawn = |seed, rate| {
        run(async {
            let (server, faults) = (server(), Faults::new());
            faults.inject_at_random(seed, rate, vec![Injection::status(500)]);
            let maps = Api::<ConfigMap>::all(faults.client(server.client()));
            let mut failed = 0;
            for _ in 0..20 {
                failed += u32::from(maps.list(&ListParams::default()).await.is_err());
            }
            failed
        })
    };
    trials.numbers("Faults::inject_at_random seed", |it| assert_eq!(drawn(it, 1.0), 20));
    trials.shares("Faults::inject_at_random rate", |it| {
        let failed = drawn(7, it);
        let expected = if it >= 1.0 { failed == 20 } else { failed < 20 };
        assert!(expected && (it > 0.0 || failed == 0), "{failed} of 20");
    });
}

async fn nothing(program: Program) -> Result<(), kube_informer::error::BoxError> {
    let maps = Api::<ConfigMap>::namespaced(program.client(), "shop");
    sleep(Duration::from_millis(100)).await;
    maps.create(&kube::api::PostParams::default(), &map("a")).await?;
    std::future::pending().await
}

fn scenarios(trials: &mut Trials) {
    trials.times("Scenario::quiet_for time", |it| {
        run(async {
            let world = Scenario::new(nothing).quiet_for(it).start();
            if timeout(600 * S, world.settle()).await.is_ok_and(|settled| settled.is_ok()) {
                assert!(world.get::<ConfigMap>("shop", "a").is_some(), "it settled at once");
            }
        });
    });
    trials.times("Scenario::settles_within limit", |it| {
        run(async {
            let world = Scenario::new(nothing).settles_within(it).start();
            let _late = timeout(600 * S, world.settle()).await;
        });
    });
    trials.sizes("Scenario::pairs budget", |it| drop(Scenario::new(nothing).pairs(it)));
}

fn caches(trials: &mut Trials) {
    let folder = std::env::temp_dir().join(format!("arguments-{}", std::process::id()));
    let inside = |name: &str| folder.join(name);
    trials.check(
        "WarmCache::open directory",
        [inside("a"), inside(" é\u{7f}"), inside("b/c")],
        [PathBuf::new(), inside("a\0b"), inside(&"a".repeat(300))],
        |it| WarmCache::open(it).is_ok(),
    );
    trials.times("WarmCache::interval interval", |it| {
        run(async {
            let cache = WarmCache::open(inside("d")).unwrap().interval(it);
            let factory = SharedInformerFactory::builder(server().client()).warm(cache).build();
            let _maps = factory.informer::<ConfigMap>();
            factory.start().unwrap();
            factory.wait_for_sync(60 * S).await.unwrap();
            sleep(S).await;
            factory.shutdown().await;
        });
    });
    let _missing = std::fs::remove_dir_all(&folder);
}

#[test]
fn token_that_no_header_holds_is_no_missing_one() {
    run(async {
        let rules = [AccessRule::new(["*"], ["*"])];
        let builder = ApiServer::builder().token("good", "a", rules.clone());
        let server = builder.token("é", "a", rules).build();
        server.grant("system:anonymous", AccessRule::new(["*"], ["*"]));
        let lists = async |token: &str| {
            let maps = Api::<ConfigMap>::all(server.client_with_token(token));
            maps.list(&ListParams::default()).await.map(drop).map_err(|error| error.to_string())
        };
        for token in ["good", "é"] {
            lists(token).await.unwrap();
        }
        for token in ["bad", "a\nb", "a\u{7f}", "good\0"] {
            assert!(lists(token).await.unwrap_err().contains("Unauthorized"), "{token:?}");
        }
    });
}

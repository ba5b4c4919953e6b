//! A client that renews itself, while informers use it.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use http::Request;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, PostParams};
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube_informer::client::renewing_client;
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};

use crate::helpers::{MS, S, factory_of, map, refusal, server_with, spawn};

/// A server that knows one generation of credentials, and clients that are built for it.
#[derive(Clone)]
struct Issuer {
    server: ApiServer,
    /// The generation that the server accepts. Older ones get 401.
    accepted: Arc<AtomicUsize>,
    /// The number of clients that were built.
    built: Arc<AtomicUsize>,
    /// Building waits while this is true.
    held: Arc<AtomicBool>,
    fails: Arc<AtomicBool>,
    /// No connection succeeds while this is true.
    cut: Arc<AtomicBool>,
    /// The end of the credentials of the next client.
    expires: Arc<Mutex<Option<Timestamp>>>,
}

impl Issuer {
    fn new() -> Self {
        Self {
            server: ApiServer::new(),
            accepted: Arc::default(),
            built: Arc::default(),
            held: Arc::default(),
            fails: Arc::default(),
            cut: Arc::default(),
            expires: Arc::default(),
        }
    }

    fn built(&self) -> usize {
        self.built.load(Ordering::Relaxed)
    }

    /// Refuses all clients that were built until now.
    fn expire(&self) {
        self.accepted.store(self.built(), Ordering::Relaxed);
    }

    async fn build(self) -> Result<kube::Client, kube::Error> {
        let generation = self.built.fetch_add(1, Ordering::Relaxed);
        while self.held.load(Ordering::Relaxed) {
            sleep(10 * MS).await;
        }
        if self.fails.load(Ordering::Relaxed) {
            return Err(kube::Error::Service("no credentials".into()));
        }
        let (client, expires) = (self.server.client(), *self.expires.lock());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (this, client) = (self.clone(), client.clone());
            async move {
                if this.cut.load(Ordering::Relaxed) {
                    return Err(kube::Error::Service("certificate of an unknown authority".into()));
                }
                if generation < this.accepted.load(Ordering::Relaxed) {
                    return Ok(refusal(401, "Unauthorized", "Unauthorized").map(Body::from));
                }
                client.send(request).await
            }
        });
        Ok(kube::Client::new(service, "shop").with_valid_until(expires))
    }

    /// Returns a renewing client of this issuer.
    async fn client(&self) -> kube::Client {
        let issuer = self.clone();
        renewing_client(move || issuer.clone().build()).await.unwrap()
    }
}

async fn create(client: &kube::Client, name: &str) -> Result<ConfigMap, kube::Error> {
    let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
    api.create(&PostParams::default(), &map(name, "1")).await
}

#[tokio::test(start_paused = true)]
async fn refused_request_is_sent_again_by_a_new_client() {
    let issuer = Issuer::new();
    let client = issuer.client().await;
    assert_eq!(client.default_namespace(), "shop");
    create(&client, "a").await.unwrap();
    issuer.expire();
    let names: Vec<_> = (0..20).map(|n| format!("b{n}")).collect();
    let created = join_all(names.iter().map(|name| create(&client, name))).await;
    assert!(created.iter().all(Result::is_ok), "{created:?}");
    assert_eq!(issuer.built(), 2, "one renewal for all of them");
    // The new one, too, is refused: its answer is passed on, and nobody builds another at once.
    issuer.accepted.store(usize::MAX, Ordering::Relaxed);
    sleep(10 * S).await;
    for _ in 0..50 {
        let refused = create(&client, "c").await.unwrap_err();
        assert!(matches!(&refused, kube::Error::Api(status) if status.code == 401), "{refused}");
    }
    assert_eq!(issuer.built(), 3);
}

#[tokio::test(start_paused = true)]
async fn renewal_lists_nothing_again() {
    let issuer = Issuer::new();
    let server = issuer.server.clone();
    server.create(&map("a", "1")).unwrap();
    let factory = factory_of(issuer.client().await);
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(10 * S).await.unwrap();
    for round in 0..3 {
        issuer.expire();
        // The open watch goes on; then it ends, and the next one is refused at first.
        server.create(&map(&format!("before-{round}"), "1")).unwrap();
        sleep(S).await;
        assert!(maps.lister().namespace("shop").get(&format!("before-{round}")).is_ok());
        server.drop_connections();
        sleep(30 * S).await;
        server.create(&map(&format!("after-{round}"), "1")).unwrap();
        sleep(S).await;
        assert!(maps.lister().namespace("shop").get(&format!("after-{round}")).is_ok());
    }
    assert_eq!(issuer.built(), 4);
    let status = maps.status().reflector;
    assert_eq!((status.lists, status.relists.total()), (1, 0), "{status:?}");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn renewal_outlives_the_request_that_began_it() {
    let issuer = Issuer::new();
    let client = issuer.client().await;
    issuer.expire();
    issuer.held.store(true, Ordering::Relaxed);
    timeout(S, create(&client, "a")).await.unwrap_err();
    let second = spawn({
        let client = client.clone();
        async move { create(&client, "b").await }
    });
    sleep(S).await;
    issuer.held.store(false, Ordering::Relaxed);
    second.await.unwrap().unwrap();
    assert_eq!(issuer.built(), 2);
}

#[tokio::test(start_paused = true)]
async fn failed_renewal_is_tried_again_with_growing_delay() {
    let issuer = Issuer::new();
    let client = issuer.client().await;
    issuer.expire();
    issuer.fails.store(true, Ordering::Relaxed);
    for _ in 0..100 {
        create(&client, "a").await.unwrap_err();
        sleep(S).await;
    }
    // After 0, 1, 3, 7, 15, 31 and 63 s.
    assert_eq!(issuer.built(), 1 + 7);
    issuer.fails.store(false, Ordering::Relaxed);
    sleep(60 * S).await;
    create(&client, "a").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn broken_connection_renews_at_most_once_per_interval() {
    let issuer = Issuer::new();
    let client = issuer.client().await;
    issuer.cut.store(true, Ordering::Relaxed);
    for _ in 0..100 {
        create(&client, "a").await.unwrap_err();
        sleep(S).await;
    }
    assert!((10..=12).contains(&issuer.built()), "{}", issuer.built());
    issuer.cut.store(false, Ordering::Relaxed);
    create(&client, "a").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn credentials_are_renewed_before_they_expire() {
    let issuer = Issuer::new();
    // It is due now, and has not expired.
    *issuer.expires.lock() = Some(Timestamp::now() + Duration::from_secs(20));
    let client = issuer.client().await;
    *issuer.expires.lock() = None;
    create(&client, "a").await.unwrap();
    assert_eq!(issuer.built(), 1, "not due: a tenth of its time is left only in 18 s");

    let issuer = Issuer::new();
    *issuer.expires.lock() = Some(Timestamp::now());
    let client = issuer.client().await;
    assert_eq!(*client.valid_until(), None, "the renewing client does not expire");
    issuer.held.store(true, Ordering::Relaxed);
    // It has expired: the request waits for the new one, and is not refused first.
    timeout(S, create(&client, "a")).await.unwrap_err();
    issuer.held.store(false, Ordering::Relaxed);
    create(&client, "a").await.unwrap();
    assert_eq!(issuer.built(), 2);
}

#[tokio::test(start_paused = true)]
async fn panic_or_hang_while_building_keeps_the_old_client() {
    let issuer = Issuer::new();
    let (made, calls) = (issuer.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = calls.clone();
    let client = renewing_client(move || {
        let (made, call) = (made.clone(), counted.fetch_add(1, Ordering::Relaxed));
        assert_ne!(call, 1, "the second call");
        async move {
            if call == 2 {
                pending::<()>().await;
            }
            made.build().await
        }
    })
    .await
    .unwrap();
    issuer.accepted.store(1, Ordering::Relaxed);
    create(&client, "a").await.unwrap_err();
    sleep(S).await;
    timeout(50 * S, create(&client, "a")).await.unwrap_err();
    sleep(12 * S).await;
    create(&client, "a").await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn first_client_that_cannot_be_built_is_an_error() {
    let issuer = Issuer::new();
    issuer.fails.store(true, Ordering::Relaxed);
    let made = issuer.clone();
    let error = renewing_client(move || made.clone().build()).await.err().unwrap();
    assert!(error.to_string().contains("no credentials"), "{error}");
}

#[tokio::test]
async fn rotated_authority_interrupts_only_the_watch() {
    let server = server_with(&["a"]);
    let listening = server.listen_tls("127.0.0.1:0").await.unwrap();
    let address = listening.address();
    // The file that a kubelet or an operator's deployment would replace.
    let kubeconfig = Arc::new(Mutex::new(listening.kubeconfig(None)));
    let (read, built) = (kubeconfig.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = built.clone();
    let client = renewing_client(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let kubeconfig = Kubeconfig::from_yaml(&read.lock()).unwrap();
        async {
            let options = KubeConfigOptions::default();
            let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
            kube::Client::try_from(config)
        }
    })
    .await
    .unwrap();
    let factory = factory_of(client);
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(60 * S).await.unwrap();
    // The server comes back with a certificate of a new authority.
    listening.shutdown().await;
    let listening = server.listen_tls(address).await.unwrap();
    *kubeconfig.lock() = listening.kubeconfig(None);
    server.create(&map("b", "1")).unwrap();
    let seen = async {
        while maps.lister().namespace("shop").get("b").is_err() {
            sleep(MS).await;
        }
    };
    timeout(120 * S, seen).await.unwrap();
    assert!(built.load(Ordering::Relaxed) >= 2);
    let status = maps.status().reflector;
    assert_eq!(status.lists, 1, "{status:?}");
    factory.shutdown().await;
}

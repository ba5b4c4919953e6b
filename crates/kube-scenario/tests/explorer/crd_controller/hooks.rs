//! Its webhooks, as the embedded server calls them.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::{Request, Response};
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, Config, Error};
use kube_controllers::Serve;
use kube_controllers::manager::ManagerHandle;
use kube_informer::testing::ApiServer;
use kube_webhooks::{Conversion, ManagedCertificates, Webhooks};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::example::controller;
use super::example::hooks::{install, manifests};
use super::example::website::v1;
use super::*;

const MANIFESTS: &str = include_str!("../../../../../examples/crd_controller/manifests.yaml");

/// A world in which the server calls the webhooks for all clients, and its websites in both
/// versions.
async fn hooked() -> (World, Api<v1::Website>, Api<Website>) {
    let world = world().await;
    world.server().webhook("websites/websites", webhooks().unwrap().service());
    let client = world.server().client();
    let old = Api::namespaced(client.clone(), "shop");
    (world, old, Api::namespaced(client, "shop"))
}

fn old(page: &str, replicas: i32) -> v1::Website {
    v1::Website::new("hello", v1::WebsiteSpec { page: page.into(), replicas })
}

/// Returns the code and message of a refusal.
fn refusal<T>(answer: kube::Result<T>) -> (u16, String) {
    match answer {
        Err(Error::Api(status)) => (status.code, status.message),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("not refused"),
    }
}

#[tokio::test(start_paused = true)]
async fn website_of_v1_is_one_of_v2_with_a_host() {
    let (world, old_sites, sites) = hooked().await;
    old_sites.create(&PostParams::default(), &old("one", 2)).await.unwrap();
    world.settle().await.unwrap();
    let mut expected = spec("one", 2);
    expected.host = Some("hello.shop.example.com".into());
    let stored = sites.get("hello").await.unwrap();
    assert_eq!(stored.spec, expected);
    assert!(stored.annotations().is_empty(), "{:?}", stored.annotations());
    assert_eq!(old_sites.get("hello").await.unwrap().spec, old("one", 2).spec);
    assert_eq!(page(&world).as_deref(), Some("one"));
    let variable = deployment(&world).spec.unwrap().template.spec.unwrap().containers.remove(0);
    assert_eq!(variable.env.unwrap()[0].value, expected.host);
}

#[tokio::test(start_paused = true)]
async fn clients_of_v1_keep_what_they_do_not_know() {
    let (world, old_sites, sites) = hooked().await;
    let mut website = website("one", 1);
    website.spec.pages = [("about.html".to_owned(), "us".to_owned())].into();
    website.spec.host = Some("www.example.com".into());
    sites.create(&PostParams::default(), &website).await.unwrap();

    let mut seen = old_sites.get("hello").await.unwrap();
    seen.spec.page = "two".into();
    old_sites.replace("hello", &PostParams::default(), &seen).await.unwrap();
    let patch = Patch::Merge(json!({"spec": {"replicas": 3}}));
    old_sites.patch("hello", &PatchParams::default(), &patch).await.unwrap();
    world.settle().await.unwrap();
    let stored = sites.get("hello").await.unwrap().spec;
    assert_eq!(stored, WebsiteSpec { home: "two".into(), replicas: 3, ..website.spec });
    let map = world.get::<ConfigMap>("shop", "hello").unwrap().data.unwrap();
    assert_eq!(map["about.html"], "us");
}

#[tokio::test(start_paused = true)]
async fn wrong_website_is_refused_with_the_reason() {
    let (_world, old_sites, sites) = hooked().await;
    let denial = "admission webhook \"validate.websites.websites\" denied the request: ";
    let problem = format!("{denial}spec.replicas is 0, not 1 to 100");
    let create = PostParams::default();
    assert_eq!(refusal(sites.create(&create, &website("one", 0)).await), (422, problem.clone()));
    assert_eq!(refusal(old_sites.create(&create, &old("one", 0)).await), (422, problem.clone()));

    sites.create(&create, &website("one", 1)).await.unwrap();
    let patch = Patch::Merge(json!({"spec": {"pages": {"a/b": ""}}}));
    let (_, message) = refusal(sites.patch("hello", &PatchParams::default(), &patch).await);
    assert_eq!(
        message,
        format!("{denial}spec.pages: \"a/b\" cannot be the name of a further page")
    );
    let zero = Patch::Merge(json!({"spec": {"replicas": 0}}));
    assert_eq!(refusal(old_sites.patch("hello", &PatchParams::default(), &zero).await).1, problem);
}

#[tokio::test(start_paused = true)]
async fn website_from_before_the_webhook_may_get_labels() {
    let (world, _, sites) = hooked().await;
    // Writes of the test process call no webhook.
    world.server().create(&website("one", 0)).unwrap();
    let label = Patch::Merge(json!({"metadata": {"labels": {"team": "web"}}}));
    sites.patch("hello", &PatchParams::default(), &label).await.unwrap();
    let worse = Patch::Merge(json!({"spec": {"replicas": -1}}));
    let (code, _) = refusal(sites.patch("hello", &PatchParams::default(), &worse).await);
    assert_eq!(code, 422);
}

#[tokio::test(start_paused = true)]
async fn manifests_are_what_the_program_installs() {
    assert_eq!(MANIFESTS, manifests(&service("websites")).unwrap(), "print them again");
    let world = world().await;
    let client = world.server().client();
    let all = Api::<CustomResourceDefinition>::all(client.clone());
    let installed = all.get("websites.example.com").await.unwrap().spec;
    let behind = (&webhooks().unwrap(), &service("websites"));
    let printed = definition(Some(behind)).unwrap().spec;
    assert_eq!(installed.versions, printed.versions);
    assert_eq!(installed.conversion, printed.conversion);
    let printed = behind.0.configurations(behind.1).unwrap();
    let mutating = Api::<MutatingWebhookConfiguration>::all(client.clone());
    let mutating = mutating.get("websites.websites").await.unwrap().webhooks.unwrap().remove(0);
    let wanted = printed.mutating.unwrap().webhooks.unwrap().remove(0);
    assert_eq!((mutating.name, mutating.client_config), (wanted.name, wanted.client_config));
    let validating = Api::<ValidatingWebhookConfiguration>::all(client);
    let validating = validating.get("websites.websites").await.unwrap().webhooks.unwrap().remove(0);
    let wanted = printed.validating.unwrap().webhooks.unwrap().remove(0);
    assert_eq!((validating.name, validating.client_config), (wanted.name, wanted.client_config));
}

#[test]
fn conversions_lose_nothing() {
    let conversion = Conversion::<Website>::hub().version::<v1::Website>();
    let mut rich = website("one", 2);
    rich.spec.pages = [("about.html".to_owned(), String::new())].into();
    for host in [None, Some(String::new()), Some("www.example.com".to_owned())] {
        rich.spec.host = host;
        conversion.check_round_trips(&rich).unwrap();
    }
    rich.spec.pages.clear();
    conversion.check_round_trips(&rich).unwrap();
    conversion.check_round_trips(&old("", 0)).unwrap();
}

/// A Service: it reaches the webhooks only while the pod is ready.
async fn behind_a_service(
    manager: Arc<OnceLock<ManagerHandle>>,
    webhooks: Webhooks,
    review: Request<Bytes>,
) -> Response<Bytes> {
    let addresses = manager.get().and_then(ManagerHandle::addresses);
    let ready = async {
        let config = Config::new(format!("http://{}", addresses?.health).parse().ok()?);
        let probe = Request::get("/readyz").body(Vec::new()).ok()?;
        Client::try_from(config).ok()?.request_text(probe).await.ok()
    };
    if ready.await.is_some() {
        return webhooks.service()(review).await;
    }
    Response::builder().status(503).body("no endpoints".into()).unwrap()
}

/// In real time, because ports are.
#[tokio::test]
async fn program_whose_list_needs_its_own_conversion_becomes_ready() {
    let server = ApiServer::new();
    let client = server.client();
    let (webhooks, service) = (webhooks().unwrap(), service("websites"));
    let handle = Arc::new(OnceLock::new());
    let (manager, gated) = (handle.clone(), webhooks.clone());
    server.webhook("websites/websites", move |review| {
        behind_a_service(manager.clone(), gated.clone(), review)
    });
    // An older release stores them as v1.
    let mut older = definition(Some((&webhooks, &service))).unwrap();
    for version in &mut older.spec.versions {
        version.storage = version.name == "v1";
    }
    server.create(&older).unwrap();
    let sites = Api::<v1::Website>::namespaced(client.clone(), "shop");
    sites.create(&PostParams::default(), &old("one", 1)).await.unwrap();

    install(&client, Some((&webhooks, &service))).await.unwrap();
    let any = ([127, 0, 0, 1], 0);
    let certificates = ManagedCertificates::new(client.clone(), service, "websites-webhooks");
    let listening = webhooks.listen(any, certificates.into()).await.unwrap();
    let serve = Serve::new().health_address(any).metrics_address(any);
    let manager = controller::manager(client.clone()).unwrap().webhooks(listening).serve(serve);
    let manager = manager.build().unwrap();
    let _first = handle.set(manager.handle());
    let stop = CancellationToken::new();
    let running = tokio::spawn(manager.run_until(stop.clone()));

    let maps = Api::<ConfigMap>::namespaced(client, "shop");
    let made = timeout(Duration::from_secs(120), async {
        while maps.get_opt("hello").await.unwrap().is_none() {
            sleep(Duration::from_millis(50)).await;
        }
    });
    let made = made.await;
    let status = webhooks.status();
    assert!(made.is_ok(), "the program never became ready: {status:?}");
    let convert = status.hooks.iter().find(|hook| hook.path == "/convert").unwrap();
    assert!(convert.allowed > 0, "the list needed no conversion");
    stop.cancel();
    running.await.unwrap().unwrap();
}

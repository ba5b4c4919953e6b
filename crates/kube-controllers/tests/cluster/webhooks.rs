//! The webhooks of the example `crd_controller` on a real API server, which reaches them by URL.

#[path = "../../../../examples/crd_controller/hooks.rs"]
#[expect(dead_code, reason = "this program registers by URL")]
mod hooks;
#[path = "../../../../examples/crd_controller/website.rs"]
mod website;

use std::fmt::Debug;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::crd::merge_crds;
use kube::{Api, Client, CustomResourceExt, Resource, ResourceExt};
use kube_embedded_apiserver::ControlPlane;
use kube_embedded_apiserver::control_plane::ControlPlaneError;
use kube_webhooks::{Certificates, Webhooks, WebhooksStatus};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{interval, sleep};
use tokio_util::sync::CancellationToken;

use self::website::{v1, v2};
use super::harness::{Outcome, Skip, Trial};
use super::rig::eventually;

/// The field manager of the example.
const MANAGER: &str = "websites.example.com";

pub(crate) const TRIALS: &[(&str, Trial)] = &[
    ("webhooks::a_real_server_converts_defaults_and_validates", || judges().boxed_local()),
    ("webhooks::a_renewed_certificate_refuses_nobody", || renews().boxed_local()),
];

/// The time in which a program has to start, also on a machine with much else to do.
const START: Duration = Duration::from_secs(100);

/// A control plane that calls the example's webhooks.
struct Hooked {
    plane: ControlPlane,
    client: Client,
    webhooks: Webhooks,
    stop: CancellationToken,
}

impl Hooked {
    async fn start() -> Result<Self, Skip> {
        let plane = match ControlPlane::builder().start_timeout(START).start().await {
            Ok(plane) => plane,
            Err(ControlPlaneError::Missing(missing)) => return Err(Skip(missing.to_string())),
            Err(error) => panic!("{error}"),
        };
        // Each certificate in the control plane's folder is valid for all names of the loopback.
        use_certificate(plane.folder(), "etcd");
        let file = |name: &str| plane.folder().join(name);
        let certificates = Certificates::files(file("hooks.crt"), file("hooks.key"));
        let certificates = certificates.poll(Duration::from_millis(100));
        let webhooks = hooks::webhooks().expect("the example's webhooks");
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = webhooks.listen(address, certificates).await.expect("a free port");
        let address = server.address();
        let stop = CancellationToken::new();
        tokio::spawn(server.run(stop.clone()));
        let authority = fs::read(file("authority.crt")).expect("an authority");
        let client = plane.client().await.expect("a client");
        register(&client, &webhooks, address, &authority).await;
        Ok(Self { plane, client, webhooks, stop })
    }

    fn status(&self) -> WebhooksStatus {
        self.webhooks.status()
    }
}

impl Drop for Hooked {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Has the webhooks serve one of the control plane's certificates. Each file is replaced at once,
/// by a rename.
fn use_certificate(folder: &Path, name: &str) {
    for kind in ["key", "crt"] {
        let (copy, place) = (folder.join("copy"), folder.join("hooks").with_extension(kind));
        fs::copy(folder.join(name).with_extension(kind), &copy).expect("it can be copied");
        fs::rename(copy, place).expect("it can be renamed");
    }
}

/// Writes the example's definition and configurations, with the address in place of a Service.
async fn register(client: &Client, webhooks: &Webhooks, address: SocketAddr, authority: &[u8]) {
    let service = kube_webhooks::Service::new("websites", "websites");
    let by_url = |config: &WebhookClientConfig| {
        let path = config.service.as_ref().and_then(|service| service.path.as_deref());
        WebhookClientConfig {
            ca_bundle: Some(ByteString(authority.to_vec())),
            service: None,
            url: Some(format!("https://{address}{}", path.expect("each has a path"))),
        }
    };
    let configurations = webhooks.configurations(&service);
    let mut definition =
        merge_crds(vec![v1::Website::crd(), v2::Website::crd()], "v2").expect("two versions");
    for (_, conversion) in configurations.conversions {
        let mut conversion = conversion;
        let config = &mut conversion["webhook"]["clientConfig"];
        let parsed = serde_json::from_value(config.take()).expect("it is well-formed");
        *config = serde_json::to_value(by_url(&parsed)).expect("it is serialised");
        definition.spec.conversion =
            Some(serde_json::from_value(conversion).expect("it is well-formed"));
    }
    let params = PostParams::default();
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    definitions.create(&params, &definition).await.expect("the definition is new");
    let mut mutating = configurations.mutating.expect("there is a default");
    for hook in mutating.webhooks.iter_mut().flatten() {
        hook.client_config = by_url(&hook.client_config);
    }
    let api = Api::<MutatingWebhookConfiguration>::all(client.clone());
    api.create(&params, &mutating).await.expect("it is new");
    let mut validating = configurations.validating.expect("there is a validation");
    for hook in validating.webhooks.iter_mut().flatten() {
        hook.client_config = by_url(&hook.client_config);
    }
    let api = Api::<ValidatingWebhookConfiguration>::all(client.clone());
    api.create(&params, &validating).await.expect("it is new");

    // An API server learns of each configuration by a watch of its own. A dry run stores nothing.
    let websites = Api::<v2::Website>::default_namespaced(client.clone());
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    eventually("websites have a host, and wrong ones are refused", async || {
        let defaulted = websites.create(&dry, &website("probe", 1)).await;
        let refused = websites.create(&dry, &website("probe", 0)).await;
        defaulted.is_ok_and(|made| made.spec.host.is_some()) && refused.is_err()
    })
    .await;
}

/// Writes the authority into both configurations, `times` times. An API server keeps its
/// connections to a webhook until the authority changes.
async fn trust(client: &Client, authority: &[u8], times: usize) {
    let by = PatchParams::default();
    let bundle = ByteString(authority.repeat(times));
    let validating = Api::<ValidatingWebhookConfiguration>::all(client.clone());
    let mutating = Api::<MutatingWebhookConfiguration>::all(client.clone());
    for name in names(&validating).await {
        let place = "/webhooks/0/clientConfig/caBundle";
        let change = json!([{ "op": "replace", "path": place, "value": bundle }]);
        let patch = Patch::Json::<()>(serde_json::from_value(change).expect("it is well-formed"));
        validating.patch(&name, &by, &patch).await.expect("it has one webhook");
        mutating.patch(&name, &by, &patch).await.expect("it has one webhook of this name");
    }
}

fn website(name: &str, replicas: i32) -> v2::Website {
    let spec = v2::WebsiteSpec { home: "one".into(), pages: [].into(), host: None, replicas };
    v2::Website::new(name, spec)
}

async fn names<K>(api: &Api<K>) -> Vec<String>
where
    K: Resource + Clone + Debug + DeserializeOwned,
{
    let listed = api.list(&ListParams::default()).await.expect("it lists");
    listed.iter().map(ResourceExt::name_any).collect()
}

async fn judges() -> Outcome {
    let hooked = Hooked::start().await?;
    let websites = Api::<v2::Website>::default_namespaced(hooked.client.clone());
    let old_websites = Api::<v1::Website>::default_namespaced(hooked.client.clone());
    let params = PostParams::default();

    // From v1 to v2, with the default.
    let old = v1::WebsiteSpec { page: "one".into(), replicas: 2 };
    let made = old_websites.create(&params, &v1::Website::new("hello", old.clone())).await;
    assert_eq!(made.expect("it is created").spec, old);
    let stored = websites.get("hello").await.expect("it is there");
    let host = Some("hello.default.example.com".to_owned());
    let mut expected = v2::WebsiteSpec { host, ..website("hello", 2).spec };
    expected.home = "one".into();
    assert_eq!(stored.spec, expected);

    // A client of v1 keeps what it does not know, also of an object of v2.
    let mut rich = website("rich", 1);
    rich.spec.pages = [("about.html".to_owned(), "us".to_owned())].into();
    websites.create(&params, &rich).await.expect("it is created");
    let mut seen = old_websites.get("rich").await.expect("it is there");
    assert_eq!(seen.spec.page, "one");
    seen.spec.page = "two".into();
    old_websites.replace("rich", &params, &seen).await.expect("nobody else writes");
    let stored = websites.get("rich").await.expect("it is there");
    assert_eq!((&*stored.spec.home, stored.spec.pages), ("two", rich.spec.pages));
    assert_eq!(stored.spec.host.as_deref(), Some("rich.default.example.com"));
    assert_eq!(names(&old_websites).await, ["hello", "rich"]);

    // Updates: a patch in each version, a wrong patch, and a patch of an object that was wrong
    // before.
    let patch = |replicas: i32| Patch::Merge(json!({ "spec": { "replicas": replicas } }));
    let by = PatchParams::default();
    let patched = old_websites.patch("hello", &by, &patch(5)).await.expect("it is right");
    assert_eq!(patched.spec.replicas, 5);
    for refused in [
        websites.patch("hello", &by, &patch(101)).await.map(|_| ()),
        old_websites.patch("hello", &by, &patch(0)).await.map(|_| ()),
        websites.create(&params, &website("wrong", -1)).await.map(|_| ()),
    ] {
        match refused {
            Err(kube::Error::Api(status)) if status.code == 422 => {
                assert!(status.message.contains("not 1 to 100"), "{}", status.message);
                let causes = &status.details.as_ref().expect("details").causes;
                assert_eq!(causes[0].field, "spec.replicas");
            }
            other => panic!("not refused: {other:?}"),
        }
    }

    // A dry run is judged, defaulted, and leaves nothing.
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let tried = websites.create(&dry, &website("dry", 1)).await.expect("it is right");
    assert_eq!(tried.spec.host.as_deref(), Some("dry.default.example.com"));
    assert!(websites.create(&dry, &website("dry", 0)).await.is_err());
    let left = websites.get_opt("dry").await.expect("an answer");
    assert!(left.is_none(), "a dry run was stored");

    // Apply by the server, through both versions.
    let metadata = ObjectMeta { name: Some("applied".into()), ..ObjectMeta::default() };
    let applied = v1::Website { metadata, ..v1::Website::new("applied", old) };
    let apply = PatchParams::apply(MANAGER);
    old_websites.patch("applied", &apply, &Patch::Apply(&applied)).await.expect("it is right");
    let stored = websites.get("applied").await.expect("it is there");
    assert_eq!(stored.spec.host.as_deref(), Some("applied.default.example.com"));

    for hook in hooked.status().hooks {
        assert_eq!(hook.failed, 0, "{hook:?}");
        assert!(hook.allowed > 0, "{hook:?}");
    }
    Ok(())
}

/// The time between two requests, the time for which requests are sent, and the maximum number
/// under way, so that a slow machine asks less often.
const PERIOD: Duration = Duration::from_millis(10);
const LENGTH: Duration = Duration::from_secs(12);
const AT_ONCE: usize = 20;

async fn renews() -> Outcome {
    let hooked = Hooked::start().await?;
    let websites = Api::<v2::Website>::default_namespaced(hooked.client.clone());
    let before = hooked.status().certificate.exchanged;
    let ask = |n: usize| {
        let websites = websites.clone();
        tokio::spawn(async move {
            let dry = PostParams { dry_run: true, ..PostParams::default() };
            websites.create(&dry, &website(&format!("site-{n}"), 1)).await
        })
    };
    let authority = fs::read(hooked.plane.folder().join("authority.crt")).expect("an authority");
    let mut renewing = JoinSet::new();
    let begun = Instant::now();
    let allowed = |answer: Option<Result<kube::Result<v2::Website>, JoinError>>| {
        let answer = answer.expect("one was under way").expect("it does not panic");
        answer.expect("no request is refused").spec.host.is_some()
    };
    let (mut ticks, mut asked, mut made) = (interval(PERIOD), FuturesUnordered::new(), 0_usize);
    let mut certificates = ["etcd-client", "apiserver", "etcd"].into_iter().enumerate();
    let mut next = certificates.next();
    let mut sent = 0;
    while begun.elapsed() < LENGTH {
        ticks.tick().await;
        if asked.len() == AT_ONCE {
            made += usize::from(allowed(asked.next().await));
        }
        asked.push(ask(sent));
        sent += 1;
        let share = |n: usize| LENGTH / 4 * u32::try_from(n + 1).expect("a small number");
        if let Some((n, name)) = next.filter(|(n, _)| begun.elapsed() >= share(*n)) {
            use_certificate(hooked.plane.folder(), name);
            let (client, authority) = (hooked.client.clone(), authority.clone());
            // A certificate serves a tenth of a second after its files were replaced.
            renewing.spawn(async move {
                sleep(Duration::from_millis(500)).await;
                trust(&client, &authority, n + 2).await;
            });
            next = certificates.next();
        }
    }
    while !asked.is_empty() {
        made += usize::from(allowed(asked.next().await));
    }
    let took = begun.elapsed();
    assert_eq!(made, sent, "each has a host");
    renewing.join_all().await;
    eventually("all three certificates served", async || {
        sleep(Duration::from_millis(50)).await;
        hooked.status().certificate.exchanged == before + 3
    })
    .await;
    let status = hooked.status();
    assert_eq!(status.certificate.problem, None);
    for hook in status.hooks {
        assert_eq!(hook.failed, 0, "{hook:?}");
    }
    println!("{made} requests in {took:.1?}, three certificates renewed, none refused");
    Ok(())
}

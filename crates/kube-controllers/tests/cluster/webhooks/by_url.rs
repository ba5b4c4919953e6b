//! Webhooks that an API server reaches by URL, with certificates from files that are exchanged.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use futures::stream::{FuturesUnordered, StreamExt};
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::crd::merge_crds;
use kube::{Api, Client, CustomResourceExt};
use kube_webhooks::{Certificates, Webhooks};
use serde_json::json;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{interval, sleep};
use tokio_util::sync::CancellationToken;

use super::website::{v1, v2};
use super::{Hooked, called, hooks, names, start, website};
use crate::harness::{Outcome, Skip};
use crate::rig::eventually;

pub(super) async fn hooked() -> Result<Hooked, Skip> {
    let (plane, client) = start(&[]).await?;
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
    register(&client, &webhooks, address, &authority).await;
    Ok(Hooked { plane, client, webhooks, stop })
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
    let configurations = webhooks.configurations(&service).expect("the names are valid");
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
    called(client).await;
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

/// The time between two requests, the time for which requests are sent, and the maximum number
/// under way, so that a slow machine asks less often.
const PERIOD: Duration = Duration::from_millis(10);
const LENGTH: Duration = Duration::from_secs(12);
const AT_ONCE: usize = 20;

pub(super) async fn renews() -> Outcome {
    let hooked = hooked().await?;
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

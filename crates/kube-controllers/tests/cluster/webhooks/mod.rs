//! The webhooks of the example `crd_controller` on a real API server, which reaches them by URL, by
//! the address of a Service, or by the endpoints of one.

mod by_service;
mod by_url;
#[path = "../../../../../examples/crd_controller/hooks.rs"]
#[expect(dead_code, reason = "the example also prints its manifests")]
mod hooks;
#[path = "../../../../../examples/crd_controller/website.rs"]
mod website;

use std::fmt::Debug;
use std::time::Duration;

use futures::FutureExt;
use kube::api::{ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource, ResourceExt};
use kube_embedded_apiserver::ControlPlane;
use kube_embedded_apiserver::control_plane::ControlPlaneError;
use kube_webhooks::{Webhooks, WebhooksStatus};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::by_service::Route;
use self::website::{v1, v2};
use super::harness::{Outcome, Skip, Trial};
use super::rig::eventually;

/// The field manager of the example.
const MANAGER: &str = "websites.example.com";

pub(crate) const TRIALS: &[(&str, Trial)] = &[
    ("webhooks::a_real_server_converts_defaults_and_validates", || {
        async { judges(&by_url::hooked().await?).await }.boxed_local()
    }),
    ("webhooks::a_renewed_certificate_refuses_nobody", || by_url::renews().boxed_local()),
    ("webhooks::a_service_is_reached_by_its_address_through_renewals", || {
        async {
            let hooked = by_service::hooked(Route::Address).await?;
            judges(&hooked).await?;
            by_service::renews(&hooked).await
        }
        .boxed_local()
    }),
    ("webhooks::a_service_is_reached_by_its_endpoints", || {
        async { judges(&by_service::hooked(Route::Endpoints).await?).await }.boxed_local()
    }),
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
    fn status(&self) -> WebhooksStatus {
        self.webhooks.status()
    }
}

impl Drop for Hooked {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Starts a control plane whose API server has these further flags. Its client tries nothing twice,
/// so that each refusal is seen.
async fn start(flags: &[(&str, &str)]) -> Result<(ControlPlane, Client), Skip> {
    let builder = ControlPlane::builder().start_timeout(START);
    let builder =
        flags.iter().fold(builder, |builder, (name, value)| builder.apiserver_flag(*name, *value));
    let plane = match builder.start().await {
        Ok(plane) => plane,
        Err(ControlPlaneError::Missing(missing)) => return Err(Skip(missing.to_string())),
        Err(error) => panic!("{error}"),
    };
    let mut config = plane.config().await.expect("a configuration");
    config.default_retry = false;
    Ok((plane, Client::try_from(config).expect("a client")))
}

/// Waits until the API server calls the webhooks. It learns of each configuration by a watch of its
/// own. A dry run stores nothing.
async fn called(client: &Client) {
    let websites = Api::<v2::Website>::default_namespaced(client.clone());
    let old_websites = Api::<v1::Website>::default_namespaced(client.clone());
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let old = v1::WebsiteSpec { page: "one".into(), replicas: 1 };
    let old = v1::Website::new("probe", old);
    eventually("websites are converted and have a host, and wrong ones are refused", async || {
        let defaulted = websites.create(&dry, &website("probe", 1)).await;
        let refused = websites.create(&dry, &website("probe", 0)).await;
        let converted = old_websites.create(&dry, &old).await;
        defaulted.is_ok_and(|made| made.spec.host.is_some())
            && refused.is_err_and(|error| error.to_string().contains("not 1 to 100"))
            && converted.is_ok()
    })
    .await;
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

async fn judges(hooked: &Hooked) -> Outcome {
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

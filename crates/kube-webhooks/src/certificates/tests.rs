use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use kube_embedded_apiserver::ApiServer;
use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, KeyPair, SanType,
    date_time_ymd,
};
use serde_json::{Value, json};

use super::issue::{check, issue, split};
use super::managed::Keeper;
use super::rotation::{Content, Step, Terms};
use super::*;
use crate::{Admission, Service};

const DAY: Duration = Duration::from_secs(86_400);

fn terms() -> Terms {
    Terms {
        host: "hooks.shop.svc".to_owned(),
        lifetime: 90 * DAY,
        overlap: Duration::from_secs(600),
    }
}

fn written(step: Step) -> Content {
    match step {
        Step::Write(content) => content,
        Step::Rest => panic!("nothing is written"),
    }
}

fn first(now: SystemTime) -> Content {
    written(Content::default().step(&terms(), now, None, None).unwrap())
}

fn accepts(content: &Content, certificate: &str, at: SystemTime) -> bool {
    check(certificate, &content.authorities, "hooks.shop.svc", at).is_ok()
}

#[test]
fn certificate_is_accepted_for_its_host_and_time() {
    let now = SystemTime::now();
    let issued = issue("hooks.shop.svc", now, 90 * DAY).unwrap();
    let accepted = |host: &str, at| check(&issued.certificate, &issued.authority, host, at).is_ok();
    assert!(accepted("hooks.shop.svc", now));
    assert!(accepted("hooks.shop.svc", now - Duration::from_secs(3_000)), "clocks differ");
    assert!(!accepted("hooks.shop.svc", now + 91 * DAY));
    assert!(!accepted("hooks.other.svc", now));
    let other = issue("hooks.shop.svc", now, 90 * DAY).unwrap();
    assert!(check(&issued.certificate, &other.authority, "hooks.shop.svc", now).is_err());
}

#[test]
fn new_authority_is_known_before_its_certificate_serves() {
    let now = SystemTime::now();
    let made = first(now);
    assert!(accepts(&made, &made.certificate, now));
    assert_eq!(made.step(&terms(), now + 59 * DAY, None, None).unwrap(), Step::Rest);

    let now = now + 61 * DAY;
    let staged = written(made.step(&terms(), now, None, None).unwrap());
    assert_eq!((&staged.certificate, &staged.key), (&made.certificate, &made.key));
    let (next, _) = staged.next.clone().unwrap();
    assert_eq!(split(&staged.authorities).count(), 2);
    assert!(accepts(&staged, &made.certificate, now) && accepts(&staged, &next, now));

    let minutes = |minutes: u64| Some(Duration::from_secs(60 * minutes));
    for published in [None, minutes(0), minutes(9)] {
        assert_eq!(staged.step(&terms(), now, published, None).unwrap(), Step::Rest);
    }
    let promoted = written(staged.step(&terms(), now, minutes(10), None).unwrap());
    assert_eq!((&promoted.certificate, &promoted.next), (&next, &None));
    assert_eq!(promoted.authorities, staged.authorities);
    assert_eq!(promoted.step(&terms(), now, minutes(10), None).unwrap(), Step::Rest);

    let again = written(promoted.step(&terms(), now + 61 * DAY, None, None).unwrap());
    assert_eq!(split(&again.authorities).count(), 2, "the first authority is gone");
}

#[test]
fn unpublished_authority_does_not_outwait_the_certificate() {
    let now = SystemTime::now();
    let made = first(now);
    let staged = written(made.step(&terms(), now + 61 * DAY, None, None).unwrap());
    let end = now + 90 * DAY - Duration::from_secs(300);
    let promoted = written(staged.step(&terms(), end, None, None).unwrap());
    assert_eq!(promoted.certificate, staged.next.unwrap().0);
}

#[test]
fn pair_that_cannot_serve_is_replaced() {
    let now = SystemTime::now();
    let made = first(now);
    let other_host = Terms { host: "other.shop.svc".to_owned(), ..terms() };
    let other_key = Content { key: first(now).key, ..made.clone() };
    let no_authority = Content { authorities: String::new(), ..made.clone() };
    for (content, terms, now) in [
        (&made, terms(), now + 91 * DAY),
        (&made, other_host, now),
        (&other_key, terms(), now),
        (&no_authority, terms(), now),
    ] {
        let replaced = written(content.step(&terms, now, None, None).unwrap());
        assert_ne!(replaced.certificate, made.certificate);
        assert_eq!(replaced.step(&terms, now, None, None).unwrap(), Step::Rest);
    }
    let mut data = BTreeMap::new();
    made.write(&mut data);
    assert_eq!(Content::read(&data), made);
}

fn webhooks() -> Webhooks {
    let allow = async |_: Admission<ConfigMap>| Ok(());
    Webhooks::builder().validate("/v", allow).build().unwrap()
}

fn service() -> Service {
    Service::new("default", "hooks")
}

fn keeper(server: &ApiServer, webhooks: &Webhooks) -> Keeper {
    let options = ManagedCertificates::new(server.client(), service(), "hooks");
    Keeper::new(options, webhooks)
}

async fn configure(server: &ApiServer, webhooks: &Webhooks) -> Api<ValidatingWebhookConfiguration> {
    let configurations = Api::all(server.client());
    let configuration = webhooks.configurations(&service()).unwrap().validating.unwrap();
    configurations.create(&PostParams::default(), &configuration).await.unwrap();
    configurations
}

async fn bundle(configurations: &Api<ValidatingWebhookConfiguration>) -> Option<String> {
    let found = configurations.get("hooks.default").await.unwrap();
    let bundle = found.webhooks.unwrap().remove(0).client_config.ca_bundle?;
    Some(String::from_utf8(bundle.0).unwrap())
}

#[tokio::test]
async fn replicas_agree_on_one_certificate() {
    let server = ApiServer::new();
    let configurations = configure(&server, &webhooks()).await;
    let now = SystemTime::now();
    let slots: Vec<Slot> = (0..3).map(|_| Slot::default()).collect();
    let steps = slots.iter().map(|slot| {
        let mut keeper = keeper(&server, &webhooks());
        async move { keeper.step(slot, now).await }
    });
    for result in futures::future::join_all(steps).await {
        result.unwrap();
    }
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    let secret = secrets.get("hooks").await.unwrap();
    assert_eq!(secret.type_.as_deref(), Some("kubernetes.io/tls"));
    let content = Content::read(&secret.data.unwrap());
    for slot in &slots {
        assert!(slot.serves(content.certificate.as_bytes()));
    }
    assert_eq!(bundle(&configurations).await, Some(content.authorities));
}

#[tokio::test(start_paused = true)]
async fn rotation_publishes_waits_and_serves() {
    let server = ApiServer::new();
    let webhooks = webhooks();
    let configurations = configure(&server, &webhooks).await;
    let (slot, now) = (Slot::default(), SystemTime::now());
    let mut keeper = keeper(&server, &webhooks);
    keeper.step(&slot, now).await.unwrap();
    let before = bundle(&configurations).await.unwrap();

    let now = now + 61 * DAY;
    keeper.step(&slot, now).await.unwrap();
    let both = bundle(&configurations).await.unwrap();
    assert!(both.starts_with(&before) && split(&both).count() == 2);
    tokio::time::advance(Duration::from_secs(599)).await;
    keeper.step(&slot, now).await.unwrap();
    assert_eq!(slot.status().exchanged, 1);
    tokio::time::advance(Duration::from_secs(1)).await;
    keeper.step(&slot, now).await.unwrap();
    assert_eq!(slot.status().exchanged, 2);
    assert_eq!(bundle(&configurations).await, Some(both));
}

#[tokio::test(start_paused = true)]
async fn authority_that_others_remove_comes_back() {
    let server = ApiServer::new();
    let webhooks = webhooks();
    let configurations = configure(&server, &webhooks).await;
    let (slot, now) = (Slot::default(), SystemTime::now());
    let mut keeper = keeper(&server, &webhooks);
    keeper.step(&slot, now).await.unwrap();
    let before = bundle(&configurations).await;

    let mut others = configurations.get("hooks.default").await.unwrap();
    others.webhooks.as_mut().unwrap()[0].client_config.ca_bundle = None;
    configurations.replace("hooks.default", &PostParams::default(), &others).await.unwrap();
    assert_eq!(bundle(&configurations).await, None);
    keeper.step(&slot, now).await.unwrap();
    assert_eq!(bundle(&configurations).await, before);
    assert_eq!(slot.status().rewritten, 1);
}

#[tokio::test]
async fn missing_configuration_is_told_and_does_not_stop_serving() {
    let server = ApiServer::new();
    let slot = Slot::default();
    let mut keeper = keeper(&server, &webhooks());
    let error = keeper.step(&slot, SystemTime::now()).await.unwrap_err().to_string();
    let start = "cannot read the ValidatingWebhookConfiguration hooks.default: ";
    assert!(error.starts_with(start), "{error}");
    assert_eq!(slot.check(SystemTime::now()), Ok(()));
}

/// Creates a definition with two versions. Returns the interface of definitions.
async fn define(server: &ApiServer, conversion: Value) -> Api<DynamicObject> {
    let version = |name: &str| {
        json!({
            "name": name,
            "served": true,
            "storage": name == "v1",
            "schema": { "openAPIV3Schema": {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": true,
            } },
        })
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [version("v1"), version("v2")],
            "conversion": conversion,
        },
    });
    let kind =
        kube::core::GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let api = ApiResource::from_gvk(&kind);
    let definitions: Api<DynamicObject> = Api::all_with(server.client(), &api);
    let definition = serde_json::from_value(definition).unwrap();
    definitions.create(&PostParams::default(), &definition).await.unwrap();
    definitions
}

fn converting() -> Webhooks {
    let hub = GroupVersionKind::gvk("example.com", "v2", "Widget");
    let conversion = crate::Conversion::dynamic_hub(&hub, "widgets").dynamic("v1", Ok, Ok);
    let allow = async |_: Admission<ConfigMap>| Ok(());
    let webhooks = Webhooks::builder().convert("/convert", conversion).validate("/v", allow);
    webhooks.build().unwrap()
}

#[tokio::test]
async fn applied_configurations_get_the_authority_and_keep_it() {
    let server = ApiServer::new();
    let definitions = define(&server, json!({ "strategy": "None" })).await;
    let webhooks = converting();
    let mut keeper = keeper(&server, &webhooks);
    let early = keeper.step(&Slot::default(), SystemTime::now()).await.unwrap_err().to_string();
    assert!(early.contains("widgets.example.com does not convert by a webhook"), "{early}");

    let configurations = webhooks.configurations(&service()).unwrap();
    configurations.apply(&server.client()).await.unwrap();
    keeper.step(&Slot::default(), SystemTime::now()).await.unwrap();
    configurations.apply(&server.client()).await.unwrap();
    let found = definitions.get("widgets.example.com").await.unwrap();
    let conversion = &found.data["spec"]["conversion"];
    assert_eq!(conversion["strategy"], "Webhook");
    assert!(conversion["webhook"]["clientConfig"]["caBundle"].is_string(), "{conversion}");
    assert_eq!(conversion["webhook"]["clientConfig"]["service"]["path"], "/convert");
    assert!(bundle(&Api::all(server.client())).await.is_some());
}

#[tokio::test]
async fn missing_definition_is_not_created() {
    let server = ApiServer::new();
    let applied = converting().configurations(&service()).unwrap().apply(&server.client()).await;
    let error = applied.unwrap_err().to_string();
    let start = "cannot apply the CustomResourceDefinition widgets.example.com: ";
    assert!(error.starts_with(start), "{error}");
}

#[tokio::test(start_paused = true)]
async fn serving_pair_outlives_its_secret() {
    let server = ApiServer::new();
    let webhooks = webhooks();
    let configurations = configure(&server, &webhooks).await;
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    let (slots, now) = ([Slot::default(), Slot::default()], SystemTime::now());
    let mut keepers = [keeper(&server, &webhooks), keeper(&server, &webhooks)];
    for (keeper, slot) in keepers.iter_mut().zip(&slots) {
        keeper.step(slot, now).await.unwrap();
    }
    let content = async || Content::read(&secrets.get("hooks").await.unwrap().data.unwrap());
    let made = content().await;
    for edited in [None, Some("ca.crt"), Some("tls.key")] {
        match edited {
            None => drop(secrets.delete("hooks", &DeleteParams::default()).await.unwrap()),
            Some(key) => {
                let mut secret = secrets.get("hooks").await.unwrap();
                secret.data.get_or_insert_default().insert(key.to_owned(), ByteString::default());
                secrets.replace("hooks", &PostParams::default(), &secret).await.unwrap();
            }
        }
        for (keeper, slot) in keepers.iter_mut().zip(&slots) {
            keeper.step(slot, now).await.unwrap();
            let authorities = bundle(&configurations).await.unwrap();
            let trusted = check(&made.certificate, &authorities, "hooks.default.svc", now);
            assert!(trusted.is_ok(), "{edited:?}: the serving pair is not trusted");
            assert!(slot.serves(made.certificate.as_bytes()), "{edited:?}");
        }
        assert!(content().await.next.is_some());
    }
    tokio::time::advance(Duration::from_secs(600)).await;
    keepers[0].step(&slots[0], now).await.unwrap();
    assert!(!slots[0].serves(made.certificate.as_bytes()), "the next pair serves");
}

#[tokio::test]
async fn missing_webhook_does_not_keep_the_authority_from_others() {
    let server = ApiServer::new();
    let configurations = configure(&server, &webhooks()).await;
    let allow = async |_: Admission<ConfigMap>| Ok(());
    let newer = Webhooks::builder().validate("/v", allow).validate("/w", allow).build().unwrap();
    let step = keeper(&server, &newer).step(&Slot::default(), SystemTime::now()).await;
    let error = step.unwrap_err().to_string();
    let missing = "the ValidatingWebhookConfiguration hooks.default has no webhook w.hooks.default";
    assert_eq!(error, missing);
    assert!(bundle(&configurations).await.is_some());
}

#[test]
fn key_that_no_longer_fits_is_told() {
    let (slot, now) = (Slot::default(), SystemTime::now());
    let made = first(now);
    let chain = made.certificate.as_bytes();
    slot.set(chain, made.key.as_bytes(), now).unwrap();
    assert!(slot.set(chain, first(now).key.as_bytes(), now).is_err());
    assert!(slot.set(chain, b"", now).is_err());
    slot.set(chain, made.key.as_bytes(), now).unwrap();
    assert_eq!(slot.status().exchanged, 1);
}

/// Makes a certificate that signs itself, and its key, as PEM.
fn signed(change: impl FnOnce(&mut CertificateParams)) -> (String, String) {
    let mut params = CertificateParams::new(vec!["hooks.shop.svc".to_owned()]).unwrap();
    change(&mut params);
    let key = KeyPair::generate().unwrap();
    (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
}

/// It would serve, and every API server would end the handshake.
#[test]
fn certificate_that_no_api_server_accepts_does_not_serve() {
    let now = SystemTime::now();
    let (slot, made) = (Slot::default(), first(now));
    slot.set(made.certificate.as_bytes(), made.key.as_bytes(), now).unwrap();
    let no_certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let (good, key) = signed(|_| {});
    let (future, future_key) = signed(|params| params.not_before = date_time_ymd(3000, 1, 1));
    let refused = [
        (signed(|params| params.not_after = date_time_ymd(1970, 1, 1)), "it ends before it begins"),
        (
            signed(|params| {
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
            }),
            "its extended key usage lacks `serverAuth`",
        ),
        (signed(|params| params.subject_alt_names.clear()), "it has no name of a host"),
        (
            signed(|params| {
                let mail = "a@example.com".try_into().unwrap();
                params.subject_alt_names = vec![SanType::Rfc822Name(mail)];
            }),
            "it has no name of a host",
        ),
        ((future.clone(), future_key), "it is not valid before 3000-01-01T00:00:00Z"),
        ((good.clone() + &future, key.clone()), "it is not valid before 3000-01-01T00:00:00Z"),
        ((good.clone() + no_certificate, key.clone()), "the certificate 2 of 2 in the chain"),
    ];
    for ((chain, key), reason) in refused {
        let refused =
            slot.set(chain.as_bytes(), key.as_bytes(), now).expect_err(reason).to_string();
        assert!(refused.contains(reason), "{refused}");
        assert!(slot.serves(made.certificate.as_bytes()), "{reason}");
    }
    let any = ExtendedKeyUsagePurpose::Any;
    let accepted = [
        (good, key),
        signed(|params| params.extended_key_usages = vec![any]),
        signed(|params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained)),
        signed(|params| params.not_after = date_time_ymd(9999, 12, 31)),
    ];
    for (chain, key) in accepted {
        slot.set(chain.as_bytes(), key.as_bytes(), now).unwrap();
        assert!(slot.serves(chain.as_bytes()));
    }
}

/// An older state of a Secret may come back.
#[test]
fn expired_certificate_takes_no_valid_ones_place() {
    let now = SystemTime::now();
    let (slot, [old, new]) = (Slot::default(), [now - 91 * DAY, now].map(first));
    let set = |content: &Content, now| {
        slot.set(content.certificate.as_bytes(), content.key.as_bytes(), now)
    };
    set(&old, now).unwrap();
    set(&new, now).unwrap();
    let refused = set(&old, now).unwrap_err().to_string();
    assert!(refused.ends_with(", so the last one serves on"), "{refused}");
    assert!(slot.serves(new.certificate.as_bytes()));
    set(&old, now + 91 * DAY).unwrap();
}

/// Go reads no such line breaks, and an API server would trust nobody.
#[test]
fn authorities_are_published_in_one_form() {
    let now = SystemTime::now();
    let made = first(now);
    let mut data = BTreeMap::new();
    made.write(&mut data);
    let odd = format!("a text\n{}", made.authorities.replace('\n', "\r\r\n"));
    data.insert("ca.crt".to_owned(), ByteString(odd.into_bytes()));
    let read = Content::read(&data);
    assert_eq!(read, made);
    assert_eq!(read.step(&terms(), now, None, None).unwrap(), Step::Rest);
}

/// Otherwise, each would replace the other's pair for ever.
#[test]
fn secret_of_another_service_is_told() {
    let now = SystemTime::now();
    let other = Terms { host: "other.shop.svc".to_owned(), ..terms() };
    let made = first(now);
    let theirs = written(made.step(&other, now, None, None).unwrap());
    let refused = theirs.step(&terms(), now, None, Some(&made)).unwrap_err().to_string();
    assert!(refused.contains("other.shop.svc"), "{refused}");
    assert!(refused.ends_with("give each Service a Secret of its own"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn expiry_is_told_with_file_and_time() {
    let folder = std::env::temp_dir().join(format!("kube-webhooks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, now) = (folder.join("tls.crt"), SystemTime::now());
    let write = |made: SystemTime, lifetime| {
        let issued = issue("hooks.shop.svc", made, lifetime).unwrap();
        std::fs::write(&file, issued.certificate).unwrap();
        std::fs::write(folder.join("tls.key"), issued.key).unwrap();
    };
    let webhooks = webhooks();
    let status = async || {
        tokio::time::sleep(Duration::from_secs(15)).await;
        webhooks.status().certificate
    };
    write(now - 91 * DAY, 90 * DAY);
    let (certificates, followed) = (Certificates::folder(&folder), webhooks.clone());
    let following = tokio::spawn(async move { certificates.follow(&followed).await });

    let expired = status().await;
    let (problem, end) = (expired.problem.unwrap(), expired.not_after.unwrap());
    let start = format!("the certificate in {} expired at {end}, so", file.display());
    assert!(problem.starts_with(&start), "{problem}");
    assert!(problem.ends_with(": renew it: a new one serves without a restart"), "{problem}");
    assert_eq!(webhooks.check_reachable(), Err(problem));

    write(now, DAY / 2);
    let soon = status().await;
    let start = format!("the certificate in {} expires at ", file.display());
    assert!(soon.problem.is_some_and(|problem| problem.starts_with(&start)));
    assert_eq!(webhooks.check_reachable(), Ok(()));

    write(now, 90 * DAY);
    let renewed = status().await;
    assert_eq!((renewed.problem, renewed.failed, renewed.exchanged), (None, 0, 3));

    std::fs::write(folder.join("tls.key"), "").unwrap();
    let problem = status().await.problem.unwrap();
    assert!(problem.contains("tls.crt") && problem.contains("tls.key"), "{problem}");
    following.abort();
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Otherwise, each step would fail for ever.
#[tokio::test]
async fn names_that_no_server_takes_are_refused_before_the_port_is_bound() {
    let webhooks = Webhooks::builder().build().unwrap();
    let listen = async |service: Service, secret: &str| {
        let certificates = ManagedCertificates::new(ApiServer::new().client(), service, secret);
        let listening = webhooks.listen(([127, 0, 0, 1], 0), certificates.into()).await;
        listening.map(drop).map_err(|error| error.to_string())
    };
    let service = || Service::new("shop", "hooks");
    assert_eq!(listen(service(), "a.b-c").await, Ok(()));
    assert_eq!(listen(service().configuration("a.b"), "certs").await, Ok(()));
    let long = "a".repeat(64);
    for name in ["", " ", "A", "-a", "a.", "a..b", "a_b", "a/b", "..", "a%2fb", "a?b", "a\nb", "é"]
    {
        for refused in [
            listen(Service::new(name, "hooks"), "certs").await,
            listen(Service::new("shop", name), "certs").await,
            listen(service(), name).await,
            listen(service().configuration(name), "certs").await,
        ] {
            let refused = refused.expect_err(name);
            assert!(refused.contains(&format!("{name:?}")), "{refused}");
            assert!(refused.contains("must be an RFC 1123 "), "{refused}");
        }
    }
    for name in ["a.b", &long] {
        listen(Service::new(name, "hooks"), "certs").await.unwrap_err();
        listen(Service::new("shop", name), "certs").await.unwrap_err();
        assert_eq!(listen(service(), name).await, Ok(()));
    }
    listen(service().port(0), "certs").await.unwrap_err();
}

/// Without the limits, dates overflow, and the next pair serves before API servers know it.
#[tokio::test(start_paused = true)]
async fn times_without_bounds_are_limited() {
    let server = ApiServer::new();
    let webhooks = webhooks();
    configure(&server, &webhooks).await;
    let (slot, now, minute) = (Slot::default(), SystemTime::now(), Duration::from_secs(60));
    for (name, lifetime) in [("long", Duration::MAX), ("short", Duration::ZERO)] {
        let options = ManagedCertificates::new(server.client(), service(), name);
        let options = options.lifetime(lifetime).overlap(Duration::MAX);
        let mut keeper = Keeper::new(options, &webhooks);
        keeper.step(&slot, now).await.unwrap();
        keeper.step(&slot, now + 41 * minute).await.unwrap();
        let secrets: Api<Secret> = Api::namespaced(server.client(), service().namespace());
        let made = secrets.get(name).await.unwrap().data.unwrap();
        assert_eq!(made.contains_key("next.crt"), name == "short");
        keeper.step(&slot, now + 42 * minute).await.unwrap();
        assert_eq!(secrets.get(name).await.unwrap().data.unwrap(), made);
    }
}

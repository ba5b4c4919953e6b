//! Arguments of webhooks.

use std::collections::BTreeMap;
use std::path::PathBuf;

use k8s_openapi::api::admissionregistration::v1::RuleWithOperations;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube_webhooks::{
    Admission, BoxError, Certificates, Conversion, Hook, ManagedCertificates, Refusal, Service,
    Webhooks,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::informer::server;
use crate::{S, Trials, run};

async fn allow(_: Admission<ConfigMap>) -> Result<(), Refusal> {
    Ok(())
}

async fn change(review: Admission<ConfigMap>) -> Result<ConfigMap, Refusal> {
    Ok(review.object.unwrap_or_default())
}

fn builds(hook: Hook) -> bool {
    Webhooks::builder().hook(hook).build().is_ok()
}

fn hook() -> Hook {
    Hook::validate("/a", allow)
}

fn webhooks() -> Webhooks {
    Webhooks::builder().hook(hook()).build().unwrap()
}

fn conversion(kind: &GroupVersionKind, plural: &str, version: &str) -> Conversion<DynamicObject> {
    Conversion::dynamic_hub(kind, plural).dynamic(version, Ok::<_, BoxError>, Ok::<_, BoxError>)
}

fn gears() -> Conversion<DynamicObject> {
    conversion(&GroupVersionKind::gvk("example.com", "v1", "Gear"), "gears", "v2")
}

pub(crate) fn try_all(trials: &mut Trials) {
    paths(trials);
    options(trials);
    registrations(trials);
    conversions(trials);
    services(trials);
    certificates(trials);
    trials.numbers("Refusal::code code", |it| {
        let refusal = Refusal::forbidden("no").code(u16::try_from(it).unwrap_or(u16::MAX));
        let code = refusal.status().unwrap().code.unwrap();
        assert!((400..600).contains(&code), "{code}");
    });
}

fn paths(trials: &mut Trials) {
    let good = ["/", "/a", "/a/b.c-1", "/a/"];
    let bad = ["", "a", "//", "/A", "/a b", "/a?b", "/-a", "/é", "/a\u{7f}", "/a\n", "/a%2f"];
    let built = |built: kube_webhooks::WebhooksBuilder| built.build().is_ok();
    trials.check("Hook::validate path", good, bad, |it| builds(Hook::validate(it, allow)));
    trials.check("Hook::mutate path", good, bad, |it| builds(Hook::mutate(it, change)));
    trials.check("Hook::validate_with path", good, bad, |it| {
        builds(Hook::validate_with(it, &(), allow))
    });
    trials.check("Hook::mutate_with path", good, bad, |it| {
        builds(Hook::mutate_with(it, &(), change))
    });
    let of = |group: &str, version: &str, kind: &str, plural: &str| {
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
    };
    let kinds = [of("example.com", "v1", "Gear", "gears"), of("", "v1", "Gear", "gears")];
    let wrong = [
        of("Example.com", "v1", "Gear", "gears"),
        of("example.com", "", "Gear", "gears"),
        of("example.com", "v1", "", "gears"),
        of("example.com", "v1", "a b", "gears"),
        of("example.com", "v1", "Gear", ""),
        of("example.com", "v1", "Gear", "Gears"),
    ];
    trials.check("Hook::validate_with of", kinds.clone(), wrong.clone(), |it| {
        builds(Hook::validate_with("/a", &it, async |_: Admission<DynamicObject>| Ok(())))
    });
    trials.check("Hook::mutate_with of", kinds, wrong, |it| {
        let change = async |review: Admission<DynamicObject>| review.into_object();
        builds(Hook::mutate_with("/a", &it, change))
    });
    trials.check("Hook::convert path", good, bad, |it| builds(Hook::convert(it, gears())));
    trials.check("WebhooksBuilder::validate path", good, bad, |it| {
        built(Webhooks::builder().validate(it, allow))
            && !built(Webhooks::builder().validate(it, allow).validate(it, allow))
    });
    trials.check("WebhooksBuilder::mutate path", good, bad, |it| {
        built(Webhooks::builder().mutate(it, change))
            && !built(Webhooks::builder().mutate(it, change).validate(it, allow))
    });
    trials.check("WebhooksBuilder::convert path", good, bad, |it| {
        built(Webhooks::builder().convert(it, gears()))
    });
}

fn options(trials: &mut Trials) {
    trials.times("Hook::fresh_within limit", |it| assert!(builds(hook().fresh_within(it))));
    let wrong = crate::TIMES.into_iter().filter(|it| *it != S).chain([31 * S, S * 3 / 2]);
    trials.check("Hook::timeout timeout", [S, 30 * S], wrong, |it| builds(hook().timeout(it)));
    trials
        .check("Hook::body_limit bytes", [1, usize::MAX], [0], |it| builds(hook().body_limit(it)));
    trials.check("Hook::concurrency running", [1, 1 << 40, usize::MAX], [0], |it| {
        builds(hook().concurrency(it, 0))
    });
    trials.sizes("Hook::concurrency waiting", |it| assert!(builds(hook().concurrency(1, it))));
    trials.check(
        "Hook::name name",
        ["a.b.c".to_owned(), format!("{}.b.c", "a".repeat(249))],
        [String::new(), "a".into(), "a.b".into(), "A.b.c".into(), "a..c".into(), "a.b.é".into()]
            .into_iter()
            .chain([format!("{}.b.c", "a".repeat(250)), "a.b.c\u{7f}".into()]),
        |it| builds(hook().name(it)),
    );
    trials.check(
        "Hook::match_condition name",
        ["a".to_owned(), "a.b/C".into(), "a".repeat(63)],
        [String::new(), " ".into(), "a b".into(), "a/b/c".into(), "é".into(), "a".repeat(64)],
        |it| {
            let once = hook().match_condition(&it, "true");
            let twice = hook().match_condition(&it, "true").match_condition(&it, "false");
            builds(once) && !builds(twice)
        },
    );
    trials.check("Hook::match_condition expression", ["true", "'\u{7f}'"], ["", " ", "\n"], |it| {
        builds(hook().match_condition("a", it))
    });
}

fn registrations(trials: &mut Trials) {
    trials.check(
        "Hook::sub_resource name",
        ["status", "*"],
        ["", " ", "Status", "a/b", "é", "a\u{7f}", "/"],
        |it| builds(hook().sub_resource(it)),
    );
    let requirement = |key: &str, operator: &str, values: &[&str]| LabelSelector {
        match_expressions: Some(vec![LabelSelectorRequirement {
            key: key.into(),
            operator: operator.into(),
            values: Some(values.iter().map(ToString::to_string).collect()),
        }]),
        ..LabelSelector::default()
    };
    let label = |key: &str, value: &str| LabelSelector {
        match_labels: Some(BTreeMap::from([(key.into(), value.into())])),
        ..LabelSelector::default()
    };
    let good = || [label("a", ""), requirement("a.b/c", "In", &["d"]), LabelSelector::default()];
    let bad = || {
        [
            label("", "a"),
            label("a b", "a"),
            label("a", "a b"),
            label("a", "\u{7f}"),
            requirement("a", "", &[]),
            requirement("a", "in", &["b"]),
            requirement("a", "In", &[]),
            requirement("a", "Exists", &["b"]),
            requirement("a", "NotIn", &["é"]),
        ]
    };
    trials.check("Hook::object_selector selector", good(), bad(), |it| {
        builds(hook().object_selector(it))
    });
    trials.check("Hook::namespace_selector selector", good(), bad(), |it| {
        builds(hook().namespace_selector(it))
    });
    let rule = |operations: &[&str], groups: &[&str], versions: &[&str], resources: &[&str]| {
        let list = |texts: &[&str]| Some(texts.iter().map(ToString::to_string).collect());
        vec![RuleWithOperations {
            operations: list(operations),
            api_groups: list(groups),
            api_versions: list(versions),
            resources: list(resources),
            scope: None,
        }]
    };
    let all = ["*"];
    trials.check(
        "Hook::rules rules",
        [rule(&all, &all, &all, &all), rule(&["CREATE"], &[""], &["v1"], &["pods", "pods/status"])],
        [
            Vec::new(),
            vec![RuleWithOperations::default()],
            rule(&["create"], &all, &all, &all),
            rule(&["*", "CREATE"], &all, &all, &all),
            rule(&all, &[], &all, &all),
            rule(&all, &all, &[""], &all),
            rule(&all, &all, &all, &[""]),
            rule(&all, &all, &all, &["*", "pods"]),
        ],
        |it| builds(hook().rules(it)),
    );
}

fn conversions(trials: &mut Trials) {
    let kind = GroupVersionKind::gvk;
    let converts = |kind: &GroupVersionKind, plural: &str, version: &str| {
        builds(Hook::convert("/a", conversion(kind, plural, version)))
    };
    trials.check(
        "Conversion::dynamic_hub kind",
        [kind("example.com", "v1", "Gear")],
        [
            kind("", "v1", "Gear"),
            kind("example", "v1", "Gear"),
            kind("example.com", "", "Gear"),
            kind("example.com", "1", "Gear"),
            kind("example.com", "v1", ""),
            kind("example.com", "v1", "Gear é"),
            kind("example.com\u{7f}", "v1", "Gear"),
        ],
        |it| converts(&it, "gears", "v2"),
    );
    let gear = || kind("example.com", "v1", "Gear");
    let bad = ["", " ", "1a", "A", "a b", "a/b", "a.b", "é", "a\u{7f}"];
    trials
        .check("Conversion::dynamic_hub plural", ["gears"], bad, |it| converts(&gear(), it, "v2"));
    trials.check("Conversion::dynamic version", ["v2"], bad.into_iter().chain(["v1"]), |it| {
        converts(&gear(), "gears", it)
    });
}

fn services(trials: &mut Trials) {
    let configures = |service: Service| webhooks().configurations(&service).is_ok();
    trials.names("Service::new namespace", |it| configures(Service::new(it, "a")));
    trials.names("Service::new name", |it| configures(Service::new("a", it)));
    trials.names("Service::configuration name", |it| {
        configures(Service::new("a", "a").configuration(it))
    });
    trials.check("Service::port port", [1, u16::MAX], [0], |it| {
        configures(Service::new("a", "a").port(it))
    });
}

fn certificates(trials: &mut Trials) {
    let listens = |certificates: &dyn Fn(kube::Client) -> Certificates| {
        run(async {
            let certificates = certificates(server().client());
            webhooks().listen(([127, 0, 0, 1], 0), certificates).await.is_ok()
        })
    };
    let good = ["a", " ", "é/\u{7f}"].map(PathBuf::from);
    let empty = || [PathBuf::new()];
    trials.check("Certificates::folder folder", good.clone(), empty(), |it| {
        listens(&|_| Certificates::folder(&it))
    });
    trials.check("Certificates::files chain", good.clone(), empty(), |it| {
        listens(&|_| Certificates::files(&it, "a"))
    });
    trials.check("Certificates::files key", good, empty(), |it| {
        listens(&|_| Certificates::files("a", &it))
    });
    let managed =
        |client, name: &str| ManagedCertificates::new(client, Service::new("shop", "a"), name);
    trials.names("ManagedCertificates::new secret", |it| {
        listens(&|client| managed(client, it).into())
    });
    trials.times("ManagedCertificates::lifetime lifetime", |it| {
        assert!(listens(&|client| managed(client, "a").lifetime(it).into()));
    });
    trials.times("ManagedCertificates::overlap overlap", |it| {
        assert!(listens(&|client| managed(client, "a").overlap(it).into()));
    });
    let serves = |set: &dyn Fn(kube_webhooks::Server) -> kube_webhooks::Server, certificates| {
        run(async {
            let address = ([127, 0, 0, 1], 0);
            let server = set(webhooks().listen(address, certificates).await.unwrap());
            let stop = CancellationToken::new();
            stop.cancel();
            let _late = timeout(S, server.run(stop)).await;
        });
    };
    let nowhere = || Certificates::folder("nowhere");
    trials.times("Certificates::poll every", |it| serves(&|one| one, nowhere().poll(it)));
    trials.times("Server::linger linger", |it| serves(&|one| one.linger(it), nowhere()));
    trials.times("Server::grace grace", |it| serves(&|one| one.grace(it), nowhere()));
}

#[test]
fn validating_webhook_is_not_reinvoked() {
    let refused = Webhooks::builder().hook(hook().reinvoked()).build().unwrap_err();
    assert!(refused.to_string().contains("a validating webhook is called once"), "{refused}");
    assert!(builds(Hook::mutate("/a", change).reinvoked()));
}

#[test]
fn yaml_of_configurations_has_no_control_characters() {
    let hook = hook().match_condition("a", "'\u{7f}\u{85}\u{2028}\u{feff}\u{1}'");
    let webhooks = Webhooks::builder().hook(hook).build().unwrap();
    let yaml = webhooks.configurations(&Service::new("a", "a")).unwrap().to_yaml().unwrap();
    assert!(!yaml.contains(|one: char| one != '\n' && one.is_control()), "{yaml:?}");
    assert!(!yaml.contains(['\u{2028}', '\u{feff}']), "{yaml:?}");
}

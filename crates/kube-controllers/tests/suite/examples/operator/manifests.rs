//! The manifests: permissions, probes, the definition.

use std::collections::BTreeSet;

use k8s_openapi::api::rbac::v1::PolicyRule;
use kube_controllers::Serve;
use kube_informer::testing::api_server::AccessRule;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::helpers::spawn;
use crate::http::exchange;

/// The namespace of the manifests, and of the Lease.
pub(super) const NAMESPACE: &str = "webapps";

const RBAC: &str = include_str!("../../../../../../examples/operator/deploy/base/rbac.yaml");
const CHART_RBAC: &str =
    include_str!("../../../../../../examples/operator/deploy/chart/templates/rbac.yaml");
const DEPLOYMENT: &str =
    include_str!("../../../../../../examples/operator/deploy/base/deployment.yaml");
const CRD: &str = include_str!("../../../../../../examples/operator/deploy/base/crd.yaml");

pub(super) fn documents(text: &str) -> Vec<Value> {
    text.split("\n---\n").map(|part| serde_saphyr::from_str(part).unwrap()).collect()
}

/// The rules of the manifests, as the embedded server enforces them.
pub(super) fn rules() -> Vec<AccessRule> {
    let mut rules = Vec::new();
    for mut role in documents(RBAC) {
        let Value::Array(of_role) = role["rules"].take() else { continue };
        for rule in of_role {
            let rule = AccessRule::from(&serde_json::from_value::<PolicyRule>(rule).unwrap());
            rules.push(match role["metadata"]["namespace"].as_str() {
                Some(namespace) => rule.namespaces([namespace]),
                None => rule,
            });
        }
    }
    rules
}

#[tokio::test]
async fn manifests_are_those_that_the_operator_builds() {
    let print = "# Printed by `cargo example operator -- --rbac`.\n";
    for (file, account, namespace) in [
        (RBAC, "webapps", NAMESPACE),
        (CHART_RBAC, "{{ .Release.Name }}", "{{ .Release.Namespace }}"),
    ] {
        // Names that are free of what YAML quotes, and no part of another word.
        let client = Client::new(tower::service_fn(unreachable), "the-namespace");
        let built = rbac(&client, "the-account").unwrap().to_string();
        let built = built.replace("the-namespace", namespace).replace("the-account", account);
        assert_eq!(file, format!("{print}{built}"));
    }
}

async fn unreachable(_: Request<Body>) -> Result<http::Response<Body>, std::io::Error> {
    panic!("the manifests need no request")
}

#[tokio::test(start_paused = true)]
async fn permissions_are_those_that_are_used() {
    let rig = Rig::new();
    let running = rig.replica();
    rig.create("first", "hello.example.com").await;
    rig.says("first", 1, "Registered", "HostRegistered").await;
    rig.create("second", "hello.example.com").await;
    rig.says("second", 1, "Registered", "HostTaken").await;
    // The same event a second time is a patch of the first.
    rig.change("second", json!({"host": "second.example.com"})).await;
    rig.says("second", 2, "Registered", "HostRegistered").await;
    rig.change("second", json!({"host": "hello.example.com"})).await;
    rig.says("second", 3, "Registered", "HostTaken").await;
    rig.apps.delete("second", &DeleteParams::default()).await.unwrap();
    eventually("its end", || async {
        rig.apps.get_opt("second").await.unwrap().is_none().then_some(())
    })
    .await;
    running.end().await;

    assert_eq!(*rig.refused.lock(), [""; 0]);
    // Only an admission plugin asks for it.
    let finalizers = AccessRule::new(["update"], ["webapps.example.com/finalizers"]);
    assert_eq!(rig.server.unused_rules(USER), [finalizers]);
}

#[test]
fn bindings_give_the_roles_to_the_account_of_the_pods() {
    let documents = documents(RBAC);
    let bindings: Vec<_> = documents
        .iter()
        .filter(|document| document["kind"].as_str().unwrap().ends_with("Binding"))
        .collect();
    assert_eq!(bindings.len(), 2);
    let pods = &self::documents(DEPLOYMENT)[0];
    let account = &pods["spec"]["template"]["spec"]["serviceAccountName"];
    for binding in bindings {
        let subject = &binding["subjects"][0];
        assert_eq!(subject["name"], *account);
        assert_eq!(subject["namespace"], pods["metadata"]["namespace"]);
        let role = documents.iter().find(|document| {
            document["kind"] == binding["roleRef"]["kind"]
                && document["metadata"] == binding["metadata"]
        });
        assert_eq!(role.unwrap()["metadata"]["name"], binding["roleRef"]["name"]);
    }
    assert_eq!(pods["metadata"]["namespace"], NAMESPACE);
}

#[test]
fn definition_is_that_of_the_type() {
    let mut written = documents(CRD).remove(0);
    let mut of_type = serde_json::to_value(WebApp::crd()).unwrap();
    for definition in [&mut written, &mut of_type] {
        whole_numbers(definition);
    }
    assert_eq!(written, of_type, "print it again with --crd");
}

/// Writes 100.0 as 100: YAML does not tell them apart.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(whole_numbers),
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Number(number) => {
            if let Some(float) = number.as_f64() {
                *value = json!(float);
            }
        }
        _ => {}
    }
}

// Not under paused time: its clock does not wait for sockets.
#[tokio::test]
async fn probes_of_the_manifest_are_answered() {
    let rig = Rig::new();
    // Without metrics: the recorder is the whole process's.
    let serve =
        Serve::new().health_address(([127, 0, 0, 1], 0)).metrics_address(([127, 0, 0, 1], 0));
    let elector = elector(&rig.client()).build().unwrap();
    let manager = manager(&rig.client(), rig.registry.clone()).unwrap().leader_election(elector);
    let manager = manager.serve(serve.without_metrics()).build().unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    let container = &documents(DEPLOYMENT)[0]["spec"]["template"]["spec"]["containers"][0];
    let mut probed = BTreeSet::new();
    for probe in ["livenessProbe", "readinessProbe"] {
        let get_action = &container[probe]["httpGet"];
        assert_eq!(get_action["port"], "health");
        let path = get_action["path"].as_str().unwrap().to_owned();
        loop {
            if let Some(at) = handle.addresses()
                && exchange(at.health, "GET", &path, "10.1.2.3:8081").await.0 == 200
            {
                break;
            }
            sleep(Duration::from_millis(5)).await;
        }
        probed.insert(path);
    }
    assert_eq!(probed.len(), 2);
    stop.cancel();
    running.await.unwrap().unwrap();

    let ports: Vec<_> = container["ports"].as_array().unwrap().iter().collect();
    let port = |name: &str| {
        let named = ports.iter().find(|port| port["name"] == name);
        named.and_then(|port| port["containerPort"].as_u64())
    };
    assert_eq!(port("health"), Some(example::HEALTH.into()));
    assert_eq!(port("metrics"), Some(example::METRICS.into()));
}

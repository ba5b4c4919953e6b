//! The manifests: permissions, probes, the definition.

use std::collections::BTreeSet;

use kube_controllers::Serve;
use kube_informer::testing::api_server::AccessRule;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::helpers::spawn;
use crate::http::exchange;

/// The namespace of the manifests, and of the Lease.
pub(super) const NAMESPACE: &str = "webapps";

const RBAC: &str = include_str!("../../../../../../examples/operator/deploy/rbac.yaml");
const DEPLOYMENT: &str = include_str!("../../../../../../examples/operator/deploy/deployment.yaml");
const CRD: &str = include_str!("../../../../../../examples/operator/deploy/crd.yaml");

fn documents(text: &str) -> Vec<Value> {
    text.split("\n---\n").map(|part| serde_saphyr::from_str(part).unwrap()).collect()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// The verbs, resources and namespaces of each rule of the manifests.
fn grants() -> Vec<(Vec<String>, Vec<String>, Option<String>)> {
    let mut grants = Vec::new();
    for role in documents(RBAC) {
        if !role["kind"].as_str().unwrap().ends_with("Role") {
            continue;
        }
        let namespace = role["metadata"]["namespace"].as_str().map(str::to_owned);
        for rule in role["rules"].as_array().unwrap() {
            let groups = texts(&rule["apiGroups"]);
            let of = |group: &str| {
                let suffix = if group.is_empty() { String::new() } else { format!(".{group}") };
                texts(&rule["resources"]).into_iter().map(move |name| name + &suffix)
            };
            let resources = groups.iter().flat_map(|group| of(group)).collect();
            grants.push((texts(&rule["verbs"]), resources, namespace.clone()));
        }
    }
    grants
}

/// The rules that the embedded server enforces.
pub(super) fn rules() -> Vec<AccessRule> {
    let rule = |(verbs, resources, namespace)| {
        let rule = AccessRule::new::<Vec<String>, Vec<String>>(verbs, resources);
        match namespace {
            Some(namespace) => rule.namespaces([namespace]),
            None => rule,
        }
    };
    grants().into_iter().map(rule).collect()
}

/// The verbs and resources that a request needs.
fn needs(exchange: &Exchange) -> Vec<(&'static str, String)> {
    let uri: http::Uri = exchange.target.parse().unwrap();
    let mut parts: Vec<_> = uri.path().trim_matches('/').split('/').collect();
    let group = if parts[0] == "apis" { format!(".{}", parts[1]) } else { String::new() };
    parts.drain(..if parts[0] == "apis" { 3 } else { 2 });
    if parts[0] == "namespaces" && parts.len() > 2 {
        parts.drain(..2);
    }
    let subresource = parts.get(2).map_or(String::new(), |part| format!("/{part}"));
    let resource = format!("{}{subresource}{group}", parts[0]);
    let watches = uri.query().is_some_and(|query| query.contains("watch="));
    let verb = match (exchange.method.as_str(), parts.len() > 1) {
        ("GET", true) => "get",
        ("GET", false) if watches => "watch",
        ("GET", false) => "list",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        other => panic!("{other:?} is not expected"),
    };
    let mut needs = vec![(verb, resource.clone())];
    if verb == "patch" && exchange.status == StatusCode::CREATED {
        needs.push(("create", resource));
    }
    needs
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

    let exchanges = rig.exchanges.lock().clone();
    for exchange in &exchanges {
        let Exchange { method, target, status } = exchange;
        assert_ne!(*status, StatusCode::FORBIDDEN, "{method} {target}");
    }
    let used: BTreeSet<_> = exchanges.iter().flat_map(needs).collect();
    let granted = grants();
    let granted: BTreeSet<_> = granted
        .iter()
        .flat_map(|(verbs, resources, _)| {
            resources.iter().flat_map(move |name| verbs.iter().map(move |verb| (&**verb, name)))
        })
        .map(|(verb, name)| (verb, name.clone()))
        // Only an admission plugin asks for it.
        .filter(|(_, name)| name != "webapps/finalizers.example.com")
        .collect();
    assert_eq!(used, granted);
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

//! Rules of pods and of what runs them: a right object beside a wrong one.

use serde_json::{Value, json};

use super::{new_problems, problems, status_problems};

/// Returns the fields of the problems.
fn found(version: &str, kind: &str, object: &Value) -> Vec<String> {
    let causes = problems(version, kind, object);
    causes.iter().map(|cause| cause.field().to_owned()).collect()
}

/// Returns a pod's specification with these members in addition.
fn pod(more: &Value) -> Value {
    let mut spec = json!({
        "containers": [{ "name": "c", "image": "i" }],
        "restartPolicy": "Always",
        "dnsPolicy": "ClusterFirst",
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    spec
}

fn with_container(more: &Value) -> Value {
    let mut container = json!({ "name": "c", "image": "i" });
    for (name, value) in more.as_object().into_iter().flatten() {
        container[name] = value.clone();
    }
    json!({ "containers": [container] })
}

fn with_volume(source: &Value) -> Value {
    let mut volume = source.clone();
    volume["name"] = "v".into();
    json!({ "volumes": [volume] })
}

/// Checks that a pod is right with some members, and wrong in one field with others.
fn compare(right: &Value, wrong: &Value, field: &str) {
    let of = |more: &Value| found("v1", "Pod", &json!({ "spec": pod(more) }));
    assert_eq!(of(right), Vec::<String>::new(), "{right}");
    assert_eq!(of(wrong), [format!("spec.{field}")], "{wrong}");
}

#[test]
fn pods_have_rules_between_members() {
    let localhost = |place: &Value| {
        let profile = json!({ "type": "Localhost", "localhostProfile": place });
        json!({ "securityContext": { "seccompProfile": profile } })
    };
    let sysctls = |names: [&str; 2]| {
        let sysctls = names.map(|name| json!({ "name": name }));
        json!({ "securityContext": { "sysctls": sysctls } })
    };
    let init = |more: Value| {
        let mut container = more;
        container["name"] = "i".into();
        container["image"] = "i".into();
        json!({ "initContainers": [container] })
    };
    let probe = json!({ "exec": { "command": ["a"] }, "successThreshold": 1 });
    let cases = [
        (
            json!({ "dnsPolicy": "None", "dnsConfig": { "nameservers": ["1.1.1.1"] } }),
            json!({ "dnsPolicy": "None" }),
            "dnsConfig",
        ),
        (
            localhost(&json!("a/b")),
            localhost(&Value::Null),
            "securityContext.seccompProfile.localhostProfile",
        ),
        (
            sysctls(["net.a", "net/b"]),
            sysctls(["net.a", "net.a"]),
            "securityContext.sysctls[1].name",
        ),
        (
            init(json!({ "restartPolicy": "Always", "startupProbe": probe })),
            init(json!({ "startupProbe": probe })),
            "initContainers[0].startupProbe",
        ),
        (
            init(json!({ "restartPolicy": "Always", "lifecycle": {} })),
            init(json!({ "lifecycle": {} })),
            "initContainers[0].lifecycle",
        ),
    ];
    for (right, wrong, field) in cases {
        compare(&right, &wrong, field);
    }
}

#[test]
fn containers_have_rules_between_members() {
    let resources = |requests: Value, limits: Value| {
        with_container(&json!({ "resources": { "requests": requests, "limits": limits } }))
    };
    let host_ports = |ports: [Value; 2], host: bool| {
        let ports = ports.map(|mut port| {
            port["protocol"] = "TCP".into();
            port
        });
        let mut spec = with_container(&json!({ "ports": ports }));
        spec["hostNetwork"] = host.into();
        spec
    };
    let port = |port: u16, host: u16| json!({ "containerPort": port, "hostPort": host });
    let other = json!({ "containerPort": 2, "hostPort": 8, "hostIP": "10.0.0.1" });
    let field = |field: &str| {
        let source = json!({ "fieldRef": { "apiVersion": "v1", "fieldPath": field } });
        with_container(&json!({ "env": [{ "name": "a", "valueFrom": source }] }))
    };
    let at_field = "containers[0].env[0].valueFrom.fieldRef.fieldPath";
    let gpu = |count: u8| json!({ "example.com/gpu": count.to_string() });
    let pages = |size: &str| json!({ "hugepages-2Mi": size });
    let grace = |name: &str| {
        let probe = json!({
            "exec": { "command": ["a"] },
            "successThreshold": 1,
            "terminationGracePeriodSeconds": 1,
        });
        with_container(&json!({ name: probe }))
    };
    let mount = |kind: &str| with_container(&json!({ "securityContext": { "procMount": kind } }));
    let cases = [
        (resources(gpu(1), gpu(1)), resources(gpu(1), json!({})), "containers[0].resources.limits"),
        (
            resources(json!({ "cpu": "1" }), json!({ "cpu": "2" })),
            resources(gpu(1), gpu(2)),
            "containers[0].resources.requests",
        ),
        (
            resources(pages("2Mi"), pages("2Mi")),
            resources(pages("2Mi"), pages("4Mi")),
            "containers[0].resources.requests",
        ),
        (
            host_ports([port(1, 8), other.clone()], false),
            host_ports([port(1, 8), port(2, 8)], false),
            "containers[0].ports[1].hostPort",
        ),
        (
            host_ports([port(1, 1), port(2, 2)], true),
            host_ports([port(1, 1), port(2, 8)], true),
            "containers[0].ports[1].hostPort",
        ),
        (field("metadata.labels['a']"), field("metadata.labels"), at_field),
        (field("spec.nodeName"), field("spec.containers"), at_field),
        (field("status.podIPs"), field("status.phase['a']"), at_field),
        (
            grace("livenessProbe"),
            grace("readinessProbe"),
            "containers[0].readinessProbe.terminationGracePeriodSeconds",
        ),
        (mount("Default"), mount("default"), "containers[0].securityContext.procMount"),
    ];
    for (right, wrong, field) in cases {
        compare(&right, &wrong, field);
    }
}

#[test]
fn volumes_name_valid_files() {
    let keys = |path: &str, mode: u16| {
        let items = [json!({ "key": "k", "path": path, "mode": mode })];
        with_volume(&json!({ "configMap": { "name": "m", "items": items } }))
    };
    let token = |seconds: i64| {
        let source =
            json!({ "serviceAccountToken": { "path": "t", "expirationSeconds": seconds } });
        let mut spec = with_volume(&json!({ "projected": { "sources": [source] } }));
        spec["serviceAccountName"] = "a".into();
        spec
    };
    let size = |limit: &str| with_volume(&json!({ "emptyDir": { "sizeLimit": limit } }));
    let file = |field: &str| {
        let items = [json!({ "path": "f", "fieldRef": { "fieldPath": field } })];
        with_volume(&json!({ "downwardAPI": { "items": items } }))
    };
    let mode =
        |mode: i64| with_volume(&json!({ "secret": { "secretName": "s", "defaultMode": mode } }));
    let cases = [
        (keys("a/b", 0o777), keys("a/../b", 0o777), "volumes[0].configMap.items[0].path"),
        (keys("a..b", 0), keys("..b", 0), "volumes[0].configMap.items[0].path"),
        (keys("a", 0o400), keys("a", 0o1000), "volumes[0].configMap.items[0].mode"),
        (mode(0), mode(-1), "volumes[0].secret.defaultMode"),
        (
            token(600),
            token(599),
            "volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds",
        ),
        (size("0"), size("-1"), "volumes[0].emptyDir.sizeLimit"),
        (
            file("metadata.labels"),
            file("spec.nodeName"),
            "volumes[0].downwardAPI.fieldRef.fieldPath",
        ),
    ];
    for (right, wrong, field) in cases {
        compare(&right, &wrong, field);
    }
}

#[test]
fn spreads_differ_and_have_selectors() {
    let spread = |key: &str, action: &str, more: Value| {
        let mut spread = more;
        spread["maxSkew"] = 1.into();
        spread["topologyKey"] = key.into();
        spread["whenUnsatisfiable"] = action.into();
        spread
    };
    let spreads = |list: &[Value]| json!({ "topologySpreadConstraints": list });
    let strict = |key: &str| spread(key, "DoNotSchedule", json!({}));
    let domains = |action: &str| spreads(&[spread("a", action, json!({ "minDomains": 1 }))]);
    let keys = |selector: Value| {
        let more = json!({ "matchLabelKeys": ["a"], "labelSelector": selector });
        spreads(&[spread("a", "DoNotSchedule", more)])
    };
    let cases = [
        (
            spreads(&[strict("a"), strict("b")]),
            spreads(&[strict("a"), strict("b"), strict("a")]),
            "topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}",
        ),
        (
            domains("DoNotSchedule"),
            domains("ScheduleAnyway"),
            "topologySpreadConstraints[0].minDomains",
        ),
        (keys(json!({})), keys(Value::Null), "topologySpreadConstraints[0].matchLabelKeys"),
    ];
    for (right, wrong, field) in cases {
        compare(&right, &wrong, field);
    }
}

#[test]
fn templates_of_lasting_pods_have_no_end() {
    let labels = json!({ "app": "a" });
    let object = |kind: &str, more: &Value| {
        let template = json!({ "metadata": { "labels": labels }, "spec": pod(more) });
        let (strategy, selector) = match kind {
            "Deployment" => (json!({ "type": "Recreate" }), json!({ "matchLabels": labels })),
            "ReplicationController" => (Value::Null, labels.clone()),
            _ => (Value::Null, json!({ "matchLabels": labels })),
        };
        json!({ "spec": {
            "strategy": strategy,
            "updateStrategy": { "type": "OnDelete" },
            "selector": selector,
            "template": template,
        } })
    };
    for (version, kind) in [
        ("apps/v1", "Deployment"),
        ("apps/v1", "ReplicaSet"),
        ("apps/v1", "DaemonSet"),
        ("apps/v1", "StatefulSet"),
        ("v1", "ReplicationController"),
    ] {
        let of = |more: Value| found(version, kind, &object(kind, &more));
        assert_eq!(of(json!({})), Vec::<String>::new(), "{kind}");
        let deadline = of(json!({ "activeDeadlineSeconds": 1 }));
        assert_eq!(deadline, ["spec.template.spec.activeDeadlineSeconds"], "{kind}");
        let debugging = of(json!({ "ephemeralContainers": [{}] }));
        assert_eq!(debugging, ["spec.template.spec.ephemeralContainers"], "{kind}");
        let mounts = json!({ "volumeMounts": [{ "name": "v", "mountPath": "/a" }] });
        let mounted = of(with_container(&mounts));
        assert_eq!(mounted, ["spec.template.spec.containers[0].volumeMounts[0].name"], "{kind}");
    }
}

#[test]
fn addresses_and_ports_fit_together() {
    let policy = |ports: Value, block: Value| {
        let rule = json!({ "ports": [ports], "to": [{ "ipBlock": block }] });
        let spec = json!({ "podSelector": {}, "egress": [rule] });
        found("networking.k8s.io/v1", "NetworkPolicy", &json!({ "spec": spec }))
    };
    let block = |except: &str| json!({ "cidr": "10.0.0.0/16", "except": [except] });
    let ports = |first: Value, last: u16| json!({ "port": first, "endPort": last });
    let right = policy(ports(1.into(), 1), block("10.0.1.0/24"));
    assert_eq!(right, Vec::<String>::new());
    for wrong in [ports(2.into(), 1), ports("http".into(), 1), json!({ "endPort": 1 })] {
        let fields = policy(wrong, block("10.0.1.0/24"));
        assert_eq!(fields, ["spec.egress[0].ports[0].endPort"]);
    }
    for wrong in ["10.1.0.0/24", "10.0.0.0/16", "10.0.0.0/8", "2001:db8::/64", "x"] {
        let fields = policy(json!({}), block(wrong));
        assert_eq!(fields, ["spec.egress[0].to[0].ipBlock.except[0]"], "{wrong}");
    }
    let slice = |kind: &str, address: &str| {
        let endpoints = json!([{ "addresses": [address] }]);
        let slice = json!({ "addressType": kind, "endpoints": endpoints });
        new_problems("discovery.k8s.io/v1", "EndpointSlice", &slice).is_empty()
    };
    assert!(slice("IPv4", "10.0.0.1") && slice("IPv6", "2001:db8::1"));
    assert!(!slice("IPv4", "2001:db8::1") && !slice("IPv6", "10.0.0.1"));
}

#[test]
fn names_in_bindings_and_hooks_are_valid() {
    let binding = |name: &str| {
        let group = "rbac.authorization.k8s.io";
        let role = json!({ "apiGroup": group, "kind": "Role", "name": "r" });
        let subjects = json!([{ "kind": "ServiceAccount", "name": name }]);
        let binding = json!({ "roleRef": role, "subjects": subjects });
        found("rbac.authorization.k8s.io/v1", "RoleBinding", &binding)
    };
    assert_eq!(binding("a.b"), Vec::<String>::new());
    assert_eq!(binding("A"), ["subjects[0].name"]);

    let hook = |name: &str, url: &str, versions: &[&str]| {
        let hooks = json!([{
            "name": name,
            "sideEffects": "None",
            "clientConfig": { "url": url },
            "admissionReviewVersions": versions,
        }]);
        let version = "admissionregistration.k8s.io/v1";
        found(version, "ValidatingWebhookConfiguration", &json!({ "webhooks": hooks }))
    };
    assert_eq!(hook("a.b.c", "https://a", &["v1"]), Vec::<String>::new());
    assert_eq!(hook("a.b.c", "https://a", &["v2", "v1beta1"]), Vec::<String>::new());
    assert_eq!(hook("a.b", "https://a", &["v1"]), ["webhooks[0].name"]);
    assert_eq!(hook("a.b.c", "http://a", &["v1"]), ["webhooks[0].clientConfig.url"]);
    assert_eq!(hook("a.b.c", "https://a", &["v2"]), ["webhooks[0].admissionReviewVersions"]);
}

#[test]
fn ended_jobs_say_why_and_when() {
    let fields = |status: Value| {
        let causes = status_problems("batch/v1", "Job", &json!({ "status": status }));
        causes.iter().map(|cause| cause.field().to_owned()).collect::<Vec<_>>()
    };
    let conditions = |kinds: &[&str]| -> Vec<Value> {
        kinds.iter().map(|kind| json!({ "type": kind, "status": "True" })).collect()
    };
    let time = "2026-01-01T00:00:00Z";
    let complete = conditions(&["SuccessCriteriaMet", "Complete"]);
    let right = json!({ "conditions": complete, "startTime": time, "completionTime": time });
    assert_eq!(fields(right), Vec::<String>::new());
    let failed = conditions(&["FailureTarget", "Failed"]);
    assert_eq!(fields(json!({ "conditions": failed, "startTime": time })), Vec::<String>::new());
    let early = json!({ "conditions": conditions(&["Failed"]), "startTime": time });
    assert_eq!(fields(early), ["status.conditions"]);
    assert_eq!(
        fields(json!({ "conditions": conditions(&["Complete"]) })),
        ["status.completionTime", "status.conditions", "status.startTime"]
    );
}

//! The objects that every API server makes for itself: namespaces, the service `kubernetes`, roles,
//! priorities, and the configuration of its queues.

use serde_json::{Value, json};

use super::super::names;
use super::super::resource::ResourceType;
use super::super::rules::strategy;
use super::super::store::Store;
use super::super::store::stored::Stored;
use super::super::verbs::{self, Part, WriteTarget, managed_fields};
use super::namespaces::namespace_type;

/// The namespaces of every cluster.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// The range of the addresses of services, and the first of them.
const RANGE: &str = "10.0.0.0/24";
const ADDRESS: &str = "10.0.0.1";
/// The address and port of the API server behind that service. A loopback address is refused there,
/// so this is one for documentation.
const SERVER: (&str, u16) = ("192.0.2.1", 6443);

/// Classes of pods: name, value, description.
const PRIORITIES: [(&str, i64, &str); 2] = [
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another \
         node if necessary.",
    ),
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
];

/// Priority levels: name, shares, percentage to lend, and queues, hand and length of a queue.
const LEVELS: [(&str, u32, u32, Option<[u32; 3]>); 7] = [
    ("catch-all", 5, 0, None),
    ("system", 30, 33, Some([64, 6, 50])),
    ("node-high", 40, 25, Some([64, 6, 50])),
    ("leader-election", 10, 0, Some([16, 4, 50])),
    ("workload-high", 40, 50, Some([128, 6, 50])),
    ("workload-low", 100, 90, Some([128, 6, 50])),
    ("global-default", 20, 50, Some([128, 6, 50])),
];

/// Schemas of requests: name, precedence, level, subjects, and the requests of the rule.
const SCHEMAS: [(&str, u32, &str, &[&str], Rules); 11] = [
    ("exempt", 1, "exempt", &["Group system:masters"], Rules::All),
    ("probes", 2, "exempt", EVERYBODY, Rules::Probes),
    (
        "system-leader-election",
        100,
        "leader-election",
        &["User system:kube-controller-manager", "User system:kube-scheduler", "ServiceAccount *"],
        Rules::Of(&[("get create update", "coordination.k8s.io", "leases")]),
    ),
    (
        "system-node-high",
        400,
        "node-high",
        &["Group system:nodes"],
        Rules::Of(&[("*", "", "nodes nodes/status"), ("*", "coordination.k8s.io", "leases")]),
    ),
    ("system-nodes", 500, "system", &["Group system:nodes"], Rules::All),
    (
        "kube-controller-manager",
        800,
        "workload-high",
        &["User system:kube-controller-manager"],
        Rules::All,
    ),
    ("kube-scheduler", 800, "workload-high", &["User system:kube-scheduler"], Rules::All),
    ("kube-system-service-accounts", 900, "workload-high", &["ServiceAccount *"], Rules::All),
    ("service-accounts", 9000, "workload-low", &["Group system:serviceaccounts"], Rules::All),
    ("global-default", 9900, "global-default", EVERYBODY, Rules::All),
    ("catch-all", 10_000, "catch-all", EVERYBODY, Rules::All),
];

const EVERYBODY: &[&str] = &["Group system:unauthenticated", "Group system:authenticated"];

/// The requests of a schema.
#[derive(Clone, Copy)]
enum Rules {
    All,
    /// Requests about the health of the server.
    Probes,
    /// Verbs on resources of a group.
    Of(&'static [(&'static str, &'static str, &'static str)]),
}

/// The cluster roles for users, and their subjects. Those of controllers and components are left
/// out: objects of RBAC grant nothing here.
const ROLES: [(&str, &[RoleRule], &[&str]); 7] = [
    (
        "cluster-admin",
        &[RoleRule::Resources("*", "*", "*"), RoleRule::Paths("*", "*")],
        &["Group system:masters"],
    ),
    (
        "system:basic-user",
        &[
            RoleRule::Resources(
                "create",
                "authorization.k8s.io",
                "selfsubjectaccessreviews selfsubjectrulesreviews",
            ),
            RoleRule::Resources("create", "authentication.k8s.io", "selfsubjectreviews"),
        ],
        &["Group system:authenticated"],
    ),
    (
        "system:discovery",
        &[RoleRule::Paths(
            "get",
            "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version \
             /version/",
        )],
        &["Group system:authenticated"],
    ),
    (
        "system:public-info-viewer",
        &[RoleRule::Paths("get", "/healthz /livez /readyz /version /version/")],
        EVERYBODY,
    ),
    (
        "system:monitoring",
        &[
            RoleRule::Paths(
                "get",
                "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz \
                 /readyz/* /statusz",
            ),
            RoleRule::Resources("get", "", "nodes/metrics"),
        ],
        &["Group system:monitoring"],
    ),
    (
        "system:auth-delegator",
        &[
            RoleRule::Resources("create", "authentication.k8s.io", "tokenreviews"),
            RoleRule::Resources("create", "authorization.k8s.io", "subjectaccessreviews"),
        ],
        &[],
    ),
    (
        "system:service-account-issuer-discovery",
        &[RoleRule::Paths(
            "get",
            "/.well-known/openid-configuration /.well-known/openid-configuration/ \
             /openid/v1/jwks /openid/v1/jwks/",
        )],
        &["Group system:serviceaccounts"],
    ),
];

/// The roles whose rules a controller collects from others, each with the role that collects it.
const AGGREGATED: [(&str, Option<&str>); 3] =
    [("admin", None), ("edit", Some("admin")), ("view", Some("edit"))];

/// A rule of a role: verbs with a group and its resources, or with paths.
enum RoleRule {
    Resources(&'static str, &'static str, &'static str),
    Paths(&'static str, &'static str),
}

fn words(text: &str) -> Value {
    text.split_whitespace().map(Value::from).collect()
}

/// Creates the namespaces of every cluster.
pub(crate) fn create_namespaces(store: &mut Store) {
    let Some(resource) = namespace_type(store) else { return };
    for name in NAMESPACES {
        let mut object = json!({ "metadata": {
            "name": name, "uid": names::uid(), "creationTimestamp": names::now(),
        }});
        strategy::complete(&resource, &mut object);
        let target = write_target(&resource, None, Some(name));
        let tracked = managed_fields::track(store, &target, None, &mut object);
        debug_assert!(tracked.is_ok(), "no webhook is asked: {tracked:?}");
        strategy::on_create(&resource, true, &mut object);
        let stored = Stored::new(&resource, store.revision + 1, &mut object);
        store.put(&resource, stored);
    }
}

/// Creates everything that an API server makes for itself.
pub(crate) fn create(store: &mut Store) {
    create_namespaces(store);
    let all = service().into_iter().chain(priorities()).chain(queues()).chain(roles());
    for (group, version, plural, object) in all {
        let Some(resource) = store.served(group, version, plural).cloned() else { continue };
        let namespace = object["metadata"]["namespace"].as_str().map(str::to_owned);
        let target = write_target(&resource, namespace.as_deref(), None);
        let made = verbs::create(store, target, object);
        debug_assert!(made.is_ok(), "{plural}: {made:?}");
    }
}

fn write_target<'a>(
    resource: &'a ResourceType,
    namespace: Option<&'a str>,
    name: Option<&'a str>,
) -> WriteTarget<'a> {
    WriteTarget {
        manager: "kube-apiserver",
        ..WriteTarget::direct(resource, namespace, name, Part::Object)
    }
}

/// An object with the group, version and plural name of its type.
type Initial = (&'static str, &'static str, &'static str, Value);

/// Returns the service through which pods reach the API server, with its endpoints and addresses.
fn service() -> [Initial; 5] {
    let labels = json!({ "component": "apiserver", "provider": "kubernetes" });
    let slice_labels = json!({ "kubernetes.io/service-name": "kubernetes" });
    let named =
        |labels: Value| json!({ "name": "kubernetes", "namespace": "default", "labels": labels });
    let host = SERVER.0;
    let port = |port: u16| json!({ "name": "https", "port": port, "protocol": "TCP" });
    let mut served = port(443);
    served["targetPort"] = SERVER.1.into();
    let parent = json!({ "resource": "services", "namespace": "default", "name": "kubernetes" });
    let address = json!({ "metadata": {
        "name": ADDRESS,
        "labels": {
            "ipaddress.kubernetes.io/ip-family": "IPv4",
            "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
    }, "spec": { "parentRef": parent } });
    [
        (
            "networking.k8s.io",
            "v1",
            "servicecidrs",
            json!({
                "metadata": { "name": "kubernetes" }, "spec": { "cidrs": [RANGE] },
            }),
        ),
        ("networking.k8s.io", "v1", "ipaddresses", address),
        (
            "",
            "v1",
            "services",
            json!({
                "metadata": named(labels),
                "spec": { "clusterIP": ADDRESS, "ports": [served] },
            }),
        ),
        (
            "",
            "v1",
            "endpoints",
            json!({
                "metadata": named(json!({ "endpointslice.kubernetes.io/skip-mirror": "true" })),
                "subsets": [{ "addresses": [{ "ip": host }], "ports": [port(SERVER.1)] }],
            }),
        ),
        (
            "discovery.k8s.io",
            "v1",
            "endpointslices",
            json!({
                "metadata": named(slice_labels), "addressType": "IPv4",
                "endpoints": [{ "addresses": [host], "conditions": { "ready": true } }],
                "ports": [port(SERVER.1)],
            }),
        ),
    ]
}

fn priorities() -> impl Iterator<Item = Initial> {
    PRIORITIES.into_iter().map(|(name, value, description)| {
        let class = json!({
            "metadata": { "name": name }, "value": value, "description": description,
        });
        ("scheduling.k8s.io", "v1", "priorityclasses", class)
    })
}

/// Returns the levels and schemas of the server's queues.
fn queues() -> impl Iterator<Item = Initial> {
    const GROUP: &str = "flowcontrol.apiserver.k8s.io";
    let metadata = |name: &str| json!({ "name": name, "annotations": { "apf.kubernetes.io/autoupdate-spec": "true" } });
    let exempt = json!({
        "metadata": metadata("exempt"),
        "spec": {
            "type": "Exempt", "exempt": { "nominalConcurrencyShares": 0, "lendablePercent": 0 },
        },
    });
    let levels = LEVELS.into_iter().map(move |(name, shares, lent, queues)| {
        let response = queues.map_or(json!({ "type": "Reject" }), |[queues, hand, length]| {
            let queuing = json!({
                "queues": queues, "handSize": hand, "queueLengthLimit": length,
            });
            json!({ "type": "Queue", "queuing": queuing })
        });
        let limited = json!({
            "nominalConcurrencyShares": shares, "lendablePercent": lent,
            "limitResponse": response,
        });
        json!({ "metadata": metadata(name), "spec": { "type": "Limited", "limited": limited } })
    });
    let levels = std::iter::once(exempt).chain(levels);
    let schemas = SCHEMAS.into_iter().map(move |(name, precedence, level, subjects, rules)| {
        let mut spec = json!({
            "matchingPrecedence": precedence,
            "priorityLevelConfiguration": { "name": level },
            "rules": [rules.of(subjects)],
        });
        if level != "exempt" {
            let by =
                if precedence / 100 == 8 || precedence == 900 { "ByNamespace" } else { "ByUser" };
            spec["distinguisherMethod"] = json!({ "type": by });
        }
        json!({ "metadata": metadata(name), "spec": spec })
    });
    levels
        .map(|level| (GROUP, "v1", "prioritylevelconfigurations", level))
        .chain(schemas.map(|schema| (GROUP, "v1", "flowschemas", schema)))
}

impl Rules {
    fn of(self, subjects: &[&str]) -> Value {
        let paths = |verbs: &str, paths: &str| json!([{ "verbs": words(verbs), "nonResourceURLs": words(paths) }]);
        let resources = |(verbs, group, resources): (&str, &str, &str)| {
            json!({
                "verbs": words(verbs), "apiGroups": [group], "resources": words(resources),
                "clusterScope": resources != "leases", "namespaces": ["*"],
            })
        };
        let subjects: Vec<Value> = subjects.iter().map(|subject| flow_subject(subject)).collect();
        let mut rule = json!({ "subjects": subjects });
        match self {
            Self::All => {
                rule["resourceRules"] = json!([resources(("*", "*", "*"))]);
                rule["nonResourceRules"] = paths("*", "*");
            }
            Self::Probes => rule["nonResourceRules"] = paths("get", "/healthz /readyz /livez"),
            Self::Of(rules) => {
                rule["resourceRules"] = rules.iter().copied().map(resources).collect();
            }
        }
        rule
    }
}

/// Returns the subject of a schema from its kind and name.
fn flow_subject(text: &str) -> Value {
    let (kind, name) = text.split_once(' ').unwrap_or(("User", text));
    match kind {
        "Group" => json!({ "kind": kind, "group": { "name": name } }),
        "ServiceAccount" => {
            let account = json!({ "name": name, "namespace": "kube-system" });
            json!({ "kind": kind, "serviceAccount": account })
        }
        _ => json!({ "kind": kind, "user": { "name": name } }),
    }
}

/// Returns the roles of the cluster and their bindings.
fn roles() -> impl Iterator<Item = Initial> {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let metadata = |name: &str| {
        json!({
            "name": name,
            "labels": { "kubernetes.io/bootstrapping": "rbac-defaults" },
            "annotations": { "rbac.authorization.kubernetes.io/autoupdate": "true" },
        })
    };
    let role = |object: Value| (GROUP, "v1", "clusterroles", object);
    let label = |to: &str| format!("rbac.authorization.k8s.io/aggregate-to-{to}");
    let aggregated = AGGREGATED.into_iter().map(move |(name, to)| {
        let selector = json!({ "matchLabels": { label(name): "true" } });
        let mut object = json!({
            "metadata": metadata(name), "rules": null,
            "aggregationRule": { "clusterRoleSelectors": [selector] },
        });
        if let Some(to) = to {
            object["metadata"]["labels"][label(to)] = "true".into();
        }
        role(object)
    });
    let own = ROLES.into_iter().flat_map(move |(name, rules, subjects)| {
        let rules: Vec<Value> = rules.iter().map(RoleRule::value).collect();
        let made = role(json!({ "metadata": metadata(name), "rules": rules }));
        let subjects: Vec<Value> =
            subjects.iter().map(|subject| subject_of_role(subject)).collect();
        let bound = (!subjects.is_empty()).then(|| {
            let binding = json!({
                "metadata": metadata(name), "subjects": subjects,
                "roleRef": { "apiGroup": GROUP, "kind": "ClusterRole", "name": name },
            });
            (GROUP, "v1", "clusterrolebindings", binding)
        });
        std::iter::once(made).chain(bound)
    });
    aggregated.chain(own)
}

fn subject_of_role(text: &str) -> Value {
    let (kind, name) = text.split_once(' ').unwrap_or(("User", text));
    json!({ "kind": kind, "apiGroup": "rbac.authorization.k8s.io", "name": name })
}

impl RoleRule {
    fn value(&self) -> Value {
        match self {
            Self::Resources(verbs, group, resources) => json!({
                "verbs": words(verbs), "apiGroups": [group], "resources": words(resources),
            }),
            Self::Paths(verbs, paths) => {
                json!({ "verbs": words(verbs), "nonResourceURLs": words(paths) })
            }
        }
    }
}

//! Webhooks that an API server reaches by a Service, with certificates of their own making. No
//! kube-proxy runs, so the Service leads to an address of this machine.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::time::Duration;

use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::core::v1::{Namespace, Secret, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, PostParams};
use kube::{Api, Client};
use kube_embedded_apiserver::ControlPlane;
use kube_webhooks::{Certificates, ManagedCertificates};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::website::v2;
use super::{Hooked, called, hooks, start, website};
use crate::harness::{Outcome, Skip};
use crate::rig::eventually;

/// The operator's namespace, the name of its Service and of its service account, and its Secret.
const OPERATOR: &str = "operator";
const NAME: &str = "websites";
const SECRET: &str = "websites-webhooks";
/// The name of the definition.
const DEFINITION: &str = "websites.example.com";

/// The time that API servers get to learn of an authority.
const OVERLAP: Duration = Duration::from_secs(10);

/// The route from a Service to the webhooks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Route {
    /// The API server calls the Service's own address, which a kube-proxy leads to a pod elsewhere.
    /// Here it is one of the loopback, and the webhooks listen on it.
    Address,
    /// The API server calls one of the Service's endpoints.
    Endpoints,
}

/// The addresses of Services, and that of the webhooks' Service.
const RANGE: &str = "127.80.0.0/24";
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 80, 0, 80);

impl Route {
    fn flag(self) -> (&'static str, &'static str) {
        match self {
            Self::Address => ("service-cluster-ip-range", RANGE),
            Self::Endpoints => ("enable-aggregator-routing", "true"),
        }
    }

    /// Returns the address on which the webhooks listen.
    fn address(self) -> Result<Ipv4Addr, Skip> {
        match self {
            Self::Address => Ok(ADDRESS),
            Self::Endpoints => own_address().ok_or_else(|| {
                Skip("this machine has only addresses that no endpoint may have".into())
            }),
        }
    }
}

/// Returns the address from which this machine would send to others. It sends nothing.
fn own_address() -> Option<Ipv4Addr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(203, 0, 113, 1), 9)).ok()?;
    match socket.local_addr().ok()?.ip() {
        IpAddr::V4(own) if !own.is_loopback() && !own.is_link_local() => Some(own),
        _ => None,
    }
}

/// Starts a control plane whose API server calls the example's webhooks by their Service.
pub(super) async fn hooked(route: Route) -> Result<Hooked, Skip> {
    let address = route.address()?;
    let (plane, client) = start(&[route.flag()]).await?;
    let mut service = kube_webhooks::Service::new(OPERATOR, NAME).configuration(NAME);
    let own = operator(&plane, &client).await;
    let certificates = ManagedCertificates::new(own, service.clone(), SECRET).overlap(OVERLAP);
    let certificates = Certificates::from(certificates).poll(Duration::from_millis(100));
    let webhooks = hooks::webhooks().expect("the example's webhooks");
    let server = match webhooks.listen((address, 0), certificates).await {
        Ok(server) => server,
        // Only Linux has all addresses of the loopback.
        Err(error) if error.kind() == ErrorKind::AddrNotAvailable => {
            return Err(Skip(error.to_string()));
        }
        Err(error) => panic!("{error}"),
    };
    let port = server.address().port();
    let stop = CancellationToken::new();
    tokio::spawn(server.run(stop.clone()));
    let hooked = Hooked { plane, client: client.clone(), webhooks, stop };
    if let Route::Address = route {
        service = service.port(port);
    }
    hooks::install(&client, Some((&hooked.webhooks, &service))).await.expect("it is installed");

    let websites = Api::<v2::Website>::default_namespaced(client.clone());
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    eventually("a website is refused for want of the Service", async || {
        let refused = websites.create(&dry, &website("probe", 1)).await;
        refused.is_err_and(|error| error.to_string().contains("service \"websites\" not found"))
    })
    .await;
    serve(&client, route, address, port).await;
    called(&client).await;
    check_configurations(&client, if let Route::Address = route { port } else { 443 }).await;
    eventually("the certificate's authority is where it belongs", async || {
        hooked.status().certificate.problem.is_none()
    })
    .await;
    Ok(hooked)
}

/// Creates the operator's namespace and permissions. Returns its client, which has only the
/// permissions that managed certificates need.
async fn operator(plane: &ControlPlane, client: &Client) -> Client {
    let user = format!("system:serviceaccount:{OPERATOR}:{NAME}");
    let all = || client.clone();
    create::<Namespace>(&Api::all(all()), json!({ "metadata": { "name": OPERATOR } })).await;
    let role = |rules| json!({ "metadata": { "name": NAME }, "rules": rules });
    let binding = |kind: &str| {
        json!({
            "metadata": { "name": NAME },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": NAME },
            "subjects": [{ "kind": "User", "name": user }],
        })
    };
    let secrets = role(json!([
        { "apiGroups": [""], "resources": ["secrets"], "verbs": ["create"] },
        {
            "apiGroups": [""], "resources": ["secrets"], "resourceNames": [SECRET],
            "verbs": ["get", "update"],
        },
    ]));
    create(&Api::<Role>::namespaced(all(), OPERATOR), secrets).await;
    create(&Api::<RoleBinding>::namespaced(all(), OPERATOR), binding("Role")).await;
    let registrations = role(json!([
        {
            "apiGroups": ["admissionregistration.k8s.io"], "resourceNames": [NAME],
            "resources": ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
            "verbs": ["get", "patch"],
        },
        {
            "apiGroups": ["apiextensions.k8s.io"], "resourceNames": [DEFINITION],
            "resources": ["customresourcedefinitions"], "verbs": ["get", "patch"],
        },
    ]));
    create(&Api::<ClusterRole>::all(all()), registrations).await;
    create(&Api::<ClusterRoleBinding>::all(all()), binding("ClusterRole")).await;
    let mut config = plane.config().await.expect("a configuration");
    config.auth_info.impersonate = Some(user);
    Client::try_from(config).expect("a client")
}

/// Creates the Service, and its endpoints where no proxy is needed.
async fn serve(client: &Client, route: Route, address: Ipv4Addr, port: u16) {
    let services = Api::<Service>::namespaced(client.clone(), OPERATOR);
    let spec = match route {
        Route::Address => json!({ "clusterIP": address, "ports": [{ "port": port }] }),
        Route::Endpoints => json!({ "ports": [{ "port": 443, "targetPort": port }] }),
    };
    create(&services, json!({ "metadata": { "name": NAME }, "spec": spec })).await;
    if let Route::Endpoints = route {
        let slices = Api::<EndpointSlice>::namespaced(client.clone(), OPERATOR);
        let slice = json!({
            "metadata": { "name": NAME, "labels": { "kubernetes.io/service-name": NAME } },
            "addressType": "IPv4",
            "ports": [{ "name": "", "port": port }],
            "endpoints": [{ "addresses": [address], "conditions": { "ready": true } }],
        });
        create(&slices, slice).await;
    }
}

async fn create<K>(api: &Api<K>, object: Value)
where
    K: Clone + std::fmt::Debug + DeserializeOwned + Serialize,
{
    let object = serde_json::from_value(object).expect("it is well-formed");
    api.create(&PostParams::default(), &object).await.expect("it is new");
}

/// Checks that all that the API server knows of the webhooks names the Service.
async fn check_configurations(client: &Client, port: u16) {
    let mutating = Api::<MutatingWebhookConfiguration>::all(client.clone()).get(NAME).await;
    let validating = Api::<ValidatingWebhookConfiguration>::all(client.clone()).get(NAME).await;
    let definition = Api::<CustomResourceDefinition>::all(client.clone()).get(DEFINITION).await;
    let value = |object: Result<Value, _>| object.expect("it is serialised");
    let mutating = value(serde_json::to_value(mutating.expect("it is there")));
    let validating = value(serde_json::to_value(validating.expect("it is there")));
    let definition = value(serde_json::to_value(definition.expect("it is there")));
    for (path, config) in [
        ("/default", &mutating["webhooks"][0]["clientConfig"]),
        ("/validate", &validating["webhooks"][0]["clientConfig"]),
        ("/convert", &definition["spec"]["conversion"]["webhook"]["clientConfig"]),
    ] {
        let service = json!({ "namespace": OPERATOR, "name": NAME, "path": path, "port": port });
        assert_eq!(config["service"], service, "{config}");
        assert!(config["caBundle"].is_string() && config["url"].is_null(), "{config}");
    }
}

/// Deletes the Secret twice. Each time another certificate serves in the end, and no request is
/// refused. An API server makes a new connection when the authorities change, so the second round
/// needs the first round's certificate.
pub(super) async fn renews(hooked: &Hooked) -> Outcome {
    let secrets = Api::<Secret>::namespaced(hooked.client.clone(), OPERATOR);
    let websites = Api::<v2::Website>::default_namespaced(hooked.client.clone());
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let mut made = 0;
    for round in 1..=2 {
        let before = hooked.status().certificate.exchanged;
        secrets.delete(SECRET, &DeleteParams::default()).await.expect("it is there");
        while hooked.status().certificate.exchanged == before {
            let name = format!("site-{made}");
            let answer = websites.create(&dry, &website(&name, 1)).await;
            let host = answer.unwrap_or_else(|error| panic!("round {round}: {error}")).spec.host;
            assert_eq!(host, Some(format!("{name}.default.example.com")));
            made += 1;
        }
    }
    println!("{made} requests by the Service, two certificates renewed, none refused");
    Ok(())
}

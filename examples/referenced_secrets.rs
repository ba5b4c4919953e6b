//! A gateway that rebuilds its configuration from ingresses, services, endpoint slices and only the
//! secrets that the ingresses name.
//!
//! `cargo example referenced_secrets` brings its own API server and ends by itself. `-- --cluster`
//! works on the cluster of the present kubeconfig until Ctrl-C. The gateway needs list and watch on
//! ingresses, services and endpoint slices. On secrets it needs them only for the names that the
//! ingresses use, which a Role with `resourceNames` gives.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Secret, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::api::networking::v1::{Ingress, IngressServiceBackend};
use kube::api::ObjectMeta;
use kube::{Client, Resource, ResourceExt};
use kube_informer::error::BoxError;
use kube_informer::factory::Referenced;
use kube_informer::informer::InformerStopped;
use kube_informer::lister::StoreState;
use kube_informer::testing::ApiServer;
use kube_informer::{Index, Lister, ObjectKey, SharedInformer};
use kube_informer::{SharedInformerFactory, SyncError};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let say = |line| println!("{line}");
    support::main(|client, stop| run(client, stop, say), life).await
}

/// Rebuilds the configuration after each change until `stop`; `say` is given what differs.
pub(crate) async fn run(
    client: Client,
    stop: CancellationToken,
    say: impl Fn(String),
) -> Result<(), BoxError> {
    let factory = SharedInformerFactory::builder(client).name("gateway").on_error(|_| {}).build();
    let ingresses = factory.informer::<Ingress>();
    let services = factory.informer::<Service>();
    let slices = factory.informer::<EndpointSlice>();
    let slices_of = slices.add_index("service", service_of)?;
    let secrets = factory.referenced::<Secret>();
    secrets.feed_from(&ingresses, secrets_of)?;

    // Any number of changes lead to one rebuild.
    let changed = Arc::new(Notify::new());
    wake(&ingresses, &changed)?;
    wake(&services, &changed)?;
    wake(&slices, &changed)?;
    let woken = changed.clone();
    secrets.on_event(move |_| woken.notify_one());

    factory.start()?;
    secrets.start()?;
    factory.wait_for_sync(Duration::from_secs(30)).await?;
    if let Err(error) = secrets.wait_for_sync(Duration::from_secs(5)).await {
        tell_refused(&error, &say);
    }
    let view =
        View { services: services.lister(), ingresses: ingresses.lister(), slices_of, secrets };
    let mut before = BTreeMap::new();
    changed.notify_one();
    while stop.run_until_cancelled(changed.notified()).await.is_some() {
        let now = view.routes();
        for (host, route) in now.iter().filter(|(host, route)| before.get(*host) != Some(*route)) {
            say(format!("{host}: {route}"));
        }
        for host in before.keys().filter(|host| !now.contains_key(*host)) {
            say(format!("{host}: is gone"));
        }
        before = now;
        // A change that comes meanwhile is part of the next rebuild.
        let _ = stop.run_until_cancelled(tokio::time::sleep(Duration::from_millis(100))).await;
    }
    say(format!("= {} secrets are followed", view.secrets.keys().len()));
    factory.shutdown().await;
    Ok(())
}

/// A refused name is told, and the gateway serves the others.
fn tell_refused(error: &SyncError, say: &impl Fn(String)) {
    for unsynced in &error.unsynced {
        say(format!("! {}: {unsynced}", unsynced.name));
    }
}

fn wake<K: Resource + Send + Sync + 'static>(
    informer: &SharedInformer<K>,
    changed: &Arc<Notify>,
) -> Result<(), InformerStopped> {
    let changed = changed.clone();
    informer.on_cached_event(move |_, _| changed.notify_one()).map(drop)
}

/// Returns the keys of the Secrets that an Ingress names.
fn secrets_of(ingress: &Ingress) -> Vec<ObjectKey> {
    let tls = ingress.spec.iter().flat_map(|spec| spec.tls.iter().flatten());
    tls.filter_map(|tls| key_in(ingress, tls.secret_name.as_deref()?)).collect()
}

/// Returns the key of the Service that a slice belongs to.
fn service_of(slice: &EndpointSlice) -> Option<String> {
    let name = slice.labels().get("kubernetes.io/service-name")?;
    Some(key_in(slice, name)?.to_string())
}

/// Returns the key of an object of this name beside another object.
fn key_in<K: Resource>(beside: &K, name: &str) -> Option<ObjectKey> {
    ObjectKey::namespaced(beside.meta().namespace.as_deref()?, name).ok()
}

/// Everything that the configuration is made of.
struct View {
    ingresses: Lister<Ingress>,
    services: Lister<Service>,
    slices_of: Index<EndpointSlice>,
    secrets: Referenced<Secret>,
}

/// The configuration of one host.
#[derive(Debug, Default, PartialEq, Eq)]
struct Route {
    tls: Option<Certificate>,
    addresses: BTreeSet<String>,
}

/// The certificate of a host, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Certificate {
    Served {
        key: ObjectKey,
        version: String,
    },
    /// The Ingress names a Secret that does not exist.
    Absent(ObjectKey),
    /// Nothing is known about the Secret: its list is under way, or refused.
    Unknown(ObjectKey),
}

impl View {
    fn routes(&self) -> BTreeMap<String, Route> {
        let mut routes: BTreeMap<String, Route> = BTreeMap::new();
        for ingress in self.ingresses.all() {
            let Some(spec) = &ingress.spec else { continue };
            for rule in spec.rules.iter().flatten() {
                let Some(host) = &rule.host else { continue };
                let route = routes.entry(host.clone()).or_default();
                let paths = rule.http.iter().flat_map(|http| &http.paths);
                for backend in paths.filter_map(|path| path.backend.service.as_ref()) {
                    route.addresses.extend(self.addresses(&ingress, backend).unwrap_or_default());
                }
            }
            for tls in spec.tls.iter().flatten() {
                let Some(name) = &tls.secret_name else { continue };
                let Some(certificate) = key_in(&*ingress, name).map(|key| self.certificate(key))
                else {
                    continue;
                };
                for host in tls.hosts.iter().flatten() {
                    routes.entry(host.clone()).or_default().tls = Some(certificate.clone());
                }
            }
        }
        routes
    }

    fn certificate(&self, key: ObjectKey) -> Certificate {
        match self.secrets.get_by_key(&key) {
            Ok(secret) => {
                let version = secret.resource_version().unwrap_or_default();
                Certificate::Served { key, version }
            }
            Err(missing) if missing.store == StoreState::Synced => Certificate::Absent(key),
            // Also for the moment between a new Ingress and the references that it takes.
            Err(_) => Certificate::Unknown(key),
        }
    }

    /// Returns the addresses behind the port of a Service.
    fn addresses(
        &self,
        ingress: &Ingress,
        backend: &IngressServiceBackend,
    ) -> Option<BTreeSet<String>> {
        let key = key_in(ingress, &backend.name)?;
        let service = self.services.get_by_key(&key).ok()?;
        let (name, number) = backend.port.as_ref().map(|port| (port.name.as_ref(), port.number))?;
        let mut ports = service.spec.iter().flat_map(|spec| spec.ports.iter().flatten());
        let port = ports.find(|port| {
            Some(port.port) == number || name.is_some() && port.name.as_ref() == name
        })?;
        let mut found = BTreeSet::new();
        for slice in self.slices_of.get(key.as_str()) {
            let same =
                |other: Option<&str>| other.unwrap_or("") == port.name.as_deref().unwrap_or("");
            let number = slice.ports.iter().flatten().find(|one| same(one.name.as_deref()));
            let Some(number) = number.and_then(|one| one.port) else { continue };
            let ready = |ready: Option<bool>| ready != Some(false);
            let endpoints = slice.endpoints.iter().flatten().filter(|one| {
                ready(one.conditions.as_ref().and_then(|conditions| conditions.ready))
            });
            let addresses = endpoints.flat_map(|endpoint| &endpoint.addresses);
            found.extend(addresses.map(|address| format!("{address}:{number}")));
        }
        Some(found)
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tls {
            None => f.write_str("plain")?,
            Some(Certificate::Served { key, version }) => write!(f, "TLS of {key} at {version}")?,
            Some(Certificate::Absent(key)) => write!(f, "no TLS, because {key} does not exist")?,
            Some(Certificate::Unknown(key)) => write!(f, "TLS waits for {key}")?,
        }
        let addresses: Vec<_> = self.addresses.iter().map(String::as_str).collect();
        write!(
            f,
            ", to {}",
            if addresses.is_empty() { "nobody".into() } else { addresses.join(" ") }
        )
    }
}

/// A little life on the embedded server.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    // Of no concern to this program, which neither lists nor keeps them.
    for number in 0..100 {
        server.create(&secret("shop", &format!("token-{number}"), "other"))?;
    }
    server.create(&secret("shop", "web-tls", "first"))?;
    for (namespace, host) in [("shop", "shop.example.com"), ("bank", "bank.example.com")] {
        server.create(&service(namespace)?)?;
        server.create(&slice(namespace, &["10.0.0.1"])?)?;
        server.create(&ingress(namespace, host, "web-tls")?)?;
    }
    support::moment().await;
    // A new certificate, a certificate that was missing, a second pod.
    server.replace(&secret("shop", "web-tls", "second"))?;
    support::moment().await;
    server.create(&secret("bank", "web-tls", "first"))?;
    support::moment().await;
    server.replace(&slice("bank", &["10.0.0.1", "10.0.0.2"])?)?;
    support::moment().await;
    server.replace(&ingress("bank", "bank.example.com", "other-tls")?)?;
    support::moment().await;
    server.delete(&ingress("bank", "bank.example.com", "other-tls")?)?;
    support::moment().await;
    Ok(())
}

pub(crate) fn secret(namespace: &str, name: &str, value: &str) -> Secret {
    let (namespace, name) = (Some(namespace.into()), Some(name.into()));
    let data = [("tls.crt", value), ("tls.key", value)];
    let data = data.map(|(key, value)| (key.to_owned(), ByteString(value.into())));
    Secret {
        metadata: ObjectMeta { namespace, name, ..ObjectMeta::default() },
        data: Some(data.into()),
        type_: Some("kubernetes.io/tls".into()),
        ..Secret::default()
    }
}

pub(crate) fn service(namespace: &str) -> Result<Service, serde_json::Error> {
    serde_json::from_value(json!({
        "metadata": {"namespace": namespace, "name": "web"},
        "spec": {"ports": [{"name": "http", "port": 80, "targetPort": 8080}]},
    }))
}

pub(crate) fn slice(
    namespace: &str,
    addresses: &[&str],
) -> Result<EndpointSlice, serde_json::Error> {
    let endpoints: Vec<_> =
        addresses.iter().map(|address| json!({"addresses": [address]})).collect();
    serde_json::from_value(json!({
        "metadata": {
            "namespace": namespace, "name": "web-1",
            "labels": {"kubernetes.io/service-name": "web"},
        },
        "addressType": "IPv4",
        "ports": [{"name": "http", "port": 8080}],
        "endpoints": endpoints,
    }))
}

pub(crate) fn ingress(
    namespace: &str,
    host: &str,
    secret: &str,
) -> Result<Ingress, serde_json::Error> {
    let service = json!({"service": {"name": "web", "port": {"number": 80}}});
    serde_json::from_value(json!({
        "metadata": {"namespace": namespace, "name": "web"},
        "spec": {
            "tls": [{"hosts": [host], "secretName": secret}],
            "rules": [{
                "host": host,
                "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": service}]},
            }],
        },
    }))
}

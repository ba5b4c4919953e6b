//! The informers, what they are asked while they follow the server, and the audits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::{Method, Request};
use kube::client::Body;
use kube::core::ApiResource;
use kube::{Client, Resource};
use kube_informer::error::BoxError;
use kube_informer::factory::Kinds;
use kube_informer::informer::Audit;
use kube_informer::{SharedInformer, SharedInformerFactory};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::report::{Kind, Report};

/// The number of objects of a kind whose decoded size is measured.
const SAMPLE: usize = 200;

/// Options of a run.
pub(crate) struct Options {
    /// The resources, such as `deployments.apps`. `None`: the metadata of all that are served.
    pub(crate) kinds: Option<Vec<String>>,
    pub(crate) duration: Duration,
    pub(crate) between_audits: Duration,
    /// Returns the number of allocated bytes.
    pub(crate) in_use: fn() -> usize,
}

/// Follows the kinds until the time is over or `stop`. Only lists and watches are requested.
pub(crate) async fn follow(
    client: Client,
    options: &Options,
    stop: CancellationToken,
    say: impl Fn(String) + Clone + Send + 'static,
) -> Result<Report, BoxError> {
    let requests = Arc::new(AtomicU64::new(0));
    let factory = SharedInformerFactory::builder(counted(client, requests.clone()))
        .name("audit")
        .on_error(|_| {})
        .build();
    let mut report = if let Some(kinds) = options.kinds.clone() {
        say(rules(&kinds));
        let wanted = move |kind: &ApiResource| kinds.contains(&name(kind));
        observe(factory.kinds(wanted), options, &stop, say).await?
    } else {
        say(rules(&["*".to_owned()]));
        observe(factory.kinds_metadata(|_| true), options, &stop, say).await?
    };
    factory.shutdown().await;
    report.requests = requests.load(Ordering::Relaxed);
    Ok(report)
}

/// Returns a client that counts its requests, and refuses all that would change something.
fn counted(client: Client, requests: Arc<AtomicU64>) -> Client {
    let namespace = client.default_namespace().to_owned();
    let service = tower::service_fn(move |request: Request<Body>| {
        let client = client.clone();
        requests.fetch_add(1, Ordering::Relaxed);
        async move {
            if request.method() != Method::GET {
                return Err(BoxError::from("this program only reads"));
            }
            client.send(request).await.map_err(BoxError::from)
        }
    });
    Client::new(service, namespace)
}

/// Returns the resource as `kubectl` writes it.
fn name(kind: &ApiResource) -> String {
    let ApiResource { group, plural, .. } = kind;
    if group.is_empty() { plural.clone() } else { format!("{plural}.{group}") }
}

/// Returns the rules that the program needs.
fn rules(kinds: &[String]) -> String {
    let mut groups = BTreeMap::<&str, Vec<&str>>::new();
    for kind in kinds {
        let (plural, group) = kind.split_once('.').unwrap_or((kind, ""));
        groups.entry(if kind == "*" { "*" } else { group }).or_default().push(plural);
    }
    if !groups.contains_key("*") {
        groups.entry("apiextensions.k8s.io").or_default().push("customresourcedefinitions");
        groups.entry("apiregistration.k8s.io").or_default().push("apiservices");
    }
    let rule = |(group, resources): (&&str, &Vec<&str>)| {
        let resources = resources.join(", ");
        format!(
            "#  - apiGroups: [\"{group}\"]\n#    resources: [\"{resources}\"]\n#    verbs: [list, watch]"
        )
    };
    let rules: Vec<_> = groups.iter().map(rule).collect();
    format!("# It needs a ClusterRole with these rules:\n# rules:\n{}", rules.join("\n"))
}

async fn observe<K>(
    kinds: Kinds<K>,
    options: &Options,
    stop: &CancellationToken,
    say: impl Fn(String),
) -> Result<Report, BoxError>
where
    K: Resource + Clone + Send + Sync + 'static,
{
    let begun = Instant::now();
    kinds.start()?;
    if let Ok(Err(error)) = timeout(options.duration, kinds.wait_for_sync(options.duration)).await {
        for unsynced in &error.unsynced {
            say(format!("! {unsynced}"));
        }
    }
    let informers = kinds.informers();
    let events = Arc::new(AtomicU64::new(0));
    for (_, informer) in &informers {
        let events = events.clone();
        informer.on_cached_event(move |_, _| {
            events.fetch_add(1, Ordering::Relaxed);
        })?;
    }
    say(format!("following {} kinds after {:.1?}", informers.len(), begun.elapsed()));
    let mut report = Report::default();
    let mut seconds = interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut next_audit = Instant::now() + options.between_audits;
    let ends = begun + options.duration;
    while Instant::now() < ends && !stop.is_cancelled() {
        tokio::select! {
            _ = seconds.tick() => {}
            () = stop.cancelled() => break,
        }
        for (_, informer) in informers.iter().filter(|(_, informer)| informer.has_synced()) {
            report.freshness.extend(informer.freshness());
            let handlers = informer.status().handlers;
            report.lags.extend(handlers.first().map(|handler| handler.lag));
        }
        let now = Instant::now();
        if now >= next_audit && now < ends {
            next_audit = now + options.between_audits;
            audit(&informers, &mut report, &say).await;
        }
    }
    audit(&informers, &mut report, &say).await;
    report.duration = begun.elapsed();
    report.events = events.load(Ordering::Relaxed);
    for (kind, informer) in &informers {
        report.kinds.push(measured(name(kind), informer, options.in_use));
    }
    Ok(report)
}

async fn audit<K>(
    informers: &[(ApiResource, SharedInformer<K>)],
    report: &mut Report,
    say: &impl Fn(String),
) {
    for (_, informer) in informers.iter().filter(|(_, informer)| informer.has_synced()) {
        let audit: Audit = informer.audit().await;
        if !audit.passed() || !audit.was_judged() {
            say(format!("! {audit}"));
        }
        report.audits.push(audit);
    }
}

/// Reads the figures of a kind, and measures what its objects take decoded, by a sample.
fn measured<K: Resource + Clone + Send + Sync + 'static>(
    resource: String,
    informer: &SharedInformer<K>,
    in_use: fn() -> usize,
) -> Kind {
    let status = informer.status();
    let snapshot = informer.snapshot();
    let (mut decoded, mut sampled) = (0, 0);
    for (_, object) in snapshot.iter().take(SAMPLE) {
        let before = in_use();
        let copy = Arc::new(K::clone(&object));
        decoded += in_use().saturating_sub(before);
        sampled += 1;
        drop(copy);
    }
    Kind {
        resource,
        objects: status.objects,
        relists: status.reflector.relists,
        packed: status.storage.map_or(0, |storage| storage.bytes),
        decoded: decoded.checked_div(sampled).unwrap_or(0) * status.objects,
    }
}

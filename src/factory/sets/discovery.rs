//! The kinds that discovery lists, and when to read it.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResource, APIVersions};
use kube::core::ApiResource;
use kube::{Client, Error};
use tokio::time::{sleep, timeout};

use super::definition::Definition;
use super::kinds::{Kind, defines};
use super::members::Wanted;
use super::registration::{Registered, Registration, may_be_undefined, registered};
use super::serving::{in_time, is_missing};
use crate::factory::{InformerSpec, Interest, SharedInformerFactory};
use crate::indexer::Indexer;
use crate::informer::StartError;
use crate::storage::Storage;
use crate::sync::Mutex;
use crate::transport::{read_discovery, read_resources};

/// The pause after a failed discovery.
const PAUSE: Duration = Duration::from_secs(5);

/// The longest time that the first discovery waits for the registrations.
const PATIENCE: Duration = Duration::from_secs(10);

/// The period of the check whether the registrations can be listed.
const PERIOD: Duration = Duration::from_secs(1);

/// The number of groups that are read at a time.
const PARALLEL: usize = 8;

/// The number of times that a group is read before its kinds are left out. One failure may be an
/// accident, and a server that is down holds up the others for two pauses.
const TRIES: usize = 3;

/// The kinds without definitions, as discovery listed them.
pub(super) struct Discovered {
    client: Client,
    /// The registrations of API servers. Nothing waits for them, because they may be forbidden.
    registrations: Interest<Registration>,
    state: Mutex<DiscoveryState>,
}

#[derive(Default)]
struct DiscoveryState {
    kinds: Wanted<Kind>,
    /// The registrations before the last reading. `None` before the first.
    read_at: Option<Registered>,
}

impl Discovered {
    pub(super) fn new(factory: &SharedInformerFactory) -> Self {
        let spec = InformerSpec::<Registration>::new().storage(Storage::decoded());
        let registrations = factory.set_interest(spec);
        Self {
            client: factory.shared.client.clone(),
            registrations: registrations
                .expect("nobody else can name the type, so the options are these"),
            state: Mutex::default(),
        }
    }

    pub(super) fn start(&self) -> Result<(), StartError> {
        self.registrations.ensure_started()
    }

    /// Returns the kinds, after it removed those that `gone` selects.
    pub(super) fn without(&self, gone: impl Fn(&str) -> bool) -> Wanted<Kind> {
        let mut state = self.state.lock();
        state.kinds.retain(|name, _| !gone(name));
        state.kinds.clone()
    }

    /// Reads discovery, at the second call and later when other registrations have come. Cancel
    /// safe.
    pub(super) async fn next(&self, definitions: &Indexer<Definition>) {
        let has_read = self.state.lock().read_at.is_some();
        let now = if has_read {
            let other = |now: &Registered| self.state.lock().read_at.as_ref() != Some(now);
            let changes = self.registrations.indexer();
            changes.find_in_changes(|store| Some(registered(store)).filter(other)).await
        } else {
            let _late = timeout(PATIENCE, self.registrations_or_refusal()).await;
            registered(&self.registrations.snapshot())
        };
        loop {
            let before = definitions.snapshot();
            match discover(&self.client).await {
                Ok((mut found, silent)) => {
                    // A definition may have left meanwhile.
                    let registrations = self.registrations.snapshot();
                    found.retain(|name, Kind { resource, .. }| {
                        let (group, version) = (&resource.group, &resource.version);
                        !defines(&before, name) && may_be_undefined(&registrations, group, version)
                    });
                    let mut state = self.state.lock();
                    // A server that does not answer has not taken its objects away.
                    for (name, kind) in &state.kinds {
                        if silent.contains(&kind.resource.group) {
                            found.entry(name.clone()).or_insert_with(|| kind.clone());
                        }
                    }
                    (state.kinds, state.read_at) = (found, Some(now));
                    return;
                }
                Err(error) => tracing::warn!(%error, "discovery failed"),
            }
            sleep(PAUSE).await;
        }
    }

    /// Waits until the registrations have synced, or cannot be listed.
    async fn registrations_or_refusal(&self) {
        let registrations = &self.registrations;
        while !registrations.has_synced() && registrations.unsynced().last_error.is_none() {
            let _synced = registrations.wait_for_sync(PERIOD).await;
            if registrations.is_stopped() {
                return;
            }
        }
    }
}

/// Reads the resources that can be listed and watched, in the preferred version of their group.
/// Also returns the groups whose server does not answer.
async fn discover(client: &Client) -> Result<(Wanted<Kind>, HashSet<String>), Error> {
    let mut silent = HashSet::new();
    let mut found = BTreeMap::new();
    for version in in_time(read_discovery::<APIVersions>(client, "/api")).await?.versions {
        let listed = in_time(read_resources(client, &version)).await?;
        add_listed(&mut found, "", &version, listed);
    }
    let groups = in_time(read_discovery::<APIGroupList>(client, "/apis")).await?.groups;
    let mut left: Vec<_> = groups
        .into_iter()
        .filter_map(|group| {
            let preferred = group.preferred_version.or(group.versions.into_iter().next())?;
            Some((group.name, preferred))
        })
        .collect();
    for tries in 1.. {
        let mut failed = Vec::new();
        let answers = left.into_iter().map(|(group, preferred)| {
            let answer = async move {
                let answer = in_time(read_resources(client, &preferred.group_version)).await;
                (group, preferred, answer)
            };
            answer.boxed()
        });
        let mut answers = stream::iter(answers).buffer_unordered(PARALLEL).boxed();
        while let Some((group, preferred, answer)) = answers.next().await {
            match answer {
                Ok(listed) => add_listed(&mut found, &group, &preferred.version, listed),
                Err(error) if tries < TRIES && !is_missing(&error) => {
                    failed.push((group, preferred));
                }
                // The group went meanwhile.
                Err(error) if is_missing(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, group, "the kinds of a group are not known");
                    silent.insert(group);
                }
            }
        }
        if failed.is_empty() {
            break;
        }
        left = failed;
        sleep(PAUSE).await;
    }
    Ok((found, silent))
}

fn add_listed(found: &mut Wanted<Kind>, group: &str, version: &str, listed: Vec<APIResource>) {
    for resource in listed {
        let can = |verb: &str| resource.verbs.iter().any(|other| other == verb);
        if resource.name.contains('/') || !can("list") || !can("watch") {
            continue;
        }
        let api_version =
            if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        let name = format!("{}.{group}", resource.name);
        let resource = ApiResource {
            group: group.to_owned(),
            version: version.to_owned(),
            api_version,
            kind: resource.kind,
            plural: resource.name,
        };
        found.insert(name.into(), Kind { resource, defined: false });
    }
}

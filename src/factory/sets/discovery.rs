//! The kinds that discovery lists, and when to read it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResource, APIVersions};
use kube::core::ApiResource;
use kube::{Client, Error};
use tokio::time::{sleep, timeout};

use super::definition::Definition;
use super::kinds::{Kind, defines};
use super::members::{Tag, Wanted};
use super::registration::{
    REGISTRATIONS, Registered, Registration, available_groups, may_be_undefined, registered,
};
use super::serving::in_time;
use crate::factory::{InformerSpec, Interest, SharedInformerFactory};
use crate::indexer::{Indexer, Snapshot};
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

/// The number of times that a group is read before it counts as silent. One failure may be an
/// accident, and a server that is down holds up the others for two pauses.
const TRIES: usize = 3;

/// The pause after which silent groups are read again.
pub(super) const LONG_PAUSE: Duration = Duration::from_secs(300);

const UNNAMED: &str = "it is registered, and discovery does not name it";
const INCOMPLETE: &str = "its resources are missing, or have no verbs";

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
    /// True if the last reading was incomplete.
    is_partial: bool,
}

/// The state that discovery lists.
#[derive(Default)]
struct Reading {
    found: Wanted<Kind>,
    /// The groups that gave no complete answer, with the reason. A server that does not answer has
    /// not taken its objects away.
    silent: HashMap<String, String>,
    /// True if no groups are named but that of the registrations, as by a server that starts.
    is_bare: bool,
}

impl Reading {
    fn is_partial(&self) -> bool {
        self.is_bare || !self.silent.is_empty()
    }

    fn is_silent(&self, group: &str) -> bool {
        self.is_bare || self.silent.contains_key(group)
    }
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
        self.registrations.start()
    }

    /// Returns the kinds, after it removed those that `gone` selects.
    pub(super) fn without(&self, gone: impl Fn(&str) -> bool) -> Wanted<Kind> {
        let mut state = self.state.lock();
        state.kinds.retain(|name, _| !gone(name));
        state.kinds.clone()
    }

    /// Reads discovery, at the second call and later when other registrations have come, or some
    /// time after an incomplete answer. Cancel safe.
    pub(super) async fn next(&self, definitions: &Indexer<Definition>) {
        self.until_due().await;
        // The kinds that the last reading lacked.
        let mut lacked = HashSet::new();
        loop {
            let (before, read_at) = (definitions.snapshot(), self.registered());
            match self.discover().await {
                Ok(reading) => match self.take(&reading, &before, read_at, &lacked) {
                    Ok(()) => return,
                    Err(lacks) => lacked = lacks,
                },
                Err(error) => tracing::warn!(%error, "discovery failed"),
            }
            sleep(PAUSE).await;
        }
    }

    fn registered(&self) -> Registered {
        registered(&self.registrations.snapshot())
    }

    /// Waits until discovery is to be read.
    async fn until_due(&self) {
        let (has_read, is_partial) = {
            let state = self.state.lock();
            (state.read_at.is_some(), state.is_partial)
        };
        if !has_read {
            let _late = timeout(PATIENCE, self.registrations_or_refusal()).await;
            return;
        }
        let other = |store: &Snapshot<Registration>| {
            (self.state.lock().read_at.as_ref() != Some(&registered(store))).then_some(())
        };
        let limit = if is_partial { LONG_PAUSE } else { Duration::MAX };
        let _unchanged = timeout(limit, self.registrations.indexer().find_in_changes(other)).await;
    }

    /// Takes the kinds of a reading. If it lacks known ones that the last did not lack, too, these
    /// are returned: one answer may be an accident, and would report their objects as deleted.
    fn take(
        &self,
        reading: &Reading,
        definitions: &Snapshot<Definition>,
        read_at: Registered,
        lacked: &HashSet<Arc<str>>,
    ) -> Result<(), HashSet<Arc<str>>> {
        let mut found = reading.found.clone();
        // A definition may have left meanwhile.
        let registrations = self.registrations.snapshot();
        found.retain(|name, Kind { resource, .. }| {
            let (group, version) = (&resource.group, &resource.version);
            !defines(definitions, name) && may_be_undefined(&registrations, group, version)
        });
        let mut state = self.state.lock();
        let mut lacks = HashSet::new();
        for (name, kind) in &state.kinds {
            match found.get(name) {
                Some(now) if !now.replaces(kind) => {}
                None if reading.is_silent(&kind.resource.group) => {
                    found.insert(name.clone(), kind.clone());
                }
                _ if defines(definitions, name) => {}
                _ => drop(lacks.insert(name.clone())),
            }
        }
        if !lacks.is_subset(lacked) {
            return Err(lacks);
        }
        let is_partial = reading.is_partial();
        *state = DiscoveryState { kinds: found, read_at: Some(read_at), is_partial };
        Ok(())
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

    /// Reads the resources that can be listed and watched, in the preferred version of their group.
    /// A group that is named or registered, but gives no complete answer, is read several times.
    async fn discover(&self) -> Result<Reading, Error> {
        let client = &self.client;
        let (mut reading, mut complete) = (Reading::default(), HashSet::new());
        for _ in 0..TRIES {
            if reading.is_partial() {
                sleep(PAUSE).await;
            }
            let mut left = Vec::new();
            for version in in_time(read_discovery::<APIVersions>(client, "/api")).await?.versions {
                left.push((String::new(), version.clone(), version));
            }
            let groups = in_time(read_discovery::<APIGroupList>(client, "/apis")).await?.groups;
            reading.is_bare = groups.iter().all(|group| group.name == REGISTRATIONS);
            left.extend(groups.into_iter().filter_map(|group| {
                let preferred = group.preferred_version.or(group.versions.into_iter().next())?;
                Some((group.name, preferred.version, preferred.group_version))
            }));
            let mut silent = available_groups(&self.registrations.snapshot());
            silent.insert(String::new());
            reading.silent = silent.into_iter().map(|group| (group, UNNAMED.into())).collect();
            left.retain(|(group, ..)| !complete.contains(group));
            let answers = left.into_iter().map(|(group, version, api_version)| {
                let answer = async move {
                    let answer = in_time(read_resources(client, &api_version)).await;
                    (group, version, answer)
                };
                answer.boxed()
            });
            let mut answers = stream::iter(answers).buffer_unordered(PARALLEL).boxed();
            while let Some((group, version, answer)) = answers.next().await {
                let problem = match answer {
                    Ok(listed) => {
                        let is_whole = is_whole(&listed);
                        add_listed(&mut reading.found, &group, &version, listed);
                        if is_whole {
                            complete.insert(group);
                            continue;
                        }
                        INCOMPLETE.to_owned()
                    }
                    Err(error) if group.is_empty() => return Err(error),
                    Err(error) => error.to_string(),
                };
                reading.silent.insert(group, problem);
            }
            reading.silent.retain(|group, _| !complete.contains(group));
            if !reading.is_partial() {
                break;
            }
        }
        for (group, problem) in &reading.silent {
            tracing::warn!(group, problem, "the kinds of a group are not known");
        }
        Ok(reading)
    }
}

/// Returns whether a list of resources says something about each. Go leaves out an empty list, and
/// a starting server sends one.
fn is_whole(listed: &[APIResource]) -> bool {
    !listed.is_empty() && listed.iter().all(|resource| !resource.verbs.is_empty())
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

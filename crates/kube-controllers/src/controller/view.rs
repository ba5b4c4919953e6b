//! The wait for a view that work may begin with: synced, and as new as a takeover.
//!
//! A replica that takes over must not act on an older state than its predecessor did. So before
//! the first reconcile, each informer that the controller follows proves by a quorum read that it
//! is as new as the takeover.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::membership::Membership;
use super::sources::Source;
use super::{ControllerError, ControllerParts, Phase};
use kube_informer::informer::{ReadBarrier, SyncError};
use kube_informer::seams::Together;

/// The period of the check whether enough members of each group have a view.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

impl ControllerParts {
    /// Waits until each kind has an informer that is fresh since this moment, and every other
    /// informer is fresh, too, or fails. The keys of the others wait. Informers that work does not
    /// wait for are awaited only at a takeover.
    #[allow(clippy::mutable_key_type, reason = "informers are equal and hashed by identity")]
    pub(super) async fn await_view(&self, since: ReadBarrier) -> Result<(), ControllerError> {
        let (start, takes_over) = (Instant::now(), since > ReadBarrier::START);
        let mut others = if takes_over { self.sources.members() } else { Vec::new() };
        let limit = self.limits.sync;
        let view = |member: Membership| async move {
            tokio::select! {
                biased;
                fresh = member.fresh(since, limit) => fresh,
                // It is awaited later, without a limit.
                () = member.kind_awaited() => Ok(()),
            }
        };
        let other_view = |(member, removed): (Membership, CancellationToken)| async move {
            // Work begins without it.
            let _view = removed.run_until_cancelled(view(member)).await;
            Ok(())
        };
        let all = self.members().map(|member| view(member.clone()).boxed());
        let all =
            Together::all(all.chain(others.iter().cloned().map(|one| other_view(one).boxed())));
        let some = async {
            loop {
                // An error from before the takeover says nothing of the view since then.
                let within = if takes_over { start.elapsed() } else { Duration::MAX };
                let is_done = |member: &Membership| {
                    member.is_fresh(since)
                        || member.is_failing(since, within)
                        || member.is_stopped()
                };
                if !others.is_empty() {
                    let followed = self.sources.members();
                    let followed: HashSet<_> =
                        followed.iter().map(|(member, _)| member.informer()).collect();
                    others.retain(|(member, _)| {
                        let stays = followed.contains(member.informer());
                        stays && !is_done(member) && !member.awaits_kind()
                    });
                }
                let begins =
                    |group: &Arc<Source>| group.has_some(since) && group.members().all(is_done);
                if others.is_empty() && self.groups.iter().all(begins) {
                    return;
                }
                if takes_over {
                    self.note_missing(since, &|member| member.is_failing(since, within)).await;
                }
                sleep(POLL_INTERVAL).await;
            }
        };
        let waits = tokio::select! {
            biased;
            all = all => all,
            () = some => Vec::new(),
        };
        let begins = waits.iter().all(Result::is_ok)
            || self.groups.iter().all(|group| group.has_some(since));
        if begins || takes_over {
            self.note_missing(since, &|_| true).await;
        }
        if !begins {
            let controller = self.name.clone();
            return SyncError::join(waits, start)
                .map_err(|source| ControllerError::NotSynced { controller, source });
        }
        Ok(())
    }

    /// Waits until the kinds are served that were not when the others had synced. Until then the
    /// status names them as missing.
    pub(super) async fn await_kinds(&self) {
        if !self.members().any(Membership::awaits_kind) {
            return;
        }
        self.status.enter(Phase::Syncing);
        self.note_missing(ReadBarrier::START, &Membership::awaits_kind).await;
        let awaited = self.members().filter(|member| member.awaits_kind());
        Together::all(awaited.map(|member| member.synced().boxed())).await;
        self.note_missing(ReadBarrier::START, &|_| false).await;
    }

    /// Lists as missing each informer that is not fresh, if `is_missing` says so. Removes those
    /// that are fresh.
    async fn note_missing(
        &self,
        since: ReadBarrier,
        is_missing: &(dyn Fn(&Membership) -> bool + Sync),
    ) {
        for (place, member) in self.members().enumerate() {
            if member.is_fresh(since) {
                self.unpark_waiting_for(place).await;
            } else if is_missing(member) && self.missing_informers.add(place, member.collection()) {
                let (controller, collection) = (&*self.name, member.collection());
                if since > ReadBarrier::START {
                    tracing::warn!(
                        controller,
                        %collection,
                        "an informer was not listed since the takeover: its keys wait"
                    );
                } else {
                    tracing::warn!(
                        controller,
                        %collection,
                        "works without an informer that has not synced"
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use tokio::sync::watch;

    use super::*;
    use crate::basics::Mutex;
    use crate::controller::Controller;
    use crate::controller::triggers::{Keys, Rule};
    use kube_informer::InformerSpec;
    use kube_informer::factory::SharedInformerFactory;
    use kube_informer::informer::{InformerGroup, SharedInformer, StartError};
    use kube_informer::object::ObjectKey;
    use kube_informer::seams::InformerSet;
    use kube_informer::testing::{ApiServer, Faults, Injection, Requests};

    /// A set of which informers can leave.
    struct Leaving(Mutex<Vec<SharedInformer>>);

    impl InformerSet for Leaving {
        fn start(&self) -> Result<(), StartError> {
            self.informers().iter().try_for_each(SharedInformer::start)
        }

        fn informers(&self) -> Vec<SharedInformer> {
            self.0.lock().clone()
        }

        fn informer_of(&self, _: &ObjectKey) -> Option<SharedInformer> {
            None
        }

        fn is_group(&self) -> bool {
            false
        }

        fn changes(&self) -> watch::Receiver<()> {
            watch::channel(()).1
        }
    }

    fn maps_in(factory: &SharedInformerFactory, namespace: &str) -> SharedInformer<ConfigMap> {
        factory.informer_with(InformerSpec::new().namespace(namespace)).unwrap()
    }

    /// One informer that work waits for fails, so each other one must be fresh, fail or leave.
    async fn takes_over_when(leaves: impl AsyncFnOnce(&SharedInformerFactory, &Leaving)) {
        let (server, faults) = (ApiServer::new(), Faults::new());
        faults.inject(Requests::all().to("namespaces/bank"), Injection::status(403));
        faults.inject(Requests::all().to("namespaces/zoo"), Injection::black_hole());
        let factory = SharedInformerFactory::builder(faults.client(server.client())).build();
        let group = InformerGroup::new([maps_in(&factory, "shop"), maps_in(&factory, "bank")]);
        let builder = Controller::builder("maps", &group);
        let parts = builder.sync_timeout(Duration::from_secs(600)).build().parts;
        let set = Arc::new(Leaving(Mutex::new(vec![maps_in(&factory, "zoo").cast()])));
        let added: Arc<dyn InformerSet> = set.clone();
        parts.sources.add(&added, Rule::new(Vec::new(), Keys::Own)).unwrap();
        factory.start().unwrap();
        let start = Instant::now();
        let left = async {
            sleep(Duration::from_secs(20)).await;
            leaves(&factory, &set).await;
        };
        let (view, ()) = tokio::join!(parts.await_view(ReadBarrier::now()), left);
        view.unwrap();
        assert_eq!(start.elapsed().as_secs(), 20);
        factory.shutdown().await;
    }

    #[tokio::test(start_paused = true)]
    async fn stopped_informer_holds_up_no_takeover() {
        takes_over_when(async |factory, _| {
            assert!(factory.remove(&maps_in(factory, "zoo")).await);
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn informer_that_left_its_set_holds_up_no_takeover() {
        takes_over_when(async |_, set| set.0.lock().clear()).await;
    }
}

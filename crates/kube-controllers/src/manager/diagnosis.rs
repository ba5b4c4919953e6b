//! Explanations for informers that do not sync: a kind that is not served, a wrong scope, a missing
//! permission.

use std::time::Duration;

use futures::FutureExt;
use kube::Client;
use tokio::time::{sleep, timeout};

use super::ManagerError;
use crate::controller::ControllerError;
use kube_informer::error::Fault;
use kube_informer::factory::SharedInformerFactory;
use kube_informer::informer::{SharedInformer, SyncError, Unsynced};
use kube_informer::lister_watcher::Collection;
use kube_informer::reflector::ReflectorState;
use kube_informer::seams::read_resources;

/// The period of the check of informers that have not synced.
const PERIOD: Duration = Duration::from_millis(500);

/// The longest time that a discovery request may take.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(10);

/// Waits until the server's discovery proves that an informer can never sync, because its scope is
/// wrong. A kind that is not served may be installed later: it is only logged, unless the program
/// `needs_kinds` from the start.
pub(super) async fn hopeless(factory: &SharedInformerFactory, needs_kinds: bool) -> ManagerError {
    let mut seen = Vec::new();
    loop {
        sleep(PERIOD).await;
        for informer in factory.informers() {
            let status = informer.status();
            let last_error = status.reflector.last_error.as_ref();
            let not_found = last_error.is_some_and(|(error, _)| error.code() == Some(404));
            if status.synced || !status.is_awaited() || !not_found {
                continue;
            }
            let Some((path, _)) = informer.request() else { continue };
            let sought = (path.clone(), status.collection.clone());
            if seen.contains(&sought) {
                continue;
            }
            // Only what discovery did not answer is asked again.
            let cause = not_found_cause(factory.client(), &path, &status.collection).await;
            let Ok(cause) = cause else { continue };
            seen.push(sought);
            let Some(error) = cause else { continue };
            if needs_kinds || matches!(error, ManagerError::WrongScope { .. }) {
                return error;
            }
            tracing::warn!(%error, "waiting for a kind that is not served");
        }
    }
}

/// Returns an error that says what to do, if the cause of a failed sync is known.
pub(super) async fn explain(factory: &SharedInformerFactory, error: ManagerError) -> ManagerError {
    let unsynced: &[Unsynced] = match &error {
        ManagerError::NotSynced(SyncError { unsynced, .. })
        | ManagerError::Controller(ControllerError::NotSynced {
            source: SyncError { unsynced, .. },
            ..
        }) => unsynced,
        _ => return error,
    };
    for informer in unsynced {
        let collection = &informer.collection;
        let Some((last_error, _)) = &informer.last_error else { continue };
        // The server does not refuse a list that it is sending.
        if matches!(informer.state, ReflectorState::Listing { pages, loaded, .. } if pages + loaded > 0)
        {
            continue;
        }
        match last_error.fault() {
            Fault::Status(status) if status.code == 403 => {
                let (collection, message) = (collection.clone(), status.message.clone());
                return ManagerError::Forbidden { collection, message };
            }
            Fault::Status(status) if status.code == 404 => {
                let mut all = factory.informers().into_iter();
                // For another factory's informer, the client is unknown.
                let same =
                    |one: &SharedInformer| !one.has_synced() && one.collection() == collection;
                let request = all.find(same).and_then(|informer| informer.request());
                let Some((path, _)) = request else { continue };
                let found = not_found_cause(factory.client(), &path, collection).await;
                if let Ok(Some(found)) = found {
                    return found;
                }
            }
            _ => {}
        }
    }
    error
}

/// Discovery did not answer.
struct NoAnswer;

/// Asks the server's discovery why a list was answered with 404.
async fn not_found_cause(
    client: &Client,
    path: &str,
    collection: &Collection,
) -> Result<Option<ManagerError>, NoAnswer> {
    let Some((api, plural)) = path.rsplit_once('/') else { return Ok(None) };
    let version = api.strip_prefix('/').and_then(|api| api.split_once('/'));
    let Some((_, api_version)) = version else { return Ok(None) };
    let discovery = read_resources(client, api_version).boxed();
    let not_served = || {
        let (collection, api_version) = (collection.clone(), api_version.to_owned());
        Ok(Some(ManagerError::NotServed { collection, api_version }))
    };
    match timeout(DISCOVERY_TIMEOUT, discovery).await.map_err(|_| NoAnswer)? {
        Ok(served) => match served.iter().find(|resource| resource.name == plural) {
            None => not_served(),
            Some(resource) if !resource.namespaced && collection.namespace.is_some() => {
                Ok(Some(ManagerError::WrongScope { collection: collection.clone() }))
            }
            Some(_) => Ok(None),
        },
        Err(kube::Error::Api(status)) if status.code == 404 => not_served(),
        Err(_) => Err(NoAnswer),
    }
}

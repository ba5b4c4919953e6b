//! Uids that fall into the same shard as the recorded ones.
//!
//! The shard of an object follows from the hash of its uid. A create is therefore tried as a dry
//! run with one seed of the random numbers after the other, until the uid is in the same quarter.

use kube_informer::testing::ApiServer;
use serde_json::Value;

use super::client;
use super::scenario::Step;

/// Leaves the thread's random numbers in a state in which the request makes a uid of the recorded
/// one's quarter. `number` makes the seeds of different steps differ.
pub(crate) async fn choose_seed(
    server: &ApiServer,
    step: &Step,
    number: usize,
    path: &str,
    body: Option<&String>,
    recorded: &Value,
) {
    let Some(wanted) = quarter(recorded).filter(|_| step.method == "POST") else { return };
    let dry = if path.contains('?') { "&dryRun=All" } else { "?dryRun=All" };
    let seeds = (number as u64) << 8;
    for seed in seeds..seeds + 256 {
        fastrand::seed(seed);
        let tried = client::send(server, step, &format!("{path}{dry}"), body.cloned()).await;
        let Some(found) = tried.ok().and_then(|answer| quarter(&answer.value())) else { return };
        if found == wanted {
            fastrand::seed(seed);
            return;
        }
    }
}

/// Returns the quarter of the hash space that an object's uid falls into.
fn quarter(object: &Value) -> Option<u64> {
    let uid = object["metadata"]["uid"].as_str()?;
    let hash = uid.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Some(hash >> 62)
}

//! Changes of workloads that are not a row.

use serde_json::Value;

use crate::api_server::failure::Cause;

/// The members of a stateful set's specification that can change.
const CHANGEABLE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

/// Checks a stateful set, most of whose specification stays.
pub(super) fn stateful_set(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let rest = |object: &Value| {
        let mut spec = object["spec"].clone();
        if let Some(members) = spec.as_object_mut() {
            members.retain(|name, _| !CHANGEABLE.contains(&name.as_str()));
        }
        spec
    };
    if rest(before) != rest(after) {
        let problem = "updates to statefulset spec for fields other than 'replicas', 'ordinals', \
                       'template', 'updateStrategy', 'revisionHistoryLimit', \
                       'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        causes.push(Cause::forbidden("spec", problem));
    }
}

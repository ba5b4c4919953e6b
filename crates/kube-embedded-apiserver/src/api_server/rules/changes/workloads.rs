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

/// Checks the number of collisions of names, which never falls.
pub(super) fn collisions(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let count = |object: &Value| object["status"]["collisionCount"].as_i64();
    if let Some(known) = count(before)
        && count(after).unwrap_or(0) < known
    {
        let shown = count(after).unwrap_or(0).to_string();
        let path = "status.collisionCount";
        causes.push(Cause::invalid_raw(path, &shown, "cannot be decremented"));
    }
}

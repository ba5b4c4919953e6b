//! Changes of the conditions of certificate requests.

use serde_json::Value;

use crate::api_server::failure::Cause;

/// The conditions that decide about a request. Only the subresource `approval` adds the first two.
const DECISIONS: [&str; 3] = ["Approved", "Denied", "Failed"];

/// Checks a change of the status that is not an approval.
pub(super) fn status(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    decisions(before, after, false, causes);
}

/// Checks an approval.
pub(super) fn approval(before: &Value, after: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    decisions(before, after, true, &mut causes);
    if before["status"]["certificate"] != after["status"]["certificate"] {
        let problem = "updates may not set certificate content";
        causes.push(Cause::forbidden("status.certificate", problem));
    }
    causes
}

fn decisions(before: &Value, after: &Value, approves: bool, causes: &mut Vec<Cause>) {
    let of = |object: &Value, kind: &str| -> Vec<Value> {
        let all = object["status"]["conditions"].as_array().into_iter().flatten();
        all.filter(|condition| condition["type"] == kind).cloned().collect()
    };
    for kind in DECISIONS {
        let (old, new) = (of(before, kind), of(after, kind));
        let verb = match () {
            () if new.len() < old.len() => "remove",
            () if approves || kind == "Failed" => continue,
            () if new.len() > old.len() => "add",
            () if new != old => "modify",
            () => continue,
        };
        let problem = format!("updates may not {verb} a condition of type {kind:?}");
        causes.push(Cause::forbidden("status.conditions", &problem));
    }
}

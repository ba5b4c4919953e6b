//! The cells of a pod's row, such as its status in one word.

use serde_json::{Value, json};

fn statuses<'a>(pod: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    pod["status"][member].as_array().into_iter().flatten()
}

/// Returns the number of containers that run as long as the pod: the main ones, and sidecars.
fn lasting(pod: &Value) -> usize {
    let containers = pod["spec"]["containers"].as_array().map_or(0, Vec::len);
    let sidecars = pod["spec"]["initContainers"].as_array().into_iter().flatten();
    containers + sidecars.filter(|container| container["restartPolicy"] == "Always").count()
}

pub(super) fn ready(pod: &Value) -> Value {
    let is_sidecar = |status: &&Value| {
        let init = pod["spec"]["initContainers"].as_array().into_iter().flatten();
        let mut named = init.filter(|container| container["name"] == status["name"]);
        named.any(|container| container["restartPolicy"] == "Always")
    };
    let sidecars = statuses(pod, "initContainerStatuses").filter(is_sidecar);
    let ready = statuses(pod, "containerStatuses").chain(sidecars);
    let ready = ready.filter(|status| status["ready"] == true).count();
    format!("{ready}/{}", lasting(pod)).into()
}

pub(super) fn restarts(pod: &Value) -> Value {
    let counts = statuses(pod, "containerStatuses").map(|s| s["restartCount"].as_u64());
    counts.map(Option::unwrap_or_default).sum::<u64>().to_string().into()
}

/// Returns the phase, or a more specific reason.
pub(super) fn status(pod: &Value) -> Value {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let reason = text(&pod["status"]["reason"]);
    let mut word = reason.clone().or_else(|| text(&pod["status"]["phase"]));
    if let Some(initializing) = initializing(pod) {
        word = Some(initializing);
    } else {
        // The problem of the first container is shown.
        let containers: Vec<&Value> = statuses(pod, "containerStatuses").collect();
        for container in containers.into_iter().rev() {
            word = trouble(container).or(word);
        }
    }
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        let lost = reason.as_deref() == Some("NodeLost");
        word = Some(if lost { "Unknown" } else { "Terminating" }.to_owned());
    }
    json!(word.unwrap_or_default())
}

/// Returns the reason why a container is not running.
fn trouble(container: &Value) -> Option<String> {
    let state = &container["state"];
    if let Some(reason) = state["waiting"]["reason"].as_str() {
        return Some(reason.to_owned());
    }
    let ended = &state["terminated"];
    if ended.is_null() {
        return None;
    }
    match (ended["reason"].as_str(), ended["signal"].as_i64()) {
        (Some(reason), _) if !reason.is_empty() => Some(reason.to_owned()),
        (_, Some(signal)) if signal != 0 => Some(format!("Signal:{signal}")),
        _ => Some(format!("ExitCode:{}", ended["exitCode"].as_i64().unwrap_or(0))),
    }
}

/// Returns the status of the pod's init containers, if they are not finished.
fn initializing(pod: &Value) -> Option<String> {
    let total = pod["spec"]["initContainers"].as_array().map_or(0, Vec::len);
    for (n, container) in statuses(pod, "initContainerStatuses").enumerate() {
        let done = container["state"]["terminated"]["exitCode"] == 0;
        if done || container["started"] == true {
            continue;
        }
        return Some(match trouble(container) {
            Some(reason) if reason != "PodInitializing" => format!("Init:{reason}"),
            _ => format!("Init:{n}/{total}"),
        });
    }
    None
}

pub(super) fn gates(pod: &Value) -> Value {
    let Some(gates) = pod["spec"]["readinessGates"].as_array().filter(|all| !all.is_empty()) else {
        return "<none>".into();
    };
    let met = |gate: &&Value| {
        statuses(pod, "conditions")
            .any(|c| c["type"] == gate["conditionType"] && c["status"] == "True")
    };
    format!("{}/{}", gates.iter().filter(met).count(), gates.len()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pod_status_is_one_word() {
        let pod = |status: Value| json!({"metadata": {}, "spec": {}, "status": status});
        let waiting = |reason: &str| json!({"state": {"waiting": {"reason": reason}}});
        for (status, word) in [
            (json!({"phase": "Running"}), "Running"),
            (json!({"phase": "Failed", "reason": "Evicted"}), "Evicted"),
            (
                json!({"phase": "Running", "containerStatuses": [
                    waiting("CrashLoopBackOff"), waiting("ErrImagePull")
                ]}),
                "CrashLoopBackOff",
            ),
            (
                json!({"containerStatuses": [{"state": {"terminated": {"exitCode": 3}}}]}),
                "ExitCode:3",
            ),
            (
                json!({"initContainerStatuses": [
                    {"state": {"terminated": {"exitCode": 0}}}, {"state": {"running": {}}}
                ]}),
                "Init:1/0",
            ),
        ] {
            assert_eq!(super::status(&pod(status)), word);
        }
        let mut going = pod(json!({"phase": "Running"}));
        going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        assert_eq!(super::status(&going), "Terminating");
    }
}

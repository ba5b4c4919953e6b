//! The cells of a pod's row, such as its status in one word.

use serde_json::{Value, json};

use super::{condition, elements, str_of};
use crate::api_server::wire::table::duration;

/// The state of a pod's containers, as its row shows it.
struct Containers {
    ready: usize,
    total: usize,
    restarts: i64,
    /// The time of the last restart, which sorts as a text.
    restarted: String,
    reason: String,
}

/// Returns whether an init container runs as long as the pod.
fn is_sidecar(pod: &Value, status: &Value) -> bool {
    let mut named =
        elements(&pod["spec"]["initContainers"]).filter(|c| c["name"] == status["name"]);
    named.any(|container| container["restartPolicy"] == "Always")
}

impl Containers {
    fn of(pod: &Value) -> Self {
        let sidecars = elements(&pod["spec"]["initContainers"]);
        let sidecars = sidecars.filter(|container| container["restartPolicy"] == "Always").count();
        let status = &pod["status"];
        let gated = condition(pod, "PodScheduled")
            .is_some_and(|condition| condition["reason"] == "SchedulingGated");
        let reason = match (gated, str_of(&status["reason"])) {
            (true, _) => "SchedulingGated",
            (false, "") => str_of(&status["phase"]),
            (false, reason) => reason,
        };
        let mut found = Self {
            ready: 0,
            total: elements(&pod["spec"]["containers"]).count() + sidecars,
            restarts: 0,
            restarted: String::new(),
            reason: reason.to_owned(),
        };
        let initializing = found.initialize(pod);
        if !initializing || is_true(pod, "Initialized") {
            found.run(pod);
        }
        found
    }

    fn add_restarts(&mut self, status: &Value) {
        self.restarts += status["restartCount"].as_i64().unwrap_or(0);
        let ended = str_of(&status["lastState"]["terminated"]["finishedAt"]);
        if *ended > *self.restarted {
            ended.clone_into(&mut self.restarted);
        }
    }

    /// Adds the init containers. Returns whether they are not finished.
    fn initialize(&mut self, pod: &Value) -> bool {
        let total = elements(&pod["spec"]["initContainers"]).count();
        for (n, status) in elements(&pod["status"]["initContainerStatuses"]).enumerate() {
            self.add_restarts(status);
            let state = &status["state"];
            if !state["terminated"].is_null() && exit_code(&state["terminated"]) == 0 {
                continue;
            }
            if is_sidecar(pod, status) && status["started"] == true {
                self.ready += usize::from(status["ready"] == true);
                continue;
            }
            self.reason = match (&state["terminated"], str_of(&state["waiting"]["reason"])) {
                (Value::Null, "" | "PodInitializing") => format!("Init:{n}/{total}"),
                (Value::Null, reason) => format!("Init:{reason}"),
                (ended, _) => format!("Init:{}", why_ended(ended)),
            };
            return true;
        }
        false
    }

    /// Adds the containers of an initialized pod. Of the others, only sidecars count now.
    fn run(&mut self, pod: &Value) {
        (self.restarts, self.restarted) = (0, String::new());
        let inits = elements(&pod["status"]["initContainerStatuses"]);
        for status in inits.filter(|status| is_sidecar(pod, status)) {
            self.add_restarts(status);
        }
        let (mut running, mut failure) = (false, None);
        // The state of the first container decides.
        let statuses: Vec<&Value> = elements(&pod["status"]["containerStatuses"]).collect();
        for status in statuses.into_iter().rev() {
            self.add_restarts(status);
            let state = &status["state"];
            let (waiting, ended) = (str_of(&state["waiting"]["reason"]), &state["terminated"]);
            if !waiting.is_empty() {
                waiting.clone_into(&mut self.reason);
            } else if !ended.is_null() {
                self.reason = why_ended(ended);
                if exit_code(ended) != 0 {
                    failure = Some(self.reason.clone());
                }
            } else if status["ready"] == true && !state["running"].is_null() {
                running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            if running && is_true(pod, "Ready") {
                "Running".clone_into(&mut self.reason);
            } else if let Some(failure) = failure {
                self.reason = failure;
            } else if running {
                "NotReady".clone_into(&mut self.reason);
            }
        }
    }
}

fn is_true(pod: &Value, kind: &str) -> bool {
    condition(pod, kind).is_some_and(|condition| condition["status"] == "True")
}

fn exit_code(ended: &Value) -> i64 {
    ended["exitCode"].as_i64().unwrap_or(0)
}

fn why_ended(ended: &Value) -> String {
    match (str_of(&ended["reason"]), ended["signal"].as_i64().unwrap_or(0)) {
        ("", 0) => format!("ExitCode:{}", exit_code(ended)),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

pub(super) fn ready(pod: &Value) -> Value {
    let Containers { ready, total, .. } = Containers::of(pod);
    format!("{ready}/{total}").into()
}

pub(super) fn restarts(pod: &Value) -> Value {
    let Containers { restarts, restarted, .. } = Containers::of(pod);
    if restarts == 0 || restarted.is_empty() {
        return restarts.to_string().into();
    }
    format!("{restarts} ({} ago)", str_of(&duration::since(&restarted.into()))).into()
}

/// Returns the phase, or a more specific reason.
pub(super) fn status(pod: &Value) -> Value {
    let status = &pod["status"];
    let over = matches!(str_of(&status["phase"]), "Succeeded" | "Failed");
    match &pod["metadata"]["deletionTimestamp"] {
        Value::Null => Containers::of(pod).reason.into(),
        _ if status["reason"] == "NodeLost" => "Unknown".into(),
        _ if over => Containers::of(pod).reason.into(),
        _ => "Terminating".into(),
    }
}

/// Returns the conditions of a pod's row, which say that the pod has ended.
pub(in crate::api_server::wire::table) fn conditions(pod: &Value) -> Option<Value> {
    let (reason, message) = match str_of(&pod["status"]["phase"]) {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{ "type": "Completed", "status": "True", "reason": reason, "message": message }]))
}

pub(super) fn gates(pod: &Value) -> Value {
    let gates: Vec<&Value> = elements(&pod["spec"]["readinessGates"]).collect();
    if gates.is_empty() {
        return "<none>".into();
    }
    let met = gates.iter().filter(|gate| is_true(pod, str_of(&gate["conditionType"]))).count();
    format!("{met}/{}", gates.len()).into()
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
                json!({"conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]}),
                "SchedulingGated",
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

    #[test]
    fn restarts_tell_the_last_one() {
        let ago = (crate::now() - k8s_openapi::jiff::SignedDuration::from_secs(180)).to_string();
        let pod = json!({"spec": {"containers": [{}]}, "status": {"containerStatuses": [
            {"restartCount": 2, "lastState": {"terminated": {"finishedAt": ago}}},
        ]}});
        assert_eq!(restarts(&pod), "2 (3m ago)");
        assert_eq!(ready(&pod), "0/1");
    }
}

//! The columns of what runs containers.

use serde_json::Value;

use super::{
    AGE, BuiltinColumn, NAME, boolean, condition, count, elements, integer, joined, metrics,
    number_of, or_none, pairs, plain, pod, selector, str_of, text, wide,
};
use crate::api_server::wire::table::duration;

const CONTAINERS: BuiltinColumn = wide("Containers", |o| of_containers(&o["spec"], "name"));
const IMAGES: BuiltinColumn = wide("Images", |o| of_containers(&o["spec"], "image"));
const SELECTOR: BuiltinColumn =
    wide("Selector", |o| or_none(&selector(&o["spec"]["selector"]).into()));

const PODS: &[BuiltinColumn] = &[
    NAME,
    text("Ready", pod::ready),
    text("Status", pod::status),
    text("Restarts", pod::restarts),
    AGE,
    wide("IP", |o| or_none(&o["status"]["podIP"])),
    wide("Node", |o| or_none(&o["spec"]["nodeName"])),
    wide("Nominated Node", |o| or_none(&o["status"]["nominatedNodeName"])),
    wide("Readiness Gates", pod::gates),
];

const POD_TEMPLATES: &[BuiltinColumn] = &[
    NAME,
    text("Containers", |o| of_containers(o, "name")),
    text("Images", |o| of_containers(o, "image")),
    text("Pod Labels", |o| pairs(&o["template"]["metadata"]["labels"])),
];

const REPLICATION_CONTROLLERS: &[BuiltinColumn] = &[
    NAME,
    integer("Desired", |o| count(&o["spec"]["replicas"])),
    integer("Current", |o| count(&o["status"]["replicas"])),
    integer("Ready", |o| count(&o["status"]["readyReplicas"])),
    AGE,
    CONTAINERS,
    IMAGES,
    wide("Selector", |o| pairs(&o["spec"]["selector"])),
];

const DEPLOYMENTS: &[BuiltinColumn] = &[
    NAME,
    text("Ready", |o| ratio(&o["status"]["readyReplicas"], &o["spec"]["replicas"])),
    text("Up-to-date", |o| count(&o["status"]["updatedReplicas"])),
    text("Available", |o| count(&o["status"]["availableReplicas"])),
    AGE,
    CONTAINERS,
    IMAGES,
    wide("Selector", |o| selector(&o["spec"]["selector"]).into()),
];

const REPLICA_SETS: &[BuiltinColumn] = &[
    NAME,
    integer("Desired", |o| o["spec"]["replicas"].as_u64().unwrap_or(1).into()),
    integer("Current", |o| count(&o["status"]["replicas"])),
    integer("Ready", |o| count(&o["status"]["readyReplicas"])),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const STATEFUL_SETS: &[BuiltinColumn] = &[
    NAME,
    text("Ready", |o| ratio(&o["status"]["readyReplicas"], &o["spec"]["replicas"])),
    AGE,
    CONTAINERS,
    IMAGES,
];

const DAEMON_SETS: &[BuiltinColumn] = &[
    NAME,
    integer("Desired", |o| count(&o["status"]["desiredNumberScheduled"])),
    integer("Current", |o| count(&o["status"]["currentNumberScheduled"])),
    integer("Ready", |o| count(&o["status"]["numberReady"])),
    integer("Up-to-date", |o| count(&o["status"]["updatedNumberScheduled"])),
    integer("Available", |o| count(&o["status"]["numberAvailable"])),
    text("Node Selector", |o| pairs(&o["spec"]["template"]["spec"]["nodeSelector"])),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const CONTROLLER_REVISIONS: &[BuiltinColumn] =
    &[NAME, text("Controller", controller), text("Revision", |o| count(&o["revision"])), AGE];

const JOBS: &[BuiltinColumn] = &[
    NAME,
    text("Status", job_status),
    text("Completions", completions),
    text("Duration", job_duration),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const CRON_JOBS: &[BuiltinColumn] = &[
    NAME,
    text("Schedule", |o| plain(&o["spec"]["schedule"])),
    text("Timezone", |o| or_none(&o["spec"]["timeZone"])),
    boolean("Suspend", |o| {
        let suspend = o["spec"]["suspend"].as_bool();
        suspend.map_or("<unset>", |suspend| if suspend { "True" } else { "False" }).into()
    }),
    integer("Active", |o| number_of(&o["status"]["active"])),
    text("Last Schedule", |o| match &o["status"]["lastScheduleTime"] {
        Value::Null => "<none>".into(),
        time => duration::since(time),
    }),
    AGE,
    wide("Containers", |o| of_containers(&o["spec"]["jobTemplate"]["spec"], "name")),
    wide("Images", |o| of_containers(&o["spec"]["jobTemplate"]["spec"], "image")),
    wide("Selector", |o| or_none(&selector(&o["spec"]["jobTemplate"]["spec"]["selector"]).into())),
];

const AUTOSCALERS: &[BuiltinColumn] = &[
    NAME,
    text("Reference", |o| {
        let target = &o["spec"]["scaleTargetRef"];
        format!("{}/{}", str_of(&target["kind"]), str_of(&target["name"])).into()
    }),
    text("Targets", metrics::targets),
    text("MinPods", |o| {
        o["spec"]["minReplicas"].as_i64().map_or("<unset>".into(), |min| min.to_string()).into()
    }),
    text("MaxPods", |o| count(&o["spec"]["maxReplicas"])),
    text("Replicas", |o| count(&o["status"]["currentReplicas"])),
    AGE,
];

const DISRUPTION_BUDGETS: &[BuiltinColumn] = &[
    NAME,
    text("Min Available", |o| limit(&o["spec"]["minAvailable"])),
    text("Max Unavailable", |o| limit(&o["spec"]["maxUnavailable"])),
    integer("Allowed Disruptions", |o| count(&o["status"]["disruptionsAllowed"])),
    AGE,
];

pub(super) fn of(name: &str) -> Option<&'static [BuiltinColumn]> {
    Some(match name {
        "pods" => PODS,
        "podtemplates" => POD_TEMPLATES,
        "replicationcontrollers" => REPLICATION_CONTROLLERS,
        "deployments.apps" => DEPLOYMENTS,
        "replicasets.apps" => REPLICA_SETS,
        "statefulsets.apps" => STATEFUL_SETS,
        "daemonsets.apps" => DAEMON_SETS,
        "controllerrevisions.apps" => CONTROLLER_REVISIONS,
        "jobs.batch" => JOBS,
        "cronjobs.batch" => CRON_JOBS,
        "horizontalpodautoscalers.autoscaling" => AUTOSCALERS,
        "poddisruptionbudgets.policy" => DISRUPTION_BUDGETS,
        _ => return None,
    })
}

/// Returns `part/whole`.
fn ratio(part: &Value, whole: &Value) -> Value {
    format!("{}/{}", part.as_u64().unwrap_or(0), whole.as_u64().unwrap_or(1)).into()
}

/// Returns a member of all containers of the template in a value.
fn of_containers(value: &Value, member: &str) -> Value {
    let containers = elements(&value["template"]["spec"]["containers"]);
    joined(containers.map(|container| str_of(&container[member]).to_owned()), ",")
}

/// Returns a number or a percentage.
fn limit(value: &Value) -> Value {
    match value {
        Value::Null => "N/A".into(),
        Value::String(text) => text.as_str().into(),
        number => number.to_string().into(),
    }
}

fn controller(object: &Value) -> Value {
    let mut owners = elements(&object["metadata"]["ownerReferences"]);
    let Some(owner) = owners.find(|owner| owner["controller"] == true) else {
        return "<none>".into();
    };
    let kind = str_of(&owner["kind"]).to_lowercase();
    let name = str_of(&owner["name"]);
    match str_of(&owner["apiVersion"]).split_once('/') {
        Some((group, _)) => format!("{kind}.{group}/{name}").into(),
        None => format!("{kind}/{name}").into(),
    }
}

fn job_status(job: &Value) -> Value {
    let met = |kind: &&str| condition(job, kind).is_some_and(|c| c["status"] == "True");
    let ended = ["Complete", "Failed"].into_iter().find(met);
    let going = (!job["metadata"]["deletionTimestamp"].is_null()).then_some("Terminating");
    let other = ["Suspended", "FailureTarget", "SuccessCriteriaMet"].into_iter().find(met);
    ended.or(going).or(other).unwrap_or("Running").into()
}

fn completions(job: &Value) -> Value {
    let done = job["status"]["succeeded"].as_u64().unwrap_or(0);
    let parallelism = job["spec"]["parallelism"].as_u64().unwrap_or(0);
    match job["spec"]["completions"].as_u64() {
        Some(completions) => format!("{done}/{completions}").into(),
        None if parallelism > 1 => format!("{done}/1 of {parallelism}").into(),
        None => format!("{done}/1").into(),
    }
}

fn job_duration(job: &Value) -> Value {
    let (from, to) = (&job["status"]["startTime"], &job["status"]["completionTime"]);
    match duration::between(from, to) {
        Some(text) => text.into(),
        None if from.is_null() => "".into(),
        None => duration::since(from),
    }
}

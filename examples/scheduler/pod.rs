//! A pod as far as the scheduler reads it: a view, so that no whole pod is decoded.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Pod as WholePod, PodSchedulingGate};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::Deserialize;

/// A pod, its place and what it asks for.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = WholePod)]
pub(crate) struct Pod {
    pub(crate) metadata: ObjectMeta,
    #[serde(default)]
    pub(crate) spec: Spec,
    #[serde(default)]
    pub(crate) status: Status,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Spec {
    pub(crate) node_name: Option<String>,
    pub(crate) scheduler_name: Option<String>,
    pub(crate) priority: Option<i32>,
    pub(crate) scheduling_gates: Vec<PodSchedulingGate>,
    pub(crate) init_containers: Vec<Container>,
    pub(crate) containers: Vec<Container>,
    pub(crate) overhead: BTreeMap<String, Quantity>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Container {
    pub(crate) restart_policy: Option<String>,
    pub(crate) resources: Resources,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Resources {
    pub(crate) requests: BTreeMap<String, Quantity>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Status {
    pub(crate) phase: Option<String>,
}

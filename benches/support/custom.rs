//! A custom resource with nested maps and lists, as a progressive rollout has them.

use std::collections::BTreeMap;

use kube::CustomResource;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, CustomResource, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "bench.example.com", version = "v1", kind = "Rollout", namespaced)]
#[kube(status = "RolloutStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct RolloutSpec {
    pub(crate) replicas: Option<i32>,
    pub(crate) paused: Option<bool>,
    pub(crate) selector: BTreeMap<String, String>,
    pub(crate) strategy: Strategy,
    #[serde(default)]
    pub(crate) routes: Vec<Route>,
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Strategy {
    #[serde(rename = "type")]
    pub(crate) kind: StrategyKind,
    pub(crate) max_unavailable: Option<i32>,
    #[serde(default)]
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, schemars::JsonSchema)]
pub(crate) enum StrategyKind {
    Canary,
    BlueGreen,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    pub(crate) weight: i32,
    pub(crate) pause_seconds: Option<i64>,
    #[serde(default)]
    pub(crate) checks: Vec<Check>,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) query: String,
    pub(crate) threshold: f64,
    pub(crate) interval_seconds: i64,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Route {
    pub(crate) host: String,
    pub(crate) path: Option<String>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) backends: Vec<Backend>,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Backend {
    pub(crate) service: String,
    pub(crate) port: u16,
    pub(crate) weight: Option<u32>,
    #[serde(default)]
    pub(crate) zones: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RolloutStatus {
    pub(crate) observed_generation: Option<i64>,
    pub(crate) phase: Option<String>,
    #[serde(default)]
    pub(crate) conditions: Vec<Condition>,
    #[serde(default)]
    pub(crate) replicas_by_zone: BTreeMap<String, i32>,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Condition {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) status: String,
    pub(crate) reason: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) last_transition_time: Option<String>,
}

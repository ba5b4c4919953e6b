//! A custom resource with nested maps and lists, as a progressive rollout has them.

use std::collections::BTreeMap;

use kube::CustomResource;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, CustomResource, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "bench.example.com", version = "v1", kind = "Rollout", namespaced)]
#[kube(status = "RolloutStatus")]
#[serde(rename_all = "camelCase")]
pub struct RolloutSpec {
    pub replicas: Option<i32>,
    pub paused: Option<bool>,
    pub selector: BTreeMap<String, String>,
    pub strategy: Strategy,
    #[serde(default)]
    pub routes: Vec<Route>,
    #[serde(default)]
    pub settings: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Strategy {
    #[serde(rename = "type")]
    pub kind: StrategyKind,
    pub max_unavailable: Option<i32>,
    #[serde(default)]
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, schemars::JsonSchema)]
pub enum StrategyKind {
    Canary,
    BlueGreen,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    pub weight: i32,
    pub pause_seconds: Option<i64>,
    #[serde(default)]
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    pub name: String,
    pub query: String,
    pub threshold: f64,
    pub interval_seconds: i64,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    pub host: String,
    pub path: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub backends: Vec<Backend>,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Backend {
    pub service: String,
    pub port: u16,
    pub weight: Option<u32>,
    #[serde(default)]
    pub zones: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RolloutStatus {
    pub observed_generation: Option<i64>,
    pub phase: Option<String>,
    #[serde(default)]
    pub conditions: Vec<Condition>,
    #[serde(default)]
    pub replicas_by_zone: BTreeMap<String, i32>,
}

#[derive(Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub last_transition_time: Option<String>,
}

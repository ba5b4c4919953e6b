//! The objects of these worlds, which are counted.

use std::cell::Cell;

use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::{Deserialize, Serialize};

thread_local! {
    static ALIVE: Cell<i64> = const { Cell::new(0) };
}

/// The fields that an informer keeps of a pod.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Resource)]
#[resource(inherit = Pod)]
pub(crate) struct Thing {
    pub(crate) metadata: ObjectMeta,
    #[serde(default)]
    pub(crate) spec: Spec,
    #[serde(default)]
    pub(crate) status: Status,
    #[serde(skip)]
    alive: Alive,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    node_name: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct Status {
    message: Option<String>,
}

/// Counts, on this thread, how many there are.
#[derive(Debug, PartialEq)]
struct Alive(());

impl Alive {
    fn count(by: i64) {
        ALIVE.with(|alive| alive.set(alive.get() + by));
    }
}

impl Default for Alive {
    fn default() -> Self {
        Self::count(1);
        Self(())
    }
}

impl Clone for Alive {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        Self::count(-1);
    }
}

/// Returns the number of live things of this thread.
pub(crate) fn alive() -> i64 {
    ALIVE.with(Cell::get)
}

impl Thing {
    pub(crate) fn new(namespace: &str, name: &str, app: &str, value: u64) -> Self {
        let metadata = ObjectMeta {
            namespace: Some(namespace.into()),
            name: Some(name.into()),
            labels: Some([("app".into(), app.into())].into()),
            ..ObjectMeta::default()
        };
        let spec = Spec { node_name: Some(format!("n{value}")) };
        Self { metadata, spec, status: Status::default(), alive: Alive::default() }
    }

    pub(crate) fn key(&self) -> String {
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        format!("{}/{}", part(&self.metadata.namespace), part(&self.metadata.name))
    }

    pub(crate) fn app(&self) -> &str {
        let labels = self.metadata.labels.as_ref();
        labels.and_then(|labels| labels.get("app")).map_or("", String::as_str)
    }
}

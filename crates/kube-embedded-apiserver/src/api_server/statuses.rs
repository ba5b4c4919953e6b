//! Statuses that a cluster's controllers and nodes would set, each by one call of the test.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::Resource;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::names::now;
use super::rules::conditions::set_condition;
use super::verbs::{Part, WriteTarget, update};
use super::{ApiServer, DirectWriteError};

/// The taint of a node that is not known to be ready.
const NOT_READY: &str = "node.kubernetes.io/not-ready";

impl ApiServer {
    /// Sets the status of a Deployment to that of one whose replicas are all available, as the
    /// deployment controller does. Returns the Deployment. There are no pods and no replica sets.
    ///
    /// ```
    /// use k8s_openapi::api::apps::v1::Deployment;
    /// use kube_embedded_apiserver::ApiServer;
    /// use serde_json::json;
    ///
    /// let server = ApiServer::new();
    /// let web = json!({
    ///     "metadata": {"name": "web", "namespace": "shop"},
    ///     "spec": {
    ///         "replicas": 2,
    ///         "selector": {"matchLabels": {"app": "web"}},
    ///         "template": {"metadata": {"labels": {"app": "web"}}},
    ///     },
    /// });
    /// let web: Deployment = serde_json::from_value(web)?;
    /// server.create(&web)?;
    /// let web = server.make_deployment_available("shop", "web")?;
    /// assert_eq!(web.status.and_then(|status| status.available_replicas), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such Deployment.
    pub fn make_deployment_available(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Deployment, DirectWriteError> {
        self.change(Some(namespace), name, |deployment| {
            let replicas = deployment["spec"]["replicas"].as_i64().unwrap_or(1);
            deployment["status"] = json!({
                "observedGeneration": deployment["metadata"]["generation"],
                "replicas": replicas, "updatedReplicas": replicas,
                "readyReplicas": replicas, "availableReplicas": replicas,
                "conditions": [
                    condition("Available", "MinimumReplicasAvailable", "lastUpdateTime"),
                    condition("Progressing", "NewReplicaSetAvailable", "lastUpdateTime"),
                ],
            });
        })
    }

    /// Sets the status of a Job to that of one that has completed, as the job controller does.
    /// Returns the Job.
    ///
    /// # Errors
    /// Returns an error if there is no such Job.
    pub fn complete_job(&self, namespace: &str, name: &str) -> Result<Job, DirectWriteError> {
        self.change(Some(namespace), name, |job| {
            let succeeded = job["spec"]["completions"].as_i64().unwrap_or(1);
            let begun = match &job["status"]["startTime"] {
                Value::Null => now().into(),
                begun => begun.clone(),
            };
            job["status"] = json!({
                "succeeded": succeeded, "ready": 0, "terminating": 0,
                "startTime": begun, "completionTime": now(),
                "conditions": [
                    condition("SuccessCriteriaMet", "CompletionsReached", "lastProbeTime"),
                    condition("Complete", "CompletionsReached", "lastProbeTime"),
                ],
            });
        })
    }

    /// Sets the status of a Node to ready, and removes the taint of nodes that are not, as a
    /// kubelet and the node controller do. Returns the Node.
    ///
    /// # Errors
    /// Returns an error if there is no such Node.
    pub fn make_node_ready(&self, name: &str) -> Result<Node, DirectWriteError> {
        self.change(None, name, |node| {
            if let Some(taints) = node["spec"]["taints"].as_array_mut() {
                taints.retain(|taint| taint["key"] != NOT_READY);
            }
            set_condition(node, condition("Ready", "KubeletReady", "lastHeartbeatTime"));
        })
    }

    /// Sets the status of a Pod to that of one that runs and is ready, as a kubelet does. Returns
    /// the Pod. Its node stays as it is: a test that schedules sets `spec.nodeName` itself.
    ///
    /// # Errors
    /// Returns an error if there is no such Pod.
    pub fn make_pod_ready(&self, namespace: &str, name: &str) -> Result<Pod, DirectWriteError> {
        self.change(Some(namespace), name, |pod| {
            let containers = pod["spec"]["containers"].as_array().cloned().unwrap_or_default();
            let containers: Vec<Value> = containers
                .iter()
                .map(|container| {
                    json!({
                        "name": container["name"], "image": container["image"], "imageID": "",
                        "ready": true, "started": true, "restartCount": 0,
                        "state": { "running": { "startedAt": now() } }, "lastState": {},
                    })
                })
                .collect();
            pod["status"]["phase"] = "Running".into();
            pod["status"]["startTime"] = now().into();
            pod["status"]["containerStatuses"] = containers.into();
            for kind in ["PodScheduled", "Initialized", "ContainersReady", "Ready"] {
                set_condition(pod, condition(kind, "", "lastProbeTime"));
            }
        })
    }

    /// Changes an object in place, with its status.
    fn change<K>(
        &self,
        namespace: Option<&str>,
        name: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<K, DirectWriteError>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.write_as(|store, resource| {
            let target = WriteTarget::direct(resource, namespace, Some(name), Part::Both);
            let current = target.current(store)?;
            let mut object = current.value(resource);
            change(&mut object);
            update(store, target, &current, object)
        })
    }
}

/// Returns a condition that holds since now. `updated` is the kind's second member for a time.
fn condition(kind: &str, reason: &str, updated: &str) -> Value {
    let mut condition = json!({ "type": kind, "status": "True", "lastTransitionTime": now() });
    condition[updated] = now().into();
    if !reason.is_empty() {
        condition["reason"] = reason.into();
        condition["message"] = reason.into();
    }
    condition
}

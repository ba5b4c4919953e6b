use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::ReconcileRequest;

fn log(request: &ReconcileRequest<ConfigMap>) {
    for trigger in request.triggers() {
        tracing::debug!("{} runs because {trigger}", request.key);
    }
}

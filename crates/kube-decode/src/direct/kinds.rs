// Written by tests/protobuf/generate; never by hand.

kinds! {
    k8s_openapi::api::apps::v1: DaemonSet 56 Deployment 62 ReplicaSet 67 StatefulSet 73;
    k8s_openapi::api::autoscaling::v1: HorizontalPodAutoscaler 119;
    k8s_openapi::api::autoscaling::v2: HorizontalPodAutoscaler 131;
    k8s_openapi::api::batch::v1: CronJob 146 Job 150;
    k8s_openapi::api::coordination::v1: Lease 185;
    k8s_openapi::api::core::v1: ConfigMap 211 Endpoints 239 Event 246 Namespace 286 Node 291 PersistentVolume 316 PersistentVolumeClaim 317 Pod 328 ReplicationController 364 Secret 382 Service 388 ServiceAccount 389;
    k8s_openapi::api::discovery::v1: EndpointSlice 426;
    k8s_openapi::api::events::v1: Event 431;
    k8s_openapi::api::networking::v1: Ingress 508 IngressClass 510 NetworkPolicy 450;
    k8s_openapi::api::policy::v1: PodDisruptionBudget 533;
    k8s_openapi::api::rbac::v1: ClusterRole 538 ClusterRoleBinding 539 Role 543 RoleBinding 539;
    k8s_openapi::api::storage::v1: StorageClass 705;
}

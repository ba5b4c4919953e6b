// Written by tests/protobuf/generate; never by hand.

messages! { k8s_openapi::api::apps::v1;
    DaemonSet {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    DaemonSetCondition {
        1 always(type_) 2 always(status) 3 always(last_transition_time) 4 omit(reason)
        5 omit(message)
    }
    DaemonSetSpec {
        1 given(selector) 2 always(template) 3 always(update_strategy) 4 omit(min_ready_seconds)
        6 given(revision_history_limit)
    }
    DaemonSetStatus {
        1 always(current_number_scheduled) 2 always(number_misscheduled)
        3 always(desired_number_scheduled) 4 always(number_ready) 5 omit(observed_generation)
        6 omit(updated_number_scheduled) 7 omit(number_available) 8 omit(number_unavailable)
        9 given(collision_count) 10 many(conditions)
    }
    DaemonSetUpdateStrategy {
        1 omit(type_) 2 given(rolling_update)
    }
    Deployment {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    DeploymentCondition {
        1 always(type_) 2 always(status) 4 omit(reason) 5 omit(message) 6 always(last_update_time)
        7 always(last_transition_time)
    }
    DeploymentSpec {
        1 given(replicas) 2 given(selector) 3 always(template) 4 always(strategy)
        5 omit(min_ready_seconds) 6 given(revision_history_limit) 7 omit(paused)
        9 given(progress_deadline_seconds)
    }
    DeploymentStatus {
        1 omit(observed_generation) 2 omit(replicas) 3 omit(updated_replicas)
        4 omit(available_replicas) 5 omit(unavailable_replicas) 6 many(conditions)
        7 omit(ready_replicas) 8 given(collision_count) 9 given(terminating_replicas)
    }
    DeploymentStrategy {
        1 omit(type_) 2 given(rolling_update)
    }
    ReplicaSet {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    ReplicaSetCondition {
        1 always(type_) 2 always(status) 3 always(last_transition_time) 4 omit(reason)
        5 omit(message)
    }
    ReplicaSetSpec {
        1 given(replicas) 2 given(selector) 3 always(template) 4 omit(min_ready_seconds)
    }
    ReplicaSetStatus {
        1 always(replicas) 2 omit(fully_labeled_replicas) 3 omit(observed_generation)
        4 omit(ready_replicas) 5 omit(available_replicas) 6 many(conditions)
        7 given(terminating_replicas)
    }
    RollingUpdateDaemonSet {
        1 given(max_unavailable) 2 given(max_surge)
    }
    RollingUpdateDeployment {
        1 given(max_unavailable) 2 given(max_surge)
    }
    RollingUpdateStatefulSetStrategy {
        1 given(partition) 2 given(max_unavailable)
    }
    StatefulSet {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    StatefulSetCondition {
        1 always(type_) 2 always(status) 3 always(last_transition_time) 4 omit(reason)
        5 omit(message)
    }
    StatefulSetOrdinals {
        1 always(start)
    }
    StatefulSetPersistentVolumeClaimRetentionPolicy {
        1 omit(when_deleted) 2 omit(when_scaled)
    }
    StatefulSetSpec {
        1 given(replicas) 2 given(selector) 3 always(template) 4 many(volume_claim_templates)
        5 always(service_name) 6 omit(pod_management_policy) 7 always(update_strategy)
        8 given(revision_history_limit) 9 omit(min_ready_seconds)
        10 given(persistent_volume_claim_retention_policy) 11 given(ordinals)
    }
    StatefulSetStatus {
        1 omit(observed_generation) 2 always(replicas) 3 omit(ready_replicas)
        4 omit(current_replicas) 5 omit(updated_replicas) 6 omit(current_revision)
        7 omit(update_revision) 9 given(collision_count) 10 many(conditions)
        11 always(available_replicas)
    }
    StatefulSetUpdateStrategy {
        1 omit(type_) 2 given(rolling_update)
    }
}

messages! { k8s_openapi::api::autoscaling::v1;
    CrossVersionObjectReference {
        1 always(kind) 2 always(name) 3 omit(api_version)
    }
    HorizontalPodAutoscaler {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    HorizontalPodAutoscalerSpec {
        1 always(scale_target_ref) 2 given(min_replicas) 3 always(max_replicas)
        4 given(target_cpu_utilization_percentage)
    }
    HorizontalPodAutoscalerStatus {
        1 given(observed_generation) 2 given(last_scale_time) 3 always(current_replicas)
        4 always(desired_replicas) 5 given(current_cpu_utilization_percentage)
    }
}

messages! { k8s_openapi::api::autoscaling::v2;
    ContainerResourceMetricSource {
        1 always(name) 2 always(target) 3 always(container)
    }
    ContainerResourceMetricStatus {
        1 always(name) 2 always(current) 3 always(container)
    }
    CrossVersionObjectReference {
        1 always(kind) 2 always(name) 3 omit(api_version)
    }
    ExternalMetricSource {
        1 always(metric) 2 always(target)
    }
    ExternalMetricStatus {
        1 always(metric) 2 always(current)
    }
    HPAScalingPolicy {
        1 always(type_) 2 always(value) 3 always(period_seconds)
    }
    HPAScalingRules {
        1 given(select_policy) 2 many(policies) 3 given(stabilization_window_seconds)
        4 given(tolerance)
    }
    HorizontalPodAutoscaler {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    HorizontalPodAutoscalerBehavior {
        1 given(scale_up) 2 given(scale_down)
    }
    HorizontalPodAutoscalerCondition {
        1 always(type_) 2 always(status) 3 always(last_transition_time) 4 omit(reason)
        5 omit(message) 6 since_1_37(given observed_generation)
    }
    HorizontalPodAutoscalerSpec {
        1 always(scale_target_ref) 2 given(min_replicas) 3 always(max_replicas) 4 many(metrics)
        5 given(behavior)
    }
    HorizontalPodAutoscalerStatus {
        1 given(observed_generation) 2 given(last_scale_time) 3 omit(current_replicas)
        4 always(desired_replicas) 5 many(current_metrics) 6 many(conditions)
    }
    MetricIdentifier {
        1 always(name) 2 given(selector)
    }
    MetricSpec {
        1 always(type_) 2 given(object) 3 given(pods) 4 given(resource) 5 given(external)
        7 given(container_resource)
    }
    MetricStatus {
        1 always(type_) 2 given(object) 3 given(pods) 4 given(resource) 5 given(external)
        7 given(container_resource)
    }
    MetricTarget {
        1 always(type_) 2 given(value) 3 given(average_value) 4 given(average_utilization)
    }
    MetricValueStatus {
        1 given(value) 2 given(average_value) 3 given(average_utilization)
    }
    ObjectMetricSource {
        1 always(described_object) 2 always(target) 3 always(metric)
    }
    ObjectMetricStatus {
        1 always(metric) 2 always(current) 3 always(described_object)
    }
    PodsMetricSource {
        1 always(metric) 2 always(target)
    }
    PodsMetricStatus {
        1 always(metric) 2 always(current)
    }
    ResourceMetricSource {
        1 always(name) 2 always(target)
    }
    ResourceMetricStatus {
        1 always(name) 2 always(current)
    }
}

messages! { k8s_openapi::api::batch::v1;
    CronJob {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    CronJobSpec {
        1 always(schedule) 2 given(starting_deadline_seconds) 3 omit(concurrency_policy)
        4 given(suspend) 5 always(job_template) 6 given(successful_jobs_history_limit)
        7 given(failed_jobs_history_limit) 8 given(time_zone)
    }
    CronJobStatus {
        1 many(active) 4 given(last_schedule_time) 5 given(last_successful_time)
    }
    Job {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    JobCondition {
        1 always(type_) 2 always(status) 3 always(last_probe_time) 4 always(last_transition_time)
        5 omit(reason) 6 omit(message)
    }
    JobSpec {
        1 given(parallelism) 2 given(completions) 3 given(active_deadline_seconds) 4 given(selector)
        5 given(manual_selector) 6 always(template) 7 given(backoff_limit)
        8 given(ttl_seconds_after_finished) 9 given(completion_mode) 10 given(suspend)
        11 given(pod_failure_policy) 12 given(backoff_limit_per_index) 13 given(max_failed_indexes)
        14 given(pod_replacement_policy) 15 given(managed_by) 16 given(success_policy)
        17 since_1_37(given scheduling)
    }
    JobStatus {
        1 many(conditions) 2 given(start_time) 3 given(completion_time) 4 omit(active)
        5 omit(succeeded) 6 omit(failed) 7 omit(completed_indexes)
        8 given(uncounted_terminated_pods) 9 given(ready) 10 given(failed_indexes)
        11 given(terminating)
    }
    JobTemplateSpec {
        1 always(metadata) 2 always(spec)
    }
    PodFailurePolicy {
        1 many(rules)
    }
    PodFailurePolicyOnExitCodesRequirement {
        1 given(container_name) 2 always(operator) 3 many(values)
    }
    PodFailurePolicyOnPodConditionsPattern {
        1 always(type_) 2 always(status)
    }
    PodFailurePolicyRule {
        1 always(action) 2 given(on_exit_codes) 3 many(on_pod_conditions)
    }
    SuccessPolicy {
        1 many(rules)
    }
    SuccessPolicyRule {
        1 given(succeeded_indexes) 2 given(succeeded_count)
    }
    UncountedTerminatedPods {
        1 many(succeeded) 2 many(failed)
    }
}

messages! { k8s_openapi::api::coordination::v1;
    Lease {
        1 always(metadata) 2 always(spec)
    }
    LeaseSpec {
        1 given(holder_identity) 2 given(lease_duration_seconds) 3 given(acquire_time)
        4 given(renew_time) 5 given(lease_transitions) 6 given(strategy) 7 given(preferred_holder)
    }
}

messages! { k8s_openapi::api::discovery::v1;
    Endpoint {
        1 many(addresses) 2 always(conditions) 3 given(hostname) 4 given(target_ref)
        5 many(deprecated_topology) 6 given(node_name) 7 given(zone) 8 given(hints)
    }
    EndpointConditions {
        1 given(ready) 2 given(serving) 3 given(terminating)
    }
    EndpointHints {
        1 many(for_zones) 2 many(for_nodes)
    }
    EndpointPort {
        1 given(name) 2 given(protocol) 3 given(port) 4 given(app_protocol)
    }
    EndpointSlice {
        1 always(metadata) 2 many(endpoints) 3 many(ports) 4 always(address_type)
    }
    ForNode {
        1 always(name)
    }
    ForZone {
        1 always(name)
    }
}

messages! { k8s_openapi::api::events::v1;
    Event {
        1 always(metadata) 2 always(event_time) 3 given(series) 4 omit(reporting_controller)
        5 omit(reporting_instance) 6 omit(action) 7 omit(reason) 8 always(regarding)
        9 given(related) 10 omit(note) 11 omit(type_) 12 always(deprecated_source)
        13 always(deprecated_first_timestamp) 14 always(deprecated_last_timestamp)
        15 omit(deprecated_count)
    }
    EventSeries (count last_observed_time) {
        1 always(count) 2 always(last_observed_time)
    }
}

messages! { k8s_openapi::api::networking::v1;
    HTTPIngressPath {
        1 omit(path) 2 always(backend) 3 given(path_type)
    }
    HTTPIngressRuleValue {
        1 many(paths)
    }
    IPBlock {
        1 always(cidr) 2 many(except)
    }
    Ingress {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    IngressBackend {
        3 given(resource) 4 given(service)
    }
    IngressClass {
        1 always(metadata) 2 always(spec)
    }
    IngressClassParametersReference {
        1 given(api_group) 2 always(kind) 3 always(name) 4 given(scope) 5 given(namespace)
    }
    IngressClassSpec {
        1 omit(controller) 2 given(parameters)
    }
    IngressLoadBalancerIngress {
        1 omit(ip) 2 omit(hostname) 4 many(ports)
    }
    IngressLoadBalancerStatus {
        1 many(ingress)
    }
    IngressPortStatus {
        1 always(port) 2 always(protocol) 3 given(error)
    }
    IngressRule {
        1 omit(host) 2 inline { 1 given(http) }
    }
    IngressServiceBackend {
        1 always(name) 2 always(port)
    }
    IngressSpec {
        1 given(default_backend) 2 many(tls) 3 many(rules) 4 given(ingress_class_name)
    }
    IngressStatus {
        1 always(load_balancer)
    }
    IngressTLS {
        1 many(hosts) 2 omit(secret_name)
    }
    NetworkPolicy {
        1 always(metadata) 2 always(spec)
    }
    NetworkPolicyEgressRule {
        1 many(ports) 2 many(to)
    }
    NetworkPolicyIngressRule {
        1 many(ports) 2 many(from)
    }
    NetworkPolicyPeer {
        1 given(pod_selector) 2 given(namespace_selector) 3 given(ip_block)
    }
    NetworkPolicyPort {
        1 given(protocol) 2 given(port) 3 given(end_port)
    }
    NetworkPolicySpec {
        1 always(pod_selector) 2 many(ingress) 3 many(egress) 4 many(policy_types)
    }
    ServiceBackendPort {
        1 omit(name) 2 omit(number)
    }
}

messages! { k8s_openapi::api::policy::v1;
    PodDisruptionBudget {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    PodDisruptionBudgetSpec {
        1 given(min_available) 2 given(selector) 3 given(max_unavailable)
        4 given(unhealthy_pod_eviction_policy)
    }
    PodDisruptionBudgetStatus {
        1 omit(observed_generation) 2 many(disrupted_pods) 3 always(disruptions_allowed)
        4 always(current_healthy) 5 always(desired_healthy) 6 always(expected_pods)
        7 many(conditions)
    }
}

messages! { k8s_openapi::api::rbac::v1;
    AggregationRule {
        1 many(cluster_role_selectors)
    }
    ClusterRole {
        1 always(metadata) 2 many(rules) 3 given(aggregation_rule)
    }
    ClusterRoleBinding {
        1 always(metadata) 2 many(subjects) 3 always(role_ref)
    }
    PolicyRule {
        1 many(verbs) 2 many(api_groups) 3 many(resources) 4 many(resource_names)
        5 many(non_resource_urls)
    }
    Role {
        1 always(metadata) 2 many(rules)
    }
    RoleBinding {
        1 always(metadata) 2 many(subjects) 3 always(role_ref)
    }
    RoleRef {
        1 always(api_group) 2 always(kind) 3 always(name)
    }
    Subject {
        1 always(kind) 2 omit(api_group) 3 always(name) 4 omit(namespace)
    }
}

messages! { k8s_openapi::api::storage::v1;
    StorageClass {
        1 always(metadata) 2 always(provisioner) 3 many(parameters) 4 given(reclaim_policy)
        5 many(mount_options) 6 given(allow_volume_expansion) 7 given(volume_binding_mode)
        8 many(allowed_topologies)
    }
}

k8s_openapi::k8s_if_ge_1_37! {
messages! { k8s_openapi::api::batch::v1;
    JobSchedulingConfiguration {
        1 given(scheduling_policy) 2 given(scheduling_constraints) 3 given(disruption_mode)
        4 many(resource_claims)
    }
}
}

k8s_openapi::k8s_if_ge_1_37! {
messages! { k8s_openapi::api::scheduling::v1alpha3;
    TopologyConstraint {
        1 always(key)
    }
    WorkloadPodGroupAllDisruptionMode ({}) {
    }
    WorkloadPodGroupBasicSchedulingPolicy ({}) {
    }
    WorkloadPodGroupDisruptionMode {
        1 given(single) 2 given(all)
    }
    WorkloadPodGroupGangSchedulingPolicy {
        1 given(min_count)
    }
    WorkloadPodGroupResourceClaim {
        1 always(name) 2 given(resource_claim_name) 3 given(resource_claim_template_name)
    }
    WorkloadPodGroupSchedulingConstraints {
        1 many(topology)
    }
    WorkloadPodGroupSchedulingPolicy {
        1 given(basic) 2 given(gang)
    }
    WorkloadPodGroupSingleDisruptionMode ({}) {
    }
}
}

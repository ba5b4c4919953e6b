// Written by tests/protobuf/generate; never by hand.

messages! { k8s_openapi::api::core::v1;
    PersistentVolume {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    PersistentVolumeClaim {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    PersistentVolumeClaimCondition {
        1 always(type_) 2 always(status) 3 always(last_probe_time) 4 always(last_transition_time)
        5 omit(reason) 6 omit(message)
    }
    PersistentVolumeClaimSpec {
        1 many(access_modes) 2 always(resources) 3 omit(volume_name) 4 given(selector)
        5 given(storage_class_name) 6 given(volume_mode) 7 given(data_source)
        8 given(data_source_ref) 9 given(volume_attributes_class_name)
    }
    PersistentVolumeClaimStatus {
        1 omit(phase) 2 many(access_modes) 3 many(capacity) 4 many(conditions)
        5 many(allocated_resources) 7 many(allocated_resource_statuses)
        8 given(current_volume_attributes_class_name) 9 given(modify_volume_status)
        10 since_1_37(given health_status)
    }
    PersistentVolumeClaimTemplate {
        1 always(metadata) 2 always(spec)
    }
    PersistentVolumeClaimVolumeSource {
        1 always(claim_name) 2 omit(read_only)
    }
    PersistentVolumeSpec {
        1 many(capacity) 2 inline { 1 given(gce_persistent_disk) 2 given(aws_elastic_block_store)
        3 given(host_path) 4 given(glusterfs) 5 given(nfs) 6 given(rbd) 7 given(iscsi)
        8 given(cinder) 9 given(cephfs) 10 given(fc) 11 given(flocker) 12 given(flex_volume)
        13 given(azure_file) 14 given(vsphere_volume) 15 given(quobyte) 16 given(azure_disk)
        17 given(photon_persistent_disk) 18 given(portworx_volume) 19 given(scale_io)
        20 given(local) 21 given(storageos) 22 given(csi) } 3 many(access_modes) 4 given(claim_ref)
        5 omit(persistent_volume_reclaim_policy) 6 omit(storage_class_name) 7 many(mount_options)
        8 given(volume_mode) 9 given(node_affinity) 10 given(volume_attributes_class_name)
    }
    PersistentVolumeStatus {
        1 omit(phase) 2 omit(message) 3 omit(reason) 4 given(last_phase_transition_time)
    }
    PhotonPersistentDiskVolumeSource {
        1 always(pd_id) 2 omit(fs_type)
    }
    Pod {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    PodAffinity {
        1 many(required_during_scheduling_ignored_during_execution)
        2 many(preferred_during_scheduling_ignored_during_execution)
    }
    PodAffinityTerm {
        1 given(label_selector) 2 many(namespaces) 3 always(topology_key)
        4 given(namespace_selector) 5 many(match_label_keys) 6 many(mismatch_label_keys)
    }
    PodAntiAffinity {
        1 many(required_during_scheduling_ignored_during_execution)
        2 many(preferred_during_scheduling_ignored_during_execution)
    }
    PodCondition {
        1 always(type_) 2 always(status) 3 always(last_probe_time) 4 always(last_transition_time)
        5 omit(reason) 6 omit(message) 7 omit(observed_generation)
    }
    PodDNSConfig {
        1 many(nameservers) 2 many(searches) 3 many(options)
    }
    PodDNSConfigOption {
        1 omit(name) 2 given(value)
    }
    PodIP {
        1 always(ip)
    }
    PodOS {
        1 always(name)
    }
    PodReadinessGate {
        1 always(condition_type)
    }
    PodResourceClaim {
        1 always(name) 3 given(resource_claim_name) 4 given(resource_claim_template_name)
    }
    PodResourceClaimStatus {
        1 always(name) 2 given(resource_claim_name)
    }
    PodSchedulingGate {
        1 always(name)
    }
    PodSecurityContext {
        1 given(se_linux_options) 2 given(run_as_user) 3 given(run_as_non_root)
        4 many(supplemental_groups) 5 given(fs_group) 6 given(run_as_group) 7 many(sysctls)
        8 given(windows_options) 9 given(fs_group_change_policy) 10 given(seccomp_profile)
        11 given(app_armor_profile) 12 given(supplemental_groups_policy)
        13 given(se_linux_change_policy)
    }
    PodSpec {
        1 many(volumes) 2 many(containers) 3 omit(restart_policy)
        4 given(termination_grace_period_seconds) 5 given(active_deadline_seconds)
        6 omit(dns_policy) 7 many(node_selector) 8 omit(service_account_name)
        9 omit(service_account) 10 omit(node_name) 11 omit(host_network) 12 omit(host_pid)
        13 omit(host_ipc) 14 given(security_context) 15 many(image_pull_secrets) 16 omit(hostname)
        17 omit(subdomain) 18 given(affinity) 19 omit(scheduler_name) 20 many(init_containers)
        21 given(automount_service_account_token) 22 many(tolerations) 23 many(host_aliases)
        24 omit(priority_class_name) 25 given(priority) 26 given(dns_config)
        27 given(share_process_namespace) 28 many(readiness_gates) 29 given(runtime_class_name)
        30 given(enable_service_links) 31 given(preemption_policy) 32 many(overhead)
        33 many(topology_spread_constraints) 34 many(ephemeral_containers)
        35 given(set_hostname_as_fqdn) 36 given(os) 37 given(host_users) 38 many(scheduling_gates)
        39 many(resource_claims) 40 given(resources) 41 since_1_34(given hostname_override)
        42 only_1_35(given workload_ref) 43 since_1_36(given scheduling_group)
        44 since_1_37(many eviction_responders)
    }
    PodStatus {
        1 omit(phase) 2 many(conditions) 3 omit(message) 4 omit(reason) 5 omit(host_ip)
        6 omit(pod_ip) 7 given(start_time) 8 many(container_statuses) 9 omit(qos_class)
        10 many(init_container_statuses) 11 omit(nominated_node_name) 12 many(pod_ips)
        13 many(ephemeral_container_statuses) 14 omit(resize) 15 many(resource_claim_statuses)
        16 many(host_ips) 17 omit(observed_generation)
        18 since_1_34(given extended_resource_claim_status) 19 since_1_35(many allocated_resources)
        20 since_1_35(given resources) 21 since_1_36(many node_allocatable_resource_claim_statuses)
        22 since_1_37(many volume_health)
    }
    PodTemplateSpec {
        1 always(metadata) 2 always(spec)
    }
    PortStatus {
        1 always(port) 2 always(protocol) 3 given(error)
    }
    PortworxVolumeSource {
        1 always(volume_id) 2 omit(fs_type) 3 omit(read_only)
    }
    PreferredSchedulingTerm {
        1 always(weight) 2 always(preference)
    }
    Probe {
        1 inline { 1 given(exec) 2 given(http_get) 3 given(tcp_socket) 4 given(grpc) }
        2 omit(initial_delay_seconds) 3 omit(timeout_seconds) 4 omit(period_seconds)
        5 omit(success_threshold) 6 omit(failure_threshold)
        7 given(termination_grace_period_seconds)
    }
    ProjectedVolumeSource {
        1 many(sources) 2 given(default_mode) 3 since_1_37(given default_user)
    }
    QuobyteVolumeSource {
        1 always(registry) 2 always(volume) 3 omit(read_only) 4 omit(user) 5 omit(group)
        6 omit(tenant)
    }
    RBDPersistentVolumeSource {
        1 many(monitors) 2 always(image) 3 omit(fs_type) 4 omit(pool) 5 omit(user) 6 omit(keyring)
        7 given(secret_ref) 8 omit(read_only)
    }
    RBDVolumeSource {
        1 many(monitors) 2 always(image) 3 omit(fs_type) 4 omit(pool) 5 omit(user) 6 omit(keyring)
        7 given(secret_ref) 8 omit(read_only)
    }
    ReplicationController {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    ReplicationControllerCondition {
        1 always(type_) 2 always(status) 3 always(last_transition_time) 4 omit(reason)
        5 omit(message)
    }
    ReplicationControllerSpec {
        1 given(replicas) 2 many(selector) 3 given(template) 4 omit(min_ready_seconds)
    }
    ReplicationControllerStatus {
        1 always(replicas) 2 omit(fully_labeled_replicas) 3 omit(observed_generation)
        4 omit(ready_replicas) 5 omit(available_replicas) 6 many(conditions)
    }
    ResourceClaim {
        1 always(name) 2 omit(request)
    }
    ResourceFieldSelector {
        1 omit(container_name) 2 always(resource) 3 always(divisor)
    }
    ResourceHealth {
        1 always(resource_id) 2 omit(health) 6 since_1_36(given message)
    }
    ResourceRequirements {
        1 many(limits) 2 many(requests) 3 many(claims)
    }
    ResourceStatus {
        1 always(name) 2 many(resources)
    }
    SELinuxOptions {
        1 omit(user) 2 omit(role) 3 omit(type_) 4 omit(level)
    }
    ScaleIOPersistentVolumeSource {
        1 always(gateway) 2 always(system) 3 given(secret_ref) 4 omit(ssl_enabled)
        5 omit(protection_domain) 6 omit(storage_pool) 7 omit(storage_mode) 8 omit(volume_name)
        9 omit(fs_type) 10 omit(read_only)
    }
    ScaleIOVolumeSource {
        1 always(gateway) 2 always(system) 3 given(secret_ref) 4 omit(ssl_enabled)
        5 omit(protection_domain) 6 omit(storage_pool) 7 omit(storage_mode) 8 omit(volume_name)
        9 omit(fs_type) 10 omit(read_only)
    }
    SeccompProfile {
        1 always(type_) 2 given(localhost_profile)
    }
    Secret {
        1 always(metadata) 2 many(data) 3 omit(type_) 4 many(string_data) 5 given(immutable)
    }
    SecretEnvSource {
        1 inline { 1 omit(name) } 2 given(optional)
    }
    SecretKeySelector {
        1 inline { 1 omit(name) } 2 always(key) 3 given(optional)
    }
    SecretProjection {
        1 inline { 1 omit(name) } 2 many(items) 4 given(optional)
    }
    SecretReference {
        1 omit(name) 2 omit(namespace)
    }
    SecretVolumeSource {
        1 omit(secret_name) 2 many(items) 3 given(default_mode) 4 given(optional)
        5 since_1_37(given default_user)
    }
    SecurityContext {
        1 given(capabilities) 2 given(privileged) 3 given(se_linux_options) 4 given(run_as_user)
        5 given(run_as_non_root) 6 given(read_only_root_filesystem)
        7 given(allow_privilege_escalation) 8 given(run_as_group) 9 given(proc_mount)
        10 given(windows_options) 11 given(seccomp_profile) 12 given(app_armor_profile)
    }
    Service {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    ServiceAccount {
        1 always(metadata) 2 many(secrets) 3 many(image_pull_secrets)
        4 given(automount_service_account_token)
    }
    ServiceAccountTokenProjection {
        1 omit(audience) 2 given(expiration_seconds) 3 always(path) 4 since_1_37(given user)
    }
    ServicePort {
        1 omit(name) 2 omit(protocol) 3 always(port) 4 always(target_port) 5 omit(node_port)
        6 given(app_protocol)
    }
    ServiceSpec {
        1 many(ports) 2 many(selector) 3 omit(cluster_ip) 4 omit(type_) 5 many(external_ips)
        7 omit(session_affinity) 8 omit(load_balancer_ip) 9 many(load_balancer_source_ranges)
        10 omit(external_name) 11 omit(external_traffic_policy) 12 omit(health_check_node_port)
        13 omit(publish_not_ready_addresses) 14 given(session_affinity_config)
        17 given(ip_family_policy) 18 many(cluster_ips) 19 many(ip_families)
        20 given(allocate_load_balancer_node_ports) 21 given(load_balancer_class)
        22 given(internal_traffic_policy) 23 given(traffic_distribution)
    }
    ServiceStatus {
        1 always(load_balancer) 2 many(conditions)
    }
    SessionAffinityConfig {
        1 given(client_ip)
    }
    SleepAction {
        1 always(seconds)
    }
    StorageOSPersistentVolumeSource {
        1 omit(volume_name) 2 omit(volume_namespace) 3 omit(fs_type) 4 omit(read_only)
        5 given(secret_ref)
    }
    StorageOSVolumeSource {
        1 omit(volume_name) 2 omit(volume_namespace) 3 omit(fs_type) 4 omit(read_only)
        5 given(secret_ref)
    }
    Sysctl {
        1 always(name) 2 always(value)
    }
    TCPSocketAction {
        1 always(port) 2 omit(host)
    }
    Taint {
        1 always(key) 2 omit(value) 3 always(effect) 4 given(time_added)
    }
    Toleration {
        1 omit(key) 2 omit(operator) 3 omit(value) 4 omit(effect) 5 given(toleration_seconds)
    }
    TopologySelectorLabelRequirement {
        1 always(key) 2 many(values)
    }
    TopologySelectorTerm {
        1 many(match_label_expressions)
    }
    TopologySpreadConstraint {
        1 always(max_skew) 2 always(topology_key) 3 always(when_unsatisfiable)
        4 given(label_selector) 5 given(min_domains) 6 given(node_affinity_policy)
        7 given(node_taints_policy) 8 many(match_label_keys)
    }
    TypedLocalObjectReference {
        1 given(api_group) 2 always(kind) 3 always(name)
    }
    TypedObjectReference {
        1 given(api_group) 2 always(kind) 3 always(name) 4 given(namespace)
    }
    Volume {
        1 always(name) 2 inline { 1 given(host_path) 2 given(empty_dir) 3 given(gce_persistent_disk)
        4 given(aws_elastic_block_store) 5 given(git_repo) 6 given(secret) 7 given(nfs)
        8 given(iscsi) 9 given(glusterfs) 10 given(persistent_volume_claim) 11 given(rbd)
        12 given(flex_volume) 13 given(cinder) 14 given(cephfs) 15 given(flocker)
        16 given(downward_api) 17 given(fc) 18 given(azure_file) 19 given(config_map)
        20 given(vsphere_volume) 21 given(quobyte) 22 given(azure_disk)
        23 given(photon_persistent_disk) 24 given(portworx_volume) 25 given(scale_io)
        26 given(projected) 27 given(storageos) 28 given(csi) 29 given(ephemeral) 30 given(image) }
    }
    VolumeDevice {
        1 always(name) 2 always(device_path)
    }
    VolumeMount {
        1 always(name) 2 omit(read_only) 3 always(mount_path) 4 omit(sub_path)
        5 given(mount_propagation) 6 omit(sub_path_expr) 7 given(recursive_read_only)
        8 since_1_37(many bind_mount_options)
    }
    VolumeMountStatus {
        1 always(name) 2 always(mount_path) 3 omit(read_only) 4 given(recursive_read_only)
        5 since_1_36(given volume_status)
    }
    VolumeNodeAffinity {
        1 given(required)
    }
    VolumeProjection {
        1 given(secret) 2 given(downward_api) 3 given(config_map) 4 given(service_account_token)
        5 given(cluster_trust_bundle) 6 since_1_34(given pod_certificate)
    }
    VolumeResourceRequirements {
        1 many(limits) 2 many(requests)
    }
    VsphereVirtualDiskVolumeSource {
        1 always(volume_path) 2 omit(fs_type) 3 omit(storage_policy_name) 4 omit(storage_policy_id)
    }
    WeightedPodAffinityTerm {
        1 always(weight) 2 always(pod_affinity_term)
    }
    WindowsSecurityContextOptions {
        1 given(gmsa_credential_spec_name) 2 given(gmsa_credential_spec) 3 given(run_as_user_name)
        4 given(host_process)
    }
}

k8s_openapi::k8s_if_1_35! {
messages! { k8s_openapi::api::core::v1;
    WorkloadReference {
        1 always(name) 2 always(pod_group) 3 omit(pod_group_replica_key)
    }
}
}

k8s_openapi::k8s_if_ge_1_34! {
messages! { k8s_openapi::api::core::v1;
    PodCertificateProjection {
        1 omit(signer_name) 2 omit(key_type) 3 given(max_expiration_seconds)
        4 omit(credential_bundle_path) 5 omit(key_path) 6 omit(certificate_chain_path)
        7 since_1_35(many user_annotations) 8 since_1_37(given user)
    }
    PodExtendedResourceClaimStatus {
        1 many(request_mappings) 2 always(resource_claim_name)
    }
}
}

k8s_openapi::k8s_if_ge_1_36! {
messages! { k8s_openapi::api::core::v1;
    PodSchedulingGroup {
        1 given(pod_group_name)
    }
    VolumeStatus {
        1 given(image)
    }
}
}

k8s_openapi::k8s_if_ge_1_37! {
messages! { k8s_openapi::api::core::v1;
    PodVolumeHealth {
        1 always(name) 2 many(health_conditions) 3 always(last_transition_time)
    }
    VolumeHealthCondition {
        1 always(status) 2 always(reason) 3 omit(message)
    }
    VolumeHealthStatus {
        1 many(health_conditions) 2 always(last_transition_time)
    }
}
}

// Written by tests/protobuf/generate; never by hand.

messages! { k8s_openapi::api::core::v1;
    HTTPGetAction {
        1 omit(path) 2 always(port) 3 omit(host) 4 omit(scheme) 5 many(http_headers)
        6 since_1_37(given protocol)
    }
    HTTPHeader {
        1 always(name) 2 always(value)
    }
    HostAlias {
        1 always(ip) 2 many(hostnames)
    }
    HostIP {
        1 always(ip)
    }
    HostPathVolumeSource {
        1 always(path) 2 given(type_)
    }
    ISCSIPersistentVolumeSource {
        1 always(target_portal) 2 always(iqn) 3 always(lun) 4 omit(iscsi_interface) 5 omit(fs_type)
        6 omit(read_only) 7 many(portals) 8 omit(chap_auth_discovery) 10 given(secret_ref)
        11 omit(chap_auth_session) 12 given(initiator_name)
    }
    ISCSIVolumeSource {
        1 always(target_portal) 2 always(iqn) 3 always(lun) 4 omit(iscsi_interface) 5 omit(fs_type)
        6 omit(read_only) 7 many(portals) 8 omit(chap_auth_discovery) 10 given(secret_ref)
        11 omit(chap_auth_session) 12 given(initiator_name)
    }
    ImageVolumeSource {
        1 omit(reference) 2 omit(pull_policy)
    }
    KeyToPath {
        1 always(key) 2 always(path) 3 given(mode) 4 since_1_37(given user)
    }
    Lifecycle {
        1 given(post_start) 2 given(pre_stop) 3 given(stop_signal)
    }
    LifecycleHandler {
        1 given(exec) 2 given(http_get) 3 given(tcp_socket) 4 given(sleep)
    }
    LinuxContainerUser {
        1 always(uid) 2 always(gid) 3 many(supplemental_groups)
    }
    LoadBalancerIngress {
        1 omit(ip) 2 omit(hostname) 3 given(ip_mode) 4 many(ports)
    }
    LoadBalancerStatus {
        1 many(ingress)
    }
    LocalObjectReference {
        1 omit(name)
    }
    LocalVolumeSource {
        1 always(path) 2 given(fs_type)
    }
    ModifyVolumeStatus {
        1 omit(target_volume_attributes_class_name) 2 always(status)
    }
    NFSVolumeSource {
        1 always(server) 2 always(path) 3 omit(read_only)
    }
    Namespace {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    NamespaceCondition {
        1 always(type_) 2 always(status) 4 always(last_transition_time) 5 omit(reason)
        6 omit(message)
    }
    NamespaceSpec {
        1 many(finalizers)
    }
    NamespaceStatus {
        1 omit(phase) 2 many(conditions)
    }
    Node {
        1 always(metadata) 2 always(spec) 3 always(status)
    }
    NodeAddress {
        1 always(type_) 2 always(address)
    }
    NodeAffinity {
        1 given(required_during_scheduling_ignored_during_execution)
        2 many(preferred_during_scheduling_ignored_during_execution)
    }
    NodeCondition {
        1 always(type_) 2 always(status) 3 always(last_heartbeat_time)
        4 always(last_transition_time) 5 omit(reason) 6 omit(message)
    }
    NodeConfigSource {
        2 given(config_map)
    }
    NodeConfigStatus {
        1 given(assigned) 2 given(active) 3 given(last_known_good) 4 omit(error)
    }
    NodeDaemonEndpoints {
        1 always(kubelet_endpoint)
    }
    NodeFeatures {
        1 given(supplemental_groups_policy)
    }
    NodeRuntimeHandler {
        1 always(name) 2 given(features)
    }
    NodeRuntimeHandlerFeatures {
        1 given(recursive_read_only_mounts) 2 given(user_namespaces)
    }
    NodeSelector {
        1 many(node_selector_terms)
    }
    NodeSelectorRequirement {
        1 always(key) 2 always(operator) 3 many(values)
    }
    NodeSelectorTerm {
        1 many(match_expressions) 2 many(match_fields)
    }
    NodeSpec {
        1 omit(pod_cidr) 2 omit(external_id) 3 omit(provider_id) 4 omit(unschedulable)
        5 many(taints) 6 given(config_source) 7 many(pod_cidrs)
        8 since_1_37(given pod_preemption_policy)
    }
    NodeStatus {
        1 many(capacity) 2 many(allocatable) 3 omit(phase) 4 many(conditions) 5 many(addresses)
        6 always(daemon_endpoints) 7 always(node_info) 8 many(images) 9 many(volumes_in_use)
        10 many(volumes_attached) 11 given(config) 12 many(runtime_handlers) 13 given(features)
        14 since_1_35(many declared_features)
    }
    NodeSwapStatus {
        1 given(capacity)
    }
    NodeSystemInfo {
        1 always(machine_id) 2 always(system_uuid) 3 always(boot_id) 4 always(kernel_version)
        5 always(os_image) 6 always(container_runtime_version) 7 always(kubelet_version)
        8 always(kube_proxy_version) 9 always(operating_system) 10 always(architecture)
        11 given(swap) 12 since_1_37(given running_in_user_namespace)
    }
    ObjectFieldSelector {
        1 omit(api_version) 2 always(field_path)
    }
    ObjectReference {
        1 omit(kind) 2 omit(namespace) 3 omit(name) 4 omit(uid) 5 omit(api_version)
        6 omit(resource_version) 7 omit(field_path)
    }
}

k8s_openapi::k8s_if_ge_1_36! {
messages! { k8s_openapi::api::core::v1;
    ImageVolumeStatus {
        1 omit(image_ref)
    }
    NodeAllocatableResourceClaimStatus {
        1 always(resource_claim_name) 2 many(containers) 3 only_1_36(many resources)
        4 since_1_37(many mapping) 5 since_1_37(many overhead)
    }
}
}

k8s_openapi::k8s_if_ge_1_37! {
messages! { k8s_openapi::api::core::v1;
    NodeAllocatableMappedResources {
        1 always(name) 2 given(quantity)
    }
    NodeAllocatableOverheadResources {
        1 always(name) 2 given(per_pod) 3 given(per_container)
    }
    NodePodPreemptionPolicy {
        1 many(disable_resize_preemption)
    }
}
}

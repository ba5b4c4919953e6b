// Written by tests/protobuf/generate; never by hand.

messages! { k8s_openapi::api::core::v1;
    AWSElasticBlockStoreVolumeSource {
        1 always(volume_id) 2 omit(fs_type) 3 omit(partition) 4 omit(read_only)
    }
    Affinity {
        1 given(node_affinity) 2 given(pod_affinity) 3 given(pod_anti_affinity)
    }
    AppArmorProfile {
        1 always(type_) 2 given(localhost_profile)
    }
    AzureDiskVolumeSource {
        1 always(disk_name) 2 always(disk_uri) 3 given(caching_mode) 4 given(fs_type)
        5 given(read_only) 6 given(kind)
    }
    AzureFileVolumeSource {
        1 always(secret_name) 2 always(share_name) 3 omit(read_only)
    }
    CSIVolumeSource {
        1 always(driver) 2 given(read_only) 3 given(fs_type) 4 many(volume_attributes)
        5 given(node_publish_secret_ref)
    }
    Capabilities {
        1 many(add) 2 many(drop)
    }
    CephFSVolumeSource {
        1 many(monitors) 2 omit(path) 3 omit(user) 4 omit(secret_file) 5 given(secret_ref)
        6 omit(read_only)
    }
    CinderVolumeSource {
        1 always(volume_id) 2 omit(fs_type) 3 omit(read_only) 4 given(secret_ref)
    }
    ClusterTrustBundleProjection {
        1 given(name) 2 given(signer_name) 3 given(label_selector) 4 always(path) 5 given(optional)
        6 since_1_37(given user)
    }
    ConfigMapEnvSource {
        1 inline { 1 omit(name) } 2 given(optional)
    }
    ConfigMapKeySelector {
        1 inline { 1 omit(name) } 2 always(key) 3 given(optional)
    }
    ConfigMapProjection {
        1 inline { 1 omit(name) } 2 many(items) 4 given(optional)
    }
    ConfigMapVolumeSource {
        1 inline { 1 omit(name) } 2 many(items) 3 given(default_mode) 4 given(optional)
        5 since_1_37(given default_user)
    }
    Container {
        1 always(name) 2 omit(image) 3 many(command) 4 many(args) 5 omit(working_dir) 6 many(ports)
        7 many(env) 8 always(resources) 9 many(volume_mounts) 10 given(liveness_probe)
        11 given(readiness_probe) 12 given(lifecycle) 13 omit(termination_message_path)
        14 omit(image_pull_policy) 15 given(security_context) 16 omit(stdin) 17 omit(stdin_once)
        18 omit(tty) 19 many(env_from) 20 omit(termination_message_policy) 21 many(volume_devices)
        22 given(startup_probe) 23 many(resize_policy) 24 given(restart_policy)
        25 since_1_34(many restart_policy_rules)
    }
    ContainerPort {
        1 omit(name) 2 omit(host_port) 3 always(container_port) 4 omit(protocol) 5 omit(host_ip)
    }
    ContainerResizePolicy {
        1 always(resource_name) 2 always(restart_policy)
    }
    ContainerState {
        1 given(waiting) 2 given(running) 3 given(terminated)
    }
    ContainerStateRunning {
        1 always(started_at)
    }
    ContainerStateTerminated {
        1 always(exit_code) 2 omit(signal) 3 omit(reason) 4 omit(message) 5 always(started_at)
        6 always(finished_at) 7 omit(container_id)
    }
    ContainerStateWaiting {
        1 omit(reason) 2 omit(message)
    }
    ContainerStatus {
        1 always(name) 2 always(state) 3 always(last_state) 4 always(ready) 5 always(restart_count)
        6 always(image) 7 always(image_id) 8 omit(container_id) 9 given(started)
        10 many(allocated_resources) 11 given(resources) 12 many(volume_mounts) 13 given(user)
        14 many(allocated_resources_status) 15 given(stop_signal)
    }
    ContainerUser {
        1 given(linux)
    }
    DownwardAPIProjection {
        1 many(items)
    }
    DownwardAPIVolumeFile {
        1 always(path) 2 given(field_ref) 3 given(resource_field_ref) 4 given(mode)
        5 since_1_37(given user)
    }
    DownwardAPIVolumeSource {
        1 many(items) 2 given(default_mode) 3 since_1_37(given default_user)
    }
    EmptyDirVolumeSource {
        1 omit(medium) 2 given(size_limit) 3 since_1_37(given mode)
    }
    EnvFromSource {
        1 omit(prefix) 2 given(config_map_ref) 3 given(secret_ref)
    }
    EnvVar {
        1 always(name) 2 omit(value) 3 given(value_from)
    }
    EnvVarSource {
        1 given(field_ref) 2 given(resource_field_ref) 3 given(config_map_key_ref)
        4 given(secret_key_ref) 5 since_1_34(given file_key_ref)
    }
    EphemeralContainer {
        1 inline { 1 always(name) 2 omit(image) 3 many(command) 4 many(args) 5 omit(working_dir)
        6 many(ports) 7 many(env) 8 always(resources) 9 many(volume_mounts) 10 given(liveness_probe)
        11 given(readiness_probe) 12 given(lifecycle) 13 omit(termination_message_path)
        14 omit(image_pull_policy) 15 given(security_context) 16 omit(stdin) 17 omit(stdin_once)
        18 omit(tty) 19 many(env_from) 20 omit(termination_message_policy) 21 many(volume_devices)
        22 given(startup_probe) 23 many(resize_policy) 24 given(restart_policy)
        25 since_1_34(many restart_policy_rules) } 2 omit(target_container_name)
    }
    EphemeralVolumeSource {
        1 given(volume_claim_template)
    }
    ExecAction {
        1 many(command)
    }
    FCVolumeSource {
        1 many(target_wwns) 2 given(lun) 3 omit(fs_type) 4 omit(read_only) 5 many(wwids)
    }
    FlexVolumeSource {
        1 always(driver) 2 omit(fs_type) 3 given(secret_ref) 4 omit(read_only) 5 many(options)
    }
    FlockerVolumeSource {
        1 omit(dataset_name) 2 omit(dataset_uuid)
    }
    GCEPersistentDiskVolumeSource {
        1 always(pd_name) 2 omit(fs_type) 3 omit(partition) 4 omit(read_only)
    }
    GRPCAction {
        1 always(port) 2 given(service) 3 since_1_37(given mode)
    }
    GitRepoVolumeSource {
        1 always(repository) 2 omit(revision) 3 omit(directory)
    }
    GlusterfsVolumeSource {
        1 always(endpoints) 2 always(path) 3 omit(read_only)
    }
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
}

k8s_openapi::k8s_if_ge_1_34! {
messages! { k8s_openapi::api::core::v1;
    ContainerExtendedResourceRequest {
        1 always(container_name) 2 always(resource_name) 3 always(request_name)
    }
    ContainerRestartRule {
        1 omit(action) 2 given(exit_codes)
    }
    ContainerRestartRuleOnExitCodes {
        1 omit(operator) 2 many(values)
    }
    FileKeySelector {
        1 always(volume_name) 2 always(path) 3 always(key) 4 given(optional)
    }
}
}

k8s_openapi::k8s_if_ge_1_37! {
messages! { k8s_openapi::api::core::v1;
    EvictionResponder {
        1 always(name) 2 given(priority)
    }
}
}

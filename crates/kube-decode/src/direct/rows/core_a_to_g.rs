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
    AttachedVolume {
        1 always(name) 2 always(device_path)
    }
    AzureDiskVolumeSource {
        1 always(disk_name) 2 always(disk_uri) 3 given(caching_mode) 4 given(fs_type)
        5 given(read_only) 6 given(kind)
    }
    AzureFilePersistentVolumeSource {
        1 always(secret_name) 2 always(share_name) 3 omit(read_only) 4 given(secret_namespace)
    }
    AzureFileVolumeSource {
        1 always(secret_name) 2 always(share_name) 3 omit(read_only)
    }
    CSIPersistentVolumeSource {
        1 always(driver) 2 always(volume_handle) 3 omit(read_only) 4 omit(fs_type)
        5 many(volume_attributes) 6 given(controller_publish_secret_ref)
        7 given(node_stage_secret_ref) 8 given(node_publish_secret_ref)
        9 given(controller_expand_secret_ref) 10 given(node_expand_secret_ref)
    }
    CSIVolumeSource {
        1 always(driver) 2 given(read_only) 3 given(fs_type) 4 many(volume_attributes)
        5 given(node_publish_secret_ref)
    }
    Capabilities {
        1 many(add) 2 many(drop)
    }
    CephFSPersistentVolumeSource {
        1 many(monitors) 2 omit(path) 3 omit(user) 4 omit(secret_file) 5 given(secret_ref)
        6 omit(read_only)
    }
    CephFSVolumeSource {
        1 many(monitors) 2 omit(path) 3 omit(user) 4 omit(secret_file) 5 given(secret_ref)
        6 omit(read_only)
    }
    CinderPersistentVolumeSource {
        1 always(volume_id) 2 omit(fs_type) 3 omit(read_only) 4 given(secret_ref)
    }
    CinderVolumeSource {
        1 always(volume_id) 2 omit(fs_type) 3 omit(read_only) 4 given(secret_ref)
    }
    ClientIPConfig {
        1 given(timeout_seconds)
    }
    ClusterTrustBundleProjection {
        1 given(name) 2 given(signer_name) 3 given(label_selector) 4 always(path) 5 given(optional)
        6 since_1_37(given user)
    }
    ConfigMap {
        1 always(metadata) 2 many(data) 3 many(binary_data) 4 given(immutable)
    }
    ConfigMapEnvSource {
        1 inline { 1 omit(name) } 2 given(optional)
    }
    ConfigMapKeySelector {
        1 inline { 1 omit(name) } 2 always(key) 3 given(optional)
    }
    ConfigMapNodeConfigSource {
        1 always(namespace) 2 always(name) 3 omit(uid) 4 omit(resource_version)
        5 always(kubelet_config_key)
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
    ContainerImage {
        1 many(names) 2 omit(size_bytes)
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
    DaemonEndpoint {
        1 always(port)
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
    EndpointAddress {
        1 always(ip) 2 given(target_ref) 3 omit(hostname) 4 given(node_name)
    }
    EndpointPort {
        1 omit(name) 2 always(port) 3 omit(protocol) 4 given(app_protocol)
    }
    EndpointSubset {
        1 many(addresses) 2 many(not_ready_addresses) 3 many(ports)
    }
    Endpoints {
        1 always(metadata) 2 many(subsets)
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
    Event {
        1 always(metadata) 2 always(involved_object) 3 omit(reason) 4 omit(message) 5 always(source)
        6 always(first_timestamp) 7 always(last_timestamp) 8 omit(count) 9 omit(type_)
        10 always(event_time) 11 given(series) 12 omit(action) 13 given(related)
        14 always(reporting_component) 15 always(reporting_instance)
    }
    EventSeries {
        1 omit(count) 2 always(last_observed_time)
    }
    EventSource {
        1 omit(component) 2 omit(host)
    }
    ExecAction {
        1 many(command)
    }
    FCVolumeSource {
        1 many(target_wwns) 2 given(lun) 3 omit(fs_type) 4 omit(read_only) 5 many(wwids)
    }
    FlexPersistentVolumeSource {
        1 always(driver) 2 omit(fs_type) 3 given(secret_ref) 4 omit(read_only) 5 many(options)
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
    GlusterfsPersistentVolumeSource {
        1 always(endpoints) 2 always(path) 3 omit(read_only) 4 given(endpoints_namespace)
    }
    GlusterfsVolumeSource {
        1 always(endpoints) 2 always(path) 3 omit(read_only)
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

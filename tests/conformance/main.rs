//! The embedded API server's responses, compared with a real server's.
//!
//! The folder `tests/data/writes` holds recorded scenarios: series of requests to a kube-apiserver
//! v1.36.2 and its responses. Each scenario is replayed against a fresh embedded server, and every
//! response is compared: the status code, the headers that carry meaning, and the whole body.
//! Values that differ from server to server, such as uids, must correspond.
//!
//! A step agrees, or it is in the table of [`differences`], which gives the reason. A row that
//! excuses nothing is an error. The environment variable `CONFORMANCE` changes the mode:
//!
//! - `all` shows the steps of the table, too;
//! - `score`, with the test of that name and `--nocapture`, prints how many steps agree.
//!
//! # The recordings
//!
//! A file has the steps of a scenario in order, one a line. The recorded server had its default
//! admission plugins except the one for service accounts, RBAC, and no controllers outside of the
//! API server: nothing is scheduled or collected. Users are `admin`, who may do everything,
//! `viewer`, who may do nothing, `unknown` with an invalid token, and `none` without one.
//! The scenarios of webhooks were recorded with a kube-apiserver v1.37.2. Each of their steps has
//! the requests that webhooks got, and the answers, which the embedded server gets in turn. Three
//! scenarios come from a server with sharded lists and watches (`feature_gates`), one from a server
//! without anonymous requests, and five from one without a watch cache (`server_options`).

#![cfg(feature = "testing")]

mod binding;
mod client;
mod compare;
mod differences;
mod guard;
mod replay;
mod scenario;
mod shards;
mod text;
mod webhook_differences;
mod webhooks;

use std::collections::BTreeMap;

/// Makes a test of each scenario.
macro_rules! scenarios {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            replay::check(&stringify!($name).replace('_', "-"));
        })*

        /// The scenarios that have a test.
        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

scenarios! {
    accept
    admission_quota_limits
    annotations_validation
    apply_basics
    apply_custom_resource
    apply_lists
    apply_owner_change
    apply_refusals
    apply_status_and_scale
    binding
    body_content_types
    body_kind
    certificate_approval
    concurrency_admission
    concurrency_apimachinery
    concurrency_apps
    concurrency_autoscaling
    concurrency_batch
    concurrency_certificates
    concurrency_coordination
    concurrency_core_cluster
    concurrency_core_config
    concurrency_core_net
    concurrency_core_pods
    concurrency_core_storage
    concurrency_custom_resource
    concurrency_discovery
    concurrency_flowcontrol
    concurrency_forms
    concurrency_networking
    concurrency_policy
    concurrency_rbac
    concurrency_resource
    concurrency_scheduling_node
    concurrency_storage
    config_and_secrets
    crd_cel
    crd_deletion_with_instances
    crd_established
    crd_invalid_schemas
    crd_invalid_specs
    crd_scale
    crd_selectable_and_columns
    crd_updates
    crd_validation
    crd_value_added_default
    crd_values
    crd_versions
    crd_versions_same_schema
    defaults_other
    defaults_pods
    defaults_workloads
    delete_answers
    delete_default_propagation
    delete_options
    delete_pod_grace
    delete_preconditions
    delete_propagation
    deletecollection
    dry_run
    eviction
    field_manager
    field_validation
    field_validation_custom_resource
    finalizers_configmap
    finalizers_custom_resource
    finalizers_names
    finalizers_remove_by_put
    forbidden
    generation
    generation_custom_resource
    labels_validation
    list_continue
    list_resource_versions
    list_selectors
    managed_fields
    managed_fields_timestamps
    metadata_immutable
    methods
    names_generate
    names_validation
    namespace_deletion
    namespace_forms
    namespace_metadata_finalizer
    not_found
    owner_references
    patch_custom_resource
    patch_json
    patch_merge
    patch_no_change
    patch_strategic_containers
    patch_strategic_lists
    pod_subresources
    reviews
    scale
    services
    shard_list
    shard_selector_forms
    shard_selector_off
    shard_watch
    size_limits
    status_custom_resource
    status_deployments
    status_nodes
    status_other_kinds
    status_pods
    status_pvc
    token_requests
    unauthorized
    unauthorized_no_anonymous
    update_other
    update_pods
    update_workloads
    validation_other
    validation_pods
    validation_workloads
    watch_events
    watch_options
    webhooks_built_in_subresources
    webhooks_configuration_defaults
    webhooks_conversion_answers
    webhooks_conversion_answers_uncached
    webhooks_conversion_apply
    webhooks_conversion_failing
    webhooks_conversion_failing_uncached
    webhooks_conversion_none
    webhooks_conversion_order
    webhooks_conversion_order_uncached
    webhooks_conversion_review_versions
    webhooks_conversion_storage
    webhooks_conversion_storage_uncached
    webhooks_conversion_validation
    webhooks_conversion_verbs
    webhooks_conversion_verbs_uncached
    webhooks_custom_resource
    webhooks_dry_run
    webhooks_dry_run_stored_side_effects
    webhooks_match_conditions
    webhooks_match_policy
    webhooks_mutating_configuration_invalid
    webhooks_mutating_connection_fail
    webhooks_mutating_defaulting
    webhooks_mutating_failures_fail
    webhooks_mutating_failures_ignore
    webhooks_mutating_managed_fields
    webhooks_mutating_metadata
    webhooks_mutating_order
    webhooks_mutating_patch_types
    webhooks_mutating_patches
    webhooks_reinvocation
    webhooks_review_cluster_scoped
    webhooks_review_requests
    webhooks_review_versions
    webhooks_rules
    webhooks_selectors
    webhooks_validating_answers
    webhooks_validating_audit_annotations
    webhooks_validating_configuration_invalid
    webhooks_validating_connection_fail
    webhooks_validating_connection_ignore
    webhooks_validating_failures_fail
    webhooks_validating_failures_ignore
    webhooks_validating_ops
    webhooks_validating_order
    webhooks_validating_patch_in_answer
    webhooks_validating_warnings
}

#[test]
fn every_file_has_a_test() {
    let files = std::fs::read_dir(scenario::folder()).expect("the folder can be read");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").file_name().to_string_lossy().replace('-', "_"))
        .collect();
    names.sort();
    let tested: Vec<String> = TESTED.iter().map(|name| format!("{name}.json")).collect();
    assert_eq!(names, tested);
}

#[test]
fn differences_are_of_recorded_steps() {
    for row in differences::DELIBERATE.iter().chain(webhook_differences::WEBHOOKS) {
        let steps = scenario::Scenario::read(row.scenario).steps.len();
        assert!(!row.steps.is_empty(), "{}: no steps: {}", row.scenario, row.reason);
        for step in row.steps {
            assert!((1..=steps).contains(step), "{} has no step {step}", row.scenario);
        }
    }
}

/// Each recorded step outside of the table agrees, as its scenario's test says.
#[test]
fn most_steps_with_webhooks_agree() {
    let (mut all, mut differing) = (BTreeMap::new(), BTreeMap::new());
    let group = |name: &str| match name {
        _ if name.contains("configuration") => "configurations",
        _ if name.contains("conversion") => "conversion",
        _ => "admission",
    };
    for name in TESTED.iter().filter(|name| name.starts_with("webhooks_")) {
        let steps = scenario::Scenario::read(&name.replace('_', "-")).steps.len();
        *all.entry(group(name)).or_insert(0) += steps;
    }
    for row in webhook_differences::WEBHOOKS {
        *differing.entry(group(row.scenario)).or_insert(0) += row.steps.len();
    }
    for (group, percent) in [("admission", 95), ("configurations", 98), ("conversion", 96)] {
        let (all, differing) = (all[group], differing[group]);
        let agreeing = all - differing;
        assert!(100 * agreeing >= percent * all, "{group}: {agreeing} of {all} steps agree");
    }
}

#[test]
fn score() {
    if std::env::var(replay::MODE).as_deref() != Ok("score") {
        return;
    }
    let (mut agreed, mut all) = (0, 0);
    for name in TESTED {
        let outcomes = replay::replay(&name.replace('_', "-"));
        let agree = outcomes.iter().filter(|outcome| outcome.mismatches.is_empty()).count();
        println!("{agree:5} of {:4}  {name}", outcomes.len());
        agreed += agree;
        all += outcomes.len();
    }
    println!("{agreed} of {all} steps agree");
}

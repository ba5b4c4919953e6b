//! The stable kinds that `k8s-openapi` has types for. Others are compared as JSON values only.

use std::fmt::Debug;

use k8s_openapi::Resource;
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::transport::{Decode, DecodeProtobuf, SerdeDecode};
use serde::de::DeserializeOwned;

macro_rules! kinds {
    ($object:ident, $json:ident, $name:ident: $($module:path: $($kind:ident)*;)*) => {
        $($({
            use $module as module;
            if same::<module::$kind>($object, $json, $name) {
                return true;
            }
        })*)*
    };
}

/// Compares the two encodings in the type of their kind. False: there is none.
pub(crate) fn check(name: &str, object: &ProtobufObject<'_>, json: &[u8]) -> bool {
    use k8s_openapi::{api, apiextensions_apiserver, apimachinery, kube_aggregator};
    kinds! { object, json, name:
        api::admissionregistration::v1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration;
        api::apps::v1: ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet;
        api::authentication::v1: SelfSubjectReview TokenRequest TokenReview;
        api::authorization::v1: LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview;
        api::autoscaling::v1: HorizontalPodAutoscaler Scale;
        api::autoscaling::v2: HorizontalPodAutoscaler;
        api::batch::v1: CronJob Job;
        api::certificates::v1: CertificateSigningRequest;
        api::coordination::v1: Lease;
        api::core::v1: Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount;
        api::discovery::v1: EndpointSlice;
        api::events::v1: Event;
        api::flowcontrol::v1: FlowSchema PriorityLevelConfiguration;
        api::networking::v1: IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR;
        api::node::v1: RuntimeClass;
        api::policy::v1: Eviction PodDisruptionBudget;
        api::rbac::v1: ClusterRole ClusterRoleBinding Role RoleBinding;
        api::resource::v1: DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice;
        api::scheduling::v1: PriorityClass;
        api::storage::v1: CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass;
        apiextensions_apiserver::pkg::apis::apiextensions::v1: CustomResourceDefinition;
        apimachinery::pkg::apis::meta::v1: APIGroup APIGroupList APIResourceList APIVersions Status;
        kube_aggregator::pkg::apis::apiregistration::v1: APIService;
    }
    false
}

fn same<K: Resource + DeserializeOwned + PartialEq + Debug + 'static>(
    object: &ProtobufObject<'_>,
    json: &[u8],
    name: &str,
) -> bool {
    if object.types() != Some((K::API_VERSION, K::KIND)) {
        return false;
    }
    let decoder = SerdeDecode::<K>::new();
    let found = object.decode::<K>();
    // An informer's decoder reads common kinds in another way.
    let informed = decoder.decode_protobuf(object);
    assert!(informed == found, "{name}: an informer has {informed:#?}, not {found:#?}");
    // Compiling `serde_json`'s reading of every kind would take longer than all else of this test.
    match (found, decoder.decode(json)) {
        (Ok(found), Ok(expected)) => {
            assert!(found == expected, "{name}: {found:#?}, in JSON {expected:#?}");
        }
        // A type can be too strict for what Go writes: then it is so in both encodings.
        (Err(found), Err(expected)) => println!("{name}: {found}; in JSON {expected}"),
        (found, expected) => panic!("{name}: {:?}, in JSON {:?}", found.err(), expected.err()),
    }
    true
}

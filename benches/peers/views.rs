//! Types of views, each with five fields of a pod.

use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::{Deserialize, Deserializer};

/// Reads three fields of the metadata.
fn names<'de, D: Deserializer<'de>>(metadata: D) -> Result<ObjectMeta, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Names {
        name: Option<String>,
        namespace: Option<String>,
        resource_version: Option<String>,
    }
    let Names { name, namespace, resource_version } = Names::deserialize(metadata)?;
    Ok(ObjectMeta { name, namespace, resource_version, ..ObjectMeta::default() })
}

/// A type with names, and two further fields in a struct or two.
macro_rules! five_fields {
    ($(#[$doc:meta])* $name:ident { $($part:ident: $type:ident { $($field:ident),* }),* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Deserialize, Resource)]
        #[resource(inherit = Pod)]
        #[allow(dead_code, reason = "kept, not read")]
        pub(crate) struct $name {
            #[serde(deserialize_with = "names")]
            metadata: ObjectMeta,
            $(#[serde(default)] $part: $type,)*
        }
        $(
            #[derive(Debug, Clone, Default, Deserialize)]
            #[serde(default, rename_all = "camelCase")]
            #[allow(dead_code, reason = "kept, not read")]
            struct $type {
                $($field: Option<String>,)*
            }
        )*
    };
}

five_fields! {
    /// The fields of a reader that follows pods to their nodes.
    Placement { spec: PlacementSpec { node_name }, status: PlacementStatus { phase } }
}
five_fields! {
    /// The fields of a reader that routes to pods.
    Address { status: AddressStatus { pod_ip, host_ip } }
}
five_fields! {
    /// The fields of a reader that chooses which pod goes first.
    Turn { spec: TurnSpec { priority_class_name, scheduler_name } }
}

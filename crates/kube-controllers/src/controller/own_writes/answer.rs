//! The answer to a write, and what it says about the object.

use k8s_openapi::Resource as _;
use k8s_openapi::api::core::v1::{Namespace, NamespaceSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::ObjectMeta;
use serde::Deserialize;

use super::NAMESPACES;
use super::expectation::{Expectation, ends};
use super::target::{WriteTarget, WriteVerb};
use kube_informer::object::{ObjectKey, ResourceVersion};

/// An object that was written.
#[derive(Debug)]
pub(in crate::controller) struct Written {
    pub(in crate::controller) key: ObjectKey,
    /// The fields that decide on the object's place on the ring, if the answer has them.
    pub(super) state: Option<Box<ObjectMeta>>,
}

/// The information that an answer gives about a write.
pub(in crate::controller) enum WriteOutcome {
    /// The object, and the state that a cache will show.
    Expect(Written, Expectation),
    /// The write changed nothing that a cache will show.
    Nothing,
    /// The write was made, but the answer lacks the object or its version.
    Incomplete,
}

/// The parts of an answer, or of a request's body, that identify the object.
#[derive(Deserialize)]
pub(in crate::controller) struct WriteAnswer {
    #[serde(default, rename = "apiVersion")]
    api_version: String,
    #[serde(default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) metadata: Metadata,
    #[serde(default)]
    details: Details,
    /// True if finalizers of its spec hold a namespace. `None` if the answer does not tell.
    #[serde(skip)]
    spec_holds: Option<bool>,
}

/// The part of a namespace that may hold it.
#[derive(Deserialize)]
struct NamespaceAnswer {
    #[serde(default)]
    spec: NamespaceSpec,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Metadata {
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    uid: Option<String>,
    pub(super) resource_version: Option<String>,
    deletion_timestamp: Option<String>,
    deletion_grace_period_seconds: Option<i64>,
    finalizers: Option<Vec<String>>,
    owner_references: Option<Vec<OwnerReference>>,
    pub(super) r#continue: Option<String>,
    pub(super) remaining_item_count: Option<i64>,
}

impl Metadata {
    /// Returns the fields that decide on the object's place on the ring.
    pub(super) fn state(self) -> Box<ObjectMeta> {
        let Self { namespace, uid, owner_references, .. } = self;
        Box::new(ObjectMeta { namespace, uid, owner_references, ..ObjectMeta::default() })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    uid: Option<String>,
}

impl WriteAnswer {
    /// Reads the answer to a write. `None` if it has another form.
    pub(in crate::controller) fn read(body: &[u8], target: &WriteTarget) -> Option<Self> {
        let mut answer: Self = kube_decode::json(body).ok()?;
        if target.resource() == NAMESPACES && answer.kind == Namespace::KIND {
            let NamespaceAnswer { spec } = kube_decode::json(body).ok()?;
            answer.spec_holds = Some(spec.finalizers.is_some_and(|all| !all.is_empty()));
        }
        Some(answer)
    }

    pub(in crate::controller) fn kind(&self) -> &str {
        &self.kind
    }

    pub(in crate::controller) fn api_version(&self) -> &str {
        &self.api_version
    }

    /// Returns what the answer says about a write to this target.
    pub(in crate::controller) fn expectation(self, target: &WriteTarget) -> WriteOutcome {
        let Self { kind, metadata, details, spec_holds, .. } = self;
        let whole_object = target.subresource.is_none();
        if kind == "Status" {
            return match (&target.name, details.uid) {
                (Some(name), Some(uid)) if target.verb == WriteVerb::Delete && whole_object => {
                    let gone = Expectation::Gone { uid: Some(uid), version: None };
                    target.key_of(name).map_or(WriteOutcome::Incomplete, |key| {
                        WriteOutcome::Expect(Written { key, state: None }, gone)
                    })
                }
                // Evictions and bindings also change the object without returning it.
                _ => WriteOutcome::Incomplete,
            };
        }
        let differs = |answered: &Option<String>, wanted: Option<&str>| {
            // An empty namespace counts as none.
            let answered = answered.as_deref().filter(|answered| !answered.is_empty());
            answered.is_some_and(|answered| wanted != Some(answered))
        };
        if target.name.is_some() && differs(&metadata.name, target.name.as_deref())
            || differs(&metadata.namespace, target.namespace())
        {
            // The answer to another request.
            return WriteOutcome::Incomplete;
        }
        let name = target.name.as_ref().or(metadata.name.as_ref());
        let namespace = target.namespace();
        let key = name.and_then(|name| ObjectKey::from_parts(namespace, name).ok());
        let version = metadata.resource_version.clone().filter(|version| !version.is_empty());
        let (Some(key), Some(version)) = (key, version) else {
            // A token or a review is not in the collection.
            let is_made = !whole_object && target.verb == WriteVerb::Create;
            return if is_made { WriteOutcome::Nothing } else { WriteOutcome::Incomplete };
        };
        let version = ResourceVersion::from(version.as_str());
        let marked = metadata.deletion_timestamp.is_some();
        let Metadata { finalizers, deletion_grace_period_seconds: grace, .. } = &metadata;
        let ended = ends(marked, finalizers.as_deref(), *grace);
        let is_namespace = target.resource() == NAMESPACES;
        let is_gone = match target.verb {
            // A namespace whose spec holds nothing is only marked. If it is gone, its version is
            // that of the deletion.
            WriteVerb::Delete => whole_object && (!marked || (ended && !is_namespace)),
            // The change that takes the last finalizer. Its answer has the version before it.
            WriteVerb::Change if ended && is_namespace => match spec_holds {
                Some(is_held) => !is_held,
                None => return WriteOutcome::Incomplete,
            },
            WriteVerb::Change => ended,
            WriteVerb::Create => false,
        };
        let expectation = if is_gone {
            Expectation::Gone { uid: metadata.uid.clone(), version: Some(version) }
        } else {
            Expectation::AtLeast(version)
        };
        // A Scale has the object's uid but not its owners.
        let state = (kind != "Scale" && metadata.uid.is_some()).then(|| metadata.state());
        WriteOutcome::Expect(Written { key, state }, expectation)
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn answer_tells_whether_the_object_is_gone() {
        let pod = "/api/v1/namespaces/shop/pods/a";
        let status = format!("{pod}/status");
        let live = json!({});
        let ended = json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []});
        let mut held = ended.clone();
        held["finalizers"] = json!(["example.com/held"]);
        let mut graceful = ended.clone();
        graceful["deletionGracePeriodSeconds"] = json!(30);
        for (method, path, metadata, gone) in [
            (Method::PATCH, pod, &ended, true),
            (Method::PUT, pod, &ended, true),
            (Method::PATCH, &*status, &ended, true),
            (Method::PATCH, pod, &live, false),
            (Method::PATCH, pod, &held, false),
            (Method::PUT, pod, &graceful, false),
            (Method::DELETE, pod, &live, true),
            (Method::DELETE, pod, &ended, true),
            (Method::DELETE, pod, &held, false),
            (Method::DELETE, pod, &graceful, false),
        ] {
            let answer = json!({"kind": "Pod", "metadata": metadata});
            assert_eq!(tells_gone(&method, path, answer), Some(gone), "{method} {path} {metadata}");
        }
    }

    #[test]
    fn finalizers_of_its_spec_hold_a_namespace() {
        let ended = json!({"deletionTimestamp": "2026-01-01T00:00:00Z"});
        let held = json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a.b/held"]});
        let (none, some) = (json!({}), json!({"finalizers": ["kubernetes"]}));
        let (shop, finalize) = ("/api/v1/namespaces/shop", "/api/v1/namespaces/shop/finalize");
        for (method, path, metadata, spec, gone) in [
            (Method::PUT, finalize, &ended, &none, true),
            (Method::PUT, finalize, &ended, &json!({"finalizers": []}), true),
            (Method::PUT, finalize, &ended, &some, false),
            (Method::PUT, finalize, &held, &none, false),
            (Method::PUT, finalize, &none, &none, false),
            (Method::PATCH, shop, &ended, &none, true),
            (Method::PATCH, shop, &ended, &some, false),
            (Method::DELETE, shop, &ended, &some, false),
            (Method::DELETE, shop, &ended, &none, false),
            (Method::DELETE, shop, &json!({}), &none, true),
        ] {
            let answer = json!({"kind": "Namespace", "metadata": metadata, "spec": spec});
            let told = tells_gone(&method, path, answer);
            assert_eq!(told, Some(gone), "{method} {path} {metadata} {spec}");
        }
        let partial = json!({"kind": "PartialObjectMetadata", "metadata": ended});
        assert_eq!(tells_gone(&Method::PATCH, shop, partial.clone()), None, "it is looked up");
        assert_eq!(tells_gone(&Method::DELETE, shop, partial), Some(false));
    }

    /// Returns whether an answer says that the object is gone. `None` if it does not say enough.
    fn tells_gone(method: &Method, path: &str, mut answer: Value) -> Option<bool> {
        let target = WriteTarget::of(method, path, None).unwrap();
        answer["metadata"]["resourceVersion"] = "7".into();
        let answer = WriteAnswer::read(answer.to_string().as_bytes(), &target).unwrap();
        match answer.expectation(&target) {
            WriteOutcome::Expect(_, expectation) => {
                Some(matches!(expectation, Expectation::Gone { .. }))
            }
            _ => None,
        }
    }
}

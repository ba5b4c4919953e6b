//! Owner references, set and checked.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;

use kube_informer::seams::KindReach;

/// The reason why an object cannot own another one.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_controllers::writing::set_controller_reference;
///
/// let (mut owner, mut owned) = (ConfigMap::default(), ConfigMap::default());
/// owner.metadata.name = Some("site".into());
/// owner.metadata.namespace = Some("shop".into());
/// owner.metadata.uid = Some("7d1c".into());
/// owned.metadata.namespace = Some("bank".into());
/// let refused = set_controller_reference(&owner, &mut owned).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "ConfigMap site in shop cannot own an object in bank: an owner must be in the same \
///      namespace or cluster-scoped",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerError {
    /// The owner did not come from a server, or a server refuses it, as an Event. Or the object is
    /// not in its namespace. The text says why, and what to do.
    #[error("{0}")]
    Unfit(String),
    /// Another object controls the object already.
    #[error("{kind} {name} cannot control the object: {} {} already does", .present.kind, .present.name)]
    #[non_exhaustive]
    AlreadyControlled {
        /// The owner's kind.
        kind: String,
        /// The owner's name.
        name: String,
        /// The reference to the present controller.
        present: Box<OwnerReference>,
    },
}

/// Makes an object the controller of another one.
///
/// The garbage collector deletes the object after its owner. An object has at most one controller:
/// [`Controller::owns`](crate::controller::ControllerBuilder::owns) follows this reference. A
/// present reference to the same owner, or several of them, are replaced by one.
///
/// The reference blocks a foreground deletion of the owner until the object is gone, as client-go's
/// does. On clusters with the admission plugin `OwnerReferencesPermissionEnforcement`, the service
/// account needs the verb `update` for the owner's subresource `finalizers`.
///
/// ```
/// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// use kube_controllers::writing::set_controller_reference;
///
/// # fn f(site: &ConfigMap) -> Result<(), kube_controllers::writing::OwnerError> {
/// let mut secret = Secret::default();
/// secret.metadata.name = Some("password".into());
/// secret.metadata.namespace = site.metadata.namespace.clone();
/// set_controller_reference(site, &mut secret)?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`OwnerError`]; the object is unchanged then.
pub fn set_controller_reference<O, K>(owner: &O, object: &mut K) -> Result<(), OwnerError>
where
    O: Resource<DynamicType: Default>,
    K: Resource,
{
    set_reference_with(owner, &O::DynamicType::default(), object, true)
}

/// Makes an object one of the owners of another one. The garbage collector deletes the object after
/// its last owner. A present reference to the same owner is replaced, and its flags are kept.
/// Several references to it become one.
///
/// ```
/// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// use kube_controllers::writing::set_owner_reference;
///
/// # use kube_controllers::writing::OwnerError;
/// # fn f(sites: &[ConfigMap], shared: &mut Secret) -> Result<(), OwnerError> {
/// for site in sites {
///     set_owner_reference(site, shared)?;
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`OwnerError`]; the object is unchanged then.
pub fn set_owner_reference<O, K>(owner: &O, object: &mut K) -> Result<(), OwnerError>
where
    O: Resource<DynamicType: Default>,
    K: Resource,
{
    set_reference_with(owner, &O::DynamicType::default(), object, false)
}

/// Sets the reference to an owner whose type is known only at run time: like
/// [`set_controller_reference`] if `controller` is true, else like [`set_owner_reference`].
///
/// ```
/// use k8s_openapi::api::core::v1::Secret;
/// use kube::api::{ApiResource, DynamicObject};
/// use kube_controllers::writing::set_reference_with;
///
/// # fn f(
/// #     site: &DynamicObject, sites: &ApiResource, secret: &mut Secret,
/// # ) -> Result<(), kube_controllers::writing::OwnerError> {
/// set_reference_with(site, sites, secret, true)?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`OwnerError`]; the object is unchanged then.
pub fn set_reference_with<O, K>(
    owner: &O,
    owner_type: &O::DynamicType,
    object: &mut K,
    controller: bool,
) -> Result<(), OwnerError>
where
    O: Resource,
    K: Resource,
{
    let meta = owner.meta();
    let kind = || O::kind(owner_type).into_owned();
    let name = meta.name.clone().unwrap_or_default();
    let reference = owner.owner_ref(owner_type);
    let reference = reference.filter(|found| !found.name.is_empty() && !found.uid.is_empty());
    let Some(mut reference) = reference else {
        let kind = kind();
        return Err(OwnerError::Unfit(format!(
            "{kind} {name:?} cannot own an object: pass an object that a server returned"
        )));
    };
    if let Some(problem) = owner_problem(&reference) {
        let text = format!("{} {name} cannot own an object: it has {problem}", kind());
        return Err(OwnerError::Unfit(text));
    }
    if let Some(namespace) = namespace_of(owner) {
        let problem = match namespace_of(object) {
            None => Some(
                "cannot own an object without a namespace: the garbage collector would delete it"
                    .to_owned(),
            ),
            Some(other) if other != namespace => Some(format!(
                "cannot own an object in {other}: an owner must be in the same namespace or \
                 cluster-scoped"
            )),
            Some(_) => None,
        };
        if let Some(problem) = problem {
            let text = format!("{} {name} in {namespace} {problem}", kind());
            return Err(OwnerError::Unfit(text));
        }
    }
    let owners = object.meta_mut().owner_references.get_or_insert_default();
    let mut others = owners.iter().filter(|other| other.uid != reference.uid);
    if controller && let Some(present) = others.find(|other| other.controller == Some(true)) {
        let present = Box::new(present.clone());
        return Err(OwnerError::AlreadyControlled { kind: kind(), name, present });
    }
    // One owner may be named more than once, under several versions of its kind.
    let known = owners.iter().filter(|other| other.uid == reference.uid);
    for present in known {
        reference.controller = reference.controller.max(present.controller);
        reference.block_owner_deletion =
            reference.block_owner_deletion.max(present.block_owner_deletion);
    }
    if controller {
        (reference.controller, reference.block_owner_deletion) = (Some(true), Some(true));
    }
    let first = owners.iter().position(|other| other.uid == reference.uid);
    owners.retain(|other| other.uid != reference.uid);
    owners.insert(first.unwrap_or(owners.len()), reference);
    Ok(())
}

/// Returns what an owner has or lacks, so that a server refuses it.
pub(crate) fn owner_problem(owner: &OwnerReference) -> Option<String> {
    let OwnerReference { api_version, kind, name, uid, .. } = owner;
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if version.is_empty() || version.contains('/') {
        return Some(format!("the API version {api_version:?}, which must be like v1 or apps/v1"));
    }
    if (group, version, &**kind) == ("", "v1", "Event") {
        return Some("the kind Event, of which API servers accept no owner".to_owned());
    }
    let members = [("kind", kind), ("name", name), ("uid", uid)];
    let (empty, _) = members.into_iter().find(|(_, value)| value.is_empty())?;
    Some(format!("no {empty}"))
}

/// Returns the namespace of an object. An empty one is none.
fn namespace_of<K: Resource>(object: &K) -> Option<String> {
    let is_one = |name: &String| KindReach::of::<K>() != KindReach::Cluster && !name.is_empty();
    object.meta().namespace.clone().filter(is_one)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node, Secret};

    use super::*;

    fn owner(uid: &str) -> ConfigMap {
        let mut owner = ConfigMap::default();
        owner.metadata.name = Some(format!("name-{uid}"));
        owner.metadata.namespace = Some("shop".into());
        owner.metadata.uid = Some(uid.into());
        owner
    }

    fn secret() -> Secret {
        let mut secret = Secret::default();
        secret.metadata.namespace = Some("shop".into());
        secret
    }

    #[test]
    fn one_controller_and_many_owners() {
        let mut object = secret();
        set_owner_reference(&owner("a"), &mut object).unwrap();
        set_controller_reference(&owner("b"), &mut object).unwrap();
        set_owner_reference(&owner("b"), &mut object).unwrap();
        let before = object.clone();
        let refused = set_controller_reference(&owner("a"), &mut object).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "ConfigMap name-a cannot control the object: ConfigMap name-b already does"
        );
        assert_eq!(object, before);
        let owners = object.metadata.owner_references.unwrap();
        let facts = owners.iter().map(|owner| (&*owner.uid, owner.controller));
        assert_eq!(facts.collect::<Vec<_>>(), [("a", None), ("b", Some(true))]);
    }

    /// An operator with two versions of its kind may have written its uid under both.
    #[test]
    fn owner_named_twice_becomes_one_entry() {
        let named = |version: &str, uid: &str, controller, block_owner_deletion| OwnerReference {
            api_version: format!("example.com/{version}"),
            kind: "Site".into(),
            name: "name-a".into(),
            uid: uid.into(),
            controller,
            block_owner_deletion,
        };
        let twice = || {
            let mut object = secret();
            object.metadata.owner_references = Some(vec![
                named("v1", "other", None, None),
                named("v1", "a", None, Some(true)),
                named("v1", "third", Some(false), None),
                named("v2", "a", Some(true), None),
            ]);
            object
        };
        let facts = |object: &Secret| -> Vec<(String, Option<bool>, Option<bool>)> {
            let owners = object.metadata.owner_references.iter().flatten();
            owners.map(|o| (o.uid.clone(), o.controller, o.block_owner_deletion)).collect()
        };
        let expected = [
            ("other".into(), None, None),
            ("a".into(), Some(true), Some(true)),
            ("third".into(), Some(false), None),
        ];
        for set in [set_controller_reference, set_owner_reference] {
            let mut object = twice();
            set(&owner("a"), &mut object).unwrap();
            assert_eq!(facts(&object), expected);
            assert_eq!(object.metadata.owner_references.as_ref().unwrap()[1].api_version, "v1");
            let before = object.clone();
            set(&owner("a"), &mut object).unwrap();
            assert_eq!(object, before);
        }
    }

    #[test]
    fn owners_that_cannot_own_are_refused() {
        let mut object = secret();
        let refused = set_owner_reference(&ConfigMap::default(), &mut object);
        assert!(refused.unwrap_err().to_string().contains("that a server returned"));
        object.metadata.namespace = Some("bank".into());
        let refused = set_owner_reference(&owner("a"), &mut object);
        assert!(refused.unwrap_err().to_string().contains("an object in bank:"));
        for none in [None, Some(String::new())] {
            object.metadata.namespace = none.clone();
            let refused = set_owner_reference(&owner("a"), &mut object);
            assert!(refused.unwrap_err().to_string().contains("without a namespace"));
            let mut of_cluster = owner("b");
            of_cluster.metadata.namespace = none;
            set_owner_reference(&of_cluster, &mut secret()).unwrap();
        }
        let refused = set_owner_reference(&owner("a"), &mut Namespace::default());
        assert!(refused.unwrap_err().to_string().contains("without a namespace"));
        let mut node = Node::default();
        (node.metadata.name, node.metadata.uid) = (Some("n1".into()), Some("n".into()));
        set_controller_reference(&node, &mut secret()).unwrap();
    }
}

//! The permissions of a program, as rules of RBAC.

#[cfg(test)]
mod tests;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::rbac::v1::{
    ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject,
};
use kube::api::ObjectMeta;

use super::ManagerBuilder;
use super::parts::ManagerParts;
use crate::sharding::Sharding;
use kube_informer::informer::{InformerGroup, SharedInformer};
use kube_informer::lister_watcher::Collection;

const RBAC: &str = "rbac.authorization.k8s.io";
const LEASES: &str = "leases.coordination.k8s.io";
const EVENTS: &str = "events.events.k8s.io";

/// The verbs in the order in which a rule names them. Others follow.
const ORDER: [&str; 8] =
    ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/// The permissions that a program needs.
///
/// [`ManagerBuilder::rbac`] derives them from what the manager runs. The writes of reconciles and
/// tasks are not visible there: [`ManagerBuilder::needs`] takes them.
///
/// ```
/// use k8s_openapi::api::apps::v1::Deployment;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_controllers::manager::Rbac;
/// use kube_controllers::{Action, Controller, LeaderElector, Manager};
/// use kube_informer::{SharedInformerFactory, testing::ApiServer};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let client = ApiServer::new().client();
/// let factory = SharedInformerFactory::builder(client.clone()).build();
/// let maps = factory.informer::<ConfigMap>();
/// let deployments = factory.informer::<Deployment>();
/// let controller = Controller::builder("rollout", &deployments).owns(&maps).build();
/// let manager = Manager::builder(&factory)
///     .leader_election(LeaderElector::builder(client, "shop", "rollout").build()?)
///     .controller(controller, |_| async { Ok::<_, kube::Error>(Action::done()) })
///     .needs(Rbac::new().finalizes(&deployments).applies(&maps));
/// assert_eq!(
///     manager.rbac().objects("rollout", "shop").to_string(),
///     r#"apiVersion: rbac.authorization.k8s.io/v1
/// kind: ClusterRole
/// metadata: { name: rollout }
/// rules:
///   - { apiGroups: [""], resources: [configmaps], verbs: [list, watch, create, patch] }
///   - { apiGroups: [apps], resources: [deployments], verbs: [get, list, watch, patch] }
///   - { apiGroups: [apps], resources: [deployments/finalizers], verbs: [update] }
/// ---
/// apiVersion: rbac.authorization.k8s.io/v1
/// kind: ClusterRoleBinding
/// metadata: { name: rollout }
/// roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: rollout }
/// subjects:
///   - { kind: ServiceAccount, name: rollout, namespace: shop }
/// ---
/// apiVersion: rbac.authorization.k8s.io/v1
/// kind: Role
/// metadata: { name: rollout, namespace: shop }
/// rules:
///   - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create] }
///   - apiGroups: [coordination.k8s.io]
///     resourceNames: [rollout]
///     resources: [leases]
///     verbs: [get, update]
/// ---
/// apiVersion: rbac.authorization.k8s.io/v1
/// kind: RoleBinding
/// metadata: { name: rollout, namespace: shop }
/// roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: rollout }
/// subjects:
///   - { kind: ServiceAccount, name: rollout, namespace: shop }
/// "#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Rbac {
    /// The verbs of each grant.
    verbs: BTreeMap<Grant, BTreeSet<Arc<str>>>,
    /// The comments of grants for the members of sets, which are known only at run time.
    comments: BTreeMap<Grant, BTreeSet<&'static str>>,
}

/// The objects that a rule is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Grant {
    /// `None` for all namespaces and for cluster-scoped objects.
    namespace: Option<Arc<str>>,
    group: Arc<str>,
    /// The resource, with its subresource behind a slash.
    resource: Arc<str>,
    /// The only object, if the rule is about one.
    name: Option<Arc<str>>,
}

/// The objects of RBAC that give permissions to a service account. [`Display`](std::fmt::Display) writes
/// them as YAML.
#[derive(Clone, Debug, PartialEq)]
pub struct RbacObjects {
    /// The rules for all namespaces and for cluster-scoped objects, if there are any.
    pub cluster: Option<(ClusterRole, ClusterRoleBinding)>,
    /// The rules of each namespace.
    pub namespaces: Vec<(Role, RoleBinding)>,
    /// Comments of rules.
    comments: Vec<(PolicyRule, &'static str)>,
}

impl Rbac {
    /// Creates an empty set of permissions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what [`Applier::apply`](crate::writing::Applier::apply) of these objects needs:
    /// `patch`, and `create` for those that do not exist.
    pub fn applies<K>(self, informers: impl Into<InformerGroup<K>>) -> Self {
        self.allows(informers, ["create", "patch"])
    }

    /// Adds what [`Applier::apply_status`](crate::writing::Applier::apply_status) of these objects
    /// needs: `patch` of the subresource `status`.
    pub fn applies_status<K>(self, informers: impl Into<InformerGroup<K>>) -> Self {
        self.allows_part(informers, "/status", ["patch"])
    }

    /// Adds what a [`finalizer`](crate::controller::finalizer) on these objects needs: `get` and
    /// `patch`.
    pub fn finalizes<K>(self, informers: impl Into<InformerGroup<K>>) -> Self {
        self.allows(informers, ["get", "patch"])
    }

    /// Adds verbs on the objects of these informers, in their namespaces: `get` for
    /// [`confirm`](crate::ReconcileRequest::confirm), `delete` for a deletion.
    pub fn allows<'v, K>(
        self,
        informers: impl Into<InformerGroup<K>>,
        verbs: impl IntoIterator<Item = &'v str>,
    ) -> Self {
        self.allows_part(informers, "", verbs)
    }

    fn allows_part<'v, K>(
        mut self,
        informers: impl Into<InformerGroup<K>>,
        subresource: &str,
        verbs: impl IntoIterator<Item = &'v str>,
    ) -> Self {
        let (informers, verbs): (_, Vec<_>) = (informers.into(), verbs.into_iter().collect());
        for informer in informers.informers() {
            self.add(informer.collection(), subresource, &verbs);
        }
        self
    }

    /// Adds verbs on a resource of which the program has no informer, or only informers that come
    /// and go. `None` is every namespace, and the scope of cluster-scoped objects.
    ///
    /// The resource is named as kubectl writes it, with a subresource behind a slash. No text is
    /// checked here. An empty namespace is not every namespace: a server refuses such a role.
    ///
    /// ```
    /// use kube_controllers::manager::Rbac;
    ///
    /// let _ = Rbac::new()
    ///     .allows_on("secrets", Some("shop"), ["list", "watch"])
    ///     .allows_on("deployments.apps/scale", None, ["patch"]);
    /// ```
    pub fn allows_on<'v>(
        mut self,
        resource: &str,
        namespace: Option<&str>,
        verbs: impl IntoIterator<Item = &'v str>,
    ) -> Self {
        let verbs: Vec<_> = verbs.into_iter().collect();
        self.grant(resource, namespace, None, &verbs);
        self
    }

    fn add(&mut self, collection: &Collection, subresource: &str, verbs: &[&str]) {
        let resource = format!("{}{subresource}", collection.resource);
        self.grant(&resource, collection.namespace.as_deref(), None, verbs);
    }

    /// Adds verbs on a resource such as `deployments.apps/scale`, or on one object of it.
    fn grant(
        &mut self,
        resource: &str,
        namespace: Option<&str>,
        name: Option<&str>,
        verbs: &[&str],
    ) -> Grant {
        let (resource, subresource) = match resource.split_once('/') {
            Some((resource, subresource)) => (resource, Some(subresource)),
            None => (resource, None),
        };
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let grant = Grant {
            namespace: namespace.map(Into::into),
            group: group.into(),
            resource: match subresource {
                Some(subresource) => format!("{plural}/{subresource}").into(),
                None => plural.into(),
            },
            name: name.map(Into::into),
        };
        // A server refuses a rule without verbs.
        if !verbs.is_empty() {
            let known = self.verbs.entry(grant.clone()).or_default();
            known.extend(verbs.iter().map(|verb| Arc::from(*verb)));
        }
        grant
    }

    /// Adds the verbs on the Leases of a sharding. The names of its members are not known before.
    fn shares(&mut self, sharding: &Sharding) {
        let verbs = ["get", "list", "watch", "create", "update", "delete"];
        self.grant(LEASES, Some(sharding.namespace()), None, &verbs);
    }

    /// Returns each rule with its namespace: `None` for the rules of a `ClusterRole`.
    pub fn rules(&self) -> Vec<(Option<Arc<str>>, PolicyRule)> {
        self.verbs.keys().map(|grant| (grant.namespace.clone(), self.rule(grant))).collect()
    }

    fn rule(&self, grant: &Grant) -> PolicyRule {
        let verbs = self.verbs.get(grant).into_iter().flatten();
        let mut verbs: Vec<String> = verbs.map(ToString::to_string).collect();
        verbs.sort_by_key(|verb| ORDER.iter().position(|known| known == verb).unwrap_or(99));
        PolicyRule {
            api_groups: Some(vec![grant.group.to_string()]),
            resource_names: grant.name.as_ref().map(|name| vec![name.to_string()]),
            resources: Some(vec![grant.resource.to_string()]),
            verbs,
            ..PolicyRule::default()
        }
    }

    /// Returns the roles and bindings that give the permissions to a service account. They have the
    /// account's name, which no account of another namespace should have: its binding would replace
    /// this one. Neither name is checked here: a server refuses objects with an empty one.
    pub fn objects(&self, account: &str, namespace: &str) -> RbacObjects {
        let mut of: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (namespace, rule) in self.rules() {
            of.entry(namespace).or_default().push(rule);
        }
        let metadata = |namespace: Option<&Arc<str>>| ObjectMeta {
            name: Some(account.into()),
            namespace: namespace.map(ToString::to_string),
            ..ObjectMeta::default()
        };
        let role_ref = |kind: &str| RoleRef {
            // A string or an option: that differs between versions of Kubernetes.
            api_group: RBAC.to_owned().into(),
            kind: kind.into(),
            name: account.into(),
        };
        let subject = Subject {
            kind: "ServiceAccount".into(),
            name: account.into(),
            namespace: Some(namespace.into()),
            ..Subject::default()
        };
        let subjects = Some(vec![subject]);
        let cluster = of.remove(&None).map(|rules| {
            let (metadata, role_ref) = (metadata(None), role_ref("ClusterRole"));
            let binding = ClusterRoleBinding {
                metadata: metadata.clone(),
                role_ref,
                subjects: subjects.clone(),
            };
            (ClusterRole { metadata, rules: Some(rules), ..ClusterRole::default() }, binding)
        });
        let namespaces = of.into_iter().map(|(namespace, rules)| {
            let (metadata, role_ref) = (metadata(namespace.as_ref()), role_ref("Role"));
            let binding =
                RoleBinding { metadata: metadata.clone(), role_ref, subjects: subjects.clone() };
            (Role { metadata, rules: Some(rules) }, binding)
        });
        let comments = self.comments.iter().flat_map(|(grant, comments)| {
            comments.iter().map(|comment| (self.rule(grant), *comment))
        });
        RbacObjects { cluster, namespaces: namespaces.collect(), comments: comments.collect() }
    }
}

impl ManagerBuilder {
    /// Adds permissions that the manager does not see: those of writes, of a
    /// [finalizer](crate::controller::finalizer), and of informers that come and go.
    pub fn needs(mut self, permissions: Rbac) -> Self {
        for (grant, verbs) in permissions.verbs {
            self.parts.needs.verbs.entry(grant).or_default().extend(verbs);
        }
        self
    }

    /// Returns the permissions of everything that was added so far.
    ///
    /// - Informers of the factory and of controllers: `list` and `watch`, in their namespaces. A
    ///   field selector of one name limits the rule to that object.
    /// - Sets of the factory, such as
    ///   [`referenced`](kube_informer::SharedInformerFactory::referenced): `list` and `watch` in
    ///   every namespace, because their members are known only at run time. For
    ///   [`kinds`](kube_informer::SharedInformerFactory::kinds) that is every resource. A comment
    ///   in the YAML says which rules suffice in place of it.
    /// - Owner references of objects that a controller
    ///   [owns](crate::controller::ControllerBuilder::owns): `update` of the owner's subresource
    ///   `finalizers`, which the admission plugin `OwnerReferencesPermissionEnforcement` asks for.
    /// - [Events](Self::events): `create` and `patch`, in the namespaces of the informers.
    /// - Kept objects of a factory that is
    ///   [warm](kube_informer::factory::SharedInformerFactoryBuilder::warm): `get` of the namespace
    ///   `kube-system`, unless the store has a mark of the cluster.
    /// - The election's Lease, and those of shardings.
    /// - What [`needs`](Self::needs) added.
    ///
    /// Nothing here tells which cluster an informer of another factory follows. It counts like the
    /// others. Of a set of another factory, those members count that exist now, and that a
    /// controller follows. The endpoints need no permission. Certificates of webhooks are not seen:
    /// `kube_webhooks::ManagedCertificates` names its permissions. No request is sent: a program
    /// can print its manifests without a cluster.
    pub fn rbac(&self) -> Rbac {
        let ManagerParts { factory, elector, events, clusters, needs, .. } = &self.parts;
        let mut rbac = needs.clone();
        let (shared, reads) = (factory.informers(), factory.needs());
        let mut informers = shared.clone();
        for controller in self.parts.controllers() {
            informers.extend(controller.informers());
            for (resource, namespace) in controller.owners() {
                let finalizers = format!("{resource}/finalizers");
                rbac.grant(&finalizers, namespace.as_deref(), None, &["update"]);
            }
            controller.sharding().into_iter().for_each(|sharding| rbac.shares(sharding));
        }
        clusters.shardings().for_each(|sharding| rbac.shares(&sharding));
        // The rule of a set includes its members.
        informers.retain(|one| !one.status().of_set || !shared.contains(one));
        for informer in &informers {
            let Collection { resource, namespace, .. } = informer.collection();
            let fields = informer.request().and_then(|(_, fields)| fields);
            let name = fields.as_deref().and_then(selected_name);
            rbac.grant(resource, namespace.as_deref(), name, &["list", "watch"]);
        }
        for need in &reads {
            let verbs: &[_] = if need.name.is_some() { &["get"] } else { &["list", "watch"] };
            let grant = rbac.grant(&need.resource, None, need.name, verbs);
            rbac.comments.entry(grant).or_default().insert(need.comment);
        }
        if events.is_some() {
            let sets = reads.iter().any(|need| need.name.is_none());
            for namespace in namespaces(&informers, sets) {
                rbac.grant(EVENTS, namespace.as_deref(), None, &["create", "patch"]);
            }
        }
        if let Some((namespace, name)) =
            elector.as_ref().and_then(|elector| elector.lease().split_once('/'))
        {
            // A rule for one name allows no create.
            rbac.grant(LEASES, Some(namespace), None, &["create"]);
            rbac.grant(LEASES, Some(namespace), Some(name), &["get", "update"]);
        }
        rbac
    }
}

/// Returns the name that a field selector selects, if it does nothing else.
fn selected_name(fields: &str) -> Option<&str> {
    let name = fields.strip_prefix("metadata.name=")?;
    let name = name.strip_prefix('=').unwrap_or(name);
    Some(name).filter(|name| !name.contains([',', '=', '\\']))
}

/// Returns the namespaces of these informers; only `None` if they follow all, or nothing, or if
/// sets may follow others.
fn namespaces(informers: &[SharedInformer], sets: bool) -> BTreeSet<Option<Arc<str>>> {
    let all = || informers.iter().map(|informer| informer.collection().namespace.clone());
    if sets || informers.is_empty() || all().any(|namespace| namespace.is_none()) {
        BTreeSet::from([None])
    } else {
        all().collect()
    }
}

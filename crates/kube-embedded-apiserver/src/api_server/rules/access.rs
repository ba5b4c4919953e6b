//! Access control: bearer tokens, and rules that can change while the server runs.
//!
//! Without tokens every request may do everything. With tokens, a request with an unknown token is
//! answered 401, and one without a token is of the user `system:anonymous`, unless the server
//! refuses such requests. A request that no rule of its user allows is answered 403, in a real
//! server's words. Open watches stay open when a rule is removed, as on a real server. Discovery is
//! open to every user with a token, and the server's health and version to every user.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde_json::{Value, json};

use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;

/// A permission of a user: these verbs on these resources in these namespaces.
///
/// ```
/// use kube_embedded_apiserver::api_server::AccessRule;
///
/// let _ = AccessRule::new(["get", "list", "watch"], ["pods", "deployments.apps"])
///     .namespaces(["shop"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct AccessRule {
    verbs: Vec<String>,
    resources: Vec<String>,
    namespaces: Option<Vec<String>>,
    names: Option<Vec<String>>,
}

impl AccessRule {
    /// Creates a rule that allows these verbs on these resources in all namespaces.
    ///
    /// A verb is one of `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`,
    /// `deletecollection`. A resource is named with its group and subresource, as kubectl writes
    /// it: `pods`, `pods/status`, `deployments.apps`, `deployments.apps/status`. The group may also
    /// come last, as in `deployments/status.apps`. `*` stands for all. A server-side apply that
    /// creates an object needs `patch` and `create`.
    ///
    /// ```
    /// use kube_embedded_apiserver::api_server::AccessRule;
    ///
    /// let status = AccessRule::new(["patch"], ["cronjobs.batch/status"]);
    /// assert_eq!(status, AccessRule::new(["patch"], ["cronjobs/status.batch"]));
    /// ```
    pub fn new<V, R>(verbs: V, resources: R) -> Self
    where
        V: IntoIterator,
        V::Item: Into<String>,
        R: IntoIterator,
        R::Item: Into<String>,
    {
        Self {
            verbs: verbs.into_iter().map(Into::into).collect(),
            resources: resources.into_iter().map(|name| group_last(name.into())).collect(),
            namespaces: None,
            names: None,
        }
    }

    /// Creates a rule that allows everything.
    pub fn everything() -> Self {
        Self::new(["*"], ["*"])
    }

    /// Narrows the rule to these namespaces. It then allows neither requests across namespaces nor
    /// cluster-scoped objects.
    pub fn namespaces<N>(mut self, namespaces: N) -> Self
    where
        N: IntoIterator,
        N::Item: Into<String>,
    {
        self.namespaces = Some(namespaces.into_iter().map(Into::into).collect());
        self
    }

    /// Narrows the rule to objects with these names. It then allows a list or watch only with the
    /// field selector `metadata.name=NAME`, and no create.
    ///
    /// ```
    /// use kube_embedded_apiserver::api_server::AccessRule;
    ///
    /// let _ = AccessRule::new(["get", "update"], ["leases.coordination.k8s.io"])
    ///     .namespaces(["shop"])
    ///     .names(["my-controller"]);
    /// ```
    pub fn names<N>(mut self, names: N) -> Self
    where
        N: IntoIterator,
        N::Item: Into<String>,
    {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Returns each verb with each resource of the rule that allow the request.
    fn grounds(
        &self,
        wanted: &Attributes<'_>,
        resource: &str,
    ) -> impl Iterator<Item = (&String, &String)> {
        let is = |known: &str, name: &str| known == "*" || known == name;
        let narrowed = |names: &Option<Vec<String>>, name: Option<&str>| {
            let has = |name| names.iter().flatten().any(|known| is(known, name));
            names.is_none() || name.is_some_and(has)
        };
        let applies =
            narrowed(&self.namespaces, wanted.namespace) && narrowed(&self.names, wanted.name);
        self.pairs()
            .filter(move |(verb, known)| applies && is(verb, wanted.verb) && is(known, resource))
    }

    /// Returns each verb with each resource.
    fn pairs(&self) -> impl Iterator<Item = (&String, &String)> {
        self.verbs.iter().flat_map(|verb| self.resources.iter().map(move |known| (verb, known)))
    }

    /// Returns whether the rule allows a verb on every path.
    fn allows_paths(&self, verb: &str) -> bool {
        let everywhere = self.namespaces.is_none() && self.names.is_none();
        let has = |names: &[String], name: &str| names.iter().any(|n| n == "*" || n == name);
        everywhere && has(&self.verbs, verb) && self.resources.iter().any(|name| name == "*")
    }

    /// Returns the rule as a rules review shows it.
    pub(crate) fn described(&self) -> Value {
        let mut groups: Vec<&str> = Vec::new();
        let mut resources: Vec<&str> = Vec::new();
        for resource in &self.resources {
            let (name, group) = match resource.as_str() {
                "*" => ("*", "*"),
                name => name.split_once('.').unwrap_or((name, "")),
            };
            if !groups.contains(&group) {
                groups.push(group);
            }
            resources.push(name);
        }
        let mut rule = json!({ "verbs": self.verbs, "apiGroups": groups, "resources": resources });
        if let Some(names) = &self.names {
            rule["resourceNames"] = json!(names);
        }
        rule
    }
}

/// A rule of a `Role` or `ClusterRole`, in all namespaces. Paths that lead to no object are left
/// out.
impl From<&PolicyRule> for AccessRule {
    fn from(rule: &PolicyRule) -> Self {
        let groups = rule.api_groups.iter().flatten();
        let resources = groups.flat_map(|group| {
            let resources = rule.resources.iter().flatten();
            resources.map(move |name| match &**group {
                "" => name.clone(),
                "*" if name == "*" => name.clone(),
                group => format!("{name}.{group}"),
            })
        });
        let allowed = Self::new(rule.verbs.clone(), resources);
        match &rule.resource_names {
            Some(names) if !names.is_empty() => allowed.names(names),
            _ => allowed,
        }
    }
}

/// Returns the name of a resource with its group behind its subresource.
fn group_last(name: String) -> String {
    let parts = name.split_once('/').and_then(|(resource, subresource)| {
        let (resource, group) = resource.split_once('.')?;
        Some(format!("{resource}/{subresource}.{group}"))
    });
    parts.unwrap_or(name)
}

/// The tokens and rules. `Debug` shows no token.
#[derive(Clone, Default)]
pub(crate) struct Access {
    /// The user of each token. If it is empty, no request needs a token.
    tokens: BTreeMap<String, String>,
    /// The users and audiences of the tokens that the server itself gave out.
    issued: BTreeMap<String, (String, Vec<String>)>,
    rules: BTreeMap<String, Vec<Granted>>,
    /// True if a request without a token is answered 401.
    pub(crate) refuses_anonymous: bool,
}

/// A rule of a user, and those of its verbs and resources that a request has needed.
#[derive(Clone, Debug)]
struct Granted {
    rule: AccessRule,
    used: BTreeSet<(String, String)>,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("tokens", &(self.tokens.len() + self.issued.len()))
            .field("rules", &self.rules)
            .field("refuses_anonymous", &self.refuses_anonymous)
            .finish()
    }
}

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// The test process itself, or any sender if there are no tokens.
    Anyone,
    Named(String),
}

/// The issuer of tokens, which is their audience by default.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc";

/// The name of the user of requests without a token.
const ANONYMOUS: &str = "system:anonymous";

/// The beginning of the names of service accounts, before the namespace.
const ACCOUNT: &str = "system:serviceaccount:";

/// Paths that every user may get.
const PUBLIC: [&str; 5] = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

/// Paths that every user with a token may get, and those below them.
const DISCOVERY: [&str; 3] = ["/api", "/apis", "/openapi"];

/// Reviews that every user with a token may create, because they are about the user itself.
const SELF_REVIEWS: [(&str, &str); 3] = [
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
];

impl User {
    /// Returns the user of requests without a token.
    pub(crate) fn anonymous() -> Self {
        Self::Named(ANONYMOUS.to_owned())
    }

    /// Returns whether the user has a token.
    fn is_authenticated(&self) -> bool {
        !matches!(self, Self::Named(name) if name == ANONYMOUS)
    }

    /// Returns the groups of the user.
    pub(crate) fn groups(&self) -> Vec<String> {
        const AUTHENTICATED: &str = "system:authenticated";
        let account = |name: &str| Some(name.strip_prefix(ACCOUNT)?.split_once(':')?.0.to_owned());
        match self {
            Self::Anyone => vec!["system:masters".into(), AUTHENTICATED.into()],
            Self::Named(name) => match account(name) {
                Some(namespace) => vec![
                    "system:serviceaccounts".into(),
                    format!("system:serviceaccounts:{namespace}"),
                    AUTHENTICATED.into(),
                ],
                None if self.is_authenticated() => vec![AUTHENTICATED.into()],
                None => vec!["system:unauthenticated".into()],
            },
        }
    }
}

/// The attributes of a request that rules decide by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes<'a> {
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) subresource: Option<&'a str>,
    /// The namespace; `None` for all namespaces or a cluster-scoped object.
    pub(crate) namespace: Option<&'a str>,
    /// The name; `None` for a collection.
    pub(crate) name: Option<&'a str>,
}

impl Attributes<'_> {
    /// Returns the resource with its subresource: `pods/status`.
    fn asked(&self) -> String {
        match self.subresource {
            None => self.resource.to_owned(),
            Some(subresource) => format!("{}/{subresource}", self.resource),
        }
    }

    /// Returns the resource with its subresource and group, as rules keep it.
    fn qualified(&self) -> String {
        match self.group {
            "" => self.asked(),
            group => format!("{}.{group}", self.asked()),
        }
    }
}

impl Access {
    /// Returns the user of this name; `Anyone` if there are no tokens.
    pub(crate) fn named(&self, name: &str) -> User {
        if self.tokens.is_empty() { User::Anyone } else { User::Named(name.to_owned()) }
    }

    /// Returns whether a rule of the user allows the request.
    pub(crate) fn allows(&self, user: &User, wanted: &Attributes<'_>) -> bool {
        let User::Named(name) = user else { return true };
        let own_review = SELF_REVIEWS.contains(&(wanted.group, wanted.resource));
        if own_review && wanted.verb == "create" && user.is_authenticated() {
            return true;
        }
        let resource = wanted.qualified();
        self.rules(name).any(|rule| rule.grounds(wanted, &resource).next().is_some())
    }

    /// Returns whether the user may use a path that leads to no object.
    pub(crate) fn allows_path(&self, user: &User, verb: &str, path: &str) -> bool {
        let User::Named(name) = user else { return true };
        let discovery = DISCOVERY.iter().any(|known| {
            path.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let open = PUBLIC.contains(&path) || (discovery && user.is_authenticated());
        (open && verb == "get") || self.rules(name).any(|rule| rule.allows_paths(verb))
    }

    /// Returns the rules of a user.
    pub(crate) fn rules(&self, user: &str) -> impl Iterator<Item = &AccessRule> {
        self.rules.get(user).into_iter().flatten().map(|granted| &granted.rule)
    }

    /// Returns each verb on each resource that a user's rules allow and no request has needed.
    pub(crate) fn unused(&self, user: &str) -> Vec<AccessRule> {
        let granted = self.rules.get(user).into_iter().flatten();
        let unused = granted.flat_map(|Granted { rule, used }| {
            let pairs = rule.pairs().map(|(verb, known)| (verb.clone(), known.clone()));
            pairs.filter(|pair| !used.contains(pair)).map(|(verb, known)| AccessRule {
                verbs: vec![verb],
                resources: vec![known],
                ..rule.clone()
            })
        });
        unused.collect()
    }

    pub(crate) fn add_token(&mut self, token: String, user: String) {
        self.tokens.insert(token, user);
    }

    /// Adds a token that the server gives out. It does not make the server ask for tokens.
    pub(crate) fn issue(&mut self, token: String, user: String, audiences: Vec<String>) {
        self.issued.insert(token, (user, audiences));
    }

    pub(crate) fn grant(&mut self, user: &str, rule: AccessRule) {
        let granted = Granted { rule, used: BTreeSet::new() };
        self.rules.entry(user.to_owned()).or_default().push(granted);
    }

    /// Removes and returns all rules of a user.
    pub(crate) fn revoke(&mut self, user: &str) -> Vec<AccessRule> {
        let granted = self.rules.remove(user).unwrap_or_default();
        granted.into_iter().map(|granted| granted.rule).collect()
    }

    /// Returns whether no request needs a token.
    pub(crate) fn is_open(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns the user of a token that is meant for this server.
    pub(crate) fn user(&self, token: &str) -> Option<User> {
        let (user, audiences) = self.identity(token)?;
        audiences.iter().any(|audience| audience == ISSUER).then_some(user)
    }

    /// Returns the user of a token, and the audiences that the token is meant for.
    pub(crate) fn identity(&self, token: &str) -> Option<(User, Vec<String>)> {
        let given = self.tokens.get(token).map(|user| (user.clone(), vec![ISSUER.to_owned()]));
        let (user, audiences) = given.or_else(|| self.issued.get(token).cloned())?;
        Some((User::Named(user), audiences))
    }

    /// Returns a failure if no rule of the user allows the request. Notes the rules that do.
    pub(crate) fn check(&mut self, user: &User, wanted: &Attributes<'_>) -> Result<(), Failure> {
        if !self.allows(user, wanted) {
            return Err(refused(user, wanted, wanted.verb));
        }
        let User::Named(name) = user else { return Ok(()) };
        let resource = wanted.qualified();
        for Granted { rule, used } in self.rules.get_mut(name).into_iter().flatten() {
            let grounds = rule.grounds(wanted, &resource);
            used.extend(grounds.map(|(verb, known)| (verb.clone(), known.clone())));
        }
        Ok(())
    }
}

/// Returns the failure for a request that no rule allows, with a verb that may be more precise than
/// that of the request.
pub(crate) fn refused(user: &User, wanted: &Attributes<'_>, verb: &str) -> Failure {
    let user = match user {
        User::Anyone => "",
        User::Named(name) => name,
    };
    let place = match wanted.namespace {
        Some(namespace) => format!("in the namespace {namespace:?}"),
        None => "at the cluster scope".to_owned(),
    };
    let problem = format!(
        "User {user:?} cannot {verb} resource {:?} in API group {:?} {place}",
        wanted.asked(),
        wanted.group
    );
    // The type may be unknown to the server.
    let resource = ResourceType::new(wanted.group, "", "", wanted.resource, false);
    Failure::forbidden(&resource, wanted.name.unwrap_or_default(), &problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_stands_before_or_behind_the_subresource() {
        let user = User::Named("viewer".into());
        let status = Attributes {
            verb: "patch",
            group: "batch",
            resource: "cronjobs",
            subresource: Some("status"),
            namespace: Some("shop"),
            name: Some("nightly"),
        };
        for name in ["cronjobs.batch/status", "cronjobs/status.batch"] {
            let mut access = Access::default();
            access.grant("viewer", AccessRule::new(["patch"], [name]));
            assert!(access.allows(&user, &status), "{name}");
            let object = Attributes { subresource: None, ..status };
            assert!(!access.allows(&user, &object), "{name} is not the object");
        }
    }

    #[test]
    fn policy_rule_allows_what_its_role_would() {
        let of = |groups: &[&str], resources: &[&str], names: Option<&[&str]>| {
            let texts = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect();
            AccessRule::from(&PolicyRule {
                api_groups: Some(texts(groups)),
                resources: Some(texts(resources)),
                resource_names: names.map(texts),
                verbs: vec!["get".into()],
                ..PolicyRule::default()
            })
        };
        let same = AccessRule::new(["get"], ["pods", "pods/log"]);
        assert_eq!(of(&[""], &["pods", "pods/log"], Some(&[])), same);
        let same = AccessRule::new(["get"], ["cronjobs.batch/status"]).names(["nightly"]);
        assert_eq!(of(&["batch"], &["cronjobs/status"], Some(&["nightly"])), same);
        assert_eq!(of(&["*"], &["*"], None), AccessRule::new(["get"], ["*"]));
    }
}

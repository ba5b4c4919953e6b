//! Access control: bearer tokens, and rules that can change while the server runs.
//!
//! Without tokens every request may do everything. With tokens, a request with an unknown token or
//! with none is answered 401. A request that no rule of its user allows is answered 403, in a real
//! server's words. Open watches stay open when a rule is removed, as on a real server. Discovery is
//! open to every user with a token.

use std::collections::BTreeMap;

use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::resource::ResourceType;

/// A permission of a user: these verbs on these resources in these namespaces.
///
/// ```
/// use kube_informer::testing::api_server::AccessRule;
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
}

impl AccessRule {
    /// Creates a rule that allows these verbs on these resources in all namespaces.
    ///
    /// A verb is one of `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`,
    /// `deletecollection`. A resource is named with its group and subresource: `pods`,
    /// `pods/status`, `deployments.apps`. `*` stands for all. A server-side apply that creates an
    /// object needs `patch` and `create`.
    pub fn new<V, R>(verbs: V, resources: R) -> Self
    where
        V: IntoIterator,
        V::Item: Into<String>,
        R: IntoIterator,
        R::Item: Into<String>,
    {
        Self {
            verbs: verbs.into_iter().map(Into::into).collect(),
            resources: resources.into_iter().map(Into::into).collect(),
            namespaces: None,
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

    fn allows(&self, verb: &str, resource: &str, namespace: Option<&str>) -> bool {
        let has = |names: &[String], name: &str| names.iter().any(|n| n == "*" || n == name);
        has(&self.verbs, verb)
            && has(&self.resources, resource)
            && self.namespaces.as_ref().is_none_or(|names| namespace.is_some_and(|n| has(names, n)))
    }
}

/// The tokens and rules. `Debug` shows no token.
#[derive(Clone, Default)]
pub(crate) struct Access {
    /// The user of each token. If it is empty, no request needs a token.
    tokens: BTreeMap<String, String>,
    rules: BTreeMap<String, Vec<AccessRule>>,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("tokens", &self.tokens.len())
            .field("rules", &self.rules)
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

/// The attributes of a request that rules decide by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes<'a> {
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) subresource: Option<&'a str>,
    /// The namespace; `None` for all namespaces or a cluster-scoped object.
    pub(crate) namespace: Option<&'a str>,
}

impl Attributes<'_> {
    /// Returns the resource with its subresource: `pods/status`.
    fn asked(&self) -> String {
        match self.subresource {
            None => self.resource.to_owned(),
            Some(subresource) => format!("{}/{subresource}", self.resource),
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
        let User::Named(user) = user else { return true };
        let asked = wanted.asked();
        let qualified = match wanted.group {
            "" => asked,
            group => format!("{asked}.{group}"),
        };
        let mut rules = self.rules.get(user).into_iter().flatten();
        rules.any(|rule| rule.allows(wanted.verb, &qualified, wanted.namespace))
    }

    pub(crate) fn add_token(&mut self, token: String, user: String) {
        self.tokens.insert(token, user);
    }

    pub(crate) fn grant(&mut self, user: &str, rule: AccessRule) {
        self.rules.entry(user.to_owned()).or_default().push(rule);
    }

    /// Removes and returns all rules of a user.
    pub(crate) fn revoke(&mut self, user: &str) -> Vec<AccessRule> {
        self.rules.remove(user).unwrap_or_default()
    }

    /// Returns whether no request needs a token.
    pub(crate) fn is_open(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns the user of a token.
    pub(crate) fn user(&self, token: &str) -> Option<User> {
        self.tokens.get(token).cloned().map(User::Named)
    }

    /// Returns a failure if no rule of the user allows the request for an object of this name.
    pub(crate) fn check(
        &self,
        user: &User,
        wanted: &Attributes<'_>,
        resource: &ResourceType,
        name: &str,
    ) -> Result<(), Failure> {
        if self.allows(user, wanted) {
            return Ok(());
        }
        let User::Named(user) = user else { return Ok(()) };
        let place = match wanted.namespace {
            Some(namespace) => format!("in the namespace {namespace:?}"),
            None => "at the cluster scope".to_owned(),
        };
        let problem = format!(
            "User {user:?} cannot {} resource {:?} in API group {:?} {place}",
            wanted.verb,
            wanted.asked(),
            wanted.group
        );
        Err(Failure::forbidden(resource, name, &problem))
    }
}

//! Access control: bearer tokens, and rules that can change while the server runs.
//!
//! Without tokens every request may do everything. With tokens, a request with an unknown token or
//! with none is answered 401. A request that no rule of its user allows is answered 403, in a real
//! server's words. Open watches stay open when a rule is removed, as on a real server. Discovery is
//! open to every user with a token.

use std::collections::BTreeMap;

use http::{HeaderMap, Method};

use super::query::Target;
use super::resource::ResourceType;
use super::status::Failure;

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
pub(super) struct Access {
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
pub(super) enum User {
    /// The test process itself, or any sender if there are no tokens.
    Anyone,
    Named(String),
}

/// The attributes of a request that rules decide by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes<'a> {
    pub(super) verb: &'a str,
    pub(super) group: &'a str,
    pub(super) resource: &'a str,
    pub(super) subresource: Option<&'a str>,
    /// The namespace; `None` for all namespaces or a cluster-scoped object.
    pub(super) namespace: Option<&'a str>,
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
    pub(super) fn named(&self, name: &str) -> User {
        if self.tokens.is_empty() { User::Anyone } else { User::Named(name.to_owned()) }
    }

    /// Returns whether a rule of the user allows the request.
    pub(super) fn allows(&self, user: &User, wanted: &Attributes<'_>) -> bool {
        let User::Named(user) = user else { return true };
        let asked = wanted.asked();
        let qualified = match wanted.group {
            "" => asked,
            group => format!("{asked}.{group}"),
        };
        let mut rules = self.rules.get(user).into_iter().flatten();
        rules.any(|rule| rule.allows(wanted.verb, &qualified, wanted.namespace))
    }

    pub(super) fn add_token(&mut self, token: String, user: String) {
        self.tokens.insert(token, user);
    }

    pub(super) fn grant(&mut self, user: &str, rule: AccessRule) {
        self.rules.entry(user.to_owned()).or_default().push(rule);
    }

    /// Removes and returns all rules of a user.
    pub(super) fn revoke(&mut self, user: &str) -> Vec<AccessRule> {
        self.rules.remove(user).unwrap_or_default()
    }

    /// Returns the user of a request's token.
    pub(super) fn user(&self, headers: &HeaderMap) -> Result<User, Failure> {
        if self.tokens.is_empty() {
            return Ok(User::Anyone);
        }
        let header = headers.get(http::header::AUTHORIZATION);
        let header = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = match header.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
            _ => "",
        };
        let user = self.tokens.get(token).cloned().map(User::Named);
        user.ok_or_else(|| Failure::new(401, "Unauthorized", "Unauthorized"))
    }

    /// Returns a failure if no rule of the user allows the request.
    pub(super) fn check(
        &self,
        user: &User,
        verb: &str,
        target: &Target,
        resource: &ResourceType,
    ) -> Result<(), Failure> {
        // The namespace of a `Namespace` object is itself.
        let own = || target.name.as_deref().filter(|_| resource.qualified() == "namespaces");
        let namespace = target.namespace.as_deref().or_else(own);
        let wanted = Attributes {
            verb,
            group: &resource.group,
            resource: &resource.plural,
            subresource: target.subresource.as_deref(),
            namespace,
        };
        if self.allows(user, &wanted) {
            return Ok(());
        }
        let asked = wanted.asked();
        let User::Named(user) = user else { return Ok(()) };
        let place = match namespace {
            Some(namespace) => format!("in the namespace {namespace:?}"),
            None => "at the cluster scope".to_owned(),
        };
        let problem = format!(
            "User {user:?} cannot {verb} resource {asked:?} in API group {:?} {place}",
            resource.group
        );
        Err(Failure::forbidden(resource, target.name.as_deref().unwrap_or_default(), &problem))
    }
}

/// Returns the verb of a request, as rules name it.
pub(super) fn verb(method: &Method, named: bool, watch: bool) -> &'static str {
    match (method.as_str(), named) {
        ("GET" | "HEAD", true) => "get",
        ("GET" | "HEAD", false) if watch => "watch",
        ("GET" | "HEAD", false) => "list",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "delete",
        ("DELETE", false) => "deletecollection",
        _ => "",
    }
}

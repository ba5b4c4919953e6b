//! Who may do what: bearer tokens, and rules that can be changed while the server runs.
//!
//! Without tokens everybody may do everything. With one, each request that comes with another or with
//! none is answered 401, and each that no rule of its user allows 403, in a real server's words. Watches
//! that are open stay open when a rule goes, as they do on a real server. Discovery is for all who
//! have a token.

use std::collections::BTreeMap;

use http::{HeaderMap, Method};

use super::query::Target;
use super::resource::ResourceType;
use super::status::Failure;

/// What some user may do: these verbs, on these resources, in these namespaces.
///
/// ```
/// use kube_informer::testing::api_server::AccessRule;
///
/// let _ = AccessRule::new(["get", "list", "watch"], ["pods", "deployments.apps"]).namespaces(["shop"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct AccessRule {
    verbs: Vec<String>,
    resources: Vec<String>,
    namespaces: Option<Vec<String>>,
}

impl AccessRule {
    /// Allows these verbs on these resources in all namespaces. A verb is one of `get`, `list`,
    /// `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; a resource is named with
    /// its group and subresource: `pods`, `pods/status`, `deployments.apps`. `*` is any.
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

    /// Allows everything.
    pub fn everything() -> Self {
        Self::new(["*"], ["*"])
    }

    /// Narrows the rule to these namespaces: nothing across namespaces or beside them is allowed.
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

/// Tokens and rules. `Debug` shows no token.
#[derive(Clone, Default)]
pub(super) struct Access {
    /// Token to user. None: nobody is asked who they are.
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

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum User {
    /// The process itself, or anybody where nobody is asked.
    Anyone,
    Named(String),
}

/// What somebody wants to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes<'a> {
    pub(super) verb: &'a str,
    pub(super) group: &'a str,
    pub(super) resource: &'a str,
    pub(super) subresource: Option<&'a str>,
    /// `None`: in all of them, or in none.
    pub(super) namespace: Option<&'a str>,
}

impl Attributes<'_> {
    /// With its subresource: `pods/status`.
    fn asked(&self) -> String {
        match self.subresource {
            None => self.resource.to_owned(),
            Some(subresource) => format!("{}/{subresource}", self.resource),
        }
    }
}

impl Access {
    /// The user of this name, who is anyone where nobody is asked.
    pub(super) fn named(&self, name: &str) -> User {
        if self.tokens.is_empty() { User::Anyone } else { User::Named(name.to_owned()) }
    }

    /// Whether a rule of the user allows it.
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

    /// Takes every rule from a user; gives them back.
    pub(super) fn revoke(&mut self, user: &str) -> Vec<AccessRule> {
        self.rules.remove(user).unwrap_or_default()
    }

    /// Whose token a request came with.
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

    /// Refuses what no rule of the user allows.
    pub(super) fn check(
        &self,
        user: &User,
        verb: &str,
        target: &Target,
        resource: &ResourceType,
    ) -> Result<(), Failure> {
        // A namespace is in itself.
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

/// What a request does, in the words of rules.
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

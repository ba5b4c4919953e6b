//! The type and subresource that a path leads to, and the methods that it has.

use std::sync::Arc;

use http::Method;

use super::query::ParsedPath;
use crate::api_server::failure::Failure;
use crate::api_server::resource::{ResourceType, Subresource};
use crate::api_server::store::Store;

/// The target of a request for objects.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) resource: Arc<ResourceType>,
    pub(super) part: Option<Subresource>,
}

/// Returns the failure for a path of a group that is not served. A group of built-in types is known
/// to a real server's router, which answers with a Status.
pub(super) fn unknown(store: &Store, group: &str) -> Failure {
    if store.types().any(|known| known.group == group && !known.custom) {
        Failure::no_route()
    } else {
        Failure::not_served()
    }
}

impl Route {
    /// Finds the requested type and subresource.
    pub(super) fn find(store: &Store, target: &ParsedPath) -> Result<Self, Failure> {
        let found = store.served(&target.group, &target.version, &target.plural);
        let resource = found.cloned().ok_or_else(|| unknown(store, &target.group))?;
        let refuse = || if resource.custom { Failure::not_served() } else { Failure::no_route() };
        let placed = target.namespace.is_none() || resource.namespaced;
        // An object of a namespaced type needs a namespace in its path.
        let reached = target.name.is_none() || target.namespace.is_some() == resource.namespaced;
        // A review has no name.
        let exists = !resource.review || target.name.is_none();
        if !placed || !reached || !exists {
            return Err(refuse());
        }
        let part = match target.subresource.as_deref() {
            None => None,
            Some(name) => Some(resource.subresource(name).ok_or_else(|| {
                // A custom type's object has no further paths below it.
                let named = target.name.as_deref().filter(|_| resource.custom);
                named.map_or_else(refuse, |name| Failure::not_found(&resource, name))
            })?),
        };
        Ok(Self { resource, part })
    }

    /// Returns a failure if the path does not have the method.
    pub(super) fn check_method(&self, target: &ParsedPath, method: &Method) -> Result<(), Failure> {
        let Self { resource, part } = self;
        // A custom type handles every method itself.
        if resource.custom {
            return Ok(());
        }
        let verb = super::authorization::verb(method, target.name.is_some(), target.watch);
        let everywhere = target.name.is_none() && resource.namespaced && target.namespace.is_none();
        let allowed = match part {
            Some(part) => part.described().verbs.contains(&verb),
            None if everywhere && resource.review => false,
            None if everywhere => matches!(verb, "list" | "watch"),
            None => resource.verbs().contains(&verb),
        };
        // A name cannot be created, nor a collection be replaced.
        let named = match verb {
            "create" => part.is_some() || target.name.is_none(),
            "update" | "patch" => target.name.is_some(),
            _ => true,
        };
        let is_head = method == Method::HEAD;
        if allowed && named && !is_head { Ok(()) } else { Err(Failure::method_not_allowed()) }
    }
}

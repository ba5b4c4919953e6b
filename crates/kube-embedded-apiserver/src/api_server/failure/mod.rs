//! Failures, in the words of a real server.

mod cause;

use std::collections::HashSet;

use serde_json::{Value, json};

pub(crate) use self::cause::Cause;
use crate::api_server::resource::ResourceType;

/// A failure that is sent to the client.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) code: u16,
    /// The Status; `None` for a body that is the message as plain text.
    pub(crate) status: Option<Value>,
    pub(crate) message: String,
    /// The seconds of the `Retry-After` header.
    pub(crate) retry_after: Option<u32>,
}

impl Failure {
    pub(crate) fn new(code: u16, reason: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "code": code,
        });
        Self { code, status: Some(status), message, retry_after: None }
    }

    /// Returns the failure for a path that is not served.
    pub(crate) fn not_served() -> Self {
        let message = "404 page not found\n".to_owned();
        Self { code: 404, status: None, message, retry_after: None }
    }

    /// Returns the failure for a path that a known group does not serve.
    pub(crate) fn no_route() -> Self {
        let message = "the server could not find the requested resource";
        let mut failure = Self::new(404, "NotFound", message);
        failure.with("details", json!({}));
        failure
    }

    /// Returns the failure for a path that no rule allows.
    pub(crate) fn forbidden_path(user: &str, verb: &str, path: &str) -> Self {
        let message = format!("forbidden: User {user:?} cannot {verb} path {path:?}");
        let mut failure = Self::new(403, "Forbidden", message);
        failure.with("details", json!({}));
        failure
    }

    /// Returns the failure for a patch of a media type that is no patch.
    pub(crate) fn no_patch_type() -> Self {
        let mut failure = Self::new(415, "UnsupportedMediaType", "415: Unsupported Media Type");
        failure.with("details", json!({}));
        failure
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    fn with_details(mut self, resource: &ResourceType, name: &str) -> Self {
        let mut details = json!({ "kind": resource.plural });
        if !name.is_empty() {
            details["name"] = name.into();
        }
        if !resource.group.is_empty() {
            details["group"] = resource.group.clone().into();
        }
        self.with("details", details);
        self
    }

    fn with(&mut self, member: &str, value: Value) {
        if let Some(status) = &mut self.status {
            status[member] = value;
        }
    }

    pub(crate) fn not_found(resource: &ResourceType, name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource.qualified());
        Self::new(404, "NotFound", message).with_details(resource, name)
    }

    pub(crate) fn exists(resource: &ResourceType, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", resource.qualified());
        Self::new(409, "AlreadyExists", message).with_details(resource, name)
    }

    /// Returns the failure for a name that an object has that is being deleted.
    pub(crate) fn exists_still(resource: &ResourceType, name: &str) -> Self {
        let qualified = resource.qualified();
        let message = format!("object is being deleted: {qualified} {name:?} already exists");
        Self::new(409, "AlreadyExists", message).with_details(resource, name)
    }

    /// Returns the failure for a generated name that an object has already.
    pub(crate) fn not_unique(resource: &ResourceType, name: &str) -> Self {
        let message = format!(
            "{} {name:?} already exists, the server was not able to generate a unique name for the \
             object",
            resource.qualified()
        );
        let mut failure = Self::new(409, "AlreadyExists", message).with_details(resource, name);
        if let Some(status) = &mut failure.status {
            status["details"]["retryAfterSeconds"] = 1.into();
        }
        failure.retry_after = Some(1);
        failure
    }

    /// Returns the failure for an object that is too deep to be stored. A real server stores up to
    /// 10,000 levels; the words are this server's own.
    pub(crate) fn too_deep() -> Self {
        Self::bad_request("the object is nested too deeply for the embedded API server: 120 levels")
    }

    /// Returns the failure for a write that a rule would judge that is known and not implemented.
    pub(crate) fn not_implemented(rule: &str) -> Self {
        let message = format!(
            "the embedded API server does not implement this rule, and strict() refuses what it \
             would judge: {rule}"
        );
        Self::new(501, "NotImplemented", message)
    }

    pub(crate) fn conflict(resource: &ResourceType, name: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} {name:?}: the object has been modified; please \
             apply your changes to the latest version and try again",
            resource.qualified()
        );
        Self::new(409, "Conflict", message).with_details(resource, name)
    }

    /// Returns the failure for a precondition that does not hold.
    pub(crate) fn precondition_failed(resource: &ResourceType, name: &str, problem: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} {name:?}: {problem}",
            resource.qualified()
        );
        Self::new(409, "Conflict", message).with_details(resource, name)
    }

    /// Returns the failure for a precondition of a delete that does not hold. It names the kind.
    pub(crate) fn delete_precondition_failed(
        resource: &ResourceType,
        name: &str,
        problem: &str,
    ) -> Self {
        let kind = match &*resource.group {
            "" => resource.kind.clone(),
            group => format!("{}.{group}", resource.kind),
        };
        let message = format!("Operation cannot be fulfilled on {kind} {name:?}: {problem}");
        let mut failure = Self::new(409, "Conflict", message).with_details(resource, name);
        if let Some(status) = &mut failure.status {
            status["details"]["kind"] = resource.kind.clone().into();
        }
        failure
    }

    /// Returns an internal error.
    pub(crate) fn internal(problem: &str) -> Self {
        let message = format!("Internal error occurred: {problem}");
        let mut failure = Self::new(500, "InternalError", message);
        failure.with("details", json!({ "causes": [{ "message": problem }] }));
        failure
    }

    /// Returns the failure for an object without the name that the path has.
    pub(crate) fn name_missing(path: &str) -> Self {
        Self::bad_request(format!(
            "the name of the object ({path} based on URL) was undeterminable: name must be provided"
        ))
    }

    /// Returns the failure for an object whose name differs from the path's.
    pub(crate) fn name_mismatch(object: &str, path: &str) -> Self {
        Self::bad_request(format!(
            "the name of the object ({object}) does not match the name on the URL ({path})"
        ))
    }

    pub(crate) fn invalid(resource: &ResourceType, name: &str, causes: &[Cause]) -> Self {
        // Both groups of events are stored, and named, as one.
        let group = if resource.group == "events.k8s.io" { "" } else { &resource.group };
        Self::invalid_kind(group, &resource.kind, name, causes)
    }

    /// Returns the failure for a replace without the version that the type needs.
    pub(crate) fn version_needed(resource: &ResourceType, name: &str) -> Self {
        let problem = "must be specified for an update";
        let cause = Cause::invalid_raw("metadata.resourceVersion", "0", problem);
        Self::invalid_kind(&resource.group, &resource.plural, name, &[cause])
    }

    /// Returns the failure for an object whose uid is not the stored one's.
    pub(crate) fn other_uid(
        resource: &ResourceType,
        namespace: Option<&str>,
        name: &str,
        (wanted, found): (&str, &str),
    ) -> Self {
        let group = if resource.custom { format!("{}/", resource.group) } else { String::new() };
        let namespace = namespace.map_or_else(String::new, |namespace| format!("{namespace}/"));
        let key = format!("/registry/{group}{}/{namespace}{name}", resource.plural);
        let problem = format!(
            "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, \
             AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted}, UID in object \
             meta: {found}"
        );
        Self::precondition_failed(resource, name, &problem)
    }

    /// Returns the failure for a version that is no number.
    pub(crate) fn version_unreadable(version: &str) -> Self {
        let problem = format!("strconv.ParseUint: parsing {version:?}: invalid syntax");
        Self::without_reason(&problem)
    }

    /// Returns the failure for an object that cannot be decoded, or not strictly.
    pub(crate) fn undecodable((kind, version): (&str, &str), problem: &str) -> Self {
        Self::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {kind}: {problem}"
        ))
    }

    /// Returns the failure for a member of an applied configuration that occurs twice.
    pub(crate) fn strict_apply(problem: &str) -> Self {
        Self::bad_request(format!(
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  \
             {problem}"
        ))
    }

    /// Returns the failure for a patch that cannot be applied. It does not name the cause.
    pub(crate) fn rejected() -> Self {
        let message = "the server rejected our request due to an error in our request";
        let mut failure = Self::new(422, "Invalid", message);
        failure.with("details", json!({}));
        failure
    }

    /// Returns the failure for invalid options of a write.
    pub(crate) fn invalid_options(kind: &str, cause: &Cause) -> Self {
        Self::invalid_kind("meta.k8s.io", kind, "", std::slice::from_ref(cause))
    }

    pub(crate) fn invalid_kind(group: &str, kind: &str, name: &str, causes: &[Cause]) -> Self {
        // The message says everything once, the details say it as often as it was found.
        let mut known = HashSet::new();
        let problems = causes.iter().map(Cause::to_string);
        let problems: Vec<String> = problems.filter(|text| known.insert(text.clone())).collect();
        let problems = match &*problems {
            [problem] => problem.clone(),
            problems => format!("[{}]", problems.join(", ")),
        };
        let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let message = format!("{qualified} {name:?} is invalid: {problems}");
        let mut failure = Self::new(422, "Invalid", message);
        let causes: Vec<Value> = causes.iter().map(Cause::value).collect();
        let mut details = json!({ "causes": causes });
        for (member, value) in [("kind", kind), ("name", name), ("group", group)] {
            if !value.is_empty() {
                details[member] = value.into();
            }
        }
        failure.with("details", details);
        failure
    }

    /// Returns the failure for a request that a rule forbids.
    pub(crate) fn forbidden(resource: &ResourceType, name: &str, problem: &str) -> Self {
        let subject = match name {
            "" => resource.qualified(),
            name => format!("{} {name:?}", resource.qualified()),
        };
        let mut failure = Self::new(403, "Forbidden", format!("{subject} is forbidden: {problem}"));
        failure = failure.with_details(resource, name);
        failure
    }

    /// Returns the failure for an eviction that a budget refuses, for now or for `retry_after`
    /// seconds.
    pub(crate) fn over_budget(cause: &str, retry_after: u32) -> Self {
        let message = "Cannot evict pod as it would violate the pod's disruption budget.";
        let mut failure = Self::new(429, "TooManyRequests", message);
        let mut details = json!({
            "causes": [{ "reason": "DisruptionBudget", "message": cause }],
        });
        if retry_after > 0 {
            details["retryAfterSeconds"] = retry_after.into();
            failure.retry_after = Some(retry_after);
        }
        failure.with("details", details);
        failure
    }

    /// Returns the failure for a budget with an invalid status.
    pub(crate) fn forbidden_by_budget(name: &str, problem: &str) -> Self {
        let message = format!("poddisruptionbudget.policy {name:?} is forbidden: {problem}");
        let mut failure = Self::new(403, "Forbidden", message);
        let details = json!({ "name": name, "group": "policy", "kind": "poddisruptionbudget" });
        failure.with("details", details);
        failure
    }

    /// Returns the failure for a pod that cannot be bound to a node.
    pub(crate) fn not_bound(pod: &str, problem: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on pods/binding {pod:?}: {problem}");
        let mut failure = Self::new(409, "Conflict", message);
        failure.with("details", json!({ "name": pod, "kind": "pods/binding" }));
        failure
    }

    /// Returns a 500 without a reason, as a real server does for unexpected errors.
    pub(crate) fn without_reason(message: &str) -> Self {
        let mut failure = Self::new(500, "", message);
        if let Some(members) = failure.status.as_mut().and_then(Value::as_object_mut) {
            members.remove("reason");
        }
        failure
    }

    /// Returns the refusal of a webhook, whose answer may have a reason.
    pub(crate) fn denied(code: u16, message: &str) -> Self {
        let mut failure = Self::without_reason(message);
        failure.code = code;
        failure.with("code", code.into());
        failure
    }

    /// Adds causes.
    pub(crate) fn with_causes(mut self, causes: &[Value]) -> Self {
        self.with("details", json!({ "causes": causes }));
        self
    }

    /// Adds the cause that a namespace is being deleted.
    pub(crate) fn caused_by_namespace(mut self, namespace: &str) -> Self {
        let message = format!("namespace {namespace} is being terminated");
        let cause = json!({
            "reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace",
        });
        if let Some(status) = &mut self.status {
            status["details"]["causes"] = json!([cause]);
        }
        self
    }

    pub(crate) fn unsupported_media_type(accepted: &str) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: \
             {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        let mut failure = Self::new(405, "MethodNotAllowed", message);
        failure.with("details", json!({}));
        failure
    }

    /// Returns the failure for a verb that a custom type, or a part of it, does not support.
    pub(crate) fn not_supported(resource: &ResourceType, verb: &str) -> Self {
        let qualified = resource.qualified();
        let message = format!("{verb} is not supported on resources of kind {qualified:?}");
        Self::new(405, "MethodNotAllowed", message).with_details(resource, "")
    }

    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// Returns the failure for a page whose snapshot is gone, with a token that continues without
    /// it.
    pub(crate) fn expired_page(inconsistent: &str) -> Self {
        let mut failure = Self::expired(
            "The provided continue parameter is too old to display a consistent list result. You \
             can start a new list without the continue parameter, or use the continue token in \
             this response to retrieve the remainder of the results. Continuing with the provided \
             token results in an inconsistent list - objects that were created, modified, or \
             deleted between the time the first chunk was returned and now may show up in the list.",
        );
        failure.with("metadata", json!({ "continue": inconsistent }));
        failure
    }

    pub(crate) fn too_large(asked: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        let mut failure = Self::new(504, "Timeout", message);
        let cause = json!({
            "reason": "ResourceVersionTooLarge", "message": "Too large resource version"
        });
        failure.with("details", json!({ "causes": [cause], "retryAfterSeconds": 1 }));
        failure.retry_after = Some(1);
        failure
    }

    pub(crate) fn not_acceptable() -> Self {
        let message = "406: Not Acceptable\n\nAvailable representations: application/json, \
                       application/yaml, application/vnd.kubernetes.protobuf";
        let mut failure = Self::new(406, "NotAcceptable", message);
        failure.with("details", json!({}));
        failure
    }

    /// Returns the failure for a type whose storage is not ready yet.
    pub(crate) fn storage_not_ready() -> Self {
        let mut failure = Self::new(429, "TooManyRequests", "storage is (re)initializing");
        failure.with("details", json!({ "retryAfterSeconds": 1 }));
        failure.retry_after = Some(1);
        failure
    }

    /// Returns the failure for a watch in an encoding that has no stream.
    pub(crate) fn watch_not_acceptable() -> Self {
        let message = "only the following media types are accepted: application/json;stream=watch, \
                       application/vnd.kubernetes.protobuf;stream=watch";
        Self::new(406, "NotAcceptable", message)
    }

    /// Returns the failure for a protobuf-only request to a type without protobuf.
    pub(crate) fn no_protobuf() -> Self {
        let message = "only the following media types are accepted: application/json";
        Self::new(406, "NotAcceptable", message)
    }

    /// Returns the Status, for an ERROR event.
    pub(crate) fn status(&self) -> Value {
        self.status.clone().unwrap_or_default()
    }
}

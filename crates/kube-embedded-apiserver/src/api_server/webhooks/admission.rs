//! Admission webhooks: mutating ones one after another, validating ones at once.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::answer::{self, Unexpected};
use super::{Asked, Call, Session, conversion, matching, review, text};
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::go_format::json_name;
use crate::api_server::rules::json;
use crate::api_server::store::Store;
use crate::api_server::verbs::{WriteTarget, patch};

/// The effect of a request on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    Delete,
    /// A connection to a pod, whose options are the object.
    Connect,
}

/// A write that webhooks judge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission<'a> {
    pub(crate) target: WriteTarget<'a>,
    pub(crate) operation: Operation,
    pub(crate) subresource: &'a str,
    /// The group, version and kind of a subresource's objects; `None` for the type's own.
    pub(crate) kind: Option<(&'a str, &'a str, &'a str)>,
    /// The state before, if there is one.
    pub(crate) old: Option<&'a Value>,
}

/// A webhook of a configuration.
#[derive(Clone, Debug)]
pub(super) struct Hook {
    /// The configuration and the position in it, by which the webhook is known.
    key: String,
    mutating: bool,
    pub(super) spec: Value,
}

/// The judgement of a webhook.
enum Verdict {
    Allowed,
    /// The patch, and the type of patch.
    Patched(Value),
}

impl Admission<'_> {
    pub(super) fn is_of_namespace(&self) -> bool {
        self.target.resource.qualified() == "namespaces"
    }

    fn session(&self) -> Option<&Session> {
        let reviewed = matching::is_reviewed(self.target.resource, self.operation);
        self.target.session.filter(|session| reviewed && session.webhooks.are_served())
    }

    /// Returns whether a mutating webhook may be called.
    pub(crate) fn may_change(&self, store: &Store) -> bool {
        let matched = |hook: &Hook| matching::seen_version(store, self, &hook.spec).is_some();
        self.session().is_some() && hooks(store, true).iter().any(matched)
    }

    /// Returns the object as the mutating webhooks change it.
    pub(crate) fn mutate(&self, store: &Store, mut object: Value) -> Result<Value, Failure> {
        let Some(session) = self.session() else { return Ok(object) };
        // The webhooks that were called and may be called again, and what they made of the object.
        let mut called: Vec<(Hook, Value)> = Vec::new();
        for hook in hooks(store, true) {
            if let Some(changed) = self.mutate_by(store, session, &hook, 0, &object)? {
                object = changed;
                if hook.spec["reinvocationPolicy"] == "IfNeeded" {
                    called.push((hook, object.clone()));
                }
            }
        }
        for (hook, made) in called {
            if made != object
                && let Some(changed) = self.mutate_by(store, session, &hook, 1, &object)?
            {
                object = changed;
            }
        }
        Ok(object)
    }

    /// Returns the object as one webhook makes it; `None` if the webhook is not called.
    fn mutate_by(
        &self,
        store: &Store,
        session: &Session,
        hook: &Hook,
        round: u8,
        object: &Value,
    ) -> Result<Option<Value>, Failure> {
        let Some((asked, seen)) = self.ask(store, session, hook, round, Some(object))? else {
            return Ok(None);
        };
        let asked = asked.ok_or_else(pending)?;
        match self.judge(hook, &asked)? {
            Verdict::Allowed => Ok(Some(object.clone())),
            Verdict::Patched(patch) => {
                let own = self.target.resource;
                let mut changed = conversion::between(session, own, &seen, object.clone())?;
                patch::apply_of_webhook(&mut changed, &patch)
                    .map_err(|problem| Failure::internal(&problem))?;
                Ok(Some(conversion::between(session, &seen, own, changed)?))
            }
        }
    }

    /// Asks the mutating and the validating webhooks about a delete, for the nth time.
    pub(crate) fn judge_delete(&self, store: &Store, round: u8) -> Result<(), Failure> {
        let Some(session) = self.session() else { return Ok(()) };
        for hook in hooks(store, true) {
            let Some((asked, _)) = self.ask(store, session, &hook, round, None)? else { continue };
            if let Verdict::Patched(_) = self.judge(&hook, &asked.ok_or_else(pending)?)? {
                return Err(Failure::internal(&format!(
                    "admission webhook {:?} attempted to modify the object, which is not \
                     supported for this operation",
                    hook.name()
                )));
            }
        }
        self.validate_in(store, round, None)
    }

    /// Asks the mutating and the validating webhooks about a connection with these options.
    pub(crate) fn judge_connection(&self, store: &Store, options: Value) -> Result<(), Failure> {
        let options = self.mutate(store, options)?;
        self.validate(store, Some(&options))
    }

    /// Asks the validating webhooks. The first refusal or failure to come in counts.
    pub(crate) fn validate(&self, store: &Store, object: Option<&Value>) -> Result<(), Failure> {
        self.validate_in(store, 0, object)
    }

    fn validate_in(&self, store: &Store, round: u8, object: Option<&Value>) -> Result<(), Failure> {
        let Some(session) = self.session() else { return Ok(()) };
        let (mut answers, mut refused) = (Vec::new(), Ok(()));
        for hook in hooks(store, false) {
            match self.ask(store, session, &hook, round, object) {
                Ok(None) => {}
                Ok(Some((asked, _))) => answers.push((hook, asked)),
                // The other webhooks are called all the same.
                Err(failure) => refused = refused.and(Err(failure)),
            }
        }
        refused?;
        let known: Option<Vec<(Hook, Asked)>> =
            answers.into_iter().map(|(hook, asked)| Some((hook, asked?))).collect();
        let mut known = known.ok_or_else(pending)?;
        known.sort_by_key(|(_, asked)| asked.order);
        let mut first = Ok(());
        for (hook, asked) in known {
            // Each adds its warnings.
            first = first.and(self.judge(&hook, &asked).map(drop));
        }
        first
    }

    /// Asks a webhook, unless the request does not concern it. Returns its answer, if it is known
    /// by now, and the version in which it sees the object.
    #[expect(clippy::type_complexity, reason = "two different absences")]
    fn ask(
        &self,
        store: &Store,
        session: &Session,
        hook: &Hook,
        round: u8,
        object: Option<&Value>,
    ) -> Result<Option<(Option<Asked>, std::sync::Arc<ResourceType>)>, Failure> {
        let Some(seen) = matching::seen_version(store, self, &hook.spec) else { return Ok(None) };
        if !matching::is_selected(store, self, &hook.spec, object) {
            return Ok(None);
        }
        let convert = |object: Option<&Value>| {
            let own = self.target.resource;
            let object = object.cloned();
            object.map(|object| conversion::between(session, own, &seen, object)).transpose()
        };
        let (object, old) = (convert(object)?, convert(self.old)?);
        let request = review::request(session, self, &seen, object.as_ref(), old.as_ref());
        if !matching::meets_conditions(self, hook, &request)? {
            return Ok(None);
        }
        let effects = text(&hook.spec, "sideEffects");
        if self.target.dry_run && !matches!(effects, "None" | "NoneOnDryRun") {
            let name = hook.name();
            let message = format!("admission webhook {name:?} does not support dry run");
            return Err(Failure::bad_request(message));
        }
        let seconds = hook.spec["timeoutSeconds"].as_u64().unwrap_or(10);
        let call = Call {
            hook: format!("{round} {}", hook.key),
            client: hook.spec["clientConfig"].clone(),
            timeout: Duration::from_secs(seconds),
            told: session.seconds(seconds),
            absence: session.webhooks.absence(Some(store), &hook.spec["clientConfig"]),
            review: json!({
                "kind": "AdmissionReview", "apiVersion": hook.review_version(), "request": request,
            }),
        };
        Ok(Some((session.ask(call), seen)))
    }

    /// Judges an answer: it allows the request, changes it, or fails it.
    fn judge(&self, hook: &Hook, asked: &Asked) -> Result<Verdict, Failure> {
        let name = hook.name();
        match self.verdict(hook, asked) {
            Ok(verdict) => verdict,
            Err(problem) if hook.ignores_failures() => {
                tracing::debug!(webhook = name, problem, "the failure of a webhook is ignored");
                Ok(Verdict::Allowed)
            }
            Err(problem) => {
                Err(Failure::internal(&format!("failed calling webhook {name:?}: {problem}")))
            }
        }
    }

    /// Reads an answer. The outer error is a failure of the webhook, the inner one its refusal.
    fn verdict(&self, hook: &Hook, asked: &Asked) -> Result<Result<Verdict, Failure>, String> {
        let failed = |problem: &str| format!("failed to call webhook: {problem}");
        let invalid = |problem: &str| format!("received invalid webhook response: {problem}");
        let review = asked.answer.as_ref().map_err(|problem| failed(problem))?;
        let version = hook.review_version();
        answer::check(review, &version, "AdmissionReview").map_err(|problem| match problem {
            Unexpected::Unreadable(problem) => failed(&problem),
            Unexpected::Invalid(problem) => invalid(&problem),
        })?;
        let response = &review["response"];
        if response.is_null() {
            return Err(invalid("webhook response was absent"));
        }
        let unreadable = |value: &Value, member: &str, kind: &str| {
            let found = json_name(value);
            failed(&format!(
                "json: cannot unmarshal {found} into Go struct field {member} of type {kind}"
            ))
        };
        let allowed = &response["allowed"];
        if !allowed.is_null() && !allowed.is_boolean() {
            return Err(unreadable(allowed, "AdmissionResponse.response.allowed", "bool"));
        }
        let code = &response["status"]["code"];
        if !code.is_null() && !code.is_i64() {
            return Err(unreadable(code, "Status.response.status.code", "int32"));
        }
        let warnings = &response["warnings"];
        if !warnings.is_null() && !warnings.is_array() {
            return Err(unreadable(warnings, "AdmissionResponse.response.warnings", "[]string"));
        }
        let annotations = response["auditAnnotations"].as_object().into_iter().flatten();
        if let Some((_, value)) = annotations.into_iter().find(|(_, it)| !it.is_string()) {
            let member = "AdmissionResponse.response.auditAnnotations";
            return Err(unreadable(value, member, "string"));
        }
        let patch = match &response["patch"] {
            Value::Null => Vec::new(),
            Value::String(patch) => {
                let decoded = STANDARD.decode(patch);
                decoded.map_err(|_| failed("illegal base64 data at input byte 0"))?
            }
            Value::Array(bytes) if !bytes.is_empty() => {
                return Err(unreadable(&bytes[0], "AdmissionResponse.response.patch", "uint8"));
            }
            other => return Err(unreadable(other, "AdmissionResponse.response.patch", "[]uint8")),
        };
        let uid = text(response, "uid");
        if uid != asked.uid && version.ends_with("/v1") {
            return Err(invalid(&format!("expected response.uid={:?}, got {uid:?}", asked.uid)));
        }
        let patch_type = response["patchType"].as_str();
        if !hook.mutating && (!patch.is_empty() || patch_type.is_some()) {
            let member = if patch.is_empty() { "patchType" } else { "patch" };
            let problem = format!("validating webhook may not return response.{member}");
            return Err(invalid(&problem));
        }
        if version.ends_with("/v1") {
            match (patch_type, patch.is_empty()) {
                (None, false) => {
                    let problem = "webhook returned response.patch but not response.patchType";
                    return Err(invalid(problem));
                }
                (Some(""), _) => {
                    return Err(invalid("webhook returned invalid response.patchType of \"\""));
                }
                (Some(_), true) => {
                    let problem = "webhook returned response.patchType but not response.patch";
                    return Err(invalid(problem));
                }
                _ => {}
            }
        }
        self.target.warn(tellable(warnings));
        if response["allowed"] != true {
            return Ok(Err(denied(hook.name(), &response["status"])));
        }
        if patch.is_empty() {
            return Ok(Ok(Verdict::Allowed));
        }
        match patch_type {
            None | Some("JSONPatch") => {}
            Some(other) => return Err(format!("unsupported patch type {other:?}")),
        }
        let undecodable =
            |problem: &str| format!("received undecodable patch in webhook response: {problem}");
        let patch = json::read(&patch).map_err(|problem| undecodable(&problem))?.value;
        match patch {
            Value::Array(_) => Ok(Ok(Verdict::Patched(patch))),
            Value::Null => Ok(Ok(Verdict::Allowed)),
            other => Err(undecodable(&format!(
                "json: cannot unmarshal {} into Go value of type jsonpatch.Patch",
                json_name(&other)
            ))),
        }
    }
}

impl Hook {
    fn name(&self) -> &str {
        text(&self.spec, "name")
    }

    pub(super) fn ignores_failures(&self) -> bool {
        self.spec["failurePolicy"] == "Ignore"
    }

    fn review_version(&self) -> String {
        let known = answer::known_version(&self.spec["admissionReviewVersions"]);
        format!("admission.k8s.io/{known}")
    }
}

/// Returns the failure of a write that lacks an answer. No client sees it.
pub(crate) fn pending() -> Failure {
    Failure::internal("a webhook has not answered yet")
}

/// Returns the mutating or validating webhooks by the names of their configurations.
fn hooks(store: &Store, mutating: bool) -> Vec<Hook> {
    let plural =
        if mutating { "mutatingwebhookconfigurations" } else { "validatingwebhookconfigurations" };
    let resource = store.served("admissionregistration.k8s.io", "v1", plural);
    let Some(resource) = resource else { return Vec::new() };
    let configurations = store.of(resource).into_iter().flat_map(|all| all.objects.values());
    let mut hooks = Vec::new();
    for configuration in configurations {
        let mut value = configuration.value(resource);
        let listed = value["webhooks"].as_array_mut().into_iter().flatten();
        hooks.extend(listed.enumerate().map(|(n, spec)| {
            let key = format!("{plural} {} {n}", configuration.name);
            Hook { key, mutating, spec: spec.take() }
        }));
    }
    hooks
}

/// Returns the refusal of a webhook, with the status that it answered.
fn denied(name: &str, status: &Value) -> Failure {
    let (message, reason) = (text(status, "message"), text(status, "reason"));
    let explanation = if message.is_empty() { reason } else { message };
    let message = match explanation {
        "" => format!("admission webhook {name:?} denied the request without explanation"),
        explanation => format!("admission webhook {name:?} denied the request: {explanation}"),
    };
    let code = status["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let code = code.filter(|code| (400..1000).contains(code)).unwrap_or(400);
    let mut failure = Failure::denied(code, &message);
    if let Some(told) = &mut failure.status {
        for member in ["metadata", "details", "reason"] {
            if !status[member].is_null() && status[member] != "" {
                told[member] = status[member].clone();
            }
        }
    }
    let seconds = status["details"]["retryAfterSeconds"].as_u64();
    failure.retry_after = seconds.and_then(|seconds| u32::try_from(seconds).ok());
    failure
}

/// Returns the warnings of an answer that a header can hold, each once.
fn tellable(listed: &Value) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for warning in listed.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let known = told.iter().any(|known| known == warning);
        if !warning.is_empty() && !known && !warning.chars().any(char::is_control) {
            told.push(warning.to_owned());
        }
    }
    told
}

//! `AdmissionReview`: decoding, the call of the closure, and the answer.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::authentication::v1::UserInfo;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::core::{GroupVersionKind, GroupVersionResource};
use kube_decode::numbers::check_numbers;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::merge::merge;
use super::notes::Notes;
use super::{Admission, Operation, Refusal};
use crate::call::Failure;

const KIND: &str = "AdmissionReview";
const GROUP: &str = "admission.k8s.io/";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review<T> {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    request: Question<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question<T> {
    uid: String,
    kind: GroupVersionKind,
    resource: GroupVersionResource,
    sub_resource: Option<String>,
    request_kind: Option<GroupVersionKind>,
    request_resource: Option<GroupVersionResource>,
    request_sub_resource: Option<String>,
    #[serde(default)]
    name: String,
    namespace: Option<String>,
    operation: Operation,
    #[serde(default)]
    user_info: UserInfo,
    #[serde(default = "none")]
    object: Option<T>,
    #[serde(default = "none")]
    old_object: Option<T>,
    dry_run: Option<bool>,
    options: Option<Value>,
}

// `serde(default)` would demand a default of the object.
fn none<T>() -> Option<T> {
    None
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    api_version: String,
    kind: &'static str,
    response: Response,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    uid: String,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<ByteString>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    audit_annotations: BTreeMap<String, String>,
}

/// The answer to a review.
pub(crate) struct Verdict {
    pub(crate) body: Vec<u8>,
    pub(crate) allowed: bool,
}

/// Answers a review by a closure that allows or refuses. `kind` is the kind that it must have.
pub(crate) async fn validate<K, Fut>(
    body: &[u8],
    kind: Option<&GroupVersionKind>,
    call: impl FnOnce(Admission<K>) -> Fut,
) -> Result<Verdict, Failure>
where
    K: DeserializeOwned,
    Fut: Future<Output = Result<(), Refusal>>,
{
    let decoded = serde_json::from_slice::<Review<K>>(body);
    let (review, envelope) = match decoded {
        Ok(review) => review.open()?,
        Err(error) => {
            // Another kind or an object that cannot be decoded: the rest tells which.
            let (review, envelope) = read(body)?;
            check_kind(&review, kind)?;
            return match typed::<K>(review)? {
                Ok(_) => Err(Failure::bad_request(format!("cannot decode the review: {error}"))),
                Err(denial) => envelope.refuse(&denial),
            };
        }
    };
    check_kind(&review, kind)?;
    match call(review).await {
        Ok(()) => envelope.allow(None),
        Err(refusal) => envelope.refuse(&refusal),
    }
}

/// Answers a review by a closure that returns the changed object. A review without an object, such
/// as that of a delete, is allowed without a call.
pub(crate) async fn mutate<K, Fut>(
    body: &[u8],
    kind: Option<&GroupVersionKind>,
    call: impl FnOnce(Admission<K>) -> Fut,
) -> Result<Verdict, Failure>
where
    K: DeserializeOwned + Serialize,
    Fut: Future<Output = Result<K, Refusal>>,
{
    let (mut review, envelope) = read(body)?;
    check_kind(&review, kind)?;
    let Some(raw) = review.object.take() else { return envelope.allow(None) };
    review.object = Some(raw.clone());
    let review = match typed::<K>(review)? {
        Ok(review) => review,
        Err(denial) => return envelope.refuse(&denial),
    };
    let written = |object: &K| {
        serde_json::to_value(object)
            .map_err(|error| Failure::internal(format!("cannot write the object: {error}")))
    };
    let before = written(review.object.as_ref().expect("an object was decoded"))?;
    let changed = match call(review).await {
        Ok(changed) => changed,
        Err(refusal) => return envelope.refuse(&refusal),
    };
    let after = written(&changed)?;
    check_numbers(&after, &changed)
        .map_err(|problem| Failure::internal(format!("cannot write the object: {problem}")))?;
    let merged = merge(&raw, &before, &after);
    envelope.allow(Some(json_patch::diff(&raw, &merged)).filter(|patch| !patch.is_empty()))
}

fn read(body: &[u8]) -> Result<(Admission<Value>, Envelope), Failure> {
    let review: Review<Value> = serde_json::from_slice(body)
        .map_err(|error| Failure::bad_request(format!("the body is no {KIND}: {error}")))?;
    review.open()
}

/// Checks that the objects have the kind of the closure.
fn check_kind<T>(review: &Admission<T>, kind: Option<&GroupVersionKind>) -> Result<(), Failure> {
    // The objects of a sub-resource may have a kind of their own.
    let Some(kind) = kind.filter(|_| review.sub_resource.is_none()) else { return Ok(()) };
    if *kind == review.kind {
        return Ok(());
    }
    let [wanted, got] =
        [kind, &review.kind].map(|kind| format!("{} {}", kind.api_version(), kind.kind));
    Err(Failure::bad_request(format!(
        "this path reviews objects of {wanted}, not of {got}: correct the rules of its configuration"
    )))
}

/// Decodes the objects. A new object that cannot be decoded is denied, and an old one fails.
fn typed<K: DeserializeOwned>(
    review: Admission<Value>,
) -> Result<Result<Admission<K>, Refusal>, Failure> {
    let Admission { object, old_object, .. } = &review;
    let kind = review.kind.kind.clone();
    let decode = |object: &Option<Value>| object.as_ref().map(K::deserialize).transpose();
    let old_object = decode(old_object).map_err(|error| {
        let name = &review.name;
        Failure::internal(format!("the old object {name} cannot be decoded as {kind}: {error}"))
    })?;
    let object = match decode(object) {
        Ok(object) => object,
        Err(error) => {
            let message = format!("the object cannot be decoded as {kind}: {error}");
            return Ok(Err(Refusal::invalid(message)));
        }
    };
    Ok(Ok(Admission {
        uid: review.uid,
        operation: review.operation,
        object,
        old_object,
        name: review.name,
        namespace: review.namespace,
        kind: review.kind,
        resource: review.resource,
        sub_resource: review.sub_resource,
        request_kind: review.request_kind,
        request_resource: review.request_resource,
        request_sub_resource: review.request_sub_resource,
        user: review.user,
        dry_run: review.dry_run,
        options: review.options,
        notes: review.notes,
    }))
}

impl<T> Review<T> {
    fn open(self) -> Result<(Admission<T>, Envelope), Failure> {
        if self.kind != KIND || !self.api_version.starts_with(GROUP) {
            let (version, kind) = (&self.api_version, &self.kind);
            return Err(Failure::bad_request(format!(
                "the body is no {KIND}, but {version} {kind}"
            )));
        }
        let request = self.request;
        let notes = Notes::default();
        let envelope = Envelope {
            api_version: self.api_version,
            uid: request.uid.clone(),
            notes: notes.clone(),
        };
        tracing::Span::current()
            .record("uid", &request.uid)
            .record("operation", request.operation.name())
            .record("kind", &request.kind.kind)
            .record("namespace", request.namespace.as_deref().unwrap_or_default())
            .record("name", &request.name);
        let review = Admission {
            uid: request.uid,
            operation: request.operation,
            object: request.object,
            old_object: request.old_object,
            name: request.name,
            namespace: request.namespace,
            kind: request.kind,
            resource: request.resource,
            sub_resource: request.sub_resource,
            request_kind: request.request_kind,
            request_resource: request.request_resource,
            request_sub_resource: request.request_sub_resource,
            user: request.user_info,
            dry_run: request.dry_run.unwrap_or_default(),
            options: request.options,
            notes,
        };
        Ok((review, envelope))
    }
}

/// The fields of a review that its answer repeats, and the notes that the closure adds.
struct Envelope {
    api_version: String,
    uid: String,
    notes: Notes,
}

impl Envelope {
    fn allow(self, patch: Option<json_patch::Patch>) -> Result<Verdict, Failure> {
        let patch = patch.map(|patch| serde_json::to_vec(&patch)).transpose();
        let patch = patch.map_err(|error| Failure::internal(error.to_string()))?;
        self.close(true, None, patch.map(ByteString))
    }

    fn refuse(self, refusal: &Refusal) -> Result<Verdict, Failure> {
        match refusal.status() {
            Some(status) => self.close(false, Some(status.clone()), None),
            None => Err(Failure::internal(refusal.message())),
        }
    }

    fn close(
        self,
        allowed: bool,
        status: Option<Status>,
        patch: Option<ByteString>,
    ) -> Result<Verdict, Failure> {
        let answer = Answer {
            api_version: self.api_version,
            kind: KIND,
            response: Response {
                uid: self.uid,
                allowed,
                status,
                patch_type: patch.is_some().then_some("JSONPatch"),
                patch,
                warnings: self.notes.warnings(),
                audit_annotations: self.notes.annotations(),
            },
        };
        let body =
            serde_json::to_vec(&answer).map_err(|error| Failure::internal(error.to_string()))?;
        Ok(Verdict { body, allowed })
    }
}

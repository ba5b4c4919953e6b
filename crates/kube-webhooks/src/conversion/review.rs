//! `ConversionReview`: decoding, the conversion of each object, and the answer.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ConversionError;
use crate::admission::Verdict;
use crate::call::Failure;

const KIND: &str = "ConversionReview";
const GROUP: &str = "apiextensions.k8s.io/";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    request: Request,
}

#[derive(Deserialize)]
struct Request {
    uid: String,
    #[serde(rename = "desiredAPIVersion")]
    version: String,
    objects: Vec<Value>,
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
    result: Value,
    converted_objects: Vec<Value>,
}

/// Answers a review. All objects are converted, or none.
pub(crate) fn answer(
    body: &[u8],
    convert: impl Fn(Value, &str) -> Result<Value, ConversionError>,
) -> Result<Verdict, Failure> {
    let review: Review = serde_json::from_slice(body)
        .map_err(|error| Failure::bad_request(format!("the body is no {KIND}: {error}")))?;
    if review.kind != KIND || !review.api_version.starts_with(GROUP) {
        let (version, kind) = (&review.api_version, &review.kind);
        return Err(Failure::bad_request(format!("the body is no {KIND}, but {version} {kind}")));
    }
    let Request { uid, version, objects } = review.request;
    tracing::Span::current().record("uid", &uid).record("kind", &version);
    let converted: Result<Vec<_>, _> =
        objects.into_iter().map(|object| convert(object, &version)).collect();
    let allowed = converted.is_ok();
    let (result, converted_objects) = match converted {
        Ok(objects) => (json!({ "status": "Success" }), objects),
        Err(error) => {
            tracing::warn!(%error, "cannot convert an object");
            (json!({ "status": "Failure", "message": error.to_string() }), Vec::new())
        }
    };
    let response = Response { uid, result, converted_objects };
    let answer = Answer { api_version: review.api_version, kind: KIND, response };
    let body = serde_json::to_vec(&answer).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(Verdict { body, allowed })
}

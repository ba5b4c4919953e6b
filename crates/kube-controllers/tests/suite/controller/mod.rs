//! Controllers against the embedded API server, under paused time.

mod confirming;
mod content;
mod failing;
mod finalizing;
mod leading;
mod metrics;
mod own_writes;
mod packed;
mod predicates;
mod requests;
mod running;
mod sharded;
mod sources;
mod tracking;
mod viewed;

use serde_json::json;

/// The answers 404 that name no object: a kind that is no longer served, as text and as a status.
fn unserved() -> [http::Response<bytes::Bytes>; 2] {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound",
        "message": "the server could not find the requested resource", "details": {}, "code": 404,
    });
    [("text/plain", "404 page not found\n".to_owned()), ("application/json", status.to_string())]
        .map(|(media_type, body)| {
            let answer = http::Response::builder().status(404).header("content-type", media_type);
            answer.body(body.into_bytes().into()).expect("it is well-formed")
        })
}

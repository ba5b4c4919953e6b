//! Opening an answer: sending a request, and negotiating the encoding.

use std::sync::Arc;

use http::StatusCode;
use kube::Client;

use super::answer::{self, Incoming};
use super::framing::Encoding;
use super::request::{Fallback, ReadRequest};
use crate::error::{Fault, without_credentials};
use crate::object::InvalidName;

/// A request that is ready to be sent.
pub(super) struct Opening {
    pub(super) client: Client,
    pub(super) target: ReadRequest,
    /// A name of the source that nothing can have. It may change the path of the request.
    pub(super) invalid_name: Option<InvalidName>,
    /// True if the type and its decoder support protobuf.
    pub(super) protobuf: bool,
    pub(super) json: Arc<Fallback>,
    /// The state that decides whether the answer is requested uncompressed.
    pub(super) uncompressed: Arc<Fallback>,
}

/// Sends a request. Returns the body of the answer and its encoding.
pub(super) async fn open(request: Opening) -> Result<(Incoming, Encoding), Fault> {
    let Opening { client, target, invalid_name, protobuf, json, uncompressed } = request;
    if let Some(invalid) = invalid_name {
        return Err(Fault::Request(invalid.to_string()));
    }
    let gzip = !uncompressed.is_on();
    let send = async |encoding| {
        let response = client.send(target.request(encoding, gzip)?).await;
        response.map_err(|error| answer::unanswered(without_credentials(error), target.path()))
    };
    let mut requested = Encoding::Json;
    if protobuf && !json.is_on() {
        requested = Encoding::Protobuf;
    }
    let mut response = send(requested).await?;
    if requested == Encoding::Protobuf && response.status() == StatusCode::NOT_ACCEPTABLE {
        requested = Encoding::Json;
        json.begin();
        response = send(requested).await?;
    }
    // A proxy may compress whatever was requested.
    let uncompressed = Some(uncompressed).filter(|uncompressed| uncompressed.prefers());
    let (incoming, encoding) =
        answer::accept(response, target.verb, requested, uncompressed).await?;
    if requested != encoding {
        json.begin();
    }
    Ok((incoming, encoding))
}

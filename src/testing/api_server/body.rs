//! The bodies of responses, in pieces.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response};
use http_body::Frame;

use super::ResponseBody;
use super::form::Encoding;

/// The size of the pieces of a list's body, in bytes.
pub(super) const PIECE: usize = 64 * 1024;

pub(super) type Piece = Result<Frame<Bytes>, super::Aborted>;

pub(super) fn data(bytes: Vec<u8>) -> Frame<Bytes> {
    Frame::data(bytes.into())
}

pub(super) fn streamed(body: ResponseBody) -> Response<ResponseBody> {
    written(body, Encoding::Json, false)
}

pub(super) fn written(
    body: ResponseBody,
    encoding: Encoding,
    watch: bool,
) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    let media_type = HeaderValue::from_static(encoding.media_type(watch));
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

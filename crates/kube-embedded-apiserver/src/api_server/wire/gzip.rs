//! Responses compressed with gzip, for requests that accept it.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{Stream, StreamExt, stream};
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use http_body_util::{BodyExt, StreamBody};

use super::body::{ResponseBody, full};
use super::form::{Piece, data};
use super::query::{is_true, parameters};
use crate::api_server::Aborted;

/// The size up to which a response is not compressed, in bytes.
const THRESHOLD: usize = 128 * 1024;

/// The responses that are compressed with gzip, if the request accepts it.
///
/// ```
/// use kube_embedded_apiserver::ApiServer;
/// use kube_embedded_apiserver::api_server::Gzip;
///
/// let server = ApiServer::builder().gzip(Gzip::Members).build();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gzip {
    /// Those that a kube-apiserver 1.37 compresses: lists and objects over 128 KiB, and streaming
    /// lists with the watches that follow them, with a member for each flush.
    #[default]
    Large,
    /// All reads. Each piece of a list or watch is a member.
    Members,
    /// All reads, in one member. Each piece of a list or watch is flushed.
    Flushes,
}

/// The kind of the request, as far as it decides about compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    Once,
    Watch,
    StreamingList,
}

impl Read {
    pub(super) fn of(uri: &Uri, watch: bool) -> Self {
        let params = parameters(uri);
        match params.get("sendInitialEvents").filter(|_| watch) {
            Some(value) if is_true(value) => Self::StreamingList,
            _ if watch => Self::Watch,
            _ => Self::Once,
        }
    }
}

/// Returns whether a request accepts gzip. As on a real server, parameters are not understood.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    codings.flat_map(|codings| codings.split(',')).any(|coding| coding.trim() == "gzip")
}

impl Gzip {
    /// Returns the response, compressed if this mode compresses it.
    pub(super) async fn written(
        self,
        response: Response<ResponseBody>,
        read: Read,
    ) -> Response<ResponseBody> {
        if response.status() != StatusCode::OK || (self, read) == (Self::Large, Read::Watch) {
            return response;
        }
        let (mut head, body) = response.into_parts();
        let mut pieces = body.into_data_stream();
        let mut begun = Vec::new();
        if (self, read) == (Self::Large, Read::Once) {
            while begun.len() <= THRESHOLD {
                match pieces.next().await {
                    Some(Ok(piece)) => begun.extend_from_slice(&piece),
                    None => return Response::from_parts(head, full(begun)),
                    Some(Err(aborted)) => {
                        let body = StreamBody::new(stream::iter([Err(aborted)]));
                        return Response::from_parts(head, body.boxed_unsync());
                    }
                }
            }
        }
        head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        head.headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
        let pieces = stream::iter((!begun.is_empty()).then(|| Ok(begun.into()))).chain(pieces);
        let flush = match (self, read) {
            (Self::Large, Read::Once) => Flush::Never,
            (Self::Flushes, _) => Flush::Sync,
            (Self::Members | Self::Large, _) => Flush::Member,
        };
        let body = StreamBody::new(compressed(pieces, flush).boxed());
        Response::from_parts(head, body.boxed_unsync())
    }
}

/// The end of each piece in the compressed data.
#[derive(Clone, Copy)]
enum Flush {
    Never,
    Sync,
    Member,
}

fn compressed(
    pieces: impl Stream<Item = Result<Bytes, Aborted>> + Send + 'static,
    flush: Flush,
) -> impl Stream<Item = Piece> + Send {
    let encoder = || GzEncoder::new(Vec::new(), Compression::fast());
    // The last member ends after the last piece.
    let state = (pieces.fuse().boxed(), Some(encoder()));
    stream::unfold(state, move |(mut pieces, mut member)| async move {
        loop {
            let out = match pieces.next().await {
                None => member.take().map(finish)?,
                Some(Err(aborted)) => Err(aborted),
                Some(Ok(piece)) => {
                    let mut encoder = member.take().unwrap_or_else(encoder);
                    // Go's reader holds back data that end with their member until the next member
                    // begins, so each member is flushed before it ends.
                    let written = encoder.write_all(&piece).and_then(|()| match flush {
                        Flush::Never => Ok(()),
                        Flush::Sync | Flush::Member => encoder.flush(),
                    });
                    written.map_err(|_| Aborted).and_then(|()| match flush {
                        Flush::Member => finish(encoder),
                        Flush::Sync | Flush::Never => {
                            let out = std::mem::take(encoder.get_mut());
                            member = Some(encoder);
                            Ok(out)
                        }
                    })
                }
            };
            if out.as_ref().is_ok_and(Vec::is_empty) {
                continue;
            }
            return Some((out.map(data), (pieces, member)));
        }
    })
}

fn finish(encoder: GzEncoder<Vec<u8>>) -> Result<Vec<u8>, Aborted> {
    encoder.finish().map_err(|_| Aborted)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::io::Read as _;

    use flate2::read::MultiGzDecoder;
    use http::Request;
    use http_body_util::Empty;
    use tower::{Layer, Service};

    use super::*;
    use crate::{ApiServer, BodyPosition, Faults, Injection, Requests};

    fn response(pieces: &[Bytes]) -> Response<ResponseBody> {
        // A stream that panics if it is polled after its end.
        let pieces: VecDeque<Bytes> = pieces.iter().cloned().collect();
        let pieces = stream::unfold(pieces, |mut pieces| async move {
            let piece: Piece = Ok(data(pieces.pop_front()?.to_vec()));
            Some((piece, pieces))
        });
        Response::new(StreamBody::new(pieces.boxed()).boxed_unsync())
    }

    async fn read(response: Response<ResponseBody>) -> (bool, Vec<Bytes>) {
        let gzip = response.headers().contains_key(CONTENT_ENCODING);
        let pieces = response.into_body().into_data_stream().map(Result::unwrap).collect().await;
        (gzip, pieces)
    }

    #[tokio::test]
    async fn large_lists_and_streaming_lists_are_compressed() {
        let small = vec![Bytes::from(vec![b'a'; 1024]); 128];
        let large = vec![Bytes::from(vec![b'a'; 1025]); 128];
        for (mode, kind, pieces, compressed) in [
            (Gzip::Large, Read::Once, &small, None),
            (Gzip::Large, Read::Once, &large, Some(1)),
            (Gzip::Large, Read::Watch, &large, None),
            (Gzip::Large, Read::StreamingList, &small, Some(128)),
            (Gzip::Members, Read::Once, &small, Some(128)),
            (Gzip::Flushes, Read::Watch, &small, Some(1)),
        ] {
            let (gzip, out) = read(mode.written(response(pieces), kind).await).await;
            assert_eq!(gzip, compressed.is_some(), "{mode:?} {kind:?}");
            let mut inflated = out.concat();
            if let Some(members) = compressed {
                let begun = inflated.windows(4).filter(|bytes| bytes == b"\x1f\x8b\x08\0").count();
                assert_eq!(begun, members, "{mode:?} {kind:?}");
                let compressed = std::mem::take(&mut inflated);
                MultiGzDecoder::new(&compressed[..]).read_to_end(&mut inflated).unwrap();
            }
            assert_eq!(inflated, pieces.concat(), "{mode:?} {kind:?}");
        }
    }

    #[tokio::test]
    async fn each_flushed_piece_can_be_inflated_at_once() {
        let pieces: Vec<_> = (0..20).map(|n| Bytes::from(format!("event {n}\n"))).collect();
        for mode in [Gzip::Members, Gzip::Flushes] {
            let (_, out) = read(mode.written(response(&pieces), Read::Watch).await).await;
            let (mut sent, mut events) = (Vec::new(), Vec::new());
            for (piece, event) in out.iter().zip(&pieces) {
                sent.extend_from_slice(piece);
                events.extend_from_slice(event);
                let mut inflated = vec![0; events.len()];
                MultiGzDecoder::new(&sent[..]).read_exact(&mut inflated).unwrap();
                assert_eq!(inflated, events, "{mode:?}");
                let flushed = piece.windows(4).any(|bytes| bytes == b"\0\0\xff\xff");
                assert!(flushed, "{mode:?}: some readers wait for the next member");
            }
        }
    }

    #[tokio::test]
    async fn faults_that_read_content_get_it_uncompressed() {
        let server = ApiServer::builder().gzip(Gzip::Members).build();
        let faults = Faults::new();
        let mut service = faults.layer(tower::service_fn(move |request| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.handle(request).await) }
        }));
        for (injection, gzip) in [
            (Injection::poison(0), false),
            (Injection::truncate(BodyPosition::Event(0)), false),
            (Injection::truncate(BodyPosition::Byte(9)), true),
        ] {
            faults.inject(Requests::all().times(1), injection);
            let request = Request::get("/api/v1/pods").header(ACCEPT_ENCODING, "gzip");
            let request = request.body(Empty::<Bytes>::new()).unwrap();
            let response = service.call(request).await.unwrap();
            assert_eq!(response.headers().contains_key(CONTENT_ENCODING), gzip);
        }
    }

    #[test]
    fn only_a_bare_gzip_is_accepted() {
        for (accepts, wanted) in [
            ("gzip", true),
            ("identity", false),
            ("br, gzip", true),
            ("gzip;q=1", false),
            ("x-gzip", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, accepts.parse().unwrap())]);
            assert_eq!(is_wanted(&headers), wanted, "{accepts}");
        }
        assert!(!is_wanted(&HeaderMap::new()));
    }
}

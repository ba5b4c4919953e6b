//! Answers that are compressed with gzip.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use futures::channel::mpsc;
use futures::{StreamExt, stream};
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::client::Body;
use kube::core::ApiResource;
use kube_informer::error::{BoxError, Fault, FaultClass, SourceError};
use kube_informer::lister_watcher::{
    ListHints, ListItem, ListQuery, ListerWatcher, WatchItem, WatchQuery,
};
use kube_informer::testing::api_server::Gzip;
use kube_informer::testing::{ApiServer, encode_protobuf};
use kube_informer::transport::ApiSource;
use kube_informer::{InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::helpers::{S, answered_by, caught_up, field, key, list_mode, map, metadata};

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch";

fn member(content: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Returns a client whose requests this body answers, which is compressed in this coding.
fn answering(media_type: &'static str, coding: &'static str, body: Vec<u8>) -> kube::Client {
    answered_by(move |_| {
        let response = Response::builder().header(CONTENT_TYPE, media_type);
        response.header(CONTENT_ENCODING, coding).body(Body::from(body.clone())).unwrap()
    })
}

fn object(name: &str) -> Value {
    json!({"kind": "ConfigMap", "apiVersion": "v1", "data": {"value": "7"},
        "metadata": {"name": name, "namespace": "shop", "uid": name, "resourceVersion": "7"}})
}

fn list() -> Value {
    json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "9"},
        "items": [object("a"), object("b"), object("c")]})
}

fn events(media_type: &str) -> Vec<Vec<u8>> {
    let event = |object: Value| {
        if media_type == JSON {
            return format!("{}\n", json!({"type": "ADDED", "object": object})).into_bytes();
        }
        let object = encode_protobuf(&object).unwrap();
        let event = [field(1, "ADDED"), field(2, field(1, object))].concat();
        [&u32::try_from(event.len()).unwrap().to_be_bytes()[..], &event].concat()
    };
    ["a", "b", "c"].into_iter().map(object).map(event).collect()
}

/// Returns the objects of a list, and the fault that ends it.
async fn listed(client: kube::Client) -> (usize, Option<String>) {
    let source = ApiSource::<ConfigMap>::new(client).gzip(true);
    let mut items = match source.list(&ListQuery::default(), &ListHints::none()).await {
        Ok(items) => items,
        Err(error) => return (0, Some(error.to_string())),
    };
    let mut objects = 0;
    while let Some(item) = items.next().await {
        match item {
            Ok(ListItem::Object(object)) => objects += usize::from(object.is_ok()),
            Ok(_) => {}
            Err(error) => return (objects, Some(error.to_string())),
        }
    }
    (objects, None)
}

#[tokio::test(start_paused = true)]
async fn list_with_a_missing_end_is_an_error() {
    let json = list().to_string().into_bytes();
    for (media_type, body) in [(JSON, json), (PROTOBUF, encode_protobuf(&list()).unwrap())] {
        let body = member(body);
        for at in 0..body.len() {
            let (objects, error) = listed(answering(media_type, "gzip", body[..at].into())).await;
            assert!(objects <= 3 && error.is_some(), "{media_type} cut at {at}: {error:?}");
        }
        assert_eq!(listed(answering(media_type, "gzip", body.clone())).await, (3, None));
        let (_, error) = listed(answering(media_type, "gzip", [body, vec![0]].concat())).await;
        assert!(error.is_some_and(|text| text.contains("gzip member was expected")));
    }
}

#[tokio::test(start_paused = true)]
async fn watch_delivers_each_event_before_a_cut() {
    for media_type in [JSON, WATCH] {
        let members: Vec<_> = events(media_type).into_iter().map(member).collect();
        let body = members.concat();
        for at in 0..=body.len() {
            let source =
                ApiSource::<ConfigMap>::new(answering(media_type, "gzip", body[..at].into()));
            let query = WatchQuery::new(300 * S);
            let items = source.gzip(true).watch(&query, &ListHints::none()).await.unwrap();
            let items: Vec<_> = items.collect().await;
            let whole = (0..=3).rfind(|n| members[..*n].concat().len() <= at).unwrap();
            let ends_between = members[..whole].concat().len() == at;
            let events = items.iter().filter(|item| matches!(item, Ok(WatchItem::Added(Ok(_)))));
            let events = events.count();
            assert!(events == whole || events == whole + 1, "cut at {at}: {items:?}");
            let Some(Err(error)) = items.last() else {
                assert!(ends_between && events == items.len(), "cut at {at}: {items:?}");
                continue;
            };
            assert!(!ends_between && events + 1 == items.len(), "cut at {at}: {items:?}");
            let fault = error.fault();
            assert!(matches!(fault, Fault::Truncated { within: "a gzip member", .. }), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn event_arrives_although_its_body_stops() {
    for (media_type, in_one_member) in [(JSON, false), (JSON, true), (WATCH, false), (WATCH, true)]
    {
        let (send, receive) = mpsc::unbounded::<Bytes>();
        let receive = Mutex::new(Some(receive));
        let client = answered_by(move |_| {
            let pieces = receive.lock().take().unwrap();
            let pieces = pieces.map(|piece| Ok::<_, std::io::Error>(Frame::data(piece)));
            let response = Response::builder().header(CONTENT_TYPE, media_type);
            response.header(CONTENT_ENCODING, "gzip").body(StreamBody::new(pieces)).unwrap()
        });
        let source = ApiSource::<ConfigMap>::new(client).gzip(true);
        let query = WatchQuery::new(300 * S);
        let mut items = source.watch(&query, &ListHints::none()).await.unwrap();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        for event in events(media_type) {
            let compressed = if in_one_member {
                encoder.write_all(&event).unwrap();
                encoder.flush().unwrap();
                std::mem::take(encoder.get_mut())
            } else {
                member(&event)
            };
            // The trailer of a member comes later than its event.
            let (event, trailer) =
                compressed.split_at(compressed.len() - 8 * usize::from(!in_one_member));
            send.unbounded_send(event.to_vec().into()).unwrap();
            let item = tokio::time::timeout(S, items.next()).await.unwrap().unwrap().unwrap();
            assert!(matches!(item, WatchItem::Added(Ok(_))), "{item:?}");
            send.unbounded_send(trailer.to_vec().into()).unwrap();
        }
        drop(send);
        let end = items.next().await;
        assert_eq!(end.is_some(), in_one_member, "a member without an end: {end:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_a_single_gzip_coding_is_read() {
    for coding in ["gzip", "x-gzip", "GZIP", "identity, gzip"] {
        let body = member(list().to_string());
        assert_eq!(listed(answering(JSON, coding, body)).await, (3, None), "{coding}");
    }
    let plain = list().to_string().into_bytes();
    assert_eq!(listed(answering(JSON, "identity", plain)).await, (3, None));
    for coding in ["br", "deflate", "gzip, gzip", "zstd"] {
        let (_, error) = listed(answering(JSON, coding, member("{}"))).await;
        let named = format!("Content-Encoding {coding:?}, which was not requested; check for");
        assert!(error.is_some_and(|text| text.contains(&named)), "{coding}");
    }
    let source = ApiSource::<ConfigMap>::new(answering(JSON, "gzip", member("{}")));
    let error = source.list(&ListQuery::default(), &ListHints::none()).await.err().unwrap();
    assert!(matches!(error.fault(), Fault::ContentEncoding(_)), "gzip was not set: {error}");
}

#[tokio::test(start_paused = true)]
async fn bomb_ends_the_list_and_not_the_process() {
    let bomb = [b"{\"kind\":\"".to_vec(), vec![b'a'; 1 << 20]].concat();
    let body = [member(bomb), member(vec![b'a'; 1 << 20]).repeat(17)].concat();
    let (objects, error) = listed(answering(JSON, "gzip", body)).await;
    assert!(objects == 0 && error.is_some_and(|text| text.contains("200 times its size")));
}

#[tokio::test]
async fn compressed_refusal_is_readable() {
    let status = json!({"kind": "Status", "reason": "Forbidden", "code": 403, "message": "no"});
    let body = member(status.to_string());
    let client = answered_by(move |_| {
        let response = Response::builder().status(403).header(CONTENT_ENCODING, "gzip");
        response.body(Body::from(body.clone())).unwrap()
    });
    let source = ApiSource::<ConfigMap>::new(client).gzip(true);
    let error = source.list(&ListQuery::default(), &ListHints::none()).await.err().unwrap();
    assert!(error.class() == FaultClass::Forbidden && error.to_string().contains("no"), "{error}");
}

type Answer = UnsyncBoxBody<Bytes, BoxError>;

/// The coding of each request and of its answer, with the path.
type Codings = Arc<Mutex<Vec<(String, String, bool)>>>;

/// Returns a client of the server that notes the codings, and passes each answer through `change`.
fn noting(
    server: &ApiServer,
    change: impl Fn(Response<Answer>) -> Response<Answer> + Clone + Send + 'static,
) -> (kube::Client, Codings) {
    kube_informer::testing::seed_by_test();
    let codings = Codings::default();
    let (server, noted) = (server.clone(), codings.clone());
    let service = tower::service_fn(move |request: Request<Body>| {
        let (server, noted, change) = (server.clone(), noted.clone(), change.clone());
        async move {
            let (path, asked) =
                (request.uri().path().to_owned(), &request.headers()[ACCEPT_ENCODING]);
            let asked = asked.to_str().unwrap().to_owned();
            let response = server
                .handle(request)
                .await
                .map(|body| body.map_err(BoxError::from).boxed_unsync());
            let gzip = response.headers().contains_key(CONTENT_ENCODING);
            noted.lock().push((path, asked, gzip));
            Ok::<_, std::convert::Infallible>(change(response))
        }
    });
    (kube::Client::new(service, "default"), codings)
}

/// Returns the texts of errors, and the function that notes them.
fn noted_errors() -> (Arc<Mutex<Vec<String>>>, impl Fn(&SourceError) + Send + Sync + 'static) {
    let errors = Arc::new(Mutex::new(Vec::new()));
    let noted = errors.clone();
    (errors, move |error| noted.lock().push(error.to_string()))
}

#[tokio::test(start_paused = true)]
async fn informer_follows_a_server_that_compresses() {
    for gzip in [Gzip::Large, Gzip::Members, Gzip::Flushes] {
        for streaming in [false, true] {
            let server = ApiServer::builder().gzip(gzip).build();
            for n in 0..300 {
                server.create(&map(&format!("m{n}"), &"x".repeat(500 + n))).unwrap();
            }
            let (client, codings) = noting(&server, |response| response);
            let (errors, reported) = noted_errors();
            let factory = SharedInformerFactory::builder(client)
                .gzip(true)
                .list_mode(list_mode(streaming))
                .on_error(reported)
                .build();
            let protobuf = factory.informer::<ConfigMap>();
            let json = factory.dynamic(&ApiResource::erase::<ConfigMap>(&()));
            factory.start().unwrap();
            factory.wait_for_sync(60 * S).await.unwrap();
            for n in 0..40 {
                server.replace(&map(&format!("m{n}"), &format!("second {n}"))).unwrap();
                tokio::time::sleep(Duration::from_millis(7)).await;
            }
            caught_up(&server, &protobuf).await;
            caught_up(&server, &json).await;
            assert_eq!((protobuf.snapshot().len(), json.snapshot().len()), (300, 300));
            let of =
                |name: &str| protobuf.snapshot().get(&key(name)).unwrap().data.clone().unwrap();
            assert_eq!(of("m7")["value"], "second 7");
            assert_eq!(of("m299")["value"].len(), 799);
            assert_eq!(*errors.lock(), [""; 0], "{gzip:?} {streaming}");
            let codings = codings.lock().clone();
            assert!(codings.iter().all(|(_, asked, _)| asked == "gzip"), "{codings:?}");
            assert!(codings.iter().any(|(_, _, gzip)| *gzip), "{codings:?}");
            factory.shutdown().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn failed_compression_is_left_for_ten_minutes() {
    let server = ApiServer::builder().gzip(Gzip::Members).build();
    server.create(&map("a", "1")).unwrap();
    let (client, codings) = noting(&server, |response| {
        if !response.headers().contains_key(CONTENT_ENCODING) {
            return response;
        }
        let garbage = Full::from(&b"\x1f\x8b\x08\0\0\0\0\0\0\0garbage"[..]);
        response.map(|_| garbage.map_err(BoxError::from).boxed_unsync())
    });
    let source = ApiSource::<ConfigMap>::new(client).gzip(true);
    let list = async || {
        let items = source.list(&ListQuery::default(), &ListHints::none()).await.unwrap();
        items.collect::<Vec<_>>().await.into_iter().find_map(Result::err)
    };
    let error = list().await.unwrap().to_string();
    assert!(error.contains("deflated data of a gzip member is corrupt"), "{error}");
    assert!(list().await.is_none());
    let query = WatchQuery::new(S);
    assert!(source.watch(&query, &ListHints::none()).await.is_ok(), "a watch has its own state");
    tokio::time::sleep(600 * S).await;
    assert!(list().await.is_some());
    let asked: Vec<_> = codings.lock().iter().map(|(_, asked, _)| asked.clone()).collect();
    assert_eq!(asked, ["gzip", "identity", "gzip", "gzip"]);
}

/// Inflates an answer as the layer of kube's feature `gzip` does: it fails after the first member.
fn inflate_one_member(response: Response<Answer>) -> Response<Answer> {
    let (mut head, body) = response.into_parts();
    if head.headers.remove(CONTENT_ENCODING).is_none() {
        return Response::from_parts(head, body);
    }
    let pieces = body.into_data_stream().enumerate().map(|(n, piece)| {
        if n > 0 {
            let problem = "there are extra bytes after body has been decompressed";
            return Err(BoxError::from(problem));
        }
        let mut inflated = Vec::new();
        std::io::copy(&mut GzDecoder::new(&piece.unwrap()[..]), &mut inflated)?;
        Ok(Frame::data(Bytes::from(inflated)))
    });
    let once = stream::unfold((pieces.boxed(), false), |(mut pieces, failed)| async move {
        let piece = if failed { None } else { pieces.next().await }?;
        let failed = piece.is_err();
        Some((piece, (pieces, failed)))
    });
    Response::from_parts(head, StreamBody::new(once).boxed_unsync())
}

#[tokio::test(start_paused = true)]
async fn layer_that_inflates_one_member_costs_one_error() {
    for streaming in [false, true] {
        let server = ApiServer::builder().gzip(Gzip::Members).build();
        for n in 0..600 {
            server.create(&map(&format!("m{n}"), "1")).unwrap();
        }
        let (client, _) = noting(&server, inflate_one_member);
        let (errors, reported) = noted_errors();
        let factory = SharedInformerFactory::builder(client)
            .gzip(true)
            .list_mode(list_mode(streaming))
            .on_error(reported)
            .build();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        factory.wait_for_sync(60 * S).await.unwrap();
        for n in 0..40 {
            server.replace(&map(&format!("m{n}"), "2")).unwrap();
            tokio::time::sleep(S).await;
        }
        caught_up(&server, &maps).await;
        assert_eq!(maps.snapshot().len(), 600);
        let errors = errors.lock().clone();
        assert!(errors.len() <= 2, "{errors:?}");
        assert!(errors.iter().all(|error| error.contains("extra bytes")), "{errors:?}");
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn secrets_are_compressed_only_by_their_spec() {
    let server = ApiServer::builder().gzip(Gzip::Members).build();
    server.create(&map("a", "1")).unwrap();
    server.create(&Secret { metadata: metadata("shop", "s"), ..Secret::default() }).unwrap();
    for asked in [None, Some(true), Some(false)] {
        let (client, codings) = noting(&server, |response| response);
        let factory = SharedInformerFactory::builder(client).gzip(true).build();
        let spec = asked.map_or_else(InformerSpec::new, |asked| InformerSpec::new().gzip(asked));
        factory.informer_with::<Secret>(spec).unwrap();
        factory.informer::<ConfigMap>();
        factory.start().unwrap();
        factory.wait_for_sync(60 * S).await.unwrap();
        factory.shutdown().await;
        for (path, coding, gzip) in codings.lock().iter() {
            let compressed = !path.ends_with("/secrets") || asked == Some(true);
            let wanted = if compressed { "gzip" } else { "identity" };
            assert_eq!((&**coding, *gzip), (wanted, compressed), "{path} {asked:?}");
        }
        assert!(codings.lock().len() >= 4);
    }
}

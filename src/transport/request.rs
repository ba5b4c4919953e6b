//! The requests of a source, and the encodings that they accept.

use std::time::Duration;

use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{HeaderValue, Request};
use kube::client::Body;
use tokio::time::Instant;

use super::framing::Encoding;
use crate::error::{Fault, Verb};
use crate::lister_watcher::{ListQuery, WatchQuery};
use crate::object::{ResourceVersion, ShardSelector};
use crate::sync::Mutex;
use crate::time::{CENTURY, after};

/// The values of the `Accept` header. The preferred media type comes first. Plain JSON is always
/// included, so no server has a reason to refuse.
const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf, application/json";
const PROTOBUF_WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch, application/json";
const METADATA_LIST: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json";
const METADATA: &str =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";
const PROTOBUF_METADATA_LIST: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, \
     application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json";
const PROTOBUF_METADATA: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, \
     application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";

/// The time after which the preferred form is requested again. The answer in the other form may
/// have come from a proxy, or from an older server that has been upgraded since.
const RETRY: Duration = Duration::from_secs(600);

/// The collection and its selectors, which all requests of one source share.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    pub(super) path: String,
    pub(super) label_selector: Option<String>,
    pub(super) field_selector: Option<String>,
    pub(super) extra: Vec<(String, String)>,
    pub(super) metadata_only: bool,
}

/// One request, without its encoding.
#[derive(Debug)]
pub(super) struct ReadRequest {
    pub(super) verb: Verb,
    path: String,
    metadata_only: bool,
}

impl Selection {
    pub(super) fn list(&self, query: &ListQuery) -> ReadRequest {
        let mut params = self.params();
        if let Some(limit) = query.limit {
            params.append_pair("limit", &limit.to_string());
        }
        match (&query.continue_token, &query.version) {
            (Some(token), _) => drop(params.append_pair("continue", token)),
            (None, Some(version)) => {
                params.append_pair("resourceVersion", &version.to_string());
                // With a limit, a version without a match rule would mean exactly that version.
                if query.limit.is_some() && *version != ResourceVersion::ANY {
                    params.append_pair("resourceVersionMatch", "NotOlderThan");
                }
            }
            (None, None) => {}
        }
        append_shard(&mut params, query.shard.as_ref());
        self.target(Verb::List, params.finish())
    }

    pub(super) fn watch(&self, query: &WatchQuery) -> ReadRequest {
        let mut params = self.params();
        params.append_pair("watch", "true").append_pair("allowWatchBookmarks", "true");
        if query.initial_events {
            params.append_pair("sendInitialEvents", "true");
            params.append_pair("resourceVersionMatch", "NotOlderThan");
        }
        if let Some(version) = &query.version {
            params.append_pair("resourceVersion", &version.to_string());
        }
        // A server takes zero for its default, and cannot count more nanoseconds than a century's.
        let timeout = query.timeout.clamp(Duration::from_secs(1), CENTURY);
        params.append_pair("timeoutSeconds", &timeout.as_secs().to_string());
        append_shard(&mut params, query.shard.as_ref());
        self.target(Verb::Watch, params.finish())
    }

    fn target(&self, verb: Verb, path: String) -> ReadRequest {
        ReadRequest { verb, path, metadata_only: self.metadata_only }
    }

    fn params(&self) -> form_urlencoded::Serializer<'static, String> {
        let target = format!("{}?", self.path);
        let start = target.len();
        let mut params = form_urlencoded::Serializer::for_suffix(target, start);
        for (name, value) in
            [("labelSelector", &self.label_selector), ("fieldSelector", &self.field_selector)]
        {
            if let Some(value) = value {
                params.append_pair(name, value);
            }
        }
        for (name, value) in &self.extra {
            params.append_pair(name, value);
        }
        params
    }
}

/// Appends the parameter that makes a server select the shard. Servers without the feature ignore
/// it. A continue token does not carry it.
fn append_shard(
    params: &mut form_urlencoded::Serializer<'static, String>,
    shard: Option<&ShardSelector>,
) {
    if let Some(expression) = shard.and_then(ShardSelector::expression) {
        params.append_pair("shardSelector", &expression);
    }
}

impl ReadRequest {
    /// Returns path and query.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Builds the request. It accepts this encoding and JSON, compressed if `gzip` is true.
    pub(super) fn request(&self, encoding: Encoding, gzip: bool) -> Result<Request<Body>, Fault> {
        let mut request = Request::get(&self.path)
            .body(Body::empty())
            .map_err(|error| Fault::Request(error.to_string()))?;
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static(self.accept(encoding)));
        // Set in either case: a layer of the client, such as that of kube's feature `gzip`, would
        // ask for gzip and read only the first of several members.
        let coding = if gzip { "gzip" } else { "identity" };
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
        Ok(request)
    }

    fn accept(&self, encoding: Encoding) -> &'static str {
        match (encoding, self.verb, self.metadata_only) {
            (Encoding::Json, _, false) => JSON,
            (Encoding::Json, Verb::List, true) => METADATA_LIST,
            (Encoding::Json, Verb::Watch, true) => METADATA,
            (Encoding::Protobuf, Verb::List, false) => PROTOBUF,
            (Encoding::Protobuf, Verb::Watch, false) => PROTOBUF_WATCH,
            (Encoding::Protobuf, Verb::List, true) => PROTOBUF_METADATA_LIST,
            (Encoding::Protobuf, Verb::Watch, true) => PROTOBUF_METADATA,
        }
    }
}

/// The state that decides whether a source requests the form that everything understands: JSON
/// although its type supports protobuf, or uncompressed answers although gzip was set.
#[derive(Debug, Default)]
pub(super) struct Fallback(Mutex<FallbackState>);

/// The number of doubts in a row that count as a failure.
const DOUBTS: u8 = 2;

#[derive(Clone, Copy, Debug, Default)]
enum FallbackState {
    #[default]
    Never,
    /// This number of answers in the preferred form may have failed.
    Doubted(u8),
    /// The preferred form failed at this moment.
    Failed(Instant),
    /// The user requested this form only.
    Always,
}

impl Fallback {
    /// Creates a state that is always on.
    pub(super) fn always() -> Self {
        Self(Mutex::new(FallbackState::Always))
    }

    /// Returns whether the preferred form is ever requested.
    pub(super) fn prefers(&self) -> bool {
        !matches!(*self.0.lock(), FallbackState::Always)
    }

    /// Notes that the preferred form failed. The other one is then requested for ten minutes.
    pub(super) fn begin(&self) {
        let mut state = self.0.lock();
        if !matches!(*state, FallbackState::Always) {
            *state = FallbackState::Failed(Instant::now());
        }
    }

    /// Notes that the preferred form may have failed. Twice in a row is a failure.
    pub(super) fn doubt(&self) {
        let mut state = self.0.lock();
        *state = match *state {
            FallbackState::Never => FallbackState::Doubted(1),
            FallbackState::Doubted(doubts) if doubts + 1 < DOUBTS => {
                FallbackState::Doubted(doubts + 1)
            }
            FallbackState::Doubted(_) | FallbackState::Failed(_) => {
                FallbackState::Failed(Instant::now())
            }
            FallbackState::Always => FallbackState::Always,
        };
    }

    /// Notes an answer in the preferred form that came whole.
    pub(super) fn succeeded(&self) {
        let mut state = self.0.lock();
        let is_over = match *state {
            FallbackState::Doubted(_) => true,
            FallbackState::Failed(at) => Instant::now() >= after(at, RETRY),
            FallbackState::Never | FallbackState::Always => false,
        };
        if is_over {
            *state = FallbackState::Never;
        }
    }

    /// Returns whether to request the form that everything understands now.
    pub(super) fn is_on(&self) -> bool {
        match *self.0.lock() {
            FallbackState::Never | FallbackState::Doubted(_) => false,
            FallbackState::Failed(at) => Instant::now() < after(at, RETRY),
            FallbackState::Always => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::ShardKey;

    #[test]
    fn continuation_replaces_the_version() {
        let selection = Selection { path: "/api/v1/pods".into(), ..Selection::default() };
        let target = |query: ListQuery| selection.list(&query).path;
        let first = ListQuery {
            version: Some(ResourceVersion::ANY),
            limit: Some(500),
            ..ListQuery::default()
        };
        assert_eq!(target(first.clone()), "/api/v1/pods?limit=500&resourceVersion=0");
        let next = ListQuery { continue_token: Some("a=b&c".into()), ..first };
        assert_eq!(target(next), "/api/v1/pods?limit=500&continue=a%3Db%26c");
        assert_eq!(target(ListQuery::default()), "/api/v1/pods?");
        let at = |limit| ListQuery { version: Some(7.into()), limit, ..ListQuery::default() };
        assert_eq!(target(at(None)), "/api/v1/pods?resourceVersion=7");
        let paged = "/api/v1/pods?limit=9&resourceVersion=7&resourceVersionMatch=NotOlderThan";
        assert_eq!(target(at(Some(9))), paged);
    }

    #[test]
    fn shard_is_part_of_every_request() {
        let selection = Selection { path: "/api/v1/pods".into(), ..Selection::default() };
        let paths = |shard: ShardSelector| {
            let first = ListQuery { shard: Some(shard), ..ListQuery::default() };
            let next = ListQuery { continue_token: Some("t".into()), ..first.clone() };
            let watch = WatchQuery {
                shard: first.shard.clone(),
                ..WatchQuery::new(Duration::from_secs(9))
            };
            [selection.list(&first).path, selection.list(&next).path, selection.watch(&watch).path]
        };
        let half = ShardSelector::new(ShardKey::Uid, [0..=u64::MAX / 2]);
        let pair = form_urlencoded::Serializer::new(String::new())
            .append_pair("shardSelector", &half.expression().unwrap())
            .finish();
        assert!(paths(half).iter().all(|path| path.ends_with(&pair)));
        let everything = ShardSelector::everything(ShardKey::Uid);
        let owners = ShardSelector::new(ShardKey::ControllerUid, [0..=7]);
        for unsupported in [everything, ShardSelector::nothing(ShardKey::Uid), owners] {
            assert!(paths(unsupported).iter().all(|path| !path.contains("shardSelector")));
        }
    }

    #[test]
    fn watch_requests_bookmarks_and_stream_initial_events() {
        let selection = Selection {
            path: "/api/v1/pods".into(),
            label_selector: Some("app in (a,b)".into()),
            ..Selection::default()
        };
        let mut query = WatchQuery {
            version: Some(7.into()),
            timeout: Duration::from_secs(300),
            initial_events: false,
            shard: None,
        };
        let target = |query: &WatchQuery| selection.watch(query).path;
        let selector = "labelSelector=app+in+%28a%2Cb%29";
        assert_eq!(
            target(&query),
            format!(
                "/api/v1/pods?{selector}&watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300"
            )
        );
        (query.initial_events, query.version) = (true, None);
        assert_eq!(
            target(&query),
            format!(
                "/api/v1/pods?{selector}&watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=300"
            )
        );
    }

    #[test]
    fn plain_json_is_always_acceptable() {
        for metadata_only in [false, true] {
            let selection =
                Selection { path: "/api/v1/pods".into(), metadata_only, ..Selection::default() };
            for verb in [Verb::List, Verb::Watch] {
                for encoding in [Encoding::Json, Encoding::Protobuf] {
                    let request =
                        selection.target(verb, "/".into()).request(encoding, false).unwrap();
                    let accept = request.headers()[ACCEPT].to_str().unwrap();
                    let mut types = accept.split(", ");
                    assert!(types.clone().any(|media_type| media_type == JSON), "{accept}");
                    let protobuf = types.next().unwrap().contains("protobuf");
                    assert_eq!(protobuf, encoding == Encoding::Protobuf, "{accept}");
                    assert_eq!(accept.contains("PartialObjectMetadata"), metadata_only);
                    // No release of the server is known to support this parameter.
                    assert!(!accept.contains("drop="), "{accept}");
                }
            }
        }
    }
}

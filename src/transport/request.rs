//! The requests an informer makes.

use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{HeaderValue, Request};
use kube::client::Body;

use crate::error::Fault;
use crate::lister_watcher::{ListQuery, WatchQuery};
use crate::object::ResourceVersion;

const JSON: &str = "application/json";
const METADATA_LIST: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json";
const METADATA: &str =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";

/// Which collection, and how it is narrowed: what all requests of one source have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) path: String,
    pub(super) label_selector: Option<String>,
    pub(super) field_selector: Option<String>,
    pub(super) extra: Vec<(String, String)>,
    pub(super) metadata_only: bool,
}

impl Scope {
    pub(super) fn list(&self, query: &ListQuery) -> Result<Request<Body>, Fault> {
        let mut params = self.params();
        if let Some(limit) = query.limit {
            params.append_pair("limit", &limit.to_string());
        }
        match (&query.continue_token, &query.version) {
            (Some(token), _) => drop(params.append_pair("continue", token)),
            (None, Some(version)) => {
                params.append_pair("resourceVersion", &version.to_string());
                if query.limit.is_some() && *version != ResourceVersion::ANY {
                    // With a limit, a bare version would mean exactly that one.
                    params.append_pair("resourceVersionMatch", "NotOlderThan");
                }
            }
            (None, None) => {}
        }
        request(&params.finish(), if self.metadata_only { METADATA_LIST } else { JSON })
    }

    pub(super) fn watch(&self, query: &WatchQuery) -> Result<Request<Body>, Fault> {
        let mut params = self.params();
        params.append_pair("watch", "true").append_pair("allowWatchBookmarks", "true");
        if query.initial_events {
            params.append_pair("sendInitialEvents", "true");
            params.append_pair("resourceVersionMatch", "NotOlderThan");
        }
        if let Some(version) = &query.version {
            params.append_pair("resourceVersion", &version.to_string());
        }
        params.append_pair("timeoutSeconds", &query.timeout.as_secs().to_string());
        request(&params.finish(), if self.metadata_only { METADATA } else { JSON })
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

fn request(target: &str, accept: &'static str) -> Result<Request<Body>, Fault> {
    let mut request = Request::get(target)
        .body(Body::empty())
        .map_err(|error| Fault::Request(error.to_string()))?;
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    // A compressed watch may be one gzip member an event, of which decoders read the first.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(request)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_version_of_zero_is_sent_with_a_limit_and_none_with_a_continuation() {
        let scope = Scope { path: "/api/v1/pods".into(), ..Scope::default() };
        let target = |query: ListQuery| scope.list(&query).unwrap().uri().to_string();
        let first = ListQuery {
            version: Some(ResourceVersion::ANY),
            limit: Some(500),
            continue_token: None,
        };
        assert_eq!(target(first.clone()), "/api/v1/pods?limit=500&resourceVersion=0");
        let next = ListQuery { continue_token: Some("a=b&c".into()), ..first };
        assert_eq!(target(next), "/api/v1/pods?limit=500&continue=a%3Db%26c");
        assert_eq!(target(ListQuery::default()), "/api/v1/pods?");
        let at = |limit| ListQuery { version: Some(7.into()), limit, continue_token: None };
        assert_eq!(target(at(None)), "/api/v1/pods?resourceVersion=7");
        let paged = "/api/v1/pods?limit=9&resourceVersion=7&resourceVersionMatch=NotOlderThan";
        assert_eq!(target(at(Some(9))), paged);
    }

    #[test]
    fn a_watch_asks_for_bookmarks_and_a_stream_for_its_state() {
        let scope = Scope {
            path: "/api/v1/pods".into(),
            label_selector: Some("app in (a,b)".into()),
            ..Scope::default()
        };
        let mut query = WatchQuery {
            version: Some(7.into()),
            timeout: Duration::from_secs(300),
            initial_events: false,
        };
        let target = |query: &WatchQuery| scope.watch(query).unwrap().uri().to_string();
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
}

//! The path and query of a request.
//!
//! `serde_urlencoded` would save 20 lines, for two more crates and 0.4 s to compile on one core.
//! Its messages are not a server's.

use std::collections::HashMap;

use http::{Method, Uri};

use super::{field_selector, label_selector, versions};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::ResourceType;
use crate::api_server::store::selection::Selection;
use crate::api_server::store::shard::Shard;
use crate::api_server::verbs::list::ListQuery;

/// A parsed path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ParsedPath {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) namespace: Option<String>,
    pub(crate) plural: String,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
    /// True for a path that only watches, such as `/api/v1/watch/pods`.
    pub(crate) watch: bool,
}

impl ParsedPath {
    /// Parses a decoded path. Returns `None` for a path that leads to no object.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let mut segments = path.trim_matches('/').split('/');
        let (group, version) = match segments.next()? {
            "api" => (String::new(), segments.next()?),
            "apis" => (segments.next()?.to_owned(), segments.next()?),
            _ => return None,
        };
        let rest: Vec<&str> = segments.collect();
        let (watch, rest) = match rest.as_slice() {
            ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
            rest => (false, rest),
        };
        let (namespace, rest) = match rest {
            // `namespaces/x` without a further part is the object x of the type namespaces.
            ["namespaces", namespace, rest @ ..]
                if !rest.is_empty() && !matches!(rest, ["status" | "finalize"]) =>
            {
                // An empty namespace stands for all.
                (Some((*namespace).to_owned()).filter(|namespace| !namespace.is_empty()), rest)
            }
            rest => (None, rest),
        };
        let [plural, rest @ ..] = rest else { return None };
        let mut rest = rest.iter().map(|segment| (*segment).to_owned());
        Some(Self {
            group,
            version: version.to_owned(),
            namespace,
            plural: (*plural).to_owned(),
            name: rest.next(),
            subresource: rest.next(),
            watch,
        })
    }
}

/// Returns a path without percent-encoding. Invalid sequences stay as they are.
pub(crate) fn decoded(path: &str) -> String {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let bytes = path.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| Some(digit(bytes.get(at + 1))? * 16 + digit(bytes.get(at + 2))?))
            .flatten()
            .and_then(|code| u8::try_from(code).ok());
        plain.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// The query parameters of a list, a watch or a delete of a collection.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) list: ListQuery,
    pub(crate) bookmarks: bool,
    pub(crate) initial_events: Option<bool>,
    pub(crate) timeout: Option<u64>,
}

/// The circumstances of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryContext<'a> {
    pub(crate) resource: &'a ResourceType,
    pub(crate) namespace: Option<&'a str>,
    /// True for a watch.
    pub(crate) watch: bool,
    /// True if `shardSelector` counts.
    pub(crate) sharded: bool,
}

impl Query {
    pub(crate) fn parse(uri: &Uri, context: QueryContext<'_>) -> Result<Self, Failure> {
        let params = parameters(uri);
        let text = |name: &str| params.get(name).map_or("", String::as_str);
        let flag = |name: &str| params.get(name).map(|value| is_true(value));
        let (limit, timeout) = (number(&params, "limit")?, number(&params, "timeoutSeconds")?);
        let labels = label_selector::parse(text("labelSelector"))?;
        let initial_events = flag("sendInitialEvents");
        let (version, version_match) = (text("resourceVersion"), text("resourceVersionMatch"));
        let token = text("continue");
        let options = ListOptions { version, version_match, token, initial_events };
        options.check(context.watch)?;
        let fields = field_selector::parse(text("fieldSelector"), context.resource)?;
        let shard = params.get("shardSelector").filter(|text| context.sharded && !text.is_empty());
        let shard = shard.map(|text| Shard::parse(text)).transpose().map_err(|problem| {
            Failure::without_reason(&format!("invalid shard selector: {problem}"))
        })?;
        let version = versions::parse(version).map_err(|problem| {
            if context.watch {
                return Failure::without_reason(&problem);
            }
            Failure::bad_request(format!("invalid resource version: {problem}"))
        })?;
        let token = Some(token).filter(|token| !token.is_empty());
        if token.is_some() && version.is_some_and(|version| version > 0) {
            let message = "specifying resource version is not allowed when using continue";
            return Err(Failure::bad_request(message));
        }
        let limit = limit.filter(|limit| *limit > 0).and_then(|limit| usize::try_from(limit).ok());
        let at_least = version_match == "NotOlderThan";
        // A page at a version is exactly of that version.
        let paged = limit.is_some() && version.is_some_and(|version| version > 0) && !at_least;
        Ok(Self {
            list: ListQuery {
                selection: Selection {
                    namespace: context.namespace.map(str::to_owned),
                    labels,
                    fields,
                    shard,
                },
                version,
                exact: version_match == "Exact" || paged,
                limit,
                continue_token: token.map(str::to_owned),
            },
            bookmarks: flag("allowWatchBookmarks").unwrap_or(false),
            initial_events,
            timeout: timeout.filter(|timeout| *timeout > 0).and_then(|t| u64::try_from(t).ok()),
        })
    }
}

/// The options of a list that depend on one another.
#[derive(Clone, Copy, Debug)]
struct ListOptions<'a> {
    version: &'a str,
    version_match: &'a str,
    token: &'a str,
    initial_events: Option<bool>,
}

impl ListOptions<'_> {
    fn check(self, watch: bool) -> Result<(), Failure> {
        let forbidden = |when: bool, problem: &str| when.then(|| Cause::forbidden(MATCH, problem));
        let unsupported = |when: bool, supported: &str| {
            when.then(|| Cause::unsupported(MATCH, self.version_match, supported))
        };
        let (wanted, given) = (self.version_match, !self.version_match.is_empty());
        let by_token = forbidden(
            (given || watch) && !self.token.is_empty(),
            "resourceVersionMatch is forbidden when continue is provided",
        );
        let causes = if watch {
            let initial = self.initial_events.is_some();
            [
                forbidden(
                    initial && wanted != "NotOlderThan",
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                ),
                forbidden(
                    given && !initial,
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is \
                     provided",
                ),
                unsupported(given && wanted != "NotOlderThan", "\"NotOlderThan\""),
                by_token,
                None,
            ]
        } else {
            let initial = self.initial_events.is_some();
            [
                forbidden(
                    given && self.version.is_empty(),
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                ),
                by_token,
                unsupported(
                    given && !matches!(wanted, "Exact" | "NotOlderThan"),
                    "\"Exact\", \"NotOlderThan\", \"\"",
                ),
                forbidden(
                    wanted == "Exact" && self.version == "0",
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                ),
                initial.then(|| {
                    let problem = "sendInitialEvents is forbidden for list";
                    Cause::forbidden("sendInitialEvents", problem)
                }),
            ]
        };
        let causes: Vec<Cause> = causes.into_iter().flatten().collect();
        if causes.is_empty() {
            return Ok(());
        }
        Err(Failure::invalid_kind("meta.k8s.io", "ListOptions", "", &causes))
    }
}

const MATCH: &str = "resourceVersionMatch";

/// Returns a parameter that is a number.
pub(super) fn number(params: &HashMap<String, String>, name: &str) -> Result<Option<i64>, Failure> {
    let Some(text) = params.get(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| {
        let problem = format!("parsing {text:?}: invalid syntax");
        Failure::bad_request(format!("strconv.ParseInt: {problem}"))
    })
}

/// Returns the parameters of a query. If one is repeated, the first counts.
pub(crate) fn parameters(uri: &Uri) -> HashMap<String, String> {
    let mut parameters = HashMap::new();
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        parameters.entry(name.into_owned()).or_insert_with(|| value.into_owned());
    }
    parameters
}

/// Returns whether a flag is set: present and not false.
pub(crate) fn is_true(value: &str) -> bool {
    value != "0" && !value.eq_ignore_ascii_case("false")
}

/// A request, for logs and for [`intercept`](crate::api_server::ApiServer::intercept).
///
/// A test of what a controller does when its first creation fails:
///
/// ```
/// use http::{Method, Response};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, ObjectMeta};
/// use kube_embedded_apiserver::{ApiServer, api_server::RequestInfo};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let server = ApiServer::new();
/// let mut failures = 1;
/// server.intercept(move |request: &RequestInfo| {
///     let fails = failures > 0 && request.method == Method::POST;
///     failures -= u32::from(fails);
///     fails.then(|| Response::builder().status(500).body("".into()).unwrap())
/// });
///
/// let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
/// let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
/// let map = ConfigMap { metadata, ..ConfigMap::default() };
/// assert!(maps.create(&Default::default(), &map).await.is_err());
/// assert!(maps.create(&Default::default(), &map).await.is_ok());
/// assert_eq!(server.requests().len(), 2);
/// # });
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestInfo {
    /// The HTTP method.
    pub method: Method,
    /// The path and query.
    pub target: String,
    /// True if it is a watch.
    pub watch: bool,
}

impl RequestInfo {
    pub(crate) fn new(method: &Method, uri: &Uri) -> Self {
        let asked = parameters(uri).get("watch").is_some_and(|value| is_true(value));
        let watch = asked || ParsedPath::parse(uri.path()).is_some_and(|target| target.watch);
        Self { method: method.clone(), target: uri.to_string(), watch }
    }

    /// Returns the path, without the query.
    pub fn path(&self) -> &str {
        self.target.split_once('?').map_or(&*self.target, |(path, _)| path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_of_a_request_has_no_query() {
        let path = |target: &'static str| {
            RequestInfo::new(&Method::GET, &Uri::from_static(target)).path().to_owned()
        };
        assert_eq!(path("/api/v1/pods?watch=1&fieldSelector=a?"), "/api/v1/pods");
        assert_eq!(path("/api/v1/pods"), "/api/v1/pods");
    }

    #[test]
    fn paths_are_parsed() {
        let target = |path| {
            let target = ParsedPath::parse(path)?;
            Some((target.group, target.namespace, target.plural, target.name, target.subresource))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            target("/api/v1/namespaces/a/pods/p/status"),
            Some((String::new(), some("a"), "pods".into(), some("p"), some("status")))
        );
        assert_eq!(
            target("/apis/apps/v1/deployments"),
            Some(("apps".into(), None, "deployments".into(), None, None))
        );
        assert_eq!(
            target("/api/v1/namespaces/a"),
            Some((String::new(), None, "namespaces".into(), some("a"), None))
        );
        assert_eq!(target("/healthz"), None);
        assert_eq!(decoded("/a%2Fb%2/%zz%C3%A9"), "/a/b%2/%zz\u{e9}");
    }
}

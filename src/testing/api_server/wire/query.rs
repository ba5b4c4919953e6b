//! The path and query of a request.

use std::collections::HashMap;

use http::{Method, Uri};

use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::resource::ResourceType;
use crate::testing::api_server::store::selection::{FieldPath, Selection};
use crate::testing::api_server::store::shard::Shard;
use crate::testing::api_server::verbs::list::ListQuery;

/// A parsed path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) namespace: Option<String>,
    pub(crate) plural: String,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
}

impl Target {
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let mut segments = path.trim_matches('/').split('/');
        let (group, version) = match segments.next()? {
            "api" => (String::new(), segments.next()?),
            "apis" => (segments.next()?.to_owned(), segments.next()?),
            _ => return None,
        };
        let rest: Vec<&str> = segments.collect();
        let (namespace, rest) = match rest.as_slice() {
            // `namespaces/x` without a further part is the object x of the type namespaces.
            ["namespaces", namespace, rest @ ..]
                if !rest.is_empty() && !matches!(rest, ["status" | "finalize"]) =>
            {
                (Some((*namespace).to_owned()), rest)
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
        })
    }
}

/// The query parameters of a list or watch.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) list: ListQuery,
    pub(crate) watch: bool,
    pub(crate) bookmarks: bool,
    pub(crate) initial_events: Option<bool>,
    pub(crate) timeout: Option<u64>,
}

impl Query {
    pub(crate) fn parse(
        uri: &Uri,
        namespace: Option<String>,
        resource: &ResourceType,
    ) -> Result<Self, Failure> {
        let params = parameters(uri);
        let get = |name: &str| params.get(name).filter(|value| !value.is_empty());
        let flag = |name: &str| params.get(name).map(|value| is_true(value));
        let number = |name: &str| {
            get(name)
                .map(|value| {
                    // A negative limit counts as absent.
                    let number = value.parse::<i64>().map_err(|_| {
                        let problem = format!("parsing {value:?}: invalid syntax");
                        Failure::bad_request(format!("strconv.ParseInt: {problem}"))
                    })?;
                    Ok(u64::try_from(number).unwrap_or(0))
                })
                .transpose()
        };
        let labels = get("labelSelector").map_or("", |value| value);
        let labels = labels.parse().map_err(|error: crate::labels::InvalidSelector| {
            Failure::bad_request(format!("unable to parse requirement: {}", error.problem))
        })?;
        let fields = parse_fields(get("fieldSelector").map_or("", |value| value), resource)?;
        let shard = get("shardSelector").map(|text| Shard::parse(text)).transpose()?;
        Ok(Self {
            list: ListQuery {
                selection: Selection { namespace, labels, fields, shard },
                version: number("resourceVersion")?,
                version_match: get("resourceVersionMatch").cloned(),
                limit: number("limit")?
                    .filter(|limit| *limit > 0)
                    .and_then(|limit| usize::try_from(limit).ok()),
                continue_token: get("continue").cloned(),
            },
            watch: flag("watch").unwrap_or(false),
            bookmarks: flag("allowWatchBookmarks").unwrap_or(false),
            initial_events: flag("sendInitialEvents"),
            timeout: number("timeoutSeconds")?,
        })
    }
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

fn parse_fields(
    text: &str,
    resource: &ResourceType,
) -> Result<Vec<(FieldPath, bool, String)>, Failure> {
    let terms = text.split(',').filter(|term| !term.is_empty());
    terms
        .map(|term| {
            let (path, equal, value) = if let Some((path, value)) = term.split_once("!=") {
                (path, false, value)
            } else {
                let split = term.split_once("==").or_else(|| term.split_once('='));
                let invalid = || {
                    Failure::bad_request(format!(
                        "invalid selector: '{term}'; can't understand '{term}'"
                    ))
                };
                let (path, value) = split.ok_or_else(invalid)?;
                (path, true, value)
            };
            let selectable = resource.selectable.iter().any(|field| field == path);
            let declared = resource.fields.iter().position(|field| selectable && field == path);
            let path = match (path, declared) {
                ("metadata.name", _) => FieldPath::Name,
                ("metadata.namespace", _) if resource.namespaced => FieldPath::Namespace,
                (_, Some(n)) => FieldPath::Declared(n),
                _ => {
                    let message = format!("field label not supported: {path}");
                    return Err(Failure::bad_request(message));
                }
            };
            Ok((path, equal, value.to_owned()))
        })
        .collect()
}

/// A request, for logs and for [`intercept`](crate::testing::api_server::ApiServer::intercept).
///
/// A test of what a controller does when its first creation fails:
///
/// ```
/// use http::{Method, Response};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Api, ObjectMeta};
/// use kube_informer::testing::{ApiServer, api_server::RequestInfo};
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
        let watch = parameters(uri).get("watch").is_some_and(|value| is_true(value));
        Self { method: method.clone(), target: uri.to_string(), watch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_parsed() {
        let target = |path| {
            let target = Target::parse(path)?;
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
    }
}

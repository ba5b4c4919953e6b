//! Selection of the requests that an injection applies to, and the recorded responses of a lagging
//! replica.

use std::collections::HashMap;

use bytes::Bytes;
use http::{Method, Response, Uri};

/// A selection of requests. Each method narrows it further.
///
/// ```
/// use kube_embedded_apiserver::Requests;
///
/// let second_page_of_pods = Requests::pages().to("/pods").times(1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Requests {
    group: RequestGroup,
    text: Option<String>,
    after: u64,
    times: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestGroup {
    All,
    Reads,
    Lists,
    Pages,
    Watches,
    StreamingLists,
    Others,
}

/// The properties of a request that a selection depends on.
#[derive(Clone, Debug)]
pub(super) struct ClassifiedRequest {
    pub(super) form: RequestKind,
    pub(super) target: String,
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// A list, or its first page.
    List,
    /// A page that continues a list.
    Page,
    Watch,
    StreamingList,
    Other,
}

impl Requests {
    const fn of(group: RequestGroup) -> Self {
        Self { group, text: None, after: 0, times: None }
    }

    /// Selects every request.
    pub const fn all() -> Self {
        Self::of(RequestGroup::All)
    }

    /// Selects lists, their pages, watches and streaming lists: all requests of an informer.
    pub const fn reads() -> Self {
        Self::of(RequestGroup::Reads)
    }

    /// Selects lists and their pages.
    pub const fn lists() -> Self {
        Self::of(RequestGroup::Lists)
    }

    /// Selects the second and every later page of a list.
    pub const fn pages() -> Self {
        Self::of(RequestGroup::Pages)
    }

    /// Selects watches that are not streaming lists.
    pub const fn watches() -> Self {
        Self::of(RequestGroup::Watches)
    }

    /// Selects streaming lists.
    pub const fn streaming_lists() -> Self {
        Self::of(RequestGroup::StreamingLists)
    }

    /// Selects requests that are neither a list nor a watch.
    pub const fn others() -> Self {
        Self::of(RequestGroup::Others)
    }

    /// Narrows to requests whose path and query contain this text.
    pub fn to(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Skips the first `requests` matching requests.
    pub fn after(mut self, requests: u64) -> Self {
        self.after = requests;
        self
    }

    /// Stops after `requests` matching requests.
    pub fn times(mut self, requests: u64) -> Self {
        self.times = Some(requests);
        self
    }

    pub(super) fn matches(&self, request: &ClassifiedRequest) -> bool {
        let form = request.form;
        let group = match self.group {
            RequestGroup::All => true,
            RequestGroup::Reads => form != RequestKind::Other,
            RequestGroup::Lists => matches!(form, RequestKind::List | RequestKind::Page),
            RequestGroup::Pages => form == RequestKind::Page,
            RequestGroup::Watches => form == RequestKind::Watch,
            RequestGroup::StreamingLists => form == RequestKind::StreamingList,
            RequestGroup::Others => form == RequestKind::Other,
        };
        group && self.text.as_ref().is_none_or(|text| request.target.contains(text))
    }

    /// Returns whether a request with this number of earlier matches is selected.
    pub(super) fn is_selected(&self, before: u64) -> bool {
        before.checked_sub(self.after).is_some_and(|nth| self.times.is_none_or(|times| nth < times))
    }
}

impl ClassifiedRequest {
    pub(super) fn new(method: &Method, uri: &Uri) -> Self {
        Self { form: RequestKind::of(method, uri), target: uri.to_string() }
    }
}

impl RequestKind {
    fn of(method: &Method, uri: &Uri) -> Self {
        if method != Method::GET || !is_collection(uri.path()) {
            return Self::Other;
        }
        let query = uri.query().unwrap_or_default();
        let has = |wanted: &str, yes: fn(&str) -> bool| {
            form_urlencoded::parse(query.as_bytes())
                .any(|(name, value)| name == wanted && yes(&value))
        };
        let is_true = |value: &str| matches!(value, "true" | "1");
        match (has("watch", is_true), has("sendInitialEvents", is_true)) {
            (true, true) => Self::StreamingList,
            (true, false) => Self::Watch,
            (false, _) if has("continue", |token| !token.is_empty()) => Self::Page,
            (false, _) => Self::List,
        }
    }
}

/// Returns whether a path is that of a collection: not of one object, and not of discovery.
fn is_collection(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let (["api", _, rest @ ..] | ["apis", _, _, rest @ ..]) = &*segments else { return false };
    match rest {
        [_] => true,
        ["namespaces", _, last] => !matches!(*last, "status" | "finalize"),
        _ => false,
    }
}

/// The largest number of recorded lists.
const LISTS: usize = 256;

/// The first response to each list.
#[derive(Debug, Default)]
pub(super) struct RecordedLists {
    answers: HashMap<String, Response<Bytes>>,
}

impl RecordedLists {
    /// Returns the name to record a response under; `None` if it is not to be recorded.
    pub(super) fn name_to_record(&self, request: &ClassifiedRequest) -> Option<String> {
        let name = name(request)?;
        let room = self.answers.len() < LISTS && !self.answers.contains_key(&name);
        room.then_some(name)
    }

    pub(super) fn record(&mut self, name: String, answer: Response<Bytes>) {
        self.answers.entry(name).or_insert(answer);
    }

    pub(super) fn answer(&self, request: &ClassifiedRequest) -> Option<Response<Bytes>> {
        self.answers.get(&name(request)?).cloned()
    }
}

/// Returns the name of a list, whatever its version and page size.
fn name(request: &ClassifiedRequest) -> Option<String> {
    if !matches!(request.form, RequestKind::List | RequestKind::Page) {
        return None;
    }
    let uri: Uri = request.target.parse().ok()?;
    let query = uri.query().unwrap_or_default();
    let kept = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| {
        !matches!(&**name, "limit" | "resourceVersion" | "resourceVersionMatch")
    });
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish();
    Some(format!("{}?{query}", uri.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_classified() {
        let form =
            |target: &str| ClassifiedRequest::new(&Method::GET, &target.parse().unwrap()).form;
        for target in [
            "/api/v1/pods?",
            "/api/v1/namespaces?limit=5",
            "/api/v1/namespaces/shop/pods?continue=",
            "/apis/apps/v1/deployments",
            "/apis/apps/v1/namespaces/shop/deployments?watch=false",
            "http://127.0.0.1:8001/api/v1/pods",
        ] {
            assert_eq!(form(target), RequestKind::List, "{target}");
        }
        for target in [
            "/api/v1",
            "/apis/apps/v1",
            "/api/v1/namespaces/shop",
            "/api/v1/namespaces/shop/pods/web",
            "/api/v1/namespaces/shop/status",
            "/apis/example.com/v1/gadgets/a",
            "/healthz",
        ] {
            assert_eq!(form(target), RequestKind::Other, "{target}");
        }
        assert_eq!(form("/api/v1/pods?limit=5&continue=x"), RequestKind::Page);
        assert_eq!(form("/api/v1/pods?watch=true"), RequestKind::Watch);
        assert_eq!(form("/api/v1/pods?watch=1&sendInitialEvents=true"), RequestKind::StreamingList);
        let create =
            ClassifiedRequest::new(&Method::POST, &"/api/v1/namespaces/a/pods".parse().unwrap());
        assert_eq!(create.form, RequestKind::Other);
    }

    #[test]
    fn each_method_narrows_the_selection() {
        let request = |target: &str| ClassifiedRequest::new(&Method::GET, &target.parse().unwrap());
        let pods = Requests::lists().to("/pods").after(1).times(2);
        assert!(pods.matches(&request("/api/v1/pods")));
        assert!(!pods.matches(&request("/api/v1/nodes")));
        assert!(!pods.matches(&request("/api/v1/pods?watch=1")));
        let turns: Vec<bool> = (0..5).map(|n| pods.is_selected(n)).collect();
        assert_eq!(turns, [false, true, true, false, false]);
    }
}

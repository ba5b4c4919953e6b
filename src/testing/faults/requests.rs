//! Which requests a harm is for.

use http::{Method, Uri};

/// A choice among requests. Each call narrows it.
///
/// ```
/// use kube_informer::testing::Requests;
///
/// let second_page_of_pods = Requests::pages().to("/pods").times(1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Requests {
    which: Which,
    part: Option<String>,
    after: u64,
    times: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    All,
    Reads,
    Lists,
    Pages,
    Watches,
    StreamingLists,
    Others,
}

/// What is asked, as far as a harm can depend on it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) form: AskedForm,
    pub(super) target: String,
}

/// The form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AskedForm {
    /// A list, or its first page.
    List,
    /// A page that goes on where another ended.
    Page,
    Watch,
    StreamingList,
    Other,
}

impl Requests {
    const fn of(which: Which) -> Self {
        Self { which, part: None, after: 0, times: None }
    }

    /// Every request.
    pub const fn all() -> Self {
        Self::of(Which::All)
    }

    /// Lists, their pages, watches and streaming lists: all that an informer asks.
    pub const fn reads() -> Self {
        Self::of(Which::Reads)
    }

    /// Lists and their pages.
    pub const fn lists() -> Self {
        Self::of(Which::Lists)
    }

    /// The second and every later page of a list.
    pub const fn pages() -> Self {
        Self::of(Which::Pages)
    }

    /// Watches that are no streaming lists.
    pub const fn watches() -> Self {
        Self::of(Which::Watches)
    }

    /// Streaming lists.
    pub const fn streaming_lists() -> Self {
        Self::of(Which::StreamingLists)
    }

    /// Everything that is neither list nor watch.
    pub const fn others() -> Self {
        Self::of(Which::Others)
    }

    /// Of those, the ones whose path and query contain this text.
    pub fn to(mut self, part: impl Into<String>) -> Self {
        self.part = Some(part.into());
        self
    }

    /// Of those, not the first `requests`.
    pub fn after(mut self, requests: u64) -> Self {
        self.after = requests;
        self
    }

    /// Of those, so many and then no more.
    pub fn times(mut self, requests: u64) -> Self {
        self.times = Some(requests);
        self
    }

    pub(super) fn matches(&self, asked: &Asked) -> bool {
        let form = asked.form;
        let which = match self.which {
            Which::All => true,
            Which::Reads => form != AskedForm::Other,
            Which::Lists => matches!(form, AskedForm::List | AskedForm::Page),
            Which::Pages => form == AskedForm::Page,
            Which::Watches => form == AskedForm::Watch,
            Which::StreamingLists => form == AskedForm::StreamingList,
            Which::Others => form == AskedForm::Other,
        };
        which && self.part.as_ref().is_none_or(|part| asked.target.contains(part))
    }

    /// Whether it is the turn of a request that so many others came before.
    pub(super) fn has_turn(&self, before: u64) -> bool {
        before.checked_sub(self.after).is_some_and(|nth| self.times.is_none_or(|times| nth < times))
    }
}

impl Asked {
    pub(super) fn new(method: &Method, uri: &Uri) -> Self {
        Self { form: AskedForm::of(method, uri), target: uri.to_string() }
    }
}

impl AskedForm {
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

/// Whether a path is that of a collection, not of one object, and not of discovery.
fn is_collection(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let rest = match &*segments {
        ["api", _, rest @ ..] | ["apis", _, _, rest @ ..] => rest,
        _ => return false,
    };
    match rest {
        [_] => true,
        ["namespaces", _, last] => !matches!(*last, "status" | "finalize"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_apart() {
        let form = |target: &str| Asked::new(&Method::GET, &target.parse().unwrap()).form;
        for target in [
            "/api/v1/pods?",
            "/api/v1/namespaces?limit=5",
            "/api/v1/namespaces/shop/pods?continue=",
            "/apis/apps/v1/deployments",
            "/apis/apps/v1/namespaces/shop/deployments?watch=false",
            "http://127.0.0.1:8001/api/v1/pods",
        ] {
            assert_eq!(form(target), AskedForm::List, "{target}");
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
            assert_eq!(form(target), AskedForm::Other, "{target}");
        }
        assert_eq!(form("/api/v1/pods?limit=5&continue=x"), AskedForm::Page);
        assert_eq!(form("/api/v1/pods?watch=true"), AskedForm::Watch);
        assert_eq!(form("/api/v1/pods?watch=1&sendInitialEvents=true"), AskedForm::StreamingList);
        let create = Asked::new(&Method::POST, &"/api/v1/namespaces/a/pods".parse().unwrap());
        assert_eq!(create.form, AskedForm::Other);
    }

    #[test]
    fn each_call_narrows() {
        let asked = |target: &str| Asked::new(&Method::GET, &target.parse().unwrap());
        let pods = Requests::lists().to("/pods").after(1).times(2);
        assert!(pods.matches(&asked("/api/v1/pods")));
        assert!(!pods.matches(&asked("/api/v1/nodes")));
        assert!(!pods.matches(&asked("/api/v1/pods?watch=1")));
        let turns: Vec<bool> = (0..5).map(|n| pods.has_turn(n)).collect();
        assert_eq!(turns, [false, true, true, false, false]);
    }
}

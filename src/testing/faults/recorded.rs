//! The recorded responses of a lagging replica.

use std::collections::HashMap;

use bytes::Bytes;
use http::{Response, Uri};

use super::requests::{ClassifiedRequest, RequestKind};

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

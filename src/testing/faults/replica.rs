//! What a replica that lags behind still answers: earlier answers to lists.

use std::collections::HashMap;

use bytes::Bytes;
use http::{Response, Uri};

use super::requests::{Asked, AskedForm};

/// How many lists are remembered.
const LISTS: usize = 256;

/// The first answer to each list since it was made.
#[derive(Debug, Default)]
pub(super) struct Replica {
    answers: HashMap<String, Response<Bytes>>,
}

impl Replica {
    /// The name under which the answer to this request is remembered, if one is to be.
    pub(super) fn wants(&self, asked: &Asked) -> Option<String> {
        let name = name(asked)?;
        let room = self.answers.len() < LISTS && !self.answers.contains_key(&name);
        room.then_some(name)
    }

    pub(super) fn keep(&mut self, name: String, answer: Response<Bytes>) {
        self.answers.entry(name).or_insert(answer);
    }

    pub(super) fn answer(&self, asked: &Asked) -> Option<Response<Bytes>> {
        self.answers.get(&name(asked)?).cloned()
    }
}

/// The list that is asked, at whatever version and in pieces of whatever size.
fn name(asked: &Asked) -> Option<String> {
    if !matches!(asked.form, AskedForm::List | AskedForm::Page) {
        return None;
    }
    let uri: Uri = asked.target.parse().ok()?;
    let query = uri.query().unwrap_or_default();
    let kept = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| {
        !matches!(&**name, "limit" | "resourceVersion" | "resourceVersionMatch")
    });
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish();
    Some(format!("{}?{query}", uri.path()))
}

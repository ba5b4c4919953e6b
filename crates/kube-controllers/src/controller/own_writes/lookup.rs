//! The lookup of a write whose answer was lost, by a read from a quorum.

use kube::Client;
use serde::Deserialize;

use super::answer::{Metadata, WriteAnswer, Written};
use super::cache::CacheBefore;
use super::expectation::Expectation;
use super::target::WriteTarget;
use crate::controller::finalizer::is_absent;
use kube_informer::object::ResourceVersion;
use kube_informer::seams::read_document;

/// The `Accept` header of a list: only metadata is read.
const METADATA_ONLY: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// The `Accept` header of a read of one object.
const OBJECT_METADATA: &str =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/// Lists a target's object from a quorum, or one object if the name is unknown. Returns the list's
/// version, and what a cache shows once it has reached that list. `deleted_unseen` says that a
/// cache without the object may be older than it. `sights` are of the caches of the kind.
pub(super) async fn quorum_list(
    client: &Client,
    target: &WriteTarget,
    sights: &[CacheBefore],
    deleted_unseen: bool,
) -> Result<(ResourceVersion, Option<(Option<Written>, Expectation)>), kube::Error> {
    let is_kind = |kind: &str| {
        kind == "PartialObjectMetadata" || sights.iter().all(|sight| sight.is_of_kind(kind))
    };
    let list: List = read_document(client, &target.quorum_list(), METADATA_ONLY).await?;
    let (listed, items, is_whole) = list.proved(is_kind).ok_or_else(|| {
        unusable("the answer is not the requested list: its kind, version or items do not show it")
    })?;
    let reached = || Some((None, Expectation::AtLeast(listed.clone())));
    let Some(name) = &target.name else {
        return Ok((listed.clone(), reached()));
    };
    let mut found = items.into_iter().find(|item| item.is_of(target, name));
    // A server that ignores the selector begins with another object.
    if found.is_none() && !is_whole {
        found = quorum_get(client, target, name, is_kind).await?;
    }
    let version = found.as_ref().and_then(|item| item.metadata.resource_version.as_deref());
    let expectation = match version {
        Some(version) => Expectation::AtLeast(version.into()),
        None if deleted_unseen => return Ok((listed.clone(), reached())),
        None => Expectation::Absent(listed.clone()),
    };
    let state = found.map(|item| item.metadata.state());
    let written = target.key_of(name).map(|key| Written { key, state });
    Ok((listed, written.map(|written| (Some(written), expectation))))
}

/// Reads a target's object from a quorum. `None` if the server states that it does not exist.
async fn quorum_get(
    client: &Client,
    target: &WriteTarget,
    name: &str,
    is_kind: impl Fn(&str) -> bool,
) -> Result<Option<WriteAnswer>, kube::Error> {
    match read_document::<WriteAnswer>(client, &target.path_of(name), OBJECT_METADATA).await {
        Ok(object) if object.is_of(target, name) && is_kind(&object.kind) => Ok(Some(object)),
        Ok(_) => Err(unusable("the answer is not the requested object")),
        Err(error) if is_absent(&error, &target.collection, name) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the error of an answer that is not what was requested.
fn unusable(problem: &str) -> kube::Error {
    kube::Error::SerdeError(serde::de::Error::custom(problem))
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    metadata: Metadata,
    /// Go may leave out the items of an empty list, or write them as null.
    items: Option<Vec<WriteAnswer>>,
}

impl List {
    /// Returns version and items, and whether there are no others. `None` if this may be anything,
    /// which proves no object absent. `is_kind` tells the kinds of the requested objects.
    fn proved(
        self,
        is_kind: impl Fn(&str) -> bool,
    ) -> Option<(ResourceVersion, Vec<WriteAnswer>, bool)> {
        let Self { kind, metadata, items } = self;
        let items = items.unwrap_or_default();
        let version = metadata.resource_version.filter(|version| !matches!(&**version, "" | "0"));
        let is_whole = metadata.r#continue.is_none_or(|token| token.is_empty())
            && metadata.remaining_item_count.is_none_or(|count| count == 0);
        // A custom resource's list may have any kind. Then its items tell.
        let is_named = kind.strip_suffix("List").is_some_and(&is_kind);
        let mut kinds = items.iter().map(|item| &*item.kind);
        let is_list = if is_named {
            kinds.all(|kind| kind.is_empty() || is_kind(kind))
        } else {
            kind != "Status" && !items.is_empty() && kinds.all(is_kind)
        };
        is_list.then_some((version?.as_str().into(), items, is_whole))
    }
}

impl WriteAnswer {
    /// Returns whether this is the target's object of this name.
    fn is_of(&self, target: &WriteTarget, name: &str) -> bool {
        let Metadata { name: found, namespace, .. } = &self.metadata;
        let namespace = namespace.as_deref().unwrap_or_default();
        found.as_deref() == Some(name)
            && (namespace.is_empty() || Some(namespace) == target.namespace())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proved(list: &str) -> Option<(String, usize, bool)> {
        let list: List = serde_json::from_str(list).unwrap();
        let is_kind = |kind: &str| matches!(kind, "Pod" | "PartialObjectMetadata");
        let (version, items, is_whole) = list.proved(is_kind)?;
        Some((version.to_string(), items.len(), is_whole))
    }

    #[test]
    fn only_a_list_proves_an_object_absent() {
        let version = r#""metadata":{"resourceVersion":"7"}"#;
        for (members, items) in [
            (r#""kind":"PartialObjectMetadataList""#, 0),
            (r#""kind":"PodList","items":null"#, 0),
            (r#""kind":"PodList","items":[]"#, 0),
            (r#""kind":"PodList","items":[{"metadata":{"name":"a"}}]"#, 1),
            (r#""kind":"Pods","items":[{"kind":"Pod","metadata":{"name":"a"}}]"#, 1),
        ] {
            let expected = Some(("7".to_owned(), items, true));
            assert_eq!(proved(&format!("{{{members},{version}}}")), expected, "{members}");
            assert_eq!(proved(&format!("{{{members}}}")), None, "{members}");
        }
        for members in [
            r#""kind":"Status""#,
            r#""kind":"Pod""#,
            r#""kind":"Status","items":[]"#,
            r#""kind":"SecretList","items":[]"#,
            r#""kind":"PodList","items":[{"kind":"Secret","metadata":{"name":"a"}}]"#,
            r#""kind":"Pods","items":[]"#,
            r#""items":[]"#,
        ] {
            assert_eq!(proved(&format!("{{{members},{version}}}")), None, "{members}");
        }
        assert_eq!(proved("{}"), None);
    }

    #[test]
    fn empty_namespace_is_none() {
        let target = |path| WriteTarget::of(&http::Method::PATCH, path, None).unwrap();
        let [node, pod] = ["/api/v1/nodes/a", "/api/v1/namespaces/shop/pods/a"].map(target);
        for (namespace, of_node, of_pod) in
            [("", true, true), ("shop", false, true), ("bank", false, false)]
        {
            let answer = format!(r#"{{"metadata":{{"name":"a","namespace":"{namespace}"}}}}"#);
            let answer: WriteAnswer = serde_json::from_str(&answer).unwrap();
            assert_eq!([&node, &pod].map(|target| answer.is_of(target, "a")), [of_node, of_pod]);
        }
    }

    #[test]
    fn page_of_a_list_is_not_whole() {
        for more in [r#""continue":"x""#, r#""remainingItemCount":2"#] {
            let list =
                format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"7",{more}}}}}"#);
            assert_eq!(proved(&list), Some(("7".into(), 0, false)), "{more}");
        }
    }
}

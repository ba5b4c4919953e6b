//! Small tools that controllers and the modules around them share.

use std::borrow::Cow;
use std::fmt;

pub(crate) use kube_informer::seams::{after, clipped_to, now};
#[cfg(not(all(test, shuttle)))]
pub(crate) use parking_lot::Mutex;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

#[cfg(all(test, shuttle))]
pub(crate) use shuttle_parking_lot::Mutex;

/// The characters of a name that a path holds as another text.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':');

/// Serialises durations as seconds, the unit that Prometheus uses.
pub(crate) mod seconds {
    use std::time::Duration;

    use serde::{Serialize, Serializer};

    /// Serialises a duration as seconds, with fractions. For `#[serde(with)]`.
    pub(crate) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(duration.as_secs_f64())
    }

    /// Serialises a duration that may be absent.
    #[allow(clippy::ref_option, reason = "the signature is serde's")]
    pub(crate) fn serialize_some<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        duration.map(|duration| duration.as_secs_f64()).serialize(serializer)
    }
}

/// Returns an object's name as a request's path holds it. The name must be a
/// [path segment](kube_informer::object::NameRule::PathSegment); `kube` writes it into the path as
/// it is.
pub(crate) fn in_path(name: &str) -> Cow<'_, str> {
    utf8_percent_encode(name, ENCODED).into()
}

/// Returns a resource's name as kubectl writes it.
pub(crate) fn resource_name(plural: &str, group: &str) -> String {
    if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") }
}

/// Writes an object or resource and its namespace, such as `pods in shop`.
pub(crate) fn write_place(
    f: &mut fmt::Formatter<'_>,
    what: &dyn fmt::Display,
    namespace: Option<&str>,
) -> fmt::Result {
    match namespace {
        Some(namespace) => write!(f, "{what} in {namespace}"),
        None => write!(f, "{what}"),
    }
}

/// Returns the text of an error of user code.
pub(crate) fn text(render: impl FnOnce() -> String) -> String {
    let panicked = |message| format!("an error whose text panicked: {message}");
    kube_informer::seams::catch(render).unwrap_or_else(panicked)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn paused_time_passes_only_with_tokios_clock() {
        let before = now();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(now(), before);
        tokio::time::advance(Duration::from_secs(3_600)).await;
        assert_eq!(now().duration_since(before).as_secs(), 3_600);
    }
}

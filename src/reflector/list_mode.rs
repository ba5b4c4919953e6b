//! The choice between plain and streaming lists, as a user makes it.

/// The form in which a reflector gets the first state, and every list after it.
///
/// A plain list is one answer, or several pages. A streaming list (KEP-3157) is a watch that begins
/// with all objects and then goes on. Either is consistent. Without
/// [`any_version`](super::ReflectorOptions::any_version) the first one is at least as new as the
/// moment of its request.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::reflector::{ListMode, ReflectorOptions};
///
/// let options = ReflectorOptions::<Pod>::new().list_mode(ListMode::Streaming);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListMode {
    /// Plain lists, until the server shows that a streaming list is better. The list is then a
    /// streaming one:
    ///
    /// - after three plain lists in a row that the server answered with 429 or with an internal
    ///   error, or did not complete,
    /// - instead of the rest of a plain list whose pages expired, if those of the list before did,
    ///   too. This is tried once, until a list in pages succeeds.
    ///
    /// If that streaming list succeeds, others follow for an hour, and then plain lists again. It
    /// gives way to a plain list as in [`Streaming`](Self::Streaming).
    ///
    /// A failed connection says nothing about the form. The version of the server is not requested.
    #[default]
    Auto,
    /// Only plain lists.
    Plain,
    /// Streaming lists, with plain ones where the server has none. With [kept
    /// objects](crate::warm), the first list is plain. Plain lists follow:
    ///
    /// - for an hour after the server refused a streaming list, or did not end its initial events
    ///   in time,
    /// - after another error, until a list succeeds,
    /// - after three answers with 429 or failed connections in a row, until a list succeeds.
    ///
    /// If plain lists fail instead, streaming ones follow as in [`Auto`](Self::Auto), except in
    /// that hour.
    Streaming,
}

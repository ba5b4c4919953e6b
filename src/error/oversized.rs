//! Answers that are larger than any document.

/// An answer about one object, or a document of discovery, is larger than 16 MiB. The rest was not
/// read. The server may have made the change that the request asked for.
///
/// It is inside [`kube::Error::Service`].
///
/// ```
/// use kube_informer::error::AnswerTooLarge;
///
/// /// Returns whether a proxy may have answered in the server's place.
/// fn is_suspect(error: &kube::Error) -> bool {
///     matches!(error, kube::Error::Service(cause) if cause.is::<AnswerTooLarge>())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the answer is larger than {limit} bytes, which no object is; look at the server, or at a \
     proxy that answers in its place"
)]
#[non_exhaustive]
pub struct AnswerTooLarge {
    /// The limit, in bytes.
    pub(crate) limit: usize,
}

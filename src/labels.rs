//! Label selectors in the syntax of `kubectl -l`.
//!
//! A parse error names the problem and its position. Matching never fails and never allocates.

#[doc(inline)]
pub use kube_decode::labels::{InvalidSelector, LabelSelector};

//! Label selectors in the syntax of `kubectl -l`.
//!
//! A parse error names the problem and its position. Matching never fails and never allocates.

pub(crate) use kube_decode::labels::is_domain;
#[doc(inline)]
pub use kube_decode::labels::{InvalidSelector, LabelSelector};

//! Sets of informers that follow what comes and goes: namespaces that a selector selects, kinds that
//! are served, objects that others name.
//!
//! A set has an informer for each of its members, which it requests as an
//! [interest](super::Interest). [`members`] brings the set in line with the members that are wanted.
//! The other files say which these are.

mod discovery;
mod kinds;
mod members;
mod namespaces;
mod referenced;
mod references;
mod registration;
mod widening;

pub use self::kinds::Kinds;
pub use self::members::SetIndex;
pub use self::namespaces::SelectedNamespaces;
pub use self::referenced::Referenced;
pub use self::references::Reference;

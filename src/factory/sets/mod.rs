//! Informers that follow what comes and goes: a kind that may not be served, and sets of informers
//! by a selector of namespaces, by served kinds and by references.
//!
//! A set has an informer for each of its members, which it requests as an
//! [interest](super::Interest). [`members`] brings the set in line with the members that are
//! wanted. The other files say which these are.

mod conditions;
mod definition;
mod discovery;
mod kinds;
mod members;
mod namespaces;
mod parts;
mod referenced;
mod references;
mod registration;
mod serving;

pub use self::kinds::Kinds;
#[doc(hidden)]
pub use self::members::FactoryNeed;
pub use self::namespaces::SelectedNamespaces;
pub use self::referenced::Referenced;
pub use self::references::Reference;

//! Errors of a factory that refuses a spec.

use std::fmt;
use std::sync::Arc;

use crate::lister_watcher::Collection;

/// An error of a factory that refuses an [`InformerSpec`](super::InformerSpec).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The factory already has this informer, with other options.
    #[error(transparent)]
    Conflict(#[from] SpecConflict),
    /// An option of the spec would have no effect.
    #[error("the option {option} of {resource} has no effect: {reason}")]
    #[non_exhaustive]
    NoEffect {
        /// The requested resource, as `kubectl` writes it.
        resource: Arc<str>,
        /// The option's name.
        option: &'static str,
        /// The reason, and what to do.
        reason: &'static str,
    },
}

/// The error of a spec whose options differ from those of an existing informer.
///
/// Type, namespace and selectors identify an informer. All callers that request the same one share
/// it, so its other options cannot differ. An option that a spec leaves unset never conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecConflict {
    /// The collection that the informer holds.
    pub collection: Collection,
    /// The options that differ. There is at least one.
    pub differences: Vec<OptionDifference>,
}

/// An option that the existing informer and the spec set differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionDifference {
    /// The option's name, as in [`InformerSpec`](super::InformerSpec).
    pub option: &'static str,
    /// The setting of the existing informer.
    pub present: String,
    /// The requested setting.
    pub requested: String,
}

impl std::error::Error for SpecConflict {}

impl fmt::Display for SpecConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { collection, differences } = self;
        write!(f, "an informer of {collection} exists with other options: ")?;
        for (n, difference) in differences.iter().enumerate() {
            write!(f, "{}{difference}", if n == 0 { "" } else { ", " })?;
        }
        f.write_str("; request it with clones of one spec, or from another factory")
    }
}

impl fmt::Display for OptionDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, present, requested } = self;
        write!(f, "{option} is {present}, requested: {requested}")
    }
}

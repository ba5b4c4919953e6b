//! Why a factory gives no informer for a spec.

use std::fmt;
use std::sync::Arc;

use crate::lister_watcher::Collection;

/// The factory gives no informer for this spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The factory has this informer already, with other options.
    #[error(transparent)]
    Conflict(#[from] SpecConflict),
    /// An option of the spec has no effect here.
    #[error("the option {option} of {resource} has no effect: {reason}")]
    #[non_exhaustive]
    NoEffect {
        /// The resource that was asked for.
        resource: Arc<str>,
        /// The option's name.
        option: &'static str,
        /// Why it has no effect, and what to do.
        reason: &'static str,
    },
}

/// The factory has this informer already, with other options.
///
/// Type, namespace and selectors say which informer it is; whoever asks for the same shares one
/// informer, so that its other options can't differ. An option that a spec leaves unset never
/// conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecConflict {
    /// The objects that the informer holds.
    pub collection: Collection,
    /// The options that differ; at least one.
    pub differences: Vec<OptionDifference>,
}

/// An option that two specs of one informer set differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionDifference {
    /// The option's name, as in [`InformerSpec`](super::InformerSpec).
    pub option: &'static str,
    /// The setting that the informer has.
    pub present: String,
    /// The setting that was asked for.
    pub asked: String,
}

impl std::error::Error for SpecConflict {}

impl fmt::Display for SpecConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { collection, differences } = self;
        write!(f, "an informer of {collection} exists with other options: ")?;
        for (n, difference) in differences.iter().enumerate() {
            write!(f, "{}{difference}", if n == 0 { "" } else { ", " })?;
        }
        f.write_str("; ask for it with clones of one spec, or ask another factory")
    }
}

impl fmt::Display for OptionDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, present, asked } = self;
        write!(f, "{option} is {present}, asked for: {asked}")
    }
}

//! Helpers that the test programs of this crate share: the informer's, and those for controllers.

mod controllers;
#[path = "../../../../tests/helpers/mod.rs"]
mod informer;

pub(crate) use self::controllers::*;
pub(crate) use self::informer::*;

//! Names of controllers, tasks and checks.

use std::collections::HashSet;
use std::sync::Arc;

use super::ManagerError;

/// Refuses empty names, and names that are used twice.
pub(super) fn check_names<'a>(
    names: impl Iterator<Item = &'a Arc<str>>,
) -> Result<(), ManagerError> {
    let mut seen = HashSet::new();
    for name in names {
        if name.is_empty() {
            return Err(ManagerError::EmptyName);
        }
        if !seen.insert(&**name) {
            return Err(ManagerError::DuplicateName { name: name.clone() });
        }
    }
    Ok(())
}

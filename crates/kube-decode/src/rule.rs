//! The choice of an object's members that are decoded. The others are skipped unread.
//!
//! One rule skips `metadata.managedFields`. Decoded, they are a tree of maps several times the size
//! of everything else, and only the server needs them. The other rule keeps only some fields, and
//! may skip managed fields, too. In both cases the type sees an object that has no other fields.

use crate::field_set::{FieldSet, Wanted};

/// The filter rule for the members at one level.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule<'f> {
    /// At the level of an object: all but its managed fields.
    AllButManagedFields,
    /// At the level of an object's metadata: all but its managed fields.
    Metadata,
    /// At the level of an object: these fields.
    Object(&'f FieldSet),
    /// At the level of an object: these fields, but not its managed fields.
    BareObject(&'f FieldSet),
    /// At a level inside an object: these fields.
    Within(&'f FieldSet),
    /// At the level of an object: all of it. This and the following rules lead to trees.
    Whole,
    /// At the level of an object's metadata: all of it.
    WholeMetadata,
    /// At the level of managed fields, or of an entry of them: all of it.
    ManagedFields,
    /// At the level of an entry's `fieldsV1`: all of it. It is a tree of empty maps, many times the
    /// size of the rest, and most types keep it as it is.
    Tree,
}

/// The decision about one member.
pub(super) enum Verdict<'f> {
    Skip,
    Pass,
    Look(Rule<'f>),
}

impl<'f> Rule<'f> {
    /// Returns the decision about the member with this name.
    pub(super) fn judge(self, name: &str) -> Verdict<'f> {
        match self {
            Self::AllButManagedFields if name == "metadata" => Verdict::Look(Self::Metadata),
            Self::Metadata if name == "managedFields" => Verdict::Skip,
            Self::Whole if name == "metadata" => Verdict::Look(Self::WholeMetadata),
            Self::WholeMetadata if name == "managedFields" => Verdict::Look(Self::ManagedFields),
            Self::ManagedFields if name == "fieldsV1" => Verdict::Look(Self::Tree),
            Self::AllButManagedFields
            | Self::Metadata
            | Self::Whole
            | Self::WholeMetadata
            | Self::ManagedFields
            | Self::Tree => Verdict::Pass,
            Self::Object(fields) | Self::BareObject(fields) | Self::Within(fields) => {
                match (fields.of(name), self) {
                    (None, _) => Verdict::Skip,
                    (Some(Wanted::Some(within)), _) => Verdict::Look(Self::Within(within)),
                    (Some(Wanted::All), Self::BareObject(_)) => {
                        Self::AllButManagedFields.judge(name)
                    }
                    (Some(Wanted::All), Self::Object(_)) => Self::Whole.judge(name),
                    (Some(Wanted::All), _) => Verdict::Pass,
                }
            }
        }
    }

    /// Returns whether the rule may skip members, of the value or inside it.
    pub(super) fn skips_members(self) -> bool {
        matches!(
            self,
            Self::AllButManagedFields
                | Self::Metadata
                | Self::Object(_)
                | Self::BareObject(_)
                | Self::Within(_)
        )
    }

    /// Returns the rule for each element, if the value is a list.
    pub(super) fn for_elements(self) -> Option<Self> {
        matches!(self, Self::Within(_) | Self::ManagedFields).then_some(self)
    }
}

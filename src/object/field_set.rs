//! Which fields of an object somebody looks at.
//!
//! Who says so can be shown an object of which nothing else was decoded.

use std::collections::BTreeMap;

/// Some fields of an object, each with all that is in it.
///
/// A field is named by its path in the object's JSON, with dots in between: `metadata`,
/// `spec.nodeName`. What is in a list is named as if there were no list: `spec.containers.image`. What
/// has a dot in its own name can only be had with what it is in: `metadata.annotations`.
///
/// ```
/// use kube_informer::object::FieldSet;
///
/// let fields = FieldSet::from_paths(["metadata.ownerReferences", "spec.nodeName"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet(BTreeMap<Box<str>, Wanted>);

/// What is wanted of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    Some(FieldSet),
}

impl FieldSet {
    /// The fields of these paths. What no object has is never there.
    pub fn from_paths<P: AsRef<str>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.add(path.as_ref());
        }
        set
    }

    fn add(&mut self, path: &str) {
        match path.split_once('.') {
            None => drop(self.0.insert(path.into(), Wanted::All)),
            Some((name, rest)) => {
                let within = self.0.entry(name.into());
                if let Wanted::Some(within) = within.or_insert(Wanted::Some(Self::default())) {
                    within.add(rest);
                }
            }
        }
    }

    /// What is wanted of the member of this name, if anything.
    pub(crate) fn of(&self, name: &str) -> Option<&Wanted> {
        self.0.get(name)
    }

    /// These and others.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        for (name, wanted) in &others.0 {
            let both = match (self.0.remove(name), wanted) {
                (Some(Wanted::Some(some)), Wanted::Some(more)) => Wanted::Some(some.and(more)),
                (None, wanted) => wanted.clone(),
                _ => Wanted::All,
            };
            self.0.insert(name.clone(), both);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_field_comes_with_all_that_is_in_it() {
        for paths in [["a.b", "a"], ["a", "a.b"]] {
            let set = FieldSet::from_paths(paths);
            assert_eq!((set.of("a"), set.of("b")), (Some(&Wanted::All), None));
        }
        let set = FieldSet::from_paths(["a.b.c", "a.d"]);
        let Some(Wanted::Some(within)) = set.of("a") else { panic!("not all of a") };
        assert_eq!(within, &FieldSet::from_paths(["d", "b.c"]));
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn both_is_all_the_paths_of_both(
            some in vec("[ab](\\.[ab]){0,2}", 0..5),
            more in vec("[ab](\\.[ab]){0,2}", 0..5),
        ) {
            let both = FieldSet::from_paths(&some).and(&FieldSet::from_paths(&more));
            prop_assert_eq!(both, FieldSet::from_paths(some.iter().chain(&more)));
        }
    }
}

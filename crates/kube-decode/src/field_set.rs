//! Sets of fields of an object.
//!
//! A caller that names the fields it reads may get an object in which only those are decoded.

use std::collections::BTreeMap;

/// A set of fields of an object. A field includes everything below it.
///
/// A field is named by its path in the object's JSON, with dots between the names: `metadata`,
/// `spec.nodeName`. A path passes through a list as if the list were not there:
/// `spec.containers.image`. A field whose own name has a dot can't be named; name the field that
/// contains it: `metadata.annotations`.
///
/// ```
/// use kube_decode::FieldSet;
///
/// let fields = FieldSet::from_paths(["metadata.ownerReferences", "spec.nodeName"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet(BTreeMap<Box<str>, Wanted>);

/// The most names of a path. No object has more levels, because decoders refuse deeper ones.
const DEEPEST: usize = 128;

/// The selected part of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    Some(FieldSet),
}

impl FieldSet {
    /// Makes the set of the fields with these paths. A path that no object has selects nothing, and
    /// so does one with more than 128 names.
    pub fn from_paths<P: AsRef<str>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.add(path.as_ref(), DEEPEST);
        }
        set
    }

    /// Adds the field with this path, if it has at most so many names. A set is as deep as its
    /// longest path, and each level takes some of the stack.
    fn add(&mut self, path: &str, most: usize) {
        match path.split_once('.') {
            _ if most == 0 => {}
            None => drop(self.0.insert(path.into(), Wanted::All)),
            Some((name, rest)) => {
                let within = self.0.entry(name.into());
                if let Wanted::Some(within) = within.or_insert(Wanted::Some(Self::default())) {
                    within.add(rest, most - 1);
                }
            }
        }
    }

    /// Returns the selected part of the field with this name, or `None` if it is not selected.
    pub(crate) fn of(&self, name: &str) -> Option<&Wanted> {
        self.0.get(name)
    }

    /// Returns the union of both sets.
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
    fn field_includes_everything_below_it() {
        for paths in [["a.b", "a"], ["a", "a.b"]] {
            let set = FieldSet::from_paths(paths);
            assert_eq!((set.of("a"), set.of("b")), (Some(&Wanted::All), None));
        }
        let set = FieldSet::from_paths(["a.b.c", "a.d"]);
        let Some(Wanted::Some(within)) = set.of("a") else { panic!("not all of a") };
        assert_eq!(within, &FieldSet::from_paths(["d", "b.c"]));
    }

    #[test]
    fn path_deeper_than_any_object_takes_no_stack() {
        let path = |names: usize| vec!["a"; names].join(".");
        let set = FieldSet::from_paths([path(1_000_000)]);
        assert_eq!(set.clone().and(&set), FieldSet::from_paths([path(500_000)]));
        assert_ne!(FieldSet::from_paths([path(127)]), FieldSet::from_paths([path(126)]));
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn union_has_the_paths_of_both(
            some in vec("[ab](\\.[ab]){0,2}", 0..5),
            more in vec("[ab](\\.[ab]){0,2}", 0..5),
        ) {
            let both = FieldSet::from_paths(&some).and(&FieldSet::from_paths(&more));
            prop_assert_eq!(both, FieldSet::from_paths(some.iter().chain(&more)));
        }
    }
}

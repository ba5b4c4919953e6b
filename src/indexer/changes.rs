//! The difference between two states of the store.
//!
//! Two states share every node that no write between them touched. So finding the difference takes
//! time in proportion to the writes, not to the store's size.

use std::sync::Arc;

use super::persistent_vec::{BITS, FAN, Leaf, Node, PersistentVec, Row};

/// A node, and the number of branch levels below it.
type Subtree<'a, T> = Option<(&'a Arc<Node<T>>, u32)>;

/// An iterator over the rows whose items differ.
pub(super) struct Changes<'a, T> {
    /// The pairs of nodes still to compare. Both nodes cover the same rows, which begin with this
    /// one.
    pairs: Vec<(Row, Subtree<'a, T>, Subtree<'a, T>)>,
    /// The leaves that are being compared.
    leaves: (Option<&'a Leaf<T>>, Option<&'a Leaf<T>>),
    first: Row,
    at: usize,
}

/// A row whose item was added, removed or replaced: the row, the item before and the item after.
pub(super) type Changed<'a, T> = (Row, Option<&'a T>, Option<&'a T>);

impl<'a, T> Changes<'a, Arc<T>> {
    pub(super) fn new(before: &'a PersistentVec<Arc<T>>, after: &'a PersistentVec<Arc<T>>) -> Self {
        let pairs = vec![(0, before.root(), after.root())];
        Self { pairs, leaves: (None, None), first: 0, at: FAN }
    }

    /// Compares a pair of nodes. Skips it if both are the same node.
    fn open(&mut self, first: Row, before: Subtree<'a, Arc<T>>, after: Subtree<'a, Arc<T>>) {
        if let (Some((a, _)), Some((b, _))) = (before, after)
            && Arc::ptr_eq(a, b)
        {
            return;
        }
        let height = |place: Subtree<'a, Arc<T>>| place.map_or(0, |(_, height)| height);
        let height = height(before).max(height(after));
        if height == 0 {
            let leaf = |place: Subtree<'a, Arc<T>>| match place.map(|(node, _)| &**node) {
                Some(Node::Leaf(items)) => Some(items),
                _ => None,
            };
            (self.leaves, self.first, self.at) = ((leaf(before), leaf(after)), first, 0);
            return;
        }
        for child in (0..FAN).rev() {
            let below = |place| below(place, child, height);
            let (before, after) = (below(before), below(after));
            if before.is_some() || after.is_some() {
                let child = Row::try_from(child).expect("a child is less than eight");
                self.pairs.push((first | child << (height * BITS), before, after));
            }
        }
    }
}

/// Returns the subtree below a child of a node at this height. A lower tree is, as a whole, the
/// first child of a higher one.
fn below<T>(place: Subtree<'_, T>, child: usize, height: u32) -> Subtree<'_, T> {
    let (node, own) = place?;
    if own < height {
        return (child == 0).then_some((node, own));
    }
    match &**node {
        Node::Branch { children, .. } => Some((children[child].as_ref()?, height - 1)),
        Node::Leaf(_) => None,
    }
}

impl<'a, T> Iterator for Changes<'a, Arc<T>> {
    type Item = Changed<'a, Arc<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while self.at < FAN {
                let (at, (before, after)) = (self.at, self.leaves);
                self.at += 1;
                let item = |leaf: Option<&'a Leaf<Arc<T>>>| leaf?[at].as_ref();
                let (before, after) = (item(before), item(after));
                let same = match (before, after) {
                    (None, None) => true,
                    (Some(before), Some(after)) => Arc::ptr_eq(before, after),
                    _ => false,
                };
                if !same {
                    // A position is less than eight, and a leaf's first row is a multiple of
                    // eight.
                    let at = Row::try_from(at).unwrap_or_default();
                    return Some((self.first | at, before, after));
                }
            }
            let (first, before, after) = self.pairs.pop()?;
            self.open(first, before, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Inserts, changes and removes items.
    fn write(rows: &mut PersistentVec<Arc<u32>>, writes: &[(u8, u16)]) {
        for (n, (action, row)) in (0..).zip(writes) {
            match action {
                0 => drop(rows.take((*row).into())),
                1 => {
                    if let Some(place) = rows.get_mut((*row).into()) {
                        *place = Arc::new(n);
                    }
                }
                _ => {
                    rows.insert(Arc::new(n));
                }
            }
        }
    }

    fn all(rows: &PersistentVec<Arc<u32>>) -> BTreeMap<Row, *const u32> {
        let mut all = BTreeMap::new();
        rows.visit(0, usize::MAX, &mut |row, item| {
            all.insert(row, Arc::as_ptr(item));
        });
        all
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn changes_lead_from_one_state_to_another(
            start in 0..600u32,
            first in proptest::collection::vec((0..4u8, 0..700u16), 0..200),
            second in proptest::collection::vec((0..4u8, 0..700u16), 0..200),
            emptied in any::<bool>(),
        ) {
            let mut rows = PersistentVec::new();
            for n in 0..start {
                rows.insert(Arc::new(n));
            }
            write(&mut rows, &first);
            let before = rows.clone();
            if emptied {
                (8..2_000).for_each(|row| drop(rows.take(row)));
            }
            write(&mut rows, &second);
            for (before, after) in [(&before, &rows), (&rows, &before), (&rows, &rows)] {
                let mut model = all(before);
                let expected = all(after);
                for (row, old, new) in Changes::new(before, after) {
                    let was = match new {
                        Some(new) => model.insert(row, Arc::as_ptr(new)),
                        None => model.remove(&row),
                    };
                    prop_assert_eq!(was, old.map(Arc::as_ptr));
                    prop_assert_ne!(was, new.map(Arc::as_ptr));
                }
                prop_assert_eq!(model, expected);
            }
        }
    }
}

//! A map whose every state can be kept: cloning it is O(1), changing it copies one path.
//!
//! It is a hash trie: branches of up to 32 children chosen by five bits of the hash, leaves of a
//! few entries. A node that some other clone still holds is copied before it is changed; a node
//! that this clone alone holds is changed in place, so a thousand changes in one transaction copy
//! each node once. It never locks and never blocks.

use std::sync::Arc;

const BITS: u32 = 5;
const MASK: u64 = (1 << BITS) - 1;

/// Into how many parts the entries fall, by the last bits of their hashes.
pub(super) const PARTS: u64 = 1 << PART_BITS;
const PART_BITS: u32 = 2 * BITS;

/// More entries than this split a leaf, as long as there are bits left to split by.
const LEAF: usize = 8;

/// A branch that holds no more entries than this becomes a leaf again: well below [`LEAF`], so
/// that an entry that comes and goes does not split and collapse each time.
const COLLAPSE: usize = LEAF / 2;

/// A persistent hash map. The caller brings the hash, so borrowed keys need no allocation.
pub(super) struct Trie<K, V> {
    root: Node<K, V>,
    len: usize,
}

/// One allocation a node: a level costs a reader one step, and a copy one call of the allocator.
enum Node<K, V> {
    Leaf(Arc<[Entry<K, V>]>),
    /// Which of the 32 children there are, and these.
    Branch(u32, Arc<[Node<K, V>]>),
}

#[derive(Clone)]
struct Entry<K, V> {
    hash: u64,
    key: K,
    value: V,
}

/// The bit of a hash at this level, and where its child is or would be among those of `bitmap`.
fn place(bitmap: u32, hash: u64, shift: u32) -> (u32, usize) {
    let bit = 1u32 << ((hash >> shift) & MASK);
    (bit, (bitmap & (bit - 1)).count_ones() as usize)
}

/// A slice with one more element at `index`.
fn with<T: Clone>(slice: &[T], index: usize, element: T) -> Arc<[T]> {
    let (head, tail) = slice.split_at(index);
    head.iter().cloned().chain([element]).chain(tail.iter().cloned()).collect()
}

/// A slice without the element at `index`.
fn without<T: Clone>(slice: &[T], index: usize) -> Arc<[T]> {
    let (head, tail) = slice.split_at(index);
    head.iter().chain(tail.get(1..).unwrap_or_default()).cloned().collect()
}

impl<K, V> Trie<K, V> {
    pub(super) fn new() -> Self {
        Self { root: Node::Leaf(Arc::default()), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// O(log32 n).
    pub(super) fn get(&self, hash: u64, is: impl Fn(&K) -> bool) -> Option<&V> {
        self.get_entry(hash, is).map(|(_, value)| value)
    }

    /// A value, with the key it is kept under. O(log32 n).
    pub(super) fn get_entry(&self, hash: u64, is: impl Fn(&K) -> bool) -> Option<(&K, &V)> {
        let mut node = &self.root;
        let mut shift = 0;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    let entry = leaf.iter().find(|entry| entry.hash == hash && is(&entry.key));
                    return entry.map(|entry| (&entry.key, &entry.value));
                }
                Node::Branch(bitmap, children) => {
                    let (bit, index) = place(*bitmap, hash, shift);
                    if bitmap & bit == 0 {
                        return None;
                    }
                    node = children.get(index)?;
                    shift += BITS;
                }
            }
        }
    }

    /// Every entry, in no particular order.
    pub(super) fn iter(&self) -> Iter<'_, K, V> {
        let mut iter = Iter { leaf: [].iter(), branches: Vec::new(), left: self.len };
        iter.enter(&self.root);
        iter
    }

    /// Shows the entries whose hashes end in the bits of `part`, of [`PARTS`] in all.
    pub(super) fn visit_part(&self, part: u64, visit: &mut dyn FnMut(&K, &V)) {
        let mut node = &self.root;
        let mut shift = 0;
        while shift < PART_BITS
            && let Node::Branch(bitmap, children) = node
        {
            let (bit, index) = place(*bitmap, part, shift);
            let Some(child) = children.get(index).filter(|_| bitmap & bit != 0) else { return };
            node = child;
            shift += BITS;
        }
        match node {
            // A leaf near the root has entries of other parts, too.
            Node::Leaf(leaf) => {
                let here = leaf.iter().filter(|entry| entry.hash & (PARTS - 1) == part);
                here.for_each(|entry| visit(&entry.key, &entry.value));
            }
            Node::Branch(..) => {
                let mut iter = Iter { leaf: [].iter(), branches: Vec::new(), left: self.len };
                iter.enter(node);
                iter.for_each(|(key, value)| visit(key, value));
            }
        }
    }

    #[cfg(test)]
    pub(super) fn nodes(&self) -> usize {
        fn count<K, V>(node: &Node<K, V>) -> usize {
            match node {
                Node::Leaf(_) => 1,
                Node::Branch(_, children) => 1 + children.iter().map(count).sum::<usize>(),
            }
        }
        count(&self.root)
    }
}

impl<K: Clone, V: Clone> Trie<K, V> {
    /// Changes the value of a key, or gives it one, in one descent. `change` is given the present
    /// value, or `None` and then says what to put in: a key and a value.
    pub(super) fn upsert<R>(
        &mut self,
        hash: u64,
        is: impl Fn(&K) -> bool,
        change: impl FnOnce(&mut V) -> R,
        make: impl FnOnce() -> (K, V),
    ) -> Option<R> {
        let mut node = &mut self.root;
        let mut shift = 0;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    let at = leaf.iter().position(|entry| entry.hash == hash && is(&entry.key));
                    if let Some(at) = at {
                        return Some(change(&mut Arc::make_mut(leaf)[at].value));
                    }
                    let (key, value) = make();
                    *leaf = with(leaf, leaf.len(), Entry { hash, key, value });
                    if leaf.len() > LEAF && shift < u64::BITS {
                        *node = Node::split(shift, leaf);
                    }
                    break;
                }
                Node::Branch(bitmap, children) => {
                    let (bit, index) = place(*bitmap, hash, shift);
                    if *bitmap & bit == 0 {
                        let (key, value) = make();
                        let leaf = Node::Leaf([Entry { hash, key, value }].into());
                        *children = with(children, index, leaf);
                        *bitmap |= bit;
                        break;
                    }
                    node = &mut Arc::make_mut(children)[index];
                    shift += BITS;
                }
            }
        }
        self.len += 1;
        None
    }

    /// Puts a value in, and gives back the one it replaces. Where the key is there already, its
    /// present instance stays.
    pub(super) fn insert(&mut self, hash: u64, key: &K, value: &V) -> Option<V>
    where
        K: Eq,
    {
        let replace = |present: &mut V| std::mem::replace(present, value.clone());
        self.upsert(hash, |other| other == key, replace, || (key.clone(), value.clone()))
    }

    /// To change a value in place; copies the path to it where it is shared.
    pub(super) fn get_mut(&mut self, hash: u64, is: impl Fn(&K) -> bool) -> Option<&mut V> {
        // Nothing is to be copied for a key that is not there.
        self.get(hash, &is)?;
        let mut node = &mut self.root;
        let mut shift = 0;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    let mut entries = Arc::make_mut(leaf).iter_mut();
                    let entry = entries.find(|entry| entry.hash == hash && is(&entry.key))?;
                    return Some(&mut entry.value);
                }
                Node::Branch(bitmap, children) => {
                    let (_, index) = place(*bitmap, hash, shift);
                    node = Arc::make_mut(children).get_mut(index)?;
                    shift += BITS;
                }
            }
        }
    }

    pub(super) fn remove(&mut self, hash: u64, is: impl Fn(&K) -> bool) -> Option<V> {
        self.get(hash, &is)?;
        let removed = self.root.remove(0, hash, &is);
        self.len -= usize::from(removed.is_some());
        removed
    }
}

impl<K: Clone, V: Clone> Node<K, V> {
    /// The branch that these entries make at this level.
    fn split(shift: u32, entries: &[Entry<K, V>]) -> Self {
        let mut groups: Vec<Vec<Entry<K, V>>> = vec![Vec::new(); 1 << BITS];
        for entry in entries {
            groups[usize::try_from((entry.hash >> shift) & MASK).unwrap_or(0)].push(entry.clone());
        }
        let mut bitmap = 0;
        let mut children = Vec::new();
        for (n, group) in groups.into_iter().enumerate().filter(|(_, group)| !group.is_empty()) {
            bitmap |= 1 << n;
            let deeper = shift + BITS;
            children.push(if group.len() > LEAF && deeper < u64::BITS {
                Self::split(deeper, &group)
            } else {
                Self::Leaf(group.into())
            });
        }
        Self::Branch(bitmap, children.into())
    }

    /// Removes an entry that is there.
    fn remove(&mut self, shift: u32, hash: u64, is: &impl Fn(&K) -> bool) -> Option<V> {
        match self {
            Node::Leaf(leaf) => {
                let index = leaf.iter().position(|e| e.hash == hash && is(&e.key))?;
                let removed = leaf.get(index)?.value.clone();
                *leaf = without(leaf, index);
                Some(removed)
            }
            Node::Branch(bitmap, children) => {
                let (bit, index) = place(*bitmap, hash, shift);
                let child = Arc::make_mut(children).get_mut(index)?;
                let removed = child.remove(shift + BITS, hash, is);
                if child.is_empty() {
                    *children = without(children, index);
                    *bitmap &= !bit;
                }
                if let Some(leaf) = Self::collapsed(children) {
                    *self = leaf;
                }
                removed
            }
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Node::Leaf(leaf) if leaf.is_empty())
    }

    /// The leaf that a branch of these children could as well be.
    fn collapsed(children: &[Self]) -> Option<Self> {
        if children.len() > COLLAPSE {
            return None;
        }
        let mut entries: Vec<Entry<K, V>> = Vec::new();
        for child in children {
            match child {
                Node::Leaf(leaf) if entries.len() + leaf.len() <= COLLAPSE => {
                    entries.extend_from_slice(leaf);
                }
                _ => return None,
            }
        }
        Some(Self::Leaf(entries.into()))
    }
}

// By hand: a derive would ask K and V to be Clone.
impl<K, V> Clone for Trie<K, V> {
    fn clone(&self) -> Self {
        Self { root: self.root.clone(), len: self.len }
    }
}

impl<K, V> Clone for Node<K, V> {
    fn clone(&self) -> Self {
        match self {
            Self::Leaf(leaf) => Self::Leaf(leaf.clone()),
            Self::Branch(bitmap, children) => Self::Branch(*bitmap, children.clone()),
        }
    }
}

/// The entries of a [`Trie`].
pub(super) struct Iter<'a, K, V> {
    leaf: std::slice::Iter<'a, Entry<K, V>>,
    branches: Vec<std::slice::Iter<'a, Node<K, V>>>,
    left: usize,
}

impl<'a, K, V> Iter<'a, K, V> {
    fn enter(&mut self, node: &'a Node<K, V>) {
        match node {
            Node::Leaf(leaf) => self.leaf = leaf.iter(),
            Node::Branch(_, children) => self.branches.push(children.iter()),
        }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.leaf.next() {
                self.left -= 1;
                return Some((&entry.key, &entry.value));
            }
            match self.branches.last_mut()?.next() {
                Some(node) => self.enter(node),
                None => drop(self.branches.pop()),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// Hashes that share long prefixes, and some that are equal.
    fn hash(key: u16) -> u64 {
        match key % 4 {
            0 => u64::from(key % 3),
            1 => u64::from(key) << 58,
            2 => u64::from(key) << 32 | 7,
            _ => foldhash::quality::RandomState::default().hash_one_fixed(key),
        }
    }

    trait Fixed {
        fn hash_one_fixed(&self, key: u16) -> u64;
    }

    impl Fixed for foldhash::quality::RandomState {
        fn hash_one_fixed(&self, key: u16) -> u64 {
            u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        }
    }

    #[derive(Clone, Debug)]
    enum Op {
        Insert(u16, u32),
        Change(u16, u32),
        Remove(u16),
        Keep,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            3 => (0..200u16, any::<u32>()).prop_map(|(k, v)| Op::Insert(k, v)),
            1 => (0..200u16, any::<u32>()).prop_map(|(k, v)| Op::Change(k, v)),
            2 => (0..200u16).prop_map(Op::Remove),
            1 => Just(Op::Keep),
        ]
    }

    proptest! {
        #[test]
        fn is_a_map_whose_clones_never_change(ops in proptest::collection::vec(op(), 0..400)) {
            let mut trie = Trie::new();
            let mut model: HashMap<u16, u32> = HashMap::new();
            let mut kept = Vec::new();
            for op in ops {
                match op {
                    Op::Insert(k, v) => {
                        prop_assert_eq!(trie.insert(hash(k), &k, &v), model.insert(k, v));
                    }
                    Op::Change(k, v) => {
                        let ours = trie.get_mut(hash(k), |key| *key == k);
                        prop_assert_eq!(ours.is_some(), model.contains_key(&k));
                        if let (Some(ours), Some(theirs)) = (ours, model.get_mut(&k)) {
                            (*ours, *theirs) = (v, v);
                        }
                    }
                    Op::Remove(k) => {
                        prop_assert_eq!(trie.remove(hash(k), |key| *key == k), model.remove(&k));
                    }
                    Op::Keep => kept.push((trie.clone(), model.clone())),
                }
                prop_assert_eq!(trie.len(), model.len());
            }
            kept.push((trie, model));
            for (trie, model) in kept {
                for k in 0..200 {
                    prop_assert_eq!(trie.get(hash(k), |key| *key == k), model.get(&k));
                }
                let all: HashMap<u16, u32> = trie.iter().map(|(k, v)| (*k, *v)).collect();
                let mut parts = HashMap::new();
                for part in 0..PARTS {
                    trie.visit_part(part, &mut |k, v| assert_eq!(parts.insert(*k, *v), None));
                }
                prop_assert_eq!(&parts, &model);
                prop_assert_eq!((trie.iter().len(), all), (model.len(), model));
            }
        }
    }

    #[test]
    fn what_is_removed_leaves_no_nodes_behind() {
        let hash = |key: u64| key.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
        let mut trie = Trie::new();
        for key in 0..100_000u64 {
            trie.insert(hash(key), &key, &());
        }
        let full = trie.nodes();
        for key in 0..100_000u64 {
            if key % 100 != 0 {
                trie.remove(hash(key), |k| *k == key);
            }
        }
        assert_eq!(trie.len(), 1000);
        assert!(trie.nodes() * 20 < full, "{} nodes of {full} for 1 % of the keys", trie.nodes());
    }
}

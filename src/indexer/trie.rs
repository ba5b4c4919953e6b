//! A map whose every state can be kept: cloning it is O(1), changing it copies one path.
//!
//! It is a hash trie: branches of up to 32 children chosen by five bits of the hash, leaves of a
//! few entries. A node that some other clone still holds is copied before it is changed; a node
//! that this clone alone holds is changed in place, so a thousand changes in one transaction copy
//! each node once. It never locks and never blocks.

use std::sync::Arc;

const BITS: u32 = 5;
const MASK: u64 = (1 << BITS) - 1;

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

enum Node<K, V> {
    Leaf(Arc<Vec<Entry<K, V>>>),
    Branch(Arc<Branch<K, V>>),
}

#[derive(Clone)]
struct Entry<K, V> {
    hash: u64,
    key: K,
    value: V,
}

#[derive(Clone)]
struct Branch<K, V> {
    /// Which of the 32 children there are.
    bitmap: u32,
    children: Vec<Node<K, V>>,
}

impl<K, V> Branch<K, V> {
    /// The bit of a hash at this level, and where its child is or would be.
    fn place(&self, hash: u64, shift: u32) -> (u32, usize) {
        let bit = 1u32 << ((hash >> shift) & MASK);
        (bit, (self.bitmap & (bit - 1)).count_ones() as usize)
    }
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
        let mut node = &self.root;
        let mut shift = 0;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    let entry = leaf.iter().find(|entry| entry.hash == hash && is(&entry.key));
                    return entry.map(|entry| &entry.value);
                }
                Node::Branch(branch) => {
                    let (bit, index) = branch.place(hash, shift);
                    if branch.bitmap & bit == 0 {
                        return None;
                    }
                    node = branch.children.get(index)?;
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

    #[cfg(test)]
    pub(super) fn nodes(&self) -> usize {
        fn count<K, V>(node: &Node<K, V>) -> usize {
            match node {
                Node::Leaf(_) => 1,
                Node::Branch(branch) => 1 + branch.children.iter().map(count).sum::<usize>(),
            }
        }
        count(&self.root)
    }
}

impl<K: Clone, V: Clone> Trie<K, V> {
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
                Node::Branch(branch) => {
                    let (_, index) = branch.place(hash, shift);
                    node = Arc::make_mut(branch).children.get_mut(index)?;
                    shift += BITS;
                }
            }
        }
    }

    /// Puts a value in, and gives back the one it replaces. Where the key is there already, its
    /// present instance stays.
    pub(super) fn insert(&mut self, hash: u64, key: K, value: V) -> Option<V>
    where
        K: Eq,
    {
        if let Some(present) = self.get_mut(hash, |other| *other == key) {
            return Some(std::mem::replace(present, value));
        }
        self.len += 1;
        self.root.add(0, Entry { hash, key, value });
        None
    }

    pub(super) fn remove(&mut self, hash: u64, is: impl Fn(&K) -> bool) -> Option<V> {
        self.get(hash, &is)?;
        let removed = self.root.remove(0, hash, &is);
        self.len -= usize::from(removed.is_some());
        removed
    }
}

impl<K: Clone, V: Clone> Node<K, V> {
    /// Adds an entry whose key is not there.
    fn add(&mut self, shift: u32, entry: Entry<K, V>) {
        match self {
            Node::Leaf(leaf) => {
                let entries = Arc::make_mut(leaf);
                // Millions of leaves: spare capacity would be a large part of the memory.
                entries.reserve_exact(1);
                entries.push(entry);
                if entries.len() > LEAF && shift < u64::BITS {
                    let entries = std::mem::take(entries);
                    *self = Self::split(shift, entries);
                }
            }
            Node::Branch(branch) => {
                let branch = Arc::make_mut(branch);
                let (bit, index) = branch.place(entry.hash, shift);
                if branch.bitmap & bit == 0 {
                    branch.bitmap |= bit;
                    branch.children.insert(index, Node::Leaf(Arc::new(vec![entry])));
                } else if let Some(child) = branch.children.get_mut(index) {
                    child.add(shift + BITS, entry);
                }
            }
        }
    }

    fn split(shift: u32, entries: Vec<Entry<K, V>>) -> Self {
        let mut branch = Node::Branch(Arc::new(Branch { bitmap: 0, children: Vec::new() }));
        for entry in entries {
            branch.add(shift, entry);
        }
        branch
    }

    /// Removes an entry that is there.
    fn remove(&mut self, shift: u32, hash: u64, is: &impl Fn(&K) -> bool) -> Option<V> {
        match self {
            Node::Leaf(leaf) => {
                let entries = Arc::make_mut(leaf);
                let index = entries.iter().position(|e| e.hash == hash && is(&e.key))?;
                let removed = entries.swap_remove(index).value;
                entries.shrink_to_fit();
                Some(removed)
            }
            Node::Branch(shared) => {
                let branch = Arc::make_mut(shared);
                let (bit, index) = branch.place(hash, shift);
                let child = branch.children.get_mut(index)?;
                let removed = child.remove(shift + BITS, hash, is);
                if child.is_empty() {
                    branch.bitmap &= !bit;
                    branch.children.remove(index);
                    branch.children.shrink_to_fit();
                }
                if let Some(leaf) = branch.collapsed() {
                    *self = leaf;
                }
                removed
            }
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Node::Leaf(leaf) if leaf.is_empty())
    }
}

impl<K: Clone, V: Clone> Branch<K, V> {
    /// The leaf that this branch could as well be.
    fn collapsed(&mut self) -> Option<Node<K, V>> {
        if self.children.len() > COLLAPSE {
            return None;
        }
        let mut total = 0;
        for child in &self.children {
            match child {
                Node::Leaf(leaf) => total += leaf.len(),
                Node::Branch(_) => return None,
            }
        }
        if total > COLLAPSE {
            return None;
        }
        let mut entries = Vec::with_capacity(total);
        for child in self.children.drain(..) {
            if let Node::Leaf(leaf) = child {
                entries.extend(Arc::unwrap_or_clone(leaf));
            }
        }
        Some(Node::Leaf(Arc::new(entries)))
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
            Self::Branch(branch) => Self::Branch(branch.clone()),
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
            Node::Branch(branch) => self.branches.push(branch.children.iter()),
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
                        prop_assert_eq!(trie.insert(hash(k), k, v), model.insert(k, v));
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
                prop_assert_eq!((trie.iter().len(), all), (model.len(), model));
            }
        }
    }

    #[test]
    fn what_is_removed_leaves_no_nodes_behind() {
        let hash = |key: u64| key.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
        let mut trie = Trie::new();
        for key in 0..100_000u64 {
            trie.insert(hash(key), key, ());
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

//! Items of one priority, in the order they are served.
//!
//! A plain line serves items in the order of arrival. A fair line serves each group in turn, and
//! the items of a group in the order of arrival. The lists run through the items, so an item leaves
//! from anywhere at once, and a line never grows.

use crate::collections::{IntrusiveList, Linked, Links, PartedSlab, PartedTable};

/// Items of one priority.
#[derive(Debug)]
pub(super) enum Line {
    Plain(IntrusiveList),
    Fair(Groups),
}

/// The groups of a fair line that have items.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The first of these groups is served next.
    turns: IntrusiveList,
    records: PartedSlab<Group>,
    /// Finds the number of a group by its hash.
    numbers: PartedTable<u32>,
}

#[derive(Debug)]
struct Group {
    hash: u64,
    items: IntrusiveList,
    links: Links,
}

impl Linked for Group {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl Line {
    pub(super) fn new(fair: bool) -> Self {
        if fair { Self::Fair(Groups::default()) } else { Self::Plain(IntrusiveList::default()) }
    }

    /// Returns the item that is served next. O(1).
    pub(super) fn first(&self) -> Option<u32> {
        match self {
            Self::Plain(list) => list.first(),
            Self::Fair(Groups { turns, records, .. }) => records.get(turns.first()?)?.items.first(),
        }
    }

    /// Adds an item that is in no line. O(1).
    pub(super) fn push(&mut self, items: &mut PartedSlab<impl Linked>, group: u64, item: u32) {
        match self {
            Self::Plain(list) => list.push_back(items, item),
            Self::Fair(groups) => groups.push(items, group, item),
        }
    }

    /// Removes an item of this line. If it is served, its group has the last turn then. O(1).
    pub(super) fn remove(
        &mut self,
        items: &mut PartedSlab<impl Linked>,
        group: u64,
        item: u32,
        served: bool,
    ) {
        match self {
            Self::Plain(list) => list.remove(items, item),
            Self::Fair(groups) => groups.remove(items, group, item, served),
        }
    }
}

impl Groups {
    fn find(&self, hash: u64) -> Option<u32> {
        let is = |number: &u32| self.records.get(*number).is_some_and(|group| group.hash == hash);
        self.numbers.find(hash, is).copied()
    }

    fn push(&mut self, items: &mut PartedSlab<impl Linked>, hash: u64, item: u32) {
        let number = self.find(hash).unwrap_or_else(|| {
            let (items, links) = (IntrusiveList::default(), Links::default());
            let new = self.records.insert(Group { hash, items, links });
            self.numbers.insert(hash, new);
            self.turns.push_back(&mut self.records, new);
            new
        });
        if let Some(group) = self.records.get_mut(number) {
            group.items.push_back(items, item);
        }
    }

    fn remove(&mut self, items: &mut PartedSlab<impl Linked>, hash: u64, item: u32, served: bool) {
        let Some(number) = self.find(hash) else { return };
        let Some(group) = self.records.get_mut(number) else { return };
        group.items.remove(items, item);
        let is_empty = group.items.first().is_none();
        if is_empty || served {
            self.turns.remove(&mut self.records, number);
        }
        if is_empty {
            self.records.remove(number);
            self.numbers.remove(hash, |other| *other == number);
        } else if served {
            self.turns.push_back(&mut self.records, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of items, each with its group. An item's number is its position.
    struct Queue {
        line: Line,
        items: PartedSlab<Links>,
        groups: Vec<u64>,
    }

    impl Queue {
        fn new(fair: bool, groups: &[u64]) -> Self {
            let (mut line, mut items) = (Line::new(fair), PartedSlab::default());
            for group in groups {
                let item = items.insert(Links::default());
                line.push(&mut items, *group, item);
            }
            Self { line, items, groups: groups.to_vec() }
        }

        fn remove(&mut self, item: u32, served: bool) {
            self.line.remove(&mut self.items, self.groups[item as usize], item, served);
        }

        fn serve(&mut self) -> Vec<u32> {
            let mut served = Vec::new();
            while let Some(item) = self.line.first() {
                self.remove(item, true);
                served.push(item);
            }
            served
        }
    }

    #[test]
    fn a_plain_line_keeps_the_order_of_arrival() {
        let mut queue = Queue::new(false, &[1, 1, 2, 1, 3]);
        queue.remove(3, false);
        assert_eq!(queue.serve(), [0, 1, 2, 4]);
    }

    #[test]
    fn a_fair_line_serves_each_group_in_turn() {
        let mut queue = Queue::new(true, &[1, 1, 1, 2, 2, 3]);
        assert_eq!(queue.serve(), [0, 3, 5, 1, 4, 2]);
    }

    #[test]
    fn item_that_leaves_takes_nobodys_turn() {
        let mut queue = Queue::new(true, &[1, 1, 2, 2, 3]);
        for item in [0, 3, 4] {
            queue.remove(item, false);
        }
        assert_eq!(queue.serve(), [1, 2]);
        let Line::Fair(groups) = queue.line else { panic!("the line is fair") };
        let left = (groups.turns.first(), groups.records.len(), groups.numbers.len());
        assert_eq!(left, (None, 0, 0), "a group without items is forgotten");
    }
}

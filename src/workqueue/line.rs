//! Items of one priority, in the order they are served.
//!
//! A plain line serves items in the order of arrival. A fair line serves each group in turn, and
//! the items of a group in the order of arrival. A line holds tickets, not items: a ticket whose
//! item has moved to another line is void. Void tickets are dropped when they reach the front, or
//! when they outnumber the others.

use std::collections::{HashMap, VecDeque};

/// The number of tickets for which an empty line keeps memory.
const KEPT: usize = 1024;

/// The number of void tickets that a line always tolerates.
const FEW: usize = 32;

/// A place in a line. An item holds one valid ticket at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    /// The cell of the item.
    pub(super) cell: u32,
    /// A number that distinguishes this ticket from earlier ones of the cell.
    pub(super) serial: u32,
}

/// Items of one priority.
#[derive(Debug)]
pub(super) struct Line {
    order: Order,
    len: usize,
    /// The number of void tickets.
    void: usize,
}

#[derive(Debug)]
enum Order {
    Plain(VecDeque<Ticket>),
    Fair {
        /// The groups that have tickets. The group that is served next is in front.
        turns: VecDeque<u64>,
        groups: HashMap<u64, VecDeque<Ticket>, foldhash::fast::RandomState>,
    },
}

impl Line {
    pub(super) fn new(fair: bool) -> Self {
        let order = if fair {
            Order::Fair { turns: VecDeque::new(), groups: HashMap::default() }
        } else {
            Order::Plain(VecDeque::new())
        };
        Self { order, len: 0, void: 0 }
    }

    pub(super) fn push(&mut self, group: u64, ticket: Ticket) {
        self.len += 1;
        match &mut self.order {
            Order::Plain(tickets) => tickets.push_back(ticket),
            Order::Fair { turns, groups } => {
                let tickets = groups.entry(group).or_default();
                if tickets.is_empty() {
                    turns.push_back(group);
                }
                tickets.push_back(ticket);
            }
        }
    }

    /// Drops void tickets in front, and returns the next valid one. Amortised O(1).
    pub(super) fn front(&mut self, valid: impl Fn(Ticket) -> bool) -> Option<Ticket> {
        loop {
            let ticket = match &self.order {
                Order::Plain(tickets) => *tickets.front()?,
                Order::Fair { turns, groups } => {
                    groups.get(turns.front()?).and_then(VecDeque::front).copied()?
                }
            };
            if valid(ticket) {
                return Some(ticket);
            }
            self.void = self.void.saturating_sub(1);
            self.drop_front(false);
        }
    }

    /// Takes the ticket that [`front`](Self::front) returned. The next group is served next.
    pub(super) fn serve(&mut self) {
        self.drop_front(true);
    }

    /// Notes that one more ticket is void, and drops void tickets when they outnumber the others.
    /// So even a line that is never served stays short. Amortised O(1).
    pub(super) fn leave(&mut self, valid: impl Fn(Ticket) -> bool) {
        self.void += 1;
        if self.void <= FEW.max(self.len / 2) {
            return;
        }
        match &mut self.order {
            Order::Plain(tickets) => {
                tickets.retain(|ticket| valid(*ticket));
                self.len = tickets.len();
                tickets.shrink_to(KEPT.max(2 * self.len));
            }
            Order::Fair { turns, groups } => {
                self.len = 0;
                groups.retain(|_, tickets| {
                    tickets.retain(|ticket| valid(*ticket));
                    tickets.shrink_to(2 * tickets.len());
                    self.len += tickets.len();
                    !tickets.is_empty()
                });
                turns.retain(|group| groups.contains_key(group));
            }
        }
        self.void = 0;
    }

    fn drop_front(&mut self, ends_turn: bool) {
        self.len = self.len.saturating_sub(1);
        match &mut self.order {
            Order::Plain(tickets) => drop(tickets.pop_front()),
            Order::Fair { turns, groups } => {
                let Some(group) = turns.front().copied() else { return };
                let tickets = groups.get_mut(&group);
                let left = tickets.map_or(0, |tickets| {
                    tickets.pop_front();
                    tickets.len()
                });
                if left == 0 {
                    groups.remove(&group);
                    turns.pop_front();
                } else if ends_turn {
                    turns.rotate_left(1);
                }
            }
        }
        if self.len == 0 {
            self.clear();
        }
    }

    /// Drops every ticket, all of them void, and memory that an empty line does not keep.
    pub(super) fn clear(&mut self) {
        (self.len, self.void) = (0, 0);
        match &mut self.order {
            Order::Plain(tickets) => {
                tickets.clear();
                tickets.shrink_to(KEPT);
            }
            Order::Fair { turns, groups } => {
                groups.clear();
                groups.shrink_to(KEPT);
                turns.clear();
                turns.shrink_to(KEPT);
            }
        }
    }

    /// Returns the number of tickets, including void ones.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of tickets for which memory is allocated.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        match &self.order {
            Order::Plain(tickets) => tickets.capacity(),
            Order::Fair { groups, .. } => groups.values().map(VecDeque::capacity).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve(line: &mut Line, void: &[u32]) -> Vec<u32> {
        let mut served = Vec::new();
        while let Some(ticket) = line.front(|ticket| !void.contains(&ticket.cell)) {
            line.serve();
            served.push(ticket.cell);
        }
        served
    }

    fn line(fair: bool, tickets: &[(u64, u32)]) -> Line {
        let mut line = Line::new(fair);
        for (group, cell) in tickets {
            line.push(*group, Ticket { cell: *cell, serial: 0 });
        }
        line
    }

    #[test]
    fn a_plain_line_keeps_the_order_of_arrival() {
        let mut line = line(false, &[(1, 1), (1, 2), (2, 3), (1, 4)]);
        assert_eq!(serve(&mut line, &[]), [1, 2, 3, 4]);
    }

    #[test]
    fn a_fair_line_serves_each_group_in_turn() {
        let mut line = line(true, &[(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (3, 6)]);
        assert_eq!(serve(&mut line, &[]), [1, 4, 6, 2, 5, 3]);
    }

    #[test]
    fn a_void_ticket_takes_nobodys_turn() {
        let mut line = line(true, &[(1, 1), (1, 2), (2, 3), (2, 4)]);
        assert_eq!(serve(&mut line, &[1, 4]), [2, 3]);
        let Order::Fair { turns, groups } = line.order else { panic!("the line is fair") };
        assert!(turns.is_empty() && groups.is_empty(), "a group without tickets is forgotten");
    }

    #[test]
    fn void_tickets_never_outnumber_the_others() {
        for fair in [false, true] {
            let mut line = Line::new(fair);
            for cell in 0..10 {
                line.push(u64::from(cell % 3), Ticket { cell, serial: 0 });
            }
            for serial in 1..100_000 {
                line.push(u64::from(serial % 7), Ticket { cell: 10, serial });
                line.leave(|ticket| ticket.cell < 10);
                assert!(line.len() <= 10 + FEW + 1, "{} tickets", line.len());
            }
            assert!(line.capacity() <= KEPT, "room for {} tickets", line.capacity());
            let mut served = serve(&mut line, &[10]);
            served.sort_unstable();
            assert_eq!(served, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
            assert_eq!((line.len(), line.void), (0, 0));
        }
    }
}

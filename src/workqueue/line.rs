//! Items of one priority, in the order they are served.
//!
//! First come, first served; or, where the user wants fairness, each group in its turn and first
//! come, first served within it. A line knows tickets, not items: a ticket whose item has left for
//! another line is void, and is dropped when it comes up.

use std::collections::{HashMap, VecDeque};

/// Room that an empty line keeps.
const KEPT: usize = 1024;

/// A place in a line. An item holds one valid ticket at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    /// Where the item is kept.
    pub(super) slot: u32,
    /// Tells this ticket from earlier ones of the slot.
    pub(super) serial: u32,
}

/// Items of one priority.
#[derive(Debug)]
pub(super) enum Line {
    Plain(VecDeque<Ticket>),
    Fair {
        /// The groups that have tickets, the next to be served in front.
        turns: VecDeque<u64>,
        groups: HashMap<u64, VecDeque<Ticket>, foldhash::fast::RandomState>,
    },
}

impl Line {
    pub(super) fn new(fair: bool) -> Self {
        if fair {
            Self::Fair { turns: VecDeque::new(), groups: HashMap::default() }
        } else {
            Self::Plain(VecDeque::new())
        }
    }

    pub(super) fn push(&mut self, group: u64, ticket: Ticket) {
        match self {
            Self::Plain(tickets) => tickets.push_back(ticket),
            Self::Fair { turns, groups } => {
                let tickets = groups.entry(group).or_default();
                if tickets.is_empty() {
                    turns.push_back(group);
                }
                tickets.push_back(ticket);
            }
        }
    }

    /// The ticket that is next, after dropping void ones. Amortised O(1).
    pub(super) fn front(&mut self, valid: impl Fn(Ticket) -> bool) -> Option<Ticket> {
        loop {
            let ticket = match self {
                Self::Plain(tickets) => *tickets.front()?,
                Self::Fair { turns, groups } => {
                    groups.get(turns.front()?).and_then(VecDeque::front).copied()?
                }
            };
            if valid(ticket) {
                return Some(ticket);
            }
            self.drop_front(false);
        }
    }

    /// Takes the ticket that [`front`](Self::front) showed; the next group has its turn.
    pub(super) fn serve(&mut self) {
        self.drop_front(true);
    }

    fn drop_front(&mut self, ends_turn: bool) {
        match self {
            Self::Plain(tickets) => drop(tickets.pop_front()),
            Self::Fair { turns, groups } => {
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
    }

    /// Drops every ticket, all of them void, and memory that only a rush needed.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Plain(tickets) => {
                tickets.clear();
                tickets.shrink_to(KEPT);
            }
            Self::Fair { turns, groups } => {
                groups.clear();
                groups.shrink_to(KEPT);
                turns.clear();
                turns.shrink_to(KEPT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve(line: &mut Line, void: &[u32]) -> Vec<u32> {
        let mut served = Vec::new();
        while let Some(ticket) = line.front(|ticket| !void.contains(&ticket.slot)) {
            line.serve();
            served.push(ticket.slot);
        }
        served
    }

    fn line(fair: bool, tickets: &[(u64, u32)]) -> Line {
        let mut line = Line::new(fair);
        for (group, slot) in tickets {
            line.push(*group, Ticket { slot: *slot, serial: 0 });
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
        let Line::Fair { turns, groups } = line else { panic!("it is fair") };
        assert!(turns.is_empty() && groups.is_empty(), "a group without tickets is forgotten");
    }
}

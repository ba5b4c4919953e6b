//! The pages of one list: their pace, and the bounds that an endless list exceeds.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// The number of new keys, or objects outside of the shard, after which the next page follows at
/// once; fewer if the limit is lower. Servers fill their pages, so a list of many pages is not
/// slowed down.
const ENOUGH: usize = 10;

/// The cost of a page that brings nothing at all. A page of objects outside of the shard costs 1.
const EMPTY: u32 = 100;

/// The cost at which pages in a row without a new key end a list: a hundred empty pages. A server
/// may send some, because it may leave out objects after it has cut the page.
const MAX_COST: u32 = 100 * EMPTY;

/// The number of keys at which a list ends: more than the storage of an API server holds.
const MAX_KEYS: usize = 1 << 24;

/// The cost of an item that brings no new key. An object outside of the shard costs 1.
const REPEATED: usize = 256;

/// The cost at which items in a row without a new key end a list: 65,536 repeated items.
const MAX_ROW: usize = 1 << 24;

/// The pages so far.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// The hashes of the tokens so far.
    tokens: HashSet<u64>,
    hasher: RandomState,
    keys: usize,
    /// The cost of the last pages, of which none brought a new key.
    cost: u32,
    /// The largest number of keys that the list had so far.
    most: usize,
    /// The cost of the last items, of which none brought a new key.
    row: usize,
}

impl Pages {
    /// Notes an item, after which the list has `keys` keys.
    ///
    /// # Errors
    /// A description of the problem, if the items of a page do not end.
    pub(super) fn item(&mut self, keys: usize, outside: bool) -> Result<(), String> {
        if keys > self.most {
            (self.most, self.row) = (keys, 0);
        } else {
            self.row += if outside { 1 } else { REPEATED };
        }
        if self.row >= MAX_ROW {
            return Err("the list does not end: too many items in a row brought no key".into());
        }
        check_keys(keys)
    }

    /// Notes a page with this continue token, whose request asked for `limit` items. `keys` is the
    /// number of keys of the list so far, `outside` that of the page's objects outside of the
    /// shard. Returns whether the next page may be requested at once.
    ///
    /// # Errors
    /// A description of the problem, if the pages do not end.
    pub(super) fn turn(
        &mut self,
        token: &str,
        limit: Option<u32>,
        keys: usize,
        outside: usize,
    ) -> Result<bool, String> {
        if !self.tokens.insert(self.hasher.hash_one(token)) {
            return Err("the list does not end: a continue token came twice".into());
        }
        let new = keys.saturating_sub(std::mem::replace(&mut self.keys, keys));
        self.cost = match (new, outside) {
            (0, 0) => self.cost + EMPTY,
            (0, _) => self.cost + 1,
            _ => 0,
        };
        if self.cost >= MAX_COST {
            let pages = self.tokens.len();
            return Err(format!(
                "the list does not end: of {pages} pages, the last brought no key"
            ));
        }
        check_keys(keys)?;
        let asked = limit.map_or(ENOUGH, |limit| ENOUGH.min(limit as usize));
        Ok(new + outside >= asked)
    }
}

fn check_keys(keys: usize) -> Result<(), String> {
    if keys > MAX_KEYS {
        return Err(format!("the list does not end: it has more than {MAX_KEYS} keys"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_pages_follow_at_once_until_the_bound() {
        let mut pages = Pages::default();
        let end =
            (1..=MAX_KEYS).find(|n| match pages.turn(&n.to_string(), Some(5_000), n * 5_000, 0) {
                Ok(at_once) => {
                    assert!(at_once);
                    false
                }
                Err(_) => true,
            });
        assert_eq!(end, Some(MAX_KEYS / 5_000 + 1));
    }

    #[test]
    fn pages_of_other_shards_outlast_empty_ones() {
        let last = |outside| {
            let mut pages = Pages::default();
            let mut paced = 0;
            let turns = (1..).take_while(|n| {
                let turned = pages.turn(&n.to_string(), Some(500), 7, outside);
                paced += u32::from(turned == Ok(false));
                turned.is_ok()
            });
            (turns.count(), paced)
        };
        assert_eq!(last(500), (10_000, 0));
        assert_eq!(last(1), (10_000, 10_000));
        assert_eq!(last(0), (100, 100));
    }

    #[test]
    fn items_of_one_page_are_bounded() {
        let repeated = |keys: fn(usize) -> usize, outside| {
            let mut pages = Pages::default();
            (0..1 << 17).take_while(|n| pages.item(keys(*n), outside).is_ok()).count()
        };
        assert_eq!(repeated(|_| 0, false), (1 << 16) - 1);
        // Keys that come and go are not new.
        assert_eq!(repeated(|n| n % 2, false), (1 << 16) + 1);
        assert_eq!(repeated(|_| 0, true), 1 << 17);
        assert_eq!(repeated(|n| n, false), 1 << 17);
        assert!(Pages::default().item(MAX_KEYS + 1, false).is_err());
    }

    #[test]
    fn small_pages_count_as_full_when_requested() {
        let mut pages = Pages::default();
        assert_eq!(pages.turn("a", Some(2), 2, 0), Ok(true));
        assert_eq!(pages.turn("b", Some(2), 3, 0), Ok(false));
        assert_eq!(pages.turn("c", Some(500), 9, 0), Ok(false));
        assert_eq!(pages.turn("d", None, 30, 0), Ok(true));
    }
}

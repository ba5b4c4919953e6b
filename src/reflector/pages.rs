//! The pages of one list: their pace, and the bounds that an endless list exceeds.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

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

/// A page is sparse if it brings fewer items than one of this number that the request asked for.
const SPARSE: u32 = 100;

/// The number of sparse pages that needs an explanation. Their pace makes them last for 90 s.
const MANY_SPARSE: u32 = 100;

/// A list of more items than twice the announced number, and this one, needs an explanation.
const SURPLUS: u64 = 1_000;

/// The age of a list that needs an explanation, and the further time that each item explains. A
/// million objects explain almost three hours.
const OLD: Duration = Duration::from_secs(300);
const PER_ITEM: Duration = Duration::from_millis(10);

/// The shortest time between two warnings about a list.
const WARNING_PAUSE: Duration = Duration::from_secs(60);

/// The pages so far.
#[derive(Debug, Default)]
pub(crate) struct Pages {
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
    /// The number of items so far.
    items: u64,
    /// The number of sparse pages so far.
    sparse: u32,
    /// The number of items that the first page announced, its own among them.
    announced: Option<u64>,
    /// The number of objects of the list, as the server stated it last.
    total: Option<u64>,
    /// The time of waits for a permit, which are not the server's.
    waited: Duration,
    /// The age, without these waits, before which no further warning is due.
    quiet_until: Duration,
}

impl Pages {
    /// Notes an item, after which the list has `keys` keys.
    ///
    /// # Errors
    /// A description of the problem, if the items of a page do not end.
    pub(crate) fn item(&mut self, keys: usize, outside: bool) -> Result<(), String> {
        self.items += 1;
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
    pub(crate) fn turn(
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
        let brought = new + outside;
        let limit = limit.map_or(ENOUGH, |limit| limit as usize);
        let sparse = brought < ENOUGH.max(limit / SPARSE as usize).min(limit);
        self.sparse = self.sparse.saturating_add(u32::from(sparse));
        Ok(brought >= ENOUGH.min(limit))
    }

    /// Returns the number of complete pages that announced another one.
    pub(super) fn count(&self) -> u64 {
        self.tokens.len() as u64
    }

    /// Returns the number of objects of the list if it is known. `loaded` came so far, and
    /// `remaining` are left after the current page.
    pub(super) fn total(&mut self, loaded: u64, remaining: Option<u64>) -> Option<u64> {
        let stated = remaining.map(|remaining| loaded.saturating_add(remaining));
        self.total = stated.or(self.total).filter(|total| loaded <= *total);
        if self.tokens.len() == 1 {
            let announced = remaining.map(|remaining| self.items.saturating_add(remaining));
            self.announced = self.announced.or(announced);
        }
        self.total
    }

    /// Notes a wait for a permit to list or to read.
    pub(super) fn waited(&mut self, time: Duration) {
        self.waited += time;
    }

    /// Returns whether to warn about a list of this age, because it goes on for longer than its
    /// items explain. If so, it does again when the age has doubled.
    pub(super) fn is_unexplained(&mut self, age: Duration) -> bool {
        let age = age.saturating_sub(self.waited);
        if age < self.quiet_until {
            return false;
        }
        let items = u32::try_from(self.items).unwrap_or(u32::MAX);
        let is_surplus = |announced: u64| self.items / 2 > announced.saturating_add(SURPLUS / 2);
        let unexplained = self.sparse >= MANY_SPARSE
            || self.announced.is_some_and(is_surplus)
            || age > OLD + PER_ITEM * items;
        if unexplained {
            self.quiet_until = age.saturating_mul(2).max(WARNING_PAUSE);
        }
        unexplained
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

    /// Lists `pages` pages of `size` items, of which each takes `each`. Returns the ages at which
    /// warnings are due.
    fn warnings(
        pages: u64,
        limit: u32,
        size: u64,
        remaining: Option<u64>,
        each: Duration,
    ) -> Vec<u64> {
        let (mut list, mut age, mut warnings) = (Pages::default(), Duration::ZERO, vec![]);
        for page in 1..=pages {
            for item in 1..=size {
                age += each;
                list.item(usize::try_from((page - 1) * size + item).unwrap(), false).unwrap();
                warnings.extend(list.is_unexplained(age).then_some(age.as_secs()));
            }
            let keys = usize::try_from(page * size).unwrap();
            list.turn(&page.to_string(), Some(limit), keys, 0).unwrap();
            list.total(page * size, remaining.map(|all| all.saturating_sub(page * size)));
            warnings.extend(list.is_unexplained(age).then_some(age.as_secs()));
        }
        warnings
    }

    #[test]
    fn million_objects_explain_any_healthy_list() {
        let each = Duration::from_millis(8);
        for (pages, limit, size) in
            [(200, 5_000, 5_000), (2_000, 500, 500), (100_000, 10, 10), (10_000, 5_000, 100)]
        {
            for remaining in [None, Some(1_000_000)] {
                let warnings = warnings(pages, limit, size, remaining, each);
                assert_eq!(warnings, [0; 0], "{pages} of {size}");
            }
        }
    }

    #[test]
    fn unexplained_list_is_told_when_its_age_doubles() {
        let s = Duration::from_secs;
        // Pages of single objects, and of fewer than a hundredth.
        assert_eq!(warnings(3_600, 500, 1, None, s(1)), [100, 200, 400, 800, 1_600, 3_200]);
        assert_eq!(warnings(200, 5_000, 40, None, Duration::from_millis(25))[..2], [100, 200]);
        // More objects than announced.
        let more = warnings(10_000, 500, 500, Some(2_000), Duration::from_millis(1));
        assert_eq!(more, [5, 60, 120, 240, 480, 960, 1_920, 3_840]);
        // Single requested objects, each of which takes long.
        assert_eq!(warnings(100, 1, 1, None, s(20)), [320, 640, 1_280]);
        // A wait for a permit is not the server's.
        let mut waits = Pages::default();
        waits.waited(s(3_600));
        assert!(!waits.is_unexplained(s(3_900)) && waits.is_unexplained(s(3_901)));
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

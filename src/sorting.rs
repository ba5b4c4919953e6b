//! Sorting off the hot paths.
//!
//! Each call of `slice::sort_by` with a type or closure of its own compiles the whole algorithm
//! again. These lists are short or rarely sorted, so they share one.

use std::cmp::Ordering;

/// Sorts a list. Keeps the order of equal elements. O(n log n).
pub(crate) fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = sorted_places(items.len(), &|one, other| compare(&items[one], &items[other]));
    let mut unsorted: Vec<_> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|place| unsorted[place].take()));
}

fn sorted_places(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<_> = (0..len).collect();
    places.sort_unstable_by(|one, other| compare(*one, *other).then(one.cmp(other)));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_keep_their_order() {
        let mut items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        sort_by(&mut items, |one, other| one.0.cmp(&other.0));
        assert_eq!(items, [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
    }
}

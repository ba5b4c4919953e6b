//! Sorting off the hot paths.
//!
//! Each call of `slice::sort_by` with a type or closure of its own compiles the whole algorithm
//! again. These lists are short or rarely sorted, so they share one. Used directly, it would save
//! 30 lines and no crate.

use std::cmp::Ordering;

/// Sorts a list. Keeps the order of equal elements. O(n log n).
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = sorted(items.len(), &|one, other| compare(&items[one], &items[other]));
    apply(&order, &mut |one, other| items.swap(one, other));
}

/// Returns the places of the elements, in their order.
fn sorted(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<_> = (0..len).collect();
    places.sort_unstable_by(|one, other| compare(*one, *other).then(one.cmp(other)));
    places
}

/// Brings elements into an order by swaps. O(n).
fn apply(order: &[usize], swap: &mut dyn FnMut(usize, usize)) {
    let mut targets = vec![0; order.len()];
    for (target, place) in order.iter().enumerate() {
        targets[*place] = target;
    }
    for place in 0..targets.len() {
        // Each swap brings one element to its target.
        while targets[place] != place {
            let target = targets[place];
            swap(place, target);
            targets.swap(place, target);
        }
    }
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

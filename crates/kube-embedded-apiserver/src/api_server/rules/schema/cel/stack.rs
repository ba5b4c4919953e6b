//! A stack for expressions that nest deeply.

use std::cell::Cell;
use std::thread;

/// The size of the stack, in bytes. Only the part that is used takes memory.
const SIZE: usize = 512 << 20;

thread_local! {
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function on a thread with a large stack, which may be this one. Returns nothing if the
/// thread cannot be started or panics.
pub(super) fn on_large<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    if IS_LARGE.get() {
        return Some(run());
    }
    let run = || {
        IS_LARGE.set(true);
        run()
    };
    thread::scope(|scope| {
        let spawned = thread::Builder::new().stack_size(SIZE).spawn_scoped(scope, run);
        spawned.ok()?.join().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_stacks_are_not_nested() {
        let id = || thread::current().id();
        let (outer, inner) = on_large(|| (id(), on_large(id))).unwrap();
        assert_eq!(Some(outer), inner);
    }
}

//! A stack for expressions that nest deeply.

use std::thread;

/// The size of the stack, in bytes. Only the part that is used takes memory.
const SIZE: usize = 512 << 20;

/// Runs a function on a thread with a large stack. Returns nothing if the thread cannot be started
/// or panics.
pub(super) fn on_large<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let spawned = thread::Builder::new().stack_size(SIZE).spawn_scoped(scope, run);
        spawned.ok()?.join().ok()
    })
}

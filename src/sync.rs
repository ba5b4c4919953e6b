//! Locks and wake-ups between tasks and threads.
//!
//! All modules import these types from here, except `testing`, the threads that decode, the
//! recorder of metrics and the handles that wait for it, and statics. One build of the unit tests
//! replaces them with types that yield at each use, so that `schedules` can run parts of the crate
//! under thousands of interleavings. In every other build they are the usual types.

#[cfg(not(all(test, shuttle)))]
pub(crate) use {
    futures::task::AtomicWaker,
    parking_lot::{Mutex, MutexGuard},
    tokio::sync::Notify,
};

#[cfg(all(test, shuttle))]
pub(crate) use {
    self::giving_way::{AtomicWaker, Notify},
    shuttle_parking_lot::{Mutex, MutexGuard},
};

/// The real wake-ups, with a scheduling point before and after each use.
#[cfg(all(test, shuttle))]
mod giving_way {
    use std::task::Waker;

    use shuttle::sync::atomic::{AtomicBool, Ordering};
    use tokio::sync::futures::Notified;

    /// Lets the scheduler choose another task. Any access to an atomic does that.
    fn give_way() {
        AtomicBool::new(false).load(Ordering::SeqCst);
    }

    #[derive(Debug, Default)]
    pub(crate) struct Notify(tokio::sync::Notify);

    impl Notify {
        pub(crate) fn new() -> Self {
            Self::default()
        }

        pub(crate) fn notified(&self) -> Notified<'_> {
            give_way();
            let notified = self.0.notified();
            give_way();
            notified
        }

        pub(crate) fn notify_one(&self) {
            give_way();
            self.0.notify_one();
            give_way();
        }

        pub(crate) fn notify_waiters(&self) {
            give_way();
            self.0.notify_waiters();
            give_way();
        }
    }

    #[derive(Debug, Default)]
    pub(crate) struct AtomicWaker(futures::task::AtomicWaker);

    impl AtomicWaker {
        pub(crate) fn new() -> Self {
            Self::default()
        }

        pub(crate) fn register(&self, waker: &Waker) {
            give_way();
            self.0.register(waker);
            give_way();
        }

        pub(crate) fn wake(&self) {
            give_way();
            self.0.wake();
            give_way();
        }
    }
}

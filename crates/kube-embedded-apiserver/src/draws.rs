//! The random draws of a test.

use std::cell::Cell;
#[cfg(all(unix, feature = "tls"))]
use std::hash::{BuildHasher, RandomState};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;

thread_local! {
    static ARE_SEEDED: Cell<bool> = const { Cell::new(false) };
}

/// Makes a test draw the same random values in each run, above all the jitter of pauses.
///
/// Seeds this thread's generator of the crate `fastrand` with the name of the thread, once. The
/// test runner names a thread after its test. The main thread and threads without a name keep their
/// seeds, because they may be a program's own. With the environment variable
/// `KUBE_INFORMER_FRESH_SEEDS`, all threads keep theirs.
#[doc(hidden)]
pub fn seed_by_test() {
    if std::env::var_os("KUBE_INFORMER_FRESH_SEEDS").is_none() {
        seed_by(thread::current().name());
    }
}

fn seed_by(thread: Option<&str>) {
    let Some(test) = thread.filter(|name| *name != "main") else { return };
    if !ARE_SEEDED.replace(true) {
        let mut hasher = DefaultHasher::new();
        test.hash(&mut hasher);
        fastrand::seed(hasher.finish());
    }
}

/// Draws a number that no seed of [`seed_by_test`] determines.
#[cfg(all(unix, feature = "tls"))]
pub(crate) fn draw_unseeded() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_name_of_the_thread() {
        let draw = |name| {
            let test = thread::spawn(move || {
                seed_by(name);
                let first = fastrand::u64(..);
                seed_by(name);
                (first, fastrand::u64(..))
            });
            test.join().unwrap()
        };
        let (first, second) = draw(Some("one"));
        assert_ne!(first, second);
        assert_eq!(draw(Some("one")), (first, second));
        assert_ne!(draw(Some("other")), (first, second));
        assert_ne!(draw(Some("main")), draw(Some("main")));
        assert_ne!(draw(None), draw(None));
    }
}

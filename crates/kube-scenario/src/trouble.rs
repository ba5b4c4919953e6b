//! Faults by one word.

use std::time::Duration;

use kube_embedded_apiserver::faults::InjectionHandle;
use kube_embedded_apiserver::{BodyPosition, Injection, Requests};

use crate::World;

/// A frequent fault between the program and its server, for [`World::trouble`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trouble {
    /// No connection is accepted.
    Outage,
    /// Every request is answered 429, to ask again in a second.
    Throttled,
    /// Every request that is neither a list nor a watch is answered 503.
    Unavailable,
    /// Every list and watch is answered 403.
    Forbidden,
    /// Every request takes two seconds.
    Slow,
    /// Every watch breaks in its second event.
    Breaking,
}

impl World {
    /// Begins a fault between the program and its server. It ends when the handle
    /// [removes](InjectionHandle::remove) it.
    pub fn trouble(&self, trouble: Trouble) -> InjectionHandle {
        let (requests, injection) = match trouble {
            Trouble::Outage => (Requests::all(), Injection::refuse()),
            Trouble::Throttled => {
                (Requests::all(), Injection::throttle(Some(Duration::from_secs(1))))
            }
            Trouble::Unavailable => (Requests::others(), Injection::status(503)),
            Trouble::Forbidden => (Requests::reads(), Injection::status(403)),
            Trouble::Slow => (Requests::all(), Injection::delay(Duration::from_secs(2))),
            Trouble::Breaking => (Requests::watches(), Injection::cut(BodyPosition::Event(1))),
        };
        self.faults().inject(requests, injection)
    }
}

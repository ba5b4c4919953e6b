//! Holding a Lease: the common part of leader election and sharding.
//!
//! A holder renews its Lease while its work runs. Its [`Term`] says when the work must stop and
//! have ended if no renewal succeeds, which is before others may take the lease. A [`WorkScope`]
//! bounds the work by the term. The state machines that decide who holds a Lease are not here.

mod identity;
mod request;
mod scope;
mod times;

pub(crate) use self::identity::default_identity;
pub use self::request::{LeaseError, LeaseFault, LeaseVerb};
pub(crate) use self::request::{attempt, checked, checked_write, found, written};
pub(crate) use self::scope::{EndGuard, ScopeOwner, closed_tracker};
pub use self::scope::{ScopeGuard, WorkScope};
pub use self::times::InvalidOptions;
pub(crate) use self::times::margin;
pub(crate) use self::times::{
    DROP_TIMEOUT, GRACE, LONGEST_GRACE, Term, Times, renewal_after, rounded_up_seconds,
    whole_microseconds,
};

//! Problems that a person should know, and most of which only a person can resolve.

use std::sync::Arc;

use super::machine::{Command, Machine};

/// A problem that a person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Another running replica has the identity of this one.
    Twin { name: Arc<str> },
    /// This replica's member Lease says that it leaves, which it does not.
    Leaving { name: Arc<str> },
    /// The session of this member Lease is lost.
    Lost { name: Arc<str>, loss: Loss },
}

/// The cause of the loss of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// The member Lease is gone.
    Gone,
    /// No renewal succeeded in time.
    Late,
    /// The server's history was lost: Leases may be as they were long ago.
    Restored,
}

impl Machine {
    /// Reports each problem that only a person can resolve, once.
    pub(super) fn tell_trouble(&mut self) {
        let (Some(view), Some(session)) = (&self.view, self.session()) else { return };
        let found = view.members.iter().filter_map(|member| {
            let name = member.name.clone();
            if member.uid == session.uid {
                let by_hand = member.leaving && !session.is_leaving();
                return by_hand.then_some(Trouble::Leaving { name });
            }
            // An old Lease of this identity is older than the session.
            let newer = session.created.is_older_than(&member.version);
            let own = member.identity == self.rules.identity && !self.own.contains(&member.name);
            (own && newer).then_some(Trouble::Twin { name })
        });
        let found: Vec<_> = found.collect();
        let new = found.iter().filter(|trouble| !self.told.contains(trouble));
        self.out.extend(new.cloned().map(Command::Tell));
        self.told = found;
    }
}

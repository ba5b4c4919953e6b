//! The problems of a membership, as the log and the status tell them.

use super::error::MembershipError;
use super::machine::Rules;
use super::run::Driver;
use super::trouble::{Loss, Trouble};

impl Driver {
    /// Shows an error in the log and in the status.
    pub(super) fn report(&self, error: MembershipError) {
        let Rules { group, identity, .. } = &*self.rules;
        tracing::warn!(%group, %identity, %error, "sharding is disturbed, trying again");
        self.inner.status.send_modify(|status| status.last_error = Some(error));
    }

    /// Reports a problem. The loss of a session is not reported if an error explains it.
    pub(super) fn tell(&mut self, trouble: Trouble) {
        let Rules { group, identity, .. } = &*self.rules;
        let (group, identity) = (group.clone(), identity.clone());
        let error = match trouble {
            Trouble::Lost { .. } if std::mem::take(&mut self.explained) => return,
            Trouble::Lost { name, loss } => {
                let cause = match loss {
                    Loss::Gone => {
                        "its lease was deleted by a person, by another replica of this identity, \
                         or by one that saw no renewal"
                    }
                    Loss::Late => "no renewal succeeded in time",
                    Loss::Restored => "the cluster's history was lost, as by a restore of a backup",
                };
                let lease = self.full_name(&name);
                format!("the session of member lease {lease} of group {group} is lost: {cause}")
            }
            Trouble::Twin { name } => {
                self.explained = true;
                let lease = self.full_name(&name);
                format!(
                    "another replica of group {group} runs under the identity {identity} of this \
                     one, as member lease {lease} shows, and each ends the other's session: give \
                     each its own identity"
                )
            }
            Trouble::Leaving { name } => format!(
                "member lease {} of group {group} said that this replica leaves, which it does \
                 not: the annotation is removed",
                self.full_name(&name)
            ),
        };
        self.report(MembershipError::disturbed(error));
    }

    fn full_name(&self, lease: &str) -> String {
        format!("{}/{lease}", self.inner.namespace)
    }
}

//! The correspondence between values that differ from server to server.
//!
//! A uid, a resource version, a generated name or a cluster IP of the recording stands for one
//! value of the embedded server, in both directions. A write that must not change an object
//! therefore has to keep its version, and a write that changes it has to give it a new one.

use std::collections::HashMap;

use serde_json::Value;

/// The classes of values. A value of one class is never taken for one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Uid,
    Version,
    Name,
    Address,
    Port,
    Continue,
}

/// Pairs of recorded values and the embedded server's values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binding {
    ours: HashMap<(Class, String), String>,
    recorded: HashMap<(Class, String), String>,
}

impl Binding {
    /// Returns the embedded server's value for a recorded one.
    pub(crate) fn ours(&self, class: Class, recorded: &str) -> Option<&str> {
        self.ours.get(&(class, recorded.to_owned())).map(String::as_str)
    }

    /// Returns the recorded value for one of the embedded server.
    pub(crate) fn recorded(&self, class: Class, ours: &str) -> Option<&str> {
        self.recorded.get(&(class, ours.to_owned())).map(String::as_str)
    }

    /// Binds two values. Returns what is wrong if one of them is already bound to another value.
    pub(crate) fn bind(&mut self, class: Class, recorded: &str, ours: &str) -> Result<(), String> {
        match (self.ours(class, recorded), self.recorded(class, ours)) {
            (Some(bound), _) if bound != ours => {
                Err(format!("{ours} (the recorded value was {bound} before)"))
            }
            (None, Some(bound)) if bound != recorded => {
                Err(format!("{ours} (which stands for the recorded {bound})"))
            }
            _ => {
                self.rebind(class, recorded, ours);
                Ok(())
            }
        }
    }

    /// Binds two values, whatever they were bound to.
    pub(crate) fn rebind(&mut self, class: Class, recorded: &str, ours: &str) {
        self.ours.insert((class, recorded.to_owned()), ours.to_owned());
        self.recorded.insert((class, ours.to_owned()), recorded.to_owned());
    }

    /// Returns a text with the embedded server's names in place of the recorded ones.
    pub(crate) fn with_our_names(&self, text: &str) -> String {
        let names = self.ours.iter().filter(|((class, _), _)| *class == Class::Name);
        names.fold(text.to_owned(), |text, ((_, recorded), ours)| text.replace(recorded, ours))
    }

    /// Returns an object in JSON with the embedded server's uids and versions in place of the
    /// recorded ones.
    pub(crate) fn with_our_metadata(&self, text: &str) -> String {
        let members = [(Class::Uid, "uid"), (Class::Version, "resourceVersion")];
        let pairs = self.ours.iter().filter_map(|((class, recorded), ours)| {
            let (_, member) = members.iter().find(|(known, _)| known == class)?;
            Some((format!("\"{member}\":\"{recorded}\""), format!("\"{member}\":\"{ours}\"")))
        });
        pairs.fold(text.to_owned(), |text, (recorded, ours)| text.replace(&recorded, &ours))
    }

    /// Returns whether a value is the uid of a recorded object.
    pub(crate) fn knows_uid(&self, value: &Value) -> bool {
        value.as_str().is_some_and(|uid| self.ours(Class::Uid, uid).is_some())
    }

    /// Returns whether a name of the recording is another one here.
    pub(crate) fn has_names(&self) -> bool {
        self.ours.keys().any(|(class, _)| *class == Class::Name)
    }
}

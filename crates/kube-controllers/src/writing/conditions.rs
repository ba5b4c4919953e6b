//! Conditions of a status, by the conventions of the Kubernetes API.
//!
//! A condition says whether one statement about an object is true. Its `lastTransitionTime` changes
//! only when its `status` does, so that a reconcile that finds nothing new writes nothing.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;

/// The longest texts that a server accepts, in characters.
const LONGEST_TYPE: usize = 316;
const LONGEST_REASON: usize = 1024;
const LONGEST_MESSAGE: usize = 32_768;

/// The status of a condition.
///
/// ```
/// use kube_controllers::writing::conditions::ConditionStatus;
///
/// let ready: Option<bool> = None;
/// let status = ready.map_or(ConditionStatus::Unknown, ConditionStatus::from);
/// assert_eq!(status, ConditionStatus::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConditionStatus {
    /// The statement is true.
    True,
    /// The statement is false.
    False,
    /// It is not known whether the statement is true.
    Unknown,
}

impl ConditionStatus {
    /// Returns the text in the object.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for ConditionStatus {
    fn from(is_true: bool) -> Self {
        if is_true { Self::True } else { Self::False }
    }
}

impl fmt::Display for ConditionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A state of a condition that [`set`] writes.
///
/// ```
/// use kube_controllers::writing::conditions::NewCondition;
///
/// let ready = NewCondition::new("Ready", true, "Deployed").message("3 of 3 replicas run");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct NewCondition {
    type_: String,
    status: ConditionStatus,
    reason: String,
    message: String,
}

impl NewCondition {
    /// Creates a state of the condition of this type, without a message. The reason is one word in
    /// `CamelCase`, for programs.
    pub fn new(
        type_: impl Into<String>,
        status: impl Into<ConditionStatus>,
        reason: impl Into<String>,
    ) -> Self {
        let (type_, reason) = (type_.into(), reason.into());
        Self { type_, status: status.into(), reason, message: String::new() }
    }

    /// Sets the message, for people. Do not put a value into it that changes with each reconcile: a
    /// new message is a new write.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    fn check(&self) -> Result<(), InvalidCondition> {
        let Self { type_, reason, message, .. } = self;
        if !is_type(type_) {
            return Err(InvalidCondition::Type(type_.clone()));
        }
        if !is_reason(reason) {
            let (type_, reason) = (type_.clone(), reason.clone());
            return Err(InvalidCondition::Reason { type_, reason });
        }
        if message.chars().count() > LONGEST_MESSAGE {
            return Err(InvalidCondition::Message { type_: type_.clone() });
        }
        Ok(())
    }
}

/// A condition that a server would refuse.
///
/// ```
/// use kube_controllers::writing::conditions::{self, InvalidCondition, NewCondition};
///
/// let wordy = NewCondition::new("Ready", true, "all is well");
/// let refused = conditions::set(&mut Vec::new(), wordy, None);
/// assert!(matches!(refused, Err(InvalidCondition::Reason { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidCondition {
    /// The type is not a name such as `Ready` or `example.com/Ready`.
    #[error("{0:?} is not a condition's type: expected a name such as Ready or example.com/Ready")]
    Type(String),
    /// The reason is not a word.
    #[error("{reason:?} is not a reason of condition {type_}: expected one word in CamelCase")]
    #[non_exhaustive]
    Reason {
        /// The condition's type.
        type_: String,
        /// The reason.
        reason: String,
    },
    /// The generation is negative.
    #[error(
        "the condition {type_} cannot describe the generation {generation}: pass that of the object"
    )]
    #[non_exhaustive]
    Generation {
        /// The condition's type.
        type_: String,
        /// The generation.
        generation: i64,
    },
    /// The message has more than 32,768 characters.
    #[error("the message of condition {type_} has more than {LONGEST_MESSAGE} characters")]
    #[non_exhaustive]
    Message {
        /// The condition's type.
        type_: String,
    },
}

/// Sets a condition. Returns whether anything changed.
///
/// The other conditions and their order stay as they are; a new condition comes last. Of several
/// conditions of this type, the first stays and the others are removed. The transition time changes
/// only if the condition's status does. It has whole seconds, because a server keeps no more.
/// `generation` is the object's `metadata.generation` that the status describes.
///
/// Begin with the conditions of the cached object. Under server-side apply, remove those that other
/// managers own: an apply owns what it sends.
///
/// ```
/// use kube_controllers::writing::conditions::{self, NewCondition};
///
/// let mut all = Vec::new();
/// let ready = || NewCondition::new("Ready", true, "Deployed").message("3 of 3 replicas run");
/// assert_eq!(conditions::set(&mut all, ready(), Some(2)), Ok(true));
/// assert_eq!(conditions::set(&mut all, ready(), Some(2)), Ok(false));
/// let since = all[0].last_transition_time.clone();
/// assert_eq!(conditions::set(&mut all, ready(), Some(3)), Ok(true));
/// assert_eq!((all[0].observed_generation, &all[0].last_transition_time), (Some(3), &since));
/// ```
///
/// # Errors
/// [`InvalidCondition`]; nothing changes then.
pub fn set(
    conditions: &mut Vec<Condition>,
    new: NewCondition,
    generation: Option<i64>,
) -> Result<bool, InvalidCondition> {
    set_at(conditions, new, generation, crate::basics::now())
}

fn set_at(
    conditions: &mut Vec<Condition>,
    new: NewCondition,
    generation: Option<i64>,
    now: Timestamp,
) -> Result<bool, InvalidCondition> {
    new.check()?;
    if let Some(generation) = generation.filter(|generation| *generation < 0) {
        return Err(InvalidCondition::Generation { type_: new.type_, generation });
    }
    let NewCondition { type_, status, reason, message } = new;
    let now = Time(Timestamp::from_second(now.as_second()).unwrap_or(now));
    let mut condition = Condition {
        type_,
        status: status.as_str().to_owned(),
        reason,
        message,
        observed_generation: generation,
        last_transition_time: now,
    };
    let Some(first) = conditions.iter().position(|other| other.type_ == condition.type_) else {
        conditions.push(condition);
        return Ok(true);
    };
    let (before, mut at) = (conditions.len(), 0);
    conditions.retain(|other| {
        at += 1;
        at <= first + 1 || other.type_ != condition.type_
    });
    let present = &mut conditions[first];
    if present.status == condition.status {
        condition.last_transition_time = present.last_transition_time.clone();
    }
    let changed = *present != condition;
    *present = condition;
    Ok(changed || conditions.len() < before)
}

/// Returns the condition of a type.
///
/// ```
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
/// use kube_controllers::writing::conditions;
///
/// fn reason(all: &[Condition]) -> Option<&str> {
///     conditions::find(all, "Ready").map(|ready| &*ready.reason)
/// }
/// ```
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.type_ == type_)
}

/// Returns whether the condition of a type is there and true.
///
/// ```
/// use kube_controllers::writing::conditions;
///
/// assert!(!conditions::is_true(&[], "Ready"));
/// ```
pub fn is_true(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some_and(|found| found.status == ConditionStatus::True.as_str())
}

/// Returns whether a text is a name such as `Ready`, or one after a domain and a slash:
/// `(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])`. The domain may be longer than that of other names.
fn is_type(text: &str) -> bool {
    let (domain, name) = text.split_once('/').map_or((None, text), |(a, b)| (Some(a), b));
    let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= LONGEST_TYPE
        && domain.is_none_or(|domain| domain.split('.').all(|part| is_joined(part, lower, &['-'])))
        && is_joined(name, |c| c.is_ascii_alphanumeric(), &['-', '_', '.'])
}

/// Returns whether a text begins and ends with such characters, and has only these and `inside`.
fn is_joined(text: &str, ends: impl Fn(char) -> bool, inside: &[char]) -> bool {
    text.starts_with(&ends)
        && text.ends_with(&ends)
        && text.chars().all(|c| ends(c) || inside.contains(&c))
}

/// Returns whether a text matches `[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?`.
fn is_reason(text: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ',' | ':');
    text.len() <= LONGEST_REASON
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with([',', ':'])
        && text.chars().all(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::new(second, 123_456_789).unwrap()
    }

    #[test]
    fn time_changes_only_with_the_status() {
        let mut all = Vec::new();
        let mut set = |status: bool, reason: &str, second| {
            let new = NewCondition::new("Ready", status, reason);
            let changed = set_at(&mut all, new, Some(1), at(second)).unwrap();
            (
                changed,
                all[0].last_transition_time.0.as_second(),
                all[0].last_transition_time.0.subsec_nanosecond(),
            )
        };
        assert_eq!(set(false, "A", 10), (true, 10, 0));
        assert_eq!(set(false, "A", 20), (false, 10, 0));
        assert_eq!(set(false, "B", 30), (true, 10, 0));
        assert_eq!(set(true, "B", 40), (true, 40, 0));
    }

    #[test]
    fn order_of_others_stays() {
        let mut all = Vec::new();
        for type_ in ["C", "A", "B", "A"] {
            let new = NewCondition::new(type_, ConditionStatus::Unknown, "X");
            set(&mut all, new, None).unwrap();
        }
        let types: Vec<_> = all.iter().map(|condition| &*condition.type_).collect();
        assert_eq!(types, ["C", "A", "B"]);
        assert!(!is_true(&all, "A") && find(&all, "D").is_none());
    }

    #[test]
    fn invalid_conditions_change_nothing() {
        let mut all = Vec::new();
        let long = "x".repeat(LONGEST_MESSAGE + 1);
        for (new, part) in [
            (NewCondition::new("", true, "R"), "type"),
            (NewCondition::new("A b", true, "R"), "type"),
            (NewCondition::new("Example.com/A", true, "R"), "type"),
            (NewCondition::new("a..b/Ready", true, "R"), "type"),
            (NewCondition::new("a.-b/Ready", true, "R"), "type"),
            (NewCondition::new("a-.b/Ready", true, "R"), "type"),
            (NewCondition::new("-/Ready", true, "R"), "type"),
            (NewCondition::new(".a/Ready", true, "R"), "type"),
            (NewCondition::new("/Ready", true, "R"), "type"),
            (NewCondition::new("a/b/Ready", true, "R"), "type"),
            (NewCondition::new("a/", true, "R"), "type"),
            (NewCondition::new("-A", true, "R"), "type"),
            (NewCondition::new("A.", true, "R"), "type"),
            (NewCondition::new("Ä", true, "R"), "type"),
            (NewCondition::new("A\n", true, "R"), "type"),
            (NewCondition::new("A".repeat(LONGEST_TYPE + 1), true, "R"), "type"),
            (NewCondition::new("a".repeat(LONGEST_TYPE - 1) + "/A", true, "R"), "type"),
            (NewCondition::new("A", true, ""), "reason"),
            (NewCondition::new("A", true, "7Up"), "reason"),
            (NewCondition::new("A", true, "R:"), "reason"),
            (NewCondition::new("A", true, "R").message(long), "message"),
        ] {
            let refused = set(&mut all, new, None).unwrap_err().to_string();
            assert!(refused.contains(part), "{refused}");
        }
        assert_eq!(all, []);
        let long_domain = format!("{}/Ready", "a".repeat(LONGEST_TYPE - "/Ready".len()));
        let whole = "A".repeat(LONGEST_TYPE);
        for type_ in ["example.com/A.b-c_d", "a-b.0--c/7", "A", "a..b", &long_domain, &whole] {
            set(&mut all, NewCondition::new(type_, true, "A_b:c,D"), None).unwrap();
        }
    }

    #[test]
    fn first_of_equal_types_stays() {
        let mut all = Vec::new();
        for type_ in ["A", "B"] {
            set_at(&mut all, NewCondition::new(type_, true, "X"), None, at(10)).unwrap();
        }
        let first = all[0].clone();
        let other = Condition { status: "False".into(), ..first.clone() };
        all.extend([other.clone(), Condition { type_: "B".into(), ..other.clone() }, other]);
        let set = |all: &mut Vec<_>| set_at(all, NewCondition::new("A", true, "X"), None, at(20));
        assert_eq!(set(&mut all), Ok(true));
        let types: Vec<_> = all.iter().map(|condition| &*condition.type_).collect();
        assert_eq!((types, &all[0]), (vec!["A", "B", "B"], &first));
        assert_eq!(set(&mut all), Ok(false));
    }
}

//! The forms of names, labels and finalizers, and the names, uids and times that a server assigns.

use std::cell::Cell;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters \
    or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or \
    '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const NAME_PART: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
    and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex \
    used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric \
    characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. \
    'MyValue',  or 'my_value',  or '12345', regex used for validation is \
    '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const LETTER_LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or \
    '-', start with an alphabetic character, and end with an alphanumeric character (e.g. \
    'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// The longest label of a domain, in bytes.
const LONGEST_LABEL: usize = 63;

/// The longest domain, in bytes.
const LONGEST_SUBDOMAIN: usize = 253;

/// The longest prefix of a generated name, in bytes.
const LONGEST_PREFIX: usize = 58;

/// The form of a type's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NameForm {
    /// A lower-case domain of up to 253 characters.
    #[default]
    Subdomain,
    /// A lower-case label of up to 63 characters.
    Label,
    /// A lower-case domain of so few characters, because the names of other objects begin with it.
    Short(usize),
    /// Whatever can be a part of a path.
    PathSegment,
}

impl NameForm {
    /// Returns the problems of a name.
    pub(crate) fn problems(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => subdomain_problems(name, "characters"),
            Self::Label => label_problems(name),
            Self::PathSegment => path_segment_problems(name),
            Self::Short(most) => {
                let mut problems = subdomain_problems(name, "characters");
                if name.len() > most {
                    problems.push(format!("must be no more than {most} characters"));
                }
                problems
            }
        }
    }

    /// Returns the problems of the prefix of a generated name, which may end with a dash.
    pub(crate) fn prefix_problems(self, prefix: &str) -> Vec<String> {
        match prefix.strip_suffix('-').filter(|rest| !rest.is_empty()) {
            // A letter stands for what follows the dash.
            Some(rest) => {
                let mut masked: String = rest.to_owned();
                masked.pop();
                masked.push('a');
                self.problems(&masked)
            }
            None => self.problems(prefix),
        }
    }
}

fn is_part(text: &str) -> bool {
    let end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    end(text.chars().next())
        && end(text.chars().next_back())
        && text.chars().all(|c| end(Some(c)) || c == '-')
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_part)
}

/// Returns the problems of a lower-case domain.
pub(crate) fn subdomain_problems(name: &str, unit: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if name.len() > LONGEST_SUBDOMAIN {
        problems.push(format!("must be no more than {LONGEST_SUBDOMAIN} {unit}"));
    }
    if !is_subdomain(name) {
        problems.push(SUBDOMAIN.to_owned());
    }
    problems
}

/// Returns the problems of a lower-case label.
pub(crate) fn label_problems(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if name.len() > LONGEST_LABEL {
        problems.push(format!("must be no more than {LONGEST_LABEL} characters"));
    }
    if !is_part(name) {
        let dots = is_subdomain(name);
        problems.push(if dots { "must not contain dots".to_owned() } else { LABEL.to_owned() });
    }
    problems
}

/// Returns the problems of a lower-case label that begins with a letter.
pub(crate) fn letter_label_problems(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if name.len() > LONGEST_LABEL {
        problems.push(format!("must be no more than {LONGEST_LABEL} characters"));
    }
    if !is_part(name) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        problems.push(LETTER_LABEL.to_owned());
    }
    problems
}

/// Returns the problems of a text that is a part of a path.
pub(crate) fn path_segment_problems(name: &str) -> Vec<String> {
    if matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    let found = ["/", "%"].into_iter().filter(|text| name.contains(text));
    found.map(|text| format!("may not contain '{text}'")).collect()
}

fn is_name_part(text: &str) -> bool {
    let end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    end(text.chars().next())
        && end(text.chars().next_back())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Returns the problems of a qualified name: a name, or a domain, a slash and a name. Keys of
/// labels and annotations and finalizers have this form.
pub(crate) fn qualified_problems(text: &str) -> Vec<String> {
    let mut parts = text.split('/');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next());
    if parts.next().is_some() {
        return vec![format!(
            "a valid label key {NAME_PART} with an optional DNS subdomain prefix and '/' (e.g. \
             'example.com/MyName')"
        )];
    }
    let mut problems = Vec::new();
    let name = match second {
        None => first,
        Some(name) => {
            if first.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                let prefix = subdomain_problems(first, "bytes");
                problems.extend(prefix.iter().map(|problem| format!("prefix part {problem}")));
            }
            name
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > LONGEST_LABEL {
        problems.push(format!("name part must be no more than {LONGEST_LABEL} bytes"));
    }
    if !is_name_part(name) {
        problems.push(format!("name part {NAME_PART}"));
    }
    problems
}

/// Returns the problems of a label's value.
pub(crate) fn label_value_problems(value: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if value.len() > LONGEST_LABEL {
        problems.push(format!("must be no more than {LONGEST_LABEL} bytes"));
    }
    if !value.is_empty() && !is_name_part(value) {
        problems.push(LABEL_VALUE.to_owned());
    }
    problems
}

/// Returns a new name with this prefix.
pub(crate) fn generated(prefix: &str) -> String {
    let mut end = prefix.len().min(LONGEST_PREFIX);
    while !prefix.is_char_boundary(end) {
        end -= 1;
    }
    let letters = b"bcdfghjklmnpqrstvwxz2456789";
    let suffix = (0..5).map(|_| fastrand::choice(letters).map_or('x', |c| char::from(*c)));
    prefix[..end].chars().chain(suffix).collect()
}

/// The draws and the time of a write that may run several times. They are the same each time.
#[derive(Debug)]
pub(crate) struct Repeatable {
    seed: u64,
    time: Timestamp,
}

thread_local! {
    /// The time of the running write, if it stands still.
    static TIME: Cell<Option<Timestamp>> = const { Cell::new(None) };
}

/// Restores the draws and the time of the thread, also if a write panics.
struct Restored {
    seed: u64,
    time: Option<Timestamp>,
}

impl Drop for Restored {
    fn drop(&mut self) {
        fastrand::seed(self.seed);
        TIME.set(self.time);
    }
}

impl Repeatable {
    pub(crate) fn new() -> Self {
        Self { seed: fastrand::u64(..), time: crate::now() }
    }

    pub(crate) fn run<T>(&self, write: impl FnOnce() -> T) -> T {
        let _restored =
            Restored { seed: fastrand::get_seed(), time: TIME.replace(Some(self.time)) };
        fastrand::seed(self.seed);
        write()
    }
}

/// Returns a new random uid.
pub(crate) fn uid() -> String {
    let (high, low) = (fastrand::u64(..), fastrand::u64(..));
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | ((low >> 48) & 0x3fff),
        low & 0xffff_ffff_ffff
    )
}

/// Returns the current time by tokio's clock, in whole seconds, as metadata has it.
pub(crate) fn now() -> String {
    after(0)
}

/// Returns the time in `seconds` from now.
pub(crate) fn after(seconds: i64) -> String {
    let now = TIME.get().unwrap_or_else(crate::now);
    let then = now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(now);
    then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_may_end_with_a_dash() {
        for (prefix, valid) in [("pre-", true), ("a.", false), ("-", false), ("a", true)] {
            assert_eq!(NameForm::Subdomain.prefix_problems(prefix).is_empty(), valid, "{prefix}");
        }
        let long = "ü".repeat(40);
        assert_eq!(generated(&long).chars().count(), 29 + 5);
    }

    #[test]
    fn qualified_names_have_at_most_one_prefix() {
        for (key, count) in
            [("a", 0), ("example.com/a_B.c", 0), ("a/b/c", 1), ("", 2), ("/a", 1), ("-a", 1)]
        {
            assert_eq!(qualified_problems(key).len(), count, "{key}");
        }
    }
}

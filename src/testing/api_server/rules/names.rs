//! Names, uids and times that a server assigns.

use crate::testing::api_server::resource::ResourceType;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters \
    or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or \
    '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/// Returns the problem of a name, if it has one.
pub(crate) fn problem(resource: &ResourceType, name: &str) -> Option<&'static str> {
    if resource.group == "rbac.authorization.k8s.io" {
        let bad = matches!(name, "." | "..") || name.contains(['/', '%']);
        return bad.then_some("may not contain '/' or '%', nor be '.' or '..'");
    }
    let label = matches!(&*resource.qualified(), "namespaces" | "services");
    let end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let part = |part: &str| {
        end(part.chars().next())
            && end(part.chars().next_back())
            && part.chars().all(|c| end(Some(c)) || c == '-')
    };
    let well = if label {
        name.len() <= 63 && part(name)
    } else {
        name.len() <= 253 && name.split('.').all(part)
    };
    (!well).then_some(if label { LABEL } else { SUBDOMAIN })
}

/// Returns a random suffix for a `generateName`.
pub(crate) fn suffix() -> String {
    (0..5)
        .map(|_| fastrand::choice(b"bcdfghjklmnpqrstvwxz2456789").map_or('x', |c| char::from(*c)))
        .collect()
}

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

/// Returns the current time in whole seconds, as metadata has it.
pub(crate) fn now() -> String {
    after(0)
}

/// Returns the time in `seconds` from now.
pub(crate) fn after(seconds: i64) -> String {
    use k8s_openapi::jiff::{SignedDuration, Timestamp};
    let now = Timestamp::now();
    let then = now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(now);
    then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

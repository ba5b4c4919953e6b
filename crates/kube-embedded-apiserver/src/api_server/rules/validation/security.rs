//! Security contexts of pods and containers.

use std::collections::HashSet;

use serde_json::Value;

use super::projections::descending;
use super::rows::Rule::{Check, Given, OneOf};
use super::rows::{Row, child, elements, text, unsupported};
use crate::api_server::failure::Cause;

/// The security context of a pod, without its users and groups.
pub(super) const POD: &[Row] = &[
    ("sysctls", Check(sysctls)),
    ("fsGroupChangePolicy", OneOf(&["Always", "OnRootMismatch"])),
    ("seccompProfile", Given(seccomp)),
    ("appArmorProfile", Given(app_armor)),
    ("supplementalGroupsPolicy", OneOf(&["Merge", "Strict"])),
    ("seLinuxChangePolicy", OneOf(&["Recursive"])),
];

/// The security context of a container, without its users and groups.
pub(super) const CONTAINER: &[Row] = &[
    ("procMount", OneOf(&["Default", "Unmasked"])),
    ("seccompProfile", Given(seccomp)),
    ("appArmorProfile", Given(app_armor)),
];

const MOST_SYSCTL: usize = 253;

fn sysctls(sysctls: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = HashSet::new();
    for (n, sysctl) in elements(sysctls).enumerate() {
        let path = format!("{path}[{n}].name");
        let name = text(sysctl, "name");
        if name.is_empty() {
            causes.push(Cause::required(&path, ""));
        } else if !is_sysctl(name) {
            let problem = format!(
                "must have at most {MOST_SYSCTL} characters and match regex \
                 ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
            );
            causes.push(Cause::invalid(&path, name, &problem));
        } else if !known.insert(name) {
            causes.push(Cause::duplicate(&path, &format!("{name:?}")));
        }
    }
}

/// Returns whether a text is the name of a parameter of the kernel.
fn is_sysctl(name: &str) -> bool {
    let end = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let good = |part: &str| {
        let bytes = part.as_bytes();
        let inner = |byte: &u8| end(Some(byte)) || matches!(byte, b'-' | b'_');
        end(bytes.first()) && end(bytes.last()) && bytes.iter().all(inner)
    };
    name.len() <= MOST_SYSCTL && name.split(['.', '/']).all(good)
}

/// Checks the type of a profile, and returns it.
fn profile_type<'a>(profile: &'a Value, path: &str, causes: &mut Vec<Cause>) -> &'a str {
    let types = ["Localhost", "RuntimeDefault", "Unconfined"];
    let kind = text(profile, "type");
    let at_type = child(path, "type");
    if kind.is_empty() {
        let member = path.rsplit('.').next().unwrap_or_default();
        let problem = format!("type is required when {member} is set");
        causes.push(Cause::required(&at_type, &problem));
    } else if !types.contains(&kind) {
        causes.push(unsupported(&at_type, kind, &types));
    }
    kind
}

/// The longest path, without the zero at its end.
const LONGEST_PATH: u64 = 4095;

fn app_armor(profile: &Value, path: &str, causes: &mut Vec<Cause>) {
    let kind = profile_type(profile, path, causes);
    let path = child(path, "localhostProfile");
    let problem = "must be set when AppArmor type is Localhost";
    match (kind, profile["localhostProfile"].as_str()) {
        ("Localhost", None | Some("")) => causes.push(Cause::required(&path, problem)),
        ("Localhost", Some(name)) => {
            if name.trim() != name {
                causes.push(Cause::invalid(&path, name, "must not be padded with whitespace"));
            }
            if name.len() as u64 > LONGEST_PATH {
                causes.push(Cause::too_long(&path, LONGEST_PATH));
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(name)) => {
            let problem = "can only be set when AppArmor type is Localhost";
            causes.push(Cause::invalid(&path, name, problem));
        }
        _ => {}
    }
}

fn seccomp(profile: &Value, path: &str, causes: &mut Vec<Cause>) {
    let kind = profile_type(profile, path, causes);
    let path = child(path, "localhostProfile");
    match (kind, profile["localhostProfile"].as_str()) {
        ("Localhost", None) => {
            let problem = "must be set when seccomp type is Localhost";
            causes.push(Cause::required(&path, problem));
        }
        ("Localhost", Some(place)) => descending(place, &path, causes),
        (_, Some(place)) => {
            let shown = format!("{{\"Type\":{kind:?},\"LocalhostProfile\":{place:?}}}");
            let problem = "can only be set when seccomp type is Localhost";
            causes.push(Cause::invalid_raw(&path, &shown, problem));
        }
        (_, None) => {}
    }
}

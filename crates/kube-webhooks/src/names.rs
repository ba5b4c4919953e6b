//! The rules of API servers for names.

pub(crate) use kube_decode::names::{is_label, is_label_value, is_qualified, is_subdomain};

/// The rule of [`is_label`].
pub(crate) const LABEL: &str = "an RFC 1123 label: 1 to 63 lower-case letters, digits and hyphens, \
                                with a letter or digit at both ends";

/// The rule of [`is_subdomain`].
pub(crate) const SUBDOMAIN: &str = "an RFC 1123 subdomain: 1 to 253 lower-case letters, digits, \
                                    hyphens and dots, with a letter or digit at both ends and on \
                                    both sides of each dot";

/// Returns whether this is an RFC 1035 label, as versions and the plural names of definitions are.
pub(crate) fn is_letter_label(name: &str) -> bool {
    is_label(name) && name.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Returns whether this is an RFC 1035 label in any case, as the names of kinds are.
pub(crate) fn is_kind_name(name: &str) -> bool {
    is_letter_label(&name.to_ascii_lowercase())
}

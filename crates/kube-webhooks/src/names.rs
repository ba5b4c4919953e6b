//! The rules of API servers for names.

/// The rule of [`is_label`].
pub(crate) const LABEL: &str = "an RFC 1123 label: 1 to 63 lower-case letters, digits and hyphens, \
                                with a letter or digit at both ends";

/// Returns whether this is an RFC 1123 label, as the names of namespaces and Services are.
pub(crate) fn is_label(name: &str) -> bool {
    name.len() <= 63 && !name.contains('.') && is_subdomain(name)
}

/// Returns whether this is an RFC 1035 label, as versions and the plural names of definitions are.
pub(crate) fn is_letter_label(name: &str) -> bool {
    is_label(name) && name.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Returns whether this is an RFC 1035 label in any case, as the names of kinds are.
pub(crate) fn is_kind_name(name: &str) -> bool {
    is_letter_label(&name.to_ascii_lowercase())
}

/// The rule of [`is_subdomain`].
pub(crate) const SUBDOMAIN: &str = "an RFC 1123 subdomain: 1 to 253 lower-case letters, digits, \
                                    hyphens and dots, with a letter or digit at both ends and on \
                                    both sides of each dot";

/// Returns whether this is an RFC 1123 subdomain, as the names of most objects are.
pub(crate) fn is_subdomain(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.split('.').all(|part| is_part(part, is_inner)) && name.len() <= 253
}

/// Returns whether this is a qualified name, as the keys of labels are.
pub(crate) fn is_qualified(name: &str) -> bool {
    let (domain, name) = name.split_once('/').map_or((None, name), |(of, name)| (Some(of), name));
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    domain.is_none_or(is_subdomain) && is_part(name, is_inner) && name.len() <= 63
}

/// Returns whether a label can have this value.
pub(crate) fn is_label_value(value: &str) -> bool {
    value.is_empty() || (is_qualified(value) && !value.contains('/'))
}

/// Returns whether a text has only these characters, with a letter or digit at both ends.
fn is_part(part: &str, is_inner: impl Fn(char) -> bool) -> bool {
    let is_end = |c: char| c.is_ascii_alphanumeric();
    part.chars().all(is_inner) && part.starts_with(is_end) && part.ends_with(is_end)
}

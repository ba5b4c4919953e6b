//! Label selectors in the syntax of `kubectl -l`, and the syntax of field selectors.
//!
//! A parse error names the problem and its position. Matching never fails and never allocates.

#[doc(inline)]
pub use kube_decode::labels::{InvalidSelector, LabelSelector};

const NO_OPERATOR: &str = "a requirement has no operator: expected =, == or !=";

/// Returns the problem of a field selector's syntax: requirements `path=value`, `path==value` or
/// `path!=value`, joined by commas. In values, a backslash precedes a comma, `=` and a backslash.
pub(crate) fn field_problem(selector: &str) -> Option<&'static str> {
    let (mut rest, mut in_value, mut is_empty) = (selector.chars().peekable(), false, true);
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                // Before the operator, it only keeps a comma from ending the requirement.
                let escaped = rest.next_if(|c| in_value || !matches!(c, '=' | '!'));
                if in_value && !matches!(escaped, Some('\\' | ',' | '=')) {
                    return Some(
                        "in a value, a backslash must precede a comma, '=' or a backslash",
                    );
                }
            }
            ',' if in_value || is_empty => in_value = false,
            ',' => return Some(NO_OPERATOR),
            '=' if in_value => return Some("in a value, a backslash must precede '='"),
            '=' => {
                rest.next_if_eq(&'=');
                in_value = true;
            }
            '!' if !in_value && rest.next_if_eq(&'=').is_some() => in_value = true,
            _ => {}
        }
        is_empty = c == ',';
    }
    (!in_value && !is_empty).then_some(NO_OPERATOR)
}

//! The `resourceVersion`, and the comparison that is stable since Kubernetes 1.35.
//!
//! A version is kept exactly as the server wrote it, and is sent back unchanged. Two versions may
//! have no order: a version that is not a decimal number is an opaque token.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A `metadata.resourceVersion`.
///
/// Versions that are decimal numbers without a leading zero are ordered, whatever their length
/// (KEP-5504, "comparable resource version"). The longer is the newer; for equal lengths the digits
/// decide. Any other version is opaque and has no order.
///
/// ```
/// use std::cmp::Ordering;
/// use kube_informer::ResourceVersion;
///
/// let old = ResourceVersion::from("99999999999999999999");
/// let new = ResourceVersion::from("100000000000000000000"); // beyond 64 bits
/// assert_eq!(new.compare(&old), Some(Ordering::Greater));
/// assert_eq!(new.compare(&ResourceVersion::from("abc")), None);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ResourceVersion(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// A number of at most 64 bits, as nearly every version is. It needs no allocation.
    Number(u64),
    /// A number beyond 64 bits, or an opaque text.
    Text(Arc<str>),
}

impl ResourceVersion {
    /// The version `"0"`: in a request, any version that the server has in its cache.
    pub const ANY: Self = Self(Repr::Number(0));

    /// Compares this version with another. Returns `None` if one of the two is not a decimal
    /// number.
    ///
    /// Versions of different resources or clusters have no meaningful order, which this method
    /// can't detect.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if !self.is_comparable() || !other.is_comparable() {
            return None;
        }
        Some(match (&self.0, &other.0) {
            (Repr::Number(a), Repr::Number(b)) => a.cmp(b),
            // A comparable text is a number that did not fit in 64 bits.
            (Repr::Number(_), Repr::Text(_)) => Ordering::Less,
            (Repr::Text(_), Repr::Number(_)) => Ordering::Greater,
            (Repr::Text(a), Repr::Text(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        })
    }

    /// Returns whether this version is known to be older than `other`; false if the two have no
    /// order.
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }

    /// Returns whether this version is known to be `other` or newer; false if the two differ and
    /// have no order.
    ///
    /// ```
    /// use kube_informer::ResourceVersion;
    ///
    /// let (written, opaque) = (ResourceVersion::from(7), ResourceVersion::from("abc"));
    /// assert!(ResourceVersion::from(10).is_at_least(&written));
    /// assert!(opaque.is_at_least(&opaque) && !opaque.is_at_least(&written));
    /// ```
    pub fn is_at_least(&self, other: &Self) -> bool {
        self == other || other.is_older_than(self)
    }

    /// Returns the last 15 digits as a number, or `None` if this is not a number. A metric is a
    /// float, which holds 15 digits exactly.
    pub(crate) fn low_digits(&self) -> Option<u64> {
        const DIGITS: u32 = 15;
        match &self.0 {
            Repr::Number(number) => Some(number % 10_u64.pow(DIGITS)),
            Repr::Text(text) if self.is_comparable() => {
                text.get(text.len().saturating_sub(DIGITS as usize)..)?.parse().ok()
            }
            Repr::Text(_) => None,
        }
    }

    /// Returns whether this is the empty text, which means that there is no version.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.0, Repr::Text(text) if text.is_empty())
    }

    /// Returns whether this is a decimal number without a leading zero.
    pub(crate) fn is_comparable(&self) -> bool {
        match &self.0 {
            Repr::Number(_) => true,
            Repr::Text(text) => {
                text.starts_with(|c: char| matches!(c, '1'..='9'))
                    && text.bytes().all(|b| b.is_ascii_digit())
            }
        }
    }
}

impl From<&str> for ResourceVersion {
    fn from(text: &str) -> Self {
        let canonical = text == "0" || text.starts_with(|c: char| matches!(c, '1'..='9'));
        Self(match text.parse() {
            Ok(number) if canonical => Repr::Number(number),
            _ => Repr::Text(text.into()),
        })
    }
}

impl From<u64> for ResourceVersion {
    fn from(number: u64) -> Self {
        Self(Repr::Number(number))
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Number(number) => fmt::Display::fmt(number, f),
            Repr::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl serde::Serialize for ResourceVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn version(text: &str) -> ResourceVersion {
        ResourceVersion::from(text)
    }

    #[test]
    fn opaque_versions_are_kept_and_not_ordered() {
        for text in ["abc", "", "007", "+7", "-1", "1.5", "٣", "18446744073709551616x"] {
            let opaque = version(text);
            assert_eq!(opaque.to_string(), text);
            assert_eq!(opaque.low_digits(), None);
            assert_eq!(opaque.compare(&version("7")), None);
            assert!(!opaque.is_older_than(&version("7")));
            assert!(!version("7").is_older_than(&opaque));
            assert!(opaque.is_at_least(&opaque) && !opaque.is_at_least(&version("7")));
        }
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn order_is_that_of_the_numbers(a in 0..=u128::MAX, b in 0..=u128::MAX, shift in 0u32..128) {
            for (a, b) in [(a, b), (a >> shift, b), (a >> shift, b >> shift)] {
                let (left, right) = (version(&a.to_string()), version(&b.to_string()));
                prop_assert_eq!(left.compare(&right), Some(a.cmp(&b)));
                prop_assert_eq!(left == right, a == b);
                prop_assert_eq!(left.low_digits().map(u128::from), Some(a % 1_000_000_000_000_000));
                prop_assert_eq!(left.to_string(), a.to_string());
            }
        }
    }
}

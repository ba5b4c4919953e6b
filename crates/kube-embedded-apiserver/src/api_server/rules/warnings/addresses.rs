//! Warnings about IP addresses and ranges that are not in their usual form.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::api_server::rules::formats::parse_address;

/// Returns an address as it should be written, and whether it is written in a form that not all
/// programs read: with zeros in front of numbers, or with IPv4 inside of IPv6.
fn usual(text: &str) -> Option<(IpAddr, bool)> {
    let address = parse_address(text)?;
    let usual = address.to_canonical();
    Some((usual, usual != address || text.parse::<IpAddr>().is_err()))
}

/// Returns the warning about an address.
pub(super) fn address(at: &str, text: &str) -> Option<String> {
    let (address, odd) = usual(text)?;
    if odd {
        return Some(format!(
            "{at}: non-standard IP address {text:?} is invalid: use \"{address}\""
        ));
    }
    (address.is_ipv6() && address.to_string() != text).then(|| {
        format!(
            "{at}: IPv6 address {text:?} should be in RFC 5952 canonical format (\"{address}\")"
        )
    })
}

/// Returns the warnings about a range: an address and the length of a prefix.
pub(super) fn range(at: &str, text: &str) -> Vec<String> {
    let parts = text
        .split_once('/')
        .and_then(|(address, length)| Some((usual(address)?, length, length.parse::<u32>().ok()?)));
    let Some(((address, odd), written, length)) = parts else { return Vec::new() };
    let network: IpAddr = match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(length)).unwrap_or(0);
            Ipv4Addr::from_bits(v4.to_bits() & mask).into()
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(length)).unwrap_or(0);
            Ipv6Addr::from_bits(v6.to_bits() & mask).into()
        }
    };
    let usual = format!("{network}/{length}");
    let mut warnings = Vec::new();
    if network != address {
        let all = if address.is_ipv4() { 32 } else { 128 };
        warnings.push(format!(
            "{at}: CIDR value {text:?} is ambiguous in this context (should be {usual:?} or \
             \"{address}/{all}\"?)"
        ));
    }
    if odd || written != length.to_string() {
        warnings.push(format!("{at}: non-standard CIDR value {text:?} is invalid: use {usual:?}"));
    } else if warnings.is_empty() && address.is_ipv6() && usual != text {
        warnings.push(format!(
            "{at}: IPv6 CIDR value {text:?} should be in RFC 5952 canonical format ({usual:?})"
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_addresses_are_told() {
        for text in ["10.0.0.1", "::1", "2001:db8::1"] {
            assert_eq!(address("ip", text), None);
        }
        for (text, wanted) in [
            ("010.0.0.1", "ip: non-standard IP address \"010.0.0.1\" is invalid: use \"10.0.0.1\""),
            (
                "::ffff:1.2.3.4",
                "ip: non-standard IP address \"::ffff:1.2.3.4\" is invalid: use \"1.2.3.4\"",
            ),
            (
                "2001:DB8:0::1",
                "ip: IPv6 address \"2001:DB8:0::1\" should be in RFC 5952 canonical format \
                 (\"2001:db8::1\")",
            ),
        ] {
            assert_eq!(address("ip", text).as_deref(), Some(wanted));
        }
    }

    #[test]
    fn ambiguous_ranges_are_told() {
        assert!(range("r", "10.0.0.0/8").is_empty() && range("r", "2001:db8::/32").is_empty());
        assert!(range("r", "0.0.0.0/0").is_empty() && range("r", "::/0").is_empty());
        let wanted = "r: CIDR value \"10.0.0.1/8\" is ambiguous in this context (should be \
                      \"10.0.0.0/8\" or \"10.0.0.1/32\"?)";
        assert_eq!(range("r", "10.0.0.1/8"), [wanted]);
        let wanted = "r: IPv6 CIDR value \"2001:db8:0::/64\" should be in RFC 5952 canonical \
                      format (\"2001:db8::/64\")";
        assert_eq!(range("r", "2001:db8:0::/64"), [wanted]);
    }
}

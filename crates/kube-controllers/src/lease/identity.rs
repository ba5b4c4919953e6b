//! The identity of a replica.

/// Returns the host's name with a random suffix, because two candidates may share a host.
pub(crate) fn default_identity() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .or_else(|| std::env::var("COMPUTERNAME").ok());
    let host = host.as_deref().map(str::trim).filter(|host| !host.is_empty());
    format!("{}_{:032x}", host.unwrap_or("unknown"), fastrand::u128(..))
}

//! Why an object is not kept as it was to be.

/// An object can't be packed, or not be unpacked. It never says what the object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PackError {
    /// `Serialize` failed or panicked.
    #[error("it can't be serialised")]
    NotSerialised,
    /// It takes 4 GiB or more, or its uid 64 KiB.
    #[error("it is too large")]
    TooLarge,
    /// `Deserialize` failed or panicked on what `Serialize` gave.
    #[error("what it is packed as can't be unpacked")]
    NotUnpacked,
    /// What is unpacked is not what was packed: `Serialize` and `Deserialize` disagree.
    #[error("unpacked and packed again it is something else")]
    Disagrees,
}

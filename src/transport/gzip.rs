//! Inflating a body that is compressed with gzip (RFC 1952), in bounded steps.
//!
//! A body is any number of members, one after another. A server may end a member at each flush of
//! a watch, or flush in the middle of one. Either way, all bytes that a flush completes come out
//! before the next bytes go in.

use std::fmt;

use bytes::{Buf, Bytes};
use flate2::{Crc, Decompress, FlushDecompress, Status};

/// The largest number of bytes that one step inflates.
const STEP: usize = 64 * 1024;

/// The largest header of a member, in bytes. Its extra field alone may take 64 KiB.
const HEADER_LIMIT: usize = 128 * 1024;

/// The largest ratio of a body to its compressed size. Objects of Kubernetes have 5 to 100, and the
/// format allows 1032.
const RATIO_LIMIT: u64 = 200;

/// The inflated bytes from which the ratio counts. An object may be a repetition of one byte.
const RATIO_FROM: u64 = 16 * 1024 * 1024;

/// The state of a body that is being inflated. It holds memory for the window only within a member.
pub(super) struct Gunzip {
    /// The compressed bytes that are not inflated yet.
    input: Bytes,
    part: Part,
    inflated: u64,
    /// The compressed bytes that were used.
    used: u64,
}

/// The part of a body that comes next.
enum Part {
    /// The header of a member, or the end of the body.
    Header,
    Data(Decompress, Crc),
    /// The checksum and the size of what a member has inflated to.
    Trailer(Crc),
}

impl Gunzip {
    pub(super) fn new() -> Self {
        Self { input: Bytes::new(), part: Part::Header, inflated: 0, used: 0 }
    }

    /// Adds compressed bytes. The caller adds them when [`next`](Self::next) needs more.
    pub(super) fn push(&mut self, bytes: Bytes) {
        if self.input.is_empty() {
            self.input = bytes;
        } else {
            // Only an incomplete header or trailer is left, which is short.
            self.input = [&self.input[..], &bytes].concat().into();
        }
    }

    /// Returns the next inflated bytes, which may be none. `None` if it needs more input. An error
    /// states the problem. If data is corrupt, the last 32 KiB before it may be left out.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, &'static str> {
        match &mut self.part {
            Part::Header => {
                let length = match header(&self.input)? {
                    Some(length) if length <= HEADER_LIMIT => length,
                    None if self.input.len() <= HEADER_LIMIT => return Ok(None),
                    _ => return Err("the header of a gzip member is longer than 128 KiB"),
                };
                self.consume(length);
                self.part = Part::Data(Decompress::new(false), Crc::new());
            }
            Part::Data(inflate, crc) => {
                let mut out = Vec::with_capacity((8 * self.input.len()).clamp(1024, STEP));
                let before = inflate.total_in();
                let step = inflate.decompress_vec(&self.input, &mut out, FlushDecompress::None);
                let used = usize::try_from(inflate.total_in() - before).unwrap_or(usize::MAX);
                crc.update(&out);
                let idle = used == 0 && out.is_empty();
                match step {
                    Ok(Status::StreamEnd) => self.part = Part::Trailer(std::mem::take(crc)),
                    Ok(_) if idle && self.input.is_empty() => return Ok(None),
                    Ok(_) if !idle => {}
                    // The same error comes again once its bytes are out.
                    Err(_) if !out.is_empty() => {}
                    Ok(_) | Err(_) => return Err("the deflated data of a gzip member is corrupt"),
                }
                self.consume(used);
                self.inflated += out.len() as u64;
                if self.inflated > RATIO_FROM.max(self.used.saturating_mul(RATIO_LIMIT)) {
                    return Err("the body inflates to more than 16 MiB and 200 times its size");
                }
                out.shrink_to_fit();
                return Ok(Some(out.into()));
            }
            Part::Trailer(crc) => {
                let Some((trailer, _)) = self.input.split_first_chunk::<8>() else {
                    return Ok(None);
                };
                let expected = [crc.sum().to_le_bytes(), crc.amount().to_le_bytes()].concat();
                if *trailer != *expected {
                    return Err("the checksum or the size of a gzip member is wrong");
                }
                self.consume(8);
                self.part = Part::Header;
            }
        }
        Ok(Some(Bytes::new()))
    }

    /// Returns whether the body may end here: between members.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self.part, Part::Header) && self.input.is_empty()
    }

    /// Returns the number of inflated bytes.
    pub(super) fn inflated(&self) -> u64 {
        self.inflated
    }

    fn consume(&mut self, bytes: usize) {
        self.input.advance(bytes);
        self.used += bytes as u64;
    }
}

/// Returns the length of the header at the beginning of these bytes. `None` if it is not complete.
fn header(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    let [checksum, extra, name, comment, reserved] = [2, 4, 8, 16, 0xe0];
    let magic = bytes.len().min(2);
    if bytes[..magic] != [0x1f, 0x8b][..magic] {
        return Err("a gzip member was expected, but other bytes came");
    }
    if bytes.get(2).is_some_and(|method| *method != 8)
        || bytes.get(3).is_some_and(|flags| flags & reserved != 0)
    {
        return Err("a gzip member has an unknown method or flag");
    }
    let length = || {
        let flags = *bytes.get(3)?;
        let mut length = 10;
        if flags & extra != 0 {
            let field = bytes.get(length..)?.first_chunk::<2>()?;
            length += 2 + usize::from(u16::from_le_bytes(*field));
        }
        for text in [name, comment] {
            if flags & text != 0 {
                length += memchr::memchr(0, bytes.get(length..)?)? + 1;
            }
        }
        let sum = if flags & checksum == 0 {
            None
        } else {
            let sum = bytes.get(length..)?.first_chunk::<2>()?;
            length += 2;
            Some((length - 2, *sum))
        };
        (bytes.len() >= length).then_some((length, sum))
    };
    let Some((length, sum)) = length() else { return Ok(None) };
    if let Some((summed, sum)) = sum {
        let mut crc = Crc::new();
        crc.update(&bytes[..summed]);
        if crc.sum().to_le_bytes()[..2] != sum {
            return Err("the checksum of a gzip member's header is wrong");
        }
    }
    Ok(Some(length))
}

impl fmt::Debug for Gunzip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gunzip").field("inflated", &self.inflated).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

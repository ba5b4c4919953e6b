//! The frames of a file: bytes with a checksum that depends on all frames before.
//!
//! ```text
//! file    magic, length of the name, name, checksum; then frames
//! frame   length (4 bytes), checksum (4 bytes), payload
//! ```
//!
//! Every number is little-endian. A reader stops at the first frame that is not whole. Because each
//! checksum includes the one before, frames can't be left out, repeated or exchanged unnoticed.

use std::io::{self, Read, Write};

/// The first bytes of a file. The number is that of the format.
const MAGIC: &[u8; 8] = b"KIWARM03";

/// The longest payload. A longer one is taken for damage.
pub(super) const LONGEST: usize = 32 * 1024 * 1024;

/// The longest name of a table.
const LONGEST_NAME: usize = 64 * 1024;

/// Writes frames.
pub(super) struct FrameWriter<W> {
    out: W,
    checksum: u32,
    /// The number of bytes written so far.
    pub(super) len: u64,
}

impl<W: Write> FrameWriter<W> {
    /// Begins a file.
    pub(super) fn begin(mut out: W, name: &str) -> io::Result<Self> {
        let checksum = header_checksum(name);
        let name_len = u32::try_from(name.len()).map_err(io::Error::other)?;
        out.write_all(MAGIC)?;
        out.write_all(&name_len.to_le_bytes())?;
        out.write_all(name.as_bytes())?;
        out.write_all(&checksum.to_le_bytes())?;
        Ok(Self { out, checksum, len: header_len(name) })
    }

    /// Goes on after the frames that a reader has read.
    pub(super) fn after(out: W, end: End) -> Self {
        Self { out, checksum: end.checksum, len: end.len }
    }

    pub(super) fn push(&mut self, payload: &[u8]) -> io::Result<()> {
        let len = u32::try_from(payload.len()).map_err(io::Error::other)?.to_le_bytes();
        self.checksum = checksum(self.checksum, len, payload);
        self.out.write_all(&len)?;
        self.out.write_all(&self.checksum.to_le_bytes())?;
        self.out.write_all(payload)?;
        self.len += 8 + payload.len() as u64;
        Ok(())
    }

    /// Returns the place after the last frame.
    pub(super) fn end(&self) -> End {
        End { len: self.len, checksum: self.checksum }
    }

    pub(super) fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }
}

/// A position between two frames, and the checksum up to there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) len: u64,
    checksum: u32,
}

/// Reads frames up to the first that is not whole.
pub(super) struct FrameReader<R> {
    input: R,
    /// The number of bytes of the whole input.
    size: u64,
    pub(super) end: End,
    payload: Vec<u8>,
}

impl<R: Read> FrameReader<R> {
    /// Reads the header. `None` if it is damaged, or of another format or name.
    pub(super) fn begin(mut input: R, size: u64, name: &str) -> io::Result<Option<Self>> {
        let mut fixed = [0; 12];
        if !read_whole(&mut input, &mut fixed)? || !fixed.starts_with(MAGIC) {
            return Ok(None);
        }
        if name.len() > LONGEST_NAME || fixed[8..] != (name.len() as u64).to_le_bytes()[..4] {
            return Ok(None);
        }
        let (mut found, mut sum) = (vec![0; name.len()], [0; 4]);
        let whole = read_whole(&mut input, &mut found)? && read_whole(&mut input, &mut sum)?;
        let checksum = header_checksum(name);
        if !whole || found != name.as_bytes() || sum != checksum.to_le_bytes() {
            return Ok(None);
        }
        let end = End { len: header_len(name), checksum };
        Ok(Some(Self { input, size, end, payload: Vec::new() }))
    }

    /// Returns the next payload. `None` at the end, and at a frame that is not whole.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let mut head = [0; 8];
        if !read_whole(&mut self.input, &mut head)? {
            return Ok(None);
        }
        let [a, b, c, d, sum @ ..] = head;
        let len = u32::from_le_bytes([a, b, c, d]) as usize;
        let left = self.size.saturating_sub(self.end.len + 8);
        if len > LONGEST || len as u64 > left {
            return Ok(None);
        }
        self.payload.resize(len, 0);
        if !read_whole(&mut self.input, &mut self.payload)? {
            return Ok(None);
        }
        let checksum = checksum(self.end.checksum, [a, b, c, d], &self.payload);
        if checksum != u32::from_le_bytes(sum) {
            return Ok(None);
        }
        self.end = End { len: self.end.len + 8 + len as u64, checksum };
        Ok(Some(&self.payload))
    }
}

/// Fills the buffer. Returns false if the input ends before.
fn read_whole(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match input.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn header_len(name: &str) -> u64 {
    (MAGIC.len() + 4 + name.len() + 4) as u64
}

fn header_checksum(name: &str) -> u32 {
    checksum(0, *b"name", name.as_bytes())
}

fn checksum(before: u32, len: [u8; 4], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&before.to_le_bytes());
    hasher.update(&len);
    hasher.update(payload);
    hasher.finalize()
}

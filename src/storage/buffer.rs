//! A growing byte buffer, overwritten when it is dropped if the caller asks for that.

#[cfg(feature = "compact")]
use std::io;

/// A byte buffer. If it wipes, it leaves no copy of its bytes behind as it grows.
#[derive(Debug)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    wipe: bool,
}

impl Buffer {
    /// Makes a buffer of `len` zeroes.
    pub(super) fn zeroed(len: usize, wipe: bool) -> Self {
        Self { bytes: vec![0; len], wipe }
    }

    /// Makes a buffer that holds these bytes.
    pub(super) fn holding(bytes: Vec<u8>, wipe: bool) -> Self {
        Self { bytes, wipe }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

#[cfg(feature = "compact")]
impl Buffer {
    /// Makes an empty buffer with room for `bytes` bytes.
    pub(super) fn with_capacity(bytes: usize, wipe: bool) -> Self {
        Self { bytes: Vec::with_capacity(bytes), wipe }
    }

    /// Makes room as a vector does. If the buffer wipes, the old allocation is overwritten.
    fn reserve(&mut self, more: usize) {
        if self.wipe && self.bytes.capacity() - self.bytes.len() < more {
            let room = (self.bytes.len() + more).max(2 * self.bytes.capacity());
            let mut larger = Vec::with_capacity(room);
            larger.extend_from_slice(&self.bytes);
            wipe(&mut std::mem::replace(&mut self.bytes, larger));
        }
    }
}

#[cfg(feature = "compact")]
impl io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.reserve(bytes.len());
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.wipe {
            wipe(&mut self.bytes);
        }
    }
}

/// Overwrites bytes with zeroes.
pub(super) fn wipe(bytes: &mut [u8]) {
    #[cfg(feature = "compact")]
    zeroize::Zeroize::zeroize(bytes);
    // Only `Storage::zeroize` asks for it.
    #[cfg(not(feature = "compact"))]
    let _ = bytes;
    #[cfg(test)]
    tests::count_wiped(bytes);
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;
    use std::io::Write;

    use super::*;

    thread_local!(static WIPED: Cell<usize> = const { Cell::new(0) });

    /// Returns the number of bytes that this thread has wiped.
    pub(crate) fn wiped() -> usize {
        WIPED.get()
    }

    pub(super) fn count_wiped(bytes: &[u8]) {
        assert!(bytes.iter().all(|byte| *byte == 0));
        WIPED.set(WIPED.get() + bytes.len());
    }

    #[test]
    fn outgrown_and_dropped_bytes_are_wiped() {
        let before = wiped();
        let mut buffer = Buffer::with_capacity(4, true);
        buffer.write_all(b"abcd").unwrap();
        assert_eq!(wiped(), before);
        buffer.write_all(b"efgh").unwrap();
        assert_eq!(wiped(), before + 4);
        assert_eq!(buffer.as_slice(), b"abcdefgh");
        drop(buffer);
        assert_eq!(wiped(), before + 12);
        drop(Buffer::zeroed(10, false));
        assert_eq!(wiped(), before + 12);
    }
}

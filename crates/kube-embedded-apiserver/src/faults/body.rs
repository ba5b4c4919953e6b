//! Injections into the body of a response.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::stream::BoxStream;
use futures::{StreamExt, stream};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use tokio::sync::watch;
use tokio::time::sleep;

use super::events;
use super::injection::{BodyPosition, Ending, Injection, Kind};
use super::{BoxError, FaultyBody};

/// The frames of a body.
pub(super) type Frames = BoxStream<'static, Result<Bytes, BoxError>>;

/// The way to tell apart events, or parts of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// JSON with one event on each line.
    Lines,
    /// Protobuf with the length before each event.
    Lengths,
    /// No events.
    Opaque,
}

/// Returns the body with these injections, which also breaks off when `cuts` changes.
pub(super) fn with_injections<B>(
    body: B,
    framing: Framing,
    injections: &[Injection],
    cuts: watch::Receiver<u64>,
) -> FaultyBody
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let mut frames: Frames = body.into_data_stream().map(|piece| piece.map_err(Into::into)).boxed();
    for injection in injections {
        frames = apply(&injection.0, frames, framing);
    }
    let data = until_cut(frames, cuts).map(|piece| piece.map(Frame::data));
    StreamBody::new(data).boxed_unsync()
}

fn apply(injection: &Kind, frames: Frames, framing: Framing) -> Frames {
    match injection {
        Kind::Stop { at, ending } => stop(frames, framing, *at, *ending),
        Kind::Drip { bytes, every } => drip(frames, *bytes, *every),
        Kind::NotUtf8 { at } if framing == Framing::Lines => not_utf8(frames, *at),
        event => events::with_injections(event, frames, framing),
    }
}

fn reset() -> BoxError {
    io::Error::from(io::ErrorKind::ConnectionReset).into()
}

/// Passes everything until the connections are cut.
fn until_cut(frames: Frames, cuts: watch::Receiver<u64>) -> Frames {
    let state = (frames, cuts, false);
    stream::unfold(state, |(mut frames, mut cuts, over)| async move {
        if over {
            return None;
        }
        let piece = tokio::select! {
            biased;
            Ok(()) = cuts.changed() => Some(Err(reset())),
            piece = frames.next() => piece,
        }?;
        let over = piece.is_err();
        Some((piece, (frames, cuts, over)))
    })
    .boxed()
}

/// Ends a body at a position. A body that ends earlier passes unchanged.
fn stop(frames: Frames, framing: Framing, at: BodyPosition, ending: Ending) -> Frames {
    let state = (frames, Countdown::new(at, framing), false);
    stream::unfold(state, move |(mut frames, mut countdown, reached)| async move {
        if reached {
            return match ending {
                Ending::Cut => Some((Err(reset()), (stream::empty().boxed(), countdown, false))),
                Ending::End => None,
                Ending::Stall => pending().await,
            };
        }
        loop {
            let piece = match frames.next().await? {
                Ok(piece) if piece.is_empty() => continue,
                Ok(piece) => piece,
                Err(error) => return Some((Err(error), (frames, countdown, false))),
            };
            let (passed, reached) = countdown.pass(piece);
            return Some((Ok(passed), (frames, countdown, reached)));
        }
    })
    .boxed()
}

/// The distance to a position.
enum Countdown {
    Bytes(u64),
    Frames(u64),
    Events(u64, Boundary),
}

impl Countdown {
    fn new(position: BodyPosition, framing: Framing) -> Self {
        match position {
            BodyPosition::Byte(bytes) => Self::Bytes(bytes),
            BodyPosition::Frame(frames) => Self::Frames(frames),
            BodyPosition::Event(events) => Self::Events(events, Boundary::new(framing)),
        }
    }

    /// Returns the part of a frame before the position, and whether the frame contains the
    /// position.
    fn pass(&mut self, mut piece: Bytes) -> (Bytes, bool) {
        match self {
            Self::Bytes(left) => {
                let here = usize::try_from(*left).unwrap_or(usize::MAX);
                if here <= piece.len() {
                    piece.truncate(here);
                    return (piece, true);
                }
                *left -= piece.len() as u64;
                (piece, false)
            }
            Self::Frames(0) => {
                piece.truncate(piece.len() / 2);
                (piece, true)
            }
            Self::Frames(left) => {
                *left -= 1;
                (piece, false)
            }
            Self::Events(left, boundary) => {
                let mut start = 0;
                while *left > 0 {
                    let Some(length) = boundary.end(&piece[start..]) else {
                        return (piece, false);
                    };
                    start += length;
                    *left -= 1;
                }
                let rest = &piece[start..];
                if rest.is_empty() {
                    return (piece, false);
                }
                let here = boundary.end(rest).unwrap_or(rest.len());
                piece.truncate(start + here.div_ceil(2));
                (piece, true)
            }
        }
    }
}

/// Finds the ends of events in a body that comes in frames.
pub(super) enum Boundary {
    Line,
    /// The bytes of the length prefix so far, and the length of the event still to come.
    Length(Vec<u8>, usize),
    None,
}

impl Boundary {
    pub(super) fn new(framing: Framing) -> Self {
        match framing {
            Framing::Lines => Self::Line,
            Framing::Lengths => Self::Length(Vec::new(), 0),
            Framing::Opaque => Self::None,
        }
    }

    /// Returns the end of the current event in these bytes, which follow those of the last call.
    pub(super) fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Line => memchr::memchr(b'\n', bytes).map(|end| end + 1),
            Self::Length(prefix, left) => {
                let missing = 4_usize.saturating_sub(prefix.len()).min(bytes.len());
                prefix.extend_from_slice(&bytes[..missing]);
                if missing > 0
                    && let Ok(length) = <[u8; 4]>::try_from(&prefix[..])
                {
                    *left = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
                }
                let here = bytes.len() - missing;
                if prefix.len() < 4 || here < *left {
                    *left = left.saturating_sub(here);
                    return None;
                }
                prefix.clear();
                Some(missing + *left)
            }
            Self::None => None,
        }
    }
}

/// Delivers small pieces, each some time after the one before.
fn drip(frames: Frames, bytes: usize, every: Duration) -> Frames {
    let state = (frames, Bytes::new());
    stream::unfold(state, move |(mut frames, mut rest)| async move {
        while rest.is_empty() {
            match frames.next().await? {
                Ok(piece) => rest = piece,
                Err(error) => return Some((Err(error), (frames, rest))),
            }
        }
        sleep(every).await;
        let piece = rest.split_to(bytes.min(rest.len()));
        Some((Ok(piece), (frames, rest)))
    })
    .boxed()
}

/// Replaces one byte with one that is invalid in UTF-8.
fn not_utf8(frames: Frames, at: u64) -> Frames {
    let state = (frames, Some(at));
    stream::unfold(state, |(mut frames, mut left)| async move {
        let piece = match (frames.next().await?, left) {
            (Ok(piece), Some(before)) => {
                let from = usize::try_from(before).unwrap_or(usize::MAX).min(piece.len());
                let found = piece[from..].iter().position(u8::is_ascii_alphanumeric);
                left = found.is_none().then(|| before.saturating_sub(piece.len() as u64));
                Ok(match found {
                    None => piece,
                    Some(offset) => {
                        let mut changed = BytesMut::from(&piece[..]);
                        changed[from + offset] = 0xff;
                        changed.freeze()
                    }
                })
            }
            (other, _) => other,
        };
        Some((piece, (frames, left)))
    })
    .boxed()
}

/// Frames to send next.
pub(super) type FrameQueue = VecDeque<Bytes>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_prefix_ends_an_event() {
        let event = |text: &str| {
            let length = u32::try_from(text.len()).unwrap().to_be_bytes();
            [&length[..], text.as_bytes()].concat()
        };
        let bytes = [event("one"), event(""), event("three\n\n")].concat();
        for cut in 1..=bytes.len() {
            let mut boundary = Boundary::new(Framing::Lengths);
            let (mut ends, mut passed) = (Vec::new(), 0);
            for piece in bytes.chunks(cut) {
                let mut start = 0;
                while let Some(length) = boundary.end(&piece[start..]) {
                    start += length;
                    ends.push(passed + start);
                }
                passed += piece.len();
            }
            assert_eq!(ends, [7, 11, 22], "pieces of {cut}");
        }
    }

    async fn read_to_end(pieces: &[&'static str], injection: &Injection) -> (String, bool) {
        let pieces: Vec<_> = pieces
            .iter()
            .map(|piece| Ok::<_, BoxError>(Bytes::from_static(piece.as_bytes())))
            .collect();
        let mut frames = apply(&injection.0, stream::iter(pieces).boxed(), Framing::Lines);
        let mut text = Vec::new();
        while let Some(piece) = frames.next().await {
            let Ok(piece) = piece else { return (String::from_utf8_lossy(&text).into(), false) };
            text.extend_from_slice(&piece);
        }
        (String::from_utf8_lossy(&text).into(), true)
    }

    #[tokio::test(start_paused = true)]
    async fn body_stops_at_its_position() {
        let pieces = ["one\ntw", "o\nthree", "\nfour\n"];
        for (position, text) in [
            (BodyPosition::Byte(0), ""),
            (BodyPosition::Byte(6), "one\ntw"),
            (BodyPosition::Byte(7), "one\ntwo"),
            (BodyPosition::Frame(0), "one"),
            (BodyPosition::Frame(2), "one\ntwo\nthree\nfo"),
            (BodyPosition::Event(0), "on"),
            (BodyPosition::Event(1), "one\nt"),
            (BodyPosition::Event(2), "one\ntwo\nthr"),
            (BodyPosition::Event(3), "one\ntwo\nthree\nfou"),
        ] {
            let cut = read_to_end(&pieces, &Injection::cut(position)).await;
            assert_eq!(cut, (text.into(), false), "{position:?}");
            let truncated = read_to_end(&pieces, &Injection::truncate(position)).await;
            assert_eq!(truncated, (text.into(), true), "{position:?}");
            let stalled = Injection::stall(position);
            let stalled = read_to_end(&pieces, &stalled);
            assert!(tokio::time::timeout(Duration::from_secs(9), stalled).await.is_err());
        }
        for beyond in [BodyPosition::Byte(99), BodyPosition::Frame(3), BodyPosition::Event(4)] {
            assert_eq!(
                read_to_end(&pieces, &Injection::cut(beyond)).await,
                (pieces.concat(), true)
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn body_drips_and_gets_an_invalid_byte() {
        let begun = tokio::time::Instant::now();
        let dripped =
            read_to_end(&["abcde", "f"], &Injection::drip(2, Duration::from_secs(1))).await;
        assert_eq!((dripped, begun.elapsed()), (("abcdef".into(), true), Duration::from_secs(4)));
        for (at, text) in [(0, "\u{fffd}b{c"), (2, "ab{\u{fffd}"), (3, "ab{\u{fffd}"), (9, "ab{c")]
        {
            assert_eq!(
                read_to_end(&["ab", "{c"], &Injection::not_utf8(at)).await,
                (text.into(), true)
            );
        }
    }
}

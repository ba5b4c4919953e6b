//! What becomes of a body on its way.

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
use super::harm::{Ending, Harm, Kind, Spot};
use super::{BoxError, FaultyBody};

/// The pieces of a body.
pub(super) type Frames = BoxStream<'static, Result<Bytes, BoxError>>;

/// How events, or parts of a list, are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// JSON, a line an event.
    Lines,
    /// Protobuf, each event behind its length.
    Lengths,
    /// Not at all.
    Opaque,
}

/// A body with these harms done to it, that breaks off when `cuts` says so.
pub(super) fn harmed<B>(
    body: B,
    framing: Framing,
    harms: &[Harm],
    cuts: watch::Receiver<u64>,
) -> FaultyBody
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let mut frames: Frames = body.into_data_stream().map(|piece| piece.map_err(Into::into)).boxed();
    for harm in harms {
        frames = done(&harm.0, frames, framing);
    }
    let data = until_cut(frames, cuts).map(|piece| piece.map(Frame::data));
    StreamBody::new(data).boxed_unsync()
}

fn done(harm: &Kind, frames: Frames, framing: Framing) -> Frames {
    match harm {
        Kind::Stop { at, ending } => stop(frames, *at, *ending),
        Kind::Drip { bytes, every } => drip(frames, *bytes, *every),
        Kind::NotUtf8 { at } => not_utf8(frames, *at),
        event => events::harmed(event, frames, framing),
    }
}

fn reset() -> BoxError {
    io::Error::from(io::ErrorKind::ConnectionReset).into()
}

/// Lets everything through until the connections are cut.
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

/// Ends a body at a spot, in one way or another. One that ends before is left alone.
fn stop(frames: Frames, at: Spot, ending: Ending) -> Frames {
    let state = (frames, Countdown::new(at), false);
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

/// How far it still is to a spot.
enum Countdown {
    Bytes(u64),
    Frames(u64),
    Lines(u64),
}

impl Countdown {
    fn new(spot: Spot) -> Self {
        match spot {
            Spot::Byte(bytes) => Self::Bytes(bytes),
            Spot::Frame(frames) => Self::Frames(frames),
            Spot::Line(lines) => Self::Lines(lines),
        }
    }

    /// What of a piece comes before the spot, and whether the spot is in it.
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
            Self::Lines(left) => {
                let mut start = 0;
                while *left > 0 {
                    let Some(end) = memchr::memchr(b'\n', &piece[start..]) else {
                        return (piece, false);
                    };
                    start += end + 1;
                    *left -= 1;
                }
                let rest = &piece[start..];
                if rest.is_empty() {
                    return (piece, false);
                }
                let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                piece.truncate(start + line.div_ceil(2));
                (piece, true)
            }
        }
    }
}

/// Small pieces, each some time after the one before.
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

/// One byte becomes one that is in no UTF-8.
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

/// Pieces that wait to be sent on.
pub(super) type Waiting = VecDeque<Bytes>;

#[cfg(test)]
mod tests {
    use super::*;

    async fn ended(pieces: &[&'static str], harm: &Harm) -> (String, bool) {
        let pieces: Vec<_> = pieces
            .iter()
            .map(|piece| Ok::<_, BoxError>(Bytes::from_static(piece.as_bytes())))
            .collect();
        let mut frames = done(&harm.0, stream::iter(pieces).boxed(), Framing::Lines);
        let mut text = Vec::new();
        while let Some(piece) = frames.next().await {
            let Ok(piece) = piece else { return (String::from_utf8_lossy(&text).into(), false) };
            text.extend_from_slice(&piece);
        }
        (String::from_utf8_lossy(&text).into(), true)
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_stops_at_its_spot() {
        let pieces = ["one\ntw", "o\nthree", "\nfour\n"];
        for (spot, text) in [
            (Spot::Byte(0), ""),
            (Spot::Byte(6), "one\ntw"),
            (Spot::Byte(7), "one\ntwo"),
            (Spot::Frame(0), "one"),
            (Spot::Frame(2), "one\ntwo\nthree\nfo"),
            (Spot::Line(0), "on"),
            (Spot::Line(1), "one\nt"),
            (Spot::Line(2), "one\ntwo\nthr"),
            (Spot::Line(3), "one\ntwo\nthree\nfo"),
        ] {
            let cut = ended(&pieces, &Harm::cut(spot)).await;
            assert_eq!(cut, (text.into(), false), "{spot:?}");
            let truncated = ended(&pieces, &Harm::truncate(spot)).await;
            assert_eq!(truncated, (text.into(), true), "{spot:?}");
            let stalled = Harm::stall(spot);
            let stalled = ended(&pieces, &stalled);
            assert!(tokio::time::timeout(Duration::from_secs(9), stalled).await.is_err());
        }
        for beyond in [Spot::Byte(99), Spot::Frame(3), Spot::Line(4)] {
            assert_eq!(ended(&pieces, &Harm::cut(beyond)).await, (pieces.concat(), true));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_drips_and_holds_a_foreign_byte() {
        let begun = tokio::time::Instant::now();
        let dripped = ended(&["abcde", "f"], &Harm::drip(2, Duration::from_secs(1))).await;
        assert_eq!((dripped, begun.elapsed()), (("abcdef".into(), true), Duration::from_secs(4)));
        for (at, text) in [(0, "\u{fffd}b{c"), (2, "ab{\u{fffd}"), (3, "ab{\u{fffd}"), (9, "ab{c")]
        {
            assert_eq!(ended(&["ab", "{c"], &Harm::not_utf8(at)).await, (text.into(), true));
        }
    }
}

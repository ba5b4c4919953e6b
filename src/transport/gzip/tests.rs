//! Every split, cut and changed bit of compressed bodies.

use std::io::Write as _;

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, GzBuilder};

use super::*;

/// A text with repetitions that are near and far.
fn text(lines: usize) -> Vec<u8> {
    let line = |n: usize| format!("{{\"type\":\"ADDED\",\"object\":{}}}\n", n * n % 7919);
    (0..lines).flat_map(|n| line(n).into_bytes()).collect()
}

fn member(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A member with every field that a header can have.
fn labelled(content: &[u8]) -> Vec<u8> {
    let builder = GzBuilder::new().mtime(7).extra([0, 1, 2]).filename("pods").comment("of shop");
    let member = builder.write(Vec::new(), Compression::fast());
    let mut member = { member }.finish().unwrap();
    member.truncate(header(&member).unwrap().unwrap());
    member[3] |= 2;
    let mut crc = Crc::new();
    crc.update(&member);
    member.extend_from_slice(&crc.sum().to_le_bytes()[..2]);
    let mut data = DeflateEncoder::new(member, Compression::best());
    data.write_all(content).unwrap();
    let mut member = data.finish().unwrap();
    let mut crc = Crc::new();
    crc.update(content);
    member.extend(crc.sum().to_le_bytes());
    member.extend(crc.amount().to_le_bytes());
    member
}

/// Returns all inflated bytes and the problem, if there is one.
fn inflated<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<u8>, Result<bool, &'static str>) {
    let (mut gunzip, mut out) = (Gunzip::new(), Vec::new());
    for piece in pieces {
        gunzip.push(Bytes::copy_from_slice(piece));
        loop {
            match gunzip.next() {
                Ok(Some(bytes)) => {
                    assert!(bytes.len() <= STEP);
                    out.extend_from_slice(&bytes);
                }
                Ok(None) => break,
                Err(problem) => return (out, Err(problem)),
            }
        }
    }
    assert_eq!(gunzip.inflated(), out.len() as u64);
    (out, Ok(gunzip.is_complete()))
}

#[test]
fn every_split_inflates_to_the_same_bytes() {
    let contents = [text(60), Vec::new(), vec![b'a'; STEP + 9], text(2)];
    let body = [member(&contents[0]), member(b""), labelled(&contents[2]), labelled(&contents[3])];
    let (body, content) = (body.concat(), contents.concat());
    for size in [1, 2, 3, 7, 8, 61, 1000, body.len()] {
        let (out, complete) = inflated(body.chunks(size));
        assert!(out == content && complete == Ok(true), "pieces of {size}: {complete:?}");
    }
    for at in 0..=body.len() {
        let (out, complete) = inflated([&body[..at], &body[at..]]);
        assert!(out == content && complete == Ok(true), "split at {at}: {complete:?}");
    }
}

#[test]
fn only_a_cut_between_members_is_complete() {
    let contents = [text(20), text(1), Vec::new(), text(3)];
    let members = contents.each_ref().map(|content| labelled(content));
    let ends: Vec<_> = (0..=4).map(|n| members[..n].concat().len()).collect();
    let (body, content) = (members.concat(), contents.concat());
    for at in 0..=body.len() {
        let (out, complete) = inflated([&body[..at]]);
        assert!(content.starts_with(&out), "cut at {at}");
        assert_eq!(complete, Ok(ends.contains(&at)), "cut at {at}");
    }
}

#[test]
fn flushed_bytes_come_out_before_more_goes_in() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let (mut gunzip, large) = (Gunzip::new(), vec![b'a'; 5 * STEP]);
    for event in text(200).split_inclusive(|byte| *byte == b'\n').chain([&large[..]]) {
        encoder.write_all(event).unwrap();
        encoder.flush().unwrap();
        gunzip.push(std::mem::take(encoder.get_mut()).into());
        let steps = std::iter::from_fn(|| gunzip.next().unwrap());
        assert!(steps.collect::<Vec<_>>().concat() == event);
    }
}

#[test]
fn every_changed_bit_is_an_error_or_harmless() {
    let content = text(40);
    let body = labelled(&content);
    let mut harmless = 0;
    for at in 0..8 * body.len() {
        let mut changed = body.clone();
        changed[at / 8] ^= 1 << (at % 8);
        let whole = inflated([&changed[..]]);
        if at % 5 == 0 {
            assert_eq!(inflated(changed.chunks(3)), whole, "bit {at}");
        }
        if let (out, Ok(true)) = whole {
            // Only bits that pad the deflated data change nothing.
            assert_eq!(out, content, "bit {at}");
            harmless += 1;
        }
    }
    assert!(harmless < 8, "{harmless} changes were not noticed");
}

#[test]
fn bytes_that_are_no_member_are_named() {
    let whole = member(b"x");
    let after = |bytes: &[u8]| [&whole[..], bytes].concat();
    let change = |at: usize, to: u8| {
        let mut changed = whole.clone();
        changed[at] = to;
        changed
    };
    let long = [&b"\x1f\x8b\x08\x08\0\0\0\0\0\0"[..], &vec![b'n'; HEADER_LIMIT]].concat();
    for (body, problem) in [
        (b"{".to_vec(), "expected"),
        (after(b"\0"), "expected"),
        (after(b"\x1f\0"), "expected"),
        (change(2, 7), "unknown method or flag"),
        (change(3, 0x20), "unknown method or flag"),
        (change(10, 0xff), "deflated data"),
        (change(whole.len() - 8, 1), "checksum or the size"),
        (change(whole.len() - 1, 1), "checksum or the size"),
        (long, "longer than 128 KiB"),
    ] {
        for size in [1, body.len()] {
            let (_, found) = inflated(body.chunks(size.max(body.len() / 50)));
            assert!(found.is_err_and(|found| found.contains(problem)), "{problem}: {found:?}");
        }
    }
}

#[test]
fn bomb_ends_with_an_error() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; 1 << 20]).unwrap();
    let mebibyte = encoder.finish().unwrap();
    let (out, complete) = inflated(vec![&mebibyte[..]; 16]);
    assert_eq!((out.len(), complete), (16 << 20, Ok(true)), "one large object passes");
    let (out, problem) = inflated(vec![&mebibyte[..]; 18]);
    assert!(out.len() <= 16 << 20 && problem.is_err_and(|text| text.contains("200 times")));
}

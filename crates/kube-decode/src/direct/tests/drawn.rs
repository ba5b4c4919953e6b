//! Messages that are drawn by the rows of each kind: as servers write them, or with faults.

use super::super::walk::{Form, Leaf, Mode, Row};
use super::*;

/// The number of fields from which on a message gets few more.
const MANY: usize = 120;

/// Choices that follow from a seed.
struct Draw {
    seed: u64,
    /// The number of places up to the next with a fault.
    sound: usize,
    fields: usize,
}

impl Draw {
    /// Returns a number below this one, by `SplitMix64`.
    fn below(&mut self, bound: usize) -> usize {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut drawn = (self.seed ^ self.seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        drawn = (drawn ^ drawn >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((drawn ^ drawn >> 31) >> 8).unwrap() % bound
    }

    fn of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N)]
    }

    fn is_fault(&mut self) -> bool {
        self.sound -= 1;
        let is_fault = self.sound == 0;
        if is_fault {
            self.sound = self.of([usize::MAX, usize::MAX, 20]);
        }
        is_fault
    }

    /// Returns one of the usual choices, or with a fault one of the others.
    fn usual<T: Copy, const N: usize, const M: usize>(&mut self, usual: [T; N], odd: [T; M]) -> T {
        if self.is_fault() { self.of(odd) } else { self.of(usual) }
    }

    /// Writes a number, with a fault in more bytes than it needs or than any number has.
    fn number(&mut self, value: usize) -> Vec<u8> {
        let mut bytes = varint(value);
        if self.is_fault() {
            let more = self.of([1, 2, 4, 9, 10]);
            lengthen(&mut bytes, 0, more);
        }
        bytes
    }

    /// Writes a field whose content is this number.
    fn int(&mut self, number: u32, value: usize) -> Vec<u8> {
        if self.is_fault() {
            return self.other(number);
        }
        let mut bytes = self.number(usize::try_from(number).unwrap() << 3);
        bytes.extend(self.number(value));
        bytes
    }

    /// Writes a field whose content are these bytes.
    fn bytes(&mut self, number: u32, content: &[u8]) -> Vec<u8> {
        if self.is_fault() {
            return self.other(number);
        }
        let mut bytes = self.number(usize::try_from(number).unwrap() << 3 | 2);
        let length = content.len();
        let odd = [length + 1, length.saturating_sub(1), 1 << 20, 1 << 32, usize::MAX];
        let length = self.usual([length], odd);
        bytes.extend(self.number(length));
        bytes.extend_from_slice(content);
        bytes
    }

    /// Writes a field of any wire type, also of those that do not exist.
    fn other(&mut self, number: u32) -> Vec<u8> {
        let contents: [(usize, &[u8]); 9] = [
            (0, &[0]),
            (0, &[5]),
            (1, &[7; 8]),
            (2, &[2, 8, 1]),
            (3, &[]),
            (4, &[]),
            (5, &[9; 4]),
            (6, &[1]),
            (7, &[1]),
        ];
        let (wire, content) = self.of(contents);
        [&varint(usize::try_from(number).unwrap() << 3 | wire), content].concat()
    }

    fn text(&mut self) -> &'static [u8] {
        let usual = [&b""[..], b"a", b"node-1", "\u{e4}\u{1f980}".as_bytes()];
        self.usual(usual, [b"\xff", b"a\xc3", b"k8s\0", &[b'x'; 300]])
    }

    /// Writes a message of these fields, each of which may be left out.
    fn some(&mut self, mut fields: Vec<Vec<u8>>) -> Vec<u8> {
        fields.retain(|_| self.below(5) > 0);
        self.concat(fields)
    }

    /// Writes a message of these fields, perhaps with unknown ones, and with faults in their order.
    fn concat(&mut self, mut fields: Vec<Vec<u8>>) -> Vec<u8> {
        if self.below(20) == 0 {
            let unknown = [&[0xb8, 0x3e, 5][..], &[0xba, 0x3e, 1, b'a'], &[0xbd, 0x3e, 1, 2, 3, 4]];
            let unknown = self.of(unknown);
            let times = 1 + self.below(2);
            fields.push(unknown.repeat(times));
        }
        if self.is_fault() && !fields.is_empty() {
            let (at, other) = (self.below(fields.len()), self.below(fields.len()));
            let number = u32::try_from(self.of([0, 1, 2, 3, at, 17, 40, 70_000])).unwrap();
            match self.below(6) {
                0 => fields.insert(at, fields[at].clone()),
                1 => fields.push(fields[at].clone()),
                2 => fields.swap(at, other),
                3 => fields.insert(at, self.other(number)),
                4 => fields[at].truncate(other),
                _ => {
                    if let Some(byte) = fields[at].get_mut(other) {
                        *byte ^= 0x80;
                    }
                }
            }
        }
        fields.concat()
    }

    fn message(&mut self, rows: &[Row]) -> Vec<u8> {
        let mut fields = vec![];
        let sparse = self.of([2, 3, 8]);
        for row in rows {
            let sparse = if self.fields > MANY { 40 } else { sparse };
            if self.below(sparse) == 0 {
                self.fields += 1;
                let is_known = !matches!(row.mode, Mode::Unknown | Mode::UnknownMany);
                let times = if is_known { 1 } else { self.of([1, 2]) };
                fields.push((0..times).flat_map(|_| self.field(row.number, &row.form)).collect());
            }
        }
        self.concat(fields)
    }

    fn field(&mut self, number: u32, form: &Form) -> Vec<u8> {
        match *form {
            Form::Leaf(leaf) => self.leaf(number, leaf),
            Form::Nullable { .. } if self.below(4) == 0 => self.bytes(number, &[]),
            Form::Nullable { of } => self.field(number, of),
            Form::List { of, .. } => {
                (0..self.of([1, 1, 2, 3])).flat_map(|_| self.field(number, of)).collect()
            }
            Form::Map { of, .. } => {
                let entry = |_| {
                    let text = self.text();
                    let parts = vec![self.bytes(1, text), self.field(2, of)];
                    let entry = self.some(parts);
                    self.bytes(number, &entry)
                };
                (0..2).flat_map(entry).collect()
            }
            Form::Message { rows } => {
                let message = self.message(rows);
                self.bytes(number, &message)
            }
        }
    }

    fn leaf(&mut self, number: u32, leaf: Leaf) -> Vec<u8> {
        // Minus one, and the least number of 32 bits and its neighbour.
        let (minus, least) = (usize::MAX, usize::MAX << 31);
        let parts = match leaf {
            Leaf::Number | Leaf::Int32 => {
                let value = self.usual([0, 1, 300, minus], [least, least - 1, 1 << 31, 1 << 40]);
                return self.int(number, value);
            }
            Leaf::Text | Leaf::Bytes => {
                let text = self.text();
                return self.bytes(number, text);
            }
            Leaf::Quantity => {
                let text = self.text();
                vec![self.bytes(1, text)]
            }
            Leaf::IntOrString => {
                let (form, value) =
                    (self.usual([0, 1], [2, minus]), self.usual([0, 8080], [1 << 31]));
                let text = self.text();
                vec![self.int(1, form), self.int(2, value), self.bytes(3, text)]
            }
            Leaf::Time | Leaf::MicroTime => {
                let seconds = self.usual([0, 1_700_000_000, minus], [253_402_300_800, minus << 40]);
                let nanos = self.usual([0, 5, 999_999_999], [1_000_000_000, minus]);
                vec![self.int(1, seconds), self.int(2, nanos)]
            }
            Leaf::Tree => {
                let deep = ["[".repeat(120), "]".repeat(120)].concat();
                let odd = ["", "null", "{", "k8s\0{}", "{}{}", &deep];
                let json = self.usual([r#"{"f:a":{".":{}}}"#, "{}", "[1]"], odd);
                vec![self.bytes(1, json.as_bytes())]
            }
        };
        let message = self.some(parts);
        self.bytes(number, &message)
    }
}

/// Draws an object and compares the decoders. Returns whether the direct one decoded it.
fn drawn<K: Sampled>(seed: u64) -> bool {
    let mut draw = Draw { seed, sound: usize::MAX, fields: 0 };
    let up_to = draw.of([10, 100, 1000]);
    draw.sound = 1 + draw.below(up_to);
    let (metadata, rest) = K::ROWS.split_first().unwrap();
    let message = [draw.field(metadata.number, &metadata.form), draw.message(rest)].concat();
    agree::<K>(&ProtobufObject::from_message(K::API_VERSION, K::KIND, &message).unwrap())
}

#[test]
fn drawn_objects_are_decoded_equally_or_not_at_all() {
    let mut kinds: Vec<fn(u64) -> bool> = vec![];
    macro_rules! add {
        ($kind:ty, $number:literal) => {
            kinds.push(drawn::<$kind>);
        };
    }
    each_kind!(add);
    let (drawn, decoded) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let mut runner = TestRunner::new(crate::seeds::cases(1_000));
    let strategy = (any::<prop::sample::Index>(), any::<u64>());
    let result = runner.run(&strategy, |(which, seed)| {
        drawn.set(drawn.get() + 1);
        decoded.set(decoded.get() + u32::from(which.get(&kinds)(seed)));
        Ok(())
    });
    result.unwrap();
    // The test would say nothing if most objects were refused, or none.
    let (drawn, decoded) = (drawn.get(), decoded.get());
    let fits = 4 * decoded > drawn && 4 * (drawn - decoded) > drawn;
    assert!(fits, "{decoded} of {drawn} objects were decoded");
}

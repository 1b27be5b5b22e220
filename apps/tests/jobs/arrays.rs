//! Arrays of 32-bit and 64-bit types, sorted by the standard library, and `.npy` files like those of NumPy.

/// An array as bytes, with its type and its sorted order.
pub struct Keys {
    /// Type name on the command line.
    pub name: &'static str,
    /// Type name in NumPy.
    pub descr: &'static str,
    /// Size of an element in bytes.
    pub each: usize,
    pub raw: Vec<u8>,
    /// Indices of the elements in ascending and in descending order; both stable.
    pub ascending: Vec<usize>,
    pub descending: Vec<usize>,
    /// Converts an element to a line of text, and back.
    line: fn(&[u8]) -> String,
    parse: fn(&str) -> Vec<u8>,
}

/// Knuth's generator, which is independent of the binary's generator.
pub fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 29)
    }
}

/// Keys of one type, whose bits are those of `$words`.
macro_rules! keys {
    ($words:expr, $type:ident, $descr:literal, $compare:expr) => {{
        let numbers: &[$type] = bytemuck::cast_slice($words);
        let mut ascending: Vec<usize> = (0..numbers.len()).collect();
        let mut descending = ascending.clone();
        ascending.sort_by(|&a, &b| $compare(&numbers[a], &numbers[b]));
        descending.sort_by(|&a, &b| $compare(&numbers[b], &numbers[a]));
        let (raw, each) = (bytes_of(numbers).to_vec(), size_of::<$type>());
        let line = |element: &[u8]| {
            let bytes = element.try_into().expect("the element has the size of its type");
            format!("{:?}\n", $type::from_le_bytes(bytes))
        };
        let parse = |line: &str| line.parse::<$type>().expect(line).to_le_bytes().to_vec();
        let (name, descr) = (stringify!($type), $descr);
        Keys { name, descr, each, raw, ascending, descending, line, parse }
    }};
}

impl Keys {
    /// Random keys of each type of 32 and 64 bits. Every eighth is one of a few values, including extremes.
    pub fn of_every_type(n: usize, seed: u64) -> Vec<Self> {
        Self::masked(n, seed, u64::MAX)
    }

    /// Like [`of_every_type`](Self::of_every_type), without infinities and NaNs: the highest exponent bit is
    /// never set.
    pub fn finite(n: usize, seed: u64) -> Vec<Self> {
        Self::masked(n, seed, !(1 << 62))
    }

    fn masked(n: usize, seed: u64, mask: u64) -> Vec<Self> {
        let mut next = random(seed);
        let words: Vec<u64> = (0..n)
            .map(|index| match index % 8 {
                0 => [0, 1, u64::MAX, 1 << 63, 1 << 31 | 1 << 63][index / 8 % 5] & mask,
                _ => next() & mask,
            })
            .collect();
        let narrow: Vec<u32> = words.iter().map(|word| (word >> 32) as u32).collect();
        vec![
            keys!(&narrow, u32, "<u4", u32::cmp),
            keys!(&narrow, i32, "<i4", i32::cmp),
            keys!(&narrow, f32, "<f4", f32::total_cmp),
            keys!(&words, u64, "<u8", u64::cmp),
            keys!(&words, i64, "<i8", i64::cmp),
            keys!(&words, f64, "<f8", f64::total_cmp),
        ]
    }

    /// Keys of one type.
    pub fn of(name: &str, n: usize, seed: u64) -> Self {
        let mut all = Self::of_every_type(n, seed).into_iter();
        all.find(|keys| keys.name == name).expect("the type is in the list")
    }

    pub fn len(&self) -> usize {
        self.ascending.len()
    }

    pub fn sorted(&self) -> Vec<u8> {
        in_order(&self.raw, self.each, &self.ascending)
    }

    /// The numbers as text, one per line.
    pub fn text(&self) -> Vec<u8> {
        self.raw.chunks(self.each).map(self.line).collect::<String>().into_bytes()
    }

    /// Parses text into the bytes of its numbers.
    #[track_caller]
    pub fn of_text(&self, text: &[u8]) -> Vec<u8> {
        let text = std::str::from_utf8(text).expect("the text is UTF-8");
        text.lines().flat_map(self.parse).collect()
    }

    pub fn npy(&self) -> Vec<u8> {
        npy(1, self.descr, self.len(), &self.raw)
    }
}

/// The elements of `raw`, which have `each` bytes, in this order.
pub fn in_order(raw: &[u8], each: usize, order: &[usize]) -> Vec<u8> {
    order.iter().flat_map(|&index| raw[index * each..(index + 1) * each].iter().copied()).collect()
}

pub fn bytes_of<T: bytemuck::NoUninit>(numbers: &[T]) -> &[u8] {
    bytemuck::cast_slice(numbers)
}

/// The numbers as bytes of u32.
pub fn words(numbers: impl IntoIterator<Item = usize>) -> Vec<u8> {
    numbers.into_iter().flat_map(|number| (number as u32).to_le_bytes()).collect()
}

/// A file as written by `numpy.save`, in this version of the format.
pub fn npy(version: u8, descr: &str, len: usize, raw: &[u8]) -> Vec<u8> {
    let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},), }}");
    npy_with(version, &dictionary, raw)
}

/// A file with this header dictionary.
pub fn npy_with(version: u8, dictionary: &str, raw: &[u8]) -> Vec<u8> {
    let width = if version == 1 { 2 } else { 4 };
    let used = 8 + width + dictionary.len() + 1;
    let header = format!("{dictionary}{}\n", " ".repeat(used.next_multiple_of(64) - used));
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    file.extend(&(header.len() as u32).to_le_bytes()[..width]);
    file.extend(header.as_bytes());
    file.extend(raw);
    file
}

/// Type, length and elements of a `.npy` file.
#[track_caller]
pub fn npy_parts(file: &[u8]) -> (String, usize, &[u8]) {
    assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
    let (header, raw) = (&file[10..10 + length], &file[10 + length..]);
    assert_eq!((10 + length) % 64, 0, "the header is not padded to a multiple of 64 bytes");
    let header = std::str::from_utf8(header).expect("the text is UTF-8");
    let after = |key: &str| header.split_once(key).expect(key).1;
    let descr = after("'descr': '").split_once('\'').expect("the header contains a type").0;
    assert!(header.contains("'fortran_order': False"), "{header}");
    let len = after("'shape': (").split_once(",)").expect("the header contains a shape").0;
    (descr.to_owned(), len.parse().expect("the text is a number"), raw)
}

/// Types on the command line and in NumPy, without 16-bit floats.
pub const TYPES: [(&str, &str); 10] = [
    ("u8", "|u1"),
    ("i8", "|i1"),
    ("u16", "<u2"),
    ("i16", "<i2"),
    ("u32", "<u4"),
    ("i32", "<i4"),
    ("f32", "<f4"),
    ("u64", "<u8"),
    ("i64", "<i8"),
    ("f64", "<f8"),
];

/// `numbers` as bytes of the type `name`.
pub fn raw(name: &str, numbers: &[u64]) -> Vec<u8> {
    let each = |&x: &u64| match name {
        "u8" | "i8" => vec![x as u8],
        "u16" | "i16" => (x as u16).to_le_bytes().to_vec(),
        "f32" => (x as f32).to_le_bytes().to_vec(),
        "f64" => (x as f64).to_le_bytes().to_vec(),
        "u64" | "i64" => x.to_le_bytes().to_vec(),
        _ => (x as u32).to_le_bytes().to_vec(),
    };
    numbers.iter().flat_map(each).collect()
}

//! How what C passes is read: pointers that may be null, structures of another version, strings
//! that are no text, numbers that are no value of their enumeration.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;

use crate::result::{Failure, MultisplitResult, Outcome};

/// A structure that begins with its size.
///
/// # Safety
/// It is `repr(C)`, its first member is a `u32`, and any bits are values of its members.
pub(crate) unsafe trait Sized32: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// The bytes up to its last member that has no default: what every caller has at least.
    const REQUIRED: usize;
}

/// No version of a structure is larger: a size past it was never set.
const LARGEST: usize = 4096;

/// A structure of the caller's, who may have been compiled for fewer members than there are: those
/// that are missing are zero. Or for more, if none of them is set.
///
/// # Safety
/// Where `pointer` is not null, it has as many bytes as its first four say, at least those.
pub(crate) unsafe fn info<T: Sized32>(pointer: *const T) -> Outcome<T> {
    if pointer.is_null() {
        return Err(Failure::null(T::NAME));
    }
    if !pointer.is_aligned() {
        return Err(Failure::invalid(format!("{} is not aligned", T::NAME)));
    }
    // SAFETY: by the caller's contract there are these four bytes.
    let size = unsafe { pointer.cast::<u32>().read() } as usize;
    if !(T::REQUIRED..=LARGEST).contains(&size) {
        return Err(wrong_size::<T>(size, "set it to"));
    }
    // SAFETY: by the caller's contract there are as many bytes.
    let given = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    let (known, unknown) = given.split_at(size.min(size_of::<T>()));
    if unknown.iter().any(|&byte| byte != 0) {
        return Err(wrong_size::<T>(size, "members past those that this library knows must be 0:"));
    }
    let mut whole = MaybeUninit::<T>::zeroed();
    // SAFETY: no more bytes than it has; any bits are values, by the trait's contract.
    unsafe {
        let to = whole.as_mut_ptr().cast::<u8>();
        std::ptr::copy_nonoverlapping(known.as_ptr(), to, known.len());
        Ok(whole.assume_init())
    }
}

fn wrong_size<T: Sized32>(size: usize, what: &str) -> Failure {
    let (name, right) = (T::NAME, size_of::<T>());
    let text = format!(
        "{name}: struct_size is {size}; {what} sizeof({name}), which is {right} in this library"
    );
    Failure::new(MultisplitResult::MultisplitErrorStructSize, text)
}

/// A structure of which nothing is set.
pub(crate) fn zeroed<T: Sized32>() -> T {
    // SAFETY: any bits are values of its members.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// A member that is kept for later versions: a caller that sets it expects something that this
/// version does not do.
pub(crate) fn reserved(structure: &str, value: u32) -> Outcome {
    if value == 0 {
        return Ok(());
    }
    Err(Failure::invalid(format!("{structure}: reserved is {value}; it must be 0")))
}

/// Where a call puts its result.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// Where `pointer` is not null, a `T` may be written to it until this goes.
    pub unsafe fn new(what: &str, pointer: *mut T) -> Outcome<Self> {
        if pointer.is_null() {
            return Err(Failure::null(what));
        }
        if !pointer.is_aligned() {
            return Err(Failure::invalid(format!("{what} is not aligned")));
        }
        Ok(Self(pointer))
    }

    pub fn set(&self, value: T) {
        // SAFETY: by the contract of `new`.
        unsafe { self.0.write(value) };
    }
}

impl<H> Out<*mut H> {
    /// Where a handle goes: null until there is one.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub unsafe fn handle(what: &str, pointer: *mut *mut H) -> Outcome<Self> {
        // SAFETY: by the caller's contract.
        let out = unsafe { Self::new(what, pointer)? };
        out.set(std::ptr::null_mut());
        Ok(out)
    }
}

/// An array of the caller's; empty where there are none, whatever the pointer.
///
/// # Safety
/// Where `pointer` is not null, there are `count` of them, and nobody writes to them for as long as
/// the reference lives. Any bits are a `T`.
pub(crate) unsafe fn slice<'a, T>(what: &str, pointer: *const T, count: u64) -> Outcome<&'a [T]> {
    let limit = isize::MAX as usize / size_of::<T>().max(1);
    let count = usize::try_from(count).ok().filter(|&count| count <= limit);
    match count {
        Some(0) => Ok(&[]),
        Some(_) if pointer.is_null() => Err(Failure::null(what)),
        Some(_) if !pointer.is_aligned() => Err(Failure::invalid(format!("{what} is not aligned"))),
        // SAFETY: by the caller's contract.
        Some(count) => Ok(unsafe { std::slice::from_raw_parts(pointer, count) }),
        None => Err(Failure::invalid(format!("{what}: more elements than there is memory"))),
    }
}

/// A string of the caller's; none where it is null.
///
/// # Safety
/// Where `pointer` is not null, it is a C string that nobody writes to while the reference lives.
pub(crate) unsafe fn text<'a>(what: &str, pointer: *const c_char) -> Outcome<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: by the caller's contract.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| Failure::invalid(format!("{what} is not UTF-8")))
}

/// The bits of `count` numbers of `bytes` bytes each.
///
/// # Safety
/// Where `pointer` is not null, there are as many.
pub(crate) unsafe fn numbers(
    what: &str,
    pointer: *const c_void,
    count: u32,
    bytes: u32,
) -> Outcome<Vec<u64>> {
    let (count, bytes) = (u64::from(count), bytes as usize);
    // SAFETY: by the caller's contract; bytes have no alignment.
    let all = unsafe { slice(what, pointer.cast::<u8>(), count * bytes as u64)? };
    let number = |part: &[u8]| {
        let mut whole = [0; 8];
        // C and the device count bytes the same way on everything that Vulkan runs on.
        whole[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(whole)
    };
    Ok(all.chunks_exact(bytes.max(1)).map(number).collect())
}

/// An enumeration whose values count from zero.
///
/// # Safety
/// It is `repr(C)`, and its values are the numbers below `ALL.len()`, in the order of `ALL`.
pub(crate) unsafe trait Choice: Copy + 'static {
    /// Its name in C.
    const NAME: &'static str;
    /// Every value.
    const ALL: &'static [Self];
}

/// A value of an enumeration, as C wrote it: any number.
pub(crate) fn choice<E: Choice>(value: MaybeUninit<E>) -> Outcome<E> {
    const { assert!(size_of::<E>() == size_of::<u32>()) };
    // SAFETY: of this size, and C has written something there.
    let number = unsafe { value.as_ptr().cast::<u32>().read() };
    E::ALL
        .get(number as usize)
        .copied()
        .ok_or_else(|| Failure::invalid(format!("{number} is not a value of {}", E::NAME)))
}

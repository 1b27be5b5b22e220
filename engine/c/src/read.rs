//! Reading of arguments from C: pointers that may be null, structures of other versions, strings that are not
//! UTF-8, and numbers outside their enumeration.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;

use crate::result::{Failure, MultisplitResult, Outcome};

/// A structure whose first member is its size.
///
/// # Safety
/// The type is `repr(C)`, its first member is a `u32`, and all bit patterns are valid for its members.
pub(crate) unsafe trait Sized32: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// Minimum size: the bytes up to the end of the last required member.
    const REQUIRED: usize;
}

/// Upper bound for the size of any version of a structure. A larger `struct_size` is rejected.
const LARGEST: usize = 4096;

/// Reads a caller's structure. If the caller was compiled with fewer members, the missing members are zero.
/// If it was compiled with more members, those that the library does not know must be zero.
///
/// # Safety
/// If `pointer` is not null, it points to a structure that begins with its size in bytes, at least four.
pub(crate) unsafe fn info<T: Sized32>(pointer: *const T) -> Outcome<T> {
    if pointer.is_null() {
        return Err(Failure::null(T::NAME));
    }
    if !pointer.is_aligned() {
        return Err(unaligned::<T>(T::NAME));
    }
    // SAFETY: guaranteed by the caller for the first four bytes.
    let size = unsafe { pointer.cast::<u32>().read() } as usize;
    if !(T::REQUIRED..=LARGEST).contains(&size) {
        return Err(wrong_size::<T>(size, "set it to"));
    }
    // SAFETY: guaranteed by the caller for `size` bytes.
    let given = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    let (known, unknown) = given.split_at(size.min(size_of::<T>()));
    if unknown.iter().any(|&byte| byte != 0) {
        return Err(wrong_size::<T>(
            size,
            "members that this library does not know must be 0; use",
        ));
    }
    let mut whole = MaybeUninit::<T>::zeroed();
    // SAFETY: at most `size_of::<T>()` bytes; all bit patterns are valid, by the trait's contract.
    unsafe {
        let to = whole.as_mut_ptr().cast::<u8>();
        std::ptr::copy_nonoverlapping(known.as_ptr(), to, known.len());
        Ok(whole.assume_init())
    }
}

fn unaligned<T>(what: &str) -> Failure {
    let needed = align_of::<T>();
    Failure::invalid(format!(
        "the address of {what} is not a multiple of {needed}, the alignment of its type"
    ))
}

fn wrong_size<T: Sized32>(size: usize, what: &str) -> Failure {
    let (name, right) = (T::NAME, size_of::<T>());
    let text = format!(
        "{name}: struct_size is {size}; {what} sizeof({name}), which is {right} in this library"
    );
    Failure::new(MultisplitResult::MultisplitErrorStructSize, text)
}

/// A structure with all members zero.
pub(crate) fn zeroed<T: Sized32>() -> T {
    // SAFETY: all bit patterns are valid for its members.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Rejects non-zero reserved members: a caller that sets one expects a feature of a later version.
pub(crate) fn reserved(structure: &str, value: u32) -> Outcome {
    if value == 0 {
        return Ok(());
    }
    Err(Failure::invalid(format!("{structure}: a reserved member is {value}; it must be 0")))
}

/// The destination of a call's result.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// If `pointer` is not null, a `T` may be written to it for the lifetime of this object.
    pub unsafe fn new(what: &str, pointer: *mut T) -> Outcome<Self> {
        if pointer.is_null() {
            return Err(Failure::null(what));
        }
        if !pointer.is_aligned() {
            return Err(unaligned::<T>(what));
        }
        Ok(Self(pointer))
    }

    pub fn set(&self, value: T) {
        // SAFETY: guaranteed by the caller of `new`.
        unsafe { self.0.write(value) };
    }
}

impl<H> Out<*mut H> {
    /// Destination of a handle; set to null until the handle is created.
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

/// The caller's array; empty if `count` is 0, even if the pointer is null.
///
/// # Safety
/// If `pointer` is not null, it points to `count` elements that are not written to during the lifetime of the
/// reference. All bit patterns are valid for `T`.
pub(crate) unsafe fn slice<'a, T>(what: &str, pointer: *const T, count: u64) -> Outcome<&'a [T]> {
    let limit = isize::MAX as usize / size_of::<T>().max(1);
    let count = usize::try_from(count).ok().filter(|&count| count <= limit);
    match count {
        Some(0) => Ok(&[]),
        Some(_) if pointer.is_null() => Err(Failure::null(what)),
        Some(_) if !pointer.is_aligned() => Err(unaligned::<T>(what)),
        // SAFETY: by the caller's contract.
        Some(count) => Ok(unsafe { std::slice::from_raw_parts(pointer, count) }),
        None => Err(Failure::invalid(format!("{what} has more elements than memory can hold"))),
    }
}

/// The caller's structure, for structures without `struct_size`; `None` if the pointer is null.
///
/// # Safety
/// If `pointer` is not null, it points to a `T` that is not written to during the lifetime of the reference. All
/// bit patterns are valid for `T`.
pub(crate) unsafe fn structure<'a, T>(what: &str, pointer: *const T) -> Outcome<Option<&'a T>> {
    if !pointer.is_aligned() {
        return Err(unaligned::<T>(what));
    }
    // SAFETY: by the caller's contract.
    Ok(unsafe { pointer.as_ref() })
}

/// The caller's string; `None` if the pointer is null.
///
/// # Safety
/// If `pointer` is not null, it is a C string that is not written to during the lifetime of the reference.
pub(crate) unsafe fn text<'a>(what: &str, pointer: *const c_char) -> Outcome<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: by the caller's contract.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| Failure::invalid(format!("{what} is not UTF-8")))
}

/// The bits of `count` numbers of `bytes` bytes each, zero-extended to 64 bits.
///
/// # Safety
/// If `pointer` is not null, it points to that many numbers.
pub(crate) unsafe fn numbers(
    what: &str,
    pointer: *const c_void,
    count: u32,
    bytes: u32,
) -> Outcome<Vec<u64>> {
    let (count, bytes) = (u64::from(count), bytes as usize);
    // SAFETY: guaranteed by the caller; bytes need no alignment.
    let all = unsafe { slice(what, pointer.cast::<u8>(), count * bytes as u64)? };
    let number = |part: &[u8]| {
        let mut whole = [0; 8];
        // Only little-endian hosts are supported.
        whole[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(whole)
    };
    Ok(all.chunks_exact(bytes.max(1)).map(number).collect())
}

/// An enumeration whose values are numbered from zero.
///
/// # Safety
/// The type is `repr(C)`, and its values are 0 to `ALL.len() - 1`, in the order of `ALL`.
pub(crate) unsafe trait Choice: Copy + 'static {
    /// Its name in C.
    const NAME: &'static str;
    /// Every value.
    const ALL: &'static [Self];
}

/// Validates an enumeration value written by C, which may be any number.
pub(crate) fn choice<E: Choice>(value: MaybeUninit<E>) -> Outcome<E> {
    const { assert!(size_of::<E>() == size_of::<u32>()) };
    // SAFETY: the size matches, and C has initialised it.
    let number = unsafe { value.as_ptr().cast::<u32>().read() };
    E::ALL
        .get(number as usize)
        .copied()
        .ok_or_else(|| Failure::invalid(format!("{number} is not a value of {}", E::NAME)))
}

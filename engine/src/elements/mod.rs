//! Types of the elements that operations accept.

pub(crate) mod key;

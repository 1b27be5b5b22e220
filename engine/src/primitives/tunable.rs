//! How the sizes of a policy are kept from callers that have not asked for them.

/// A struct whose fields are public with the feature `tuning`, and private to the crate without.
macro_rules! tunable {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* $field:ident: $ty:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[cfg(feature = "tuning")]
        pub struct $name {
            $($(#[$doc])* pub $field: $ty,)*
        }

        $(#[$meta])*
        #[cfg(not(feature = "tuning"))]
        pub struct $name {
            $($(#[$doc])* pub(crate) $field: $ty,)*
        }
    };
}

pub(crate) use tunable;

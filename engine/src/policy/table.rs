//! The table of sizes. The macro [`sizes!`] declares the sizes of one operation and their allowed values. The struct,
//! its checks, the lines of a profile, the candidates of the tuner, and the random values of tests all derive from
//! this declaration.

use super::allowed::Allowed;
use super::facts::DeviceFacts;
use crate::error::{Error, Result};

/// Declaration of a size in the table.
pub(crate) struct Entry<T: 'static> {
    pub allowed: fn(&DeviceFacts) -> Allowed,
    pub candidates: fn(&DeviceFacts) -> &'static [T],
    pub per_ranking: bool,
    pub stored: bool,
}

/// Declares a size with these allowed values. By default, it does not depend on the ranking method and is stored in
/// profiles.
pub(crate) const fn size<T>(allowed: fn(&DeviceFacts) -> Allowed) -> Entry<T> {
    Entry { allowed, candidates: |_| &[], per_ranking: false, stored: true }
}

impl<T> Entry<T> {
    /// Sets the values that the tuner tries.
    pub const fn candidates(self, candidates: fn(&DeviceFacts) -> &'static [T]) -> Self {
        Self { candidates, ..self }
    }

    /// Stores a separate value for each ranking method.
    pub const fn per_ranking(self) -> Self {
        Self { per_ranking: true, ..self }
    }

    /// Excludes the size from profiles.
    pub const fn unstored(self) -> Self {
        Self { stored: false, ..self }
    }
}

/// A size within a struct `P`, with the functions that access it.
pub struct Field<P> {
    /// Name of the size in profiles, such as `topk.groups`.
    pub name: &'static str,
    /// Whether there is a separate value for each ranking method.
    pub per_ranking: bool,
    /// Whether profiles contain the size.
    pub stored: bool,
    /// Formats the value in the form that profiles use.
    pub text: fn(&P) -> String,
    /// Parses a value and sets it. The error describes the expected form.
    pub read: fn(&mut P, &str) -> Result<(), String>,
    /// Copies the value from another policy.
    pub copy: fn(&mut P, &P),
    /// Allowed values on a device.
    pub allowed: fn(&DeviceFacts) -> Allowed,
    /// Whether the value is allowed on a device.
    pub is_allowed: fn(&P, &DeviceFacts) -> bool,
    /// Clamps the value to the device limits.
    pub fit: fn(&mut P, &DeviceFacts),
    /// Returns one modified copy of the policy for each value that the tuner tries.
    pub candidates: fn(&P, &DeviceFacts) -> Vec<P>,
}

impl<P> Field<P> {
    /// Rejects values that are not allowed.
    pub(crate) fn check(&self, holder: &P, facts: &DeviceFacts) -> Result<()> {
        if (self.is_allowed)(holder, facts) {
            return Ok(());
        }
        let (name, value, allowed) = (self.name, (self.text)(holder), (self.allowed)(facts));
        Err(Error::Policy { problem: format!("`{name}` is {value}; allowed: {allowed}") })
    }
}

/// Gives access to the struct of sizes `S`: implemented by `S` itself and by structs that contain it.
pub(crate) trait Holds<S> {
    fn part(&self) -> &S;
    fn part_mut(&mut self) -> &mut S;
}

impl<S> Holds<S> for S {
    fn part(&self) -> &S {
        self
    }

    fn part_mut(&mut self) -> &mut S {
        self
    }
}

/// Returns an error with the description `problem` unless `holds` is true. For conditions between several sizes.
pub(crate) fn require(holds: bool, problem: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Policy { problem: problem.to_owned() }) }
}

/// Declares a struct of sizes. `field: Type = entry` declares a size; `field: Type` declares any other field. The
/// names of the sizes begin with the given prefix. Fields are public if the feature `tuning` is enabled, and private
/// to the crate otherwise. An optional method after the prefix rejects combinations of sizes that contradict each
/// other.
macro_rules! sizes {
    (
        $(#[$meta:meta])*
        pub struct $name:ident as $prefix:literal $(, $together:ident)? {
            $($(#[$doc:meta])* $field:ident: $ty:ty $(= $entry:expr)?,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg(feature = "tuning")]
        pub struct $name {
            $($(#[$doc])* pub $field: $ty,)*
        }

        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg(not(feature = "tuning"))]
        pub struct $name {
            $($(#[$doc])* pub(crate) $field: $ty,)*
        }

        impl $name {
            /// The sizes of this struct, accessed through a struct `P` that contains it.
            pub(crate) fn fields<P>() -> &'static [$crate::policy::table::Field<P>]
            where
                P: $crate::policy::table::Holds<Self> + Copy + 'static,
            {
                use $crate::policy::size::Size;
                use $crate::policy::table::{Entry, Field, Holds};
                const { &[$($({
                    const ENTRY: Entry<$ty> = $entry;
                    Field {
                        name: concat!($prefix, stringify!($field)),
                        per_ranking: ENTRY.per_ranking,
                        stored: ENTRY.stored,
                        text: |holder| Holds::<$name>::part(holder).$field.text(),
                        read: |holder, text| {
                            Holds::<$name>::part_mut(holder).$field = Size::read(text)?;
                            Ok(())
                        },
                        copy: |to, from| {
                            Holds::<$name>::part_mut(to).$field = Holds::<$name>::part(from).$field;
                        },
                        allowed: ENTRY.allowed,
                        is_allowed: |holder, facts| {
                            let value = &Holds::<$name>::part(holder).$field;
                            value.is_allowed(&(ENTRY.allowed)(facts))
                        },
                        fit: |holder, facts| {
                            let value = &mut Holds::<$name>::part_mut(holder).$field;
                            value.fit(facts, &(ENTRY.allowed)(facts));
                        },
                        candidates: |holder, facts| {
                            let changed = |value: &$ty| {
                                let mut changed = *holder;
                                Holds::<$name>::part_mut(&mut changed).$field = *value;
                                changed
                            };
                            (ENTRY.candidates)(facts).iter().map(changed).collect()
                        },
                    }
                },)?)*] }
            }

            /// Rejects sizes that are not allowed on the device.
            pub(crate) fn check_on(
                &self,
                facts: &$crate::policy::facts::DeviceFacts,
            ) -> $crate::error::Result<()> {
                Self::fields::<Self>().iter().try_for_each(|field| field.check(self, facts))?;
                $(self.$together(facts)?;)?
                Ok(())
            }

            /// Clamps the sizes to the device limits.
            fn fitted(mut self, facts: &$crate::policy::facts::DeviceFacts) -> Self {
                Self::fields::<Self>().iter().for_each(|field| (field.fit)(&mut self, facts));
                self
            }
        }
    };
}

pub(crate) use sizes;

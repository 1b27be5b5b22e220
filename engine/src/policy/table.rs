//! The table of sizes. [`sizes!`] declares the sizes of one operation, each with the values that it may have. The struct,
//! its checks, the lines of a profile, the candidates of the tuner and the draws of tests all come from that declaration.

use super::allowed::Allowed;
use super::facts::DeviceFacts;
use crate::error::{Error, Result};

/// How a size is declared in the table.
pub(crate) struct Entry<T: 'static> {
    pub allowed: fn(&DeviceFacts) -> Allowed,
    pub candidates: fn(&DeviceFacts) -> &'static [T],
    pub per_ranking: bool,
    pub stored: bool,
}

/// A size with these values, shared by all rankings and stored in profiles.
pub(crate) const fn size<T>(allowed: fn(&DeviceFacts) -> Allowed) -> Entry<T> {
    Entry { allowed, candidates: |_| &[], per_ranking: false, stored: true }
}

impl<T> Entry<T> {
    /// Values that the tuner tries.
    pub const fn candidates(self, candidates: fn(&DeviceFacts) -> &'static [T]) -> Self {
        Self { candidates, ..self }
    }

    /// Each ranking has a value of its own.
    pub const fn per_ranking(self) -> Self {
        Self { per_ranking: true, ..self }
    }

    /// Not part of profiles.
    pub const fn unstored(self) -> Self {
        Self { stored: false, ..self }
    }
}

/// One size of `P`, with everything that is done to sizes one by one.
pub struct Field<P> {
    /// Its path, such as `topk.groups`.
    pub name: &'static str,
    /// Whether each ranking has a value of its own.
    pub per_ranking: bool,
    /// Whether profiles have it.
    pub stored: bool,
    /// Formats the value as in a profile.
    pub text: fn(&P) -> String,
    /// Sets the value that a text stands for. The error says what is expected.
    pub read: fn(&mut P, &str) -> Result<(), String>,
    /// Takes the value of another policy.
    pub copy: fn(&mut P, &P),
    /// The values that it may have on a device.
    pub allowed: fn(&DeviceFacts) -> Allowed,
    /// Whether it has one of them.
    pub is_allowed: fn(&P, &DeviceFacts) -> bool,
    /// Brings it within the device's limits.
    pub fit: fn(&mut P, &DeviceFacts),
    /// The same sizes with each of the values that the tuner tries.
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

/// A struct that contains the sizes `S`, or is `S` itself.
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

/// Rejects sizes that contradict each other.
pub(crate) fn require(holds: bool, problem: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Policy { problem: problem.to_owned() }) }
}

/// Declares a struct of sizes, whose names begin with a prefix: `field: Type = entry`, or `field: Type` for what is not a
/// size. Fields are public with the feature `tuning`, and private to the crate without. After the prefix comes the method,
/// if there is one, that rejects sizes which do not go together.
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
            /// The sizes that are declared here, as fields of what holds them.
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

            /// The same within the device's limits.
            fn fitted(mut self, facts: &$crate::policy::facts::DeviceFacts) -> Self {
                Self::fields::<Self>().iter().for_each(|field| (field.fit)(&mut self, facts));
                self
            }
        }
    };
}

pub(crate) use sizes;

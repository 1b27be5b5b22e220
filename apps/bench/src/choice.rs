//! Values that have names: choices on the command line, and operations and methods in benchmark
//! results.

use clap::ValueEnum;
use clap::builder::PossibleValue;

/// A value that can be chosen on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<T> {
    /// The value.
    pub value: T,
    /// The name on the command line.
    pub name: &'static str,
    help: &'static str,
}

/// A type whose values have names.
pub trait Named: Copy + PartialEq + Send + Sync + 'static {
    /// The choices on the command line. The first is the default.
    const CHOICES: &'static [Choice<Self>];
    /// Names that appear only in benchmark results: of values that are not choices, and of choices whose name differs
    /// there. The command line accepts both names of a choice.
    const IN_FIGURES: &'static [(Self, &'static str)] = &[];
}

pub(crate) const fn choice<T: Copy>(value: T, name: &'static str) -> Choice<T> {
    Choice { value, name, help: "" }
}

impl<T: Copy> Choice<T> {
    /// The same choice with a description for the help text.
    pub(crate) const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}

/// The name of `value` in benchmark results.
pub fn name<T: Named>(value: T) -> &'static str {
    let choices = T::CHOICES.iter().map(|choice| (choice.value, choice.name));
    let mut names = T::IN_FIGURES.iter().copied().chain(choices);
    names.find(|(named, _)| *named == value).map_or("", |(_, name)| name)
}

impl<T: Named> ValueEnum for Choice<T> {
    fn value_variants<'a>() -> &'a [Self] {
        T::CHOICES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (value, alias) = (PossibleValue::new(self.name).help(self.help), name(self.value));
        Some(if alias == self.name { value } else { value.alias(alias) })
    }
}

impl<T: Named> Default for Choice<T> {
    fn default() -> Self {
        T::CHOICES[0]
    }
}

/// Returns `given`, or `default` if `given` is empty.
pub(crate) fn or_default<'l, T>(given: &'l [T], default: &'l [T]) -> &'l [T] {
    if given.is_empty() { default } else { given }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::name;
    use crate::split::Method;

    #[test]
    fn command_line_accepts_names_from_benchmark_results() {
        for method in Method::value_variants() {
            for text in [method.name, name(method.value)] {
                assert_eq!(Method::from_str(text, false).as_ref(), Ok(method));
            }
        }
        assert_eq!(Method::default().name, "auto");
    }
}

//! Two arrays of one type: what a command takes that goes by two inputs.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use multisplit_bench::progress::Bars;

use super::one::OneArray;
use super::{InputOptions, Shape};
use crate::formats::Place;

impl InputOptions {
    /// The same of another input.
    fn of(&self, input: &Path) -> Self {
        Self { input: PathBuf::from(input), ..self.clone() }
    }

    /// Opens this array and another one of the same type. Where neither the other file nor --type says what its
    /// numbers are, they are what those of the first are.
    pub fn open_two(&self, second: &Path, bars: Bars) -> Result<[OneArray; 2]> {
        let stdin = Path::new("-");
        if self.input == stdin && second == stdin {
            bail!("standard input can be one of the two inputs, not both");
        }
        let first = self.open_one(Shape::Line, bars)?;
        let element = first.numbers.element;
        let mut other = self.of(second);
        // The type of .npy is in the file: where it is another one, that is said below.
        if second.extension().is_none_or(|extension| extension != "npy") {
            other.element = other.element.or(Some(element));
        }
        let other = other.open_one(Shape::Line, bars)?;
        if other.numbers.element != element {
            let (one, two) = (self.place(), Place::new(second));
            let found = other.numbers.element;
            bail!("{one} holds {element} and {two} holds {found}; both have to be of one type");
        }
        Ok([first, other])
    }
}

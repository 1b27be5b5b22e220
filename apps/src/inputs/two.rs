//! Input of commands that take two arrays of the same type.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use multisplit_bench::progress::Bars;

use super::one::OneArray;
use super::{InputOptions, Shape};
use crate::formats::Place;

impl InputOptions {
    /// The same options with another input.
    fn of(&self, input: &Path) -> Self {
        Self { input: PathBuf::from(input), ..self.clone() }
    }

    /// Opens this array and a second one of the same type. If neither the second file nor `--type` specifies
    /// the element type, it is that of the first array.
    pub fn open_two(&self, second: &Path, bars: Bars) -> Result<[OneArray; 2]> {
        let stdin = Path::new("-");
        if self.input == stdin && second == stdin {
            bail!("standard input can be only one of the two inputs");
        }
        let first = self.open_one(Shape::Line, bars)?;
        let element = first.numbers.element;
        let mut other = self.of(second);
        // A .npy file stores its type; a mismatch is reported below.
        if second.extension().is_none_or(|extension| extension != "npy") {
            other.element = other.element.or(Some(element));
        }
        let other = other.open_one(Shape::Line, bars)?;
        if other.numbers.element != element {
            let (one, two) = (self.place(), Place::new(second));
            let found = other.numbers.element;
            bail!(
                "{one} has type {element} and {two} has type {found}; both must have the same type"
            );
        }
        Ok([first, other])
    }
}

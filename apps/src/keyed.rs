//! The files of a command that moves keys: keys and values in; keys, values and an array of u32 out.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::device::Devices;
use crate::files::{Array, Data, Element, OutputId, Outputs, Place, read};
use crate::values::ValueOptions;

/// Where the files are.
pub struct KeyedPaths<'p> {
    pub input: &'p Path,
    pub output: &'p Path,
    /// What the keys are, where the file does not say it.
    pub element: Option<Element>,
    pub values: &'p ValueOptions,
    /// Where the array of u32 goes: an order, or beginnings of buckets.
    pub words: Option<&'p Path>,
}

/// What was read, and outputs that have been begun.
pub struct KeyedFiles {
    pub keys: Array,
    pub values: Option<Array>,
    outputs: Outputs,
    keys_out: OutputId,
    values_out: Option<OutputId>,
    words_out: Option<OutputId>,
}

impl KeyedFiles {
    /// Begins the outputs, then reads: what cannot be written costs no waiting.
    pub fn open(paths: &KeyedPaths<'_>, devices: &Devices) -> Result<Self> {
        let mut outputs = devices.outputs();
        let keys_out = outputs.begin(&Place::new(paths.output))?;
        let values_out = paths.values.begin(&mut outputs)?;
        let words_out = outputs.begin_if(paths.words)?;
        let _span = tracing::info_span!("read").entered();
        let place = Place::new(paths.input);
        let keys = read(&place, paths.element, devices.bars())?;
        if !Element::KEYS.contains(&keys.element()) {
            bail!("{place} holds {}; keys are u32, i32, f32, u64, i64 or f64", keys.element());
        }
        let values = paths.values.read(keys.len(), devices.bars())?;
        Ok(Self { keys, values, outputs, keys_out, values_out, words_out })
    }

    /// Whether the array of u32 was asked for.
    pub fn wants_words(&self) -> bool {
        self.words_out.is_some()
    }

    /// The values as they were read.
    pub fn value_data(&self) -> Option<&Data> {
        self.values.as_ref().map(Array::data)
    }

    /// Writes what was asked for, and every output takes its name.
    pub fn write(
        mut self,
        keys: Data,
        values: Option<Data>,
        words: Option<Vec<u32>>,
    ) -> Result<()> {
        let _span = tracing::info_span!("write").entered();
        let array = |element, data| Array::new(element, data).context("elements of another size");
        if let (Some(id), Some(words)) = (self.words_out, words) {
            self.outputs.array(id, &Array::words(words))?;
        }
        if let (Some(id), Some(moved), Some(values)) = (self.values_out, values, &self.values) {
            self.outputs.array(id, &array(values.element(), moved)?)?;
        }
        self.outputs.array(self.keys_out, &array(self.keys.element(), keys)?)?;
        Ok(self.outputs.finish()?)
    }
}

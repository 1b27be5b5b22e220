//! Writes the outputs of a command: each one completely, and either all or none.
//!
//! Each file is first written under a hidden name in the same folder. Standard output, devices and pipes are written
//! directly. All outputs are opened before the work begins, so that an unwritable folder fails early, and files are
//! renamed together after the work is done.

mod by_ranges;
mod commit;
mod identity;
mod reserve;
mod signals;
mod stage;

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use multisplit::Context;

use crate::formats::{Array, Element, FileError, Format, Place, Result, Stated, npy, text};
use crate::inputs::{ValueForm, Values};
use crate::on_device::{DeviceArray, Moved};
use crate::phase;

pub use by_ranges::RangeWriter;
use identity::Identity;
use multisplit_bench::first_bytes::Compression;
use reserve::Reserving;
use stage::{Staged, folder_of};

/// The outputs of one command.
#[derive(Default)]
pub struct Outputs {
    force: bool,
    begun: Vec<Output>,
    /// Output that is written after all others, and the function that returns its text.
    last: Option<(OutputId, Box<dyn Fn() -> String>)>,
}

/// Handle of an output.
#[derive(Clone, Copy, Debug)]
pub struct OutputId(usize);

struct Output {
    place: Place,
    sink: Sink,
    identity: Option<Identity>,
    reserving: Option<Reserving>,
}

enum Sink {
    Standard,
    /// A device or a pipe, which is written directly instead of renamed.
    Direct(File),
    Staged(Staged),
}

/// Minimum size in bytes of outputs for which disk space is reserved. Smaller outputs are written quickly anyway.
const MIN_RESERVED: u64 = 16 << 20;

/// Other names of standard output, which may be redirected to an existing file.
const STANDARD: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

impl Outputs {
    /// Creates an empty set of outputs. Existing files are replaced only with `force`.
    pub fn new(force: bool) -> Self {
        Self { force, ..Self::default() }
    }

    /// Opens an output and checks that it can be written.
    pub fn begin(&mut self, place: &Place) -> Result<OutputId> {
        self.begin_with(place, self.force)
    }

    /// Opens the output at `path`, in this format if it is given.
    pub fn begin_as(&mut self, path: &Path, format: Option<Format>) -> Result<OutputId> {
        self.begin(&Place::new(path).with_format(format))
    }

    pub fn begin_if(&mut self, path: Option<&Path>) -> Result<Option<OutputId>> {
        path.map(|path| self.begin(&Place::new(path))).transpose()
    }

    /// Registers a function that returns the text of this output. It is called after all other outputs are written.
    pub fn write_last(&mut self, id: OutputId, text: impl Fn() -> String + 'static) {
        self.last = Some((id, Box::new(text)));
    }

    /// Like [`begin`](Self::begin), but `replace` is whether an existing file is replaced.
    pub fn begin_with(&mut self, place: &Place, replace: bool) -> Result<OutputId> {
        let failed = |source| FileError::Write { place: place.to_string(), source };
        let standard = |path: &PathBuf| STANDARD.iter().any(|name| path.as_os_str() == *name);
        let path = place.path.as_ref().filter(|path| !standard(path));
        // Compare with the other outputs before opening the file, so that no file is staged twice.
        let identity = match path {
            None => Identity::of_standard_output(),
            Some(path) => identity_of(place, path)?,
        };
        let same = |begun: &&Output| identity.is_some() && begun.identity == identity;
        if let Some(other) = self.begun.iter().find(same) {
            let (place, other) = (place.to_string(), other.place.to_string());
            return Err(FileError::Twice { place, other });
        }
        let sink = match path {
            None => standard_sink(place)?,
            Some(path) => match fs::metadata(path) {
                Ok(found) if found.is_file() && !replace => {
                    return Err(FileError::Exists { place: place.to_string() });
                }
                // Replace the target of a symbolic link, not the link itself.
                Ok(found) if found.is_file() => {
                    let target = path.canonicalize().map_err(failed)?;
                    Sink::Staged(Staged::begin(&target, Some(&found)).map_err(failed)?)
                }
                Ok(found) if found.is_dir() => {
                    return Err(failed(io::ErrorKind::IsADirectory.into()));
                }
                Ok(_) => Sink::Direct(File::create(path).map_err(failed)?),
                Err(_) => {
                    check_folder(path).map_err(failed)?;
                    Sink::Staged(Staged::begin(path, None).map_err(failed)?)
                }
            },
        };
        self.begun.push(Output { place: place.clone(), sink, identity, reserving: None });
        Ok(OutputId(self.begun.len() - 1))
    }

    /// Writes an array. `otherwise` is the format of standard output if no option specifies one.
    pub fn array(&mut self, id: OutputId, array: &Array, otherwise: Format) -> Result<()> {
        let format = self.format(id, otherwise)?;
        if format.is_text() {
            return self.write(id, |writer| text::write(writer, array));
        }
        let header = format.header(|| npy::header_of(array.element(), array.len()));
        self.binary(id, &header, array.data().bytes())
    }

    /// Reserves disk space for `bytes` bytes of binary output, in the background.
    pub fn reserve(&mut self, id: OutputId, bytes: u64, otherwise: Format) -> Result<()> {
        if bytes >= MIN_RESERVED
            && !self.format(id, otherwise)?.is_text()
            && let Some(file) = self.by_ranges(id)
        {
            self.begun[id.0].reserving = Some(Reserving::begin(file, bytes));
        }
        Ok(())
    }

    /// Writes a device array whose elements have the same representation as in the file: directly from
    /// staging memory if the file can be written by ranges.
    pub fn device_array(
        &mut self,
        id: OutputId,
        (context, array): (&Context, &dyn DeviceArray),
        element: Element,
        otherwise: Format,
    ) -> anyhow::Result<()> {
        let format = self.format(id, otherwise)?;
        let header = format.header(|| npy::header_of(element, array.count()));
        if self.drained(id, (context, array), format, &header)? {
            return Ok(());
        }
        let array = Array::new(element, array.download(context)?);
        let array =
            array.context("internal error: the element size does not match the element type")?;
        Ok(self.array(id, &array, otherwise)?)
    }

    /// If this output can be written by ranges, writes `header` and the elements of `array` and returns true.
    fn drained(
        &mut self,
        id: OutputId,
        (context, array): (&Context, &dyn DeviceArray),
        format: Format,
        header: &[u8],
    ) -> anyhow::Result<bool> {
        if format.is_text() {
            return Ok(false);
        }
        let Some(writer) = self.range_writer(id, header, array.element_bytes())? else {
            return Ok(false);
        };
        array.drain(context, &|first, bytes| Ok(writer.put(first, bytes)?))?;
        Ok(true)
    }

    /// Returns a writer for elements of `each` bytes after `header`, in any order. `None` if the output must
    /// be written sequentially.
    pub fn range_writer(
        &mut self,
        id: OutputId,
        header: &[u8],
        each: usize,
    ) -> Result<Option<RangeWriter>> {
        let Some(file) = self.by_ranges(id) else { return Ok(None) };
        self.end_reserving(id)?;
        let writer =
            RangeWriter::new(file, self.begun[id.0].place.to_string(), header.len() as u64, each);
        writer.header(header)?;
        Ok(Some(writer))
    }

    fn end_reserving(&mut self, OutputId(index): OutputId) -> Result<()> {
        let Output { place, reserving, .. } = &mut self.begun[index];
        let ended = reserving.take().map_or(Ok(()), Reserving::finish);
        ended.map_err(|source| FileError::Write { place: place.to_string(), source })
    }

    /// The file of an output that is not compressed and can be written in any order.
    fn by_ranges(&self, OutputId(index): OutputId) -> Option<File> {
        match &self.begun[index] {
            Output { place, sink: Sink::Staged(staged), .. } if place.compression.is_none() => {
                staged.by_ranges()
            }
            _ => None,
        }
    }

    fn binary(&mut self, id: OutputId, header: &[u8], bytes: &[u8]) -> Result<()> {
        let Some(writer) = self.range_writer(id, header, 1)? else {
            return self.write(id, |writer| {
                writer.write_all(header)?;
                writer.write_all(bytes)
            });
        };
        writer.put_all(bytes)
    }

    pub fn values(
        &mut self,
        id: OutputId,
        moved: Moved,
        form: &ValueForm,
        otherwise: Format,
    ) -> anyhow::Result<()> {
        let format = self.format(id, otherwise)?;
        let header = format.header(|| form.header(moved.len() as u64));
        if let Moved::Device(context, array) = &moved
            && array.element_bytes() == form.bytes
            && self.drained(id, (context, &**array), format, &header)?
        {
            return Ok(());
        }
        let data = moved.load()?;
        let exact = data.element_bytes() == form.bytes;
        if format.is_text() {
            let numbers = form.element.and_then(|element| match exact {
                true => Array::new(element, data),
                false => Array::narrow(element, &data),
            });
            let no_text = || {
                let place = self.begun[id.0].place.to_string();
                FileError::NoText { place, bytes: form.bytes, format }
            };
            return Ok(self.array(id, &numbers.ok_or_else(no_text)?, otherwise)?);
        }
        let unpadded = if exact { None } else { Some(Values::unpadded(&data, form.bytes)) };
        Ok(self.binary(id, &header, unpadded.as_deref().unwrap_or(data.bytes()))?)
    }

    /// Writes text with `body`, which receives the column separator: `otherwise`, unless the name implies one.
    pub fn rows(
        &mut self,
        id: OutputId,
        otherwise: u8,
        body: impl FnOnce(&mut dyn Write, u8) -> io::Result<()>,
    ) -> Result<()> {
        let place = &self.begun[id.0].place;
        // In a `.csv` file, replace tabs by commas, but keep any other separator.
        let comma = matches!(place.format, Stated::Named(Format::Csv)) && otherwise == b'\t';
        let separator = place.separator().unwrap_or(if comma { b',' } else { otherwise });
        self.write(id, |writer| {
            let mut writer = BufWriter::new(writer);
            body(&mut writer, separator)?;
            writer.flush()
        })
    }

    /// Writes the whole content of an output that is not an array.
    pub fn bytes(&mut self, id: OutputId, bytes: &[u8]) -> Result<()> {
        self.write(id, |writer| writer.write_all(bytes))
    }

    /// The format of an output. Binary output to a terminal is an error.
    pub fn format(&self, OutputId(index): OutputId, otherwise: Format) -> Result<Format> {
        let Output { place, sink, .. } = &self.begun[index];
        let format = place.output_format(otherwise);
        let binary = matches!(format, Format::Npy | Format::Raw) || place.compression.is_some();
        if binary && matches!(sink, Sink::Standard) && io::stdout().is_terminal() {
            return Err(FileError::Terminal);
        }
        Ok(format)
    }

    fn write(
        &mut self,
        OutputId(index): OutputId,
        body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let Output { place, sink, .. } = &mut self.begun[index];
        let write = || {
            let mut standard;
            let plain: &mut dyn Write = match sink {
                Sink::Standard => {
                    standard = io::stdout().lock();
                    &mut standard
                }
                Sink::Direct(file) => file,
                Sink::Staged(staged) => staged.file()?,
            };
            compressed(place.compression, plain, body)
        };
        write().map_err(|source| FileError::Write { place: place.to_string(), source })
    }

    /// Like [`array`](Self::array), and adds the time to the phase "writing".
    pub fn write_array(&mut self, id: OutputId, array: &Array, otherwise: Format) -> Result<()> {
        phase::timed("writing", || self.array(id, array, otherwise))
    }

    /// Renames all outputs to their final names, or none of them if one fails.
    pub fn finish(mut self) -> Result<()> {
        if let Some((id, text)) = self.last.take() {
            self.bytes(id, text().as_bytes())?;
        }
        let staged = self.begun.into_iter().filter_map(|output| match output.sink {
            Sink::Staged(staged) => Some((output.place.to_string(), staged)),
            _ => None,
        });
        commit::commit(staged.collect())
    }
}

/// Identity of the file. A dangling symbolic link is an error.
fn identity_of(place: &Place, path: &Path) -> Result<Option<Identity>> {
    if path.is_symlink() && !path.exists() {
        let target = fs::read_link(path).unwrap_or_default().display().to_string();
        return Err(FileError::DanglingLink { place: place.to_string(), target });
    }
    Ok(Identity::of(path))
}

/// Returns an error with the folder's name if the folder of `path` does not exist.
fn check_folder(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    if folder.exists() {
        return Ok(());
    }
    let problem = format!("the folder {} does not exist", folder.display());
    Err(io::Error::new(io::ErrorKind::NotFound, problem))
}

fn standard_sink(place: &Place) -> Result<Sink> {
    let binary = matches!(place.format, Stated::Asked(Format::Npy | Format::Raw));
    if binary && io::stdout().is_terminal() {
        return Err(FileError::Terminal);
    }
    Ok(Sink::Standard)
}

/// Runs `body` with a writer that compresses into `plain`.
fn compressed(
    compression: Option<Compression>,
    plain: &mut dyn Write,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match compression {
        None => body(plain)?,
        Some(Compression::Gzip) => {
            let mut encoder = flate2::write::GzEncoder::new(&mut *plain, Default::default());
            body(&mut encoder)?;
            encoder.finish()?;
        }
        Some(Compression::Zstandard) => {
            let mut encoder = zstd::Encoder::new(&mut *plain, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            // The compressed bytes do not depend on the thread count, and any decompressor can read them.
            encoder.multithread(rayon::current_num_threads() as u32)?;
            body(&mut encoder)?;
            encoder.finish()?;
        }
    }
    plain.flush()
}

#[cfg(test)]
mod tests;

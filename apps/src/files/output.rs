//! How arrays are written: each file whole, or not at all.
//!
//! What is written goes to a hidden file beside the one that is meant, which takes its name at the
//! very end. All outputs of a command are begun before the work, so that a folder that cannot be
//! written to costs no waiting, and named after all of it.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{Array, Compression, FileError, Format, Place, Result};
use super::{npy, signals, text};

/// The outputs of one command.
#[derive(Default)]
pub struct Outputs {
    force: bool,
    begun: Vec<Output>,
}

/// One of the outputs of a command.
#[derive(Clone, Copy, Debug)]
pub struct OutputId(usize);

struct Output {
    place: Place,
    sink: Sink,
}

enum Sink {
    Standard,
    /// Something that is no file: a device, a pipe. There is nothing to rename.
    Direct(File),
    Hidden {
        file: Hidden,
        target: PathBuf,
    },
}

/// A file beside the one that is meant; removed unless it takes its name.
struct Hidden(Option<NamedTempFile>);

impl Drop for Hidden {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let path = file.path().to_owned();
            signals::finished(&path, || drop(file));
        }
    }
}

impl Outputs {
    /// No outputs yet. Files that exist are replaced only by `force`.
    pub fn new(force: bool) -> Self {
        Self { force, begun: Vec::new() }
    }

    /// Begins an output, and finds out whether it can be written.
    pub fn begin(&mut self, place: &Place) -> Result<OutputId> {
        let failed = |source| FileError::Write { place: place.to_string(), source };
        let sink = match &place.path {
            None => self.standard(place)?,
            Some(path) => match fs::metadata(path) {
                Ok(found) if found.is_file() && !self.force => {
                    return Err(FileError::Exists { place: place.to_string() });
                }
                // What a link names is replaced, not the link.
                Ok(found) if found.is_file() => hidden(&path.canonicalize().map_err(failed)?),
                Ok(_) => File::create(path).map(Sink::Direct),
                Err(_) => hidden(path),
            }
            .map_err(failed)?,
        };
        let target = |sink: &Sink| match sink {
            Sink::Standard => Some(PathBuf::from("-")),
            Sink::Direct(_) => None,
            Sink::Hidden { target, .. } => Some(target.clone()),
        };
        let other = |begun: &Output| target(&begun.sink) == target(&sink);
        if target(&sink).is_some() && self.begun.iter().any(other) {
            return Err(FileError::Twice { place: place.to_string() });
        }
        self.begun.push(Output { place: place.clone(), sink });
        Ok(OutputId(self.begun.len() - 1))
    }

    /// Begins an output where there is to be one.
    pub fn begin_if(&mut self, path: Option<&Path>) -> Result<Option<OutputId>> {
        path.map(|path| self.begin(&Place::new(path))).transpose()
    }

    fn standard(&self, place: &Place) -> Result<Sink> {
        if io::stdout().is_terminal() && place.format != Format::Text {
            return Err(FileError::Terminal);
        }
        Ok(Sink::Standard)
    }

    /// Writes the whole of an output.
    pub fn array(&mut self, id: OutputId, array: &Array) -> Result<()> {
        self.write(id, |format, writer| {
            match format {
                Format::Raw => {}
                Format::Npy => writer.write_all(&npy::header(array.element(), array.len()))?,
                Format::Text => {
                    let written = text::write(&mut BufWriter::new(writer), array);
                    return written.map_err(|problem| match problem {
                        text::Problem::Io(error) => error,
                        _ => io::Error::new(
                            io::ErrorKind::InvalidInput,
                            format!("{} have no form as text", array.element()),
                        ),
                    });
                }
            }
            writer.write_all(array.data().bytes())
        })
    }

    /// Writes the whole of an output that is no array.
    pub fn bytes(&mut self, id: OutputId, bytes: &[u8]) -> Result<()> {
        self.write(id, |_, writer| writer.write_all(bytes))
    }

    fn write(
        &mut self,
        OutputId(index): OutputId,
        body: impl FnOnce(Format, &mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let Output { place, sink } = &mut self.begun[index];
        let write = || {
            let mut standard;
            let plain: &mut dyn Write = match sink {
                Sink::Standard => {
                    standard = io::stdout().lock();
                    &mut standard
                }
                Sink::Direct(file) => file,
                Sink::Hidden { file: Hidden(Some(file)), .. } => file.as_file_mut(),
                Sink::Hidden { .. } => return Ok(()),
            };
            compressed(place.compression, plain, |writer| body(place.format, writer))
        };
        write().map_err(|source| FileError::Write { place: place.to_string(), source })
    }

    /// Every output takes its name; none does if one of them is not whole.
    pub fn finish(self) -> Result<()> {
        for Output { place, sink } in &self.begun {
            if let Sink::Hidden { file: Hidden(Some(file)), .. } = sink {
                // A disk may say only now that it is full; and a name must not precede its contents.
                file.as_file()
                    .sync_all()
                    .map_err(|source| FileError::Write { place: place.to_string(), source })?;
            }
        }
        for Output { place, sink } in self.begun {
            let Sink::Hidden { mut file, target } = sink else { continue };
            let Some(temporary) = file.0.take() else { continue };
            name(temporary, &target, self.force).map_err(|source| match source.kind() {
                io::ErrorKind::AlreadyExists => FileError::Exists { place: place.to_string() },
                _ => FileError::Write { place: place.to_string(), source },
            })?;
        }
        Ok(())
    }
}

fn hidden(target: &Path) -> io::Result<Sink> {
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    // By default only its owner may read a temporary file; this one is to become a usual one.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = signals::begin(|| builder.tempfile_in(folder)).map_err(|error| plain(&error))?;
    Ok(Sink::Hidden { file: Hidden(Some(file)), target: target.to_owned() })
}

/// Without the name of the hidden file, which tells nobody anything.
fn plain(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

fn name(file: NamedTempFile, target: &Path, force: bool) -> io::Result<()> {
    let path = file.path().to_owned();
    signals::finished(&path, || {
        let named = if force { file.persist(target) } else { file.persist_noclobber(target) };
        named.map(|_| ()).map_err(|error| error.error)
    })
}

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
            body(&mut encoder)?;
            encoder.finish()?;
        }
    }
    plain.flush()
}

#[cfg(test)]
mod tests {
    use super::{FileError, Outputs, Place};
    use crate::files::{Array, Data, Element, read};
    use crate::progress::Bars;
    use std::fs;
    use std::path::Path;

    fn written(folder: &Path, name: &str, array: &Array) -> Array {
        let place = Place::new(&folder.join(name));
        let mut outputs = Outputs::new(false);
        let output = outputs.begin(&place).expect("a place to write to");
        outputs.array(output, array).expect("written");
        outputs.finish().expect("named");
        read(&place, Some(array.element()), Bars::none()).expect("read")
    }

    #[test]
    fn arrays_read_back_in_every_form() {
        let folder = tempfile::tempdir().expect("a folder");
        let words: Vec<u64> =
            (0..1000).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let narrow: Vec<u32> = words.iter().map(|w| (w >> 32) as u32).collect();
        for (index, ending) in
            ["npy", "bin", "csv", "npy.gz", "bin.zst", "txt.gz", "zst"].into_iter().enumerate()
        {
            for element in [Element::U32, Element::I32] {
                let array = Array::new(element, Data::Bytes4(narrow.clone())).expect("an array");
                let name = format!("{index}{element}.{ending}");
                assert_eq!(written(folder.path(), &name, &array), array, "{name}");
            }
            for element in [Element::U64, Element::I64] {
                let array = Array::new(element, Data::Bytes8(words.clone())).expect("an array");
                let name = format!("{index}{element}.{ending}");
                assert_eq!(written(folder.path(), &name, &array), array, "{name}");
            }
        }
        let nothing = Array::words(Vec::new());
        assert_eq!(written(folder.path(), "empty.npy", &nothing), nothing);
        assert_eq!(written(folder.path(), "empty.csv.zst", &nothing), nothing);
    }

    #[test]
    fn outputs_appear_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.bin");
        let place = Place::new(&path);
        let names = || fs::read_dir(folder.path()).expect("a folder").count();

        let mut given_up = Outputs::new(false);
        let output = given_up.begin(&place).expect("a place to write to");
        given_up.array(output, &Array::words(vec![1])).expect("written");
        assert_eq!((path.exists(), names()), (false, 1));
        drop(given_up);
        assert_eq!(names(), 0);

        fs::write(&path, "old").expect("a file");
        let exists = Outputs::new(false).begin(&place).map(|_| ()).expect_err("it exists");
        assert!(matches!(exists, FileError::Exists { .. }), "{exists}");
        let mut forced = Outputs::new(true);
        let output = forced.begin(&place).expect("a place to write to");
        assert!(matches!(forced.begin(&place), Err(FileError::Twice { .. })));
        forced.array(output, &Array::words(vec![1, 2])).expect("written");
        assert_eq!(fs::read(&path).expect("the file"), b"old");
        forced.finish().expect("named");
        assert_eq!(fs::read(&path).expect("the file"), [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(names(), 1);
    }

    #[test]
    fn a_file_that_appears_meanwhile_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.bin");
        let mut outputs = Outputs::new(false);
        outputs.begin(&Place::new(&path)).expect("a place to write to");
        fs::write(&path, "another program's").expect("a file");
        assert!(matches!(outputs.finish(), Err(FileError::Exists { .. })));
        assert_eq!(fs::read(&path).expect("the file"), b"another program's");
    }
}

//! User-defined GLSL functions: file, parameters, and error messages that name the user's file.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use multisplit::{Error, Glsl};

/// Options of user-defined GLSL functions. All commands that accept a function share them.
#[derive(Debug, Args)]
pub struct GlslOptions {
    /// GLSL file with a bucket function, `uint bucket_of(K key)`, where K is the GLSL type of the keys
    #[arg(long, value_name = "FILE", group = "function", requires = "count")]
    glsl: Option<PathBuf>,
    /// Number that the function reads as push.parameter_0; give it again for parameter_1 and parameter_2
    #[arg(long, value_name = "NUMBER", requires = "glsl", allow_negative_numbers = true)]
    param: Vec<Parameter>,
}

/// A parameter of a function: an integer, or the bits of a float.
#[derive(Clone, Copy, Debug)]
struct Parameter(u32);

impl FromStr for Parameter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = || text.parse::<u32>().or_else(|_| text.parse::<i32>().map(i32::cast_unsigned));
        let float = || text.parse::<f32>().map(f32::to_bits);
        let power =
            || multisplit_bench::size::parse(text).ok().and_then(|size| u32::try_from(size).ok());
        let word = whole().ok().or_else(power).or_else(|| float().ok());
        word.map(Self).ok_or_else(|| "a parameter must be a 32-bit integer or float".to_owned())
    }
}

/// A user-defined function read from a file.
#[derive(Clone, Debug, Default)]
pub struct GlslFile {
    path: PathBuf,
    source: String,
    parameters: [u32; 3],
}

/// File name of the user's source in the engine's compile errors.
const ENGINES_NAME: &str = "user_bucket.glsl";
/// Maximum size in bytes of a file to read. The engine accepts a source of at most 64 KiB.
const MAX_BYTES: u64 = 1 << 20;

impl GlslOptions {
    pub fn is_given(&self) -> bool {
        self.glsl.is_some()
    }

    /// Reads the file of `--glsl`. `None` if the option is not given.
    pub fn read(&self) -> Result<Option<GlslFile>> {
        let Some(path) = &self.glsl else { return Ok(None) };
        let name = path.display();
        let problem = || format!("cannot read {name}");
        let bytes = std::fs::metadata(path).with_context(problem)?.len();
        if bytes > MAX_BYTES {
            bail!("{name} has {bytes} bytes, but a function may have at most 64 KiB");
        }
        let source = std::fs::read_to_string(path).with_context(problem)?;
        let mut parameters = [0; 3];
        let given = self.param.len();
        if given > parameters.len() {
            bail!("--param is given {given} times, but a function has at most 3 parameters");
        }
        for (word, Parameter(given)) in parameters.iter_mut().zip(&self.param) {
            *word = *given;
        }
        Ok(Some(GlslFile { path: path.clone(), source, parameters }))
    }
}

impl GlslFile {
    /// Converts the function to the engine's type.
    pub fn function(&self) -> Glsl {
        Glsl::new(self.source.as_str()).parameters(self.parameters)
    }

    /// Makes compile errors name the user's file instead of the engine's.
    pub fn named(&self, error: anyhow::Error) -> anyhow::Error {
        if !matches!(error.downcast_ref(), Some(Error::Compile(_))) {
            return error;
        }
        let (text, name) = (format!("{error:#}"), self.path.display().to_string());
        match text.contains(ENGINES_NAME) {
            true => anyhow!("{}", text.replace(ENGINES_NAME, &name)),
            false => anyhow!("{name}: {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Parameter;

    #[test]
    fn parameters_are_parsed_as_words() {
        let word = |text: &str| text.parse::<Parameter>().map(|Parameter(word)| word).ok();
        assert_eq!(word("7"), Some(7));
        assert_eq!(word("-1"), Some(u32::MAX));
        assert_eq!(word("2^20"), Some(1 << 20));
        assert_eq!(word("0.5"), Some(0.5f32.to_bits()));
        assert_eq!(word("x"), None);
    }
}

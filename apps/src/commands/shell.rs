//! `multisplit completions` and `multisplit man`: shell completions and manual pages.

use std::io::{self, Write as _};

use anyhow::{Result, bail};
use clap::{Args, Command};
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = COMPLETION_EXAMPLES)]
pub struct CompletionOptions {
    /// Shell that will load the completions
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManOptions {
    /// Command to describe [default: multisplit itself]
    command: Option<String>,
}

const COMPLETION_EXAMPLES: &str = "\
Examples:
  multisplit completions bash > ~/.local/share/bash-completion/completions/multisplit
  multisplit completions zsh > ~/.zfunc/_multisplit
  multisplit completions fish > ~/.config/fish/completions/multisplit.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  multisplit man | man -l -
  multisplit man sort > /usr/local/share/man/man1/multisplit-sort.1";

/// Prints shell completions. `parser` defines the command line.
pub fn completions(options: &CompletionOptions, mut parser: Command) -> Result<()> {
    // Generate into a buffer, because clap_complete panics on write errors.
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut parser, "multisplit", &mut text);
    Ok(io::stdout().lock().write_all(&text)?)
}

/// Prints a manual page. `parser` defines the command line.
pub fn man(options: &ManOptions, parser: Command) -> Result<()> {
    let mut parser = parser.disable_help_subcommand(true);
    parser.build();
    let command = match &options.command {
        None => parser,
        Some(name) => match parser.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bail!("unknown command `{name}`; `multisplit --help` lists all commands"),
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(io::stdout().lock().write_all(&text)?)
}

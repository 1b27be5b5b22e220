//! `multisplit completions` and `multisplit man`: shell completions and manual pages.

use std::io::{self, Write as _};

use anyhow::{Result, bail};
use clap::{Args, Command};
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = COMPLETION_EXAMPLES)]
pub struct CompletionOptions {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManOptions {
    /// Subcommand [default: multisplit itself]
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

/// Prints shell completions. `whole` is the definition of the command line.
pub fn completions(options: &CompletionOptions, mut whole: Command) -> Result<()> {
    // Generate into a buffer, because clap_complete panics on write errors.
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut whole, "multisplit", &mut text);
    Ok(io::stdout().lock().write_all(&text)?)
}

/// Prints a manual page. `whole` is the definition of the command line.
pub fn man(options: &ManOptions, whole: Command) -> Result<()> {
    let mut whole = whole.disable_help_subcommand(true);
    whole.build();
    let command = match &options.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bail!("unknown command `{name}`; `multisplit --help` lists all commands"),
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(io::stdout().lock().write_all(&text)?)
}

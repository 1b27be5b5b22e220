//! The command line: the options that all subcommands share, the subcommands, and the general help. The options of a
//! subcommand are declared in its module, those of `bench` in [`multisplit_bench`].

use clap::Parser;

use crate::commands::Command;
use crate::common::Common;

#[derive(Debug, Parser)]
#[command(
    name = "multisplit",
    version,
    about = "Sort, split and count arrays, and find shortest paths, on a GPU with Vulkan",
    after_help = EXAMPLES,
    arg_required_else_help = true,
    propagate_version = true
)]
pub struct Arguments {
    #[command(flatten, next_help_heading = "Common options")]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  multisplit devices                      list the devices, and show which one would be used
  multisplit sort keys.npy -o sorted.npy  sort an array; the output has the same type
  multisplit sort sales.csv --column price -o sorted.csv
  multisplit split keys.npy -o out.npy --buckets 8 --by delta
  multisplit histogram samples.npy --bins 20 --range -4 4
  multisplit reduce samples.npy --op argmax
  multisplit sssp usa_ny.gr.gz --source 0 --path-to 5
  multisplit demo                         run the main operations on generated data
  multisplit bench scan --n 2^20,2^25     measure scans of two sizes; prints JSON lines
  multisplit bench split --m 8,256        split into 8 and 256 buckets, by every method
  multisplit sssp rmat:100000:800000      shortest paths in a generated network
  multisplit graph scan --format dot | dot -Tsvg > scan.svg

Files are .npy, .csv or .tsv (tables) or .txt (one number per line). The format \
of other files is detected from their first bytes; otherwise they are read as raw little-endian \
numbers. Each name may end in .gz or .zst, and \
- is standard input or output.

Counts are written as plain numbers or powers: 16777216, 16_777_216, 2^24. Amounts of memory are in \
bytes, or have a unit: 4096, 256KiB, 1.5GiB, 1GB.

Exit status: 0 success, 1 failure, 2 wrong usage, 3 the validation layers reported a message.

Environment: MULTISPLIT_DEVICE and MULTISPLIT_RANKING (promised or probed) are the defaults of \
--device and --ranking.";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::Arguments;

    const GUIDES: [(&str, &str); 5] = [
        ("cli.md", include_str!("../../docs/cli.md")),
        ("sort.md", include_str!("../../docs/sort.md")),
        ("multisplit.md", include_str!("../../docs/multisplit.md")),
        ("histogram.md", include_str!("../../docs/histogram.md")),
        ("sssp.md", include_str!("../../docs/sssp.md")),
    ];

    /// Yields the commands in `text`: lines that begin with the program's name, with or without a prompt.
    fn commands(text: &str) -> impl Iterator<Item = Vec<String>> {
        let line = |line: &str| {
            let line = line.trim_start_matches("$ ");
            line.starts_with("multisplit ").then(|| words(line))
        };
        text.lines().filter_map(line)
    }

    /// Splits a shell command line into words, up to the first shell operator. Words in single quotes may
    /// contain spaces. Two spaces begin a comment, as in the help texts.
    fn words(line: &str) -> Vec<String> {
        let line = line.split("  ").next().unwrap_or_default();
        let (mut words, mut quoted) = (vec![String::new()], false);
        for character in line.chars() {
            match character {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                other => words.last_mut().expect("the list is never empty").push(other),
            }
        }
        let is_operator = |word: &String| matches!(word.as_str(), "|" | ">" | "&&" | "#");
        words.into_iter().take_while(|word| !is_operator(word)).collect()
    }

    /// Parses every command in `text`, and returns the number of commands. A failure message includes `place`.
    fn check(place: &str, text: &str) -> usize {
        let mut count = 0;
        for command in commands(text) {
            let outcome = Arguments::try_parse_from(&command);
            assert!(
                outcome.is_ok(),
                "{place}: {command:?} does not parse: {}",
                outcome.expect_err("the command does not parse")
            );
            count += 1;
        }
        count
    }

    #[test]
    fn commands_in_the_guides_parse() {
        let found: usize = GUIDES.iter().map(|(name, text)| check(name, text)).sum();
        assert!(found > 15, "found only {found} commands, expected more than 15");
    }

    #[test]
    fn examples_in_the_help_parse() {
        let whole = Arguments::command();
        for command in std::iter::once(&whole).chain(whole.get_subcommands()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<_> =
                help.lines().take_while(|line| !line.is_empty()).map(str::trim_start).collect();
            let examples = examples.join("\n");
            assert!(
                check(command.get_name(), &examples) > 0,
                "`{}` has no examples",
                command.get_name()
            );
        }
    }
}

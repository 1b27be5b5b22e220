//! Mutation tests. A mutant is a kernel that is changed in one place. Nearly all mutants must be
//! detected, by a finding or a wrong result, at some width and under some schedule.
//!
//! A plain run tries a sample: one kernel of each family, with at least one mutant of each kind.
//! `MULTISPLIT_SAMPLE=N` selects another sample. `MULTISPLIT_FULL=1` tries all mutants and prints
//! progress; with `MULTISPLIT_PART=K/N`, it tries part K of N. The report `mutants.txt` lists
//! undetected mutants. It is in `target/tmp`, or in the folder given by `MULTISPLIT_REPORTS`.
//! `equivalent.txt` lists the places where a mutant is equivalent to the kernel, each with the
//! reason. In a full run without other variables, an entry that matches no mutant is an error.
//!
//! Three variables select mutants. `MULTISPLIT_KERNELS=sort.small.keys,scan` tries all mutants of
//! the kernels with these labels, where `scan` stands for all labels that begin with `scan.`.
//! `MULTISPLIT_PLACES=held;ROW` tries mutants whose place contains one of these texts.
//! `MULTISPLIT_LISTED=1` tries only the mutants in `equivalent.txt`. If one of those is detected,
//! it is not equivalent, which is an error.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::common::case::Case;
use crate::common::edges::edges;
use crate::common::labels::labels;
use crate::common::narrow::narrow;
use crate::common::primitives::Device;
use crate::common::progress::{
    all_mutants, for_each, full, is_kernel_selected, is_place_selected, listed, lock, part, say,
    selected, timed, write_report,
};
use crate::common::sampling::{Seen, Size, sample};
use crate::common::setup::Cases;
use crate::common::trials::Trials;
use anyhow::{Result, anyhow, bail, ensure};
use multisplit::shaders::manifest::Family;
use multisplit::shaders::{builtin, manifest};
use multisplit_machine::Rng;
use multisplit_machine::mutate::{Mutant, MutantKind, mutants};

/// Minimum percentage of detected mutants, among the mutants that are executed and not equivalent.
const CAUGHT_PERCENT: usize = 97;
/// Like `CAUGHT_PERCENT`, for a sample. It is lower because a small sample can by chance contain
/// more undetected mutants.
const CAUGHT_PERCENT_OF_SAMPLE: usize = 90;
/// Minimum number of mutants per kernel in a sample. A sample always has one of each kind.
const MUTANTS: usize = 2;
/// Maximum number of cases per mutant in a sample.
const CASES: usize = 5;
/// Maximum number of cases per mutant of a selected kernel.
const SELECTED_CASES: usize = 60;
/// Maximum number of cases per mutant in a full run.
const ALL_CASES: usize = 200;
/// Number of cases per device from which the trials of a sample are chosen.
const DEVICE_CASES: Size = Size { each: 1, one_in: 1, count: 60 };
/// Number of cases per device from which the trials of all other runs are chosen.
const ALL_DEVICE_CASES: Size = Size { each: 12, one_in: 1, count: 600 };

/// Mutations that do not change the behaviour of a kernel, one per line: kind, kernels (a prefix of
/// their labels, or `*` for all), place, reason.
const EQUIVALENT: &str = include_str!("equivalent.txt");

struct Equivalent {
    kind: &'static str,
    kernels: &'static str,
    place: &'static str,
}

impl Equivalent {
    fn all() -> Result<Vec<Self>> {
        let lines = EQUIVALENT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let parsed = lines.map(|line| match line.split(" | ").collect::<Vec<_>>()[..] {
            [kind, kernels, place, _reason] => Ok(Self { kind, kernels, place }),
            _ => bail!(
                "an entry of equivalent.txt must consist of kind, kernels, place and reason: {line}"
            ),
        });
        parsed.collect()
    }

    fn matches(&self, label: &str, mutant: &Mutant) -> bool {
        format!("{:?}", mutant.kind) == self.kind
            && (self.kernels == "*" || label.starts_with(self.kernels))
            && mutant.place == self.place
    }
}

/// Devices with subgroups narrower and wider than 32 lanes, that rank by ballots and by lane order.
const DEVICES: [Device; 3] = [
    Device { width: 64, lane_order: false },
    Device { width: 8, lane_order: false },
    Device { width: 16, lane_order: true },
];

fn shuffle<T>(all: &mut [T], seed: u64) {
    let mut rng = Rng::new(seed);
    for k in (1..all.len()).rev() {
        all.swap(k, rng.below(k as u64 + 1) as usize);
    }
}

/// Two lists of cases for a device: edge cases and cases for particular kernels, and a sample of
/// all other cases.
fn cases_of(number: usize, device: Device) -> Result<(Vec<Case>, Vec<Case>)> {
    let size = if all_mutants() { ALL_DEVICE_CASES } else { DEVICE_CASES };
    let mut special = Cases { device, makers: edges(device) };
    labels(&mut special);
    narrow(&mut special);
    let special = special.makers.iter().map(|maker| maker()).collect::<Result<Vec<_>>>()?;
    let names: HashSet<&str> = special.iter().map(|case| case.name.as_str()).collect();
    let mut others = sample(device, &mut Seen::default(), number, size)?;
    others.retain(|case| !names.contains(case.name.as_str()));
    Ok((special, others))
}

/// The cases of all kernels, at widths below and above 32.
fn cases() -> Result<Vec<(u32, Case)>> {
    let made: Result<Vec<_>> = std::thread::scope(|scope| {
        let start =
            |(number, device): (usize, Device)| scope.spawn(move || cases_of(number, device));
        let threads: Vec<_> = [3, 5, 7].into_iter().zip(DEVICES).map(start).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|made| made.map_err(|_| anyhow!("a thread that creates cases panicked"))?)
            .collect()
    });
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for (device, (special, sample)) in DEVICES.iter().zip(made?) {
        first.extend(special.into_iter().map(|case| (device.width, case)));
        others.extend(sample.into_iter().map(|case| (device.width, case)));
    }
    // Shuffle the cases, so that each kernel gets cases of all widths and sizes.
    shuffle(&mut others, 8);
    shuffle(&mut first, 9);
    first.extend(others);
    Ok(first)
}

/// A kernel whose mutants are tried.
struct Subject {
    family: String,
    label: String,
    mutants: Vec<Mutant>,
}

fn subject(family: &Family, label: &str) -> Result<Option<Subject>> {
    let Some(built_in) = builtin::ALL.iter().find(|b| b.label() == label) else { return Ok(None) };
    let mut mutants = mutants(label, &built_in.spirv())?;
    mutants.retain(|mutant| is_place_selected(&mutant.place));
    Ok(Some(Subject { family: family.label.clone(), label: label.to_owned(), mutants }))
}

/// The seed of a family of kernels. It does not change if other families are added or removed.
fn seed_of(label: &str) -> u64 {
    let sample = std::env::var("MULTISPLIT_SAMPLE").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (label, sample).hash(&mut hasher);
    hasher.finish()
}

/// One kernel of each family, with its mutants in random order, except equivalent ones.
fn sampled(known: &[Equivalent]) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for family in manifest::families()? {
        let seed = seed_of(&family.label);
        let entry = &family.kernels[seed as usize % family.kernels.len()];
        let Some(mut subject) = subject(&family, &entry.label)? else { continue };
        subject.mutants.retain(|mutant| !known.iter().any(|k| k.matches(&entry.label, mutant)));
        shuffle(&mut subject.mutants, seed);
        subjects.push(subject);
    }
    Ok(subjects)
}

/// The mutants of a kernel in a sample: one of each kind, plus others up to `MUTANTS`. Only mutants
/// that the first trials execute are picked.
fn picked<'s>(subject: &'s Subject, trials: &Trials<'_>) -> Result<Vec<&'s Mutant>> {
    let mut ranked = Vec::new();
    let mut of_kind = BTreeMap::<MutantKind, usize>::new();
    for mutant in &subject.mutants {
        if trials.executes(mutant)? {
            let rank = of_kind.entry(mutant.kind).or_default();
            *rank += 1;
            ranked.push((*rank, mutant));
        }
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    let count = of_kind.len().max(MUTANTS);
    Ok(ranked.into_iter().take(count).map(|(_, mutant)| mutant).collect())
}

/// All mutants of the selected kernels, or only the equivalent ones with `MULTISPLIT_LISTED`.
fn whole(known: &[Equivalent]) -> Result<Vec<Subject>> {
    let (part, parts) = part();
    let families = manifest::families()?;
    let kernels = families.iter().flat_map(|f| f.kernels.iter().map(move |k| (f, &k.label)));
    let kernels = kernels.enumerate().filter(|(number, _)| number % parts == part);
    let chosen = kernels.filter(|(_, (_, label))| is_kernel_selected(label));
    let made = chosen.map(|(_, (family, label))| subject(family, label));
    let mut made: Vec<_> = made.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    if listed() {
        let is_known =
            |label: &str, mutant: &Mutant| known.iter().any(|k| k.matches(label, mutant));
        made.iter_mut().for_each(|s| s.mutants.retain(|mutant| is_known(&s.label, mutant)));
        made.retain(|s| !s.mutants.is_empty());
    }
    Ok(made)
}

/// A mutant of a kernel, and the trials it is run on.
type Job<'a> = (&'a Subject, &'a Trials<'a>, &'a Mutant);

/// Number of mutants with each outcome.
#[derive(Clone, Copy, Default)]
struct Counts {
    caught: usize,
    missed: usize,
    equivalent: usize,
    not_executed: usize,
    /// Processor time.
    time: Duration,
}

#[derive(Default)]
struct Tally {
    by_kind: BTreeMap<String, Counts>,
    by_family: BTreeMap<String, Counts>,
    /// Undetected mutants by kind and place, with the labels of their kernels.
    missed: BTreeMap<(MutantKind, String), Vec<String>>,
    /// Detected mutants that `equivalent.txt` lists, by kind and place.
    contradicted: BTreeMap<(MutantKind, String), Vec<String>>,
    failed: Vec<String>,
}

#[test]
fn mutants_are_detected() -> Result<()> {
    let known = Equivalent::all()?;
    let subjects = if all_mutants() { whole(&known)? } else { sampled(&known)? };
    if full() && part().1 == 1 && !selected() && !listed() {
        find_stale(&known, &subjects)?;
    }
    let cases = cases()?;
    let count = match (full(), selected()) {
        (true, _) => ALL_CASES,
        (false, true) => SELECTED_CASES,
        (false, false) => CASES,
    };
    let trials = subjects.iter().map(|s| Trials::new(&s.label, &cases, count));
    let trials = trials.collect::<Result<Vec<_>>>()?;
    let tally = Mutex::new(Tally::default());
    let subjects: Vec<_> = subjects.iter().zip(&trials).collect();
    let attempt = |(subject, trials, mutant): &Job<'_>| {
        try_one(subject, trials, mutant, &known, &tally);
    };
    if all_mutants() {
        // Jobs alternate between kernels, so that threads do not wait for the same trials.
        let longest = subjects.iter().map(|(s, _)| s.mutants.len()).max().unwrap_or(0);
        let of_all =
            |k: usize| subjects.iter().filter_map(move |(s, t)| Some((*s, *t, s.mutants.get(k)?)));
        let jobs: Vec<Job<'_>> = (0..longest).flat_map(of_all).collect();
        for_each(&jobs, "mutants", attempt);
    } else {
        for_each(&subjects, "kernels", |(subject, trials)| match picked(subject, trials) {
            Ok(all) => all.into_iter().for_each(|mutant| attempt(&(*subject, *trials, mutant))),
            Err(error) => lock(&tally).failed.push(format!("{}: {error:#}", subject.label)),
        });
    }
    report(&tally.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Fails if an entry of `equivalent.txt` matches no mutant because its place was renamed or
/// removed.
fn find_stale(known: &[Equivalent], subjects: &[Subject]) -> Result<()> {
    let mutants = || subjects.iter().flat_map(|s| s.mutants.iter().map(move |m| (&s.label, m)));
    let stale = known.iter().filter(|e| !mutants().any(|(label, mutant)| e.matches(label, mutant)));
    let stale: Vec<_> =
        stale.map(|e| format!("{} | {} | {}", e.kind, e.kernels, e.place)).collect();
    ensure!(
        stale.is_empty(),
        "these entries of equivalent.txt match no mutant:\n{}",
        stale.join("\n")
    );
    Ok(())
}

fn try_one(
    subject: &Subject,
    trials: &Trials<'_>,
    mutant: &Mutant,
    known: &[Equivalent],
    tally: &Mutex<Tally>,
) {
    let Subject { family, label, .. } = subject;
    let equivalent = !listed() && known.iter().any(|known| known.matches(label, mutant));
    let (caught, time) = timed(|| if equivalent { Ok(None) } else { trials.detects(mutant) });
    let mut tally = lock(tally);
    let mut one = Counts { time, ..Counts::default() };
    let place = (mutant.kind, mutant.place.clone());
    if listed() && matches!(caught, Ok(Some(true))) {
        say(&format!("detected: {:?} | {label} | {}", mutant.kind, mutant.place));
        tally.contradicted.entry(place.clone()).or_default().push(label.clone());
    }
    match caught {
        _ if equivalent => one.equivalent = 1,
        Ok(Some(true)) => one.caught = 1,
        Ok(None) => one.not_executed = 1,
        Ok(Some(false)) => {
            one.missed = 1;
            if !listed() {
                say(&format!("not detected: {:?} | {label} | {}", mutant.kind, mutant.place));
            }
            tally.missed.entry(place).or_default().push(label.clone());
        }
        Err(error) => tally.failed.push(format!("{label}: {error:#}")),
    }
    tally.by_kind.entry(format!("{:?}", mutant.kind)).or_default().add(one);
    tally.by_family.entry(family.clone()).or_default().add(one);
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.caught += other.caught;
        self.missed += other.missed;
        self.equivalent += other.equivalent;
        self.not_executed += other.not_executed;
        self.time += other.time;
    }

    fn row(&self, name: &str) -> String {
        let Self { caught, missed, equivalent, not_executed, time } = *self;
        let seconds = time.as_secs_f64();
        let all = caught + missed;
        let percent = if all == 0 { 100.0 } else { 100.0 * caught as f64 / all as f64 };
        format!(
            "{name:32}{caught:9}{missed:8}{percent:9.1}{equivalent:12}{not_executed:14}{seconds:9.1}\n"
        )
    }
}

fn report(tally: &Tally) -> Result<()> {
    ensure!(tally.failed.is_empty(), "{}", tally.failed.join("\n"));
    let mut all = Counts::default();
    tally.by_kind.values().for_each(|counts| all.add(*counts));
    let mut text = String::new();
    let places = if listed() { &tally.contradicted } else { &tally.missed };
    for ((kind, place), kernels) in places {
        writeln!(text, "{kind:?} | {place} | {}", kernels.join(" "))?;
    }
    let [caught, missed, percent] = ["detected", "missed", "percent"];
    let [equivalent, not_executed, seconds] = ["equivalent", "not executed", "seconds"];
    writeln!(
        text,
        "\n{:32}{caught:>9}{missed:>8}{percent:>9}{equivalent:>12}{not_executed:>14}{seconds:>9}",
        ""
    )?;
    for (name, counts) in tally.by_family.iter().chain(&tally.by_kind) {
        text.push_str(&counts.row(name));
    }
    text.push_str(&all.row("all"));
    let path = write_report("mutants.txt", &text)?;
    say(&text);
    let Counts { caught, missed, .. } = all;
    if listed() {
        ensure!(
            caught == 0,
            "{caught} mutants that are listed as equivalent were detected:\n{text}"
        );
        return Ok(());
    }
    println!("{text}{caught} of {} mutants detected; report: {}", caught + missed, path.display());
    let percent = if full() { CAUGHT_PERCENT } else { CAUGHT_PERCENT_OF_SAMPLE };
    ensure!(
        selected() || caught * 100 >= (caught + missed) * percent,
        "fewer than {percent}% of the mutants were detected:\n{text}"
    );
    Ok(())
}

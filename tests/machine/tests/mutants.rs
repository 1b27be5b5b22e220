//! Can it fail? Kernels that are changed in one place are noticed, by a finding or a wrong result,
//! at some width and under some schedule.
//!
//! The plain run takes a sample: a kernel of each family, and of each kind of change that it can have one.
//! `MULTISPLIT_SAMPLE=N` takes another one. `MULTISPLIT_FULL=1` takes all of them, in parts with
//! `MULTISPLIT_PART=K/N`, and says how far it is. Those that nothing notices are listed in `mutants.txt`
//! of the target folder, or of the one that `MULTISPLIT_REPORTS` names. Places where a mutant means the same
//! as the kernel are in `equivalent.txt`, each with the reason; an entry that no mutant of a full run fits
//! is an error.
//!
//! To look at some: `MULTISPLIT_KERNELS=sort.small.keys,scan` takes all mutants of these kernels alone, by
//! their labels (`scan` stands for all that begin with `scan.`), and `MULTISPLIT_PLACES=held;ROW` those whose
//! place has one of these texts in it. `MULTISPLIT_LISTED=1` tries those of `equivalent.txt` and no others: one
//! that is noticed is an error, since it does not mean the same.

mod common;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail, ensure};
use common::all::{full, part};
use common::case::Case;
use common::edges::edges;
use common::labels::labels;
use common::narrow::narrow;
use common::primitives::Device;
use common::progress::{
    all_mutants, asked_kernel, asked_place, for_each, listed, processor_time, say, selected,
    write_report,
};
use common::sampling::{Seen, Size, sample};
use common::trials::Trials;
use multisplit::shaders::manifest::Family;
use multisplit::shaders::{builtin, manifest};
use multisplit_machine::Rng;
use multisplit_machine::mutate::{Mutant, MutantKind, mutants};

/// Of the mutants that are executed and change the meaning, so many percent are noticed.
const CAUGHT_PERCENT: usize = 95;
/// The same of a sample, which may have a few of the others more than its share.
const CAUGHT_PERCENT_OF_SAMPLE: usize = 90;
/// Mutants of each kernel in a sample, at least: one of each kind, then any.
const MUTANTS: usize = 3;
/// Cases that a mutant is tried on, at most: in a sample, of kernels that are asked for, in a full run.
const CASES: usize = 12;
const SELECTED_CASES: usize = 60;
const ALL_CASES: usize = 200;
/// Cases of each device to take them from, in a sample, and in a full run or of kernels that are asked for.
const DEVICE_CASES: Size = Size { each: 1, count: 100 };
const ALL_DEVICE_CASES: Size = Size { each: 12, count: 600 };

/// Places where a change means the same, a line each: kind, kernels (a prefix, or `*` for all), place,
/// reason.
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
            _ => bail!("not kind, kernels, place and reason: {line}"),
        });
        parsed.collect()
    }

    fn is(&self, label: &str, mutant: &Mutant) -> bool {
        format!("{:?}", mutant.kind) == self.kind
            && (self.kernels == "*" || label.starts_with(self.kernels))
            && mutant.place == self.place
    }
}

/// Subgroups of fewer lanes than 32, and of more; ranking by ballots, and by lane order.
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

/// The cases of a device: those that were made for what others miss or for few kernels, and a sample of all.
fn cases_of(number: usize, device: Device) -> Result<(Vec<Case>, Vec<Case>)> {
    let size = if all_mutants() { ALL_DEVICE_CASES } else { DEVICE_CASES };
    let mut special = edges(device);
    labels(device, &mut special);
    narrow(device, &mut special);
    let special = special.iter().map(|maker| maker()).collect::<Result<Vec<_>>>()?;
    let names: HashSet<&str> = special.iter().map(|case| case.name.as_str()).collect();
    let mut others = sample(device, &mut Seen::default(), number, size)?;
    others.retain(|case| !names.contains(case.name.as_str()));
    Ok((special, others))
}

/// Every kernel's cases, at widths below 32 and above.
fn cases() -> Result<Vec<(u32, Case)>> {
    let made: Result<Vec<_>> = std::thread::scope(|scope| {
        let start =
            |(number, device): (usize, Device)| scope.spawn(move || cases_of(number, device));
        let threads: Vec<_> = [3, 5, 7].into_iter().zip(DEVICES).map(start).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|made| made.map_err(|_| anyhow!("making cases panicked"))?).collect()
    });
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for (device, (special, sample)) in DEVICES.iter().zip(made?) {
        first.extend(special.into_iter().map(|case| (device.width, case)));
        others.extend(sample.into_iter().map(|case| (device.width, case)));
    }
    // In an order of their own, so that each kernel has cases of all widths and sizes.
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
    mutants.retain(|mutant| asked_place(&mutant.place));
    Ok(Some(Subject { family: family.label.clone(), label: label.to_owned(), mutants }))
}

/// A number for a kernel that stays the same whatever other kernels there are.
fn seed_of(label: &str) -> u64 {
    let sample = std::env::var("MULTISPLIT_SAMPLE").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (label, sample).hash(&mut hasher);
    hasher.finish()
}

/// A kernel of each family, without the mutants that mean the same, in an order of their own.
fn sampled(known: &[Equivalent]) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for family in manifest::families()? {
        let seed = seed_of(&family.label);
        let entry = &family.kernels[seed as usize % family.kernels.len()];
        let Some(mut subject) = subject(&family, &entry.label)? else { continue };
        subject.mutants.retain(|mutant| !known.iter().any(|k| k.is(&entry.label, mutant)));
        shuffle(&mut subject.mutants, seed);
        subjects.push(subject);
    }
    Ok(subjects)
}

/// Mutants that make a sample: one of each kind, and some more where these are few, of what the first
/// trials execute.
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

/// Every mutant of the kernels that are asked for, or of those the ones that mean the same.
fn whole(known: &[Equivalent]) -> Result<Vec<Subject>> {
    let (part, parts) = part();
    let families = manifest::families()?;
    let kernels = families.iter().flat_map(|f| f.kernels.iter().map(move |k| (f, &k.label)));
    let kernels = kernels.enumerate().filter(|(number, _)| number % parts == part);
    let asked = kernels.filter(|(_, (_, label))| asked_kernel(label));
    let made = asked.map(|(_, (family, label))| subject(family, label));
    let mut made: Vec<_> = made.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    if listed() {
        let is_known = |label: &str, mutant: &Mutant| known.iter().any(|k| k.is(label, mutant));
        made.iter_mut().for_each(|s| s.mutants.retain(|mutant| is_known(&s.label, mutant)));
        made.retain(|s| !s.mutants.is_empty());
    }
    Ok(made)
}

/// A mutant of a kernel, and what it is tried on.
type Job<'a> = (&'a Subject, &'a Trials<'a>, &'a Mutant);

/// What became of mutants.
#[derive(Clone, Copy, Default)]
struct Counts {
    caught: usize,
    missed: usize,
    equivalent: usize,
    not_executed: usize,
    /// Of a processor.
    time: Duration,
}

#[derive(Default)]
struct Tally {
    by_kind: BTreeMap<String, Counts>,
    by_family: BTreeMap<String, Counts>,
    /// By kind and place: the kernels.
    missed: BTreeMap<(MutantKind, String), Vec<String>>,
    /// The same of those that are listed, and noticed.
    contradicted: BTreeMap<(MutantKind, String), Vec<String>>,
    failed: Vec<String>,
}

#[test]
fn changed_kernels_are_noticed() -> Result<()> {
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
        // One of each kernel after another, so that threads do not wait for the same trials.
        let longest = subjects.iter().map(|(s, _)| s.mutants.len()).max().unwrap_or(0);
        let of_all =
            |k: usize| subjects.iter().filter_map(move |(s, t)| Some((*s, *t, s.mutants.get(k)?)));
        let jobs: Vec<Job<'_>> = (0..longest).flat_map(of_all).collect();
        for_each(&jobs, "mutants", attempt);
    } else {
        for_each(&subjects, "kernels", |(subject, trials)| match picked(subject, trials) {
            Ok(all) => all.into_iter().for_each(|mutant| attempt(&(*subject, *trials, mutant))),
            Err(error) => {
                let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                tally.failed.push(format!("{}: {error:#}", subject.label));
            }
        });
    }
    report(&tally.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Entries of the list of those that mean the same which no mutant fits: their places have other names
/// now, or are gone.
fn find_stale(known: &[Equivalent], subjects: &[Subject]) -> Result<()> {
    let mutants = || subjects.iter().flat_map(|s| s.mutants.iter().map(move |m| (&s.label, m)));
    let stale = known.iter().filter(|e| !mutants().any(|(label, mutant)| e.is(label, mutant)));
    let stale: Vec<_> =
        stale.map(|e| format!("{} | {} | {}", e.kind, e.kernels, e.place)).collect();
    ensure!(stale.is_empty(), "equivalent.txt has what no mutant fits:\n{}", stale.join("\n"));
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
    let same = !listed() && known.iter().any(|known| known.is(label, mutant));
    let begin = Instant::now();
    let before = processor_time(begin);
    let caught = if same { Ok(None) } else { trials.notice(mutant) };
    let time = processor_time(begin).saturating_sub(before);
    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
    let mut one = Counts { time, ..Counts::default() };
    let place = (mutant.kind, mutant.place.clone());
    if listed() && matches!(caught, Ok(Some(true))) {
        say(&format!("noticed: {:?} | {label} | {}", mutant.kind, mutant.place));
        tally.contradicted.entry(place.clone()).or_default().push(label.clone());
    }
    match caught {
        _ if same => one.equivalent = 1,
        Ok(Some(true)) => one.caught = 1,
        Ok(None) => one.not_executed = 1,
        Ok(Some(false)) => {
            one.missed = 1;
            if !listed() {
                say(&format!("not noticed: {:?} | {label} | {}", mutant.kind, mutant.place));
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

    /// A row of a table.
    fn row(&self, name: &str) -> String {
        let Self { caught, missed, equivalent, not_executed, time } = *self;
        let seconds = time.as_secs_f64();
        let all = caught + missed;
        let percent = if all == 0 { 100.0 } else { 100.0 * caught as f64 / all as f64 };
        format!(
            "{name:32}{caught:8}{missed:8}{percent:9.1}{equivalent:8}{not_executed:14}{seconds:9.1}\n"
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
    let [caught, missed, percent] = ["noticed", "not", "percent"];
    let [same, not_executed, seconds] = ["same", "not executed", "seconds"];
    writeln!(
        text,
        "\n{:32}{caught:>8}{missed:>8}{percent:>9}{same:>8}{not_executed:>14}{seconds:>9}",
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
        ensure!(caught == 0, "{caught} that are listed as the same are noticed:\n{text}");
        return Ok(());
    }
    println!("{text}{caught} of {} mutants noticed, {}", caught + missed, path.display());
    let percent = if full() { CAUGHT_PERCENT } else { CAUGHT_PERCENT_OF_SAMPLE };
    ensure!(
        selected() || caught * 100 >= (caught + missed) * percent,
        "too many mutants are not noticed:\n{text}"
    );
    Ok(())
}

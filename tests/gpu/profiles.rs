//! Profiles: their sizes are used, random profiles give correct results or errors, and tuning
//! creates a profile.

use std::time::Duration;

use multisplit::tune::TuneOptions;
use multisplit::{Profile, ProfileChoice};
use multisplit_tests::prelude::*;

use crate::policies::Outcomes;

tests!(profiles:
    policy_uses_profile_sizes_and_invalid_profiles_are_rejected,
    random_profiles_give_correct_results_or_errors,
    tuning_ends_with_a_profile
);

/// Opens a context like the shared one, but with this profile.
fn open(gpu: &Gpu, text: &str) -> Result<Context> {
    gpu.open_with(|config| config.profile = ProfileChoice::Bytes(text.as_bytes().into()))
}

/// Replaces the value of one line.
fn with(text: &str, name: &str, value: &str) -> String {
    let line = |line: &str| match line.split_once(" = ") {
        Some((found, _)) if found == name => format!("{name} = {value}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn policy_uses_profile_sizes_and_invalid_profiles_are_rejected(gpu: &Gpu) -> Result<()> {
    let properties = gpu.properties();
    let built_in = Profile::built_in(properties).text();
    let small = TileShape::new(64, 2);
    let context = open(gpu, &with(&built_in, "sort.small", "64x2"))?;
    for policy in [context.policy(), context.promised_policy()] {
        expect_value("the tile size of the policy", &policy.sort.small, &small)?;
    }
    let other = gpu.open_with(|config| config.profile = ProfileChoice::BuiltIn)?;
    ensure!(other.used_profile().is_none() && other.policy().sort.small != small);
    ensure!(context.used_profile().is_some());
    let keys: Vec<u32> = (0..500u32).map(|k| k.wrapping_mul(2_654_435_761)).collect();
    expect_equal(&context.sort(&keys)?, &reference::sorted(&keys))?;

    let foreign = with(&built_in, "device_id", "ffff");
    for wrong in [&built_in[..built_in.len() / 2], &foreign, &with(&built_in, "threads", "2")] {
        let Err(error) = open(gpu, wrong) else {
            bail!("an invalid profile was accepted:\n{wrong}")
        };
        let profile = matches!(error.downcast_ref(), Some(Error::Profile { .. }));
        ensure!(profile, "expected Error::Profile, found {error}");
    }
    Ok(())
}

/// A random value for a line of a profile, valid or invalid.
fn random_value(rng: &mut Rng, subgroup_size: u32, given: &str) -> String {
    let number = |rng: &mut Rng| match rng.below(6) {
        0 => rng.below(1 << 33).to_string(),
        1 => format!("2^{}", rng.below(20)),
        _ => (1 + rng.below(40)).to_string(),
    };
    let shape = |rng: &mut Rng| {
        let (turns, groups) = (1 + rng.below(3), 1 + rng.below(8));
        let items = if rng.below(8) == 0 { rng.below(99) } else { turns * (1 + rng.below(3)) };
        format!("{}x{items}/{turns}", groups * u64::from(subgroup_size))
    };
    let part = |rng: &mut Rng, part: &str| match part.trim().split_once(": ") {
        Some((count, _)) => format!("{count}: {}", shape(rng)),
        None if part.contains('x') => shape(rng),
        None if part.trim().parse::<u64>().is_ok() || part.contains('^') => number(rng),
        None => {
            let words = ["one-sweep", "direct", "block", "look-back", "loading", "ranking", "no"];
            words[rng.below(words.len() as u64) as usize].to_owned()
        }
    };
    given.split(',').map(|given| part(rng, given)).collect::<Vec<_>>().join(", ")
}

/// Whether sorts, splits, a histogram and a scan of random keys are correct.
fn is_right(context: &Context, rng: &mut Rng) -> Result<bool, Error> {
    let n = rng.below(3000);
    let keys: Vec<u32> = (0..n).map(|_| rng.below(1 << 32) as u32).collect();
    let sorted = reference::sorted(&keys);
    let values: Vec<u32> = (0..n as u32).collect();
    let order = reference::order_by(keys.len(), |index| keys[index]);
    let m = 1 << (1 + rng.below(8));
    let buckets = || Buckets::<u32>::delta_over_domain(m);
    let bucket = |key: &u32| (u64::from(*key) * u64::from(m)) >> 32;
    let mut split = keys.clone();
    split.sort_by_key(bucket);
    let mut counts = vec![0u64; 16];
    keys.iter().for_each(|key| counts[(key >> 28) as usize] += 1);
    let edges: Vec<u32> = (0..16u32).map(|k| k << 28).chain([u32::MAX]).collect();

    Ok(context.sort(&keys)? == sorted
        && context.sort_pairs(&keys, &values)? == (sorted, order)
        && context.split(&keys, buckets())?.keys == split
        && context.split_pairs(&keys, &values, buckets())?.keys == split
        && context.histogram(&keys, Bins::range(&edges))?.counts == counts
        && context.scan(&keys)? == reference::exclusive_scan(&keys))
}

/// Random lines of a profile get random values. Either operations return correct results, or the
/// profile or an operation is rejected.
fn random_profiles_give_correct_results_or_errors(gpu: &Gpu) -> Result<()> {
    let built_in = Profile::built_in(gpu.properties()).text();
    let lines: Vec<&str> = built_in.lines().collect();
    let first = lines.iter().position(|line| *line == "[sizes]").unwrap_or(0);
    let mut outcomes = Outcomes::default();
    for seed in 0..if gpu.full { 500 } else { 4 } {
        let size = gpu.properties().subgroup_size;
        let mut rng = Rng::new(seed * 6151 + u64::from(size));
        let mut edited: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        for _ in 0..=rng.below(3) {
            let at = first + rng.below((lines.len() - first) as u64) as usize;
            if let Some((name, value)) = lines[at].split_once(" = ") {
                edited[at] = format!("{name} = {}", random_value(&mut rng, size, value));
            }
        }
        if gpu.full && !gpu.mine() {
            continue;
        }
        let text = edited.join("\n");
        let context = match open(gpu, &text) {
            Ok(context) => context,
            Err(error) => {
                let typed = matches!(error.downcast_ref(), Some(Error::Profile { .. }));
                ensure!(typed, "seed {seed}: expected Error::Profile, found {error}");
                outcomes.refused += 1;
                continue;
            }
        };
        let outcome = is_right(&context, &mut rng);
        outcomes.add(outcome).with_context(|| format!("seed {seed}, the profile\n{text}"))?;
        let reported = context.messages().take();
        ensure!(reported.is_empty(), "seed {seed}: {}", reported[0].text);
    }
    let Outcomes { right, refused } = outcomes;
    ensure!(right > 0, "no random profile gave correct results, and {refused} gave errors");
    Ok(())
}

fn tuning_ends_with_a_profile(gpu: &Gpu) -> Result<()> {
    let budget = Duration::from_secs(2);
    let mut reports = 0;
    let options = TuneOptions { budget, start: None };
    let tuned = gpu.tune(&options, |progress| {
        reports += 1;
        assert_eq!(progress.budget, budget);
    })?;
    ensure!(tuned.wrong == 0, "{} candidates gave wrong results", tuned.wrong);
    ensure!(tuned.candidates == 0 || reports > 0, "progress was not reported");
    for (_, rows) in &tuned.comparisons {
        let are_positive = rows.iter().all(|row| row.built_in > 0.0 && row.tuned > 0.0);
        ensure!(are_positive, "a time is not positive: {rows:?}");
    }
    let text = tuned.profile.text();
    let context = open(gpu, &text)?;
    ensure!(is_right(&context, &mut Rng::new(1))?, "wrong result with the profile\n{text}");
    Ok(())
}

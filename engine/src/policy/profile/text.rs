//! Text form of a profile: lines of `name = value` in sections. The last section, `[end]`, is empty; if it is missing,
//! the text was truncated.

use super::{DeviceKey, Profile, check};
use crate::device::DeviceProperties;
use crate::error::{Error, Result};
use crate::policy::method::Ranking;
use crate::policy::size::{Size, named};
use crate::policy::{Policy, all_sizes};

/// Start of the first line. The version follows.
const MAGIC: &str = "multisplit profile ";
/// Version of the format. Profiles of other versions are rejected, because their sizes may have a different meaning.
const VERSION: u32 = 1;
/// Maximum size of a profile file. No valid profile is larger.
const MAX_BYTES: usize = 1 << 16;

const DEVICE: &str = "device";
const SHARED: &str = "sizes";
const BALLOTS: &str = "ballots";
const LANE_ORDER: &str = "lane_order";
const END: &str = "end";
const RANKING: &str = "ranking";
const RANKINGS: [(&str, Ranking); 2] =
    [(BALLOTS, Ranking::Ballots), (LANE_ORDER, Ranking::LaneOrder)];

const ABOUT: &str = "\
# Kernel sizes for the device below. They affect performance, but not results, except that sums of
# floats, and results of GLSL operators that round, may round differently.
# A tile is THREADSxITEMS or THREADSxITEMS/TURNS. Lists of sort tiles have one entry for each
# maximum number of elements. Lists of split sizes have entries for up to 2, 4, 8, ..., 256
# buckets. Sizes that are missing here keep their built-in values.
";

impl Profile {
    /// Parses a profile for a device. `source` is its origin, for messages. Returns [`Error::Profile`] if the text is
    /// damaged, belongs to another version, device or driver, or contains sizes that the device does not support.
    pub fn parse(source: &str, bytes: &[u8], properties: &DeviceProperties) -> Result<Self> {
        let named = |problem| Error::Profile { profile: source.to_owned(), problem };
        let profile = read(bytes, properties).map_err(named)?;
        Ok(Self { source: source.to_owned(), ..profile })
    }

    /// The profile as text, for [`parse`](Self::parse).
    pub fn text(&self) -> String {
        let mut text = format!("{MAGIC}{VERSION}\n{ABOUT}");
        let mut section = |name: &str, lines: Vec<(&str, String)>| {
            text += &format!("\n[{name}]\n");
            lines.iter().for_each(|(name, value)| text += &format!("{name} = {value}\n"));
        };
        let DeviceKey { name, driver, identity } = &self.device;
        let names = [("name", name.clone()), ("driver", driver.clone())];
        section(DEVICE, names.into_iter().chain(identity.clone()).collect());
        let ranking = if self.prefers_lane_order() { LANE_ORDER } else { BALLOTS };
        let fields = |policy: &Policy, per_ranking: bool| -> Vec<(&'static str, String)> {
            let fields =
                all_sizes().filter(|field| field.stored && field.per_ranking == per_ranking);
            fields.map(|field| (field.name, (field.text)(policy))).collect()
        };
        let shared = fields(&self.ballots, false);
        let ranking = self.may_have_lane_order.then(|| (RANKING, ranking.to_owned()));
        section(SHARED, ranking.into_iter().chain(shared).collect());
        section(BALLOTS, fields(&self.ballots, true));
        if self.may_have_lane_order {
            section(LANE_ORDER, fields(&self.lane_order, true));
        }
        section(END, Vec::new());
        text
    }
}

/// Parses a profile for a device. The error describes the problem.
fn read(bytes: &[u8], properties: &DeviceProperties) -> Result<Profile, String> {
    let len = bytes.len();
    if len > MAX_BYTES {
        return Err(format!("the profile has {len} bytes; at most {MAX_BYTES} are allowed"));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|_| "the profile is not UTF-8 text".to_owned())?;
    check_version(text.lines().next().unwrap_or_default())?;
    let lines = lines(text)?;
    let of_device = lines.iter().filter(|line| line.section == DEVICE);
    check_device(&of_device.collect::<Vec<_>>(), properties)?;
    let mut profile = Profile::built_in(properties);
    for line in lines.iter().filter(|line| line.section != DEVICE) {
        let wrong = |problem| format!("line {}: `{}`: {problem}", line.number, line.name);
        set(&mut profile, line).map_err(wrong)?;
    }
    for policy in [&profile.ballots, &profile.lane_order] {
        check::check(policy)?;
    }
    Ok(profile)
}

fn check_version(first: &str) -> Result<(), String> {
    let version = first.strip_prefix(MAGIC).and_then(|version| u32::read(version.trim_end()).ok());
    match version {
        Some(VERSION) => Ok(()),
        Some(other) => Err(format!(
            "the profile has version {other}, but version {VERSION} is needed; create a new one with `multisplit tune`"
        )),
        None => Err(format!("the first line is not `{MAGIC}{VERSION}`")),
    }
}

struct Line<'t> {
    number: usize,
    section: &'t str,
    name: &'t str,
    value: &'t str,
}

fn lines(text: &str) -> Result<Vec<Line<'_>>, String> {
    let content = |(_, line): &(usize, &str)| !line.is_empty() && !line.starts_with('#');
    let numbered = text.lines().enumerate().skip(1).map(|(index, line)| (index + 1, line.trim()));
    let numbered: Vec<_> = numbered.filter(content).collect();
    if numbered.last().is_none_or(|(_, line)| *line != format!("[{END}]")) {
        return Err(format!(
            "the last line is not `[{END}]`: the profile is truncated, or lines follow `[{END}]`"
        ));
    }
    let mut sections = Vec::new();
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (number, line) in numbered {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let known = [DEVICE, SHARED, BALLOTS, LANE_ORDER, END].contains(&name);
            if !known || sections.contains(&name) {
                let problem = if known { "duplicate" } else { "unknown" };
                return Err(format!("line {number}: {problem} section `[{name}]`"));
            }
            sections.push(name);
            continue;
        }
        let form = || format!("line {number}: expected `NAME = VALUE` in a section");
        let (name, value) = line.split_once('=').ok_or_else(form)?;
        let (section, name) = (*sections.last().ok_or_else(form)?, name.trim());
        if lines.iter().any(|line| line.section == section && line.name == name) {
            return Err(format!("line {number}: duplicate name `{name}`"));
        }
        lines.push(Line { number, section, name, value: value.trim() });
    }
    Ok(lines)
}

fn check_device(lines: &[&Line<'_>], properties: &DeviceProperties) -> Result<(), String> {
    let value = |name: &str| lines.iter().find(|line| line.name == name).map(|line| line.value);
    let device = DeviceKey::of(properties);
    let mut same = true;
    for (name, expected) in &device.identity {
        let found = value(name).ok_or_else(|| format!("section `[device]` has no `{name}`"))?;
        same &= found == expected;
    }
    if same {
        return Ok(());
    }
    let recorded = |name| value(name).unwrap_or("another");
    Err(format!(
        "the profile was made for {} ({}, subgroups of {}), but the device is {}; create one with `multisplit tune`",
        recorded("name"),
        recorded("driver"),
        recorded("subgroup_size"),
        device.describe()
    ))
}

fn set(profile: &mut Profile, line: &Line<'_>) -> Result<(), String> {
    if (line.section, line.name) == (SHARED, RANKING) {
        profile.ranking = named(line.value, &RANKINGS)?;
        return Ok(());
    }
    let field = all_sizes().find(|field| field.stored && field.name == line.name);
    let field = field.ok_or_else(|| "unknown size".to_owned())?;
    let Profile { ballots, lane_order, .. } = profile;
    let policies: &mut [&mut Policy] = match line.section {
        SHARED if !field.per_ranking => &mut [ballots, lane_order],
        BALLOTS if field.per_ranking => &mut [ballots],
        LANE_ORDER if field.per_ranking => &mut [lane_order],
        section => return Err(format!("this size does not belong in section `[{section}]`")),
    };
    policies.iter_mut().try_for_each(|policy| (field.read)(policy, line.value))
}

//! `multisplit devices`: lists the Vulkan devices, and shows which one is selected and why.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;
use clap::Args;
use multisplit::Policy;
use multisplit::operations::ScanMethod;
use multisplit::{DeviceEntry, DeviceProperties, Profile};
use multisplit_bench::figures::bytes;
use multisplit_bench::size;
use serde_json::{Value, json};

use crate::device::Devices;
use crate::device_details::{details, enabled_names, version};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  multisplit devices
  multisplit devices --device nvidia      check whether this option selects a usable device
  multisplit devices --json | jq '.[] | select(.chosen) | .name'

By default, a discrete GPU is selected if there is one, otherwise an integrated GPU, otherwise \
another GPU, otherwise a software driver. --device or MULTISPLIT_DEVICE selects another device by its index or a part of its \
name.";

/// After the list, returns an error if no device can be selected, or if the profile is invalid.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let entries = devices.list()?;
    let picked = devices.pick(&entries);
    let profile_of = |entry: &DeviceEntry| Profile::chosen(&devices.profile(), &entry.properties);
    let picked = picked.map(|entry| (entry, profile_of(entry)));
    let source = |profile: &Option<Profile>| match profile {
        Some(profile) => profile.source().to_owned(),
        None => "built-in".to_owned(),
    };
    let chosen = picked.as_ref().ok().map(|(entry, profile)| Chosen {
        index: entry.index,
        reason: reason(entry, &entries, devices),
        profile: profile.as_ref().ok().map(source),
    });
    let text = if options.json {
        let list: Vec<_> = entries.iter().map(|e| to_json(e, chosen.as_ref())).collect();
        format!("{:#}\n", Value::Array(list))
    } else {
        entries.iter().map(|entry| to_text(entry, chosen.as_ref())).collect::<Vec<_>>().join("\n")
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    picked?.1?;
    Ok(())
}

struct Chosen {
    index: usize,
    reason: String,
    /// Source of the kernel sizes: `built-in`, or the word `profile` and a path. `None` if the profile is invalid.
    profile: Option<String>,
}

/// Returns the reason why `entry` is selected, in words.
fn reason(entry: &DeviceEntry, all: &[DeviceEntry], devices: &Devices) -> String {
    if let Some((means, wanted)) = devices.requested_device() {
        return format!("selected by {means} `{wanted}`");
    }
    let kind = entry.properties.kind();
    let usable = |e: &&DeviceEntry| e.missing.is_empty();
    let same_kind = |e: &&DeviceEntry| e.properties.kind() == kind;
    match (all.len(), all.iter().filter(usable).count()) {
        (1, _) => "the only device".to_owned(),
        (_, 1) => "the only usable device".to_owned(),
        _ if all.iter().filter(usable).filter(same_kind).count() == 1 => {
            format!("{kind}, the preferred type of the usable devices")
        }
        _ => format!("{kind}, the preferred type of the usable devices; the first of several"),
    }
}

fn to_text(entry: &DeviceEntry, chosen: Option<&Chosen>) -> String {
    let chosen = chosen.filter(|chosen| chosen.index == entry.index);
    let mark = if chosen.is_some() { '*' } else { ' ' };
    let mut text = format!("{mark} {}  {}\n", entry.index, entry.properties.name);
    let mut rows = rows(&entry.properties);
    if entry.missing.is_empty() {
        rows.push(("scan", scan_name(&entry.properties)));
        rows.push(("features", enabled_names(&entry.features).join(", ")));
    } else {
        rows.push(("not usable", format!("missing: {}", entry.missing.join(", "))));
    }
    if let Some(chosen) = chosen {
        rows.push(("would be used", chosen.reason.clone()));
        rows.extend(chosen.profile.clone().map(|profile| ("kernel sizes", profile)));
    }
    for (name, value) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "     {name:15}  {value}");
    }
    text
}

fn rows(properties: &DeviceProperties) -> Vec<(&'static str, String)> {
    let limits = &properties.limits;
    let (min, max) = properties.subgroup_size_range;
    let subgroup = properties.subgroup_size;
    let [x, y, z] = limits.max_compute_work_group_count;
    let timestamps = match properties.timestamp_bits {
        0 => "none".to_owned(),
        bits => format!("{bits} bits, {} ns per tick", limits.timestamp_period),
    };
    vec![
        ("type", properties.kind().to_owned()),
        ("driver", properties.driver.clone()),
        ("Vulkan", version(properties.api_version)),
        (
            "subgroup size",
            if min == max { subgroup.to_string() } else { format!("{subgroup} ({min} to {max})") },
        ),
        ("shared memory", format!("{} per workgroup", bytes(properties.shared_memory.into()))),
        ("device memory", bytes(properties.device_memory)),
        ("allocation", format!("{} at most", bytes(properties.max_allocation))),
        (
            "storage buffer",
            format!(
                "{} per binding, offsets in multiples of {}",
                bytes(limits.max_storage_buffer_range.into()),
                limits.min_storage_buffer_offset_alignment
            ),
        ),
        ("workgroup", format!("{} threads at most", limits.max_compute_work_group_invocations)),
        ("dispatch", format!("{x} x {y} x {z} workgroups at most")),
        ("push constants", bytes(limits.max_push_constants_size.into())),
        ("timestamps", timestamps),
    ]
}

fn to_json(entry: &DeviceEntry, chosen: Option<&Chosen>) -> Value {
    let chosen = chosen.filter(|chosen| chosen.index == entry.index);
    let usable = entry.missing.is_empty();
    let mut all = details(&entry.properties);
    let more = json!({
        "index": entry.index,
        "usable": usable,
        "missing": entry.missing,
        "scan": usable.then(|| scan_name(&entry.properties)),
        "chosen": chosen.is_some(),
        "reason": chosen.map(|chosen| chosen.reason.as_str()),
        "profile": chosen.and_then(|chosen| chosen.profile.as_deref()),
        "enabled": usable.then(|| enabled_names(&entry.features)),
    });
    if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
        all.extend(more);
    }
    all
}

/// Name of the scan algorithm that the built-in policy uses on the device.
fn scan_name(properties: &DeviceProperties) -> String {
    match Policy::for_device(properties).scan {
        ScanMethod::LookBack => "lookback".to_owned(),
        ScanMethod::ReduceThenScan => "reduce-then-scan".to_owned(),
        ScanMethod::LookBackUpTo(max) => {
            format!("lookback up to {} elements, reduce-then-scan for more", size::show(max))
        }
    }
}

//! Tests profiles: their text form, messages about unusable ones, and the default tiles.

use std::fs;

use super::*;
use crate::device::TestFolder;
use crate::policy::test_properties;

fn device() -> DeviceProperties {
    DeviceProperties {
        name: "A device".to_owned(),
        driver: "driver 7".to_owned(),
        vendor_id: 0x10de,
        device_id: 0x2335,
        driver_version: 7,
        shared_memory: 48 << 10,
        ..test_properties(32, 1024)
    }
}

fn parse(text: &str) -> Result<Profile> {
    Profile::parse("it", text.as_bytes(), &device())
}

/// Checks that a text is rejected with a message that contains `expected`.
#[track_caller]
fn expect_problem(case: &str, text: &str, expected: &str) {
    match parse(text) {
        Err(Error::Profile { profile, problem }) => {
            assert_eq!(profile, "it");
            assert!(!problem.contains('\n'), "{case}: the message has several lines: {problem}");
            assert!(problem.contains(expected), "{case}: expected `{expected}` in: {problem}");
        }
        other => panic!("{case}: expected Error::Profile, but parsing gives {other:?}:\n{text}"),
    }
}

/// Text of the built-in profile, with the size `name` set to `value`.
fn with(name: &str, value: &str) -> String {
    let line = |line: &str| match line.strip_prefix(name) {
        Some(rest) if rest.starts_with(" = ") => format!("{name} = {value}\n"),
        _ => format!("{line}\n"),
    };
    let built_in = Profile::built_in(&device()).text();
    let text: String = built_in.lines().map(line).collect();
    assert_ne!(text, built_in, "the profile has no `{name}`, or {value} is its built-in value");
    text
}

#[test]
fn written_profiles_are_read_back() {
    let built_in = Profile::built_in(&device());
    let read = parse(&built_in.text()).expect("the built-in profile can be parsed");
    assert_eq!(Profile { source: IN_MEMORY.to_owned(), ..read }, built_in);

    let mut ballots = built_in.ballots;
    ballots.sort.keys[4].1 = crate::policy::tile::TileShape::new(512, 22).in_turns(2);
    ballots.histogram.loads = 8;
    let profile = Profile::new(&device(), ballots, built_in.lane_order, Ranking::Ballots);
    let read = parse(&profile.text()).expect("the changed profile can be parsed");
    assert_eq!(read.ballots, ballots);
    assert!(!read.prefers_lane_order());
    // Sizes that do not depend on the ranking come from the policy for ballots.
    assert_eq!(read.lane_order.histogram.loads, 8);
    assert_eq!(read.lane_order.sort, built_in.lane_order.sort);
}

#[test]
fn built_in_profile_has_the_device_policies() {
    let built_in = Profile::built_in(&device());
    assert_eq!(built_in.policy(false), Policy::for_device(&device()));
    assert_eq!(built_in.policy(true).split.ranking, Ranking::LaneOrder);
}

#[test]
fn missing_sizes_have_built_in_values() {
    let head: String = Profile::built_in(&device()).text();
    let head = head.split("[sizes]").next().expect("the profile begins with a head");
    let text = format!("{head}[ballots]\r\nsort.small = 256x4\n# a word\n\n[end]\n");
    let profile = parse(&text).expect("most sizes may be missing");
    assert_eq!(profile.policy(false).sort.small.threads, 256);
    assert_eq!(profile.policy(true), Profile::built_in(&device()).policy(true));
}

/// A profile is rejected wherever it is truncated, unless only the last line break is missing.
#[test]
fn truncated_profiles_are_rejected() {
    let text = Profile::built_in(&device()).text();
    assert!(text.ends_with("[end]\n"));
    for length in 0..text.len() - 1 {
        let first_line = length < "multisplit profile 1".len();
        let expected = if first_line { "the first line is not" } else { "truncated" };
        expect_problem(&format!("truncated to {length} bytes"), &text[..length], expected);
    }
}

#[test]
fn profiles_of_other_versions_and_devices_are_rejected() {
    let text = Profile::built_in(&device()).text();
    let [older, newer] = ["profile 0", "profile 2"].map(|new| text.replacen("profile 1", new, 1));
    expect_problem("older version", &older, "version 0");
    expect_problem("older version", &older, "multisplit tune");
    expect_problem("newer version", &newer, "version 2");
    for name in ["vendor_id", "device_id", "driver_version", "driver_build", "subgroup_size"] {
        let foreign = with(name, "77");
        expect_problem(name, &foreign, "A device (driver 7, subgroups of ");
        expect_problem(name, &foreign, "multisplit tune");
    }
    let missing = text.replacen("vendor_id = 10de\n", "", 1);
    expect_problem("no vendor", &missing, "section `[device]` has no `vendor_id`");
}

#[test]
fn unsupported_sizes_are_rejected() {
    for (name, value, expected) in [
        ("sort.small", "2048x4", "`sort.small` has a tile of 2048x4/1"),
        ("sort.small", "48x4", "in multiples of 32"),
        ("sort.small", "1024x32", "49152 bytes of shared memory"),
        ("sort.small", "512x0", "`sort.small` is 512x0; allowed: tiles"),
        ("sort.small", "512x8/2", "up to 65535x32/1"),
        ("sort.keys", "more: 64x4", "expected 5 values"),
        ("split.block_keys", "64x4", "expected 8 values"),
        ("split.warp", "4096x8", "`split.warp`"),
        ("threads", "48", "`threads` is 48; allowed: multiples of 32, from 32 to 1024"),
        ("threads", "2048", "`threads`"),
        ("threads", "-1", "expected a number"),
        ("threads", "99999999999", "exceeds 2^32"),
        ("look_back_tiles", "33", "`look_back_tiles`"),
        ("histogram.loads", "17", "`histogram.loads`"),
        ("histogram.table_threads", "2^20", "`histogram.table_threads` is 2^20"),
        ("sort.histogram_groups", "2^40", "`sort.histogram_groups`"),
        ("sort.few_keys", "2^21", "`sort.few_keys`"),
        ("sort.few_keys_groups", "6", "multiples of 4"),
        ("sort.few_keys_look_back", "0", "from 1 to 32"),
        ("sort.auto", "multisplit by bits 9", "multisplit by bits 8"),
        ("sort.auto", "small", "one-sweep"),
        ("topk.groups", "0", "`topk.groups` is 0; allowed: from 1 to 2^16"),
        ("sort.rounds", "auto", "direct"),
        ("scan", "backwards", "look-back"),
        ("ranking", "none", "lane_order"),
    ] {
        expect_problem(&format!("{name} = {value}"), &with(name, value), expected);
    }
}

#[test]
fn unknown_duplicate_and_misplaced_lines_are_reported() {
    let text = Profile::built_in(&device()).text();
    let after = |section: &str, line: &str| {
        text.replacen(&format!("[{section}]\n"), &format!("[{section}]\n{line}\n"), 1)
    };
    for (text, expected) in [
        (after("sizes", "speed = 9"), "`speed`: unknown size"),
        (after("sizes", "sort.keys = more: 64x4"), "does not belong in section `[sizes]`"),
        (after("ballots", "threads = 64"), "does not belong in section `[ballots]`"),
        (after("sizes", "threads = 64"), "duplicate name `threads`"),
        (after("sizes", "[sizes]"), "duplicate section `[sizes]`"),
        (after("sizes", "[speeds]"), "unknown section `[speeds]`"),
        (after("sizes", "fast"), "`NAME = VALUE`"),
        (after("end", "threads = 64"), "truncated"),
        (text.replacen("[device]\n", "", 1), "`NAME = VALUE` in a section"),
    ] {
        expect_problem(expected, &text, expected);
    }
    let parse = |bytes: &[u8]| Profile::parse("it", bytes, &device());
    assert!(parse(&[0xff; 9]).is_err());
    assert!(parse(&[b'#'; 1 << 17]).is_err());
}

/// An unusable profile is an error if the caller named the file, and ignored if it was found in a
/// folder.
#[test]
fn unusable_profiles_are_errors_if_named_and_ignored_in_folders() {
    let folder = TestFolder::new("profile");
    let found = ProfileChoice::Folder(folder.0.clone());
    let path = found.path(&device()).expect("the folder has a profile path for this device");
    let named = ProfileChoice::File(path.clone());
    let chosen = |choice: &ProfileChoice| Profile::chosen(choice, &device());

    assert!(matches!(chosen(&ProfileChoice::BuiltIn), Ok(None)));
    assert!(matches!(chosen(&found), Ok(None)));
    assert!(matches!(chosen(&named), Err(Error::Profile { .. })));

    Profile::built_in(&device()).save(&path).expect("saving creates the folder");
    for choice in [&found, &named] {
        let profile = chosen(choice).expect("the profile is valid").expect("the profile is found");
        let (source, path) = (profile.source(), path.to_string_lossy());
        assert!(source.contains(&*path), "expected `{path}` in: {source}");
    }
    let bytes = ProfileChoice::Bytes(fs::read(&path).expect("the profile can be read").into());
    assert!(matches!(chosen(&bytes), Ok(Some(_))));

    fs::write(&path, with("threads", "48")).expect("the profile can be written");
    assert!(matches!(chosen(&found), Ok(None)));
    assert!(matches!(chosen(&named), Err(Error::Profile { .. })));
    let bytes = ProfileChoice::Bytes(with("threads", "48").into_bytes().into());
    assert!(matches!(chosen(&bytes), Err(Error::Profile { .. })));

    // The path of the profile is a folder.
    fs::remove_file(&path).expect("the profile can be removed");
    fs::create_dir_all(&path).expect("the folder can be created");
    assert!(matches!(chosen(&found), Ok(None)));
    assert!(matches!(chosen(&named), Err(Error::Profile { .. })));
    assert!(Profile::built_in(&device()).save(&path).is_err());
}

/// The default tiles of GPUs that were not measured fit in 16 KiB of shared memory, which Vulkan guarantees.
#[test]
fn default_tiles_fit_in_the_guaranteed_shared_memory() {
    for subgroup_size in [16, 32, 64, 128] {
        for shared_memory in [16 << 10, 32 << 10] {
            let properties =
                DeviceProperties { shared_memory, ..test_properties(subgroup_size, 256) };
            let policy = Policy::for_device(&properties);
            let mut cut = policy;
            check::reduce_tiles(&mut cut);
            assert_eq!(
                cut, policy,
                "tiles exceed {shared_memory} bytes of shared memory, subgroups of {subgroup_size}"
            );
        }
    }
}

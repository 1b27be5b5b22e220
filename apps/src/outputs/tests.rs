use std::fs;
use std::path::Path;

use multisplit_bench::progress::Bars;

use super::Outputs;
use crate::formats::{Array, Data, Element, FileError, Format, Place};
use crate::inputs::{Shape, read};

fn written(folder: &Path, name: &str, array: &Array) -> Array {
    let place = Place::new(&folder.join(name));
    let mut outputs = Outputs::new(false);
    let output = outputs.begin(&place).expect("the output can be opened");
    outputs.array(output, array, Format::Raw).expect("the array can be written");
    outputs.finish().expect("the outputs can be renamed");
    read(&place, Some(array.element()), Shape::Line, Bars::none()).expect("the file can be read")
}

#[test]
fn arrays_round_trip_in_every_format() {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let words: Vec<u64> = (0..1000).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let narrow = Data::Bytes4(words.iter().map(|w| (w >> 32) as u32).collect());
    let wide = Data::Bytes8(words);
    for ending in ["npy", "bin", "csv", "npy.gz", "bin.zst", "txt.gz", "zst"] {
        for (element, data) in [
            (Element::U32, &narrow),
            (Element::I32, &narrow),
            (Element::U64, &wide),
            (Element::I64, &wide),
        ] {
            let array = Array::new(element, data.clone()).expect("the element sizes match");
            let name = format!("{element}.{ending}");
            assert_eq!(written(folder.path(), &name, &array), array, "{name}");
        }
    }
    let nothing = Array::words(Vec::new());
    assert_eq!(written(folder.path(), "empty.npy", &nothing), nothing);
    assert_eq!(written(folder.path(), "empty.csv.zst", &nothing), nothing);
}

fn file_count(folder: &Path) -> usize {
    fs::read_dir(folder).expect("the folder is readable").count()
}

fn write_words(outputs: &mut Outputs, path: &Path, words: &[u32]) -> Result<(), FileError> {
    let output = outputs.begin(&Place::new(path))?;
    outputs.array(output, &Array::words(words.to_vec()), Format::Raw)
}

#[test]
fn outputs_appear_complete_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let path = folder.path().join("out.bin");
    let mut given_up = Outputs::new(false);
    write_words(&mut given_up, &path, &[1]).expect("the output can be written");
    assert_eq!((path.exists(), file_count(folder.path())), (false, 1));
    drop(given_up);
    assert_eq!(file_count(folder.path()), 0);

    fs::write(&path, "old").expect("the file can be written");
    let exists = write_words(&mut Outputs::new(false), &path, &[1])
        .expect_err("an existing file was replaced");
    assert!(matches!(exists, FileError::Exists { .. }), "{exists}");
    let mut forced = Outputs::new(true);
    write_words(&mut forced, &path, &[1, 2]).expect("the output can be written");
    assert_eq!(fs::read(&path).expect("the file is readable"), b"old");
    forced.finish().expect("the outputs can be renamed");
    assert_eq!(fs::read(&path).expect("the file is readable"), [1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(file_count(folder.path()), 1);
}

#[test]
fn file_created_meanwhile_is_kept_and_aborts_all_outputs() {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let (first, old, late) =
        (folder.path().join("first"), folder.path().join("old"), folder.path().join("late"));
    fs::write(&old, "as it was").expect("the file can be written");
    let mut outputs = Outputs::new(false);
    write_words(&mut outputs, &first, &[1]).expect("the output can be written");
    outputs.begin_with(&Place::new(&old), true).expect("the output can be opened");
    write_words(&mut outputs, &late, &[1]).expect("the output can be written");
    fs::write(&late, "another program's").expect("the file can be written");
    assert!(matches!(outputs.finish(), Err(FileError::Exists { .. })));
    assert_eq!(fs::read(&late).expect("the file is readable"), b"another program's");
    assert_eq!(fs::read(&old).expect("the file is readable"), b"as it was");
    assert_eq!(file_count(folder.path()), 2, "other files are left");
}

#[cfg(unix)]
#[test]
fn same_file_by_two_names_is_rejected() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let inside = folder.path().join("o");
    fs::create_dir(&inside).expect("the folder can be created");
    symlink(&inside, folder.path().join("link")).expect("the link can be created");
    fs::write(folder.path().join("there"), "").expect("the file can be written");
    symlink("there", folder.path().join("alias")).expect("the link can be created");
    fs::hard_link(folder.path().join("there"), folder.path().join("second"))
        .expect("the link can be created");
    for (one, other) in [
        ("o/a", "o/./a"),
        ("o/a", "link/a"),
        ("o/a", "o/../o/a"),
        ("there", "alias"),
        ("there", "second"),
    ] {
        let mut outputs = Outputs::new(true);
        outputs.begin(&Place::new(&folder.path().join(one))).expect("the output can be opened");
        let twice = outputs.begin(&Place::new(&folder.path().join(other)));
        assert!(matches!(twice, Err(FileError::Twice { .. })), "{one} and {other} were accepted");
    }
    symlink("nowhere", folder.path().join("dangling")).expect("the link can be created");
    let dangling = Outputs::new(true).begin(&Place::new(&folder.path().join("dangling")));
    assert!(matches!(dangling, Err(FileError::DanglingLink { .. })));
    // Several outputs may write to the same device.
    let (mut outputs, device) = (Outputs::new(true), Place::new(Path::new("/dev/null")));
    for _ in 0..2 {
        outputs.begin(&device).expect("the output can be opened");
    }
}

#[cfg(unix)]
#[test]
fn replaced_file_keeps_its_mode_and_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let (path, link) = (folder.path().join("out"), folder.path().join("link"));
    fs::write(&path, "old").expect("the file can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("the mode can be set");
    symlink("out", &link).expect("the link can be created");
    let mut outputs = Outputs::new(true);
    write_words(&mut outputs, &link, &[1]).expect("the output can be written");
    outputs.finish().expect("the outputs can be renamed");
    assert!(link.is_symlink());
    assert_eq!(fs::read(&path).expect("the file is readable"), [1, 0, 0, 0]);
    let mode = fs::metadata(&path).expect("the file exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn leftovers_are_removed_and_files_in_use_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let left = folder.path().join(".a.npy.Xy12Zz.multisplit-part");
    fs::write(&left, "half").expect("the file can be written");
    let mut one = Outputs::new(false);
    write_words(&mut one, &folder.path().join("one"), &[1]).expect("the output can be written");
    assert!(!left.exists());
    let mut two = Outputs::new(false);
    write_words(&mut two, &folder.path().join("two"), &[1]).expect("the output can be written");
    one.finish().expect("the outputs can be renamed");
    two.finish().expect("the outputs can be renamed");
    assert_eq!(file_count(folder.path()), 2);
}

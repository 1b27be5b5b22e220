use std::fs;
use std::path::Path;

use multisplit_bench::progress::Bars;

use super::Outputs;
use crate::formats::{Array, Data, Element, FileError, Format, Place};
use crate::inputs::{Shape, read};

fn written(folder: &Path, name: &str, array: &Array) -> Array {
    let place = Place::new(&folder.join(name));
    let mut outputs = Outputs::new(false);
    let output = outputs.begin(&place).expect("a place to write to");
    outputs.array(output, array, Format::Raw).expect("written");
    outputs.finish().expect("named");
    read(&place, Some(array.element()), Shape::Line, Bars::none()).expect("read")
}

#[test]
fn arrays_round_trip_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let words: Vec<u64> = (0..1000).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let narrow: Vec<u32> = words.iter().map(|w| (w >> 32) as u32).collect();
    for (index, ending) in
        ["npy", "bin", "csv", "npy.gz", "bin.zst", "txt.gz", "zst"].into_iter().enumerate()
    {
        for element in [Element::U32, Element::I32] {
            let array = Array::new(element, Data::Bytes4(narrow.clone())).expect("an array");
            let name = format!("{index}{element}.{ending}");
            assert_eq!(written(folder.path(), &name, &array), array, "{name}");
        }
        for element in [Element::U64, Element::I64] {
            let array = Array::new(element, Data::Bytes8(words.clone())).expect("an array");
            let name = format!("{index}{element}.{ending}");
            assert_eq!(written(folder.path(), &name, &array), array, "{name}");
        }
    }
    let nothing = Array::words(Vec::new());
    assert_eq!(written(folder.path(), "empty.npy", &nothing), nothing);
    assert_eq!(written(folder.path(), "empty.csv.zst", &nothing), nothing);
}

fn file_count(folder: &Path) -> usize {
    fs::read_dir(folder).expect("a folder").count()
}

fn write_words(outputs: &mut Outputs, path: &Path, words: &[u32]) -> Result<(), FileError> {
    let output = outputs.begin(&Place::new(path))?;
    outputs.array(output, &Array::words(words.to_vec()), Format::Raw)
}

#[test]
fn outputs_appear_complete_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.bin");
    let mut given_up = Outputs::new(false);
    write_words(&mut given_up, &path, &[1]).expect("written");
    assert_eq!((path.exists(), file_count(folder.path())), (false, 1));
    drop(given_up);
    assert_eq!(file_count(folder.path()), 0);

    fs::write(&path, "old").expect("a file");
    let exists = write_words(&mut Outputs::new(false), &path, &[1]).expect_err("it exists");
    assert!(matches!(exists, FileError::Exists { .. }), "{exists}");
    let mut forced = Outputs::new(true);
    write_words(&mut forced, &path, &[1, 2]).expect("written");
    assert_eq!(fs::read(&path).expect("the file"), b"old");
    forced.finish().expect("named");
    assert_eq!(fs::read(&path).expect("the file"), [1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(file_count(folder.path()), 1);
}

#[test]
fn file_created_meanwhile_is_kept_and_aborts_all_outputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, old, late) =
        (folder.path().join("first"), folder.path().join("old"), folder.path().join("late"));
    fs::write(&old, "as it was").expect("a file");
    let mut outputs = Outputs::new(false);
    write_words(&mut outputs, &first, &[1]).expect("written");
    outputs.begin_replacing(&Place::new(&old)).expect("a place to write to");
    write_words(&mut outputs, &late, &[1]).expect("written");
    fs::write(&late, "another program's").expect("a file");
    assert!(matches!(outputs.finish(), Err(FileError::Exists { .. })));
    assert_eq!(fs::read(&late).expect("the file"), b"another program's");
    assert_eq!(fs::read(&old).expect("the file"), b"as it was");
    assert_eq!(file_count(folder.path()), 2, "nothing else is left");
}

#[cfg(unix)]
#[test]
fn same_file_by_two_names_is_rejected() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("o");
    fs::create_dir(&inside).expect("a folder");
    symlink(&inside, folder.path().join("link")).expect("a link");
    fs::write(folder.path().join("there"), "").expect("a file");
    symlink("there", folder.path().join("alias")).expect("a link");
    fs::hard_link(folder.path().join("there"), folder.path().join("second")).expect("a link");
    for (one, other) in [
        ("o/a", "o/./a"),
        ("o/a", "link/a"),
        ("o/a", "o/../o/a"),
        ("there", "alias"),
        ("there", "second"),
    ] {
        let mut outputs = Outputs::new(true);
        outputs.begin(&Place::new(&folder.path().join(one))).expect("a place to write to");
        let twice = outputs.begin(&Place::new(&folder.path().join(other)));
        assert!(matches!(twice, Err(FileError::Twice { .. })), "{one} and {other}");
    }
    symlink("nowhere", folder.path().join("dangling")).expect("a link");
    let dangling = Outputs::new(true).begin(&Place::new(&folder.path().join("dangling")));
    assert!(matches!(dangling, Err(FileError::DanglingLink { .. })));
    for device in ["/dev/null", "/dev/null"] {
        Outputs::new(true).begin(&Place::new(Path::new(device))).expect("a place to write to");
    }
}

#[cfg(unix)]
#[test]
fn replaced_file_keeps_its_mode_and_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let (path, link) = (folder.path().join("out"), folder.path().join("link"));
    fs::write(&path, "old").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("out", &link).expect("a link");
    let mut outputs = Outputs::new(true);
    write_words(&mut outputs, &link, &[1]).expect("written");
    outputs.finish().expect("named");
    assert!(link.is_symlink());
    assert_eq!(fs::read(&path).expect("the file"), [1, 0, 0, 0]);
    let mode = fs::metadata(&path).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn leftovers_are_removed_and_files_in_use_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let left = folder.path().join(".a.npy.Xy12Zz.multisplit-part");
    fs::write(&left, "half").expect("a file");
    let mut one = Outputs::new(false);
    write_words(&mut one, &folder.path().join("one"), &[1]).expect("written");
    assert!(!left.exists());
    let mut two = Outputs::new(false);
    write_words(&mut two, &folder.path().join("two"), &[1]).expect("written");
    one.finish().expect("named");
    two.finish().expect("named");
    assert_eq!(file_count(folder.path()), 2);
}

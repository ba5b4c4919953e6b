//! The files of tables: what damage leaves of them, and their room.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use kube_informer::warm::{TableName, WarmRecord, WarmStore, WarmTable};
use kube_informer_warm::{CacheError, WarmCache};

use crate::world;

/// A cache in a directory that is removed when it is dropped.
struct Scratch {
    cache: WarmCache,
    directory: world::Scratch,
}

impl Scratch {
    fn new(name: &str) -> Self {
        let directory = world::Scratch::new(name);
        Self { cache: WarmCache::open(directory.path()).unwrap(), directory }
    }

    /// Returns the file of the only table.
    fn table(&self) -> PathBuf {
        self.directory.tables().remove(0)
    }
}

type State = (String, BTreeMap<String, (u64, Vec<u8>)>);

fn open(scratch: &Scratch, cluster: &str) -> Box<dyn WarmTable> {
    try_open(scratch, cluster).unwrap()
}

fn try_open(scratch: &Scratch, cluster: &str) -> Option<Box<dyn WarmTable>> {
    let name = TableName { cluster: cluster.into(), collection: "pods".into() };
    WarmStore::open(&scratch.cache, &name).unwrap()
}

fn read(scratch: &Scratch, cluster: &str) -> Option<State> {
    let (mut table, mut records) = (open(scratch, cluster), BTreeMap::new());
    let state = table.read(&mut |WarmRecord { key, form, bytes }| {
        records.insert(key.to_owned(), (form, bytes.to_vec()));
    });
    Some((state.unwrap()?, records))
}

fn state(version: u64) -> String {
    format!("{version} everything")
}

/// Writes some batches, and returns the state after each.
fn write(table: &mut dyn WarmTable) -> Vec<State> {
    let (mut states, mut records) = (Vec::new(), BTreeMap::new());
    table.clear().unwrap();
    for (version, keys) in [(3, 0..6), (7, 4..8), (9, 2..3)] {
        for n in keys {
            let (key, bytes) = (format!("shop/web-{n}"), format!("object {n} at {version}, {n}"));
            table.put(WarmRecord { key: &key, form: 2, bytes: bytes.as_bytes() }).unwrap();
            records.insert(key, (2, bytes.into_bytes()));
        }
        if version == 7 {
            table.remove("shop/web-1").unwrap();
            records.remove("shop/web-1");
        }
        table.commit(&state(version)).unwrap();
        states.push((state(version), records.clone()));
    }
    states
}

#[test]
fn every_cut_or_flipped_byte_leaves_a_committed_state() {
    let scratch = Scratch::new("damage");
    let states = write(&mut *open(&scratch, "a"));
    let path = scratch.table();
    let whole = fs::read(&path).unwrap();
    assert_eq!(read(&scratch, "a").as_ref(), states.last());
    let check = |damaged: &[u8]| {
        fs::write(&path, damaged).unwrap();
        let found = read(&scratch, "a");
        assert!(found.is_none_or(|found| states.contains(&found)));
    };
    for at in 0..whole.len() {
        check(&whole[..at]);
        for bit in 0..8 {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            check(&flipped);
        }
    }
    // Parts that are left out, repeated or zero.
    for at in (0..whole.len()).step_by(7) {
        check(&[&whole[..at], &whole[(at + 20).min(whole.len())..]].concat());
        check(&[&whole[..at], &whole[at / 2..]].concat());
        check(&[&whole[..at], &vec![0; 64][..], &whole[at..]].concat());
    }
}

#[test]
fn batches_go_on_after_a_torn_end() {
    let scratch = Scratch::new("torn");
    let states = write(&mut *open(&scratch, "a"));
    let path = scratch.table();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let mut table = open(&scratch, "a");
    let found = table.read(&mut |_| {}).unwrap();
    assert_eq!(found, Some(states[1].0.clone()));
    assert!(!table.wants_everything());
    table.put(WarmRecord { key: "shop/new", form: 1, bytes: b"new" }).unwrap();
    table.commit(&state(12)).unwrap();
    drop(table);
    let mut expected = states[1].1.clone();
    expected.insert("shop/new".into(), (1, b"new".to_vec()));
    assert_eq!(read(&scratch, "a"), Some((state(12), expected)));
}

#[test]
fn batch_without_a_commit_has_no_effect() {
    let scratch = Scratch::new("uncommitted");
    let states = write(&mut *open(&scratch, "a"));
    for clears in [false, true] {
        let mut table = open(&scratch, "a");
        table.read(&mut |_| {}).unwrap();
        if clears {
            table.clear().unwrap();
        }
        table.put(WarmRecord { key: "shop/new", form: 1, bytes: b"new" }).unwrap();
        drop(table);
        assert_eq!(read(&scratch, "a").as_ref(), states.last());
    }
}

/// Until its next attempt, it would keep a full disk full.
#[cfg(target_os = "linux")]
#[test]
fn write_that_fails_leaves_no_file_behind() {
    let scratch = Scratch::new("full");
    let states = write(&mut *open(&scratch, "a"));
    let new = scratch.table().with_extension("new");
    std::os::unix::fs::symlink("/dev/full", &new).unwrap();
    let mut table = open(&scratch, "a");
    table.read(&mut |_| {}).unwrap();
    table.clear().unwrap();
    let failed = (0..1_000_u32).find_map(|n| {
        let bytes: Vec<_> = (0..100)
            .flat_map(|m| (n * 100 + m).wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        table.put(WarmRecord { key: &n.to_string(), form: 1, bytes: &bytes }).err()
    });
    assert!(failed.unwrap().to_string().contains("No space left"));
    assert!(fs::symlink_metadata(&new).is_err(), "it is there");
    assert_eq!(write(&mut *table), states);
    drop(table);
    assert_eq!(read(&scratch, "a").as_ref(), states.last());
}

#[test]
fn table_of_another_cluster_is_replaced() {
    let scratch = Scratch::new("another-cluster");
    let states = write(&mut *open(&scratch, "a"));
    let of_a = scratch.table();
    let mut table = open(&scratch, "b");
    assert!(table.read(&mut |_| {}).unwrap().is_none() && table.wants_everything());
    table.clear().unwrap();
    table.commit(&state(1)).unwrap();
    drop(table);
    assert_eq!(read(&scratch, "a").as_ref(), states.last());
    assert_eq!(read(&scratch, "b"), Some((state(1), BTreeMap::new())));
    // The file of one under the name of the other.
    let of_b = scratch.directory.tables().into_iter().find(|path| *path != of_a).unwrap();
    fs::copy(of_a, of_b).unwrap();
    let mut table = open(&scratch, "b");
    assert!(table.read(&mut |_| {}).unwrap().is_none() && table.wants_everything());
}

#[test]
fn file_that_nobody_uses_is_removed() {
    let scratch = Scratch::new("unused");
    for cluster in ["old", "used"] {
        write(&mut *open(&scratch, cluster));
        for path in scratch.directory.tables() {
            let file = fs::OpenOptions::new().append(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(8 * 24 * 3_600)).unwrap();
        }
    }
    // Opening it is a use.
    drop(open(&scratch, "used"));
    let directory = scratch.directory.path();
    for name in ["0123456789abcdef.new", "notes.new", "old.cache"] {
        fs::write(directory.join(name), "").unwrap();
    }
    let file = fs::OpenOptions::new().append(true).open(directory.join("old.cache")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let Scratch { cache, directory } = scratch;
    drop(cache);
    let scratch = Scratch { cache: WarmCache::open(directory.path()).unwrap(), directory };
    assert_eq!(read(&scratch, "old"), None);
    assert!(read(&scratch, "used").is_some());
    let files = fs::read_dir(scratch.directory.path()).unwrap();
    let mut names: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.len() < 20);
    names.sort();
    assert_eq!(names, ["lock", "notes.new", "old.cache"]);
}

#[test]
fn file_that_is_mostly_out_of_date_is_written_again() {
    let scratch = Scratch::new("grown");
    let mut table = open(&scratch, "a");
    table.clear().unwrap();
    let mut random = 7_u32;
    let mut bytes = || {
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8
        };
        (0..100_000).map(|_| next()).collect::<Vec<_>>()
    };
    table.put(WarmRecord { key: "a", form: 1, bytes: &bytes() }).unwrap();
    table.commit(&state(1)).unwrap();
    let base = fs::metadata(scratch.table()).unwrap().len();
    let mut last = Vec::new();
    for version in 2.. {
        if table.wants_everything() {
            table.clear().unwrap();
            table.put(WarmRecord { key: "a", form: 1, bytes: &last }).unwrap();
            table.commit(&state(version)).unwrap();
            break;
        }
        assert!(version < 100);
        last = bytes();
        table.put(WarmRecord { key: "a", form: 1, bytes: &last }).unwrap();
        table.commit(&state(version)).unwrap();
    }
    drop(table);
    assert!(fs::metadata(scratch.table()).unwrap().len() <= base + 100);
    assert_eq!(read(&scratch, "a").unwrap().1["a"], (1, last));
}

#[test]
fn directory_has_one_owner() {
    let scratch = Scratch::new("owner");
    let mut table = open(&scratch, "a");
    let again = WarmCache::open(scratch.directory.path());
    assert!(matches!(again, Err(CacheError::Locked(_))));
    assert!(try_open(&scratch, "a").is_none());
    write(&mut *table);
    // Another process has come in spite of the lock.
    fs::write(scratch.directory.path().join("lock"), "another").unwrap();
    table.put(WarmRecord { key: "shop/new", form: 1, bytes: b"new" }).unwrap();
    let error = table.commit(&state(20)).unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(CacheError::TakenOver(_))), "{error}");
}

/// The empty path is the working folder for some calls, and nothing for others.
#[test]
fn empty_path_leaves_no_lock_behind() {
    assert!(matches!(WarmCache::open(""), Err(CacheError::NoPath)));
    assert!(!std::path::Path::new("lock").exists());
}

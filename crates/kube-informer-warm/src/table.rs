//! One table: a file of batches that are appended, and that is written again when half of it is out
//! of date.
//!
//! Each commit is a state that the informer's store had, so every beginning of a file that ends
//! with a commit is a state of the server. A torn or damaged end is left out.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use kube_informer::warm::{WarmError, WarmRecord, WarmTable};
use lz4_flex::block::{compress_with_dict, decompress_with_dict};

use super::error::CacheError;
use super::frames::{End, FrameReader, FrameWriter, LONGEST};
use super::lock::DirectoryLock;

const PUT: u8 = 1;
const REMOVE: u8 = 2;
const DICTIONARY: u8 = 3;
const COMMIT: u8 = 4;

/// The largest dictionary, and the part of one object that becomes part of it, in bytes.
const DICTIONARY_LEN: usize = 32 * 1024;
const SAMPLE: usize = 4 * 1024;

/// The number of bytes that a file may grow before half of it counts as out of date.
const SLACK: u64 = 1024 * 1024;

/// The number of bytes that are read at a time.
const READ: usize = 256 * 1024;

/// A table in one file.
pub(super) struct Table {
    path: PathBuf,
    name: String,
    lock: Arc<DirectoryLock>,
    dictionary: Vec<u8>,
    /// The place after the last commit. `None` if the file must be written again.
    committed: Option<End>,
    /// The number of bytes that the file had, or would have had, when it was last written as a
    /// whole.
    base: u64,
    batch: Option<Batch>,
}

/// A batch that is being written.
struct Batch {
    out: FrameWriter<BufWriter<File>>,
    /// The file that replaces the table's. `None` if the batch is appended to it.
    replaces: Option<PathBuf>,
    /// Objects that wait until they make up a dictionary.
    samples: Option<Vec<(String, u64, Vec<u8>)>>,
}

/// The place of a record in the file.
struct Place {
    offset: u64,
    len: usize,
}

impl Table {
    /// Opens a table. `None` if it is open already.
    pub(super) fn open(path: PathBuf, name: String, lock: Arc<DirectoryLock>) -> Option<Self> {
        if !lock.enter(&path) {
            return None;
        }
        note_use(&path);
        let (dictionary, committed, batch) = (Vec::new(), None, None);
        Some(Self { path, name, lock, dictionary, committed, base: 0, batch })
    }

    /// Opens the batch: a new one is appended.
    fn batch(&mut self) -> Result<&mut Batch, CacheError> {
        if self.batch.is_none() {
            let Some(end) = self.committed else { return self.begin() };
            let append = || {
                let mut file = OpenOptions::new().write(true).open(&self.path)?;
                // An end that is not whole would make the frames after it unreadable.
                file.set_len(end.len)?;
                file.seek(SeekFrom::Start(end.len))?;
                Ok(file)
            };
            let file = append().map_err(CacheError::io("opening", &self.path))?;
            let out = FrameWriter::after(BufWriter::new(file), end);
            self.batch = Some(Batch { out, replaces: None, samples: None });
        }
        self.batch.as_mut().ok_or_else(|| CacheError::Locked(self.path.clone()))
    }

    /// Begins a new file.
    fn begin(&mut self) -> Result<&mut Batch, CacheError> {
        let path = new_path(&self.path);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(CacheError::io("creating", &path))?;
        let out = FrameWriter::begin(BufWriter::new(file), &self.name);
        let out = out.map_err(CacheError::io("writing", &path))?;
        self.dictionary.clear();
        let batch = Batch { out, replaces: Some(path), samples: Some(Vec::new()) };
        Ok(self.batch.insert(batch))
    }

    fn push(&mut self, payload: &[u8]) -> Result<(), CacheError> {
        let path = self.path.clone();
        let pushed = self.batch()?.out.push(payload);
        if pushed.is_err() {
            // Its file would keep a full disk full until the next attempt.
            self.batch = None;
        }
        pushed.map_err(CacheError::io("writing", path))
    }

    fn push_record(&mut self, key: &str, form: u64, bytes: &[u8]) -> Result<(), CacheError> {
        let compressed = compress_with_dict(bytes, &self.dictionary);
        let mut payload = Vec::with_capacity(15 + key.len() + compressed.len());
        payload.push(PUT);
        payload.extend(form.to_le_bytes());
        payload.extend(u16::try_from(key.len()).unwrap_or(u16::MAX).to_le_bytes());
        payload.extend(key.as_bytes());
        payload.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
        payload.extend(compressed);
        self.push(&payload)
    }

    /// Writes the dictionary, and the objects that it was made of.
    fn push_samples(&mut self) -> Result<(), CacheError> {
        let Some(samples) = self.batch()?.samples.take() else { return Ok(()) };
        for (_, _, bytes) in &samples {
            let room = SAMPLE.min(DICTIONARY_LEN - self.dictionary.len());
            self.dictionary.extend(bytes.iter().take(room));
        }
        let mut payload = vec![DICTIONARY];
        payload.extend(&self.dictionary);
        self.push(&payload)?;
        samples.iter().try_for_each(|(key, form, bytes)| self.push_record(key, *form, bytes))
    }

    /// Finds the records of the last commit. Returns its state and their places, in order.
    fn scan(&mut self) -> Result<Option<(String, Vec<Place>)>, CacheError> {
        let reading = || CacheError::io("reading", &self.path);
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(reading())?,
        };
        let size = file.metadata().map_err(reading())?.len();
        let file = BufReader::with_capacity(READ, file);
        let frames = FrameReader::begin(file, size, &self.name);
        let Some(mut frames) = frames.map_err(reading())? else {
            tracing::warn!(
                path = %self.path.display(),
                "a kept cache is of another cluster, selection or format, or damaged: it is \
                 replaced"
            );
            return Ok(None);
        };
        let mut live: HashMap<Vec<u8>, Place> = HashMap::new();
        let mut batch: Vec<(Vec<u8>, Option<Place>)> = Vec::new();
        let mut state = None;
        loop {
            let offset = frames.end.len + 8;
            let Some(payload) = frames.next().map_err(reading())? else { break };
            let Some((kind, rest)) = payload.split_first() else { break };
            match *kind {
                PUT => {
                    let Some(record) = Record::parse(rest) else { break };
                    let (key, len) = (record.key.to_vec(), payload.len());
                    batch.push((key, Some(Place { offset, len })));
                }
                REMOVE => batch.push((rest.to_vec(), None)),
                DICTIONARY if rest.len() <= DICTIONARY_LEN => self.dictionary = rest.to_vec(),
                COMMIT => {
                    let Ok(text) = std::str::from_utf8(rest) else { break };
                    state = Some(text.to_owned());
                    for (key, place) in batch.drain(..) {
                        match place {
                            Some(place) => drop(live.insert(key, place)),
                            None => drop(live.remove(&key)),
                        }
                    }
                    self.committed = Some(frames.end);
                }
                _ => break,
            }
        }
        let (Some(state), Some(end)) = (state, self.committed) else { return Ok(None) };
        if end.len < size {
            let (path, bytes) = (self.path.display(), size - end.len);
            tracing::warn!(%path, bytes, "the end of a kept cache is not whole: it is left out");
        }
        let mut places: Vec<_> = live.into_values().collect();
        places.sort_unstable_by_key(|place| place.offset);
        self.base = places.iter().map(|place| place.len as u64).sum();
        Ok(Some((state, places)))
    }
}

/// A record as it is written.
struct Record<'a> {
    form: u64,
    key: &'a [u8],
    len: usize,
    compressed: &'a [u8],
}

impl<'a> Record<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (form, rest) = bytes.split_first_chunk()?;
        let (key_len, rest) = rest.split_first_chunk()?;
        let (key, rest) = rest.split_at_checked(u16::from_le_bytes(*key_len).into())?;
        let (len, compressed) = rest.split_first_chunk()?;
        let (form, len) = (u64::from_le_bytes(*form), u32::from_le_bytes(*len) as usize);
        (len <= LONGEST).then_some(Self { form, key, len, compressed })
    }
}

impl WarmTable for Table {
    fn read(&mut self, visit: &mut dyn FnMut(WarmRecord<'_>)) -> Result<Option<String>, WarmError> {
        let Some((state, places)) = self.scan()? else { return Ok(None) };
        let reading = || CacheError::io("reading", &self.path);
        let file = File::open(&self.path).map_err(reading())?;
        let mut file = BufReader::with_capacity(READ, file);
        let (mut payload, mut at) = (Vec::new(), 0_u64);
        for Place { offset, len } in places {
            let ahead = i64::try_from(offset - at).unwrap_or(i64::MAX);
            file.seek_relative(ahead).map_err(reading())?;
            payload.resize(len, 0);
            file.read_exact(&mut payload).map_err(reading())?;
            at = offset + len as u64;
            let record = payload.get(1..).and_then(Record::parse).and_then(|record| {
                let bytes = decompress_with_dict(record.compressed, record.len, &self.dictionary);
                let key = std::str::from_utf8(record.key).ok()?;
                Some((key, record.form, bytes.ok().filter(|bytes| bytes.len() == record.len)?))
            });
            let Some((key, form, bytes)) = record else {
                // The next write must replace a record that can't be read.
                self.committed = None;
                return Ok(None);
            };
            visit(WarmRecord { key, form, bytes: &bytes });
        }
        Ok(Some(state))
    }

    fn wants_everything(&self) -> bool {
        self.committed.is_none_or(|end| end.len > 2 * self.base + SLACK)
    }

    fn clear(&mut self) -> Result<(), WarmError> {
        self.batch = None;
        self.begin()?;
        Ok(())
    }

    fn put(&mut self, record: WarmRecord<'_>) -> Result<(), WarmError> {
        let WarmRecord { key, form, bytes } = record;
        if let Some(samples) = &mut self.batch()?.samples {
            samples.push((key.to_owned(), form, bytes.to_vec()));
            let len: usize = samples.iter().map(|(_, _, bytes)| bytes.len().min(SAMPLE)).sum();
            if len < DICTIONARY_LEN {
                return Ok(());
            }
            return Ok(self.push_samples()?);
        }
        Ok(self.push_record(key, form, bytes)?)
    }

    fn remove(&mut self, key: &str) -> Result<(), WarmError> {
        self.push_samples()?;
        let mut payload = vec![REMOVE];
        payload.extend(key.as_bytes());
        Ok(self.push(&payload)?)
    }

    fn commit(&mut self, state: &str) -> Result<(), WarmError> {
        self.lock.check()?;
        self.push_samples()?;
        self.push(&[&[COMMIT], state.as_bytes()].concat())?;
        // An error from here on leaves it open what the file holds.
        self.committed = None;
        let Some(mut batch) = self.batch.take() else { return Ok(()) };
        let path = batch.replaces.as_ref().unwrap_or(&self.path);
        let file = batch.out.get_mut();
        file.flush().map_err(CacheError::io("writing", path))?;
        file.get_ref().sync_data().map_err(CacheError::io("writing", path))?;
        if let Some(new) = &batch.replaces {
            fs::rename(new, &self.path).map_err(CacheError::io("replacing", &self.path))?;
            sync_parent(&self.path);
            batch.replaces = None;
            self.base = batch.out.len;
        }
        self.committed = Some(batch.out.end());
        Ok(())
    }
}

/// Removes a new file that was not finished, because the disk may be full.
impl Drop for Batch {
    fn drop(&mut self) {
        if let Some(new) = &self.replaces {
            let _none = fs::remove_file(new);
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        note_use(&self.path);
        self.lock.leave(&self.path);
    }
}

/// Sets the file's time to the present, because a use without changes does not write the file.
fn note_use(path: &Path) {
    let file = OpenOptions::new().append(true).open(path);
    let _none = file.and_then(|file| file.set_modified(SystemTime::now()));
}

fn new_path(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// Makes a rename last. Not every system can, and without it the old file may come back, which is
/// an older state.
fn sync_parent(path: &Path) {
    if let Some(Ok(directory)) = path.parent().map(File::open) {
        let _unsupported = directory.sync_all();
    }
}

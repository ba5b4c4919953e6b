//! Kept caches for [`kube_informer`]: after a restart, an informer begins where its last run ended.
//! Experimental.
//!
//! A [`WarmCache`] is a directory with one file for each informer. A file has the objects as the
//! server sent them, and the version of the collection. Every five seconds, and at the end, what
//! changed is appended with the new version. When half of a file is out of date, it is written
//! again.
//!
//! ```no_run
//! use kube_informer::SharedInformerFactory;
//! use kube_informer_warm::WarmCache;
//!
//! # async fn f(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let cache = WarmCache::open("/var/cache/operator")?;
//! let factory = SharedInformerFactory::builder(client).warm(cache).build();
//! # Ok(()) }
//! ```
//!
//! [`kube_informer::warm`] describes what a kept cache is used for, and what proves it.
//!
//! # Safety of the data
//!
//! Every frame of a file has a checksum that includes all frames before it. A file is read up to
//! the first frame that is not whole, and only as far as the last commit: a past state of the
//! server, from which the informer goes on. Each cluster, selection and format has files of its
//! own, which state the whole name. The objects of a `Secret` are never written. Other contents are
//! not encrypted: the files are readable only for the user of the process, and deleted objects stay
//! in a file until it is written again.
//!
//! Checksums find damage, and not a forgery: a process that can write the files decides what
//! informers begin with. Objects of a common built-in kind in protobuf were checked before they
//! were written, and are checked again only if the decoder has changed since. All others are
//! checked at each start.
//!
//! One process uses a directory at a time. Volumes that several processes share are not supported.

mod error;
mod frames;
mod lock;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use kube::Config;
use kube_informer::object::ring_hash;
use kube_informer::warm::{TableName, WarmError, WarmStore, WarmTable};

pub use self::error::CacheError;
use self::lock::DirectoryLock;
use self::table::Table;

/// The time without a use after which a file is removed.
const UNUSED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A directory in which informers keep their objects.
#[derive(Clone, Debug)]
#[must_use]
pub struct WarmCache {
    directory: PathBuf,
    lock: Arc<DirectoryLock>,
    cluster: Option<Arc<str>>,
    interval: Duration,
    audits: bool,
}

impl WarmCache {
    /// Opens a directory, and creates it if necessary. The directory is locked until every clone,
    /// and every informer that uses it, is dropped.
    ///
    /// Removes files that no informer has used for a week, and says so in the log.
    ///
    /// # Errors
    /// [`CacheError`] if the directory can't be used, or is in use.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, CacheError> {
        let directory = directory.as_ref().to_owned();
        let lock = Arc::new(DirectoryLock::take(&directory)?);
        remove_unused(&directory).map_err(CacheError::io("reading", &directory))?;
        let interval = Duration::from_secs(5);
        Ok(Self { directory, lock, cluster: None, interval, audits: true })
    }

    /// Sets a mark of the cluster, for programs that may not get the namespace `kube-system`. The
    /// mark is used only if the server does not show the uid of that namespace. An empty mark, such
    /// as the value of a variable that is not set, is none, and so is one of white space.
    ///
    /// Two clusters must not have the same mark: the objects of one would be taken for those of the
    /// other. Clones with different marks may share a directory.
    pub fn cluster(mut self, mark: impl Into<Arc<str>>) -> Self {
        self.cluster = Some(mark.into()).filter(|mark| !mark.trim().is_empty());
        self
    }

    /// Sets the address and the certificate authority of a client's configuration as the mark of
    /// the cluster. Changes nothing if there is a [mark](Self::cluster) already, or if the
    /// configuration has no certificate authority: an address by itself is no mark.
    ///
    /// ```no_run
    /// use kube_informer_warm::WarmCache;
    ///
    /// # async fn f() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = kube::Config::infer().await?;
    /// let cache = WarmCache::open("/var/cache/operator")?.cluster_of(&config);
    /// # Ok(()) }
    /// ```
    pub fn cluster_of(mut self, config: &Config) -> Self {
        if let (None, Some(authorities)) = (&self.cluster, &config.root_cert) {
            let sums: Vec<_> = authorities.iter().map(|one| crc32fast::hash(one)).collect();
            let len: usize = authorities.iter().map(Vec::len).sum();
            let mark = format!("{} {len} {sums:x?}", config.cluster_url);
            self.cluster = (len > 0).then(|| mark.into());
        }
        self
    }

    /// Sets whether an [audit](kube_informer::SharedInformer::audit) follows each start from kept
    /// objects. True unless set.
    ///
    /// Only an audit finds objects of a lost history after a server was restored from a backup and
    /// has passed the kept version.
    pub fn audits(mut self, audits: bool) -> Self {
        self.audits = audits;
        self
    }

    /// Sets the time between two writes of a table that changes. 5 s unless set.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }
}

impl WarmStore for WarmCache {
    fn open(&self, name: &TableName) -> Result<Option<Box<dyn WarmTable>>, WarmError> {
        let name = format!("{}\n{}", name.cluster, name.collection);
        // The hash is the same in every build. The file states the whole name.
        let path = self.directory.join(format!("{:016x}.cache", ring_hash(&name)));
        let table = Table::open(path, name, self.lock.clone());
        Ok(table.map(|table| Box::new(table) as _))
    }

    fn cluster(&self) -> Option<Arc<str>> {
        self.cluster.clone()
    }

    fn audits(&self) -> bool {
        self.audits
    }

    fn interval(&self) -> Duration {
        self.interval
    }
}

/// Removes new files that were not finished, and files that no informer has used for a week.
fn remove_unused(directory: &Path) -> io::Result<()> {
    let mut removed = 0_usize;
    for file in fs::read_dir(directory)?.flatten() {
        let path = file.path();
        let is_table = |stem: &str| stem.len() == 16 && stem.bytes().all(|b| b.is_ascii_hexdigit());
        let unused = match path.extension().and_then(|end| end.to_str()) {
            Some("new") => true,
            Some("cache") => {
                let used = file.metadata().and_then(|metadata| metadata.modified());
                let age = used.map(|used| SystemTime::now().duration_since(used));
                age.is_ok_and(|age| age.is_ok_and(|age| age > UNUSED))
            }
            _ => false,
        };
        if unused && path.file_stem().and_then(|stem| stem.to_str()).is_some_and(is_table) {
            removed += usize::from(fs::remove_file(&path).is_ok());
        }
    }
    if removed > 0 {
        let path = directory.display();
        tracing::info!(%path, removed, "kept caches that no informer uses were removed");
    }
    Ok(())
}

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

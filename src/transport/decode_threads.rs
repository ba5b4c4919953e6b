//! The threads that decode objects.
//!
//! One factory has a few threads for the lists and watches of all its informers. They take work in
//! order of arrival. A source hands over at most a few portions before it waits for their results.
//! So a large list delays another informer's event by at most these portions.
//!
//! They are not the runtime's threads, for two reasons. An allocator such as glibc's gives each
//! thread a part of the heap, and freed memory returns to the part it came from. If different
//! threads decoded lists and events, the memory of replaced objects would never be reused. Also,
//! the user's blocking tasks can occupy all of the runtime's blocking threads.
//!
//! A user's decoder may block, or take time that grows with each level of an object. Work that no
//! thread has begun after a second is therefore offered to the runtime's blocking threads as well.
//! A decode cannot be interrupted. So each source has a bound on the decodes that run, including
//! those whose requests were abandoned.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, thread};

use parking_lot::{Condvar, Mutex};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::panic::{catch, drop_safely};

/// The largest number of threads, unless set. One thread can cut an answer as fast as a few threads
/// can decode it.
const THREADS: usize = 4;

/// The longest time that a job waits for only these threads.
const PATIENCE: Duration = Duration::from_secs(1);

/// The running time of a job that is reported, as a multiple of the patience.
const SLOW: u32 = 10;

/// A few threads that decode. They start when there is work, and end with this value.
pub struct DecodeThreads {
    limit: Option<NonZeroUsize>,
    patience: Duration,
    queue: Arc<Queue>,
}

/// Work that the first idle thread takes.
type Job = Arc<Mutex<Option<Work>>>;

type Work = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    state: Mutex<JobQueue>,
    /// Wakes one thread for each new job, and all threads at the end.
    changed: Condvar,
}

#[derive(Default)]
struct JobQueue {
    jobs: VecDeque<Job>,
    threads: usize,
    /// The number of threads that wait for a job.
    idle: usize,
    ended: bool,
}

impl DecodeThreads {
    /// Creates the pool: at most `limit` threads, or else one for each runtime worker, up to 4.
    pub fn new(limit: Option<NonZeroUsize>) -> Self {
        Self { limit, patience: PATIENCE, queue: Arc::default() }
    }

    /// Returns the largest number of threads on the current runtime. One means that the caller
    /// decodes.
    ///
    /// On a runtime of one worker, that worker decodes. So one thread decodes lists and events, and
    /// paused time cannot advance during a decode.
    pub(super) fn count(&self) -> usize {
        let several = |runtime: &Handle| runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
        let runtime = Handle::try_current().ok().filter(several);
        let workers = runtime.map_or(1, |runtime| runtime.metrics().num_workers());
        self.limit.map_or(workers.min(THREADS), NonZeroUsize::get).min(workers)
    }

    /// Runs a job on one of the threads. Resumes its panic here.
    ///
    /// If this future is dropped, a job that has not begun is dropped. A job that runs drops its
    /// result on its thread.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        resource: &str,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let result = Arc::new(Mutex::new(None));
        let returned = result.clone();
        let performed =
            self.perform(resource, Box::new(move || *returned.lock() = Some(job()))).await;
        performed.unwrap_or_else(|panic| resume_unwind(panic));
        let result = result.lock().take();
        match result {
            Some(result) => result,
            // A job is dropped unfinished only if its caller is gone.
            None => std::future::pending().await,
        }
    }

    /// Performs work on one of the threads. It is not generic, so that its code is compiled once.
    async fn perform(&self, resource: &str, work: Work) -> thread::Result<()> {
        let (done, mut result) = oneshot::channel();
        let work = move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            let _unheard = done.send(result).map_err(drop_safely);
        };
        let job: Job = Arc::new(Mutex::new(Some(Box::new(work))));
        let waiting = Waiting(job.clone());
        self.push(job.clone());
        if let Ok(result) = timeout(self.patience, &mut result).await {
            return result.unwrap_or(Ok(()));
        }
        let mut has_begun = waiting.has_begun();
        spawn_blocking(move || perform(&job));
        let slow = self.patience * SLOW;
        let result = loop {
            match timeout(slow, &mut result).await {
                Ok(result) => break result,
                Err(_late) if has_begun => {
                    // The user's subscriber may panic.
                    let _panicked = catch(|| warn_of_slow(resource, slow));
                    break result.await;
                }
                Err(_late) => has_begun = waiting.has_begun(),
            }
        };
        result.unwrap_or(Ok(()))
    }

    fn push(&self, job: Job) {
        let mut state = self.queue.state.lock();
        // While all threads are blocked, only the blocking threads take jobs.
        while state.jobs.front().is_some_and(|job| job.lock().is_none()) {
            state.jobs.pop_front();
        }
        state.jobs.push_back(job);
        if state.jobs.len() <= state.idle {
            drop(state);
            self.queue.changed.notify_one();
            return;
        }
        if state.threads >= self.count() {
            return;
        }
        let queue = self.queue.clone();
        let name = "kube-informer-decode".to_owned();
        state.threads += 1;
        let started = thread::Builder::new().name(name).spawn(move || queue.work());
        if let Err(error) = started {
            state.threads -= 1;
            if state.threads > 0 {
                return;
            }
            tracing::warn!(%error, "no thread for decoding can be started; decoding in a task");
            let jobs = std::mem::take(&mut state.jobs);
            drop(state);
            jobs.iter().for_each(perform);
        }
    }
}

impl Drop for DecodeThreads {
    fn drop(&mut self) {
        self.queue.state.lock().ended = true;
        self.queue.changed.notify_all();
    }
}

impl Queue {
    /// Runs jobs until the queue ends.
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                perform(&job);
                state = self.state.lock();
            } else if state.ended {
                return;
            } else {
                state.idle += 1;
                self.changed.wait(&mut state);
                state.idle -= 1;
            }
        }
    }
}

/// A job whose caller waits. If the caller is dropped, a job that has not begun is dropped.
struct Waiting(Job);

impl Waiting {
    fn has_begun(&self) -> bool {
        self.0.lock().is_none()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let abandoned = self.0.lock().take();
        drop_safely(abandoned);
    }
}

fn warn_of_slow(resource: &str, slow: Duration) {
    tracing::warn!(
        resource,
        "decoding takes longer than {slow:?} and cannot be interrupted; the code of the type may \
         take time that grows with each level of an object"
    );
}

/// The threads, as one source uses them.
#[derive(Clone, Debug)]
pub(super) struct SourceThreads {
    threads: Arc<DecodeThreads>,
    resource: Arc<str>,
    /// Has a permit for each job of this source that may run.
    running: Arc<Semaphore>,
}

impl SourceThreads {
    /// Creates a handle to these threads for a source of this resource.
    pub(super) fn new(threads: Arc<DecodeThreads>, resource: Arc<str>) -> Self {
        let most = threads.limit.map_or(THREADS, NonZeroUsize::get).min(Semaphore::MAX_PERMITS);
        Self { threads, resource, running: Arc::new(Semaphore::new(most)) }
    }

    /// Returns a handle to other threads for the same source.
    pub(super) fn on(&self, threads: Arc<DecodeThreads>) -> Self {
        Self::new(threads, self.resource.clone())
    }

    /// Returns the largest number of threads on the current runtime, as
    /// [`count`](DecodeThreads::count) does.
    pub(super) fn count(&self) -> usize {
        self.threads.count()
    }

    /// Runs a job, as [`run`](DecodeThreads::run) does. It waits while too many jobs of this source
    /// run. A job of an abandoned request counts until it ends.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let permit = self.running.clone().acquire_owned().await;
        let job = move || {
            let _running = permit;
            job()
        };
        self.threads.run(&self.resource, job).await
    }
}

/// Performs a job, unless another thread took it.
fn perform(job: &Job) {
    let work = job.lock().take();
    if let Some(work) = work {
        work();
    }
}

impl fmt::Debug for DecodeThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeThreads").field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Runtime;

    use super::*;
    use crate::helpers::Bomb;

    fn runtime(workers: usize) -> Runtime {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(workers)
            .enable_all()
            .build()
            .unwrap()
    }

    fn threads(limit: usize) -> DecodeThreads {
        DecodeThreads::new(NonZeroUsize::new(limit))
    }

    /// A log in memory.
    #[derive(Clone)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn count_is_bounded_by_limit_workers_and_four() {
        let counts = || (threads(0).count(), threads(3).count());
        assert_eq!(counts(), (1, 1), "without a runtime");
        let one = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(one.block_on(async { counts() }), (1, 1));
        assert_eq!(runtime(1).block_on(async { counts() }), (1, 1));
        assert_eq!(runtime(2).block_on(async { counts() }), (2, 2));
        assert_eq!(runtime(8).block_on(async { counts() }), (4, 3));
    }

    #[test]
    fn jobs_share_the_threads_in_order() {
        runtime(2).block_on(async {
            let threads = threads(1);
            let order = Arc::new(Mutex::new(Vec::new()));
            let job = |n| {
                let order = order.clone();
                threads.run("things", move || {
                    order.lock().push(n);
                    thread::current().id()
                })
            };
            let ids = futures::future::join_all((0..20).map(job)).await;
            assert!(ids.iter().all(|id| *id == ids[0] && *id != thread::current().id()));
            assert_eq!(*order.lock(), (0..20).collect::<Vec<_>>());
        });
    }

    #[test]
    fn panic_resumes_and_the_thread_goes_on() {
        runtime(2).block_on(async {
            let threads = threads(1);
            let panics = crate::panic::catch_async(threads.run("things", || panic!("a decoder")));
            assert_eq!(panics.await.unwrap_err(), "a decoder");
            assert_eq!(threads.run("things", || 7).await, 7);
            assert_eq!(threads.queue.state.lock().threads, 1);
        });
    }

    #[test]
    fn abandoned_job_does_not_run() {
        runtime(2).block_on(async {
            let threads = threads(1);
            let (open, gate) = std::sync::mpsc::channel::<()>();
            let first = threads.run("things", move || gate.recv().is_ok());
            let mut first = std::pin::pin!(first);
            assert!(futures::poll!(first.as_mut()).is_pending());
            let ran = Arc::new(Mutex::new(false));
            let noted = ran.clone();
            let mut second = Box::pin(threads.run("things", move || *noted.lock() = true));
            assert!(futures::poll!(second.as_mut()).is_pending());
            drop(second);
            open.send(()).unwrap();
            assert!(first.await);
            threads.run("things", || ()).await;
            assert!(!*ran.lock());
        });
    }

    #[test]
    fn abandoned_job_that_panics_when_dropped_ends_no_thread() {
        runtime(2).block_on(async {
            let mut threads = threads(1);
            threads.patience = Duration::from_secs(3600);
            let (open, gate) = std::sync::mpsc::channel::<()>();
            let mut blocked = std::pin::pin!(threads.run("things", move || gate.recv().is_ok()));
            assert!(futures::poll!(blocked.as_mut()).is_pending());
            let bomb = Bomb;
            let mut abandoned = Box::pin(threads.run("things", move || std::mem::forget(bomb)));
            assert!(futures::poll!(abandoned.as_mut()).is_pending());
            drop(abandoned);
            open.send(()).unwrap();
            assert!(blocked.await);
            let next = timeout(Duration::from_secs(60), threads.run("things", || 7)).await;
            assert_eq!(next, Ok(7));
        });
    }

    #[test]
    fn job_does_not_wait_for_blocked_threads() {
        runtime(2).block_on(async {
            let mut threads = threads(1);
            threads.patience = Duration::from_millis(1);
            let (open, gate) = std::sync::mpsc::channel::<()>();
            let mut blocked = std::pin::pin!(threads.run("things", move || gate.recv().is_ok()));
            assert!(futures::poll!(blocked.as_mut()).is_pending());
            assert_eq!(threads.run("things", || 7).await, 7);
            open.send(()).unwrap();
            assert!(blocked.await);
        });
    }

    #[test]
    fn job_that_takes_long_is_reported_once() {
        runtime(2).block_on(async {
            let mut threads = threads(1);
            threads.patience = Duration::from_millis(1);
            let (open, gate) = std::sync::mpsc::channel::<()>();
            let told = Arc::new(Mutex::new(Vec::new()));
            let log = Log(told.clone());
            let subscriber = tracing_subscriber::fmt().with_writer(move || log.clone()).finish();
            let _guard = tracing::subscriber::set_default(subscriber);
            let mut slow = std::pin::pin!(threads.run("things", move || gate.recv().is_ok()));
            while told.lock().is_empty() {
                let _late = timeout(Duration::from_millis(1), &mut slow).await;
            }
            open.send(()).unwrap();
            assert!(slow.await);
            threads.run("things", || ()).await;
            let told = String::from_utf8(std::mem::take(&mut *told.lock())).unwrap();
            assert_eq!(told.matches("decoding takes longer than 10ms").count(), 1, "{told}");
            assert!(told.contains("things"), "{told}");
        });
    }

    #[test]
    fn abandoned_jobs_of_a_source_are_bounded() {
        runtime(3).block_on(async {
            let mut threads = threads(2);
            threads.patience = Duration::from_millis(1);
            let source = SourceThreads::new(Arc::new(threads), "things".into());
            let mut gates = Vec::new();
            for _ in 0..2 {
                let (tell, begun) = oneshot::channel();
                let (open, gate) = std::sync::mpsc::channel::<()>();
                gates.push(open);
                let job = source.run(move || {
                    tell.send(()).unwrap();
                    gate.recv().is_ok()
                });
                tokio::select! {
                    _ = job => panic!("the gate is closed"),
                    begun = begun => begun.unwrap(),
                }
            }
            assert_eq!(source.running.available_permits(), 0);
            let mut third = std::pin::pin!(source.run(|| 7));
            assert!(futures::poll!(third.as_mut()).is_pending());
            let queue = &source.threads.queue;
            // A thread that was late still finds what the blocking threads have taken.
            assert!(queue.state.lock().jobs.iter().all(|job| job.lock().is_none()));
            let other = source.on(source.threads.clone());
            assert_eq!(other.run(|| 8).await, 8, "another source goes on");
            drop(gates);
            assert_eq!(third.await, 7);
        });
    }

    #[test]
    fn abandoned_jobs_leave_the_queue() {
        runtime(2).block_on(async {
            let mut threads = threads(1);
            threads.patience = Duration::from_secs(3600);
            let source = SourceThreads::new(Arc::new(threads), "things".into());
            let (open, gate) = std::sync::mpsc::channel::<()>();
            let other = source.on(source.threads.clone());
            let (tell, begun) = oneshot::channel();
            let mut blocked = std::pin::pin!(other.run(move || {
                tell.send(()).unwrap();
                gate.recv().is_ok()
            }));
            assert!(futures::poll!(blocked.as_mut()).is_pending());
            begun.await.unwrap();
            for _ in 0..9 {
                let mut abandoned = Box::pin(source.run(|| ()));
                assert!(futures::poll!(abandoned.as_mut()).is_pending());
            }
            assert_eq!(source.running.available_permits(), 1);
            assert!(source.threads.queue.state.lock().jobs.len() <= 2);
            open.send(()).unwrap();
            assert!(blocked.await);
        });
    }

    #[test]
    fn threads_end_with_the_value() {
        runtime(2).block_on(async {
            let threads = threads(2);
            threads.run("things", || ()).await;
            let queue = Arc::downgrade(&threads.queue);
            drop(threads);
            while queue.upgrade().is_some() {
                tokio::task::yield_now().await;
            }
        });
    }
}

//! Budgets after which long work yields to the runtime's other tasks.
//!
//! A task that never waits holds its thread for as long as it works. Long loops therefore spend
//! from a budget and yield when it is used up. The budget counts work. It also reads the clock now
//! and then, because user code may be slow: a turn ends after a millisecond. A paused clock stands
//! still during work, so every run of a test is the same.
//!
//! A task yields in one of two ways:
//!
//! - It goes to the end of its worker's run queue. If the worker blocks, others can steal it there.
//! - It *rests*: it goes on when its worker has run out of tasks. Only then does a worker look for
//!   tasks in the queues of others, one of which may be blocked. It also polls timers and network,
//!   which otherwise wait for 61 turns, however long these take. So each task rests every few
//!   milliseconds. No other worker can steal a task that rests, so a timer also wakes it.
//!
//! Several busy tasks of a worker rest together: a task that yields while another one rests joins
//! it. Otherwise each would keep the worker from running out of tasks while the others rest. If
//! foreign tasks are always ready, the worker never runs out of tasks, and a rest takes 61 of their
//! turns. The longer a rest took, the later the next one comes.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context, Poll, Wake};
use std::time::Duration;

use futures::FutureExt;
use futures::task::AtomicWaker;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::coop::{Unconstrained, unconstrained};
use tokio::task::{consume_budget, yield_now};
use tokio::time::{Instant, Sleep, sleep};

use crate::panic::drop_safely;

/// The number of objects that a task reads, copies or frees before it yields. Each takes at most
/// some microseconds, unless it runs user code.
pub(crate) const TURN: usize = 64;

/// The cost of unpacking one object, or of a call of user code, in objects.
pub(crate) const UNPACKING: usize = 8;

/// The cost of freeing the memory of a part of a large table, in objects.
pub(crate) const PART: usize = 8;

/// The number of bytes that cost as much to decode as one object costs. A budget is then worth a
/// few pods, each of which takes 0.1 to 0.2 ms to decode. Yielding includes a poll of the network:
/// after each pod, it would cost a fifth of a first list's time.
const BYTES: usize = 16 * 1024 / TURN;

/// The cost after which a budget reads the clock again, in objects.
const CLOCK: usize = 8;

/// The time after which a turn ends, although some of its budget is left.
const TURN_TIME: Duration = Duration::from_millis(1);

/// The time after which a task rests instead of going to the end of the run queue.
const WORK_TIME: Duration = Duration::from_millis(4);

/// The shortest time between two rests, in times of the first one. Rests then take at most a ninth
/// of a task's time.
const WORK_PER_REST: u32 = 8;

/// The time after which a task that rests goes on even if its worker blocks.
const REST_TIME: Duration = Duration::from_millis(10);

/// Lets the runtime's other tasks run first, for a task that does not loop.
///
/// Unlike `tokio::task::yield_now`, the task goes back to the run queue at once, where another
/// worker can steal it. Tokio's version hands the waker to the current worker, which wakes it only
/// when it has run out of tasks. If a task blocks that worker meanwhile, as a slow handler may,
/// this task would not run at all.
pub(crate) async fn give_way() {
    let mut gave_way = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut gave_way, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Waits until the worker has run out of tasks, or for [`REST_TIME`] if other workers go on.
/// Returns the time at which it was so.
async fn rest() -> Instant {
    let rest = Arc::<Rest>::default();
    let mut began = false;
    let ended = poll_fn(|cx| {
        rest.task.register(cx.waker());
        if !std::mem::replace(&mut began, true) {
            rest.begin();
            return Poll::Pending;
        }
        rest.ended.get().map_or(Poll::Pending, |at| Poll::Ready(*at))
    });
    let Some(rescue) = rescue() else { return ended.await };
    // With a spent tokio budget, `select!` would poll neither branch.
    unconstrained(async {
        tokio::select! {
            biased;
            () = rescue => Instant::now(),
            at = ended => at,
        }
    })
    .await
}

/// The rest of a task. Other wakes of the task do not end it.
#[derive(Default)]
struct Rest {
    task: AtomicWaker,
    /// The time at which the worker had run out of tasks.
    ended: OnceLock<Instant>,
}

/// A waker that the worker keeps until it has run out of tasks. Its drop ends the rest.
struct EndsRest(Arc<Rest>);

thread_local! {
    /// The last rest that began on this thread. Its worker ends all rests at once.
    static LAST_REST: RefCell<Weak<EndsRest>> = const { RefCell::new(Weak::new()) };
}

impl Rest {
    fn begin(self: &Arc<Self>) {
        let waker = Arc::new(EndsRest(self.clone()));
        LAST_REST.set(Arc::downgrade(&waker));
        let _pending = pin!(yield_now()).poll(&mut Context::from_waker(&waker.into()));
    }

    /// Returns whether a task rests on this thread.
    fn is_under_way() -> bool {
        LAST_REST.with_borrow(Weak::strong_count) > 0
    }
}

impl Wake for EndsRest {
    fn wake(self: Arc<Self>) {}
}

impl Drop for EndsRest {
    fn drop(&mut self) {
        self.0.ended.get_or_init(Instant::now);
        self.0.task.wake();
    }
}

/// A timer that wakes a task on another worker. It takes nothing from tokio's budget of the task,
/// which may be used up.
type Rescue = Pin<Box<Unconstrained<Sleep>>>;

/// Returns the timer of a task that rests. `None` if there is only one thread, or no runtime.
fn rescue() -> Option<Rescue> {
    let runtime = Handle::try_current().ok()?;
    let several = runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
    several.then(|| Box::pin(unconstrained(sleep(REST_TIME))))
}

/// Tokio's own budget of a task, for a stream that the user polls. Without it, a stream that always
/// has events would never let other tasks run.
///
/// When that budget is used up, tokio lets the task rest. Here a timer wakes it, too. The task
/// rests before: `select!` polls nothing of a task whose budget is used up, and so no timer.
#[derive(Default)]
pub(crate) struct TaskBudget {
    spent: usize,
    rescue: Option<Rescue>,
}

impl TaskBudget {
    /// Charges the budget for work that is done.
    pub(crate) fn charge(&mut self, units: usize) {
        self.spent += units;
    }

    /// Spends one unit. Returns `Pending` if the budget is used up, until the task's next turn.
    pub(crate) fn poll_spend(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.rescue = None;
        let spent = if self.spent < TURN {
            self.spent += 1;
            pin!(consume_budget()).poll(cx)
        } else {
            self.spent = 0;
            pin!(yield_now()).poll(cx)
        };
        if spent.is_pending()
            && let Some(mut timer) = rescue()
        {
            let _armed = timer.as_mut().poll(cx);
            self.rescue = Some(timer);
        }
        spent
    }
}

/// A budget of work between two yields. Its unit is one object that is read, copied or freed.
///
/// A task keeps its budget for as long as it loops, because the budget knows when the task rested.
#[derive(Debug)]
pub struct YieldBudget {
    left: usize,
    budget: usize,
    /// The clock is read when at most this is left.
    next_look: usize,
    /// The time at which the turn began. `None` before the first look at the clock.
    began: Option<Instant>,
    /// The time from which the task rests when it yields. `None` before the first yield.
    rest_due: Option<Instant>,
}

impl YieldBudget {
    /// Creates a budget of [`TURN`] objects between two yields.
    #[allow(clippy::new_without_default, reason = "hidden: public for `kube-controllers` only")]
    pub fn new() -> Self {
        Self::of(TURN)
    }

    /// Creates a budget that never yields.
    pub fn unlimited() -> Self {
        Self { next_look: 0, ..Self::of(usize::MAX) }
    }

    fn of(budget: usize) -> Self {
        Self { left: budget, budget, next_look: budget - CLOCK, began: None, rest_due: None }
    }

    /// Notes that the task waits or has waited. The time until then is no work.
    pub fn waited(&mut self) {
        self.began = None;
    }

    /// Notes that a turn began at this time, unless it had begun before.
    pub fn begin(&mut self, now: Instant) {
        self.began.get_or_insert(now);
    }

    /// Charges the budget for work that is done. Follow it with [`pause`](Self::pause).
    pub fn charge(&mut self, objects: usize) {
        self.left = self.left.saturating_sub(objects);
    }

    /// Charges the budget for decoding this many bytes. Follow it with [`pause`](Self::pause).
    pub fn charge_bytes(&mut self, bytes: usize) {
        self.charge(bytes.div_ceil(BYTES));
    }

    /// Charges the budget for work that took this long. A turn's time costs the whole budget.
    pub fn charge_time(&mut self, time: Duration) {
        let units = time.as_micros().saturating_mul(TURN as u128) / TURN_TIME.as_micros();
        self.charge(usize::try_from(units).unwrap_or(usize::MAX));
    }

    /// Yields if the budget is used up.
    pub async fn pause(&mut self) {
        if self.left == 0 || self.is_late() {
            self.give_way().await;
        }
    }

    /// Yields if the budget is too small for this many objects, then charges it. Call it before the
    /// work.
    pub async fn spend(&mut self, objects: usize) {
        if self.left < objects || self.is_late() {
            self.give_way().await;
        }
        self.charge(objects);
    }

    /// Yields, whatever is left of the budget.
    pub async fn give_way(&mut self) {
        if !self.rest_if_due().await {
            give_way().await;
        }
        (self.left, self.next_look) = (self.budget, self.budget - CLOCK);
        self.began = Some(Instant::now());
    }

    /// Rests if the task has not rested for some milliseconds, or if another task of the worker
    /// rests. Returns whether it did.
    pub async fn rest_if_due(&mut self) -> bool {
        let now = Instant::now();
        let began = self.began.unwrap_or(now);
        let is_due = now >= *self.rest_due.get_or_insert_with(|| began + WORK_TIME);
        let rests = is_due || Rest::is_under_way();
        if rests {
            // Boxed, because it is rare, and each future around it would take its room.
            let end = rest().boxed().await;
            let work = WORK_TIME.max(end.duration_since(now) * WORK_PER_REST);
            self.rest_due = Some(end + work);
        }
        rests
    }

    /// Returns whether the turn has lasted too long. Reads the clock only now and then.
    fn is_late(&mut self) -> bool {
        if self.left > self.next_look {
            return false;
        }
        self.next_look = self.left.saturating_sub(CLOCK);
        let now = Instant::now();
        now.duration_since(*self.began.get_or_insert(now)) >= TURN_TIME
    }

    /// Drops these values one by one, and yields in between. Each costs as much as this number of
    /// objects.
    pub async fn free<T>(&mut self, values: impl IntoIterator<Item = T>, objects: usize) {
        let mut values = values.into_iter();
        loop {
            self.spend(objects).await;
            let Some(value) = values.next() else { break };
            drop_safely(value);
        }
    }

    /// Passes these values on one by one, and yields in between. If the future is dropped, the rest
    /// is passed on at once.
    pub async fn pass_on<T>(&mut self, values: impl IntoIterator<Item = T>, to: impl FnMut(T)) {
        let mut left = Remaining { values: values.into_iter(), to };
        loop {
            self.spend(1).await;
            let Some(value) = left.values.next() else { break };
            (left.to)(value);
        }
    }
}

/// The values that were not passed on yet.
struct Remaining<I: Iterator<Item = T>, T, F: FnMut(T)> {
    values: I,
    to: F,
}

impl<I: Iterator<Item = T>, T, F: FnMut(T)> Drop for Remaining<I, T, F> {
    fn drop(&mut self) {
        self.values.by_ref().for_each(&mut self.to);
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::task::Waker;
    use std::thread;

    use futures::future::join_all;
    use parking_lot::Mutex;
    use tokio::time::{MissedTickBehavior, interval};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Work of a millisecond, and the steps of it between the ticks of a timer on the same thread.
    #[derive(Clone, Default)]
    struct Work {
        done: Arc<AtomicUsize>,
        between: Arc<Mutex<Vec<usize>>>,
    }

    impl Work {
        fn step(&self) {
            thread::sleep(MS);
            self.done.fetch_add(1, Relaxed);
        }

        fn tick(&self) {
            let done = self.done.swap(0, Relaxed);
            if done > 0 {
                self.between.lock().push(done);
            }
        }

        /// Returns the steps between every two ticks, if there were any.
        fn between_ticks<T: Future<Output = ()> + Send + 'static>(
            tasks: usize,
            work: impl Fn(Self) -> T,
        ) -> Vec<usize> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
            let (runtime, steps) = (runtime.unwrap(), Self::default());
            let ticked = steps.clone();
            runtime.spawn(async move {
                let mut ticks = interval(MS);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
                loop {
                    ticks.tick().await;
                    ticked.tick();
                }
            });
            let works: Vec<_> = (0..tasks).map(|_| runtime.spawn(work(steps.clone()))).collect();
            runtime.block_on(join_all(works));
            steps.tick();
            std::mem::take(&mut *steps.between.lock())
        }
    }

    /// A slower machine does less work between two ticks.
    #[test]
    fn slow_work_lets_timers_run() {
        let spends = Work::between_ticks(1, |work| async move {
            let mut budget = YieldBudget::new();
            for _ in 0..300 {
                budget.spend(1).await;
                work.step();
            }
        });
        let passes_on = Work::between_ticks(1, |work| async move {
            YieldBudget::new().pass_on(0..300, |_| work.step()).await;
        });
        let decodes = Work::between_ticks(1, |work| async move {
            let mut budget = YieldBudget::new();
            for _ in 0..300 {
                work.step();
                budget.charge_bytes(BYTES);
                budget.pause().await;
            }
        });
        for between in [spends, passes_on, decodes] {
            let most = between.into_iter().max().unwrap();
            assert!(most <= 4 * CLOCK, "a timer waited for {most} times the work of its period");
        }
    }

    #[test]
    fn busy_tasks_rest_together() {
        const STEPS: usize = 150;
        for tasks in [2, 4, 8] {
            let between = Work::between_ticks(tasks, |work| async move {
                let mut budget = YieldBudget::new();
                for _ in 0..STEPS {
                    budget.give_way().await;
                    work.step();
                }
            });
            let ticks = between.len();
            assert!(ticks >= STEPS / 5, "{ticks} ticks during {STEPS} steps of {tasks} tasks");
        }
    }

    /// Runs a task on one of two workers, and blocks that worker as soon as the task yields.
    fn blocked_after(yields: impl Future<Output = ()> + Send + 'static) {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_time().build().unwrap();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let task = runtime.spawn(async move {
            let (mut yields, mut released) = (pin!(yields), Some(released));
            poll_fn(|cx| {
                let polled = yields.as_mut().poll(cx);
                if polled.is_pending()
                    && let Some(released) = released.take()
                {
                    // Tokio runs this next, on this worker.
                    tokio::spawn(async move { released.recv().unwrap_err() });
                }
                polled
            })
            .await;
            drop(release);
        });
        let goes_on = async { tokio::time::timeout(60_000 * MS, task).await };
        let went_on = runtime.block_on(goes_on);
        runtime.shutdown_background();
        went_on.expect("the task waits for the blocked worker").unwrap();
    }

    #[test]
    fn yielding_task_does_not_wait_for_a_blocked_worker() {
        blocked_after(async { YieldBudget::new().give_way().await });
        blocked_after(async { _ = rest().await });
        blocked_after(async {
            let mut budget = TaskBudget::default();
            for _ in 0..1_000 {
                poll_fn(|cx| budget.poll_spend(cx)).await;
            }
        });
        blocked_after(async {
            let mut budget = TaskBudget::default();
            for _ in 0..1_000 {
                tokio::select! {
                    () = poll_fn(|cx| budget.poll_spend(cx)) => {}
                    () = pending() => {}
                }
            }
        });
        blocked_after(async {
            for _ in 0..128 {
                consume_budget().await;
            }
            rest().await;
        });
    }

    #[tokio::test]
    async fn other_wakes_do_not_end_a_rest() {
        let rests = tokio::spawn(async {
            let mut rests = pin!(rest());
            for _ in 0..8 {
                assert_eq!(rests.as_mut().now_or_never(), None);
                give_way().await;
            }
            rests.await
        });
        let end = rests.await.unwrap();
        assert!(end <= Instant::now());
    }

    /// A slower machine makes rests longer, and so rarer.
    #[test]
    fn rests_beside_busy_tasks_are_rare() {
        const STEPS: usize = 300;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let turns = Arc::<AtomicUsize>::default();
        for _ in 0..2 {
            let turns = turns.clone();
            runtime.spawn(async move {
                loop {
                    thread::sleep(MS / 10);
                    turns.fetch_add(1, Relaxed);
                    give_way().await;
                }
            });
        }
        let works = runtime.spawn(async {
            let mut budget = YieldBudget::new();
            for _ in 0..STEPS {
                thread::sleep(MS);
                budget.give_way().await;
            }
        });
        runtime.block_on(works).unwrap();
        let turns = turns.load(Relaxed);
        assert!(turns <= 4 * 2 * STEPS, "{turns} turns of others beside {STEPS}");
    }

    #[tokio::test(start_paused = true)]
    async fn turns_count_work_while_the_clock_stands_still() {
        let mut budget = YieldBudget::new();
        for turn in 0..3 {
            for object in 0..TURN {
                let spent = budget.spend(1).now_or_never();
                assert_eq!(spent.is_none(), turn > 0 && object == 0, "{turn}, {object}");
                if spent.is_none() {
                    budget.spend(1).await;
                }
            }
        }
    }

    #[test]
    fn values_are_passed_on_even_if_the_future_is_dropped() {
        let mut passed = Vec::new();
        let passing = YieldBudget::new().pass_on(0..1_000, |n| passed.push(n)).now_or_never();
        assert_eq!((passing, passed), (None, (0..1_000).collect()));
    }

    #[test]
    fn work_needs_no_runtime() {
        let mut budget = YieldBudget::new();
        for _ in 0..9 {
            thread::sleep(MS);
            let mut yields = pin!(budget.give_way());
            let mut cx = Context::from_waker(Waker::noop());
            assert_eq!(yields.as_mut().poll(&mut cx), Poll::Pending);
            assert_eq!(yields.as_mut().poll(&mut cx), Poll::Ready(()));
        }
    }
}

use super::*;

/// Creates a queue with one item, parked for a minute.
async fn parked() -> WorkQueue<u32> {
    let queue = WorkQueue::new();
    queue.add(1);
    assert!(queue.get().await.unwrap().park(60 * S));
    queue
}

fn counts(queue: &WorkQueue<u32>) -> (usize, usize, usize, usize) {
    let status = queue.status();
    (status.ready, status.processing, status.delayed, status.parked)
}

#[tokio::test(start_paused = true)]
async fn adds_do_not_make_a_parked_item_ready() {
    let queue = parked().await;
    assert_eq!(counts(&queue), (0, 0, 0, 1));
    queue.add(1);
    queue.add_with(1, Priority::HIGH);
    queue.add_after(1, S);
    queue.add_rate_limited(1);
    sleep(30 * S).await;
    assert!(queue.try_get().is_none());
    assert_eq!(counts(&queue), (0, 0, 0, 1));
    assert!(queue.unpark(&1));
    assert_eq!(counts(&queue), (1, 0, 0, 0));
    let work = queue.try_get().unwrap();
    assert_eq!(work.priority(), Priority::HIGH, "the adds are remembered");
    drop(work);
    assert!(timeout(100 * S, queue.get()).await.is_err(), "the limit went with it");
}

#[tokio::test(start_paused = true)]
async fn a_parked_item_comes_at_its_limit() {
    let queue = parked().await;
    let start = Instant::now();
    assert_eq!(*queue.get().await.unwrap(), 1);
    assert_eq!(start.elapsed(), 60 * S);
    assert_eq!(counts(&queue).3, 0);
    assert!(!queue.unpark(&1));
}

#[tokio::test(start_paused = true)]
async fn an_unpark_wakes_a_worker_that_waits() {
    let queue = parked().await;
    let worker = queue.clone();
    let worker = tokio::spawn(async move { worker.get().await.map(|work| *work) });
    sleep(MS).await;
    let start = Instant::now();
    assert!(queue.unpark(&1));
    assert_eq!(worker.await.unwrap(), Some(1));
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn an_unpark_before_the_park_is_not_missed() {
    let queue = WorkQueue::new();
    queue.add(1);
    let work = queue.get().await.unwrap();
    assert!(!queue.unpark(&1), "it is not parked yet");
    work.park(60 * S);
    let work = queue.try_get().expect("it was woken meanwhile");
    work.park(60 * S);
    assert!(queue.try_get().is_none(), "once");
}

#[tokio::test(start_paused = true)]
async fn add_before_the_park_waits_with_it() {
    let queue = WorkQueue::new();
    queue.add_with(1, Priority::LOW);
    let work = queue.get().await.unwrap();
    queue.add(1);
    work.park(60 * S);
    assert!(queue.try_get().is_none());
    queue.unpark(&1);
    assert_eq!(queue.try_get().unwrap().priority(), Priority::NORMAL);
}

#[tokio::test(start_paused = true)]
async fn an_unpark_ends_no_other_wait() {
    let queue = WorkQueue::builder().backoff_holds(Duration::MAX).build();
    queue.add_after(1, S);
    queue.add_rate_limited(2);
    for item in [1, 2, 3] {
        assert!(!queue.unpark(&item));
    }
    assert!(queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn any_limit_is_fine_and_none_is_now() {
    let queue = WorkQueue::new();
    queue.add(1);
    queue.get().await.unwrap().park(Duration::ZERO);
    queue.try_get().expect("at once").park(Duration::MAX);
    sleep(1_000_000 * S).await;
    assert!(queue.try_get().is_none());
    queue.unpark(&1);
    queue.try_get().unwrap().requeue_after(Duration::MAX);
    assert_eq!(queue.status().delayed, 1);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_gives_back_what_is_parked() {
    let queue = parked().await;
    assert_eq!(queue.shutdown(), [1]);
    assert_eq!(counts(&queue), (0, 0, 0, 0));
    assert!(queue.get().await.is_none());

    let queue = WorkQueue::new();
    queue.add(1);
    let work = queue.get().await.unwrap();
    queue.shutdown();
    assert!(!work.park(S), "it takes nothing any more");
    assert!(queue.get().await.is_none());
}

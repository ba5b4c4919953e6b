use super::*;

#[tokio::test(start_paused = true)]
async fn urgent_items_go_first_and_waiting_items_age() {
    let queue = WorkQueue::new();
    queue.add_with(1, Priority::LOW);
    queue.add_with(2, Priority::NORMAL);
    queue.add_with(3, Priority::HIGH);
    queue.add_with(4, Priority::NORMAL);
    assert_eq!(all_ready(&queue), [3, 2, 4, 1]);

    queue.add_with(1, Priority::LOW);
    sleep(29 * S).await;
    queue.add(2);
    sleep(2 * S).await;
    queue.add(3);
    assert_eq!(all_ready(&queue), [2, 1, 3]);
}

#[tokio::test(start_paused = true)]
async fn adding_again_moves_an_item_only_forward() {
    let queue = WorkQueue::new();
    queue.add_with(1, Priority::LOW);
    queue.add(2);
    queue.add_with(1, Priority::HIGH);
    queue.add_with(1, Priority::LOW);
    assert_eq!(queue.len(), 2);
    assert_eq!(all_ready(&queue), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn nothing_starves_under_a_flood_of_urgent_items() {
    let queue = WorkQueue::new();
    queue.add_with(0, Priority::LOW);
    let start = Instant::now();
    for item in 1..100_000 {
        // Two are added for each done.
        queue.add_with(2 * item, Priority::HIGH);
        queue.add_with(2 * item + 1, Priority::HIGH);
        sleep(10 * MS).await;
        if queue.get().await.is_some_and(|work| *work == 0) {
            // A minute of head start, and as much again for the backlog of that minute.
            assert!(start.elapsed() < 130 * S, "{:?}", start.elapsed());
            return;
        }
    }
    panic!("it starved");
}

#[test]
fn groups_are_served_in_turn() {
    let queue = WorkQueue::builder().fair_by(|item: &u32| item / 100).build();
    for item in [101, 102, 103, 104, 201, 301, 302] {
        queue.add(item);
    }
    assert_eq!(all_ready(&queue), [101, 201, 301, 102, 302, 103, 104]);
}

#[tokio::test(start_paused = true)]
async fn what_comes_again_keeps_its_priority() {
    type Again = fn(Work<u32>) -> bool;
    let again: [Again; 3] = [
        |work| work.retry().is_some(),
        |work| work.requeue_after(5 * MS),
        |work| work.park(5 * MS),
    ];
    for (round, again) in again.into_iter().enumerate() {
        let queue = WorkQueue::builder().aging(Duration::MAX).build();
        queue.add_with(1, Priority::LOW);
        queue.add_with(2, Priority::HIGH);
        for priority in [Priority::HIGH, Priority::LOW] {
            let work = queue.try_get().unwrap();
            assert_eq!(work.priority(), priority);
            assert!(again(work), "round {round}");
        }
        sleep(S).await;
        queue.add_with(3, Priority::NORMAL);
        assert_eq!(all_ready(&queue), [2, 3, 1], "round {round}");
    }
}

#[tokio::test(start_paused = true)]
async fn retry_takes_the_highest_priority_of_adds() {
    let queue = WorkQueue::builder().backoff_holds(Duration::MAX).build();
    queue.add_with(1, Priority::LOW);
    let work = queue.try_get().unwrap();
    queue.add_with(1, Priority::HIGH);
    work.retry();
    assert!(queue.try_get().is_none(), "it is in backoff");
    let work = queue.get().await.unwrap();
    assert_eq!(work.priority(), Priority::HIGH);
    work.retry();
    queue.add(1);
    assert_eq!(queue.get().await.unwrap().priority(), Priority::HIGH);
}

//! Clocks that jump: a machine that slept, a process that was stopped.

use tokio::time::advance;

use super::*;

#[tokio::test(start_paused = true)]
async fn time_that_jumps_loses_nothing() {
    for way in WAYS {
        for seconds in [1, 59, 61, 300, 700, 3_600, 86_400, 30 * 86_400] {
            let rig = Rig::synced(way).await;
            for word in ["a", "bb", "ccc"] {
                rig.change(word);
                advance(Duration::from_secs(seconds)).await;
                rig.change(&format!("{word}-after"));
            }
            rig.comes_right().await;
            assert_eq!(rig.relists().total(), 0, "{:?}", rig.texts());
            rig.stop().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn clock_jump_during_an_outage_is_survived() {
    for code in [429, 500] {
        let rig = Rig::synced(Way::List).await;
        let outage = rig.inject(Requests::all(), Injection::status(code));
        rig.faults.cut_now();
        for _ in 0..20 {
            rig.faults.cut_now();
            advance(Duration::from_secs(1_000)).await;
            sleep(Duration::from_millis(1)).await;
        }
        rig.server.compact();
        rig.change("outage");
        outage.remove();
        rig.comes_right().await;
        rig.stop().await;
    }
}

/// While a list is on its way, and while a watch is opened.
#[tokio::test(start_paused = true)]
async fn clock_jump_costs_at_most_one_retry() {
    for way in WAYS {
        let rig = Rig::new(way);
        let slow = rig.inject(Requests::reads(), Injection::delay(Duration::from_secs(5)));
        rig.factory.start().unwrap();
        for _ in 0..5 {
            sleep(Duration::from_secs(2)).await;
            advance(Duration::from_secs(400)).await;
            rig.change("x");
            let _ = rig.server.delete(&map("new-x", ""));
        }
        slow.remove();
        rig.factory.wait_for_sync(Duration::from_secs(600)).await.unwrap();
        rig.comes_right().await;
        rig.stop().await;
    }
}

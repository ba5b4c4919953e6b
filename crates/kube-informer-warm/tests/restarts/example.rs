//! The example `warm_restart`.

#[allow(dead_code, reason = "its main")]
#[path = "../../../../examples/warm_restart.rs"]
mod warm_restart;

use crate::world::Scratch;

#[tokio::test(start_paused = true)]
async fn start_from_kept_objects_receives_little_and_reports_deletes() {
    let scratch = Scratch::new("example");
    let [cold, warm] = warm_restart::compare(scratch.path()).await.unwrap();
    assert_eq!((cold.objects, warm.objects), (1_990, 1_990));
    assert_eq!((cold.deletes, warm.deletes), (0, 10));
    assert!(warm.bytes * 20 < cold.bytes, "{warm:?} {cold:?}");
}

//! Questions to a quorum, and what their answers prove.

use futures::FutureExt;

use super::*;
use crate::reflector::prover::ProverEvent;
use crate::time::ReadBarrier;

#[tokio::test(start_paused = true)]
async fn next_demand_does_not_wait_for_the_list_of_the_last() {
    let reflector = Reflector::new(Arc::new(source(&["a"])), ReflectorOptions::<ConfigMap>::new());
    let (monitor, mut prover) = (reflector.monitor(), reflector.driver.prover);
    let demand = || {
        let monitor = monitor.clone();
        tokio::spawn(async move { monitor.proved_since(ReadBarrier::now()).await })
    };
    let first = demand();
    assert!(matches!(prover.next().await, ProverEvent::Due));
    prover.ask(Some(1.into()));
    let ProverEvent::Answered(version, question) = prover.next().await else { panic!("no answer") };
    assert!(prover.await_version(version.clone(), question, false, None));
    prover.put_off_list(Instant::now() + Duration::from_secs(60));
    assert!(prover.has_reached(Some(&version)));
    prover.prove();
    first.await.unwrap();
    let second = demand();
    settle().await;
    assert!(matches!(prover.next().now_or_never(), Some(ProverEvent::Due)));
    second.abort();
}

#[tokio::test(start_paused = true)]
async fn old_question_forgets_no_named_version() {
    let too_old = Fault::Status(ApiStatus::new(410, "Expired", "too old resource version: 5 (7)"));
    let too_old = SourceError::new(source(&[]).collection().request_name(Verb::Watch), too_old);
    let rig = Reflector::new(Arc::new(source(&[])), ReflectorOptions::<ConfigMap>::new());
    let mut machine = rig.machine;
    machine.note_version(Some(5.into()), Instant::now());
    let begun = ReadBarrier::now();
    machine.note_refusal(&too_old);
    machine.note_quorum(&5.into(), begun);
    assert!(!machine.is_current(), "the question began before the 410 named 7");
    machine.note_quorum(&5.into(), ReadBarrier::now());
    assert!(machine.is_current(), "history was lost");
}

//! Proofs that a watch is current.

use super::*;

#[tokio::test(start_paused = true)]
async fn freshness_is_the_age_of_the_last_proof() {
    let rig = Rig::start(source(&["a"]));
    let age = || rig.monitor.status().freshness.map(|age| age.as_secs());
    assert_eq!(age(), None);
    seconds(50.0).await;
    assert_eq!(age(), Some(50), "since the list");
    rig.source.put(object("a"));
    seconds(7.0).await;
    assert_eq!(age(), Some(7), "since the event");
    rig.source.send_bookmark();
    seconds(3.0).await;
    assert_eq!(age(), Some(3), "since the bookmark");
    assert_eq!(rig.monitor.status().lists, 1, "no additional request is made");
}

#[tokio::test(start_paused = true)]
async fn quiet_watch_is_proved_by_a_list_of_one_item() {
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60));
    let rig = Rig::with(source(&["a", "b", "c"]), options);
    for _ in 0..1000 {
        seconds(7.0).await;
        let status = rig.monitor.status();
        assert!(status.freshness <= Some(Duration::from_secs(31)), "{status:?}");
    }
    let probes = rig.limits().iter().filter(|limit| **limit == Some(1)).count();
    assert!((200..250).contains(&probes), "{probes} probes in 7,000 s");
    assert_eq!(rig.log(), ["=3"], "and nothing else happens");
    assert!(rig.errors().is_empty());
}

#[tokio::test(start_paused = true)]
async fn watch_behind_the_quorum_is_relisted() {
    let fake = Arc::new(source(&["a"]));
    let silent = ScriptedSource::new(&fake, |_| {});
    silent.silence(true);
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60)).seed(1);
    let reflector = Reflector::new(silent.clone(), options);
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(10.0).await;
    fake.put(object("b"));
    seconds(65.0).await;
    assert_eq!(sink.0.lock().1.len(), 2, "{:?}", monitor.status());
    assert_eq!(monitor.status().relists.of(RelistCause::Unproven), 1);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn failed_probe_is_reported_and_repeated() {
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60));
    let rig = Rig::with(source(&["a"]), options);
    seconds(10.0).await;
    rig.source.fail_list(fault(403, "Forbidden"));
    seconds(25.0).await;
    assert_eq!(rig.errors(), [FaultClass::Forbidden]);
    assert!(rig.monitor.status().freshness > Some(Duration::from_secs(30)));
    seconds(20.0).await;
    assert!(rig.monitor.status().freshness < Some(Duration::from_secs(20)));
    assert_eq!(rig.log(), ["=1"]);
}

//! Mistakes that are found before anything starts.

use std::convert::Infallible;

use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Sharding};

use super::*;

fn task(builder: ManagerBuilder, name: &str) -> ManagerBuilder {
    builder.task_on_every_replica(name, |_| async { Ok::<_, BoxError>(()) })
}

#[tokio::test]
async fn names_must_differ() {
    let server = ApiServer::new();
    let (factory, controller) = maps(&server, "same");
    let done = |_| async { Ok::<_, Infallible>(Action::done()) };
    let refused = |builder: ManagerBuilder| builder.build().unwrap_err().to_string();
    let twice = task(Manager::builder(&factory).controller(controller, done), "same");
    let expected = r#"the name "same" is used twice: give each controller, task and check its own"#;
    assert_eq!(refused(twice), expected);
    assert!(refused(task(Manager::builder(&factory), "")).contains("empty name"));
    let built = task(task(Manager::builder(&factory), "one"), "another").build();
    assert!(built.is_ok());
}

#[tokio::test]
async fn there_is_one_election() {
    let server = ApiServer::new();
    let (factory, _) = maps(&server, "maps");
    let twice = Manager::builder(&factory)
        .leader_election(elector(server.client(), "a"))
        .leader_election(elector(server.client(), "b"));
    assert!(matches!(twice.build(), Err(ManagerError::TwoElections)));
    let own = Controller::builder("own", &factory.informer::<ConfigMap>())
        .leader_election(elector(server.client(), "a"))
        .build();
    let own = Manager::builder(&factory)
        .controller(own, |_| async { Ok::<_, Infallible>(Action::done()) });
    let refused = own.build().unwrap_err().to_string();
    assert!(refused.starts_with("controller own has a leader election of its own"), "{refused}");
}

#[tokio::test]
async fn sharded_controllers_do_not_wait_for_leadership() {
    let server = ApiServer::new();
    let (factory, _) = maps(&server, "maps");
    let by = ShardBy::Namespace;
    let sharding = Sharding::builder(server.client(), "default", "group", by).build().unwrap();
    let sharded = || {
        let maps = factory.informer::<ConfigMap>();
        Controller::builder("sharded", &maps).sharded(&sharding).build()
    };
    let done = |_| async { Ok::<_, Infallible>(Action::done()) };
    let elected = || Manager::builder(&factory).leader_election(elector(server.client(), "a"));
    let refused = elected().controller(sharded(), done).build().unwrap_err().to_string();
    assert!(refused.contains("controller sharded is sharded and waits"), "{refused}");
    assert!(elected().controller_on_every_replica(sharded(), done).build().is_ok());
    assert!(Manager::builder(&factory).controller(sharded(), done).build().is_ok());
}

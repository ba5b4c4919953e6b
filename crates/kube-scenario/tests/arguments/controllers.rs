//! Arguments of controllers and what stands around them.

use std::io;
use std::num::NonZeroUsize;
use std::time::Duration;

use http::{Request, Response};
use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{Api, ApiResource, DynamicObject};
use kube_controllers::clusters::{
    Clusters, ClustersBuilder, KubeconfigContexts, KubeconfigSecrets,
};
use kube_controllers::controller::{AssumedView, ControllerBuilder, OwnWrites, finalizer};
use kube_controllers::leader_election::LeaderElectorBuilder;
use kube_controllers::manager::ManagerBuilder;
use kube_controllers::sharding::{ShardBy, ShardingBuilder};
use kube_controllers::writing::conditions::{self, NewCondition};
use kube_controllers::writing::{
    Applier, EventRecorder, NewEvent, set_controller_reference, set_owner_reference,
    set_reference_with,
};
use kube_controllers::{Action, Controller, LeaderElector, Manager, Serve, Sharding};
use kube_informer::{InformerSpec, ObjectKey};
use std::sync::Arc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::informer::{factory, map, server};
use crate::{S, Trials, run};

pub(crate) fn try_all(trials: &mut Trials) {
    electors(trials);
    shardings(trials);
    clusters(trials);
    managers(trials);
    controllers(trials);
    caches(trials);
    writing(trials);
}

fn electors(trials: &mut Trials) {
    let builds = |namespace: &str, name: &str| {
        run(async { LeaderElector::builder(server().client(), namespace, name).build().is_ok() })
    };
    let set = |set: &dyn Fn(LeaderElectorBuilder) -> LeaderElectorBuilder| {
        run(async { set(LeaderElector::builder(server().client(), "shop", "a")).build().is_ok() })
    };
    trials.names("LeaderElector::builder namespace", |it| builds(it, "a"));
    trials.names("LeaderElector::builder name", |it| builds("a", it));
    trials.names("LeaderElectorBuilder::label name", |it| set(&|one| one.label(it, "x")));
    trials.check(
        "LeaderElectorBuilder::label value",
        [String::new(), "a".into(), "A.b_c".into(), "a".repeat(63)],
        [" ".to_owned(), "-a".into(), "a/b".into(), "é".into(), "a\u{7f}".into(), "a".repeat(64)],
        |it| set(&|one| one.label("a", &*it)),
    );
    trials.check("LeaderElectorBuilder::identity identity", ["a", "é", "a\u{7f}"], [""], |it| {
        set(&|one| one.identity(it))
    });
    let minutes = |times: u64| Duration::from_secs(60 * times);
    let zeros = [Duration::ZERO, Duration::from_nanos(1)];
    let long = [Duration::from_secs(i32::MAX.unsigned_abs().into()), Duration::MAX];
    let long_too = || zeros.into_iter().chain(long);
    trials.check(
        "LeaderElectorBuilder::lease_duration duration",
        [11 * S, minutes(9)],
        long_too(),
        |it| set(&|one| one.lease_duration(it)),
    );
    trials.check(
        "LeaderElectorBuilder::renew_deadline deadline",
        [5 * S, 14 * S],
        long_too().chain([15 * S]),
        |it| set(&|one| one.renew_deadline(it)),
    );
    trials.check(
        "LeaderElectorBuilder::retry_period period",
        [Duration::from_millis(1), 8 * S],
        long_too().chain([9 * S]),
        |it| set(&|one| one.retry_period(it)),
    );
    let owner = |version: &str, kind: &str, name: &str, uid: &str| OwnerReference {
        api_version: version.into(),
        kind: kind.into(),
        name: name.into(),
        uid: uid.into(),
        ..OwnerReference::default()
    };
    trials.check(
        "LeaderElectorBuilder::owner owner",
        [owner("v1", "Pod", "a", "u"), owner("events.k8s.io/v1", "Event", "a", "u")],
        [
            owner("", "Pod", "a", "u"),
            owner("a/b/c", "Pod", "a", "u"),
            owner("v1", "", "a", "u"),
            owner("v1", "Pod", "", "u"),
            owner("v1", "Pod", "a", ""),
            owner("v1", "Event", "a", "u"),
            owner("/v1", "Event", "a", "u"),
        ],
        |it| set(&|one| one.owner(it.clone())),
    );
    trials.times("LeaderElectorBuilder::grace timeout", |it| assert!(set(&|one| one.grace(it))));
}

fn shardings(trials: &mut Trials) {
    let set = |set: &dyn Fn(ShardingBuilder) -> ShardingBuilder| {
        run(async {
            let client = server().client();
            set(Sharding::builder(client, "shop", "a", ShardBy::Uid)).build().is_ok()
        })
    };
    let builds = |namespace: &str, group: &str| {
        run(async {
            Sharding::builder(server().client(), namespace, group, ShardBy::Uid).build().is_ok()
        })
    };
    trials.names("Sharding::builder namespace", |it| builds(it, "a"));
    trials.names("Sharding::builder group", |it| builds("a", it));
    trials.check("ShardingBuilder::identity identity", ["a", "é", "a\u{7f}"], [""], |it| {
        set(&|one| one.identity(it))
    });
    trials.check("ShardingBuilder::slots slots", [1, 1_024], [0, 1_025, usize::MAX], |it| {
        set(&|one| one.slots(it))
    });
    let wrong = [Duration::ZERO, Duration::from_nanos(1), Duration::MAX];
    trials.check("ShardingBuilder::lease_duration duration", [11 * S], wrong, |it| {
        set(&|one| one.lease_duration(it))
    });
    trials.check("ShardingBuilder::renew_deadline deadline", [5 * S], wrong, |it| {
        set(&|one| one.renew_deadline(it))
    });
    trials.check(
        "ShardingBuilder::retry_period period",
        [Duration::from_millis(1), 4 * S],
        wrong.into_iter().chain([5 * S]),
        |it| set(&|one| one.retry_period(it)),
    );
    trials.times("ShardingBuilder::grace grace", |it| assert!(set(&|one| one.grace(it))));
    let sharding = run(async {
        let builder = Sharding::builder(server().client(), "shop", "a", ShardBy::Uid);
        builder.slots(3).build().unwrap()
    });
    trials.numbers("Sharding::slot_of hash", |it| assert!(sharding.slot_of(it) < 3));
    trials.numbers("Sharding::scope hash", |it| assert!(sharding.scope(it).is_none()));
}

fn clusters(trials: &mut Trials) {
    let secrets = |namespace: &str, labels: &str| {
        run(async { KubeconfigSecrets::new(&factory(), namespace, labels).is_ok() })
    };
    trials.names("KubeconfigSecrets::new namespace", |it| secrets(it, "a"));
    trials.names("KubeconfigSecrets::new labels", |it| secrets("a", it));
    trials.names("KubeconfigSecrets::key key", |it| {
        run(async { KubeconfigSecrets::new(&factory(), "a", "").unwrap().key(it).is_ok() })
    });
    let runs = |set: &dyn Fn(ClustersBuilder) -> ClustersBuilder| {
        let clusters = set(Clusters::builder(KubeconfigContexts::from_file(""))).build();
        run(async {
            let stop = CancellationToken::new();
            let running = clusters.run(stop.clone(), |_| async { Ok::<_, io::Error>(()) });
            let ends = async {
                sleep(S).await;
                stop.cancel();
            };
            let _late = timeout(60 * S, futures::future::join(running, ends)).await;
        });
    };
    trials.sizes("ClustersBuilder::max_concurrent_lists lists", |it| {
        runs(&|one| one.max_concurrent_lists(it));
    });
    trials.sizes("ClustersBuilder::decode_threads threads", |it| {
        let threads = NonZeroUsize::new(it).unwrap_or(NonZeroUsize::MIN);
        runs(&|one| one.decode_threads(threads));
    });
    trials.times("ClustersBuilder::grace limit", |it| runs(&|one| one.grace(it)));
}

async fn done<T>(_: T) -> Result<(), io::Error> {
    Ok(())
}

fn managers(trials: &mut Trials) {
    let builds = |set: &dyn Fn(ManagerBuilder) -> ManagerBuilder| {
        run(async { set(Manager::builder(&factory())).build().is_ok() })
    };
    trials.names("ManagerBuilder::task_while_leading name", |it| {
        builds(&|one| one.task_while_leading(it, done))
    });
    trials.names("ManagerBuilder::task_on_every_replica name", |it| {
        builds(&|one| one.task_on_every_replica(it, done))
            && !builds(&|one| one.task_while_leading(it, done).task_on_every_replica(it, done))
    });
    trials.names("ManagerBuilder::task_before_sync name", |it| {
        builds(&|one| one.task_before_sync(it, done))
            && !builds(&|one| one.task_before_sync(it, done).task_on_every_replica(it, done))
    });
    trials.names("ManagerBuilder::clusters name", |it| {
        let clusters = Clusters::builder(KubeconfigContexts::from_file("")).build();
        builds(&|one| one.clusters(it, &clusters, done))
            && !builds(&|one| one.clusters(it, &clusters, done).clusters(it, &clusters, done))
    });
    trials.names("Controller::builder name", |it| {
        run(async {
            let factory = factory();
            let maps = factory.informer::<ConfigMap>();
            let controller = || Controller::builder(it, &maps).build();
            let one = || {
                let nothing = |_| async { Ok::<_, io::Error>(Action::done()) };
                Manager::builder(&factory).controller(controller(), nothing)
            };
            let nothing = |_| async { Ok::<_, io::Error>(Action::done()) };
            one().build().is_ok() && one().controller(controller(), nothing).build().is_err()
        })
    });
    trials.names("Serve::live_check name", |it| {
        let serve = || Serve::new().without_metrics().live_check(it, || done(()));
        builds(&|one| one.serve(serve()))
            && !builds(&|one| one.serve(serve().live_check(it, || done(()))))
    });
    trials.names("Serve::ready_check name", |it| {
        let serve = || Serve::new().without_metrics().ready_check(it, || done(()));
        builds(&|one| one.serve(serve()))
            && !builds(&|one| one.serve(serve().ready_check(it, || done(()))))
    });
    trials.check(
        "Serve::route path",
        ["/a", "/a/b-._~1"],
        [
            "",
            "/",
            "a",
            "/a/",
            "/a//b",
            "/./a",
            "/a b",
            "/é",
            "/a?b",
            "/a%2f",
            "/livez",
            "/status/x",
        ],
        |it| {
            let answer = |_: Request<bytes::Bytes>| async { Response::new(Vec::new()) };
            builds(&|one| one.serve(Serve::new().without_metrics().route(it, answer)))
        },
    );
    let runs = |set: &dyn Fn(ManagerBuilder) -> ManagerBuilder| {
        run(async {
            let stop = CancellationToken::new();
            let factory = factory();
            let _maps = factory.informer::<ConfigMap>();
            let manager = set(Manager::builder(&factory)).build().unwrap();
            let ends = async {
                sleep(S).await;
                stop.cancel();
            };
            let running = futures::future::join(manager.run_until(stop.clone()), ends);
            let _error = timeout(60 * S, running).await.expect("an end");
        });
    };
    trials.times("ManagerBuilder::grace limit", |it| runs(&|one| one.grace(it)));
    trials.times("ManagerBuilder::sync_timeout limit", |it| runs(&|one| one.sync_timeout(it)));
    let serves = |serve: &dyn Fn(Serve) -> Serve| {
        runs(&|one| {
            let any = ([127, 0, 0, 1], 0);
            let serve = serve(Serve::new().health_address(any).metrics_address(any));
            one.serve(serve.without_metrics().ready_check("a", || done(())))
        });
    };
    trials.times("Serve::check_timeout limit", |it| serves(&|one| one.check_timeout(it)));
    trials.times("Serve::fresh_within limit", |it| serves(&|one| one.fresh_within(it)));
}

fn controllers(trials: &mut Trials) {
    // A reconcile takes a moment, so that a limit of its time counts.
    let runs = |set: &dyn Fn(ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap>,
                next: Action| {
        run(async {
            let factory = factory();
            let maps = factory.informer::<ConfigMap>();
            let controller = set(Controller::builder("a", &maps)).build();
            let (handle, stop) = (controller.handle(), CancellationToken::new());
            factory.start().unwrap();
            let running = tokio::spawn(controller.run(stop.clone(), move |_| async move {
                sleep(Duration::from_millis(5)).await;
                Ok::<_, io::Error>(next)
            }));
            sleep(S).await;
            let status = handle.status();
            stop.cancel();
            timeout(60 * S, running).await.expect("an end").unwrap().unwrap_or_default();
            status
        })
    };
    let counts = |set: &dyn Fn(ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap>| {
        let status = runs(set, Action::done());
        assert!(status.succeeded > 0, "{status:?}");
    };
    trials.sizes("ControllerBuilder::concurrency workers", |it| counts(&|one| one.concurrency(it)));
    trials.times("ControllerBuilder::timeout limit", |it| {
        let status = runs(&|one| one.timeout(it), Action::done());
        // Zero sets no limit. Other times are meant.
        let is_short = it < Duration::from_millis(5) && !it.is_zero();
        assert_eq!(status.succeeded == 0 && status.timed_out > 0, is_short, "{status:?}");
    });
    trials.times("ControllerBuilder::grace limit", |it| counts(&|one| one.grace(it)));
    trials.times("ControllerBuilder::sync_timeout limit", |it| {
        runs(&|one| one.sync_timeout(it), Action::done());
    });
    trials.times("ControllerBuilder::debounce period", |it| {
        runs(&|one| one.debounce(it), Action::done());
    });
    trials.times("ControllerBuilder::hot_key_delay delay", |it| {
        counts(&|one| one.hot_key_delay(it));
    });
    trials.numbers("ControllerBuilder::max_retries retries", |it| {
        counts(&|one| one.max_retries(u32::try_from(it).unwrap_or(u32::MAX)));
    });
    trials
        .sizes("ControllerBuilder::triggers_kept keys", |it| counts(&|one| one.triggers_kept(it)));
    trials.times("Action::requeue_after delay", |it| {
        let status = runs(&|one| one, Action::requeue_after(it));
        assert!(status.succeeded > 0, "{status:?}");
    });
    trials.times("ControllerHandle::trigger_after delay", |it| {
        run(async {
            let controller = Controller::builder("a", &factory().informer::<ConfigMap>()).build();
            controller.handle().trigger_after(ObjectKey::cluster("a").unwrap(), it);
        });
    });
    trials.times("FollowGuard::wait_for_sync limit", |it| {
        run(async {
            let factory = factory();
            let controller = Controller::builder("a", &factory.informer::<ConfigMap>()).build();
            let other = factory.informer_with(InformerSpec::new().namespace("bank")).unwrap();
            let guard = controller.following().reconciles(&other).unwrap();
            let _late = timeout(S, guard.wait_for_sync(it)).await;
        });
    });
}

fn caches(trials: &mut Trials) {
    let assumes = |set: &dyn Fn(AssumedView<ConfigMap>) -> AssumedView<ConfigMap>| {
        run(async {
            let factory = factory();
            let view = set(AssumedView::new(&factory.informer::<ConfigMap>()));
            factory.start().unwrap();
            factory.wait_for_sync(S).await.unwrap();
            let taken = view.assume(map("b")).is_ok();
            sleep(S).await;
            let _snapshot = view.snapshot();
            taken
        })
    };
    trials.times("AssumedView::lifetime lifetime", |it| assert!(assumes(&|one| one.lifetime(it))));
    trials.sizes("AssumedView::limit objects", |it| {
        assert_eq!(assumes(&|one| one.limit(it)), it > 0);
    });
    trials.times("OwnWrites::wait_observed limit", |it| {
        run(async {
            let (server, key) = (server(), ObjectKey::namespaced("shop", "b").unwrap());
            let factory = kube_informer::SharedInformerFactory::builder(server.client()).build();
            let writes = OwnWrites::new(&factory.informer::<ConfigMap>());
            writes.expect_write(&key, &server.create(&map("b")).unwrap()).unwrap();
            let _late = timeout(S, writes.wait_observed(&key, it)).await;
        });
    });
}

fn writing(trials: &mut Trials) {
    let maps = || factory().informer::<ConfigMap>();
    trials.names("Applier::builder manager", |it| {
        run(async { Applier::builder(server().client(), &maps(), it).build().is_ok() })
    });
    trials.names("Applier::builder_with manager", |it| {
        run(async { Applier::builder_with(server().client(), &maps(), it, &()).build().is_ok() })
    });
    let of = |api_version: &str, kind: &str| ApiResource {
        group: String::new(),
        version: "v1".into(),
        api_version: api_version.into(),
        kind: kind.into(),
        plural: "gears".into(),
    };
    let wrong = || [of("", "Gear"), of("a/b/c", "Gear"), of("a/", "Gear"), of("v1", "")];
    trials.check("Applier::builder_with dynamic_type", [of("v1", "Gear")], wrong(), |it| {
        run(async {
            let gears = factory().dynamic(&it);
            Applier::builder_with(server().client(), &gears, "a", &it).build().is_ok()
        })
    });
    let events = [of("v1", "Event"), of("/v1", "Event")];
    let good = [of("v1", "Gear"), of("a/v1", "Event"), of("v2", "Event")];
    trials.check("set_reference_with owner_type", good, wrong().into_iter().chain(events), |it| {
        let mut owner = DynamicObject::new("a", &it).within("shop");
        owner.metadata.uid = Some("u".into());
        [false, true].map(|one| set_reference_with(&owner, &it, &mut map("b"), one).is_ok())
            == [true, true]
    });
    trials.names("EventRecorder::new controller", |it| {
        run(async { EventRecorder::new(server().client(), it).is_ok() })
    });
    trials.times("EventRecorder::flush limit", |it| {
        run(async {
            let recorder = EventRecorder::new(server().client(), "a").unwrap();
            recorder.publish(ObjectReference::default(), NewEvent::normal(""));
            let _late = timeout(S, recorder.flush(it)).await;
        });
    });
    let sets =
        |new: NewCondition, generation| conditions::set(&mut Vec::new(), new, generation).is_ok();
    trials.check(
        "NewCondition::new type_",
        ["Ready", "example.com/Ready"],
        ["", " ", "a b", "a/b/c", "é", "Ready\u{7f}", "-a"],
        |it| sets(NewCondition::new(it, true, "Done"), None),
    );
    trials.check(
        "NewCondition::new reason",
        ["Done".to_owned(), "A_b:c,d".into(), "a".repeat(1_024)],
        [String::new(), " ".into(), "a b".into(), "1a".into(), "é".into(), "a".repeat(1_025)],
        |it| sets(NewCondition::new("Ready", true, it), None),
    );
    trials.check("NewCondition::message message", [0, 32_768], [32_769], |it| {
        sets(NewCondition::new("Ready", true, "Done").message("é".repeat(it)), None)
    });
    trials.check("conditions::set generation", [0, 1, i64::MAX], [-1, i64::MIN], |it| {
        sets(NewCondition::new("Ready", true, "Done"), Some(it))
    });
    trials.check(
        "finalizer name",
        ["example.com/a", "a.b/C"],
        ["", "a", "/a", "a/", "a/b/c", "é/a", "a/b\u{7f}", " a/b"],
        |it| {
            run(async {
                let server = server();
                let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
                let object = Arc::new(server.list::<ConfigMap>().unwrap().remove(0));
                let nothing = |_| async { Ok::<_, io::Error>(Action::done()) };
                finalizer(&api, it, object, nothing).await.is_ok()
            })
        },
    );
}

#[test]
fn event_owns_nothing() {
    use k8s_openapi::api::core::v1::Event;
    use k8s_openapi::api::events::v1 as events;
    let mut metadata = map("a").metadata;
    metadata.uid = Some("7d1c".into());
    let event = Event { metadata: metadata.clone(), ..Event::default() };
    let mut owned = map("b");
    let refused = set_controller_reference(&event, &mut owned).unwrap_err().to_string();
    assert_eq!(
        refused,
        "Event a cannot own an object: it has the kind Event, of which API servers accept no owner"
    );
    assert!(set_owner_reference(&event, &mut owned).is_err());
    assert_eq!(owned, map("b"));
    // The same kind of the newer group may own objects.
    let event = events::Event { metadata, ..events::Event::default() };
    set_owner_reference(&event, &mut owned).unwrap();
}

#[test]
fn permissions_without_verbs_add_no_rule() {
    use kube_controllers::manager::Rbac;
    let none: [&str; 0] = [];
    assert_eq!(Rbac::new().allows_on("secrets", None, none).rules(), []);
    run(async {
        let maps = factory().informer::<ConfigMap>();
        assert_eq!(Rbac::new().allows(&maps, none).rules(), []);
    });
}

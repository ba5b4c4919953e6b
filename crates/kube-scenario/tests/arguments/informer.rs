//! Arguments of the informer.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{ApiResource, DynamicObject, ObjectMeta};
use kube::core::{Expression, Selector};
use kube_informer::factory::SharedInformerFactoryBuilder;
use kube_informer::lister_watcher::{ListHints, ListerWatcher, WatchQuery};
use kube_informer::reflector::{ListMode, ReflectorOptions};
use kube_informer::testing::{ApiServer, FakeSource, Faults, Injection, Requests};
use kube_informer::transport::ApiSource;
use kube_informer::{
    HandlerOptions, InformerGroup, InformerOptions, InformerSpec, LabelSelector, ObjectKey,
    SharedInformer, SharedInformerFactory, Storage,
};
use tokio::time::{sleep, timeout};

use crate::{S, Trials, run};

pub(crate) fn map(name: &str) -> ConfigMap {
    let metadata = ObjectMeta {
        name: Some(name.into()),
        namespace: Some("shop".into()),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

/// Returns a server with one object.
pub(crate) fn server() -> ApiServer {
    let server = ApiServer::new();
    server.create(&map("a")).unwrap();
    server
}

pub(crate) fn factory() -> SharedInformerFactory {
    SharedInformerFactory::builder(server().client()).build()
}

/// Returns an informer whose source has one object, and that has synced.
pub(crate) async fn informer(options: InformerOptions<ConfigMap>) -> SharedInformer<ConfigMap> {
    let source = FakeSource::new("configmaps", "ConfigMap");
    source.put(map("a"));
    let informer = SharedInformer::new(Arc::new(source), options);
    informer.start().unwrap();
    informer.wait_for_sync(60 * S).await.unwrap();
    informer
}

/// Syncs an informer of a server with one object.
async fn syncs(client: kube::Client, options: InformerOptions<ConfigMap>) {
    let informer = SharedInformer::new(Arc::new(ApiSource::<ConfigMap>::new(client)), options);
    informer.start().unwrap();
    informer.wait_for_sync(60 * S).await.unwrap();
    assert_eq!(informer.lister().len(), 1);
    sleep(S).await;
    informer.shutdown().await;
}

pub(crate) fn try_all(trials: &mut Trials) {
    names(trials);
    resources(trials);
    indexes(trials);
    options(trials);
    reflector(trials);
}

fn names(trials: &mut Trials) {
    let spec = |spec: InformerSpec<ConfigMap>| run(async { factory().informer_with(spec).is_ok() });
    let starts = |set: &dyn Fn(SharedInformerFactoryBuilder) -> SharedInformerFactoryBuilder| {
        run(async {
            let factory = set(SharedInformerFactory::builder(server().client())).build();
            let _maps = factory.informer::<ConfigMap>();
            factory.start().is_ok()
        })
    };
    let source = |set: &dyn Fn(ApiSource<ConfigMap>) -> ApiSource<ConfigMap>| {
        run(async {
            let source = Arc::new(set(ApiSource::new(server().client())));
            SharedInformer::new(source, InformerOptions::new()).start().is_ok()
        })
    };
    trials.names("InformerSpec::namespace namespace", |it| spec(InformerSpec::new().namespace(it)));
    trials.names("InformerSpec::labels selector", |it| spec(InformerSpec::new().labels(it)));
    trials.names("InformerSpec::fields selector", |it| spec(InformerSpec::new().fields(it)));
    trials.names("InformerSpec::managed_fields_of manager", |it| {
        spec(InformerSpec::new().managed_fields_of(it))
    });
    trials.names("SharedInformerFactoryBuilder::namespace namespace", |it| {
        starts(&|builder| builder.namespace(it))
    });
    trials.names("SharedInformerFactoryBuilder::managed_fields_of manager", |it| {
        starts(&|builder| builder.managed_fields_of(it))
    });
    trials.names("SharedInformerFactoryBuilder::param name", |it| {
        starts(&|builder| builder.param(it, "x"))
    });
    trials.names("SharedInformerFactory::in_namespaces namespaces", |it| {
        run(async {
            let factory = factory();
            let _maps = factory.in_namespaces::<ConfigMap>([it]);
            factory.start().is_ok()
        })
    });
    trials.names("SharedInformerFactory::in_namespaces_with namespaces", |it| {
        run(async { factory().in_namespaces_with::<ConfigMap>([it], &InformerSpec::new()).is_ok() })
    });
    trials.names("SharedInformerFactory::in_namespaces_where selector", |it| {
        run(async { factory().in_namespaces_where::<ConfigMap>(it, InformerSpec::new()).is_ok() })
    });
    trials.names("ApiSource::namespace namespace", |it| source(&|source| source.namespace(it)));
    trials.names("ApiSource::labels selector", |it| source(&|source| source.labels(it)));
    trials.names("ApiSource::fields selector", |it| source(&|source| source.fields(it)));
    trials.names("ApiSource::param name", |it| source(&|source| source.param(it, "x")));
    trials.names("ApiSource::managed_fields_of manager", |it| {
        source(&|source| source.managed_fields_of(it))
    });
    let parts = (["a", "a.b", "A b", "é"], ["", "a/b", "/"]);
    trials.check("ObjectKey::cluster name", parts.0, parts.1, |it| ObjectKey::cluster(it).is_ok());
    trials.check("ObjectKey::namespaced namespace", parts.0, parts.1, |it| {
        ObjectKey::namespaced(it, "a").is_ok()
    });
    trials.check("ObjectKey::namespaced name", parts.0, parts.1, |it| {
        ObjectKey::namespaced("a", it).is_ok()
    });
    trials.check("ObjectKey::from_parts name", parts.0, parts.1, |it| {
        ObjectKey::from_parts(None, it).is_ok() && ObjectKey::from_parts(Some("a"), it).is_ok()
    });
    trials.check("ObjectKey::from_parts namespace", ["", "a"], ["a/b", "/"], |it| {
        ObjectKey::from_parts(Some(it), "a").is_ok()
    });
    let values = |key: &str, value: &str| {
        Selector::from(Expression::Equal(key.to_owned(), value.to_owned()))
    };
    trials.check(
        "LabelSelector::from_selector selector",
        [values("a", "b"), values("a.b/c", "")],
        [values("", "b"), values("a b", "b"), values("a", "b c"), values("a", "é")],
        |it| LabelSelector::from_selector(it).is_ok(),
    );
}

fn resources(trials: &mut Trials) {
    let resource = |group: &str, version: &str, plural: &str| {
        let kind = kube::core::GroupVersionKind::gvk(group, version, "Gear");
        ApiResource::from_gvk_with_plural(&kind, plural)
    };
    let good = || [resource("example.com", "v1", "gears"), resource("", "v1", "gears")];
    let kind = |kind: &str| ApiResource { kind: kind.into(), ..resource("", "v1", "gears") };
    let bad = || {
        [
            kind(""),
            kind("a/b"),
            kind("Gear\n"),
            resource("example.com", "v1", ""),
            resource("example.com", "", "gears"),
            resource("example.com", "v1", "gears/x"),
            resource("example.com", "v1?x", "gears"),
            resource("exa mple.com", "v1", "gears"),
            resource("example.com", "v1", "..%2f"),
            resource("example.com", "v1", "gears\u{7f}"),
        ]
    };
    let starts = |make: &dyn Fn(&SharedInformerFactory)| {
        run(async {
            let factory = factory();
            make(&factory);
            factory.start().is_ok()
        })
    };
    trials.check("SharedInformerFactory::dynamic resource", good(), bad(), |it| {
        starts(&|factory| drop(factory.dynamic(&it)))
    });
    trials.check("SharedInformerFactory::dynamic_metadata resource", good(), bad(), |it| {
        starts(&|factory| drop(factory.dynamic_metadata(&it)))
    });
    trials.check("SharedInformerFactory::dynamic_with resource", good(), bad(), |it| {
        run(async { factory().dynamic_with(&it, InformerSpec::new()).is_ok() })
    });
    trials.check("SharedInformerFactory::dynamic_metadata_with resource", good(), bad(), |it| {
        run(async { factory().dynamic_metadata_with(&it, InformerSpec::new()).is_ok() })
    });
    trials.check("SharedInformerFactory::dynamic_interest resource", good(), bad(), |it| {
        run(async { factory().dynamic_interest(&it, InformerSpec::new()).is_ok() })
    });
    trials.check(
        "SharedInformerFactory::dynamic_metadata_interest resource",
        good(),
        bad(),
        |it| run(async { factory().dynamic_metadata_interest(&it, InformerSpec::new()).is_ok() }),
    );
    trials.check("SharedInformerFactory::when_served resource", good(), bad(), |it| {
        run(async { factory().when_served(&it).is_ok() })
    });
    trials.check("ApiSource::dynamic resource", good(), bad(), |it| {
        run(async {
            let source = ApiSource::dynamic(server().client(), it);
            let options = InformerOptions::<DynamicObject>::new();
            SharedInformer::new(Arc::new(source), options).start().is_ok()
        })
    });
}

/// Tries names of indexes: any text, but each only once.
fn indexes(trials: &mut Trials) {
    let names = || [vec!["", "a", "é\u{85}"]];
    let twice = || [vec!["a", "a"], vec!["", ""]];
    macro_rules! check {
        ($of:literal, $make:expr, $add:expr) => {
            trials.check($of, names(), twice(), |names| {
                run(async {
                    let holder = $make;
                    names.iter().all(|name| $add(&holder, name).is_ok())
                })
            });
        };
    }
    let by = |_: &ConfigMap| ["x"];
    let maps = || factory().informer::<ConfigMap>();
    let group = || factory().in_namespaces::<ConfigMap>(["a", "b"]);
    check!("Indexer::add_index name", maps(), |it: &SharedInformer<_>, name: &str| it
        .indexer()
        .add_index(name, by));
    check!("Indexer::add_index_on name", maps(), |it: &SharedInformer<_>, name: &str| it
        .indexer()
        .add_index_on(name, &kube_informer::object::FieldSet::from_paths(["data"]), by));
    check!("SharedInformer::add_index name", maps(), |it: &SharedInformer<_>, name: &str| it
        .add_index(name, by));
    check!("SharedInformer::add_index_on name", maps(), |it: &SharedInformer<_>, name: &str| it
        .add_index_on(name, ["data", "", "..", "é"], by));
    check!("InformerGroup::add_index name", group(), |it: &InformerGroup<_>, name: &str| it
        .add_index(name, by));
    check!("InformerGroup::add_index_on name", group(), |it: &InformerGroup<_>, name: &str| it
        .add_index_on(name, ["data"], by));
    check!(
        "SelectedNamespaces::add_index name",
        factory().in_namespaces_where::<ConfigMap>("", InformerSpec::new()).unwrap(),
        |it: &kube_informer::factory::SelectedNamespaces<_>, name: &str| it.add_index(name, by)
    );
    check!(
        "Referenced::add_index name",
        factory().referenced::<ConfigMap>(),
        |it: &kube_informer::factory::Referenced<_>, name: &str| it.add_index(name, by)
    );
}

fn options(trials: &mut Trials) {
    let spec = |spec: InformerSpec<ConfigMap>| {
        run(async {
            let factory = factory();
            let _maps = factory.informer_with(spec).unwrap();
            factory.start().unwrap();
            factory.wait_for_sync(60 * S).await.unwrap();
            sleep(S).await;
            factory.shutdown().await;
        });
    };
    let built = |set: &dyn Fn(SharedInformerFactoryBuilder) -> SharedInformerFactoryBuilder| {
        run(async {
            let factory = set(SharedInformerFactory::builder(server().client())).build();
            let (_maps, _secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
            factory.start().unwrap();
            factory.wait_for_sync(60 * S).await.unwrap();
            sleep(S).await;
            factory.shutdown().await;
        });
    };
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    trials.times("InformerSpec::resync period", |it| spec(InformerSpec::new().resync(it)));
    trials.times("InformerSpec::freshness_limit limit", |it| {
        spec(InformerSpec::new().freshness_limit(it));
    });
    trials.numbers("InformerSpec::page_size objects", |it| {
        spec(InformerSpec::new().page_size(small(it)));
    });
    trials
        .sizes("InformerSpec::object_limit bytes", |it| spec(InformerSpec::new().object_limit(it)));
    trials
        .sizes("InformerSpec::memory_limit bytes", |it| spec(InformerSpec::new().memory_limit(it)));
    trials.times("SharedInformerFactoryBuilder::resync period", |it| built(&|one| one.resync(it)));
    trials.times("SharedInformerFactoryBuilder::freshness_limit limit", |it| {
        built(&|one| one.freshness_limit(it));
    });
    trials.times("SharedInformerFactoryBuilder::audit_every interval", |it| {
        built(&|one| one.audit_every(it));
    });
    trials.numbers("SharedInformerFactoryBuilder::page_size objects", |it| {
        built(&|one| one.page_size(small(it)));
    });
    trials.sizes("SharedInformerFactoryBuilder::object_limit bytes", |it| {
        built(&|one| one.object_limit(it));
    });
    trials.sizes("SharedInformerFactoryBuilder::memory_limit bytes", |it| {
        built(&|one| one.memory_limit(it));
    });
    trials.sizes("SharedInformerFactoryBuilder::max_concurrent_lists lists", |it| {
        built(&|one| one.max_concurrent_lists(it));
    });
    trials.sizes("SharedInformerFactoryBuilder::decode_threads threads", |it| {
        let threads = NonZeroUsize::new(it).unwrap_or(NonZeroUsize::MIN);
        built(&|one| one.decode_threads(threads));
    });
    trials.sizes("ApiSource::object_limit bytes", |it| {
        run(async { drop(ApiSource::<ConfigMap>::new(server().client()).object_limit(it)) });
    });
    trials.sizes("ApiSource::memory_limit bytes", |it| {
        run(async { drop(ApiSource::<ConfigMap>::new(server().client()).memory_limit(it)) });
    });
    trials.times("InformerOptions::resync period", |it| {
        run(async { drop(informer(InformerOptions::new().resync(it)).await) });
    });
    trials.times("Storage::hot_for age", |it| {
        run(async {
            let storage = Storage::packed().hot_for(it);
            syncs(server().client(), InformerOptions::new().storage(storage)).await;
        });
    });
    trials.sizes("Storage::hot_limit bytes", |it| {
        run(async {
            let storage = Storage::packed().hot_limit(it);
            syncs(server().client(), InformerOptions::new().storage(storage)).await;
        });
    });
    let handled = |options: HandlerOptions| {
        run(async {
            let informer = informer(InformerOptions::new()).await;
            let mut events = informer.events_with(options).unwrap();
            assert!(timeout(S, events.next()).await.unwrap().is_some());
            let _none = timeout(S, events.next()).await;
        });
    };
    trials.times("HandlerOptions::resync period", |it| handled(HandlerOptions::new().resync(it)));
    trials.sizes("HandlerOptions::backlog events", |it| handled(HandlerOptions::new().backlog(it)));
    trials.sizes("SharedInformer::tap capacity", |it| {
        run(async { drop(informer(InformerOptions::new()).await.tap("a", it).unwrap()) });
    });
}

fn reflector(trials: &mut Trials) {
    let reads = |options: ReflectorOptions<ConfigMap>| {
        run(async {
            let (server, faults) = (server(), Faults::new());
            // A server takes a moment.
            faults.inject(Requests::all(), Injection::delay(Duration::from_millis(50)));
            let source = ApiSource::<ConfigMap>::new(faults.client(server.client()));
            let options = InformerOptions::new().reflector(options);
            let informer = SharedInformer::new(Arc::new(source), options);
            informer.start().unwrap();
            informer.wait_for_sync(60 * S).await.unwrap();
            sleep(S).await;
            server.create(&map("b")).unwrap();
            sleep(Duration::from_millis(100)).await;
            assert_eq!(informer.lister().len(), 2, "the watch is not open");
            informer.shutdown().await;
        });
    };
    trials.times("ReflectorOptions::list_idle_timeout timeout", |it| {
        reads(ReflectorOptions::new().list_mode(ListMode::Plain).list_idle_timeout(it));
    });
    trials.times("ReflectorOptions::initial_events_idle_timeout timeout", |it| {
        let streaming = ReflectorOptions::new().list_mode(ListMode::Streaming);
        reads(streaming.initial_events_idle_timeout(it));
    });
    trials.times("ReflectorOptions::watch_grace_period margin", |it| {
        reads(ReflectorOptions::new().watch_grace_period(it));
    });
    trials.times("ReflectorOptions::freshness_limit limit", |it| {
        reads(ReflectorOptions::new().freshness_limit(it));
    });
    trials.numbers("ReflectorOptions::page_size objects", |it| {
        reads(ReflectorOptions::new().page_size(u32::try_from(it).unwrap_or(u32::MAX)));
    });
    trials.numbers("ReflectorOptions::seed seed", |it| reads(ReflectorOptions::new().seed(it)));
    trials.times("WatchQuery::new timeout", |it| {
        run(async {
            let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
            drop(source.watch(&WatchQuery::new(it), &ListHints::none()).await.unwrap());
            let server = server();
            let source = ApiSource::<ConfigMap>::new(server.client());
            drop(source.watch(&WatchQuery::new(it), &ListHints::none()).await.unwrap());
            let request = server.requests().pop().unwrap();
            let (_, seconds) = request.target.split_once("timeoutSeconds=").unwrap();
            let seconds: u64 = seconds.split('&').next().unwrap().parse().unwrap();
            // Servers take zero for a time of their own, and count in nanoseconds.
            assert!((1..=i64::MAX as u64 / 1_000_000_000).contains(&seconds), "{seconds}");
        });
    });
    trials.numbers("FakeSource::set_lag versions", |it| {
        run(async {
            let source = FakeSource::new("configmaps", "ConfigMap");
            source.put(map("a"));
            source.set_lag(it);
            let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
            informer.start().unwrap();
            informer.wait_for_sync(60 * S).await.unwrap();
        });
    });
    trials.numbers("FakeSource::restore version", |it| {
        let source = FakeSource::new("configmaps", "ConfigMap");
        source.put(map("a"));
        source.restore(it);
        source.put(map("b"));
        assert!(source.version() <= 2);
    });
}

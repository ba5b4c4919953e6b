//! Types that are removed and come back.

use kube::CustomResource;
use kube_informer::testing::api_server::ResourceType;
use serde::{Deserialize, Serialize};

use super::*;

#[derive(CustomResource, Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
struct WidgetSpec {
    size: u32,
}

fn widget(name: &str, size: u32) -> Widget {
    let mut widget = Widget::new(name, WidgetSpec { size });
    widget.metadata.namespace = Some("shop".into());
    widget
}

#[tokio::test(start_paused = true)]
async fn a_type_removed_and_reinstalled_hundreds_of_times() {
    const CYCLES: u32 = 300;
    let (server, kind) = (ApiServer::new(), ResourceType::of::<Widget>());
    let errors = Arc::new(Mutex::new(Vec::new()));
    let log = errors.clone();
    let factory = SharedInformerFactory::builder(server.client())
        .on_error(move |error| log.lock().push(error.clone()))
        .build();
    server.register(kind.clone());
    let widgets = factory.informer::<Widget>();
    let told = Arc::new(Mutex::new((0, 0)));
    let counted = told.clone();
    widgets
        .on_event(move |event| match event {
            Event::Added { .. } => counted.lock().0 += 1,
            Event::Deleted { .. } | Event::MovedAway { .. } => counted.lock().1 += 1,
            Event::Updated { .. } => panic!("nothing is updated here"),
        })
        .unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(10)).await.unwrap();
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    for n in 0..CYCLES {
        for name in ["a", "b"] {
            server.create(&widget(name, n)).unwrap();
        }
        sleep(Duration::from_secs(70)).await;
        let sizes: Vec<u32> =
            widgets.lister().all().iter().map(|widget| widget.spec.size).collect();
        assert_eq!(sizes, [n, n], "{:?}", widgets.status());
        server.unregister(&kind);
        sleep(Duration::from_secs(if n % 10 == 0 { 100 } else { 1 })).await;
        assert!(widgets.lister().is_empty(), "{n}: {:?}", widgets.status());
        server.register(kind.clone());
    }
    sleep(Duration::from_secs(100)).await;
    assert_eq!(*told.lock(), (2 * CYCLES, 2 * CYCLES));
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), tasks);
    {
        let errors = errors.lock();
        let missing = errors.iter().filter(|e| e.class() == FaultClass::NotFound).count();
        assert!(missing >= CYCLES as usize, "{missing}");
        assert!(errors.iter().any(|error| {
            error.to_string() == "watch widgets.example.com: 404: 404 page not found"
        }));
    }
    let relists = widgets.status().reflector.relists;
    assert!(relists.of(RelistCause::WatchNotOpened) >= u64::from(CYCLES), "{relists:?}");
    factory.shutdown().await;
}

//! Reconciling a key, and queueing one of 100,000 others that wait for an informer, so many times
//! and nothing else: for a tool that counts instructions. See `benches/steps.rs` of the informer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::{Action, Controller};
use kube_informer::testing::ApiServer;
use kube_informer::{ObjectKey, SharedInformerFactory};
use tokio_util::sync::CancellationToken;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [_, count] = &arguments[..] else {
        println!("waiting <how often>");
        return;
    };
    let count = count.parse().expect("how often");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(waiting(count));
}

/// So many keys reconciled one after another, while others wait for an informer.
async fn waiting(count: usize) {
    const WAITING: usize = 100_000;
    let server = ApiServer::new();
    server.intercept(|request| {
        let body = br#"{"kind":"Status","status":"Failure","reason":"Forbidden","code":403}"#;
        let answer = http::Response::builder().status(403).body(body.as_slice().into());
        request.target.contains("/namespaces/closed/").then(|| answer.unwrap())
    });
    let factory = SharedInformerFactory::builder(server.client()).build();
    let maps = factory.in_namespaces::<ConfigMap>(["open", "closed"]);
    let controller = Controller::builder("waiting", &maps).build();
    let (handle, runs) = (controller.handle(), Arc::new(AtomicUsize::new(0)));
    let counted = runs.clone();
    tokio::spawn(controller.run(CancellationToken::new(), move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, std::io::Error>(Action::done()) }
    }));
    let key = |namespace, n| ObjectKey::namespaced(namespace, &format!("map-{n}")).unwrap();
    for n in 0..WAITING {
        handle.trigger(key("closed", n));
    }
    while handle.status().queue.parked < WAITING {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for n in 0..count {
        handle.trigger(key("closed", n % WAITING));
        handle.trigger(key("open", n % 100));
        while runs.load(Ordering::Relaxed) <= n {
            tokio::task::yield_now().await;
        }
    }
    std::process::exit(0);
}

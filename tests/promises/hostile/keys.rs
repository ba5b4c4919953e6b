//! Objects with a key that has a meaning for `serde_json`, which any user may choose.

use k8s_openapi::api::storage::v1::StorageClass;
use kube::api::{ApiResource, DynamicObject};
use kube_informer::Storage;

use super::*;

const KEY: &str = "$serde_json::private::RawValue";
const PROBLEM: &str = "a map has a key that begins with $serde_json::private::";

/// Returns JSON in a text in JSON, and so on: less deep at each step than a decoder goes, and
/// deeper together than a thread's stack.
fn text() -> String {
    let deep = |inner: &str| "[".repeat(120) + inner + &"]".repeat(120);
    (0..12).fold(deep(""), |text, _| deep(&json!({ KEY: text }).to_string()))
}

#[tokio::test(start_paused = true)]
async fn key_of_serde_json_is_refused_or_read_as_it_is() {
    let item = |name: &str, parameters: Value| {
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "x",
            "metadata": {"name": name, "uid": name, "resourceVersion": "5"},
            "parameters": parameters})
    };
    for value in ["[1,2]".to_owned(), text()] {
        let classes = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClassList",
            "metadata": {"resourceVersion": "10"},
            "items": [item("plain", json!({})), item("odd", json!({ KEY: value }))]});
        for storage in [Storage::packed(), Storage::decoded()] {
            let (list, errors) = (classes.to_string(), Texts::default());
            let (client, _) = client(move |query, _| {
                if is_watch(query) { answer(200, "").hangs() } else { answer(200, list.clone()) }
            });
            let told = errors.clone();
            let factory = SharedInformerFactory::builder(client)
                .on_error(move |error| told.lock().push(error.to_string()))
                .build();
            let any = ApiResource::erase::<StorageClass>(&());
            let spec = InformerSpec::<DynamicObject>::new().storage(storage);
            let any = factory.dynamic_with(&any, spec).unwrap();
            let typed = factory.informer::<StorageClass>();
            factory.start().unwrap();
            sleep(seconds(1)).await;
            let names: Vec<_> =
                any.lister().all().iter().map(|any| any.metadata.name.clone()).collect();
            assert_eq!(names, [Some("plain".to_owned())]);
            assert_eq!(any.status().unreadable, 1);
            assert!(errors.lock().iter().any(|error| error.contains(PROBLEM)), "{errors:?}");
            let odd = typed.lister().get("odd").unwrap();
            assert_eq!(odd.parameters.as_ref().unwrap()[KEY], value);
            factory.shutdown().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn status_with_a_key_of_serde_json_is_an_error() {
    let status = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 410,
        "reason": "Expired", "details": { KEY: text() }});
    for watch in [
        answer(200, event("ERROR", &status)),
        answer(200, status.to_string()),
        answer(410, status.to_string()),
    ] {
        let (client, _) = client(move |query, nth| match (is_watch(query), nth) {
            (_, 0) => list("10", &[map("a", "5", "old")]),
            (true, _) if query.contains("resourceVersion=10") => watch.clone(),
            (true, _) => answer(200, bookmark("40")).hangs(),
            _ => list("30", &[map("a", "25", "new")]),
        });
        let rig = Rig::new((client, Requests::default()), InformerSpec::new());
        sleep(seconds(600)).await;
        assert_eq!(rig.stored(), ["a=new"]);
        rig.assert_error("watch configmaps: ");
        rig.factory.shutdown().await;
    }
}

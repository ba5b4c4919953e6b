//! The example `slim_cache`, which counts what its process allocates: its allocator is this
//! program's.

#[allow(dead_code, reason = "its main")]
#[path = "../../examples/slim_cache.rs"]
pub(crate) mod example;

use kube_informer::testing::ApiServer;
use parking_lot::Mutex;

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn each_slimmer_form_takes_less_memory() {
    let server = ApiServer::new();
    for n in 0..200 {
        server.create(&example::pod(n).unwrap()).unwrap();
    }
    let costs = example::measure(&server.client()).await.unwrap();
    assert!(costs.iter().all(|cost| cost.pods == 200), "{costs:?}");
    let each: Vec<_> = costs.iter().map(example::Cost::each).collect();
    for (less, more) in each.iter().skip(1).zip(&each) {
        assert!(less * 10 < more * 9, "{costs:?}");
    }
    assert!(each[3] * 10 < each[1], "{costs:?}");

    let read = example::read_each_way(&server.client()).await.unwrap();
    let [packed, path, view, whole] = <[_; 4]>::try_from(read).unwrap().map(|cost| cost.each());
    assert!(path < 100 && packed < 4_000, "{packed} {path}");
    assert!(view > 200 && view < 2_500 && whole > 5 * view, "{view} {whole}");

    let said = Mutex::new(Vec::new());
    example::run(server.client(), |line| said.lock().push(line)).await.unwrap();
    let said = said.into_inner();
    assert_eq!(said.len(), 12, "{said:#?}");
    assert!(said[4].starts_with("five fields"), "{said:#?}");
    let prefix = "on node-7: shop/web-7c9d8f6b5-";
    assert!(
        said[9].starts_with(prefix) && said[9].ends_with("Running at 198.51.100.7"),
        "{said:#?}"
    );
}

//! Packed objects that cannot be unpacked. Readers of decoded objects are told of all others.

use futures::{FutureExt, StreamExt};
use kube_informer::HandlerOptions;
use kube_informer::processor::EventStream;
use kube_informer::testing::ApiServer;
use kube_informer::transport::{ApiSource, Decode, DecodeError, SerdeDecode};

use super::*;
use crate::helpers::map_in;

/// A decoder that accepts no map with broken data.
struct Picky;

impl Decode<ConfigMap> for Picky {
    fn decode(&self, object: &[u8]) -> Result<ConfigMap, DecodeError> {
        let map: ConfigMap = SerdeDecode::new().decode(object)?;
        match map.data.iter().flatten().next() {
            Some((name, _)) if name.starts_with("broken") => {
                Err(DecodeError::new("its data are broken"))
            }
            _ => Ok(map),
        }
    }
}

fn map(name: &str, data: &str) -> ConfigMap {
    let data = Some([(data.into(), String::new())].into());
    ConfigMap { data, ..map_in("default", name) }
}

/// A server, and an informer that checks no object on arrival.
struct Rig {
    server: ApiServer,
    informer: SharedInformer<ConfigMap>,
    errors: Arc<Mutex<Vec<String>>>,
}

impl Rig {
    /// Follows the good map `a` and the broken map `b`.
    async fn new() -> Self {
        let server = ApiServer::new();
        server.create(&map("a", "1")).unwrap();
        server.create(&map("b", "broken")).unwrap();
        let errors: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = errors.clone();
        let reflector =
            ReflectorOptions::new().on_error(move |error| noted.lock().push(error.to_string()));
        let storage = Storage::compact().hot_for(Duration::ZERO).check_on_arrival(false);
        let options = InformerOptions::new().storage(storage).reflector(reflector);
        let source = ApiSource::<ConfigMap>::new(server.client()).decoder(Picky);
        let informer = SharedInformer::new(Arc::new(source), options);
        informer.start().unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
        Self { server, informer, errors }
    }

    async fn replace(&self, name: &str, data: &str) {
        self.server.replace(&map(name, data)).unwrap();
        self.arrived().await;
    }

    async fn delete(&self, name: &str) {
        self.server.delete(&map(name, "")).unwrap();
        self.arrived().await;
    }

    async fn arrived(&self) {
        self.informer.wait_for(&self.server.revision().into(), SOON).await.unwrap();
        sleep(Duration::from_millis(1)).await;
    }
}

/// Describes an event with the data of its objects.
fn described(event: &Event<ConfigMap>) -> String {
    let name = event.object().metadata.name.clone().unwrap();
    let data = |map: &ConfigMap| map.data.as_ref().unwrap().keys().next().unwrap().clone();
    let new = data(event.object());
    match event {
        Event::Added { .. } => format!("+{name} {new}"),
        Event::Updated { old, .. } => format!("~{name} {} {new}", data(old)),
        Event::Deleted { final_state_known: true, .. } => format!("-{name} {new}"),
        Event::Deleted { .. } | Event::MovedAway { .. } => format!("-{name} {new}?"),
    }
}

/// Takes what a stream has ready.
fn taken(events: &mut EventStream<ConfigMap>) -> Vec<String> {
    std::iter::from_fn(|| events.next().now_or_never().flatten())
        .map(|event| described(&event))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn handlers_are_told_of_every_readable_state() {
    let rig = Rig::new().await;
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let (of_closure, of_keys) = (log.clone(), Arc::new(Mutex::new(Vec::new())));
    rig.informer.on_event(move |event| of_closure.lock().push(described(&event))).unwrap();
    let keys = of_keys.clone();
    rig.informer.on_cached_event(move |key, _| keys.lock().push(key.to_string())).unwrap();
    let mut events = rig.informer.events().unwrap();
    let mut told = async |expected: &[&str]| {
        sleep(Duration::from_millis(1)).await;
        assert_eq!(std::mem::take(&mut *log.lock()), expected);
        assert_eq!(taken(&mut events), expected);
        std::mem::take(&mut *of_keys.lock()).len()
    };
    assert_eq!(told(&["+a 1"]).await, 2);
    rig.replace("a", "broken").await;
    assert_eq!(told(&[]).await, 1);
    rig.replace("a", "2").await;
    told(&["~a 1 2"]).await;
    rig.replace("a", "3").await;
    told(&["~a 2 3"]).await;
    rig.replace("b", "1").await;
    told(&["+b 1"]).await;
    rig.replace("a", "broken").await;
    rig.delete("a").await;
    assert_eq!(told(&["-a 3?"]).await, 2);
    rig.delete("b").await;
    told(&["-b 1"]).await;
    rig.server.create(&map("c", "broken")).unwrap();
    rig.arrived().await;
    rig.delete("c").await;
    assert_eq!(told(&[]).await, 2);
    rig.informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn merged_events_skip_unreadable_states() {
    let rig = Rig::new().await;
    let backlog = HandlerOptions::new().backlog(1);
    let mut events = rig.informer.events_with(backlog).unwrap();
    rig.replace("b", "broken-2").await;
    assert_eq!(taken(&mut events), ["+a 1"]);
    for data in ["2", "broken"] {
        rig.replace("a", data).await;
    }
    rig.delete("a").await;
    rig.delete("b").await;
    assert_eq!(taken(&mut events), ["-a 1?"]);
    rig.informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn unreadable_state_is_reported_once_with_its_key() {
    let rig = Rig::new().await;
    for _ in 0..3 {
        assert_eq!(rig.informer.lister().all().len(), 1);
    }
    sleep(Duration::from_millis(1)).await;
    let expected = "watch configmaps: default/b can't be decoded: its data are broken";
    assert_eq!(*rig.errors.lock(), [expected]);
    rig.replace("b", "broken-2").await;
    assert_eq!(rig.informer.lister().all().len(), 1);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(rig.errors.lock().len(), 2, "this is another state");
    assert_eq!(rig.informer.status().storage.unwrap().unreadable, 4);
    rig.informer.shutdown().await;
}

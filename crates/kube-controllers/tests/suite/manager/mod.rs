//! Managers: order of start and stop, one election, errors, endpoints.

mod election;
mod endpoints;
mod mistakes;
mod order;
mod start;

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::leader_election::WorkScope;
use kube_controllers::manager::{ManagerBuilder, ManagerError};
use kube_controllers::{Controller, Manager};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{MS, elector, factory, forbid, map, spawn};

/// A record of events in order.
#[derive(Clone, Default)]
struct Story(Arc<Mutex<Vec<String>>>);

impl Story {
    fn tell(&self, event: impl Into<String>) {
        self.0.lock().push(event.into());
    }

    fn told(&self) -> Vec<String> {
        self.0.lock().clone()
    }

    /// Lets time pass until this was told.
    async fn reaches(&self, event: &str) {
        for _ in 0..100_000 {
            if self.told().iter().any(|told| told == event) {
                return;
            }
            sleep(10 * MS).await;
        }
        panic!("no {event:?} in {:?}", self.told());
    }

    /// A task that tells of its beginning and its end.
    async fn task(self, name: &'static str, scope: WorkScope) -> Result<(), BoxError> {
        self.tell(format!("{name} begins"));
        scope.token().cancelled().await;
        self.tell(format!("{name} ends"));
        Ok(())
    }
}

/// A factory of config maps, and a controller for them.
fn maps(server: &ApiServer, name: &str) -> (SharedInformerFactory, Controller<ConfigMap>) {
    let factory = factory(server);
    let controller = Controller::builder(name, &factory.informer::<ConfigMap>()).build();
    (factory, controller)
}

fn run(builder: ManagerBuilder, stop: &CancellationToken) -> JoinHandle<Result<(), ManagerError>> {
    spawn(builder.build().unwrap().run_until(stop.clone()))
}

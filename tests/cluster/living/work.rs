//! The work of a cluster's users: what is rolled out, run, written and taken away again.

use std::time::Duration;

use fastrand::Rng;
use futures::StreamExt;
use futures::stream::iter;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::NamespaceResourceScope;
use kube::{Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

use super::super::rig::eventually;
use super::super::widgets::{Gauge, Widget, part, private, widget};
use super::nodes::made;

/// The namespace of the nodes' leases, which an API server makes.
pub(super) const LEASES: &str = "kube-node-lease";
pub(super) const SHOPS: [&str; 3] = ["shop-a", "shop-b", "shop-c"];
const DEPLOYMENTS: usize = 18;
const MAPS: usize = 90;
const WIDGETS: usize = 60;
/// The group of the definition that comes and goes.
pub(super) const GROUP: &str = "living.example.com";

/// Writes for the users of one cluster.
pub(super) struct Work {
    client: Client,
    rng: Rng,
}

fn params() -> PostParams {
    PostParams::default()
}

fn template(app: &str, restart: &str) -> Value {
    json!({
        "metadata": { "labels": { "app": app } },
        "spec": {
            "restartPolicy": restart,
            "containers": [{
                "name": "app", "image": "app:v1",
                "resources": { "requests": { "cpu": "50m", "memory": "32Mi" } },
            }],
        },
    })
}

fn deployment(name: &str, replicas: usize) -> Value {
    json!({
        "metadata": { "name": name, "labels": { "app": name } },
        "spec": {
            "replicas": replicas, "selector": { "matchLabels": { "app": name } },
            "template": template(name, "Always"),
        },
    })
}

fn map(name: &str, value: &str) -> Value {
    json!({ "metadata": { "name": name, "labels": { "part": "map" } }, "data": { "value": value } })
}

impl Work {
    /// Creates the objects that stay, with the definitions of widgets and gauges.
    pub(super) async fn begin(client: Client) -> Self {
        let definitions = Api::<CustomResourceDefinition>::all(client.clone());
        for definition in super::super::widgets::shared() {
            definitions.create(&params(), &definition).await.expect("the definition is new");
        }
        let widgets = Api::<Widget>::all(client.clone());
        let listed = async || widgets.list(&kube::api::ListParams::default()).await.is_ok();
        eventually("widgets are served", listed).await;
        let work = Self { client, rng: Rng::with_seed(47) };
        for shop in SHOPS {
            work.make_namespace(shop).await;
        }
        for n in 0..DEPLOYMENTS {
            let name = format!("web-{n}");
            let shop = SHOPS[n % SHOPS.len()];
            work.create::<Deployment>(shop, deployment(&name, 5)).await;
            let service = json!({
                "metadata": { "name": name },
                "spec": { "selector": { "app": name }, "ports": [{ "port": 80 }] },
            });
            work.create::<Service>(shop, service).await;
        }
        let agents = json!({
            "metadata": { "name": "agent" },
            "spec": {
                "selector": { "matchLabels": { "app": "agent" } },
                "template": template("agent", "Always"),
                "updateStrategy": { "rollingUpdate": { "maxUnavailable": 40 } },
            },
        });
        work.create::<DaemonSet>(SHOPS[0], agents).await;
        iter(0..MAPS)
            .for_each_concurrent(8, async |n| {
                let created = map(&format!("map-{n}"), "0");
                work.create::<ConfigMap>(SHOPS[n % SHOPS.len()], created).await;
            })
            .await;
        for n in 0..WIDGETS {
            let widget = widget(&format!("widget-{n}"), "blue");
            let api = Api::<Widget>::namespaced(work.client.clone(), SHOPS[n % SHOPS.len()]);
            api.create(&params(), &widget).await.expect("the widget is new");
        }
        let gauge = json!({ "metadata": { "name": "gauge" }, "spec": { "reading": 0 } });
        let gauges = Api::<Gauge>::all(work.client.clone());
        eventually("gauges are served", async || {
            gauges.create(&params(), &made(gauge.clone())).await.is_ok()
        })
        .await;
        work
    }

    async fn make_namespace(&self, name: &str) {
        let namespace: Namespace = made(json!({ "metadata": { "name": name } }));
        let _ = Api::all(self.client.clone()).create(&params(), &namespace).await;
    }

    async fn create<K>(&self, namespace: &str, object: Value)
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
        K: Clone + std::fmt::Debug + Serialize + DeserializeOwned,
    {
        let api = Api::<K>::namespaced(self.client.clone(), namespace);
        // An API server that was killed refuses, and the work goes on.
        let _ = api.create(&params(), &made(object)).await;
    }

    async fn patch<K>(&self, namespace: &str, name: &str, patch: Value)
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        let api = Api::<K>::namespaced(self.client.clone(), namespace);
        let _ = api.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await;
    }

    /// Works for ever, in the same order in each run.
    pub(super) async fn go_on(mut self) {
        let mut seconds = interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for second in 1_usize.. {
            seconds.tick().await;
            self.write_small(second).await;
            if second % 4 == 0 {
                self.roll(second).await;
            }
            if second % 3 == 0 {
                self.run_job(second).await;
            }
            if second % 60 == 20 {
                let template =
                    json!({ "metadata": { "annotations": { "rolled": second.to_string() } } });
                let patch = json!({ "spec": { "template": template } });
                self.patch::<DaemonSet>(SHOPS[0], "agent", patch).await;
            }
            if second % 15 == 5 {
                self.exchange_namespace(second / 15).await;
            }
            match second % 20 {
                3 => self.define().await,
                5..15 => self.write_part(second).await,
                15 => self.undefine().await,
                _ => {}
            }
        }
    }

    /// Changes, removes and makes config maps, and paints widgets.
    async fn write_small(&mut self, second: usize) {
        for _ in 0..4 {
            let n = self.rng.usize(..MAPS);
            let (name, shop) = (format!("map-{n}"), SHOPS[n % SHOPS.len()]);
            if self.rng.u8(..4) == 0 {
                let api = Api::<ConfigMap>::namespaced(self.client.clone(), shop);
                let _ = api.delete(&name, &DeleteParams::default()).await;
                if self.rng.bool() {
                    self.create::<ConfigMap>(shop, map(&name, "again")).await;
                }
            } else {
                let patch = json!({ "data": { "value": second.to_string() } });
                self.patch::<ConfigMap>(shop, &name, patch).await;
                self.create::<ConfigMap>(shop, map(&name, "new")).await;
            }
        }
        for _ in 0..2 {
            let n = self.rng.usize(..WIDGETS);
            let color = ["red", "green", "blue"][self.rng.usize(..3)];
            let patch = json!({
                "metadata": { "labels": { "color": color } },
                "spec": { "color": color, "size": second },
            });
            self.patch::<Widget>(SHOPS[n % SHOPS.len()], &format!("widget-{n}"), patch).await;
        }
    }

    /// Rolls a Deployment, and gives it another number of pods.
    async fn roll(&mut self, second: usize) {
        let n = self.rng.usize(..DEPLOYMENTS);
        let replicas = self.rng.usize(3..8);
        let template = json!({ "metadata": { "annotations": { "rolled": second.to_string() } } });
        let patch = json!({ "spec": { "replicas": replicas, "template": template } });
        self.patch::<Deployment>(SHOPS[n % SHOPS.len()], &format!("web-{n}"), patch).await;
    }

    async fn run_job(&self, second: usize) {
        let name = format!("job-{second}");
        let job = json!({
            "metadata": { "name": name },
            "spec": {
                "completions": 4, "parallelism": 2, "ttlSecondsAfterFinished": 10,
                "template": template(&name, "Never"),
            },
        });
        self.create::<Job>(SHOPS[second % SHOPS.len()], job).await;
    }

    /// Makes a namespace with something in it, and deletes the one before.
    async fn exchange_namespace(&self, n: usize) {
        let (before, name) = (format!("passing-{}", n.wrapping_sub(1)), format!("passing-{n}"));
        let namespaces = Api::<Namespace>::all(self.client.clone());
        let _ = namespaces.delete(&before, &DeleteParams::default()).await;
        self.make_namespace(&name).await;
        self.create::<Deployment>(&name, deployment("web", 3)).await;
        for n in 0..5 {
            self.create::<ConfigMap>(&name, map(&format!("map-{n}"), "0")).await;
        }
    }

    async fn define(&self) {
        let definitions = Api::<CustomResourceDefinition>::all(self.client.clone());
        let _ = definitions.create(&params(), &private(GROUP).0).await;
    }

    async fn write_part(&self, second: usize) {
        let resource = private(GROUP).1;
        let parts = Api::<DynamicObject>::namespaced_with(self.client.clone(), SHOPS[0], &resource);
        let size = i64::try_from(second).expect("a small number");
        let _ = parts.create(&params(), &part(&resource, &format!("part-{second}"), size)).await;
    }

    async fn undefine(&self) {
        let definitions = Api::<CustomResourceDefinition>::all(self.client.clone());
        let _ = definitions.delete(&format!("parts.{GROUP}"), &DeleteParams::default()).await;
    }
}

/// Returns the resource whose definition comes and goes.
pub(super) fn parts() -> ApiResource {
    private(GROUP).1
}

//! The methods that set what a controller follows.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use kube::Resource;
use serde::Serialize;

use super::ControllerBuilder;
use crate::controller::error::CannotOwn;
use crate::controller::followed::Followed;
use crate::controller::owner::Owner;
use crate::controller::streams::{KeyStream, Wanted};
use crate::controller::triggers::{Keys, Rule};
use kube_informer::object::{EventRef, ObjectKey, ShardKey};
use kube_informer::seams::KindReach;

impl<K: Resource + Send + Sync + 'static, C> ControllerBuilder<K, C> {
    /// Also follows objects that a `K` controls. A change of such an object queues its owner's key,
    /// taken from the `ownerReference` with `controller: true`.
    ///
    /// The type `K` gives the owner's kind. For a [`DynamicObject`](kube::api::DynamicObject), each
    /// informer of own objects gives its kind, including an [added](crate::controller::Following)
    /// one. Its stored objects show whether owners have namespaces, unless it follows one
    /// namespace. While it has no object, dependents queue nothing.
    ///
    /// Kubernetes allows no owner with a namespace for an object without one:
    /// [`Controller::run`](crate::Controller::run) then returns
    /// [`ControllerError::CannotOwn`](crate::controller::ControllerError).
    pub fn owns<O>(self, followed: impl Into<Followed<O>>) -> Self
    where
        O: Resource + Send + Sync + 'static,
    {
        self.follows_owned(followed.into(), true)
    }

    /// Also follows objects that a `K` owns together with others. A change of such an object queues
    /// the key of each owner of this kind, whether or not it has `controller: true`. Otherwise like
    /// [`owns`](Self::owns).
    ///
    /// With a [sharding](Self::sharded) by uid, these objects follow no shard: several replicas may
    /// have their owners. [`Controller::run`](crate::Controller::run) refuses a shard of such
    /// objects with [`ControllerError::WrongSharding`](crate::controller::ControllerError).
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    /// use kube_informer::SharedInformer;
    /// use kube_controllers::Controller;
    ///
    /// # fn f(maps: SharedInformer<ConfigMap>, secrets: SharedInformer<Secret>) {
    /// // Several maps may own one secret, and none of them controls it.
    /// let controller = Controller::builder("maps", &maps).co_owns(&secrets).build();
    /// # let _ = controller; }
    /// ```
    pub fn co_owns<O>(self, followed: impl Into<Followed<O>>) -> Self
    where
        O: Resource + Send + Sync + 'static,
    {
        self.follows_owned(followed.into(), false)
    }

    fn follows_owned<O>(mut self, followed: Followed<O>, controllers_only: bool) -> Self
    where
        O: Resource + Send + Sync + 'static,
    {
        if let Some(cannot_own) = CannotOwn::of::<K, O>(&self.own.informers, &followed.informers) {
            self.cannot_own.get_or_insert(cannot_own);
        }
        let scattered = followed.informers.informers().iter().find_map(|informer| {
            let key = informer.wanted_shard()?.borrow().key();
            scattered_by(key, KindReach::of::<K>(), controllers_only)
        });
        self.scattered_dependents = self.scattered_dependents.or(scattered);
        self.follows(followed, Keys::Owner(Owner::new::<K>(controllers_only)))
    }

    /// Also follows objects that concern some `K`. `keys` returns the keys to reconcile. It may
    /// read an [`Index`](kube_informer::Index) or a [`Lister`](kube_informer::Lister), which show
    /// the state at the call. It must have no other effect.
    ///
    /// The controller calls `keys` for every state, including both states of an update; none is
    /// merged away. A [packed](kube_informer::storage) state is unpacked first. A state that cannot
    /// be unpacked gives no keys.
    ///
    /// The controller calls `keys` in its own task, behind a backlog of 1,024 states. When the
    /// backlog is full, the informer's processing loop waits, and with it all handlers of that
    /// informer. The informer's [status](kube_informer::InformerStatus::held_up_by) then names this
    /// controller. A panic is caught and
    /// [counted](crate::controller::ControllerStatus::mapping_panics).
    ///
    /// In a group, a key waits only for a [missing](crate::controller::ControllerStatus::missing)
    /// informer of its own namespace. If `keys` returns keys of other namespaces, or of
    /// cluster-scoped objects, their reconciles may see too few `O`. While `missing` names an
    /// informer, such a reconcile must not take absence for deletion.
    pub fn watches<O, I>(
        self,
        followed: impl Into<Followed<O>>,
        keys: impl Fn(&O) -> I + Send + Sync + 'static,
    ) -> Self
    where
        O: Resource + Send + Sync + 'static,
        I: IntoIterator<Item = ObjectKey>,
    {
        self.follows(followed.into(), Keys::of_state(keys))
    }

    /// Also follows objects that concern some `K`, with a function that sees the whole event: its
    /// kind, and both states of an update. The function is called once for each event, and
    /// otherwise like that of [`watches`](Self::watches). States that cannot be read are left out
    /// of the events, as [`CachedEvent::read`](kube_informer::CachedEvent::read) says.
    ///
    /// Only a node that becomes ready concerns the pods' owners:
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::{ConfigMap, Node};
    /// use kube_controllers::controller::ControllerBuilder;
    /// use kube_informer::{EventRef, ObjectKey, SharedInformer};
    ///
    /// fn is_ready(node: &Node) -> bool {
    ///     let conditions = node.status.as_ref().and_then(|status| status.conditions.as_ref());
    ///     conditions.into_iter().flatten().any(|one| one.type_ == "Ready" && one.status == "True")
    /// }
    ///
    /// fn follow(
    ///     builder: ControllerBuilder<ConfigMap>,
    ///     nodes: &SharedInformer<Node>,
    ///     all: fn() -> Vec<ObjectKey>,
    /// ) -> ControllerBuilder<ConfigMap> {
    ///     builder.watches_events(nodes, move |event| match event {
    ///         EventRef::Updated { old, new } if !is_ready(old) && is_ready(new) => all(),
    ///         _ => Vec::new(),
    ///     })
    /// }
    /// ```
    pub fn watches_events<O, I>(
        self,
        followed: impl Into<Followed<O>>,
        keys: impl Fn(&EventRef<'_, O>) -> I + Send + Sync + 'static,
    ) -> Self
    where
        O: Resource + Send + Sync + 'static,
        I: IntoIterator<Item = ObjectKey>,
    {
        self.follows(followed.into(), Keys::of_event(keys))
    }

    fn follows<O>(mut self, followed: Followed<O>, keys: Keys) -> Self
    where
        O: Resource + Send + Sync + 'static,
    {
        self.related.push((followed.source(), Rule::new(followed.predicates, keys)));
        self
    }

    /// Also reconciles the keys that a stream yields, such as those of objects outside of the
    /// cluster. The stream is read only while the controller works; a sender into a bounded channel
    /// waits until then. Its end does not end the controller. If it panics, it is not read again,
    /// and the panic is [counted](crate::controller::ControllerStatus::stream_panics).
    ///
    /// Named as in kube-runtime. A channel is a stream, too:
    ///
    /// ```no_run
    /// use futures::stream::poll_fn;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::{ObjectKey, SharedInformer};
    /// use kube_controllers::Controller;
    /// use tokio::sync::mpsc;
    ///
    /// # fn f(maps: SharedInformer<ConfigMap>) {
    /// let (changed, mut receiver) = mpsc::channel::<ObjectKey>(100);
    /// let controller = Controller::builder("maps", &maps)
    ///     .reconcile_on(poll_fn(move |context| receiver.poll_recv(context)))
    ///     .build();
    /// # let _ = (controller, changed); }
    /// ```
    pub fn reconcile_on(self, keys: impl Stream<Item = ObjectKey> + Send + 'static) -> Self {
        self.reads(keys.map(Wanted::Key).boxed())
    }

    /// Also reconciles all stored objects each time that a stream yields, for example when a
    /// configuration file has changed. Otherwise like [`reconcile_on`](Self::reconcile_on).
    ///
    /// A [sharded](Self::sharded) controller reconciles those of an arriving slot once they have
    /// arrived.
    pub fn reconcile_all_on(self, signals: impl Stream<Item = ()> + Send + 'static) -> Self {
        self.reads(signals.map(|()| Wanted::All).boxed())
    }

    fn reads(mut self, stream: BoxStream<'static, Wanted>) -> Self {
        self.streams.push(Arc::new(KeyStream::new(stream)));
        self
    }

    /// Reconciles an added or updated `K` only if this and every other predicate passes the event.
    /// Predicates see adds, updates and resyncs of a `K`. They do not see deletes, retries or
    /// [`trigger`](crate::controller::ControllerHandle::trigger), which always queue their keys.
    /// For objects of other kinds use [`Followed::predicate`].
    ///
    /// The controller calls predicates like the function of [`watches`](Self::watches): in its own
    /// task, for each event, with the same backlog. If a predicate panics, the event passes and the
    /// panic is [counted](crate::controller::ControllerStatus::predicate_panics).
    ///
    /// Predicates of [packed](kube_informer::storage) objects need both states unpacked. Without
    /// predicates, no object is unpacked before its reconcile. An object that cannot be unpacked
    /// passes every predicate. Its reconcile gets
    /// [`Presence::Unknown`](crate::controller::Presence::Unknown).
    ///
    /// [`generation_changed`](crate::controller::generation_changed) leaves out changes of the
    /// status.
    pub fn predicate(
        mut self,
        predicate: impl Fn(&EventRef<'_, K>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.own = self.own.predicate(predicate);
        self
    }

    /// Reconciles an updated `K` only if the update changes its content: anything but
    /// `metadata.resourceVersion`, `metadata.managedFields` and the fields with these paths. See
    /// [`Followed::content_changed`], which does this for objects of other kinds.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Node;
    /// use kube_informer::SharedInformer;
    /// use kube_controllers::Controller;
    ///
    /// fn build(nodes: &SharedInformer<Node>) -> Controller<Node> {
    ///     Controller::builder("nodes", nodes)
    ///         .content_changed(&["status.conditions.lastHeartbeatTime"])
    ///         .build()
    /// }
    /// ```
    pub fn content_changed(mut self, ignored: &[&str]) -> Self
    where
        K: Serialize,
    {
        self.own = self.own.content_changed(ignored);
        self
    }

    /// Collects events for this time before their keys are ready; zero unless set. A key is
    /// reconciled at most once in each such period, however many events come. Unlike in
    /// kube-runtime's debounce, a key that changes all the time is not put off for ever: its first
    /// event sets the time.
    ///
    /// Retries, requeues, streams and [`trigger`](crate::controller::ControllerHandle::trigger) do
    /// not wait.
    pub fn debounce(mut self, period: Duration) -> Self {
        self.debounce = period;
        self
    }
}

/// Returns the problem of dependents whose shard may be on another replica than their owner.
fn scattered_by(key: ShardKey, owner: KindReach, controllers_only: bool) -> Option<&'static str> {
    match key {
        ShardKey::Namespace => (owner == KindReach::Cluster).then_some(
            "it has cluster-scoped objects, and those that they own follow a shard by namespace, \
             so one replica would see only some of them: let them follow no shard",
        ),
        ShardKey::Name => Some(
            "objects that its own objects own follow a shard by their own name, so one replica \
             would see only some of them: let them follow no shard",
        ),
        ShardKey::Uid => Some(
            "objects that its own objects own follow a shard by their own uid, so one replica \
             would see only some of them: with `owns` let them follow `Sharding::dependents`, with \
             `co_owns` no shard",
        ),
        ShardKey::ControllerUid => (!controllers_only).then_some(
            "objects that it co-owns follow the shard of their controlling owner, so one replica \
             would see only some of them: let them follow no shard",
        ),
        _ => Some(
            "objects that its own objects own follow a shard by a field that controllers do not \
             know, so one replica may see only some of them: let them follow no shard",
        ),
    }
}

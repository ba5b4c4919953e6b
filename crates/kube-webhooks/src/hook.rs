//! One webhook: a path, its code, and what the configurations say about it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::admissionregistration::v1::{MatchCondition, RuleWithOperations};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::Resource;
use kube::core::GroupVersionKind;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::admission::{mutate, validate};
use crate::call::{Handler, Limits, panic_message};
use crate::configurations::match_conditions;
use crate::conversion;
use crate::rules::{are_conditions, is_kind, is_name, is_path, is_rule, is_selector};
use crate::{Admission, BuildError, Conversion, Operation, Refusal, Role};

/// The limit of a body in bytes: two objects of the API's limit of 3 MiB, and the rest.
const ADMISSION_BODY: usize = 7 << 20;
/// The limit of a body in bytes. API servers may ask for several objects at once.
const CONVERSION_BODY: usize = 32 << 20;
/// The longest time that API servers wait.
const LONGEST: Duration = Duration::from_secs(30);
/// The age beyond which a cache is not read. Without changes, API servers confirm a cache each
/// minute.
#[cfg(feature = "informer")]
const FRESH_WITHIN: Duration = Duration::from_secs(180);

/// Returns the reason why a webhook cannot judge yet. The duration is the limit of a cache's age.
type Condition = Box<dyn Fn(Duration) -> Result<(), String> + Send + Sync>;

/// A webhook: a path, code that answers reviews, and its part of the configurations.
///
/// [`WebhooksBuilder::validate`](crate::WebhooksBuilder::validate) and `mutate` are enough for
/// webhooks without options. This type has the options:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_webhooks::{Admission, Hook, Operation, Refusal, Webhooks};
///
/// let keep = Hook::validate("/keep-pods", async |review: Admission<Pod>| {
///     let pod = review.old_object()?;
///     if pod.metadata.labels.iter().flatten().any(|(key, _)| key == "shop/keep") {
///         return Err(Refusal::forbidden("the label shop/keep protects this pod"));
///     }
///     Ok(())
/// });
/// let keep = keep.operations([Operation::Delete]).fails_open();
/// let webhooks = Webhooks::builder().hook(keep).build()?;
/// # Ok::<_, kube_webhooks::BuildError>(())
/// ```
pub struct Hook {
    pub(crate) path: String,
    pub(crate) role: Role,
    pub(crate) handler: Handler,
    pub(crate) limits: Limits,
    pub(crate) registration: Registration,
    pub(crate) fresh_within: Duration,
    conditions: Vec<Condition>,
    problem: Option<String>,
}

/// The part of a webhook that API servers know.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Registration {
    /// The kind of the closure. Conversions have none.
    pub(crate) kind: Option<GroupVersionKind>,
    /// The plural name of the kind, or the name of the definition.
    pub(crate) resource: String,
    pub(crate) name: Option<String>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) rules: Option<Vec<RuleWithOperations>>,
    pub(crate) fails_open: bool,
    pub(crate) side_effects_on_request: bool,
    pub(crate) reinvoked: bool,
    pub(crate) own_namespace: bool,
    pub(crate) conditions: Vec<MatchCondition>,
    pub(crate) object_selector: Option<LabelSelector>,
    pub(crate) namespace_selector: Option<LabelSelector>,
    pub(crate) timeout: Option<Duration>,
}

impl Registration {
    /// Returns whether any option is set that conversions do not have.
    fn is_of_admission(&self) -> bool {
        let (resource, timeout) = (self.resource.clone(), self.timeout);
        self.resource.contains('/') || *self != Self { resource, timeout, ..Self::default() }
    }

    /// Returns whether every request that is reviewed is a delete.
    fn is_of_deletes(&self) -> bool {
        let is_delete = |operation: &String| operation == Operation::Delete.name();
        match &self.rules {
            Some(rules) => {
                rules.iter().flat_map(|rule| rule.operations.iter().flatten()).all(is_delete)
            }
            None => self.operations.iter().all(|one| *one == Operation::Delete),
        }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, role, registration, .. } = self;
        f.debug_struct("Hook")
            .field("path", path)
            .field("role", role)
            .field("registration", registration)
            .finish_non_exhaustive()
    }
}

impl Hook {
    /// Creates a webhook that allows or refuses requests for objects of the type `K`.
    pub fn validate<K, Fut>(
        path: impl Into<String>,
        closure: impl Fn(Admission<K>) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource<DynamicType: Default> + DeserializeOwned + Send + 'static,
        Fut: Future<Output = Result<(), Refusal>> + Send + 'static,
    {
        Self::validate_with(path, &K::DynamicType::default(), closure)
    }

    /// Creates a webhook as [`Hook::validate`] does, for a type whose kind is known at run time
    /// only, such as `DynamicObject`.
    pub fn validate_with<K, Fut>(
        path: impl Into<String>,
        of: &K::DynamicType,
        closure: impl Fn(Admission<K>) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource + DeserializeOwned + Send + 'static,
        Fut: Future<Output = Result<(), Refusal>> + Send + 'static,
    {
        let (closure, kind) = (Arc::new(closure), Arc::new(kind::<K>(of)));
        let handler: Handler = Arc::new(move |body, any_kind| {
            let (closure, kind) = (closure.clone(), kind.clone());
            async move { validate(&body, (!any_kind).then_some(&*kind), |review| closure(review)).await }
                .boxed()
        });
        Self::admission::<K>(path.into(), Role::Validate, of, handler)
    }

    /// Creates a webhook that changes objects of the type `K` before they are stored. The closure
    /// returns the changed object.
    ///
    /// The answer is a patch with what the closure changed. Other fields stay as they are, also
    /// those that the type does not have. A review without an object, such as that of a delete, is
    /// allowed without a call. API servers may call a webhook twice for one request, so changing a
    /// changed object must change nothing.
    pub fn mutate<K, Fut>(
        path: impl Into<String>,
        closure: impl Fn(Admission<K>) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource<DynamicType: Default> + DeserializeOwned + Serialize + Send + 'static,
        Fut: Future<Output = Result<K, Refusal>> + Send + 'static,
    {
        Self::mutate_with(path, &K::DynamicType::default(), closure)
    }

    /// Creates a webhook as [`Hook::mutate`] does, for a type whose kind is known at run time only,
    /// such as `DynamicObject`.
    pub fn mutate_with<K, Fut>(
        path: impl Into<String>,
        of: &K::DynamicType,
        closure: impl Fn(Admission<K>) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource + DeserializeOwned + Serialize + Send + 'static,
        Fut: Future<Output = Result<K, Refusal>> + Send + 'static,
    {
        let (closure, kind) = (Arc::new(closure), Arc::new(kind::<K>(of)));
        let handler: Handler = Arc::new(move |body, any_kind| {
            let (closure, kind) = (closure.clone(), kind.clone());
            async move { mutate(&body, (!any_kind).then_some(&*kind), |review| closure(review)).await }
                .boxed()
        });
        Self::admission::<K>(path.into(), Role::Mutate, of, handler)
    }

    /// Creates a webhook that converts objects between versions. Of the options, it takes limits
    /// and conditions of readiness.
    pub fn convert<H: 'static>(path: impl Into<String>, conversion: Conversion<H>) -> Self {
        let (problem, definition) = (conversion.problem(), conversion.definition());
        let conversion = Arc::new(conversion);
        let handler: Handler = Arc::new(move |body, _| {
            let conversion = conversion.clone();
            async move {
                conversion::answer(&body, |object, version| conversion.convert(object, version))
            }
            .boxed()
        });
        let registration = Registration { resource: definition, ..Registration::default() };
        let hook = Self::new(path.into(), Role::Convert, handler, registration, CONVERSION_BODY);
        Self { problem, ..hook }
    }

    fn admission<K: Resource>(
        path: String,
        role: Role,
        of: &K::DynamicType,
        handler: Handler,
    ) -> Self {
        let registration = Registration {
            kind: Some(kind::<K>(of)),
            resource: K::plural(of).into_owned(),
            operations: vec![Operation::Create, Operation::Update],
            ..Registration::default()
        };
        Self::new(path, role, handler, registration, ADMISSION_BODY)
    }

    fn new(
        path: String,
        role: Role,
        handler: Handler,
        registration: Registration,
        body: usize,
    ) -> Self {
        Self {
            path,
            role,
            handler,
            limits: Limits { concurrency: 100, queue: 1_000, body, time: LONGEST, any_kind: false },
            registration,
            #[cfg(feature = "informer")]
            fresh_within: FRESH_WITHIN,
            #[cfg(not(feature = "informer"))]
            fresh_within: Duration::MAX,
            conditions: Vec::new(),
            problem: None,
        }
    }

    /// Sets the operations that this webhook reviews. Default: `CREATE` and `UPDATE`.
    #[must_use]
    pub fn operations(mut self, operations: impl IntoIterator<Item = Operation>) -> Self {
        self.registration.operations = operations.into_iter().collect();
        self
    }

    /// Reviews requests for a sub-resource, such as `status`, instead of those for the object.
    #[must_use]
    pub fn sub_resource(mut self, name: &str) -> Self {
        let plural = self.registration.resource.split('/').next().unwrap_or_default();
        self.registration.resource = format!("{plural}/{name}");
        self
    }

    /// Replaces the rules that follow from the type and the operations. Objects of every kind are
    /// then taken, if they can be decoded.
    #[must_use]
    pub fn rules(mut self, rules: impl IntoIterator<Item = RuleWithOperations>) -> Self {
        self.registration.rules = Some(rules.into_iter().collect());
        self.limits.any_kind = true;
        self
    }

    /// Sets the name in the configuration, such as `pods.shop.example.com`. Default: the path, the
    /// service and its namespace.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.registration.name = Some(name.into());
        self
    }

    /// Lets requests go on when this webhook fails: the failure policy is `Ignore`. Default:
    /// `Fail`.
    #[must_use]
    pub fn fails_open(mut self) -> Self {
        self.registration.fails_open = true;
        self
    }

    /// States that the closure has side effects, but none in a dry run: `NoneOnDryRun`. Default:
    /// `None`.
    #[must_use]
    pub fn has_side_effects(mut self) -> Self {
        self.registration.side_effects_on_request = true;
        self
    }

    /// Has a mutating webhook called a second time if others changed the object after it.
    #[must_use]
    pub fn reinvoked(mut self) -> Self {
        self.registration.reinvoked = true;
        self
    }

    /// Reviews requests in the operator's own namespace, too. While the webhook is down, they fail.
    #[must_use]
    pub fn own_namespace(mut self) -> Self {
        self.registration.own_namespace = true;
        self
    }

    /// Adds a condition in CEL, with a name of its own. Requests that do not meet it are not
    /// reviewed. The expression is not compiled here: API servers refuse a configuration with one
    /// that does not compile.
    #[must_use]
    pub fn match_condition(mut self, name: &str, expression: &str) -> Self {
        let (name, expression) = (name.to_owned(), expression.to_owned());
        self.registration.conditions.push(MatchCondition { name, expression });
        self
    }

    /// Reviews only objects with these labels, before or after the operation.
    #[must_use]
    pub fn object_selector(mut self, selector: LabelSelector) -> Self {
        self.registration.object_selector = Some(selector);
        self
    }

    /// Reviews only requests in namespaces with these labels. The operator's own namespace stays
    /// left out.
    #[must_use]
    pub fn namespace_selector(mut self, selector: LabelSelector) -> Self {
        self.registration.namespace_selector = Some(selector);
        self
    }

    /// Sets the time of a call, in whole seconds from 1 to 30. Configurations of admission say it,
    /// too. Default: 10 seconds for admission and 30 for conversions, as API servers have it.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.registration.timeout = Some(timeout);
        self.limits.time = timeout;
        self
    }

    /// Sets the number of calls at the same time, and the number that may wait for their turn.
    /// Further calls are answered with 429, after which API servers try again. Default: 100 and
    /// 1,000.
    #[must_use]
    pub fn concurrency(mut self, running: usize, waiting: usize) -> Self {
        self.limits.concurrency = running;
        self.limits.queue = waiting;
        self
    }

    /// Sets the limit of a review's size in bytes. Larger ones are answered with 413. Default: 7
    /// MiB for admission, and 32 MiB for conversions.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.limits.body = bytes;
        self
    }

    /// Judges only while a condition holds. Until then, the answer is 503 with the error's text,
    /// and the failure policy decides.
    #[must_use]
    pub fn ready_when(
        mut self,
        condition: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.conditions.push(Box::new(move |_| condition()));
        self
    }

    /// Names an informer that the closure reads. Until it has synced, and while it is older than
    /// [`Hook::fresh_within`], the answer is 503, and the failure policy decides.
    ///
    /// A conversion must not read an informer of the kind that it converts: the informer's list
    /// waits for the conversion.
    #[cfg(feature = "informer")]
    #[must_use]
    pub fn reads<K>(mut self, informer: &kube_informer::SharedInformer<K>) -> Self
    where
        K: Resource + Send + Sync + 'static,
    {
        let informer = informer.clone();
        self.conditions.push(Box::new(move |limit| {
            if informer.is_fresh(limit) {
                return Ok(());
            }
            let collection = informer.collection();
            Err(match informer.freshness() {
                Some(age) if informer.has_synced() => {
                    format!(
                        "the cache of {collection} is {age:.0?} old, and the limit is {limit:?}"
                    )
                }
                _ => format!("the cache of {collection} has not synced"),
            })
        }));
        self
    }

    /// Sets the limit of the age of what the closure reads. Default: 3 minutes. A limit below two
    /// seconds is raised to two seconds.
    #[cfg(feature = "informer")]
    #[must_use]
    pub fn fresh_within(mut self, limit: Duration) -> Self {
        self.fresh_within = limit.max(Duration::from_secs(2));
        self
    }

    /// Returns the first part of the name in the configuration, or the whole name if it is set.
    pub(crate) fn word(&self) -> String {
        self.registration.name.clone().unwrap_or_else(|| {
            let word = self.path.to_ascii_lowercase();
            let word = word.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            let word = word.trim_matches('-');
            if word.is_empty() { "webhook" } else { word }.to_owned()
        })
    }

    /// Returns the reason why this webhook cannot judge yet.
    pub(crate) fn check_ready(&self) -> Result<(), String> {
        let check = || self.conditions.iter().try_for_each(|holds| holds(self.fresh_within));
        let checked = catch_unwind(AssertUnwindSafe(check));
        checked
            .unwrap_or_else(|panic| Err(format!("a condition panicked: {}", panic_message(panic))))
    }

    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let path = || self.path.clone();
        if !is_path(&self.path) {
            return Err(BuildError::Path(path()));
        }
        if let Some(name) = self.registration.name.as_ref().filter(|name| !is_name(name)) {
            return Err(BuildError::Name(name.clone()));
        }
        if let Some(problem) = self.problem.clone() {
            return Err(BuildError::Conversion { path: path(), problem });
        }
        let Limits { concurrency, body, time, .. } = self.limits;
        let known = &self.registration;
        if self.role == Role::Convert && known.is_of_admission() {
            let problem = "it has an option of admission, such as a name, rules, a selector or a \
                           failure policy"
                .to_owned();
            return Err(BuildError::Conversion { path: path(), problem });
        }
        let by_type = known.kind.as_ref().filter(|_| known.rules.is_none());
        let mut selectors = known.object_selector.iter().chain(&known.namespace_selector);
        let needs = if by_type.is_some() && known.operations.is_empty() {
            "at least one operation"
        } else if known.rules.as_ref().is_some_and(Vec::is_empty) {
            "at least one rule"
        } else if by_type.is_some_and(|kind| !is_kind(kind, &known.resource)) {
            "a group, version, kind and resource that a server can have, and a sub-resource of \
             lower-case letters, digits, '-' and '.', or '*'"
        } else if !known.rules.iter().flatten().all(is_rule) {
            "rules that a server takes: each with operations, groups, versions and resources, and \
             '*' beside no other of them"
        } else if !selectors.all(is_selector) {
            "selectors that a server takes: keys and values of labels, with values for In and NotIn \
             only"
        } else if self.role == Role::Mutate && known.is_of_deletes() {
            "an operation with an object to change: a review of DELETE has none, so the closure \
             would never be called"
        } else if known.reinvoked && self.role == Role::Validate {
            "to change objects if it is reinvoked: a validating webhook is called once"
        } else if concurrency == 0 {
            "at least one call at a time"
        } else if body == 0 {
            "room for a body"
        } else if time > LONGEST || time < Duration::from_secs(1) || time.subsec_nanos() != 0 {
            "a timeout of whole seconds, from 1 to 30"
        } else if !are_conditions(&match_conditions(known).unwrap_or_default()) {
            "at most 64 match conditions with an expression and a name of its own: 1 to 63 letters, \
             digits, '-', '_' and '.', with a letter or digit at both ends"
        } else {
            return Ok(());
        };
        Err(BuildError::Limit { path: path(), needs })
    }
}

fn kind<K: Resource>(of: &K::DynamicType) -> GroupVersionKind {
    GroupVersionKind::gvk(&K::group(of), &K::version(of), &K::kind(of))
}

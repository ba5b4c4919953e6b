//! Admission and conversion webhooks of Kubernetes: typed closures, served over TLS.
//!
//! ```no_run
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_webhooks::{Admission, ManagedCertificates, Refusal, Service, Webhooks};
//! use tokio_util::sync::CancellationToken;
//!
//! async fn limit_size(review: Admission<ConfigMap>) -> Result<(), Refusal> {
//!     let keys = review.object()?.data.iter().flatten().count();
//!     if keys > 100 {
//!         return Err(Refusal::invalid("too large").cause("data", "at most 100 keys"));
//!     }
//!     if keys > 80 {
//!         review.warn(format!("{keys} of 100 keys are taken"));
//!     }
//!     Ok(())
//! }
//!
//! async fn add_team(review: Admission<ConfigMap>) -> Result<ConfigMap, Refusal> {
//!     let mut map = review.into_object()?;
//!     let labels = map.metadata.labels.get_or_insert_default();
//!     labels.entry("team".to_owned()).or_insert_with(|| "none".to_owned());
//!     Ok(map)
//! }
//!
//! # async fn run(client: kube::Client) -> Result<(), kube_webhooks::BoxError> {
//! let webhooks = Webhooks::builder()
//!     .validate("/limit-size", limit_size)
//!     .mutate("/add-team", add_team)
//!     .build()?;
//! let service = Service::new("shop", "shop-operator");
//! println!("{}", webhooks.configurations(&service)?.to_yaml()?); // for `kubectl apply`
//!
//! let certificates = ManagedCertificates::new(client, service, "shop-operator-webhooks");
//! let server = webhooks.listen(([0, 0, 0, 0], 9443), certificates.into()).await?;
//! server.run(CancellationToken::new()).await;
//! # Ok(())
//! # }
//! ```
//!
//! # What is where
//!
//! | type | does |
//! |---|---|
//! | [`Admission`] | a request to change an object, with the typed old and new object |
//! | [`Refusal`] | a denial with its code, reason and causes, or a failure |
//! | [`Conversion`] | conversions of a custom resource between its versions |
//! | [`Hook`] | a webhook with options: operations, selectors, failure policy, limits |
//! | [`Webhooks`] | all webhooks: answers requests, writes the configurations, shows the state |
//! | [`Certificates`], [`ManagedCertificates`] | the server's certificate, from files or of its own
//! making |
//! | [`Server`] | TLS on a port |
//!
//! # Answers
//!
//! Every request is answered, in the time for which the API server waits. A denial is the closure's
//! judgement. Everything else that goes wrong is a *failure*: an error, a panic, the end of the
//! time, a body that is no review, a cache that is not fresh. It is answered with an HTTP code of
//! 400 or more, and the failure policy of the configuration decides.
//!
//! | code | reason |
//! |---|---|
//! | 400 | the body is no review, or its objects are of another kind |
//! | 404, 405 | there is no such webhook |
//! | 413 | the body is too large: [`Hook::body_limit`] |
//! | 429 | too many calls wait: [`Hook::concurrency`]; API servers try again |
//! | 500 | the closure returned an error or panicked |
//! | 503 | the webhook cannot judge yet: [`Hook::ready_when`] |
//! | 504 | the closure took too long |
//!
//! An object that cannot be decoded as the closure's type is denied with the reason. An *old*
//! object that cannot be decoded is a failure: a denial would keep it from ever being mended.
//!
//! A closure that blocks its thread keeps its turn until it returns, although its answer was given.
//!
//! # Readiness
//!
//! API servers reach a pod through its Service only while the pod is ready. A pod whose readiness
//! waits for an informer, whose list waits for a conversion by this pod, never becomes ready. So
//! the readiness of a pod with webhooks asks [`Webhooks::check_reachable`], which waits only for
//! a certificate that has not expired. Webhooks that judge from a cache name it with `Hook::reads`,
//! and answer 503 until it is fresh.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `informer` | `Hook::reads`: answers only while an informer of `kube-informer` is fresh |
//! | `managed-certificates` | `ManagedCertificates`: certificates of the server's own making |
//! | `metrics` | metrics through the `metrics` facade, under controller-runtime's names |

mod admission;
mod call;
mod certificates;
mod configurations;
mod conversion;
mod error;
mod hook;
#[cfg(feature = "metrics")]
pub mod metrics;
mod names;
#[cfg(all(test, feature = "informer"))]
mod reads_tests;
mod rules;
#[cfg(test)]
#[path = "../../../src/seeds.rs"]
mod seeds;
mod serve;
mod status;
mod webhooks;

pub use admission::{Admission, Operation, Refusal};
#[cfg(feature = "managed-certificates")]
pub use certificates::ManagedCertificates;
pub use certificates::{CertificateStatus, Certificates};
pub use configurations::{Configurations, Service};
pub use conversion::{Conversion, ConversionError};
pub use error::{BoxError, BuildError};
pub use hook::Hook;
pub use serve::Server;
pub use status::{HookStatus, Role, WebhooksStatus};
pub use webhooks::{Webhooks, WebhooksBuilder};

use error::chain;

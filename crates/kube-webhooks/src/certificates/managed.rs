//! Certificates of the server's own making, in a Secret that all replicas share.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime};

use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use tokio::time::{Instant, sleep};

use super::Slot;
use super::publish::{Target, publish, targets};
use super::rotation::{Content, Step, Terms};
use crate::names::{SUBDOMAIN, is_subdomain};
use crate::{BoxError, Service, Webhooks};

const DAY: Duration = Duration::from_secs(86_400);
/// The field manager of Secrets and configurations.
pub(super) const MANAGER: &str = "kube-webhooks";
/// The number of attempts against other replicas' writes.
const ATTEMPTS: usize = 5;

/// Certificates of the server's own making.
///
/// One of the replicas makes an authority and a certificate, and writes them into a Secret in the
/// Service's namespace; all replicas serve that certificate. They need no leader, because the
/// Secret's version decides between two that write at once. An empty Secret from a manifest is
/// filled. If the Secret is deleted, the replicas write it again with the next pair in it, and the
/// serving pair serves until API servers know the next one.
///
/// Two thirds of a certificate's life after it was made, the next pair is written beside it, and
/// configurations get the authorities of both. Ten minutes later the next certificate serves: API
/// servers learn of a configuration seconds late, each on its own. The key of an authority is never
/// kept.
///
/// The authorities are written into the configurations and definitions of
/// [`Webhooks::configurations`] by a server-side apply of `caBundle` only. These objects must
/// exist. If others take the authorities out, they come back within a minute, and
/// [`CertificateStatus::rewritten`](crate::CertificateStatus::rewritten) counts it. Tell other
/// tools, such as Argo CD, to leave `caBundle` alone.
///
/// The service account needs these permissions: `create` Secrets in the namespace, `get` and
/// `update` this one; `get` and `patch` these configurations and definitions.
///
/// ```no_run
/// use kube_webhooks::{Certificates, ManagedCertificates, Service, Webhooks};
/// use tokio_util::sync::CancellationToken;
///
/// # async fn serve(client: kube::Client, webhooks: Webhooks) -> std::io::Result<()> {
/// let service = Service::new("shop", "shop-operator");
/// let certificates = ManagedCertificates::new(client, service, "shop-operator-webhooks");
/// let server = webhooks.listen(([0, 0, 0, 0], 9443), certificates.into()).await?;
/// server.run(CancellationToken::new()).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ManagedCertificates {
    client: Client,
    service: Service,
    secret: String,
    lifetime: Duration,
    overlap: Duration,
    pub(super) poll: Duration,
}

impl fmt::Debug for ManagedCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagedCertificates")
            .field("service", &self.service)
            .field("secret", &self.secret)
            .finish_non_exhaustive()
    }
}

impl ManagedCertificates {
    /// Keeps certificates for a Service in a Secret of this name, in the Service's namespace.
    /// [`Webhooks::listen`] refuses names that no server takes.
    #[must_use]
    pub fn new(client: Client, service: Service, secret: impl Into<String>) -> Self {
        Self {
            client,
            service,
            secret: secret.into(),
            lifetime: 90 * DAY,
            overlap: Duration::from_secs(600),
            poll: Duration::from_secs(60),
        }
    }

    /// Sets the time for which a certificate is valid. After two thirds of it the next one is made.
    /// Default: 90 days. At least an hour, and at most 100 years.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime.clamp(Duration::from_secs(3_600), 36_500 * DAY);
        self
    }

    /// Sets the time from the publication of an authority until its certificate serves. Default: 10
    /// minutes. At most a sixth of the lifetime: the next certificate has a third of it.
    #[must_use]
    pub fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// Checks the names. A server would refuse them in each request.
    ///
    /// # Errors
    /// Returns the one that no server takes, and the rule.
    pub(super) fn check(&self, webhooks: &Webhooks) -> Result<(), String> {
        webhooks.check_names(&self.service).map_err(|refused| refused.to_string())?;
        if is_subdomain(&self.secret) {
            return Ok(());
        }
        Err(format!("the name {:?} of the certificates' Secret must be {SUBDOMAIN}", self.secret))
    }

    pub(super) async fn follow(self, webhooks: &Webhooks, slot: &Slot) {
        let poll = self.poll.min(self.lifetime / 12);
        let source = format!("the certificate in the Secret {}", self.secret);
        let mut keeper = Keeper::new(self, webhooks);
        loop {
            let now = SystemTime::now();
            let result = keeper.step(slot, now).await.map_err(|error| crate::chain(&*error));
            slot.told(&source, result, now);
            sleep(poll).await;
        }
    }
}

/// The work on the Secret and the configurations, a step at a time.
pub(super) struct Keeper {
    client: Client,
    secrets: Api<Secret>,
    secret: String,
    terms: Terms,
    targets: Vec<Target>,
    /// The content that this replica serves.
    serving: Option<Content>,
    /// The authorities that all configurations have, and since when this replica has known it.
    published: Option<(String, Instant)>,
}

impl Keeper {
    pub(super) fn new(options: ManagedCertificates, webhooks: &Webhooks) -> Self {
        let ManagedCertificates { client, service, secret, lifetime, overlap, poll: _ } = options;
        Self {
            secrets: Api::namespaced(client.clone(), service.namespace()),
            client,
            secret,
            terms: Terms { host: service.host(), lifetime, overlap: overlap.min(lifetime / 6) },
            targets: targets(&webhooks.configurations_of(&service)),
            serving: None,
            published: None,
        }
    }

    /// Brings the Secret, the slot and the configurations up to date.
    pub(super) async fn step(&mut self, slot: &Slot, now: SystemTime) -> Result<(), BoxError> {
        let content = self.content(now).await?;
        slot.set(content.certificate.as_bytes(), content.key.as_bytes(), now)?;
        self.serving = Some(content.clone());
        self.publish(content.authorities, slot).await
    }

    /// Returns the Secret's content after the step that is due.
    async fn content(&self, now: SystemTime) -> Result<Content, BoxError> {
        let failed = |doing: &str, error: kube::Error| -> BoxError {
            format!("cannot {doing} the secret {}: {}", self.secret, crate::chain(&error)).into()
        };
        for _ in 0..ATTEMPTS {
            let found = self.secrets.get_opt(&self.secret).await;
            let found = found.map_err(|error| failed("read", error))?;
            let empty = BTreeMap::new();
            let data = found.as_ref().and_then(|secret| secret.data.as_ref()).unwrap_or(&empty);
            let content = Content::read(data);
            let published = self.published.as_ref();
            let published = published.filter(|(bundle, _)| *bundle == content.authorities);
            let published = published.map(|(_, since)| since.elapsed());
            let step = content.step(&self.terms, now, published, self.serving.as_ref());
            match step.map_err(|problem| format!("the secret {}: {problem}", self.secret))? {
                Step::Rest => return Ok(content),
                Step::Write(content) => match self.write(found, &content).await {
                    Ok(()) => return Ok(content),
                    // Another replica was faster.
                    Err(kube::Error::Api(status)) if status.code == 409 => {}
                    Err(error) => return Err(failed("write", error)),
                },
            }
        }
        Err(format!("other programs write the secret {} all the time", self.secret).into())
    }

    async fn write(&self, found: Option<Secret>, content: &Content) -> kube::Result<()> {
        let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..Default::default() };
        if let Some(mut secret) = found {
            content.write(secret.data.get_or_insert_default());
            self.secrets.replace(&self.secret, &params, &secret).await?;
        } else {
            let name = Some(self.secret.clone());
            let mut secret = Secret {
                metadata: ObjectMeta { name, ..ObjectMeta::default() },
                type_: Some("kubernetes.io/tls".to_owned()),
                ..Secret::default()
            };
            content.write(secret.data.get_or_insert_default());
            self.secrets.create(&params, &secret).await?;
        }
        tracing::info!(secret = self.secret, "wrote certificates");
        Ok(())
    }

    async fn publish(&mut self, authorities: String, slot: &Slot) -> Result<(), BoxError> {
        let mut problems = Vec::new();
        let mut wrote = false;
        for target in &self.targets {
            match publish(&self.client, target, &authorities).await {
                Ok(changed) => wrote |= changed,
                Err(error) => problems.push(crate::chain(&*error)),
            }
        }
        let known = self.published.as_ref().is_some_and(|(bundle, _)| *bundle == authorities);
        if known && wrote {
            slot.rewritten();
            tracing::warn!("another program took the authority out of a webhook's configuration");
        }
        if !problems.is_empty() {
            self.published = None;
            return Err(problems.join("; ").into());
        }
        if !known || wrote {
            self.published = Some((authorities, Instant::now()));
        }
        Ok(())
    }
}

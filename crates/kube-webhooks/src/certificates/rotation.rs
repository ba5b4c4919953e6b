//! The Secret's content, and its next state: the rotation without its I/O.
//!
//! A new pair waits in the Secret beside the one that serves. Its authority is published with the
//! serving one's, for as long as API servers need to learn it. Then it takes the place of the
//! other. Each replica takes the same steps; the Secret's version decides who comes first.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use k8s_openapi::ByteString;

use tokio_rustls::rustls::{CertificateError, Error};

use super::issue::{Issued, bundle, check, issue, split};
use super::slot::certified;
use crate::BoxError;

const AUTHORITIES: &str = "ca.crt";
const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";
const NEXT_CERTIFICATE: &str = "next.crt";
const NEXT_KEY: &str = "next.key";

/// The options of a rotation.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) host: String,
    pub(super) lifetime: Duration,
    /// The time from the publication of an authority until its certificate serves.
    pub(super) overlap: Duration,
}

/// The content of the Secret, as PEM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) authorities: String,
    pub(super) certificate: String,
    pub(super) key: String,
    pub(super) next: Option<(String, String)>,
}

/// The next thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing changes.
    Rest,
    /// The content is replaced.
    Write(Content),
}

impl Content {
    /// Reads a Secret. Whatever is missing or no text is empty.
    pub(super) fn read(data: &BTreeMap<String, ByteString>) -> Self {
        let text = |key: &str| {
            let value = data.get(key).map(|value| String::from_utf8_lossy(&value.0).into_owned());
            value.unwrap_or_default()
        };
        let next = (text(NEXT_CERTIFICATE), text(NEXT_KEY));
        Self {
            authorities: bundle(&text(AUTHORITIES)),
            certificate: text(CERTIFICATE),
            key: text(KEY),
            next: Some(next).filter(|(certificate, _)| !certificate.is_empty()),
        }
    }

    /// Writes into a Secret. Other keys stay.
    pub(super) fn write(&self, data: &mut BTreeMap<String, ByteString>) {
        let mut set = |key: &str, value: Option<&String>| match value {
            Some(value) => {
                data.insert(key.to_owned(), ByteString(value.clone().into_bytes()));
            }
            None => {
                data.remove(key);
            }
        };
        set(AUTHORITIES, Some(&self.authorities));
        set(CERTIFICATE, Some(&self.certificate));
        set(KEY, Some(&self.key));
        set(NEXT_CERTIFICATE, self.next.as_ref().map(|(certificate, _)| certificate));
        set(NEXT_KEY, self.next.as_ref().map(|(_, key)| key));
    }

    /// Returns the next step. `published` is the time for which this replica has known that API
    /// servers' configurations have the authorities. `serving` is the content that it serves.
    ///
    /// # Errors
    /// Fails if no certificate can be made, or if another program keeps its certificate here.
    pub(super) fn step(
        &self,
        terms: &Terms,
        now: SystemTime,
        published: Option<Duration>,
        serving: Option<&Self>,
    ) -> Result<Step, BoxError> {
        let Terms { host, lifetime, overlap } = terms;
        let is_valid =
            |certificate: &str, at| check(certificate, &self.authorities, host, at).is_ok();
        let next = self.next.as_ref();
        let next = next.filter(|(certificate, key)| self.can_serve(certificate, key, host, now));
        if !self.can_serve(&self.certificate, &self.key, host, now) {
            let serving = serving.filter(|it| it.can_serve(&it.certificate, &it.key, host, now));
            // Two programs would replace each other's pair for ever.
            if let Some(names) = serving.and_then(|_| self.other_names(host, now)) {
                return Err(format!(
                    "it has the certificate of another Service, {names}: give each Service a \
                     Secret of its own"
                )
                .into());
            }
            return Ok(Step::Write(match (serving, next) {
                // The Secret is gone, or was edited. API servers trust the pair that serves, and
                // have to learn the next one first.
                (Some(serving), _) if serving.next.is_some() => serving.clone(),
                (Some(serving), _) => serving.renewed(terms, now)?,
                // Nothing that serves can be trusted, so there is nothing to wait for.
                (None, Some(next)) => self.promoted(next),
                (None, None) => Self::new(issue(host, now, *lifetime)?),
            }));
        }
        if let Some(next) = next {
            let learnt = published.is_some_and(|published| published >= *overlap);
            let late = !is_valid(&self.certificate, now + *overlap);
            let step = if learnt || late { Step::Write(self.promoted(next)) } else { Step::Rest };
            return Ok(step);
        }
        if is_valid(&self.certificate, now + *lifetime / 3) {
            return Ok(Step::Rest);
        }
        Ok(Step::Write(self.renewed(terms, now)?))
    }

    fn can_serve(&self, certificate: &str, key: &str, host: &str, now: SystemTime) -> bool {
        check(certificate, &self.authorities, host, now).is_ok()
            && certified(certificate.as_bytes(), key.as_bytes()).is_ok()
    }

    /// Returns the names of a pair that can serve, but not this host.
    fn other_names(&self, host: &str, now: SystemTime) -> Option<String> {
        certified(self.certificate.as_bytes(), self.key.as_bytes()).ok()?;
        let refused = check(&self.certificate, &self.authorities, host, now).err()?;
        match refused.downcast_ref()? {
            Error::InvalidCertificate(CertificateError::NotValidForNameContext {
                presented,
                ..
            }) => Some(presented.join(", ")),
            _ => None,
        }
    }

    /// Returns this content with a next pair.
    fn renewed(&self, terms: &Terms, now: SystemTime) -> Result<Self, rcgen::Error> {
        let Issued { authority, certificate, key } = issue(&terms.host, now, terms.lifetime)?;
        // Only the authority of the pair that serves is still needed.
        let serving = split(&self.authorities)
            .filter(|authority| check(&self.certificate, authority, &terms.host, now).is_ok());
        let authorities = joined(serving.chain([&*authority]));
        Ok(Self { authorities, next: Some((certificate, key)), ..self.clone() })
    }

    fn promoted(&self, (certificate, key): &(String, String)) -> Self {
        // The other authority stays, for replicas that serve the other pair for another moment.
        Self {
            authorities: self.authorities.clone(),
            certificate: certificate.clone(),
            key: key.clone(),
            next: None,
        }
    }

    fn new(issued: Issued) -> Self {
        Self {
            authorities: joined([&*issued.authority]),
            certificate: issued.certificate,
            key: issued.key,
            next: None,
        }
    }
}

fn joined<'a>(authorities: impl IntoIterator<Item = &'a str>) -> String {
    let authorities: Vec<_> = authorities.into_iter().map(str::trim).collect();
    bundle(&authorities.join("\n"))
}

//! Errors of kube that may quote credentials.
//!
//! kube's error for a credential plug-in has the plug-in's output, its error for a proxy has the
//! proxy's password, its error for a kubeconfig has lines of it, and its error for a client's key
//! has a line of the key.

use std::error::Error as StdError;
use std::io;
use std::iter::successors;
use std::sync::Arc;

use kube::client::AuthError;
use kube::config::KubeconfigError;

use super::MOST_CAUSES;

/// Returns an error of kube that quotes no credentials, neither as text nor for `Debug`.
pub fn without_credentials(error: kube::Error) -> kube::Error {
    let replacement = causes(&error).find_map(replacement);
    match replacement {
        Some(text) => kube::Error::Service(text.into()),
        None => error,
    }
}

/// Returns an error of user code, or its text if a cause of it may quote credentials.
pub fn told_without_credentials(error: super::BoxError) -> super::BoxError {
    match Hidden::of(&*error) {
        Some(_) => super::chain(&*error).into(),
        None => error,
    }
}

/// A cause that may quote credentials, with its texts and the one that stands for them.
pub(super) struct Hidden {
    texts: [String; 2],
    replacement: String,
}

impl Hidden {
    /// Returns the first cause of an error that may quote credentials.
    pub(super) fn of(error: &(dyn StdError + 'static)) -> Option<Self> {
        causes(error).find_map(|cause| {
            let replacement = replacement(cause)?;
            Some(Self { texts: [cause.to_string(), format!("{cause:?}")], replacement })
        })
    }

    /// Replaces the cause in the text of an error around it. Returns the text, and whether it had
    /// the cause.
    pub(super) fn replace(&self, mut text: String) -> (String, bool) {
        let mut had = false;
        for hidden in &self.texts {
            if text.contains(hidden) {
                (text, had) = (text.replace(hidden, &self.replacement), true);
            }
        }
        (text, had)
    }
}

/// Returns an error and its causes. Some errors stand for another one, which is not their source.
fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let cause = |&error: &&'a (dyn StdError + 'static)| -> Option<&'a (dyn StdError + 'static)> {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.get_ref().map(|inner| inner as _);
        }
        if let Some(error) = error.downcast_ref::<Arc<kube::Error>>() {
            return Some(&**error);
        }
        if let Some(error) = error.downcast_ref::<Box<kube::Error>>() {
            return Some(&**error);
        }
        error.source()
    };
    successors(Some(error), cause).take(MOST_CAUSES)
}

/// Returns the text that stands for an error which may quote credentials. `None` for others.
fn replacement(error: &(dyn StdError + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<AuthError>() {
        return of_plugin(error);
    }
    match error.downcast_ref() {
        Some(KubeconfigError::Parse(_)) => {
            return Some("the kubeconfig is not valid YAML of a kubeconfig".into());
        }
        Some(KubeconfigError::ParseCertificates(_)) => {
            return Some("a certificate of the kubeconfig is not valid PEM".into());
        }
        _ => {}
    }
    match error.downcast_ref::<kube::Error>()? {
        kube::Error::ProxyProtocolUnsupported { .. } => {
            Some("the proxy of the configuration has an unsupported protocol".into())
        }
        kube::Error::ProxyProtocolDisabled { protocol_feature, .. } => {
            Some(format!("the proxy of the configuration needs the feature `{protocol_feature}`"))
        }
        kube::Error::Api(_)
        | kube::Error::HyperError(_)
        | kube::Error::Service(_)
        | kube::Error::FromUtf8(_)
        | kube::Error::ReadEvents(_)
        | kube::Error::HttpError(_)
        | kube::Error::SerdeError(_)
        | kube::Error::BuildRequest(_)
        | kube::Error::InferConfig(_)
        | kube::Error::Discovery(_)
        | kube::Error::TlsRequired
        | kube::Error::Auth(_)
        | kube::Error::InferKubeconfig(_) => None,
        // Errors of TLS exist only with features of kube, so they cannot be named here.
        _ => Some(
            "the TLS settings or the keys of the configuration cannot be used; the reason is not \
             shown, because it may quote a key"
                .into(),
        ),
    }
}

/// Only errors that are known to quote nothing are left as they are.
fn of_plugin(error: &AuthError) -> Option<String> {
    match error {
        AuthError::InvalidBasicAuth(_)
        | AuthError::InvalidBearerToken(_)
        | AuthError::UnrefreshableTokenResponse
        | AuthError::ExecPluginFailed
        | AuthError::AuthExecStart(_)
        | AuthError::ReadTokenFile(..)
        | AuthError::MissingCommand
        | AuthError::ExecMissingClusterInfo
        | AuthError::NoValidNativeRootCA(_) => None,
        AuthError::AuthExecRun { out, .. } => {
            Some(format!("the credential plug-in failed ({}); its output is not shown", out.status))
        }
        AuthError::AuthExecParse(_) | AuthError::MalformedTokenExpirationDate(_) => {
            Some("the output of the credential plug-in cannot be read; it is not shown".into())
        }
        _ => Some("the credentials cannot be obtained; the reason may quote them".into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{ExitStatus, Output};

    use super::super::chain;
    use super::*;

    fn failed() -> AuthError {
        let out = Output {
            status: ExitStatus::from_raw(256),
            stdout: b"{\"token\": \"hunter2\"}".to_vec(),
            stderr: b"hunter2".to_vec(),
        };
        AuthError::AuthExecRun { cmd: "login --password hunter2".into(), out: Box::new(out) }
    }

    fn proxy() -> http::Uri {
        "socks5://me:hunter2@localhost".parse().unwrap()
    }

    /// An error of user code, whose text has its cause's.
    #[derive(Debug, thiserror::Error)]
    enum Own {
        #[error("no tenants: {0}")]
        Text(#[source] kube::Error),
        #[error("no tenants: {0:?}")]
        Debug(#[source] kube::Error),
        #[error("no tenants")]
        Silent(#[source] kube::Error),
    }

    #[test]
    fn credentials_are_in_neither_text_nor_debug() {
        let parse = || match kube::config::Kubeconfig::from_yaml("users: hunter2") {
            Err(error) => kube::Error::InferKubeconfig(error),
            Ok(config) => panic!("{config:?}"),
        };
        assert!(parse().to_string().contains("hunter2"));
        let errors = || {
            let feature = "kube/socks5";
            let disabled = kube::Error::ProxyProtocolDisabled {
                proxy_url: proxy().into(),
                protocol_feature: feature,
            };
            [
                (kube::Error::Auth(failed()), "exit status: 1"),
                (kube::Error::Service(failed().into()), "exit status: 1"),
                (kube::Error::Auth(AuthError::AuthExec("hunter2".into())), "cannot be obtained"),
                (
                    kube::Error::ProxyProtocolUnsupported { proxy_url: proxy().into() },
                    "unsupported",
                ),
                (disabled, "`kube/socks5`"),
                (parse(), "not valid YAML"),
            ]
        };
        for (error, reason) in errors() {
            let error = without_credentials(error);
            let text = format!("{error} {error:?}");
            assert!(text.contains(reason) && !text.contains("hunter2"), "{text}");
        }
        for own in [Own::Text, Own::Debug, Own::Silent] {
            for (error, reason) in errors() {
                let text = chain(&own(error));
                assert!(text.starts_with("no tenants") && text.contains(reason), "{text}");
                assert_eq!(text.matches(reason).count(), 1, "{text}");
                assert!(!text.contains("hunter2"), "{text}");
            }
        }
    }

    #[test]
    fn other_errors_stay() {
        let absent = std::io::Error::new(std::io::ErrorKind::NotFound, "login: not found");
        let error = kube::Error::Auth(AuthError::AuthExecStart(absent));
        let error = without_credentials(error);
        assert_eq!(error.to_string(), "auth error: unable to run auth exec: login: not found");
    }
}

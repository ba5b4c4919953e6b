//! The error of a direct write.

use kube::core::Status;

use super::failure::Failure;

/// The error of a write that the test makes itself, such as [`ApiServer::create`].
///
/// A refused write has the `Status` that a client would get, with its reason and causes:
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_embedded_apiserver::{ApiServer, api_server::DirectWriteError};
///
/// let server = ApiServer::new();
/// let map = serde_json::json!({"metadata": {"name": "Not_a_name", "namespace": "default"}});
/// let map: ConfigMap = serde_json::from_value(map)?;
/// let error = server.create(&map).unwrap_err();
/// let status = error.status().ok_or("not refused")?;
/// assert_eq!((status.code, &*status.reason), (422, "Invalid"));
/// let details = status.details.as_ref().ok_or("no details")?;
/// assert_eq!(details.causes[0].field, "metadata.name");
/// assert!(error.to_string().contains("metadata.name: Invalid value: \"Not_a_name\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`ApiServer::create`]: super::ApiServer::create
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectWriteError {
    /// The server refused the write.
    #[error("the embedded API server refused the write ({}): {}", .0.code, .0.message)]
    Refused(Box<Status>),
    /// The server does not serve the type.
    #[error("{kind} of {api_version} is not served: register the type, or create its definition")]
    NotServed {
        /// The API version of the type.
        api_version: String,
        /// The kind of the type.
        kind: String,
    },
    /// The object cannot be written as JSON.
    #[error("the object cannot be written as JSON: {0}")]
    Encoding(#[source] serde_json::Error),
    /// The stored object cannot be read as its type. It is stored nevertheless.
    #[error("the stored object cannot be read as its type: {0}")]
    Decoding(#[source] serde_json::Error),
}

impl DirectWriteError {
    /// Returns the `Status` of a refused write.
    #[must_use]
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Refused(status) => Some(status),
            _ => None,
        }
    }
}

impl From<Failure> for DirectWriteError {
    fn from(failure: Failure) -> Self {
        let status = failure.status.and_then(|status| serde_json::from_value(status).ok());
        let plain = || Status::failure(&failure.message, "").with_code(failure.code);
        Self::Refused(Box::new(status.unwrap_or_else(plain)))
    }
}

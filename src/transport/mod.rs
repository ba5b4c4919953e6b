//! Asks an API server: requests, negotiation, framing, decoding.

/// Lists and watches through a [`kube::Client`].
#[derive(Debug)]
pub struct ApiSource;

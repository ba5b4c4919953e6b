//! A client that counts its open watches.

use std::sync::Arc;

use http::Request;
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;

/// The count of open watches: a clone for each, and this one.
#[derive(Clone, Default)]
pub(crate) struct Watches(Arc<()>);

impl Watches {
    /// Returns a client that sends requests with `client`, and counts them here.
    pub(crate) fn count(&self, client: Client) -> Client {
        let watches = self.0.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (client, open) = (client.clone(), watches.clone());
            async move {
                let query = request.uri().query().unwrap_or_default();
                let watch = query.split('&').any(|part| part.starts_with("watch="));
                let open = watch.then_some(open);
                let answer = client.send(request).await.map_err(std::io::Error::other)?;
                Ok::<_, std::io::Error>(answer.map(move |body| {
                    body.map_frame(move |frame| {
                        let _ = &open;
                        frame
                    })
                }))
            }
        });
        Client::new(service, "default")
    }

    /// Returns the number of open watches.
    pub(crate) fn open(&self) -> usize {
        // One is this, one is the client's.
        Arc::strong_count(&self.0).saturating_sub(2)
    }
}

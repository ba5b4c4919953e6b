//! The server of `benches/webhooks/run`: a validating webhook, as the program in Go beside it has
//! one.
//!
//! `webhooks-bench FOLDER` serves the certificate of a folder on a free port, and prints the
//! address.

use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube_webhooks::{Admission, BoxError, Certificates, Refusal, Webhooks};
use tokio_util::sync::CancellationToken;

async fn has_team(review: Admission<Pod>) -> Result<(), Refusal> {
    if review.object()?.labels().contains_key("team") {
        return Ok(());
    }
    Err(Refusal::forbidden("a pod has a team"))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = std::env::args().nth(1).ok_or("webhooks-bench FOLDER")?;
    let webhooks = Webhooks::builder().validate("/has-team", has_team).build()?;
    let certificates = Certificates::folder(folder);
    let server = webhooks.listen(([127, 0, 0, 1], 0), certificates).await?;
    println!("{}", server.address());
    server.run(CancellationToken::new()).await;
    Ok(())
}

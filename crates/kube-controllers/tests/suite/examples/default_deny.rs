//! `default_deny`, the tutorial's controller: its test as a reader copies it, and that the tutorial
//! shows both as they are.

#[allow(unreachable_pub, reason = "the file is a library in the tutorial")]
#[path = "../../../../../examples/default_deny/controller.rs"]
mod example;

/// The tutorial's test file, as a reader copies it.
mod test {
    use super::example as default_deny;

    include!("../../../../../examples/default_deny/test.rs");

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "the manager has ended: namespaces may not be listed or watched")]
    async fn wait_shows_why_the_manager_ended() {
        let server = ApiServer::builder().token("t", "nobody", []).build();
        let client = server.client_with_token("t");
        let manager = default_deny::manager(client).unwrap().build().unwrap();
        let mut running = tokio::spawn(manager.run_until(CancellationToken::new()));
        wait_for_policy(&Api::namespaced(server.client(), "shop"), &mut running).await;
    }
}

#[test]
fn tutorial_shows_the_example() {
    let page = include_str!("../../../src/docs/tutorial.md");
    // Lines of a doctest that readers do not see.
    let shown: Vec<_> = page.lines().filter(|line| !line.starts_with("# mod ")).collect();
    let shown = shown.join("\n");
    for file in [
        include_str!("../../../../../examples/default_deny/controller.rs"),
        include_str!("../../../../../examples/default_deny/test.rs"),
    ] {
        assert!(shown.contains(&format!("```rust\n{file}```")), "copy it into the page:\n{file}");
    }
}

#[tokio::test]
async fn tutorial_shows_the_roles_that_the_manager_needs() {
    let page = include_str!("../../../src/docs/tutorial.md");
    let service = tower::service_fn(async |_: http::Request<kube::client::Body>| {
        Err::<http::Response<kube::client::Body>, _>(std::io::Error::other("not needed"))
    });
    let client = kube::Client::new(service, "default-deny");
    let rbac = example::manager(client).unwrap().rbac();
    let roles = rbac.objects("default-deny", "default-deny").to_string();
    assert!(page.contains(&format!("\n---\n{roles}```")), "copy them into the page:\n{roles}");
}

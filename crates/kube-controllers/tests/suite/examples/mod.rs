//! Each example with controllers runs on the embedded API server, under paused time, and does what
//! it says.

mod clusters;
mod default_deny;
mod finalizer_page;
mod from_kube_runtime;
mod guide;
/// The code of controllers on pages of the informer's guide.
#[allow(dead_code, reason = "it is shown, not run")]
mod informer_pages {
    mod client_go {
        include!("client_go_page.rs");

        fn deployment_of(_: &ConfigMap) -> Deployment {
            Deployment::default()
        }
    }
    mod trigger {
        include!("trigger_page.rs");
    }
}
mod operator;
#[expect(clippy::unused_async, reason = "a page of the guide: a reconcile is async")]
mod reconcile_page;
mod sharded;
#[path = "../../../../../tests/suite/examples/support.rs"]
#[expect(dead_code, reason = "the informer's examples use the rest")]
mod support;
mod testing_page;

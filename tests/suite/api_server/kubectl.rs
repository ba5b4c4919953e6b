//! kubectl as a client. Where it is not installed, each test says so and does nothing.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use kube_informer::testing::api_server::{AccessRule, ListeningServer};
use serde_json::json;

use super::*;

/// kubectl with a kubeconfig that leads to a server.
struct Kubectl {
    _listening: ListeningServer,
    kubeconfig: std::path::PathBuf,
}

impl Drop for Kubectl {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.kubeconfig);
    }
}

impl Kubectl {
    async fn of(server: &ApiServer) -> Option<Self> {
        let listening = server.listen("127.0.0.1:0").await.unwrap();
        Self::with(listening, None)
    }

    fn with(listening: ListeningServer, token: Option<&str>) -> Option<Self> {
        if Command::new("kubectl").arg("version").arg("--client").output().is_err() {
            // Straight to the terminal: what a test prints is kept from it.
            let _ = writeln!(std::io::stderr(), "SKIPPED: kubectl is not installed");
            return None;
        }
        let name = format!("kubeconfig-{}-{}", std::process::id(), listening.address().port());
        let kubeconfig = std::env::temp_dir().join(name);
        std::fs::write(&kubeconfig, listening.kubeconfig(token)).unwrap();
        Some(Self { _listening: listening, kubeconfig })
    }

    fn command(&self, args: &str) -> Command {
        let mut command = Command::new("kubectl");
        command.env("KUBECONFIG", &self.kubeconfig).env("HOME", std::env::temp_dir());
        command.arg("--cache-dir").arg(self.kubeconfig.with_extension("cache"));
        command.arg("--request-timeout=30s").args(args.split_whitespace());
        command
    }

    /// Runs it to its end; what it said, on both outputs, and whether it was content.
    async fn run(&self, args: &str, input: &str) -> (bool, String) {
        let mut command = self.command(args);
        let input = input.to_owned();
        let run = move || {
            let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = piped.spawn().unwrap();
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
            child.wait_with_output().unwrap()
        };
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    async fn ok(&self, args: &str) -> String {
        self.ok_with(args, "").await
    }

    async fn ok_with(&self, args: &str, input: &str) -> String {
        let (content, said) = self.run(args, input).await;
        assert!(content, "kubectl {args}: {said}");
        said
    }
}

fn deployment(image: &str) -> String {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [
                    {"name": "app", "image": image, "ports": [{"containerPort": 80, "protocol": "TCP"}]},
                ]},
            },
        },
    })
    .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_applies_changes_and_deletes() {
    let server = ApiServer::new();
    let Some(kubectl) = Kubectl::of(&server).await else { return };
    let said = kubectl.ok_with("apply -f -", &deployment("app:v1")).await;
    assert!(said.contains("deployment.apps/web created"), "{said}");
    let said = kubectl.ok_with("apply -f -", &deployment("app:v2")).await;
    assert!(said.contains("deployment.apps/web configured"), "{said}");
    let said = kubectl.ok_with("apply -f -", &deployment("app:v2")).await;
    assert!(said.contains("deployment.apps/web unchanged"), "{said}");
    kubectl.ok("label deployment web tier=front").await;
    kubectl.ok("annotate deployment web note=x").await;
    kubectl.ok("patch deployment web -p {\"spec\":{\"replicas\":3}}").await;
    kubectl.ok("patch deploy web --type=merge -p {\"spec\":{\"paused\":true}}").await;
    let json = "patch deploy web --type=json -p [{\"op\":\"remove\",\"path\":\"/spec/paused\"}]";
    kubectl.ok(json).await;
    kubectl.ok("set image deployment/web app=app:v3").await;
    let shown = kubectl.ok("get deploy web -o wide --show-labels").await;
    for part in ["READY", "0/3", "app:v3", "app=web,tier=front"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = kubectl.ok("describe deployment web").await;
    assert!(shown.contains("app:v3") && shown.contains("80/TCP"), "{shown}");
    let said = kubectl.ok("delete deployment web --dry-run=server").await;
    assert!(said.contains("deleted"), "{said}");
    kubectl.ok("get deployment web").await;
    kubectl.ok("delete deployment web").await;
    let (content, said) = kubectl.run("get deployment web", "").await;
    assert!(!content && said.contains("NotFound"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_applies_on_the_server() {
    let server = ApiServer::new();
    let Some(kubectl) = Kubectl::of(&server).await else { return };
    let apply = "apply --server-side -f -";
    kubectl.ok_with(apply, &deployment("app:v1")).await;
    kubectl.ok("set image deployment/web app=app:v2").await;
    let (content, said) = kubectl.run(apply, &deployment("app:v1")).await;
    assert!(!content && said.contains("conflict with \"kubectl-set\""), "{said}");
    kubectl.ok_with("apply --server-side --force-conflicts -f -", &deployment("app:v1")).await;
    assert!(kubectl.ok("get deploy web -o wide").await.contains("app:v1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_moves_from_client_to_server_side_apply() {
    let server = ApiServer::new();
    let Some(kubectl) = Kubectl::of(&server).await else { return };
    kubectl.ok_with("apply -f -", &deployment("app:v1")).await;
    let said = kubectl.ok_with("apply --server-side -f -", &deployment("app:v2")).await;
    assert!(said.contains("deployment.apps/web serverside-applied"), "{said}");
    assert!(!said.contains("Warning"), "{said}");
    let shown = kubectl.ok("get deploy web -o yaml --show-managed-fields").await;
    assert!(!shown.contains("kubectl-client-side-apply"), "{shown}");
    let said = kubectl.ok_with("apply -f -", &deployment("app:v3")).await;
    assert!(said.contains("deployment.apps/web configured"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_explains_types() {
    let server = ApiServer::new();
    let Some(kubectl) = Kubectl::of(&server).await else { return };
    let said = kubectl.ok("explain deployment.spec.template.spec.containers").await;
    assert!(
        said.contains("image\t<string>") && said.contains("name\t<string> -required-"),
        "{said}"
    );
    // Every type of every reference is walked.
    for kind in ["pods", "crd", "hpa", "resourceslices"] {
        kubectl.ok(&format!("explain {kind} --recursive")).await;
    }
    let (content, said) = kubectl.run("explain pods.spec.nope", "").await;
    assert!(!content && said.contains("field \"nope\" does not exist"), "{said}");
    let unknown = json!({"apiVersion": "apps/v1", "kind": "Foo", "metadata": {"name": "x"}});
    let (content, said) = kubectl.run("create -f -", &unknown.to_string()).await;
    assert!(!content && said.contains("no matches for kind \"Foo\""), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_reads_and_discovers() {
    let server = ApiServer::new();
    let Some(kubectl) = Kubectl::of(&server).await else { return };
    for name in ["a", "b"] {
        server.create(&labelled(name, "web")).unwrap();
    }
    let shown = kubectl.ok("api-resources --verbs=list -o wide").await;
    for part in ["deployments", "deploy", "apps/v1", "configmaps", "cm", "deletecollection"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let kinds = kubectl.ok("api-resources --verbs=list -o name").await;
    let kinds: Vec<&str> = kinds.split_whitespace().collect();
    kubectl.ok(&format!("get {} -A -o wide", kinds.join(","))).await;
    assert!(kubectl.ok("api-versions").await.contains("networking.k8s.io/v1"));
    assert!(kubectl.ok("version").await.contains("v1.36"));
    let shown = kubectl.ok("get cm").await;
    assert!(shown.starts_with("NAME") && shown.contains("DATA"), "{shown}");
    assert!(kubectl.ok("get cm -l app=web -o name").await.contains("configmap/b"));
    assert!(kubectl.ok("get cm a -o yaml").await.contains("app: web"));
    assert!(kubectl.ok("get --raw /healthz").await.contains("ok"));
    assert!(kubectl.ok("describe cm a").await.contains("app=web"));
    assert!(kubectl.ok("get all -A").await.contains("No resources found"));
    kubectl.ok("delete cm --all").await;
    assert!(kubectl.ok("get cm").await.contains("No resources found"));
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_watches() {
    let server = ApiServer::new();
    let Some(kubectl) = Kubectl::of(&server).await else { return };
    server.create(&map("first")).unwrap();
    let mut command = kubectl.command("get configmaps --watch --output-watch-events");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, mut heard) = tokio::sync::mpsc::channel(16);
    let reader = std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    let mut next = async || {
        let line = tokio::time::timeout(Duration::from_secs(30), heard.recv());
        line.await.expect("a line in time").expect("still watching")
    };
    assert!(next().await.contains("EVENT"));
    assert!(next().await.contains("first"));
    server.create(&map("second")).unwrap();
    let line = next().await;
    assert!(line.starts_with("ADDED") && line.contains("second"), "{line}");
    server.delete(&map("first")).unwrap();
    let line = next().await;
    assert!(line.starts_with("DELETED") && line.contains("first"), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_defines_a_type_and_uses_it() {
    let server = ApiServer::new();
    let Some(kubectl) = Kubectl::of(&server).await else { return };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wg"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                }},
                "additionalPrinterColumns": [
                    {"name": "Color", "type": "string", "jsonPath": ".spec.color"},
                ],
            }, {
                "name": "v1beta1", "served": true, "storage": false, "deprecated": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                }},
            }],
        },
    });
    kubectl.ok_with("apply -f -", &definition.to_string()).await;
    kubectl.ok("wait --for=condition=Established crd/widgets.example.com --timeout=20s").await;
    for color in ["red", "blue"] {
        let widget = json!({
            "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"},
            "spec": {"color": color},
        });
        kubectl.ok_with("apply -f -", &widget.to_string()).await;
    }
    let shown = kubectl.ok("get wg").await;
    assert!(shown.contains("COLOR") && shown.contains("blue"), "{shown}");
    let said = kubectl.ok("get widgets.v1beta1.example.com").await;
    let warning = "Warning: example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget";
    assert!(said.contains(warning), "{said}");
    kubectl.ok("delete crd widgets.example.com").await;
    assert!(!kubectl.run("get wg", "").await.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_is_refused_in_words_it_shows() {
    let reads = AccessRule::new(["get", "list"], ["configmaps"]);
    let server = ApiServer::builder().token("s3cret", "viewer", [reads]).build();
    let listening = server.listen_tls("127.0.0.1:0").await.unwrap();
    let Some(kubectl) = Kubectl::with(listening, Some("s3cret")) else { return };
    kubectl.ok("get configmaps").await;
    let (content, said) = kubectl.run("get secrets", "").await;
    assert!(
        !content && said.contains("User \"viewer\" cannot list resource \"secrets\""),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_scales_drains_and_asks_what_it_may() {
    let server = ApiServer::new();
    let Some(kubectl) = Kubectl::of(&server).await else { return };
    kubectl.ok_with("apply -f -", &deployment("app:v1")).await;
    let said = kubectl.ok("scale deployment web --replicas=5 --current-replicas=2").await;
    assert!(said.contains("deployment.apps/web scaled"), "{said}");
    let replicas = kubectl.ok("get deployment web -o jsonpath={.spec.replicas}").await;
    assert_eq!(replicas, "5");

    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}});
    kubectl.ok_with("create -f -", &node.to_string()).await;
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "app", "image": "app:v1"}]},
    });
    kubectl.ok_with("create -f -", &pod.to_string()).await;
    let binding = json!({"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}});
    let path = "/api/v1/namespaces/default/pods/p/binding";
    assert_eq!(ask(&server, "POST", path, &[], &binding).await.status, 201);
    // No kubelet ends it: no grace.
    let said = kubectl.ok("drain n1 --force --grace-period=0 --timeout=20s").await;
    assert!(said.contains("pod/p evicted") && said.contains("node/n1 drained"), "{said}");
    let (content, said) = kubectl.run("get pod p", "").await;
    assert!(!content && said.contains("NotFound"), "{said}");

    assert_eq!(kubectl.ok("auth can-i delete pods").await.trim(), "yes");
    let reads = AccessRule::new(["get"], ["pods"]);
    let guarded = ApiServer::builder().token("s3cret", "viewer", [reads]).build();
    // A token goes over TLS alone.
    let listening = guarded.listen_tls("127.0.0.1:0").await.unwrap();
    let Some(kubectl) = Kubectl::with(listening, Some("s3cret")) else { return };
    assert_eq!(kubectl.ok("auth can-i get pods").await.trim(), "yes");
    let (content, said) = kubectl.run("auth can-i delete pods", "").await;
    assert!(!content && said.trim() == "no", "{said}");
}

//! The Kustomize base and the Helm chart: one set of objects, which a server takes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ValidationDirective};
use kube_embedded_apiserver::ControlPlane;
use kube_embedded_apiserver::control_plane::ControlPlaneError;
use kube_informer::testing::api_server::ResourceType;

use super::manifests::documents;
use super::*;

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/operator/deploy")
}

fn read(file: &str) -> String {
    fs::read_to_string(deploy().join(file)).unwrap()
}

/// The documents of YAML, in an order of their own.
fn sorted(text: &str) -> Vec<Value> {
    let mut objects = documents(text);
    objects.sort_by_key(|object| format!("{} {}", object["kind"], object["metadata"]["name"]));
    objects
}

/// The objects of a kustomization, as files name them.
fn kustomized(folder: &str) -> Vec<String> {
    let kustomization = documents(&read(&format!("{folder}/kustomization.yaml"))).remove(0);
    let names = kustomization["resources"].as_array().unwrap().iter();
    let files = names.flat_map(|name| match name.as_str().unwrap() {
        "../base" => kustomized("base"),
        file => vec![read(&format!("{folder}/{file}"))],
    });
    files.collect()
}

/// The value at a path such as `.Values.image.tag`.
fn value(values: &Value, path: &str) -> Value {
    match path {
        ".Release.Name" | ".Release.Namespace" => json!("webapps"),
        path => {
            let pointer = path.strip_prefix(".Values").unwrap().replace('.', "/");
            values.pointer(&pointer).unwrap_or_else(|| panic!("values.yaml lacks {path}")).clone()
        }
    }
}

/// Renders a template that has only values, `toJson`, and one `if` around everything.
fn rendered(template: &str, values: &Value) -> String {
    let mut template = template.trim();
    if let Some((condition, rest)) =
        template.strip_prefix("{{- if ").and_then(|rest| rest.split_once(" }}"))
    {
        if value(values, condition) != json!(true) {
            return String::new();
        }
        template = rest.strip_suffix("{{- end }}").unwrap();
    }
    let mut parts = template.split("{{ ");
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (expression, rest) = part.split_once(" }}").unwrap();
        match (expression.strip_prefix("toJson "), expression) {
            (Some(path), _) => text += &value(values, path).to_string(),
            (None, path) => match value(values, path) {
                Value::String(plain) => text += &plain,
                other => text += &other.to_string(),
            },
        }
        text += rest;
    }
    text
}

/// The files of the chart, rendered with these values.
fn chart(values: &Value) -> String {
    let mut files = vec![read("chart/crds/webapps.yaml")];
    for entry in fs::read_dir(deploy().join("chart/templates")).unwrap() {
        let template = fs::read_to_string(entry.unwrap().path()).unwrap();
        files.push(rendered(&template, values));
    }
    files.retain(|file| !file.is_empty());
    files.join("\n---\n")
}

fn values() -> Value {
    documents(&read("chart/values.yaml")).remove(0)
}

/// Runs a tool. `None`, and a line on the terminal, where it is not installed.
fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    let Ok(output) = Command::new(name).args(arguments).current_dir(deploy()).output() else {
        // Straight to the terminal: what a test prints is kept from it.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {name} is not installed");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {arguments:?}: {said}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn chart_has_the_objects_of_the_base() {
    for (folder, monitored) in [("base", false), ("monitoring", true)] {
        let mut values = values();
        values["serviceMonitor"]["enabled"] = json!(monitored);
        let mut base = sorted(&kustomized(folder).join("\n---\n"));
        // `helm install --create-namespace` makes it.
        base.retain(|object| object["kind"] != "Namespace");
        assert_eq!(sorted(&chart(&values)), base, "{folder}");
    }
}

#[test]
fn kustomize_finds_the_files() {
    for folder in ["base", "monitoring"] {
        let Some(built) = tool("kubectl", &["kustomize", folder]) else { return };
        assert_eq!(sorted(&built), sorted(&kustomized(folder).join("\n---\n")), "{folder}");
    }
}

#[test]
fn helm_renders_as_the_test_does() {
    let render = ["template", "webapps", "chart", "--namespace", "webapps", "--include-crds"];
    let Some(built) = tool("helm", &render) else { return };
    assert_eq!(sorted(&built), sorted(&chart(&values())));
}

#[tokio::test(start_paused = true)]
async fn server_takes_every_object() {
    let server = ApiServer::builder().require_namespaces(true).build();
    // Its definition is the Prometheus operator's.
    let monitor = GroupVersionKind::gvk("monitoring.coreos.com", "v1", "ServiceMonitor");
    server.register(ResourceType::from_api_resource(&ApiResource::from_gvk(&monitor), true));
    let strict = PatchParams {
        field_validation: Some(ValidationDirective::Strict),
        ..PatchParams::apply("kubectl")
    };
    for document in kustomized("monitoring").iter().flat_map(|file| documents(file)) {
        let object: DynamicObject = serde_json::from_value(document).unwrap();
        let types = object.types.clone().unwrap();
        let resource = ApiResource::from_gvk(&GroupVersionKind::try_from(&types).unwrap());
        let client = server.client();
        let api: Api<DynamicObject> = match &object.metadata.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &resource),
            None => Api::all_with(client, &resource),
        };
        let (name, patch) = (object.name_any(), Patch::Apply(&object));
        let applied = api.patch(&name, &strict, &patch).await;
        applied.unwrap_or_else(|error| panic!("{} {name}: {error}", types.kind));
    }
}

/// Lets kubectl apply the base, of which only the namespace stays. Nothing without kubectl.
async fn kubectl_applies(name: &str, kubeconfig: String) {
    let file = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    let apply = move || {
        fs::write(&file, kubeconfig).unwrap();
        let options = [
            format!("--kubeconfig={}", file.display()),
            format!("--cache-dir={}.cache", file.display()),
        ];
        let run = |arguments: &str| {
            let options = options.iter().map(String::as_str);
            tool("kubectl", &options.chain(arguments.split(' ')).collect::<Vec<_>>())
        };
        let said = run("apply --server-side -f base/namespace.yaml")
            .and_then(|_| run("apply --server-side --dry-run=server -k base"));
        fs::remove_file(&file).unwrap();
        said
    };
    let Some(said) = tokio::task::spawn_blocking(apply).await.unwrap() else { return };
    assert_eq!(said.matches("(server dry run)").count(), 10, "{said}");
}

// Not under paused time: its clock does not wait for sockets.
#[tokio::test]
async fn kubectl_applies_the_base() {
    let server = ApiServer::builder().require_namespaces(true).build();
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    kubectl_applies("operator-embedded", listening.kubeconfig(None)).await;
}

#[tokio::test]
async fn real_server_takes_the_base() {
    match ControlPlane::start().await {
        Ok(plane) => {
            kubectl_applies("operator-plane", plane.kubeconfig()).await;
            plane.stop().await;
        }
        Err(ControlPlaneError::Missing(missing)) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {missing}");
        }
        Err(error) => panic!("{error}"),
    }
}

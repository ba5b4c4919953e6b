//! The subresources of pods that lead to a node: logs, commands, ports. Nothing runs on the nodes
//! of this server, so that only refusals, and the log of a pod without a node, are answered.

use std::collections::HashMap;

use http::Uri;
use serde_json::{Value, json};

use super::WriteTarget;
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::store::Store;
use crate::api_server::store::stored::key;

/// The options of a log that are numbers, each with the least value.
const LOG_NUMBERS: [(&str, i64); 3] = [("limitBytes", 1), ("sinceSeconds", 1), ("tailLines", 0)];

/// Returns the failure for a connection to a node.
pub(crate) fn no_node() -> Failure {
    Failure::new(501, "NotImplemented", "no container runs on the nodes of the embedded server")
}

/// Returns the options of a connection, which a server reads from the URL, as an object of a kind.
pub(crate) fn options(kind: &str, uri: &Uri) -> Value {
    let mut options = json!({ "kind": kind, "apiVersion": "v1" });
    if kind == "PodProxyOptions" {
        let below = uri.path().split_once("/pods/").and_then(|(_, pod)| pod.split_once("/proxy"));
        if let Some((_, path)) = below.filter(|(_, path)| !path.is_empty()) {
            options["path"] = path.into();
        }
        return options;
    }
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        let (name, value) = (&*name, &*value);
        let all = |options: &Value| options[name].as_array().cloned().unwrap_or_default();
        match (kind, name) {
            ("PodPortForwardOptions", "ports") => {
                let mut ports = all(&options);
                let listed = value.split(',').filter_map(|port| port.parse::<i32>().ok());
                ports.extend(listed.map(Value::from));
                options[name] = ports.into();
            }
            ("PodExecOptions", "command") => {
                let mut words = all(&options);
                words.push(value.into());
                options[name] = words.into();
            }
            ("PodPortForwardOptions", _) => {}
            (_, "container") if !value.is_empty() => options[name] = value.into(),
            (_, "stdin" | "stdout" | "stderr" | "tty") if is_true(value) => {
                options[name] = true.into();
            }
            _ => {}
        }
    }
    options
}

/// Returns whether a flag of a URL is set.
fn is_true(value: &str) -> bool {
    value != "0" && !value.eq_ignore_ascii_case("false")
}

/// Succeeds for a pod without a node, whose log is empty.
pub(crate) fn log(
    store: &Store,
    target: WriteTarget<'_>,
    params: &HashMap<String, String>,
) -> Result<(), Failure> {
    let mut causes = Vec::new();
    for (name, least) in LOG_NUMBERS {
        let Some(text) = params.get(name) else { continue };
        let number: i64 = text.parse().map_err(|_| {
            let problem = format!("parsing {text:?}: invalid syntax");
            Failure::bad_request(format!("strconv.ParseInt: {problem}"))
        })?;
        if number < least {
            let problem = match least {
                0 => "must be greater than or equal to 0",
                _ => "must be greater than 0",
            };
            causes.push(Cause::invalid_raw(name, text, problem));
        }
    }
    if !causes.is_empty() {
        return Err(Failure::invalid_kind("", "PodLogOptions", target.name(), &causes));
    }
    let pod = pod(store, target)?;
    let containers = ["containers", "initContainers", "ephemeralContainers"].map(|list| {
        let all = pod["spec"][list].as_array().into_iter().flatten();
        all.filter_map(|container| container["name"].as_str()).collect::<Vec<_>>()
    });
    let wanted = params.get("container").map_or("", String::as_str);
    let name = target.name();
    let [regular, others @ ..] = containers;
    match (wanted, &*regular) {
        ("", [_]) => {}
        ("", choices) => {
            return Err(Failure::bad_request(format!(
                "a container name must be specified for pod {name}, choose one of: [{}]",
                choices.join(" ")
            )));
        }
        (wanted, known) => {
            if !known.iter().chain(others.iter().flatten()).any(|known| *known == wanted) {
                let message = format!("container {wanted} is not valid for pod {name}");
                return Err(Failure::bad_request(message));
            }
        }
    }
    match node(&pod) {
        "" => Ok(()),
        node => Err(unreachable_node(store, target, node)),
    }
}

/// Returns the failure of a command, of an attached terminal, or of forwarded ports.
pub(crate) fn stream(store: &Store, target: WriteTarget<'_>) -> Result<(), Failure> {
    let pod = pod(store, target)?;
    match node(&pod) {
        "" => {
            let message = format!("pod {} does not have a host assigned", target.name());
            Err(Failure::bad_request(message))
        }
        node => Err(unreachable_node(store, target, node)),
    }
}

/// Returns the failure of a proxied request.
pub(crate) fn proxy(store: &Store, target: WriteTarget<'_>) -> Result<(), Failure> {
    let pod = pod(store, target)?;
    match pod["status"]["podIP"].as_str() {
        None | Some("") => Err(Failure::bad_request("address not allowed")),
        Some(_) => Err(no_node()),
    }
}

fn pod(store: &Store, target: WriteTarget<'_>) -> Result<Value, Failure> {
    // The name may have a port, as in `https:name:port`.
    Ok(target.current(store)?.value(target.resource))
}

fn node(pod: &Value) -> &str {
    pod["spec"]["nodeName"].as_str().unwrap_or_default()
}

/// Returns the failure for a pod on a node. A real server names a missing node as if it were a pod.
fn unreachable_node(store: &Store, target: WriteTarget<'_>, node: &str) -> Failure {
    let nodes = store.served("", "v1", "nodes").and_then(|nodes| store.of(nodes));
    let exists = nodes.is_some_and(|nodes| nodes.objects.contains_key(&key("", node)));
    if exists { no_node() } else { Failure::not_found(target.resource, node) }
}

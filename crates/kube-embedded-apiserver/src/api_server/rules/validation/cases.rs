//! Right and wrong objects of many kinds, sent to a server.
//!
//! The files have a right object of each kind, and then a case a line: the kind, changes of its
//! object by JSON pointers, and the problems that a server answers. `A -> B` is a change of an
//! object that was made with the changes `A`. Problems are given by their beginnings.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::ApiServer;
use crate::api_server::asking::{path_of, send};

/// Sets the value at a JSON pointer. Objects and elements on the way are made.
fn set(target: &mut Value, pointer: &str, value: Value) {
    let mut target = target;
    for part in pointer.split('/').skip(1) {
        target = if let Ok(index) = part.parse::<usize>() {
            if !target.is_array() {
                *target = json!([]);
            }
            let list = target.as_array_mut().unwrap();
            if list.len() <= index {
                list.resize(index + 1, Value::Null);
            }
            &mut list[index]
        } else {
            if !target.is_object() {
                *target = json!({});
            }
            &mut target[part.replace("~1", "/")]
        };
    }
    *target = value;
}

fn change(object: &mut Value, changes: &str) {
    for change in changes.split("; /").filter(|change| !change.trim().is_empty()) {
        let (pointer, value) = change.split_once(" = ").unwrap();
        let pointer = pointer.trim().trim_start_matches('/');
        set(object, &format!("/{pointer}"), serde_json::from_str(value).unwrap());
    }
}

/// Returns the problems of a server's answer, in the order of the alphabet.
fn problems((status, answer): (StatusCode, Value)) -> Vec<String> {
    if status.is_success() {
        return Vec::new();
    }
    let causes = answer["details"]["causes"].as_array().cloned().unwrap_or_default();
    let text = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    let mut found: Vec<String> = causes
        .iter()
        .map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message")))
        .collect();
    if found.is_empty() {
        found.push(answer["message"].to_string());
    }
    found.sort();
    found
}

/// Returns the problems of a case.
async fn run(server: &ApiServer, object: &Value, changes: &str, part: &str) -> Vec<String> {
    let path = path_of(object);
    let mut object = object.clone();
    let Some((before, after)) = changes.split_once("->") else {
        change(&mut object, changes);
        return problems(send(server, Method::POST, &format!("{path}?dryRun=All"), &object).await);
    };
    change(&mut object, before);
    let (made, mut current) = send(server, Method::POST, &path, &object).await;
    assert!(made.is_success(), "{changes}: {current}");
    let name = format!("{path}/{}", object["metadata"]["name"].as_str().unwrap());
    if !object["status"].is_null() {
        current["status"] = object["status"].clone();
        let (seeded, answer) = send(server, Method::PUT, &format!("{name}/status"), &current).await;
        assert!(seeded.is_success(), "{changes}: {answer}");
        current = answer;
    }
    change(&mut current, after);
    let found = problems(send(server, Method::PUT, &format!("{name}{part}"), &current).await);
    send(server, Method::DELETE, &name, &json!({ "gracePeriodSeconds": 0 })).await;
    found
}

#[tokio::test]
async fn objects_are_judged_as_by_a_server() {
    let cases = concat!(
        include_str!("cases.txt"),
        include_str!("pod_cases.txt"),
        include_str!("cluster_cases.txt")
    );
    let lines = cases.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (bases, cases): (Vec<&str>, Vec<&str>) =
        lines.partition(|line| line.contains("\"kind\":") && line.split(' ').nth(1) == Some("="));
    let bases: std::collections::HashMap<&str, Value> = bases
        .iter()
        .map(|line| line.split_once(" = ").unwrap())
        .map(|(name, object)| (name, serde_json::from_str(object).unwrap()))
        .collect();
    let mut wrong = Vec::new();
    for case in &cases {
        let (asked, expected) = case.split_once(" => ").unwrap_or((case, ""));
        let (name, changes) = asked.split_once(':').unwrap();
        let (name, part) = name.find('/').map_or((name, ""), |at| name.split_at(at));
        let mut expected: Vec<&str> =
            expected.split(" && ").filter(|one| !one.is_empty()).collect();
        expected.sort_unstable();
        // A claim that has a finalizer stays.
        let server = ApiServer::new();
        let found = run(&server, &bases[name], changes, part).await;
        let alike = found.len() == expected.len()
            && found.iter().zip(&expected).all(|(found, expected)| found.starts_with(expected));
        if !alike {
            wrong.push(format!("{asked}\n  expected {expected:#?}\n  found {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

//! YAML, in requests and in answers.

use super::*;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A request whose body is no JSON.
async fn send(
    server: &ApiServer,
    method: &str,
    path: &str,
    media_type: &str,
    body: &str,
) -> Answer {
    let request = http::Request::builder().method(method).uri(path);
    let request = request.header("content-type", media_type);
    let response = server.handle(request.body(Full::new(Bytes::from(body.to_owned()))).unwrap());
    let response = response.await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes().to_vec();
    Answer { status, media_type: String::new(), body }
}

async fn in_yaml(server: &ApiServer, path: &str) -> Answer {
    ask(server, "GET", path, &[("accept", "application/yaml")], &Value::Null).await
}

#[tokio::test]
async fn objects_come_and_go_as_yaml() {
    let server = ApiServer::new();
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  answer: 'yes'\n";
    assert_eq!(send(&server, "POST", MAPS, "application/yaml", text).await.status, 201);
    let applied = text.replace("'yes'", "\"no\"");
    let apply = "application/apply-patch+yaml";
    let path = format!("{MAPS}/a?fieldManager=me&force=true");
    assert_eq!(send(&server, "PATCH", &path, apply, &applied).await.status, 200);
    let object = in_yaml(&server, &format!("{MAPS}/a")).await;
    assert_eq!(object.media_type, "application/yaml");
    let object = String::from_utf8(object.body).unwrap();
    assert!(object.contains("\nkind: ConfigMap\n"), "{object}");
    assert!(object.contains("answer: \"no\"") || object.contains("answer: 'no'"), "{object}");
}

#[tokio::test]
async fn everything_but_a_watch_is_told_in_yaml() {
    let server = ApiServer::new();
    for path in [MAPS, "/apis", "/api/v1", "/version", "/api/v1/namespaces/default/pods/nobody"] {
        let told = in_yaml(&server, path).await;
        assert_eq!(told.media_type, "application/yaml", "{path}");
        let text = String::from_utf8(told.body).unwrap();
        assert!(serde_json::from_str::<Value>(&text).is_err(), "{path}: {text}");
    }
    assert_eq!(in_yaml(&server, &format!("{MAPS}?watch=1")).await.status, 406);
    let bad = send(&server, "POST", MAPS, "application/yaml", "a: b: c").await;
    assert_eq!(bad.status, 400);
    assert_eq!(send(&server, "POST", MAPS, "text/plain", "a").await.status, 415);
}

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;
use crate::{Hook, Webhooks};

const GROUP: &str = "example.com";

mod v1 {
    use super::*;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
    #[serde(rename_all = "camelCase")]
    pub(super) struct WidgetSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) d1: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) d2: Option<String>,
        pub(super) host_port: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) replicas: Option<i64>,
    }
}

mod v2 {
    use super::*;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "example.com", version = "v2", kind = "Widget", namespaced)]
    pub(super) struct WidgetSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) d1: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) d2: Option<String>,
        pub(super) host: String,
        pub(super) port: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) replicas: Option<i64>,
    }
}

impl TryFrom<v1::Widget> for v2::Widget {
    type Error = &'static str;

    fn try_from(old: v1::Widget) -> Result<Self, Self::Error> {
        let v1::WidgetSpec { d1, d2, host_port, replicas } = old.spec;
        assert_ne!(host_port, "panic");
        let (host, port) = host_port.split_once(':').ok_or("hostPort has no port")?;
        let (host, port) = (host.to_owned(), port.to_owned());
        let spec = v2::WidgetSpec { d1, d2, host, port, replicas };
        Ok(Self { metadata: old.metadata, spec })
    }
}

impl From<v2::Widget> for v1::Widget {
    fn from(new: v2::Widget) -> Self {
        let v2::WidgetSpec { d1, d2, host, port, replicas } = new.spec;
        let spec = v1::WidgetSpec { d1, d2, host_port: format!("{host}:{port}"), replicas };
        Self { metadata: new.metadata, spec }
    }
}

fn conversion() -> Conversion<v2::Widget> {
    Conversion::<v2::Widget>::hub().version::<v1::Widget>()
}

fn widget(version: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{version}"),
        "kind": "Widget",
        "metadata": {
            "name": "a",
            "namespace": "shop",
            "uid": "u",
            "generation": 3,
            "labels": {"l": "1"},
            "unknown": true,
        },
        "spec": spec,
    })
}

#[tokio::test]
async fn recorded_reviews_are_answered_as_recorded() {
    let webhooks = Webhooks::builder().convert("/convert", conversion()).build().unwrap();
    let recorded = include_str!("../../tests/data/conversion-reviews.json");
    let recorded: Vec<Value> = serde_json::from_str(recorded).unwrap();
    assert!(recorded.len() >= 3);
    for row in recorded {
        // The type has one group, and each scenario has its own.
        let version = row["request"]["request"]["desiredAPIVersion"].as_str().unwrap();
        let group = version.split('/').next().unwrap();
        let own = |value: &Value| value.to_string().replace(group, GROUP);
        let body = Full::<Bytes>::from(own(&row["request"]));
        let request = Request::post("/convert?timeout=30s").body(body).unwrap();
        let answer = webhooks.answer(request).await.into_body().collect().await.unwrap();
        let answer: Value = serde_json::from_slice(&answer.to_bytes()).unwrap();
        let expected: Value = serde_json::from_str(&own(&row["response"])).unwrap();
        assert_eq!(answer, expected);
    }
}

#[test]
fn metadata_stays_but_labels_and_annotations() {
    let original = widget("v2", &json!({"host": "h", "port": "1", "replicas": 1}));
    let converted = conversion().convert(original.clone(), "example.com/v1").unwrap();
    assert_eq!(converted["metadata"], original["metadata"]);
    assert_eq!(converted["spec"], json!({"hostPort": "h:1", "replicas": 1}));
    assert_eq!(converted["apiVersion"], "example.com/v1");

    let change = |change: fn(&mut DynamicObject)| {
        let kind = GroupVersionKind::gvk(GROUP, "v2", "Widget");
        let conversion =
            Conversion::dynamic_hub(&kind, "widgets").dynamic("v1", Ok, move |mut hub| {
                change(&mut hub);
                Ok(hub)
            });
        conversion.convert(original.clone(), "example.com/v1").unwrap()["metadata"].clone()
    };
    let annotated = change(|object| {
        object.metadata.labels = None;
        object.metadata.annotations = Some([("was".to_owned(), "h".to_owned())].into());
        object.metadata.generation = Some(7);
        object.metadata.finalizers = Some(vec!["f".to_owned()]);
    });
    let mut expected = original["metadata"].clone();
    expected.as_object_mut().unwrap().remove("labels");
    expected["annotations"] = json!({"was": "h"});
    assert_eq!(annotated, expected);
    assert_eq!(change(|object| object.metadata = <_>::default()), original["metadata"], "lost");
}

#[test]
fn failed_object_names_itself() {
    let convert = |object: Value, version: &str| {
        conversion().convert(object, version).unwrap_err().to_string()
    };
    let old = |host_port: &str| widget("v1", &json!({"hostPort": host_port, "replicas": 1}));
    let start = "cannot convert Widget shop/a from example.com/v1 to example.com/v2: ";
    assert_eq!(convert(old("h"), "example.com/v2"), format!("{start}hostPort has no port"));
    let panicked = convert(old("panic"), "example.com/v2");
    assert!(panicked.starts_with(&format!("{start}the conversion panicked: ")), "{panicked}");
    let broken = widget("v1", &json!({"replicas": 1}));
    assert_eq!(
        convert(broken, "example.com/v2"),
        format!("{start}it cannot be decoded as Widget: missing field `hostPort`")
    );
    assert_eq!(
        convert(old("h:1"), "example.com/v9"),
        "cannot convert Widget shop/a from example.com/v1 to example.com/v9: only these versions \
         are known: example.com/v1, example.com/v2"
    );
    assert!(convert(json!({"kind": "Other"}), "example.com/v2").contains("of the kind Widget"));
    assert!(convert(json!(1), "example.com/v2").contains("it is no object"));
}

proptest::proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn round_trips_lose_nothing(
        d1 in proptest::option::of("\\PC*"),
        d2 in proptest::option::of("\\PC*"),
        host in "[a-z.-]{0,9}",
        port in "\\PC{0,5}",
        replicas in proptest::option::of(proptest::num::i64::ANY),
        labels in proptest::collection::btree_map("[a-z]", "[a-z]{0,2}", 0..3),
    ) {
        let spec = v2::WidgetSpec { d1, d2, host, port, replicas };
        let mut new = v2::Widget::new("a", spec);
        new.metadata.labels = (!labels.is_empty()).then_some(labels);
        conversion().check_round_trips(&new)?;
        conversion().check_round_trips(&v1::Widget::from(new))?;
    }
}

#[test]
fn loss_of_a_round_trip_is_named() {
    let spec = |host: &str| json!({"host": host, "port": "1"});
    let lost = |object: Value| conversion().check_round_trips(&object).unwrap_err().to_string();
    assert_eq!(
        lost(widget("v2", &spec("::1"))),
        "cannot convert Widget shop/a from example.com/v2 to example.com/v1: back in \
         example.com/v2, it differs at /spec/host"
    );
    assert!(lost(widget("v1", &json!({"hostPort": "h"}))).ends_with("hostPort has no port"));
    assert!(lost(widget("v9", &spec("h"))).contains("only these versions are known"));
    assert!(lost(json!(1)).contains("it is no object"));
}

#[test]
fn conversions_that_cannot_work_are_refused() {
    let build = |conversion| {
        let built = Webhooks::builder().hook(Hook::convert("/c", conversion)).build();
        built.map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        build(Conversion::<v2::Widget>::hub()),
        "the conversion at /c cannot work: a conversion of Widget needs two versions"
    );
    let twice = conversion().version::<v1::Widget>();
    assert!(build(twice).ends_with("there are two conversions of example.com/v1 Widget"));
}

#[test]
fn lost_metadata_of_unnamed_object_is_kept() {
    let hub = GroupVersionKind::gvk("example.com", "v2", "Widget");
    let loses = |mut object: DynamicObject| {
        object.metadata = kube::api::ObjectMeta::default();
        Ok(object)
    };
    let conversion = Conversion::dynamic_hub(&hub, "widgets").dynamic("v1", Ok, loses);
    let metadata = json!({ "generateName": "a-", "labels": { "x": "y" } });
    let object = json!({
        "apiVersion": "example.com/v2", "kind": "Widget", "metadata": metadata,
    });
    assert_eq!(conversion.convert(object, "example.com/v1").unwrap()["metadata"], metadata);
}

/// An API server would show neither the object, nor a list that has it.
#[test]
fn labels_that_no_server_takes_are_no_conversion() {
    let long = "a".repeat(64);
    let convert = |member: &'static str, key: &str, value: &str| {
        let (key, value) = (key.to_owned(), value.to_owned());
        let hub = GroupVersionKind::gvk(GROUP, "v1", "Widget");
        let change = move |mut object: DynamicObject| {
            let metadata = &mut object.metadata;
            let texts = [&mut metadata.labels, &mut metadata.annotations];
            let [labels, annotations] = texts.map(Option::get_or_insert_default);
            let of = if member == "label" { labels } else { annotations };
            of.insert(key.clone(), value.clone());
            Ok(object)
        };
        let conversion = Conversion::dynamic_hub(&hub, "widgets").dynamic("v2", Ok, change);
        let object = json!({
            "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a" },
        });
        conversion.convert(object, "example.com/v2").map_err(|error| error.reason)
    };
    for (key, value) in [("a", ""), ("a.b/C_d", "A.b-c"), ("kubernetes.io/a", "1")] {
        convert("label", key, value).unwrap();
        convert("annotation", key, value).unwrap();
    }
    for (key, value) in [("a", "a b"), ("a", "é"), ("a", "-a"), ("A.B/c", "a"), ("a", &*long)] {
        let refused = convert("label", key, value).unwrap_err();
        let expected = format!("no API server takes the label {key:?} with the value {value:?}");
        assert_eq!(refused, expected);
        convert("annotation", key, value).unwrap();
    }
    for key in ["", "a b", "a/b/c", "/a", "a/", "é", &long] {
        for member in ["label", "annotation"] {
            let refused = convert(member, key, "a").unwrap_err();
            let expected = format!("no API server takes the {member} {key:?}");
            assert!(refused.starts_with(&expected), "{refused}");
        }
    }
    convert("annotation", "a", &"x".repeat((256 << 10) - 1)).unwrap();
    convert("annotation", "a", &"x".repeat(256 << 10)).unwrap_err();
}

//! The comparison of two responses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use http::HeaderMap;
use serde_json::{Map, Value};

use super::binding::{Binding, Class};
use super::text::{is_age, is_time, is_uid, same, same_parts};

/// The headers that count.
const HEADERS: [&str; 6] =
    ["content-type", "warning", "retry-after", "allow", "location", "www-authenticate"];

/// Keys whose values say where or of which build a server is.
const OWN: [&str; 2] = ["platform", "serverAddress"];

/// A place where two responses differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) path: String,
    recorded: String,
    ours: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, recorded, ours } = self;
        write!(f, "{path}: {} / {}", shortened(recorded), shortened(ours))
    }
}

/// Returns the beginning of a long text.
pub(crate) fn shortened(text: &str) -> String {
    const LENGTH: usize = 400;
    let end: usize = text.chars().take(LENGTH).map(char::len_utf8).sum();
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}

/// A comparison of one response, with the facts about its request that it needs.
#[derive(Debug)]
pub(crate) struct Comparison<'a> {
    pub(crate) binding: &'a mut Binding,
    /// The strings and numbers of the request: what was sent is not volatile.
    sent: BTreeSet<String>,
    /// The beginning of the name that the server had to complete.
    generated: Option<String>,
    /// True if lists leave out objects that the scenario did not make.
    everywhere: bool,
    /// True if the uids in reach are those of one object.
    same_object: bool,
    mismatches: Vec<Mismatch>,
}

impl<'a> Comparison<'a> {
    /// Returns the comparison of a response to a request with this body. Lists `everywhere` may
    /// leave out objects that the scenario did not make.
    pub(crate) fn new(binding: &'a mut Binding, request: &Value, everywhere: bool) -> Self {
        let mut sent = BTreeSet::new();
        leaves(request, &mut sent);
        let metadata = &request["metadata"];
        let generated = metadata["generateName"].as_str().filter(|_| metadata["name"].is_null());
        let generated = generated.map(cut).filter(|prefix| !prefix.is_empty()).map(str::to_owned);
        Self { binding, sent, generated, everywhere, same_object: false, mismatches: Vec::new() }
    }

    /// Notes another value that did not come from the server, but from a webhook.
    pub(crate) fn also_sent(mut self, value: &Value) -> Self {
        leaves(value, &mut self.sent);
        self
    }

    pub(crate) fn finish(self) -> Vec<Mismatch> {
        self.mismatches
    }

    pub(crate) fn status(&mut self, recorded: u16, ours: u16) {
        if recorded != ours {
            self.differs("status", &recorded, &ours);
        }
    }

    pub(crate) fn headers(&mut self, recorded: &BTreeMap<String, Value>, ours: &HeaderMap) {
        for name in HEADERS {
            let recorded: Vec<String> = match recorded.get(name) {
                None => Vec::new(),
                Some(Value::Array(all)) => {
                    all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
                }
                Some(one) => one.as_str().map(str::to_owned).into_iter().collect(),
            };
            let ours = ours.get_all(name).iter();
            let ours: Vec<String> =
                ours.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
            let agree = recorded.len() == ours.len()
                && recorded.iter().zip(&ours).all(|(r, o)| self.same_text(r, o));
            if !agree {
                self.differs(&format!("header {name}"), &recorded.join(" | "), &ours.join(" | "));
            }
        }
    }

    /// Compares two bodies.
    pub(crate) fn body(&mut self, recorded: &Value, ours: &Value) {
        let failed = |body: &Value| body["kind"] == "Status" && body["status"] == "Failure";
        if failed(recorded) == failed(ours) {
            return self.value("", recorded, ours);
        }
        // Not one member of an object and of a failure is the same.
        let told = |body: &Value| {
            let text = if failed(body) { &body["message"] } else { body };
            format!("{} {text}", body["kind"].as_str().unwrap_or("?"))
        };
        self.differs("", &told(recorded), &told(ours));
    }

    /// Compares the events of two watches.
    pub(crate) fn events(&mut self, recorded: &Value, ours: &Value) {
        let (Some(recorded), Some(ours)) = (recorded.as_array(), ours.as_array()) else {
            return self.value("events", recorded, ours);
        };
        let kinds = |events: &[Value]| {
            let kinds = events.iter().map(|event| event["type"].as_str().unwrap_or("?"));
            kinds.collect::<Vec<_>>().join(" ")
        };
        if recorded.len() != ours.len() {
            self.differs("events", &kinds(recorded), &kinds(ours));
            return;
        }
        for (index, (recorded, ours)) in recorded.iter().zip(ours).enumerate() {
            self.value(&format!("events.{index}"), recorded, ours);
        }
    }

    /// Compares the requests that webhooks got.
    pub(crate) fn calls(&mut self, recorded: &[Value], ours: &[Value]) {
        if recorded.len() != ours.len() {
            return self.differs("calls", &recorded.len(), &ours.len());
        }
        for (index, (recorded, ours)) in recorded.iter().zip(ours).enumerate() {
            self.value(&format!("calls.{index}"), recorded, ours);
        }
    }

    fn differs(&mut self, path: &str, recorded: &dyn ToString, ours: &dyn ToString) {
        let path = if path.is_empty() { "body" } else { path }.to_owned();
        let (recorded, ours) = (recorded.to_string(), ours.to_string());
        self.mismatches.push(Mismatch { path, recorded, ours });
    }

    fn value(&mut self, path: &str, recorded: &Value, ours: &Value) {
        let key = path.rsplit('.').next().unwrap_or_default();
        match (recorded, ours) {
            (Value::Object(recorded), Value::Object(ours)) => self.object(path, recorded, ours),
            (Value::Array(recorded), Value::Array(ours)) => {
                self.array(path, key, recorded, ours);
            }
            (Value::String(one), Value::String(other)) => {
                let outcome = self.string(path, key, one, other);
                if let Err(problem) = outcome {
                    self.differs(path, recorded, &problem.unwrap_or_else(|| ours.to_string()));
                }
            }
            (Value::Number(one), Value::Number(other)) => {
                let (one, other) = (one.to_string(), other.to_string());
                let is_port = key == "nodePort" || key == "healthCheckNodePort";
                if is_port && !self.sent.contains(&one) {
                    if let Err(problem) = self.binding.bind(Class::Port, &one, &other) {
                        self.differs(path, recorded, &problem);
                    }
                } else if one != other {
                    self.differs(path, recorded, ours);
                }
            }
            _ if recorded != ours => self.differs(path, recorded, ours),
            _ => {}
        }
    }

    fn object(&mut self, path: &str, recorded: &Map<String, Value>, ours: &Map<String, Value>) {
        self.name(recorded, ours);
        self.same_object = match (recorded.get("uid"), ours.get("uid")) {
            (Some(Value::String(one)), Some(Value::String(other))) => {
                self.binding.ours(Class::Uid, one).is_some_and(|bound| bound == other)
            }
            _ => false,
        };
        let is_status = recorded.get("kind").is_some_and(|kind| kind == "Status");
        let is_list = ["items", "rows"].iter().any(|key| recorded.contains_key(*key));
        let is_bookmark = recorded.get("type").is_some_and(|kind| kind == "BOOKMARK");
        let mut expected = BTreeSet::new();
        for (key, value) in recorded {
            let our_key = self.key(key);
            let at = joined(path, &our_key);
            expected.insert(our_key.clone());
            let Some(our_value) = ours.get(&our_key) else {
                self.differs(&at, value, &"(missing)");
                continue;
            };
            match key.as_str() {
                "message" if is_status => self.message(&at, value, our_value),
                "metadata" if is_list => self.list_metadata(&at, value, our_value),
                "object" if is_bookmark => self.bookmark(&at, value, our_value),
                _ => self.value(&at, value, our_value),
            }
        }
        for (key, value) in ours.iter().filter(|(key, _)| !expected.contains(*key)) {
            self.differs(&joined(path, key), &"(absent)", value);
        }
    }

    /// Binds a generated name.
    fn name(&mut self, recorded: &Map<String, Value>, ours: &Map<String, Value>) {
        let text = |object: &Map<String, Value>, key: &str| {
            object.get(key).and_then(Value::as_str).map(str::to_owned)
        };
        let Some(prefix) = text(recorded, "generateName") else { return };
        let (Some(recorded), Some(ours)) = (text(recorded, "name"), text(ours, "name")) else {
            return;
        };
        let prefix = cut(&prefix);
        if has_suffix(&recorded, prefix) && has_suffix(&ours, prefix) && recorded != ours {
            // A wrong pair shows where the name is compared.
            let _ = self.binding.bind(Class::Name, &recorded, &ours);
        }
    }

    /// Returns the key under which our object has a member: keys of managed fields hold values.
    fn key(&self, key: &str) -> String {
        let is_identity = key.starts_with("k:{") && key.contains("\"uid\":\"");
        let uid = is_identity.then(|| key.split("\"uid\":\"").nth(1)).flatten();
        let uid = uid.and_then(|rest| rest.split('"').next());
        match uid.and_then(|uid| Some((uid, self.binding.ours(Class::Uid, uid)?))) {
            Some((uid, ours)) => key.replace(uid, ours),
            None => key.to_owned(),
        }
    }

    /// Compares what a list says of itself. Its version may be newer than every object's.
    fn list_metadata(&mut self, path: &str, recorded: &Value, ours: &Value) {
        let (mut recorded, mut ours) = (recorded.clone(), ours.clone());
        self.newest(path, &mut recorded, &mut ours);
        if self.everywhere {
            for metadata in [&mut recorded, &mut ours] {
                if let Some(members) = metadata.as_object_mut() {
                    members.remove("remainingItemCount");
                    members.remove("continue");
                }
            }
        }
        self.value(path, &recorded, &ours);
    }

    fn bookmark(&mut self, path: &str, recorded: &Value, ours: &Value) {
        let (mut recorded, mut ours) = (recorded.clone(), ours.clone());
        self.newest(&joined(path, "metadata"), &mut recorded["metadata"], &mut ours["metadata"]);
        self.value(path, &recorded, &ours);
    }

    /// Compares and removes the versions of two states of the store. The recorded server had other
    /// objects, which changed its state too. A version must therefore correspond only if an object
    /// has it.
    fn newest(&mut self, path: &str, recorded: &mut Value, ours: &mut Value) {
        const KEY: &str = "resourceVersion";
        let version = |value: &Value| value[KEY].as_str().map(str::to_owned);
        let (Some(one), Some(other)) = (version(recorded), version(ours)) else { return };
        let wanted = self.binding.ours(Class::Version, &one);
        if wanted.is_some_and(|wanted| wanted != other) || other.parse::<u64>().is_err() {
            let wanted = format!("{one} (here {})", wanted.unwrap_or("any"));
            self.differs(&joined(path, KEY), &wanted, &other);
        }
        for metadata in [recorded, ours] {
            if let Some(members) = metadata.as_object_mut() {
                members.remove(KEY);
            }
        }
    }

    fn array(&mut self, path: &str, key: &str, recorded: &[Value], ours: &[Value]) {
        let (mut recorded, mut ours): (Vec<_>, Vec<_>) =
            (recorded.iter().collect(), ours.iter().collect());
        if key == "causes" {
            return self.causes(path, &recorded, &ours);
        }
        if key == "managedFields" {
            // Their order follows times of whole seconds, which the clock decides.
            let manager = |entry: &&Value| {
                let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                ["manager", "operation", "subresource", "apiVersion"].map(text)
            };
            recorded.sort_by_key(manager);
            ours.sort_by_key(manager);
        }
        let is_list = path == "items" || path == "rows";
        if is_list && self.everywhere {
            recorded.retain(|item| {
                item_uid(item).is_none_or(|uid| self.binding.ours(Class::Uid, uid).is_some())
            });
            ours.retain(|item| {
                item_uid(item).is_none_or(|uid| self.binding.recorded(Class::Uid, uid).is_some())
            });
        }
        if is_list && self.binding.has_names() {
            recorded.sort_by_key(|item| self.binding.with_our_names(&item_key(item)));
            ours.sort_by_key(|item| item_key(item));
        }
        if recorded.len() != ours.len() {
            let all = |items: &[&Value]| {
                let items = items.iter().map(|item| {
                    let name = item_key(item);
                    if name == "/" { item.to_string() } else { name }
                });
                format!("{} [{}]", items.len(), items.collect::<Vec<_>>().join(", "))
            };
            self.differs(path, &all(&recorded), &all(&ours));
            return;
        }
        for (index, (recorded, ours)) in recorded.iter().zip(ours).enumerate() {
            self.value(&joined(path, &index.to_string()), recorded, ours);
        }
    }

    /// Compares causes whatever their order. A real server repeats a cause as often as its layers
    /// validate the same part, which tells a client nothing.
    fn causes(&mut self, path: &str, recorded: &[&Value], ours: &[&Value]) {
        let unique = |causes: &[&Value]| {
            let mut unique: Vec<Value> = Vec::new();
            for cause in causes {
                if !unique.contains(cause) {
                    unique.push((*cause).clone());
                }
            }
            unique
        };
        let (recorded, ours) = (unique(recorded), unique(ours));
        let mut left: Vec<&Value> = ours.iter().collect();
        let mut missing = Vec::new();
        for cause in &recorded {
            let text =
                |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
            let found = left.iter().position(|other| {
                cause["reason"] == other["reason"]
                    && cause["field"] == other["field"]
                    && self.same_text(&text(cause, "message"), &text(other, "message"))
            });
            match found {
                Some(index) => drop(left.remove(index)),
                None => missing.push(cause),
            }
        }
        if missing.is_empty() && left.is_empty() {
            return;
        }
        let told = |causes: &[&Value]| {
            let causes = causes.iter().map(|cause| {
                let text = |key: &str| cause[key].as_str().unwrap_or_default().to_owned();
                format!("{} {}: {}", text("reason"), text("field"), text("message"))
            });
            causes.collect::<Vec<_>>().join(" | ")
        };
        self.differs(path, &told(&missing), &told(&left));
    }

    fn message(&mut self, path: &str, recorded: &Value, ours: &Value) {
        let (Some(one), Some(other)) = (recorded.as_str(), ours.as_str()) else {
            return self.value(path, recorded, ours);
        };
        let (one, other) = (self.without_suffix(one), self.without_suffix(other));
        if !same_parts(self.binding, &one, &other) {
            self.differs(path, recorded, ours);
        }
    }

    fn same_text(&mut self, recorded: &str, ours: &str) -> bool {
        let (recorded, ours) = (self.without_suffix(recorded), self.without_suffix(ours));
        same(self.binding, &recorded, &ours)
    }

    /// Compares two strings. The error is what to show in place of ours, if it says more.
    fn string(
        &mut self,
        path: &str,
        key: &str,
        one: &str,
        other: &str,
    ) -> Result<(), Option<String>> {
        if one == "<redacted>" || OWN.contains(&key) {
            return Ok(());
        }
        let class = match key {
            "uid" if is_uid(one) && is_uid(other) => Some(Class::Uid),
            "resourceVersion" if is_number(one) && is_number(other) => Some(Class::Version),
            "continue" if !one.is_empty() && !other.is_empty() => Some(Class::Continue),
            _ if self.sent.contains(one) => None,
            _ if is_address(one) && is_address(other) => Some(Class::Address),
            _ => None,
        };
        if let Some(class) = class {
            let is_sent = one == other && self.sent.contains(one);
            if is_sent && class != Class::Continue {
                return Ok(());
            }
            let bound = self.binding.bind(class, one, other);
            if class == Class::Version && self.same_object && bound.is_err() {
                // One wrong version is reported once.
                self.binding.rebind(class, one, other);
            }
            return bound.map_err(Some);
        }
        let is_sent = self.sent.contains(one);
        if path.contains(".cells.") && is_age(one) && is_age(other) {
            return Ok(());
        }
        if is_time(one) && is_time(other) && (!is_sent || path.contains("managedFields")) {
            return if one.len() == other.len() { Ok(()) } else { Err(None) };
        }
        if self.same_text(one, other) { Ok(()) } else { Err(None) }
    }

    /// Returns the text without the characters that the server added to the name of the request.
    fn without_suffix(&self, text: &str) -> String {
        let Some(prefix) = self.generated.as_deref() else { return text.to_owned() };
        let mut rest = text;
        let mut without = String::with_capacity(text.len());
        while let Some(at) = rest.find(prefix) {
            let end = at + prefix.len();
            without.push_str(&rest[..end]);
            rest = &rest[end..];
            let suffix = rest.chars().take_while(|c| SUFFIX.contains(*c)).take(5).count();
            if suffix == 5 {
                without.push_str("?????");
                rest = &rest[5..];
            }
        }
        without.push_str(rest);
        without
    }
}

/// The characters of a generated suffix.
const SUFFIX: &str = "bcdfghjklmnpqrstvwxz2456789";

/// Returns the part of a prefix that a generated name has room for.
fn cut(prefix: &str) -> &str {
    prefix.get(..58).unwrap_or(prefix)
}

fn has_suffix(name: &str, prefix: &str) -> bool {
    let suffix = name.strip_prefix(prefix);
    suffix.is_some_and(|suffix| suffix.len() == 5 && suffix.chars().all(|c| SUFFIX.contains(c)))
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn is_number(text: &str) -> bool {
    text != "0" && text.parse::<u64>().is_ok()
}

/// Returns whether the text is an address of the service range.
fn is_address(text: &str) -> bool {
    text.strip_prefix("10.").is_some_and(|_| text.parse::<std::net::Ipv4Addr>().is_ok())
}

/// Returns the uid of an item of a list or of a row of a table.
fn item_uid(item: &Value) -> Option<&str> {
    let metadata =
        if item["object"].is_object() { &item["object"]["metadata"] } else { &item["metadata"] };
    metadata["uid"].as_str()
}

fn item_key(item: &Value) -> String {
    let metadata =
        if item["object"].is_object() { &item["object"]["metadata"] } else { &item["metadata"] };
    let text = |key: &str| metadata[key].as_str().unwrap_or_default();
    format!("{}/{}", text("namespace"), text("name"))
}

fn leaves(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(all.insert(text.clone())),
        Value::Number(number) => drop(all.insert(number.to_string())),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, all)),
        Value::Object(members) => members.values().for_each(|member| leaves(member, all)),
        _ => {}
    }
}

//! Names that another definition of the group has already.

use std::collections::HashSet;

use serde_json::Value;

/// The names that the other definitions of a group use.
#[derive(Default)]
pub(crate) struct UsedNames {
    /// Plurals, singulars and short names.
    resources: HashSet<String>,
    kinds: HashSet<String>,
}

impl UsedNames {
    /// Adds the accepted names of another definition.
    pub(crate) fn add(&mut self, names: &Value) {
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        self.resources.extend(["plural", "singular"].iter().filter_map(|name| text(&names[*name])));
        self.resources
            .extend(names["shortNames"].as_array().into_iter().flatten().filter_map(text));
        self.kinds.extend(["kind", "listKind"].iter().filter_map(|name| text(&names[*name])));
    }
}

/// The accepted names of a definition, and the reason and message of a conflict.
pub(crate) struct Accepted {
    pub(crate) names: Value,
    pub(crate) conflict: Option<(&'static str, String)>,
}

/// Accepts the names that no other definition uses. Names that were accepted before stay.
pub(crate) fn accept(wanted: &Value, before: &Value, used: &UsedNames) -> Accepted {
    let mut accepted = Accepted { names: before.clone(), conflict: None };
    if !accepted.names.is_object() {
        accepted.names = Value::Object(serde_json::Map::new());
    }
    let in_use = |name: &str| format!("{name:?} is already in use");
    accepted.single("plural", "PluralConflict", wanted, before, &used.resources);
    accepted.single("singular", "SingularConflict", wanted, before, &used.resources);
    let known = before["shortNames"].as_array().map_or(&[][..], Vec::as_slice);
    let short = wanted["shortNames"].as_array().map_or(&[][..], Vec::as_slice);
    let taken: Vec<String> = short
        .iter()
        .filter(|name| !known.contains(name))
        .filter_map(Value::as_str)
        .filter(|name| used.resources.contains(*name))
        .map(in_use)
        .collect();
    match &*taken {
        [] => accepted.set("shortNames", &wanted["shortNames"]),
        [problem] => accepted.conflict = Some(("ShortNamesConflict", problem.clone())),
        problems => {
            let problem = format!("[{}]", problems.join(", "));
            accepted.conflict = Some(("ShortNamesConflict", problem));
        }
    }
    accepted.single("kind", "KindConflict", wanted, before, &used.kinds);
    accepted.single("listKind", "ListKindConflict", wanted, before, &used.kinds);
    accepted.set("categories", &wanted["categories"]);
    accepted
}

impl Accepted {
    fn single(
        &mut self,
        name: &str,
        reason: &'static str,
        wanted: &Value,
        before: &Value,
        used: &HashSet<String>,
    ) {
        let wanted = wanted[name].as_str().unwrap_or_default();
        if before[name] != wanted && used.contains(wanted) {
            self.conflict = Some((reason, format!("{wanted:?} is already in use")));
        } else {
            self.set(name, &wanted.into());
        }
    }

    /// Sets a name, or removes an optional one that is not wanted.
    fn set(&mut self, name: &str, value: &Value) {
        let Some(names) = self.names.as_object_mut() else { return };
        let empty = value.is_null() || *value == "" || value.as_array().is_some_and(Vec::is_empty);
        if empty && !matches!(name, "plural" | "kind") {
            names.remove(name);
        } else {
            names.insert(name.to_owned(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_in_use_are_not_accepted() {
        let mut used = UsedNames::default();
        used.add(&json!({"plural": "things", "singular": "thing", "kind": "Thing",
                         "listKind": "ThingList"}));
        let fresh = json!({"plural": "", "kind": ""});
        let wanted = json!({"plural": "widgets", "singular": "thing", "kind": "Thing",
                            "listKind": "ThingList"});
        let accepted = accept(&wanted, &fresh, &used);
        assert_eq!(accepted.names, json!({"plural": "widgets", "kind": ""}));
        let expected = ("ListKindConflict", "\"ThingList\" is already in use".to_owned());
        assert_eq!(accepted.conflict, Some(expected));
        let wanted = json!({"plural": "gadgets", "singular": "gadget", "kind": "Gadget",
                            "listKind": "GadgetList", "shortNames": ["things"]});
        let accepted = accept(&wanted, &fresh, &used);
        let expected = ("ShortNamesConflict", "\"things\" is already in use".to_owned());
        assert_eq!(accepted.conflict, Some(expected));
    }
}

//! Uses of lists whose order a server ignores: sets, and lists of objects with keys.
//!
//! The interpreter has only plain lists. It compares and adds sets and keyed lists in another way
//! than a server.

use cel::IdedExpr;
use cel::common::ast::Expr;

use super::literals::parts;
use super::types::{Order, Type};
use super::typing::Check;

/// Returns whether an expression compares or adds lists whose order a server ignores.
pub(super) fn are_used(check: &Check<'_, '_>, expression: &IdedExpr) -> bool {
    let used = match &expression.expr {
        Expr::Call(call) => match (&*call.func_name, &*call.args) {
            ("_==_" | "_!=_", [one, other]) => {
                kind(check, one).has_unordered() || kind(check, other).has_unordered()
            }
            ("@in", [element, list]) => {
                let among =
                    matches!(kind(check, list), Type::List(item, _) if item.has_unordered());
                among || kind(check, element).has_unordered()
            }
            ("_+_", [list, _]) => matches!(kind(check, list), Type::List(_, Order::Ignored)),
            _ => false,
        },
        _ => false,
    };
    used || parts(expression).into_iter().any(|part| are_used(check, part))
}

/// Returns the type of a part, also behind a conversion to any type.
fn kind<'s>(check: &Check<'_, 's>, part: &IdedExpr) -> Type<'s> {
    match &part.expr {
        Expr::Call(call) if call.func_name == "dyn" => match &*call.args {
            [inner] => kind(check, inner),
            _ => Type::Any,
        },
        _ => check.settled(part),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{problems, unimplemented};

    #[test]
    fn unordered_lists_are_not_compared() {
        let texts = json!({ "type": "string" });
        let entries = json!({ "type": "object", "properties": { "k": texts } });
        let lists = json!({
            "plain": { "type": "array", "items": texts },
            "set": { "type": "array", "items": texts, "x-kubernetes-list-type": "set" },
            "map": {
                "type": "array", "items": entries,
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            },
        });
        let mut members = lists.clone();
        members["o"] = json!({ "type": "object", "properties": lists });
        let value = json!({ "plain": ["a"], "set": ["b", "a"], "map": [{ "k": "a" }] });
        let mut object = value.clone();
        object["o"] = value;
        let is_judged = |rule: &str| {
            let rules = json!([{ "rule": rule }]);
            let schema = json!({
                "type": "object", "properties": members, "x-kubernetes-validations": rules,
            });
            assert!(problems(&schema, Some(&object), &object).is_empty(), "{rule}");
            unimplemented(&schema, Some(&object), &object).is_none()
        };
        for rule in [
            "self.set == ['a', 'b']",
            "self.set != ['b', 'a']",
            "dyn(self.set) == dyn(['a', 'b'])",
            "self.map == oldSelf.map",
            "self == oldSelf",
            "self.o in [oldSelf.o]",
            "[self.set].exists(s, s == ['a', 'b'])",
            "(self.set + ['a']).size() == 2",
            "self.?set.orValue([]) == ['a', 'b']",
            "(size(self.plain) == 1 ? self.set : []) == ['a', 'b']",
            "(size(self.plain) == 2 ? [] : self.set) == ['a', 'b']",
        ] {
            assert!(!is_judged(rule), "{rule}");
        }
        for rule in [
            "self.plain == oldSelf.plain",
            "'a' in self.set && self.set[0] == 'b'",
            "self.map.all(e, e.k == 'a') && self.map.exists_one(e, e.k == 'a')",
            "self.map[0] == oldSelf.o.map[0] || self.map[0].k + 'b' == 'ab'",
            "self.set.filter(e, e != 'b') == ['a']",
            "(self.plain + self.set).size() == 3",
        ] {
            assert!(is_judged(rule), "{rule}");
        }
    }
}

//! The types of expressions, as far as they follow from the schema.
//!
//! The check finds names that are not declared, members that a type does not have, and comparisons
//! of different types. Whatever it does not know can have any type.

use cel::common::ast::{CallExpr, Expr, LiteralValue, SelectExpr};
use cel::{IdedExpr, Program};
use serde_json::Value;

use super::super::flag;
use super::values::escaped;

/// The namespaces of functions and the names of types.
const DECLARED: [&str; 20] = [
    "math",
    "optional",
    "base64",
    "sets",
    "ip",
    "cidr",
    "format",
    "semver",
    "strings",
    "lists",
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "bytes",
    "list",
    "map",
    "null_type",
    "type",
];

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type<'a> {
    /// Any type.
    Any,
    Bool,
    Int,
    Double,
    String,
    Optional(Box<Type<'a>>),
    /// A value with a schema that is no scalar.
    Schema(&'a Value, bool),
}

impl<'a> Type<'a> {
    fn of(schema: &'a Value, whole: bool) -> Self {
        if flag(schema, "x-kubernetes-int-or-string") || flag(schema, "nullable") {
            return Self::Any;
        }
        match schema["type"].as_str() {
            Some("boolean") => Self::Bool,
            Some("integer") => Self::Int,
            Some("number") => Self::Double,
            Some("string") if schema["format"].is_null() => Self::String,
            Some("object" | "array") => Self::Schema(schema, whole),
            _ => Self::Any,
        }
    }

    /// Returns whether a value of this type may have another type.
    pub(super) fn may_be(&self, other: &Type<'_>) -> bool {
        *self == Self::Any || self == other
    }

    fn name(&self) -> String {
        match self {
            Self::Any => "dyn".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Int => "int".to_owned(),
            Self::Double => "double".to_owned(),
            Self::String => "string".to_owned(),
            Self::Optional(inner) => format!("optional_type({})", inner.name()),
            Self::Schema(schema, _) if schema["type"] == "array" => {
                format!("list({})", Type::of(&schema["items"], false).name())
            }
            Self::Schema(schema, _) if schema["additionalProperties"].is_object() => {
                let value = Type::of(&schema["additionalProperties"], false);
                format!("map(string, {})", value.name())
            }
            Self::Schema(..) => "object".to_owned(),
        }
    }

    fn is_scalar(&self) -> bool {
        matches!(self, Self::Bool | Self::Int | Self::Double | Self::String)
    }
}

/// Returns the type of an expression about a value with a schema, or its first problem.
pub(super) fn check<'s>(
    program: &Program,
    schema: &'s Value,
    whole: bool,
    optional: bool,
) -> Result<Type<'s>, String> {
    let own = Type::of(schema, whole);
    let old = if optional { Type::Optional(Box::new(own.clone())) } else { own.clone() };
    let mut check = Check { program, names: vec![("self", own), ("oldSelf", old)] };
    check.of(program.expression())
}

struct Check<'p, 's> {
    program: &'p Program,
    names: Vec<(&'p str, Type<'s>)>,
}

impl<'p, 's> Check<'p, 's> {
    fn of(&mut self, expression: &'p IdedExpr) -> Result<Type<'s>, String> {
        match &expression.expr {
            Expr::Ident(name) => self.name(expression, name),
            Expr::Literal(literal) => Ok(match literal {
                LiteralValue::Boolean(_) => Type::Bool,
                LiteralValue::Int(_) => Type::Int,
                LiteralValue::Double(_) => Type::Double,
                LiteralValue::String(_) => Type::String,
                _ => Type::Any,
            }),
            Expr::Select(select) => self.select(expression, select),
            Expr::Call(call) => self.call(expression, call),
            Expr::Comprehension(all) => {
                self.of(&all.iter_range)?;
                self.of(&all.accu_init)?;
                let known = self.names.len();
                self.names.push((&all.accu_var, Type::Any));
                self.names.push((&all.iter_var, Type::Any));
                if let Some(second) = &all.iter_var2 {
                    self.names.push((second, Type::Any));
                }
                let inner = [&all.loop_cond, &all.loop_step, &all.result];
                let checked = inner.into_iter().try_for_each(|part| self.of(part).map(drop));
                self.names.truncate(known);
                checked.map(|()| Type::Any)
            }
            Expr::List(list) => {
                list.elements.iter().try_for_each(|element| self.of(element).map(drop))?;
                Ok(Type::Any)
            }
            _ => Ok(Type::Any),
        }
    }

    fn name(&self, expression: &IdedExpr, name: &str) -> Result<Type<'s>, String> {
        let mut known = self.names.iter().rev().filter(|(known, _)| *known == name);
        if let Some((_, kind)) = known.next() {
            return Ok(kind.clone());
        }
        if DECLARED.contains(&name) || name.starts_with('@') {
            return Ok(Type::Any);
        }
        let problem = format!("undeclared reference to '{name}' (in container '')");
        Err(self.located(self.start(expression), &problem))
    }

    fn select(
        &mut self,
        expression: &'p IdedExpr,
        select: &'p SelectExpr,
    ) -> Result<Type<'s>, String> {
        let operand = self.of(&select.operand)?;
        let at = || self.selection(expression, select);
        if operand.is_scalar() {
            let name = operand.name();
            let problem = format!("type '{name}' does not support field selection");
            return Err(self.located(at(), &problem));
        }
        let Type::Schema(schema, whole) = operand else { return Ok(Type::Any) };
        let known = if schema["type"] == "array" {
            let problem = "type 'list' does not support field selection";
            return Err(self.located(at(), problem));
        } else if let Some(properties) = schema["properties"].as_object().filter(|p| !p.is_empty())
        {
            let named = |name: &&String| escaped(name).as_deref() == Some(&select.field);
            properties.iter().find(|(name, _)| named(name)).map(|(_, schema)| schema)
        } else {
            let additional = &schema["additionalProperties"];
            if !additional.is_object() {
                return Ok(Type::Any);
            }
            Some(additional)
        };
        let implied = whole && matches!(&*select.field, "kind" | "apiVersion" | "metadata");
        match known {
            Some(_) if select.test => Ok(Type::Bool),
            Some(_) | None if implied => Ok(Type::Any),
            Some(schema) => Ok(Type::of(schema, flag(schema, "x-kubernetes-embedded-resource"))),
            None => Err(self.located(at(), &format!("undefined field '{}'", select.field))),
        }
    }

    fn call(&mut self, expression: &'p IdedExpr, call: &'p CallExpr) -> Result<Type<'s>, String> {
        if let Some(target) = &call.target {
            self.of(target)?;
        }
        let mut kinds = Vec::new();
        for argument in &call.args {
            kinds.push(self.of(argument)?);
        }
        let comparison = ["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"];
        if comparison.contains(&&*call.func_name) {
            if let [left, right] = &*kinds {
                let order = !matches!(&*call.func_name, "_==_" | "_!=_");
                let numbers = |kind: &Type<'_>| matches!(kind, Type::Int | Type::Double);
                let known = |kind: &Type<'_>| kind.is_scalar() || matches!(kind, Type::Optional(_));
                let comparable = left == right || (order && numbers(left) && numbers(right));
                if known(left) && known(right) && !comparable {
                    let problem = format!(
                        "found no matching overload for '{}' applied to '({}, {})'",
                        call.func_name,
                        left.name(),
                        right.name()
                    );
                    return Err(self.located(self.start(expression), &problem));
                }
            }
            return Ok(Type::Bool);
        }
        Ok(match &*call.func_name {
            "_&&_" | "_||_" | "!_" | "_in_" | "@in" | "matches" | "startsWith" | "endsWith"
            | "contains" | "hasValue" | "isIP" | "isCIDR" | "isURL" => Type::Bool,
            "_?_:_" => match &*kinds {
                [_, yes, no] if yes == no => yes.clone(),
                _ => Type::Any,
            },
            "_+_" | "_-_" | "_*_" | "_/_" | "_%_" => match &*kinds {
                [left, right] if left == right && left.is_scalar() => left.clone(),
                _ => Type::Any,
            },
            "string" => Type::String,
            "int" | "size" => Type::Int,
            "double" => Type::Double,
            _ => Type::Any,
        })
    }

    /// Returns the offset of an expression in its source.
    fn start(&self, expression: &IdedExpr) -> usize {
        let offset = self.program.source_info().offset_for(expression.id);
        offset.map_or(0, |(start, _)| start as usize)
    }

    /// Returns the offset of the dot of a selection.
    fn selection(&self, expression: &IdedExpr, select: &SelectExpr) -> usize {
        let source = &self.program.source_info().source;
        let from = self.start(&select.operand).min(source.len());
        let dot = source.get(from..).and_then(|rest| rest.find(&format!(".{}", select.field)));
        dot.map_or_else(|| self.start(expression), |dot| from + dot)
    }

    /// Returns a problem with its place, as a server shows both.
    fn located(&self, offset: usize, problem: &str) -> String {
        let source = &self.program.source_info().source;
        let before = source.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let text = source.lines().nth(line).unwrap_or_default();
        let dots = ".".repeat(column);
        format!("ERROR: <input>:{}:{}: {problem}\n | {text}\n | {dots}^", line + 1, column + 1)
    }
}

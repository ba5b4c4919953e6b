//! The types of expressions, as they follow from the schema.
//!
//! The check finds names and functions that are not declared, members that a type does not have,
//! and arguments of the wrong type. A value whose type is not known can have any.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr};
use cel::{IdedExpr, Program};
use serde_json::Value;

use super::super::flag;
use super::functions;
use super::values::escaped;

/// The names of types.
const DECLARED: [&str; 10] =
    ["int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type"];

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type<'a> {
    /// Any type.
    Any,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    /// A type with a name of its own.
    Named(&'static str),
    Optional(Box<Type<'a>>),
    List(Box<Type<'a>>),
    /// A map from texts to values.
    Map(Box<Type<'a>>),
    /// An object with a schema, which is true for one of the API.
    Schema(&'a Value, bool),
}

impl<'a> Type<'a> {
    pub(super) const TIMESTAMP: Self = Self::Named("timestamp");
    pub(super) const DURATION: Self = Self::Named("duration");

    fn of(schema: &'a Value, whole: bool) -> Self {
        if flag(schema, "x-kubernetes-int-or-string") {
            return Self::Any;
        }
        let below = |schema: &'a Value| {
            Box::new(Self::of(schema, flag(schema, "x-kubernetes-embedded-resource")))
        };
        let members = schema["properties"].as_object().is_some_and(|all| !all.is_empty());
        let values = &schema["additionalProperties"];
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("boolean"), _) => Self::Bool,
            (Some("integer"), _) => Self::Int,
            (Some("number"), _) => Self::Double,
            (Some("string"), Some("byte")) => Self::Bytes,
            (Some("string"), Some("date" | "date-time")) => Self::TIMESTAMP,
            (Some("string"), Some("duration")) => Self::DURATION,
            (Some("string"), _) => Self::String,
            (Some("array"), _) => Self::List(below(&schema["items"])),
            (Some("object"), _) if values.is_object() && !members => Self::Map(below(values)),
            (Some("object"), _) if members || whole => Self::Schema(schema, whole),
            _ => Self::Any,
        }
    }

    /// Returns whether a value of this type may have another type.
    pub(super) fn may_be(&self, other: &Type<'_>) -> bool {
        *self == Self::Any || self == other
    }

    /// Returns whether values of two types can be compared.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            // A server tells objects apart by their places.
            (Self::Any, _) | (_, Self::Any) | (Self::Schema(..), Self::Schema(..)) => true,
            (Self::List(one), Self::List(other))
            | (Self::Map(one), Self::Map(other))
            | (Self::Optional(one), Self::Optional(other)) => one.is_alike(other),
            (Self::Null, other) | (other, Self::Null) => {
                matches!(other, Self::Null | Self::Named(_) | Self::Optional(_) | Self::Schema(..))
            }
            (one, other) => one == other,
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Any => "dyn".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Int => "int".to_owned(),
            Self::Uint => "uint".to_owned(),
            Self::Double => "double".to_owned(),
            Self::String => "string".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            Self::Named(name) => (*name).to_owned(),
            Self::Optional(inner) => format!("optional_type({})", inner.name()),
            Self::List(item) => format!("list({})", item.name()),
            Self::Map(value) => format!("map(string, {})", value.name()),
            Self::Schema(..) => "object".to_owned(),
        }
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

/// Returns the type of a value that may be absent.
fn optional(kind: Type<'_>) -> Type<'_> {
    match kind {
        kind @ Type::Optional(_) => kind,
        kind => Type::Optional(Box::new(kind)),
    }
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
                LiteralValue::Bytes(_) => Type::Bytes,
                LiteralValue::Double(_) => Type::Double,
                LiteralValue::Int(_) => Type::Int,
                LiteralValue::Null => Type::Null,
                LiteralValue::String(_) => Type::String,
                LiteralValue::UInt(_) => Type::Uint,
            }),
            Expr::Select(select) => self.select(expression, select),
            Expr::Call(call) => self.call(expression, call),
            Expr::Comprehension(all) => self.comprehension(all),
            Expr::List(list) => {
                let mut kinds = Vec::new();
                for element in &list.elements {
                    let kind = self.of(element)?;
                    let first = kinds.first().unwrap_or(&kind);
                    if !kind.is_alike(first) {
                        let (first, kind) = (first.name(), kind.name());
                        let problem = format!("expected type '{first}' but found '{kind}'");
                        return Err(self.located(self.start(element), &problem));
                    }
                    kinds.push(kind);
                }
                let first = kinds.first().cloned().unwrap_or(Type::Any);
                let same = kinds.iter().all(|kind| *kind == first);
                Ok(Type::List(Box::new(if same { first } else { Type::Any })))
            }
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.of(&entry.key)?;
                        self.of(&entry.value)?;
                    }
                }
                Ok(Type::Any)
            }
            Expr::Struct(_) | Expr::Unspecified => Ok(Type::Any),
        }
    }

    /// Returns the type of a macro's result. Its variables are the elements of a list, or the keys
    /// and values of a map.
    fn comprehension(&mut self, all: &'p ComprehensionExpr) -> Result<Type<'s>, String> {
        let range = self.of(&all.iter_range)?;
        let (first, second) = match (range, &all.iter_var2) {
            (Type::Any, _) => (Type::Any, Type::Any),
            (Type::List(item), None) => (*item, Type::Any),
            (Type::List(item), Some(_)) => (Type::Int, *item),
            (Type::Map(value), _) => (Type::String, *value),
            (other, _) => {
                let problem = format!(
                    "expression of type '{}' cannot be range of a comprehension (must be list, \
                     map, or dynamic)",
                    other.name()
                );
                return Err(self.located(self.start(&all.iter_range), &problem));
            }
        };
        let start = self.of(&all.accu_init)?;
        let known = self.names.len();
        self.names.push((&all.accu_var, start));
        self.names.push((&all.iter_var, first));
        if let Some(name) = &all.iter_var2 {
            self.names.push((name, second));
        }
        let result = self.of(&all.loop_cond).and_then(|_| {
            let step = self.of(&all.loop_step)?;
            self.names.truncate(known);
            self.names.push((&all.accu_var, step));
            self.of(&all.result)
        });
        self.names.truncate(known);
        result
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
        // A server reports the presence of a member at the macro.
        let at =
            if select.test { self.start(expression) } else { self.selection(expression, select) };
        let is_optional = matches!(operand, Type::Optional(_)) && !select.test;
        let found = self.member(operand, &select.field, at)?;
        Ok(match select.test {
            true => Type::Bool,
            false if is_optional => optional(found),
            false => found,
        })
    }

    /// Returns the type of a member of a value, or of what an optional value has.
    fn member(&self, operand: Type<'s>, field: &str, at: usize) -> Result<Type<'s>, String> {
        let (schema, whole) = match operand {
            Type::Any => return Ok(Type::Any),
            Type::Map(value) => return Ok(*value),
            Type::Optional(inner) => return self.member(*inner, field, at),
            Type::Schema(schema, whole) => (schema, whole),
            other => {
                let problem = format!("type '{}' does not support field selection", other.name());
                return Err(self.located(at, &problem));
            }
        };
        let named = |name: &&String| escaped(name).as_deref() == Some(field);
        let mut properties = schema["properties"].as_object().into_iter().flatten();
        let known = properties.find(|(name, _)| named(name)).map(|(_, schema)| schema);
        let implied = whole && matches!(field, "kind" | "apiVersion" | "metadata");
        match known {
            _ if implied => Ok(Type::Any),
            Some(schema) => Ok(Type::of(schema, flag(schema, "x-kubernetes-embedded-resource"))),
            None => Err(self.located(at, &format!("undefined field '{field}'"))),
        }
    }

    fn call(&mut self, expression: &'p IdedExpr, call: &'p CallExpr) -> Result<Type<'s>, String> {
        let name = &*call.func_name;
        if functions::is_macro(name, call.args.len()) {
            return Ok(Type::Any);
        }
        let mut kinds = Vec::new();
        let space = call.target.as_deref().and_then(|target| match &target.expr {
            Expr::Ident(space) if functions::is_qualified(space, name) => Some(&**space),
            _ => None,
        });
        let space = space.filter(|space| self.names.iter().all(|(known, _)| known != space));
        for part in call.target.as_deref().filter(|_| space.is_none()).into_iter().chain(&call.args)
        {
            let kind = match &part.expr {
                // The values in a text have any types.
                Expr::List(list) if name == "format" => {
                    list.elements.iter().try_for_each(|element| self.of(element).map(drop))?;
                    Type::List(Box::new(Type::Any))
                }
                _ => self.of(part)?,
            };
            if matches!(name, "_&&_" | "_||_") && !kind.may_be(&Type::Bool) {
                let problem = format!("expected type 'bool' but found '{}'", kind.name());
                return Err(self.located(self.start(part), &problem));
            }
            kinds.push(kind);
        }
        if let ("_?._", [_, field]) = (name, &*call.args)
            && let Expr::Literal(LiteralValue::String(field)) = &field.expr
        {
            let found = self.member(kinds.swap_remove(0), field.inner(), self.start(expression))?;
            return Ok(optional(found));
        }
        let found = match space {
            Some(space) => functions::result(&format!("{space}.{name}"), false, &kinds),
            None => functions::result(name, call.target.is_some(), &kinds),
        };
        found.map_err(|problem| self.located(self.start(expression), &problem))
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

//! The check of an expression's types, when its definition is written.
//!
//! The check finds names and functions that are not declared, members that a type does not have,
//! and arguments of the wrong type. A value whose type is not known can have any.

use std::collections::HashMap;

use cel::IdedExpr;
use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr, StructExpr,
};
use serde_json::Value;

use super::names::{MESSAGES, TYPES, UNDEFINED, type_named};
use super::problems::{self, Located};
use super::program::Parsed;
use super::request::REQUEST;
use super::types::{Type, Variables};
use super::{constants, functions, literals, unordered};

/// The name of a macro's result, which no variable may have.
const ACCUMULATOR: &str = "__result__";

/// The macros with two variables and the numbers of their arguments. The interpreter has none.
const MACROS: [(&str, std::ops::RangeInclusive<usize>); 7] = [
    ("all", 3..=3),
    ("exists", 3..=3),
    ("exists_one", 3..=3),
    ("existsOne", 3..=3),
    ("transformList", 3..=4),
    ("transformMap", 3..=4),
    ("transformMapEntry", 3..=4),
];

/// The functions of an authorizer, which the interpreter does not have.
const AUTHORIZER: [&str; 14] = [
    "allowed",
    "check",
    "error",
    "errored",
    "fieldSelector",
    "group",
    "labelSelector",
    "name",
    "namespace",
    "path",
    "reason",
    "resource",
    "serviceAccount",
    "subresource",
];

/// The functions of an authorizer that return a Boolean.
const ANSWERS: [&str; 2] = ["allowed", "errored"];

/// A problem, and the offset of its place in the source.
pub(super) struct Problem {
    at: usize,
    text: String,
}

/// Returns the type of an expression about a value with a schema, or its problems in a server's
/// words.
pub(super) fn check<'s>(
    program: &Parsed,
    schema: &'s Value,
    whole: bool,
    optional: bool,
) -> Result<Type<'s>, String> {
    Check::new(program, schema, whole, optional).finish()
}

/// Returns the type of a condition over a request and variables of any type, or its problems in a
/// server's words.
pub(super) fn check_condition(
    program: &Parsed,
    variables: &[&'static str],
) -> Result<Type<'static>, String> {
    let kind = |name: &str| if name == "request" { REQUEST.kind() } else { Type::Any };
    let names = variables.iter().map(|name| (*name, kind(name))).collect();
    Check { authorizes: true, ..Check::over(program, names) }.finish()
}

/// Returns whether an expression compares or adds lists whose order a server ignores.
pub(super) fn uses_unordered(
    program: &Parsed,
    schema: &Value,
    whole: bool,
    optional: bool,
) -> bool {
    let mut check = Check::new(program, schema, whole, optional);
    check.of(&program.expression);
    unordered::are_used(&check, &program.expression)
}

pub(super) struct Check<'p, 's> {
    program: &'p Parsed,
    names: Vec<(&'p str, Type<'s>)>,
    /// The number of names that no macro declares.
    given: usize,
    /// True if the functions of an authorizer are declared.
    authorizes: bool,
    variables: Variables<'s>,
    /// The types of the parts of the expression.
    kinds: HashMap<u64, Type<'s>>,
    problems: Vec<Problem>,
    /// The first name of a type that has no value.
    undefined: Option<&'p str>,
}

impl<'p, 's> Check<'p, 's> {
    fn new(program: &'p Parsed, schema: &'s Value, whole: bool, optional: bool) -> Self {
        let own = Type::of_self(schema, whole).unwrap_or(Type::Any);
        let old = if optional { own.clone().or_absent() } else { own.clone() };
        Self::over(program, vec![("self", own), ("oldSelf", old)])
    }

    fn over(program: &'p Parsed, names: Vec<(&'p str, Type<'s>)>) -> Self {
        Self {
            program,
            given: names.len(),
            names,
            authorizes: false,
            variables: Variables::default(),
            kinds: HashMap::new(),
            problems: Vec::new(),
            undefined: None,
        }
    }

    /// Returns the type of the whole expression, or the problems of its parts.
    fn finish(mut self) -> Result<Type<'s>, String> {
        let program = self.program;
        let kind = self.of(&program.expression);
        let mut problems = std::mem::take(&mut self.problems);
        if problems.is_empty() {
            literals::check(&self, &program.expression, false, &mut problems);
        }
        if !problems.is_empty() {
            problems.sort_by_key(|problem| problem.at);
            let located = problems.iter().map(|problem| self.located(problem));
            let told = problems::told(&program.source.source, located);
            return Err(format!("compilation failed: {told}"));
        }
        let kind = self.variables.settled(&kind);
        // A server makes no program of an expression whose type is wrong.
        if !matches!(kind, Type::Bool | Type::String) {
            return Ok(kind);
        }
        if let Some(name) = self.undefined {
            let problem = format!("reference to undefined type: {name}");
            return Err(format!("program instantiation failed: {problem}"));
        }
        constants::check(&program.expression)
            .map_err(|problem| format!("program instantiation failed: {problem}"))?;
        Ok(kind)
    }

    /// Returns the type of a part after the check of the whole expression.
    pub(super) fn settled(&self, expression: &IdedExpr) -> Type<'s> {
        self.kinds.get(&expression.id).map_or(Type::Any, |kind| self.variables.settled(kind))
    }

    /// Returns the type of an expression, and notes its problems.
    fn of(&mut self, expression: &'p IdedExpr) -> Type<'s> {
        let kind = self.unnoted(expression).unwrap_or_else(|problem| {
            self.problems.push(problem);
            Type::Wrong
        });
        self.kinds.insert(expression.id, kind.clone());
        kind
    }

    fn unnoted(&mut self, expression: &'p IdedExpr) -> Result<Type<'s>, Problem> {
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
            Expr::Comprehension(all) => self.comprehension(expression, all),
            Expr::List(list) => {
                let mut item = None;
                for (n, element) in list.elements.iter().enumerate() {
                    let kind = self.element(element, list.optional_indices.contains(&n));
                    item = Some(self.joined(item, kind));
                }
                Ok(item.unwrap_or_else(|| self.variables.fresh()).list())
            }
            Expr::Map(map) => {
                let (mut key, mut value) = (None, None);
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        let kind = self.of(&entry.key);
                        key = Some(self.joined(key, kind));
                        let kind = self.element(&entry.value, entry.optional);
                        value = Some(self.joined(value, kind));
                    }
                }
                let key = key.unwrap_or_else(|| self.variables.fresh());
                let value = value.unwrap_or_else(|| self.variables.fresh());
                Ok(Type::Map(Box::new(key), Box::new(value)))
            }
            Expr::Struct(message) => self.message(expression, message),
            Expr::Unspecified => Ok(Type::Any),
        }
    }

    /// Returns the type of a message that an expression makes.
    fn message(
        &mut self,
        expression: &'p IdedExpr,
        message: &'p StructExpr,
    ) -> Result<Type<'s>, Problem> {
        let name = message.type_name.trim_start_matches('.').strip_prefix("google.protobuf.");
        let fields = MESSAGES.iter().find(|(known, _)| name == Some(known));
        let Some((_, fields)) = fields else {
            return Err(self.undeclared(expression, &message.type_name));
        };
        for entry in &message.entries {
            let EntryExpr::StructField(field) = &entry.expr else { continue };
            self.of(&field.value);
            if !fields.split(' ').any(|known| known == field.field) {
                let text = format!("undefined field '{}'", field.field);
                let before = &self.program.source.source.get(..self.start(&field.value));
                let at = before.and_then(|before| before.rfind(':')).unwrap_or(0);
                return Err(Problem { at, text });
            }
        }
        Ok(Type::Any)
    }

    /// Returns the type of a value in a literal, which takes what an optional one holds.
    fn element(&mut self, element: &'p IdedExpr, optional: bool) -> Type<'s> {
        let kind = self.of(element);
        if !optional {
            return kind;
        }
        let (kind, held) = kind.held();
        if !held && !kind.is_any() {
            let problem = self.mismatch(element, &kind.clone().or_absent(), &kind);
            self.problems.push(problem);
        }
        kind
    }

    /// Returns the type of values of two types.
    fn joined(&mut self, before: Option<Type<'s>>, kind: Type<'s>) -> Type<'s> {
        match before {
            None => kind,
            Some(before) if self.agree(&before, &kind) => before.more_general(kind),
            Some(_) => Type::Any,
        }
    }

    fn agree(&mut self, one: &Type<'s>, other: &Type<'s>) -> bool {
        self.variables.agree(std::slice::from_ref(one), std::slice::from_ref(other))
    }

    /// Notes a problem if a part does not have a type.
    fn expect(&mut self, part: &IdedExpr, expected: &Type<'s>, kind: &Type<'s>) {
        if !self.agree(expected, kind) {
            let problem = self.mismatch(part, expected, kind);
            self.problems.push(problem);
        }
    }

    fn mismatch(&self, part: &IdedExpr, expected: &Type<'s>, kind: &Type<'s>) -> Problem {
        let name = |kind| self.variables.settled(kind).name();
        let (expected, kind) = (name(expected), name(kind));
        self.problem(part, format!("expected type '{expected}' but found '{kind}'"))
    }

    /// Returns the type of a macro's result. Its variables are the elements of a list, or the keys
    /// and values of a map.
    fn comprehension(
        &mut self,
        expression: &IdedExpr,
        all: &'p ComprehensionExpr,
    ) -> Result<Type<'s>, Problem> {
        // The interpreter has this macro, and a server the one with two variables only.
        let source = self.program.source.source.get(..self.start(expression));
        if source.is_some_and(|before| before.trim_end().ends_with(".existsOne")) {
            return Err(self.undeclared(expression, "existsOne"));
        }
        if all.iter_var == ACCUMULATOR {
            let text = "iteration variable overwrites accumulator variable".to_owned();
            let start = self.start(expression);
            let after = self.program.source.source.get(start..).unwrap_or_default();
            return Err(Problem { at: start + after.find(ACCUMULATOR).unwrap_or(0), text });
        }
        let range = self.of(&all.iter_range);
        let start = self.of(&all.accu_init);
        let (first, _) = self.loop_variables(&all.iter_range, &range, false);
        let known = self.names.len();
        self.names.push((&all.accu_var, start.clone()));
        self.names.push((&all.iter_var, first));
        let condition = self.of(&all.loop_cond);
        self.expect(&all.loop_cond, &Type::Bool, &condition);
        let step = self.of(&all.loop_step);
        self.expect(&all.loop_step, &start, &step);
        self.names.truncate(known + 1);
        let result = self.of(&all.result);
        self.names.truncate(known);
        Ok(self.variables.resolved(&result))
    }

    /// Returns the types of the variables of a loop over a value.
    fn loop_variables(
        &mut self,
        range: &IdedExpr,
        kind: &Type<'s>,
        two: bool,
    ) -> (Type<'s>, Type<'s>) {
        match self.variables.resolved(kind) {
            Type::List(item, _) if two => (Type::Int, *item),
            Type::List(item, _) => (*item, Type::Any),
            Type::Map(key, value) => (*key, *value),
            kind @ (Type::Any | Type::Wrong | Type::Variable(_)) => {
                self.agree(&Type::Any, &kind);
                (Type::Any, Type::Any)
            }
            other => {
                let problem = format!(
                    "expression of type '{}' cannot be range of a comprehension (must be list, \
                     map, or dynamic)",
                    self.variables.settled(&other).name()
                );
                let problem = self.problem(range, problem);
                self.problems.push(problem);
                (Type::Wrong, Type::Wrong)
            }
        }
    }

    /// Returns the type of a call of a macro with two variables.
    fn two_variables(
        &mut self,
        expression: &'p IdedExpr,
        target: &'p IdedExpr,
        call: &'p CallExpr,
    ) -> Result<Type<'s>, Problem> {
        let name = |argument: &'p IdedExpr| match &argument.expr {
            Expr::Ident(name) => Ok(&**name),
            _ => Err(self.problem(argument, "argument must be a simple name".to_owned())),
        };
        let (one, other) = (name(&call.args[0])?, name(&call.args[1])?);
        if one == other {
            let problem = format!("duplicate variable name: {one}");
            return Err(self.problem(&call.args[1], problem));
        }
        let range = self.of(target);
        let (first, second) = self.loop_variables(target, &range, true);
        let known = self.names.len();
        self.names.extend([(one, first), (other, second)]);
        let mut parts = Vec::new();
        for part in &call.args[2..] {
            parts.push((part, self.of(part)));
        }
        let key = self.names[known].1.clone();
        self.names.truncate(known);
        let Some((last, kind)) = parts.pop() else { return Ok(Type::Any) };
        let result = match &*call.func_name {
            "all" | "exists" => {
                self.expect(last, &Type::Bool, &kind);
                Type::Bool
            }
            "transformList" => kind.list(),
            "transformMap" => {
                let value = self.variables.fresh();
                let map = Type::Map(Box::new(key.clone()), Box::new(value));
                self.apply(expression, "cel::@mapInsert", &[map, key, kind])?
            }
            "transformMapEntry" => {
                let (key, value) = (self.variables.fresh(), self.variables.fresh());
                let map = Type::Map(Box::new(key), Box::new(value));
                self.apply(expression, "cel::@mapInsert", &[map, kind])?
            }
            _ => {
                self.apply(expression, "_?_:_", &[kind, Type::Int, Type::Int])?;
                Type::Bool
            }
        };
        match parts.pop() {
            None => Ok(result),
            Some((_, kind)) => self.apply(expression, "_?_:_", &[kind, result.clone(), result]),
        }
    }

    fn name(&mut self, expression: &IdedExpr, name: &'p str) -> Result<Type<'s>, Problem> {
        // A name with a dot before it is not that of a macro's variable.
        let (plain, names) = match name.strip_prefix('.') {
            Some(plain) => (plain, &self.names[..self.given]),
            None => (name, &*self.names),
        };
        let mut known = names.iter().rev().filter(|(known, _)| *known == plain);
        if let Some((_, kind)) = known.next() {
            return Ok(kind.clone());
        }
        if UNDEFINED.contains(&plain) {
            self.undefined.get_or_insert(plain);
        }
        type_named(plain).ok_or_else(|| self.undeclared(expression, name))
    }

    fn undeclared(&self, at: &IdedExpr, name: &str) -> Problem {
        self.problem(at, format!("undeclared reference to '{name}' (in container '')"))
    }

    fn select(
        &mut self,
        expression: &'p IdedExpr,
        select: &'p SelectExpr,
    ) -> Result<Type<'s>, Problem> {
        let mut types = TYPES.iter().filter(|(name, _)| name.contains('.'));
        if let Some((name, _)) = types.find(|(name, _)| spells(expression, name)) {
            return Ok(type_named(name).unwrap_or(Type::Any));
        }
        let operand = self.of(&select.operand);
        // A server reports the presence of a member at the macro.
        let at =
            if select.test { self.start(expression) } else { self.selection(expression, select) };
        let found = self.member(&operand, &select.field, at)?;
        Ok(if select.test { Type::Bool } else { found })
    }

    /// Returns the type of a member of a value, or of what an optional value has.
    fn member(&mut self, operand: &Type<'s>, field: &str, at: usize) -> Result<Type<'s>, Problem> {
        let (kind, optional) = self.variables.resolved(operand).held();
        let found = match kind {
            Type::Any | Type::Wrong | Type::Variable(_) => {
                self.agree(&Type::Any, &kind);
                Type::Any
            }
            Type::Map(_, value) => *value,
            Type::Object(object) => object
                .member(field)
                .ok_or_else(|| Problem { at, text: format!("undefined field '{field}'") })?,
            other => {
                let name = self.variables.settled(&other).name();
                let text = format!("type '{name}' does not support field selection");
                self.problems.push(Problem { at, text });
                Type::Any
            }
        };
        Ok(if optional { found.or_absent() } else { found })
    }

    fn call(&mut self, expression: &'p IdedExpr, call: &'p CallExpr) -> Result<Type<'s>, Problem> {
        let name = call.func_name.trim_start_matches('.');
        if let ("_?._", [operand, field]) = (name, &*call.args)
            && let Expr::Literal(LiteralValue::String(field)) = &field.expr
        {
            let operand = self.of(operand).held().0;
            let at = self.start(expression);
            return Ok(self.member(&operand, field.inner(), at)?.or_absent());
        }
        let target = call.target.as_deref();
        let is_macro = |(known, counts): &(&str, std::ops::RangeInclusive<usize>)| {
            *known == name && counts.contains(&call.args.len())
        };
        if let Some(target) = target.filter(|_| MACROS.iter().any(is_macro)) {
            return self.two_variables(expression, target, call);
        }
        let qualified = target.and_then(|target| match &target.expr {
            Expr::Ident(space) => functions::qualified(space, name),
            _ => None,
        });
        let method = target.filter(|_| qualified.is_none());
        let mut kinds = Vec::new();
        if let Some(target) = method {
            kinds.push(self.of(target));
        }
        for argument in &call.args {
            let kind = self.of(argument);
            if matches!(name, "_&&_" | "_||_") {
                self.expect(argument, &Type::Bool, &kind);
            }
            kinds.push(kind);
        }
        if matches!(name, "_&&_" | "_||_") {
            return Ok(Type::Bool);
        }
        if self.authorizes && method.is_some() && AUTHORIZER.contains(&name) {
            return Ok(if ANSWERS.contains(&name) { Type::Bool } else { Type::Any });
        }
        if qualified.is_none() && !functions::is_declared(name) {
            return Err(self.undeclared(expression, name));
        }
        let name = qualified.as_deref().unwrap_or(name);
        let found = functions::result(name, method.is_some(), &kinds, &mut self.variables);
        found.map_err(|problem| self.problem(expression, problem))
    }

    /// Returns the type of the result of a function that a macro calls.
    fn apply(
        &mut self,
        at: &IdedExpr,
        name: &str,
        arguments: &[Type<'s>],
    ) -> Result<Type<'s>, Problem> {
        let found = functions::result(name, false, arguments, &mut self.variables);
        found.map_err(|problem| self.problem(at, problem))
    }

    /// Returns the offset of an expression in its source.
    fn start(&self, expression: &IdedExpr) -> usize {
        let offset = self.program.source.offset_for(expression.id);
        offset.map_or(0, |(start, _)| start as usize)
    }

    /// Returns the offset of the dot of a selection.
    fn selection(&self, expression: &IdedExpr, select: &SelectExpr) -> usize {
        let source = &self.program.source.source;
        let from = self.start(&select.operand).min(source.len());
        let dot = source.get(from..).and_then(|rest| rest.find(&format!(".{}", select.field)));
        dot.map_or_else(|| self.start(expression), |dot| from + dot)
    }

    /// Returns a problem of a part of the expression.
    pub(super) fn problem(&self, part: &IdedExpr, text: String) -> Problem {
        Problem { at: self.start(part), text }
    }

    fn located<'a>(&self, problem: &'a Problem) -> Located<'a> {
        let source = &self.program.source.source;
        let before = source.get(..problem.at).unwrap_or_default();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let number = |n: usize| isize::try_from(n + 1).unwrap_or(isize::MAX);
        Located { line: number(line), column: number(column), text: &problem.text }
    }
}

/// Returns whether a chain of selections spells a name.
fn spells(expression: &IdedExpr, name: &str) -> bool {
    match (&expression.expr, name.rsplit_once('.')) {
        (Expr::Select(select), Some((head, field))) => {
            !select.test && select.field == field && spells(&select.operand, head)
        }
        (Expr::Ident(ident), None) => ident == name,
        _ => false,
    }
}

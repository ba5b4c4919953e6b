//! Label selectors of queries, with a real server's words for those that are invalid.

use crate::api_server::failure::Failure;
use crate::api_server::names::{label_value_problems, qualified_problems};
use kube_decode::labels::LabelSelector;

const OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";

/// Parses the selector of a query.
pub(super) fn parse(text: &str) -> Result<LabelSelector, Failure> {
    text.parse::<LabelSelector>().map_err(|error| {
        let named = Parser::new(text).problem();
        let unnamed = || format!("unable to parse requirement: {}", error.problem);
        Failure::bad_request(named.unwrap_or_else(unnamed))
    })
}

/// A token: an identifier, a symbol, or the empty text at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Identifier(&'t str),
    Symbol(&'t str),
    End,
}

impl<'t> Token<'t> {
    fn text(self) -> &'t str {
        match self {
            Self::Identifier(text) | Self::Symbol(text) => text,
            Self::End => "",
        }
    }
}

/// The symbols, the longest first.
const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\t', '\r', '\n']);
    while !rest.is_empty() {
        let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
        let length = symbol.map_or_else(
            || {
                let end = |c: char| {
                    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<' | ' ' | '\t' | '\r' | '\n')
                };
                rest.find(end).unwrap_or(rest.len())
            },
            |symbol| symbol.len(),
        );
        let (token, behind) = rest.split_at(length);
        let token = if symbol.is_some() { Token::Symbol(token) } else { Token::Identifier(token) };
        found.push(token);
        rest = behind.trim_start_matches([' ', '\t', '\r', '\n']);
    }
    found
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
}

type Parsed<T> = Result<T, String>;

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self { tokens: tokens(text), at: 0 }
    }

    fn peek(&self) -> Token<'t> {
        self.tokens.get(self.at).copied().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Returns the problem that a real server names.
    fn problem(mut self) -> Option<String> {
        loop {
            match self.peek() {
                Token::End => return None,
                Token::Identifier(_) | Token::Symbol("!") => {
                    if let Err(problem) = self.requirement() {
                        return Some(format!("unable to parse requirement: {problem}"));
                    }
                }
                Token::Symbol(found) => {
                    let expected = "!, identifier, or 'end of string'";
                    return Some(format!("found '{found}', expected: {expected}"));
                }
            }
            match self.next() {
                Token::End => return None,
                Token::Symbol(",") => {
                    let next = self.peek();
                    if !matches!(next, Token::Identifier(_) | Token::Symbol("!")) {
                        let found = next.text();
                        return Some(format!("found '{found}', expected: identifier after ','"));
                    }
                }
                other => {
                    let found = other.text();
                    return Some(format!("found '{found}', expected: ',' or 'end of string'"));
                }
            }
        }
    }

    fn requirement(&mut self) -> Parsed<()> {
        let mut token = self.next();
        let negated = token == Token::Symbol("!");
        if negated {
            token = self.next();
        }
        let Token::Identifier(key) = token else {
            return Err(format!("found '{}', expected: identifier", token.text()));
        };
        check_key(key)?;
        if negated || matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Ok(());
        }
        let operator = self.next();
        let (values, number) = match operator {
            Token::Identifier("in" | "notin") => (self.values()?, false),
            Token::Symbol("=" | "==" | "!=") => (vec![self.value()?], false),
            Token::Symbol(">" | "<") => (vec![self.value()?], true),
            other => return Err(format!("found '{}', expected: {OPERATORS}", other.text())),
        };
        let mut problems: Vec<String> = Vec::new();
        for (n, value) in values.iter().enumerate().filter(|_| number) {
            if value.parse::<i64>().is_err() {
                let problem = "for 'Gt', 'Lt' operators, the value must be an integer";
                problems.push(format!("values[{n}]: Invalid value: {value:?}: {problem}"));
            }
        }
        for (n, value) in values.iter().enumerate() {
            let problem = label_value_problems(value).join("; ");
            if !problem.is_empty() {
                problems.push(format!("values[{n}][{key}]: Invalid value: {value:?}: {problem}"));
            }
        }
        match &*problems {
            [] => Ok(()),
            [problem] => Err(problem.clone()),
            problems => Err(format!("[{}]", problems.join(", "))),
        }
    }

    fn value(&mut self) -> Parsed<&'t str> {
        match self.peek() {
            Token::End | Token::Symbol(",") => Ok(""),
            Token::Identifier(value) => {
                self.at += 1;
                Ok(value)
            }
            Token::Symbol(found) => Err(format!("found '{found}', expected: identifier")),
        }
    }

    /// Reads values in parentheses. They are ordered, and none is there twice.
    fn values(&mut self) -> Parsed<Vec<&'t str>> {
        let open = self.next();
        if open != Token::Symbol("(") {
            return Err(format!("found '{}' expected: '('", open.text()));
        }
        let mut values = Vec::new();
        match self.peek() {
            Token::Identifier(_) | Token::Symbol(",") => {}
            Token::Symbol(")") => {
                self.at += 1;
                return Ok(vec![""]);
            }
            other => {
                let found = other.text();
                return Err(format!("found '{found}', expected: ',', ')' or identifier"));
            }
        }
        loop {
            match self.next() {
                Token::Identifier(value) => {
                    values.push(value);
                    match self.peek() {
                        Token::Symbol(",") => {}
                        Token::Symbol(")") => break,
                        other => {
                            let found = other.text();
                            return Err(format!("found '{found}', expected: ',' or ')'"));
                        }
                    }
                }
                Token::Symbol(",") => {
                    if values.is_empty() || self.peek() == Token::Symbol(",") {
                        values.push("");
                    }
                    if self.peek() == Token::Symbol(")") {
                        values.push("");
                        break;
                    }
                }
                other => {
                    let found = other.text();
                    return Err(format!("found '{found}', expected: ',', or identifier"));
                }
            }
        }
        self.at += 1;
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }
}

fn check_key(key: &str) -> Parsed<()> {
    let problems = qualified_problems(key);
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("<nil>: Invalid value: {key:?}: {}", problems.join("; ")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn invalid_selectors_have_a_problem(text in "[ab,=!<>()1 /-]{0,10}|(a|in|notin|[ =!,()]){0,8}") {
            let valid = text.parse::<LabelSelector>().is_ok();
            let problem = Parser::new(&text).problem();
            // A server takes empty values in a set, which the crate's own parser takes, too.
            prop_assert!(valid || problem.is_some(), "{:?}", text);
        }
    }
}

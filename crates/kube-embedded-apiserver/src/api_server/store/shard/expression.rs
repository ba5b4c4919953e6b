//! The syntax of shard selectors: a small part of CEL, enough to name the parts that a selector
//! must not have.

/// The deepest nesting of an expression.
const DEEPEST: usize = 64;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// A call of a function or an operator. Operators have CEL's names, such as `_||_`.
    Call(String, Vec<Expression>),
    Name(String),
    /// A member of a value: `a.b`.
    Member(Box<Expression>, String),
    Text(String),
    /// A literal that is no text, by its Go type.
    Literal(&'static str),
}

impl Expression {
    /// Returns CEL's number of the kind of expression.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Self::Call(..) => 1,
            Self::Name(_) => 3,
            Self::Text(_) | Self::Literal(_) => 5,
            Self::Member(..) => 7,
        }
    }

    /// Returns the dotted path of a member, or the kind of an expression that has none.
    pub(super) fn path(&self) -> Result<String, u8> {
        match self {
            Self::Name(name) => Ok(name.clone()),
            Self::Member(of, name) => Ok(format!("{}.{name}", of.path()?)),
            other => Err(other.kind()),
        }
    }
}

/// Parses an expression. The error is worded as CEL's parser does.
pub(super) fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let parsed = parser.any()?;
    match parser.next_symbol() {
        "" if parser.rest().is_empty() => Ok(parsed),
        _ => Err(parser.unexpected("extraneous input")),
    }
}

/// The tokens with which a value begins, as messages list them.
const VALUES: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, \
                      NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// The symbols, the longest first.
const SYMBOLS: [&str; 7] = ["||", "&&", "!", "(", ")", ",", "."];

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text[self.at..].trim_start()
    }

    /// Returns the symbol that comes next; an empty text if there is none.
    fn next_symbol(&self) -> &'static str {
        let rest = self.rest();
        SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)).copied().unwrap_or_default()
    }

    fn skip(&mut self, length: usize) {
        self.at = self.text.len() - self.rest().len() + length;
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let accepted = self.next_symbol() == symbol;
        if accepted {
            self.skip(symbol.len());
        }
        accepted
    }

    fn unexpected(&self, problem: &str) -> String {
        let found = match self.rest() {
            "" => "<EOF>".to_owned(),
            rest => match self.next_symbol() {
                "" => rest.chars().take(1).collect(),
                symbol => symbol.to_owned(),
            },
        };
        let expected = if problem == "extraneous input" { "<EOF>" } else { VALUES };
        format!("Syntax error: {problem} '{found}' expecting {expected}")
    }

    fn any(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("expression is nested more than {DEEPEST} levels deep"));
        }
        let parsed =
            self.operation("||", "_||_", |parser| parser.operation("&&", "_&&_", Self::negated));
        self.depth -= 1;
        parsed
    }

    /// Parses operands that an operator joins, as one call.
    fn operation(
        &mut self,
        symbol: &str,
        name: &str,
        operand: impl Fn(&mut Self) -> Result<Expression, String>,
    ) -> Result<Expression, String> {
        let first = operand(self)?;
        let mut operands = vec![first];
        while self.accept(symbol) {
            operands.push(operand(self)?);
        }
        Ok(match operands.len() {
            1 => operands.remove(0),
            _ => Expression::Call(name.to_owned(), operands),
        })
    }

    fn negated(&mut self) -> Result<Expression, String> {
        let mut negations = 0_usize;
        while self.accept("!") {
            negations += 1;
        }
        let value = self.member()?;
        Ok(if negations == 0 { value } else { Expression::Call("!_".to_owned(), vec![value]) })
    }

    fn member(&mut self) -> Result<Expression, String> {
        let mut value = self.value()?;
        let mut members = 0;
        while self.accept(".") {
            members += 1;
            let name = self.name();
            if name.is_empty() || members > DEEPEST {
                return Err(self.unexpected("mismatched input"));
            }
            value = Expression::Member(Box::new(value), name.to_owned());
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<Expression, String> {
        if self.accept("(") {
            let inner = self.any()?;
            return if self.accept(")") {
                Ok(inner)
            } else {
                Err(self.unexpected("missing ')' at"))
            };
        }
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let Some(end) = rest[1..].find(quote) else {
                return Err(format!("Syntax error: token recognition error at: '{rest}'"));
            };
            self.skip(end + 2);
            return Ok(Expression::Text(rest[1..=end].to_owned()));
        }
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let end = rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
            let number = end.map_or(rest, |end| &rest[..=end]);
            self.skip(number.len());
            return Ok(Expression::Literal(match number {
                number if number.contains('.') => "float64",
                number if number.ends_with('u') => "uint64",
                _ => "int64",
            }));
        }
        let name = self.name();
        match name {
            "" => Err(self.unexpected("mismatched input")),
            "true" | "false" => Ok(Expression::Literal("bool")),
            "null" => Ok(Expression::Literal("structpb.NullValue")),
            name => {
                if !self.accept("(") {
                    return Ok(Expression::Name(name.to_owned()));
                }
                Ok(Expression::Call(name.to_owned(), self.arguments()?))
            }
        }
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return "";
        }
        self.skip(end);
        name
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, String> {
        let mut arguments = Vec::new();
        if self.accept(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.any()?);
            if self.accept(")") {
                return Ok(arguments);
            }
            if !self.accept(",") {
                return Err(self.unexpected("mismatched input"));
            }
        }
    }
}

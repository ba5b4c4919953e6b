//! Label selectors in the syntax of `kubectl -l`.
//!
//! A parse error names the problem and its position. Matching never fails and never allocates.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1;
use kube::core::{Expression, Selector};

use crate::names::{is_label_value, is_name, is_qualified};

/// A label selector: requirements that the labels of an object must meet.
///
/// The grammar is that of Kubernetes: requirements joined by commas, all of which must hold. An
/// object without the label meets `!=`, `notin` and `!`. Unlike [`kube::core::Selector`], which
/// converts into this type, it parses text and supports `>` and `<`.
///
/// ```
/// # extern crate kube_decode as kube_informer;
/// use kube_informer::labels::LabelSelector;
///
/// let selector: LabelSelector = "app=web, tier in (front, edge), env!=test, !old, size>3"
///     .parse()?;
/// assert!("a===b".parse::<LabelSelector>().is_err());
/// # Ok::<(), kube_informer::labels::InvalidSelector>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
    nothing: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Greater(i64),
    Less(i64),
}

/// A text is not a valid label selector.
///
/// A program that points at the problem in its argument:
///
/// ```
/// # extern crate kube_decode as kube_informer;
/// use kube_informer::labels::LabelSelector;
/// use kube_informer::labels::InvalidSelector;
///
/// fn selector(argument: &str) -> Result<LabelSelector, String> {
///     argument.parse().map_err(|InvalidSelector { text, at, problem, .. }| {
///         format!("{text}\n{:at$}^ {problem}", "")
///     })
/// }
/// assert!(selector("a===b").unwrap_err().contains("^ "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid label selector {text:?} at byte {at}: {problem}")]
#[non_exhaustive]
pub struct InvalidSelector {
    /// The text of the selector.
    pub text: String,
    /// The offset of the problem in the text, in bytes.
    pub at: usize,
    /// The problem.
    pub problem: String,
}

impl LabelSelector {
    /// Returns a selector that matches every object, as an empty text does.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Returns a selector that matches no object. Lists with it look at no object.
    pub fn nothing() -> Self {
        Self { requirements: Vec::new(), nothing: true }
    }

    /// Returns whether every object matches, so that labels are not looked at.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty() && !self.nothing
    }

    /// Returns whether no object can match.
    pub fn is_nothing(&self) -> bool {
        self.nothing
    }

    /// Returns whether an object with these labels matches.
    ///
    /// Takes time linear in the number of requirements and their values, and does not allocate.
    pub fn matches(&self, labels: Option<&BTreeMap<String, String>>) -> bool {
        !self.nothing
            && self.requirements.iter().all(|requirement| {
                let value = labels.and_then(|labels| labels.get(&requirement.key));
                requirement.test.holds(value)
            })
    }
}

impl Test {
    fn holds(&self, value: Option<&String>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(values) => value.is_some_and(|value| values.contains(value)),
            Self::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::Greater(than) => number().is_some_and(|number| number > *than),
            Self::Less(than) => number().is_some_and(|number| number < *than),
        }
    }
}

impl LabelSelector {
    /// Converts a selector of kube, which kube does not validate.
    ///
    /// # Errors
    /// Returns [`InvalidSelector`] if a key or value is not valid for a label, or if a set of
    /// values is empty. A server refuses such a selector.
    ///
    /// ```
    /// # extern crate kube_decode as kube_informer;
    /// use kube::core::{Expression, Selector};
    /// use kube_informer::labels::LabelSelector;
    ///
    /// let selector = Selector::from_iter([Expression::Equal("app".into(), "web".into())]);
    /// assert_eq!(LabelSelector::from_selector(selector)?, "app=web".parse()?);
    /// let selector = Selector::from_iter([Expression::Equal("app=web,tier".into(), "".into())]);
    /// assert!(LabelSelector::from_selector(selector).is_err());
    /// # Ok::<(), kube_informer::labels::InvalidSelector>(())
    /// ```
    pub fn from_selector(selector: Selector) -> Result<Self, InvalidSelector> {
        let requirement = |expression| {
            let (key, test) = match expression {
                Expression::In(key, values) => (key, Test::In(values.into_iter().collect())),
                Expression::NotIn(key, values) => (key, Test::NotIn(values.into_iter().collect())),
                Expression::Equal(key, value) => (key, Test::In(vec![value])),
                Expression::NotEqual(key, value) => (key, Test::NotIn(vec![value])),
                Expression::Exists(key) => (key, Test::Exists),
                Expression::DoesNotExist(key) => (key, Test::Absent),
            };
            Requirement { key, test }
        };
        let requirements: Vec<_> = selector.into_iter().map(requirement).collect();
        for (n, requirement) in requirements.iter().enumerate() {
            let Some(problem) = requirement.problem() else { continue };
            let before = Self { requirements: requirements[..n].to_vec(), nothing: false };
            let at = before.to_string().len() + usize::from(n > 0);
            let text = Self { requirements, nothing: false }.to_string();
            return Err(InvalidSelector { text, at, problem });
        }
        Ok(Self { requirements, nothing: false })
    }
}

impl Requirement {
    /// Returns the problem that Kubernetes would report; `None` if the requirement is valid.
    fn problem(&self) -> Option<String> {
        if !is_qualified(&self.key) {
            return Some(format!("{:?} is not a valid label key", self.key));
        }
        let (Test::In(values) | Test::NotIn(values)) = &self.test else { return None };
        if values.is_empty() {
            return Some("the set of values is empty".to_owned());
        }
        let value = values.iter().find(|value| !is_label_value(value))?;
        Some(format!("{value:?} is not a valid label value"))
    }
}

/// Converts a selector of kube. An invalid one matches nothing and is logged; use
/// [`LabelSelector::from_selector`] to get the error.
impl From<Selector> for LabelSelector {
    fn from(selector: Selector) -> Self {
        Self::from_selector(selector).unwrap_or_else(|error| {
            tracing::warn!(%error, "an invalid label selector matches nothing");
            Self::nothing()
        })
    }
}

/// Converts the selector of an object, such as `spec.selector` of a Deployment. An empty one
/// matches everything. An invalid one matches nothing and is logged.
///
/// ```
/// # extern crate kube_decode as kube_informer;
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1;
/// use kube_informer::labels::LabelSelector;
///
/// let labels = [("app".to_owned(), "web".to_owned())].into();
/// let selector = v1::LabelSelector { match_labels: Some(labels), ..Default::default() };
/// assert_eq!(LabelSelector::from(selector).to_string(), "app=web");
/// ```
impl From<v1::LabelSelector> for LabelSelector {
    fn from(selector: v1::LabelSelector) -> Self {
        match Selector::try_from(selector) {
            Ok(selector) => selector.into(),
            Err(error) => {
                tracing::warn!(%error, "an invalid label selector matches nothing");
                Self::nothing()
            }
        }
    }
}

impl FromStr for LabelSelector {
    type Err = InvalidSelector;

    fn from_str(text: &str) -> Result<Self, InvalidSelector> {
        let mut parser = Parser { text, at: 0 };
        let mut requirements = Vec::new();
        parser.skip_space();
        while parser.at < text.len() {
            requirements.push(parser.requirement()?);
            parser.skip_space();
            if parser.at < text.len() {
                parser.expect(",")?;
                parser.skip_space();
                if parser.at == text.len() {
                    return Err(parser.error("a requirement is missing after the comma"));
                }
            }
        }
        Ok(Self { requirements, nothing: false })
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nothing {
            return f.write_str("<nothing>");
        }
        for (n, Requirement { key, test }) in self.requirements.iter().enumerate() {
            if n > 0 {
                f.write_str(",")?;
            }
            match test {
                Test::In(values) if values.len() == 1 => write!(f, "{key}={}", values[0])?,
                Test::NotIn(values) if values.len() == 1 => write!(f, "{key}!={}", values[0])?,
                Test::In(values) => write!(f, "{key} in ({})", values.join(","))?,
                Test::NotIn(values) => write!(f, "{key} notin ({})", values.join(","))?,
                Test::Exists => f.write_str(key)?,
                Test::Absent => write!(f, "!{key}")?,
                Test::Greater(than) => write!(f, "{key}>{than}")?,
                Test::Less(than) => write!(f, "{key}<{than}")?,
            }
        }
        Ok(())
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn error(&self, problem: impl Into<String>) -> InvalidSelector {
        InvalidSelector { text: self.text.to_owned(), at: self.at, problem: problem.into() }
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches(is_space).len();
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let accepted = self.rest().starts_with(symbol);
        if accepted {
            self.at += symbol.len();
        }
        accepted
    }

    fn expect(&mut self, symbol: &str) -> Result<(), InvalidSelector> {
        if self.accept(symbol) {
            return Ok(());
        }
        let found = self.rest().chars().next().map_or("the end".into(), |c| format!("{c:?}"));
        Err(self.error(format!("expected {symbol:?}, found {found}")))
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| is_space(c) || matches!(c, ',' | '(' | ')' | '=' | '!' | '<' | '>'))
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn requirement(&mut self) -> Result<Requirement, InvalidSelector> {
        if self.accept("!") {
            self.skip_space();
            let key = self.key()?;
            return Ok(Requirement { key, test: Test::Absent });
        }
        let key = self.key()?;
        self.skip_space();
        let test = if self.accept("==") || self.accept("=") {
            Test::In(vec![self.value()?])
        } else if self.accept("!=") {
            Test::NotIn(vec![self.value()?])
        } else if self.accept(">") {
            Test::Greater(self.number()?)
        } else if self.accept("<") {
            Test::Less(self.number()?)
        } else {
            let before = self.at;
            match self.word() {
                "" => Test::Exists,
                "in" => Test::In(self.values()?),
                "notin" => Test::NotIn(self.values()?),
                other => {
                    self.at = before;
                    return Err(self.error(format!("{other:?} is not an operator")));
                }
            }
        };
        Ok(Requirement { key, test })
    }

    fn key(&mut self) -> Result<String, InvalidSelector> {
        let start = self.at;
        let key = self.word();
        if is_qualified(key) {
            return Ok(key.to_owned());
        }
        self.at = start;
        Err(self.error(if key.is_empty() {
            "expected a label key".to_owned()
        } else {
            format!("{key:?} is not a valid label key")
        }))
    }

    fn value(&mut self) -> Result<String, InvalidSelector> {
        self.skip_space();
        let start = self.at;
        let value = self.word();
        if is_label_value(value) {
            return Ok(value.to_owned());
        }
        self.at = start;
        Err(self.error(format!("{value:?} is not a valid label value")))
    }

    fn number(&mut self) -> Result<i64, InvalidSelector> {
        self.skip_space();
        let start = self.at;
        let word = self.word();
        // The number must be a valid label value as well, so it has no sign.
        let number = if is_name(word) { word.parse().ok() } else { None };
        number.ok_or_else(|| {
            self.at = start;
            self.error(format!("{word:?} is not an integer"))
        })
    }

    fn values(&mut self) -> Result<Vec<String>, InvalidSelector> {
        self.skip_space();
        self.expect("(")?;
        let mut values = Vec::new();
        loop {
            values.push(self.value()?);
            self.skip_space();
            if self.accept(")") {
                return Ok(values);
            }
            self.expect(",")?;
        }
    }
}

/// Returns whether Kubernetes treats this as white space.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn selects_like_kubectl() {
        let object =
            labels(&[("app", "web"), ("x.io/tier", "front"), ("size", "7"), ("empty", "")]);
        for (selector, selected) in [
            ("", true),
            ("  ", true),
            ("app", true),
            ("app=web", true),
            ("app == web", true),
            ("app=db", false),
            ("app!=db", true),
            ("absent!=db", true),
            ("absent=db", false),
            ("x.io/tier in (front, back)", true),
            ("x.io/tier in(back)", false),
            ("x.io/tier notin (front)", false),
            ("absent notin (a,b)", true),
            ("!absent,app", true),
            ("! app", false),
            ("size>6,size<8", true),
            ("size>7", false),
            ("app>1", false),
            ("empty=", true),
            ("empty=,app=web", true),
            ("app in (,web)", true),
        ] {
            let parsed: LabelSelector = selector.parse().unwrap();
            assert_eq!(parsed.matches(Some(&object)), selected, "{selector:?}");
        }
        assert!("!a".parse::<LabelSelector>().unwrap().matches(None));
    }

    #[test]
    fn parse_error_names_problem_and_position() {
        for (selector, at) in [
            ("a===b", 3),
            ("a=b,", 4),
            (",a", 0),
            ("a b", 2),
            ("a in x", 5),
            ("a in (x", 7),
            ("a in (x y)", 8),
            ("a>b", 2),
            ("-a", 0),
            ("a=-b", 2),
            ("a=b c", 4),
            ("é=b", 0),
            ("a/b/c", 0),
        ] {
            let error = selector.parse::<LabelSelector>().unwrap_err();
            assert_eq!(error.at, at, "{error}");
            assert_eq!(error.text, selector);
        }
    }

    #[test]
    fn invalid_kube_selector_is_refused() {
        let in_ = |key: &str, values: &[&str]| {
            Expression::In(key.into(), values.iter().map(|value| (*value).to_owned()).collect())
        };
        let object = labels(&[("a", "b"), ("x", "1")]);
        for (expression, problem) in [
            (Expression::Equal("a,x".into(), "b".into()), "key"),
            (Expression::NotEqual("a".into(), "b,x=1".into()), "value"),
            (Expression::Exists(String::new()), "key"),
            (Expression::DoesNotExist("-".into()), "key"),
            (in_("a", &[]), "empty"),
            (in_("a", &["b", "c d"]), "\"c d\""),
            (Expression::NotIn("a".into(), ["x".repeat(64)].into()), "value"),
        ] {
            let good = Expression::Exists("a".into());
            let selector = Selector::from_iter([good, expression]);
            let error = LabelSelector::from_selector(selector.clone()).unwrap_err();
            assert!(error.problem.contains(problem), "{error}");
            assert_eq!(error.at, 2, "{error}");
            let labels = LabelSelector::from(selector);
            assert!(labels.is_nothing() && !labels.matches(Some(&object)));
        }
        let selector = Selector::from_iter([in_("x.io/a", &["", "b"])]);
        let labels = LabelSelector::from_selector(selector).unwrap();
        assert_eq!(labels.to_string().parse::<LabelSelector>().unwrap(), labels);
    }

    #[test]
    fn invalid_selector_of_an_object_matches_nothing() {
        let requirement = |operator: &str| v1::LabelSelectorRequirement {
            key: "app".into(),
            operator: operator.into(),
            values: Some(vec!["web".into()]),
        };
        let of = |operator| v1::LabelSelector {
            match_expressions: Some(vec![requirement(operator)]),
            ..v1::LabelSelector::default()
        };
        assert_eq!(LabelSelector::from(of("NotIn")).to_string(), "app!=web");
        assert!(LabelSelector::from(of("Like")).is_nothing());
        assert!(LabelSelector::from(v1::LabelSelector::default()).is_everything());
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn parser_never_panics(text in "\\PC{0,40}") {
            if let Ok(selector) = text.parse::<LabelSelector>() {
                prop_assert_eq!(selector.to_string().parse::<LabelSelector>().unwrap(), selector);
            }
        }

        #[test]
        fn agrees_with_kube_selector(
            text in "([abc](=|!=)[xyz])(,([abc](=|!=)[xyz]|[abc] in \\([xy],z\\)|![abc]|[abc])){0,3}",
            object in proptest::collection::btree_map("[abc]", "[xyz]", 0..3),
        ) {
            use kube::core::SelectorExt;
            let ours: LabelSelector = text.parse().unwrap();
            let expressions = ours.requirements.iter().map(|r| match &r.test {
                Test::In(values) => Expression::In(r.key.clone(), values.iter().cloned().collect()),
                Test::NotIn(values) => {
                    Expression::NotIn(r.key.clone(), values.iter().cloned().collect())
                }
                Test::Exists => Expression::Exists(r.key.clone()),
                _ => Expression::DoesNotExist(r.key.clone()),
            });
            let theirs: Selector = expressions.collect();
            prop_assert_eq!(ours.matches(Some(&object)), theirs.matches(&object));
            prop_assert_eq!(LabelSelector::from(theirs).matches(Some(&object)), ours.matches(Some(&object)));
        }
    }
}

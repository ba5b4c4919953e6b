//! Regular expressions in Go's syntax, compiled by the crate `regex`.
//!
//! Both have nearly the same syntax and run in linear time. The differences are translated: Go's
//! classes `\d`, `\s` and `\w` are ASCII, a class has no nested class, and a brace that begins no
//! repetition is an ordinary character.

use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

/// The largest repetition that Go accepts.
const MOST_REPETITIONS: u32 = 1000;

/// The number of characters in which a counted repetition ends.
const LONGEST_BRACES: usize = 32;

/// The classes that have a name.
const NAMED_CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// Compiles a pattern, or returns the words of Go's `regexp` about its first problem.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let problem = |problem: String| format!("error parsing regexp: {problem}");
    let translated = Translation::of(pattern).map_err(problem)?;
    Regex::new(&translated).map_err(|error| {
        let text = error.to_string();
        let last = text.lines().next_back().unwrap_or_default();
        problem(format!("{}: `{pattern}`", last.trim_start_matches("error: ")))
    })
}

struct Translation<'a> {
    pattern: &'a str,
    rest: Peekable<Chars<'a>>,
    out: String,
    /// For each group that is open, the most that repetitions in it multiply.
    open_groups: Vec<u32>,
    /// The most that repetitions multiply outside of groups that ended, and in the last item.
    multiplied: u32,
    last: u32,
    /// True if a repetition operator may follow.
    repeatable: bool,
    /// The repetition operator that ended just now.
    repetition: Option<String>,
}

impl<'a> Translation<'a> {
    fn of(pattern: &'a str) -> Result<String, String> {
        let mut translation = Translation {
            pattern,
            rest: pattern.chars().peekable(),
            out: String::with_capacity(pattern.len()),
            open_groups: Vec::new(),
            multiplied: 1,
            last: 1,
            repeatable: false,
            repetition: None,
        };
        while let Some(next) = translation.rest.next() {
            translation.item(next)?;
        }
        if !translation.open_groups.is_empty() {
            return Err(format!("missing closing ): `{pattern}`"));
        }
        Ok(translation.out)
    }

    fn item(&mut self, next: char) -> Result<(), String> {
        match next {
            '*' | '+' | '?' => return self.repeat(next.to_string()),
            '{' => {
                if let Some(operator) = self.braces()? {
                    return self.repeat(operator);
                }
                self.literal('{');
            }
            '\\' => self.escape()?,
            '[' => {
                let class = self.class()?;
                self.out.push_str(&class);
            }
            '(' => {
                self.group()?;
                self.repeatable = false;
                self.repetition = None;
                return Ok(());
            }
            ')' => {
                let Some(above) = self.open_groups.pop() else {
                    return Err(format!("unexpected ): `{}`", self.pattern));
                };
                self.last = self.multiplied;
                self.multiplied = above.max(self.last);
                self.out.push(')');
                self.repeatable = true;
                self.repetition = None;
                return Ok(());
            }
            '|' => {
                self.out.push('|');
                self.repeatable = false;
                self.repetition = None;
                return Ok(());
            }
            '^' | '$' | '.' => self.out.push(next),
            other => self.literal(other),
        }
        self.last = 1;
        self.repeatable = true;
        self.repetition = None;
        Ok(())
    }

    fn literal(&mut self, literal: char) {
        self.out.push_str(&regex::escape(literal.encode_utf8(&mut [0; 4])));
    }

    fn repeat(&mut self, mut operator: String) -> Result<(), String> {
        if let Some(before) = &self.repetition {
            return Err(format!("invalid nested repetition operator: `{before}{operator}`"));
        }
        if !self.repeatable {
            return Err(format!("missing argument to repetition operator: `{operator}`"));
        }
        if self.rest.next_if_eq(&'?').is_some() {
            operator.push('?');
        }
        self.out.push_str(&operator);
        self.repetition = Some(operator);
        Ok(())
    }

    /// Takes a counted repetition such as `{2,3}`; other braces are ordinary characters.
    fn braces(&mut self) -> Result<Option<String>, String> {
        let ahead: String = self.rest.clone().take(LONGEST_BRACES).collect();
        let Some((ahead, _)) = ahead.split_once('}') else { return Ok(None) };
        let (least, most) = ahead.split_once(',').unwrap_or((ahead, ahead));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if least.is_empty() || !digits(least) || !digits(most) {
            return Ok(None);
        }
        let count = |text: &str| text.parse::<u32>().ok().filter(|n| *n <= MOST_REPETITIONS);
        let valid = match (count(least), most) {
            (Some(_), "") => true,
            (Some(least), most) => count(most).is_some_and(|most| least <= most),
            (None, _) => false,
        };
        if !valid {
            return Err(format!("invalid repeat count: `{{{ahead}}}`"));
        }
        let most = if most.is_empty() { least } else { most };
        if self.repeatable && self.repetition.is_none() {
            self.last = self.last.saturating_mul(most.parse().unwrap_or(0));
            if self.last > MOST_REPETITIONS {
                return Err(format!("invalid repeat count: `{{{ahead}}}`"));
            }
            self.multiplied = self.multiplied.max(self.last);
        }
        for _ in 0..=ahead.chars().count() {
            self.rest.next();
        }
        Ok(Some(format!("{{{ahead}}}")))
    }

    fn group(&mut self) -> Result<(), String> {
        self.open_groups.push(std::mem::replace(&mut self.multiplied, 1));
        self.out.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        let named: String = self.rest.clone().take(2).collect();
        if named == "P<" || named.starts_with('<') && !matches!(&*named, "<=" | "<!") {
            return self.name();
        }
        // Go takes a flag more than once.
        let (mut seen, mut set, mut cleared) = (String::from("(?"), String::new(), None::<String>);
        while let Some(flag) = self.rest.peek().copied() {
            match flag {
                'i' | 'm' | 's' | 'U' => {
                    set.retain(|other| other != flag);
                    let flags = cleared.as_mut().unwrap_or(&mut set);
                    flags.retain(|other| other != flag);
                    flags.push(flag);
                }
                '-' if cleared.is_none() => cleared = Some(String::new()),
                ':' | ')' if cleared.as_deref() != Some("") => {
                    let cleared = cleared.map(|flags| format!("-{flags}")).unwrap_or_default();
                    // A group without flags needs a colon.
                    let colon =
                        if set.is_empty() && cleared.is_empty() && flag == ')' { ":" } else { "" };
                    self.out.extend(["?", &set, &cleared, colon]);
                    return Ok(());
                }
                other => {
                    seen.push(other);
                    break;
                }
            }
            seen.push(flag);
            self.rest.next();
        }
        Err(format!("invalid or unsupported Perl syntax: `{seen}`"))
    }

    /// Takes the name of a group. It may begin with a digit, which that of a `Regex` may not.
    fn name(&mut self) -> Result<(), String> {
        let ahead: String = self.rest.by_ref().take_while(|next| *next != '>').collect();
        let name = ahead.split_once('<').map_or("", |(_, name)| name);
        let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        if name.is_empty() || !name.bytes().all(is_word) {
            return Err(format!("invalid named capture: `(?{ahead}>`"));
        }
        self.out.extend(["?P<_", name, ">"]);
        Ok(())
    }

    /// Translates an escape outside of a class.
    fn escape(&mut self) -> Result<(), String> {
        match self.rest.peek().copied() {
            Some('Q') => {
                self.rest.next();
                self.quoted();
            }
            Some(anchor @ ('A' | 'z' | 'B')) => {
                self.rest.next();
                self.out.extend(['\\', anchor]);
            }
            Some('b') => {
                self.rest.next();
                self.out.push_str(r"(?-u:\b)");
            }
            _ => match self.class_escape()? {
                Escaped::Class(class) => self.out.push_str(&class),
                Escaped::Char(char) => self.literal(char),
            },
        }
        Ok(())
    }

    /// Translates `\Q…\E`, whose content is literal.
    fn quoted(&mut self) {
        while let Some(next) = self.rest.next() {
            if next == '\\' && self.rest.next_if_eq(&'E').is_some() {
                return;
            }
            self.literal(next);
        }
    }

    /// Takes an escape that may be in a class, behind its backslash.
    fn class_escape(&mut self) -> Result<Escaped, String> {
        let Some(next) = self.rest.next() else {
            return Err("trailing backslash at end of expression: ``".to_owned());
        };
        let class = |class: &str| Ok(Escaped::Class(class.to_owned()));
        match next {
            'd' => class("[0-9]"),
            'D' => class("[^0-9]"),
            's' => class(r"[\t\n\f\r ]"),
            'S' => class(r"[^\t\n\f\r ]"),
            'w' => class("[0-9A-Za-z_]"),
            'W' => class("[^0-9A-Za-z_]"),
            'p' | 'P' => {
                let mut class = format!("\\{next}");
                let braced = self.rest.peek() == Some(&'{');
                for char in self.rest.by_ref() {
                    class.push(char);
                    if !braced || char == '}' {
                        break;
                    }
                }
                let name = class[2..].trim_start_matches('{').trim_end_matches('}');
                let (negated, name) = match name.strip_prefix('^').filter(|_| braced) {
                    Some(name) => (next == 'p', name),
                    None => (next == 'P', name),
                };
                // No text has a surrogate.
                if name == "Cs" {
                    let all = if negated { r"[\x00-\x{10FFFF}]" } else { r"[^\x00-\x{10FFFF}]" };
                    return Ok(Escaped::Class(all.to_owned()));
                }
                // Go knows categories and scripts, and no other properties.
                let p = if negated { 'P' } else { 'p' };
                let mut classes =
                    ["gc", "sc"].map(|of| format!("\\{p}{{{of}={name}}}")).into_iter();
                // The interpreter of patterns lets any name begin with `is`.
                let bare = name.trim_start_matches(['_', '-', ' ']).as_bytes();
                let prefixed = bare.get(..2).is_some_and(|is| is.eq_ignore_ascii_case(b"is"));
                let known = classes.find(|class| !prefixed && Regex::new(class).is_ok());
                let known = known.map(Escaped::Class);
                known.ok_or_else(|| format!("invalid character class range: `{class}`"))
            }
            'x' => self.hexadecimal(),
            '0'..='7' => self.octal(next),
            'a' => Ok(Escaped::Char('\u{7}')),
            'f' => Ok(Escaped::Char('\u{c}')),
            'n' => Ok(Escaped::Char('\n')),
            'r' => Ok(Escaped::Char('\r')),
            't' => Ok(Escaped::Char('\t')),
            'v' => Ok(Escaped::Char('\u{b}')),
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => Ok(Escaped::Char(other)),
            other => Err(format!("invalid escape sequence: `\\{other}`")),
        }
    }

    fn hexadecimal(&mut self) -> Result<Escaped, String> {
        let braced = self.rest.next_if_eq(&'{').is_some();
        let mut digits = String::new();
        while (braced || digits.len() < 2)
            && let Some(digit) = self.rest.next_if(char::is_ascii_hexdigit)
        {
            digits.push(digit);
        }
        let is_whole =
            if braced { self.rest.next_if_eq(&'}').is_some() } else { digits.len() == 2 };
        let char = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
        let char = char.filter(|_| is_whole);
        char.map(Escaped::Char).ok_or_else(|| format!("invalid escape sequence: `\\x{digits}`"))
    }

    fn octal(&mut self, first: char) -> Result<Escaped, String> {
        let mut value = first.to_digit(8).unwrap_or(0);
        let mut length = 1;
        while length < 3
            && let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(8))
        {
            self.rest.next();
            value = value * 8 + digit;
            length += 1;
        }
        // A single digit would be a reference to a group.
        let char = char::from_u32(value).filter(|_| first == '0' || length > 1);
        char.map(Escaped::Char).ok_or_else(|| format!("invalid escape sequence: `\\{first}`"))
    }

    /// Takes a class, behind its bracket.
    fn class(&mut self) -> Result<String, String> {
        let whole = self.rest.clone();
        let missing = || {
            let rest: String = whole.clone().collect();
            Err(format!("missing closing ]: `[{rest}`"))
        };
        let mut out = String::from("[");
        if self.rest.next_if_eq(&'^').is_some() {
            out.push('^');
        }
        let mut first = true;
        loop {
            let Some(next) = self.rest.next() else { return missing() };
            if next == ']' && !first {
                out.push(']');
                return Ok(out);
            }
            first = false;
            if next == '['
                && let Some(name) = self.named_class()?
            {
                out.push_str(&name);
                continue;
            }
            let low = match self.class_member(next)? {
                Escaped::Class(class) => {
                    out.push_str(&class);
                    continue;
                }
                Escaped::Char(low) => low,
            };
            push_in_class(&mut out, low);
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']') {
                self.rest.next();
                let Some(next) = self.rest.next() else { return missing() };
                match self.class_member(next)? {
                    Escaped::Char(high) if low <= high => {
                        out.push('-');
                        push_in_class(&mut out, high);
                    }
                    Escaped::Char(high) => {
                        return Err(format!("invalid character class range: `{low}-{high}`"));
                    }
                    Escaped::Class(_) => {
                        return Err(format!("invalid character class range: `{low}-\\`"));
                    }
                }
            }
        }
    }

    fn class_member(&mut self, next: char) -> Result<Escaped, String> {
        if next == '\\' { self.class_escape() } else { Ok(Escaped::Char(next)) }
    }

    /// Takes a class such as `[:alpha:]`, behind its first bracket.
    fn named_class(&mut self) -> Result<Option<String>, String> {
        let mut ahead = self.rest.clone();
        if ahead.next() != Some(':') {
            return Ok(None);
        }
        let mut name = String::new();
        while !name.ends_with(":]") {
            let Some(next) = ahead.next() else { return Ok(None) };
            name.push(next);
        }
        let class = format!("[:{name}");
        let known = name.strip_prefix('^').unwrap_or(&name).trim_end_matches(":]");
        if !NAMED_CLASSES.contains(&known) {
            return Err(format!("invalid character class range: `{class}`"));
        }
        self.rest = ahead;
        Ok(Some(class))
    }
}

enum Escaped {
    Char(char),
    /// A class, which is valid inside of another one as well.
    Class(String),
}

fn push_in_class(out: &mut String, char: char) {
    // Angle brackets are boundaries of words when they are escaped.
    if char.is_ascii_punctuation() && !matches!(char, '<' | '>') {
        out.push('\\');
    }
    out.push(char);
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn go_syntax_is_understood() {
        for (pattern, matching, other) in [
            ("^a+$", "aa", "b"),
            (r"^\d+$", "12", "٣"),
            (r"^[\w-]+$", "a-b_1", "a.b"),
            (r"^[[:alpha:]&&b]+$", "a&b", "1"),
            ("^[[a]]$", "[]", "b"),
            ("^a{$", "a{", "a"),
            ("^a{2,3}$", "aa", "a"),
            (r"^\Qa.b\E$", "a.b", "axb"),
            (r"^[^\D]$", "1", "a"),
            (r"^(?P<n>x)(?i)y$", "xY", "XY"),
            ("^((a{10}|b){10}|c{100}|(d)){10}$", "dddddddddd", "d"),
            ("^[[:^alpha:]]$", "1", "a"),
            (r"^\p{Greek}\pL$", "αa", "aa"),
            (r"^\x41\101$", "AA", "A"),
            ("^[]a]$", "]", "b"),
            (r"^\p{^Greek}[\P{^Greek}]\P{Cs}$", "aαa", "αaa"),
            ("^(?P<1a>a)(?<_b>b)$", "ab", "b"),
            ("^(?ii-ss:a)$", "A", "b"),
            ("^(?:a)(?i-i)(?)b$", "ab", "aB"),
            (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "a.b-c", "-a"),
        ] {
            let compiled = compile(pattern).unwrap();
            assert!(compiled.is_match(matching), "{pattern} {matching}");
            assert!(!compiled.is_match(other), "{pattern} {other}");
        }
    }

    #[test]
    fn problems_are_named_in_words_of_go() {
        for (pattern, problem) in [
            ("(", "missing closing ): `(`"),
            ("a)", "unexpected ): `a)`"),
            ("[a", "missing closing ]: `[a`"),
            ("*", "missing argument to repetition operator: `*`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a{2000}", "invalid repeat count: `{2000}`"),
            (r"\1", r"invalid escape sequence: `\1`"),
            ("a(?=b)", "invalid or unsupported Perl syntax: `(?=`"),
            ("[[:nope:]]", "invalid character class range: `[:nope:]`"),
            (r"\x4", r"invalid escape sequence: `\x4`"),
            (r"\x{41", r"invalid escape sequence: `\x41`"),
            (r"\x+4", r"invalid escape sequence: `\x`"),
            ("(?P<a.b>c)", "invalid named capture: `(?P<a.b>`"),
            ("(?<é>c)", "invalid named capture: `(?<é>`"),
            ("(?i-)a", "invalid or unsupported Perl syntax: `(?i-)`"),
            ("(?-i-s)a", "invalid or unsupported Perl syntax: `(?-i-`"),
            (r"\p{IsGreek}", r"invalid character class range: `\p{IsGreek}`"),
            (r"\p{Alphabetic}", r"invalid character class range: `\p{Alphabetic}`"),
            (r"\pé", r"invalid character class range: `\pé`"),
            (r"\p{Script=Greek}", r"invalid character class range: `\p{Script=Greek}`"),
            ("(a{500}){500}", "invalid repeat count: `{500}`"),
            ("((a{10}|b)*c){10}{11}", "invalid nested repetition operator: `{10}{11}`"),
            ("(x((a{10}|b)*c){10}y){11}", "invalid repeat count: `{11}`"),
            ("[z-a]", "invalid character class range: `z-a`"),
        ] {
            let told = compile(pattern).unwrap_err();
            let expected = format!("error parsing regexp: {problem}");
            assert_eq!(told, expected, "{pattern}");
        }
    }
}

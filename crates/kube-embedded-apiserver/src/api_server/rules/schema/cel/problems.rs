//! Problems of an expression, as a server tells them.

use std::fmt::Write;

/// The number of problems that are told.
const TOLD: usize = 100;

/// The most characters of a line that is quoted, and of the text of a problem.
const LONGEST: usize = 1000;

/// A problem of an expression. The first line and the first column have the number 1.
pub(super) struct Located<'a> {
    pub(super) line: isize,
    pub(super) column: isize,
    pub(super) text: &'a str,
}

/// Returns the first problems of a source, with the lines of their places, and the number of the
/// others.
pub(super) fn told<'a>(
    source: &str,
    mut problems: impl ExactSizeIterator<Item = Located<'a>>,
) -> String {
    let mut told = String::new();
    for Located { line, column, text } in problems.by_ref().take(TOLD) {
        let text = text.char_indices().nth(LONGEST).map_or(text, |(end, _)| &text[..end]);
        let _ = writeln!(told, "ERROR: <input>:{line}:{column}: {text}");
        let quoted = usize::try_from(line - 1).ok().and_then(|line| source.lines().nth(line));
        if let Some(quoted) = quoted.filter(|quoted| quoted.chars().nth(LONGEST).is_none()) {
            let dots = ".".repeat(usize::try_from(column - 1).unwrap_or(0));
            let _ = writeln!(told, " | {quoted}\n | {dots}^");
        }
    }
    match problems.len() {
        0 => told.truncate(told.trim_end_matches('\n').len()),
        more => {
            let _ = write!(told, "{more} more errors were truncated");
        }
    }
    told
}

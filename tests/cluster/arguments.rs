//! The arguments of a test program that has a `main` of its own.

/// The arguments that `cargo test` passes on. Those that only change the looks are ignored.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    filters: Vec<String>,
    skipped: Vec<String>,
    exact: bool,
    pub(crate) list: bool,
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Self {
        let mut parsed = Self::default();
        while let Some(word) = words.next() {
            match &*word {
                "--exact" => parsed.exact = true,
                "--list" => parsed.list = true,
                "--skip" => parsed.skipped.extend(words.next()),
                "--test-threads" | "--format" | "--color" | "--logfile" | "-Z" => {
                    words.next();
                }
                option if option.starts_with('-') => {}
                _ => parsed.filters.push(word),
            }
        }
        parsed
    }

    pub(crate) fn wants(&self, name: &str) -> bool {
        let is = |filter: &String| if self.exact { name == filter } else { name.contains(filter) };
        (self.filters.is_empty() || self.filters.iter().any(is)) && !self.skipped.iter().any(is)
    }
}

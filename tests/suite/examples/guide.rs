//! Documents and code agree: examples, metrics, error texts, modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The folder of the source of controllers.
const CONTROLLERS: &str = "crates/kube-controllers/src";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names in the first column of a table's rows.
fn in_table(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" |").next());
    let names = cells.filter_map(|cell| cell.split('`').nth(1));
    names.map(str::to_owned).collect()
}

#[test]
fn every_example_is_in_the_table() {
    let entries = fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let examples: BTreeSet<_> = entries
        .filter(|path| path.join("main.rs").exists() || path.extension().is_some_and(|e| e == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(examples.len() >= 9, "{examples:?}");
    let table = in_table(&fs::read_to_string(root().join("examples/README.md")).unwrap());
    let missing: Vec<_> = examples.difference(&table).collect();
    assert!(missing.is_empty(), "examples/README.md lacks {missing:?}");
}

#[test]
fn every_example_says_how_to_run_it() {
    for name in in_table(&fs::read_to_string(root().join("examples/README.md")).unwrap()) {
        let file = root().join("examples").join(format!("{name}.rs"));
        let file =
            if file.exists() { file } else { root().join("examples").join(&name).join("main.rs") };
        let text = fs::read_to_string(&file).unwrap();
        let head: Vec<_> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let how = match &*name {
            "quickstart" => "cargo quickstart".to_owned(),
            name => format!("cargo example {name}"),
        };
        assert!(head.len() >= 3 && head.join(" ").contains(&how), "{}", file.display());
    }
}

/// Every Rust file below a folder, with continued lines joined.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let mut continued = false;
            for line in fs::read_to_string(path).unwrap().lines() {
                if line.trim_start().starts_with("//") {
                    continue;
                }
                let line = if continued { line.trim_start() } else { line };
                continued = line.ends_with('\\');
                text.push_str(line.strip_suffix('\\').unwrap_or(line));
                if !continued {
                    text.push('\n');
                }
            }
        }
    }
}

#[test]
fn troubleshooting_quotes_real_errors() {
    let mut source = String::new();
    for folder in ["src", "crates"] {
        sources(&root().join(folder), &mut source);
    }
    let page = fs::read_to_string(root().join("src/docs/troubleshooting.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut quoted = 0;
    for text in rows.filter_map(|row| row.split("` |").next()) {
        for part in text.split('…').map(|part| part.trim_matches([' ', ':', '(', ')'])) {
            // A text that begins with a status code is the server's.
            if part.len() < 4 || part.starts_with(|first: char| first.is_ascii_digit()) {
                continue;
            }
            assert!(source.contains(part), "no error says {part:?} any more, of {text:?}");
            quoted += 1;
        }
    }
    assert!(quoted > 40, "{quoted}");
}

#[test]
fn architecture_names_every_module() {
    for source in ["src", CONTROLLERS].map(|source| root().join(source)) {
        let page = fs::read_to_string(source.join("docs/architecture.md")).unwrap();
        let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
        let named: BTreeSet<_> = rows.filter_map(|row| row.split('`').nth(1)).collect();
        let library = fs::read_to_string(source.join("lib.rs")).unwrap();
        let modules = library.lines().filter_map(|line| line.strip_prefix("pub mod "));
        for module in modules.filter_map(|module| module.strip_suffix(';')) {
            let known = matches!(module, "docs" | "seams") || named.contains(module);
            assert!(known, "{module} is not in the architecture of {}", source.display());
        }
    }
}

/// The code of a file without comments and without items under `#[cfg(test)]`.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let item = line.trim_start();
        if item.starts_with("#[cfg(test)]") || item.starts_with("#[cfg(all(test") {
            let indent = &line[..line.len() - item.len()];
            // rustfmt ends an item at the indentation at which it began.
            lines.by_ref().find(|line| {
                let rest = line.strip_prefix(indent).unwrap_or(" ");
                !rest.starts_with([' ', '#']) && rest.ends_with(['}', ';', ','])
            });
        } else {
            code.extend([line.split("//").next().unwrap_or_default(), "\n"]);
        }
    }
    code
}

/// Calls `visit` with each file of a module and its code, without modules for tests.
fn walk(file: &Path, children: &Path, visit: &mut dyn FnMut(&Path, &str)) {
    let text = fs::read_to_string(file);
    let code = code(&text.unwrap_or_else(|error| panic!("{}: {error}", file.display())));
    visit(file, &code);
    let mut within = None;
    for line in code.lines() {
        let Some((before, name)) = line.split_once("mod ") else {
            within = within.filter(|_| line != "}");
            continue;
        };
        if !matches!(before.trim().chars().next(), None | Some('p')) {
            continue;
        }
        if let Some(name) = name.strip_suffix(';') {
            let folder = children.join(within.unwrap_or_default()).join(name);
            let beside = folder.with_extension("rs");
            let file = if beside.exists() { beside } else { folder.join("mod.rs") };
            walk(&file, &folder, visit);
        } else {
            within = name.strip_suffix(" {");
        }
    }
}

/// The first two names of each path that begins at the root of the crate.
fn uses(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let name =
        |text: &str| text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len());
    code.split("crate::").skip(1).map(move |path| {
        let (first, rest) = path.split_at(name(path));
        let rest = rest.strip_prefix("::").unwrap_or_default();
        (first, &rest[..name(rest)])
    })
}

#[test]
fn modules_use_their_layer_and_those_below() {
    modules_of(&root().join("src"), 20);
    modules_of(&root().join(CONTROLLERS), 8);
}

/// Compares the modules of a crate with the table of its architecture, of more than so many rows.
fn modules_of(source: &Path, rows: usize) {
    let page = fs::read_to_string(source.join("docs/architecture.md")).unwrap();
    let table = page.split_once("| layer | module | does |\n|---|---|---|\n").unwrap().1;
    let (mut layers, mut ranks) = (Vec::new(), BTreeMap::new());
    for row in table.lines().take_while(|line| line.starts_with("| ")) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        if layers.last() != Some(&cells[1]) {
            assert!(!layers.contains(&cells[1]), "layer {} stands at two places", cells[1]);
            layers.push(cells[1]);
        }
        ranks.insert(cells[2].trim_matches('`'), layers.len());
    }
    let mut wrong = Vec::new();
    walk(&source.join("lib.rs"), source, &mut |file, code| {
        let file = file.strip_prefix(source).unwrap();
        let path = file.with_extension("").to_str().unwrap().replace('/', "::");
        let rank = |first: &str, second: &str| {
            ranks.get(&*format!("{first}::{second}")).or_else(|| ranks.get(first))
        };
        let mut names = path.split("::");
        let (first, second) = (names.next().unwrap(), names.next().unwrap_or_default());
        if matches!(first, "lib" | "docs" | "seams") {
            return;
        }
        let Some(own) = rank(first, second) else {
            return wrong.push(format!("{path} is not in the table"));
        };
        for (first, second) in uses(code) {
            match rank(first, second) {
                Some(used) if used >= own => {}
                Some(_) => wrong.push(format!("{path} uses {first}, which is above it")),
                // The root names modules of all layers again.
                None => wrong.push(format!("{path} uses crate::{first}: name its module")),
            }
        }
    });
    assert!(ranks.len() > rows && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn controller_files_use_only_earlier_ones() {
    let source = root().join(CONTROLLERS);
    let page = fs::read_to_string(source.join("docs/architecture.md")).unwrap();
    let order = page.split_once("Within `controller`").unwrap().1.split_once(". Each").unwrap().0;
    let files: Vec<_> = order.split('`').skip(1).step_by(2).collect();
    let mut wrong = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let path = source.join("controller").join(file).with_extension("rs");
        let code = code(&fs::read_to_string(path).unwrap());
        for path in ["super::", "controller::"].iter().flat_map(|path| code.split(path).skip(1)) {
            // One name, or a group of them.
            let end = path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
            let group = path.strip_prefix('{').and_then(|path| path.split_once('}'));
            let names = group.map_or(&path[..end], |(names, _)| names);
            let names = names.split(|c: char| !c.is_alphanumeric() && c != '_');
            let later = names.filter(|name| files[at + 1..].contains(name));
            wrong.extend(later.map(|later| format!("{file} uses {later}, which is after it")));
        }
    }
    assert!(files.len() > 5 && wrong.is_empty(), "{wrong:#?}");
}

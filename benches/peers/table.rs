//! This crate's figures beside a peer's: both programs in turn, medians of the rounds, one table.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Failed;

/// The output of one program in all rounds, a line of JSON for each measurement and round.
type Lines = Vec<Value>;

/// Runs this program and the Go program in turn, and prints a Markdown table.
pub(crate) fn compare(
    only: Option<&str>,
    runs: usize,
    held: usize,
    rounds: usize,
) -> Result<(), Failed> {
    let ours = std::env::current_exe()?;
    let theirs = build_peer()?;
    let (mut our_lines, mut their_lines) = (Lines::new(), Lines::new());
    for round in 1..=rounds.max(1) {
        eprintln!("round {round} of {rounds}");
        let mut options = vec!["--runs".to_owned(), runs.to_string()];
        options.extend(["--keys".to_owned(), held.to_string()]);
        if let Some(only) = only {
            options.extend(["--only".to_owned(), only.to_owned()]);
        }
        if let Some(theirs) = &theirs {
            // Go has options with one dash or two.
            their_lines.extend(lines(theirs, &options)?);
        }
        options.push("--bench".to_owned());
        our_lines.extend(lines(&ours, &options)?);
    }
    print(&our_lines, &their_lines);
    Ok(())
}

/// The Go program, or nothing where there is no Go.
fn build_peer() -> Result<Option<PathBuf>, Failed> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/workqueue");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workqueue-peer");
    let mut build = Command::new("go");
    build.arg("build").arg("-o").arg(&program).arg(".").current_dir(&source);
    match build.stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(Some(program)),
        Ok(status) => Err(format!("go build in {}: {status}", source.display()).into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("Go is not installed: no peer");
            Ok(None)
        }
        Err(error) => Err(format!("go build: {error}").into()),
    }
}

fn lines(program: &Path, options: &[String]) -> Result<Lines, Failed> {
    let output = Command::new(program).args(options).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("{}: {}", program.display(), output.status).into());
    }
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn print(ours: &Lines, theirs: &Lines) {
    println!(
        "| measurement | operations | client-go | this crate | ratio | processor time | bytes a key |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut seen = Vec::new();
    for line in ours {
        let id = (&line["bench"], &line["n"], &line["runtime"]);
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let of = |lines: &Lines, figure: &str, runtime: &Value| {
            let same = |found: &&Value| {
                found["bench"] == line["bench"]
                    && found["n"] == line["n"]
                    && found["runtime"] == *runtime
            };
            let figures = lines.iter().filter(same).filter_map(|found| found[figure].as_f64());
            median(figures.collect())
        };
        let pair = |figure| (of(theirs, figure, &Value::Null), of(ours, figure, &line["runtime"]));
        let (wall, cpu, bytes) = (pair("ns_per_op"), pair("cpu_ns_per_op"), pair("bytes_per_key"));
        let runtime = match line["runtime"].as_str() {
            Some("current_thread") => ", one thread",
            Some(_) => ", a thread a processor",
            None => "",
        };
        println!(
            "| {}{runtime} | {} | {} | {} | {} | {} → {} | {} → {} |",
            line["bench"].as_str().unwrap_or("?"),
            line["n"],
            nanos(wall.0),
            nanos(wall.1),
            ratio(wall),
            nanos(cpu.0),
            nanos(cpu.1),
            count(bytes.0),
            count(bytes.1),
        );
    }
}

/// Returns the speed in multiples of the peer's.
fn ratio((theirs, ours): (f64, f64)) -> String {
    if theirs > 0.0 && ours > 0.0 { format!("×{:.1}", theirs / ours) } else { "–".into() }
}

fn nanos(nanos: f64) -> String {
    if nanos > 0.0 { format!("{nanos:.0} ns") } else { "–".into() }
}

fn count(bytes: f64) -> String {
    if bytes > 0.0 { format!("{bytes:.0}") } else { "–".into() }
}

/// The middle one, or 0 of none.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(0.0)
}

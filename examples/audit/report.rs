//! The report, as Markdown and as a chart.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use kube_informer::informer::Audit;
use kube_informer::reflector::Relists;

/// The size of client-go's cache as a part of decoded Rust types, for pods: the README's table.
const CLIENT_GO: f64 = 0.04 / 0.09;

/// The figures of one kind.
pub(crate) struct Kind {
    pub(crate) resource: String,
    pub(crate) objects: usize,
    pub(crate) relists: Relists,
    /// The bytes of the packed objects.
    pub(crate) packed: usize,
    /// The bytes that they would take decoded, by a sample.
    pub(crate) decoded: usize,
}

/// All figures.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) duration: Duration,
    pub(crate) requests: u64,
    pub(crate) events: u64,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) audits: Vec<Audit>,
    /// The age of each store, each second.
    pub(crate) freshness: Vec<Duration>,
    /// The wait of the oldest event of each handler, each second.
    pub(crate) lags: Vec<Duration>,
}

impl Report {
    /// Returns the number of audits that found a difference.
    pub(crate) fn differences(&self) -> usize {
        self.audits.iter().filter(|audit| !audit.passed()).count()
    }

    /// Returns the bytes of the packed objects, and estimates of kube-runtime's and client-go's
    /// caches of the same ones.
    fn memory(&self) -> [(&'static str, f64); 3] {
        let packed: usize = self.kinds.iter().map(|kind| kind.packed).sum();
        let decoded: usize = self.kinds.iter().map(|kind| kind.decoded).sum();
        #[expect(clippy::cast_precision_loss, reason = "mebibytes")]
        let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        [
            ("kube-informer, measured", mib(packed)),
            ("client-go, estimated", mib(decoded) * CLIENT_GO),
            ("kube-runtime, estimated", mib(decoded)),
        ]
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        let objects: usize = self.kinds.iter().map(|kind| kind.objects).sum();
        let judged = self.audits.iter().filter(|audit| audit.was_judged()).count();
        let compared: usize = self.audits.iter().map(|audit| audit.objects).sum();
        let mut relists = BTreeMap::new();
        for kind in &self.kinds {
            // By cause, as the status serialises them.
            let causes = serde_json::to_value(&kind.relists).unwrap_or_default();
            for (cause, times) in causes.as_object().into_iter().flatten() {
                *relists.entry(cause.clone()).or_insert(0) += times.as_u64().unwrap_or(0);
            }
        }
        let relists: Vec<_> =
            relists.iter().map(|(cause, times)| format!("{times} × {cause}")).collect();
        let relists = if relists.is_empty() { "none".to_owned() } else { relists.join(", ") };
        let rows = [
            ("kinds, objects", format!("{}, {objects}", self.kinds.len())),
            ("events", self.events.to_string()),
            ("lists made again", relists),
            (
                "audits",
                format!(
                    "{} with {compared} comparisons: {} differ, {} could not be judged",
                    self.audits.len(),
                    self.differences(),
                    self.audits.len() - judged
                ),
            ),
            ("age of a store, median and 99 %", quantiles(&self.freshness)),
            ("wait for a handler, median and 99 %", quantiles(&self.lags)),
            ("requests", self.requests.to_string()),
        ];
        let _ = writeln!(text, "# Audit of {:.0?}\n\n| | |\n|---|---|", self.duration);
        for (what, value) in rows {
            let _ = writeln!(text, "| {what} | {value} |");
        }
        for (whose, mib) in self.memory() {
            let _ = writeln!(text, "| memory of {whose} | {mib:.1} MiB |");
        }
        let _ = writeln!(text, "\n| resource | objects | packed | decoded | lists made again |");
        let _ = writeln!(text, "|---|---|---|---|---|");
        for Kind { resource, objects, relists, packed, decoded } in &self.kinds {
            let relists = relists.total();
            let _ = writeln!(text, "| {resource} | {objects} | {packed} | {decoded} | {relists} |");
        }
        for audit in self.audits.iter().filter(|audit| !audit.passed() || !audit.was_judged()) {
            let _ = writeln!(text, "\n- {audit}");
        }
        text
    }

    /// Returns a chart of the memory.
    pub(crate) fn chart(&self) -> String {
        let bars = self.memory();
        let most = bars.iter().map(|(_, mib)| *mib).fold(f64::MIN_POSITIVE, f64::max);
        let mut svg = String::from(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 130\" font-family=\"sans-serif\" font-size=\"13\">\n",
        );
        for (place, (whose, mib)) in bars.iter().enumerate() {
            let (top, length) = (10 + 40 * place, 300.0 * mib / most);
            let _ = writeln!(
                svg,
                "<text x=\"0\" y=\"{}\">{whose}</text><rect x=\"190\" y=\"{top}\" width=\"{length:.0}\" height=\"24\" fill=\"#3b7dd8\"/><text x=\"{:.0}\" y=\"{}\">{mib:.1} MiB</text>",
                top + 17,
                200.0 + length,
                top + 17,
            );
        }
        svg + "</svg>\n"
    }
}

/// Returns median and 99th percentile.
fn quantiles(times: &[Duration]) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at =
        |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
    match (at(50), at(99)) {
        (Some(median), Some(most)) => format!("{median:.1?}, {most:.1?}"),
        _ => "–".to_owned(),
    }
}

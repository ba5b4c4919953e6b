//! Label selectors are what Kubernetes' own parser makes of them: a thousand texts and its
//! verdicts.
//!
//! `tests/labels/generate` wrote the verdicts.

use std::collections::BTreeMap;

use kube_informer::LabelSelector;
use serde::Deserialize;

#[derive(Deserialize)]
struct Verdict {
    selector: String,
    /// Which sets of labels it selects; none where it does not parse.
    selects: Option<Vec<usize>>,
}

#[test]
fn selectors_parse_and_select_as_kubernetes_own() {
    let sets: [&[(&str, &str)]; 6] = [
        &[],
        &[("a", "1")],
        &[("a", "2"), ("b", "x")],
        &[("a", ""), ("x.io/a", "1")],
        &[("b", "y"), ("in", "notin")],
        &[("a", "-5"), ("x", "9223372036854775808")],
    ];
    let sets = sets.map(|set| {
        set.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect::<BTreeMap<String, String>>()
    });
    let verdicts = include_str!("../data/label-verdicts.jsonl").lines();
    let verdicts: Vec<Verdict> = verdicts.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(verdicts.len(), 1000);
    let mut wrong = vec![];
    for Verdict { selector, selects } in verdicts {
        let parsed = selector.parse::<LabelSelector>().ok();
        let ours: Option<Vec<usize>> = parsed
            .map(|labels| (0..sets.len()).filter(|n| labels.matches(Some(&sets[*n]))).collect());
        if ours != selects {
            wrong.push(format!("{selector:?}: {ours:?}, not {selects:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

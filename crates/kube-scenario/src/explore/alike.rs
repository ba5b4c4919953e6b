//! Keys whose reconciles touch disjoint objects and do the same: a position of one stands for
//! those of the others.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::end::{normalize, note_names, resolve};
use super::texts::without_names;
use crate::record::Touch;
use crate::schedule::{Disturbance, Position, Schedule, Step};
use crate::target::Target;
use kube_informer::ObjectKey;

/// The texts that stand for the name and the namespace of a key. No object has them.
const NAME: &str = "\u{1}";
const NAMESPACE: &str = "\u{2}";

/// An object, or a writer: they belong to one family if the writer touches the object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Node {
    /// The collection without namespace and version, and the namespace and name.
    Object(String, String),
    /// The reconciles of a key.
    Key(String),
    /// The rest of the program.
    Outside,
}

/// The place of a position among those of its key, and the like keys.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first family of those that are alike.
    like: usize,
    nth: usize,
    /// The number of settled times when the family began.
    begun: u64,
}

/// The keys of a run whose reconciles touch disjoint objects, and those that are alike.
#[derive(Debug)]
pub(super) struct Alike {
    families: HashMap<Node, usize>,
    /// The families with a key. The rest of the program does not belong to them.
    keyed: HashSet<usize>,
    places: HashMap<Position, Place>,
}

impl Alike {
    /// Compares the keys of a run. `names` are those of [`note_names`] for all objects that were
    /// there when it settled.
    pub(super) fn of(touches: &[Touch], names: &HashMap<String, String>) -> Self {
        let families = families(touches);
        let mut of: Vec<Vec<&Touch>> = vec![Vec::new(); families.len()];
        for touch in touches {
            let node = touch.key.as_ref().map(|key| Node::Key(key.to_string()));
            let node = node.or_else(|| object(&touch.at.name));
            if let Some(family) = node.and_then(|node| families.get(&node)) {
                of[*family].push(touch);
            }
        }
        let mut names = names.clone();
        for touch in touches.iter().filter(|touch| is_event(&touch.at.name)) {
            note_names(&mut touch.content.clone(), &mut names);
        }
        resolve(&mut names);
        let (mut known, mut places, mut keyed) = (HashMap::new(), HashMap::new(), HashSet::new());
        for (family, mut touches) in (0..).zip(of) {
            let Some(key) = touches.iter().find_map(|touch| touch.key.as_ref()) else { continue };
            if families.get(&Node::Outside) == Some(&family) {
                continue;
            }
            keyed.insert(family);
            // Collections are not ordered, and neither are requests and events.
            touches.sort_by_key(|touch| stream(&touch.at.name));
            let begun = touches.iter().map(|touch| touch.settled).min().unwrap_or_default();
            let history: Vec<_> = touches
                .iter()
                .map(|touch| format!("{} {}", touch.settled - begun, text(touch, key, &names)))
                .collect();
            let like = *known.entry(history).or_insert(family);
            let place = |nth| Place { like, nth, begun };
            let all = touches.iter().map(|touch| touch.at.clone());
            places.extend(all.zip((0..).map(place)));
        }
        Self { families, keyed, places }
    }

    /// Returns the disturbances of which none is that of a like key again.
    pub(super) fn once(&self, mut steps: Vec<Step>) -> Vec<Step> {
        let mut tried = HashSet::new();
        steps.retain(|step| {
            let Some(Place { like, nth, begun }) = self.places.get(&step.at) else { return true };
            let disturbance = match step.disturbance {
                Disturbance::StaleRestart { settle } => {
                    Disturbance::StaleRestart { settle: settle.saturating_sub(*begun) }
                }
                other => other,
            };
            tried.insert((*like, *nth, disturbance))
        });
        steps
    }

    /// Returns those of the positions for which others stand, and the number of the others.
    pub(super) fn represented<'p>(
        &self,
        positions: impl Iterator<Item = &'p Position>,
    ) -> (Vec<String>, usize) {
        let (mut tried, mut stand) = (HashSet::new(), HashSet::new());
        let mut represented = Vec::new();
        for at in positions {
            if let Some(Place { like, nth, .. }) = self.places.get(at)
                && !tried.insert((like, nth))
            {
                stand.insert((like, nth));
                represented.push(at.to_string());
            }
        }
        (represented, stand.len())
    }

    /// Returns false for a pair at two keys that touch disjoint objects.
    pub(super) fn is_of_one_key(&self, pair: &Schedule) -> bool {
        let family = |step: &Step| object(&step.at.name).and_then(|one| self.families.get(&one));
        let families = pair.0.iter().filter_map(family);
        let all: BTreeSet<_> = families.filter(|family| self.keyed.contains(family)).collect();
        all.len() < 2
    }
}

/// Returns the text of a request or event without the names of a key, and those that differ between
/// equal runs.
fn text(touch: &Touch, key: &ObjectKey, names: &HashMap<String, String>) -> String {
    let mut content = touch.content.clone();
    normalize(&mut content, names);
    let text = without_names(&touch.at.name, names) + &content.to_string();
    let text = replace_word(&text, key.name(), NAME);
    match key.namespace() {
        Some(namespace) => replace_word(&text, namespace, NAMESPACE),
        None => text,
    }
}

/// Returns the family of each node. Two nodes of different families have nothing to do with each
/// other.
fn families(touches: &[Touch]) -> HashMap<Node, usize> {
    let objects: BTreeSet<_> = touches.iter().filter_map(|touch| object(&touch.at.name)).collect();
    let mut joined = Joined::default();
    for touch in touches {
        let Some(target @ Node::Object(collection, name)) = &object(&touch.at.name) else {
            continue;
        };
        let generated = touch.content["metadata"]["generateName"].as_str().map(|prefix| {
            let namespace = name.rsplit_once('/').map_or(String::new(), |(of, _)| format!("{of}/"));
            Node::Object(collection.clone(), format!("{namespace}{prefix}*"))
        });
        let writer = match &touch.key {
            Some(key) => Some(Node::Key(key.to_string())),
            None if is_event(&touch.at.name) => None,
            // The list or watch of an informer.
            None if name.is_empty() && touch.at.name.starts_with("GET ") => continue,
            None => Some(Node::Outside),
        };
        for other in [Some(target), generated.as_ref(), writer.as_ref()].into_iter().flatten() {
            joined.join(target, other);
        }
        if name.is_empty() {
            // A whole collection is all of its objects.
            let within = |one: &&Node| matches!(one, Node::Object(of, _) if of == collection);
            objects.iter().filter(within).for_each(|one| joined.join(target, one));
        }
        if let Some(key) = &touch.key {
            // The object of the key, of whichever kind it is.
            let key = key.to_string();
            let own = |one: &&Node| matches!(one, Node::Object(_, of) if *of == key);
            objects.iter().filter(own).for_each(|one| joined.join(target, one));
        }
    }
    joined.of
}

/// Sets of nodes.
#[derive(Default)]
struct Joined {
    of: HashMap<Node, usize>,
    sets: Vec<Vec<Node>>,
}

impl Joined {
    fn set(&mut self, node: &Node) -> usize {
        let sets = &mut self.sets;
        *self.of.entry(node.clone()).or_insert_with(|| {
            sets.push(vec![node.clone()]);
            sets.len() - 1
        })
    }

    fn join(&mut self, one: &Node, other: &Node) {
        let (one, other) = (self.set(one), self.set(other));
        if one != other {
            let moved = std::mem::take(&mut self.sets[other]);
            for node in &moved {
                self.of.insert(node.clone(), one);
            }
            self.sets[one].extend(moved);
        }
    }
}

fn is_event(name: &str) -> bool {
    name.starts_with("EVENT ")
}

/// Returns the part of a run in which the order counts.
fn stream(name: &str) -> Option<String> {
    name.strip_prefix("EVENT ")?.split(' ').next().map(str::to_owned)
}

/// Returns the object of a request or event. A collection has an empty name.
fn object(name: &str) -> Option<Node> {
    Target::of(name).map(|Target { collection, name }| Node::Object(collection, name))
}

/// Replaces a name where no letter or digit touches it.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, _) in text.match_indices(word) {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        if ![before, after].into_iter().flatten().any(char::is_alphanumeric) {
            replaced.push_str(&text[rest..at]);
            replaced.push_str(by);
            rest = at + word.len();
        }
    }
    replaced + &text[rest..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_replaced() {
        let replaced = |text| replace_word(text, "a", "*");
        assert_eq!(
            replaced(r#"{"name":"a-copy","data":"of a"}"#),
            r#"{"name":"*-copy","data":"of *"}"#
        );
        assert_eq!((replaced("a").as_str(), replaced("aa b").as_str()), ("*", "aa b"));
    }
}

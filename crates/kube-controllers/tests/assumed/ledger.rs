//! The states that the server had, and those that a reader may still read.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// The content of an object: a number that no other write has, or `None` while it is absent.
pub(crate) type Content = Option<u64>;

/// The states of each object in the order in which the server had them, and the reader's place in
/// them.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<BTreeMap<&'static str, Object>>);

struct Object {
    states: Vec<Content>,
    /// The reader has seen this state, or a later one.
    seen: usize,
    /// The state after the newest write of the process.
    made: usize,
    /// The content that is assumed and was not answered.
    intent: Content,
    /// The oldest state that was read after the intent was.
    after_intent: Option<usize>,
    has_read_intent: bool,
}

impl Default for Object {
    fn default() -> Self {
        Self {
            states: vec![None],
            seen: 0,
            made: 0,
            intent: None,
            after_intent: None,
            has_read_intent: false,
        }
    }
}

impl Object {
    /// Notes that the intent no longer counts.
    fn drop_intent(&mut self) {
        (self.intent, self.after_intent, self.has_read_intent) = (None, None, false);
    }
}

impl Ledger {
    fn with<T>(&self, name: &'static str, call: impl FnOnce(&mut Object) -> T) -> T {
        call(self.0.lock().entry(name).or_default())
    }

    /// Notes that the server has a new state of an object.
    pub(crate) fn written(&self, name: &'static str, content: Content) {
        self.with(name, |object| {
            object.states.push(content);
            let written = object.states.len() - 1;
            if content.is_some() && content == object.intent {
                let back = object.after_intent.is_some_and(|read| read < written);
                assert!(!back, "{name}: an older state was read after {content:?}");
            }
        });
    }

    /// Notes the content that is assumed from now on. It takes the place of an earlier one.
    pub(crate) fn assumed(&self, name: &'static str, content: u64) {
        self.with(name, |object| {
            object.drop_intent();
            object.intent = Some(content);
        });
    }

    /// Notes that what was assumed is forgotten.
    pub(crate) fn forgotten(&self, name: &'static str) {
        self.with(name, Object::drop_intent);
    }

    /// Notes that the newest write of the process made the present state.
    pub(crate) fn made(&self, name: &'static str) {
        self.with(name, |object| object.made = object.states.len() - 1);
    }

    /// Notes that the newest write of the process was answered, so the reader sees its state or a
    /// later one.
    pub(crate) fn answered(&self, name: &'static str) {
        self.with(name, |object| {
            object.drop_intent();
            object.seen = object.seen.max(object.made);
        });
    }

    /// Checks what the reader reads, and notes it.
    pub(crate) fn read(&self, name: &'static str, content: Content, is_assumed: bool) {
        self.with(name, |object| {
            if content.is_some() && content == object.intent && is_assumed {
                object.has_read_intent = true;
                return;
            }
            let later = (object.seen..object.states.len()).find(|n| object.states[*n] == content);
            let Some(place) = later else {
                panic!("{name}: {content:?} after {:?} of {:?}", object.seen, object.states);
            };
            object.seen = place;
            if object.has_read_intent {
                // The intent's write may have been made without an answer.
                let written = object.states.iter().rposition(|state| *state == object.intent);
                assert!(
                    written.is_none_or(|written| written <= place || object.is_later(place)),
                    "{name}: {content:?} after {:?}, which was written: {:?}",
                    object.intent,
                    object.states
                );
                object.after_intent = Some(object.after_intent.unwrap_or(place).min(place));
            }
        });
    }

    /// Returns the newest state of an object.
    pub(crate) fn newest(&self, name: &'static str) -> Content {
        self.with(name, |object| object.states.last().copied().flatten())
    }
}

impl Object {
    /// Returns whether the state at this place comes again later, so that the reader may have read
    /// the later one.
    fn is_later(&self, place: usize) -> bool {
        let written = self.states.iter().rposition(|state| *state == self.intent);
        let again = self.states.iter().rposition(|state| *state == self.states[place]);
        again > written
    }
}

//! The choice of the form of a list, from what the lists before have shown.

use std::time::Duration;

use tokio::time::Instant;

use crate::reflector::list_mode::ListMode;
use crate::time::after;

/// The number of failed lists in a row after which the other form is tried.
const TRY_OTHER_AFTER: u32 = 3;

/// The number of plain lists in a row whose pages expired, after which a streaming list is tried.
const EXPIRED_PAGES: u32 = 2;

/// The time for which a lesson counts. Servers are upgraded, and busy times end.
const LESSON: Duration = Duration::from_secs(3600);

/// The form of a list of everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListForm {
    Plain,
    Streaming,
}

/// The failure of a list, as far as it says something about the form of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormFailure {
    /// The server has no streaming lists, or does not end their initial events.
    Unsupported,
    Throttled,
    /// No connection: the server may be down.
    Unreachable,
    /// A page of a plain list expired.
    PageExpired,
    Other,
}

/// The forms of earlier lists, and what they have shown.
#[derive(Debug)]
pub(super) struct ListForms {
    mode: ListMode,
    /// The form that lists have until one succeeds, because the other one failed.
    next: Option<ListForm>,
    /// The number of failures of that form in a row that speak against it.
    failed: u32,
    /// The number of plain lists in a row whose pages expired.
    expired: u32,
    /// The form that the server has shown to be the better one, and until when that counts.
    lesson: Option<(ListForm, Instant)>,
}

impl ListForms {
    /// With `first`, lists have this form until one succeeds.
    pub(super) fn new(mode: ListMode, first: Option<ListForm>) -> Self {
        Self { mode, next: first, failed: 0, expired: 0, lesson: None }
    }

    /// Returns the form of the next list.
    pub(super) fn choose(&self, now: Instant) -> ListForm {
        let lesson = self.lesson.filter(|(_, until)| now < *until).map(|(form, _)| form);
        match (self.mode, lesson) {
            (ListMode::Plain, _) | (_, Some(ListForm::Plain)) => ListForm::Plain,
            (ListMode::Auto, None) => self.next.unwrap_or(ListForm::Plain),
            (ListMode::Streaming | ListMode::Auto, _) => self.next.unwrap_or(ListForm::Streaming),
        }
    }

    /// Notes a list that succeeded. `in_one_piece` is true if its pages had expired before.
    pub(super) fn succeeded(&mut self, form: ListForm, in_one_piece: bool, now: Instant) {
        (self.next, self.failed) = (None, 0);
        if !in_one_piece {
            self.expired = 0;
        }
        // A success does not prolong the lesson, so that plain lists get another try.
        if form == ListForm::Streaming && self.lesson.is_none_or(|(_, until)| until <= now) {
            self.lesson = Some((ListForm::Streaming, after(now, LESSON)));
        }
    }

    /// Notes a list that failed.
    pub(super) fn failed(&mut self, form: ListForm, failure: FormFailure, now: Instant) {
        let (other, limit) = match (form, failure) {
            (ListForm::Streaming, FormFailure::Unsupported) => {
                self.lesson = Some((ListForm::Plain, after(now, LESSON)));
                (ListForm::Plain, 1)
            }
            (ListForm::Streaming, FormFailure::Throttled | FormFailure::Unreachable) => {
                (ListForm::Plain, TRY_OTHER_AFTER)
            }
            (ListForm::Streaming, _) => (ListForm::Plain, 1),
            (ListForm::Plain, FormFailure::PageExpired) => {
                self.expired = self.expired.saturating_add(1);
                // Once: if the streaming list fails, too, only the delay after failures helps.
                if self.expired == EXPIRED_PAGES {
                    (self.next, self.failed) = (Some(ListForm::Streaming), 0);
                }
                return;
            }
            (ListForm::Plain, FormFailure::Unreachable) => return,
            (ListForm::Plain, _) => (ListForm::Streaming, TRY_OTHER_AFTER),
        };
        self.failed += 1;
        if self.failed >= limit {
            (self.next, self.failed) = (Some(other), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ListForm::{Plain, Streaming};
    use super::*;

    /// An event of a history. The form of a list is the one that is chosen at that moment.
    #[derive(Clone, Copy, Debug)]
    enum Did {
        Ok,
        /// A plain list in one piece, after its pages expired.
        OkInOnePiece,
        Fail(FormFailure),
        Wait(u64),
    }
    use Did::{Fail, Ok, OkInOnePiece, Wait};

    const BUSY: Did = Fail(FormFailure::Throttled);
    const DOWN: Did = Fail(FormFailure::Unreachable);
    const ERROR: Did = Fail(FormFailure::Other);
    const GONE: Did = Fail(FormFailure::PageExpired);
    const UNKNOWN: Did = Fail(FormFailure::Unsupported);

    /// Returns the form of the next list after a history.
    fn form_after(mode: ListMode, history: &[Did]) -> ListForm {
        let (mut forms, mut now) = (ListForms::new(mode, None), Instant::now());
        for did in history {
            let form = forms.choose(now);
            match *did {
                Ok => forms.succeeded(form, false, now),
                OkInOnePiece => forms.succeeded(form, true, now),
                Fail(failure) => forms.failed(form, failure, now),
                Wait(seconds) => now += Duration::from_secs(seconds),
            }
        }
        forms.choose(now)
    }

    #[test]
    fn auto_is_plain_until_something_speaks_for_streaming() {
        let rows: &[(&[Did], ListForm)] = &[
            (&[], Plain),
            (&[Ok, Ok], Plain),
            // Each reason to switch.
            (&[BUSY, BUSY], Plain),
            (&[BUSY, BUSY, BUSY], Streaming),
            (&[ERROR, BUSY, ERROR], Streaming),
            (&[BUSY, BUSY, Ok, BUSY], Plain),
            (&[GONE], Plain),
            (&[GONE, OkInOnePiece], Plain),
            (&[GONE, OkInOnePiece, GONE], Streaming),
            (&[GONE, Ok, GONE], Plain),
            (&[DOWN; 30], Plain),
            (&[BUSY, DOWN, DOWN, BUSY], Plain),
            // It works: so it stays for an hour, however often.
            (&[BUSY, BUSY, BUSY, Ok], Streaming),
            (&[BUSY, BUSY, BUSY, Ok, Wait(3599), Ok], Streaming),
            (&[BUSY, BUSY, BUSY, Ok, Wait(3599), Ok, Wait(1)], Plain),
            (&[BUSY, BUSY, BUSY, Ok, Wait(3600), BUSY, BUSY], Plain),
            (&[BUSY, BUSY, BUSY, Ok, Wait(3600), BUSY, BUSY, BUSY, Ok, Wait(3599)], Streaming),
            // Each way back.
            (&[BUSY, BUSY, BUSY, ERROR], Plain),
            (&[BUSY, BUSY, BUSY, BUSY, DOWN], Streaming),
            (&[BUSY, BUSY, BUSY, BUSY, DOWN, BUSY], Plain),
            (&[BUSY, BUSY, BUSY, UNKNOWN], Plain),
            (&[BUSY, BUSY, BUSY, UNKNOWN, BUSY, BUSY, BUSY, BUSY], Plain),
            (&[BUSY, BUSY, BUSY, UNKNOWN, Wait(3600), Ok, BUSY, BUSY, BUSY], Streaming),
            (&[GONE, OkInOnePiece, GONE, ERROR], Plain),
            (&[GONE, OkInOnePiece, GONE, ERROR, GONE, GONE], Plain),
            (&[GONE, OkInOnePiece, GONE, ERROR, Ok, GONE, OkInOnePiece, GONE], Streaming),
            (&[BUSY, BUSY, BUSY, Ok, ERROR], Plain),
            (&[BUSY, BUSY, BUSY, Ok, ERROR, Ok], Streaming),
            (&[BUSY, BUSY, BUSY, Ok, UNKNOWN, Ok], Plain),
        ];
        for (history, form) in rows {
            assert_eq!(form_after(ListMode::Auto, history), *form, "{history:?}");
        }
    }

    #[test]
    fn streaming_gives_way_and_comes_back() {
        let rows: &[(&[Did], ListForm)] = &[
            (&[], Streaming),
            (&[ERROR], Plain),
            (&[ERROR, Ok], Streaming),
            (&[ERROR, ERROR, ERROR, ERROR], Streaming),
            (&[BUSY, DOWN], Streaming),
            (&[BUSY, DOWN, BUSY], Plain),
            (&[BUSY, DOWN, BUSY, Ok], Streaming),
            (&[BUSY, BUSY, BUSY, BUSY, BUSY, BUSY], Streaming),
            (&[UNKNOWN, Ok, Wait(3599)], Plain),
            (&[UNKNOWN, ERROR, ERROR, ERROR], Plain),
            (&[UNKNOWN, Ok, Wait(3600)], Streaming),
            (&[Ok, Wait(7200), Ok, Wait(7200)], Streaming),
        ];
        for (history, form) in rows {
            assert_eq!(form_after(ListMode::Streaming, history), *form, "{history:?}");
        }
    }

    #[test]
    fn plain_stays_plain() {
        for failure in [BUSY, DOWN, ERROR, GONE] {
            assert_eq!(form_after(ListMode::Plain, &[failure; 10]), Plain);
        }
    }
}

//! Disturbances, and the positions in a run at which they happen. Their texts replay as a test.

use std::fmt;
use std::str::FromStr;

/// A request or delivered event: the nth of its name in a run.
///
/// A request is named by its method and path, a create with the object's name at the end. An event
/// is named by the path of its watch and the object's namespace and name. A write of a kept cache
/// is named by the path of the collection, and a settling by [`SETTLED`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    /// Counted from 1.
    pub(crate) nth: u64,
    pub(crate) name: String,
}

/// The name of the times that the world settles.
pub(crate) const SETTLED: &str = "SETTLED";

/// A disturbance of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Disturbance {
    /// The program dies. The write does not reach the server or the disk, and the event does not
    /// reach the program.
    CrashBefore,
    /// The program dies after the write was executed, or after it has settled.
    CrashAfter,
    /// The program is told to stop, and starts again when it has ended.
    Stop,
    /// The server executes the write, and the connection breaks before the answer.
    LoseAnswer,
    /// The server answers 409.
    Conflict,
    /// The server answers 429.
    Throttle,
    /// A webhook of the cluster refuses the write, this time.
    WebhookRefuses,
    /// A webhook of the cluster cannot be reached: the server answers 500.
    WebhookDown,
    /// A webhook of the cluster answers late, and only then does the server execute the write.
    WebhookLate,
    /// A second process takes the place of this one while the write is on its way.
    Takeover,
    /// The watch delivers this event and those after it late: the program's view is stale.
    Lag,
    /// The watch is silent from this event on, and then ends with 410: a new list has the events.
    Gap,
    /// The program dies when it has settled for this time, counted from 1. It starts again with
    /// lists from before the write, where it allows any version, and its watches lag.
    StaleRestart { settle: u64 },
}

/// One disturbance at one position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) disturbance: Disturbance,
    pub(crate) at: Position,
}

/// The disturbances of a run: one, or a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule(pub(crate) Vec<Step>);

/// The text between the disturbances of a pair. No name has a space in its object.
const AND: &str = " + ";

impl Disturbance {
    /// Those that happen to a write.
    pub(crate) const OF_WRITES: [Self; 6] = [
        Self::CrashBefore,
        Self::CrashAfter,
        Self::LoseAnswer,
        Self::Conflict,
        Self::Throttle,
        Self::Takeover,
    ];

    /// Those that happen to a write because of a webhook.
    pub(crate) const OF_WEBHOOKS: [Self; 3] =
        [Self::WebhookRefuses, Self::WebhookDown, Self::WebhookLate];

    /// Those that happen to an event.
    pub(crate) const OF_EVENTS: [Self; 2] = [Self::Lag, Self::Gap];

    /// Those that happen to a write, an event, a write of a kept cache, and a settling of a program
    /// that keeps caches.
    pub(crate) const OF_WRITES_IF_KEPT: [Self; 1] = [Self::Stop];
    pub(crate) const OF_EVENTS_IF_KEPT: [Self; 2] = [Self::CrashBefore, Self::Stop];
    pub(crate) const OF_KEEPING: [Self; 2] = [Self::CrashBefore, Self::CrashAfter];
    pub(crate) const OF_SETTLINGS: [Self; 2] = [Self::CrashAfter, Self::Stop];

    /// Returns true if nothing is held any more when the program settles.
    pub(crate) fn is_over_when_settled(self) -> bool {
        !Self::OF_EVENTS.contains(&self)
            && !matches!(self, Self::Takeover | Self::StaleRestart { .. })
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CrashBefore => f.write_str("crash-before"),
            Self::CrashAfter => f.write_str("crash-after"),
            Self::Stop => f.write_str("stop"),
            Self::LoseAnswer => f.write_str("lose-answer"),
            Self::Conflict => f.write_str("conflict"),
            Self::Throttle => f.write_str("throttle"),
            Self::WebhookRefuses => f.write_str("webhook-refuses"),
            Self::WebhookDown => f.write_str("webhook-down"),
            Self::WebhookLate => f.write_str("webhook-late"),
            Self::Takeover => f.write_str("takeover"),
            Self::Lag => f.write_str("lag"),
            Self::Gap => f.write_str("gap"),
            Self::StaleRestart { settle } => write!(f, "stale-restart@{settle}"),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.nth, self.name)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.disturbance, self.at)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, step) in self.0.iter().enumerate() {
            write!(f, "{}{step}", if n == 0 { "" } else { AND })?;
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split(AND).map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a schedule, such as `crash-after 1 POST /api/…`");
        let mut words = text.splitn(3, ' ');
        let (Some(word), Some(nth), Some(name)) = (words.next(), words.next(), words.next()) else {
            return Err(wrong());
        };
        let known = || {
            let writes = Disturbance::OF_WRITES.into_iter().chain(Disturbance::OF_WEBHOOKS);
            writes.chain(Disturbance::OF_EVENTS).chain([Disturbance::Stop])
        };
        let disturbance = match word.strip_prefix("stale-restart@") {
            Some(settle) => {
                let settle = settle.parse().map_err(|_| wrong())?;
                Disturbance::StaleRestart { settle }
            }
            None => known().find(|one| one.to_string() == word).ok_or_else(wrong)?,
        };
        let nth = nth.parse().map_err(|_| wrong())?;
        Ok(Self { disturbance, at: Position { nth, name: name.into() } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_schedule_is_read_back() {
        let stale = Disturbance::StaleRestart { settle: 3 };
        let all = Disturbance::OF_WRITES.into_iter().chain(Disturbance::OF_WEBHOOKS);
        let all = all.chain(Disturbance::OF_EVENTS).chain([Disturbance::Stop, stale]);
        for disturbance in all {
            let at = |nth| Position { nth, name: "EVENT /api/v1/pods shop/web".into() };
            let step = |nth| Step { disturbance, at: at(nth) };
            for schedule in [Schedule(vec![step(2)]), Schedule(vec![step(1), step(2)])] {
                assert_eq!(schedule.to_string().parse(), Ok(schedule));
            }
        }
        for wrong in ["", "crash-after", "crash-after x POST /a", "crash 1 POST /a", "lag 1"] {
            assert!(wrong.parse::<Schedule>().is_err(), "{wrong}");
        }
    }
}

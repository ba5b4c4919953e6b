//! Durations for people: `5s`, `3m20s`, `47h`, `12d`.

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

/// Returns the time since a timestamp.
pub(super) fn since(time: &Value) -> Value {
    let Some(text) = time.as_str() else { return "<unknown>".into() };
    let Ok(then) = text.parse::<Timestamp>() else { return "<unknown>".into() };
    human(crate::now().as_second() - then.as_second()).into()
}

/// Returns the time between two timestamps, if both are known.
pub(super) fn between(from: &Value, to: &Value) -> Option<String> {
    let second = |time: &Value| Some(time.as_str()?.parse::<Timestamp>().ok()?.as_second());
    Some(human(second(to)? - second(from)?))
}

/// Returns a number of seconds, with as many units as are useful.
pub(super) fn human(seconds: i64) -> String {
    let two = |major: i64, unit: &str, minor: i64, small: &str| match minor {
        0 => format!("{major}{unit}"),
        minor => format!("{major}{unit}{minor}{small}"),
    };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let years = days / 365;
    match seconds {
        // Clocks differ a little; a larger difference is invalid.
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => two(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 192 => two(days, "d", hours % 24, "h"),
        _ if years < 2 => format!("{days}d"),
        _ if years < 8 => two(years, "y", days % 365, "d"),
        _ => format!("{years}y"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        for (seconds, text) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (119, "119s"),
            (120, "2m"),
            (200, "3m20s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (11_000, "3h3m"),
            (28_800, "8h"),
            (172_800, "2d"),
            (180_000, "2d2h"),
            (8 * 86_400, "8d"),
            (729 * 86_400, "729d"),
            (731 * 86_400, "2y1d"),
            (3000 * 86_400, "8y"),
        ] {
            assert_eq!(human(seconds), text, "{seconds}");
        }
    }
}

//! Limits of time: seconds from the first packet, or a time of day.

use core::fmt;
use core::str::FromStr;

use airpath_base::{Duration, Time};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// A time in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Duration since the first packet of the first capture.
    After(Duration),
    /// Time since 1970, UTC.
    At(Time),
}

/// Span of time that counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    limits: [Option<When>; 2],
    /// Time of the first packet.
    first: Option<Time>,
}

/// Reason for which a text is no time in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATime;

impl Span {
    /// A span with these limits, if there is one.
    pub(crate) fn of(limits: [Option<When>; 2]) -> Option<Span> {
        (limits != [None; 2]).then_some(Span { limits, first: None })
    }

    /// True if a packet's time is in the span. The first packet sets the time from which limits count.
    #[inline(never)]
    pub(crate) fn holds(&mut self, at: Time) -> bool {
        let first = *self.first.get_or_insert(at);
        let [from, to] = self.limits.map(|limit| limit.map(|limit| limit.time(first)));
        from.is_none_or(|from| at >= from) && to.is_none_or(|to| at < to)
    }
}

impl When {
    /// The time in a capture that begins so.
    fn time(self, begin: Time) -> Time {
        match self {
            When::After(since) => begin.saturating_add(since),
            When::At(time) => time,
        }
    }
}

impl FromStr for When {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<When, NotATime> {
        let time = |nanos| When::At(Time::from_nanos(nanos));
        match text.strip_prefix('@') {
            Some(since) => nanos(since).map(time),
            None => nanos(text).map(Duration::from_nanos).map(When::After).or(date(text).map(time)),
        }
        .ok_or(NotATime)
    }
}

/// Nanoseconds of decimal seconds.
fn nanos(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 9 || !digits(whole) || !digits(part) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let part: u64 = format!("{part:0<9}").parse().ok()?;
    whole.checked_mul(1_000_000_000)?.checked_add(part)
}

/// Nanoseconds since 1970 of a date and time by RFC 3339. UTC counts without an offset.
fn date(text: &str) -> Option<u64> {
    let (day, rest) = text.split_once(['T', 't', ' '])?;
    let mut parts = day.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let valid =
        (1970..=2500).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !valid || parts.next().is_some() {
        return None;
    }
    let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(zone);
    let mut parts = clock.split(':');
    let mut number =
        |most: i64| parts.next()?.parse::<i64>().ok().filter(|n| (0..=most).contains(n));
    let (hour, minute) = (number(23)?, number(59)?);
    let second = nanos(parts.next().unwrap_or("0")).filter(|nanos| *nanos < 61_000_000_000)?;
    let minutes = days(year, month, day) * DAY / 60 + 60 * hour + minute - offset(zone)?;
    u64::try_from(minutes).ok()?.checked_mul(60_000_000_000)?.checked_add(second)
}

/// Minutes of an offset from UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let number =
        |text: &str, most: i64| text.parse::<i64>().ok().filter(|n| (0..=most).contains(n));
    let minutes = 60 * number(hours, 23)? + number(minutes, 59)?;
    Some(if zone.starts_with('-') { -minutes } else { minutes })
}

/// Days from 1970 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // March begins the year, so that the leap day is its last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
}

impl fmt::Display for NotATime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "must be seconds since the first packet, as 2.5, or a time as 2026-11-26T13:44:50Z or @1795700690",
        )
    }
}

impl core::error::Error for NotATime {}

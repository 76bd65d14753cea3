//! Limits of time: seconds from the first packet, or a time of day.

use core::fmt;
use core::str::FromStr;

use airpath_base::{Duration, Time};
use chrono::{DateTime, NaiveDateTime};

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

/// Nanoseconds since 1970 of a date and time by RFC 3339. UTC counts without an offset, and seconds may be missing.
fn date(text: &str) -> Option<u64> {
    let utc = |format| NaiveDateTime::parse_from_str(text, format).ok();
    let formats = ["%FT%T%.f", "%F %T%.f", "%FT%R", "%F %R"];
    let time = match DateTime::parse_from_rfc3339(text) {
        Ok(time) => time.to_utc(),
        Err(_) => formats.into_iter().find_map(utc)?.and_utc(),
    };
    u64::try_from(time.timestamp_nanos_opt()?).ok()
}

impl fmt::Display for NotATime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "must be seconds since the first packet, as 2.5, or a time as 2026-11-26T13:44:50Z or @1795700690",
        )
    }
}

impl core::error::Error for NotATime {}

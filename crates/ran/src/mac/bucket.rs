//! The token bucket of a logical channel: its prioritised bit rate (TS 36.321, 5.4.3.1).

use airpath_base::{BitRate, Bytes, Duration, Time};

use crate::qci::LogicalChannel;

/// The token bucket of a logical channel (TS 36.321, 5.4.3.1: Bj), in bytes.
/// It may go below zero.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate: Option<BitRate>,
    most: i64,
    tokens: i64,
    /// Time up to which tokens have been credited.
    credited: Time,
}

impl Bucket {
    /// An empty bucket.
    pub fn new(channel: &LogicalChannel) -> Bucket {
        let rate = channel.prioritised_bit_rate;
        let most = rate.map_or(0, |rate| rate.bytes_in(channel.bucket_size_duration).0);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Bucket { rate, most, tokens: 0, credited: Time::ZERO }
    }

    /// Bytes that the channel may send before lower ones are served.
    pub(crate) fn allowance(&mut self, now: Time) -> u32 {
        let Some(rate) = self.rate else { return u32::MAX };
        let earned = rate.bytes_in(now.saturating_since(self.credited));
        if earned > Bytes::ZERO {
            let earned_i = i64::try_from(earned.0).unwrap_or(i64::MAX);
            self.tokens = self.tokens.saturating_add(earned_i).min(self.most);
            // Only whole bytes are credited; the rest keeps running.
            self.credited += self.time_of(rate, earned, now);
        }
        u32::try_from(self.tokens.max(0)).unwrap_or(u32::MAX)
    }

    fn time_of(&self, rate: BitRate, earned: Bytes, now: Time) -> Duration {
        rate.time_for(earned).min(now.since(self.credited))
    }

    /// Takes off what was served in step 1.
    pub(crate) fn spend(&mut self, bytes: u32) {
        if self.rate.is_some() {
            self.tokens -= i64::from(bytes);
        }
    }
}

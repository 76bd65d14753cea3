//! The limit that the bytes in flight set to the window (RFC 8298, 4.1.2.3).
//!
//! The limit lies between the largest maximum and the largest mean of the last seconds. The more
//! the queue delay grows, the closer it is to the mean (RFC 8298: the maximum).

/// Seconds of bytes in flight that limit the window (RFC 8298, 4.1.2.3: 5; the reference
/// code's test tool: 20).
const SECONDS: usize = 20;

#[derive(Debug)]
pub(super) struct InFlightLimit {
    /// Mean and maximum of each second.
    history: [(u64, u64); SECONDS],
    at: usize,
    /// Of the second that is running.
    sum: u64,
    samples: u64,
    most: u64,
    /// Largest of the history.
    past: (u64, u64),
    limit: f64,
    headroom: f64,
}

impl InFlightLimit {
    /// The window may exceed what was in flight so many times.
    pub fn new(headroom: f64) -> InFlightLimit {
        InFlightLimit {
            history: [(0, 0); SECONDS],
            at: 0,
            sum: 0,
            samples: 0,
            most: 0,
            past: (0, 0),
            limit: 0.0,
            headroom,
        }
    }

    /// The limit in bytes; zero before it is known.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// So much is in flight as the sender looks whether it may send.
    pub fn note(&mut self, in_flight: u64) {
        self.most = self.most.max(in_flight);
    }

    /// So much is in flight as a packet is reported.
    pub fn sample(&mut self, in_flight: u64) {
        self.sum += in_flight;
        self.samples += 1;
    }

    /// A second is over.
    pub fn store(&mut self) {
        let mean = self.sum.checked_div(self.samples).unwrap_or(0);
        self.history[self.at] = (mean, self.most);
        self.at = (self.at + 1) % self.history.len();
        (self.sum, self.samples, self.most) = (0, 0, 0);
        let largest = |a: (u64, u64), b: &(u64, u64)| (a.0.max(b.0), a.1.max(b.1));
        self.past = self.history.iter().fold((0, 0), largest);
    }

    pub fn update(&mut self, in_flight: u64, trend: f64) {
        let low = in_flight.max(self.past.0) as f64;
        let high = self.most.max(self.past.1) as f64;
        self.limit = (high * (1.0 - trend) + low * trend) * self.headroom;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_maximum_and_mean_by_the_trend() {
        let mut limit = InFlightLimit::new(1.25);
        limit.note(9000);
        limit.sample(3000);
        limit.sample(5000);
        limit.store();
        limit.update(1000, 0.0);
        assert_eq!(limit.limit(), 11_250.0);
        limit.update(1000, 1.0);
        assert_eq!(limit.limit(), 5000.0);
        for _ in 0..20 {
            limit.store();
        }
        limit.update(1000, 0.0);
        assert_eq!(limit.limit(), 0.0); // forgotten, and nothing noted since
    }
}

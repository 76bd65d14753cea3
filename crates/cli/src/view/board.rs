//! State of a screen: the last reading, with rates and messages of earlier ones.

use std::collections::VecDeque;

use airpath_results::live::{Reading, Session};

use super::lines;

/// Readings of which rates are remembered: more than a wide screen has columns.
const MOST_RATES: usize = 400;
/// Lines of messages that are remembered.
const MOST_SAID: usize = 100;

/// All that is drawn.
#[derive(Clone, Debug)]
pub struct Board {
    /// Session of which the readings are.
    pub session: Session,
    /// The last reading.
    pub reading: Option<Reading>,
    /// Time of the run, in seconds.
    pub time_s: f64,
    /// Seconds of the run in each second of the clock, lately.
    pub speed: Option<f64>,
    /// Fastest speed that the run may have, in seconds of the run for each of the clock; none for
    /// no limit.
    pub limit: Option<f64>,
    /// Flag of a run that is paused.
    pub paused: bool,
    /// Flag of a run whose speed keys can change.
    pub paced: bool,
    rates: Vec<(String, VecDeque<f64>)>,
    said: VecDeque<String>,
}

impl Board {
    /// Nothing has happened yet.
    pub fn new(session: Session, paced: bool) -> Board {
        Board {
            session,
            reading: None,
            time_s: 0.0,
            speed: None,
            limit: None,
            paused: false,
            paced,
            rates: Vec::new(),
            said: VecDeque::new(),
        }
    }

    /// Takes in the next reading.
    pub fn take(&mut self, reading: Reading) {
        self.time_s = self.time_s.max(reading.time_s);
        for flow in &reading.flows {
            let known = self.rates.iter().position(|(name, _)| *name == flow.name);
            let at = known.unwrap_or_else(|| {
                self.rates.push((flow.name.clone(), VecDeque::new()));
                self.rates.len() - 1
            });
            keep(&mut self.rates[at].1, flow.rate_bps, MOST_RATES);
        }
        // Of a session that changes its flows, those that are gone are forgotten.
        self.rates.retain(|(name, _)| reading.flows.iter().any(|flow| flow.name == *name));
        for change in &reading.radio_links {
            keep(&mut self.said, lines::radio_link(change), MOST_SAID);
        }
        self.reading = Some(reading);
    }

    /// Adds a line to the messages.
    pub fn say(&mut self, text: String) {
        keep(&mut self.said, text, MOST_SAID);
    }

    /// The last rates of a flow in bit/s, `most` at most, in their order.
    pub fn rates(&self, flow: &str, most: usize) -> Vec<f64> {
        let known = self.rates.iter().find(|(name, _)| name == flow);
        let rates = known.into_iter().flat_map(|(_, rates)| rates).copied();
        let rates: Vec<f64> = rates.collect();
        rates[rates.len().saturating_sub(most)..].to_vec()
    }

    /// Last lines of messages, in their order.
    pub fn said(&self) -> impl ExactSizeIterator<Item = &String> {
        self.said.iter()
    }
}

fn keep<T>(all: &mut VecDeque<T>, next: T, most: usize) {
    if all.len() == most {
        all.pop_front();
    }
    all.push_back(next);
}

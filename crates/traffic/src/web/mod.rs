//! A user of the web, who reads page after page.
//!
//! A page is an index and objects. The requests for the objects follow the index, over as many
//! connections as the client may open. The next page follows the reading of this one, or comes by a
//! Poisson process of its own, whatever became of the pages before. Overlapping pages share the
//! connections, and the older page goes first.
//!
//! The contents of a page are a function of the seed, the user and the page's number. Page 7 of a
//! user is therefore the same page in every network that is compared.
//!
//! Sources: the structure is that of 3GPP2 C.R1002 (HTTP model), which the evaluation
//! methodologies of NGMN (2008) and IEEE 802.16m have too. Left out: the time that a browser
//! takes to find objects in an index (those models have 0.13 s), and caches.

mod laws;

use std::collections::VecDeque;

use airpath_base::random::{Keyed, Seed};
use airpath_base::{Duration, Time};
use airpath_net::PageLoad;

pub use laws::{Beyond, ObjectCount, Reading, Sessions, SizeLaw, SizeShape};

use super::Ask;

/// Pages of a user, and the rule for their times.
#[derive(Clone, Debug)]
pub struct WebConfig {
    /// Size of the index.
    pub index: SizeLaw,
    /// Size of each object.
    pub object: SizeLaw,
    /// Number of objects.
    pub objects: ObjectCount,
    /// Rule for the time of the next page.
    pub next: NextPage,
    /// Pages; `None` for no end.
    pub count: Option<u64>,
}

/// Rule for the time of the next page.
#[derive(Clone, Copy, Debug)]
pub enum NextPage {
    /// The page before has arrived and been read.
    Read {
        /// Time for reading.
        reading: Reading,
        /// Pauses between sessions; `None` for one session without end.
        sessions: Option<Sessions>,
    },
    /// At the times of a Poisson process with this mean interval.
    Poisson(Duration),
}

/// Draws of one user.
#[derive(Clone, Copy, Debug)]
pub struct WebDraws {
    sizes: Keyed,
    objects: Keyed,
    reading: Keyed,
    gaps: Keyed,
    sessions: Keyed,
}

/// The user.
#[derive(Clone, Debug)]
pub struct Web {
    config: WebConfig,
    draws: WebDraws,
    next: Option<Time>,
    /// Pages so far.
    pages: u64,
    loads: VecDeque<Load>,
    done: Option<PageLoad>,
}

/// A page that is not complete.
#[derive(Clone, Copy, Debug)]
struct Load {
    page: PageLoad,
    /// Requests so far; the first is for the index.
    asked: u32,
    /// Complete responses.
    answered: u32,
}

impl WebDraws {
    /// Those of the user with this name.
    pub fn new(seed: Seed, user: &str) -> WebDraws {
        let keyed = |what: &str| seed.keyed(&format!("{user} / {what}"));
        WebDraws {
            sizes: keyed("sizes"),
            objects: keyed("objects"),
            reading: keyed("reading"),
            gaps: keyed("gaps"),
            sessions: keyed("sessions"),
        }
    }
}

impl Web {
    /// A user without a request so far.
    pub fn new(config: WebConfig, draws: WebDraws) -> Web {
        Web { config, draws, next: None, pages: 0, loads: VecDeque::new(), done: None }
    }

    fn more(&self) -> bool {
        self.config.count.is_none_or(|count| self.pages < count)
    }

    pub(crate) fn begin(&mut self, now: Time) {
        self.next = match self.config.next {
            NextPage::Read { .. } => Some(now),
            NextPage::Poisson(mean) => Some(self.after_gap(now, mean)),
        };
    }

    /// The time of the next page by the clock.
    fn after_gap(&self, last: Time, mean: Duration) -> Time {
        let gap = laws::exponential(mean, self.draws.gaps, self.pages);
        last.saturating_add(gap.max(Duration::from_nanos(1)))
    }

    /// A page that fell due during the pause is requested now.
    pub(crate) fn resume(&mut self, now: Time) {
        self.next = self.next.map(|at| at.max(now));
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        self.next
    }

    pub(crate) fn wake(&mut self, now: Time) {
        while let Some(at) = self.next.take_if(|at| *at <= now) {
            let page = self.page(self.pages, at);
            self.loads.push_back(Load { page, asked: 0, answered: 0 });
            self.pages += 1;
            if let (NextPage::Poisson(mean), true) = (self.config.next, self.more()) {
                self.next = Some(self.after_gap(at, mean));
            }
        }
    }

    /// A page as it will be.
    fn page(&self, number: u64, asked: Time) -> PageLoad {
        let objects = self.config.objects.draw(self.draws.objects, number);
        let bytes = (0..=objects).map(|object| self.size(number, object)).sum();
        PageLoad { number, objects, bytes, asked, first: None, done: None }
    }

    /// Bytes of a response of a page: 0 is the index.
    fn size(&self, page: u64, object: u32) -> u64 {
        let law = if object == 0 { &self.config.index } else { &self.config.object };
        law.draw(self.draws.sizes, page, u64::from(object))
    }

    pub(crate) fn wants(&self) -> bool {
        self.loads.iter().any(Load::wants)
    }

    /// The next request; `about` is its page.
    pub(crate) fn ask(&mut self) -> Ask {
        let Some(load) = self.loads.iter_mut().find(|load| load.wants()) else {
            return Ask { bytes: 0, about: 0 };
        };
        let (page, object) = (load.page.number, load.asked);
        load.asked += 1;
        Ask { bytes: self.size(page, object), about: page }
    }

    /// A response of this page is complete.
    pub(crate) fn completed(&mut self, now: Time, page: u64) {
        let Some(n) = self.loads.iter().position(|load| load.page.number == page) else { return };
        self.loads[n].answered += 1;
        if self.loads[n].answered > self.loads[n].page.objects.min(1) {
            self.loads[n].page.first.get_or_insert(now);
        }
        if self.loads[n].answered <= self.loads[n].page.objects {
            return;
        }
        let load = self.loads.remove(n);
        self.done = load.map(|load| PageLoad { done: Some(now), ..load.page });
        if let (NextPage::Read { reading, sessions }, true) = (self.config.next, self.more()) {
            let away = reading.draw(self.draws.reading, page) + self.pause(sessions, page);
            self.next = Some(now.saturating_add(away));
        }
    }

    /// The pause behind a page, if it was the last of its session.
    fn pause(&self, sessions: Option<Sessions>, page: u64) -> Duration {
        let over = |sessions: &Sessions| {
            self.draws.sessions.uniform([page, 1, 0]) * sessions.pages.max(1.0) < 1.0
        };
        sessions.filter(over).map_or(Duration::ZERO, |sessions| {
            laws::exponential(sessions.pause, self.draws.sessions, page)
        })
    }

    /// The page that has just become complete.
    pub(crate) fn take_page(&mut self) -> Option<PageLoad> {
        self.done.take()
    }

    /// Pages that are not complete.
    pub(crate) fn open_pages(&self) -> impl Iterator<Item = PageLoad> {
        self.loads.iter().map(|load| load.page)
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.pages > 0 && !self.more() && self.loads.is_empty()
    }
}

impl Load {
    /// True if there is a request now: for the index, and after the index, for objects.
    fn wants(&self) -> bool {
        self.asked == 0 || (self.answered > 0 && self.asked <= self.page.objects)
    }
}

#[cfg(test)]
mod tests;

//! Requests of an application, and their times.

use airpath_base::Time;
use airpath_net::{PageLoad, Playback};

use super::{Pages, Player, Web};

/// An application, without its connections.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Plays video or audio.
    Player(Player),
    /// Fetches pages, or asks periodically.
    Pages(Pages),
    /// Reads pages with objects.
    Web(Web),
}

/// Request of an application.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    /// Bytes of the response, or of what is left of it.
    pub bytes: u64,
    /// Index of the object of the request, in the application's own numbers.
    pub about: u64,
}

impl Behaviour {
    /// It begins.
    pub(crate) fn begin(&mut self, now: Time) {
        match self {
            Behaviour::Player(player) => player.begin(now),
            Behaviour::Pages(pages) => pages.begin(now),
            Behaviour::Web(web) => web.begin(now),
        }
    }

    /// It ends before it has all.
    pub(crate) fn stop(&mut self) {
        if let Behaviour::Player(player) = self {
            player.stop();
        }
    }

    /// Time has gone on.
    pub(crate) fn wake(&mut self, now: Time) {
        match self {
            Behaviour::Player(player) => player.wake(now),
            Behaviour::Pages(pages) => pages.wake(now),
            Behaviour::Web(web) => web.wake(now),
        }
    }

    /// Time has gone on while it asks for nothing: a player plays what it has, others wait.
    pub(crate) fn wake_paused(&mut self, now: Time) {
        if let Behaviour::Player(player) = self {
            player.wake(now);
        }
    }

    /// It may ask again: what fell due in the meantime begins now, and only once.
    pub(crate) fn resume(&mut self, now: Time) {
        match self {
            Behaviour::Player(_) => {}
            Behaviour::Pages(pages) => pages.resume(now),
            Behaviour::Web(web) => web.resume(now),
        }
    }

    /// Time of the next wake-up while the application requests nothing.
    pub(crate) fn next_wake_paused(&self) -> Option<Time> {
        if let Behaviour::Player(player) = self { player.next_wake() } else { None }
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        match self {
            Behaviour::Player(player) => player.next_wake(),
            Behaviour::Pages(pages) => pages.next_wake(),
            Behaviour::Web(web) => web.next_wake(),
        }
    }

    /// True if the application has a request now.
    pub(crate) fn wants(&self) -> bool {
        match self {
            Behaviour::Player(player) => player.wants(),
            Behaviour::Pages(pages) => pages.wants(),
            Behaviour::Web(web) => web.wants(),
        }
    }

    /// It asks.
    pub(crate) fn ask(&mut self) -> Ask {
        match self {
            Behaviour::Player(player) => Ask { bytes: player.ask(), about: 0 },
            Behaviour::Pages(pages) => Ask { bytes: pages.ask(), about: 0 },
            Behaviour::Web(web) => web.ask(),
        }
    }

    /// Bytes of a response have reached it.
    pub(crate) fn received(&mut self, now: Time, bytes: u64) {
        if let Behaviour::Player(player) = self {
            player.received(now, bytes);
        }
    }

    /// The response to the request `about` is complete.
    pub(crate) fn completed(&mut self, now: Time, about: u64) {
        match self {
            Behaviour::Player(_) => {}
            Behaviour::Pages(pages) => pages.completed(now),
            Behaviour::Web(web) => web.completed(now, about),
        }
    }

    /// A page that has just become complete.
    pub(crate) fn take_page(&mut self) -> Option<PageLoad> {
        if let Behaviour::Web(web) = self { web.take_page() } else { None }
    }

    /// Pages that are not complete.
    pub(crate) fn open_pages(&self) -> Vec<PageLoad> {
        if let Behaviour::Web(web) = self { web.open_pages().collect() } else { Vec::new() }
    }

    /// Bytes that it would read now.
    pub(crate) fn appetite(&self, now: Time) -> u64 {
        match self {
            Behaviour::Player(player) => player.appetite(now),
            Behaviour::Pages(_) | Behaviour::Web(_) => u64::MAX,
        }
    }

    /// True if the application takes bytes at its own pace.
    pub(crate) fn reads_itself(&self) -> bool {
        matches!(self, Behaviour::Player(player) if player.reads_itself())
    }

    /// True if the application has received all that it ever requests.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Behaviour::Player(player) => player.is_finished(),
            Behaviour::Pages(pages) => pages.is_finished(),
            Behaviour::Web(web) => web.is_finished(),
        }
    }

    /// True if the application keeps its connections after the last response.
    pub(crate) fn holds(&self) -> bool {
        matches!(self, Behaviour::Player(player) if player.holds())
    }

    /// Report of a player, if it has a new one.
    pub(crate) fn take_report(&mut self, now: Time) -> Option<Playback> {
        match self {
            Behaviour::Player(player) => player.take_report(now),
            Behaviour::Pages(_) | Behaviour::Web(_) => None,
        }
    }
}

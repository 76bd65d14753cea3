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
pub struct Ask {
    /// Bytes of the response, or of what is left of it.
    pub bytes: u64,
    /// Index of the object of the request, in the application's own numbers.
    pub about: u64,
}

impl Behaviour {
    /// It begins.
    pub fn begin(&mut self, now: Time) {
        match self {
            Behaviour::Player(player) => player.begin(now),
            Behaviour::Pages(pages) => pages.begin(now),
            Behaviour::Web(web) => web.begin(now),
        }
    }

    /// It ends before it has all.
    pub fn stop(&mut self) {
        if let Behaviour::Player(player) = self {
            player.stop();
        }
    }

    /// Time has gone on.
    pub fn wake(&mut self, now: Time) {
        match self {
            Behaviour::Player(player) => player.wake(now),
            Behaviour::Pages(pages) => pages.wake(now),
            Behaviour::Web(web) => web.wake(now),
        }
    }

    /// Time has gone on while it asks for nothing: a player plays what it has, others wait.
    pub fn wake_paused(&mut self, now: Time) {
        if let Behaviour::Player(player) = self {
            player.wake(now);
        }
    }

    /// It may ask again: what fell due in the meantime begins now, and only once.
    pub fn resume(&mut self, now: Time) {
        match self {
            Behaviour::Player(_) => {}
            Behaviour::Pages(pages) => pages.resume(now),
            Behaviour::Web(web) => web.resume(now),
        }
    }

    /// Time of the next wake-up while the application requests nothing.
    pub fn next_wake_paused(&self) -> Option<Time> {
        if let Behaviour::Player(player) = self { player.next_wake() } else { None }
    }

    /// Time of the next wake-up.
    pub fn next_wake(&self) -> Option<Time> {
        match self {
            Behaviour::Player(player) => player.next_wake(),
            Behaviour::Pages(pages) => pages.next_wake(),
            Behaviour::Web(web) => web.next_wake(),
        }
    }

    /// True if the application has a request now.
    pub fn wants(&self) -> bool {
        match self {
            Behaviour::Player(player) => player.wants(),
            Behaviour::Pages(pages) => pages.wants(),
            Behaviour::Web(web) => web.wants(),
        }
    }

    /// Takes the request that the application has now.
    pub fn ask(&mut self) -> Ask {
        match self {
            Behaviour::Player(player) => Ask { bytes: player.ask(), about: 0 },
            Behaviour::Pages(pages) => Ask { bytes: pages.ask(), about: 0 },
            Behaviour::Web(web) => web.ask(),
        }
    }

    /// Bytes of a response have reached it.
    pub fn received(&mut self, now: Time, bytes: u64) {
        if let Behaviour::Player(player) = self {
            player.received(now, bytes);
        }
    }

    /// The response to the request `about` is complete.
    pub fn completed(&mut self, now: Time, about: u64) {
        match self {
            Behaviour::Player(_) => {}
            Behaviour::Pages(pages) => pages.completed(now),
            Behaviour::Web(web) => web.completed(now, about),
        }
    }

    /// A page that has just become complete.
    pub fn take_page(&mut self) -> Option<PageLoad> {
        if let Behaviour::Web(web) = self { web.take_page() } else { None }
    }

    /// Pages that are not complete.
    pub fn open_pages(&self) -> Vec<PageLoad> {
        if let Behaviour::Web(web) = self { web.open_pages().collect() } else { Vec::new() }
    }

    /// Bytes that it would read now.
    pub fn appetite(&self, now: Time) -> u64 {
        match self {
            Behaviour::Player(player) => player.appetite(now),
            Behaviour::Pages(_) | Behaviour::Web(_) => u64::MAX,
        }
    }

    /// True if the application takes bytes at its own pace.
    pub fn reads_itself(&self) -> bool {
        matches!(self, Behaviour::Player(player) if player.reads_itself())
    }

    /// True if the application has received all that it ever requests.
    pub fn is_finished(&self) -> bool {
        match self {
            Behaviour::Player(player) => player.is_finished(),
            Behaviour::Pages(pages) => pages.is_finished(),
            Behaviour::Web(web) => web.is_finished(),
        }
    }

    /// True if the application keeps its connections after the last response.
    pub fn holds(&self) -> bool {
        matches!(self, Behaviour::Player(player) if player.holds())
    }

    /// Report of a player, if it has a new one.
    pub fn take_report(&mut self, now: Time) -> Option<Playback> {
        match self {
            Behaviour::Player(player) => player.take_report(now),
            Behaviour::Pages(_) | Behaviour::Web(_) => None,
        }
    }
}

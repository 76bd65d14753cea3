//! What an application asks for, and when.

use airpath_base::Time;
use airpath_net::Playback;

use super::{Pages, Player};

/// An application, without its connections.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Plays video or audio.
    Player(Player),
    /// Fetches pages, or asks periodically.
    Pages(Pages),
}

impl Behaviour {
    /// It begins.
    pub(crate) fn begin(&mut self, now: Time) {
        match self {
            Behaviour::Player(player) => player.begin(now),
            Behaviour::Pages(pages) => pages.begin(now),
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
        }
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        match self {
            Behaviour::Player(player) => player.next_wake(),
            Behaviour::Pages(pages) => pages.next_wake(),
        }
    }

    /// Whether it would ask now.
    pub(crate) fn wants(&self) -> bool {
        match self {
            Behaviour::Player(player) => player.wants(),
            Behaviour::Pages(pages) => pages.wants(),
        }
    }

    /// It asks for so many bytes.
    pub(crate) fn ask(&mut self) -> u64 {
        match self {
            Behaviour::Player(player) => player.ask(),
            Behaviour::Pages(pages) => pages.ask(),
        }
    }

    /// Bytes of a response have reached it.
    pub(crate) fn received(&mut self, now: Time, bytes: u64) {
        if let Behaviour::Player(player) = self {
            player.received(now, bytes);
        }
    }

    /// A response is complete.
    pub(crate) fn completed(&mut self, now: Time) {
        if let Behaviour::Pages(pages) = self {
            pages.completed(now);
        }
    }

    /// Bytes that it would read now.
    pub(crate) fn appetite(&self, now: Time) -> u64 {
        match self {
            Behaviour::Player(player) => player.appetite(now),
            Behaviour::Pages(_) => u64::MAX,
        }
    }

    /// Whether it takes bytes only as it likes.
    pub(crate) fn reads_itself(&self) -> bool {
        matches!(self, Behaviour::Player(player) if player.reads_itself())
    }

    /// Whether it has got all that it ever asks for.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Behaviour::Player(player) => player.is_finished(),
            Behaviour::Pages(pages) => pages.is_finished(),
        }
    }

    /// Whether it keeps its connections although it has all.
    pub(crate) fn holds(&self) -> bool {
        matches!(self, Behaviour::Player(player) if player.holds())
    }

    /// What is to be reported of a player.
    pub(crate) fn take_report(&mut self, now: Time) -> Option<Playback> {
        match self {
            Behaviour::Player(player) => player.take_report(now),
            Behaviour::Pages(_) => None,
        }
    }
}

//! Kinds of flows, by what is done to them.

use serde::{Deserialize, Serialize};

/// Kind of a flow, by the cause that limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Greedy data, behind a queue of one or a few round trips.
    DeepQueue,
    /// Greedy data behind a queue of a few packets.
    ShallowQueue,
    /// Greedy data, of which packets are lost at random.
    RandomLoss,
    /// Greedy data through a policer: what is above a rate is dropped.
    Policer,
    /// Writes at even intervals.
    Writes,
    /// A server that thinks before it answers.
    Thinking,
    /// A client that pauses before it asks.
    IdleClient,
    /// A reader slower than the path.
    SlowReader,
    /// A receive buffer smaller than the path holds.
    SmallBuffer,
    /// The bytes that slow start brings, over a fast and long path.
    ShortDownload,
    /// The path is dead from some time on.
    PeerGone,
    /// The path is dead for a time, several times.
    Outages,
    /// Other flows of the same hosts have the same queue.
    Shared,
    /// A cell whose signal gets better and worse.
    Fading,
    /// A cell without a signal for a time, several times.
    RadioGap,
    /// A phone that has to be promoted for each burst.
    Promotion,
    /// A phone that sleeps between bursts.
    Drx,
    /// A way back that has no room for the acknowledgements.
    NarrowBack,
    /// Another flow fills the way back.
    BesideUpload,
    /// A token bucket in the sender's own host.
    OwnQdisc,
    /// A queue between the sender and the middle, and hardly a delay before it.
    BeforeCapture,
    /// A queue that slow start overflows by many packets at once.
    SackLoss,
    /// Some packets overtake others.
    Reordering,
    /// BBR with losses at random, which do not slow it.
    BbrLoss,
    /// A send buffer smaller than the path holds.
    SendBuffer,
    /// A pacing rate set by the sender's program.
    PacingRate,
    /// Two small writes, then a read: Nagle's rule waits for a delayed acknowledgement.
    Nagle,
    /// A small answer in a single round trip.
    OneRound,
    /// The last segment of answers is lost.
    TailLoss,
    /// Writes at even intervals, that nearly fill the path.
    NearFull,
    /// A small receive buffer that is read every 11 ms.
    ZeroWindow,
    /// Wires whose delay varies as a radio's: a control for the radio's signs.
    Jitter,
    /// Media over UDP, below the rate of the path.
    Media,
    /// Media over UDP, above the rate of the path.
    MediaAbove,
    /// Media over UDP, of which packets are lost at random.
    MediaLoss,
    /// Media over UDP beside greedy data of TCP.
    MediaBeside,
}

/// All kinds, in the order in which they are drawn.
pub const KINDS: [Kind; 32] = [
    Kind::DeepQueue,
    Kind::ShallowQueue,
    Kind::RandomLoss,
    Kind::Policer,
    Kind::Writes,
    Kind::Thinking,
    Kind::IdleClient,
    Kind::SlowReader,
    Kind::SmallBuffer,
    Kind::ShortDownload,
    Kind::PeerGone,
    Kind::Outages,
    Kind::Shared,
    Kind::Fading,
    Kind::RadioGap,
    Kind::Promotion,
    Kind::Drx,
    Kind::NarrowBack,
    Kind::BesideUpload,
    Kind::OwnQdisc,
    Kind::BeforeCapture,
    Kind::SackLoss,
    Kind::Reordering,
    Kind::BbrLoss,
    Kind::SendBuffer,
    Kind::PacingRate,
    Kind::Nagle,
    Kind::OneRound,
    Kind::TailLoss,
    Kind::NearFull,
    Kind::ZeroWindow,
    Kind::Jitter,
];

/// Kinds of media, with seeds of their own.
pub const MEDIA: [Kind; 4] = [Kind::Media, Kind::MediaAbove, Kind::MediaLoss, Kind::MediaBeside];
/// First seed of media.
pub const MEDIA_SEED: u64 = 32_000;

impl Kind {
    /// Kind of a seed's flow. Seeds that follow each other have kinds that follow each other.
    pub fn of(seed: u64) -> Kind {
        let all: &[Kind] = if seed >= MEDIA_SEED { &MEDIA } else { &KINDS };
        all[(seed % all.len() as u64) as usize]
    }

    /// True for media over UDP.
    pub fn is_media(self) -> bool {
        MEDIA.contains(&self)
    }

    /// True for the kinds that are to be called certain.
    pub fn is_plain(self) -> bool {
        matches!(self, Kind::DeepQueue | Kind::SlowReader | Kind::IdleClient | Kind::Writes)
    }

    /// True for the kinds that need a cell.
    pub fn is_radio(self) -> bool {
        matches!(self, Kind::Fading | Kind::RadioGap | Kind::Promotion | Kind::Drx)
    }

    /// True for the kinds that may have a cell.
    pub fn may_have_cell(self) -> bool {
        use Kind::{DeepQueue, IdleClient, PeerGone, SlowReader, SmallBuffer, Thinking, Writes};
        matches!(
            self,
            DeepQueue | IdleClient | PeerGone | SlowReader | SmallBuffer | Thinking | Writes
        )
    }

    /// True for the kinds whose flow goes on evenly, so that a capture may begin in its middle.
    pub fn goes_on(self) -> bool {
        !matches!(
            self,
            Kind::ShortDownload | Kind::OneRound | Kind::PeerGone | Kind::SackLoss | Kind::Shared
        )
    }
}

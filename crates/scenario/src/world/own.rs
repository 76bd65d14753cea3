//! Parts of the user's own, instead of those that the scenario names.

#[cfg(feature = "stacks")]
use std::sync::{Arc, Mutex, PoisonError};

use airpath_media::Pattern;
use airpath_net::queue::{Queue, QueueKind};
#[cfg(feature = "stacks")]
use airpath_stacks::{
    Stack,
    quic::{Congestion, MakeQuinnControl},
};
use airpath_transport::control::{CongestionControl, Controller};
#[cfg(feature = "stacks")]
use airpath_wire::Endpoint;

/// Makes the controller of the end that sends the data of a flow over TCP that is a transfer, or of a flow of QUIC. Gets
/// the name of the flow in the file, and that of this one of its flows as results have it. A flow of QUIC calls it once
/// for each of its connections.
pub type MakeController<'a> = &'a dyn Fn(&str, &str) -> Option<Box<dyn CongestionControl>>;
/// Makes the queue of a link in one direction. Gets the name that results have of it.
pub type MakeQueue<'a> = &'a dyn Fn(&str) -> Option<Box<dyn Queue>>;
/// Makes what decides the packets of a flow of kind rtp without video. Gets names as
/// [`MakeController`].
pub type MakePattern<'a> = &'a dyn Fn(&str, &str) -> Option<Box<dyn Pattern>>;

/// Makes the controllers of the end that sends the data of a flow of QUIC, by quinn-proto's interface, with a name for
/// messages. Gets names as [`MakeController`], before which it counts.
#[cfg(feature = "stacks")]
pub type MakeQuicController<'a> = &'a dyn Fn(&str, &str) -> Option<(String, MakeQuinnControl)>;
/// Makes both ends of a flow of kind quic by another stack, that of the source of the data first. Gives none for a flow that
/// keeps the stack of the scenario. An error ends the run, and is its message.
#[cfg(feature = "stacks")]
pub type MakeStacks<'a> = &'a dyn Fn(&StackFlow<'_>) -> Result<Option<[Box<dyn Stack>; 2]>, String>;

/// Flow of kind quic whose ends may be another stack. The keys of `[flow.quic]` then do not count, but for `ecn`.
#[cfg(feature = "stacks")]
#[derive(Clone, Copy, Debug)]
pub struct StackFlow<'a> {
    /// Name of the flow in the file.
    pub flow: &'a str,
    /// Name of this one of its flows, as results have it.
    pub name: &'a str,
    /// Address of the source of the data.
    pub source: Endpoint,
    /// Address of the end that takes the data.
    pub sink: Endpoint,
    /// True if the source is the UE, which opens connections.
    pub is_upload: bool,
    /// Bytes of the transfer; none for as many as the transport takes.
    pub size: Option<u64>,
}

/// Makes parts. Where one gives nothing, the scenario's part is made.
#[derive(Clone, Copy, Default)]
pub struct OwnParts<'a> {
    /// Congestion controllers.
    pub controller: Option<MakeController<'a>>,
    /// Queues of wired links.
    pub queue: Option<MakeQueue<'a>>,
    /// Sources of packets.
    pub pattern: Option<MakePattern<'a>>,
    /// Congestion controllers of QUIC, by quinn-proto's interface.
    #[cfg(feature = "stacks")]
    pub quic_controller: Option<MakeQuicController<'a>>,
    /// Stacks for flows of kind quic.
    #[cfg(feature = "stacks")]
    pub stacks: Option<MakeStacks<'a>>,
}

impl OwnParts<'_> {
    pub(super) fn controller(&self, flow: &str, name: &str) -> Option<Controller> {
        self.controller.and_then(|make| make(flow, name)).map(Controller::Custom)
    }

    /// Congestion control of so many connections of a flow of QUIC.
    #[cfg(feature = "stacks")]
    pub(super) fn congestion(
        &self,
        flow: &str,
        name: &str,
        connections: u32,
    ) -> Option<Congestion> {
        if let Some((name, factory)) = self.quic_controller.and_then(|make| make(flow, name)) {
            return Some(Congestion::Quinn { name, factory });
        }
        let make = self.controller?;
        let made = (0..connections).map(|_| make(flow, name)).collect::<Option<Vec<_>>>()?;
        let made: Vec<_> = made.into_iter().map(Some).collect();
        let made = Mutex::new(made);
        let take = move |number: u32| {
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            made.get_mut(number as usize).and_then(Option::take)
        };
        Some(Congestion::Airpath { name: format!("of {name}"), make: Arc::new(take) })
    }

    #[cfg(feature = "stacks")]
    pub(super) fn stacks(
        &self,
        flow: &StackFlow<'_>,
    ) -> Result<Option<[Box<dyn Stack>; 2]>, String> {
        self.stacks.map_or(Ok(None), |make| make(flow))
    }

    pub(super) fn queue(&self, link: &str) -> Option<QueueKind> {
        self.queue.and_then(|make| make(link)).map(QueueKind::Custom)
    }

    pub(super) fn pattern(&self, flow: &str, name: &str) -> Option<Box<dyn Pattern>> {
        self.pattern.and_then(|make| make(flow, name))
    }
}

//! Parts of the user's own, instead of those that the scenario names.

use airpath_media::Pattern;
use airpath_net::queue::{Queue, QueueKind};
use airpath_transport::control::{CongestionControl, Controller};

/// Makes the controller of what sends in a flow over TCP that is a transfer. Gets the name of the
/// flow in the file, and that of this one of its flows as results have it.
pub type MakeController<'a> = &'a dyn Fn(&str, &str) -> Option<Box<dyn CongestionControl>>;
/// Makes the queue of a link in one direction. Gets the name that results have of it.
pub type MakeQueue<'a> = &'a dyn Fn(&str) -> Option<Box<dyn Queue>>;
/// Makes what decides the packets of a flow of kind rtp without video. Gets names as
/// [`MakeController`].
pub type MakePattern<'a> = &'a dyn Fn(&str, &str) -> Option<Box<dyn Pattern>>;

/// Makes parts. Where one gives nothing, the scenario's part is made.
#[derive(Clone, Copy, Default)]
pub struct OwnParts<'a> {
    /// Congestion controllers.
    pub controller: Option<MakeController<'a>>,
    /// Queues of wired links.
    pub queue: Option<MakeQueue<'a>>,
    /// Sources of packets.
    pub pattern: Option<MakePattern<'a>>,
}

impl OwnParts<'_> {
    pub(super) fn controller(&self, flow: &str, name: &str) -> Option<Controller> {
        self.controller.and_then(|make| make(flow, name)).map(Controller::Custom)
    }

    pub(super) fn queue(&self, link: &str) -> Option<QueueKind> {
        self.queue.and_then(|make| make(link)).map(QueueKind::Custom)
    }

    pub(super) fn pattern(&self, flow: &str, name: &str) -> Option<Box<dyn Pattern>> {
        self.pattern.and_then(|make| make(flow, name))
    }
}

//! Takers of what an analysis finds.

use crate::host::HostRecord;
use crate::record::FlowRecord;
use crate::trace::Trace;
use crate::windows::Window;

/// Takes what is found.
pub trait Sink {
    /// A flow has ended.
    fn flow(&mut self, flow: &FlowRecord);
    /// Takes the packets of the flow before, if [`Options::trace`](crate::Options::trace) names it.
    fn trace(&mut self, _: &Trace) {}
    /// A host is over.
    fn host(&mut self, _: &HostRecord) {}
    /// Takes a window of bandwidth, if there are any ([`Options::windows`](crate::Options::windows)).
    fn window(&mut self, _: &Window) {}
}

/// All that is found, where it is not too much to keep.
#[derive(Debug, Default)]
pub struct Collected {
    /// Flows, in the order in which they ended.
    pub flows: Vec<FlowRecord>,
    /// Hosts, in the order in which they were over.
    pub hosts: Vec<HostRecord>,
    /// Bandwidth over time.
    pub windows: Vec<Window>,
}

impl Sink for &mut Collected {
    fn flow(&mut self, flow: &FlowRecord) {
        self.flows.push(flow.clone());
    }

    fn host(&mut self, host: &HostRecord) {
        self.hosts.push(host.clone());
    }

    fn window(&mut self, window: &Window) {
        self.windows.push(window.clone());
    }
}

impl<F: FnMut(&FlowRecord)> Sink for F {
    fn flow(&mut self, flow: &FlowRecord) {
        self(flow);
    }
}

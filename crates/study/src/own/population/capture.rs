//! The packets of some users as a capture, and what the analyser says of it.

use std::io;

use airpath_analyse::{Analyser, FlowRecord, HostRecord, Options, Radio, Sink};
use airpath_base::{Duration, Time};
use airpath_wire::pcapng::Writer;

use super::params::Params;
use super::plan::User;
use super::script;
use super::segments::Packets;

/// Beginning of the capture, since 1970.
const EPOCH: Duration = Duration::from_secs(1_350_000_000);

/// Records of the analyser.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) flows: Vec<FlowRecord>,
    pub(crate) hosts: Vec<HostRecord>,
}

impl Sink for &mut Found {
    fn flow(&mut self, flow: &FlowRecord) {
        self.flows.push(flow.clone());
    }

    fn host(&mut self, host: &HostRecord) {
        self.hosts.push(host.clone());
    }
}

/// The flows and hosts that the analyser finds in the users' packets.
pub(crate) fn analysed(params: &Params, users: &[User]) -> Found {
    let mut packets = Packets::default();
    for user in users {
        user.flows.iter().for_each(|plan| script::write(params, user.addr, plan, &mut packets));
    }
    let capture = bytes(&packets.sorted()).unwrap_or_default();
    let mut found = Found::default();
    let mut analyser = Analyser::with_sink(options(), &mut found);
    // An error of reading is ignored: the capture was written here, and an empty one has no flows.
    let _ = analyser.read("population", capture.as_slice());
    analyser.finish();
    found
}

/// Options of `airpath analyse --client 10.0.0.0/8 --radio lte`, as a user would call it.
fn options() -> Options {
    let clients = "10.0.0.0/8".parse().map(|net| vec![net]).unwrap_or_default();
    Options { clients, radio: Some(Radio::MOBISYS_2012), ..Options::default() }
}

fn bytes(packets: &Packets) -> io::Result<Vec<u8>> {
    let mut writer = Writer::new(Vec::new(), "airpath")?;
    let interface = writer.add_interface("monitor", 0)?;
    for n in 0..packets.index.len() {
        let Some((at, bytes, len)) = packets.get(n) else { break };
        let at: Time = at + EPOCH;
        writer.packet(interface, at, bytes, len, None)?;
    }
    writer.finish()
}

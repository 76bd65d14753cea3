//! Packets that came through the model and that no socket of a program had room for.
//!
//! Each network namespace counts them since it was made. They are datagrams beyond a receive
//! buffer, and segments that TCP discarded for want of memory or refused at a full backlog. Traffic
//! of programs within one namespace (loopback) counts too, as the kernel does not separate it.
//! Sources: proc_pid_net(5); Documentation/networking/snmp_counter.rst of Linux.

use std::ffi::CStr;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::AsFd as _;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use super::OsError;
use super::error::Step;
use super::forked::{Kind, at, forked};
use super::maker::Made;

/// Files of counters; without IPv6 there is no `snmp6`.
const FILES: [&CStr; 3] =
    [c"/proc/self/net/snmp", c"/proc/self/net/snmp6", c"/proc/self/net/netstat"];

/// Counters of datagrams that a socket had no room for, whatever the protocol's name before them.
const DATAGRAMS: [&str; 2] = ["RcvbufErrors", "MemErrors"];
/// Those of TCP (`TcpExt`): queues and backlogs that were full, and what was pruned from them.
const SEGMENTS: [&str; 5] =
    ["TCPRcvQDrop", "TCPBacklogDrop", "RcvPruned", "OfoPruned", "ListenDrops"];

/// Number of such packets in a network namespace since it was made.
pub(super) fn lost(made: &Made, net: usize) -> Result<u64, OsError> {
    let messages = forked(|hand| {
        made.enter(net).map_err(at(Step::Descriptor))?;
        for path in FILES {
            match open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
                Ok(file) => hand.over(Kind::Made, 0, &[file.as_fd()])?,
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(at(Step::Counters)(errno)),
            }
        }
        Ok(())
    })?;
    let mut sum = 0;
    for message in messages {
        if let Some(failure) = message.failure() {
            return Err(OsError::system(failure.step.what(), failure.errno));
        }
        for descriptor in message.descriptors {
            let mut text = String::new();
            let read = File::from(descriptor).read_to_string(&mut text);
            read.map_err(|error| OsError::system(Step::Counters.what(), error))?;
            sum += counted(&text);
        }
    }
    Ok(sum)
}

/// Sum of these counters in a file. One form of a file has a line of names for each protocol and a
/// line of values behind it. The other has a name and its value in each line.
fn counted(text: &str) -> u64 {
    let mut sum = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        match first.strip_suffix(':') {
            None => sum += value(first, words.next()),
            Some(protocol) => {
                let values = lines.next().unwrap_or_default().split_whitespace().skip(1);
                let pairs = words.zip(values);
                sum += pairs.map(|(name, of)| value(&full(protocol, name), Some(of))).sum::<u64>();
            }
        }
    }
    sum
}

/// `UdpRcvbufErrors` of protocol and name, as `snmp6` writes it.
fn full(protocol: &str, name: &str) -> String {
    format!("{protocol}{name}")
}

/// The value, if the counter is one of those that are added up.
fn value(name: &str, of: Option<&str>) -> u64 {
    let datagrams = ["Udp6", "UdpLite6", "UdpLite", "Udp"]
        .into_iter()
        .find_map(|protocol| name.strip_prefix(protocol).filter(|rest| DATAGRAMS.contains(rest)));
    let segments = name.strip_prefix("TcpExt").filter(|rest| SEGMENTS.contains(rest));
    match datagrams.or(segments) {
        Some(_) => of.and_then(|of| of.parse().ok()).unwrap_or(0),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of Linux 6.8, cut; numbers by hand.
    const SNMP: &str = "\
Ip: Forwarding DefaultTTL InReceives InDiscards
Ip: 2 64 900 3
Tcp: RtoAlgorithm ActiveOpens InErrs
Tcp: 1 4 7
Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors MemErrors
Udp: 1000 5 70 20 60 9 0 4
UdpLite: InDatagrams InErrors RcvbufErrors
UdpLite: 0 0 2
";
    const SNMP6: &str = "\
Ip6InReceives                   \t12
Udp6InErrors                    \t800
Udp6RcvbufErrors                \t500
Udp6MemErrors                   \t30
UdpLite6RcvbufErrors            \t1
";
    const NETSTAT: &str = "\
TcpExt: SyncookiesSent ListenOverflows ListenDrops RcvPruned OfoPruned TCPBacklogDrop TCPRcvQDrop TCPLossProbes
TcpExt: 1 11 11 100 10 1000 10000 99
IpExt: InNoRoutes InOctets
IpExt: 0 123456
";

    #[test]
    fn what_sockets_had_no_room_for_is_added_up() {
        assert_eq!(counted(SNMP), 60 + 4 + 2);
        assert_eq!(counted(SNMP6), 500 + 30 + 1);
        assert_eq!(counted(NETSTAT), 11 + 100 + 10 + 1000 + 10000);
        assert_eq!(counted("") + counted("Udp:") + counted("Udp6RcvbufErrors"), 0);
    }

    #[test]
    fn the_kernel_has_these_counters() {
        let names = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let (snmp, netstat) = (names("/proc/self/net/snmp"), names("/proc/self/net/netstat"));
        assert!(snmp.contains(" RcvbufErrors"), "{snmp}");
        for name in ["TCPRcvQDrop", "TCPBacklogDrop", "RcvPruned", "OfoPruned", "ListenDrops"] {
            assert!(netstat.contains(name), "{name}: {netstat}");
        }
    }
}

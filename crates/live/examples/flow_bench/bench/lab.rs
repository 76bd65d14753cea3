//! Path in wires between two hosts of real TCP, by the clock: delay, a queue each way, losses and
//! packets that overtake others. It writes what passes the middle, the fates of all packets, and
//! whether the machine kept up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU64;
use std::os::fd::BorrowedFd;
use std::path::Path;

use airpath_live::os::{Child, Plan, Program, Session, Side, UeNet, urgent};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::thread::set_current_timer_slack;
use rustix::time::{ClockId, clock_gettime};

use super::draw::Draw;
use super::machine::{Load, Machine};
use super::model::{Packet, save};
use super::pcap::{self, Taken};
use super::record::{SERVER, START_MS, UE};
use super::segment::Segment;
use super::way::Way;

/// From the start of programs to the beginning of the world's time, in nanoseconds.
const LEAD: u64 = 100_000_000;
/// Time after the flow in which packets are carried. Hosts go away then, and packets to them would
/// come back for ever.
const AFTER_MS: u64 = 90;
/// Packets of a device before the other has its turn.
const TURN: usize = 32;

/// Runs the two scripts of a folder with the path between them.
///
/// # Errors
///
/// Step that failed.
pub fn run(folder: &Path) -> io::Result<()> {
    let draw: Draw = serde_json::from_str(&fs::read_to_string(folder.join("draw.json"))?)?;
    let session = Session::create(plan()).map_err(io::Error::other)?;
    urgent();
    let _ = set_current_timer_slack(Some(NonZeroU64::MIN));
    let origin = clock(ClockId::Monotonic) + LEAD;
    let unix = clock(ClockId::Realtime) + LEAD;
    let spawn = |side: Side, name: &str| -> io::Result<Child> {
        let mut program = Program::line(&format!("sh '{}'", folder.join(name).display()));
        program.variable("AIRPATH_ORIGIN", origin.to_string());
        session.spawn(side, program).map_err(io::Error::other)
    };
    let load = Load::now();
    let _server = spawn(Side::Server, "server.sh")?;
    let mut client = spawn(Side::Ue(0), "a.sh")?;
    let mut lab = Lab::new(&draw, [session.server_tun(), session.ue_tun(0)], origin);
    while client.try_wait()?.is_none() {
        lab.turn()?;
    }
    lab.machine.unread =
        [Side::Server, Side::Ue(0)].map(|side| session.unread(side).unwrap_or(0)).iter().sum();
    lab.machine.close(&load);
    lab.save(folder, unix)
}

fn plan() -> Plan {
    let address = |text: &str| text.parse::<Ipv4Addr>().expect("an address");
    let six = |host| Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, host);
    Plan {
        ues: vec![UeNet { name: "a".to_owned(), v4: address(UE), v6: six(2) }],
        server_v4: address(SERVER),
        server_v6: six(1),
        mtu: 1500,
        outside: false,
        settings: Vec::new(),
    }
}

/// A packet on its way: time of its arrival, its number, and the device.
type Due = Reverse<(u64, usize, usize)>;

struct Lab<'a> {
    devices: [BorrowedFd<'a>; 2],
    /// From the server, from the client.
    ways: [Way; 2],
    origin: u64,
    /// Time from which nothing is carried.
    end: u64,
    due: BinaryHeap<Due>,
    bytes: Vec<Vec<u8>>,
    fates: Vec<Packet>,
    middle: Vec<(u64, usize)>,
    snap: usize,
    machine: Machine,
}

impl<'a> Lab<'a> {
    fn new(draw: &Draw, devices: [BorrowedFd<'a>; 2], origin: u64) -> Lab<'a> {
        Lab {
            devices,
            ways: [Way::of(draw, !draw.up), Way::of(draw, draw.up)],
            origin,
            end: (START_MS + draw.lasts_ms + AFTER_MS) * 1_000_000,
            due: BinaryHeap::new(),
            bytes: Vec::new(),
            fates: Vec::new(),
            middle: Vec::new(),
            snap: draw.taking.snap as usize,
            machine: Machine::default(),
        }
    }

    fn now(&self) -> u64 {
        clock(ClockId::Monotonic).saturating_sub(self.origin)
    }

    /// Does what is due, and waits until there is more to do.
    fn turn(&mut self) -> io::Result<()> {
        self.deliver();
        for device in 0..2 {
            self.fetch(device)?;
        }
        // A look at the client is due after that time at the latest.
        let next = self.due.peek().map_or(u64::MAX, |Reverse((at, ..))| *at);
        let left = next.saturating_sub(self.now()).min(50_000_000);
        let left = Timespec { tv_sec: 0, tv_nsec: left as i64 };
        let mut all = self.devices.map(|device| PollFd::from_borrowed_fd(device, PollFlags::IN));
        match poll(&mut all, Some(&left)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Hands out what has arrived.
    fn deliver(&mut self) {
        while let Some(Reverse((at, number, device))) = self.due.peek().copied() {
            let now = self.now();
            if at > now {
                return;
            }
            self.due.pop();
            match write(self.devices[device], &self.bytes[number]) {
                Ok(_) => self.machine.left(now - at),
                Err(_) => self.machine.refused += 1,
            }
            self.bytes[number].truncate(self.snap);
            self.bytes[number].shrink_to_fit();
        }
    }

    /// Reads what a host has sent.
    fn fetch(&mut self, device: usize) -> io::Result<()> {
        let mut buffer = [0; 2048];
        for _ in 0..TURN {
            let length = match read(self.devices[device], &mut buffer) {
                Ok(length) => length,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(errno.into()),
            };
            if self.now() > self.end {
                continue;
            }
            let packet = &buffer[..length];
            let segment = Segment::of(packet);
            let fate = self.ways[device].enter(self.now(), length as u64, segment);
            let number = self.bytes.len();
            self.bytes.push(packet.to_vec());
            self.fates.push(fate.packet);
            self.middle.extend(fate.middle.map(|at| (at, number)));
            self.due.extend(fate.arrives.map(|at| Reverse((at, number, 1 - device))));
        }
        Ok(())
    }

    fn save(self, folder: &Path, unix: u64) -> io::Result<()> {
        let taken = self.middle.iter().map(|(at, number)| Taken {
            unix_ns: unix + at,
            bytes: self.fates[*number].bytes as u32,
            kept: self.bytes[*number].iter().copied().take(self.snap).collect(),
        });
        pcap::write(&folder.join("middle.pcap"), self.snap as u32, taken.collect())?;
        save(&folder.join("packets.txt"), &self.fates)?;
        fs::write(folder.join("machine.json"), serde_json::to_string(&self.machine)?)
    }
}

fn clock(which: ClockId) -> u64 {
    let now = clock_gettime(which);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

//! Fates of a flow's packets: from the tables that `airpath emulate` writes, or from the relay.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use airpath_results::{Table, TableError, TableReader};

use super::draw::Draw;
use super::record::START_MS;
use super::special::NO_SIGNAL;

/// Time that a packet lies in the cell, while none leaves it, for a gap of the radio.
const GAP: u64 = 200_000_000;
/// A wait for a phone that sleeps or wakes up counts from this on.
const WOKEN: u64 = 20_000_000;

/// A packet of the model; times in nanoseconds of the world.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    /// True if it belongs to the judged flow, not to another one.
    pub own: bool,
    /// True if it goes in the direction of the data.
    pub data: bool,
    /// Its bytes.
    pub bytes: u64,
    /// Time at which it was sent.
    pub born: u64,
    /// Time at which it arrived or was dropped.
    pub ended: u64,
    /// Cause of its drop.
    pub dropped: Option<Drop>,
    /// From when to when it kept the bottleneck at work: waited there, or was being sent.
    pub busy: [u64; 2],
    /// Time in queues.
    pub queued: u64,
    /// From when to when the radio could have carried it, and time for the phone to wake up.
    pub radio: Option<([u64; 2], u64)>,
    /// End of its data by sequence number, if it has any.
    pub end: Option<u32>,
    /// True if it passes the middle.
    pub passes: bool,
}

/// Cause of a packet's drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drop {
    /// A queue was full, or kept short.
    Queue,
    /// By chance, and on a path that is dead.
    Random,
}

/// Fates of packets, in the order of their births.
pub struct Model {
    /// All packets.
    pub packets: Vec<Packet>,
    /// Intervals in which the radio kept data waiting for another reason than its rate: from, to.
    pub radio: Vec<[u64; 2]>,
    /// Intervals in which the phone slept: from, to.
    pub asleep: Vec<[u64; 2]>,
}

impl Model {
    /// Reads the tables.
    ///
    /// # Errors
    ///
    /// If a table cannot be read.
    pub fn read(draw: &Draw, folder: &Path) -> io::Result<Model> {
        if !draw.cell {
            let text = fs::read_to_string(folder.join("packets.txt"))?;
            let packets = text.lines().filter_map(packet).collect();
            return Ok(Model { packets, radio: Vec::new(), asleep: Vec::new() });
        }
        Model::of_cell(draw, folder).map_err(io::Error::other)
    }

    fn of_cell(draw: &Draw, folder: &Path) -> Result<Model, TableError> {
        let table = TableReader::open(&folder.join("results/packets.parquet"))?.all()?;
        let mut packets = packets(draw, &table);
        packets.sort_by_key(|packet| packet.born);
        let asleep = match draw.rrc {
            Some(_) => {
                let table = TableReader::open(&folder.join("results/states.parquet"))?.all()?;
                asleep(&table)
            }
            None => Vec::new(),
        };
        let mut model = Model { packets, radio: Vec::new(), asleep };
        let mut gaps = model.gaps();
        gaps.extend(silent(draw));
        model.radio = union(gaps);
        Ok(model)
    }

    /// Share of a time in which the narrow link of a direction had something to send, and the share
    /// of others in that. The direction is that of the data, or the way back.
    pub fn busy(&self, from: u64, to: u64, data: bool) -> (f64, f64) {
        let (mut until, mut busy) = (from, 0);
        let (mut own, mut others) = (0, 0);
        // No packet waits longer than that.
        let earliest = from.saturating_sub(20_000_000_000);
        let first = self.packets.partition_point(|packet| packet.born < earliest);
        let window = self.packets[first..].iter().take_while(|packet| packet.born < to);
        for packet in window.filter(|packet| packet.data == data && packet.busy[1] > from) {
            let [begin, end] = [packet.busy[0].max(until), packet.busy[1].min(to)];
            busy += end.saturating_sub(begin);
            until = until.max(end);
            *if packet.own { &mut own } else { &mut others } += packet.bytes;
        }
        let share = others as f64 / (own + others).max(1) as f64;
        (busy as f64 / (to - from).max(1) as f64, share)
    }

    /// Bytes of the flow's data that its host sent in a time.
    pub fn sent(&self, from: u64, to: u64) -> u64 {
        let first = self.packets.partition_point(|packet| packet.born < from);
        let sent = self.packets[first..].iter().take_while(|packet| packet.born < to);
        sent.filter(|packet| packet.own && packet.data).map(|packet| packet.bytes).sum()
    }

    /// Number of packets of the flow's data that its host sent in a time.
    pub fn packets_sent(&self, from: u64, to: u64) -> usize {
        let first = self.packets.partition_point(|packet| packet.born < from);
        let sent = self.packets[first..].iter().take_while(|packet| packet.born < to);
        sent.filter(|packet| packet.own && packet.data).count()
    }

    /// Mean time in queues of the flow's data that was sent in a time, or of the acknowledgements,
    /// in milliseconds.
    pub fn queue_ms(&self, from: u64, to: u64, data: bool) -> Option<f64> {
        let first = self.packets.partition_point(|packet| packet.born < from);
        let sent = self.packets[first..].iter().take_while(|packet| packet.born < to);
        let waits = sent.filter(|p| p.own && p.data == data && p.dropped.is_none());
        let (sum, count) =
            waits.fold((0.0, 0), |(sum, count), p| (sum + p.queued as f64, count + 1));
        (count > 0).then(|| sum / 1e6 / f64::from(count))
    }

    /// Number of packets of the flow's data that were dropped in a time: by a queue, at random.
    pub fn drops(&self, from: u64, to: u64) -> [u32; 2] {
        let mut drops = [0; 2];
        for packet in self.packets.iter().filter(|p| p.own && p.data) {
            match packet.dropped.filter(|_| (from..to).contains(&packet.ended)) {
                Some(Drop::Queue) => drops[0] += 1,
                Some(Drop::Random) => drops[1] += 1,
                None => {}
            }
        }
        drops
    }

    /// Number of the flow's segments sent again in a time, as far as it can be known at the middle and
    /// at the receiver. A segment is known if the same data or later data has passed there before.
    pub fn again(&self, from: u64, to: u64) -> [u32; 2] {
        let points: [fn(&Packet) -> bool; 2] = [|packet| packet.passes, |p| p.dropped.is_none()];
        points.map(|is_there| {
            let (mut highest, mut count) = (None, 0);
            for packet in self.packets.iter().filter(|p| p.own && p.data && is_there(p)) {
                let Some(end) = packet.end else { continue };
                // Sequence numbers are compared modulo 2^32 (RFC 9293, 3.4).
                let grows = highest.is_none_or(|known| end.wrapping_sub(known) as i32 > 0);
                count += u32::from(!grows && (from..to).contains(&packet.born));
                highest = if grows { Some(end) } else { highest };
            }
            count
        })
    }

    /// Share of a time in which the radio kept data waiting for another reason than its rate.
    pub fn radio(&self, from: u64, to: u64) -> f64 {
        overlap(&self.radio, from, to) as f64 / (to - from).max(1) as f64
    }

    /// Intervals in which packets lay in the cell and none left it, or waited for the phone to wake
    /// up.
    fn gaps(&self) -> Vec<[u64; 2]> {
        let own = || self.packets.iter().filter(|packet| packet.own);
        let mut left: Vec<u64> = own().filter(|p| p.radio.is_some()).map(|p| p.ended).collect();
        left.sort_unstable();
        let mut gaps = Vec::new();
        for packet in own() {
            let Some(([from, to], wake)) = packet.radio else { continue };
            if wake > WOKEN {
                gaps.push([from - wake.min(from), from]);
            }
            let before = left.partition_point(|time| *time <= from);
            let mut since = from;
            for time in &left[before..] {
                if *time - since > GAP {
                    gaps.push([since, (*time).min(to)]);
                }
                since = *time;
                if since >= to {
                    break;
                }
            }
            let slept = overlap(&self.asleep, from, to);
            if slept > WOKEN {
                let end = self.asleep.iter().map(|stay| stay[1].min(to)).filter(|end| *end > from);
                gaps.push([from, end.max().unwrap_or(to)]);
            }
        }
        gaps
    }
}

/// Spans without a signal.
fn silent(draw: &Draw) -> Vec<[u64; 2]> {
    let times = draw.changes.iter().map(|(at, _)| (START_MS + at) * 1_000_000).chain([u64::MAX]);
    let spans = draw.changes.iter().zip(times.skip(1));
    let silent = spans.filter(|((_, set), _)| set.contains(NO_SIGNAL));
    silent.map(|((at, _), end)| [(START_MS + at) * 1_000_000, end]).collect()
}

/// Writes the fates that a relay knows.
///
/// # Errors
///
/// If the file cannot be written.
pub fn save(path: &Path, all: &[Packet]) -> io::Result<()> {
    let mut text = String::new();
    for packet in all {
        let Packet { bytes, born, ended, dropped, busy: [from, to], queued, .. } = packet;
        let dropped = dropped.map_or(0, |dropped| 1 + dropped as u8);
        let [own, data, passes] = [packet.own, packet.data, packet.passes].map(u8::from);
        let end = packet.end.map_or(0, |end| u64::from(end) + 1);
        writeln!(
            text,
            "{own} {data} {passes} {bytes} {born} {ended} {dropped} {from} {to} {queued} {end}"
        )
        .expect("a string");
    }
    fs::write(path, text)
}

/// A line of them.
fn packet(line: &str) -> Option<Packet> {
    let numbers: Vec<u64> = line.split(' ').filter_map(|text| text.parse().ok()).collect();
    let [own, data, passes, bytes, born, ended, dropped, from, to, queued, end] =
        numbers.try_into().ok()?;
    Some(Packet {
        own: own == 1,
        data: data == 1,
        bytes,
        born,
        ended,
        dropped: [None, Some(Drop::Queue), Some(Drop::Random)][dropped as usize],
        busy: [from, to],
        queued,
        radio: None,
        end: end.checked_sub(1).map(|end| end as u32),
        passes: passes == 1,
    })
}

fn packets(draw: &Draw, table: &Table) -> Vec<Packet> {
    let integers = |name: &str| table.integers(name).unwrap_or_default();
    let stages = [
        "wired_queue_ns",
        "wired_ns",
        "rrc_ns",
        "pdcp_ns",
        "uplink_access_ns",
        "rlc_ns",
        "processing_ns",
    ];
    let stages = stages.map(integers);
    let (born, ended, size) = (integers("born_ns"), integers("ended_ns"), integers("size"));
    let flows = table.texts("flow").unwrap_or_default();
    let causes = table.texts("dropped").unwrap_or_default();
    let way = if draw.up { "up" } else { "down" };
    let number = |value: Option<i64>| value.unwrap_or(0).max(0) as u64;
    (0..table.rows())
        .map(|row| {
            let [queue, wired, rrc, pdcp, access, rlc, other] =
                [0, 1, 2, 3, 4, 5, 6].map(|stage| number(stages[stage][row]));
            let (name, direction) = flows[row].and_then(|f| f.split_once(' ')).unwrap_or_default();
            let (born, ended, data) = (number(born[row]), number(ended[row]), direction == way);
            let bytes = number(size[row]);
            let enters = if direction == "down" { born + queue + wired + other } else { born };
            let leaves = ended
                - if direction == "down" { 0 } else { (queue + wired + other).min(ended - born) };
            let radio = [enters + rrc, leaves];
            let begin = enters + rrc + access;
            let busy = [begin, begin + pdcp + rlc + 1_000_000];
            let dropped = causes[row].map(|cause| match cause {
                "random_loss" | "periodic_loss" => Drop::Random,
                _ => Drop::Queue,
            });
            Packet {
                own: name == "a",
                data,
                bytes,
                born,
                ended,
                dropped,
                busy: if dropped.is_some() { [born, born] } else { busy },
                queued: queue + pdcp + rlc,
                radio: dropped.is_none().then_some((radio, rrc)),
                end: None,
                passes: false,
            }
        })
        .collect()
}

/// Intervals in which the phone slept.
fn asleep(table: &Table) -> Vec<[u64; 2]> {
    let integers = |name: &str| table.integers(name).unwrap_or_default();
    let states = table.texts("state").unwrap_or_default();
    let stays = integers("start_ns").into_iter().zip(integers("end_ns")).zip(states);
    let asleep = stays.filter(|(_, state)| state.is_some_and(|state| state.ends_with("drx")));
    let number = |value: Option<i64>| value.unwrap_or(0).max(0) as u64;
    asleep.map(|((from, to), _)| [number(from), number(to)]).collect()
}

/// Intervals that overlap made one, in order.
fn union(mut all: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    all.sort_unstable();
    let mut joined: Vec<[u64; 2]> = Vec::new();
    for [from, to] in all {
        match joined.last_mut().filter(|last| last[1] >= from) {
            Some(last) => last[1] = last[1].max(to),
            None => joined.push([from, to]),
        }
    }
    joined
}

/// Part of a time in intervals that do not overlap.
fn overlap(all: &[[u64; 2]], from: u64, to: u64) -> u64 {
    all.iter().map(|[begin, end]| (*end).min(to).saturating_sub((*begin).max(from))).sum()
}

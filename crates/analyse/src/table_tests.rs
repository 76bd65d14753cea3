use std::sync::LazyLock;

use airpath_wire::{Endpoint, Protocol, TcpRepr, Tuple};

use super::*;
use crate::decode::Layer;

static SEGMENT: LazyLock<TcpRepr> = LazyLock::new(TcpRepr::default);
static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

fn unit(client: u16, seconds: u64) -> Unit<'static> {
    let src = Endpoint::new([10, 0, 0, 1], client);
    let tuple = Tuple { src, dst: Endpoint::new([192, 0, 2, 1], 80), protocol: Protocol::TCP };
    let (key, side) = Key::new(&tuple);
    let at = Time::from_millis(1000 * seconds);
    let transport = Layer::Tcp(&SEGMENT);
    let hash = HASHER.hash_one(key);
    let (cut, options, data) = (false, &[][..], &[][..]);
    Unit {
        at,
        timed: true,
        interface: 0,
        number: 1,
        len: 60,
        key,
        hash,
        side,
        tos: 0,
        ident: 0,
        cut,
        transport,
        options,
        data,
    }
}

/// A table whose memory is for so many flows, and that has seen flows of these clients.
fn table(flows: usize, clients: impl Iterator<Item = u16>) -> Table {
    let memory = flows * (size_of::<Flow>() + OVERHEAD);
    let mut table = Table::new(Duration::from_secs(100), HASHER.clone());
    table.limit(memory);
    for client in clients {
        let unit = unit(client, 0);
        assert_eq!(table.find(&unit), None);
        table.begin(&unit);
    }
    table
}

#[test]
fn a_flow_is_found_until_it_ends() {
    let mut table = table(10_000, 0..5000);
    let seen = unit(1234, 1);
    let n = table.find(&seen).unwrap();
    assert_eq!(table.end(n).map(|flow| flow.key), Some(seen.key));
    assert_eq!(table.find(&seen), None);
    assert_eq!(table.live().count(), 4999);
}

#[test]
fn what_is_idle_ends_and_what_is_active_stays() {
    let mut table = table(100, 0..2);
    let seen = unit(1, 50);
    let n = table.find(&seen).unwrap();
    table.flow(n).last = seen.at;
    let at = |seconds: u64| Time::from_millis(1000 * seconds);
    assert!(table.expired(at(99)).is_none());
    let flow = table.peek(n);
    assert!(!table.is_expired(flow, at(149)) && table.is_expired(flow, at(150)));
    let (flow, over) = table.expired(at(100)).unwrap();
    assert_eq!((flow.key.port(0), over), (0, EndCause::Time));
    assert!(table.expired(at(149)).is_none());
    assert!(table.expired(at(150)).is_some() && table.expired(at(9999)).is_none());
}

#[test]
fn the_memory_is_for_so_many_flows() {
    let mut table = table(100, 0..150);
    let ended = std::iter::from_fn(|| table.expired(Time::ZERO)).count();
    assert_eq!((ended, table.live().count()), (50, 100));
}

#[test]
fn queues_do_not_grow_with_flows_that_are_gone() {
    let mut table = table(100, 0..0);
    for n in 0..100_000u32 {
        let seen = unit((n % 60_000) as u16, 0);
        let n = table.begin(&seen);
        table.end(n);
    }
    assert!(table.idle.len() + table.short.len() <= 2 * (CHUNK + 2), "{}", table.idle.len());
    assert_eq!(table.chunks.len(), 1);
}

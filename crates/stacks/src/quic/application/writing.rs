//! Data that an application writes to the streams of a connection.

use bytes::Bytes;
use quinn_proto::{Connection, Dir, StreamId, WriteError};

/// Data of a stream: zeros.
static ZEROS: [u8; 65_536] = [0; 65_536];

/// Streams of a connection to which an application writes.
#[derive(Debug, Default)]
pub(in super::super) struct Writing {
    streams: Vec<Unwritten>,
    /// Streams that are not yet acknowledged whole.
    open: Vec<StreamId>,
    begun: bool,
    /// True if a stream takes data.
    ready: bool,
}

/// Data that a stream has still to take.
#[derive(Debug)]
struct Unwritten {
    id: StreamId,
    /// False until the stream takes data again.
    ready: bool,
    head: Bytes,
    /// Bytes behind the head; none for no end.
    left: Option<u64>,
}

impl Writing {
    /// Opens the streams of a source once. The connection is number `n` of `all`, among which `bytes` is shared.
    pub fn begin(
        &mut self,
        connection: &mut Connection,
        (bytes, streams): (Option<u64>, u32),
        (n, all): (u32, u32),
    ) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        let parts = u64::from(all) * u64::from(streams);
        for k in 0..streams {
            let Some(id) = connection.streams().open(Dir::Uni) else { break };
            let part = u64::from(n) * u64::from(streams) + u64::from(k);
            self.push(id, Bytes::new(), bytes.map(|bytes| share(bytes, part, parts)));
        }
    }

    /// Adds a stream that takes `head`, and behind it so many bytes; none for no end.
    pub fn push(&mut self, id: StreamId, head: Bytes, left: Option<u64>) {
        self.streams.push(Unwritten { id, ready: true, head, left });
        self.open.push(id);
        self.ready = true;
    }

    /// A stream takes data again.
    pub fn writable(&mut self, id: StreamId) {
        if let Some(own) = self.streams.iter_mut().find(|own| own.id == id) {
            own.ready = true;
            self.ready = true;
        }
    }

    /// Writes as much as the streams take.
    pub fn write(&mut self, connection: &mut Connection) {
        if std::mem::take(&mut self.ready) {
            self.streams.retain_mut(|own| !own.ready || !own.write(connection));
        }
    }

    /// All data of a stream have been acknowledged, or the peer has stopped it.
    pub fn acknowledged(&mut self, id: StreamId) {
        self.open.retain(|open| *open != id);
    }

    /// True if all streams are acknowledged.
    pub fn is_acknowledged(&self) -> bool {
        self.open.is_empty()
    }
}

impl Unwritten {
    /// Writes as much as the stream takes. True if it has ended.
    fn write(&mut self, connection: &mut Connection) -> bool {
        let mut stream = connection.send_stream(self.id);
        while self.left != Some(0) || !self.head.is_empty() {
            let most = self.left.map_or(ZEROS.len(), |left| ZEROS.len().min(left as usize));
            let head = self.head.len();
            let data =
                if head > 0 { self.head.clone() } else { Bytes::from_static(&ZEROS[..most]) };
            match stream.write_chunks(&mut [data]) {
                Ok(written) if head > 0 => self.head = self.head.slice(written.bytes..),
                Ok(written) => self.left = self.left.map(|left| left - written.bytes as u64),
                Err(WriteError::Blocked) => {
                    self.ready = false;
                    return false;
                }
                Err(_) => return true,
            }
        }
        _ = stream.finish();
        true
    }
}

/// Share of one of so many parts in bytes: the first ones have one more.
fn share(bytes: u64, part: u64, parts: u64) -> u64 {
    bytes / parts + u64::from(part < bytes % parts)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn shares_add_up() {
        for (bytes, parts) in [(10, 3), (2, 5), (0, 1), (7, 7)] {
            assert_eq!((0..parts).map(|part| share(bytes, part, parts)).sum::<u64>(), bytes);
        }
        assert_eq!([0, 1, 2].map(|part| share(10, part, 3)), [4, 3, 3]);
    }
}

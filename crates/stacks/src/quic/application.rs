//! Applications of an end: what it writes to streams, and what it reads.

use bytes::Bytes;
use quinn_proto::{Connection, Dir, StreamId};

/// Data of a stream: zeros.
static ZEROS: [u8; 65_536] = [0; 65_536];

/// Application of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Application {
    /// Writes to unidirectional streams.
    Source {
        /// Bytes of all streams together; none for as many as the transport takes.
        bytes: Option<u64>,
        /// Streams of each connection, at least one.
        streams: u32,
    },
    /// Reads all streams.
    Sink {
        /// Bytes with which the transfer is complete.
        expected: Option<u64>,
    },
}

/// Streams of a connection to which an application writes.
#[derive(Debug, Default)]
pub(super) struct Writing {
    /// Open streams, each with the bytes that it has still to write; none for no end.
    streams: Vec<(StreamId, Option<u64>)>,
    /// Streams that are not yet acknowledged whole.
    open: Vec<StreamId>,
    begun: bool,
    stopped: bool,
}

impl Writing {
    /// Opens the streams of a connection that is number `n` of `all`, if it is time, and writes as much as it takes.
    pub fn write(
        &mut self,
        connection: &mut Connection,
        application: Application,
        (n, all): (u32, u32),
    ) {
        let Application::Source { bytes, streams } = application else { return };
        if !self.stopped && !std::mem::replace(&mut self.begun, true) {
            let parts = u64::from(all) * u64::from(streams);
            for k in 0..streams {
                let Some(id) = connection.streams().open(Dir::Uni) else { break };
                let part = u64::from(n) * u64::from(streams) + u64::from(k);
                self.streams.push((id, bytes.map(|bytes| share(bytes, part, parts))));
                self.open.push(id);
            }
        }
        self.streams.retain_mut(|(id, left)| !write(connection, *id, left));
    }

    /// Nothing more is written; what the streams have is sent.
    pub fn stop(&mut self, connection: &mut Connection) {
        self.stopped = true;
        for (id, _) in self.streams.drain(..) {
            // A stream that the peer has stopped has ended.
            _ = connection.send_stream(id).finish();
        }
    }

    /// All data of a stream have been acknowledged, or the peer has stopped it.
    pub fn acknowledged(&mut self, id: StreamId) {
        self.open.retain(|open| *open != id);
    }

    /// True if the application has stopped, and all its streams are acknowledged.
    pub fn is_over(&self) -> bool {
        self.stopped && self.open.is_empty()
    }
}

/// Share of one of so many parts in bytes: the first ones have one more.
fn share(bytes: u64, part: u64, parts: u64) -> u64 {
    bytes / parts + u64::from(part < bytes % parts)
}

/// Writes as much as a stream takes. True if it has ended.
fn write(connection: &mut Connection, id: StreamId, left: &mut Option<u64>) -> bool {
    let mut stream = connection.send_stream(id);
    while *left != Some(0) {
        let most = left.map_or(ZEROS.len(), |left| ZEROS.len().min(left as usize));
        match stream.write_chunks(&mut [Bytes::from_static(&ZEROS[..most])]) {
            Ok(written) => *left = left.map(|left| left - written.bytes as u64),
            Err(quinn_proto::WriteError::Blocked) => return false,
            Err(_) => return true,
        }
    }
    _ = stream.finish();
    true
}

/// Reads all data of a stream that are there, in order. Gives their bytes, and whether the stream has ended.
pub(super) fn read(connection: &mut Connection, id: StreamId) -> (u64, bool) {
    let mut stream = connection.recv_stream(id);
    let Ok(mut chunks) = stream.read(true) else { return (0, false) };
    let (mut bytes, mut ended) = (0, false);
    while let Ok(chunk) = chunks.next(usize::MAX) {
        let Some(chunk) = chunk else {
            ended = true;
            break;
        };
        bytes += chunk.bytes.len() as u64;
    }
    // The caller sends what is to be sent in any case.
    _ = chunks.finalize();
    (bytes, ended)
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

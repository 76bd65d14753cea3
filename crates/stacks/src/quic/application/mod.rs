//! Applications of an end: what it writes to streams and datagrams, and what it reads.

mod asking;
mod datagrams;
mod writing;

use airpath_base::Duration;
use airpath_traffic::Behaviour;
use quinn_proto::{Connection, StreamId};

pub(super) use asking::{Answering, Asking};
pub(super) use datagrams::Datagrams;
pub(super) use writing::Writing;

/// Application of an end.
#[derive(Clone, Debug)]
pub enum Application {
    /// Writes to unidirectional streams.
    Source {
        /// Bytes of all streams together; none for as many as the transport takes.
        bytes: Option<u64>,
        /// Streams of each connection, at least one.
        streams: u32,
    },
    /// Reads all streams and datagrams.
    Sink {
        /// Bytes with which the transfer is complete.
        expected: Option<u64>,
    },
    /// Sends datagrams of equal size at equal intervals (RFC 9221), on the first connection.
    Datagrams {
        /// Bytes of each.
        payload: u32,
        /// Time between two.
        interval: Duration,
    },
    /// Sends requests, each on a bidirectional stream, and reads the responses.
    Client {
        /// Times and sizes of its requests.
        behaviour: Box<Behaviour>,
        /// Bytes of a request, at least [`LEAST_REQUEST`].
        request: u64,
        /// Most requests at a time on a connection.
        streams: u32,
    },
    /// Answers requests. The first bytes of a request are the size of its response.
    Server {
        /// Time from the end of a request to its response.
        reply_delay: Duration,
    },
}

/// Bytes of a request that hold the size of its response.
pub const LEAST_REQUEST: u64 = 8;

impl Application {
    /// True if it sends the data of its flow.
    pub(super) fn sends(&self) -> bool {
        use Application::{Datagrams, Server, Source};
        matches!(self, Source { .. } | Datagrams { .. } | Server { .. })
    }
}

/// Reads all data of a stream that are there, in order. Gives their bytes to `take`, and whether the stream has ended.
pub(super) fn read(connection: &mut Connection, id: StreamId, mut take: impl FnMut(&[u8])) -> bool {
    let mut stream = connection.recv_stream(id);
    let Ok(mut chunks) = stream.read(true) else { return false };
    let mut ended = false;
    while let Ok(chunk) = chunks.next(usize::MAX) {
        let Some(chunk) = chunk else {
            ended = true;
            break;
        };
        take(&chunk.bytes);
    }
    // The caller sends what is to be sent in any case.
    _ = chunks.finalize();
    ended
}

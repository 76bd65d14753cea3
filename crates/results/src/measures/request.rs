//! Quantities of a request and its response: columns of `requests.parquet`.

use airpath_base::measure::{BYTES, MS, NS};
use airpath_base::{Time, row};
use airpath_net::Exchange;

row! {
    from |(flow, request): (&'a str, &Exchange)|
    /// A request and its response, in the order in which they ended.
    pub(crate) struct Request<'a> {
        /// Name of the flow.
        flow: &'a str = flow,
        /// Number of the request within its flow, from 0.
        number: u64 = request.number,
        /// Number of its connection within the flow, from 0.
        connection: u32 = request.connection,
        /// Time of the request.
        asked_ns: u64 [NS] = request.asked.as_nanos(),
        /// Bytes of the request.
        request_bytes: u64 [BYTES] = request.request,
        /// Bytes of the response.
        response_bytes: u64 [BYTES] = request.response,
        /// From asking to the first byte of the response; null if none came.
        first_byte_ms: Option<f64> [MS.less()] = since(request.asked, request.first),
        /// From asking to the last byte; null if it did not come.
        duration_ms: Option<f64> [MS.less()] = since(request.asked, request.done),
    }
}

/// Milliseconds from one time to another.
fn since(start: Time, end: Option<Time>) -> Option<f64> {
    end.map(|end| end.saturating_since(start).as_millis_f64())
}

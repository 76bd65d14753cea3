//! Order of TCP's sequence numbers.

/// True if `a` comes after `b` (RFC 9293, 3.4).
#[inline]
pub(crate) fn after(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) > 0
}

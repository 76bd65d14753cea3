//! Sockets, and what of them no safe interface has.

use std::net::SocketAddrV4;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::sockopt::{
    set_ip_tos, set_socket_recv_buffer_size, set_socket_reuseaddr, set_socket_send_buffer_size,
    set_tcp_congestion, set_tcp_nodelay,
};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, listen, socket_with};

use super::Transfer;
use super::reading::{BYTES, Reading};

/// Bytes that may wait unsent in a socket whose writer will stop: little, as they are sent behind
/// the stop.
const UNSENT: i32 = 64 * 1024;

/// A socket that listens, or whose connection is being opened. It never blocks.
pub(super) fn open(order: &Transfer) -> Result<OwnedFd, String> {
    let said = |what: &str| {
        let what = what.to_owned();
        move |errno: Errno| format!("{what}: {errno}")
    };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None);
    let socket = socket.map_err(said("a socket"))?;
    set_socket_reuseaddr(&socket, true).map_err(said("a socket"))?;
    set_tcp_congestion(&socket, &order.controller).map_err(|errno| {
        let mend = "see net.ipv4.tcp_allowed_congestion_control";
        format!("congestion control {}: {errno}; {mend}", order.controller)
    })?;
    set_ip_tos(&socket, order.dscp << 2).map_err(said("type of service"))?;
    set(&socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, order.mss as i32)
        .map_err(said("segment size"))?;
    if let Some(bytes) = order.receive_buffer {
        // The kernel keeps as much again for what it needs beside the bytes of packets.
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        set_socket_recv_buffer_size(&socket, bytes).map_err(said("receive buffer"))?;
    }
    if let Some(bytes) = order.send_buffer {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        set_socket_send_buffer_size(&socket, bytes).map_err(said("send buffer"))?;
    }
    if let Some(rate) = order.pacing {
        let rate = i32::try_from(rate).unwrap_or(i32::MAX);
        set(&socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, rate)
            .map_err(said("pacing rate"))?;
    }
    set_tcp_nodelay(&socket, order.nodelay).map_err(said("Nagle's rule"))?;
    if order.stop.is_some() {
        set(&socket, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, UNSENT)
            .map_err(said("unsent bytes"))?;
    }
    bind(&socket, &order.local).map_err(said(&format!("address {}", order.local)))?;
    if !order.opens {
        listen(&socket, 1).map_err(said("listening"))?;
        return Ok(socket);
    }
    match begin(&socket, order.remote) {
        Ok(()) => Ok(socket),
        Err(errno) => Err(format!("{}: {errno}", order.remote)),
    }
}

fn begin(socket: &OwnedFd, to: SocketAddrV4) -> Result<(), Errno> {
    match connect(socket, &to) {
        Err(errno) if errno != Errno::INPROGRESS => Err(errno),
        _ => Ok(()),
    }
}

#[expect(unsafe_code, reason = "there is no safe interface")]
fn set(socket: &impl AsFd, level: i32, option: i32, value: i32) -> Result<(), Errno> {
    let size = size_of::<i32>() as libc::socklen_t;
    let descriptor = socket.as_fd().as_raw_fd();
    // SAFETY: the pointer is to a live value of that size.
    let status =
        unsafe { libc::setsockopt(descriptor, level, option, (&raw const value).cast(), size) };
    if status == 0 { Ok(()) } else { Err(last()) }
}

/// State of a connection in the kernel now; `at` is the time.
#[expect(unsafe_code, reason = "there is no safe interface")]
pub(super) fn info(socket: &impl AsFd, at: u64) -> Option<Reading> {
    let mut bytes = [0_u8; BYTES];
    let mut size = bytes.len() as libc::socklen_t;
    let descriptor = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel writes no more than `size` bytes, which are the buffer's.
    let status = unsafe {
        libc::getsockopt(
            descriptor,
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut size,
        )
    };
    (status == 0).then(|| Reading::of(&bytes, at))
}

/// SIGTERM ends this process no more.
#[expect(unsafe_code, reason = "there is no safe interface")]
pub(super) fn ignore_the_end() {
    // SAFETY: no handler is called for a signal that is ignored.
    unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
}

fn last() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn what_the_kernel_says_is_read_from_its_places() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let mut client = TcpStream::connect(listener.local_addr().expect("bound")).expect("there");
        let (mut server, _) = listener.accept().expect("a client");
        for byte in 0..5 {
            client.write_all(&[byte]).expect("connected");
            server.read_exact(&mut [0]).expect("connected");
            server.write_all(&[byte]).expect("connected");
            client.read_exact(&mut [0]).expect("connected");
        }
        let said = info(&client, 7).expect("a connection");
        assert_eq!((said.at, said.segments, said.retransmissions, said.unacked), (7, 5, 0, 0));
        assert_eq!((said.acked_bytes, said.notsent_bytes, said.ca_state), (6, 0, 0), "and the SYN");
        assert!((1..1_000_000).contains(&said.rtt_us), "{said:?}");
        assert!((1..=said.rtt_us * 8).contains(&said.min_rtt_us), "{said:?}");
        // The initial window, which each acknowledgement may let grow.
        assert!((10..=15).contains(&said.cwnd), "{said:?}");
        assert_eq!((said.timeouts, said.rwnd_limited_us), (0, 0), "{said:?}");
        assert!((500..65_536).contains(&said.mss), "{said:?}");
        assert!((16_384..10_000_000).contains(&said.snd_wnd), "{said:?}");
    }

    #[test]
    fn what_is_not_read_leaves_the_window_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let client = TcpStream::connect(listener.local_addr().expect("bound")).expect("there");
        let (_server, _) = listener.accept().expect("a client");
        client.set_nonblocking(true).expect("a socket");
        let piece = vec![0; 65_536];
        let mut said = Reading::default();
        for _ in 0..200 {
            while (&client).write(&piece).is_ok() {}
            said = info(&client, 0).expect("a connection");
            if said.rwnd_limited_us > 0 {
                break;
            }
            pause();
        }
        assert!(said.rwnd_limited_us > 0 && said.busy_us >= said.rwnd_limited_us, "{said:?}");
        assert!(said.notsent_bytes > 0, "{said:?}");
    }

    #[expect(clippy::disallowed_methods, reason = "the kernel needs time")]
    fn pause() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

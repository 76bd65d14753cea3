//! Work in a short-lived process of its own, which hands over file descriptors.
//!
//! A process of its own can enter namespaces that no process with threads may enter, and nothing
//! that it does to itself outlives it. It is made by `fork` and does nothing that allocates or
//! takes a lock, so any thread may ask for it. Source: fork(2), unix(7).

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::cmsg_space;
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{Pid, Signal, WaitOptions, set_parent_process_death_signal, waitpid};

use super::OsError;
use super::error::Step;

/// Descriptors in a message, at most.
const HANDED: usize = 3;
/// Bytes of a message: its kind, a step, two bytes for which of several, four for a number.
const MESSAGE: usize = 8;

/// Kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// Something was made.
    Made,
    /// Something else was made.
    Other,
    /// A step has failed; the number is that of the error.
    Failed,
}

/// Message of the process.
#[derive(Debug)]
pub(super) struct Message {
    pub kind: Kind,
    pub number: u32,
    pub descriptors: Vec<OwnedFd>,
    step: Step,
    which: usize,
}

/// Step that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure {
    pub step: Step,
    pub errno: Errno,
    /// Index of the item of the step.
    pub which: usize,
}

/// An error of a step of which there is one only.
pub(super) fn at(step: Step) -> impl Fn(Errno) -> Failure {
    move |errno| Failure { step, errno, which: 0 }
}

impl Message {
    /// Failure, if the message is one.
    pub(super) fn failure(&self) -> Option<Failure> {
        // The kernel's errors end at MAX_ERRNO.
        let number = Some(self.number as i32).filter(|number| (1..=4095).contains(number));
        let errno = number.map_or(Errno::IO, Errno::from_raw_os_error);
        let Message { step, which, .. } = *self;
        (self.kind == Kind::Failed).then_some(Failure { step, errno, which })
    }
}

/// The end to which the process hands over.
pub(super) struct Hand<'a>(BorrowedFd<'a>);

impl Hand<'_> {
    pub(super) fn over(
        &self,
        kind: Kind,
        number: u32,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), Failure> {
        self.send([kind as u8, 0, 0, 0], number, descriptors).map_err(at(Step::HandOver))
    }

    fn failed(&self, Failure { step, errno, which }: Failure) {
        let [a, b] = (which as u16).to_ne_bytes();
        let number = errno.raw_os_error() as u32;
        // Without a reader there is nobody who waits for it.
        let _ = self.send([Kind::Failed as u8, step as u8, a, b], number, &[]);
    }

    fn send(
        &self,
        [kind, step, a, b]: [u8; 4],
        number: u32,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), Errno> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(HANDED))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            control.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        let [c, d, e, f] = number.to_ne_bytes();
        let message: [u8; MESSAGE] = [kind, step, a, b, c, d, e, f];
        let parts = [IoSlice::new(&message)];
        retry_on_intr(|| sendmsg(self.0, &parts, &mut control, SendFlags::NOSIGNAL)).map(|_| ())
    }
}

/// Runs `child` in a process of its own and waits for its end; returns its messages, in order.
pub(super) fn forked(
    work: impl FnOnce(&Hand<'_>) -> Result<(), Failure>,
) -> Result<Vec<Message>, OsError> {
    let system = |source: Errno| OsError::system("start a process for namespaces", source);
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(system)?;
    let child = || {
        let hand = Hand(theirs.as_fd());
        if let Err(failure) = end_with_parent().and_then(|()| work(&hand)) {
            hand.failed(failure);
        }
    };
    let process = fork(child).map_err(system)?;
    drop(theirs);
    let told = receive(&ours);
    drop(ours);
    retry_on_intr(|| waitpid(Some(process), WaitOptions::empty())).map_err(system)?;
    told.map_err(system)
}

/// Nobody reads what the process hands over when airpath is killed meanwhile.
pub(super) fn end_with_parent() -> Result<(), Failure> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(at(Step::HandOver))
}

/// Runs something in a new process, which then ends.
#[expect(unsafe_code, reason = "the standard library cannot fork")]
fn fork(child: impl FnOnce()) -> Result<Pid, Errno> {
    // SAFETY: the new process runs `child` only, which neither allocates, nor takes a lock, nor
    // panics. It leaves by `_exit`, which runs nothing that belongs to the old process.
    match unsafe { libc::fork() } {
        0 => {
            child();
            // SAFETY: ends the process without a return to what the old one was about.
            unsafe { libc::_exit(0) }
        }
        id => Pid::from_raw(id).filter(|_| id > 0).ok_or_else(last_error),
    }
}

fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::AGAIN)
}

/// Collects what is handed over until the other end is closed.
fn receive(socket: &OwnedFd) -> Result<Vec<Message>, Errno> {
    let mut told = Vec::new();
    loop {
        let mut bytes = [0; MESSAGE];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(HANDED))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut parts = [IoSliceMut::new(&mut bytes)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let got = retry_on_intr(|| recvmsg(socket, &mut parts, &mut control, flags))?;
        if got.bytes == 0 {
            return Ok(told);
        }
        let handed = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        });
        let descriptors = handed.flatten().collect();
        let [kind, step, a, b, number @ ..] = bytes;
        let kinds = [Kind::Made, Kind::Other];
        told.push(Message {
            kind: kinds.get(usize::from(kind)).copied().unwrap_or(Kind::Failed),
            number: u32::from_ne_bytes(number),
            descriptors,
            step: Step::from_byte(step),
            which: usize::from(u16::from_ne_bytes([a, b])),
        });
    }
}

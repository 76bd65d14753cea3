//! Output of programs while a screen is drawn, which would be written over the screen.
//!
//! Programs write to pipes while a screen is drawn. Their lines stand among the changes on the
//! screen. All output is handed on, in its order, when the terminal is free again.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, PipeReader, Write};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use airpath_live::Programs;
use airpath_live::os::Program;
use airpath_scenario::world::Host;

/// Bytes that are kept at most; the oldest lines go first.
const MOST: usize = 1 << 20;
/// Longest wait for the end of programs' output after the programs have ended.
const PATIENCE: Duration = Duration::from_millis(500);

/// Output of programs that has been taken.
pub struct Printed {
    lines: Receiver<Line>,
    kept: VecDeque<Line>,
    /// Bytes that are kept.
    size: usize,
    /// Lines that are not kept any more.
    gone: usize,
}

/// A line, or the last part of output that ends without one.
struct Line {
    /// Origin of the line: `server`, or the name of a UE.
    name: String,
    is_error: bool,
    bytes: Vec<u8>,
}

impl Printed {
    /// Takes the output of these programs, which get nothing to read and not the terminal.
    ///
    /// # Errors
    ///
    /// If the system has no pipe.
    pub fn take(programs: &mut Programs, hosts: &[Host]) -> io::Result<Printed> {
        let (sender, lines) = channel();
        for program in &mut programs.servers {
            take("server", program, &sender)?;
        }
        for (ue, program) in &mut programs.clients {
            let name = hosts.get(*ue + 1).map_or("client", |host| host.name.as_str());
            take(name, program, &sender)?;
        }
        Ok(Printed { lines, kept: VecDeque::new(), size: 0, gone: 0 })
    }

    /// Lines that have come since the last call, as they are shown.
    pub fn lines(&mut self) -> Vec<String> {
        let mut new = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            new.push(line.shown());
            self.keep(line);
        }
        new
    }

    fn keep(&mut self, line: Line) {
        self.size += line.bytes.len();
        self.kept.push_back(line);
        while self.size > MOST {
            let Some(first) = self.kept.pop_front() else { break };
            self.size -= first.bytes.len();
            self.gone += 1;
        }
    }

    /// Hands on all that is kept, to the outputs that the programs had meant.
    pub fn hand_on(mut self) {
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.keep(line);
        }
        if self.gone > 0 {
            let _ =
                writeln!(io::stderr(), "the first {} lines of programs are left out", self.gone);
        }
        for line in self.kept {
            // Nobody is left to hear that an output is closed.
            let _ = match line.is_error {
                true => io::stderr().write_all(&line.bytes),
                false => io::stdout().write_all(&line.bytes),
            };
        }
        let _ = io::stdout().flush();
    }
}

impl Line {
    fn shown(&self) -> String {
        format!("{}: {}", self.name, String::from_utf8_lossy(&self.bytes).trim_end())
    }
}

fn take(name: &str, program: &mut Program, to: &Sender<Line>) -> io::Result<()> {
    let (out, out_end) = io::pipe()?;
    let (err, err_end) = io::pipe()?;
    program.stdin = Stdio::null();
    program.stdout = out_end.into();
    program.stderr = err_end.into();
    program.foreground = false;
    read(name, out, false, to.clone());
    read(name, err, true, to.clone());
    Ok(())
}

/// Reads until nobody writes any more, in a thread that ends then.
fn read(name: &str, from: PipeReader, is_error: bool, to: Sender<Line>) {
    let name = name.to_owned();
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut bytes = Vec::new();
            match from.read_until(b'\n', &mut bytes) {
                Ok(1..) => {
                    if to.send(Line { name: name.clone(), is_error, bytes }).is_err() {
                        return;
                    }
                }
                Ok(0) | Err(_) => return,
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that have been read, without programs.
    fn printed(lines: &[(&str, bool)]) -> Printed {
        let (sender, receiver) = channel();
        for (text, is_error) in lines {
            let bytes = text.as_bytes().to_vec();
            let line = Line { name: "server".into(), is_error: *is_error, bytes };
            sender.send(line).expect("it is read");
        }
        Printed { lines: receiver, kept: VecDeque::new(), size: 0, gone: 0 }
    }

    #[test]
    fn lines_are_shown_once_and_kept_in_their_order() {
        let mut all = printed(&[("one\r\n", false), ("two\n", true), ("three", false)]);
        assert_eq!(all.lines(), ["server: one", "server: two", "server: three"]);
        assert!(all.lines().is_empty());
        let kept: Vec<&[u8]> = all.kept.iter().map(|line| line.bytes.as_slice()).collect();
        assert_eq!(kept, [b"one\r\n".as_slice(), b"two\n", b"three"]);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let line = "x".repeat(MOST / 4);
        let mut all = printed(&vec![(line.as_str(), false); 9]);
        all.lines();
        assert_eq!((all.kept.len(), all.gone, all.size), (4, 5, MOST));
    }
}

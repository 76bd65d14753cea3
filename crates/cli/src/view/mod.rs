//! A run while it goes on: a screen on a terminal, lines elsewhere.
//!
//! A [`View`] shows [`Reading`]s from any source: a simulation, an emulation, or one in another
//! process. On a terminal a thread of its own draws and takes keys, so the measuring thread never
//! waits for a terminal. A terminal that is too slow misses readings. The thread draws at most ten
//! times a second. It gives the terminal back at the first request to end the run, so a second
//! Ctrl-C is an ordinary one.

mod board;
mod draw;
pub mod line;
mod lines;
mod pace;
mod screen;
mod speed;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use airpath_results::live::{Reading, Session};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::watch::now;
use board::Board;
pub use pace::{Asked, Pace};
use screen::Screen;
use speed::Speed;

/// Between two drawings.
const FRAME: Duration = Duration::from_millis(100);
/// Readings that wait to be drawn; more are not shown.
const MOST_WAITING: usize = 1_024;

/// Display of readings: a screen, or lines.
pub struct View {
    session: Session,
    /// Time of the run, as the bits of its seconds.
    time: Arc<AtomicU64>,
    kind: Kind,
}

enum Kind {
    Screen(SyncSender<Message>, JoinHandle<()>),
    Lines(Box<dyn Write + Send>),
}

enum Message {
    Reading(Box<Reading>),
    Said(String),
}

/// Options of a view.
pub struct ViewOptions {
    /// Flag of a run that keys may pause and whose speed they may set.
    pub paced: bool,
    /// Output of lines, if there is no terminal to draw on.
    pub lines: Box<dyn Write + Send>,
}

impl View {
    /// A screen if standard output is a terminal that can be drawn on, and lines otherwise.
    pub fn open(session: Session, asked: Arc<Asked>, options: ViewOptions) -> View {
        let time = Arc::new(AtomicU64::new(0));
        let screen = screen::possible().then(Screen::enter).and_then(Result::ok);
        let kind = match screen {
            None => Kind::Lines(options.lines),
            Some(screen) => {
                let (sender, receiver) = sync_channel(MOST_WAITING);
                let board = Board::new(session.clone(), options.paced);
                let mut drawer = Drawer {
                    screen,
                    board,
                    asked,
                    receiver,
                    time: time.clone(),
                    speed: Speed::default(),
                };
                Kind::Screen(sender, thread::spawn(move || drawer.run()))
            }
        };
        View { session, time, kind }
    }

    /// Checks that a view would be a screen.
    pub fn is_screen() -> bool {
        screen::possible()
    }

    /// Shows a reading.
    pub fn show(&mut self, reading: &Reading) {
        self.at(reading.time_s);
        match &mut self.kind {
            // A reading that finds the queue full is dropped, so the measuring thread does not
            // wait.
            Kind::Screen(sender, _) => {
                let _ = sender.try_send(Message::Reading(Box::new(reading.clone())));
            }
            Kind::Lines(out) => write(out, &lines::line(reading)),
        }
    }

    /// Shows a line of text, as what has changed.
    pub fn say(&mut self, text: &str) {
        let line = lines::said(self.time_s(), self.session.interval_s, text);
        match &mut self.kind {
            Kind::Screen(sender, _) => {
                let _ = sender.try_send(Message::Said(line));
            }
            Kind::Lines(out) => write(out, &line),
        }
    }

    /// The run has come so far, in its own time.
    pub fn at(&self, time_s: f64) {
        self.time.store(time_s.to_bits(), Ordering::Relaxed);
    }

    fn time_s(&self) -> f64 {
        f64::from_bits(self.time.load(Ordering::Relaxed))
    }

    /// Gives the terminal back.
    pub fn close(self) {
        if let Kind::Screen(sender, thread) = self.kind {
            drop(sender);
            // A panic of the thread has printed its message already.
            let _ = thread.join();
        }
    }
}

/// A reader that has gone away is no failure.
fn write(out: &mut dyn Write, line: &str) {
    let line = airpath_base::visible_line(line);
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// The thread that has the terminal.
struct Drawer {
    screen: Screen,
    board: Board,
    asked: Arc<Asked>,
    receiver: Receiver<Message>,
    time: Arc<AtomicU64>,
    speed: Speed,
}

impl Drawer {
    /// Draws until no sender is left, or until the run is to end.
    fn run(&mut self) {
        while self.listen() && !self.asked.over() {
            self.measure();
            let size = Screen::size();
            let lines = draw::draw(&self.board, size.0.into(), size.1.into());
            if self.screen.show(&lines, size).is_err() {
                return;
            }
            self.keys();
        }
    }

    /// Takes in what has been sent; tells whether more may come.
    fn listen(&mut self) -> bool {
        loop {
            match self.receiver.try_recv() {
                Ok(Message::Reading(reading)) => self.board.take(*reading),
                Ok(Message::Said(text)) => self.board.say(text),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    fn measure(&mut self) {
        let (board, asked) = (&mut self.board, &self.asked);
        board.time_s = f64::from_bits(self.time.load(Ordering::Relaxed));
        (board.paused, board.limit) = (asked.paused(), asked.limit());
        match board.paused {
            true => self.speed.pause(),
            // A run that is not paced keeps to the clock, so its speed is always 1.
            false if board.paced => {
                board.speed = self.speed.at(now(), board.time_s).or(board.speed);
            }
            false => {}
        }
    }

    /// Waits until the next drawing is due, or a key is pressed. A terminal that is gone ends the run.
    fn keys(&mut self) {
        let until = now() + FRAME;
        loop {
            let left = until.saturating_duration_since(now());
            if !screen::wait(left) {
                crate::watch::hung_up();
                return self.asked.end.store(true, Ordering::Relaxed);
            }
            match event::poll(Duration::ZERO).and_then(|any| any.then(event::read).transpose()) {
                Ok(Some(Event::Key(key))) if key.kind != KeyEventKind::Release => {
                    return self.pressed(key);
                }
                Ok(Some(_)) => {}
                Ok(None) if now() >= until => return,
                Ok(None) => {}
                // There is nothing to press keys on.
                Err(_) => return thread::park_timeout(left),
            }
        }
    }

    fn pressed(&self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let (asked, paced) = (&self.asked, self.board.paced);
        match key.code {
            KeyCode::Char('c') if control => asked.end.store(true, Ordering::Relaxed),
            KeyCode::Char('q' | 'Q') => asked.end.store(true, Ordering::Relaxed),
            KeyCode::Char('p' | 'P' | ' ') if paced => asked.toggle(),
            KeyCode::Char('+' | '=') if paced => asked.faster(),
            KeyCode::Char('-' | '_') if paced => asked.slower(self.board.speed),
            _ => {}
        }
    }
}

/// Output of lines: standard error if standard output is for something else.
pub fn lines_to(standard_error: bool) -> Box<dyn Write + Send> {
    if standard_error { Box::new(io::stderr()) } else { Box::new(io::stdout()) }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;

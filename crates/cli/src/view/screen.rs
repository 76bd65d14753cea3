//! The terminal: taken over, drawn on, and given back whatever happens.
//!
//! Only lines that have changed are written, a screen at once, so nothing flickers.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::panic;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{Command, terminal};

use super::line::Line;

/// Flag of a terminal that this program has taken over.
static OURS: Mutex<bool> = Mutex::new(false);
/// A terminal that does not say its size.
const SIZE: (u16, u16) = (80, 24);

/// Standard output, taken over.
pub struct Screen {
    colour: bool,
    size: (u16, u16),
    /// Lines that are on the screen.
    there: Vec<String>,
}

/// Checks for a terminal that can be drawn on.
pub fn possible() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !dumb
}

/// Waits for input from the terminal for at most `left`; false if the terminal is gone.
///
/// `crossterm` never returns from a read of a terminal that has hung up, so the terminal is looked at here first.
#[cfg(unix)]
pub fn wait(left: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let out = io::stdout();
    let mut fds = [PollFd::new(&out, PollFlags::IN)];
    let left = Timespec::try_from(left).ok();
    // A signal that interrupts the wait is no failure: the next wait goes on.
    let _ = poll(&mut fds, left.as_ref());
    !fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

/// Waits for input from the terminal for at most `left`.
#[cfg(not(unix))]
pub fn wait(left: Duration) -> bool {
    let _ = crossterm::event::poll(left);
    true
}

/// Checks that colours are wanted (<https://no-color.org>).
fn coloured() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

impl Screen {
    /// Takes the terminal over.
    ///
    /// # Errors
    ///
    /// If it cannot be.
    pub fn enter() -> io::Result<Screen> {
        give_back_after_a_panic();
        let mut ours = lock();
        terminal::enable_raw_mode()?;
        *ours = true;
        drop(ours);
        // From here on, what is dropped gives it back.
        let screen = Screen { colour: coloured(), size: (0, 0), there: Vec::new() };
        let mut text = String::new();
        add(&mut text, EnterAlternateScreen);
        add(&mut text, DisableLineWrap);
        add(&mut text, Hide);
        write(&text)?;
        Ok(screen)
    }

    /// Columns and lines that there are now.
    pub fn size() -> (u16, u16) {
        terminal::size().ok().filter(|size| size.0 > 0 && size.1 > 0).unwrap_or(SIZE)
    }

    /// Shows these lines on a screen of this size.
    ///
    /// # Errors
    ///
    /// If the terminal takes nothing any more.
    pub fn show(&mut self, lines: &[Line], size: (u16, u16)) -> io::Result<()> {
        let lines = lines.iter().map(|line| line.encoded(self.colour)).collect();
        let text = self.changes(lines, size);
        let ours = lock();
        if text.is_empty() || !*ours {
            return Ok(());
        }
        write(&text)
    }

    /// Escape sequences and text that turn the lines on the screen into the new ones; empty if both
    /// are equal.
    fn changes(&mut self, lines: Vec<String>, size: (u16, u16)) -> String {
        let anew = self.size != size;
        let mut text = String::new();
        for (n, line) in lines.iter().enumerate() {
            if anew || self.there.get(n) != Some(line) {
                // A line is erased before it is written. Behind text in the last column the cursor
                // is still on that column, so erasing from the cursor would take the last letter
                // away.
                add(&mut text, MoveTo(0, n as u16));
                add(&mut text, Clear(ClearType::UntilNewLine));
                text += line;
            }
        }
        (self.there, self.size) = (lines, size);
        if text.is_empty() {
            return text;
        }
        let mut whole = String::new();
        add(&mut whole, BeginSynchronizedUpdate);
        if anew {
            add(&mut whole, Clear(ClearType::All));
        }
        whole += &text;
        add(&mut whole, EndSynchronizedUpdate);
        whole
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Makes the terminal what it was, if it is ours.
fn give_back() {
    let mut ours = lock();
    if std::mem::take(&mut *ours) {
        let mut text = String::new();
        add(&mut text, EndSynchronizedUpdate);
        add(&mut text, EnableLineWrap);
        add(&mut text, LeaveAlternateScreen);
        add(&mut text, Show);
        // Nobody is left to hear that it cannot be.
        let _ = write(&text);
        let _ = terminal::disable_raw_mode();
    }
}

/// Installs a hook that gives the terminal back before a panic prints its message, which is to be
/// seen.
fn give_back_after_a_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            give_back();
            before(what);
        }));
    });
}

fn lock() -> MutexGuard<'static, bool> {
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A command as every terminal takes it that is not one of old Windows.
fn add(text: &mut String, command: impl Command) {
    let _ = write!(text, "{}", Ansi(command));
}

struct Ansi<C>(C);

impl<C: Command> std::fmt::Display for Ansi<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.write_ansi(f)
    }
}

#[cfg(all(test, unix))]
#[path = "../../tests/it/common/terminal.rs"]
mod terminal_of_a_test;

#[cfg(test)]
mod tests {
    use super::super::line::Look;
    use super::*;

    #[test]
    #[ignore = "the test below runs it on a terminal"]
    fn panics() {
        if possible() {
            let _screen = Screen::enter();
            panic!("something is wrong");
        }
    }

    #[cfg(unix)]
    #[test]
    fn after_a_panic_the_terminal_is_what_it_was_and_shows_why() {
        let mut command = std::process::Command::new(std::env::current_exe().expect("this test"));
        command.args(["view::screen::tests::panics", "--exact", "--ignored", "--nocapture"]);
        command.env("TERM", "xterm-256color");
        let mut terminal = super::terminal_of_a_test::Terminal::run(command);
        terminal.until("something is wrong");
        let (before, behind) = terminal.text.split_once("\u{1b}[?1049l").expect("given back");
        assert!(before.contains("\u{1b}[?1049h") && behind.contains("something is wrong"));
        assert_eq!(terminal.end(), Some(101));
    }

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    /// Line of a terminal with so many columns after these bytes. The cursor stays on the last
    /// column when that has been written (DEC STD 070: the last column flag).
    fn shown(written: &str, columns: usize, line: usize) -> String {
        let mut cells = vec![vec![' '; columns]; 99];
        let (mut row, mut column) = (0, 0);
        let mut rest = written.chars().peekable();
        while let Some(letter) = rest.next() {
            if letter != '\u{1b}' {
                cells[row][column] = letter;
                column = (column + 1).min(columns - 1);
                continue;
            }
            assert_eq!(rest.next(), Some('['));
            let mut sequence = String::new();
            let last = loop {
                match rest.next().expect("a whole sequence") {
                    end @ ('A'..='Z' | 'a'..='z') => break end,
                    part => sequence.push(part),
                }
            };
            match last {
                'H' => {
                    let (y, x) = sequence.split_once(';').expect("a place");
                    row = y.parse::<usize>().expect("a row") - 1;
                    column = x.parse::<usize>().expect("a column") - 1;
                }
                'K' => cells[row][column..].fill(' '),
                _ => {}
            }
        }
        cells[line].iter().collect()
    }

    #[test]
    fn the_last_column_stays() {
        let mut screen = Screen { colour: true, size: (0, 0), there: Vec::new() };
        let full = |end: &str| Line::of(Look::Faint, format!("{end:>12}")).encoded(true);
        let written = screen.changes(vec![full("seed 12"), full("lost 340")], (12, 2));
        assert_eq!(shown(&written, 12, 0), "     seed 12");
        assert_eq!(shown(&written, 12, 1), "    lost 340");
        let shorter = screen.changes(vec![full("seed 12"), "one".to_owned()], (12, 2));
        assert_eq!(shown(&(written + &shorter), 12, 1), "one         ");
    }

    #[test]
    fn only_what_has_changed_is_written() {
        let mut screen = Screen { colour: false, size: (0, 0), there: Vec::new() };
        let all = screen.changes(lines(&["one", "two"]), (80, 24));
        assert_eq!(
            all,
            "\u{1b}[?2026h\u{1b}[2J\u{1b}[1;1H\u{1b}[Kone\u{1b}[2;1H\u{1b}[Ktwo\u{1b}[?2026l"
        );
        assert_eq!(screen.changes(lines(&["one", "two"]), (80, 24)), "");
        let second = screen.changes(lines(&["one", "2"]), (80, 24));
        assert_eq!(second, "\u{1b}[?2026h\u{1b}[2;1H\u{1b}[K2\u{1b}[?2026l");
        let resized = screen.changes(lines(&["one", "2"]), (100, 24));
        assert!(resized.contains("\u{1b}[2J") && resized.contains("one"), "{resized:?}");
    }
}

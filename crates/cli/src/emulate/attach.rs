//! Emulations of other terminals: to see them, and to change them.

use std::env;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use airpath_live::{SOCKET, os};
use airpath_results::live::{Reading, Session};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::exit::{BAD_INPUT, DONE, FAILED};
use crate::output::{fail, say};
use crate::view::{Asked, View, ViewOptions, lines_to};
use crate::watch::interrupt;

/// Interval at which the view checks for a request to end.
const LOOK: Duration = Duration::from_millis(200);

/// Sets keys of an emulation; gives the exit code.
pub fn tell(session: Option<&str>, settings: &[String]) -> u8 {
    let mut lines = match open(session) {
        Ok(stream) => stream,
        Err(error) => return fail(error, BAD_INPUT),
    };
    let answer = ask(&mut lines, &json!({ "set": settings }));
    match answer.as_ref().map(|answer| (answer["done"]["time_s"].as_f64(), &answer["error"])) {
        Ok((Some(time_s), _)) => say(&format!("set at {time_s:.3} s\n")),
        Ok((None, Json::String(error))) => fail(error, BAD_INPUT),
        _ => fail("the emulation has ended", FAILED),
    }
}

/// Shows an emulation until it ends; gives the exit code.
pub fn attach(session: Option<&str>) -> u8 {
    let mut lines = match open(session) {
        Ok(stream) => stream,
        Err(error) => return fail(error, BAD_INPUT),
    };
    let answer = ask(&mut lines, &json!({ "watch": true }));
    if let Ok(Json::String(error)) = answer.as_ref().map(|answer| &answer["error"]) {
        return fail(error, FAILED);
    }
    let about = answer.ok().and_then(|answer| part::<Session>(&answer, "session"));
    let Some(about) = about else { return fail("the emulation has ended", FAILED) };
    let asked = Arc::new(Asked::new(interrupt(), None));
    let options = ViewOptions { paced: false, lines: lines_to(false) };
    let mut view = View::open(about, Arc::clone(&asked), options);
    // Wakes up now and then to see whether a key or a signal ends the view.
    let _ = lines.get_ref().set_read_timeout(Some(LOOK));
    let mut line = Vec::new();
    while !asked.end.load(Ordering::Relaxed) {
        match lines.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) if line.ends_with(b"\n") => {
                let answer: Option<Json> = serde_json::from_slice(&line).ok();
                let reading = answer.and_then(|answer| part::<Reading>(&answer, "reading"));
                reading.iter().for_each(|reading| view.show(reading));
                line.clear();
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
    view.close();
    DONE
}

fn part<T: DeserializeOwned>(answer: &Json, name: &str) -> Option<T> {
    serde_json::from_value(answer.get(name)?.clone()).ok()
}

fn ask(lines: &mut BufReader<UnixStream>, request: &Json) -> std::io::Result<Json> {
    // A refused connection may be closed already, with the reason for the refusal still to be read.
    let sent = writeln!(lines.get_mut(), "{request}");
    let mut line = String::new();
    lines.read_line(&mut line)?;
    if line.is_empty() {
        sent?;
    }
    Ok(serde_json::from_str(&line)?)
}

/// Connects with an emulation: the one that is named, that of the program which airpath was
/// started by, or the only one.
fn open(session: Option<&str>) -> Result<BufReader<UnixStream>, String> {
    let path = match (session, env::var_os("AIRPATH_CONTROL")) {
        (Some(name), _) => named(name)?,
        (None, Some(path)) => path.into(),
        (None, None) => only()?,
    };
    let stream = UnixStream::connect(&path)
        .map_err(|error| format!("no emulation answers at {}: {error}", path.display()))?;
    Ok(BufReader::new(stream))
}

fn named(name: &str) -> Result<PathBuf, String> {
    let all = os::sessions();
    match all.iter().find(|folder| folder.file_name().is_some_and(|own| own == name)) {
        Some(folder) => Ok(folder.join(SOCKET)),
        None => Err(format!("no emulation is called {name:?}; {}", there_are(&all))),
    }
}

fn only() -> Result<PathBuf, String> {
    let all = os::sessions();
    match &all[..] {
        [only] => Ok(only.join(SOCKET)),
        _ => Err(format!("name one by --attach=SESSION: {}", there_are(&all))),
    }
}

fn there_are(all: &[PathBuf]) -> String {
    let name = |folder: &PathBuf| {
        folder.file_name().unwrap_or(Path::new("").as_os_str()).to_string_lossy().into_owned()
    };
    match all.len() {
        0 => "there is none of this user".to_owned(),
        _ => format!("there are {}", all.iter().map(name).collect::<Vec<_>>().join(", ")),
    }
}

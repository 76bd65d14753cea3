//! The control socket: what other programs may ask of an emulation while it goes on.
//!
//! A request is a line of JSON, and so is each answer; answers come in the order of requests.
//!
//! | request | answer |
//! |---|---|
//! | `{"set": {"path.s1.rate": "5 Mbit/s"}}` | `{"done": {"time_s": 12.25}}`, its time in the run |
//! | `{"set": ["ue.ue.snr=5 dB", "path.s1.up.delay=20 ms"]}` | the same; each text is what `--set` takes |
//! | `{"keys": true}` | `{"keys": ["path.s1.rate", …]}`: what can be set |
//! | `{"watch": true}` | `{"session": {…}}`, and from then on `{"reading": {…}}` each second |
//! | `{"end": true}` | `{"done": {…}}`; the programs are ended, and results written |
//! | anything else | `{"error": "…"}`; nothing has changed |

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use airpath_results::live::{Reading, Session};
use serde_json::{Value as Json, json};

/// Name of the socket in the folder of its session.
pub const SOCKET: &str = "control";
/// Programs that may be connected at once.
const MOST_CLIENTS: usize = 32;
/// Bytes of a request.
const LONGEST: usize = 64 * 1024;
/// Bytes of answers that may wait for a program to read them; then it is let go.
const MOST_WAITING: usize = 4 * 1024 * 1024;

/// Request of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// To set keys: each as `KEY=VALUE`.
    Set(Vec<String>),
    /// List of the keys that can be set.
    Keys,
    /// Readings from now on.
    Watch,
    /// To end the emulation.
    End,
}

/// The socket, and who is connected.
#[derive(Debug)]
pub struct Control {
    listener: UnixListener,
    path: PathBuf,
    clients: Vec<Client>,
}

#[derive(Debug)]
struct Client {
    stream: UnixStream,
    incoming: Vec<u8>,
    outgoing: VecDeque<u8>,
    watches: bool,
    gone: bool,
}

impl Control {
    /// Opens the socket in a folder.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn open(folder: &Path) -> io::Result<Control> {
        let path = folder.join(SOCKET);
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        Ok(Control { listener, path, clients: Vec::new() })
    }

    /// Path of the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Descriptors to wait for beside others.
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        [self.listener.as_fd()].into_iter().chain(self.clients.iter().map(|one| one.stream.as_fd()))
    }

    /// Serves the requests since the last call. `act` carries a request out and answers.
    pub fn serve(&mut self, mut act: impl FnMut(Request) -> Result<Json, String>) {
        self.accept();
        for client in &mut self.clients {
            client.read();
            while let Some(line) = client.line() {
                let request = parse(&line);
                client.watches |= request == Ok(Request::Watch);
                let answer = request.and_then(&mut act);
                client.say(&answer.unwrap_or_else(|error| json!({ "error": error })));
            }
            client.write();
        }
        self.clients.retain(|client| !client.gone);
    }

    /// Hands a reading to whoever watches.
    pub fn publish(&mut self, reading: &Reading) {
        if self.clients.iter().any(|client| client.watches) {
            let reading = json!({ "reading": reading });
            for client in self.clients.iter_mut().filter(|client| client.watches) {
                client.say(&reading);
                client.write();
            }
        }
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            if stream.set_nonblocking(true).is_err() {
                continue;
            }
            match self.clients.len() < MOST_CLIENTS {
                true => self.clients.push(Client::new(stream)),
                false => refuse(stream),
            }
        }
    }
}

/// Answers with the reason, and closes the connection.
fn refuse(mut stream: UnixStream) {
    let error = format!(
        "{MOST_CLIENTS} programs are connected, which is the most there can be; \
         end one of them (airpath emulate --attach is one), then ask again"
    );
    // An answer of this length fits the empty buffer of a new connection.
    let _ = writeln!(stream, "{}", json!({ "error": error }));
    // Requests so far are read: closed with bytes unread, the answer could get lost.
    let mut bytes = [0; 4096];
    while matches!(stream.read(&mut bytes), Ok(1..)) {}
}

/// The answer to [`Request::Watch`].
pub(crate) fn session(session: &Session) -> Json {
    json!({ "session": session })
}

impl Client {
    fn new(stream: UnixStream) -> Client {
        let (incoming, outgoing) = (Vec::new(), VecDeque::new());
        Client { stream, incoming, outgoing, watches: false, gone: false }
    }

    fn read(&mut self) {
        let mut bytes = [0; 4096];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => break self.gone = true,
                Ok(length) => self.incoming.extend_from_slice(&bytes[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => break self.gone = true,
            }
            if self.incoming.len() > LONGEST && !self.incoming.contains(&b'\n') {
                self.say(&json!({ "error": format!("a request has {LONGEST} bytes at most") }));
                self.write();
                break self.gone = true;
            }
        }
    }

    /// The next line that is complete; empty ones are passed over.
    fn line(&mut self) -> Option<Vec<u8>> {
        loop {
            let end = self.incoming.iter().position(|byte| *byte == b'\n')?;
            let rest = self.incoming.split_off(end + 1);
            let line = std::mem::replace(&mut self.incoming, rest);
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }

    fn say(&mut self, answer: &Json) {
        self.outgoing.extend(answer.to_string().bytes().chain([b'\n']));
        self.gone |= self.outgoing.len() > MOST_WAITING;
    }

    fn write(&mut self) {
        while !self.outgoing.is_empty() {
            match self.stream.write(self.outgoing.as_slices().0) {
                Ok(written) => drop(self.outgoing.drain(..written)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => return self.gone = true,
            }
        }
    }
}

const FORM: &str = "a request is a line such as {\"set\": {\"path.s1.rate\": \"5 Mbit/s\"}}, \
                    {\"keys\": true}, {\"watch\": true} or {\"end\": true}";

fn parse(line: &[u8]) -> Result<Request, String> {
    let request: Json =
        serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}; {FORM}"))?;
    let fields = request.as_object().filter(|fields| fields.len() == 1).ok_or(FORM)?;
    let (what, value) = fields.iter().next().ok_or(FORM)?;
    match (&what[..], value) {
        ("set", Json::Object(settings)) if !settings.is_empty() => {
            settings.iter().map(|(key, value)| setting(key, value)).collect::<Result<_, _>>()
        }
        ("set", Json::Array(settings)) if !settings.is_empty() => {
            let text = |one: &Json| one.as_str().map(str::to_owned).ok_or(FORM.to_owned());
            settings.iter().map(text).collect::<Result<_, _>>()
        }
        ("keys", Json::Bool(true)) => return Ok(Request::Keys),
        ("watch", Json::Bool(true)) => return Ok(Request::Watch),
        ("end", Json::Bool(true)) => return Ok(Request::End),
        _ => Err(FORM.to_owned()),
    }
    .map(Request::Set)
}

/// A key and its value as `--set` takes them.
fn setting(key: &str, value: &Json) -> Result<String, String> {
    Ok(format!("{key}={}", toml(value)?))
}

/// A value as TOML.
fn toml(value: &Json) -> Result<String, String> {
    Ok(match value {
        // A string or a number of JSON is one of TOML as well.
        Json::String(_) | Json::Number(_) | Json::Bool(_) => value.to_string(),
        Json::Array(items) => {
            let items = items.iter().map(toml).collect::<Result<Vec<_>, _>>()?;
            format!("[{}]", items.join(", "))
        }
        Json::Object(fields) => {
            let mut text = String::new();
            for (key, value) in fields {
                let comma = if text.is_empty() { "" } else { ", " };
                let _ = write!(text, "{comma}{} = {}", json!(key), toml(value)?);
            }
            format!("{{ {text} }}")
        }
        Json::Null => return Err("null is no value; leave the key out".to_owned()),
    })
}

#[cfg(test)]
#[path = "control_documented_tests.rs"]
mod documented;

#[cfg(test)]
mod tests {
    use std::io::BufRead as _;
    use std::io::BufReader;

    use super::*;

    fn parsed(line: &str) -> Result<Request, String> {
        parse(line.as_bytes())
    }

    #[test]
    fn requests_are_read() {
        let set = |text: &str| Ok(Request::Set(vec![text.to_owned()]));
        assert_eq!(parsed(r#"{"set": {"a.b": "5 Mbit/s"}}"#), set("a.b=\"5 Mbit/s\""));
        assert_eq!(parsed(r#"{"set": {"a.b": 0.5}}"#), set("a.b=0.5"));
        assert_eq!(
            parsed(r#"{"set": {"q": {"kind": "pie", "ecn": false}}}"#),
            set(r#"q={ "kind" = "pie", "ecn" = false }"#)
        );
        assert_eq!(parsed(r#"{"set": ["a=1"]}"#), set("a=1"));
        assert_eq!(parsed(r#"{"watch": true}"#), Ok(Request::Watch));
        assert_eq!(parsed(r#"{"end": true}"#), Ok(Request::End));
        assert_eq!(parsed(r#"{"keys": true}"#), Ok(Request::Keys));
    }

    #[test]
    fn a_connection_beyond_the_limit_gets_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut control = Control::open(folder.path()).expect("a socket");
        let connect = || UnixStream::connect(folder.path().join(SOCKET)).expect("it listens");
        let mut none = |request: Request| Err(format!("no {request:?}"));
        let mut all: Vec<UnixStream> = Vec::new();
        for _ in 0..MOST_CLIENTS {
            all.push(connect());
            control.serve(&mut none);
        }
        // The next asks at once, as most do; the one after that waits for its answer first.
        for asks in [true, false] {
            let mut late = connect();
            if asks {
                late.write_all(b"{\"keys\": true}\n").expect("it is taken");
            }
            control.serve(&mut none);
            let mut answer = String::new();
            BufReader::new(&late).read_line(&mut answer).expect("an answer");
            let answer: Json = serde_json::from_str(&answer).expect("JSON");
            let error = answer["error"].as_str().expect("an error");
            assert!(error.contains("32 programs are connected"), "{error}");
            assert_eq!(BufReader::new(&late).read_line(&mut String::new()).ok(), Some(0));
        }
        // With room again, the next is served.
        drop(all.pop());
        control.serve(&mut none);
        let mut next = connect();
        next.write_all(b"{\"keys\": true}\n").expect("it is taken");
        control.serve(&mut none);
        let mut answer = String::new();
        BufReader::new(&next).read_line(&mut answer).expect("an answer");
        assert_eq!(answer, "{\"error\":\"no Keys\"}\n");
    }

    #[test]
    fn nonsense_is_answered_with_the_form_of_a_request() {
        let nonsense = ["", "x", "[]", "{}", r#"{"set": {}}"#, r#"{"set": 5}"#, r#"{"keys": 1}"#];
        for line in nonsense.iter().chain(&[r#"{"set": {"a": null}}"#, r#"{"a": 1, "b": 2}"#]) {
            let error = parsed(line).expect_err("it is nonsense");
            assert!(error.contains("a request is") || error.contains("null"), "{line}: {error}");
        }
    }

    #[test]
    fn answers_come_in_order_and_readings_to_those_who_watch() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut control = Control::open(folder.path()).expect("a socket");
        let connect = || {
            let stream = UnixStream::connect(folder.path().join(SOCKET)).expect("it listens");
            (stream.try_clone().expect("a handle"), BufReader::new(stream).lines())
        };
        let ((mut asks, mut answers), (mut watcher, mut readings)) = (connect(), connect());
        asks.write_all(b"{\"set\": [\"a=1\"]}\n\nnonsense\n{\"ke").expect("it is read");
        watcher.write_all(b"{\"watch\": true}\n").expect("it is read");
        let mut seen = Vec::new();
        let mut act = |request: Request| {
            let answer = match &request {
                Request::Set(all) if all[0] == "a=1" => Ok(json!({ "done": 1 })),
                Request::Watch => Ok(session(&Session::default())),
                other => Err(format!("no {other:?}")),
            };
            seen.push(request);
            answer
        };
        control.serve(&mut act);
        control.publish(&Reading { number: 7, ..Reading::default() });
        asks.write_all(b"ys\": true}\n").expect("it is read");
        control.serve(&mut act);
        assert_eq!(seen, [Request::Set(vec!["a=1".to_owned()]), Request::Watch, Request::Keys]);
        let mut next = || answers.next().expect("an answer").expect("text");
        assert_eq!(next(), r#"{"done":1}"#);
        assert!(next().starts_with(r#"{"error":"not JSON"#));
        assert_eq!(next(), r#"{"error":"no Keys"}"#);
        let mut next = || readings.next().expect("a reading").expect("text");
        assert!(next().starts_with(r#"{"session":"#));
        assert!(next().starts_with(r#"{"reading":{"number":7,"#));
        drop((asks, answers));
        control.serve(|request| Err(format!("no {request:?}")));
        assert_eq!(control.clients.len(), 1);
    }
}

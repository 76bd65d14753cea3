//! Controllers that are not airpath's. The program itself has none: who has it inside may bring some.

use std::cell::RefCell;
use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

use airpath_evaluate::{Controller, EvaluateError, MakeOwn};

use crate::embedded::{Called, call};

/// A controller of the caller's own, for `airpath evaluate`.
#[derive(Clone)]
pub struct OwnController {
    /// Its name.
    pub name: String,
    /// Keys below the flow that it needs, with their values in TOML: `tcp.ecn`. The key `kind` with `"quic"` lets it drive a
    /// flow of QUIC.
    pub keys: Vec<(String, String)>,
    /// Makes it, run by run.
    pub make: Arc<MakeOwn<'static>>,
}

/// Gives the controller of a text as `FILE.py:CLASS`; the reason, if that fails.
pub type OwnControllers = Box<dyn Fn(&str) -> Result<OwnController, String> + Send + Sync>;

static IN_PYTHON: OnceLock<OwnControllers> = OnceLock::new();

thread_local! {
    /// Controllers of the command that this thread calls.
    static LENT: RefCell<Vec<OwnController>> = const { RefCell::new(Vec::new()) };
}

/// Lets `airpath evaluate FILE.py:CLASS` use this. The first call counts.
pub fn with_controllers(controllers: OwnControllers) {
    let _ = IN_PYTHON.set(controllers);
}

/// Runs `airpath evaluate` as [`call`](crate::call) does, where the names of these controllers are those of airpath's own.
pub fn call_evaluate(arguments: &[OsString], controllers: Vec<OwnController>) -> Called {
    LENT.set(controllers);
    let called = call(arguments);
    LENT.take();
    called
}

/// Runs `airpath evaluate` with these arguments, the first a controller, and prints the card. The names of these controllers are
/// those of airpath's own. Gives the exit code. Wrong arguments end the process.
pub fn evaluate_with(arguments: Vec<OsString>, controllers: Vec<OwnController>) -> u8 {
    LENT.set(controllers);
    let whole = ["airpath", "evaluate"].map(OsString::from).into_iter().chain(arguments);
    crate::main(whole.collect(), None)
}

/// A controller that a command names.
pub struct Named {
    /// Its name in the card.
    name: String,
    /// Name among those of airpath; of one of the caller's own, nothing.
    known: String,
    own: Option<OwnController>,
}

impl Named {
    /// Finds the controller of a text, which may have `NAME=` before it for another name.
    ///
    /// # Errors
    ///
    /// The message about a text for which there is none.
    pub fn find(text: &str) -> Result<Named, String> {
        let (name, text) = match text.split_once('=') {
            Some((name, text)) => (Some(name.to_owned()), text),
            None => (None, text),
        };
        let lent = LENT.with_borrow(|own| own.iter().find(|own| own.name == text).cloned());
        let own = match lent {
            None if text.contains(':') => Some(in_python(text)?),
            lent => lent,
        };
        let usual = own.as_ref().map_or(text, |own| own.name.as_str()).to_owned();
        let name = name.filter(|name| !name.is_empty()).unwrap_or(usual);
        Ok(Named { name, known: text.to_owned(), own })
    }

    /// The controller.
    ///
    /// # Errors
    ///
    /// If airpath has none of this name.
    pub fn controller(&self) -> Result<Controller<'_>, EvaluateError> {
        let Some(own) = &self.own else {
            return Ok(Controller::known(&self.known)?.named(&self.name));
        };
        let is_quic = |(key, value): &(String, String)| key == "kind" && value == "\"quic\"";
        let mut made = Controller::own_runs(&self.name, &*own.make);
        if own.keys.iter().any(is_quic) {
            made = made.over_quic();
        }
        let keys = own.keys.iter().filter(|own| !is_quic(own));
        Ok(keys.fold(made, |made, (key, value)| made.with(key, value)))
    }
}

fn in_python(text: &str) -> Result<OwnController, String> {
    match IN_PYTHON.get() {
        Some(find) => find(text),
        None => Err(format!(
            "{text}: a controller in Python needs the program of the Python package: \
             `pip install .` in airpath's folder, then `python -m airpath evaluate {text}`"
        )),
    }
}

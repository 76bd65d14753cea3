//! The check that no packet appeared or vanished unseen.

use airpath_net::Engine;

use crate::RunFailure;

/// Checks the books of every node, and that no packet left the world.
///
/// # Errors
///
/// The first node whose books do not close.
pub(crate) fn check(engine: &mut Engine) -> Result<(), RunFailure> {
    let stray = engine.drain().next();
    if let Some(stray) = stray {
        let (port, at) = (stray.port, stray.at);
        let node = engine.name(stray.node).to_owned();
        return Err(RunFailure::Stray { node, port, at });
    }
    for (_, name, ledger, held) in engine.books() {
        if !ledger.closes(held) {
            let (node, books) = (name.to_owned(), format!("{ledger:?}, {held:?}"));
            return Err(RunFailure::Books { node, books });
        }
    }
    Ok(())
}

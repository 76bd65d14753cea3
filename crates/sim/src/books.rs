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
    engine.audit().map_err(|(node, books)| RunFailure::Books { node: node.to_owned(), books })
}

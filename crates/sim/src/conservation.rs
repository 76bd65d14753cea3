//! The check that no packet appeared or vanished unseen.

use airpath_net::Engine;
use airpath_results::Totals;

use crate::RunFailure;

/// Checks the conservation of packets at every node, and that no packet left the world.
///
/// # Errors
///
/// The first node that does not conserve packets.
pub(crate) fn check(engine: &mut Engine) -> Result<(), RunFailure> {
    let stray = engine.drain().next();
    if let Some(stray) = stray {
        let (port, at) = (stray.port, stray.at);
        let node = engine.name(stray.node).to_owned();
        return Err(RunFailure::Stray { node, port, at });
    }
    engine
        .audit()
        .map_err(|(node, books)| RunFailure::Conservation { node: node.to_owned(), books })
}

/// Checks that what was reported of packets is what the nodes booked.
///
/// # Errors
///
/// If an event was not reported, or one too many.
pub(crate) fn compare(engine: &Engine, told: &Totals) -> Result<(), RunFailure> {
    let told = [told.originated, told.consumed, told.dropped];
    let ledgers = engine.books().map(|(_, _, book, _)| book).chain([engine.outside()]);
    let booked = ledgers.fold([0; 3], |[originated, consumed, dropped], book| {
        [
            originated + book.originated.packets,
            consumed + book.consumed.packets,
            dropped + book.dropped.packets,
        ]
    });
    match told == booked {
        true => Ok(()),
        false => {
            let books = format!("{told:?} originated, consumed, dropped; booked {booked:?}");
            Err(RunFailure::Conservation { node: "the collector".to_owned(), books })
        }
    }
}

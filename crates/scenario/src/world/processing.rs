//! Processing in UEs: a node between the ends of flows and the radio.

use airpath_base::random::Seed;
use airpath_base::{NodeId, Port};
use airpath_net::Class;
use airpath_path::Processing;

use super::Builder;
use crate::resolve::UeRef;

/// The socket that a UE's ends are connected with: the radio, or a node in front of that where packets take time
/// in the UE.
pub(super) fn at_ue(
    ue: &UeRef<'_>,
    radio: (NodeId, Port),
    seed: Seed,
    builder: &mut Builder<'_>,
) -> (NodeId, Port) {
    let Some(own) = &ue.group.processing else { return radio };
    let [up, down] = [[own.up.time(), own.modem.time()], [own.modem.time(), own.down.time()]];
    if up.iter().chain(&down).all(|time| time.is_none()) {
        return radio;
    }
    let name = format!("{} processing", ue.name());
    let node = Processing::new(&up, &down, seed, &name);
    let node = builder.engine.add(name, Class::Packets, Box::new(node));
    builder.engine.connect((node, Processing::INNER), radio, None);
    builder.engine.connect(radio, (node, Processing::INNER), None);
    (node, Processing::OUTER)
}

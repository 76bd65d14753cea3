//! Knowledge of a direction from its stretches until now; each quantity has its file.

pub(crate) mod before;
pub(crate) mod company;
pub(crate) mod drains;
pub(crate) mod growth;
pub(crate) mod path;
pub(crate) mod queues;
pub(crate) mod slowdown;
mod windows;

use before::Before;
use company::Company;
use drains::Drains;
use growth::Growth;
use path::Path;
use queues::Queues;
use slowdown::Slowdown;

/// All that is known of a direction from its stretches until now.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub(crate) path: Path,
    pub(crate) before: Before,
    pub(crate) queues: Queues,
    pub(crate) company: Company,
    pub(crate) drains: Drains,
    pub(crate) growth: Growth,
    pub(crate) slowdown: Slowdown,
    /// True if all data was sent before the first answer.
    pub(crate) at_once: bool,
    /// True if the handshake shows that the capture is near the sender.
    pub(crate) near: bool,
}

//! The congestion controller of a connection.

use airpath_transport::control::{ControllerConfig, ControllerName};

use crate::file::Tcp;

/// The controller that the options name, whose random waits come from `seed`.
pub(super) fn controller(options: &Tcp, seed: u64) -> ControllerConfig {
    match options.controller {
        ControllerName::Cubic => ControllerConfig::Cubic(options.cubic.clone().unwrap_or_default()),
        ControllerName::NewReno => {
            ControllerConfig::NewReno(options.newreno.clone().unwrap_or_default())
        }
        ControllerName::Dctcp => ControllerConfig::Dctcp(options.dctcp.clone().unwrap_or_default()),
        ControllerName::Prague => {
            ControllerConfig::Prague(options.prague.clone().unwrap_or_default())
        }
        ControllerName::Bbr => {
            ControllerConfig::Bbr { options: options.bbr.clone().unwrap_or_default(), seed }
        }
        ControllerName::Bbr1 => ControllerConfig::Bbr1 { seed },
    }
}

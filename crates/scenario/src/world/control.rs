//! Congestion controllers as the transport has them.

use airpath_transport::control::{
    self, Bbr1Config, BbrConfig, BbrEcn, ControllerConfig, CubicConfig, DctcpConfig, HyStartConfig,
    NewRenoConfig, PragueConfig,
};

use crate::file::{
    Avoidance, Bbr, Controller, Cubic, Dctcp, HyStartKind, NewReno, Prague, PragueResponse, Tcp,
};

/// The controller of a connection, whose random waits come from `seed`.
pub(super) fn controller(options: &Tcp, seed: u64) -> ControllerConfig {
    match options.controller {
        Controller::Cubic => {
            ControllerConfig::Cubic(options.cubic.as_ref().map(cubic).unwrap_or_default())
        }
        Controller::NewReno => {
            ControllerConfig::NewReno(options.newreno.as_ref().map(newreno).unwrap_or_default())
        }
        Controller::Dctcp => {
            ControllerConfig::Dctcp(options.dctcp.as_ref().map(dctcp).unwrap_or_default())
        }
        Controller::Prague => {
            ControllerConfig::Prague(options.prague.as_ref().map(prague).unwrap_or_default())
        }
        Controller::Bbr => {
            let config = options.bbr.as_ref().map(bbr).unwrap_or_default();
            ControllerConfig::Bbr(BbrConfig { seed, ..config })
        }
        Controller::Bbr1 => ControllerConfig::Bbr1(Bbr1Config { seed }),
    }
}

fn cubic(options: &Cubic) -> CubicConfig {
    CubicConfig {
        beta: options.beta,
        c: options.c,
        fast_convergence: options.fast_convergence,
        reno_friendly: options.reno_friendly,
        slow_start_limit: options.slow_start_limit,
        cwnd_limited_only: options.cwnd_limited_only,
        hystart: options.hystart.then(|| hystart(options.hystart_kind)),
        ecn_beta: options.ecn_beta,
        least_growth: options.least_growth,
    }
}

fn hystart(kind: HyStartKind) -> HyStartConfig {
    let kind = match kind {
        HyStartKind::PlusPlus => control::HyStartKind::PlusPlus,
        HyStartKind::Classic => control::HyStartKind::Classic,
    };
    HyStartConfig { kind, ..HyStartConfig::default() }
}

fn newreno(options: &NewReno) -> NewRenoConfig {
    NewRenoConfig {
        slow_start_limit: options.slow_start_limit,
        avoidance: match options.avoidance {
            Avoidance::ByteCounting => control::Avoidance::ByteCounting,
            Avoidance::PerAck => control::Avoidance::PerAck,
        },
        whole_bytes: options.whole_bytes,
        cwnd_limited_only: options.cwnd_limited_only,
        hystart: options.hystart.then(|| hystart(options.hystart_kind)),
        ecn_beta: options.ecn_beta,
    }
}

fn dctcp(options: &Dctcp) -> DctcpConfig {
    DctcpConfig {
        gain: options.gain,
        initial_alpha: options.initial_alpha,
        slow_start_limit: options.slow_start_limit,
    }
}

fn prague(options: &Prague) -> PragueConfig {
    PragueConfig {
        response: match options.response {
            PragueResponse::SinceLast => control::PragueResponse::SinceLast,
            PragueResponse::AtMark => control::PragueResponse::AtMark,
        },
        faster_increase: options.faster_increase,
        classic_fallback: options.classic_fallback,
        min_rate: options.min_rate,
        max_rate: options.max_rate,
    }
}

fn bbr(options: &Bbr) -> BbrConfig {
    let ecn = BbrEcn {
        factor: options.ecn_factor,
        max_rtt: Some(options.ecn_max_rtt),
        ..BbrEcn::default()
    };
    BbrConfig { ecn: options.ecn.then_some(ecn), seed: 0 }
}

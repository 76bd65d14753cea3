//! Applications that ask for what they get.

use airpath_base::random::Stream;
use airpath_traffic::{
    Behaviour, PageConfig, Pages, Pause, PlayerConfig, RequestConfig, Sizes, Spans, Throttle,
};

use super::traffic::Nodes;
use crate::file::{self, Amount, Flow, Player, Requests, Start};

/// Both ends, that of the server first; what is drawn comes from `draws`, by purpose.
pub(super) fn nodes(
    flow: &Flow,
    base: RequestConfig,
    draws: &dyn Fn(&str) -> Stream,
) -> Result<Nodes, String> {
    let (config, behaviour) = match (&flow.player, &flow.requests) {
        (Some(player), _) => (of_player(player, base), behaviour(player, draws)),
        (None, Some(requests)) => (of_requests(requests, base), pages(requests, draws)),
        (None, None) => return Err("a flow without application".to_owned()),
    };
    let (client, server) = config.nodes(behaviour).map_err(|error| error.to_string())?;
    Ok([Box::new(server), Box::new(client)])
}

fn of_player(player: &Player, base: RequestConfig) -> RequestConfig {
    RequestConfig {
        request: player.request.0,
        reply_delay: player.reply_delay,
        per_connection: player.requests_per_connection,
        ..base
    }
}

fn of_requests(requests: &Requests, base: RequestConfig) -> RequestConfig {
    RequestConfig {
        request: requests.request.0,
        reply_delay: requests.reply_delay,
        per_connection: requests.requests_per_connection,
        connections: requests.connections,
        ..base
    }
}

fn behaviour(player: &Player, draws: &dyn Fn(&str) -> Stream) -> Behaviour {
    let all = Sizes::Fixed(u64::MAX);
    Behaviour::Player(airpath_traffic::Player::new(PlayerConfig {
        bit_rate: player.bit_rate,
        length: player.length,
        chunk: player.chunk.as_ref().map_or(all, |chunk| sizes(chunk, draws)),
        start: player.start,
        resume: player.resume.unwrap_or(player.start),
        low: player.low,
        high: player.high,
        burst: player.burst.unwrap_or(player.high),
        throttle: match player.throttle {
            file::Throttle::Requests => Throttle::Requests,
            file::Throttle::Reads => Throttle::Reads,
        },
        hold: player.hold,
    }))
}

fn pages(requests: &Requests, draws: &dyn Fn(&str) -> Stream) -> Behaviour {
    let pause = match (requests.period, &requests.think) {
        (Some(period), _) => Pause::Period(period),
        (None, Some(think)) => Pause::Think(spans(think, draws)),
        (None, None) => Pause::Think(Spans::Fixed(airpath_base::Duration::ZERO)),
    };
    Behaviour::Pages(Pages::new(PageConfig {
        response: sizes(&requests.response, draws),
        objects: requests.objects,
        pause,
        count: requests.count,
    }))
}

fn sizes(amount: &Amount, draws: &dyn Fn(&str) -> Stream) -> Sizes {
    match amount.min == amount.max {
        true => Sizes::Fixed(amount.min.0),
        false => Sizes::Even(amount.min.0, amount.max.0, draws("responses")),
    }
}

fn spans(think: &Start, draws: &dyn Fn(&str) -> Stream) -> Spans {
    match think.min == think.max {
        true => Spans::Fixed(think.min),
        false => Spans::Even(think.min, think.max, draws("think")),
    }
}

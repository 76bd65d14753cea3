//! Applications that ask for what they get.

use airpath_traffic::{
    Behaviour, NextPage, PageConfig, Pages, Pause, PlayerConfig, RequestConfig, SizeLaw, SizeShape,
    Sizes, Spans, WebConfig, WebDraws,
};

use super::traffic::{Draws, Nodes};
use crate::file::{self, Amount, Flow, Player, Requests, Start, Web};

/// Both ends, that of the server first; what is drawn comes from `draws`, by purpose.
pub(super) fn nodes(flow: &Flow, base: RequestConfig, draws: &Draws) -> Result<Nodes, String> {
    let (config, behaviour) = match (&flow.player, &flow.requests, &flow.web) {
        (Some(player), _, _) => (of_player(player, base), behaviour(player, draws)),
        (None, Some(requests), _) => (of_requests(requests, base), pages(requests, draws)),
        (None, None, Some(web)) => (of_web(web, base), user(web, draws.web())?),
        (None, None, None) => return Err("a flow without application".to_owned()),
    };
    let (client, server) = config.nodes(behaviour).map_err(|error| error.to_string())?;
    Ok([Box::new(server), Box::new(client)])
}

/// The application that asks, without its connections.
#[cfg(feature = "stacks")]
pub(super) fn behaviour_of(flow: &Flow, draws: &Draws) -> Result<Behaviour, String> {
    match (&flow.requests, &flow.web) {
        (Some(requests), _) => Ok(pages(requests, draws)),
        (None, Some(web)) => user(web, draws.web()),
        (None, None) => Err("a flow without application".to_owned()),
    }
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

fn of_web(web: &Web, base: RequestConfig) -> RequestConfig {
    RequestConfig {
        request: web.request.0,
        reply_delay: web.reply_delay,
        per_connection: web.requests_per_connection,
        connections: web.connections,
        ..base
    }
}

fn user(web: &Web, draws: WebDraws) -> Result<Behaviour, String> {
    let config = WebConfig {
        index: size_law(web.sizes, &web.index),
        object: size_law(web.sizes, &web.object),
        objects: web.objects,
        next: next_page(web)?,
        count: web.count,
    };
    Ok(Behaviour::Web(airpath_traffic::Web::new(config, draws)))
}

fn next_page(web: &Web) -> Result<NextPage, String> {
    if let Some(interval) = web.interval {
        return Ok(NextPage::Poisson(interval));
    }
    let reading = web.reading.ok_or("pages without a time for reading")?;
    Ok(NextPage::Read { reading, sessions: web.sessions })
}

/// A distribution of sizes in which all has been filled in.
pub(crate) fn size_law(shape: SizeShape, size: &file::PageSize) -> SizeLaw {
    let bytes = |size: Option<airpath_base::Bytes>| size.map_or(1.0, |size| size.0 as f64);
    SizeLaw {
        shape,
        mean: bytes(size.mean),
        deviation: bytes(size.deviation),
        min: bytes(size.min),
        max: bytes(size.max),
    }
}

fn behaviour(player: &Player, draws: &Draws) -> Behaviour {
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
        throttle: player.throttle,
        hold: player.hold,
    }))
}

fn pages(requests: &Requests, draws: &Draws) -> Behaviour {
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

fn sizes(amount: &Amount, draws: &Draws) -> Sizes {
    match amount.min == amount.max {
        true => Sizes::Fixed(amount.min.0),
        false => Sizes::Even(amount.min.0, amount.max.0, draws.stream("responses")),
    }
}

fn spans(think: &Start, draws: &Draws) -> Spans {
    match think.min == think.max {
        true => Spans::Fixed(think.min),
        false => Spans::Even(think.min, think.max, draws.stream("think")),
    }
}

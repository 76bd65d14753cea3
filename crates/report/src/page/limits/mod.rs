//! The limit of a flow's rate, and where its packets wait: judged from what a run counted.
//!
//! The application's demand comes first (`asked`), for RTP as for TCP. It is the highest rate of
//! the encoder, the controller's limit for it, buffers and readers. Then come elements on the way
//! (`places`) and signals of congestion (`judge`). The result is a reading of means, not a proof. A
//! bench compares it with runs in which one cause at a time is taken away (`bench`).

mod asked;
#[cfg(test)]
mod bench;
mod judge;
mod places;
mod said;
#[cfg(test)]
mod tests;

use airpath_results::{FlowSummary, RunSummary};

use judge::{Case, Cause, FULL};
use places::Element;

/// Limit of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The radio link and its cell, which is full.
    FullCell,
    /// The radio link, in a cell that is not full.
    Radio,
    /// A wired link.
    Link,
    /// Losses.
    Losses,
    /// Marks of congestion.
    Marks,
    /// The application.
    Application,
    /// The send or receive buffer, or a receiver that reads slowly.
    Window,
    /// The sender's congestion control.
    Sender,
    /// Nothing arrived.
    Nothing,
}

/// A flow and what limits it.
#[derive(Clone, Debug, PartialEq)]
pub struct Limited {
    /// Limit of the flow.
    pub limit: Limit,
    /// Limit of the flow in a sentence.
    pub rate: String,
    /// Waits of its packets, in a sentence.
    pub delay: String,
}

impl Limit {
    /// In a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Limit::FullCell => "full cell",
            Limit::Radio => "radio link",
            Limit::Link => "wired link",
            Limit::Losses => "losses",
            Limit::Marks => "marks",
            Limit::Application => "application",
            Limit::Window => "buffer",
            Limit::Sender => "sender",
            Limit::Nothing => "nothing arrived",
        }
    }

    /// Limit of several flows, as the end of a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Limit::FullCell => "wait for resource blocks of a cell that is full",
            Limit::Radio => "wait for a radio link whose cell is not full",
            Limit::Link => "wait for a wired link",
            Limit::Losses => "are slowed by losses on a way that is not full",
            Limit::Marks => "are slowed by marks on a way that is not full",
            Limit::Application => "have all that their applications ask for",
            Limit::Window => "have as much under way as their buffers allow",
            Limit::Sender => "send no more by themselves",
            Limit::Nothing => "got nothing through",
        }
    }
}

/// Limit of a flow of a run.
pub fn limited(run: &RunSummary, flow: &FlowSummary) -> Limited {
    let delay = said::delay(flow);
    if flow.delivered_bytes == 0 || flow.goodput_bps.is_none() {
        let why = run.why_nothing(flow).unwrap_or_else(|| "it had no time to.".into());
        return Limited {
            limit: Limit::Nothing,
            rate: format!("Nothing of it arrived: {why}"),
            delay,
        };
    }
    let case = Case::new(run, flow);
    let cause = case.cause();
    Limited { limit: limit(&cause), rate: said::rate(&case, &cause), delay }
}

fn limit(cause: &Cause<'_>) -> Limit {
    match cause {
        Cause::Place(place) => match place.element {
            Element::Link(_) => Limit::Link,
            Element::Radio(..) if place.used.is_some_and(|used| used >= FULL) => Limit::FullCell,
            Element::Radio(..) => Limit::Radio,
        },
        Cause::Losses(_) => Limit::Losses,
        Cause::Marks(_) => Limit::Marks,
        Cause::Application => Limit::Application,
        Cause::Buffer(..) | Cause::Reader(_) => Limit::Window,
        Cause::Sender => Limit::Sender,
    }
}

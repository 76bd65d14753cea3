//! Reports of messages of random access and of C-RNTIs, for listeners that want the radio's layers.

use airpath_base::{CellId, Time, UeId};
use airpath_net::Cx;
use airpath_net::layers::{AccessMessage, DetectedPreamble, LayerEvent};

use crate::handover::{AccessStep, Occasions};
use crate::mobility::Mobility;

/// A random access of a UE to a cell.
#[derive(Clone, Copy)]
pub(super) struct Attempt {
    pub cell: CellId,
    pub ue: UeId,
    /// Begin of the occasion, and index of the last preamble.
    pub sent: (Time, u32),
    /// Begin of the last message 3.
    pub message_3: Option<Time>,
    /// True with contention.
    pub contention: bool,
}

/// Reports a step of a random access.
pub(super) fn report_access(
    attempt: Attempt,
    step: &AccessStep,
    (occasions, mobility): (&Occasions, Option<&Mobility>),
    cx: &mut Cx<'_>,
) {
    let Attempt { cell, ue, sent: (occasion, preamble), .. } = attempt;
    let preamble = preamble as u8;
    let message_3 = |decoded| {
        let (begin, contention) = (attempt.message_3.unwrap_or(occasion), attempt.contention);
        AccessMessage::Message3 { occasion, preamble, begin, contention, decoded }
    };
    let message = match step {
        AccessStep::Preamble { number, .. } => {
            AccessMessage::Preamble { preamble, attempt: *number }
        }
        AccessStep::Response => {
            return cx.tell_layer_with(|tell| {
                let distance_m = |ue| mobility?.distance_m(occasion, ue, cell);
                let detected = occasions.detected(occasion).into_iter().map(|(preamble, ue)| {
                    DetectedPreamble { preamble: preamble as u8, distance_m: distance_m(ue) }
                });
                let detected: Vec<DetectedPreamble> = detected.collect();
                let message = AccessMessage::Response { occasion, detected: &detected };
                tell(LayerEvent::Access { cell, ue, message });
            });
        }
        AccessStep::Message3Ended { decoded } => message_3(*decoded),
        AccessStep::Completed if !attempt.contention => message_3(true),
        _ => return,
    };
    cx.tell_layer(|| LayerEvent::Access { cell, ue, message });
}

/// Reports that a UE has a new C-RNTI, of this cell.
pub(super) fn report_assigned(cell: CellId, ue: UeId, cx: &mut Cx<'_>) {
    cx.tell_layer(|| LayerEvent::Assigned { cell, ue });
}

//! Layers to several UEs downlink in the same resource blocks (multi-user MIMO).
//!
//! - The scheduler decides as without. In each group of its grants the UE that it chose is the first of a set. UEs follow
//!   one by one: the one that raises the sum of rates over mean rates most, as long as one does
//!   ([`choice`]).
//! - Each UE of a set has one layer. Precoders are regularised zero-forcing over the channels that the cell knows
//!   ([`airpath_channel::precoding::multi_user`]). Layers have equal power.
//! - A UE with a part in a set of several has one layer in all of its resource blocks. Others keep the layers that they
//!   reported.
//! - The sets of a slot have to bring more than the scheduler's grants, by rates over mean rates. Else the grants stay.
//! - The MCS follows from the ratio that the cell predicts, with an outer loop of its own. Retransmissions are alone.
//! - Where resource blocks are left, no UE needs another's, and there are no sets.
//!
//! Noise and interference of a UE follow from its report of one layer. They are the gain of that layer over the reported
//! ratio, averaged over some reports.
//!
//! Left out: noise of sounding, errors of calibration, several layers a UE in a set.

pub(super) mod choice;
pub(super) mod knowledge;
pub(super) mod reception;

//! Table `network.handover` of the scenario file: changes of the serving cell.

use airpath_base::{Db, Dbm, Duration};
use airpath_schema::{above_to, at_least, between, choice, kinds, record};

use super::Indices;

record! {
    /// Handover of UEs with a route, selection of another cell after a failure, and cell reselection. Without this
    /// table UEs keep the cell that is the strongest where they begin.
    pub struct NetworkHandover : Default {
        /// Event of the measurement reports that cause a handover; with `conditional` the execution condition of the
        /// candidates. Default: { kind = "a3" }.
        event: HandoverEvent = HandoverEvent::A3(A3Event::default());
        /// Event A2 of the serving cell, whose report begins measurements of neighbours (5.5.4.3). Each serving cell begins
        /// without them. Default: none, neighbours are always measured.
        a2: Option<ServingEvent>;
        /// Event A1 of the serving cell, whose report ends what `a2` began (5.5.4.2). Default: none.
        a1: Option<ServingEvent>;
        /// s-Measure (5.5.3.1): neighbours are measured while the filtered RSRP of the serving cell is below. Default:
        /// none.
        s_measure: Option<Dbm> => between(Dbm(-156.0), Dbm(-31.0));
        /// Offsets of cells, which events add to what is measured. Of several entries for the same cells the last counts.
        /// Default: none.
        cell_offset: Vec<CellOffset>;
        /// Measured quantity (TS 36.214, 5.1; TS 38.215, 5.1). All cells count as sending. Default: "rsrp".
        quantity: HandoverQuantity = HandoverQuantity::Rsrp;
        /// Time between samples of layer 1, which averages those of 200 ms. Default: 40 ms.
        sample: Duration = Duration::from_millis(40)
            => between(Duration::from_millis(1), Duration::from_secs(10));
        /// Standard deviation of the error of a measurement of 200 ms. Default: 0.86 dB, with which two cells differ
        /// by at most 2 dB in 90% of measurements (TS 36.133, 9.1.2.2).
        error: Db = Db(0.86) => between(Db(0.0), Db(20.0));
        /// Filter coefficient k of layer 3 (TS 36.331 and TS 38.331, 5.5.3.2). 0 is no filter. Default: 4.
        filter: u8 = 4 => between(0, 19);
        /// From a measurement report to the command. Default: { kind = "fixed", delay = "18 ms" }: 4 ms of processing in
        /// each base station (TR 36.912, B.1.1.1) and 5 ms of transport each way, a choice of this model.
        preparation: HandoverDelay =
            HandoverDelay::Fixed(FixedDelay { delay: Duration::from_millis(18) });
        /// Processing of the command by the UE. Default: 15 ms with LTE (TS 36.331, 11.2), 10 ms with NR (TS 38.331, 12).
        rrc_processing: Option<Duration> => between(Duration::ZERO, Duration::from_secs(60));
        /// From the processed command to the begin of the random access: search of the target, processing and
        /// tracking (TS 36.133, 5.1.2.1.2; TS 38.133, 6.1.1.2.2). Default: 0 ms, a known cell on the carrier of the
        /// serving cell.
        synchronisation: Duration = Duration::ZERO => between(Duration::ZERO, Duration::from_secs(60));
        /// Random access to the target cell (TS 36.321 and TS 38.321, 5.1). Default: "dedicated".
        random_access: HandoverAccess = HandoverAccess::Dedicated;
        /// Time between PRACH occasions. Default: 10 ms (TS 36.211, table 5.7.1-2, index 3).
        prach_period: Duration = Duration::from_millis(10)
            => between(Duration::from_millis(1), Duration::from_millis(160));
        /// Preambles for contention. Default: 52.
        preambles: u32 = 52 => between(1, 64);
        /// Most preambles of a random access, preambleTransMax. Default: 6 with LTE, 10 with NR.
        max_preambles: Option<u32> => between(1, 200);
        /// Power of the first preamble at the cell, preambleInitialReceivedTargetPower. Default: -104 dBm.
        preamble_power: Dbm = Dbm(-104.0) => between(Dbm(-202.0), Dbm(-60.0));
        /// From the command until a handover has failed, T304 (TS 36.331, 5.3.5.6; TS 38.331, 5.3.5.8.3). Default: 1 s.
        t304: Duration = Duration::from_secs(1)
            => between(Duration::from_millis(50), Duration::from_secs(10));
        /// From the connection in the target cell to the switch of the path (TS 36.300, 10.1.2.1.1; TS 38.300,
        /// 9.2.3.2.1). Default: 0 ms, as no standard has one.
        path_switch: Duration = Duration::ZERO => between(Duration::ZERO, Duration::from_secs(60));
        /// Forwards downlink packets from the source to the target (TS 36.300, 10.1.2.3; TS 38.300, 9.2.3.2.3). Without
        /// it, the packets that the source has are lost. Default: true.
        forwarding: bool = true;
        /// Transport of a forwarded packet from the source to the target. Default: 5 ms, a choice of this model.
        forwarding_delay: Duration = Duration::from_millis(5)
            => between(Duration::ZERO, Duration::from_secs(1));
        /// Hysteresis of cell reselection, Qhyst (TS 36.304 and TS 38.304, 5.2.4.6). Default: 4 dB, a choice of this model.
        reselection_hysteresis: Db = Db(4.0) => between(Db(0.0), Db(24.0));
        /// Time for which another cell must rank higher, Treselection (TS 36.304 and TS 38.304, 5.2.4.6). Default: 1 s, a
        /// choice of this model.
        reselection_time: Duration = Duration::from_secs(1)
            => between(Duration::ZERO, Duration::from_secs(7));
        /// Conditional handover (TS 38.300, 9.2.3.4; TS 36.300, 10.1.2.1a). Without this table UEs are handed over by
        /// command.
        conditional: Option<HandoverConditional>;
        /// Admission of UEs to cells (TS 36.300, 16.1.1). Without this table each cell has room for each UE.
        admission: Option<HandoverAdmission>;
        /// Mobility load balancing (TS 36.300, 22.4.1; TS 38.300, 15.5.1). Without this table offsets of cells stay.
        load_balancing: Option<HandoverLoadBalancing>;
        /// DAPS handover (TS 38.300, 9.2.3.2; TS 36.300, 10.1.2.1b). A UE keeps its source cell until its random access to
        /// the target has succeeded. It needs `forwarding`. Default: false.
        daps: bool = false;
        /// Cells on other carriers than that of the serving cell: their measurement, and handover there. Default: as an
        /// empty table, where a [[carrier]] has role = "cells".
        inter_frequency: Option<HandoverInterFrequency>;
        /// Events of secondary cells, where a [[carrier]] has role = "secondary". Without this table a UE has those of its
        /// cell, which a handover releases and adds.
        secondary: Option<HandoverSecondary>;
    }
}

record! {
    /// Events of the secondary cells of UEs that go from cell to cell (TS 36.331 and TS 38.331, 5.5.4). Measurements are those
    /// of the serving cell, without gaps. `cell_offset` does not count.
    pub struct HandoverSecondary : Default {
        /// Event A6: another cell on the carrier of a secondary cell becomes better than it by an offset (TS 36.331,
        /// 5.5.4.6a; TS 38.331, 5.5.4.7). Its report makes that the secondary cell. Default: none.
        a6: Option<A6Event>;
        /// Event A2 of a secondary cell, whose report deactivates it. Default: none.
        a2: Option<ServingEvent>;
        /// Event A1 of a secondary cell, whose report lets data activate it again. Default: none.
        a1: Option<ServingEvent>;
        /// With `a6`, lets a secondary cell be of another site than the primary cell, as with remote radio heads (TS 36.300,
        /// J.1). Data between the sites take no time. Default: false, the sectors of a site.
        other_sites: bool = false;
        /// With `a6`, processing of the reconfiguration by the UE, in which it has no secondary cell on the carrier. Default:
        /// 20 ms with LTE (TS 36.331, 11.2), 16 ms with NR (TS 38.331, 12).
        rrc_processing: Option<Duration> => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// Measurement of cells on other carriers than that of the serving cell, and handover there.
    pub struct HandoverInterFrequency : Default {
        /// Event of the measurement reports of these cells, unless their carrier has one. Default:
        /// `network.handover.event`.
        event: Option<HandoverEvent>;
        /// Event A2 of the serving cell, whose report begins measurements of other carriers, and with them gaps. Default:
        /// none, they begin with those of neighbours.
        a2: Option<ServingEvent>;
        /// Event A1 of the serving cell, whose report ends what this `a2` began. Default: none.
        a1: Option<ServingEvent>;
        /// True if a UE needs gaps to measure other carriers. A UE that needs none has a receiver for them
        /// (interFreqNeedForGaps, TS 36.331, 6.3.6; NeedForGapsInfoNR, TS 38.331, 6.3.2). Default: true.
        needs_gaps: bool = true;
        /// Time from a measurement gap to the next, MGRP: 40 or 80 ms, and with NR 20 or 160 ms (TS 36.133, table
        /// 8.1.2.1-1; TS 38.133, table 9.1.2-1). Default: 40 ms.
        gap_period: Duration = Duration::from_millis(40)
            => between(Duration::from_millis(20), Duration::from_millis(160));
        /// Length of a gap, MGL: 6 ms, and with NR 1.5, 3, 3.5, 4, 5.5 or 6 ms. Default: 6 ms.
        gap_length: Duration = Duration::from_millis(6)
            => between(Duration::from_micros(1_500), Duration::from_millis(6));
        /// Time of a measurement of one other carrier; of several, each takes as many times as long. Default: 480 ms with
        /// LTE (TS 36.133, 8.1.2.3.1), 8 times `gap_period` and at least 200 ms with NR (TS 38.133, 9.3.5).
        measurement: Option<Duration> => between(Duration::from_millis(20), Duration::from_secs(60));
        /// From the processed command to the begin of the random access on another carrier, as `synchronisation`. Default:
        /// 20 ms, for a known cell (TS 36.133, 5.1.2.1.2).
        synchronisation: Duration = Duration::from_millis(20)
            => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// Conditional handover: cells are prepared early, and the UE leaves when `event` is fulfilled for one of them,
    /// without a report.
    pub struct HandoverConditional : Default {
        /// Event of the measurement reports by which cells are prepared. Default: { kind = "a3", offset = "-3 dB" }, a
        /// choice of this model.
        prepare: HandoverEvent =
            HandoverEvent::A3(A3Event { offset: Db(-3.0), ..A3Event::default() });
        /// Cells that are prepared for a UE at one time at most. Default: 4, a choice of this model; TS 38.331 allows
        /// 8 (maxNrofCondCells, 6.4).
        max_candidates: u8 = 4 => between(1, 8);
        /// From the fulfilled condition until the UE leaves its cell. Default: 10 ms, the most that TS 38.133, 6.1.4.2,
        /// allows.
        execution: Duration = Duration::from_millis(10)
            => between(Duration::ZERO, Duration::from_secs(10));
        /// Lets a UE that selects a prepared cell after a failure execute there, once, instead of a re-establishment
        /// (attemptCondReconfig, TS 38.331, 5.3.7.3). Default: true.
        recovery: bool = true;
        /// Search of that cell. Default: 100 ms, for a known cell (TS 36.133, 6.1.2.1).
        search: Duration = Duration::from_millis(100)
            => between(Duration::ZERO, Duration::from_secs(10));
        /// Begin of the forwarding of downlink packets (TS 38.300, 9.2.3.2.3). Default: "late".
        forwarding: ConditionalForwarding = ConditionalForwarding::Late;
    }
}

record! {
    /// Radio admission control of each cell: a cell without room refuses handovers, candidates, re-establishments of other
    /// cells' UEs, and connections. UEs that begin in a cell are there, also if they are more.
    pub struct HandoverAdmission : Default {
        /// Connected UEs of a cell at most. Default: no limit.
        ues: Option<u32> => at_least(1);
        /// Share of the resource blocks downlink that `guaranteed_bit_rate` of the connected UEs' bearers may need at
        /// most. Each UE needs its rates over the one that it would have alone, in one layer, at its mean SINR with all
        /// cells active. A UE without guaranteed rates is admitted. Default: no limit.
        guaranteed: Option<f64> => above_to(0.0, 1.0);
        /// T302: time after a rejected connection until the UE asks again (TS 36.331, 5.3.3.8; TS 38.331, 5.3.15). Default:
        /// 1 s, the shortest of the standards.
        wait_time: Duration = Duration::from_secs(1)
            => between(Duration::from_secs(1), Duration::from_secs(16));
    }
}

record! {
    /// Mobility load balancing: cells exchange their loads, and move the cell individual offsets of a pair toward the
    /// lighter one. One cell adds to its offset what the other takes off, beside `cell_offset`.
    pub struct HandoverLoadBalancing : Default {
        /// Exchanged load. Default: { kind = "resource-blocks" }.
        load: CellLoad = CellLoad::ResourceBlocks(ResourceBlockLoad::default());
        /// Time between exchanges (resource status updates: TS 36.423, 8.3.7). Default: 1 s, the shortest period of TS
        /// 36.423, 9.1.2.11.
        period: Duration = Duration::from_secs(1)
            => between(Duration::from_millis(100), Duration::from_secs(3_600));
        /// Move of an offset in an exchange, at most `limit`. Default: 1 dB, the step of cellIndividualOffset (TS 36.331,
        /// 6.3.4; TS 38.331, 6.3.2).
        step: Db = Db(1.0) => above_to(Db(0.0), Db(24.0));
        /// Largest move of an offset. Default: 6 dB, a choice of this model.
        limit: Db = Db(6.0) => above_to(Db(0.0), Db(24.0));
    }
}

kinds! {
    /// Load of a cell that cells exchange.
    pub enum CellLoad or "a table with one of these as its kind" {
        /// Share of the resource blocks used downlink in a period (PRB usage: TS 36.314, 4.1.1).
        ResourceBlocks(ResourceBlockLoad) = "resource-blocks",
        /// Number of connected UEs.
        Ues(UeLoad) = "ues",
    }
}

record! {
    /// Load by resource blocks.
    pub struct ResourceBlockLoad : Default {
        /// Difference of two cells above which their offset moves. Default: 0.2, a choice of this model.
        threshold: f64 = 0.2 => above_to(0.0, 1.0);
        /// Difference below which the offset moves back, counted in its direction. -`threshold` to `threshold`; in between
        /// the offset stays. Default: 0, a choice of this model.
        back: f64 = 0.0 => between(-1.0, 1.0);
    }
}

record! {
    /// Load by connected UEs.
    pub struct UeLoad : Default {
        /// Difference of two cells above which their offset moves. Default: 2, a choice of this model: a UE that goes
        /// changes it by 2.
        threshold: f64 = 2.0 => above_to(0.0, 10_000.0);
        /// Difference below which the offset moves back, counted in its direction. -`threshold` to `threshold`; in between
        /// the offset stays. Default: 0, a choice of this model.
        back: f64 = 0.0 => between(-10_000.0, 10_000.0);
    }
}

choice! {
    /// Begin of the forwarding of downlink packets in conditional handovers.
    pub enum ConditionalForwarding {
        /// Behind the report of the target's success: packets come to the target after the transport of the report and
        /// of themselves.
        Late = "late",
        /// With the preparation: a copy of each packet goes to each prepared cell.
        Early = "early",
    }
}

kinds! {
    /// Event of measurement reports (TS 36.331 and TS 38.331, 5.5.4).
    pub enum HandoverEvent or "a table with one of these as its kind" {
        /// A neighbour becomes better than the serving cell by an offset (5.5.4.4).
        A3(A3Event) = "a3",
        /// A neighbour becomes better than a threshold (5.5.4.5).
        A4(A4Event) = "a4",
        /// The serving cell becomes worse than a threshold, and a neighbour better than another (5.5.4.6).
        A5(A5Event) = "a5",
    }
}

record! {
    /// Event A3.
    pub struct A3Event : Default {
        /// Offset, a3-Offset. Default: 0 dB.
        offset: Db = Db(0.0) => between(Db(-15.0), Db(15.0));
        /// Hysteresis. Default: 3 dB.
        hysteresis: Db = Db(3.0) => between(Db(0.0), Db(15.0));
        /// Time for which the condition must hold, timeToTrigger. Default: 256 ms.
        time_to_trigger: Duration = Duration::from_millis(256)
            => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// Event A6.
    pub struct A6Event : Default {
        /// Offset, a6-Offset. Default: 0 dB.
        offset: Db = Db(0.0) => between(Db(-15.0), Db(15.0));
        /// Hysteresis. Default: 3 dB.
        hysteresis: Db = Db(3.0) => between(Db(0.0), Db(15.0));
        /// Time for which the condition must hold, timeToTrigger. Default: 256 ms.
        time_to_trigger: Duration = Duration::from_millis(256)
            => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// Event A1 or A2, of the serving cell alone.
    pub struct ServingEvent {
        /// Threshold: RSRP in dBm, or RSRQ or SINR in dB, as a number.
        threshold: f64 => between(-200.0, 100.0);
        /// Hysteresis. Default: 3 dB.
        hysteresis: Db = Db(3.0) => between(Db(0.0), Db(15.0));
        /// Time for which the condition must hold, timeToTrigger. Default: 256 ms.
        time_to_trigger: Duration = Duration::from_millis(256)
            => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// Event A4.
    pub struct A4Event {
        /// Threshold: RSRP in dBm, or RSRQ or SINR in dB, as a number.
        threshold: f64 => between(-200.0, 100.0);
        /// Hysteresis. Default: 3 dB.
        hysteresis: Db = Db(3.0) => between(Db(0.0), Db(15.0));
        /// Time for which the condition must hold, timeToTrigger. Default: 256 ms.
        time_to_trigger: Duration = Duration::from_millis(256)
            => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// Event A5.
    pub struct A5Event {
        /// Threshold of the serving cell: RSRP in dBm, or RSRQ or SINR in dB, as a number.
        serving: f64 => between(-200.0, 100.0);
        /// Threshold of the neighbour, likewise.
        neighbour: f64 => between(-200.0, 100.0);
        /// Hysteresis. Default: 3 dB.
        hysteresis: Db = Db(3.0) => between(Db(0.0), Db(15.0));
        /// Time for which the condition must hold, timeToTrigger. Default: 256 ms.
        time_to_trigger: Duration = Duration::from_millis(256)
            => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// Offset of cells, cellIndividualOffset (TS 36.331 and TS 38.331, 5.5.4): Ocn of a neighbour, and in event A3 Ocp
    /// of the serving cell.
    pub struct CellOffset {
        /// Cells that have it: numbers from 0, and ranges of them, as "9-11". A site has three numbers after each other
        /// where it has three cells.
        cell: Indices;
        /// Serving cells that configure it, likewise. Default: all.
        serving: Option<Indices>;
        /// The offset. UEs go earlier to a cell with a positive one, and leave it later.
        offset: Db => between(Db(-24.0), Db(24.0));
    }
}

kinds! {
    /// Distribution of a delay.
    pub enum HandoverDelay or "a table with one of these as its kind" {
        /// Always the same.
        Fixed(FixedDelay) = "fixed",
        /// Evenly distributed.
        Uniform(UniformDelay) = "uniform",
        /// Exponentially distributed.
        Exponential(ExponentialDelay) = "exponential",
        /// Lognormally distributed.
        Lognormal(LognormalDelay) = "lognormal",
    }
}

record! {
    /// A delay that is always the same.
    pub struct FixedDelay {
        /// The delay.
        delay: Duration => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// A delay between two bounds.
    pub struct UniformDelay {
        /// The shortest.
        min: Duration => between(Duration::ZERO, Duration::from_secs(60));
        /// The longest.
        max: Duration => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// A delay with an exponential distribution.
    pub struct ExponentialDelay {
        /// Its mean.
        mean: Duration => between(Duration::ZERO, Duration::from_secs(60));
    }
}

record! {
    /// A delay with a lognormal distribution.
    pub struct LognormalDelay {
        /// Its median.
        median: Duration => between(Duration::ZERO, Duration::from_secs(60));
        /// Standard deviation of its natural logarithm.
        sigma: f64 => between(0.0, 3.0);
    }
}

choice! {
    /// Measured quantity.
    pub enum HandoverQuantity {
        /// RSRP: power of a cell for each resource element.
        Rsrp = "rsrp",
        /// RSRQ, with all cells sending.
        Rsrq = "rsrq",
        /// SINR, with all cells sending.
        Sinr = "sinr",
    }
}

choice! {
    /// Random access to the target cell.
    pub enum HandoverAccess {
        /// With a preamble of the UE's own, without contention.
        Dedicated = "dedicated",
        /// With a preamble that other UEs may choose, too.
        Contention = "contention",
        /// None: the handover ends when the random access would begin.
        None = "none",
    }
}

//! The settings that a fit tries.

use airpath_base::Direction;

use crate::{Access, Bler, Interface, ParseError, Rational, Setting, Span, Step, Tdd, Tti};

/// Values that a fit tries, each with each. Those that exclude each other are left out.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Direction of the packets.
    pub direction: Direction,
    /// Length of a slot, and slots.
    pub slots: Vec<(Tti, Tdd)>,
    /// Accesses of a UE to the uplink.
    pub accesses: Vec<Access>,
    /// Slots from a grant to its data: k2.
    pub k2: Vec<u64>,
    /// Slots that the base station takes from a request to its grant.
    pub preparations: Vec<u64>,
    /// Shares of transmissions that fail.
    pub blers: Vec<Bler>,
    /// Transmissions of a block at most.
    pub transmissions: usize,
}

/// A setting that a fit tries, and its values by name.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The air interface, without times of processing.
    pub interface: Interface,
    /// Names of what was varied, and values.
    pub values: Vec<(&'static str, String)>,
}

impl Grid {
    /// Usual patterns, periods and errors.
    ///
    /// # Errors
    ///
    /// None: the texts are those that the parsers read.
    pub fn usual(direction: Direction) -> Result<Grid, ParseError> {
        let slots = [
            ("1ms", "fdd"),
            ("mu1", "DDDSU"),
            ("mu1", "DDSUU"),
            ("mu1", "DDDDDDDSUU"),
            ("mu1", "DSUUU"),
        ];
        let slots = slots.iter().map(|(tti, tdd)| Ok((tti.parse()?, tdd.parse()?)));
        let period = |ms: &u64| Span::Time(airpath_base::Duration::from_millis(*ms));
        let requested =
            [5, 10, 20, 40].iter().map(period).map(|period| Access::SchedulingRequest { period });
        let configured = [5, 10, 20].iter().map(period).map(|period| Access::Configured { period });
        let blers = [0, 1, 10].map(|percent| Bler::new(Rational::new(percent, 100)));
        Ok(Grid {
            direction,
            slots: slots.collect::<Result<_, ParseError>>()?,
            accesses: requested.chain(configured).chain([Access::Instant]).collect(),
            k2: vec![2, 4, 6],
            preparations: vec![3, 6],
            blers: blers.into_iter().flatten().collect(),
            transmissions: 4,
        })
    }

    /// All settings that are possible.
    pub fn candidates(&self) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (tti, tdd) in &self.slots {
            for access in self.own_accesses() {
                for k2 in self.own_k2(*access) {
                    for preparation in self.own_preparations(*access) {
                        for bler in &self.blers {
                            let values = (*access, k2, preparation, *bler);
                            all.push(self.candidate((*tti, tdd.clone()), values));
                        }
                    }
                }
            }
        }
        all
    }

    /// Downlink nothing goes by the access.
    fn own_accesses(&self) -> &[Access] {
        match self.direction {
            Direction::Downlink => &[Access::Instant],
            Direction::Uplink => &self.accesses,
        }
    }

    /// With instant access there are no grants.
    fn own_k2(&self, access: Access) -> Vec<u64> {
        match access {
            Access::Instant => self.k2.first().copied().into_iter().collect(),
            _ => self.k2.clone(),
        }
    }

    /// Only requests are prepared for.
    fn own_preparations(&self, access: Access) -> Vec<u64> {
        match access {
            Access::SchedulingRequest { .. } => self.preparations.clone(),
            _ => self.preparations.first().copied().into_iter().collect(),
        }
    }

    fn candidate(
        &self,
        (tti, tdd): (Tti, Tdd),
        (access, k2, preparation, bler): (Access, u64, u64, Bler),
    ) -> Candidate {
        let mut setting = Setting { tti, access, bler, ..Setting::default() };
        // The grant takes a slot, and the UE the rest: of a block that is prepared a slot at least.
        let encoding = if k2 > 1 { 1 } else { 0 };
        setting.steps.set(Step::DataEncoding, Span::ttis(encoding, 1));
        setting.steps.set(Step::GrantDecoding, Span::ttis(k2.saturating_sub(1 + encoding), 1));
        setting.steps.set(Step::GrantPreparation, Span::ttis(preparation, 1));
        setting.steps.set(Step::UplinkDecoding, Span::ttis(1, 1));
        let mut values = vec![("slots", format!("{tdd}, {tti}"))];
        if self.direction == Direction::Uplink {
            values.push(("access", access.to_string()));
            if access != Access::Instant {
                values.push(("k2", format!("{k2} slots")));
            }
            if matches!(access, Access::SchedulingRequest { .. }) {
                values.push(("grant preparation", format!("{preparation} slots")));
            }
        }
        values.push(("errors", bler.to_string()));
        let transmissions = self.transmissions;
        let interface = Interface { setting, tdd, transmissions, processing: Vec::new() };
        Candidate { interface, values }
    }
}

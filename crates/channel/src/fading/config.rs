//! Configuration of a library of fading.

use airpath_base::Duration;
use num_complex::Complex32;

use super::interference::Eight;
use super::library::Axis;
use super::profile::Profile;
use crate::precoding::{Array, Codebook, Correlation, Precoding, Scattering};

/// Steps of the time axis at least: twenty periods of the largest Doppler shift at the usual
/// hold.
const LEAST_STEPS: u32 = 2048;
/// Bytes of gains at most, where that does not make the axis shorter than [`LEAST_STEPS`].
const BYTES: usize = 4 << 20;
/// Bytes of gains that are possible. Making them takes up to four times as many for each pair of antennas.
const MOST_BYTES: usize = 128 << 20;
/// Resource blocks of a subband at most, with a codebook of a panel (TS 38.214, table 5.2.1.4-2).
const WIDEST_SUBBAND: u16 = 32;
/// Antennas of a UE at most.
const MOST_ANTENNAS: u8 = 4;
/// Bytes of gains of groups at most, if a group of the whole carrier has no more.
const GROUP_BYTES: usize = 64 << 20;
/// Longest delay spread: the longest of TR 38.901, table 7.7.3-1, and as much again.
const LONGEST_SPREAD: Duration = Duration::from_micros(2);

/// Configuration of a library. Links that differ in any of these values read different libraries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LibraryConfig {
    /// Power delay profile.
    pub profile: Profile,
    /// Its root mean square delay spread, 0 to 2 us.
    pub delay_spread: Duration,
    /// Largest Doppler shift in Hz ([`doppler_hz`](super::doppler_hz)), up to 100 kHz; 0: fading
    /// that never changes.
    pub doppler_hz: f64,
    /// Resource blocks, 1 to 275.
    pub resource_blocks: u16,
    /// Numerology (TS 38.211, 4.2), 0 to 6: a resource block has 180 kHz, a slot 1 ms, and
    /// half the time and twice the width for each more. LTE is 0.
    pub numerology: u8,
    /// Ports of the base station and how it uses them.
    pub precoding: Precoding,
    /// Antennas of the UE, 1 to 4, that combine what they receive.
    pub receivers: u8,
    /// Most layers, 1 to 4; several with closed loop alone.
    pub layers: u8,
    /// Signals of a transmitter that disturbs, each from a port of its own, against which a receiver of 2 to 4
    /// antennas turns; 0 to 4. 0 is without interference rejection.
    pub rejection: u8,
    /// True if signals for others have their precoders, which the library then holds.
    pub precoded: bool,
    /// Resource blocks of a group that has complex gains by port and antenna, for layers to several UEs at once;
    /// 0 is without.
    pub group: u16,
    /// True if groups also have the precoders of reports, with closed loop alone.
    pub reported: bool,
    /// Correlation among the ports, and among the antennas of the UE.
    pub correlation: Correlation,
    /// Arrangement of the base station's antennas.
    pub array: Array,
    /// Directions of power, which count with [`Correlation::Environment`] alone.
    pub scattering: Scattering,
    /// Periods of the largest Doppler shift for which a step is held, above 0; rounded to whole
    /// slots, at least one.
    pub hold_cycles: f64,
    /// True if a step is exactly as long, for UEs whose speed changes ([`Travelled`](super::Travelled)).
    pub any_speed: bool,
    /// Steps of the time axis, a power of two, 2 to 2^20. If static, so many realisations.
    pub steps: u32,
    /// Independent realisations, 1 to 1024. One long axis shows a link more than several short
    /// ones of the same size.
    pub realisations: u32,
}

/// Reason for which a library cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FadingError {
    /// A value outside its range.
    #[error("{name} is {value}: {range} are possible")]
    Range {
        /// Name of the value.
        name: &'static str,
        /// Given value.
        value: String,
        /// Allowed range.
        range: &'static str,
    },
    /// The time axis is too short for fading.
    #[error(
        "{steps} steps of {hold_ms} ms are {cycles:.1} periods of a Doppler shift of \
         {doppler_hz} Hz: at least 16 are needed; take more steps, or hold them longer"
    )]
    Short {
        /// Steps of the axis.
        steps: u32,
        /// Duration of a step in milliseconds.
        hold_ms: f64,
        /// Largest Doppler shift.
        doppler_hz: f64,
        /// Its periods on the axis.
        cycles: f64,
    },
}

impl LibraryConfig {
    /// A library with the usual hold and size, and independent ports. A step is a hundredth of a
    /// Doppler period. As many steps as fit into 4 MiB follow each other, at least 2048.
    pub fn new(profile: Profile, delay_spread: Duration, doppler_hz: f64) -> LibraryConfig {
        let config = LibraryConfig {
            profile,
            delay_spread,
            doppler_hz,
            resource_blocks: 50,
            numerology: 0,
            precoding: Precoding::SinglePort,
            receivers: 1,
            layers: 1,
            rejection: 0,
            precoded: false,
            group: 0,
            reported: false,
            correlation: Correlation::Low,
            array: Array::Linear,
            scattering: Scattering::default(),
            hold_cycles: 0.01,
            any_speed: false,
            steps: LEAST_STEPS,
            realisations: 1,
        };
        config.on(50, 0, Precoding::SinglePort)
    }

    /// This configuration for UEs whose speed changes, with steps half as long as the usual ones:
    /// [`on`](LibraryConfig::on) has the steps that fit.
    #[must_use]
    pub fn of_any_speed(self) -> LibraryConfig {
        LibraryConfig { any_speed: true, hold_cycles: 0.005, ..self }
    }

    /// This configuration with so many antennas of the UE; [`on`](LibraryConfig::on) has the steps that
    /// fit.
    #[must_use]
    pub fn received_by(self, receivers: u8) -> LibraryConfig {
        LibraryConfig { receivers, ..self }
    }

    /// This configuration with up to so many layers; [`on`](LibraryConfig::on) has the steps that fit.
    #[must_use]
    pub fn layered(self, layers: u8) -> LibraryConfig {
        LibraryConfig { layers, ..self }
    }

    /// This configuration with a receiver that rejects so many signals of a transmitter, no more than that
    /// has ports. [`on`](LibraryConfig::on) has the steps that fit.
    #[must_use]
    pub fn rejecting(self, signals: u8) -> LibraryConfig {
        LibraryConfig { rejection: signals, ..self }
    }

    /// This configuration with precoders of signals for others, if `precoded`;
    /// [`on`](LibraryConfig::on) has the steps that fit.
    #[must_use]
    pub fn with_precoders(self, precoded: bool) -> LibraryConfig {
        LibraryConfig { precoded, ..self }
    }

    /// This configuration with gains of groups of resource blocks, and if `reported` precoders of reports. Groups have
    /// the least multiple of `least` resource blocks that fits for UEs of four antennas, with the present
    /// [steps](LibraryConfig::on).
    #[must_use]
    pub fn grouped(self, least: u16, reported: bool) -> LibraryConfig {
        let least = least.max(1);
        let of = |group| LibraryConfig { group, reported, ..self };
        let fits = |group: &u16| {
            let bytes = of(*group).received_by(MOST_ANTENNAS).group_bytes();
            *group >= self.resource_blocks || bytes * self.steps as usize <= GROUP_BYTES
        };
        of((1..).map(|n| n * least).find(fits).unwrap_or(least))
    }

    /// Signals for others whose gains a library has, from a port each, and the antennas that receive them:
    /// the first alone without rejection.
    pub(super) fn disturbing(&self) -> (usize, usize) {
        let (antennas, ports) = self.ends();
        let signals = if self.precoded { ports } else { self.rejection.into() };
        (signals, if self.rejection > 0 { antennas } else { 1 })
    }

    /// Antennas of the receiver and ports of the transmitter: with maximum ratio and precoders that a cell
    /// gives, the base station receives.
    pub(super) fn ends(&self) -> (usize, usize) {
        let (ue, station) = (usize::from(self.receivers), self.precoding.ports());
        match self.precoding {
            Precoding::MaximumRatio { .. } | Precoding::Granted { .. } => (station, ue),
            _ => (ue, station),
        }
    }

    /// True if UEs report precoders of a panel, whose library is made part by part of the carrier.
    pub(super) fn has_panel(&self) -> bool {
        matches!(self.precoding, Precoding::ClosedLoop { codebook: Codebook::Panel(_), .. })
    }

    /// This configuration on a carrier of `resource_blocks` of a numerology, with this precoding, and
    /// the steps that fit.
    #[must_use]
    pub fn on(self, resource_blocks: u16, numerology: u8, precoding: Precoding) -> LibraryConfig {
        let mut config = LibraryConfig { resource_blocks, numerology, precoding, ..self };
        // Groups do not change the steps, so links draw the same channels with and without groups.
        let step = config.step_bytes() - config.group_bytes();
        let fitting = (BYTES / step.max(1)) as u32;
        let least = if config.any_speed { 2 * LEAST_STEPS } else { LEAST_STEPS };
        config.steps = least.max((fitting + 1).next_power_of_two() / 2);
        config
    }

    /// Width of a resource block in Hz.
    pub fn resource_block_hz(&self) -> f64 {
        180e3 * f64::from(1_u32 << self.numerology)
    }

    /// Eights of the resource blocks of a step.
    pub(super) fn stride(&self) -> usize {
        usize::from(self.resource_blocks).div_ceil(8)
    }

    fn step_bytes(&self) -> usize {
        self.stride() * self.tables() * size_of::<Eight>() + self.group_bytes()
    }

    /// Bytes of the gains of groups in a step.
    fn group_bytes(&self) -> usize {
        let groups = match self.group {
            0 => 0,
            width => usize::from(self.resource_blocks.div_ceil(width)),
        };
        let antennas = usize::from(self.receivers) + usize::from(self.reported);
        groups * antennas * self.precoding.ports() * size_of::<Complex32>()
    }

    /// Bytes of its gains.
    pub(super) fn bytes(&self) -> usize {
        self.step_bytes() * self.steps as usize * self.realisations as usize
    }

    /// Tables of gains: what one antenna receives without a precoder is received alike by all. Each
    /// rank from 2 on has one for each of its principal minors.
    pub(super) fn tables(&self) -> usize {
        let of_layers: usize = (2..=self.layers).map(|layers| (1 << layers) - 1).sum();
        let of_power = match self.precoding {
            Precoding::SinglePort | Precoding::TransmitDiversity(_) | Precoding::OpenLoop(_)
                if self.receivers == 1 =>
            {
                1
            }
            _ => 2 + of_layers,
        };
        let layers: usize = (1..=self.layers).map(usize::from).sum();
        let ((antennas, ports), (signals, receiving)) = (self.ends(), self.disturbing());
        let wanted = if self.rejection > 0 { antennas * layers } else { 0 };
        let weights = if self.precoded { ports * layers } else { 0 };
        of_power + 2 * (signals * receiving + wanted + weights)
    }

    pub(super) fn slot(&self) -> Duration {
        Duration::from_nanos(1_000_000 >> self.numerology)
    }

    /// Checks that a library can be made of this configuration.
    ///
    /// # Errors
    ///
    /// If a value is outside its range, or the time axis too short for its Doppler shift.
    pub fn check(&self) -> Result<(), FadingError> {
        self.check_ranges()?;
        Axis::new(self).map(|_| ())
    }

    /// Checks interference rejection and precoders of signals for others.
    fn check_antennas(&self) -> Result<(), FadingError> {
        let range = |ok: bool, name, value: String, range| {
            if ok { Ok(()) } else { Err(FadingError::Range { name, value, range }) }
        };
        let (antennas, ports) = self.ends();
        let rejects = self.rejection == 0
            || (2..=4).contains(&antennas)
                && usize::from(self.rejection) <= ports.min(4)
                && !matches!(
                    self.precoding,
                    Precoding::TransmitDiversity(_) | Precoding::OpenLoop(_)
                );
        let of_diversity = self.precoded
            && matches!(self.precoding, Precoding::TransmitDiversity(_) | Precoding::OpenLoop(_));
        let closed = matches!(self.precoding, Precoding::ClosedLoop { .. });
        let group = self.group.to_string();
        range(self.group == 0 || closed, "group", group, "0, or any with closed loop")?;
        let own = self.precoding;
        let why = "ways with a precoder, which transmit diversity has not";
        range(!of_diversity, "precoding", format!("{own:?}"), why)?;
        let why = "0, or as many as ports, with 2 to 4 antennas and without transmit diversity";
        range(rejects, "rejection", self.rejection.to_string(), why)
    }

    /// Checks the panel of a codebook, and its subbands.
    fn check_panel(&self) -> Result<(), FadingError> {
        let range = |ok: bool, name, value: String, range| {
            if ok { Ok(()) } else { Err(FadingError::Range { name, value, range }) }
        };
        let ports = self.precoding.ports();
        if let Array::CrossPolarised { columns, rows } = self.array {
            let fits = 2 * usize::from(columns) * usize::from(rows) == ports;
            let value = format!("{columns} columns and {rows} rows");
            range(fits, "array", value, "twice columns times rows for as many ports")?;
        }
        let Precoding::ClosedLoop { codebook: Codebook::Panel(panel), feedback } = self.precoding
        else {
            return Ok(());
        };
        let (columns, rows) = (panel.columns(), panel.rows());
        let own = self.array == Array::CrossPolarised { columns, rows };
        range(own, "array", format!("{:?}", self.array), "the panel of the codebook")?;
        let subband = feedback.subband.unwrap_or(1);
        let narrow = subband <= WIDEST_SUBBAND || subband >= self.resource_blocks;
        range(narrow, "subband", subband.to_string(), "1 to 32 resource blocks, or all")
    }

    fn check_ranges(&self) -> Result<(), FadingError> {
        let range = |ok: bool, name, value: String, range| {
            if ok { Ok(()) } else { Err(FadingError::Range { name, value, range }) }
        };
        let blocks = self.resource_blocks;
        range((1..=275).contains(&blocks), "resource_blocks", blocks.to_string(), "1 to 275")?;
        range(self.numerology <= 6, "numerology", self.numerology.to_string(), "0 to 6")?;
        let spread = self.delay_spread;
        let microseconds = format!("{} us", spread.as_millis_f64() * 1e3);
        range(spread <= LONGEST_SPREAD, "delay_spread", microseconds, "0 to 2 us")?;
        let doppler = self.doppler_hz;
        let shift = format!("{doppler} Hz");
        range((0.0..=1e5).contains(&doppler), "doppler", shift, "0 to 100 kHz")?;
        let cycles = self.hold_cycles;
        let held = cycles > 0.0 && cycles <= 1e3;
        range(held, "hold_cycles", cycles.to_string(), "values above 0 and up to 1000")?;
        let steps = self.steps.is_power_of_two() && (2..=1 << 20).contains(&self.steps);
        range(steps, "steps", self.steps.to_string(), "powers of two from 2 to 1048576")?;
        let count = self.realisations;
        range((1..=1024).contains(&count), "realisations", count.to_string(), "1 to 1024")?;
        let receivers = self.receivers;
        range((1..=4).contains(&receivers), "receivers", receivers.to_string(), "1 to 4")?;
        let ports = self.precoding.ports();
        range((1..=32).contains(&ports), "ports", ports.to_string(), "1 to 32")?;
        let most = match self.precoding {
            Precoding::ClosedLoop { .. } | Precoding::OpenLoop(_) => {
                ports.min(usize::from(receivers))
            }
            Precoding::Granted { .. } => ports.min(2),
            _ => 1,
        };
        let possible = (1..=most).contains(&usize::from(self.layers));
        let why = "as many as ports and receivers have, with closed or open loop, else 1";
        range(possible, "layers", self.layers.to_string(), why)?;
        self.check_antennas()?;
        self.check_panel()?;
        let bytes = self.bytes();
        let size = format!("{} MiB", bytes >> 20);
        range(bytes <= MOST_BYTES, "size", size, "steps and realisations of up to 128 MiB")?;
        let granted = matches!(self.precoding, Precoding::Granted { .. });
        let two = !granted || receivers == 2;
        range(two, "receivers", receivers.to_string(), "2, with precoders that a cell gives")?;
        let (Precoding::ClosedLoop { feedback, .. } | Precoding::Granted { feedback, .. }) =
            self.precoding
        else {
            return Ok(());
        };
        let period = !feedback.period.is_zero();
        range(period, "feedback period", "0".into(), "values above 0")?;
        let subband = feedback.subband.unwrap_or(1);
        range(subband >= 1, "subband", subband.to_string(), "1 and more resource blocks")
    }
}

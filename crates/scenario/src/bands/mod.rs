//! The carriers of a cell: where one is named with frequency division duplex, its pair comes
//! from its operating band (TS 36.101, 5.5 and 5.7.4; TS 38.101-1, 5.2 and 5.4.4).
//!
//! A band puts the carriers of a cell as far apart as its lowest frequencies downlink and uplink
//! are (TS 36.101, table 5.7.4-1; TS 38.101-1, table 5.4.4-1). Where bands overlap, the one with
//! the lowest number counts, unless `band` names another.
//!
//! Left out: that a carrier with its bandwidth lies within the band, and the distances that
//! carrier aggregation allows besides.

mod tables;

use airpath_schema::units::{Hertz, Quantity};

use crate::file::{Cell, Duplex, Radio};

/// Downlink and uplink of an FDD cell that names no carrier: EARFCN 100 and 18100 of band 1
/// (TS 36.101, 5.7.3).
const FDD: [Hertz; 2] = [Hertz(2_120_000_000), Hertz(1_930_000_000)];
/// Of a TDD cell: in band 42 of LTE, n77 and n78 of NR.
const TDD: Hertz = Hertz(3_500_000_000);
/// Of a TDD cell with subcarriers 120 kHz apart, which frequency range 2 alone has (TS 38.101-2,
/// table 5.3.2-1): in band n257.
const TDD_RANGE_2: Hertz = Hertz(28_000_000_000);
/// Frequency at which frequency range 2 begins (TS 38.104, table 5.1-1).
const RANGE_2: Hertz = Hertz(24_250_000_000);

/// The lowest and the highest frequency of a direction in Hz.
type Range = (u64, u64);

/// Use of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Frequency division duplex.
    Fdd,
    /// Time division duplex.
    Tdd,
    /// Downlink alone.
    Sdl,
    /// Uplink alone.
    Sul,
    /// Frequency division duplex, at no fixed distance.
    Variable,
}

/// An operating band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Band {
    number: u16,
    kind: Kind,
    up: Option<Range>,
    down: Option<Range>,
}

/// The operating bands of a radio technology.
#[derive(Clone, Copy, Debug)]
struct Bands {
    all: &'static [Band],
    is_nr: bool,
}

/// Fault of a cell's carriers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The key of `cell.radio` that it is about.
    pub key: &'static str,
    pub is_wrong: String,
    pub allowed: String,
}

impl Band {
    /// The uplink carrier of a downlink carrier, if this band has both.
    fn up_of(&self, down: u64) -> Option<u64> {
        self.pair(self.down, self.up, down)
    }

    /// The downlink carrier of an uplink carrier.
    fn down_of(&self, up: u64) -> Option<u64> {
        self.pair(self.up, self.down, up)
    }

    fn pair(&self, own: Option<Range>, other: Option<Range>, carrier: u64) -> Option<u64> {
        let (own, other) = (own?, other.filter(|_| self.kind == Kind::Fdd)?);
        let pair = (carrier + other.0).checked_sub(own.0)?;
        (within(own, carrier) && within(other, pair)).then_some(pair)
    }

    /// True if a cell may have these carriers.
    fn has(&self, down: u64, up: u64) -> bool {
        let has = |range: Option<Range>, carrier| range.is_some_and(|range| within(range, carrier));
        has(self.down, down) && has(self.up, up)
    }
}

fn within((low, high): Range, carrier: u64) -> bool {
    (low..=high).contains(&carrier)
}

impl Bands {
    fn of(cell: &Cell) -> Bands {
        match cell.is_nr() {
            true => Bands { all: tables::NR, is_nr: true },
            false => Bands { all: tables::LTE, is_nr: false },
        }
    }

    /// The name of a band: its number, in NR with an n before it.
    fn name(self, band: &Band) -> String {
        format!("{}{}", if self.is_nr { "n" } else { "" }, band.number)
    }

    /// Those that a cell may mean: with its duplex, and the one that it names.
    fn candidates(self, cell: &Cell) -> impl Iterator<Item = &'static Band> {
        let tdd = cell.duplex == Duplex::Tdd;
        let named = cell.radio.band.clone();
        self.all.iter().filter(move |band| {
            let usable = match band.kind {
                Kind::Fdd | Kind::Variable => !tdd,
                Kind::Tdd => tdd,
                Kind::Sdl | Kind::Sul => false,
            };
            usable && named.as_ref().is_none_or(|name| *name == self.name(band))
        })
    }
}

/// Fills in the carriers and the band of a cell, as far as they follow from what it names.
pub(crate) fn fill(cell: &mut Cell) {
    let bands = Bands::of(cell);
    let (down, up) = match cell.duplex {
        Duplex::Tdd => {
            let usual = if cell.numerology() == 3 { TDD_RANGE_2 } else { TDD };
            let carrier = *cell.radio.carrier.get_or_insert(usual);
            (carrier.0, carrier.0)
        }
        Duplex::Fdd => {
            fill_pair(cell, bands);
            let Radio { carrier: Some(down), carrier_up: Some(up), .. } = cell.radio else {
                return;
            };
            (down.0, up.0)
        }
    };
    let band = bands.candidates(cell).find(|band| band.has(down, up));
    if let Some(band) = band {
        cell.radio.band = Some(bands.name(band));
    }
}

fn fill_pair(cell: &mut Cell, bands: Bands) {
    let (down, up) = match (cell.radio.carrier, cell.radio.carrier_up) {
        (None, None) => (Some(FDD[0]), Some(FDD[1])),
        (Some(down), None) => {
            let up = bands.candidates(cell).find_map(|band| band.up_of(down.0));
            (Some(down), up.map(Hertz))
        }
        (None, Some(up)) => {
            let down = bands.candidates(cell).find_map(|band| band.down_of(up.0));
            (down.map(Hertz), Some(up))
        }
        both => both,
    };
    (cell.radio.carrier, cell.radio.carrier_up) = (down, up);
}

/// The name of a band for the duplex of a cell that has its carrier downlink and that of another.
pub(crate) fn shared(cell: &Cell, other: &Cell) -> Option<String> {
    let (bands, both) = (Bands::of(cell), [cell.radio.carrier?.0, other.radio.carrier?.0]);
    let any = Cell { radio: Radio { band: None, ..cell.radio.clone() }, ..cell.clone() };
    let has = |range: Range| both.iter().all(|carrier| within(range, *carrier));
    let band = bands.candidates(&any).find(|band| band.down.is_some_and(has))?;
    Some(bands.name(band))
}

/// True if a carrier is in frequency range 2, or subcarriers are as far apart as there alone.
pub(crate) fn is_range_2(cell: &Cell, carrier: Option<Hertz>) -> bool {
    cell.numerology() == 3 || carrier.or(cell.radio.carrier).is_some_and(|at| at.0 >= RANGE_2.0)
}

/// Fault of the carriers of a cell, once they are filled in.
pub(crate) fn fault(cell: &Cell) -> Option<Fault> {
    let bands = Bands::of(cell);
    if cell.duplex == Duplex::Tdd && cell.radio.carrier_up.is_some() {
        return Some(Fault {
            key: "carrier_up",
            is_wrong: "is a second carrier, and duplex \"tdd\" has one".to_owned(),
            allowed: "leave it out: uplink and downlink share `carrier`".to_owned(),
        });
    }
    unknown_band(cell, bands).or_else(|| unpaired(cell, bands)).or_else(|| outside(cell, bands))
}

/// A name of no band, or of none with the cell's duplex.
fn unknown_band(cell: &Cell, bands: Bands) -> Option<Fault> {
    let name = cell.radio.band.as_ref().filter(|_| bands.candidates(cell).next().is_none())?;
    let known = bands.all.iter().find(|band| bands.name(band) == *name);
    let technology = if bands.is_nr { "NR" } else { "LTE" };
    let is_wrong = match known {
        None => format!("is no band of {technology}"),
        Some(_) => format!("is no band for duplex \"{}\"", cell.duplex.word()),
    };
    let usual = Cell { radio: Radio { band: None, ..cell.radio.clone() }, ..cell.clone() };
    let names: Vec<String> = bands.candidates(&usual).map(|band| bands.name(band)).collect();
    let allowed = format!("one of {}", names.join(", "));
    Some(Fault { key: "band", is_wrong, allowed })
}

/// One carrier that no band gives a pair.
fn unpaired(cell: &Cell, bands: Bands) -> Option<Fault> {
    let (key, other, carrier) = match (cell.duplex, cell.radio.carrier, cell.radio.carrier_up) {
        (Duplex::Fdd, Some(down), None) => ("carrier", "carrier_up", down),
        (Duplex::Fdd, None, Some(up)) => ("carrier_up", "carrier", up),
        _ => return None,
    };
    let range = |band: &Band| if key == "carrier" { band.down } else { band.up };
    let has = |band: &&Band| range(band).is_some_and(|range| within(range, carrier.0));
    let is_wrong = match (bands.candidates(cell).find(has), &cell.radio.band) {
        (Some(band), _) => {
            format!("has no pair: band {} puts none beside {}", bands.name(band), carrier.show())
        }
        (None, Some(name)) => format!("has no pair: {} is not in band {name}", carrier.show()),
        (None, None) => format!("has no pair: {} is in no band of FDD", carrier.show()),
    };
    let distance = |band: &Band| {
        let (low, high) = range(band).unwrap_or((u64::MAX, u64::MAX));
        low.saturating_sub(carrier.0).max(carrier.0.saturating_sub(high))
    };
    let paired = bands.candidates(cell).filter(|band| band.kind == Kind::Fdd);
    let nearest = paired.min_by_key(|band| distance(band));
    let nearest = nearest.and_then(|band| Some((bands.name(band), range(band)?)));
    let mut allowed = format!("give {other} as well");
    if let Some((name, (low, high))) = nearest {
        let (low, high) = (Hertz(low).show(), Hertz(high).show());
        allowed = format!("{allowed}; the nearest band is {name}, with {low} to {high}");
    }
    if let Some(band) = bands.all.iter().filter(|band| band.kind != Kind::Fdd).find(has) {
        let name = bands.name(band);
        let more = match band.kind {
            Kind::Tdd => format!("band {name} has it with duplex = \"tdd\""),
            Kind::Sdl => format!("band {name} has it, for the downlink alone"),
            Kind::Sul => format!("band {name} has it, for the uplink alone"),
            Kind::Variable | Kind::Fdd => format!("band {name} has it, without a fixed pair"),
        };
        allowed = format!("{allowed}; {more}");
    }
    Some(Fault { key, is_wrong, allowed })
}

/// Carriers that the band which is named does not have.
fn outside(cell: &Cell, bands: Bands) -> Option<Fault> {
    let down = cell.radio.carrier?;
    let up = cell.radio.carrier_up.unwrap_or(down);
    cell.radio.band.as_ref()?;
    let band = bands.candidates(cell).next()?;
    if band.has(down.0, up.0) {
        return None;
    }
    let show = |range: Option<Range>| {
        let (low, high) = range.unwrap_or_default();
        format!("{} to {}", Hertz(low).show(), Hertz(high).show())
    };
    let allowed = match band.kind {
        Kind::Tdd => format!("carrier = {}", show(band.down)),
        _ => format!("carrier = {}, carrier_up = {}", show(band.down), show(band.up)),
    };
    let is_wrong = match cell.duplex {
        Duplex::Tdd => format!("does not have the carrier {}", down.show()),
        Duplex::Fdd => format!("does not have the carriers {} and {}", down.show(), up.show()),
    };
    Some(Fault { key: "band", is_wrong, allowed })
}

#[cfg(test)]
#[path = "bands_tests.rs"]
mod tests;

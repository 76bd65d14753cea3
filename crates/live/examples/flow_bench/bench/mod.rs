//! Real flows of Linux through emulated paths: recorded with what truly limited them, and judged.
//!
//! [`Draw`](draw::Draw) says what a flow is to be, [`Recorder`](record::Recorder) records it,
//! [`Truth`](truth::Truth) is what limited it, and [`judge`](judge::judge) compares that with what
//! `airpath analyse` says.

pub mod draw;
pub mod halves;
pub mod judge;
pub mod keep;
mod kind;
pub mod lab;
mod machine;
pub mod media;
mod model;
mod path;
mod pcap;
pub mod record;
mod segment;
mod side;
mod special;
pub mod table;
pub mod truth;
mod verdict;
mod way;

use std::path::Path;
use std::{fs, io};

use draw::Draw;
use model::Model;
use truth::Truth;

/// Causes of the limits of a flow that was recorded into a folder; written there as `truth.json`.
///
/// # Errors
///
/// If files cannot be read or written.
pub fn truth_of(folder: &Path) -> io::Result<Truth> {
    let draw: Draw = serde_json::from_str(&fs::read_to_string(folder.join("draw.json"))?)?;
    let reports = record::reports(&draw, folder)?;
    let model = Model::read(&draw, folder)?;
    let truth = Truth::of(&draw, &reports, &model, record::PORT);
    fs::write(folder.join("truth.json"), serde_json::to_string(&truth)?)?;
    Ok(truth)
}

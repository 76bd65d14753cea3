//! Recorded positions of UEs: CSV, or tracks of GPX.
//!
//! A file is read once, and its tracks become routes at once. A fault names its line or point.

mod csv;
mod gpx;

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use airpath_base::Digest;
use airpath_channel::route::Route;
use airpath_schema::{Decoder, Field, Json, Node, json};

use crate::file::RouteOrigin;

/// A file with positions, by its path relative to the scenario's.
#[derive(Clone, PartialEq)]
pub struct TrackFile {
    file: String,
    tracks: Option<Arc<Tracks>>,
}

/// Routes that a file has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tracks {
    /// One route of all UEs of a group.
    Common(Route),
    /// A route for each UE by its number in the group.
    Each(BTreeMap<u32, Route>),
}

impl Tracks {
    /// Route of the UE of this number; none if the file lacks it.
    pub fn of(&self, index: u32) -> Option<&Route> {
        match self {
            Tracks::Common(route) => Some(route),
            Tracks::Each(routes) => routes.get(&index),
        }
    }
}

impl TrackFile {
    /// The path as the scenario has it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Content of the file, once it has been read.
    pub(crate) fn tracks(&self) -> Option<&Tracks> {
        self.tracks.as_deref()
    }

    /// True if all UEs of a group have one route.
    pub(crate) fn is_common(&self) -> bool {
        matches!(self.tracks(), Some(Tracks::Common(_)))
    }

    /// True for a name of GPX.
    pub(crate) fn is_gpx(&self) -> bool {
        self.file.to_ascii_lowercase().ends_with(".gpx")
    }

    /// Reads the text of the file. `origin` is the geographic position of the network's origin.
    pub(crate) fn read(&mut self, text: &str, origin: Option<&RouteOrigin>) -> Result<(), String> {
        let tracks = match self.is_gpx() {
            true => gpx::read(text, origin.map(|origin| [origin.latitude, origin.longitude])),
            false => csv::read(text),
        };
        self.tracks = Some(Arc::new(tracks?));
        Ok(())
    }

    /// A fingerprint of the routes.
    pub(crate) fn digest(&self) -> Digest {
        let routes: Vec<(u32, &Route)> = match self.tracks() {
            None => Vec::new(),
            Some(Tracks::Common(route)) => vec![(0, route)],
            Some(Tracks::Each(routes)) => routes.iter().map(|(n, route)| (n + 1, route)).collect(),
        };
        routes.into_iter().fold(Digest::new(), |digest, (n, route)| {
            route.legs().iter().fold(digest.number(n.into()), |digest, leg| {
                let at = leg.motion.at;
                digest.number(leg.from.as_nanos()).number(at.x.to_bits()).number(at.y.to_bits())
            })
        })
    }
}

impl fmt::Debug for TrackFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TrackFile({:?})", self.file)
    }
}

impl Field for TrackFile {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "the path of a file with positions, CSV or GPX";
        let file = cx.text(node, allowed)?;
        match file.is_empty() {
            true => cx.fail(&node.place, "is empty", format!("it must be {allowed}")),
            false => Some(TrackFile { file: file.to_owned(), tracks: None }),
        }
    }
    fn encode(&self) -> Json {
        self.file.clone().into()
    }
    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}

#[cfg(test)]
#[path = "track_tests.rs"]
mod tests;

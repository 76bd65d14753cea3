//! Tracks of GPX: points with latitude, longitude and time.
//!
//! Positions are projected around an origin, with R as the mean radius of the Earth (IUGG):
//!
//! - x is the difference of longitude times R times the cosine of the origin's latitude;
//! - y is the difference of latitude times R.
//!
//! Within 10 km of the origin lengths are good to 1%, up to 60 degrees of latitude.

use airpath_base::{Duration, Time, math};
use airpath_channel::Point;
use airpath_channel::route::{Fix, through};
use chrono::{DateTime, FixedOffset};
use roxmltree::{Document, Node};

use super::Tracks;

/// Mean radius of the Earth in metres (IUGG).
const RADIUS_M: f64 = 6_371_008.8;

/// A point of a track.
struct Recorded {
    latitude: f64,
    longitude: f64,
    time: DateTime<FixedOffset>,
}

/// Reads all tracks. Segments of a track follow each other.
pub(super) fn read(text: &str, origin: Option<[f64; 2]>) -> Result<Tracks, String> {
    let document = Document::parse(text).map_err(|error| format!("it is no XML: {error}"))?;
    let is = |name: &'static str| move |node: &Node<'_, '_>| node.tag_name().name() == name;
    let mut tracks: Vec<Vec<Recorded>> = Vec::new();
    for track in document.descendants().filter(is("trk")) {
        let points = track.descendants().filter(is("trkpt"));
        tracks.push(points.map(|point| recorded(&document, point)).collect::<Result<_, _>>()?);
    }
    tracks.retain(|track| !track.is_empty());
    let begin = tracks.iter().flatten().map(|point| point.time).min();
    let (Some(begin), Some(first)) = (begin, tracks.first().map(|track| &track[0])) else {
        return Err("it has no track with points (`trk`, `trkpt`)".to_owned());
    };
    let [latitude, longitude] = origin.unwrap_or([first.latitude, first.longitude]);
    let fix = |point: &Recorded| Fix {
        time: Time::ZERO + since(begin, point.time),
        at: Point {
            x: RADIUS_M * math::cos(latitude.to_radians()) * east(point.longitude - longitude),
            y: RADIUS_M * (point.latitude - latitude).to_radians(),
        },
    };
    let mut routes = Vec::new();
    for (n, track) in tracks.iter().enumerate() {
        let fixes: Vec<Fix> = track.iter().map(fix).collect();
        routes.push(through(&fixes).map_err(|error| format!("track {}: {error}", n + 1))?);
    }
    match routes.len() {
        1 => Ok(Tracks::Common(routes.remove(0))),
        _ => Ok(Tracks::Each((0..).zip(routes).collect())),
    }
}

/// A difference of longitude in radians, by the shorter way round the Earth.
fn east(degrees: f64) -> f64 {
    airpath_channel::wrapped_deg(degrees).to_radians()
}

fn since(begin: DateTime<FixedOffset>, time: DateTime<FixedOffset>) -> Duration {
    let nanos = time.signed_duration_since(begin).num_nanoseconds();
    Duration::from_nanos(nanos.and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or(u64::MAX))
}

fn recorded(document: &Document<'_>, point: Node<'_, '_>) -> Result<Recorded, String> {
    let line = document.text_pos_at(point.range().start).row;
    let degrees = |name: &str, most: f64| {
        let text = point.attribute(name).unwrap_or_default();
        let value = text.trim().parse::<f64>().ok().filter(|value| value.abs() <= most);
        value.ok_or_else(|| format!("line {line}: a point whose `{name}` is \"{text}\""))
    };
    let time = point.children().find(|node| node.tag_name().name() == "time");
    let text = time.and_then(|node| node.text()).unwrap_or_default().trim();
    let time = DateTime::parse_from_rfc3339(text)
        .map_err(|_| format!("line {line}: a point whose `time` is \"{text}\""))?;
    Ok(Recorded { latitude: degrees("lat", 90.0)?, longitude: degrees("lon", 180.0)?, time })
}

//! Files with positions against lengths and times by hand.

use airpath_base::{Duration, Time};
use airpath_channel::Point;

use super::*;

fn read(file: &str, text: &str) -> Result<TrackFile, String> {
    let mut track = TrackFile { file: file.to_owned(), tracks: None };
    track.read(text, None).map(|()| track)
}

fn at(track: &TrackFile, index: u32, seconds: f64) -> Point {
    let route = track.tracks().and_then(|tracks| tracks.of(index)).expect("a route");
    route.at(Time::ZERO + Duration::from_secs_f64(seconds)).at
}

/// GPX with a point for each latitude, longitude and second of an hour.
fn gpx(tracks: &[&[(f64, f64, &str)]]) -> String {
    let point = |(latitude, longitude, second): &(f64, f64, &str)| {
        format!(
            "<trkpt lat=\"{latitude}\" lon=\"{longitude}\"><ele>3</ele><time>2024-05-01T{second}</time></trkpt>"
        )
    };
    let track = |points: &&[(f64, f64, &str)]| {
        format!("<trk><trkseg>\n{}\n</trkseg></trk>", points.iter().map(point).collect::<String>())
    };
    let tracks: String = tracks.iter().map(track).collect();
    format!(
        "<?xml version=\"1.0\"?><gpx xmlns=\"http://www.topografix.com/GPX/1/1\">{tracks}</gpx>"
    )
}

#[test]
fn a_minute_of_latitude_is_a_nautical_mile() {
    // 1852 m by the definition of the nautical mile; at 60 degrees a minute of longitude has half of it.
    let north = gpx(&[&[(45.0, 9.0, "10:00:00Z"), (45.0 + 1.0 / 60.0, 9.0, "10:01:00Z")]]);
    let end = at(&read("a.gpx", &north).expect("a track"), 3, 60.0);
    assert!((end.y / 1_852.0 - 1.0).abs() < 0.003 && end.x.abs() < 1e-6, "{end:?}");
    let east = gpx(&[&[(60.0, 9.0, "10:00:00Z"), (60.0, 9.0 + 1.0 / 60.0, "10:01:00Z")]]);
    let end = at(&read("A.GPX", &east).expect("a track"), 0, 60.0);
    assert!((end.x / 926.0 - 1.0).abs() < 0.003 && end.y.abs() < 1e-6, "{end:?}");
    // Half of the way after half of the time; zones of time count.
    let zone = gpx(&[&[(45.0, 9.0, "10:00:00Z"), (45.0 + 1.0 / 60.0, 9.0, "12:01:00.000+02:00")]]);
    let half = at(&read("a.gpx", &zone).expect("a track"), 0, 30.0);
    assert!((half.y / 926.0 - 1.0).abs() < 0.003, "{half:?}");
}

#[test]
fn an_origin_and_a_track_for_each_ue() {
    let one = [(0.5, -0.1, "10:00:30Z"), (0.5, -0.1, "10:00:40Z")];
    let two = [(0.5, 0.1, "10:00:00Z"), (0.501, 0.1, "10:01:00Z")];
    let text = gpx(&[&one, &two]);
    let mut track = read("a.gpx", &text).expect("tracks");
    // A fifth of a degree, 22.2 km; times count from the first point of all tracks.
    assert_eq!(at(&track, 0, 0.0), Point::default());
    assert!((at(&track, 1, 0.0).x / 22_224.0 - 1.0).abs() < 0.003);
    assert!((at(&track, 1, 30.0).y / 55.56 - 1.0).abs() < 0.003);
    assert!(track.tracks().expect("tracks").of(2).is_none());
    let origin = RouteOrigin { latitude: 0.5, longitude: 0.0 };
    track.read(&text, Some(&origin)).expect("tracks");
    assert!((at(&track, 0, 0.0).x / -11_112.0 - 1.0).abs() < 0.003);
}

#[test]
fn rows_of_csv() {
    let text = "# from a drive\n\"y\", time, x\n0, 0, -10\n\n20,10.5,-10\n20,20.5,90\n";
    let track = read("drive.csv", text).expect("a track");
    assert_eq!(at(&track, 7, 0.0), Point { x: -10.0, y: 0.0 });
    assert!((at(&track, 0, 5.25).y - 10.0).abs() < 1e-6);
    assert!((at(&track, 0, 15.5).x - 40.0).abs() < 1e-6 && at(&track, 0, 99.0).x == 90.0);
    let text = "ue,time,x,y\n1,0,5,0\n0,0,0,0\n0,1,1,0\n1,1,5,9\n";
    let track = read("drive.csv", text).expect("tracks");
    assert!((at(&track, 0, 0.5).x - 0.5).abs() < 1e-6 && (at(&track, 1, 0.5).y - 4.5).abs() < 1e-6);
    assert!(track.tracks().expect("tracks").of(2).is_none());
}

#[test]
fn contents_count_for_the_digest() {
    let digest = |text: &str| read("a.csv", text).expect("a track").digest().value();
    let text = "time,x,y\n0,0,0\n1,1,0\n";
    assert_eq!(digest(text), digest("x,time,y\n0,0,0\n1,1,0.0\n"));
    for other in
        ["time,x,y\n0,0,0\n1,1,1\n", "time,x,y\n0,0,0\n2,1,0\n", "ue,time,x,y\n0,0,0,0\n0,1,1,0\n"]
    {
        assert_ne!(digest(text), digest(other), "{other}");
    }
}

#[test]
fn faults_name_their_lines() {
    let cases = [
        ("a.csv", "t,x,y\n0,0,0\n".to_owned(), "its header lacks `time`: it has t, x, y"),
        ("a.csv", "time,x,y\n0,0,0\n1,east,0\n".to_owned(), "line 3: `east` is no x"),
        ("a.csv", "time,x,y\n-1,0,0\n".to_owned(), "line 2: `-1` is no time"),
        ("a.csv", "time,x,y\n0,NaN,0\n".to_owned(), "line 2: `NaN` is no x"),
        ("a.csv", "time,x,y\n0,0\n".to_owned(), "line 2: `` is no y"),
        ("a.csv", "ue,time,x,y\n-1,0,0,0\n".to_owned(), "line 2: `-1` is no number of a UE"),
        (
            "a.csv",
            "time,x,y\n0,0,0,9\n".to_owned(),
            "line 2: it has 4 values, and the header has 3",
        ),
        ("a.csv", "time,x,y\n".to_owned(), "it has no positions"),
        ("a.csv", "time,x,y\n0,0,0\n\n0,0,0\n".to_owned(), "lines 2 and 4, points 1 and 2"),
        (
            "a.csv",
            "time,x,y\n0,0,0\n1,98,0\n".to_owned(),
            "from point 1 to point 2 its speed is 353 km/h",
        ),
        ("a.gpx", "time,x,y\n".to_owned(), "it is no XML"),
        ("a.gpx", gpx(&[]), "it has no track"),
        ("a.gpx", gpx(&[&[(91.0, 0.0, "10:00:00Z")]]), "line 2: a point whose `lat` is \"91\""),
        (
            "a.gpx",
            gpx(&[&[(1.0, 0.0, "noon")]]),
            "line 2: a point whose `time` is \"2024-05-01Tnoon\"",
        ),
        (
            "a.gpx",
            gpx(&[&[(1.0, 0.0, "10:00:01Z"), (1.0, 0.0, "10:00:00Z")]]),
            "track 1: point 2 has no later time",
        ),
    ];
    for (file, text, why) in cases {
        let error = read(file, &text).expect_err("a fault");
        assert!(error.contains(why), "{text}\n{error}");
    }
}

//! Table `ue.route` of the scenario file: routes of UEs that move.

use airpath_base::Duration;
use airpath_channel::route::FASTEST;
use airpath_schema::units::{Degrees, Metres, Position, Quantity, Speed};
use airpath_schema::{
    Check, Decoder, Field, Json, Node, above_to, between, choice, json, kinds, record,
};

use crate::track::TrackFile;

/// Range of speeds on routes: 0.1 km/h to 350 km/h.
struct OfRoute;

impl Check<Speed> for OfRoute {
    fn broken(&self, value: &Speed) -> Option<String> {
        // Units other than m/s round in the last digit.
        let kmh = (3.6 * value.0 * 1e6).round() / 1e6;
        (!(0.1..=3.6 * FASTEST).contains(&kmh)).then(|| format!("is {kmh} km/h"))
    }
    fn allowed(&self) -> String {
        "0.1 km/h to 350 km/h".to_owned()
    }
    fn annotate(&self, _: &mut Json) {}
}

impl Check<Option<Speed>> for OfRoute {
    fn broken(&self, value: &Option<Speed>) -> Option<String> {
        self.broken(value.as_ref()?)
    }
    fn allowed(&self) -> String {
        Check::<Speed>::allowed(self)
    }
    fn annotate(&self, _: &mut Json) {}
}

kinds! {
    /// A route: positions of a UE over time. It begins when the run begins, or when the UE arrives.
    pub enum UeRoute or "a table with one of these as its kind" {
        /// A straight line from the UE's position. It needs `network.wrap_around`, or `ue.place` and a
        /// heading with which the UE does not leave the network's area.
        Straight(StraightRoute) = "straight",
        /// The centre lines of `network.streets`. At a crossing a UE goes straight on with probability 0.5,
        /// left with 0.25 and right with 0.25 (TR 36.885, A.1.2). At the border of the grid those of them that
        /// are left keep their proportions. Without `ue.place` it begins at a point drawn evenly along the streets.
        Streets(StreetsRoute) = "streets",
        /// Straight lines to targets that are drawn evenly in the network's area.
        RandomWaypoint(RandomWaypointRoute) = "random-waypoint",
        /// Straight lines through points. The UE rests at the last one.
        Waypoints(WaypointsRoute) = "waypoints",
        /// Recorded positions, with straight lines between them. The UE rests at the last one.
        File(FileRoute) = "file",
    }
}

record! {
    /// A straight line.
    pub struct StraightRoute {
        /// Speed: "350 km/h", or { min = "30 km/h", max = "50 km/h" } for one that is drawn for each UE.
        speed: RouteSpeed;
        /// Direction from east to north: "0 deg" is east, "90 deg" north. Default: drawn for each UE.
        heading: Option<Degrees>;
        /// Distance from UE to UE of a group that follow each other on one route: "3 m" or "2 s". The second is
        /// behind the first, and so on. Default: each UE has a route of its own.
        spacing: Option<Spacing>;
    }
}

record! {
    /// The centre lines of streets.
    pub struct StreetsRoute {
        /// Speed: "60 km/h", or { min = "30 km/h", max = "50 km/h" } for one that is drawn for each UE.
        speed: RouteSpeed;
        /// Distance from UE to UE of a group that follow each other on one route: "10 m" or "2 s". They rest at
        /// its begin until their time. Default: each UE has a route of its own.
        spacing: Option<Spacing>;
    }
}

record! {
    /// Targets drawn at random.
    pub struct RandomWaypointRoute {
        /// Speed: "3 km/h", or { min = "1 km/h", max = "5 km/h" } for one that is drawn for each target.
        speed: RouteSpeed;
        /// Rest at each target. Default: 0 s.
        pause: Duration = Duration::ZERO => between(Duration::ZERO, Duration::from_secs(86_400));
        /// Time from UE to UE of a group that follow each other on one route: "2 s". They rest at its begin
        /// until their time. Default: each UE has a route of its own.
        spacing: Option<Spacing>;
    }
}

record! {
    /// Points one by one.
    pub struct WaypointsRoute {
        /// Points in the order in which the UE comes to them.
        point: Vec<Waypoint>;
        /// Speed to points that have neither a time nor a speed. Default: each has one of its own.
        speed: Option<Speed> => OfRoute;
        /// Time from UE to UE of a group: "2 s". They rest at the first point until their time. Default: "0 s",
        /// all at once.
        spacing: Option<Spacing>;
    }
}

record! {
    /// A point of a route.
    pub struct Waypoint {
        /// Position of the point to the east.
        x: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Position of the point to the north.
        y: Position => between(Position(-100_000.0), Position(100_000.0));
        /// Time since the begin of the route. Default: by the speed; the first point is at 0 s.
        time: Option<Duration> => between(Duration::ZERO, Duration::from_secs(86_400));
        /// Speed to this point from the one before. Default: that of the route.
        speed: Option<Speed> => OfRoute;
    }
}

record! {
    /// Recorded positions.
    pub struct FileRoute {
        /// Path of the file relative to this file's. A name with the end ".gpx" is GPX: each track is that of a
        /// UE of the group, or one track that of all. Its times count from the first. Any other is CSV with a
        /// header: `time` in s, `x` and `y` in m, and perhaps `ue`, the UE's number in the group from 0.
        file: TrackFile;
        /// Geographic position of x = 0, y = 0 for GPX. Default: the first point.
        origin: Option<RouteOrigin>;
        /// Time from UE to UE of a group on one track: "2 s". They rest at its begin until their time. Default:
        /// "0 s", all at once.
        spacing: Option<Spacing>;
    }
}

record! {
    /// A geographic position (WGS 84).
    pub struct RouteOrigin {
        /// Latitude in degrees, positive in the north.
        latitude: f64 => between(-85.0, 85.0);
        /// Longitude in degrees, positive in the east.
        longitude: f64 => between(-180.0, 180.0);
    }
}

record! {
    /// A speed, or a range from which it is drawn evenly.
    pub struct RouteSpeed(min, max) {
        /// The least speed.
        min: Speed => OfRoute;
        /// The largest speed.
        max: Speed => OfRoute;
    }
}

record! {
    /// Movement of UEs on routes.
    pub struct NetworkMobility : Default {
        /// Period at which the gains of links follow positions. Default: 10 ms, a choice of this model; at
        /// 350 km/h a UE moves 1 m in it.
        sample: Duration = Duration::from_millis(10)
            => above_to(Duration::ZERO, Duration::from_secs(1));
        /// Shadowing of UEs on routes. Default: "site".
        shadowing: MobilityShadowing = MobilityShadowing::Site;
        /// Distance over which the shadowing of UEs on routes has a correlation of 1/e. Default: that of the environment
        /// (TR 38.901, table 7.5-6).
        decorrelation: Option<Metres> => between(Metres(1.0), Metres(1_000.0));
    }
}

choice! {
    /// Shadowing of UEs on routes.
    pub enum MobilityShadowing {
        /// A field over the ground for each site: UEs at one point have the same.
        Site = "site",
        /// Along the path of each link: UEs are independent of each other.
        Link = "link",
    }
}

/// Distance between UEs that follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spacing {
    /// Distance in time.
    Time(Duration),
    /// Distance along the route.
    Length(Metres),
}

impl RouteSpeed {
    /// Both ends in metres a second.
    pub(crate) fn range(&self) -> (f64, f64) {
        (self.min.0, self.max.0)
    }
}

impl UeRoute {
    /// Distance between UEs that follow each other on one route; none if each has its own.
    pub(crate) fn spacing(&self) -> Option<Spacing> {
        let together = Spacing::Time(Duration::ZERO);
        match self {
            UeRoute::Straight(own) => own.spacing,
            UeRoute::Streets(own) => own.spacing,
            UeRoute::RandomWaypoint(own) => own.spacing,
            UeRoute::Waypoints(own) => Some(own.spacing.unwrap_or(together)),
            UeRoute::File(own) => Some(own.spacing.unwrap_or(together)),
        }
    }

    /// Speed of a route that has one.
    pub(crate) fn speed(&self) -> Option<&RouteSpeed> {
        match self {
            UeRoute::Straight(own) => Some(&own.speed),
            UeRoute::Streets(own) => Some(&own.speed),
            UeRoute::RandomWaypoint(own) => Some(&own.speed),
            UeRoute::Waypoints(_) | UeRoute::File(_) => None,
        }
    }
}

impl Field for Spacing {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "a time up to 24 h, as \"2 s\", or a length, as \"10 m\"";
        let text = cx.text(node, allowed)?;
        let day = Duration::from_secs(86_400);
        let time = Duration::parse(text).ok().filter(|time| *time <= day).map(Spacing::Time);
        match time.or_else(|| Metres::parse(text).ok().map(Spacing::Length)) {
            Some(spacing) => Some(spacing),
            None => {
                let is_wrong = format!("cannot be \"{text}\"");
                cx.fail(&node.place, &is_wrong, format!("it must be {allowed}"))
            }
        }
    }
    fn encode(&self) -> Json {
        match self {
            Spacing::Time(time) => time.encode(),
            Spacing::Length(length) => length.encode(),
        }
    }
    fn schema() -> Json {
        json!({"anyOf": [Duration::schema(), Metres::schema()]})
    }
}

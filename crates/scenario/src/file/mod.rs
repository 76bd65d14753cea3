//! The tables of the scenario file, in its order.

mod application;
mod arrivals;
mod bearer;
mod carrier;
mod cell;
mod change;
mod dual;
mod flow;
mod handover;
mod mu_mimo;
mod network;
mod output;
mod path;
mod pdu_sets;
mod processing;
mod proxy;
mod queue;
mod quic;
mod radio_link;
mod recorded;
mod route;
mod rrc;
mod scenario;
mod scheduler;
mod streets;
mod tdd;
mod technology;
mod ue;
mod uplink;
mod video;
mod web;
mod webrtc;
mod words;
mod xr;

pub use crate::track::TrackFile;
pub use airpath_channel::antenna::{
    Element as NetworkElement, Polarisation as NetworkPolarisation,
};
pub use airpath_channel::fading::Profile as FadingProfile;
pub use airpath_channel::penetration::Buildings as NetworkBuildings;
pub use airpath_channel::precoding::Correlation as PortCorrelation;
pub use airpath_channel::{Averaging as NetworkGain, Environment, Surroundings};
pub use airpath_media::GiveUp;
pub use airpath_media::gcc::{Options as Gcc, Variant as GccVariant};
pub use airpath_media::nada::Options as Nada;
pub use airpath_media::scream::{
    Marking as ScreamEcn, Options as Scream, Pacing as ScreamPacing, StallFrom as ScreamStallFrom,
    Version as ScreamVersion,
};
pub use airpath_net::filter::{FilterDirection, Prefix};
pub use airpath_net::queue::{
    Chance, DropTailConfig, DualPi2Options, NativeMarking, QueueConfig,
    RampConfig as UplinkMarking, RedConfig,
};
pub use airpath_net::{Dscp, Pattern};
pub use airpath_path::{EcnField, EcnOption};
pub use airpath_ran::phy::McsTable;
pub use airpath_ran::phy::nr::{Curves as ErrorCurves, Mapping as EffectiveSinr};
pub use airpath_ran::rlc::HeaderModel as PduFilling;
pub use airpath_ran::rlc::am::Config as AcknowledgedMode;
pub use airpath_ran::{
    Allocation, Combining, DownlinkPlacement as Placement, PrimaryPath, Sharing, SpecialSlot,
};
pub use airpath_traffic::{Beyond, ObjectCount, Reading, Sessions, SizeShape, Throttle};
pub use airpath_transport::control::{
    Avoidance, BbrConfig, ControllerName, CubicConfig, DctcpConfig, HyStartKind, NewRenoConfig,
    PragueConfig, PragueResponse,
};
pub use airpath_transport::tcp::{
    CodePoint, DelayedAck, DelayedAckOption, EcnMode, FlightMeasure, LossDetection, LossRecovery,
    Opener, Pacing, RecoveryTimer, Reduction, RttSource, TcpConfig as Tcp,
};
pub use airpath_wire::Protocol;
pub use airpath_wire::tunnel::EcnMode as EcnTunnel;
pub use application::{Amount, Player, Requests};
pub use arrivals::Arrivals;
pub use bearer::{Bearer, Duplication, Filter, QosFlow, RateExposure, RlcMode};
pub use carrier::{Carrier, CarrierActivation, CarrierRole};
pub use cell::{
    Cell, CqiReference, Duplex, Harq, HarqUplink, LinkAdaptation, PathLoss, Pdcch, Radio, Timing,
};
pub use change::{Changes, Settings, TimedChange};
pub use dual::{LegAddition, NetworkDualConnectivity};
pub use flow::{Answer, Flow, FlowKind, Rtp, Start, VoiceCodec};
pub use handover::{
    A3Event, A6Event, CellLoad, CellOffset, ConditionalForwarding, ExponentialDelay, FixedDelay,
    HandoverAccess, HandoverAdmission, HandoverConditional, HandoverDelay, HandoverEvent,
    HandoverInterFrequency, HandoverLoadBalancing, HandoverQuantity, LognormalDelay,
    NetworkHandover, ResourceBlockLoad, ServingEvent, UeLoad, UniformDelay,
};
pub use mu_mimo::{MuMimo, MuMimoReports, MuMimoSrs};
pub use network::{
    Interference, Network, NetworkAntenna, NetworkFading, NetworkLayout, NetworkPrecoding,
    NetworkSite, NetworkUplink, PrecodingCodebook, PrecodingScheme, UePlace, UplinkPowerControl,
};
pub use output::{Output, PcapPoint, RecordedBlocks};
pub use path::{EspTransform, Ipsec, Link, Path, UpLink, Wire};
pub use pdu_sets::{PduSets, SetSchedule};
pub use processing::{
    CellProcessing, FixedProcessing, Implementation, ProcessingDelay, UeProcessing,
};
pub use proxy::{Proxy, ProxyPlace};
pub use queue::Capacity;
pub use quic::{Quic, QuicControl, QuicDatagrams, QuicEcn};
pub use radio_link::RadioLink;
pub use recorded::{DciFile, RecordedLoad};
pub use route::{
    FileRoute, MobilityShadowing, NetworkMobility, RandomWaypointRoute, RouteOrigin, RouteSpeed,
    Spacing, StraightRoute, StreetsRoute, UeRoute, Waypoint, WaypointsRoute,
};
pub use rrc::{
    Drx, FixedPromotion, Inactive, LognormalPromotion, NormalPromotion, Promotion,
    QuartilePromotion, RadioFile, RadioPower, Rrc, RrcStart, UniformPromotion,
};
pub use scenario::{RadioKind, Scenario};
pub use scheduler::{
    DelayBasedScheduler, OtherTraffic, ProportionalFairScheduler, RaisedPriority,
    RoundRobinScheduler, Scheduler,
};
pub use streets::{NetworkStreets, Pair, StreetSight};
pub(crate) use tdd::USUAL_SPECIAL_SUBFRAME;
pub use tdd::{Flexible, TddPart};
pub use technology::{FIRST_256QAM, McsTables, RadioTechnology, UserPlane};
pub use ue::{Distance, Receiver, Snr, Ue};
pub use uplink::{Cancellation, Uplink, UplinkAccess};
pub use video::{FrameFile, MediaControl, Video};
pub use web::{PageSize, Web};
pub use webrtc::{Webrtc, WebrtcEcn};
pub use words::{CodeRate, Indices, Names, Ports, Tos};
pub use xr::{Xr, XrModel, XrPart};

//! The tables of the scenario file, in its order.

mod application;
mod arrivals;
mod bearer;
mod cell;
mod change;
mod control;
mod flow;
mod network;
mod output;
mod path;
mod pattern;
mod proxy;
mod queue;
mod radio_link;
mod rrc;
mod scenario;
mod scheduler;
mod tcp;
mod technology;
mod ue;
mod video;
mod web;
mod words;

pub use application::{Amount, Player, Requests, Throttle};
pub use arrivals::Arrivals;
pub use bearer::{
    AcknowledgedMode, Bearer, Filter, FilterDirection, PduFilling, QosFlow, RlcMode, UplinkMarking,
};
pub use cell::{
    Allocation, Cell, Duplex, Harq, HarqUplink, LinkAdaptation, PathLoss, Pdcch, Placement, Radio,
    Sharing, Timing, Uplink, UplinkAccess,
};
pub use change::{Changes, Settings, TimedChange};
pub use control::{
    Avoidance, Bbr, Controller, Cubic, Dctcp, HyStartKind, NewReno, Prague, PragueResponse,
};
pub use flow::{Answer, Flow, FlowDirection, FlowKind, Rtp, Start};
pub use network::{
    Environment, FadingProfile, Network, NetworkAntenna, NetworkBuildings, NetworkElement,
    NetworkFading, NetworkGain, NetworkLayout, NetworkPolarisation, NetworkPrecoding, NetworkSite,
    NetworkUplink, PortCorrelation, PrecodingCodebook, PrecodingScheme, Surroundings, UePlace,
    UplinkPowerControl,
};
pub use output::{Output, PcapPoint, RecordedBlocks};
pub use path::{EcnField, EcnOption, EcnTunnel, EspTransform, Ipsec, Link, Path, UpLink, Wire};
pub use pattern::{Pattern, Period};
pub use proxy::{Proxy, ProxyPlace};
pub use queue::{
    AgeDrop, AgeQueue, Capacity, CodelQueue, Decision, DropTailQueue, DualPi2Preset, DualPi2Queue,
    DualScheduler, FqCodelQueue, L4SpanQueue, LinkQueue, NativeMarking, PieQueue, QueueEnd,
    RampQueue, RedQueue, StepQueue,
};
pub use radio_link::RadioLink;
pub use rrc::{
    Drx, FixedPromotion, LognormalPromotion, NormalPromotion, Promotion, QuartilePromotion,
    RadioFile, RadioPower, Rrc, RrcStart, UniformPromotion,
};
pub use scenario::{RadioKind, Scenario};
pub use scheduler::{
    DelayBasedScheduler, OtherTraffic, ProportionalFairScheduler, RaisedPriority,
    RoundRobinScheduler, Scheduler,
};
pub use tcp::{
    CodePoint, DelayedAck, DelayedAckOption, EcnMode, FlightMeasure, LossDetection, LossRecovery,
    Opener, Pacing, RecoveryTimer, Reduction, RttSource, Tcp,
};
pub use technology::{EffectiveSinr, ErrorCurves, McsTable, McsTables, RadioTechnology, UserPlane};
pub use ue::{Distance, Snr, Ue};
pub use video::{
    FrameFile, GiveUp, MediaControl, Scream, ScreamEcn, ScreamPacing, ScreamVersion, Video,
};
pub use web::{Beyond, ObjectCount, PageSize, Reading, Sessions, SizeShape, Web};
pub use words::{CodeRate, Dscp, Indices, Names, Ports, Prefix, Protocol, SpecialSlot, Tos};

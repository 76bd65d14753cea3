//! Whole runs.

mod ages;
mod blocks;
mod budget;
mod cancellation;
mod carriers;
mod change;
mod determinism;
mod dual;
mod frequencies;
mod full_buffer;
mod handover_capture;
mod hot_spot;
mod l4s;
mod lab;
mod layers;
mod little;
mod live;
mod lte_layers;
mod moving;
mod mu_mimo;
mod network;
mod nr;
mod out_of_range;
mod outage;
mod own_scheduler;
#[cfg(feature = "stacks")]
mod own_stack;
mod panels;
mod pdu_sets;
mod properties;
#[cfg(feature = "stacks")]
mod quic;
#[cfg(feature = "accurate-ecn")]
mod quic_accurate;
#[cfg(feature = "stacks")]
mod quic_control;
#[cfg(feature = "stacks")]
mod quic_properties;
mod radio_capture;
mod recorded_load;
#[cfg(feature = "stacks")]
mod rfc8867;
mod rrc;
mod scheduler;
mod secondary_cells;
mod server_delay;
mod sharing;
#[path = "../../../../tests/skipped.rs"]
mod skipped;
mod stalls;
mod steady;
mod tdd;
mod uplink_power;
mod user_plane;
mod users;
mod warm_up;
#[cfg(feature = "stacks")]
mod webrtc;
#[cfg(feature = "stacks")]
mod webrtc_properties;

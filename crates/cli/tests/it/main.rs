//! The program `airpath` as a user meets it.

mod advice;
mod against_judges;
mod analyse;
mod bad_input;
mod calibrate;
mod capacity;
mod common;
mod compare;
mod congestion_marks;
mod damage;
mod dependencies;
mod documented;
mod drop;
mod escapes;
mod evaluate;
mod export;
mod flows;
mod formats;
#[cfg(unix)]
mod help;
#[cfg(unix)]
mod interrupt;
mod judges;
mod kernel;
mod latency;
mod latency_as_built;
mod latency_of_packets;
mod links;
#[cfg(unix)]
mod live;
mod media;
mod notes;
mod picture;
mod plot;
mod points;
#[cfg(feature = "stacks")]
mod processes;
mod program;
mod qlog;
mod quic_live;
mod readings;
mod report;
mod screens;
mod signs;
#[path = "../../../../tests/skipped.rs"]
mod skipped;
mod sweep;

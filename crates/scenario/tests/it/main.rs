//! Scenario files, and the worlds that they describe.

mod applications;
mod arrivals;
mod change;
mod dual;
mod errors;
mod full_buffer;
mod handover;
mod pdu_sets;
mod ports;
mod properties;
mod proxy;
mod queues;
mod quic;
mod radio_file;
mod routes;
mod rrc;
mod scheduler;
mod single_cell;
mod tcp;
mod technology;
mod templates;
mod video;
mod web;
mod webrtc;
mod wires;
mod world;

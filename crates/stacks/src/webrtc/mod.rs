//! WebRTC by str0m 0.25.
mod crypto;

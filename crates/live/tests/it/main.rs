//! Sessions of the operating system, made for real where the machine allows it.
#![cfg(target_os = "linux")]

mod common;
mod emulation;
mod handover;
mod leftovers;
mod mixture;
mod outside;
mod privileges;
mod programs;
mod roles;
#[path = "../../../../tests/skipped.rs"]
mod skipped;
mod terminal;
mod traffic;

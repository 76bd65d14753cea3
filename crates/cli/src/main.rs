//! The airpath program.

fn main() {}

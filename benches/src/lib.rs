//! Benchmarks of airpath's parts, in `benches/`. They are a crate of its own, so that a user of the
//! program does not wait for the benchmark library to compile.

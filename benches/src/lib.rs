//! Benchmarks of airpath's parts, in `benches/`: a crate of its own, so that nobody who
//! only wants the program waits for the benchmark library to compile.

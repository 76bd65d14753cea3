//! Benchmarks of airpath.

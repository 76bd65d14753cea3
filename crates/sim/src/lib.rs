//! A run of a scenario, from file to results.

//! Result tables, statistics and writers.

//! Sources of media beside models of others.

mod queueing;

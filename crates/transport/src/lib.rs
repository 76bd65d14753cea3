//! TCP and its congestion controllers, and traffic sources.

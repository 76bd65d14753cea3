//! Wired elements of the path: links, gateway, filters, tunnels.

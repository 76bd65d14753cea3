//! Identifiers: small integers that cannot be mixed up.

use core::fmt;

macro_rules! id {
    ($(#[$doc:meta] $name:ident($repr:ty), $prefix:literal;)*) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $repr);

        impl $name {
            /// The number as an index into a table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

id! {
    /// A node of the world, in the order in which nodes were added.
    NodeId(u32), "node ";
    /// Point at which packets enter or leave a node.
    Port(u32), "port ";
    /// An application flow, in the order of the scenario.
    FlowId(u32), "flow ";
    /// A user equipment.
    UeId(u32), "UE ";
    /// A cell.
    CellId(u16), "cell ";
    /// A bearer (LTE) or QoS flow's data radio bearer (NR), numbered over all UEs.
    BearerId(u32), "bearer ";
}

//! Quantities of a stay in a radio state: columns of `states.parquet`.

use airpath_base::measure::NS;
use airpath_base::row;
use airpath_base::rrc::Span;

row! {
    from |(ue, span): (&'a str, &Span)|
    /// A stay of a UE with RRC in a radio state.
    pub(crate) struct Stay<'a> {
        /// Name of the UE.
        ue: &'a str = ue,
        /// Beginning of the stay.
        start_ns: u64 [NS] = span.start.as_nanos(),
        /// End of the stay.
        end_ns: u64 [NS] = span.end.as_nanos(),
        /// `idle`, `promotion`, `active`, `short_drx`, `long_drx`, `inactive` or `resume`.
        state: &'static str = span.state.name(),
    }
}

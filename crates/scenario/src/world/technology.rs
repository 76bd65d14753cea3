//! The radio technology of a cell.

use airpath_ran::phy::nr::{self, Nr};
use airpath_ran::phy::{McsTable, Technology};

use crate::file::Cell;

/// The tables of a cell, downlink and uplink.
pub(super) fn config(cell: &Cell) -> [Technology; 2] {
    let tables = cell.link_adaptation.mcs_table.as_ref();
    let [down, up] = tables.map_or([None; 2], |tables| [tables.down, tables.up]);
    [down, up].map(|table| of(cell, table))
}

fn of(cell: &Cell, table: Option<McsTable>) -> Technology {
    let adaptation = &cell.link_adaptation;
    let mcs_table = table.unwrap_or(McsTable::Qam64);
    if !cell.is_nr() {
        return Technology::Lte(mcs_table);
    }
    Technology::Nr(Nr {
        mcs_table,
        curves: adaptation.error_curves.unwrap_or(nr::Curves::FiveGLena),
        mapping: adaptation.effective_sinr.unwrap_or(nr::Mapping::Exponential),
        dmrs_elements: cell.dmrs_elements.unwrap_or(Nr::DEFAULT.dmrs_elements),
        overhead: cell.x_overhead.unwrap_or(Nr::DEFAULT.overhead),
        symbols: cell.symbols(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn of(keys: &str) -> [Technology; 2] {
        let scenario = Scenario::parse(
            "s.toml",
            &format!(
                "duration = \"1 s\"\n[[ue]]\nname = \"phone\"\nsnr = \"9 dB\"\n[cell]\n{keys}"
            ),
            &[],
        );
        let scenario = scenario.unwrap_or_else(|errors| panic!("{keys}: {}", errors.plain()));
        config(&scenario.cell.expect("a cell"))
    }

    #[test]
    fn tables_by_the_keys() {
        let lte = Technology::Lte(McsTable::Qam64);
        assert_eq!(of(""), [lte; 2]);
        // LTE has 256QAM downlink alone.
        let large = Technology::Lte(McsTable::Qam256);
        for tables in
            ["\"256qam\"", "{ down = \"256qam\" }", "{ down = \"256qam\", up = \"64qam\" }"]
        {
            assert_eq!(
                of(&format!("link_adaptation.mcs_table = {tables}")),
                [large, lte],
                "{tables}"
            );
        }
        assert_eq!(of("link_adaptation.mcs_table = \"64qam\""), [lte; 2]);
        assert_eq!(of("link_adaptation.mcs_table.up = \"64qam\""), [lte; 2]);
        assert_eq!(of("tti = \"mu1\""), [lte; 2]);
        let nr = |mcs_table| Technology::Nr(Nr { mcs_table, ..Nr::DEFAULT });
        let [small, large] = [McsTable::Qam64, McsTable::Qam256].map(nr);
        // TS 38.306, 4.2.7.5: pdsch-256QAM-FR1 is mandatory, pusch-256QAM is not.
        assert_eq!(of("technology = \"nr\""), [large, small]);
        // Frequency range 2 begins at 24.25 GHz, and has 120 kHz between subcarriers.
        let tdd = "technology = \"nr\"\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\n";
        assert_eq!(of(&format!("{tdd}radio.carrier = \"24.2 GHz\"")), [large, small]);
        assert_eq!(of(&format!("{tdd}radio.carrier = \"26 GHz\"")), [small; 2]);
        assert_eq!(of("technology = \"nr\"\nnumerology = 3")[0].mcs_count(), 29);
        let keys = |tables| format!("technology = \"nr\"\nlink_adaptation.mcs_table = {tables}");
        assert_eq!(of(&keys("\"64qam\"")), [small; 2]);
        assert_eq!(of(&keys("{ up = \"256qam\" }")), [large; 2]);
        assert_eq!(of(&keys("{ down = \"64qam\", up = \"256qam\" }")), [small, large]);
        let all = "technology = \"nr\"\nnumerology = 3\ntti = \"mu3/7sym\"\n\
                   dmrs_elements = 24\nx_overhead = 6\n[cell.link_adaptation]\n\
                   mcs_table = \"256qam\"\nerror_curves = \"sionna\"\n\
                   effective_sinr = \"mutual-information\"";
        let expected = Nr {
            mcs_table: McsTable::Qam256,
            curves: nr::Curves::Sionna,
            mapping: nr::Mapping::MutualInformation,
            dmrs_elements: 24,
            overhead: 6,
            symbols: 7,
        };
        assert_eq!(of(all), [Technology::Nr(expected); 2]);
    }
}

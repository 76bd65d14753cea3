//! The radio technology of a cell.

use airpath_ran::phy::Technology;
use airpath_ran::phy::nr::{self, Nr};

use crate::file::{Cell, EffectiveSinr, ErrorCurves, McsTable};

/// The tables of a cell.
pub(super) fn config(cell: &Cell) -> Technology {
    let adaptation = &cell.link_adaptation;
    if !cell.is_nr() {
        return Technology::Lte;
    }
    Technology::Nr(Nr {
        mcs_table: match adaptation.mcs_table {
            Some(McsTable::Qam256) => nr::McsTable::Qam256,
            Some(McsTable::Qam64) | None => nr::McsTable::Qam64,
        },
        curves: match adaptation.error_curves {
            Some(ErrorCurves::Sionna) => nr::Curves::Sionna,
            Some(ErrorCurves::FiveGLena) | None => nr::Curves::FiveGLena,
        },
        mapping: match adaptation.effective_sinr {
            Some(EffectiveSinr::MutualInformation) => nr::Mapping::MutualInformation,
            Some(EffectiveSinr::Eesm) | None => nr::Mapping::Exponential,
        },
        dmrs_elements: cell.dmrs_elements.unwrap_or(Nr::DEFAULT.dmrs_elements),
        overhead: cell.x_overhead.unwrap_or(Nr::DEFAULT.overhead),
        symbols: cell.symbols(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn of(keys: &str) -> Technology {
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
        assert_eq!(of(""), Technology::Lte);
        assert_eq!(of("tti = \"mu1\""), Technology::Lte);
        assert_eq!(of("technology = \"nr\""), Technology::Nr(Nr::DEFAULT));
        let all = "technology = \"nr\"\nnumerology = 3\ntti = \"mu3/7sym\"\n\
                   dmrs_elements = 24\nx_overhead = 6\n[cell.link_adaptation]\n\
                   mcs_table = \"256qam\"\nerror_curves = \"sionna\"\n\
                   effective_sinr = \"mutual-information\"";
        let expected = Nr {
            mcs_table: nr::McsTable::Qam256,
            curves: nr::Curves::Sionna,
            mapping: nr::Mapping::MutualInformation,
            dmrs_elements: 24,
            overhead: 6,
            symbols: 7,
        };
        assert_eq!(of(all), Technology::Nr(expected));
    }
}

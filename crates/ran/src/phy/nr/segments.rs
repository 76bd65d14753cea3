//! LDPC base graph and code block segmentation (TS 38.212, 6.2.2 and 5.2.2).

/// Largest code block in bits, checks included, with base graph 1 and 2.
const LARGEST: [u64; 2] = [8_448, 3_840];
/// Bits of the check of a code block, where there is more than one.
const CODE_BLOCK_CHECK: u64 = 24;

/// LDPC base graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseGraph {
    /// For large blocks and high rates.
    One,
    /// For small blocks and low rates.
    Two,
}

/// The base graph of a transport block by its bits and its target code rate (TS 38.212,
/// 6.2.2 and 7.2.2).
pub(super) fn base_graph(bits: u64, rate_x2048: u16) -> BaseGraph {
    // 0.67 and 0.25 of 2048 are 1372.16 and 512.
    match (bits, rate_x2048) {
        (0..=292, _) | (_, 0..=512) | (293..=3_824, 513..=1_372) => BaseGraph::Two,
        _ => BaseGraph::One,
    }
}

/// The number of code blocks of a transport block.
pub(super) fn code_blocks(bits: u64, graph: BaseGraph) -> u64 {
    let check = if bits > 3_824 { 24 } else { 16 };
    let largest = LARGEST[graph as usize];
    match bits + check {
        all if all <= largest => 1,
        all => all.div_ceil(largest - CODE_BLOCK_CHECK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_graphs_of_the_standard() {
        use BaseGraph::{One, Two};
        // Rates of MCS 28 (948), 9 (679), 22 (666) and 3 (251), table 1.
        for (bits, rate, graph) in [
            (292, 948, Two),
            (293, 948, One),
            (3_824, 679, Two),
            (3_824, 687, One),
            (3_824, 686, Two),
            (3_825, 666, One),
            (100_000, 251, Two),
            (100_000, 256, Two),
            (100_000, 257, One),
        ] {
            assert_eq!(base_graph(bits, rate * 2), graph, "{bits} {rate}");
        }
    }

    #[test]
    fn segmentation_of_the_standard() {
        // By hand: 8 424 + 24 = 8 448 is one block, the next size, 8 456, two.
        let one = |bits| code_blocks(bits, BaseGraph::One);
        let two = |bits| code_blocks(bits, BaseGraph::Two);
        assert_eq!([8_424, 8_456, 16_896, 237_776].map(one), [1, 2, 3, 29]);
        // 3 824 + 16 = 3 840; 3 848 + 24 is more.
        assert_eq!([24, 3_824, 3_848, 9_984].map(two), [1, 1, 2, 3]);
    }
}

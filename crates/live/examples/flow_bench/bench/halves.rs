//! Halves of the flows: one to develop with, one to judge once at the end.
//!
//! Of two flows of a kind that follow each other, one is held out. A coin decides which, so that
//! both halves have as many flows of each kind.

use airpath_base::random::Seed;

use super::draw::KINDS;

/// The coins' seed. It was written down before any flow was recorded.
const COINS: Seed = Seed(20_261_126);

/// True if a flow belongs to the half that is judged once at the end.
pub fn is_held_out(seed: u64) -> bool {
    let kinds = KINDS.len() as u64;
    let (kind, round) = (seed % kinds, seed / kinds);
    let coin = COINS.keyed("halves").uniform([kind, round / 2, 0]) < 0.5;
    coin == round.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_as_many_flows_in_both_halves() {
        let kinds = KINDS.len() as u64;
        for kind in 0..kinds {
            let rounds = (0..20).filter(|round| is_held_out(round * kinds + kind));
            assert_eq!(rounds.count(), 10);
        }
    }
}

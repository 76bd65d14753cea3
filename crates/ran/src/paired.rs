//! Layers to several UEs in a TTI: the UEs of each group of resource blocks, and their precoders.

use num_complex::Complex64;

use crate::index::UeIndex;
use crate::mac::ResourceBlocks;
use crate::rates::Scheme;

/// Layers to several UEs of a cell in a TTI.
#[derive(Debug)]
pub(crate) struct Paired {
    pub sets: Vec<PairedSet>,
    /// Schemes of the blocks of these UEs.
    pub schemes: Vec<(UeIndex, Scheme)>,
}

/// UEs that share resource blocks of a group.
#[derive(Debug)]
pub(crate) struct PairedSet {
    /// Number of the group in the carrier.
    pub group: usize,
    pub blocks: ResourceBlocks,
    /// UEs with a layer each, and equal power.
    pub ues: Vec<UeIndex>,
    /// Weights of ports by UE.
    pub precoders: Vec<Complex64>,
}

impl Paired {
    /// Scheme of a UE that has part in it.
    pub fn scheme(&self, ue: UeIndex) -> Option<Scheme> {
        self.schemes.iter().find(|(own, _)| *own == ue).map(|(_, scheme)| *scheme)
    }

    /// The sets in which a UE has part.
    pub fn of(&self, ue: UeIndex) -> impl Iterator<Item = &PairedSet> {
        self.sets.iter().filter(move |set| set.ues.contains(&ue))
    }

    /// Resource blocks of a UE by the number of UEs in them.
    pub fn by_ues(&self, ue: UeIndex) -> Vec<(usize, ResourceBlocks)> {
        let mut all: Vec<(usize, ResourceBlocks)> = Vec::new();
        for set in self.of(ue) {
            match all.iter_mut().find(|(count, _)| *count == set.ues.len()) {
                Some((_, blocks)) => *blocks = blocks.with(&set.blocks),
                None => all.push((set.ues.len(), set.blocks)),
            }
        }
        all
    }
}

//! Offers of links downlink: grants that they allow in a TTI.

use std::sync::Arc;

use super::fit::Fits;
use super::{DOWN, Links, Quality};
use crate::index::UeIndex;
use crate::node::tables::Tables;
use crate::rates::Room;

/// Tables of a cell from which candidates read. Measurements of links go on meanwhile.
pub(in crate::node) struct Sizes {
    tables: Arc<Tables>,
    fits: Option<Arc<Fits>>,
}

/// Grants downlink that a link allows.
#[derive(Clone, Copy, Debug)]
pub(in crate::node) struct Offer<'a> {
    /// Bytes of transport blocks by number of resource blocks, from 0.
    pub bytes: &'a [u32],
    /// The most resource blocks that bring more.
    pub most: u16,
    /// Layers over the carrier.
    pub layers: u8,
    /// Control channel elements of a grant.
    pub control_elements: u8,
}

impl Links {
    /// Tables for offers.
    pub fn sizes(&self) -> Sizes {
        Sizes { tables: Arc::clone(&self.tables), fits: self.fits.clone() }
    }

    /// Offer of a UE's link in so many symbols; none if the UE is out of range.
    pub fn offer<'a>(&self, sizes: &'a Sizes, ue: UeIndex, symbols: u8) -> Option<Offer<'a>> {
        let quality = &self.quality[DOWN as usize][ue.index()];
        if !quality.in_range {
            return None;
        }
        let Quality { layers, control_elements, allowed, .. } = *quality;
        let fitting = sizes.fits.as_ref().and_then(|fits| fits.row((DOWN, symbols), ue));
        let (bytes, worth) = match fitting {
            Some(row) => (&row.bytes, row.most),
            None => {
                let room = Room { direction: DOWN, symbols, layers };
                (&sizes.tables.rates.at(room, allowed).bytes, self.carrier)
            }
        };
        let most = self.most_of(quality, bytes).min(worth);
        Some(Offer { bytes, most, layers, control_elements })
    }

    /// The most resource blocks downlink that bring a UE more, whose transport blocks have these
    /// bytes by number of resource blocks.
    #[inline]
    pub fn most_downlink(&self, ue: UeIndex, bytes: &[u32]) -> u16 {
        self.most_of(&self.quality[DOWN as usize][ue.index()], bytes)
    }

    fn most_of(&self, quality: &Quality, bytes: &[u32]) -> u16 {
        let limit = if quality.layers > 1 { quality.most_tti_bytes } else { quality.most_bytes };
        match bytes.last() {
            Some(&all) if all > limit => bytes.partition_point(|&some| some <= limit) as u16 - 1,
            _ => self.carrier,
        }
    }
}

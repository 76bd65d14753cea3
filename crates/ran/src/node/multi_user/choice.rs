//! Choice of sets of UEs that share resource blocks.

use airpath_base::{Db, math};
use airpath_channel::precoding::multi_user::{ZeroForcing, product};
use airpath_net::Direction;
use num_complex::Complex64;

use super::knowledge::{MultiUserLinks, View};
use crate::air::Link;
use crate::index::UeIndex;
use crate::mac::{Candidate, Grants, ResourceBlocks, Slot, group_size};
use crate::node::tables::Tables;
use crate::paired::{Paired, PairedSet};
use crate::spatial::Spatial;

const DOWN: Direction = Direction::Downlink;

/// UEs of a set, as positions among the candidates, and the ratios that the cell predicts.
struct Set {
    group: usize,
    blocks: ResourceBlocks,
    members: Vec<usize>,
    ratios: Vec<f64>,
}

/// Candidates of a slot, each with what a choice reads.
struct Choice<'a> {
    slot: &'a Slot<'a>,
    tables: &'a Tables,
    ports: usize,
    /// Most UEs of a set.
    most: usize,
    /// Ratio from which on the least MCS does not fail too often.
    least: f64,
    /// Channels over noise and interference, group after group.
    channels: Vec<Vec<Complex64>>,
    /// Outer loop in dB and as a factor.
    offsets_db: Vec<f32>,
    offsets: Vec<f64>,
    /// Share of a channel's power that has turned away since the cell measured it.
    errors: Vec<f64>,
    /// Share of first transmissions that arrive, over the mean rate.
    weights: Vec<f64>,
    /// Share of first transmissions that arrive where a UE is alone.
    arrive: f64,
    /// Bits that wait and no set has.
    left: Vec<f64>,
    /// Bits of a resource block at an efficiency of 1.
    bits: f64,
    /// True for candidates with a grant or a part in a set.
    served: Vec<bool>,
    /// Control channel elements that are left, and UEs that may be served besides.
    elements: Option<u16>,
    more: usize,
}

impl Choice<'_> {
    fn channel(&self, n: usize, group: usize) -> &[Complex64] {
        &self.channels[n][group * self.ports..][..self.ports]
    }

    /// True if a candidate may have a part in one more set.
    fn is_open(&self, n: usize) -> bool {
        let elements = u16::from(self.slot.candidates[n].control_elements);
        let fits = self.more > 0 && self.elements.is_none_or(|left| elements <= left);
        self.left[n] > 0.0 && (self.served[n] || fits)
    }

    /// Notes that a candidate has a part in a set.
    fn serve(&mut self, n: usize) {
        if !std::mem::replace(&mut self.served[n], true) {
            let elements = u16::from(self.slot.candidates[n].control_elements);
            self.elements = self.elements.map(|left| left.saturating_sub(elements));
            self.more -= 1;
        }
    }

    /// The set of a group whose first UE is this one. Those that raise the sum of rates over mean rates follow, the one
    /// that raises it most first. None follows that would leave a UE of the set without a rate.
    fn set(
        &mut self,
        (group, blocks): (usize, ResourceBlocks),
        first: usize,
        solver: &mut ZeroForcing,
    ) -> Set {
        let count = self.channels.len();
        let row = |own: &Self, n: usize| -> Vec<Complex64> {
            let channel = own.channel(n, group);
            (0..count).map(|other| product(channel, own.channel(other, group))).collect()
        };
        let powers: Vec<f64> = (0..count).map(|n| power(self.channel(n, group))).collect();
        let (mut members, mut rows) = (vec![first], vec![row(self, first)]);
        solve(solver, &members, &rows, None);
        let mut best = self.worth(&members, None, (&powers, solver));
        while let Some(sum) = best.filter(|_| members.len() < self.most) {
            let (mut next, mut most) = (None, sum);
            for n in (0..count).filter(|n| !members.contains(n) && self.is_open(*n)) {
                solve(solver, &members, &rows, Some((n, Complex64::from(powers[n]))));
                let with = self.worth(&members, Some(n), (&powers, solver));
                if let Some(with) = with.filter(|with| *with > most) {
                    (next, most) = (Some(n), with);
                }
            }
            let Some(next) = next else { break };
            members.push(next);
            rows.push(row(self, next));
            self.serve(next);
            best = Some(most);
        }
        solve(solver, &members, &rows, None);
        let ratios: Vec<f64> = members
            .iter()
            .enumerate()
            .map(|(k, n)| self.ratio((k, *n), (&powers, solver)))
            .collect();
        for (n, ratio) in members.iter().zip(&ratios) {
            self.left[*n] -= self.efficiency(*n, *ratio) * f64::from(blocks.count()) * self.bits;
        }
        Set { group, blocks, members, ratios }
    }

    /// The sets of a grant. None if its UE stays alone, because that is worth more than all of its sets. A UE with a part
    /// in a set before has one layer here too.
    fn sets(
        &mut self,
        (granted, width): (&ResourceBlocks, u16),
        first: usize,
        before: &[Set],
        solver: &mut ZeroForcing,
    ) -> Vec<Set> {
        let state = (self.left.clone(), self.served.clone(), self.elements, self.more);
        let mut sets = Vec::new();
        for (group, begin) in (0..self.slot.carrier).step_by(usize::from(width)).enumerate() {
            let blocks = granted.common(&ResourceBlocks::range(begin, width));
            if !blocks.is_empty() {
                sets.push(self.set((group, blocks), first, solver));
            }
        }
        let sum = |value: &dyn Fn(&Set) -> f64| sets.iter().map(value).sum::<f64>();
        let several = sets.iter().any(|set| set.members.len() > 1);
        let gains = several && sum(&|set| self.together(set)) > sum(&|set| self.alone(set));
        if !gains && !before.iter().any(|set| set.members.contains(&first)) {
            (self.left, self.served, self.elements, self.more) = state;
            self.left[first] = 0.0;
            sets.clear();
        }
        sets
    }

    /// The ratio of layer `k` of a set, which is that of candidate `n`, after its channel has turned. The part that has
    /// turned away points anywhere: each layer meets it with the mean power of a port.
    fn ratio(&self, (k, n): (usize, usize), (powers, solver): (&[f64], &ZeroForcing)) -> f64 {
        let (error, count) = (self.errors[n], solver.count() as f64);
        let stray = error * powers[n] / (self.ports as f64 * count);
        (solver.ratio(k) * (1.0 - error) + stray) / (1.0 + (count - 1.0) * stray)
    }

    /// The sum of rates over mean rates of a set, perhaps with one more candidate. None if the least MCS fails too often
    /// for one of them.
    fn worth(
        &self,
        members: &[usize],
        more: Option<usize>,
        known: (&[f64], &ZeroForcing),
    ) -> Option<f64> {
        let all = members.iter().chain(&more).enumerate();
        all.map(|(k, n)| Some(self.weights[*n] * self.rate(*n, self.ratio((k, *n), known))?)).sum()
    }

    /// Capacity of a layer with this ratio in bits a symbol; none where the least MCS fails too often.
    fn rate(&self, n: usize, ratio: f64) -> Option<f64> {
        let ratio = ratio * self.offsets[n];
        (ratio >= self.least).then(|| f64::from(self.tables.capacity.at(ratio as f32)))
    }

    /// Bits a symbol of the MCS for this ratio, likewise.
    fn efficiency(&self, n: usize, ratio: f64) -> f64 {
        if ratio * self.offsets[n] < self.least {
            return 0.0;
        }
        let level = level_db(ratio) + self.offsets_db[n];
        f64::from(self.tables.levels[DOWN as usize].efficiency(level))
    }

    /// Rate over mean rate of the first UE of a set, if it has the resource blocks alone with its layers.
    fn alone(&self, set: &Set) -> f64 {
        let (n, width) = (set.members[0], usize::from(group_size(self.slot.carrier)));
        let rates = self.slot.group_rates(n);
        let rate = |block: u16| rates.get(usize::from(block) / width).copied().unwrap_or(0.0);
        let rates = set.blocks.iter().map(|block| f64::from(rate(block))).sum::<f64>();
        self.arrive * rates / self.slot.mean_rate(&self.slot.candidates[n])
    }

    /// Rates over mean rates of all UEs of a set.
    fn together(&self, set: &Set) -> f64 {
        let each = set.members.iter().zip(&set.ratios);
        let sum: f64 = each.map(|(n, ratio)| self.weights[*n] * self.efficiency(*n, *ratio)).sum();
        sum * f64::from(set.blocks.count())
    }
}

/// Solves zero-forcing for the members of a set, and perhaps one more with the power of its channel.
fn solve(
    solver: &mut ZeroForcing,
    members: &[usize],
    rows: &[Vec<Complex64>],
    more: Option<(usize, Complex64)>,
) {
    let last = members.len();
    let at = |n: usize| members.get(n).copied().or(more.map(|(n, _)| n)).unwrap_or_default();
    solver.set(last + usize::from(more.is_some()), |a, b| match (rows.get(a), rows.get(b)) {
        (Some(row), _) => row[at(b)],
        (None, Some(row)) => row[at(a)].conj(),
        (None, None) => more.map_or(Complex64::default(), |(_, own)| own),
    });
}

/// Power of a channel.
fn power(channel: &[Complex64]) -> f64 {
    channel.iter().map(Complex64::norm_sqr).sum()
}

fn level_db(ratio: f64) -> f32 {
    10.0 * math::log10(ratio.max(1e-9)) as f32
}

impl MultiUserLinks {
    /// Adds UEs to the grants of a slot where that brings more. Gives the sets, whose UEs have a layer each.
    pub fn pair(&mut self, slot: &Slot<'_>, grants: &mut Grants, at: &View<'_>) -> Option<Paired> {
        let slot = &Slot { group_rates: at.links.group_rates(), trials: None, ..*slot };
        if grants.free() > 0 || slot.candidates.len() < 2 {
            return None;
        }
        let first = &at.ues[slot.candidates[0].index.index()];
        let Link::Network(channel) = &first.config.link else { return None };
        let spatial = channel.spatial()?;
        let tables = at.links.tables();
        let mut choice = self.choice(slot, grants, (at, spatial, &tables));
        let width = spatial.group().max(1);
        let mut sets = Vec::new();
        for grant in grants.list() {
            let first = slot.candidates.iter().position(|one| one.index == grant.index);
            let Some(first) = first else { continue };
            let own = choice.sets((&grant.blocks, width), first, &sets, &mut self.solver);
            sets.extend(own);
        }
        (!sets.is_empty()).then(|| self.share(&sets, &choice, grants, at))
    }

    fn choice<'a>(
        &mut self,
        slot: &'a Slot<'a>,
        grants: &Grants,
        (at, spatial, tables): (&View<'_>, &dyn Spatial, &'a Tables),
    ) -> Choice<'a> {
        let all = slot.candidates.iter();
        let granted = |index: UeIndex| grants.list().iter().any(|grant| grant.index == index);
        let offsets_db: Vec<f32> =
            all.clone().map(|one| self.known[one.index.index()].offset_db).collect();
        let channels = all.clone().map(|one| self.channel(spatial, one.index, at)).collect();
        let known = |one: &Candidate<'_>| &self.known[one.index.index()];
        let most = at.config.scheduler.ues_per_slot().map_or(usize::MAX, usize::from);
        Choice {
            slot,
            tables,
            ports: spatial.ports(),
            most: usize::from(self.config.layers).min(spatial.ports()),
            least: Db(f64::from(tables.levels[DOWN as usize].least_db())).linear(),
            channels,
            offsets: offsets_db.iter().map(|db| Db(f64::from(*db)).linear()).collect(),
            offsets_db,
            errors: all.clone().map(|one| self.error(spatial, one.index, at.air)).collect(),
            weights: all
                .clone()
                .map(|one| f64::from(known(one).arrive) / slot.mean_rate(one))
                .collect(),
            arrive: 1.0 - at.config.adaptation.bler_target,
            left: all.clone().map(|one| f64::from(one.wanted) * 8.0).collect(),
            bits: at.links.bits_of_symbol(at.symbols),
            served: all.map(|one| granted(one.index)).collect(),
            elements: grants.elements(),
            more: most.saturating_sub(grants.list().len()),
        }
    }

    /// Gives the UEs of sets their resource blocks, and each its scheme.
    fn share(
        &mut self,
        sets: &[Set],
        choice: &Choice<'_>,
        grants: &mut Grants,
        at: &View<'_>,
    ) -> Paired {
        let mut schemes = Vec::new();
        for (n, candidate) in choice.slot.candidates.iter().enumerate() {
            let (mut blocks, mut ratios) = (ResourceBlocks::EMPTY, Vec::new());
            for set in sets {
                let Some(k) = set.members.iter().position(|own| *own == n) else { continue };
                blocks = blocks.with(&set.blocks);
                ratios.extend(set.blocks.iter().map(|_| set.ratios[k] as f32));
            }
            if blocks.is_empty() {
                continue;
            }
            grants.share(candidate, blocks);
            let known = &mut self.known[candidate.index.index()];
            known.level_db = at.links.effective_db(&ratios);
            let level = known.level_db + known.offset_db;
            let scheme = at.links.scheme_at(candidate.index, (at.symbols, level), blocks.count());
            schemes.push((candidate.index, scheme));
        }
        let sets = sets.iter().map(|set| self.precoded(set, choice)).collect();
        Paired { sets, schemes }
    }

    fn precoded(&mut self, set: &Set, choice: &Choice<'_>) -> PairedSet {
        let channels = || set.members.iter().map(|n| choice.channel(*n, set.group));
        let all: Vec<&[Complex64]> = channels().collect();
        self.solver.set(all.len(), |a, b| product(all[a], all[b]));
        let precoders = (0..all.len()).flat_map(|k| self.solver.precoder(k, channels()));
        PairedSet {
            group: set.group,
            blocks: set.blocks,
            ues: set.members.iter().map(|n| choice.slot.candidates[*n].index).collect(),
            precoders: precoders.collect(),
        }
    }
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;

//! Cost of fading: a library, and the ratio of signal to interference of a UE in a slot.
#![allow(missing_docs, reason = "criterion's macros make functions without documentation")]

use std::hint::black_box;

use airpath_base::random::Seed;
use airpath_base::{CellId, Direction, Duration, Time};
use airpath_channel::fading::{
    Eight, Interferer, Library, LibraryConfig, Link, Profile, Signal, sinr, spread_power,
};
use airpath_channel::precoding::{Codebook, Feedback, Precoding};
use criterion::{Criterion, criterion_group, criterion_main};

const CELLS: u16 = 21;
const UES: u32 = 550;
const INTERFERERS: usize = 12;

/// TDL-C at 363 ns, scatterers at 3 km/h and 2 GHz, four ports, on so many resource blocks.
fn config(resource_blocks: u16, numerology: u8) -> LibraryConfig {
    let feedback = Feedback {
        delay: Duration::from_millis(6),
        period: Duration::from_millis(5),
        subband: None,
    };
    let precoding = Precoding::ClosedLoop { codebook: Codebook::FourPorts, feedback };
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(363), 5.56);
    config.on(resource_blocks, numerology, precoding)
}

/// A network in which each UE reads from offsets of its own, so the rows of a slot's UEs are far
/// from each other.
struct Network {
    library: Library,
    /// Serving cell first, by UE.
    links: Vec<[Link; INTERFERERS + 1]>,
    /// Power by cell and resource block.
    powers: Vec<Vec<Eight>>,
    ratios: Vec<Eight>,
}

impl Network {
    fn new(config: &LibraryConfig) -> Network {
        let library = Library::new(config, Seed(1)).expect("the configuration is possible");
        let eights = library.resource_blocks().div_ceil(8);
        let links = (0..UES)
            .map(|ue| {
                std::array::from_fn(|cell| {
                    library.link(u64::from(ue), CellId(cell as u16), Direction::Downlink)
                })
            })
            .collect();
        let power = |cell: u16| {
            let mut row = vec![Eight::default(); eights];
            // A cell sends in three of four resource blocks.
            spread_power(&[0x7777_7777_7777_7777 << (cell % 4); 5], 800.0, row.as_flattened_mut());
            row
        };
        let powers = (0..CELLS).map(power).collect();
        Network { library, links, powers, ratios: vec![Eight::default(); eights] }
    }

    /// The ratios of one UE at a time.
    fn ratios(&mut self, ue: usize, at: Time) -> f32 {
        let step = self.library.step(at);
        let [serving, others @ ..] = &self.links[ue];
        let interferers: [Interferer<'_>; INTERFERERS] = std::array::from_fn(|index| Interferer {
            less: 0.0,
            gain: 1e-12 / (index + 1) as f32,
            fading: [self.library.unmatched(others[index], step)],
            power: &self.powers[index + 1],
        });
        let signal = Signal { power: 1e-8, fading: [self.library.matched(*serving, step)] };
        self.ratios.fill([1e-12; 8]);
        sinr(signal, &interferers, (1 << self.ratios.len()) - 1, &mut self.ratios);
        self.ratios[0][0]
    }
}

fn fading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fading");
    for (blocks, numerology) in [(50, 0), (273, 1)] {
        let mut network = Network::new(&config(blocks, numerology));
        let (mut ue, mut slot) = (0, 0);
        group.bench_function(format!("sinr, {blocks} blocks, 12 interferers"), |bencher| {
            bencher.iter(|| {
                ue = (ue + 1) % UES as usize;
                slot += 1;
                // A slot has 21 UEs, one for each cell.
                network.ratios(black_box(ue), Time::from_millis(slot / u64::from(CELLS)))
            });
        });
    }
    group.sample_size(10);
    group.bench_function("library, 50 blocks, four ports", |bencher| {
        bencher.iter(|| Library::new(black_box(&config(50, 0)), Seed(1)));
    });
    group.finish();
}

criterion_group!(benches, fading);
criterion_main!(benches);

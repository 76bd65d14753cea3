//! Ratios of layers: the MMSE receiver of several layers in each resource block.

/// Turns what disturbs each resource block into the ratios of layers.
///
/// - `power` is the mean received power of all layers in a resource block, in the unit of
///   `disturbing`.
/// - `minors` are rows of principal minors by resource block, 2^n - 1 for n layers
///   ([`Library::layers`](super::Library::layers)).
/// - `ratios` has a row for each layer.
///
/// # Panics
///
/// If rows are shorter than `disturbing`, or their numbers do not fit.
pub fn layer_ratios(power: f32, minors: &[&[f32]], disturbing: &[f32], ratios: &mut [&mut [f32]]) {
    match ratios.len() {
        2 => of::<2, 3>(power, minors, disturbing, ratios),
        3 => of::<3, 7>(power, minors, disturbing, ratios),
        4 => of::<4, 15>(power, minors, disturbing, ratios),
        layers => panic!("{layers} layers: 2 to 4 are possible"),
    }
}

/// The largest ratio of power to disturbance: 80 dB, whose fourth power a float still holds.
const MOST: f32 = 1e8;

/// For so many layers, with their number of minors.
fn of<const LAYERS: usize, const SETS: usize>(
    power: f32,
    minors: &[&[f32]],
    disturbing: &[f32],
    ratios: &mut [&mut [f32]],
) {
    let minors: [&[f32]; SETS] = std::array::from_fn(|set| &minors[set][..disturbing.len()]);
    for (block, sum) in disturbing.iter().enumerate() {
        let ratio = (power / sum).min(MOST);
        let square = ratio * ratio;
        let powers = [1.0, ratio, square, square * ratio, square * square];
        // Without layer k: the sets that do not have it.
        let (mut all, mut without) = (1.0_f32, [1.0_f32; LAYERS]);
        for (set, row) in (1_usize..).zip(&minors) {
            let term = row[block] * powers[set.count_ones() as usize];
            all += term;
            for (layer, without) in without.iter_mut().enumerate() {
                if set >> layer & 1 == 0 {
                    *without += term;
                }
            }
        }
        for (row, without) in ratios.iter_mut().zip(without) {
            row[block] = all / without - 1.0;
        }
    }
}

use super::*;
use airpath_base::random::Seed;

const INDEX: SizeLaw = SizeLaw {
    shape: SizeShape::Lognormal,
    mean: 10_710.0,
    deviation: 25_032.0,
    min: 100.0,
    max: 2e6,
};
const OBJECT: SizeLaw = SizeLaw { mean: 7_758.0, deviation: 126_168.0, min: 50.0, ..INDEX };
const OBJECTS: ObjectCount =
    ObjectCount { location: 15.0, shape: 3.1, max: 1_000, subtract_location: None };

/// Mean of the lognormal cut to its bounds, by the trapezoidal rule over the logarithm.
fn mean_of_cut_lognormal(law: &SizeLaw) -> f64 {
    let ratio = law.deviation / law.mean;
    let sigma2 = math::ln(1.0 + ratio * ratio);
    let mu = math::ln(law.mean) - sigma2 / 2.0;
    let (low, high, steps) = (math::ln(law.min), math::ln(law.max), 100_000);
    let (mut weights, mut sum) = (0.0, 0.0);
    for n in 0..=steps {
        let y = low + (high - low) * f64::from(n) / f64::from(steps);
        let weight = math::exp(-(y - mu) * (y - mu) / (2.0 * sigma2));
        weights += weight;
        sum += weight * math::exp(y);
    }
    sum / weights
}

/// Mean and greatest error of the mean of many draws: four standard errors.
fn moments(count: u64, mut draw: impl FnMut(u64) -> f64) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for n in 0..count {
        let value = draw(n);
        sum += value;
        squares += value * value;
    }
    let mean = sum / count as f64;
    let variance = squares / count as f64 - mean * mean;
    (mean, 4.0 * (variance / count as f64).sqrt())
}

#[test]
fn cut_lognormal_sizes_have_the_mean_that_integration_gives() {
    let draws = Seed(1).keyed("sizes");
    for (law, expected) in [(INDEX, 10_734.07), (OBJECT, 8_212.18)] {
        let integral = mean_of_cut_lognormal(&law);
        // The expected value was computed by another program with Simpson's rule.
        assert!((integral - expected).abs() < 0.5, "{integral}");
        let (mean, error) = moments(400_000, |page| law.draw(draws, page, 3) as f64);
        assert!((mean - integral).abs() < error && error < 0.05 * integral, "{mean} {error}");
        let sizes = (0..100_000).map(|page| law.draw(draws, page, 0) as f64);
        assert!(sizes.clone().all(|size| (law.min..=law.max).contains(&size)));
    }
}

#[test]
fn normal_sizes_are_cut_at_their_bounds() {
    let draws = Seed(2).keyed("sizes");
    // E max(0, X) = m F(m/s) + s f(m/s), with the normal distribution F and density f.
    for (law, expected) in [(INDEX, 16_241.67), (OBJECT, 54_307.87)] {
        let law = SizeLaw { shape: SizeShape::Normal, min: 1.0, ..law };
        let (mean, error) = moments(200_000, |page| law.draw(draws, page, 0) as f64);
        assert!((mean - expected).abs() < error && error < 0.02 * expected, "{mean} {error}");
    }
}

#[test]
fn the_share_within_bounds_is_that_of_the_normal_distribution() {
    // By the error function of another program.
    assert!((INDEX.share_within() - 0.996_909_7).abs() < 1e-6, "{}", INDEX.share_within());
    assert!((OBJECT.share_within() - 0.829_732_8).abs() < 1e-6);
    let fixed = SizeLaw { deviation: 0.0, ..INDEX };
    assert_eq!((fixed.share_within(), fixed.draw(Seed(1).keyed("x"), 5, 2)), (1.0, 10_710));
    assert_eq!(SizeLaw { max: 5_000.0, ..fixed }.share_within(), 0.0);
}

#[test]
fn a_page_has_22_objects_and_193_kb_on_average() {
    let (draws, sizes) = (Seed(3).keyed("objects"), Seed(3).keyed("sizes"));
    // 15 x 3.1 / 2.1 = 22.14; rounded to whole objects and cut at 1000, 22.133.
    let (mean, error) = moments(200_000, |page| f64::from(OBJECTS.draw(draws, page)));
    assert!((mean - 22.133).abs() < error && error < 0.2, "{mean} {error}");
    let counts: Vec<u32> = (0..100_000).map(|page| OBJECTS.draw(draws, page)).collect();
    assert_eq!(counts.iter().min(), Some(&15));
    // P(X >= 30) = 0.5^3.1 = 0.1166; rounded, from 29.5 on: 0.1229.
    let many = counts.iter().filter(|count| **count >= 30).count() as f64 / 1e5;
    assert!((many - 0.1229).abs() < 0.004, "{many}");
    let (bytes, error) = moments(20_000, |page| {
        let objects = 1..=u64::from(OBJECTS.draw(draws, page));
        let objects: u64 = objects.map(|object| OBJECT.draw(sizes, page, object)).sum();
        (INDEX.draw(sizes, page, 0) + objects) as f64
    });
    assert!((bytes - 192_496.0).abs() < error && error < 8_000.0, "{bytes} {error}");
}

#[test]
fn the_methodology_subtracts_the_location_and_has_5_64_objects() {
    // 3GPP2 C.R1002 and NGMN: a Pareto of location 2 and shape 1.1, cut at 55, less 2.
    let of_methodology =
        ObjectCount { location: 2.0, shape: 1.1, max: 55, subtract_location: Some(true) };
    let draws = Seed(5).keyed("objects");
    let (mean, error) = moments(200_000, |page| f64::from(of_methodology.draw(draws, page)));
    assert!((mean - 5.64).abs() < error && error < 0.15, "{mean} {error}");
    // Rounded to whole objects it is the sum of (2 / (n + 1.5))^1.1 for n of 1 to 53.
    let rounded: f64 = (1..=53).map(|n| math::pow(2.0 / (f64::from(n) + 1.5), 1.1)).sum();
    assert!((rounded - 5.620).abs() < 0.001 && (mean - rounded).abs() < error, "{rounded} {mean}");
    let counts: Vec<u32> = (0..100_000).map(|page| of_methodology.draw(draws, page)).collect();
    assert_eq!((counts.iter().min(), counts.iter().max()), (Some(&0), Some(&53)));
    // P(X >= 55) = (2 / 55)^1.1 = 0.0261; rounded, from 54.5 on: 0.0264.
    let most = counts.iter().filter(|count| **count == 53).count() as f64 / 1e5;
    assert!((most - 0.0264).abs() < 0.002, "{most}");
    // The thesis' parameters less their location: 22.14 - 15.
    let less = ObjectCount { subtract_location: Some(true), ..OBJECTS };
    let (mean, error) = moments(200_000, |page| f64::from(less.draw(draws, page)));
    assert!((mean - 7.133).abs() < error && error < 0.2, "{mean} {error}");
    for page in 0..1_000 {
        assert_eq!(less.draw(draws, page) + 15, OBJECTS.draw(draws, page));
    }
}

#[test]
fn reading_takes_3_8_s_clamped_and_2_7_s_drawn_again() {
    let draws = Seed(4).keyed("reading");
    let secs = Duration::from_secs;
    // 5 (1 - exp(-7/5)), and 5 - 7 exp(-7/5) / (1 - exp(-7/5)).
    for (beyond, expected) in [(Beyond::Clamp, 3.767_02), (Beyond::Redraw, 2.708_82)] {
        let reading = Reading { mean: secs(5), max: secs(7), beyond };
        let (mean, error) = moments(100_000, |page| reading.draw(draws, page).as_secs_f64());
        assert!((mean - expected).abs() < error && error < 0.04, "{mean} {error}");
        assert!((0..10_000).all(|page| reading.draw(draws, page) <= secs(7)));
    }
}

//! Lines cut into dashes.

use airpath_base::math::hypot;

use super::canvas::Place;

/// The strokes of a line with strokes and gaps of these lengths; the whole line without.
pub(super) fn dashed(places: &[Place], dash: &[f64]) -> Vec<Vec<Place>> {
    if dash.is_empty() || dash.iter().any(|length| *length <= 0.0) {
        return vec![places.to_vec()];
    }
    let mut strokes: Vec<Vec<Place>> = vec![places.first().copied().into_iter().collect()];
    let (mut n, mut left) = (0, dash[0]);
    for pair in places.windows(2) {
        let (mut at, to) = (pair[0], pair[1]);
        let mut length = hypot(to.0 - at.0, to.1 - at.1);
        while length > left {
            let share = left / length;
            at = (at.0 + (to.0 - at.0) * share, at.1 + (to.1 - at.1) * share);
            length -= left;
            if n % 2 == 0 {
                strokes.last_mut().expect("there is one").push(at);
            } else {
                strokes.push(vec![at]);
            }
            n += 1;
            left = dash[n % dash.len()];
        }
        left -= length;
        if n % 2 == 0 {
            strokes.last_mut().expect("there is one").push(to);
        }
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_on_around_corners() {
        let corner = [(0.0, 0.0), (4.0, 0.0), (4.0, 8.0)];
        let strokes = dashed(&corner, &[6.0, 3.0]);
        assert_eq!(
            strokes,
            [vec![(0.0, 0.0), (4.0, 0.0), (4.0, 2.0)], vec![(4.0, 5.0), (4.0, 8.0)]]
        );
        assert_eq!(dashed(&corner, &[]), [corner.to_vec()]);
    }
}

use super::*;

#[test]
fn numbers_of_sites_that_wrap_around() {
    // i^2 + i j + j^2, the rhombic numbers.
    let first: Vec<usize> = closing_numbers().into_iter().take(12).collect();
    assert_eq!(first, [1, 3, 4, 7, 9, 12, 13, 16, 19, 21, 25, 27]);
    assert_eq!(Layout::hexagonal(20, 500.0, true), Err(ChannelError::WrapAround { sites: 20 }));
    assert!(Layout::hexagonal(20, 500.0, false).is_ok());
    assert_eq!(Layout::hexagonal(0, 500.0, true), Err(ChannelError::Sites { sites: 0 }));
    assert!(Layout::hexagonal(7, 0.0, true).is_err());
    assert!(Layout::hexagonal(7, f64::NAN, true).is_err());
}

#[test]
fn nineteen_sites_are_two_rings() {
    let layout = Layout::hexagonal(19, 500.0, true).expect("closes");
    let mut rings = [0; 3];
    for site in layout.sites() {
        // Six at 500 m, six at 866 m and six at 1000 m.
        rings[(site.at.length() / 500.0).ceil() as usize] += 1;
    }
    assert_eq!(rings, [1, 6, 12]);
    // A sector at 30 degrees looks at a neighbour.
    let towards = Point::polar(500.0, 30.0);
    assert!(layout.sites().iter().any(|site| (site.at - towards).length() < 1e-6));
}

#[test]
fn every_site_sees_the_same_distances() {
    for sites in closing_numbers() {
        let layout = Layout::hexagonal(sites, 200.0, true).expect("closes");
        let distances = |from: usize| {
            let at = layout.sites()[from].at;
            let mut all: Vec<i64> = (0..sites)
                .map(|site| (layout.way(site, at).length() * 1e3).round() as i64)
                .collect();
            all.sort_unstable();
            all
        };
        let centre = distances(0);
        assert!((1..sites).all(|site| distances(site) == centre), "{sites}");
        assert!(sites < 7 || centre[1..7] == [200_000; 6], "{sites}: {centre:?}");
    }
}

#[test]
fn without_wrap_around_the_edge_is_far() {
    let layout = Layout::hexagonal(7, 500.0, false).expect("seven sites");
    assert!(!layout.wraps());
    let edge = layout.sites()[6].at;
    assert!((layout.way(0, edge).length() - 500.0).abs() < 1e-6);
    let farthest = (0..7).map(|site| layout.way(site, edge).length()).fold(0.0, f64::max);
    assert!((farthest - 1_000.0).abs() < 1e-6);
}

#[test]
fn places_fill_the_hexagons_evenly() {
    let layout = Layout::hexagonal(7, 300.0, false).expect("seven sites");
    let (mut near, mut count) = (0, 0);
    for a in 0..60 {
        for b in 0..60 {
            for part in 0..21 {
                let even = |n: i32, of: f64| (f64::from(n) + 0.5) / of;
                let place = layout.place([even(part, 21.0), even(a, 60.0), even(b, 60.0)]);
                let site = &layout.sites()[part as usize / 3];
                let way = (place - site.at).length();
                // No point is outside its hexagon, whose corners are 300 / sqrt(3) m off.
                assert!(way < 173.21);
                let nearest = layout.sites().iter().map(|site| (place - site.at).length());
                assert!(way < nearest.fold(f64::INFINITY, f64::min) + 1e-9);
                count += 1;
                near += i32::from(way < 100.0);
            }
        }
    }
    // A circle of 100 m beside a hexagon of 300^2 sqrt(3) / 2 = 77942 m^2: 0.40307.
    let share = f64::from(near) / f64::from(count);
    assert!((share - 0.40307).abs() < 0.003, "{share}");
}

#[test]
fn the_office_is_that_of_the_report() {
    let layout = Layout::office();
    assert_eq!(layout.sites().len(), 12);
    assert_eq!(layout.sites()[11].at, Point { x: 110.0, y: 35.0 });
    assert_eq!(layout.place([0.9, 0.5, 0.5]), Point { x: 60.0, y: 25.0 });
}

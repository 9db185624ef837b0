//! What can be said of a rate from a few outcomes: the score interval of Wilson. Addition, division and square roots
//! only, which are exact to the last bit on every machine, so that the sandbox and a native test agree.

/// The upper end of Wilson's score interval for a rate of `helped` among `all` outcomes, which may be parts of one;
/// `z` is the confidence in standard deviations. 1 where there is nothing to go by.
#[must_use]
pub fn upper(helped: f64, all: f64, z: f64) -> f64 {
    if all <= 0.0 {
        return 1.0;
    }
    let (rate, square) = (helped / all, z * z);
    let centre = rate + square / (2.0 * all);
    let spread = z * (rate * (1.0 - rate) / all + square / (4.0 * all * all)).sqrt();
    ((centre + spread) / (1.0 + square / all)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::upper;

    #[test]
    fn the_bound_is_the_one_of_the_tables() {
        for (helped, all, expected) in [
            (0.0, 10.0, 0.2775),
            (1.0, 10.0, 0.4042),
            (5.0, 10.0, 0.7634),
            (10.0, 10.0, 1.0),
            (15.0, 50.0, 0.4375),
        ] {
            let found = upper(helped, all, 1.959_964);
            assert!((found - expected).abs() < 1e-4, "{helped} of {all}: {found}");
        }
    }

    #[test]
    fn nothing_but_failures_has_a_bound_that_can_be_reckoned_by_hand() {
        // z² / (n + z²)
        assert!((upper(0.0, 5.0, 2.0) - 4.0 / 9.0).abs() < 1e-15);
        assert_eq!(upper(0.0, 0.0, 2.0), 1.0);
        assert_eq!(upper(3.0, 4.0, 0.0), 0.75);
    }
}

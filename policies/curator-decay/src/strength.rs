//! How strong the memory of a skill is: base-level learning of ACT-R, `B = ln Σ t^-d` over all uses with their ages `t`, for a
//! decay `d` of a half. Only how many uses there were is known, and when the first and the last: Petrov's hybrid form keeps the
//! last one exactly and spreads the others evenly over the time since the skill was made.
//!
//! The logarithm is not taken, and `d` can't be set: with a half, square roots are all that is needed, and these are the same
//! to the last bit on every machine, in the sandbox and outside.

/// How a skill was practised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Practice {
    /// How many uses, at least one; a part of one is allowed.
    pub uses: f64,
    /// Seconds since the last one.
    pub since_last: f64,
    /// Seconds since the skill was made; where that is less than `since_last`, all uses count as long ago as the last one.
    pub life: f64,
}

/// How strong it is: the sum, of which the equation takes the logarithm.
#[must_use]
pub fn strength(practice: Practice) -> f64 {
    let last = whole(practice.since_last);
    let life = practice.life.max(last);
    // The mean of t^-½ between `last` and `life`, ∫ t^-½ dt / (life - last), with the difference divided out: where the two
    // are close, nothing is lost.
    let others = 2.0 / (life.sqrt() + last.sqrt());
    of_one_use(last) + (practice.uses - 1.0).max(0.0) * others
}

/// How strong a single use is after so many seconds.
#[must_use]
pub fn of_one_use(seconds: f64) -> f64 {
    1.0 / whole(seconds).sqrt()
}

/// How many seconds ago a single use would be as strong. It is for people: compare strengths, which are exact.
#[must_use]
pub fn as_one_use(strength: f64) -> f64 {
    1.0 / (strength * strength)
}

/// Within the first second nothing fades: at no distance at all, the equation has no value.
const fn whole(seconds: f64) -> f64 {
    seconds.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::{Practice, as_one_use, strength};

    const DAY: f64 = 86_400.0;

    fn days(uses: f64, last: f64, life: f64) -> f64 {
        as_one_use(strength(Practice { uses, since_last: last * DAY, life: life * DAY })) / DAY
    }

    #[test]
    fn one_use_is_as_weak_as_it_is_old() {
        for age in [1.0, 30.0, 90.0, 365.0] {
            assert!((days(1.0, age, 400.0) - age).abs() < 1e-9, "{age}");
        }
    }

    #[test]
    fn more_uses_are_reckoned_by_petrovs_form() {
        // By hand: 1/√100 + 3 · 2/(√400 + √100) = 0.1 + 0.2, and 1/0.3² = 11.1.
        assert!((days(4.0, 100.0, 400.0) - 100.0 / 9.0).abs() < 1e-9);
        // All at once: 5 · 1/√64, and 64/25.
        assert!((days(5.0, 64.0, 64.0) - 64.0 / 25.0).abs() < 1e-9);
    }

    #[test]
    fn the_form_is_close_to_the_sum_over_all_uses() {
        // Twenty uses, evenly over 200 days, the last one 10 days ago.
        let ages = (0..20).map(|number| 10.0 + 10.0 * f64::from(number));
        let sum: f64 = ages.map(|age: f64| 1.0 / age.sqrt()).sum();
        let exact = 1.0 / (sum * sum);
        let found = days(20.0, 10.0, 200.0);
        assert!((found / exact - 1.0).abs() < 0.1, "{found} for {exact}");
    }

    #[test]
    fn neither_now_nor_a_time_to_come_is_beyond_measure() {
        for last in [0.0, -5.0] {
            let found = days(1.0, last, 0.0);
            assert!(found > 0.0 && found < 1.0, "{found}");
        }
    }
}

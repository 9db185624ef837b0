//! Times of contenders that take turns, so that a machine whose speed drifts is as fast for one as for the other.
//! It judges nothing.

use std::time::Duration;

/// The times of one contender, in the order of the rounds.
pub struct Times {
    pub name: String,
    rounds: Vec<Duration>,
}

/// One round of each contender that is not counted, then so many that are, all in turn. `run` is given the contender's
/// number and says how long it took.
pub fn alternate(
    names: &[String],
    rounds: usize,
    run: &mut dyn FnMut(usize) -> Duration,
) -> Vec<Times> {
    let mut times: Vec<Times> = names
        .iter()
        .map(|name| Times { name: name.clone(), rounds: Vec::with_capacity(rounds) })
        .collect();
    for round in 0..=rounds {
        for (number, times) in times.iter_mut().enumerate() {
            let elapsed = run(number);
            if round > 0 {
                times.rounds.push(elapsed);
            }
        }
    }
    times
}

impl Times {
    /// Least, middle and most, in milliseconds.
    pub fn spread(&self) -> [f64; 3] {
        spread(self.rounds.iter().map(|time| time.as_secs_f64() * 1e3).collect())
    }

    /// The middle of the ratios to another contender, round by round.
    pub fn ratio(&self, other: &Times) -> f64 {
        let ratios =
            self.rounds.iter().zip(&other.rounds).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64());
        spread(ratios.collect())[1]
    }
}

fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [values[0], values[values.len() / 2], values[values.len() - 1]]
}

/// Prints rows of milliseconds, each with its ratio to one of them.
pub fn print_table(times: &[Times], base: &Times) {
    println!("| ms | min | median | max | of {} |\n|---|---|---|---|---|", base.name);
    for row in times {
        let [min, median, max] = row.spread();
        println!("| {} | {min:.3} | {median:.3} | {max:.3} | {:.2} |", row.name, row.ratio(base));
    }
    println!();
}

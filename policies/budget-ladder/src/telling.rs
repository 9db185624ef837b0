//! How much a line says beyond the skill's name, by how much longer it is. It knows no skill and no room.

use crate::settings::Settings;

/// What stands around a description in a line and not around a name in a names line, in tokens.
pub const AROUND: i32 = 3;

/// A curve that is flat for lines which say hardly more than the name, steep for those of a few words, and flat again for
/// long ones: `most · x² / (x² + half²)`. It goes through the gains of the settings at the mean lengths of the library's
/// lines.
#[derive(Clone, Copy, Debug)]
pub struct Telling {
    most: f64,
    half_squared: f64,
    /// `most / half²`: how steep it begins.
    steep: f64,
    around: f64,
}

impl Telling {
    /// The curve through both gains, each above the name's.
    pub fn through(settings: &Settings, [full, short]: [f64; 2], in_tokens: bool) -> Self {
        let around = if in_tokens { f64::from(AROUND) } else { 0.0 };
        let gain_full = settings.gain_full - settings.gain_name;
        let gain_short = settings.gain_short - settings.gain_name;
        let square = |mean: f64| ((mean - around) * (mean - around)).max(1.0);
        let (full, short) = (square(full), square(short));
        // With 1 / gain = 1 / most + (half² / most) / x² both are straight lines of 1 / x².
        let slope = (gain_short.recip() - gain_full.recip()) / (short.recip() - full.recip());
        let most = (gain_full.recip() - slope / full).recip();
        let (most, half_squared) = if slope >= 0.0 && most >= gain_full && most <= 2.0 * gain_full {
            (most, slope * most)
        } else {
            // No such curve goes through both, as where all lines are short: the one through the longer gain is taken.
            (2.0 * gain_full, full)
        };
        // The curve is below this, and rounding is not to change that.
        let steep = 1.000_01 * most / half_squared;
        Self { most, half_squared, steep, around }
    }

    /// It says no more than this, for which nothing is divided.
    pub fn at_most(self, more: i32) -> f64 {
        let steep = self.steep * self.squared(more);
        if steep < self.most { steep } else { self.most }
    }

    fn squared(self, more: i32) -> f64 {
        let words = (f64::from(more) - self.around).max(0.5);
        words * words
    }

    /// What a line says that costs so much more than the name.
    pub fn of(self, more: i32) -> f64 {
        let squared = self.squared(more);
        self.most * squared / (squared + self.half_squared)
    }
}

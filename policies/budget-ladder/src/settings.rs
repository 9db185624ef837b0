//! What can be set, and what a proposal may give as its reason. No rule belongs here.

use skillkeep_policy::{Decay, Problem};

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// The period of the decay of uses.
        pub decay_days: f64 = 30.0 => 0.001..=36500.0,
        /// What is left after one period: `e-folding` (0.368) or `half-life` (0.5).
        pub decay: Decay = Decay::EFolding,
        /// What a skill is worth that nobody used, where one faded use is worth 0.69.
        pub unused_worth: f64 = 0.25 => 0.001..=1000.0,
        /// How much a use weighs in a skill's worth.
        pub use_weight: f64 = 1.0 => 0.0..=1000.0,
        /// What is left of a skill's worth when it is stale.
        pub stale_worth: f64 = 0.25 => 0.001..=1.0,
        /// How often the right skill is found by its full line.
        pub gain_full: f64 = 0.89 => 0.0..=1.0,
        /// How often it is found by its short line.
        pub gain_short: f64 = 0.83 => 0.0..=1.0,
        /// How often it is found by its name alone, if that is of average length; by a longer one more often.
        pub gain_name: f64 = 0.46 => 0.0..=1.0,
        /// How much more a form is worth that the skill had in the previous index: 0.25 is a quarter more.
        pub stickiness: f64 = 0.25 => 0.0..=10.0,
        /// The share of the room that goes to skills that were never used, drawn anew each session.
        pub exploration: f64 = 0.1 => 0.0..=1.0,
        /// The most of the room that may be kept for a count line a category; beyond it one line counts all that is left.
        pub counts_share: f64 = 0.4 => 0.0..=1.0,
    }
    check longer_forms_gain_more;
}

fn longer_forms_gain_more(settings: &Settings) -> Option<Problem> {
    let Settings { gain_full, gain_short, gain_name, .. } = settings;
    let problem = |key, longer| {
        Problem::new(key, ["expected no more than the longer form's, `", longer, "`"].concat())
    };
    if gain_short > gain_full {
        Some(problem("gain-short", "gain-full"))
    } else if gain_name > gain_short {
        Some(problem("gain-name", "gain-short"))
    } else {
        None
    }
}

skillkeep_policy::reasons! {
    /// Why a skill has its form.
    pub enum Reason {
        Pinned = "pinned, so it comes first",
        Chosen = "you asked for its category in full",
        Explored = "never used: one of those that this session gives a chance",
        Used = "its use is worth the room",
        Fits = "there was room for it",
        Capped = "no more is allowed, by the demotion rule or by you",
        NoRoom = "there was no room for more",
        Shared = "all lines share the room: each is cut where there is room for",
        NoRoomForName = "there was no room even for its name",
    }
}

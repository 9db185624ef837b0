//! What can be set, and what a proposal may give as its reason. No rule belongs here.

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// Tokens of the model's context window.
        pub window: i64 = 200_000 => 1..=1_000_000_000,
        /// The share of the window that the list may take.
        pub share: f64 = 0.01 => 0.0..=1.0,
        /// Characters that are taken for one token.
        pub chars_per_token: i64 = 4 => 1..=100,
        /// Longest description, in Unicode scalars; the rest is cut off.
        pub max_description: i64 = 1536 => 1..=1_000_000,
        /// Days after which a use counts half.
        pub half_life_days: f64 = 7.0 => 0.001..=36500.0,
        /// The least that is left of a use, however old.
        pub floor: f64 = 0.1 => 0.0..=1.0,
    }
}

skillkeep_policy::reasons! {
    /// Why a skill has its form.
    pub enum Reason {
        Fits = "all descriptions fit",
        Kept = "others are worth less, and dropping theirs was enough",
        Unused = "there was no room for all descriptions, and it was never used",
        Dropped = "there was no room for all descriptions, and those of others are worth more",
        Silent = "it has no description",
        Capped = "no more is allowed, by the demotion rule or by you",
        NoRoom = "not even all names fit",
    }
}

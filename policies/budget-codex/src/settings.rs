//! What can be set, and what a proposal may give as its reason. No rule belongs here.

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// Tokens of the model's context window; 0 where it is not known.
        pub window: i64 = 272_000 => 0..=1_000_000_000,
        /// The share of the window that the list may take.
        pub share: f64 = 0.02 => 0.0..=1.0,
        /// Bytes that are taken for one token, a line's last ones for a whole one.
        pub bytes_per_token: i64 = 4 => 1..=100,
        /// Characters that the list may take where the window is not known.
        pub unknown_window_chars: i64 = 8000 => 1..=1_000_000_000,
    }
}

skillkeep_policy::reasons! {
    /// Why a skill has its form.
    pub enum Reason {
        Fits = "all descriptions fit",
        Shorter = "its description is no longer than the cut that all have",
        Cut { scalars: u64 } = "all descriptions are cut at the same length, {0} scalars",
        NamesOnly = "the names fit, and no description beside them",
        Filled = "not even all names fit, and there was room for it in its turn",
        Omitted = "not even all names fit, and there was no room left for it",
        Silent = "it has no description",
        Capped = "no more is allowed, by the demotion rule or by you",
    }
}

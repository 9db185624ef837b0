//! What can be set, and what a proposal may give as its reason. No rule belongs here.

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// The most skills that are listed.
        pub max_skills: i64 = 150 => 0..=1_000_000,
        /// The most characters that the catalogue takes, with what stands around it.
        pub max_chars: i64 = 18_000 => 0..=1_000_000_000,
        /// The shortest common cut of descriptions, in Unicode scalars; below it they are left out.
        pub min_cut: i64 = 4 => 1..=1_000_000,
        /// The longest common cut, where not all descriptions fit as they are.
        pub max_cut: i64 = 220 => 1..=1_000_000,
        /// Characters that are taken for one token, where the limit counts tokens.
        pub chars_per_token: i64 = 4 => 1..=100,
    }
}

skillkeep_policy::reasons! {
    /// Why a skill has its form.
    pub enum Reason {
        Fits = "all descriptions fit",
        Shorter = "its description is no longer than the cut that all have",
        Cut { scalars: u64 } = "not all descriptions fit, so all are cut at the same length, {0} scalars",
        NamesOnly = "the names fit, and no description beside them",
        Beyond { most: u64 } = "by the alphabet it comes after the first {0}",
        NoRoom = "by the alphabet it comes after those whose names fit",
        Silent = "it has no description",
        Capped = "no more is allowed, by the demotion rule or by you",
    }
}

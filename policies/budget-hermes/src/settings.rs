//! What can be set, and what a proposal may give as its reason. No rule belongs here.

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// Longest description, in Unicode scalars, the dots of a cut counted with it.
        pub cut: i64 = 60 => 1..=1_000_000,
    }
}

skillkeep_policy::reasons! {
    /// Why a skill has its form.
    pub enum Reason {
        Whole { cut: u64 } = "its description is no longer than {0} scalars",
        Cut { cut: u64 } = "every description is cut at {0} scalars",
        Silent = "it has no description, and so a line of its name",
        Capped = "no more is allowed, by the demotion rule or by you",
        NoRoom = "there was no room for its line, after those before it",
        NoRoomForName = "not even all names fit",
    }
}

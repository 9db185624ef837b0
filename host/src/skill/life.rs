//! Who acts on skills, who made them, how far along their lives they are, and what a user chose for them.

use serde::{Deserialize, Serialize};

/// Who did something. It is known from how a call came, never from what it says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Actor {
    /// A person at a terminal, or with the operator's token.
    Person,
    /// An agent or a script that works for somebody.
    Foreground,
    /// An agent's review of what it did.
    Review,
    /// The curator's pass.
    Curator,
    /// A scheduled job.
    Job,
    /// A sync with another library.
    Sync,
    /// Somebody who did not ask this host; found at a scan.
    Outside,
}

/// Who made a skill, as it was declared when it was made. It is never guessed: not from the text, nor from its place.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Nobody said.
    #[default]
    Unknown,
    /// A person.
    Person,
    /// An agent or a script that worked for somebody.
    Foreground,
    /// An agent's review of what it did.
    Review,
    /// It came with an agent or a plugin.
    Bundled,
    /// It was installed from elsewhere.
    Installed,
    /// It was somebody else's, and a person gave it into our care.
    Adopted,
}

/// How far along its life a skill is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is in the library.
    Active,
    /// It is in the library and was not used for long.
    Stale,
    /// It lies in the archive, and can be restored.
    Archived,
    /// Its folder is no more, and not by this host.
    Gone,
    /// A person erased it for good.
    Purged,
}

/// What the user wants of a skill, whatever a policy proposes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The policies decide.
    #[default]
    Auto,
    /// Its whole description, always.
    Full,
    /// Its name and no more.
    Name,
    /// Not offered; people and explicit calls still reach it.
    Manual,
    /// Off: no agent sees it.
    Off,
}

impl Actor {
    /// Those that show a credential of their own.
    pub const WITH_TOKENS: [Actor; 3] = [Actor::Review, Actor::Job, Actor::Sync];

    /// Whether a call that came from one actor may count as another's. A person is above all others and may act for each
    /// of them. These stand side by side, since each may do what another may not, and claim nothing but themselves; and
    /// nobody claims to be somebody who did not ask.
    #[must_use]
    pub fn may_act_as(self, other: Actor) -> bool {
        self == other || (self == Actor::Person && other != Actor::Outside)
    }
}

macro_rules! words {
    ($kind:ident: $($variant:ident $word:literal),+) => {
        impl $kind {
            /// All of them, in order.
            pub const ALL: &[$kind] = &[$($kind::$variant),+];

            /// The word that files, commands and the ledger have for it.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $($kind::$variant => $word),+
                }
            }

            /// What a word means; nothing for any other word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<$kind> {
                $kind::ALL.iter().copied().find(|it| it.word() == word)
            }
        }
    };
}

words!(Actor: Person "person", Foreground "foreground", Review "review", Curator "curator", Job "job", Sync "sync", Outside "outside");
words!(Origin: Unknown "unknown", Person "person", Foreground "foreground", Review "review", Bundled "bundled", Installed "installed", Adopted "adopted");
words!(State: Active "active", Stale "stale", Archived "archived", Gone "gone", Purged "purged");
words!(Choice: Auto "auto", Full "full", Name "name", Manual "manual", Off "off");

#[cfg(test)]
mod tests {
    use super::Actor;

    #[test]
    fn trust_can_be_lowered_and_never_raised() {
        // From row to column: person, foreground, review, curator, job, sync, outside.
        let may = ["yyyyyyn", "nynnnnn", "nnynnnn", "nnnynnn", "nnnnynn", "nnnnnyn", "nnnnnny"];
        for (from, row) in Actor::ALL.iter().zip(may) {
            for (to, expected) in Actor::ALL.iter().zip(row.chars()) {
                assert_eq!(from.may_act_as(*to), expected == 'y', "{from:?} as {to:?}");
            }
        }
    }
}

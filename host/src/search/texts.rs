//! What is searched of a skill: its name, what its header says of it, its body. It must never open a file.

use xxhash_rust::xxh3::xxh3_64;

use crate::skill::Skill;

/// A text of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Its name.
    Name,
    /// Its header's `description`, `when_to_use` and `tags`.
    Description,
    /// All that comes after its header.
    Body,
}

impl Field {
    /// All of them, in the order of the index's columns.
    pub const ALL: [Field; 3] = [Field::Name, Field::Description, Field::Body];

    /// Its word, which is the name of its column too.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Field::Name => "name",
            Field::Description => "description",
            Field::Body => "body",
        }
    }
}

/// What a skill's header says of it, each on a line.
pub(super) fn description(skill: &Skill) -> String {
    let facts = &skill.facts;
    let mut text = String::new();
    let tags = facts.tags.iter();
    for part in [&facts.description, &facts.when_to_use].into_iter().flatten().chain(tags) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part.as_str());
    }
    text
}

/// A number that changes with the name or the description.
pub(super) fn header(name: &str, description: &str) -> i64 {
    hash(format!("{name}\n\n{description}").as_bytes())
}

/// A number that changes with the bytes.
pub(super) fn hash(bytes: &[u8]) -> i64 {
    xxh3_64(bytes).cast_signed()
}

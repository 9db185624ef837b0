//! The keys of `dictionary.toml` as typed constants, from which a policy declares what it needs and wants.
//! What a fact means stands in the dictionary; a test compares the two lists.

use crate::facts::{Value, Values};

/// Where a fact is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A column of the table of skills.
    Skills,
    /// A column of the table of categories.
    Categories,
    /// A fact of the whole request.
    Context,
    /// A fact of the write that a provenance policy judges.
    Write,
}

/// The type of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Yes or no.
    Boolean,
    /// A whole number; instants and rows too.
    Integer,
    /// A number.
    Real,
    /// One text.
    Text,
    /// A list of texts.
    Texts,
}

impl Kind {
    pub(crate) const fn fits(self, value: &Value) -> bool {
        matches!(
            (self, value),
            (Self::Boolean, Value::Boolean(_))
                | (Self::Integer, Value::Integer(_))
                | (Self::Real, Value::Real(_))
                | (Self::Text, Value::Text(_))
                | (Self::Texts, Value::Texts(_))
        )
    }

    /// The type of a value.
    #[must_use]
    pub const fn of(value: &Value) -> Self {
        match value {
            Value::Boolean(_) => Self::Boolean,
            Value::Integer(_) => Self::Integer,
            Value::Real(_) => Self::Real,
            Value::Text(_) => Self::Text,
            Value::Texts(_) => Self::Texts,
        }
    }

    pub(crate) const fn fits_all(self, values: &Values) -> bool {
        matches!(
            (self, values),
            (Self::Boolean, Values::Booleans(_))
                | (Self::Integer, Values::Integers(_))
                | (Self::Real, Values::Reals(_))
                | (Self::Text, Values::Texts(_))
        )
    }
}

/// The key of a column or fact, with its place and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// As the contract spells it.
    pub name: &'static str,
    /// Where it is found.
    pub place: Place,
    /// The type of one value.
    pub kind: Kind,
    /// Whether every row has a value.
    pub all: bool,
}

impl Key {
    /// A key that this SDK has no name for, from a newer dictionary; its values are known for some rows.
    #[must_use]
    pub const fn new(name: &'static str, place: Place, kind: Kind) -> Self {
        Self { name, place, kind, all: false }
    }

    const fn all(name: &'static str, place: Place, kind: Kind) -> Self {
        Self { name, place, kind, all: true }
    }
}

macro_rules! keys {
    ($( $constant:ident = $how:ident($name:literal, $place:ident, $kind:ident), $doc:literal; )*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $doc, ".")]
            pub const $constant: Key = Key::$how($name, Place::$place, Kind::$kind);
        )*
        /// Every key of the dictionary that this SDK knows of these.
        pub const ALL: &[Key] = &[$($constant),*];
    };
}

keys! {
    NAME = all("name", Skills, Text), "the name as the index prints it";
    NAME_SHARERS = new("name-sharers", Skills, Integer), "how many names have the word of its name that the fewest have";
    STALE = new("stale", Skills, Boolean), "whether a pass let it go stale; known only of those that are";
    DESCRIPTION = new("description", Skills, Text), "the whole description";
    DESCRIPTION_LENGTH = new("description-length", Skills, Integer), "how many Unicode scalars the description has";
    CATEGORY = all("category", Skills, Integer), "the row of the skill's category";
    PINNED = all("pinned", Skills, Boolean), "whether a person pinned the skill";
    USES = new("uses", Skills, Integer), "how often the skill was opened for a task";
    LAST_USED = new("last-used", Skills, Integer), "when it was last used";
    PREVIOUS_FORM = new("previous-form", Skills, Integer), "its form in the previous index";
    FORM_CAP = new("form-cap", Skills, Integer), "the most telling form allowed, where that is less than full";
    COST_FULL = all("cost-full", Skills, Integer), "the cost of its full line";
    COST_SHORT = all("cost-short", Skills, Integer), "the cost of its short line";
    COST_NAME = all("cost-name", Skills, Integer), "the cost of its name";
    COST_BARE = all("cost-bare", Skills, Integer), "the cost of its line without a description";
    STATE = all("state", Skills, Text), "whether it is `active` or `stale`";
    ORIGIN = all("origin", Skills, Text), "who made it, as it was declared";
    CANDIDATE = all("candidate", Skills, Boolean), "whether the laws could let a pass retire it";
    REFERENCED = all("referenced", Skills, Boolean), "whether a scheduled job names it";
    CREATED = all("created", Skills, Integer), "when it was made, or first seen";
    ADOPTED = new("adopted", Skills, Integer), "when a person gave it into the review's care";
    RESTORED = new("restored", Skills, Integer), "when it last came back from the archive";
    VIEWS = new("views", Skills, Integer), "how often it was looked at";
    WRITES = new("writes", Skills, Integer), "how often it was changed";
    LAST_VIEWED = new("last-viewed", Skills, Integer), "when it was last looked at";
    LAST_WRITTEN = new("last-written", Skills, Integer), "when it was last changed";
    SUCCESSES = new("successes", Skills, Integer), "how often it was said that it helped";
    FAILURES = new("failures", Skills, Integer), "how often it was said that it did not help";
    CORRECTED = new("corrected", Skills, Integer), "how often it was changed or undone soon after use";
    LAST_SUCCESS = new("last-success", Skills, Integer), "when it was last said that it helped";
    LAST_FAILURE = new("last-failure", Skills, Integer), "when it was last said that it did not help";
    NEGATIVE_CLAIMS = new("negative-claims", Skills, Integer), "how many of its sentences claim that something doesn't work";
    NEGATIVE_EVIDENCE = new("negative-evidence", Skills, Integer), "how many of those give evidence";
    NEGATIVE_CHECKED = new("negative-checked", Skills, Integer), "the newest day that stands with one of them";
    NEGATIVE_EXPIRY = new("negative-expiry", Skills, Integer), "the earliest day until which one of them says that it holds";
    NEGATIVE_CLAIM = new("negative-claim", Skills, Text), "the first of them";
    CATEGORY_NAME = all("category-name", Categories, Text), "the category's path";
    CATEGORY_TOP = all("category-top", Categories, Text), "the first segment of the path";
    CATEGORY_SKILLS = all("category-skills", Categories, Integer), "how many visible skills it has";
    USER_DETAIL = new("user-detail", Categories, Integer), "what the user asked for it";
    PREVIOUS_DETAIL = new("previous-detail", Categories, Integer), "the most that the previous index showed of it";
    COST_HEADER = all("cost-header", Categories, Integer), "the cost of its header";
    COST_NAMES = all("cost-names", Categories, Integer), "the cost of its names line beside the names";
    COST_COUNT = all("cost-count", Categories, Integer), "the cost of its count line";
    COST_REST = new("cost-rest", Context, Integer), "the cost of one line that counts all the rest";
    UNIT = new("unit", Context, Text), "the unit of the limit";
    TOOLSETS = new("toolsets", Context, Texts), "the session's toolsets";
    TOOLS = new("tools", Context, Texts), "the session's tools";
    PLATFORM = new("platform", Context, Text), "the platform";
}

/// The facts of a write. They are apart, since some of them are spelled as a column is.
pub mod write {
    use super::{Key, Kind, Place};

    keys! {
        ACTOR = all("actor", Write, Text), "who writes";
        ACTION = all("action", Write, Text), "what is done";
        ORIGIN = new("origin", Write, Text), "who made what is there";
        PINNED = all("pinned", Write, Boolean), "whether a person pinned the skill";
        REFERENCED = all("referenced", Write, Boolean), "whether a scheduled job names the skill";
        READ = all("read", Write, Boolean), "whether who writes has read what is there";
        ROOT = all("root", Write, Text), "whether the skill lies in a folder in the host's care";
        PATH = new("path", Write, Text), "the file that is written";
        SUCCESSOR = new("successor", Write, Text), "whether another skill takes the place of one that is retired";
        APPROVAL = all("approval", Write, Boolean), "whether the operator wants to see agents' writes first";
        RETIRE_BUNDLED = all("retire-bundled", Write, Boolean), "whether bundled skills may be retired";
        CONTENT = new("content", Write, Text), "the text to be written, which comes beside these facts";
    }
}

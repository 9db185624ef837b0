//! What is wrong with a skill's file, for its author.

use serde::{Deserialize, Serialize};

use super::OneLine;

/// The kind of a problem: one for each thing that an author would do differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Problem {
    /// The file does not open with `---`.
    NoHeader,
    /// The header opens but never closes.
    UnclosedHeader,
    /// The header is longer than what is read of it.
    HeaderTooLong,
    /// The header is not YAML and was read line by line.
    NotYaml,
    /// The header is YAML, but no mapping.
    NotMapping,
    /// The header has no `name`.
    MissingName,
    /// There is no description, or a blank one.
    MissingDescription,
    /// The description is longer than the standard's 1,024 characters.
    LongDescription,
    /// The name breaks the standard's rule.
    OddName,
    /// The name is not the folder's.
    NameDiffers,
    /// A field has another type than expected, and was read as well as it could be.
    OddField,
    /// A field stands in the header twice.
    RepeatedField,
    /// The file is not UTF-8; bad bytes were replaced.
    NotUtf8,
    /// The file's name is not `SKILL.md`.
    OddFileName,
    /// The link leads nowhere.
    DanglingLink,
    /// A file that holds only a path, as git leaves a link where links are off.
    UnlinkedLink,
    /// The link leads out of the allowed roots.
    OutsideRoots,
    /// A file is a link that leads out of the allowed roots, and is not read.
    LeadsOut,
    /// The link leads back to a folder that holds it.
    LinkLoop,
    /// The link leads to a folder that was found without it.
    FoundTwice,
    /// The folder lies deeper than what is searched.
    TooDeep,
    /// It could not be read.
    Unreadable,
    /// It is larger than what is read.
    TooLarge,
    /// A name that another skill has too.
    NameTaken,
    /// A flat `x.md` beside a folder `x/`: the folder counts.
    FlatBesideFolder,
    /// A SKILL.md in a support folder of another skill.
    InSupportFolder,
    /// A time in a record lies in the future, and counts as now.
    FutureTime,
    /// The folder's name is not UTF-8.
    OddFolderName,
    /// A category's DESCRIPTION.md has no header with a description, and describes nothing.
    MuteCategory,
}

impl Problem {
    /// The word for people and for JSON, such as `not-yaml`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Problem::NoHeader => "no-header",
            Problem::UnclosedHeader => "unclosed-header",
            Problem::HeaderTooLong => "header-too-long",
            Problem::NotYaml => "not-yaml",
            Problem::NotMapping => "not-mapping",
            Problem::MissingName => "missing-name",
            Problem::MissingDescription => "missing-description",
            Problem::LongDescription => "long-description",
            Problem::OddName => "odd-name",
            Problem::NameDiffers => "name-differs",
            Problem::OddField => "odd-field",
            Problem::RepeatedField => "repeated-field",
            Problem::NotUtf8 => "not-utf8",
            Problem::OddFileName => "odd-file-name",
            Problem::DanglingLink => "dangling-link",
            Problem::UnlinkedLink => "unlinked-link",
            Problem::OutsideRoots => "outside-roots",
            Problem::LeadsOut => "leads-out",
            Problem::LinkLoop => "link-loop",
            Problem::FoundTwice => "found-twice",
            Problem::TooDeep => "too-deep",
            Problem::Unreadable => "unreadable",
            Problem::TooLarge => "too-large",
            Problem::NameTaken => "name-taken",
            Problem::FlatBesideFolder => "flat-beside-folder",
            Problem::InSupportFolder => "in-support-folder",
            Problem::FutureTime => "future-time",
            Problem::OddFolderName => "odd-folder-name",
            Problem::MuteCategory => "mute-category",
        }
    }

    /// Whether something that the author wrote is lost by it; the rest is advice.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(
            self,
            Problem::UnclosedHeader
                | Problem::HeaderTooLong
                | Problem::NotYaml
                | Problem::NotMapping
                | Problem::DanglingLink
                | Problem::UnlinkedLink
                | Problem::LeadsOut
                | Problem::LinkLoop
                | Problem::TooDeep
                | Problem::Unreadable
                | Problem::TooLarge
        )
    }
}

/// One problem of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Its kind.
    pub problem: Problem,
    /// Line of the file, counted from 1, where it can be told.
    pub line: Option<u32>,
    /// The header field, where it is about one.
    pub field: Option<OneLine>,
    /// What was found, in a few words.
    pub cause: OneLine,
    /// What would mend it, in a few words.
    pub fix: OneLine,
}

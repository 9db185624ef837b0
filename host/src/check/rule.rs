//! The rules by name: how grave each is, what it is about, and what mends it. It must never look at a skill.

use serde::Serialize;

use crate::skill::Problem;

/// How grave a finding is, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know; nothing is lost where all agents read leniently.
    Note,
    /// It costs the skill something with some agents.
    Warning,
    /// The standard forbids it, or no agent gets what was written.
    Error,
}

impl Severity {
    /// All of them, the gravest first.
    pub const ALL: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

    /// The word for people and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Whether the file can be found and read.
    File,
    /// What the Agent Skills standard says of a header.
    Standard,
    /// Whether its description gets it chosen.
    Description,
    /// Whether its name means it alone.
    Name,
    /// Whether there is another like it.
    Twin,
    /// Whether what it points at is there.
    Link,
    /// Whether any agent could show it.
    Gate,
    /// Whether opening it costs too much.
    Size,
}

impl Kind {
    /// All of them, as reports have them.
    pub const ALL: [Kind; 8] = [
        Kind::File,
        Kind::Standard,
        Kind::Description,
        Kind::Name,
        Kind::Twin,
        Kind::Link,
        Kind::Gate,
        Kind::Size,
    ];

    /// The word for people and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Standard => "standard",
            Kind::Description => "description",
            Kind::Name => "name",
            Kind::Twin => "twin",
            Kind::Link => "link",
            Kind::Gate => "gate",
            Kind::Size => "size",
        }
    }
}

/// Makes the rules out of their table, so that none can be without a line of it.
macro_rules! rules {
    ($($rule:ident $id:literal $kind:ident $severity:ident $cause:literal $fix:literal)*) => {
        /// A rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $cause] $rule,)*
        }

        impl Rule {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule),*];

            /// The name that options, reports and annotations use.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(Rule::$rule => $id,)* }
            }

            /// What it is about.
            #[must_use]
            pub fn kind(self) -> Kind {
                match self { $(Rule::$rule => Kind::$kind,)* }
            }

            /// How grave a finding of it is, where that finding says nothing else.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Rule::$rule => Severity::$severity,)* }
            }

            /// What is wrong, in general.
            #[must_use]
            pub fn cause(self) -> &'static str {
                match self { $(Rule::$rule => $cause,)* }
            }

            /// What mends it, in general.
            #[must_use]
            pub fn fix(self) -> &'static str {
                match self { $(Rule::$rule => $fix,)* }
            }
        }
    };
}

rules! {
    NoHeader "no-header" File Error "the file does not open with `---`" "write `name` and `description` between two lines `---` at the top"
    UnclosedHeader "unclosed-header" File Error "the header opens and never closes" "add a line `---` after the last field"
    HeaderTooLong "header-too-long" File Error "the header is longer than what is read of it" "move what is no field to the body"
    NotYaml "not-yaml" File Error "the header is not YAML" "put the value in quotes"
    NotMapping "not-mapping" File Error "the header is YAML, but no fields with values" "write each field as `key: value`"
    NotUtf8 "not-utf8" File Error "the file is not UTF-8" "save it as UTF-8"
    HiddenCharacters "hidden-characters" File Warning "the file holds characters that nobody sees" "remove them"
    OddFileName "odd-file-name" File Warning "the file's name is not `SKILL.md`, which some agents insist on" "rename it to `SKILL.md`"
    OddFolderName "odd-folder-name" File Error "the folder's name is not UTF-8" "give it a name in UTF-8"
    DanglingLink "dangling-link" File Error "a link of the file system leads nowhere" "mend the link, or remove it"
    UnlinkedLink "unlinked-link" File Error "the file holds only a path, as git leaves a link where links are off" "make it a link again"
    LeadsOut "leads-out" File Error "the file is a link out of all roots, and is not read" "put the file itself there, or link its folder"
    OutsideRoots "outside-roots" File Note "a link leads out of all roots" "nothing, if that is meant"
    LinkLoop "link-loop" File Error "a link leads back to a folder that holds it" "remove the link"
    FoundTwice "found-twice" File Note "a link leads to what is found without it" "nothing, if that is meant"
    TooDeep "too-deep" File Error "it lies deeper than what is searched" "move it up"
    Unreadable "unreadable" File Error "it can't be read" "check the file and its rights"
    TooLarge "too-large" File Error "it is larger than what is read" "move what is no instruction to files beside it"
    InSupportFolder "in-support-folder" File Note "a SKILL.md lies in a support folder of another skill, and is no skill" "move it out if it is one, or rename the file"
    FlatBesideFolder "flat-beside-folder" File Warning "a flat `x.md` lies beside the skill `x`" "move what is still needed into the folder, and remove the file"
    FutureTime "future-time" File Note "a time lies in the future" "check the clock"
    MuteCategory "mute-category" File Warning "the `DESCRIPTION.md` has no `description` in a header, so its category has none" "write `description: …` between two lines `---` at its top"
    EmptyBody "empty-body" File Warning "nothing follows the header" "write what to do"

    MissingName "missing-name" Standard Error "the header has no `name`" "add `name: ` and the folder's name"
    OddName "odd-name" Standard Error "the name breaks the standard's rule" "use at most 64 of a-z, 0-9 and single hyphens between them"
    NameDiffers "name-differs" Standard Error "the name is not the folder's" "give both the same name"
    MissingDescription "missing-description" Standard Error "there is no description" "add `description: ` and when to use the skill"
    LongDescription "long-description" Standard Error "the description is over 1,024 characters: the standard forbids it, and Codex leaves the skill out" "say what it does and when to use it, and leave the rest to the body"
    OddCompatibility "odd-compatibility" Standard Error "`compatibility` is not of 1 to 500 characters" "name what it needs, briefly, or leave the field out"
    RepeatedField "repeated-field" Standard Error "a field stands in the header twice" "remove one of them"
    OddField "odd-field" Standard Warning "a field has another type than expected" "write it as the cause says"
    ExtraField "extra-field" Standard Note "the standard has no such field, and its validator refuses it" "put it below `metadata`, unless an agent reads it at the top"
    Brackets "brackets" Standard Note "a list or mapping in brackets, which the standard's validator refuses" "write one entry a line"
    NestedMetadata "nested-metadata" Standard Note "`metadata` holds more than texts" "keep it to keys with one text each, unless an agent reads it so"
    ToolsAsList "tools-as-list" Standard Note "`allowed-tools` is a list; the standard has one text with spaces" "write the tools in one line, with spaces between them"

    VagueDescription "vague-description" Description Warning "the description says next to nothing" "name the task, its objects and its tools, and when to use it"
    NoTrigger "no-trigger" Description Warning "the description does not say when to use the skill" "add a sentence `Use when …` with words that users say"
    HermesCut "hermes-cut" Description Note "Hermes shows 57 characters of a description that is over 60" "let the first words tell this skill from all others"
    ClaudeCodeCut "claude-code-cut" Description Warning "Claude Code cuts the description with `when_to_use` after 1,536 characters" "shorten it, what matters first"
    SharedOpening "shared-opening" Description Warning "the description begins as others do, for as long as a short index shows it" "begin with what only this skill does"
    SharedWords "shared-words" Description Note "the first five words are those of other descriptions" "begin with what only this skill does"

    NameTaken "name-taken" Name Warning "another skill has the name" "rename one of them"
    CommandClash "command-clash" Name Warning "as a command, the name is the same as another's" "rename one of them"
    ReservedName "reserved-name" Name Warning "an agent or an operating system keeps the name for itself" "give it a longer name"

    TwinBody "twin-body" Twin Warning "the body is word for word another's" "keep one of them"
    NearTwinBody "near-twin-body" Twin Warning "most of the body is another's" "merge them, or say in each when it is the other one's turn"
    TwinDescription "twin-description" Twin Warning "the description is word for word another's" "say what only this skill does"
    NearTwinDescription "near-twin-description" Twin Warning "most of the description is another's" "say in each what the other does not do"

    DeadLink "dead-link" Link Warning "the body links to a file that is not there" "mend the link, or add the file"
    DeadPath "dead-path" Link Note "the body names a file of the skill that is not there" "mend the path, or add the file"
    LinkOut "link-out" Link Note "the body links to a file outside the skill's folder" "copy it into the folder: a skill is installed by itself"

    NeverShown "never-shown" Gate Error "what the header demands can't all hold, so nobody is ever offered the skill" "remove one of the two conditions"
    UnknownPlatform "unknown-platform" Gate Warning "no platform that the header names is known" "write `linux`, `macos` or `windows`"
    UnknownEnvironment "unknown-environment" Gate Note "an environment that nobody knows demands nothing" "write `docker`, `kanban` or `s6`, or leave it out"

    LongBodyLines "long-body-lines" Size Warning "the body is over 500 lines" "move what is not always needed to files in `references`"
    LongBodyTokens "long-body-tokens" Size Warning "the body is over 5,000 tokens; Claude Code keeps no more than that through a compaction" "move what is not always needed to files in `references`"
}

impl Rule {
    /// The rule with this name.
    #[must_use]
    pub fn of_id(id: &str) -> Option<Rule> {
        Rule::ALL.iter().copied().find(|rule| rule.id() == id)
    }

    /// The rule that a problem of the library comes under.
    #[must_use]
    pub fn of_problem(problem: Problem) -> Rule {
        match problem {
            Problem::NoHeader => Rule::NoHeader,
            Problem::UnclosedHeader => Rule::UnclosedHeader,
            Problem::HeaderTooLong => Rule::HeaderTooLong,
            Problem::NotYaml => Rule::NotYaml,
            Problem::NotMapping => Rule::NotMapping,
            Problem::MissingName => Rule::MissingName,
            Problem::MissingDescription => Rule::MissingDescription,
            Problem::LongDescription => Rule::LongDescription,
            Problem::OddName => Rule::OddName,
            Problem::NameDiffers => Rule::NameDiffers,
            Problem::OddField => Rule::OddField,
            Problem::RepeatedField => Rule::RepeatedField,
            Problem::NotUtf8 => Rule::NotUtf8,
            Problem::OddFileName => Rule::OddFileName,
            Problem::DanglingLink => Rule::DanglingLink,
            Problem::UnlinkedLink => Rule::UnlinkedLink,
            Problem::OutsideRoots => Rule::OutsideRoots,
            Problem::LeadsOut => Rule::LeadsOut,
            Problem::LinkLoop => Rule::LinkLoop,
            Problem::FoundTwice => Rule::FoundTwice,
            Problem::TooDeep => Rule::TooDeep,
            Problem::Unreadable => Rule::Unreadable,
            Problem::TooLarge => Rule::TooLarge,
            Problem::NameTaken => Rule::NameTaken,
            Problem::FlatBesideFolder => Rule::FlatBesideFolder,
            Problem::InSupportFolder => Rule::InSupportFolder,
            Problem::FutureTime => Rule::FutureTime,
            Problem::OddFolderName => Rule::OddFolderName,
            Problem::MuteCategory => Rule::MuteCategory,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own_in_kebab_case_and_is_found_by_it() {
        let ids: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids.len(), Rule::ALL.len());
        for rule in Rule::ALL {
            let kebab = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            assert!(rule.id().bytes().all(kebab), "{rule:?}");
            assert_eq!(Rule::of_id(rule.id()), Some(*rule));
            assert!(!rule.cause().ends_with('.') && !rule.fix().ends_with('.'), "{rule:?}");
        }
        assert_eq!(Rule::of_id("no-such"), None);
    }

    #[test]
    fn what_loses_text_for_the_library_is_an_error_here() {
        let problems = Rule::ALL.iter().filter_map(|rule| {
            let problem = serde_json::Value::from(rule.id());
            serde_json::from_value::<Problem>(problem).ok().map(|problem| (rule, problem))
        });
        let mut count = 0;
        for (rule, problem) in problems {
            assert_eq!((Rule::of_problem(problem), problem.word()), (*rule, rule.id()));
            assert!(!problem.is_error() || rule.severity() == Severity::Error, "{problem:?}");
            count += 1;
        }
        assert_eq!(count, 29, "each problem of the library has a rule of the same name");
    }
}

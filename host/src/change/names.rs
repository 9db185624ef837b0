//! What a new skill, a category and a file inside a skill may be called. Whoever makes something is held to it; what is
//! there already is read whatever it is called.
//!
//! A name is the Agent Skills standard's: small letters of ASCII, digits and single hyphens. Hermes also takes `.` and `_`
//! for new skills; they aren't taken here, since other agents refuse such a folder. With letters of ASCII alone there are
//! no two spellings of one name.

use unicode_normalization::is_nfc;

use crate::{
    library::{is_heavy, is_support},
    skill::OneLine,
};

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Characters of a name at most, by the standard.
const LONGEST_NAME: usize = 64;
/// Bytes of a part of a path, as file systems have it, and of the whole.
const LONGEST_PART: usize = 255;
const LONGEST_PATH: usize = 1_024;
/// Folders above a file inside a skill at most.
const DEEPEST: usize = 8;

/// Names that Windows keeps for devices, whatever their ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// What a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOf {
    /// A skill.
    Skill,
    /// A category.
    Category,
}

/// The rule that a name breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// It is empty or blank.
    Empty,
    /// It has more than 64 characters.
    Long,
    /// It is a path.
    OnePart,
    /// It begins with a dot: such folders are for programs.
    Hidden,
    /// It has capital letters.
    Capitals,
    /// It has other characters than letters of ASCII, digits and hyphens.
    Characters,
    /// It begins or ends with a hyphen.
    Ends,
    /// It has two hyphens in a row.
    Doubled,
    /// A device of Windows has that name.
    Device,
    /// A search passes over folders of that name.
    PassedOver,
}

impl NameRule {
    /// What is expected by it.
    #[must_use]
    pub fn expected(self) -> &'static str {
        match self {
            NameRule::Empty => "one letter or digit at least",
            NameRule::Long => "64 characters at most",
            NameRule::OnePart => "one name and no path",
            NameRule::Hidden => {
                "a letter or digit first; names with a dot in front are for programs"
            }
            NameRule::Capitals => "small letters",
            NameRule::Characters => "letters a to z, digits and hyphens",
            NameRule::Ends => "a letter or digit first and last",
            NameRule::Doubled => "single hyphens",
            NameRule::Device => "a name that Windows doesn't keep for a device",
            NameRule::PassedOver => "a name of a folder that searches enter",
        }
    }
}

/// A name that nothing new may have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{found}` as the name of a {}, expected {}", of.word(), rule.expected())]
pub struct BadName {
    /// What it was for.
    pub of: NameOf,
    /// The name, made printable.
    pub found: OneLine,
    /// The rule.
    pub rule: NameRule,
    /// A name near it that would do.
    pub near: Option<String>,
}

impl NameOf {
    fn word(self) -> &'static str {
        match self {
            NameOf::Skill => "skill",
            NameOf::Category => "category",
        }
    }
}

/// Whether something new may have this name.
///
/// # Errors
/// Where it may not, with the rule and a name near it.
pub fn check_name(of: NameOf, name: &str) -> Result<(), BadName> {
    broken(name).map_or(Ok(()), |rule| {
        let near = Some(mended(name)).filter(|near| broken(near).is_none());
        Err(BadName { of, found: OneLine::capped(name, 80), rule, near })
    })
}

fn broken(name: &str) -> Option<NameRule> {
    let device = |name: &str| {
        let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
        DEVICES.contains(&stem.as_str())
            || (stem.len() == 4
                && (stem.starts_with("com") || stem.starts_with("lpt"))
                && stem.ends_with(|last: char| matches!(last, '1'..='9')))
    };
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let rules = [
        (name.trim().is_empty(), NameRule::Empty),
        (name.contains(['/', '\\']), NameRule::OnePart),
        (name.starts_with('.'), NameRule::Hidden),
        (device(name), NameRule::Device),
        (name.chars().any(|c| c.is_ascii_uppercase()), NameRule::Capitals),
        (!name.chars().all(known), NameRule::Characters),
        (name.chars().count() > LONGEST_NAME, NameRule::Long),
        (name.starts_with('-') || name.ends_with('-'), NameRule::Ends),
        (name.contains("--"), NameRule::Doubled),
        (is_heavy(name) || is_support(name), NameRule::PassedOver),
    ];
    rules.into_iter().find(|(breaks, _)| *breaks).map(|(_, rule)| rule)
}

/// The name with everything else made hyphens. Letters with marks lose these; whoever asks for another script gets no advice.
fn mended(name: &str) -> String {
    use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};
    let mut mended = String::new();
    for c in name.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            mended.push(c);
        } else if c.is_alphanumeric() {
            return String::new();
        } else if !mended.ends_with('-') {
            mended.push('-');
        }
    }
    let mut short: String = mended.trim_matches('-').chars().take(LONGEST_NAME).collect();
    short.truncate(short.trim_end_matches('-').len());
    short
}

/// The rule that a file's path breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathRule {
    /// It is empty.
    Empty,
    /// It begins at the top of the file system, or at a drive.
    Absolute,
    /// A part is `..`, `.` or empty.
    Parts,
    /// It has a backslash or a character that can't be printed.
    Characters,
    /// Its letters with marks are written in parts: another spelling of what looks the same.
    Composed,
    /// A part ends with a dot or a space, or is a device of Windows.
    Portable,
    /// A part or the whole is too long, or it lies too deep.
    Long,
    /// It lies in no folder for a skill's files.
    Place,
    /// It would make a skill inside a skill.
    Nested,
}

impl PathRule {
    /// What is expected by it.
    #[must_use]
    pub fn expected(self) -> &'static str {
        match self {
            PathRule::Empty => "a path such as `references/notes.md`",
            PathRule::Absolute => "a path below the skill's folder",
            PathRule::Parts => "names between single slashes, none of them `.` or `..`",
            PathRule::Characters => "`/` between names, and no characters that can't be printed",
            PathRule::Composed => "letters with marks as one character (NFC)",
            PathRule::Portable => {
                "names that every system can hold: no dot or space at the end, no device of Windows"
            }
            PathRule::Long => "255 bytes a name, 1,024 in all, and 8 folders at most",
            PathRule::Place => {
                "`SKILL.md`, or a file in `references/`, `templates/`, `scripts/` or `assets/`"
            }
            PathRule::Nested => "one SKILL.md in a skill, in its own folder",
        }
    }
}

/// A path that no file of a skill is written at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{found}` as the path of a file, expected {}", rule.expected())]
pub struct BadPath {
    /// The path, made printable.
    pub found: OneLine,
    /// The rule.
    pub rule: PathRule,
}

/// The path of a file below the skill's folder, as it is written there. `<name of the skill>/SKILL.md` means its SKILL.md.
///
/// # Errors
/// Where no file of a skill may lie there, with the rule.
pub fn check_path<'a>(skill: &str, path: &'a str) -> Result<&'a str, BadPath> {
    checked(skill, path, File::New)
}

/// The same for a file that is there already: many skills have files beside their SKILL.md, as the standard lets them. Hidden
/// ones are nobody's to write.
///
/// # Errors
/// As [`check_path`].
pub fn check_known_path<'a>(skill: &str, path: &'a str) -> Result<&'a str, BadPath> {
    checked(skill, path, File::There)
}

/// Whether a file is made or was there.
#[derive(Clone, Copy)]
enum File {
    New,
    There,
}

fn checked<'a>(skill: &str, path: &'a str, file: File) -> Result<&'a str, BadPath> {
    let is_own = |folder: &str| folder == skill;
    if path.strip_suffix("/SKILL.md").is_some_and(is_own) {
        return Ok(SKILL_FILE);
    }
    match broken_path(path, file) {
        Some(rule) => Err(BadPath { found: OneLine::capped(path, 200), rule }),
        None => Ok(path),
    }
}

fn broken_path(path: &str, file: File) -> Option<PathRule> {
    let drive = path.as_bytes().get(1) == Some(&b':')
        && path.starts_with(|first: char| first.is_ascii_alphabetic());
    let parts: Vec<&str> = path.split('/').collect();
    let last = parts.last().copied().unwrap_or_default();
    let unportable = |part: &&str| {
        part.ends_with(['.', ' '])
            || part.starts_with(' ')
            || broken(part) == Some(NameRule::Device)
    };
    let first = parts.first().copied().unwrap_or_default();
    let misplaced = match file {
        File::New => parts.len() < 2 || !is_support(first),
        File::There => !is_support(first) && parts.iter().any(|part| part.starts_with('.')),
    };
    let rules = [
        (path.trim().is_empty(), PathRule::Empty),
        (path.starts_with(['/', '\\', '~']) || drive, PathRule::Absolute),
        (path.contains('\\') || path.chars().any(unprintable), PathRule::Characters),
        (parts.iter().any(|part| matches!(*part, "" | "." | "..")), PathRule::Parts),
        (!is_nfc(path), PathRule::Composed),
        (
            path.len() > LONGEST_PATH
                || parts.len() > DEEPEST
                || parts.iter().any(|part| part.len() > LONGEST_PART),
            PathRule::Long,
        ),
        (path != SKILL_FILE && misplaced, PathRule::Place),
        (path != SKILL_FILE && last.eq_ignore_ascii_case(SKILL_FILE), PathRule::Nested),
        (parts.iter().any(unportable), PathRule::Portable),
    ];
    rules.into_iter().find(|(breaks, _)| *breaks).map(|(_, rule)| rule)
}

fn unprintable(c: char) -> bool {
    c.is_control() || OneLine::is_unseen(c)
}

#[cfg(test)]
mod tests {
    use super::{NameOf, NameRule, PathRule, check_known_path, check_name, check_path};

    #[test]
    fn new_names_are_the_standards_and_each_refusal_names_its_rule() {
        let long = "a".repeat(65);
        for (name, rule, near) in [
            ("deploy", None, None),
            ("a", None, None),
            ("k8s-2", None, None),
            ("", Some(NameRule::Empty), None),
            ("  ", Some(NameRule::Empty), None),
            ("A B", Some(NameRule::Capitals), Some("a-b")),
            ("a b", Some(NameRule::Characters), Some("a-b")),
            ("Deploy", Some(NameRule::Capitals), Some("deploy")),
            ("-x", Some(NameRule::Ends), Some("x")),
            ("x-", Some(NameRule::Ends), Some("x")),
            ("a--b", Some(NameRule::Doubled), Some("a-b")),
            ("a..b", Some(NameRule::Characters), Some("a-b")),
            ("a_b", Some(NameRule::Characters), Some("a-b")),
            ("x.", Some(NameRule::Characters), Some("x")),
            ("x\n", Some(NameRule::Characters), Some("x")),
            (long.as_str(), Some(NameRule::Long), Some(&long[..64])),
            ("na\u{ef}ve", Some(NameRule::Characters), Some("naive")),
            ("nai\u{308}ve", Some(NameRule::Characters), Some("naive")),
            ("技能", Some(NameRule::Characters), None),
            ("CON", Some(NameRule::Device), None),
            ("con", Some(NameRule::Device), None),
            ("lpt1", Some(NameRule::Device), None),
            ("../x", Some(NameRule::OnePart), Some("x")),
            (".git", Some(NameRule::Hidden), Some("git")),
            ("node_modules", Some(NameRule::Characters), Some("node-modules")),
            ("venv", Some(NameRule::PassedOver), None),
            ("scripts", Some(NameRule::PassedOver), None),
        ] {
            let found = check_name(NameOf::Skill, name);
            let expected = rule.map(|rule| (rule, near.map(str::to_owned)));
            assert_eq!(found.err().map(|bad| (bad.rule, bad.near)), expected, "{name:?}");
        }
    }

    #[test]
    fn a_category_is_one_name() {
        let long = "c".repeat(300);
        for (name, rule) in [
            ("ops", None),
            ("../escape", Some(NameRule::OnePart)),
            ("/tmp/x", Some(NameRule::OnePart)),
            ("a/b", Some(NameRule::OnePart)),
            ("..\\x", Some(NameRule::OnePart)),
            (".archive", Some(NameRule::Hidden)),
            (".skillkeep", Some(NameRule::Hidden)),
            ("..", Some(NameRule::Hidden)),
            ("", Some(NameRule::Empty)),
            (long.as_str(), Some(NameRule::Long)),
        ] {
            let found = check_name(NameOf::Category, name);
            assert_eq!(found.err().map(|bad| bad.rule), rule, "{name:?}");
        }
        assert_eq!(
            check_name(NameOf::Category, "a/b").map_err(|bad| bad.to_string()),
            Err("found `a/b` as the name of a category, expected one name and no path".to_owned())
        );
    }

    #[test]
    fn files_of_a_skill_lie_in_its_four_folders() {
        let long = format!("references/{}", "x".repeat(256));
        for (path, expected) in [
            ("SKILL.md", Ok("SKILL.md")),
            ("deploy/SKILL.md", Ok("SKILL.md")),
            ("references/a.md", Ok("references/a.md")),
            ("scripts/deep/run.sh", Ok("scripts/deep/run.sh")),
            ("assets/.eslintrc", Ok("assets/.eslintrc")),
            ("templates/größe.txt", Ok("templates/größe.txt")),
            ("", Err(PathRule::Empty)),
            ("..", Err(PathRule::Parts)),
            ("references/../../x", Err(PathRule::Parts)),
            ("references/./x", Err(PathRule::Parts)),
            ("references//x", Err(PathRule::Parts)),
            ("references/", Err(PathRule::Parts)),
            ("references", Err(PathRule::Place)),
            ("other/x.md", Err(PathRule::Place)),
            ("README.md", Err(PathRule::Place)),
            ("other/SKILL.md", Err(PathRule::Place)),
            ("skill.md", Err(PathRule::Place)),
            (".skillkeep/pins", Err(PathRule::Place)),
            ("references/SKILL.md", Err(PathRule::Nested)),
            ("references/x/skill.MD", Err(PathRule::Nested)),
            ("/etc/passwd", Err(PathRule::Absolute)),
            ("C:\\x", Err(PathRule::Absolute)),
            ("references\\x", Err(PathRule::Characters)),
            ("references/a\nb", Err(PathRule::Characters)),
            ("references/a\0b", Err(PathRule::Characters)),
            ("references/\u{202e}x", Err(PathRule::Characters)),
            ("references/gro\u{308}sse", Err(PathRule::Composed)),
            ("references/x.", Err(PathRule::Portable)),
            ("references/nul.txt", Err(PathRule::Portable)),
            ("references/a/b/c/d/e/f/g/h", Err(PathRule::Long)),
            (long.as_str(), Err(PathRule::Long)),
        ] {
            assert_eq!(check_path("deploy", path).map_err(|bad| bad.rule), expected, "{path:?}");
        }
    }

    #[test]
    fn a_file_that_is_there_may_lie_beside_the_skill_file_unless_it_is_hidden() {
        for (path, expected) in [
            ("SKILL.md", Ok("SKILL.md")),
            ("forms.md", Ok("forms.md")),
            ("core/tools/run.py", Ok("core/tools/run.py")),
            ("assets/.eslintrc", Ok("assets/.eslintrc")),
            (".git/config", Err(PathRule::Place)),
            ("core/.env", Err(PathRule::Place)),
            ("other/SKILL.md", Err(PathRule::Nested)),
            ("core/../x", Err(PathRule::Parts)),
            ("/etc/passwd", Err(PathRule::Absolute)),
        ] {
            let found = check_known_path("deploy", path).map_err(|bad| bad.rule);
            assert_eq!(found, expected, "{path:?}");
        }
    }
}

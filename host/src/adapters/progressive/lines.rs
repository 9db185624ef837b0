//! A printed index as lines: which of them are skills, which are names of a category, and which are left as they are.
//!
//! The layout is Hermes's: `  category:` with or without a description, `    - name: description`, and
//! `  category [names only]: a, b`. Where the text has the tags around an index, only what stands between them is one.
//! A line that is none of these and follows a skill continues it. Everything else is passed on as it is.

/// A printed index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Its lines, in order, without their ends.
    pub lines: Vec<Line>,
    /// Whom they are about: a row for each skill line and for each name of a names line.
    pub rows: Vec<Row>,
    /// How many runs of skill lines and names lines there are.
    pub blocks: u32,
}

/// One skill of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name, as usage knows it.
    pub name: String,
    /// The run of lines that it is in.
    pub block: u32,
    /// What its line is long, with its end; 0 for one of a names line.
    pub chars: u32,
    /// Whether it stands in a names line.
    pub in_names: bool,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing to decide.
    Plain(String),
    /// A skill's line; its row.
    Skill(String, usize),
    /// A category's names.
    Names {
        /// The category.
        category: String,
        /// Rows of its names, in order.
        rows: std::ops::Range<usize>,
    },
}

const OPEN: &str = "<available_skills>";
const CLOSE: &str = "</available_skills>";
const NAMES: &str = " [names only]:";

impl Listing {
    /// Reads a text.
    #[must_use]
    pub fn read(text: &str) -> Listing {
        let text = line_ends(text);
        let mut raw: Vec<Raw> = Vec::new();
        let tagged = text.split('\n').any(|line| line.trim() == OPEN);
        let mut inside = !tagged;
        for line in text.split('\n') {
            let tag = line.trim();
            if tag == OPEN || tag == CLOSE {
                inside = tag == OPEN || !tagged;
                raw.push(Raw::Plain(line.to_owned()));
                continue;
            }
            match (kind(line), raw.last_mut()) {
                _ if !inside => raw.push(Raw::Plain(line.to_owned())),
                (Kind::Skill, _) => raw.push(Raw::Skill(line.to_owned())),
                (Kind::Names, _) => raw.push(Raw::Names(line.to_owned())),
                (Kind::Rest { .. }, Some(Raw::Skill(before)))
                | (Kind::Rest { deep: true }, Some(Raw::Names(before))) => {
                    before.push(' ');
                    before.push_str(line.trim());
                }
                _ => raw.push(Raw::Plain(line.to_owned())),
            }
        }
        Listing::of(raw)
    }

    fn of(raw: Vec<Raw>) -> Listing {
        let mut listing = Listing::default();
        let mut in_run = false;
        for raw in raw {
            let is_skill = matches!(raw, Raw::Skill(_));
            if (is_skill && !in_run) || matches!(raw, Raw::Names(_)) {
                listing.blocks += 1;
            }
            in_run = is_skill;
            let block = listing.blocks.saturating_sub(1);
            let line = match raw {
                Raw::Plain(line) => Line::Plain(line),
                Raw::Skill(line) => {
                    let chars = u32::try_from(line.chars().count() + 1).unwrap_or(u32::MAX);
                    let name = skill_name(&line).to_owned();
                    listing.rows.push(Row { name, block, chars, in_names: false });
                    Line::Skill(line, listing.rows.len() - 1)
                }
                Raw::Names(line) => {
                    let (category, names) = line.split_once(NAMES).unwrap_or((&line, ""));
                    let from = listing.rows.len();
                    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
                    listing.rows.extend(names.map(|name| Row {
                        name: name.to_owned(),
                        block,
                        chars: 0,
                        in_names: true,
                    }));
                    let rows = from..listing.rows.len();
                    Line::Names { category: category.trim_start().to_owned(), rows }
                }
            };
            listing.lines.push(line);
        }
        listing
    }
}

/// The text with one kind of line ends: those of Windows and of old Macs are line ends too.
pub(super) fn line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

enum Raw {
    Plain(String),
    Skill(String),
    Names(String),
}

enum Kind {
    Skill,
    Names,
    /// A category's header or count, or a blank line: it continues nothing.
    Own,
    /// Anything else, and whether it is indented as deep as what stands below a category.
    Rest {
        deep: bool,
    },
}

fn kind(line: &str) -> Kind {
    let deep = line.starts_with("    ") || line.starts_with('\t');
    if line.trim().is_empty() {
        return Kind::Own;
    }
    if line.strip_prefix("    - ").is_some_and(|rest| !rest.trim().is_empty()) {
        return Kind::Skill;
    }
    match line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '\t'])) {
        Some(rest) if rest.contains(NAMES) => Kind::Names,
        Some(rest) if is_header(rest.trim_end()) => Kind::Own,
        _ => Kind::Rest { deep },
    }
}

/// `category:`, `category: description`, `category (3)`.
fn is_header(line: &str) -> bool {
    line.ends_with(':') || line.contains(": ") || (line.ends_with(')') && line.contains(" ("))
}

/// The name before the description. A name may hold colons and spaces: only a colon with a space after it ends one.
fn skill_name(line: &str) -> &str {
    let rest = line.strip_prefix("    - ").unwrap_or(line).trim();
    let name = rest.split_once(": ").map_or(rest, |(name, _)| name);
    name.strip_suffix(':').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{Line, Listing};

    /// Each line as `kind|text`, with its block for skills.
    fn read(text: &str) -> Vec<String> {
        let listing = Listing::read(text);
        let row = |row: usize| listing.rows.get(row).map(|row| (row.name.clone(), row.block));
        let shown = |line: &Line| match line {
            Line::Plain(line) => format!("|{line}"),
            Line::Skill(line, at) => format!("{:?}|{line}", row(*at)),
            Line::Names { category, rows } => {
                let rows: Vec<_> = rows.clone().filter_map(row).collect();
                format!("{category}|{rows:?}")
            }
        };
        listing.lines.iter().map(shown).collect()
    }

    #[test]
    fn headers_with_and_without_descriptions_begin_blocks() {
        let text =
            "  a:\n    - x: one\n    - y\n  b: About b, and c.\n    - z: two\n  d (4)\n    - w:\n";
        let expected = [
            "|  a:",
            "Some((\"x\", 0))|    - x: one",
            "Some((\"y\", 0))|    - y",
            "|  b: About b, and c.",
            "Some((\"z\", 1))|    - z: two",
            "|  d (4)",
            "Some((\"w\", 2))|    - w:",
            "|",
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn names_with_colons_and_spaces_are_names() {
        let text = "    - plug:in: does\n    - my skill: does\n    - a: b: c";
        let expected = [
            "Some((\"plug:in\", 0))|    - plug:in: does",
            "Some((\"my skill\", 0))|    - my skill: does",
            "Some((\"a\", 0))|    - a: b: c",
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn a_line_that_is_no_other_continues_the_skill_before_it() {
        let text = "  a:\n    - x: one\n      more\nand more\n  b: header\n    - y: two\n\nprose\n  c [names only]: p,\n    q\nprose";
        let expected = [
            "|  a:",
            "Some((\"x\", 0))|    - x: one more and more",
            "|  b: header",
            "Some((\"y\", 1))|    - y: two",
            "|",
            "|prose",
            "c|[(\"p\", 2), (\"q\", 2)]",
            "|prose",
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn with_tags_only_what_stands_between_them_is_an_index() {
        let text = "    - no: skill\n<available_skills>\n    - a: one\n</available_skills>\n    - no: skill\n";
        let expected = [
            "|    - no: skill",
            "|<available_skills>",
            "Some((\"a\", 0))|    - a: one",
            "|</available_skills>",
            "|    - no: skill",
            "|",
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn a_closing_tag_alone_closes_nothing_and_continues_nothing() {
        let expected =
            ["Some((\"a\", 0))|    - a: one", "|</available_skills>", "Some((\"b\", 1))|    - b"];
        assert_eq!(read("    - a: one\n</available_skills>\n    - b"), expected);
    }
}

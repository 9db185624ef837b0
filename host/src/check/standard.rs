//! The Agent Skills standard's rules that the parser does not know already, as its validator `skills-ref` has them: six
//! fields, texts of bounded length, no brackets. What only that validator refuses is a note: all agents read it.

use super::{finding::Draft, page::Page, rule::Rule, rule::Severity};
use crate::library::Shape;

/// The standard's fields.
const FIELDS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Fields beyond the standard's that agents read at the top of a header, with whose they are.
const AGENTS: [(&str, &str); 25] = [
    ("when_to_use", "Claude Code"),
    ("argument-hint", "Claude Code"),
    ("arguments", "Claude Code"),
    ("disable-model-invocation", "Claude Code"),
    ("user-invocable", "Claude Code"),
    ("disallowed-tools", "Claude Code"),
    ("model", "Claude Code"),
    ("effort", "Claude Code"),
    ("context", "Claude Code"),
    ("background", "Claude Code"),
    ("agent", "Claude Code"),
    ("hooks", "Claude Code"),
    ("paths", "Claude Code"),
    ("shell", "Claude Code"),
    ("platforms", "Hermes"),
    ("environments", "Hermes"),
    ("prerequisites", "Hermes"),
    ("requires_toolsets", "Hermes"),
    ("requires_tools", "Hermes"),
    ("fallback_for_toolsets", "Hermes"),
    ("fallback_for_tools", "Hermes"),
    ("category", "Letta Code"),
    ("tags", "Letta Code"),
    ("requires", "OpenClaw"),
    ("homepage", "OpenClaw"),
];

/// Unicode scalars of `compatibility`.
const LONGEST_COMPATIBILITY: usize = 500;

/// Extra fields of one header that are named one by one.
const MOST_EXTRA: usize = 32;

/// What a page's header has against the standard.
pub(super) fn judge(row: usize, page: &Page, found: &mut Vec<Draft>) {
    let header = &page.header;
    let extra = header.fields.iter().filter(|field| !FIELDS.contains(&field.key.as_str()));
    for field in extra.take(MOST_EXTRA) {
        let key = field.key.as_str();
        let draft = match AGENTS.iter().find(|(name, _)| *name == key) {
            Some((_, agent)) => {
                let cause = format!(
                    "only {agent} and its kin read `{key}`; the standard has no such field"
                );
                Draft::new(row, Rule::ExtraField, field.line, &cause)
                    .fix("nothing, if the skill is for that agent")
            }
            None => Draft::new(
                row,
                Rule::ExtraField,
                field.line,
                &format!("the standard has no field `{key}`"),
            )
            .fix("put it below `metadata`"),
        };
        found.push(draft.field(key));
    }
    for field in &header.fields {
        if let Some(line) = field.brackets {
            let cause = "a list or mapping in brackets";
            found.push(Draft::new(row, Rule::Brackets, line, cause).field(field.key.as_str()));
        }
    }
    if let Some(field) = header.field("compatibility") {
        let length = field.text.as_ref().map_or(0, |text| text.as_str().chars().count());
        if field.shape == Shape::Blank || length > LONGEST_COMPATIBILITY {
            let cause =
                format!("{length} characters; the standard allows 1 to {LONGEST_COMPATIBILITY}");
            found.push(
                Draft::new(row, Rule::OddCompatibility, field.line, &cause).field("compatibility"),
            );
        }
    }
    if let Some((key, line)) = header.field("metadata").and_then(|field| field.nested.as_ref()) {
        let cause = format!("`{key}` is a list or a mapping; the standard has one text a key");
        found.push(Draft::new(row, Rule::NestedMetadata, *line, &cause).field("metadata"));
    }
    if let Some(field) = header.field("allowed-tools")
        && field.shape == Shape::List
    {
        let cause = "a list; the standard has one text with spaces between the tools";
        found.push(Draft::new(row, Rule::ToolsAsList, field.line, cause).field("allowed-tools"));
    }
}

/// The library knows the letters a-z alone, as the standard's text does; its validator takes the small letters of any
/// script, so a name in these is worth a warning only.
pub(super) fn name_severity(name: &str) -> Severity {
    let letters =
        name.chars().all(|c| c.is_alphanumeric() || c == '-') && name.to_lowercase() == name;
    let hyphens = !(name.starts_with('-') || name.ends_with('-') || name.contains("--"));
    let short = name.chars().count() <= 64;
    if letters && hyphens && short { Severity::Warning } else { Severity::Error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(header: &str) -> Vec<String> {
        let mut found = Vec::new();
        judge(0, &Page::of(format!("---\n{header}---\nbody\n").as_bytes()), &mut found);
        let field = |draft: &Draft| draft.field.as_ref().map_or(String::new(), ToString::to_string);
        found.iter().map(|d| format!("{}:{} {}", d.line, d.rule.id(), field(d))).collect()
    }

    #[test]
    fn what_the_standard_has_passes_and_all_else_is_named_with_its_line() {
        let long = "x".repeat(501);
        for (header, found) in [
            (
                "name: a\ndescription: b\nlicense: MIT\ncompatibility: needs git\nmetadata:\n  author: me\n  v: 1.0\nallowed-tools: Read Bash(git:*)\n",
                vec![],
            ),
            (
                "name: a\nversion: 1\nwhen_to_use: now\n",
                vec!["3:extra-field version", "4:extra-field when_to_use"],
            ),
            ("name: a\nallowed_tools: x\n", vec!["3:extra-field allowed_tools"]),
            ("allowed-tools:\n  - Read\n  - Write\n", vec!["2:tools-as-list allowed-tools"]),
            (
                "allowed-tools: [Read]\n",
                vec!["2:brackets allowed-tools", "2:tools-as-list allowed-tools"],
            ),
            ("metadata: {a: b}\n", vec!["2:brackets metadata"]),
            ("metadata:\n  a: b\n  c:\n    d: e\n", vec!["4:nested-metadata metadata"]),
            ("compatibility:\n", vec!["2:odd-compatibility compatibility"]),
            (&format!("compatibility: {long}\n"), vec!["2:odd-compatibility compatibility"]),
            (&format!("compatibility: {}\n", &long[1..]), vec![]),
            ("x-vendor: {a: 1}\n", vec!["2:extra-field x-vendor", "2:brackets x-vendor"]),
        ] {
            assert_eq!(rules(header), found, "{header}");
        }
    }

    #[test]
    fn a_name_in_small_letters_of_any_script_is_worth_a_warning_only() {
        for (name, severity) in [
            ("naïve", Severity::Warning),
            ("技能", Severity::Warning),
            ("A B", Severity::Error),
            ("Naïve", Severity::Error),
            ("-x", Severity::Error),
            ("x-", Severity::Error),
            ("a--b", Severity::Error),
            ("a_b", Severity::Error),
            ("x.", Severity::Error),
            (&"a".repeat(65), Severity::Error),
        ] {
            assert_eq!(name_severity(name), severity, "{name}");
        }
    }

    #[test]
    fn a_header_of_ten_thousand_extra_fields_is_not_named_line_by_line() {
        let header: String = (0..10_000).map(|n| format!("x{n}: 1\n")).collect();
        assert_eq!(rules(&header).len(), MOST_EXTRA);
    }
}

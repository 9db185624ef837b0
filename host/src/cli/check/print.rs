//! Findings as text, as JSON, and as annotations of GitHub Actions. It must never leave one out that should be printed.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::{super::output::columns, Checked};
use crate::{
    check::{Finding, Kind, Rule, Severity, Summary},
    skill::OneLine,
    world::counted,
};

/// Findings for people, each with its file and line first, as compilers have it.
pub(super) fn text(checked: &Checked<'_>) -> String {
    let lines = checked.shown().map(|finding| {
        let path = match checked.relative(&finding.path) {
            Some(below) => OneLine::new(&below.to_string_lossy()).to_string(),
            None => checked.world.shorten(&finding.path),
        };
        let line = finding.line.map_or(String::new(), |line| format!(":{line}"));
        let field = finding.field.as_ref().map_or(String::new(), |field| format!(" `{field}`"));
        let (severity, rule) = (finding.severity.word(), finding.rule.id());
        format!(
            "{path}{line}: {severity} {rule}{field}: {}\n    fix: {}\n",
            finding.cause, finding.fix
        )
    });
    lines.collect()
}

/// One line that counts everything, printed or not.
pub(super) fn summary(summary: &Summary) -> String {
    let skills = counted(summary.skills, "skill");
    let total: usize = summary.severities.iter().map(|(_, count)| count).sum();
    if total == 0 {
        return format!("{skills}, nothing to mend");
    }
    let severities: Vec<String> = summary
        .severities
        .iter()
        .map(|(severity, count)| counted(*count, severity.word()))
        .collect();
    let kinds = summary.kinds.iter().filter(|count| count.findings > 0);
    let kinds: Vec<String> =
        kinds.map(|count| format!("{} {}", count.kind.word(), count.findings)).collect();
    format!(
        "{skills}, {} without findings, {} with nothing worse than notes: {} ({})",
        summary.clean,
        summary.no_worse_than_notes,
        severities.join(", "),
        kinds.join(", ")
    )
}

/// Everything that is known of a check.
pub(super) fn json(checked: &Checked<'_>) -> Json {
    let summary = &checked.summary;
    let severities: serde_json::Map<String, Json> =
        summary.severities.iter().map(|(s, count)| (s.word().to_owned(), json!(count))).collect();
    let kinds: serde_json::Map<String, Json> = summary
        .kinds
        .iter()
        .map(|count| {
            (
                count.kind.word().to_owned(),
                json!({ "findings": count.findings, "clean": count.clean }),
            )
        })
        .collect();
    json!({
        "schema": "skillkeep.check/1",
        "sample": checked.world.is_sample(),
        "roots": super::super::records::roots(checked.world),
        "summary": {
            "skills": summary.skills,
            "clean": summary.clean,
            "no-worse-than-notes": summary.no_worse_than_notes,
            "severities": severities,
            "kinds": kinds,
            "not-shown": checked.hidden(),
        },
        "findings": checked.shown().map(|finding| record(checked, finding)).collect::<Vec<_>>(),
    })
}

fn record(checked: &Checked<'_>, finding: &Finding) -> Json {
    json!({
        "rule": finding.rule.id(),
        "kind": finding.rule.kind(),
        "severity": finding.severity,
        "skill": checked.name(finding),
        "path": finding.path.display().to_string(),
        "line": finding.line,
        "field": finding.field,
        "cause": finding.cause,
        "fix": finding.fix,
    })
}

/// Findings as commands to a GitHub Actions runner, which shows them beside the lines.
pub(super) fn github(checked: &Checked<'_>) -> String {
    checked
        .shown()
        .map(|finding| {
            let path = checked.relative(&finding.path).unwrap_or(&finding.path);
            annotation(finding, &path.to_string_lossy())
        })
        .collect()
}

fn annotation(finding: &Finding, path: &str) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let field = finding.field.as_ref().map_or(String::new(), |field| format!("`{field}`: "));
    format!(
        "::{command} file={},line={},title={}::{}\n",
        property(path),
        finding.line.unwrap_or(1),
        property(finding.rule.id()),
        data(&format!("{field}{}; {}", finding.cause, finding.fix))
    )
}

/// A message as the runner reads it: whatever could end the line is written as its number. A log is read on terminals
/// too, so what no terminal should get is left out, even of a path.
fn data(text: &str) -> String {
    let printed = |c: &char| matches!(c, '\r' | '\n') || !OneLine::is_unseen(*c);
    let text: String = text.chars().filter(printed).collect();
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The same for a property, which a colon or a comma would end too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The table of rules.
pub(super) fn rules(chosen: &BTreeSet<Rule>) -> String {
    let mut rows = vec![["RULE", "KIND", "SEVERITY", "CAUSE", "FIX"].map(str::to_owned).to_vec()];
    for rule in in_order(chosen) {
        let (kind, severity) = (rule.kind().word(), rule.severity().word());
        rows.push(
            [rule.id(), kind, severity, rule.cause(), rule.fix()].map(str::to_owned).to_vec(),
        );
    }
    columns(&rows)
}

/// The same for programs.
pub(super) fn rules_as_json(chosen: &BTreeSet<Rule>) -> Vec<Json> {
    in_order(chosen)
        .map(|rule| {
            json!({
                "rule": rule.id(),
                "kind": rule.kind(),
                "severity": rule.severity(),
                "cause": rule.cause(),
                "fix": rule.fix(),
            })
        })
        .collect()
}

/// The same as a Markdown document, which is committed.
pub(in crate::cli) fn rules_as_markdown() -> String {
    let mut text =
        "# The rules of `skillkeep check`\n\nWhat `skillkeep check --rules` prints, by kind.\n"
            .to_owned();
    for kind in Kind::ALL {
        text.push_str(&format!(
            "\n## {}\n\n| rule | severity | cause | fix |\n| --- | --- | --- | --- |\n",
            kind.word()
        ));
        for rule in Rule::ALL.iter().filter(|rule| rule.kind() == kind) {
            let cell = |text: &str| text.replace('|', "\\|");
            text.push_str(&format!(
                "| `{}` | {} | {} | {} |\n",
                rule.id(),
                rule.severity().word(),
                cell(rule.cause()),
                cell(rule.fix())
            ));
        }
    }
    text
}

fn in_order(chosen: &BTreeSet<Rule>) -> impl Iterator<Item = Rule> {
    Rule::ALL.iter().copied().filter(|rule| chosen.contains(rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_finding_can_end_an_annotation_or_begin_another() {
        for (path, cause, line) in [
            (
                "a/SKILL.md",
                "plain",
                "::warning file=a/SKILL.md,line=3,title=vague-description::`f`: plain; mend it\n",
            ),
            (
                "a,b:c/\n::error::x/SKILL.md",
                "50 % of it, 100%0A::error::x",
                "::warning file=a%2Cb%3Ac/%0A%3A%3Aerror%3A%3Ax/SKILL.md,line=3,title=vague-description::`f`: 50 %25 of it, 100%250A::error::x; mend it\n",
            ),
        ] {
            let finding = Finding {
                rule: Rule::VagueDescription,
                severity: Severity::Warning,
                row: None,
                root: 0,
                path: path.into(),
                line: Some(3),
                field: OneLine::some("f"),
                cause: OneLine::new(cause),
                fix: OneLine::new("mend it"),
            };
            assert_eq!(annotation(&finding, path), line);
        }
        assert_eq!(data("a\r\nb\u{1b}[31m\u{202e}c"), "a%0D%0Ab[31mc");
    }
}
